"""What of a session's tool calls is worth keeping: how things ended, not what was looked at.

Of all memories that the predecessors gave back, outputs of tools were nine in ten and one in five hundred
of those that were of use. What is read is in the files, what is edited is in git; what is in
neither is that something failed, how tests went, what was released, and what the user chose.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

from ..journal.redaction.lazy import Pattern
from .happening import ToolUsed

Policy = Literal["outcomes", "all", "none"]

_SHELLS: Final = frozenset(
    ("bash", "shell", "shellcommand", "localshell", "execcommand", "exec", "runshellcommand")
    + ("terminal", "runterminalcmd", "powershell")
)
_EDITORS: Final = frozenset(
    ("write", "edit", "multiedit", "notebookedit", "writefile", "editfile", "replace", "patch")
    + ("applypatch", "strreplace", "searchreplace", "createfile")
)
_CHOICES: Final = frozenset(("askuserquestion", "exitplanmode", "question", "askuser"))
_HELPERS: Final = frozenset(("agent", "task", "delegatetask"))
_QUIET: Final = frozenset(
    ("read", "grep", "glob", "ls", "toolsearch", "webfetch", "websearch", "notebookread", "skill")
    + ("enterplanmode", "slashcommand", "bashoutput", "taskoutput", "killshell", "readfile", "view")
    + ("readmanyfiles", "listdirectory", "listdir", "list", "searchfilecontent", "googlewebsearch")
    + ("findfiles", "find", "search", "filesearch", "codebasesearch", "savememory", "memory")
    + ("todowrite", "todoread", "taskcreate", "taskupdate", "tasklist", "taskget", "taskstop")
    + ("updateplan", "viewimage", "lsp", "listmcpresources", "readmcpresource")
)
"""Tools that look at things, or keep the assistant's own lists; without signs, in small letters."""

_LOOKERS: Final = frozenset(
    ("cat", "head", "tail", "less", "more", "ls", "ll", "tree", "find", "fd", "grep", "egrep", "rg")
    + ("ag", "awk", "sed", "wc", "sort", "uniq", "cut", "tr", "jq", "yq", "echo", "printf", "pwd")
    + (
        "cd",
        "which",
        "whereis",
        "type",
        "file",
        "stat",
        "du",
        "df",
        "date",
        "env",
        "printenv",
        "ps",
    )
    + (
        "true",
        "sleep",
        "diff",
        "cmp",
        "xxd",
        "hexdump",
        "strings",
        "history",
        "man",
        "column",
        "nl",
    )
    + (
        "mem",
        "basename",
        "dirname",
        "realpath",
        "xargs",
        "tee",
        "whoami",
        "hostname",
        "uname",
        "id",
    )
)
_GIT_LOOKERS: Final = frozenset(
    ("status", "log", "diff", "show", "branch", "blame", "grep", "ls-files", "rev-parse", "remote")
    + ("describe", "reflog", "shortlog", "config", "fetch", "stash", "cat-file", "add", "worktree")
)
_BETWEEN: Final = Pattern(r"\|\|?|&&|[;\n&]")
_WORD: Final = Pattern(r"[^\s'\"`()<>|;&]+")
_BEFORE_PROGRAM: Final = frozenset(
    (
        "sudo",
        "time",
        "timeout",
        "nice",
        "nohup",
        "env",
        "command",
        "exec",
        "then",
        "do",
        "else",
        "if",
    )
)
_CHECKS: Final = Pattern(
    r"\b(?:py\.?test|tox|nox|unittest|jest|vitest|mocha|ava|cypress|playwright|rspec|phpunit|ctest"
    r"|go\s+(?:test|vet|build)|cargo\s+(?:test|check|clippy|build|nextest)|dotnet\s+(?:test|build)"
    r"|swift\s+(?:test|build)|mix\s+test|mvnw?|gradlew?|bazel|make|cmake|ninja|just|rake"
    r"|(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:t|test|tests|lint|build|check|typecheck|ci)(?:[:\s]|$)"
    r"|ruff|mypy|pyright|flake8|pylint|eslint|tsc|stylelint|shellcheck|golangci-lint|pre-commit"
    r"|terraform\s+(?:plan|validate))\b"
)
_CHANGES: Final = Pattern(
    r"\bgit\s+(?:-\S+\s+)*(?:commit|merge|rebase|tag|push|revert|cherry-pick|bisect|reset)\b"
    r"|\b(?:publish|deploy|release|rollback|migrate|migration|upgrade|downgrade)\b"
    r"|\b(?:kubectl|helm|terraform|pulumi|ansible-playbook)\s+(?:apply|install|upgrade|rollout|destroy)"
    r"|\bdocker\s+(?:push|compose\s+up)\b"
)
_TALLY: Final = Pattern(
    r"\b\d+ (?:passed|failed|passing|failing|errors?|tests?\b)|\btest result:|^(?:PASS|FAIL)\b"
    r"|\bTests?:\s+\d|\bOK \(\d+ test|\bBUILD (?:SUCCESS|FAIL)|\bcoverage\b|\d+개?\s?(?:통과|실패)",
    re.MULTILINE | re.IGNORECASE,
)
_TROUBLE: Final = Pattern(
    r"error|failed|failure|exception|traceback|panic|fatal|warning|deprecated|오류|에러|실패|경고",
    re.IGNORECASE,
)
_MIN_TROUBLE_CHARS: Final = 20  # of the standard error: the least that says something
_CHANGING: Final = Pattern(
    r"create|update|add|comment|merge|close|send|post|delete|remove|write|set|move|assign|deploy"
    r"|publish|approve|transition|resolve",
    re.IGNORECASE,
)
_OWN: Final = Pattern(r"memjournal|^mem[-_](?:search|show|recall)", re.IGNORECASE)


