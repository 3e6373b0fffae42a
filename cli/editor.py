"""Opening a file in the person's own editor, at a line where the editor is known to take one."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Final

from ..journal.errors import MemjournalError, UnavailableError

_PLUS_LINE: Final = frozenset(
    {"vi", "vim", "nvim", "gvim", "view", "nano", "pico", "emacs", "emacsclient", "kak", "micro"}
    | {"joe", "jed", "mg", "ne", "mcedit", "gedit", "kate"}
)
_COLON_LINE: Final = frozenset({"hx", "helix", "subl", "zed"})
_GOTO: Final = frozenset({"code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"})
_RETURN_AT_ONCE: Final = _GOTO | {"subl", "zed", "gvim"}
_TERMINAL: Final = "vi"  # where nobody has chosen another
_WINDOWED: Final = "notepad"
_CHOOSE: Final = "set $EDITOR, or `mem config set editor COMMAND`"


class EditorFailedError(MemjournalError):
    """The editor ended with an error: what it left is not to be taken for finished."""

    exit_code: ClassVar[int] = 1


def find_editor(setting: str, environ: Mapping[str, str], *, is_windows: bool) -> str:
    """The editor's command line: the setting, $VISUAL, $EDITOR, or what every system has."""
    chosen = (setting, environ.get("VISUAL", ""), environ.get("EDITOR", ""))
    return next(
        (one.strip() for one in chosen if one.strip()), _WINDOWED if is_windows else _TERMINAL
    )


def editor_command(editor: str, path: Path, *, line: int, is_windows: bool) -> list[str]:
    """The command that opens *path*, at *line* (from 1) if the editor is one we know.

    Raises:
        UnavailableError: *editor* cannot be read as a command.
    """
    try:
        words = shlex.split(editor, posix=not is_windows)
    except ValueError as error:
        raise UnavailableError(
            f"the editor {editor!r} cannot be read as a command ({error})",
            mend="set another with `mem config set editor COMMAND`",
        ) from error
    words = [word.strip('"') for word in words] if is_windows else words
    name = Path(words[0]).name.lower().removesuffix(".exe").removesuffix(".cmd")
    if name in _RETURN_AT_ONCE and not {"--wait", "-w", "-f"} & set(words):
        words.append("-f" if name == "gvim" else "--wait")
    if line <= 1:
        return [*words, str(path)]
    if name in _PLUS_LINE:
        return [*words, f"+{line}", str(path)]
    if name in _COLON_LINE:
        return [*words, f"{path}:{line}"]
    if name in _GOTO:
        return [*words, "--goto", f"{path}:{line}"]
    return [*words, str(path)]


def open_in_editor(setting: str, path: Path, *, environ: Mapping[str, str], line: int = 1) -> None:
    """Open *path* and wait until the editor is closed.

    Raises:
        UnavailableError: there is no such editor, or none was chosen and there is no terminal.
        EditorFailedError: it ended with an error.
    """
    is_windows = os.name == "nt"
    editor = find_editor(setting, environ, is_windows=is_windows)
    if editor == _TERMINAL and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UnavailableError(f"{_TERMINAL} needs a terminal, and here is none", mend=_CHOOSE)
    command = editor_command(editor, path, line=line, is_windows=is_windows)
    try:
        status = subprocess.run(command, check=False).returncode
    except OSError as error:
        raise UnavailableError(
            f"the editor {editor!r} cannot be started",
            mend=_CHOOSE,
        ) from error
    if status:
        raise EditorFailedError(
            f"the editor {editor!r} ended with exit code {status}", mend="nothing was taken over"
        )
