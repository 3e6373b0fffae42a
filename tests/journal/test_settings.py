"""Settings: later layers win, a journal is not trusted, and a file keeps its author's layout."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.journal.errors import SettingsError
from memjournal.journal.setting import Setting, Value, format_value, parse_value
from memjournal.journal.setting_groups import DEFINITIONS
from memjournal.journal.settings import (
    DEFAULTS,
    Settings,
    find_definition,
    load_settings,
    set_setting,
    unset_setting,
)

from ..odd_places import a_loop, a_pipe, a_socket, an_endless_device

CONFIGURATION = Path(__file__).parents[2] / "docs" / "configuration.md"


class World:
    """A user's file and a journal's file."""

    def __init__(self, folder: Path) -> None:
        self.user = folder / "config.toml"
        self.journal = folder / "memjournal.toml"

    def load(
        self, *, user: str = "", journal: str = "", environ: str = "", overrides: str = ""
    ) -> Settings:
        """Settings from the text of two files, and ``NAME=text`` for the other two layers."""
        self.user.write_text(user, encoding="utf-8")
        self.journal.write_text(journal, encoding="utf-8")
        return load_settings(
            user_file=self.user,
            journal_file=self.journal,
            environ=dict([environ.split("=", 1)]) if environ else {},
            overrides=dict([overrides.split("=", 1)]) if overrides else {},
        )


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


# Definitions


def test_every_default_is_a_value_of_its_setting() -> None:
    for name, setting in DEFINITIONS.items():
        default = DEFAULTS.value(name)
        assert default == setting.default
        assert parse_value(setting, format_value(default), where="") == default


def test_variables_have_different_names() -> None:
    assert len({setting.environment for setting in DEFINITIONS.values()}) == len(DEFINITIONS)


def test_a_setting_is_an_attribute_of_its_group_and_is_read_only() -> None:
    assert DEFAULTS.search.limit == 10
    assert DEFAULTS.import_claude_code.folder == "~/.claude/projects"
    assert DEFAULTS.editor == ""
    with pytest.raises(AttributeError, match="search.limit is read-only"):
        DEFAULTS.search.limit = 3  # type: ignore[assignment]  # what must not work


def row(setting: Setting[object]) -> str:
    default = format_value(DEFAULTS.value(setting.name))
    where = "not in a journal" if setting.user_only else "anywhere"
    return f"| `{setting.name}` | {f'`{default}`' if default else '(empty)'} | {where} | {setting.help} |"


def test_the_documentation_lists_every_setting_with_its_default() -> None:
    page = CONFIGURATION.read_text(encoding="utf-8")
    listed = [line for line in page.splitlines() if re.match(r"\| `[a-z_.]+` \|", line)]
    assert listed == [row(setting) for setting in DEFINITIONS.values()]


def test_importing_settings_loads_nothing_heavy() -> None:
    code = (
        "import sys, memjournal.journal.settings, memjournal.journal.project;"
        "heavy = {'tomlkit', 'difflib', 'zoneinfo', 'git', 'yaml', 'json'};"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    run = [sys.executable, "-c", code]
    assert subprocess.run(run, check=True, capture_output=True, text=True).stdout.strip() == "[]"


# Layers


def test_a_later_layer_wins_and_says_where_it_is(world: World) -> None:
    user, journal = "search.limit = 1", "search.limit = 2"
    variable, command = "MEMJOURNAL_SEARCH_LIMIT=3", "search.limit=4"
    cases = [
        (world.load(), 10, "default"),
        (world.load(user=user), 1, f"user: {world.user}"),
        (world.load(user=user, journal=journal), 2, "journal: memjournal.toml"),
        (
            world.load(user=user, journal=journal, environ=variable),
            3,
            "environment: MEMJOURNAL_SEARCH_LIMIT",
        ),
        (world.load(journal=journal, environ=variable, overrides=command), 4, "command line"),
    ]
    for settings, limit, origin in cases:
        assert (settings.search.limit, settings.origin("search.limit")) == (limit, origin)
        assert settings.warnings == ()


def test_a_file_that_is_not_there_is_an_empty_layer(tmp_path: Path) -> None:
    settings = load_settings(user_file=tmp_path / "none", journal_file=None, environ={})
    assert settings.values == DEFAULTS.values


def test_an_empty_variable_is_not_set(world: World) -> None:
    assert world.load(environ="MEMJOURNAL_SEARCH_LIMIT=").search.limit == 10


def test_a_journal_adds_to_what_is_never_stored_and_takes_nothing_away(world: World) -> None:
    settings = world.load(
        user='privacy.words = ["Nightjar", "x"]',
        journal='privacy.words = ["x", "비밀"]',
        environ="MEMJOURNAL_PRIVACY_WORDS=one\ntwo",
    )
    assert settings.privacy.words == ("Nightjar", "x", "비밀", "one", "two")
    assert settings.origin("privacy.words") == (
        f"user: {world.user}, journal: memjournal.toml, environment: MEMJOURNAL_PRIVACY_WORDS"
    )
    assert world.load(user='privacy.words = ["x"]', journal="privacy.words = []").privacy.words


def test_aliases_of_all_layers_count(world: World) -> None:
    settings = world.load(
        user='[projects.aliases]\n"a/b" = "c"\nd = "e"', journal='projects.aliases = {"a/b" = "f"}'
    )
    assert settings.projects.aliases == {"a/b": "f", "d": "e"}


@pytest.mark.parametrize(
    "line",
    [
        'editor = "sh -c evil"',
        'import.claude_code.folder = "/etc"',
        'embedding.model = "/etc"',
        'embedding.model = "someone/a-model-to-download"',
    ],
)
def test_a_journal_cannot_run_commands_or_leave_its_folder(world: World, line: str) -> None:
    name = line.partition(" = ")[0]
    settings = world.load(journal=line)
    assert settings.value(name) == DEFAULTS.value(name)
    assert settings.origin(name) == "default"
    assert [f"{name} is ignored" in warning for warning in settings.warnings] == [True]
    with pytest.raises(SettingsError, match=f"{name} cannot be set here"):
        set_setting(world.journal, name, tomllib.loads(f"x = {line.partition(' = ')[2]}")["x"])
    assert world.load(user=line).value(name) != DEFAULTS.value(name)


# Mistakes


def test_an_unknown_key_is_a_warning_with_the_closest_name(world: World) -> None:
    settings = world.load(user="[capture]\nside_chains = true\n[new.things]\na = 1\nb = 2\n")
    assert settings.warnings == (
        f"{world.user}: unknown setting capture.side_chains; did you mean capture.sidechains?",
        f"{world.user}: unknown setting new; `mem config list` shows all of them",
    )


def test_an_unknown_name_is_an_error_with_the_closest_name(world: World) -> None:
    for name, hint in (("serch.limit", "search.limit"), ("mmr_lambda", "search.mmr_lambda")):
        with pytest.raises(SettingsError, match=f"did you mean {hint}"):
            find_definition(name)
    with pytest.raises(SettingsError, match="no setting x"):
        world.load(overrides="x=1")
    with pytest.raises(SettingsError, match="no setting search"):
        DEFAULTS.origin("search")


@pytest.mark.parametrize(
    ("line", "allowed"),
    [
        ("search.limit = 0", "search.limit must be a whole number from 1 to 1000"),
        ("search.limit = 1.5", "search.limit must be a whole number"),
        ("search.limit = true", "search.limit must be a whole number"),
        ("search.mmr_lambda = 1.1", "must be a number from 0 to 1"),
        ("search.min_score = nan", "must be a number from 0 to 1"),
        ("search.half_life_days = inf", "must be a number"),
        ("search.half_life_days = true", "must be a number"),
        ('search.scope = "mine"', "search.scope must be one of all, project, shared"),
        ("journal.commit = 1", "journal.commit must be true or false"),
        ("privacy.words = 'x'", "privacy.words must be a list of texts"),
        ("privacy.words = ['x', 1]", "privacy.words must be a list of texts"),
        ("privacy.words = ['x', ' ']", "privacy.words must not have a blank text"),
        ("privacy.patterns = ['[a']", "privacy.patterns has a pattern that is not a regular"),
        ("privacy.patterns = ['a*']", "a pattern that matches the empty text"),
        ('privacy.marker = "a\\nb"', "privacy.marker must be one line"),
        ("projects.aliases = 1", "projects.aliases must be a table of texts"),
        ("projects.aliases.a.b = 'c'", "projects.aliases must be a table of texts"),
        ("journal.timezone = 'Asia/Nowhere'", "journal.timezone must be .*Asia/Seoul"),
        ("journal.timezone = '../etc/passwd'", "journal.timezone must be .*Asia/Seoul"),
        ("capture = 1", "capture must be a table; write \\[capture\\]"),
        ("index.chunk_tokens = 60", "must be at most half of index.chunk_tokens, which is 60"),
    ],
)
def test_a_wrong_value_names_file_key_and_what_is_allowed(
    world: World, line: str, allowed: str
) -> None:
    with pytest.raises(SettingsError, match=allowed) as caught:
        world.load(user=line)
    if "index" not in line:
        assert str(caught.value).startswith(f"{world.user}: {line.split(' ')[0].split('.a')[0]}")


def test_a_wrong_value_is_not_quoted_since_it_may_be_a_secret(world: World) -> None:
    with pytest.raises(SettingsError) as caught:
        world.load(environ="MEMJOURNAL_PRIVACY_PATTERNS=(Nightjar")
    assert "Nightjar" not in str(caught.value)
    assert str(caught.value).startswith("MEMJOURNAL_PRIVACY_PATTERNS: privacy.patterns has")


@pytest.mark.parametrize(
    ("text", "line"), [("a = 1\nb = = 2\n", 2), ("a = 1\nb = [", 2), ("[a]\n[a]\n", 2), ("x", 1)]
)
def test_broken_toml_names_the_line(world: World, text: str, line: int) -> None:
    with pytest.raises(SettingsError, match="not TOML") as caught:
        world.load(journal=text)
    assert str(caught.value).startswith(f"{world.journal}:{line}: not TOML")
    assert "put texts in quotes" in str(caught.value)


def test_marks_of_a_merge_are_recognised(world: World) -> None:
    with pytest.raises(SettingsError, match="a merge left both versions in it"):
        world.load(journal="<<<<<<< ours\na = 1\n=======\na = 2\n>>>>>>> theirs\n")


def test_a_file_in_another_encoding_is_an_error_and_a_byte_order_mark_is_not(world: World) -> None:
    world.user.write_bytes("# 한글".encode("cp949"))
    with pytest.raises(SettingsError, match="is not UTF-8"):
        load_settings(user_file=world.user, journal_file=None, environ={})
    world.user.write_bytes(b"\xef\xbb\xbfsearch.limit = 3\r\n")
    settings = load_settings(user_file=world.user, journal_file=None, environ={})
    assert settings.search.limit == 3


def test_a_folder_in_place_of_a_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings(user_file=tmp_path, journal_file=None, environ={})


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (a_pipe, "a pipe"),
        (a_socket, "a socket"),
        (a_loop, "a link"),
        (an_endless_device, "a device"),
    ],
)
def test_what_is_no_file_is_named_and_not_waited_for(
    tmp_path: Path, make: Callable[[Path], None], kind: str
) -> None:
    file = tmp_path / "config.toml"
    make(file)
    message = f"{file}: cannot be read: it is {kind}; put a file in its place"
    with pytest.raises(SettingsError, match=re.escape(message)):
        load_settings(user_file=file, journal_file=None, environ={})
    with pytest.raises(SettingsError, match=re.escape(message)):
        set_setting(file, "search.limit", "3")


def test_a_file_that_is_too_long_is_not_read_whole(world: World) -> None:
    with world.user.open("wb") as stream:
        stream.truncate(1 << 40)  # a hole; as bytes they would not fit into memory
    with pytest.raises(SettingsError, match="more than 1,048,576 bytes are no settings"):
        load_settings(user_file=world.user, journal_file=None, environ={})
    world.load(user="#" * (1 << 20))


def test_a_questionable_pattern_warns_nobody(world: World) -> None:
    assert world.load(user="privacy.patterns = ['[[a]b']").privacy.patterns == ("[[a]b",)


# Texts


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("journal.commit", " Yes ", True),
        ("journal.commit", "off", False),
        ("search.limit", " 7 ", 7),
        ("search.min_score", "1", 1.0),
        ("privacy.marker", "", ""),
        ("privacy.words", "", ()),
        ("privacy.words", "a, b\n한글\n", ("a, b", "한글")),
        ("privacy.words", "['a', \"b\"]", ("a", "b")),
        ("privacy.patterns", r"\d+", (r"\d+",)),
        ("projects.aliases", "a/b = c\nd=e", {"a/b": "c", "d": "e"}),
        ("projects.aliases", '{"a.b/c" = "d"}', {"a.b/c": "d"}),
    ],
)
def test_a_text_is_read_by_the_type_of_its_setting(name: str, text: str, value: Value) -> None:
    assert parse_value(find_definition(name), text, where="") == value


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("journal.commit", "maybe", "must be true or false"),
        ("search.limit", "many", "must be a whole number"),
        ("search.limit", "1e2", "must be a whole number"),
        ("search.min_score", "nan", "must be a number"),
        ("privacy.patterns", "[a-z]+x", "begins as a TOML array but is none"),
        ("projects.aliases", "{a", "begins as a TOML table but is none"),
        ("projects.aliases", "a =", "blank"),
    ],
)
def test_a_text_that_is_no_value_is_an_error(name: str, text: str, why: str) -> None:
    with pytest.raises(SettingsError, match=why):
        parse_value(find_definition(name), text, where="")


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)


@given(st.lists(texts), st.dictionaries(texts, texts))
def test_lists_and_tables_survive_the_trip_through_text(
    words: list[str], aliases: dict[str, str]
) -> None:
    values: dict[str, Value] = {"privacy.words": tuple(words), "projects.aliases": aliases}
    for name, value in values.items():
        assert parse_value(find_definition(name), format_value(value), where="") == value


# Writing

ANNOTATED = """\
# my settings

