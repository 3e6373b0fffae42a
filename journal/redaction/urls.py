"""Secrets in addresses: user names with passwords, signed links, and what was pasted below one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from . import guards
from .lazy import Pattern
from .spans import Span

_SCHEME: Final = Pattern(r"://|%3[aA]%2[fF]%2[fF]")
_RUN: Final = Pattern(r"[^\s\"'`<>]*")
_PORT: Final = Pattern(r"[^\s/@:]{0,255}:[0-9]{1,5}(?:[/?#,;)\]}]|\Z)")
_USER_INFO: Final = Pattern(r"[^\s/?#@:\"'`<>]{0,255}(?::|%3[aA])")
_TOKEN_ONLY: Final = Pattern(r"([^\s/?#@:\"'`<>]{16,512})@")
_HOLE: Final = Pattern(r"[$%#]?\{[^{}]*\}|\$\w+|%[sdrvq]|<[^<>]*>|\[[^\[\]]*\]|[*xX.…]{2,}|[:@]")
_GO_DSN: Final = Pattern(
    r"@(?:tcp|unix|tcp6)\(|@[A-Za-z0-9][\w.-]{1,80}:[0-9]{2,5}\b|@\([\w.-]+:[0-9]+\)"
)
_GO_USER: Final = Pattern(r"(?<![\w.:/-])[\w.+-]{1,64}:([^\s:/\"'`@]{3,128})\Z")
_NO_PASSWORD: Final = ("mailto", "sip", "xmpp", "acct", "ssh", "git")
_SIGNED: Final = Pattern(
    r"(?i)[?&;](?:sig|signature|x-amz-signature|x-amz-security-token|x-amz-credential|"
    r"x-goog-signature|"
    r"key|code|auth|sid|jsessionid|phpsessid|session|sessionid|session_id|jwt|hmac|ticket|"
    r"assertion|hash)="
    r"([A-Za-z0-9%._~+/=-]{8,2048})"
)
_NEWLINE: Final = r"(?:\r?\n|(?:\\{1,7}r)?\\{1,7}n)"
_LONE_WORD: Final = Pattern(
    rf"{_NEWLINE}[ \t>]{{0,12}}([^\s\"'\\]{{8,256}})[ \t]{{0,12}}(?={_NEWLINE}|\Z|\\{{0,7}}[\"'])"
)
_URL_AT_END: Final = Pattern(r"://[^\s\"'\\]{3,500}[ \t]{0,12}\Z")
_NO_PASTE: Final = Pattern(
    r"[A-Za-z_]\w*=|[#*>|\-=+~_`\"'(\[{<@/\\$.]|https?:|[\w.+-]+@[\w-]+\.|[A-Za-z_]\w*[(\[.]|"
    r".*[({\[:,;>\\`\"'/]\Z"
)


def find_in_urls(text: str) -> Iterator[Span]:
    """User info of any scheme, signatures in queries, what stands below an address."""
    if "://" in text or "%2F%2F" in text or "%2f%2f" in text:
        yield from _user_info(text)
        if "\n" in text or "\\n" in text:
            yield from _pasted(text)
    if "@" in text:
        yield from _without_scheme(text)
    if "=" in text and ("?" in text or "&" in text):
        for match in _SIGNED.finditer(text):
            if guards.is_random(match[1], at_least=10) or _is_signature(match[1]):
                yield Span(*match.span(1), "signed-url")


def _user_info(text: str) -> Iterator[Span]:
    run_end = last_at = -1
    for scheme in _SCHEME.finditer(text):
        start = scheme.end()
        if start >= run_end:
            run = _RUN.match(text, start)
            run_end = run.end() if run else start
            last_at = text.rfind("@", start, run_end)
        if last_at < start:
            continue
        if user := _USER_INFO.match(text, start, run_end):
            at = _last_at(text, start, last_at)
            if at < user.end() or _PORT.match(text, start, run_end) or _is_hollow(text[start:at]):
                continue
            yield Span(start, at, "url-password")
        elif (token := _TOKEN_ONLY.match(text, start)) and guards.is_random(token[1], at_least=16):
            yield Span(*token.span(1), "url-password")


def _last_at(text: str, start: int, last_at: int) -> int:
    """The ``@`` in front of the host: the last one before a further address in the same run."""
    following = text.find("://", start, last_at)
    return last_at if following < 0 else text.rfind("@", start, following)


def _is_hollow(user_info: str) -> bool:
    """``${USER}:${PASS}``: nothing but places for a name and a password."""
    _, _, password = user_info.partition(":")
    return not re.search(r"\w", _HOLE.sub("", password))


def _without_scheme(text: str) -> Iterator[Span]:
    for host in _GO_DSN.finditer(text):
        user = _GO_USER.search(text, max(0, host.start() - 200), host.start())
        if not user or user[0].startswith(_NO_PASSWORD):
            continue
        if not _is_hollow(user[0]) and not guards.is_placeholder(user[1]):
            yield Span(*user.span(1), "url-password")


def _is_signature(value: str) -> bool:
    return len(value) >= 32 and bool(re.fullmatch(r"[0-9a-fA-F]+", value))


def _pasted(text: str) -> Iterator[Span]:
    for match in _LONE_WORD.finditer(text):
        at = text.rfind("://", max(0, match.start() - 512), match.start())
        if at < 0 or not _URL_AT_END.match(text[at : match.start()]):
            continue
        word = match[1]
        if _NO_PASTE.match(word) or guards.is_digest(word) or guards.is_technical(word):
            continue
        if guards.is_secret_in_prose(word) and not guards.is_numbered_name(word):
            yield Span(*match.span(1), "pasted")
