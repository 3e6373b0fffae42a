"""What kinds of tools there are, by the names that all assistants give them.

Names differ between assistants by signs and capitals (``TodoWrite``, ``todo_write``), so they are compared without.
"""

from __future__ import annotations

import re
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SHELLS: Final = _words(
    "bash shell shellcommand localshell execcommand exec runshellcommand terminal runterminalcmd"
    " powershell"
)
_EDITORS: Final = _words(
    "write edit multiedit notebookedit writefile editfile replace patch applypatch strreplace"
    " searchreplace createfile"
)
_ASKING: Final = _words("askuserquestion exitplanmode question askuser")
_HELPERS: Final = _words("agent task delegatetask")
_QUIET: Final = _words(
    "read grep glob ls toolsearch webfetch websearch notebookread skill enterplanmode slashcommand"
    " bashoutput taskoutput killshell readfile view readmanyfiles listdirectory listdir list"
    " searchfilecontent googlewebsearch findfiles find search filesearch codebasesearch savememory"
    " memory todowrite todoread writetodos taskcreate taskupdate tasklist taskget taskstop"
    " updateplan viewimage lsp listmcpresources readmcpresource"
)


CHOICE_TOOLS: Final = (
    "AskUserQuestion",
    "mcp__acp__AskUserQuestion",
    "ask_user",
    "askUser",
    "question",
)
"""What the tools are called by whose result says what the user chose. A plan that was accepted (``ExitPlanMode``)
is a text of the assistant's."""


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


def asks_user(name: str) -> bool:
    """Whether the tool's result is what the user chose."""
    return plain_name(name) in _ASKING


def is_helper(name: str) -> bool:
    """Whether the tool is a sub-agent, whose result is its last words."""
    return plain_name(name) in _HELPERS


def is_quiet(name: str) -> bool:
    """Whether the tool only looks at things, or keeps the assistant's own lists."""
    return plain_name(name) in _QUIET
