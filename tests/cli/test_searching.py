"""What `mem search` says of its results is so, and a script is given nothing that answers nothing."""

from __future__ import annotations

import pytest

from .conftest import World


@pytest.fixture
def journal(world: World) -> World:
    world.init()
    for number in range(12):
        world.add(f"Pool timeout {number}\n\nthe connection pool 커넥션 풀 고갈 {number}")
    world.add("Refund queue\n\nretry of the refund")
    return world


@pytest.mark.parametrize("question", ["pool timeout", "커넥션 풀"])
def test_how_many_match_does_not_depend_on_how_many_are_shown(
    journal: World, question: str
) -> None:
    for limit in (1, 3, 12, 100):
        answer = journal.ok("search", question, "--json", "-n", str(limit)).objects[-1]
        assert (answer["total"], answer["shown"]) == (12, min(limit, 12))
    assert "\n3 of 12 matches · " in journal.ok("search", question, "-n", "3").out


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "kerberos keytab rotation of the refund",
            "nothing surely answers this; --all prints what is nearest\n",
        ),
        ("한밤의 커넥터 조율", ""),  # nothing is even near
    ],
)
def test_a_script_is_given_no_ids_of_what_only_is_nearest(
    journal: World, question: str, said: str
) -> None:
    nearest = journal.ok("search", question, "--all", "--json").objects
    assert nearest[-1]["confidence"] == "none"
    assert (len(nearest) > 1) == bool(said)
    ran = journal.ok("search", question, "--ids")
    assert (ran.out, ran.err) == ("", said)
    ids = [str(hit["id"]) for hit in nearest[:-1]]
    assert journal.ok("search", question, "--ids", "--all").out.split() == ids


def test_a_script_is_given_the_ids_of_what_answers(journal: World) -> None:
    hits = journal.ok("search", "refund queue", "--json").objects[:-1]
    ran = journal.ok("search", "refund queue", "--ids")
    assert ran.out.split() == [hit["id"] for hit in hits if not hit["weak"]]
    assert ran.err == ""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--since nonsense", "try 2026-11-30, 7d, yesterday or 지난주"),
        ("--type decison", "is not one of user_prompt, "),
        ("--kind thing", "is not one of event, fact, "),
        ("--by magic", "is not one of hybrid, keyword, vector"),
        ("--scope here", "is not one of all, project, shared"),
    ],
)
def test_a_value_that_there_is_not_is_refused(journal: World, options: str, said: str) -> None:
    ran = journal.run("search", "pool", *options.split())
    assert ran.code == 2
    assert ran.out == ""
    assert said in ran.err.splitlines()[-1]


@pytest.mark.parametrize("command", ["search pool", "history", "timeline"])
@pytest.mark.parametrize(
    ("since", "until"), [("2026-12-01", "2026-11-01"), ("today", "어제"), ("Nov 12", "12 Oct 2026")]
)
def test_a_time_that_ends_before_it_begins_contradicts_itself(
    journal: World, command: str, since: str, until: str
) -> None:
    ran = journal.run(*command.split(), "--since", since, "--until", until)
    assert (ran.code, ran.out) == (64, "")
    assert f"--since {since} is not before --until {until}" in ran.err


@pytest.mark.parametrize("since", ["Nov 12", "12 Nov", "November 12, 2024", "일주일", "11월 12일"])
def test_a_time_may_be_typed_as_in_a_question(journal: World, since: str) -> None:
    assert journal.ok("search", "pool timeout", "--since", since).code == 0


@pytest.mark.parametrize("option", ["--scope", "--by"])
def test_an_empty_value_is_not_taken_for_none(journal: World, option: str) -> None:
    assert journal.run("search", "pool", option, "").code == 2


def test_a_day_ends_after_it_begins(journal: World) -> None:
    assert journal.run("history", "--since", "2026-11-30", "--until", "2026-11-30").code == 0
