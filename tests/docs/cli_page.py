"""Writes docs/cli.md from the program itself: ``make docs``."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import typer.main

from memjournal.cli.program import GROUPS, app, register_commands

HEAD = """\
# The command line

Made from the program by `make docs`; a test fails when it is behind. Every command takes `--json`
where it prints results ([json.md](json.md)); [exit-codes.md](exit-codes.md) lists the exit codes. Ids are
accepted in every form: `mem:a7Bc3x`, `[mem:a7Bc3x]`, `a7Bc3x`, any unique beginning of it, or a path.

Shell completion: `mem --install-completion`.
"""


def render_page() -> str:
    """The whole page."""
    blocks = [HEAD, _block("mem", ())]
    blocks += [_block(f"mem {' '.join(words)}", words) for words in command_names()]
    return "\n".join(blocks)


def command_names() -> Iterator[tuple[str, ...]]:
    """Every command and every command of a group, in the program's order."""
    register_commands([])
    root = typer.main.get_command(app)
    for name in (name for names in GROUPS.values() for name in names):
        below = getattr(root.commands[name], "commands", {})  # type: ignore[attr-defined]  # a group
        if not below:
            yield (name,)
        for inner in below:
            yield (name, inner)


def _block(title: str, words: tuple[str, ...]) -> str:
    environ = {**os.environ, "COLUMNS": "96", "NO_COLOR": "1", "TERM": "dumb"}
    command = [sys.executable, "-P", "-m", "memjournal.cli", *words, "--help"]
    done = subprocess.run(command, capture_output=True, text=True, env=environ, check=True)
    return f"## {title}\n\n```text\n{done.stdout.strip()}\n```\n"


if __name__ == "__main__":
    sys.stdout.write(render_page())
