"""A session file that grew is read from where it ended, and only if it is otherwise as it was."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.indexer.upkeep import growth, reconcile
from memjournal.journal import reading

from .world import World


def session_path(world: World) -> Path:
    (path,) = world.paths("sessions")
    return world.root / path


class Counted:
    """How many bytes were read of journal files."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.whole = 0
        whole = reading.read_entries

        def counting(root: Path, file: reading.JournalFile) -> object:
            self.whole += 1
            return whole(root, file)

        monkeypatch.setattr(reconcile, "read_entries", counting)


def settle(path: Path) -> None:
    """Let the last write lie a while back, so that the file does not count as just changed."""
    moment = time.time_ns() - 10**9
    os.utime(path, ns=(moment, moment))


@pytest.fixture
def grown(world: World) -> World:
    """A session of ten events that is indexed and settled."""
    world.events(f"pool timeout {number}" for number in range(10))
    settle(session_path(world))
    world.update()
    return world


@pytest.mark.parametrize("is_settled", [True, False], ids=["growth", "read whole"])
def test_what_is_said_on_leaves_what_was_said_as_it_was(grown: World, is_settled: bool) -> None:
    """What is remembered of filters stays good while assistants work."""
    with grown.catalog() as catalog:
        before = catalog.n_refilings
    grown.events(["invoice 결제"])
    if is_settled:
        settle(session_path(grown))
    grown.memory("결제 retries")
    grown.update()
    grown.update(later_s=10)
    with grown.catalog() as catalog:
        assert catalog.last_docno() == 12
        assert catalog.n_refilings == before


def test_of_a_file_that_grew_only_the_end_is_read(
    grown: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted(monkeypatch)
    grown.events(["invoice 결제"])
    settle(session_path(grown))
    report = grown.update()
    assert (counted.whole, report.change.n_added, report.change.n_changed) == (0, 1, 0)
    grown.check_against_a_rebuild()


def test_what_grew_within_the_tick_of_a_clock_is_read_once_more_from_its_end(
    grown: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    grown.events(["invoice"])
    assert grown.update().change.n_added == 1
    counted = Counted(monkeypatch)
    assert grown.update(later_s=5).n_files == 1  # it may have changed without a sign
    assert not grown.update(later_s=5).n_files
    assert counted.whole == 0
    grown.check_against_a_rebuild()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"pool timeout 9", b"pool timeout x"),
        (b"pool timeout 0", b"cookie is late"),
        (b"agent: claude-code", b"agent: codex-claude"),
        (b"pool timeout 4", b"pool timeout 4 and more"),
    ],
)
def test_an_edit_further_up_is_seen_although_the_file_grew(
    grown: World, old: bytes, new: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted(monkeypatch)
    path = session_path(grown)
    grown.events(["invoice"])
    path.write_bytes(path.read_bytes().replace(old, new))
    settle(path)
    assert grown.update().change.n_added == 1
    assert counted.whole == 1
    with grown.catalog() as catalog:
        assert set(catalog.tally("agent")) == {"codex-claude" if b"agent" in old else "claude-code"}
    grown.check_against_a_rebuild()


@pytest.mark.parametrize(
    "tail",
    [
        b"words of a person\n",
        b"## 09:12:31 user_prompt [mem:abcdef]\ntorn",
        b"## 09:1",
        b"\n\n",
        b"\0\0\0",
        "\ud55c\uad6d\uc5b4 \uba54\ubaa8".encode(),
    ],
)
def test_whatever_is_added_that_is_no_record_the_index_is_right(grown: World, tail: bytes) -> None:
    path = session_path(grown)
    with open(path, "ab") as stream:
        stream.write(tail)
    settle(path)
    grown.update()
    grown.check_against_a_rebuild()
    grown.events(["invoice after it"])
    settle(path)
    grown.update()
    grown.check_against_a_rebuild()


def test_beyond_the_window_growth_is_taken_on_trust_until_it_is_proven(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growth, "WINDOW_BYTES", 300)
    monkeypatch.setattr(reconcile, "WINDOW_BYTES", 300)
    world.events(f"pool timeout {number}" for number in range(30))
    path = session_path(world)
    settle(path)
    world.update()
    path.write_bytes(path.read_bytes().replace(b"pool timeout 3\n", b"pool cookies 3\n"))
    world.events(["invoice"])
    settle(path)
    assert world.update().change.n_added == 1
    with world.catalog() as catalog:
        assert catalog.unproven() == [path.relative_to(world.root).as_posix()]
    report = world.index.prove(now_ns=time.time_ns())
    assert report.change.n_changed == 1
    with world.catalog() as catalog:
        assert catalog.unproven() == []
    world.check_against_a_rebuild()
    assert not world.index.prove(now_ns=time.time_ns()).n_files


def test_a_file_that_went_before_its_growth_was_proven_is_gone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growth, "WINDOW_BYTES", 300)
    monkeypatch.setattr(reconcile, "WINDOW_BYTES", 300)
    world.note("notes/a.md", "that stays")
    world.events(f"pool timeout {number}" for number in range(30))
    path = session_path(world)
    settle(path)
    world.update()
    world.events(["invoice"])
    settle(path)
    world.update()
    path.unlink()
    assert world.update(later_s=120).change.n_removed == 31
    world.check_against_a_rebuild()


PIECES = st.lists(
    st.sampled_from(
        ["event", "two", "edit", "same length", "cut", "note", "forget", "update", "touch"]
    ),
    max_size=12,
)


@given(PIECES)
def test_any_history_of_one_session_ends_as_a_rebuild_would(
    new_world: object, steps: list[str]
) -> None:
    world: World = new_world()  # type: ignore[operator]  # the fixture's type says more
    world.events(["pool timeout", "session cookie 세션"])
    path = session_path(world)
    for number, step in enumerate(steps):
        data = path.read_bytes()
        match step:
            case "event":
                world.events([f"refund {number} 환불"])
            case "two":
                world.events([f"retry {number}", f"queue {number}"])
            case "edit":
                path.write_bytes(data.replace(b"pool", b"the pool", 1))
            case "same length":
                path.write_bytes(data.replace(b"session", b"tenants", 1))
            case "cut":
                path.write_bytes(data[: -len(data) // 10])
            case "note":
                path.write_bytes(data + b"words of mine\n\n")
            case "forget":
                world.update()
                with world.catalog() as catalog:
                    rows = catalog.by_path(path.relative_to(world.root).as_posix())
                world.forget(*(row.id for row in rows[-1:] if row.kind == "event"))
            case "touch":
                os.utime(path)
            case _:
                settle(path)
                world.update()
    world.update(later_s=5)
    world.check_against_a_rebuild(("pool timeout", "session", "환불", "words of mine"))


def test_of_an_index_that_is_being_built_anew_nothing_has_to_be_proven(world: World) -> None:
    world.update()
    world.index.catalog_path.unlink()  # as a rebuild does first
    assert not world.index.prove(now_ns=time.time_ns()).n_files
