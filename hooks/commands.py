"""What a command line does: whether it only shows what is there, or may run or change something.

A line only looks when each program in it does, also those that others start (``xargs``, ``find -exec``, ``$(…)``)
and those behind a pipe, and when none of it is written into a file. What is not known to look acts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ..journal.redaction.lazy import Pattern
from .command_line import CommandLine


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LOOKERS: Final = _words(
    "cat head tail less more ls ll tree find fd grep egrep rg ag awk sed wc sort uniq cut tr jq yq"
    " echo printf pwd cd which whereis type file stat du df date env printenv ps top true sleep"
    " diff cmp xxd hexdump strings history man column nl basename dirname realpath whoami hostname"
    " uname id xargs"
)
_GIT_LOOKERS: Final = _words(
    "status log diff show blame grep ls-files ls-tree rev-parse rev-list describe reflog shortlog"
    " cat-file"
)
_GIT_LISTS: Final[Mapping[str, frozenset[str]]] = {
    "branch": _words(
        "-a -r -v -vv -l --all --remotes --verbose --list --show-current --contains --no-contains"
        " --merged --no-merged --points-at --sort --format"
    )
    | {""},
    "config": _words("get list -l --list --get --get-all --get-regexp"),
    "remote": frozenset(("", "-v", "--verbose", "show", "get-url")),
    "stash": frozenset(("list", "show")),
    "worktree": frozenset(("list",)),
}
"""Commands that look if this is what follows them; "" is nothing at all."""
_GIT_SCOPES: Final = ("--global", "--local", "--system", "--worktree", "--show-origin")
_MEM_LOOKERS: Final = _words(
    "search timeline show source history recall list status stats doctor add edit"
)
"""What `mem add` and `mem edit` write down is a memory already, and proves nothing."""
_WITH_VALUE: Final[Mapping[str, frozenset[str]]] = {
    "git": frozenset(("-C", "-c", "--git-dir", "--work-tree")),
    "mem": frozenset(("-J", "--journal", "--set")),
    "xargs": frozenset(("-n", "-P", "-I", "-d", "-L", "-s", "-a", "-E")),
    "sudo": frozenset(("-u", "-g", "-h", "-p", "-C", "-D")),
    "timeout": frozenset(("-k", "-s")),
    "nice": frozenset(("-n",)),
    "env": frozenset(("-u", "-C")),
}
"""Options whose value is a word of its own."""
_BEFORE_PROGRAM: Final = _words(
    "sudo time timeout nice nohup env command exec then do else if while until ! { }"
)
_EXECUTES: Final = ("-exec", "-execdir", "-ok", "-okdir")
_FD_EXECUTES: Final = ("-x", "-X", "--exec", "--exec-batch")
_FIND_WRITES: Final = ("-delete", "-fprint", "-fprint0", "-fprintf", "-fls")
_IN_PLACE: Final = Pattern(r"-[nErsuz]*i.*|--in-place.*", re.DOTALL)
_PREFIX: Final = Pattern(
    r"\A(?:cd\s+\S+\s*(?:&&|;)\s*"
    r"|\w+=(?:'[^']*'|\"(?:[^\"\\]|\\.)*\"|\$\([^()]*\)|[^\s'\"$]|\$)*+\s+"  # a value may hold blanks
    r"|sudo\s+|time\s+)+"
)
_SUBCOMMAND: Final = Pattern(r"[a-z][a-z0-9:_-]*")
_ASSIGNMENT: Final = Pattern(r"[A-Za-z_]\w*\+?=.*", re.DOTALL)


def command_of(given: object) -> str:
    """The command line that a shell tool was given; "" where none is found."""
    match given:
        case {"command": str(command)} | {"cmd": str(command)}:
            return command
        case {"command": list(words)} | {"cmd": list(words)}:
            return " ".join(word for word in words if isinstance(word, str))
    return ""


def without_prefix(command: str) -> str:
    """*command* without what stands before its program: ``cd x &&``, assignments, ``sudo``."""
    return _PREFIX.sub("", command, count=1)


def program_of(command: str) -> str:
    """The program that a command runs first, and what of it: ``npm test``, ``git commit``; "" for none."""
    first = next(filter(None, map(str.strip, command.splitlines())), "")
    program, *arguments = without_prefix(first).split()[:2] or [first]
    is_subcommand = bool(arguments) and _SUBCOMMAND.fullmatch(arguments[0]) is not None
    return f"{program} {arguments[0]}" if is_subcommand else program


def only_looks(command: str) -> bool:
    """Whether nothing in *command* does more than show what is there; not so where it runs nothing."""
    line = CommandLine(command)
    programs = [words for part in line.parts if (words := _without_prefixes(part))]
    return bool(programs) and not line.writes and all(map(_looks, programs))


def _without_prefixes(words: Sequence[str]) -> Sequence[str]:
    """*words* from the program on that does the work: without assignments, ``sudo``, ``timeout 5``."""
    at, before = 0, ""
    while at < len(words):
        name = words[at].rsplit("/", 1)[-1]
        if _ASSIGNMENT.fullmatch(words[at]):
            at += 1
        elif name in _BEFORE_PROGRAM:
            before = name
            at = _after_options(words, at + 1, _WITH_VALUE.get(name, frozenset()))
            at += name == "timeout"
        else:
            return words[at:]
    return ("env",) if before == "env" else ()


def _after_options(words: Sequence[str], at: int, with_value: frozenset[str]) -> int:
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in with_value else 1
    return at


def _arguments(words: Sequence[str], program: str) -> Sequence[str]:
    """What *program*, which stands first, is given besides options."""
    return words[_after_options(words, 1, _WITH_VALUE[program]) :]


def _looks(words: Sequence[str]) -> bool:
    program, arguments = words[0].rsplit("/", 1)[-1], words[1:]
    match program:
        case "git":
            return _git_looks(_arguments(words, "git"))
        case "mem":
            verb = _arguments(words, "mem")
            return not verb or verb[0] in _MEM_LOOKERS
        case "xargs":
            return _started_look(_arguments(words, "xargs"))
        case "find" if any(one in _FIND_WRITES for one in arguments):
            return False
        case "find":
            return all(map(_started_look, _started_by(arguments, _EXECUTES)))
        case "fd":
            return all(map(_started_look, _started_by(arguments, _FD_EXECUTES)))
        case "sed":
            return not any(map(_IN_PLACE.fullmatch, arguments))
    return program in _LOOKERS


def _git_looks(words: Sequence[str]) -> bool:
    if not words:
        return False
    verb, arguments = words[0], [one for one in words[1:] if one not in _GIT_SCOPES]
    first = arguments[0].partition("=")[0] if arguments else ""
    return verb in _GIT_LOOKERS or first in _GIT_LISTS.get(verb, ())


def _started_look(words: Sequence[str]) -> bool:
    """Whether a program that another one starts looks; without one, words are only printed."""
    words = _without_prefixes(words)
    if words and words[0].rsplit("/", 1)[-1] in ("xargs", "find", "fd"):
        return False  # nobody nests these, and nobody is to nest them without end
    return not words or _looks(words)


def _started_by(arguments: Sequence[str], options: Sequence[str]) -> Iterator[Sequence[str]]:
    """The commands that stand in *arguments* behind one of *options*, each up to its ``;`` or ``+``."""
    started: list[str] | None = None
    for word in arguments:
        if started is None:
            started = [] if word in options else None
        elif word in (";", "+"):
            yield started
            started = None
        else:
            started.append(word)
    if started is not None:
        yield started