def plain_name(name: str) -> str:
    """``Bash`` and ``mcp__acp__Bash`` as ``bash``: signs and capitals differ between assistants."""
    last = name.rsplit("__", 1)[-1] if name.startswith("mcp__acp__") else name
    return re.sub(r"[^a-z0-9]", "", last.lower())


def is_shell(name: str) -> bool:
    """Whether the tool runs commands."""
    return plain_name(name) in _SHELLS


def is_editor(name: str) -> bool:
    """Whether the tool changes files."""
    return plain_name(name) in _EDITORS


def is_wanted(tool: ToolUsed, policy: Policy) -> bool:
    """Whether the call is kept."""
    name = plain_name(tool.name)
    if policy == "none" or _OWN.search(tool.name):
        return False
    if policy == "all":
        return True
    if name in _CHOICES:
        return True
    if name in _QUIET:
        return False
    if tool.outcome == "interrupted":  # the user said no, which is a decision
        return True
    if name in _EDITORS:
        return False
    if name in _SHELLS:
        return _is_telling(tool)
    if tool.outcome == "error" or name in _HELPERS:
        return True
    return bool(_CHANGING.search(tool.name))


def _is_telling(tool: ToolUsed) -> bool:
    """Whether a command's end says something that is in no file."""
    command = command_of(tool.given)
    if command and _only_looks(command):
        return False  # that a search found nothing is an exit code too
    if tool.outcome == "error":
        return True
    if _CHECKS.search(command) or _CHANGES.search(command) or _TALLY.search(tool.result):
        return True
    trouble = _standard_error(tool)
    return len(trouble) > _MIN_TROUBLE_CHARS and bool(_TROUBLE.search(trouble))


def command_of(given: object) -> str:
    """The command line that a shell tool was given; "" where none is found."""
    match given:
        case {"command": str(command)} | {"cmd": str(command)}:
            return command
        case {"command": list(words)} | {"cmd": list(words)}:
            return " ".join(word for word in words if isinstance(word, str))
    return ""


def _only_looks(command: str) -> bool:
    """Whether nothing in *command* does more than show what is there."""
    seen = False
    for part in _BETWEEN.sub("\n", command).split("\n"):
        words = [word for word in _WORD.findall(part) if "=" not in word]
        while words and (words[0] in _BEFORE_PROGRAM or words[0].isdecimal()):
            words.pop(0)
        if not words:
            continue
        seen = True
        program = words[0].rsplit("/", 1)[-1]
        if program == "git":
            verbs = [word for word in words[1:] if not word.startswith("-")]
            if not verbs or verbs[0] not in _GIT_LOOKERS:
                return False
        elif program not in _LOOKERS:
            return False
    return seen


def _standard_error(tool: ToolUsed) -> str:
    match tool.data:
        case {"stderr": str(text)}:
            return text
        case Mapping():
            return ""
    return tool.result  # of an assistant that does not tell the two apart
