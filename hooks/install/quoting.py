"""How the path of a program is written in a command that a shell runs."""

from __future__ import annotations

import re
import shlex
from typing import Final

_SPECIAL: Final = re.compile(r'["$`]')


def quoted(program: str) -> str:
    """*program* as a shell reads it: that of a POSIX system, or on Windows `cmd` and PowerShell."""
    if "\\" in program:
        return f'"{program}"' if " " in program else program
    if "'" in program:  # in one piece, so that what is ours is found again
        return '"' + _SPECIAL.sub(r"\\\g<0>", program) + '"'
    return shlex.quote(program)
