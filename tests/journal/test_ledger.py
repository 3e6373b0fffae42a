"""Every line that was acknowledged is read, once, whatever else stands in the ledger or happened to it."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memjournal.journal import files
from memjournal.journal.errors import (
    CannotCreateError,
    LockedError,
    NoJournalError,
    StorageError,
)
from memjournal.journal.ledger import Ledger
from memjournal.journal.ledger_reader import (
    MAX_LINE_BYTES,
    BadLine,
    LedgerReader,
    RewrittenError,
    read_ledger,
)
from memjournal.journal.ledger_records import (
    NotTold,
    Record,
    Told,
    Unused,
    Used,
    parse_record,
    render_record,
)
from memjournal.journal.redaction import Redactor

from ..odd_places import a_folder, a_pipe
from .strategies import ids, lines, scores, times

AT = datetime(2026, 11, 30, 9, 12, 4, tzinfo=timezone(timedelta(hours=9)))
TOLD = Told(
    at=AT,
    session="0f6d0c0e-1f0b-4b7e-9d3e-1c2b7f0a9c11",
    project="github.com/acme/shop",
    agent="claude-code",
    event="prompt",
    ids=("a7Bc3x", "k2Jd8f"),
)
NOT_TOLD = NotTold(
    at=AT, session=TOLD.session, project="로컬/가게", agent="claude-code", reason="no match"
)
USED = Used(at=AT, session=TOLD.session, id="a7Bc3x", how="overlap", overlap=0.41)
UNUSED = Unused(at=AT, session=TOLD.session, id="k2Jd8f", overlap=0.05)
ALL = (TOLD, NOT_TOLD, USED, UNUSED)
FILE = "ledger/host-1/2026-11.jsonl"
WRITER = str(Path(__file__).with_name("ledger_writer.py"))

told_values = st.builds(
    Told,
    at=times,
    session=lines,
    project=lines,
    agent=lines,
    event=st.sampled_from(["prompt", "brief"]),
    ids=st.lists(ids, max_size=4).map(tuple),
)
reasons = st.sampled_from(["no match", "not asked", "disabled", "없음"])
records = st.one_of(
    told_values,
    st.builds(NotTold, at=times, session=lines, project=lines, agent=lines, reason=reasons),
    st.builds(
        Used,
        at=times,
        session=lines,
        id=ids,
        how=st.sampled_from(["cited", "overlap"]),
        overlap=scores,
    ),
    st.builds(Unused, at=times, session=lines, id=ids, overlap=scores),
)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return open_ledger(tmp_path)


def open_ledger(root: Path, machine: str = "host-1") -> Ledger:
    return Ledger(root, machine=machine, redact=str, lock_timeout_s=30.0)


def read(root: Path, since: datetime | None = None) -> tuple[list[Record], list[BadLine]]:
    """What is read, and what is passed over."""
    bad: list[BadLine] = []
    return list(read_ledger(root, since=since, failed=bad.append)), bad


def put(root: Path, data: bytes, path: str = FILE) -> Path:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    return target


# the lines


@given(records)
def test_a_record_survives_the_trip_through_a_line(record: Record) -> None:
    line = render_record(record)
    assert line.count(b"\n") == 1 and line.endswith(b"\n")
    assert parse_record(line) == record


@settings(max_examples=20)  # each example waits for the disk, once a month
@given(st.lists(records, max_size=6))
def test_what_is_appended_is_read(
    tmp_path_factory: pytest.TempPathFactory, appended: list[Record]
) -> None:
    root = tmp_path_factory.mktemp("journal")
    for record in appended:
        open_ledger(root).append(record)
    found, bad = read(root)
    assert sorted(map(render_record, found)) == sorted(map(render_record, appended)) and bad == []


def test_the_lines_are_as_the_documentation_shows_them(tmp_path: Path, ledger: Ledger) -> None:
    ledger.append(*ALL)
    at, session = "2026-11-30T09:12:04+09:00", TOLD.session
    names = {"project": "github.com/acme/shop", "agent": "claude-code"}
    assert [json.loads(line) for line in (tmp_path / FILE).read_text("utf-8").splitlines()] == [
        {
            "kind": "told",
            "at": at,
            "session": session,
            **names,
            "event": "prompt",
            "ids": ["a7Bc3x", "k2Jd8f"],
        },
        {
            "kind": "not_told",
            "at": at,
            "session": session,
            **names,
            "project": "로컬/가게",
            "reason": "no match",
        },
        {
            "kind": "used",
            "at": at,
            "session": session,
            "id": "a7Bc3x",
            "how": "overlap",
            "overlap": 0.41,
        },
        {"kind": "unused", "at": at, "session": session, "id": "k2Jd8f", "overlap": 0.05},
    ]


def test_half_a_character_in_a_name_is_no_obstacle(tmp_path: Path, ledger: Ledger) -> None:
    odd = replace(NOT_TOLD, project="caf\udce9", session="\ud83d")
    ledger.append(odd)
    assert read(tmp_path) == ([odd], [])
    (tmp_path / FILE).read_bytes().decode("utf-8")


@pytest.mark.parametrize(
    "make",
    [
        lambda: replace(TOLD, at=datetime(2026, 11, 30)),
        lambda: replace(TOLD, ids=("로그인 버그 고쳐줘",)),
        lambda: replace(USED, id="src/auth.py"),
        lambda: replace(USED, overlap=float("nan")),
        lambda: replace(USED, overlap=1.5),
        lambda: replace(UNUSED, overlap=-0.1),
        lambda: replace(NOT_TOLD, reason="the user asked to fix the login bug in src/auth.py"),
        lambda: replace(NOT_TOLD, reason="no\nmatch"),
    ],
)
def test_what_is_no_id_number_or_short_word_gets_into_no_record(
    make: Callable[[], Record],
) -> None:
    with pytest.raises(ValueError):
        make()


def test_a_secret_in_a_name_gets_into_no_line(tmp_path: Path) -> None:
    redactor = Redactor()
    secret = "sk-ant-api03-" + "Zq8" * 20
    ledger = Ledger(tmp_path, machine="host-1", redact=lambda text: redactor.redact(text).text)
    named = replace(TOLD, project=f"local/{secret}", session=secret, agent=secret)
    ledger.append(named, replace(USED, session=secret), replace(NOT_TOLD, project=secret))
    assert secret not in (tmp_path / FILE).read_text("utf-8")
    assert len(read(tmp_path)[0]) == 3


# where they are


def test_each_month_has_a_file_by_utc(tmp_path: Path, ledger: Ledger) -> None:
    late = replace(USED, at=datetime(2026, 12, 1, 8, 59, tzinfo=AT.tzinfo))
    ledger.append(late, replace(USED, at=late.at + timedelta(minutes=1)), USED)
    found = {path.name: path.read_bytes().count(b"\n") for path in tmp_path.rglob("*.jsonl")}
    assert found == {"2026-11.jsonl": 2, "2026-12.jsonl": 1}


def test_all_machines_are_read_and_one_is_written(tmp_path: Path, ledger: Ledger) -> None:
    open_ledger(tmp_path, "notebook-2").append(USED)
    before = (tmp_path / "ledger/notebook-2/2026-11.jsonl").read_bytes()
    ledger.append(UNUSED)
    assert list(ledger.read()) == [UNUSED, USED]
    assert (tmp_path / "ledger/notebook-2/2026-11.jsonl").read_bytes() == before


def test_since_leaves_out_what_is_older(tmp_path: Path, ledger: Ledger) -> None:
    months = [replace(USED, at=AT + timedelta(days=days)) for days in (-60, -31, -1, 0, 40)]
    ledger.append(*months)
    assert read(tmp_path, since=AT) == (months[3:], [])
    assert read(tmp_path, since=AT - timedelta(days=31)) == (months[1:], [])
    assert list(ledger.read(AT + timedelta(days=41))) == []


@pytest.mark.parametrize("name", ["", "..", "a/b", "Host", "호스트", "a" * 64, "-a", "a b", "con."])
def test_a_name_that_not_every_system_takes_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="no name for a machine's folder"):
        open_ledger(tmp_path, name)


def test_a_journal_without_a_ledger_has_an_empty_one(tmp_path: Path) -> None:
    assert read(tmp_path) == ([], [])
    put(tmp_path, b"", "ledger/README.md")
    put(tmp_path, render_record(USED), "ledger/host-1/2026-11.md")
    put(tmp_path, render_record(USED), "ledger/2026-11.jsonl")
    put(tmp_path, render_record(USED), "ledger/host-1/x/2026-11.jsonl")
    assert read(tmp_path) == ([], [])


def test_nothing_is_written_where_the_journal_is_no_more(tmp_path: Path) -> None:
    with pytest.raises(NoJournalError, match="was it moved?"):
        open_ledger(tmp_path / "gone").append(USED)
    assert not (tmp_path / "gone").exists()


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
@pytest.mark.parametrize("place", ["ledger", "ledger/host-1", FILE])
def test_no_link_is_followed_out_of_the_journal(tmp_path: Path, place: str) -> None:
    outside, root = tmp_path / "outside", tmp_path / "journal"
    (root / place).parent.mkdir(parents=True)
    outside.mkdir()
    (outside / "host-1").mkdir()
    put(outside, render_record(USED), "host-1/2026-11.jsonl")
    target = {"ledger": outside, "ledger/host-1": outside / "host-1"}
    (root / place).symlink_to(target.get(place, outside / "host-1/2026-11.jsonl"))
    with pytest.raises(CannotCreateError):
        open_ledger(root).append(USED)
    assert (outside / "host-1/2026-11.jsonl").read_bytes() == render_record(USED)
    assert place == "ledger" or read(root)[0] == []


# what else stands there


@pytest.mark.parametrize(
    "garbage",
    [
        b"<<<<<<< HEAD\n",
        b"\xff\xfe\x00\n",
        b"\0" * 5000 + b"\n",
        b"[1, 2]\n",
        b"{}\n",
        b'{"kind": "used"}\n',
        b'{"kind": "used", "at": "yesterday", "session": "s", "id": "a7Bc3x"}\n',
        (
            b'{"kind": "used", "at": "2026-11-30", "session": "s", "id": "a7Bc3x", "how": "cited",'
            b' "overlap": 1}\n'
        ),
        render_record(USED).replace(b"0.41", b"true"),
        render_record(USED).replace(b"0.41", b"NaN"),
        render_record(USED).replace(b"0.41", b"9" * 400),
        render_record(USED).replace(b"a7Bc3x", b"../../x"),
        render_record(TOLD).replace(b'["a7Bc3x","k2Jd8f"]', b'"a7Bc3x"'),
        b"[" * 100_000 + b"\n",
        b"x" * (3 * MAX_LINE_BYTES + 7) + b"\n",
    ],
    ids=lambda garbage: repr(garbage[:40]),
)
def test_a_line_that_is_none_is_passed_over_and_told_of(tmp_path: Path, garbage: bytes) -> None:
    whole = render_record(USED)
    put(tmp_path, whole + garbage + whole)
    found, bad = read(tmp_path)
    assert found == [USED, USED]
    assert bad == [BadLine(FILE, len(whole), "not a line of a ledger")]


@pytest.mark.parametrize(
    "newer",
    [
        b'{"kind": "promoted", "at": 3}\n',
        b'{"kind": "linked", "at": "\xea\xb0\x80", "session": "s"}\n',
        render_record(TOLD).replace(b'"prompt"', b'"compaction"'),
        render_record(USED).replace(b'"overlap"', b'"vote"', 1),
        b"\n",
        b"  \r\n",
    ],
)
def test_what_a_newer_version_wrote_is_let_be(tmp_path: Path, newer: bytes) -> None:
    path = put(tmp_path, newer)
    assert read(tmp_path) == ([], [])
    open_ledger(tmp_path).append(USED)
    assert path.read_bytes() == newer + render_record(USED)


def test_keys_that_are_not_known_are_passed_over(tmp_path: Path) -> None:
    put(tmp_path, render_record(USED).replace(b'"id"', b'"weight":[1,{}],"id"'))
    assert read(tmp_path) == ([USED], [])


@settings(max_examples=40)  # as above
@given(st.binary(max_size=400), st.binary(max_size=40))
def test_whatever_stands_there_is_left_and_what_follows_is_read(
    tmp_path_factory: pytest.TempPathFactory, before: bytes, between: bytes
) -> None:
    root = tmp_path_factory.mktemp("journal")
    path = put(root, before)
    open_ledger(root).append(USED)
    with path.open("ab") as stream:
        stream.write(between)
    open_ledger(root).append(TOLD)
    assert [one for one in read(root)[0] if one in ALL] == [USED, TOLD]
    assert path.read_bytes().startswith(before)


@pytest.mark.parametrize("n_kept", [1, 40, len(render_record(USED)) - 2])
def test_a_torn_line_is_ended_by_the_next_and_nothing_else_is_lost(
    tmp_path: Path, ledger: Ledger, n_kept: int
) -> None:
    whole = render_record(TOLD)
    path = put(tmp_path, whole + render_record(USED)[:n_kept])
    assert read(tmp_path) == ([TOLD], [])  # perhaps it is being written
    ledger.append(UNUSED)
    assert path.read_bytes() == whole + render_record(USED)[:n_kept] + b"\n" + render_record(UNUSED)
    assert read(tmp_path) == ([TOLD, UNUSED], [BadLine(FILE, len(whole), "not a line of a ledger")])


def test_a_line_that_lacks_only_its_end_counts_once(tmp_path: Path, ledger: Ledger) -> None:
    put(tmp_path, render_record(USED).rstrip(b"\n"))
    reader = LedgerReader(tmp_path)
    assert list(reader.read_new()) == [USED]
    ledger.append(UNUSED)
    assert list(reader.read_new()) == [UNUSED]
    assert read(tmp_path) == ([USED, UNUSED], [])


@pytest.mark.parametrize("replace_by", [a_pipe, a_folder], ids=lambda one: one.__name__)
def test_what_is_no_file_holds_nothing_up(
    tmp_path: Path, ledger: Ledger, replace_by: Callable[[Path], None]
) -> None:
    (tmp_path / FILE).parent.mkdir(parents=True)
    replace_by(tmp_path / FILE)
    assert read(tmp_path) == ([], [])
    with pytest.raises(CannotCreateError, match="not a file"):
        ledger.append(USED)


# reading on


def test_asking_again_gives_what_was_added_since(tmp_path: Path, ledger: Ledger) -> None:
    reader = LedgerReader(tmp_path)
    assert list(reader.read_new()) == []
    ledger.append(TOLD)
    assert list(reader.read_new()) == [TOLD]
    assert list(reader.read_new()) == []
    open_ledger(tmp_path, "notebook-2").append(USED)
    ledger.append(UNUSED, replace(UNUSED, at=AT + timedelta(days=40)))
    assert len(list(reader.read_new())) == 3
    assert list(reader.read_new()) == []


def test_a_line_that_is_being_written_is_read_when_it_is_there(tmp_path: Path) -> None:
    line = render_record(TOLD)
    path = put(tmp_path, b"")
    reader = LedgerReader(tmp_path)
    for n, byte in enumerate(line * 2):
        with path.open("ab") as stream:
            stream.write(bytes([byte]))
        is_whole = n % len(line) == len(line) - 2  # all but its end
        assert list(reader.read_new()) == ([TOLD] if is_whole else [])


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.unlink(),
        lambda path: path.write_bytes(path.read_bytes()[:-40]),
        lambda path: path.write_bytes(render_record(USED) + path.read_bytes()),
        lambda path: files.replace(path, path.read_bytes().replace(b"a7Bc3x", b"b7Bc3x")),
    ],
)
def test_what_was_read_and_changed_is_noticed(
    tmp_path: Path, ledger: Ledger, change: Callable[[Path], None]
) -> None:
    ledger.append(TOLD, USED, USED)
    reader = LedgerReader(tmp_path)
    assert len(list(reader.read_new())) == 3
    change(tmp_path / FILE)
    with pytest.raises(RewrittenError):
        list(reader.read_new())


def test_a_file_that_git_replaces_by_a_longer_one_is_read_on(
    tmp_path: Path, ledger: Ledger
) -> None:
    ledger.append(*[TOLD] * 50)
    reader = LedgerReader(tmp_path)
    assert len(list(reader.read_new())) == 50
    path = tmp_path / FILE
    files.replace(path, path.read_bytes() + render_record(USED))
    assert list(reader.read_new()) == [USED]


# several writers, and their ends


def test_writers_at_the_same_time_lose_and_tear_nothing(tmp_path: Path) -> None:
    n_writers, n_each = 6, 40
    commands = [
        [sys.executable, "-P", WRITER, "append", str(tmp_path), "host-1", f"s{n}", str(n_each)]
        for n in range(n_writers)
    ]
    writers = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands]
    assert [writer.wait(120) for writer in writers] == [0] * n_writers
    found, bad = read(tmp_path)
    assert bad == []
    by_session = {f"s{n}": 0 for n in range(n_writers)}
    for one in found:
        assert isinstance(one, Told) and one.ids[0] == f"{by_session[one.session]:06}0000"
        by_session[one.session] += 1
    assert set(by_session.values()) == {n_each}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the writers are forked")
def test_what_was_acknowledged_survives_kill_9(tmp_path: Path) -> None:
    command = [sys.executable, "-P", WRITER, "be_killed", str(tmp_path), "30"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    acknowledged = done.stdout.split("\n")[:-1]
    assert len(acknowledged) > 30
    found, bad = read(tmp_path)
    names = [f"{one.session} {one.ids[0][:6]}" for one in found if isinstance(one, Told)]
    assert set(acknowledged) <= set(names) and len(names) == len(set(names))
    assert len(bad) <= 30  # a writer that was killed in the middle of its line


def test_a_writer_that_does_not_let_go_is_given_up_on(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, machine="host-1", redact=str, lock_timeout_s=0.05)
    with (
        files.locked(tmp_path / FILE, timeout_s=1),
        pytest.raises(LockedError, match="another process has been writing to it"),
    ):
        ledger.append(USED)
    assert read(tmp_path) == ([], [])


@pytest.mark.parametrize("durable", [False, True])
def test_a_full_disk_leaves_no_half_line(mounted: Callable[..., Path], durable: bool) -> None:
    root = mounted("size=64k")
    ledger = open_ledger(root)
    n_written = 0
    with pytest.raises(StorageError, match="the disk is full; free some space, then retry"):
        for _ in range(10_000):
            ledger.append(*[TOLD] * random.randrange(1, 9), durable=durable)
            n_written = len(read(root)[0])
    assert read(root) == ([TOLD] * n_written, [])
    assert (root / FILE).read_bytes() == render_record(TOLD) * n_written


def test_it_is_for_its_owner_alone(tmp_path: Path, ledger: Ledger) -> None:
    ledger.append(USED)
    assert os.name == "nt" or (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


@settings(max_examples=20)  # as above
@given(st.lists(records, max_size=6), st.lists(records, max_size=6))
def test_two_machines_merge_by_putting_files_side_by_side(
    tmp_path_factory: pytest.TempPathFactory, here: list[Record], there: list[Record]
) -> None:
    one, other = tmp_path_factory.mktemp("one"), tmp_path_factory.mktemp("other")
    open_ledger(one).append(*here)
    open_ledger(other, "notebook-2").append(*there)
    for path in list(other.rglob("*.jsonl")):
        put(one, path.read_bytes(), path.relative_to(other).as_posix())
    found, bad = read(one)
    assert sorted(map(render_record, found)) == sorted(map(render_record, [*here, *there]))
    assert bad == []
