"""Tool calls as they stand in a journal: what was called, how it ended, and whether that proves anything."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from ...indexer.catalog.row import Row
from ..commands import only_looks, program_of, without_prefix
from ..tool_kinds import asks_user, is_helper, is_quiet
from .sentences import telling_part

_SAYS_FAILURE: Final = re.compile(
    r"error|fail|exception|fatal|panic|cannot|could not|denied|not found|assert|traceback|refused"
    r"|timed? ?out|실패|오류|에러|예외",
    re.IGNORECASE,
)
_BLOCK: Final = re.compile(
    r"^(?P<fence>`{3,})(?P<language>[^\n`]*)\n(?P<text>.*?)^(?P=fence)[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
_MAX_READ: Final = 8_000  # characters: each fence that is not closed is looked for to the end
_SHELLS: Final = ("bash", "sh", "shell", "zsh", "powershell")
_CHOICE: Final = re.compile(r'"([^"\n]{1,300})"\s*=\s*"([^"\n]{1,300})"')
_CHOSEN: Final = re.compile(r"^(\S[^\n]{0,600}?) → (\S[^\n]{0,300})$", re.MULTILINE)
_ASKED: Final = re.compile(r"^\*\*(.{1,600})\*\*$", re.MULTILINE)


def call_of(row: Row, body: str) -> tuple[str, str]:
    """What stands for a call and its repetitions: the tool, and the program or the file."""
    command = command_in(body)
    if not command:
        return row.tool, row.files[0] if row.files else row.title
    return row.tool, program_of(command)


def outcomes_of(calls: Iterable[Row], *, body_of: Callable[[Row], str]) -> list[tuple[Row, str]]:
    """How each thing that *calls*, oldest first, tried ended when it was tried last."""
    last: dict[tuple[str, str], Row] = {}
    for row in calls:
        if _is_idle(row.tool) or only_looks(_whole_command_in(body := body_of(row))):
            continue
        last[call_of(row, body)] = row
    return [(row, row.outcome) for row in last.values()]


def _is_idle(tool: str) -> bool:
    """Whether nothing is tried with *tool*: a choice, and what a sub-agent says, prove nothing."""
    return is_quiet(tool) or asks_user(tool) or is_helper(tool)


def command_in(body: str) -> str:
    """The first line of the command that a tool's record begins with; "" where it is none."""
    return next(filter(None, map(str.strip, _whole_command_in(body).splitlines())), "")


def _whole_command_in(body: str) -> str:
    found = _BLOCK.search(body[:_MAX_READ])
    return found["text"] if found is not None and found["language"] in _SHELLS else ""


def quote_of_call(row: Row, body: str, *, max_tokens: int) -> str:
    """What was called, and the line of its output that tells how it ended; or what was chosen."""
    chosen = choices_in(body) if asks_user(row.tool) else []
    if chosen:
        return telling_part(chosen, max_tokens=max_tokens)
    called = without_prefix(command_in(body)) or row.title.removeprefix(f"{row.tool}: ")
    ended = _ending_of(body, failed=row.failed)
    line = f"{row.tool}: {_one_line(called)}" if called != row.tool else row.tool
    if ended and ended not in line:
        line += f" → {ended}"
    return telling_part([line], max_tokens=max_tokens)


def choices_in(body: str) -> list[str]:
    """What a user was asked and chose: as an assistant puts it, or below the questions in a tool's record."""
    asked = {_one_line(one) for one in _ASKED.findall(body)}
    found = _CHOICE.findall(body)
    found += [pair for pair in _CHOSEN.findall(body) if _one_line(pair[0]) in asked]
    return [f"{_one_line(one)} → {_one_line(chosen)}" for one, chosen in found]


def _ending_of(body: str, *, failed: bool) -> str:
    """The last line of a tool's output; of one that failed, the last that speaks of it."""
    blocks = [
        block["text"]
        for block in _BLOCK.finditer(body[:_MAX_READ])
        if block["language"] not in _SHELLS
    ]
    output = blocks[-1] if blocks else "" if command_in(body) else body
    lines = [line for line in map(_one_line, output.splitlines()) if line]
    saying = [line for line in lines if _SAYS_FAILURE.search(line)] if failed else []
    return (saying or lines or [""])[-1]


def _one_line(text: str) -> str:
    return " ".join(text.split())
