"""`mem config` changes what was asked for, says what counts now, and works without a journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memjournal.journal.setting_groups import DEFINITIONS

if TYPE_CHECKING:
    from .conftest import World


def test_what_is_set_is_read_back_and_where_it_is_from_is_said(world: World) -> None:
    user = world.home / ".config" / "memjournal" / "config.toml"
    done = world.ok("config", "set", "search.limit", "20")
    assert done.out == f"search.limit = 20  (user: {user})\n"
    assert world.ok("config", "get", "search.limit").out == "20\n"
    assert user.read_text() == "[search]\nlimit = 20\n"
    (listed,) = [
        one for one in world.ok("config", "list", "--json").objects if one["name"] == "search.limit"
    ]
    assert (listed["value"], listed["default"], listed["origin"]) == (20, 10, f"user: {user}")


def test_unset_lets_the_layer_below_count_again(world: World) -> None:
    world.ok("config", "set", "search.limit", "20")
    assert world.ok("config", "unset", "search.limit").out == "search.limit = 10  (default)\n"
    ran = world.run("config", "unset", "search.limit")
    assert ran.code == 66
    assert ran.error.endswith("search.limit is not set there; `mem config list` shows where it is")


def test_the_journals_own_file_is_changed_on_request_and_keeps_its_comments(world: World) -> None:
    root = world.init()
    world.ok("config", "set", "privacy.words", '["나이트자"]', "--journal-file")
    text = (root / "memjournal.toml").read_text("utf-8")
    assert text.startswith("# The settings of this journal;")
    assert 'words = ["나이트자"]' in text
    assert world.ok("config", "get", "privacy.words").out == '["나이트자"]\n'


def test_a_journal_may_not_set_what_runs_a_command(world: World) -> None:
    root = world.init()
    ran = world.run("config", "set", "editor", "rm -rf /", "--journal-file")
    assert (ran.code, ran.error) == (
        78,
        (
            f"mem: {root}/memjournal.toml: editor cannot be set here: only your own config.toml or"
            " the environment may set it"
        ),
    )


def test_a_variable_that_wins_is_named(world: World) -> None:
    world.set_env(MEMJOURNAL_SEARCH_LIMIT="5")
    done = world.ok("config", "set", "search.limit", "20")
    assert done.out == "search.limit = 5  (environment: MEMJOURNAL_SEARCH_LIMIT)\n"


def test_one_line_of_a_table_is_set(world: World) -> None:
    world.ok("config", "set", "projects.aliases.work/결제", "github.com/acme/pay")
    assert world.ok("config", "get", "projects.aliases").out == (
        '{"work/결제" = "github.com/acme/pay"}\n'
    )


def test_list_shows_every_setting(world: World) -> None:
    lines = world.ok("config", "list").out.splitlines()
    assert [line.split()[0] for line in lines] == list(DEFINITIONS)


def test_an_unknown_name_or_value_is_refused(world: World) -> None:
    ran = world.run("config", "get", "search.limt")
    assert (ran.code, ran.error) == (
        78,
        "mem: there is no setting search.limt; did you mean search.limit?",
    )
    ran = world.run("config", "set", "search.limit", "many")
    assert (ran.code, ran.error) == (
        78,
        "mem: search.limit: search.limit must be a whole number from 1 to 1000",
    )
    assert world.run("config", "set", "search.limit", "1", "--user", "--journal-file").code == 2


def test_a_file_that_is_broken_can_be_mended_with_it(world: World) -> None:
    world.ok("config", "set", "search.limit", "20")
    user = world.home / ".config" / "memjournal" / "config.toml"
    user.write_text('[search]\nlimit = "many"\n')
    assert world.run("config", "list").code == 78
    done = world.ok("config", "set", "search.limit", "7")
    assert done.out.startswith("search.limit = 7 ")


def test_path_names_the_files_with_and_without_a_journal(world: World) -> None:
    without = world.ok("config", "path").out
    assert without == f"user     {world.home}/.config/memjournal/config.toml  (none yet)\n"
    root = world.init()
    assert world.ok("config", "path").out == f"{without}journal  {root}/memjournal.toml\n"


def test_a_change_can_be_told_as_json(world: World) -> None:
    (setting,) = world.ok("config", "set", "search.limit", "3", "--json").objects
    assert (setting["object"], setting["name"], setting["value"]) == ("setting", "search.limit", 3)
    (setting,) = world.ok("config", "unset", "search.limit", "--json").objects
    assert (setting["value"], setting["origin"]) == (10, "default")


def test_a_score_is_at_most_one(world: World) -> None:
    ran = world.run("config", "set", "search.min_score", "5")
    assert (ran.code, ran.error) == (
        78,
        "mem: search.min_score: search.min_score must be a number from 0 to 1",
    )
