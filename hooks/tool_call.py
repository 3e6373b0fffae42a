"""A tool call and its result as Markdown that a person, and a search, can read.

The input of every call is masked by key before anything is taken from it, and what is going to be
cut is masked as a whole first: a cut could take the end off a secret, or an opening tag away.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import Final

from ..journal.event import Outcome
from .text import Limits, clean, cut, exceeds, fence, trim
from .tool_kinds import asks_user, is_shell

Mask = Callable[[object], object]

PREVIEW: Final = Limits(characters=2_000, lines=40)
"""Of what a call writes: enough to recognise it, for the file itself is in git."""

_PATH_KEYS: Final = ("file_path", "notebook_path", "path", "filePath")
_EXIT = re.compile(r"\s*(?:Error: )?(?:Exit code |Exited with code )(-?\d{1,9})\b")
_TIMED_OUT = re.compile(r"\s*(?:Timed out\b|Command timed out\b)")
_REFUSED: Final = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "[Request interrupted by user",
)
_ERROR_TAG = re.compile(r"\s*<tool_use_error>(.*)</tool_use_error>\s*", re.DOTALL)
_MARKS: Final = {"completed": "x", "done": "x"}


def base_name(name: str) -> str:
    """``Bash`` for ``mcp__acp__Bash``: an editor brings the same tools under its own names."""
    return name.rsplit("__", 1)[-1] if name.startswith("mcp__") else name


def render_call(name: str, given: object) -> str:
    """What was asked of the tool; *given* is its masked input."""
    if not isinstance(given, Mapping):
        return _render_unknown(given)
    match base_name(name), given:
        case _, {"command": str(command)} if is_shell(name):
            return _paragraphs(_line(given, "description"), fence(clean(command), "bash"))
        case "Write" | "NotebookEdit", {"file_path": str(path), "content": str(content)}:
            return _paragraphs(f"`{clean(path)}`: {_size(content)}", _preview(content))
        case "NotebookEdit", {"notebook_path": str(path), "new_source": str(content)}:
            return _paragraphs(f"`{clean(path)}`: {_size(content)}", _preview(content))
        case "Edit", {"file_path": str(path), "old_string": str(old), "new_string": str(new)}:
            return _paragraphs(f"`{clean(path)}`: {_sizes(old, new)}", _diff(old, new))
        case "MultiEdit", {"file_path": str(path), "edits": list(edits)}:
            return _render_edits(clean(path), edits)
        case "TodoWrite", {"todos": list(todos)}:
            return "\n".join(_render_todo(todo) for todo in todos)
        case "AskUserQuestion", {"questions": list(questions)}:
            return _paragraphs(*(_render_question(question) for question in questions))
        case "ExitPlanMode", {"plan": str(plan)}:
            return trim(clean(plan))
        case "Read" | "Grep" | "Glob" | "LS" | "WebFetch" | "WebSearch" | "ToolSearch", _:
            return _render_fields(given)
        case "Task" | "Agent", {"prompt": str(prompt)}:
            kind = _line(given, "subagent_type")
            head = _line(given, "description") + (f" ({kind})" if kind else "")
            return _paragraphs(head, cut(trim(clean(prompt)), PREVIEW))
        case "Skill" | "SlashCommand", _:
            return _render_fields(given)
    return _render_unknown(given)


def render_result(name: str, text: str, *, limits: Limits, mask: Mask) -> str:
    """What the tool answered, fenced unless it is prose."""
    if found := _ERROR_TAG.fullmatch(text):
        text = found[1]
    text = trim(text)
    if not text:
        return ""
    if asks_user(name):
        return text
    if exceeds(text, limits):
        masked = mask(text)
        text = cut(masked if isinstance(masked, str) else "", limits)
    return text if base_name(name) in ("Task", "Agent", "TodoWrite") else fence(text)


def approved_plan(data: object) -> str:
    """The plan that stands beside the result when it is in neither the call nor its text."""
    match data:
        case {"plan": str(plan)}:
            return trim(clean(plan))
    return ""


def read_outcome(text: str, *, is_error: bool, data: object) -> tuple[Outcome, int | None]:
    """How a call ended, and its exit code when the result begins with one.

    Some servers report a failed command without ``is_error``: the exit code then decides.
    """
    found = _EXIT.match(text)
    exit_code = int(found[1]) if found else None
    if text.lstrip().startswith(_REFUSED) or _is_interrupted(data):
        return "interrupted", exit_code
    if is_error or exit_code or _TIMED_OUT.match(text):
        return "error", exit_code
    return "ok", exit_code


def files_of(given: object, cwd: str) -> tuple[str, ...]:
    """The paths a call names, POSIX, relative to *cwd* when they lie below it."""
    if not isinstance(given, Mapping):
        return ()
    named = (given.get(key) for key in _PATH_KEYS)
    paths = (_relative(clean(path), cwd) for path in named if isinstance(path, str))
    return tuple(dict.fromkeys(path for path in paths if path and "\n" not in path))


def _relative(path: str, cwd: str) -> str:
    is_windows = "\\" in cwd or re.match(r"[A-Za-z]:\\", path)
    kind: type[PurePath] = PureWindowsPath if is_windows else PurePosixPath
    below, root = kind(path), kind(cwd)
    if not path or below == root:
        return ""
    if cwd and below.is_relative_to(root):
        below = below.relative_to(root)
    return below.as_posix()


def _is_interrupted(data: object) -> bool:
    match data:
        case {"interrupted": True}:
            return True
    return False


def _render_fields(given: Mapping[str, object]) -> str:
    """One ``name: value`` a line, the first word of a search being its most telling one."""
    lines = []
    for key, value in given.items():
        text = clean(value) if isinstance(value, str) else _compact(value)
        lines.append(f"{clean(str(key))}: {cut(text, PREVIEW)}")
    return cut("\n".join(lines), PREVIEW)


def _render_unknown(given: object) -> str:
    text = _compact(given)
    return "" if text in ("{}", "null") else fence(cut(text, PREVIEW), "json")


def _render_edits(path: str, edits: list[object]) -> str:
    diffs = []
    for edit in edits:
        match edit:
            case {"old_string": str(old), "new_string": str(new)}:
                diffs.append(_signed(old, new))
    count = "1 edit" if len(edits) == 1 else f"{len(edits)} edits"
    diff = cut("\n".join(diffs), PREVIEW)
    return _paragraphs(f"`{path}`: {count}", fence(diff, "diff") if diff else "")


def _render_todo(todo: object) -> str:
    match todo:
        case {"content": str(content), **rest}:
            status = rest.get("status")
            mark = _MARKS.get(status, " ") if isinstance(status, str) else " "
            note = " (in progress)" if status == "in_progress" else ""
            return f"- [{mark}] {_one_line(content)}{note}"
        case str(content):
            return f"- [ ] {_one_line(content)}"
    return f"- [ ] {_compact(todo)}"


def _render_question(question: object) -> str:
    match question:
        case {"question": str(asked), **rest}:
            options = rest.get("options")
            listed = options if isinstance(options, list) else []
            return "\n".join((f"**{_one_line(asked)}**", *map(_render_option, listed)))
    return _compact(question)


def _render_option(option: object) -> str:
    match option:
        case {"label": str(label), "description": str(description)}:
            return f"- {_one_line(label)}: {_one_line(description)}"
        case {"label": str(label)}:
            return f"- {_one_line(label)}"
    return f"- {_compact(option)}"


def _size(text: str) -> str:
    n_lines = len(text.splitlines())
    return f"{n_lines:,} {'line' if n_lines == 1 else 'lines'}, {len(text):,} characters"


def _sizes(old: str, new: str) -> str:
    return f"{len(old.splitlines()):,} → {len(new.splitlines()):,} lines"


def _preview(content: str) -> str:
    return fence(cut(trim(clean(content)), PREVIEW)) if content.strip() else ""


def _diff(old: str, new: str) -> str:
    return fence(cut(_signed(old, new), PREVIEW), "diff")


def _signed(old: str, new: str) -> str:
    """Lines taken out and put in; those that both share at the edges stand once."""
    before, after = clean(old).splitlines(), clean(new).splitlines()
    head = _n_common(before, after)
    tail = _n_common(before[head:][::-1], after[head:][::-1])
    lines = [
        *(f" {line}" for line in before[:head][-3:]),
        *(f"-{line}" for line in before[head : len(before) - tail]),
        *(f"+{line}" for line in after[head : len(after) - tail]),
        *(f" {line}" for line in before[len(before) - tail :][:3]),
    ]
    return "\n".join(lines)


def _n_common(first: list[str], second: list[str]) -> int:
    n = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        n += 1
    return n


def _line(given: Mapping[str, object], key: str) -> str:
    value = given.get(key)
    return _one_line(value) if isinstance(value, str) else ""


def _one_line(text: str) -> str:
    return " ".join(clean(text).split())


def _compact(value: object) -> str:
    return clean(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str))


def _paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)
