"""A trace is found wherever it stands in a file, and what holds nothing or is closed stops no search."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memjournal.journal import traces
from memjournal.journal.traces import Traces, find_traces

from ..odd_places import a_loop, a_pipe, a_socket, an_endless_device

LINE = "the line that tells it from all others"


def look(root: Path) -> Traces:
    return find_traces(root, ids=["a7Bc3x"], lines=[LINE])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("notes", "index"):
        (tmp_path / name).mkdir()
    return tmp_path


@pytest.mark.parametrize("make", [a_pipe, a_socket, a_loop, an_endless_device])
@pytest.mark.parametrize("place", ["notes/odd.md", "index/odd", "odd.toml"])
def test_what_is_no_file_is_passed_by(root: Path, place: str, make: Callable[[Path], None]) -> None:
    make(root / place)
    assert look(root) == Traces((), (), (), (), ())


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_what_cannot_be_read_is_named(root: Path) -> None:
    (root / "notes" / "closed.md").write_text("x")
    (root / "sealed").mkdir()
    for name in ("notes/closed.md", "sealed"):
        (root / name).chmod(0)
    try:
        assert look(root).unread == ("notes/closed.md", "sealed")
    finally:
        (root / "sealed").chmod(0o700)


def test_a_name_that_is_no_text_can_be_printed(root: Path) -> None:
    if os.name == "nt":
        pytest.skip("names are not bytes there")
    Path(os.fsdecode(os.fsencode(root) + b"/notes/\xff.md")).write_text("see [mem:a7Bc3x]")
    assert look(root).citations == ("notes/?.md",)


@pytest.mark.parametrize("filling", [b"x", b"\n", b"xxxxxxx\n", b"\0"])
@pytest.mark.parametrize("n_before", range(0, 90, 7))
def test_it_is_found_across_the_pieces_of_a_file(
    root: Path, monkeypatch: pytest.MonkeyPatch, filling: bytes, n_before: int
) -> None:
    monkeypatch.setattr(traces, "_PIECE_BYTES", 1)  # a piece is as long as what it must overlap
    before = (filling * 400)[: 160 + n_before]
    cited = before + b" mem:a7Bc3x " + filling * 200
    (root / "notes" / "cited.md").write_bytes(cited)
    (root / "index" / "words").write_bytes(before + LINE.encode() + filling * 200)
    assert look(root) == Traces((), ("notes/cited.md",), (), ("index/words",), ())


def test_a_line_is_whole_and_an_id_begins_one(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces, "_PIECE_BYTES", 1)
    for n_before in range(1, 200):
        (root / "notes" / "no.md").write_bytes(b"x" * n_before + b"id: a7Bc3x " + LINE.encode())
        assert look(root) == Traces((), (), (), (), ())
    words = b"x" * 300 + b"\n" + LINE.encode() + b"\r\nid: a7Bc3x\n"
    (root / "notes" / "yes.md").write_bytes(words)
    assert look(root) == Traces(("notes/yes.md",), (), ("notes/yes.md",), (), ())
