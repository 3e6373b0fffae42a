"""The catalog keeps numbers, work and filters as a plain model would; a reader never writes."""

from __future__ import annotations

import contextlib
import sqlite3
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memjournal.indexer.catalog.catalog import Catalog
from memjournal.indexer.catalog.changes import Described, FileChange
from memjournal.indexer.catalog.entry_filter import EntryFilter
from memjournal.indexer.catalog.extent import digest_of
from memjournal.indexer.catalog.outbox import MAX_ATTEMPTS
from memjournal.indexer.errors import IndexDamagedError, NoIndexError
from memjournal.indexer.search.passing import PassingEntries
from memjournal.journal.entry import Edge, Entry, EntryId
from memjournal.journal.errors import LockedError, StorageError
from memjournal.journal.reading import JournalFile, Oddity

from ..odd_paths import ODD_PATHS
from .world import tree

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


def described(
    entry_id: str, text: str = "text", *, path: str = "notes/a.md", offset: int = 0, **more: object
) -> Described:
    fields: dict[str, object] = {"kind": "fact", "type": "note", "title": text, "created": EPOCH}
    entry = Entry(**{"id": EntryId(entry_id), "body": "", **fields, **more})  # type: ignore[arg-type]
    return Described(entry, path, offset, len(text), digest_of(text.encode()), len(text))


def change(*entries: Described, path: str = "notes/a.md", mtime_ns: int = 1) -> FileChange:
    return FileChange(JournalFile(path, 1, mtime_ns), entries)


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with contextlib.closing(Catalog(tmp_path / "catalog.sqlite", write=True)) as catalog:
        yield catalog


def apply(catalog: Catalog, *changes: FileChange) -> list[tuple[int, int, int]]:
    with catalog.transaction():
        counts = [catalog.apply(one) for one in changes]
    return [(one.n_added, one.n_changed, one.n_removed) for one in counts]


def work(catalog: Catalog) -> list[int]:
    """The numbers that are noted for keywords, which are those for vectors; then ticks them off."""
    found = [one.docno for one in catalog.pending("keyword", limit=1000)]
    assert found == [one.docno for one in catalog.pending("vector", limit=1000)]
    assert len(found) == catalog.outbox.count("keyword")
    with catalog.transaction():
        catalog.outbox.settle("keyword", found)
        catalog.outbox.settle("vector", found)
    return found


# Numbers and work


def test_an_entry_keeps_its_number_while_its_bytes_are_the_same(catalog: Catalog) -> None:
    a, b, c = (described(f"aaaaa{n}", f"text {n}", offset=100 * n) for n in range(3))
    assert apply(catalog, change(a, b, c)) == [(3, 0, 0)]
    assert work(catalog) == [1, 2, 3]
    moved = described("aaaaa0", "text 0", offset=500)
    assert apply(catalog, change(c, b, moved)) == [(0, 0, 0)]
    assert work(catalog) == []
    assert {row.docno: row.offset for row in catalog.by_path("notes/a.md")} == {
        1: 500,
        2: 100,
        3: 200,
    }


def test_only_what_changed_is_work(catalog: Catalog) -> None:
    a, b, c = (described(f"aaaaa{n}", f"text {n}") for n in range(3))
    apply(catalog, change(a, b, c))
    work(catalog)
    edited, new = described("aaaaa1", "other"), described("aaaaa9", "new")
    assert apply(catalog, change(a, edited, new)) == [(1, 1, 1)]
    assert work(catalog) == [2, 3, 4]
    assert catalog.pending("keyword", limit=9) == []


def test_one_of_two_alike_can_go(catalog: Catalog) -> None:
    twin = described("aaaaa0"), described("aaaaa0", offset=50)
    apply(catalog, change(*twin))
    work(catalog)
    assert apply(catalog, change(twin[1])) == [(0, 0, 1)]
    assert work(catalog) == [2]


def test_work_for_what_is_gone_has_no_row(catalog: Catalog) -> None:
    apply(catalog, change(described("aaaaa0")))
    work(catalog)
    apply(catalog, FileChange.gone("notes/a.md"))
    (one,) = catalog.pending("keyword", limit=9)
    assert (one.docno, one.row) == (1, None)
    assert list(catalog.known_files()) == []
    assert catalog.known_file("notes/a.md") is None


