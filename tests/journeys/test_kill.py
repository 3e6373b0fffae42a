"""Commands that are killed at random moments lose nothing that they acknowledged, and leave no work."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

KILL = Path(__file__).parents[1] / "bench/kill.py"


@pytest.mark.skipif(os.name == "nt", reason="no fork, no SIGKILL")
def test_nothing_acknowledged_is_lost_when_commands_are_killed() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(KILL), "--kills", "30", "--seed", "11"],
        capture_output=True,
        check=False,
        encoding="utf-8",
        timeout=900,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(
        r"^30 killed, \d+ times all checked, \d+ acknowledged entries, faults: 0$",
        done.stdout,
        re.MULTILINE,
    )  # so that it cannot test nothing
