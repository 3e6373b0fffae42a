"""A repeated import is answered from memory only while nothing that decides it has changed."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memjournal.cli import repeat

from ..odd_places import a_pipe

COMMAND = ("import", "--all")
TEXT = "nothing new\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of transcripts, settings and a state file, after a run that was noted."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "projects" / "-home-dev-shop").mkdir(parents=True)
    (tmp_path / "projects" / "-home-dev-shop" / "세션.jsonl").write_text("{}\n", "utf-8")
    (tmp_path / "config.toml").write_text("")
    (tmp_path / "imports.jsonl").write_text("")
    note(tmp_path)
    yield tmp_path


def later() -> int:
    """Ten seconds on, in nanoseconds: everything that the tests write has settled."""
    return time.time_ns() + 10_000_000_000


def note(place: Path, *, now_ns: int | None = None) -> None:
    """What the end of an import does."""
    repeat.remember(
        COMMAND,
        TEXT,
        paths=[
            str(place / "config.toml"),
            str(place / "missing.toml"),
            str(place / "projects" / "-home-dev-shop" / "세션.jsonl"),
        ],
        folders=[str(place / "projects")],
        written=str(place / "imports.jsonl"),
        now_ns=later() if now_ns is None else now_ns,
    )


def age(place: Path) -> None:
    """Let everything have been written a minute ago."""
    then = time.time_ns() - 60_000_000_000
    for path in (place, *place.rglob("*")):
        os.utime(path, ns=(then, then))


def test_the_same_import_is_answered_at_once(place: Path) -> None:
    assert repeat.recall(COMMAND) == TEXT


def grow(place: Path) -> None:
    with open(place / "projects" / "-home-dev-shop" / "세션.jsonl", "a") as stream:
        stream.write("{}\n")


def touch_same_size(place: Path) -> None:
    path = place / "projects" / "-home-dev-shop" / "세션.jsonl"
    path.write_text("[]\n", "utf-8")
    os.utime(path, ns=(later(), later()))


def add_transcript(place: Path) -> None:
    (place / "projects" / "-home-dev-shop" / "new.jsonl").write_text("{}\n")


def add_project(place: Path) -> None:
    (place / "projects" / "-home-dev-other").mkdir()


def change_settings(place: Path) -> None:
    (place / "config.toml").write_text("[capture]\nsidechains = true\n")


def make_settings(place: Path) -> None:
    (place / "missing.toml").write_text("")


def remove_state(place: Path) -> None:
    (place / "imports.jsonl").unlink()


@pytest.mark.parametrize(
    "change",
    [
        grow,
        touch_same_size,
        add_transcript,
        add_project,
        change_settings,
        make_settings,
        remove_state,
    ],
)
def test_whatever_decides_it_makes_the_next_import_a_full_one(
    place: Path, change: Callable[[Path], None]
) -> None:
    age(place)  # or the change may fall into the very tick in which the note was made
    note(place)
    change(place)
    assert repeat.recall(COMMAND) is None


@pytest.mark.parametrize("name", ["MEMJOURNAL_HOME", "CLAUDE_CONFIG_DIR", "TZ"])
def test_another_environment_is_another_import(
    place: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, str(place / "elsewhere"))
    assert repeat.recall(COMMAND) is None


def test_other_words_or_another_folder_are_another_import(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert repeat.recall(("import", "--all", "--force")) is None
    monkeypatch.chdir(place / "projects")
    assert repeat.recall(COMMAND) is None


def test_what_may_still_be_changing_is_not_noted(place: Path) -> None:
    (place / "cache" / "memjournal" / "imports.json").unlink()
    grow(place)
    note(place, now_ns=time.time_ns())
    assert repeat.recall(COMMAND) is None


@pytest.mark.parametrize("content", ["", "[", "{}", "[1, null]", '[{"key": 3}]', "\x00"])
def test_a_damaged_note_is_no_note(place: Path, content: str) -> None:
    (place / "cache" / "memjournal" / "imports.json").write_text(content)
    assert repeat.recall(COMMAND) is None
    note(place)
    assert repeat.recall(COMMAND) == TEXT


def test_a_cache_folder_that_cannot_be_made_costs_only_time(place: Path) -> None:
    (place / "cache" / "memjournal" / "imports.json").unlink()
    (place / "cache" / "memjournal").rmdir()
    (place / "cache" / "memjournal").write_text("in the way")
    note(place)
    assert repeat.recall(COMMAND) is None


def test_only_the_newest_command_lines_are_kept(place: Path) -> None:
    for number in range(40):
        repeat.remember(
            ("import", str(number)),
            TEXT,
            paths=[],
            folders=[],
            written=str(place / "imports.jsonl"),
            now_ns=later(),
        )
    kept = json.loads((place / "cache" / "memjournal" / "imports.json").read_text())
    assert len(kept) == 16
    assert repeat.recall(("import", "39")) == TEXT


def test_a_pipe_in_the_place_of_the_notes_is_not_waited_for(place: Path) -> None:
    (notes,) = (place / "cache").rglob("imports.json")
    notes.unlink()
    a_pipe(notes)
    assert repeat.recall(COMMAND) is None
    age(place)
    note(place)
    assert repeat.recall(COMMAND) == TEXT
