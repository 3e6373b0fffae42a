"""UTF-8 wherever ``mem`` is run: names of files, words on the command line, what is printed.

A journal's names are UTF-8, whatever the locale says. Where Python goes by another one
(``LC_ALL=ko_KR.EUC-KR``, or ``PYTHONUTF8=0`` without any), Korean paths and words are taken for
something else; what it has decoded by then cannot be had back, so it is started once more in its
UTF-8 mode. A word that is not UTF-8 was typed on a terminal of the locale's encoding, and only such
a terminal is written to in it.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import TextIO

_UTF8_MODE = "PYTHONUTF8"


def restart_in_utf8_mode() -> None:
    """Start this process anew in Python's UTF-8 mode; return only where that cannot be done.

    The mode stays in the environment, which editors and git's hooks get as well: the workers of the
    index open files by their names, the tether and the go-between to git pass names on, and all
    of them are Python without this module.
    """
    with contextlib.suppress(OSError, UnicodeError):
        program = os.fsencode(sys.executable)
        arguments = _given_arguments()
        if os.access(program, os.X_OK):
            os.environ[_UTF8_MODE] = "1"
            os.execv(program, [program, b"-X", b"utf8", *arguments])


def _given_arguments() -> list[bytes]:
    """What Python was started with, as it was given: decoded, some bytes are lost in some locales.

    Raises:
        OSError, UnicodeError: they cannot be had any more.
    """
    try:
        with open("/proc/self/cmdline", "rb") as stream:
            return stream.read().split(b"\0")[1:-1]
    except FileNotFoundError:
        return [os.fsencode(one) for one in sys.orig_argv[1:]]


def is_text(word: str) -> bool:
    """Whether *word* came as UTF-8."""
    return not any("\ud800" <= character <= "\udfff" for character in word)


def read_words(words: Sequence[str]) -> list[str]:
    """*words* of a command line, of which some are no UTF-8: those as the locale has them.

    The name of something that is there stays as it is.
    """
    return [
        word if is_text(word) or os.path.lexists(word) else _from_locale(word) for word in words
    ]


def _from_locale(word: str) -> str:
    import locale

    try:
        return os.fsencode(word).decode(locale.getencoding())
    except (UnicodeError, LookupError):
        return word  # whoever needs it as text says what is wrong


def set_terminal_encoding(stream: TextIO) -> None:
    """Let *stream* be in the locale's encoding if it is a terminal with one of its own."""
    if not sys.flags.utf8_mode or "PYTHONIOENCODING" in os.environ or not stream.isatty():
        return
    if not isinstance(stream, TextIOWrapper):
        return
    import locale

    try:
        encoding = codecs.lookup(locale.getencoding()).name
    except LookupError:
        return
    if encoding == "ascii":
        return  # what an unset locale says, too: most terminals show UTF-8 all the same
    stream.reconfigure(encoding=encoding)
