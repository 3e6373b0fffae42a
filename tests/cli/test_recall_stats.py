"""`mem stats --recall` counts what the ledger says, of the projects and the time that are asked for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memjournal.journal.ledger import Ledger
from memjournal.journal.ledger_records import NotTold, Record, TellingEvent, Told, Unused, Used

from .conftest import World

NOW = datetime.now(UTC)
SHOP, BLOG = "github.com/acme/shop", "github.com/acme/블로그"


class Telling:
    """Writes the ledger as hooks do."""

    def __init__(self, world: World) -> None:
        self.ledger = Ledger(world.root, machine="host-1", redact=str)

    def append(self, *records: Record) -> None:
        self.ledger.append(*records)

    def told(
        self,
        session: str,
        *ids: str,
        event: TellingEvent = "prompt",
        project: str = SHOP,
        days_ago: int = 0,
    ) -> None:
        at = NOW - timedelta(days=days_ago)
        names = tuple(one.removeprefix("mem:") for one in ids)
        self.append(
            Told(at=at, session=session, project=project, agent="codex", event=event, ids=names)
        )

    def used(self, session: str, one: str, *, cited: bool = True, days_ago: int = 0) -> None:
        self.append(
            Used(
                at=NOW - timedelta(days=days_ago),
                session=session,
                id=one.removeprefix("mem:"),
                how="cited" if cited else "overlap",
                overlap=0.4,
            )
        )

    def unused(self, session: str, one: str) -> None:
        self.append(Unused(at=NOW, session=session, id=one.removeprefix("mem:"), overlap=0.0))

    def silent(self, reason: str, *, project: str = SHOP) -> None:
        self.append(NotTold(at=NOW, session="s9", project=project, agent="codex", reason=reason))


@pytest.fixture
def telling(world: World) -> Telling:
    world.init()
    return Telling(world)


def three_sessions(world: World, telling: Telling) -> tuple[str, str, str]:
    """A memory that is used, one that never is, and one of another project."""
    cookie = world.add("# 세션 토큰은 서명 쿠키로\n\n서버를 무상태로", "--project", SHOP)
    pool = world.add("# The pool is capped at 20\n\npgbouncer", "--project", SHOP)
    font = world.add("# 글꼴은 본고딕\n\n본문", "--project", BLOG)
    for n in range(3):
        telling.told(f"s{n}", cookie, pool)
        telling.unused(f"s{n}", pool)
    telling.used("s0", cookie)
    telling.used("s1", cookie, cited=False)
    telling.told("b1", font, event="brief", project=BLOG)
    telling.silent("no match")
    telling.silent("no match", project=BLOG)
    telling.silent("no match")
    return cookie, pool, font


def test_without_a_ledger_there_is_nothing_to_count(world: World) -> None:
    world.init()
    (counted,) = world.ok("stats", "--recall", "--json").objects
    assert (counted["told"], counted["share_used"], counted["not_told"]) == (0, None, {})
    assert world.ok("stats", "--recall").out == (
        "0 memories told in 0 sessions: none\n"
        "  for 0 prompts: none\n"
        "  in 0 briefs: none\n"
        "nothing told for 0 prompts\n"
    )


def test_all_that_was_told_is_counted_by_what_became_of_it(world: World, telling: Telling) -> None:
    cookie, pool, _ = three_sessions(world, telling)
    (counted,) = world.ok("stats", "--recall", "--json").objects
    assert list(counted) == [
        *("object", "sessions", "prompts", "briefs", "told", "used", "cited", "overlap", "unused"),
        *("undecided", "share_used", "by_event", "not_told", "most_used", "never_used"),
        "unreadable",
    ]
    assert counted["object"] == "recall"
    assert (counted["sessions"], counted["prompts"], counted["briefs"]) == (4, 3, 1)
    assert [
        counted[one] for one in ("told", "used", "cited", "overlap", "unused", "undecided")
    ] == [
        *(7, 2, 1, 1),
        *(3, 2),
    ]
    assert (counted["share_used"], counted["unreadable"]) == (0.4, 0)
    assert counted["not_told"] == {"no match": 3}
    by_event = counted["by_event"]
    assert isinstance(by_event, dict)
    assert (by_event["prompt"]["told"], by_event["brief"]["told"]) == (6, 1)
    assert by_event["brief"]["share_used"] is None
    most, never = counted["most_used"], counted["never_used"]
    assert isinstance(most, list) and isinstance(never, list)
    assert [(one["id"], one["title"], one["used"]) for one in most] == [
        (cookie, "세션 토큰은 서명 쿠키로", 2)
    ]
    assert [(one["id"], one["title"], one["unused"]) for one in never] == [
        (pool, "The pool is capped at 20", 3)
    ]


def test_people_read_the_same(world: World, telling: Telling) -> None:
    cookie, pool, _ = three_sessions(world, telling)
    assert world.ok("stats", "--recall").out == (
        "7 memories told in 4 sessions: 1 cited, 1 used without a citation, 3 not used,"
        " 2 not judged; 40% of those judged were used\n"
        "  for 3 prompts: 1 cited, 1 used without a citation, 3 not used, 1 not judged;"
        " 40% of those judged were used\n"
        "  in 1 brief: 1 not judged\n"
        "nothing told for 3 prompts\n"
        "          3  no match\n"
        "\n"
        "most used (sessions that used it, of those judged)\n"
        f"      2 of 2     {cookie}  세션 토큰은 서명 쿠키로\n"
        "\n"
        "never used (sessions that used it, of those judged)\n"
        f"      0 of 3     {pool}  The pool is capped at 20\n"
    )


def test_one_project_is_named_as_everywhere(world: World, telling: Telling) -> None:
    three_sessions(world, telling)
    (shop,) = world.ok("stats", "--recall", "--project", "shop", "--json").objects
    assert (shop["told"], shop["not_told"]) == (6, {"no match": 2})
    (blog,) = world.ok("stats", "--recall", "-p", "블로그", "--json").objects
    assert (blog["told"], blog["briefs"], blog["not_told"]) == (1, 1, {"no match": 1})
    (both,) = world.ok("stats", "--recall", "-p", "블로그", "-p", SHOP, "--json").objects
    assert both["told"] == 7
    assert world.run("stats", "--recall", "-p", "none").code == 66
    assert world.run("stats", "--recall", "-p", " ").code == 2


def test_a_project_that_only_the_ledger_knows_is_one(world: World, telling: Telling) -> None:
    telling.told("s1", "a7Bc3x", project="github.com/acme/gone")
    (gone,) = world.ok("stats", "--recall", "-p", "gone", "--json").objects
    assert gone["told"] == 1


def test_since_leaves_out_what_was_told_before(world: World, telling: Telling) -> None:
    one = world.add("오래된 기억")
    telling.told("s1", one, days_ago=40)
    telling.used("s1", one)  # of a telling that is not asked for
    telling.told("s2", one)
    (recent,) = world.ok("stats", "--recall", "--since", "7d", "--json").objects
    assert (recent["told"], recent["used"], recent["undecided"]) == (1, 0, 1)
    (since_ever,) = world.ok("stats", "--recall", "--since", "2년 전", "--json").objects
    assert (since_ever["told"], since_ever["used"]) == (2, 1)
    assert world.run("stats", "--recall", "--since", "sometime").code == 2


def test_what_the_journal_holds_has_a_since_as_well(world: World) -> None:
    world.init()
    world.transcript("질문입니다", "답입니다")  # of 2026-11-28
    world.ok("import")
    (stats,) = world.ok("stats", "--json", "--since", "2026-11-27").objects
    assert stats["entries"] == 2
    (stats,) = world.ok("stats", "--json", "--since", "2026-11-29").objects
    assert stats["entries"] == 0


def test_what_was_forgotten_has_no_title(world: World, telling: Telling) -> None:
    telling.told("s1", "Zz9Zz9")
    telling.used("s1", "Zz9Zz9")
    assert "mem:Zz9Zz9  (forgotten)\n" in world.ok("stats", "--recall").out
    (counted,) = world.ok("stats", "--recall", "--json").objects
    most = counted["most_used"]
    assert isinstance(most, list) and most[0]["title"] == ""


def test_lines_that_are_none_are_named_and_not_counted(world: World, telling: Telling) -> None:
    telling.told("s1", "a7Bc3x")
    world.write("ledger/old-host/2026-10.jsonl", b"<<<<<<< HEAD\n\x1b[31m\n")
    ran = world.ok("stats", "--recall", "--json")
    assert ran.objects[0]["told"] == 1 and ran.objects[0]["unreadable"] == 2
    assert ran.err == (
        "mem: ledger/old-host/2026-10.jsonl: 2 lines that are none of a ledger were not counted;"
        " the first is at byte 0\n"
    )


@pytest.mark.parametrize("has_index", [True, False])
def test_counting_writes_nothing(world: World, telling: Telling, has_index: bool) -> None:
    three_sessions(world, telling)
    if not has_index:
        for path in sorted((world.root / "index").rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        (world.root / "index").rmdir()
    world.write("notes/new.md", "# 나중에 쓴 글\n")
    before = world.tree()
    for options in ([], ["--json"], ["--since", "7d"], ["--project", "shop"]):
        world.ok("stats", "--recall", *options)
        assert world.tree() == before