[capture]   # what is kept
sidechains = true # why not
unknown = 1

[search]
limit=3
"""


def test_setting_a_value_keeps_comments_and_layout(world: World) -> None:
    world.user.write_text(ANNOTATED)
    set_setting(world.user, "capture.sidechains", "no")
    set_setting(world.user, "search.min_score", "0.2")
    assert world.user.read_text() == (
        ANNOTATED.replace("= true #", "= false #").replace(
            "limit=3\n", "limit=3\nmin_score = 0.2\n"
        )
    )
    assert unset_setting(world.user, "search.min_score")
    assert not unset_setting(world.user, "search.min_score")
    set_setting(world.user, "capture.sidechains", "yes")
    assert world.user.read_text() == ANNOTATED


def test_a_new_file_gets_its_folders(tmp_path: Path) -> None:
    file = tmp_path / "a" / "config.toml"
    assert not unset_setting(file, "editor")
    set_setting(file, "import.claude_code.folder", "/x")
    set_setting(file, "editor", "code -w")
    assert file.read_text() == 'editor = "code -w"\n\n[import.claude_code]\nfolder = "/x"\n'


def test_one_alias_is_set_and_unset_by_its_own_name(world: World) -> None:
    set_setting(world.user, "projects.aliases.work/acme/shop", "github.com/acme/shop")
    set_setting(world.user, "projects.aliases.git.example.com/b", "x = y")
    settings = load_settings(user_file=world.user, journal_file=None, environ={})
    assert settings.projects.aliases == {
        "work/acme/shop": "github.com/acme/shop",
        "git.example.com/b": "x = y",
    }
    assert unset_setting(world.user, "projects.aliases.git.example.com/b")
    assert "work/acme/shop" in world.user.read_text()
    with pytest.raises(SettingsError, match="blank"):
        set_setting(world.user, "projects.aliases.x", " ")


@pytest.mark.parametrize(
    "text",
    [
        "search = { limit = 3 } # x\n",
        "search.limit = 3\ncapture.sidechains = true\n",
        "[search]\nlimit = 3\n[privacy]\nwords = []\n[search.more]\na = 1\n",
        "[search]\r\nlimit = 3 # x\r\n",
        "[a]\nx = 1\n[search]\nlimit = 3\n[search.more]\nz = 1\n[c]\n[capture]",
    ],
)
@pytest.mark.parametrize(
    ("name", "value_text"),
    [
        ("search.limit", "7"),
        ("search.mmr_lambda", "0.5"),
        ("editor", "vi"),
        ("privacy.patterns", r"['\d\d', 'b']"),
        ("projects.aliases", "{'a.b' = 'c'}"),
        ("import.claude_code.folder", "/x"),
    ],
)
def test_any_layout_can_be_changed(world: World, text: str, name: str, value_text: str) -> None:
    world.user.write_text(text, newline="")
    set_setting(world.user, name, value_text)
    settings = load_settings(user_file=world.user, journal_file=None, environ={})
    assert settings.value(name) == parse_value(find_definition(name), value_text, where="")
    assert settings.origin(name) == f"user: {world.user}"
    after = world.user.read_bytes()
    assert after.count(b"\r\n") == (after.count(b"\n") if "\r" in text else 0)
    assert ("# x" in text) == (b"# x" in after)
    assert unset_setting(world.user, name)
    settings = load_settings(user_file=world.user, journal_file=None, environ={})
    assert settings.origin(name) == "default"


def test_a_refused_value_leaves_the_file_alone(world: World) -> None:
    world.user.write_text("search.limit = = 3")
    for name, value in (("search.limit", "many"), ("search.limit", "3"), ("serch.limit", "3")):
        with pytest.raises(SettingsError):
            set_setting(world.user, name, value)
    assert world.user.read_text() == "search.limit = = 3"
    world.user.write_text("search = 3")
    with pytest.raises(SettingsError, match="search must be a table"):
        set_setting(world.user, "search.limit", "3")
    assert [file.name for file in world.user.parent.iterdir()] == ["config.toml"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_a_linked_file_stays_a_link_and_keeps_its_mode(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text("")
    real.chmod(0o640)
    link = tmp_path / "config.toml"
    link.symlink_to(real)
    set_setting(link, "search.limit", "3")
    assert link.is_symlink()
    assert (real.stat().st_mode & 0o777, real.read_text()) == (0o640, "[search]\nlimit = 3\n")


@pytest.mark.parametrize(
    ("user", "journal", "counts", "is_said"),
    [
        ("all", "project", "project", False),
        ("project", "all", "project", True),
        ("project", "shared", "project", True),
        ("shared", "project", "project", False),
        ("all", "all", "all", False),  # as the journal's file shows it, and no difference
    ],
)
def test_a_journal_may_narrow_what_is_searched_and_never_widen_it(
    world: World, user: str, journal: str, counts: str, is_said: bool
) -> None:
    settings = world.load(user=f'search.scope = "{user}"', journal=f'search.scope = "{journal}"')
    assert settings.search.scope == counts
    assert any("search.scope is ignored" in one for one in settings.warnings) == is_said


def test_a_journals_file_that_is_a_link_out_of_the_journal_is_not_read(tmp_path: Path) -> None:
    root = tmp_path / "journal"
    root.mkdir()
    (tmp_path / "outside.toml").write_text("search.limit = 3\n")
    (root / "real.toml").write_text("search.limit = 4\n")
    file = root / "memjournal.toml"
    file.symlink_to("real.toml")
    assert load_settings(user_file=None, journal_file=file, environ={}).search.limit == 4
    file.unlink()
    file.symlink_to(tmp_path / "outside.toml")
    with pytest.raises(SettingsError, match="a link that leads out of the journal"):
        load_settings(user_file=None, journal_file=file, environ={})
    user = load_settings(user_file=file, journal_file=None, environ={})
    assert user.search.limit == 3  # one's own files may be links
