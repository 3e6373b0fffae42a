"""What the tests of history share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .audited_world import TEXTS, AuditedWorld


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AuditedWorld:
    """Five commits, each of something said and something used."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    world = AuditedWorld(tmp_path / "journal")
    for text in TEXTS:
        world.say(text)
        world.use()
        world.commit()
    return world
