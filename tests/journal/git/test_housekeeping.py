"""What is loose is packed before it grows large, and nothing of it is lost."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from memjournal.journal import git
from memjournal.journal.git.housekeeping import Storage, keep_house, storage_of
from memjournal.journal.git.objects import write_blobs
from memjournal.journal.git.program import Git

from ...git_by_hand import git as by_hand


@pytest.mark.parametrize(
    ("storage", "due"),
    [
        (Storage(3_000, 51_200, 20), "none"),
        (Storage(3_001, 0, 0), "pack"),
        (Storage(0, 51_201, 0), "pack"),
        (Storage(9_999, 99_999, 21), "collect"),
    ],
)
def test_what_is_due_follows_from_what_is_there(storage: Storage, due: str) -> None:
    assert storage.due == due


def test_what_no_branch_needs_is_packed_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    git.create_repository(tmp_path, environ=os.environ)
    program = Git(tmp_path, os.environ)
    write_blobs(program, [b"%d\n" % number for number in range(3_001)])
    assert keep_house(program) == "collect"
    assert keep_house(program) == "none"


def test_a_session_that_was_committed_often_takes_little_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    git.create_repository(tmp_path, environ=os.environ)
    session = tmp_path / "sessions/s.md"
    session.parent.mkdir()
    chance = random.Random(1)
    for number in range(16):
        with session.open("ab") as stream:
            stream.write(chance.randbytes(500_000).hex().encode())
        git.commit(tmp_path, ["sessions/s.md"], f"capture: {number}", environ=os.environ)
    program = Git(tmp_path, os.environ)
    assert storage_of(program).loose_kib > 51_200
    assert keep_house(program) == "pack"
    packed = storage_of(program)
    assert (packed.n_loose, packed.n_packs) == (0, 1)
    assert keep_house(program) == "none"
    assert by_hand(tmp_path, "fsck", "--full") == ""
    assert by_hand(tmp_path, "rev-list", "--count", "HEAD") == "16"
