"""Sessions and ledgers: every record once, whole, each side's order kept, forgotten ones forgotten."""

from __future__ import annotations

import io
import json
import os
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.journal.event import Event
from memjournal.journal.git.line_merge import GitLineMerger
from memjournal.journal.git.program import Git
from memjournal.journal.ids import mint
from memjournal.journal.merging.conflicts import find_conflicts
from memjournal.journal.merging.file_merge import MergedFile, Side, merge_file
from memjournal.journal.session_file import (
    parse_event,
    parse_header,
    record_id,
    render_event,
    render_forgotten,
    render_header,
    scan,
)

from ..world import HEADER

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)
SESSION = "sessions/2026/11/30/shop--0f6d0c0e.md"
LEDGER = "ledger/laptop/2026-11.jsonl"
HEAD = render_header(HEADER).encode()


@pytest.fixture(scope="module")
def diff(tmp_path_factory: pytest.TempPathFactory) -> GitLineMerger:
    return GitLineMerger(Git(tmp_path_factory.mktemp("diff"), os.environ))


def record(n: int, text: str = "", *, minutes: int | None = None) -> bytes:
    at = HEADER.started + timedelta(minutes=n if minutes is None else minutes)
    event = Event(keys=(f"toolu_{n:010d}",), type="user_prompt", at=at, text=text or f"말 {n}")
    return render_event(event, mint(f"n{n}"))


def forgotten(n: int) -> bytes:
    return render_forgotten(mint(f"n{n}"), (f"toolu_{n:010d}",))


def ids(data: bytes | None) -> list[str]:
    assert data is not None
    parts = list(scan(io.BytesIO(data)))
    header, problem = parse_header(parts[0].raw.decode())
    assert problem == ""
    for part in parts[1:]:
        assert part.kind in ("event", "forgotten"), part
        if part.kind == "event":
            parse_event(part.raw, header)
    return [record_id(part.raw) for part in parts[1:]]


def named(*numbers: int) -> list[str]:
    return [str(mint(f"n{n}")) for n in numbers]


def merge(
    diff: GitLineMerger,
    base: bytes | None,
    one: bytes,
    other: bytes,
    path: str = SESSION,
    announced: frozenset[str] = frozenset(),
) -> MergedFile:
    sides = Side(one, "a 2026-12-01 09:00", NOW), Side(other, "b 2026-12-01 10:00", NOW)
    merged = merge_file(path, base, *sides, diff=diff, forgotten=announced)
    assert merged == merge_file(path, base, *sides[::-1], diff=diff, forgotten=announced)
    return merged


def test_what_both_added_stands_by_time_behind_what_was_there(diff: GitLineMerger) -> None:
    base = HEAD + record(1)
    merged = merge(diff, base, base + record(2) + record(5), base + record(3) + record(4))
    assert merged == MergedFile(HEAD + b"".join(map(record, range(1, 6))))


def test_the_order_of_a_side_is_kept_though_its_clock_went_back(diff: GitLineMerger) -> None:
    base = HEAD + record(1, minutes=30)
    one = base + record(2, minutes=50) + record(3, minutes=10)
    other = base + record(4, minutes=40)
    assert ids(merge(diff, base, one, other).data) == named(1, 4, 2, 3)


def test_two_imports_of_one_transcript_are_one_session(diff: GitLineMerger) -> None:
    one, other = HEAD + record(1) + record(2), HEAD + record(1) + record(2) + record(3)
    assert merge(diff, None, one, other).data == other


def test_a_forgotten_record_stays_forgotten(diff: GitLineMerger) -> None:
    base = HEAD + record(1) + record(2)
    one = HEAD + forgotten(1) + record(2)
    merged = merge(diff, base, one, base + record(3))
    assert merged.data == HEAD + forgotten(1) + record(2) + record(3)
    assert merge(diff, None, one, base).data == one
    lacking = HEAD + record(2)
    announced = frozenset(named(1))
    assert merge(diff, lacking, lacking + record(3), base, SESSION, announced).data == (
        HEAD + forgotten(1) + record(2) + record(3)
    )


def test_a_restored_record_is_not_forgotten_again(diff: GitLineMerger) -> None:
    base = HEAD + forgotten(1) + record(2)
    one = HEAD + record(1) + record(2)
    assert merge(diff, base, one, base + record(3)).data == one + record(3)