@given(st.lists(st.sets(st.integers(0, 5)), min_size=1, max_size=12))
def test_a_number_is_never_used_again(histories: list[set[int]]) -> None:
    owners: dict[int, str] = {}
    with contextlib.closing(Catalog.in_memory()) as catalog:
        for step, present in enumerate(histories):
            entries = [described(f"aaaaa{n}", f"{n} at {step}") for n in sorted(present)]
            apply(catalog, change(*entries))
            for row in catalog.by_path("notes/a.md"):
                assert owners.setdefault(row.docno, row.id) == row.id


def test_a_change_begins_the_attempts_anew(catalog: Catalog) -> None:
    apply(catalog, change(described("aaaaa0")))
    for attempts in range(MAX_ATTEMPTS):
        assert len(catalog.pending("keyword", limit=9)) == 1, attempts
        with catalog.transaction():
            catalog.outbox.fail("keyword", 1, "unreadable")
    assert catalog.pending("keyword", limit=9) == []
    assert [(target, row.id, error) for target, row, error in catalog.quarantined()] == [
        ("keyword", "aaaaa0", "unreadable")
    ]
    apply(catalog, change(described("aaaaa0", "mended")))
    assert len(catalog.pending("keyword", limit=9)) == 1
    assert catalog.quarantined() == []


def test_work_comes_in_batches(catalog: Catalog) -> None:
    apply(catalog, change(*(described(f"aaaa{n:02}", str(n)) for n in range(1200))))
    seen: list[int] = []
    while batch := catalog.pending("vector", limit=500, after=seen[-1] if seen else 0):
        seen += [one.docno for one in batch]
    assert seen == list(range(1, 1201))


def test_what_is_done_in_a_transaction_that_fails_is_undone(catalog: Catalog) -> None:
    apply(catalog, change(described("aaaaa0")))
    with pytest.raises(ZeroDivisionError), catalog.transaction():
        catalog.apply(change(described("aaaaa1", "other")))
        raise ZeroDivisionError
    assert [row.id for row in catalog.by_path("notes/a.md")] == ["aaaaa0"]
    apply(catalog, change(described("aaaaa2")))


def test_files_and_oddities_are_remembered(catalog: Catalog) -> None:
    odd = Oddity("notes/a.md:3", "not UTF-8")
    far = JournalFile("notes/a.md", 5, 2**70)  # a time that fits into no integer of SQLite
    apply(catalog, FileChange(far, (), (odd,)))
    assert catalog.known_file("notes/a.md") == far
    assert catalog.oddities() == [odd]
    apply(catalog, change())
    assert catalog.oddities() == []


