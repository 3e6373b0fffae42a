"""What a tool of Gemini CLI answered, and how it ended.

A shell command's answer is a few labelled parts in a wrapper (`Output:`, `Error:`, `Exit Code:`, `Signal:`), and its
exit code is only there when it is not 0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ...journal.event import Outcome
from ...journal.values import dataclass
from ..payload import as_text, optional_text

SHELL: Final = "run_shell_command"
_WRAPPED: Final = re.compile(
    r"\s*<untrusted_context[^>\n]*>\n?(.*?)\n?</untrusted_context>\s*", re.DOTALL
)
_TAIL: Final = re.compile(
    r"\n(?:(?P<code>Exit Code)|Error|Signal|Background PIDs|Process Group PGID): (?P<value>[^\n]*)\s*\Z"
)
_LABEL: Final = re.compile(r"Output: (?:\(empty\)\s*\Z)?")
_CANCELLED: Final = "Command was cancelled by user"
_TIMED_OUT: Final = "Command was automatically cancelled"
_BACKGROUND: Final = "Command moved to background"


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A tool's answer."""

    text: str
    outcome: Outcome
    exit_code: int | None = None


def read_response(name: str, response: object) -> Response:
    """What *response* of the tool *name* says."""
    if not isinstance(response, Mapping):
        return Response(text=as_text(response), outcome="ok")
    text = as_text(response.get("llmContent"))
    if wrapped := _WRAPPED.fullmatch(text):
        text = wrapped[1]
    if error := _error(response.get("error")):
        if name != SHELL:
            return Response(text=error, outcome="error")
        return _read_shell(text, is_error=True)
    return _read_shell(text, is_error=False) if name == SHELL else Response(text=text, outcome="ok")


def _read_shell(text: str, *, is_error: bool) -> Response:
    if text.startswith(_CANCELLED):
        return Response(text=text, outcome="interrupted")
    if text.startswith(_TIMED_OUT):
        return Response(text=text, outcome="error")
    if text.startswith(_BACKGROUND):
        return Response(text=text, outcome="unknown")
    exit_code, said = 0, [""]
    while tail := _TAIL.search(text):
        if tail["code"]:
            exit_code = _number(tail["value"])
        elif tail[0].startswith(("\nError", "\nSignal")):
            said.insert(1, tail[0].strip())
            is_error = True
        text = text[: tail.start()]
    text = _LABEL.sub("", text, count=1) if _LABEL.match(text) else text
    whole = "\n".join(filter(None, (text, *said)))
    if is_error or exit_code:
        return Response(text=whole, outcome="error", exit_code=exit_code or None)
    return Response(text=whole, outcome="ok", exit_code=0)


def _number(text: str) -> int:
    return int(text) if re.fullmatch(r"-?\d{1,9}", text.strip(), re.ASCII) else 1


def _error(error: object) -> str:
    match error:
        case str(text):
            return text
        case Mapping():
            return optional_text(error, "message") or as_text(error)
    return ""
