"""The entry point of ``mem``: the one place where errors become text and exit codes.

Nothing heavy is imported before it is needed: `mem --version` costs little more than Python itself.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from .version import VERSION


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``mem`` and return its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments == ["--version"]:
        print(f"memjournal {VERSION}")
        return 0
    if "import" in arguments:
        from .repeat import recall

        if (text := recall(arguments)) is not None:
            sys.stdout.write(text)
            return 0
    from ..journal.errors import MemjournalError
    from .program import app, register_commands

    try:
        register_commands(arguments)
        app(args=arguments, prog_name="mem", obj=arguments)
    except MemjournalError as error:
        print(f"mem: {_without_secrets(str(error))}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        _discard_stdout()
        return 0
    except KeyboardInterrupt:
        print("mem: interrupted", file=sys.stderr)
        return 130
    except Exception:  # noqa: BLE001  # the top of the process: what rises to here is a bug
        return _report_bug()
    return 0


def _without_secrets(text: str) -> str:
    """*text* as it may be shown: a message can quote what was typed, and that can hold anything."""
    from ..journal.redaction import Redactor
    from .output import safe

    return safe(Redactor().redact(text).text)


def _discard_stdout() -> None:
    """Point stdout at nothing, or Python would complain once more while it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _report_bug() -> int:
    from .log import write_traceback

    place = write_traceback()
    print(f"mem: this is a bug in memjournal; the details are in {place}", file=sys.stderr)
    return 70  # EX_SOFTWARE, sysexits.h
