"""Secrets in command lines whose option does not say that it takes one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from . import guards
from .lazy import Pattern
from .spans import Span

_ARG: Final = r"(?P<q>\\{0,7}[\"'])?(?P<value>(?(q)[^\"'\n\\]{1,512}|[^\s\"'`|&;<>]{1,512}))"
_USER: Final = Pattern(
    r"-(?<=[\s\"'`]-)(?:[uU]|-user|-proxy-user|-userpwd|-creds?|-basic-auth)(?:[ \t=]{1,4}|(?=\w))"
    r"(?:\\{0,7}[\"'])?(?P<user>[^\s:\"'`|&;<>=/%]{0,128})[:%](?P<value>[^\s\"'`|&;<>]{1,512})"
)
_LITERAL_OR_NAME: Final = r"\s{0,8}(?:[\"'][^\"'\n]{0,128}[\"']|[\w.]{1,64})\s{0,8}"
_LITERAL: Final = r"\s{0,8}[rbf]?[\"'](?P<value>[^\"'\n]{1,512})[\"']"
_TO_CHPASSWD: Final = r"(?P<value>[^\s\"'|]{1,512})[\"']?\s*\|\s*(?:sudo\s+)?chpasswd"
_FORMAT: Final = r"(?:-[ne]+\s+)*(?:[\"']?%s(?:\\{1,2}n)?[\"']?\s+)?"
_TAKES_INPUT: Final = (
    r"[^\n;&]{0,200}(?:password-stdin|pass-stdin|with-token|passwd[^\n;&|]{0,40}--stdin"
    r"|secrets?\s+(?:set|put|create|add|versions\s+add)\b|cryptsetup\b)"
)
"""What reads a secret, and nothing else, from what is piped to it."""
_GAP: Final = r"[^\n|;&]{0,200}?\s"
_COMMANDS: Final = tuple(
    (needle, Pattern(needle + pattern))
    for needle, pattern in (
        ("mysql", rf"\w*\b{_GAP}-p{_ARG}"),
        ("mycli", rf"\b{_GAP}-p{_ARG}"),
        ("mariadb", rf"[\w-]*{_GAP}-p{_ARG}"),
        ("sshpass", rf"\b{_GAP}-p[ \t]{{0,4}}{_ARG}"),
        (" login", rf"\b{_GAP}-p[ \t=]{{1,4}}{_ARG}"),
        ("mongo", rf"(?:sh|dump|restore|export|import|)\b{_GAP}-p[ \t=]{{0,4}}{_ARG}"),
        ("redis-cli", rf"\b{_GAP}-a[ \t]{{0,4}}{_ARG}"),
        ("ldap", rf"(?:search|modify|add|delete|whoami|passwd)\b{_GAP}-w[ \t]{{0,4}}{_ARG}"),
        ("sqlcmd", rf"\b{_GAP}-p[ \t]{{0,4}}{_ARG}"),
        ("zip ", rf"[^\n|;&]{{0,200}}?(?<=\s)-p[ \t]{{0,4}}{_ARG}"),
        ("7z", rf"\w?\b{_GAP}-p{_ARG}"),
        ("pass:", _ARG),
        ("echo ", rf"(?:-n\s+)?{_ARG}(?(q)\\{{0,7}}[\"'])\s*\|\s*sudo\s+(?:-\w+\s+)*-\w*s"),
        ("echo ", rf"(?:-e\s+)?[\"']?[\w.-]{{1,32}}:{_TO_CHPASSWD}"),
        *(
            (needle, rf"{_FORMAT}{_ARG}(?(q)\\{{0,7}}[\"'])\s*\|{_TAKES_INPUT}")
            for needle in ("echo ", "printf ")
        ),
        ("-stdin", rf"[^\n|;&<]{{0,200}}<<<\s*{_ARG}"),
        ("--with-token", rf"[^\n|;&<]{{0,200}}<<<\s*{_ARG}"),
        (
            "htpasswd",
            r"\s+-\w*b\w*\s+(?:-\w+\s+){0,4}\S{1,200}\s+\S{1,64}\s+(?P<value>[^\s|;&]{1,512})",
        ),
        (
            "identified ",
            r"(?:with\s+\S{1,40}\s+)?(?:by|as)\s+(?:password\s+)?['\"](?P<value>[^'\"\n]{1,512})",
        ),
        ("password", r"\s{0,2}\(?\s{0,2}'(?P<value>[^'\n\s]{3,512})'"),
        ("securestring ", r"(?:-string\s+)?[\"'](?P<value>[^\"'\n]{1,512})"),
        (
            "auth",
            rf"\s{{0,4}}=\s{{0,4}}\({_LITERAL_OR_NAME},{_LITERAL}",
        ),
        (
            "setx ",
            r"\s*\w*(?:token|secret|password|pwd|key)\w*\s+[\"']?(?P<value>[^\s\"']{3,512})",
        ),
    )
)
"""Run on the text in small letters; each begins with its needle, which `re` finds quickly."""

_NETRC: Final = Pattern(
    r"\b(?:machine[ \t]+\S{1,255}|"
    r"default)\s{1,40}login\s{1,8}\S{1,255}\s{1,40}(?:account\s{1,8}\S{1,255}\s{1,40})?"
    r"password\s{1,8}(?P<value>\S{1,512})"
)
_PGPASS: Final = Pattern(
    r"^[\w.*-]{1,128}:(?:\d{2,5}|\*):[\w*-]{1,64}:[\w*.-]{1,64}:(?P<value>[^\s:]{3,256})$",
    re.MULTILINE,
)


def find_in_commands(text: str, lowered: str) -> Iterator[Span]:
    """``curl -u user:…``, ``mysql -p…``, ``.netrc`` lines and their like."""
    if "-u" in lowered or "--proxy-user" in lowered or "cred" in lowered or "-auth" in lowered:
        for match in _USER.finditer(text):
            if _is_user(match):
                yield Span(*match.span("value"), "user-password")
    for needle, pattern in _COMMANDS:
        if needle in lowered:
            for match in pattern.finditer(lowered):
                start, end = match.span("value")
                if _is_argument(text[start:end], needle):
                    yield Span(start, end, "command")
    if "password" in lowered and ("machine" in lowered or "default" in lowered):
        for match in _NETRC.finditer(text):
            if not guards.is_placeholder(match["value"]):
                yield Span(*match.span("value"), "netrc")
    if lowered.count(":") >= 4 and (":5432:" in lowered or ":*:" in lowered):
        for match in _PGPASS.finditer(text):
            yield Span(*match.span("value"), "pgpass")


def _is_user(match: re.Match[str]) -> bool:
    user, value = match["user"], match["value"]
    if guards.is_placeholder(value) or value.startswith(("$", "{", "/", ":", "\\")):
        return False
    return not (user.isdigit() and value.isdigit()) and len(value) >= 2


def _is_argument(value: str, needle: str) -> bool:
    if guards.is_placeholder(value) or guards.is_label(value) or value.startswith(("$", "-", "{")):
        return False
    if needle in ("mysql", "mariadb", "mycli", "zip ", "7z", "mongo"):
        return len(value) >= 3 and not value.isdigit()
    if needle == "password":
        return guards.is_secret_in_prose(value)
    return len(value) >= 2
