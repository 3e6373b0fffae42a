"""What the README and the pages say is what the program does."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md")) + [ROOT / "README.md"]
_CHANGES_WITH_TIME = re.compile(r"\d\.\d\d |, recent_relevance|recent_relevance, ")


def steady(text: str) -> list[str]:
    """The lines of *text* without what depends on the day: the bonus of recent memories."""
    return [_CHANGES_WITH_TIME.sub("", line).rstrip() for line in text.strip().splitlines()]


def test_the_demo_prints_what_the_readme_shows(tmp_path: Path) -> None:
    for name in ("examples", ".gitignore"):
        source = ROOT / name
        target = tmp_path / name
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    mem = bin_folder / "mem"
    mem.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m memjournal.cli "$@"\n')
    mem.chmod(0o755)
    environ = {
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "LANG": "C.UTF-8",
        "PYTHONUTF8": "1",
    }
    done = subprocess.run(
        ["sh", str(tmp_path / "examples" / "demo.sh")],
        capture_output=True,
        env=environ,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr.decode()
    shown = (ROOT / "README.md").read_text("utf-8").split("```console\n")[1].split("\n```")[0]
    assert steady(done.stdout.decode()) == steady(shown)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_page_says_something(page: Path) -> None:
    assert len(page.read_text("utf-8").splitlines()) > 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text("utf-8")):
        if not target.startswith(("http", "mailto:")):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_that_a_page_names_exists(page: Path) -> None:
    from .cli_page import command_names

    known = {words[0] for words in command_names()}
    for block in re.findall(r"`(mem [^`]+)`|^(mem [^\n]+)$", page.read_text("utf-8"), re.MULTILINE):
        words = "".join(block).split()
        name = next((word for word in words[1:] if not word.startswith("-")), "")
        if name and name.islower() and name.isalpha():
            assert name in known, " ".join(words)


def test_the_page_of_commands_is_what_the_program_says() -> None:
    from .cli_page import render_page

    assert (ROOT / "docs" / "cli.md").read_text("utf-8") == render_page(), "run `make docs`"


def test_no_command_lacks_a_help_text() -> None:
    import typer.main

    from memjournal.cli.program import app, register_commands

    register_commands([])
    waiting = [typer.main.get_command(app)]
    while waiting:
        command = waiting.pop()
        assert command.help, command.name
        waiting += getattr(command, "commands", {}).values()
        for parameter in command.params:
            assert getattr(parameter, "help", "") or parameter.param_type_name == "argument", (
                f"{command.name}: {parameter.name}"
            )
