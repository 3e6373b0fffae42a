"""What was saved comes back; what is damaged is ignored and said."""

from __future__ import annotations

from pathlib import Path

import pytest

from memjournal.hooks.import_state import Glance, ImportState, Seen

from ..odd_places import a_pipe

SEEN = Seen(size_bytes=10, mtime_ns=20, session="s", reader="r", since="2026-01-01T00:00:00+00:00")
GLANCE = Glance(size_bytes=1, mtime_ns=2, session="s", cwd="/home/민지", reader="r")


def test_what_was_saved_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "index" / "imported.jsonl"
    state = ImportState.load(path)
    state.record(Path("/프로젝트/a.jsonl"), SEEN)
    state.note_glance(Path("/other"), GLANCE)
    state.save()
    again = ImportState.load(path)
    assert again.glance(Path("/other")) == GLANCE
    assert again.find(Path("/프로젝트/a.jsonl")) == SEEN
    assert again.find(Path("/other")) is None and again.trouble == ""


def test_nothing_is_written_when_nothing_changed(tmp_path: Path) -> None:
    path = tmp_path / "index" / "imported.jsonl"
    ImportState.load(path).save()
    assert not path.parent.exists()


@pytest.mark.parametrize(
    "damage",
    [b"", b"\xff\xfe", b"{}\n", b'{"format":"memjournal-imports","version":99}\n', b"[" * 10_000],
)
def test_a_damaged_file_is_ignored_and_said(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "imported.jsonl"
    path.write_bytes(damage)
    state = ImportState.load(path)
    assert state.trouble
    state.record(Path("/a"), SEEN)
    state.save()
    assert ImportState.load(path).find(Path("/a")) == SEEN


def test_a_pipe_in_its_place_is_not_waited_for_and_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "imported.jsonl"
    a_pipe(path)
    state = ImportState.load(path)
    state.record(Path("/프로젝트/a"), SEEN)
    state.save()
    assert ImportState.load(path).find(Path("/프로젝트/a")) == SEEN


def test_a_torn_file_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "imported.jsonl"
    state = ImportState.load(path)
    state.record(Path("/a"), SEEN)
    state.save()
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    assert "damaged" in ImportState.load(path).trouble
    assert list(tmp_path.iterdir()) == [path]