@given(st.sets(st.sampled_from(ODD_PATHS)), st.sampled_from([None, "notes/a", "notes/a.md"]))
def test_files_come_in_the_order_of_their_paths_whatever_is_in_their_names(
    paths: set[str], below: str | None
) -> None:
    with (
        contextlib.closing(Catalog.in_memory()) as catalog,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr("memjournal.indexer.catalog.catalog._FILES_AT_ONCE", 3)
        apply(catalog, *(change(path=path) for path in paths))
        found = [file for some in catalog.known_files(below=below) for file in some]
        assert all(catalog.known_file(file[0]) == file for file in found)
    wanted = (path for path in paths if below is None or f"{path}/".startswith(f"{below}/"))
    assert [file[0] for file in found] == sorted(wanted)


def test_a_row_is_what_was_described(catalog: Catalog) -> None:
    given_ = described(
        "aaaaa0",
        "제목 \0 '\"",
        kind="event",
        type="tool_output",
        session="s",
        turn=3,
        agent="codex",
        tool="Bash",
        tags=("Auth", "결제"),
        files=("src/auth.py",),
        created=datetime(2026, 3, 1, 9, 0, 0, 123456, timezone(timedelta(hours=9))),
        extra={"outcome": "error", "branch": "abandoned"},
    )
    apply(catalog, change(given_))
    (row,) = catalog.by_path("notes/a.md")
    entry = given_.entry
    for name in (
        "id",
        "kind",
        "type",
        "title",
        "session",
        "turn",
        "agent",
        "tool",
        "tags",
        "files",
    ):
        assert getattr(row, name) == getattr(entry, name), name
    assert (row.created, row.outcome, row.branch) == (entry.created, "error", "abandoned")
    assert (row.digest, row.length, row.n_chars) == (given_.digest, given_.length, given_.n_chars)


# Filters


NAMES = st.sampled_from(["a", "ab", "abc", "b", ""])
TAGS = st.sampled_from(
    ["Auth", "auth", "Straße", "STRASSE", "결제", unicodedata.normalize("NFD", "결제"), "db"]
)
FILES = st.sampled_from(
    [
        "src/auth.py",
        "auth.py",
        "x/src/auth.py",
        "th.py",
        "src/회의.md",
        unicodedata.normalize("NFD", "회의.md"),
    ]
)
ENTRIES = st.lists(
    st.fixed_dictionaries(
        {
            "kind": st.sampled_from(["fact", "event", "rule"]),
            "type": st.sampled_from(["note", "decision", "user_prompt"]),
            "project": NAMES,
            "session": NAMES,
            "agent": NAMES,
            "tool": NAMES,
            "turn": st.none() | st.integers(1, 3),
            "tags": st.lists(TAGS, max_size=2).map(tuple),
            "files": st.lists(FILES, max_size=2).map(tuple),
            "created": st.integers(-3, 3).map(lambda n: EPOCH + timedelta(microseconds=n)),
        }
    ),
    max_size=12,
)
FILTERS = st.builds(
    EntryFilter,
    projects=st.lists(NAMES, max_size=2).map(tuple),
    kinds=st.lists(st.sampled_from(["fact", "event"]), max_size=2).map(tuple),
    types=st.lists(st.sampled_from(["note", "decision"]), max_size=2).map(tuple),
    tags=st.lists(TAGS, max_size=2).map(tuple),
    sessions=st.lists(NAMES, max_size=2).map(tuple),
    files=st.lists(FILES, max_size=2).map(tuple),
    agents=st.lists(NAMES, max_size=2).map(tuple),
    tools=st.lists(NAMES, max_size=2).map(tuple),
    since=st.none() | st.integers(-3, 3).map(lambda n: EPOCH + timedelta(microseconds=n)),
    until=st.none() | st.integers(-3, 3).map(lambda n: EPOCH + timedelta(microseconds=n)),
    turn=st.none() | st.integers(1, 3),
    without_session=NAMES,
    without_types=st.lists(st.sampled_from(["note", "user_prompt"]), max_size=2).map(tuple),
    but_tools=st.lists(NAMES, max_size=2).map(tuple),
)


def composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def passes(entry: Entry, wanted: EntryFilter) -> bool:
    """The filter in plain words."""
    tags = {composed(tag).casefold() for tag in entry.tags}
    files = [composed(file) for file in entry.files]
    return (
        (not wanted.projects or entry.project in wanted.projects)
        and (not wanted.kinds or entry.kind in wanted.kinds)
        and (not wanted.types or entry.type in wanted.types)
        and (not wanted.agents or entry.agent in wanted.agents)
        and (not wanted.tools or entry.tool in wanted.tools)
        and (not wanted.tags or any(composed(tag).casefold() in tags for tag in wanted.tags))
        and (not wanted.sessions or entry.session.startswith(wanted.sessions))
        and (
            not wanted.files
            or any(
                file == composed(end) or file.endswith(f"/{composed(end)}")
                for file in files
                for end in wanted.files
            )
        )
        and (wanted.since is None or entry.created >= wanted.since)
        and (wanted.until is None or entry.created < wanted.until)
        and (wanted.turn is None or entry.turn == wanted.turn)
        and (not wanted.without_session or entry.session != wanted.without_session)
        and (entry.type not in wanted.without_types or entry.tool in wanted.but_tools)
    )


@given(ENTRIES, st.lists(FILTERS, min_size=1, max_size=8))
def test_a_filter_passes_what_it_says(
    entries: list[dict[str, Any]], filters: Sequence[EntryFilter]
) -> None:
    all_entries = [
        described(f"aaaa{n:02}", f"{n}", offset=n, **fields) for n, fields in enumerate(entries)
    ]
    with contextlib.closing(Catalog.in_memory()) as catalog:
        apply(catalog, change(*all_entries))
        for wanted in filters:
            expected = [one.entry for one in all_entries if passes(one.entry, wanted)]
            found = catalog.find(wanted, limit=100)
            assert sorted(row.id for row in found) == [entry.id for entry in expected]
            assert len(catalog.docnos(wanted)) == catalog.count(wanted) == len(expected)
            by_time = [(row.created_us, row.offset) for row in found]
            assert by_time == sorted(by_time, reverse=True)
            assert catalog.find(wanted, limit=2, skip=1, newest_first=False) == found[::-1][1:3]


FILED = st.lists(st.tuples(st.sampled_from(["a.md", "b.md"]), ENTRIES), min_size=1, max_size=5)


def own_bytes(n: int, fields: dict[str, Any]) -> str:
    """What is written in an entry itself, while its file's head says the rest."""
    return f"{n} {fields['tags']} {fields['files']}"


@given(FILED, st.lists(FILTERS, min_size=1, max_size=3))
def test_what_is_remembered_of_a_filter_is_what_passes_it(
    states: Sequence[tuple[str, list[dict[str, Any]]]], filters: Sequence[EntryFilter]
) -> None:
    passing = PassingEntries()
    with contextlib.closing(Catalog.in_memory()) as catalog:
        for path, entries in states:  # each file as it is one time after another
            all_of_it = [
                described(f"aaaa{n:02}", own_bytes(n, fields), path=path, offset=n, **fields)
                for n, fields in enumerate(entries)
            ]
            apply(catalog, change(*all_of_it, path=path))
            for wanted in filters:
                found = passing.docnos(wanted, catalog).tolist()
                assert found == catalog.docnos(wanted).tolist()


def test_of_a_filter_that_was_asked_before_only_what_is_new_is_looked_at(catalog: Catalog) -> None:
    def one(name: str, project: str) -> FileChange:
        path = f"{name}.md"
        return change(described(f"aaaaa{name}", path=path, project=project), path=path)

    apply(catalog, one("0", "p"), one("1", "q"))
    passing, wanted = PassingEntries(), EntryFilter(projects=("p",))
    assert passing.docnos(wanted, catalog).tolist() == [1]
    n_refilings = catalog.n_refilings
    apply(catalog, one("2", "p"), one("0", "p"))
    assert catalog.n_refilings == n_refilings, "nothing that was there has changed"
    assert passing.docnos(wanted, catalog).tolist() == [1, 3]
    apply(catalog, one("0", "q"))
    assert catalog.n_refilings > n_refilings, "with the same bytes, it is of another project"
    assert passing.docnos(wanted, catalog).tolist() == [3]


def test_who_is_superseded_is_known_by_id_and_by_path(catalog: Catalog) -> None:
    def edges(**targets: str) -> tuple[Edge, ...]:
        return tuple(Edge(relation, target) for relation, target in targets.items())

    new = described("aaaaa3", path="c.md", edges=edges(supersedes="mem:aaaaa0", about="mem:aaaaa4"))
    cited = described("aaaaa5", path="d.md", edges=edges(supersedes="[mem:aaaaa6] "))
    alone = described("aaaab0", path="i.md", edges=edges(supersedes="mem:aaaab0"))
    by_path = described("aaaaa7", path="e.md", edges=edges(supersedes="b.md"))
    itself = described("aaaaa8", path="f.md", edges=edges(superseded_by="mem:aaaaa4"))
    plain = {"aaaaa0": "a.md", "aaaaa1": "b.md", "aaaaa4": "g.md", "aaaaa6": "h.md"}
    all_of_them = [described(one, path=path) for one, path in plain.items()]
    all_of_them += [new, cited, by_path, itself, alone]
    apply(catalog, *(change(one, path=one.path) for one in all_of_them))

    def superseded() -> set[str]:
        rows = catalog.find(EntryFilter(), limit=100)
        return {row.id for row in rows if catalog.is_superseded(row)}

    assert superseded() == {"aaaaa0", "aaaaa1", "aaaaa6", "aaaaa8"}
    apply(catalog, FileChange.gone("c.md"), change(described("aaaaa8", path="f.md"), path="f.md"))
    assert superseded() == {"aaaaa1", "aaaaa6"}, "who replaced it is gone, or it says so no more"


def test_a_filter_may_name_any_number(catalog: Catalog) -> None:
    apply(catalog, change(described("aaaaa0", project="p7", tags=("t7",), session="s7")))
    many = tuple(range(40_000))  # more than SQLite takes as parameters
    wanted = EntryFilter(
        projects=tuple(f"p{n}" for n in many),
        tags=tuple(f"t{n}" for n in many),
        sessions=tuple(f"s{n}" for n in many),
    )
    assert catalog.count(wanted) == 1


def test_any_number_of_rows_can_be_asked_for(catalog: Catalog) -> None:
    apply(catalog, change(*(described(f"a{n:05}", str(n)) for n in range(1_500))))
    assert len(catalog.rows(range(40_000))) == 1_500
    assert len(catalog.outlines(range(40_000))) == 1_500


def test_the_order_does_not_depend_on_the_numbers() -> None:
    entries = [
        described(f"aaaaa{n % 3}", str(n), path=f"notes/{n}.md", created=EPOCH + timedelta(n // 4))
        for n in range(12)
    ]
    orders = []
    for order in (entries, entries[::-1]):
        with contextlib.closing(Catalog.in_memory()) as catalog:
            for one in order:
                apply(catalog, change(one, path=one.path))
            found = sorted(catalog.outlines(range(1, 20)), key=lambda one: one.place_in_time)
            orders.append([one.path for one in found])
            newest = [one.docno for one in found[:5]]
            assert catalog.newest(range(1, 20), limit=5) == newest
    assert orders[0] == orders[1]
    assert orders[0][0] == "notes/9.md"  # the newest, and of these the first by id


def test_the_last_answer_is_that_of_the_turn_and_of_its_branch(catalog: Catalog) -> None:
    said = [  # type, turn, branch
        ("user_prompt", 1, ""),
        ("assistant_response", 1, ""),
        ("tool_output", 1, ""),
        ("assistant_response", 1, ""),
        ("assistant_response", 1, "abandoned"),
        ("user_prompt", 2, ""),
        ("assistant_response", 3, ""),
        ("user_prompt", None, ""),
        ("assistant_response", None, ""),
    ]
    entries = [
        described(
            f"aaaaa{n}",
            f"{n}",
            offset=n,
            kind="event",
            session="s",
            type=type_,
            turn=turn,
            extra={"branch": branch} if branch else {},
        )
        for n, (type_, turn, branch) in enumerate(said)
    ]
    other = described("bbbbb0", "0", path="b.md", kind="event", session="t", turn=2)
    apply(catalog, change(*entries), change(other, path="b.md"))

    def last_answer(n: int) -> str:
        (row,) = catalog.by_id(f"aaaaa{n}")
        found = catalog.last_answer(row)
        return found.id.removeprefix("aaaaa") if found else ""

    assert [last_answer(n) for n in range(len(said))] == [
        "3",
        "3",
        "3",
        "3",
        "4",
        "",
        "6",
        "8",
        "8",
    ]


def test_neighbours_are_those_of_the_session_in_time(catalog: Catalog) -> None:
    apply(
        catalog,
        change(
            *(
                described(f"aaaaa{n}", str(n), session="s", created=EPOCH + timedelta(n), offset=n)
                for n in range(6)
            ),
            described("bbbbb0", "of another", session="s2", created=EPOCH + timedelta(2)),
        ),
    )
    (row,) = catalog.by_prefix("aaaaa3")
    before, after = catalog.neighbours(row, before=2, after=9)
    assert [[one.title for one in side] for side in (before, after)] == [["1", "2"], ["4", "5"]]


def test_counts_and_span(catalog: Catalog) -> None:
    assert catalog.span() is None
    apply(
        catalog,
        change(
            *(
                described(f"aaaaa{n}", str(n), type=type_, created=EPOCH + timedelta(n))
                for n, type_ in enumerate(["note", "plan", "plan"])
            )
        ),
    )
    assert catalog.tally("type") == Counter(plan=2, note=1)
    assert catalog.span() == (EPOCH, EPOCH + timedelta(2))


def test_an_id_that_is_whole_is_meant_even_if_others_begin_with_it(catalog: Catalog) -> None:
    apply(catalog, change(described("aaaaaa", "1"), described("aaaaaaB", "2"), described("aaaaab")))
    assert [row.id for row in catalog.by_prefix("aaaaaa")] == ["aaaaaa"]
    assert [row.id for row in catalog.by_prefix("aaaaa")] == ["aaaaaa", "aaaaab", "aaaaaaB"]
    assert catalog.by_prefix("AAAAAA") == []
    assert catalog.has_id("aaaaab") and not catalog.has_id("aaaaa")


# Trouble


@pytest.mark.parametrize("raw", [b"", b"SQLite format 3\0", b"noise" * 900])
def test_what_is_no_catalog_is_damaged(raw: bytes, tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    path.write_bytes(raw)
    with pytest.raises(IndexDamagedError):
        Catalog(path, write=False)
    with pytest.raises(IndexDamagedError):
        Catalog.copy_of(path)


@settings(max_examples=30)
@given(st.integers(0, 20), st.binary(min_size=1, max_size=64))
def test_a_page_of_noise_is_damaged_or_harmless(page: int, noise: bytes) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "catalog.sqlite"
        with contextlib.closing(Catalog(path, write=True)) as catalog:
            entries = [described(f"aaaa{n:02}", f"{n}" * 40, tags=(f"{n}",)) for n in range(60)]
            apply(catalog, change(*entries))
        raw = bytearray(path.read_bytes())
        start = page * 4096 % len(raw)
        raw[start : start + 4096] = (noise * 4096)[: len(raw[start : start + 4096])]
        path.write_bytes(raw)
        with (
            contextlib.suppress(IndexDamagedError),
            contextlib.closing(Catalog(path, write=True)) as catalog,
        ):
            catalog.check()
            list(catalog.known_files())
            catalog.known_file("notes/a.md")
            catalog.rows(range(80))
            catalog.count(EntryFilter(tags=("3",)))
            catalog.pending("keyword", limit=99)
            catalog.tally("type")
            catalog.span()
            apply(catalog, change(described("bbbbb0")))


def test_another_format_is_damaged(catalog: Catalog, tmp_path: Path) -> None:
    with catalog.transaction():
        catalog._database.set_meta("format", "0")
    with pytest.raises(IndexDamagedError, match="another version"):
        Catalog(tmp_path / "catalog.sqlite", write=True)


def test_somebody_elses_database_is_not_written_to(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE theirs(x)")
    with pytest.raises(IndexDamagedError, match="no catalog"):
        Catalog(path, write=True)


def test_a_catalog_that_is_not_there_is_not_made_by_a_reader(tmp_path: Path) -> None:
    with pytest.raises(NoIndexError):
        Catalog(tmp_path / "catalog.sqlite", write=False)
    assert list(tmp_path.iterdir()) == []


def test_a_second_writer_is_told_that_it_is_busy(
    catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memjournal.indexer.catalog.database._BUSY_S", 0.05)
    with contextlib.closing(Catalog(tmp_path / "catalog.sqlite", write=True)) as second:
        with catalog.transaction():
            with pytest.raises(LockedError):
                apply(second, change(described("aaaaa0")))
            assert second.known_file("notes/a.md") is None  # reading goes on
        apply(second, change(described("aaaaa0")))


def test_a_reader_cannot_write(catalog: Catalog, tmp_path: Path) -> None:
    reader = Catalog(tmp_path / "catalog.sqlite", write=False)
    with contextlib.closing(reader), pytest.raises(StorageError):
        apply(reader, change(described("aaaaa0")))


def test_reading_leaves_no_trace(catalog: Catalog, tmp_path: Path) -> None:
    apply(catalog, change(described("aaaaa0")))
    before = tree(tmp_path)
    for open_ in (lambda path: Catalog(path, write=False), Catalog.copy_of):
        with contextlib.closing(open_(tmp_path / "catalog.sqlite")) as reader:
            assert [row.id for row in reader.by_prefix("aa")] == ["aaaaa0"]
            assert tree(tmp_path) == before
    assert tree(tmp_path) == before


def test_a_reader_beside_a_large_transaction_sees_what_was(
    catalog: Catalog, tmp_path: Path
) -> None:
    apply(catalog, change(described("aaaaa0")))
    with catalog.transaction():
        for number in range(200):  # more than fits into the cache
            entries = [described(f"b{number:02}{n:03}", "x" * 500) for n in range(20)]
            catalog.apply(change(*entries, path=f"notes/{number}.md"))
        with contextlib.closing(Catalog(tmp_path / "catalog.sqlite", write=False)) as reader:
            assert reader.count(EntryFilter()) == 1
    assert catalog.count(EntryFilter()) == 4_001


def test_compacting_leaves_no_byte_of_what_was_removed(catalog: Catalog, tmp_path: Path) -> None:
    apply(catalog, change(described("aaaaa0", "forget-this-word")))
    apply(catalog, change())
    catalog.compact()
    assert b"forget-this-word" not in (tmp_path / "catalog.sqlite").read_bytes()
