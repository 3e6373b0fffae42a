"""What is counted depends on the lines of the ledger alone: not on their order, nor on when it was asked."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.journal import files
from memjournal.journal.ledger import Ledger
from memjournal.journal.ledger_records import NotTold, Record, Told, Unused, Used
from memjournal.journal.recall_statistics import summarize_recall
from memjournal.journal.usage import UNKNOWN, LedgerUsage, Usage, sink_factor

AT = datetime(2026, 11, 30, 0, 12, 4, tzinfo=UTC)
IDS = ("a7Bc3x", "k2Jd8f")


def told(session: str, *ids: str, event: str = "prompt", project: str = "shop") -> Told:
    return Told(
        at=AT,
        session=session,
        project=project,
        agent="claude-code",
        event="brief" if event == "brief" else "prompt",
        ids=ids or ("a7Bc3x",),
    )


def used(session: str, one: str = "a7Bc3x", *, days: int = 0, how: str = "cited") -> Used:
    at = AT + timedelta(days=days)
    return Used(
        at=at,
        session=session,
        id=one,
        how="overlap" if how == "overlap" else "cited",
        overlap=0.5,
    )


def unused(session: str, one: str = "a7Bc3x") -> Unused:
    return Unused(at=AT, session=session, id=one, overlap=0.0)


def in_vain(n_sessions: int, *, event: str = "prompt") -> list[Record]:
    """A memory that was told in so many sessions and used in none."""
    found: list[Record] = []
    for n in range(n_sessions):
        found += [told(f"s{n}", event=event), unused(f"s{n}")]
    return found


def usage_of(records: Iterable[Record]) -> dict[str, Usage]:
    """How the two memories fared, by a ledger that holds *records* alone."""
    with tempfile.TemporaryDirectory() as root:
        Ledger(Path(root), machine="host-1", redact=str).append(*records)
        of = LedgerUsage(Path(root)).refresh()
    return {one: of(one) for one in IDS}


def factor(records: Sequence[Record]) -> float:
    return sink_factor(usage_of(records)["a7Bc3x"])


sessions = st.sampled_from(["s1", "s2", "s3"])
names = st.sampled_from(IDS)
records = st.lists(
    st.one_of(
        st.builds(told, sessions, names, event=st.sampled_from(["prompt", "brief"])),
        st.builds(
            used, sessions, names, days=st.integers(0, 9), how=st.sampled_from(["cited", "overlap"])
        ),
        st.builds(unused, sessions, names),
        st.builds(
            NotTold,
            at=st.just(AT),
            session=sessions,
            project=st.sampled_from(["shop", "blog"]),
            agent=st.just("codex"),
            reason=st.sampled_from(["no match", "not asked"]),
        ),
    ),
    max_size=12,
)


def test_usage_counts_tellings_and_uses_and_their_sessions() -> None:
    usage = usage_of(
        [
            told("s1", "a7Bc3x", "k2Jd8f"),
            used("s1", days=1),
            used("s1", days=3),
            unused("s1", "k2Jd8f"),
            told("s2"),
            unused("s2"),
            told("s3", event="brief"),
        ]
    )
    assert usage["a7Bc3x"] == Usage(
        n_told=3,
        n_used=2,
        told_in=frozenset({"s1", "s2", "s3"}),
        used_in=frozenset({"s1"}),
        unused_in=frozenset({"s2"}),
        last_told=AT,
        last_used=AT + timedelta(days=3),
    )
    assert usage["k2Jd8f"].unused_in == {"s1"} and usage["k2Jd8f"].last_used is None


def test_what_was_used_later_in_a_session_was_not_told_there_in_vain() -> None:
    usage = usage_of([told("s1"), unused("s1"), used("s1")])["a7Bc3x"]
    assert usage.unused_in == frozenset() and usage.used_in == {"s1"}


@given(records.flatmap(lambda listed: st.tuples(st.just(listed), st.permutations(listed))))
def test_any_order_of_the_same_lines_gives_the_same(
    orders: tuple[list[Record], list[Record]],
) -> None:
    one, other = orders
    assert usage_of(one) == usage_of(other)
    assert summarize_recall(one) == summarize_recall(other)


# sinking


def test_what_was_told_in_vain_sinks_from_the_third_session_on() -> None:
    assert [round(factor(in_vain(n)), 2) for n in (0, 1, 2, 3, 5, 10, 50)] == [
        *(1, 1, 1),
        *(0.83, 0.62, 0.38, 0.09),
    ]


def test_one_use_lifts_it_again() -> None:
    for n in (3, 5, 6):
        assert factor([*in_vain(n), told("t"), used("t")]) == 1.0 > factor(in_vain(n))
    assert factor([*in_vain(7), told("t"), used("t")]) < 1
    assert factor([*in_vain(20), told("t"), used("t")]) == pytest.approx(10 / 24)


def test_what_no_answer_was_seen_to_sinks_nothing() -> None:
    assert factor([told(f"s{n}") for n in range(50)]) == 1.0


def test_what_a_brief_told_sinks_nothing() -> None:
    assert factor(in_vain(50, event="brief")) == 1.0


def test_the_same_session_sinks_it_once() -> None:
    assert factor([told("s1"), *[unused("s1")] * 50]) == 1.0


@given(records)
def test_a_factor_is_above_0_and_at_most_1(listed: list[Record]) -> None:
    for usage in usage_of(listed).values():
        assert 0 < sink_factor(usage) <= 1


# asking again


@given(st.lists(records, max_size=4))
def test_asking_in_between_gives_what_counting_all_at_once_does(
    tmp_path_factory: pytest.TempPathFactory, steps: list[list[Record]]
) -> None:
    root = tmp_path_factory.mktemp("journal")
    ledger, usage = Ledger(root, machine="host-1", redact=str), LedgerUsage(root)
    for step in steps:
        ledger.append(*step)
        of = usage.refresh()
        assert {one: of(one) for one in IDS} == usage_of(ledger.read())


def test_a_ledger_that_was_rewritten_is_counted_anew(tmp_path: Path) -> None:
    ledger, usage = Ledger(tmp_path, machine="host-1", redact=str), LedgerUsage(tmp_path)
    ledger.append(*in_vain(3))
    assert usage.refresh()("a7Bc3x").n_told == 3
    path = tmp_path / "ledger/host-1/2026-11.jsonl"
    files.replace(path, b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    assert usage.refresh()("a7Bc3x").n_told == 1
    path.unlink()
    assert usage.refresh()("a7Bc3x") == UNKNOWN


def test_what_other_machines_bring_is_counted(tmp_path: Path) -> None:
    usage = LedgerUsage(tmp_path)
    for machine in ("host-1", "notebook-2"):
        Ledger(tmp_path, machine=machine, redact=str).append(told(machine))
        usage.refresh()
    assert usage.of("a7Bc3x").told_in == {"host-1", "notebook-2"}


# for people


def test_a_telling_is_a_memory_in_a_session_and_a_use_decides_it() -> None:
    counted = summarize_recall(
        [
            *(told("s1"), told("s1"), unused("s1"), used("s1", how="overlap")),
            *(told("s2"), used("s2", how="overlap"), used("s2")),
            *(told("s3", "k2Jd8f"), unused("s3", "k2Jd8f")),
            *(told("s4", "k2Jd8f", event="brief"),),
            *(used("elsewhere"), unused("elsewhere")),
        ]
    )
    assert dict(counted.all.counts) == {"cited": 1, "overlap": 1, "unused": 1, "undecided": 1}
    assert counted.all.share_used == pytest.approx(2 / 3)
    assert (counted.n_sessions, counted.n_prompts, counted.n_briefs) == (4, 4, 1)
    assert counted.by_event["brief"].share_used is None
    assert [one.id for one in counted.most_used(9)] == ["a7Bc3x"]
    assert [one.id for one in counted.never_used(9)] == ["k2Jd8f"]


def test_projects_are_counted_apart() -> None:
    silent = NotTold(at=AT, session="s1", project="blog", agent="codex", reason="no match")
    lines = [told("s1"), used("s1"), told("s2", project="blog"), unused("s2"), silent]
    shop, blog = (summarize_recall(lines, projects={name}) for name in ("shop", "blog"))
    assert (shop.all.n_used, shop.all.n_judged, shop.not_told) == (1, 1, {})
    assert (blog.all.n_used, blog.all.n_judged, blog.not_told) == (0, 1, {"no match": 1})
    assert summarize_recall(lines).all.n_told == 2
    assert summarize_recall([replace(silent, reason="not asked"), *[silent] * 2]).not_told == {
        "no match": 2,
        "not asked": 1,
    }
