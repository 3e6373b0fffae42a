"""Whatever three machines do to one journal, after syncing all have the same, and nothing is lost.

``MEM_SYNC_OPERATIONS=20000 MEM_SYNC_SEED=7`` tries that many operations with other chances.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ..indexer.world import make_model
from .clones import Clones

OPERATIONS = int(os.environ.get("MEM_SYNC_OPERATIONS", "2000"))
SEED = int(os.environ.get("MEM_SYNC_SEED", "20261201"))
CHECKS = 5  # in the middle of all

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no fork, no SIGKILL")


def test_three_machines_agree_and_nothing_acknowledged_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CONFIG", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    clones = Clones(tmp_path, make_model(tmp_path / "model"), seed=SEED)
    for number in range(1, OPERATIONS + 1):
        clones.step()
        if number % (OPERATIONS // CHECKS) == 0:
            clones.settle()
            clones.check()
    assert clones.n_done["killed"] > OPERATIONS / 400
    assert len(clones.acknowledged) > OPERATIONS / 4
    assert len(clones.forgotten) > OPERATIONS / 100
