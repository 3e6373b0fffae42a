"""The entry point of ``mem``: the one place where errors become text and exit codes.

Nothing heavy is imported before it is needed: `mem --version` costs little more than Python itself.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from .messages import Messages
from .text_encoding import read_words, restart_in_utf8_mode, set_terminal_encoding
from .version import VERSION

_INTERRUPTED = 130  # 128 + SIGINT, as shells have it


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``mem`` and return its exit code."""
    if argv is None and os.name == "posix" and sys.getfilesystemencoding() != "utf-8":
        restart_in_utf8_mode()
    _mend_streams()
    arguments = read_words(sys.argv[1:] if argv is None else argv)
    try:
        code = _run(arguments)
        sys.stdout.flush()  # what cannot be printed is an error of ours to report, not of Python
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        _discard_stdout()
        return 0
    except OSError as error:  # the output's disk is full, a folder went away: nothing of ours
        return _report_refusal(error)
    except KeyboardInterrupt:
        _discard_stdout()  # the rest of it would be waited for, by a reader that has gone as well
        print("mem: interrupted", file=sys.stderr)
        return _INTERRUPTED
    except Exception:  # noqa: BLE001  # the top of the process: what rises to here is a bug
        return _report_bug()
    return code


def _run(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        print(f"memjournal {VERSION}")
        return 0
    if "import" in arguments:
        from .repeat import recall

        if (text := recall(arguments)) is not None:
            sys.stdout.write(text)
            return 0
    from ..journal.errors import MemjournalError
    from .quick import run_quickly

    try:
        return 0 if run_quickly(arguments) else run_through_typer(arguments)
    except MemjournalError as error:
        print(f"mem: {_without_secrets(str(error))}", file=sys.stderr)
        return error.exit_code


def run_through_typer(arguments: list[str]) -> int:
    """Run any command, and say what is wrong with one; the exit code.

    Raises:
        MemjournalError: the command could not do its work.
        BrokenPipeError, KeyboardInterrupt: the reader, or the user, has seen enough.
    """
    from .program import app, register_commands

    try:
        register_commands(arguments)
        app(args=arguments, prog_name="mem", obj=arguments)
    except SystemExit as finished:  # how Typer ends every command
        if isinstance(finished.__context__, BrokenPipeError):
            raise finished.__context__ from None
        if finished.code == _INTERRUPTED:
            raise KeyboardInterrupt from None
        return finished.code if isinstance(finished.code, int) else 0
    return 0


def _report_refusal(error: OSError) -> int:
    from ..journal.files import as_storage_error

    refused = as_storage_error(error, str(error.filename or "output"))
    _discard_stdout()
    print(f"mem: {_without_secrets(str(refused))}", file=sys.stderr)
    return refused.exit_code


def _mend_streams() -> None:
    """Give what was closed a place to go, and let no character stop a message."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  # kept open
        elif mode == "w" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
            set_terminal_encoding(stream)
    if sys.stderr is sys.__stderr__ and isinstance(sys.stderr, TextIOWrapper):
        sys.stderr = Messages.instead_of(sys.stderr)


def _without_secrets(text: str) -> str:
    """*text* as it may be shown: a message can quote what was typed, and that can hold anything."""
    from ..journal.redaction import Redactor
    from .output import safe

    return safe(Redactor().redact(text).text)


def _discard_stdout() -> None:
    """Point stdout at nothing, or Python would complain once more while it ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # it is no file, as in tests
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # kept open


def _report_bug() -> int:
    from .log import write_traceback

    place = write_traceback()
    print(f"mem: this is a bug in memjournal; the details are in {place}", file=sys.stderr)
    return 70  # EX_SOFTWARE, sysexits.h