def test_a_torn_record_gives_way_to_the_whole_one(diff: GitLineMerger) -> None:
    base = HEAD + record(1)
    torn = base + record(2)[:-20]
    merged = merge(diff, base, torn, base + record(2) + record(3))
    assert ids(merged.data) == named(1, 2, 3)
    lone = merge(diff, base, torn, base + record(3)).data
    assert lone is not None and record(3) in lone and record(2)[:-20].rstrip() in lone


def test_a_record_that_two_hands_changed_holds_both_texts(diff: GitLineMerger) -> None:
    base = HEAD + record(1) + record(2)
    one = HEAD + record(1, "고친 말") + record(2)
    merged = merge(diff, base, one, HEAD + record(1, "mended") + record(2))
    assert merged.n_conflicts == 1
    assert ids(merged.data) == named(1, 2)
    assert merged.data is not None
    (found,) = find_conflicts(merged.data)
    assert {found.first, found.second} == {"고친 말\n", "mended\n"}
    assert merge(diff, base, one, base).data == one


def test_words_of_a_person_keep_their_place(diff: GitLineMerger) -> None:
    base = HEAD + record(1) + record(2)
    one = HEAD + record(1) + "덧붙인 말\n\n".encode() + record(2)
    merged = merge(diff, base, one, base + record(3))
    assert merged.data == one + record(3)


def test_a_session_that_contradicts_itself_is_the_same_from_both_sides(diff: GitLineMerger) -> None:
    one, other = HEAD + record(1) + record(2) + record(3), HEAD + record(2) + record(1) + record(4)
    assert sorted(ids(merge(diff, None, one, other).data)) == sorted(named(1, 2, 3, 4))


NUMBERS = st.lists(st.integers(0, 30), unique=True, max_size=12)


@given(NUMBERS, NUMBERS, NUMBERS, st.randoms(use_true_random=False))
def test_three_machines_agree_in_whatever_order_they_merge(
    diff: GitLineMerger,
    first: list[int],
    second: list[int],
    third: list[int],
    chance: random.Random,
) -> None:
    base = [n + 100 for n in range(chance.randint(0, 4))]
    shared = HEAD + b"".join(map(record, base))
    sides = []
    for numbers in (first, second, third):
        own = [record(n) for n in sorted(numbers)]
        sides.append(shared + b"".join(own))
    one = merge(diff, shared, sides[0], sides[1]).data
    two = merge(diff, shared, sides[1], sides[2]).data
    assert one is not None and two is not None
    assert merge(diff, shared, one, sides[2]).data == merge(diff, shared, two, sides[0]).data
    assert sorted(ids(one)) == sorted(named(*{*base, *first, *second}))


def line(n: int) -> bytes:
    at = NOW + timedelta(minutes=n)
    return json.dumps({"kind": "told", "at": at.isoformat(), "n": n}).encode() + b"\n"


@given(NUMBERS, NUMBERS)
def test_a_ledger_has_the_lines_of_both_once_by_time(
    diff: GitLineMerger, first: list[int], second: list[int]
) -> None:
    one, other = (b"".join(map(line, sorted(numbers))) for numbers in (first, second))
    merged = merge(diff, b"", one, other, LEDGER).data
    assert merged == b"".join(map(line, sorted({*first, *second})))


def test_a_line_that_is_torn_on_one_side_is_whole(diff: GitLineMerger) -> None:
    merged = merge(diff, line(1), line(1) + line(2)[:-9], line(1) + line(2) + line(3), LEDGER)
    assert merged.data == line(1) + line(2) + line(3)
    lone = merge(diff, line(1), line(1) + line(2)[:-9], line(1) + line(3), LEDGER).data
    assert lone is not None and lone.split(b"\n")[1] == line(2)[:-9]


def test_real_sessions_merge_with_themselves(diff: GitLineMerger) -> None:
    examples = Path(__file__).parents[3] / "examples/journal/sessions"
    found = sorted(examples.rglob("*.md"))
    for path in found:
        data = path.read_bytes()
        assert merge(diff, data, data, data + record(999)).data == data + record(999)
