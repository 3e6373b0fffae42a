"""What of a session's tool calls is worth keeping: how things ended, not what was looked at.

What is read is in the files, what is edited is in git; what is in neither is that something failed, how
tests went, what was released, and what the user chose.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

from ..journal.redaction.lazy import Pattern
from .commands import command_of, only_looks
from .happening import ToolUsed
from .tool_kinds import asks_user, is_editor, is_helper, is_quiet, is_shell

Policy = Literal["outcomes", "all", "none"]

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


def is_wanted(tool: ToolUsed, policy: Policy) -> bool:
    """Whether the call is kept."""
    if policy == "none" or _OWN.search(tool.name):
        return False
    if policy == "all":
        return True
    if asks_user(tool.name):
        return True
    if is_quiet(tool.name):
        return False
    if tool.outcome == "interrupted":  # the user said no, which is a decision
        return True
    if is_editor(tool.name):
        return False
    if is_shell(tool.name):
        return _is_telling(tool)
    if tool.outcome == "error" or is_helper(tool.name):
        return True
    return bool(_CHANGING.search(tool.name))


def _is_telling(tool: ToolUsed) -> bool:
    """Whether a command's end says something that is in no file."""
    command = command_of(tool.given)
    if command and only_looks(command):
        return False  # that a search found nothing is an exit code too
    if tool.outcome == "error":
        return True
    if _CHECKS.search(command) or _CHANGES.search(command) or _TALLY.search(tool.result):
        return True
    trouble = _standard_error(tool)
    return len(trouble) > _MIN_TROUBLE_CHARS and bool(_TROUBLE.search(trouble))


def _standard_error(tool: ToolUsed) -> str:
    match tool.data:
        case {"stderr": str(text)}:
            return text
        case Mapping():
            return ""
    return tool.result  # of an assistant that does not tell the two apart
