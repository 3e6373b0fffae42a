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
    "question", ["kerberos keytab rotation of the refund", "한밤의 커넥터 조율"]
)
def test_a_script_is_given_no_ids_of_what_only_is_nearest(journal: World, question: str) -> None:
    nearest = journal.ok("search", question, "--all", "--json").objects
    assert nearest[-1]["confidence"] == "none"
    ran = journal.ok("search", question, "--ids")
    assert ran.out == ""
    if len(nearest) > 1:
        assert ran.err == "nothing surely answers this; --all prints what is nearest\n"
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
        ("--since 2026-12-01 --until 2026-11-01", "is not before --until 2026-11-01"),
        ("--since today --until 어제", "is not before --until 어제"),
        ("--since nonsense", "try 2026-11-30, 7d, yesterday or 지난주"),
        ("--type decison", "is not one of user_prompt, "),
        ("--kind thing", "is not one of event, fact, "),
        ("--by magic", "is not one of hybrid, keyword, vector"),
        ("--scope here", "is not one of all, project"),
    ],
)
def test_a_filter_that_nothing_can_pass_is_refused(journal: World, options: str, said: str) -> None:
    ran = journal.run("search", "pool", *options.split())
    assert ran.code == 2
    assert ran.out == ""
    assert said in ran.err.splitlines()[-1]


def test_a_time_that_ends_before_it_begins_is_refused_by_every_list(journal: World) -> None:
    for command in ("history", "timeline"):
        ran = journal.run(command, "--since", "2026-12-01", "--until", "2026-11-30")
        assert ran.code == 2
        assert "is not before --until 2026-11-30" in ran.err
    assert journal.run("history", "--since", "2026-11-30", "--until", "2026-11-30").code == 0
