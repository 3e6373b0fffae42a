"""Korean is Korean under every locale: projects, names of files, words that are asked for, answers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from memjournal.cli.text_encoding import read_words

from .conftest import World

pytestmark = pytest.mark.skipif(os.name == "nt", reason="names are not bytes there")

NO_LOCALE = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
LOCALES = ("no locale", "ko_KR.EUC-KR", "en_US.ISO-8859-1")
QUESTION = "커넥션 풀 고갈"
PROJECT = "쇼핑몰"
BY = ("--by", "keyword")


@pytest.fixture(scope="session")
def locales(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Locales of old encodings, made for these tests."""
    folder = tmp_path_factory.mktemp("locales")
    if shutil.which("localedef") is not None:
        for name in LOCALES[1:]:
            language, _, charmap = name.partition(".")
            subprocess.run(
                ["localedef", "-i", language, "-f", charmap, str(folder / name)],
                capture_output=True,
                check=False,  # where there is nothing to make it from
            )
    return folder


@pytest.fixture
def surroundings(request: pytest.FixtureRequest, locales: Path) -> Mapping[str, str]:
    """The environment of a process under the locale that a test is given."""
    kept = {name: os.environ[name] for name in os.environ if not name.startswith(("LC_", "PYTHON"))}
    if request.param == "no locale":
        return {**kept, **NO_LOCALE}
    if not (locales / request.param).is_dir():
        why = "this system has no localedef, or not the sources of this locale (`locales`)"
        if "CI" in os.environ:
            pytest.fail(why)
        pytest.skip(why)
    return {**kept, "LOCPATH": str(locales), "LC_ALL": request.param}


@pytest.fixture
def journal(world: World) -> World:
    """A journal of a Korean project, and its folder the current one."""
    world.init()
    world.chdir(world.project.with_name(PROJECT))
    world.add(QUESTION)
    return world


def mem(environ: Mapping[str, str], *arguments: str | bytes) -> str:
    """What ``mem`` prints as a process, which must find nothing odd."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "memjournal.cli", *arguments],
        env=environ,
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""
    return done.stdout.decode("utf-8")


@pytest.mark.parametrize("surroundings", LOCALES, indirect=True)
def test_korean_words_and_names_are_not_mistaken(
    journal: World, surroundings: Mapping[str, str]
) -> None:
    said = mem(surroundings, "search", QUESTION, *BY, "--json")
    hit, answer = map(json.loads, said.splitlines())
    assert (hit["title"], answer["query"]) == (QUESTION, QUESTION)
    assert hit["project"].endswith(PROJECT)
    assert QUESTION in mem(surroundings, "search", "풀", *BY, "--project", PROJECT)
    added = json.loads(mem(surroundings, "add", "환불 정책", "--json"))
    assert f"/{PROJECT}/" in added["path"] and "환불-정책" in added["path"]
    assert (journal.root / added["path"]).read_text("utf-8").endswith("환불 정책\n")
    assert QUESTION in mem(surroundings, "show", hit["path"])


@pytest.mark.parametrize("surroundings", LOCALES, indirect=True)
def test_a_korean_file_is_committed_from_within_a_hook_of_git(
    world: World, surroundings: Mapping[str, str]
) -> None:
    world.ok("init")
    hook = {"GIT_DIR": str(world.project / ".git"), "MEMJOURNAL_JOURNAL_COMMIT": "true"}
    added = json.loads(mem({**surroundings, **hook}, "add", "환불 정책", "--json"))
    assert world.git("-c", "core.quotePath=false", "ls-files", "memories") == added["path"]
    assert "환불 정책" in world.git("show", f"HEAD:{added['path']}")


@pytest.mark.parametrize("surroundings", ["ko_KR.EUC-KR"], indirect=True)
def test_a_terminal_of_another_encoding_is_read_and_written_in_it(
    journal: World, surroundings: Mapping[str, str]
) -> None:
    leader, follower = os.openpty()
    done = subprocess.run(
        [sys.executable, "-P", "-m", "memjournal.cli", "search", QUESTION.encode("euc-kr"), *BY],
        env={**surroundings, "MEMJOURNAL_DAEMON_AUTOSTART": "never", "NO_COLOR": "1"},
        stdout=follower,
        stderr=subprocess.PIPE,
        check=True,
    )
    os.close(follower)
    shown = os.read(leader, 10_000)
    os.close(leader)
    assert done.stderr == b""
    assert QUESTION in shown.decode("euc-kr")


@pytest.mark.parametrize("surroundings", LOCALES, indirect=True)
def test_what_it_starts_is_started_with_the_same_words(
    surroundings: Mapping[str, str], tmp_path: Path
) -> None:
    """Options of Python, a word that is empty, one with line ends and one that is no text."""
    script = (
        "import sys\nfrom memjournal.cli.text_encoding import restart_in_utf8_mode\n"
        "if not sys.flags.utf8_mode: restart_in_utf8_mode()\n"
        "print(ascii((sys.flags.utf8_mode, sys.flags.safe_path, sys.argv[1:])))"
    )
    words = ["", "한글", "a\nb ", b"\xff\xfe", "--json"]
    done = subprocess.run(
        [sys.executable, "-P", "-c", script, *words],
        env=surroundings,
        cwd=tmp_path,
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stdout.strip() == ascii((1, True, ["", "한글", "a\nb ", "\udcff\udcfe", "--json"]))


def test_the_name_of_something_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    name = tmp_path / os.fsdecode(b"\xc7\xd1\xb1\xdb.md")  # EUC-KR
    words = ["search", "한글", str(name)]
    assert read_words(words) == words
    name.write_text("")
    assert read_words(words) == words
