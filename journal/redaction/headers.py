"""Credentials in HTTP headers, wherever they are written: requests, curl, code, logs."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from typing import Final

from . import guards
from .lazy import Pattern
from .spans import Span

_NAME: Final = Pattern(
    r"(?:authorization|cookie)(?P<close>\\{0,7}[\"'`])?\]?[ \t]{0,8}(?P<op>[:=,]|=>)[ \t]{0,8}"
    r"(?:[rbfu]{0,2}(?P<open>\\{0,7}[\"'`]))?"
)
_SCHEMES: Final = Pattern(
    r"(?i)(?:basic|bearer|token|digest|api-?key|key|negotiate|ntlm|aws4-hmac-sha256|hmac|hawk|"
    r"oauth|"
    r"jwt|splunk|apikey|bot|sso-key|genie-?key|sharedkey|sharedaccesssignature|klaviyo-api-key|"
    r"discogs|snowflake|mac|dpop|scram-[\w-]+)[ \t]+"
)
_TO_LINE_END: Final = Pattern(r"(?:[^\r\n\\]|\\(?![nr])){0,8192}")
_BEARER: Final = Pattern(r"bearer[ \t:=]{1,4}[\"'`<]?([a-z0-9._~+/=\-|:]{6,4096})")
_NO_BEARER: Final = Pattern(
    r"(?i)(?:tokens?|jwts?|auth\w*|access|schemes?|headers?|prefix|credentials?|realm|error|format|"
    r"strings?|values?|methods?|required|is|in|from|and|or|for|with|based|flow|type)\b"
)
_BASIC: Final = Pattern(r"basic[ \t]{1,4}[\"'`]?([a-z0-9+/_-]{6,1024}={0,2})")
_COOKIE_PAIR: Final = Pattern(r"([^\s=;,\"'`]{1,80})=([^\s;\"'`]{1,4096})")
_SESSION_NAME: Final = Pattern(
    r"(?i)sess|sid\b|auth|token|jwt|csrf|xsrf|login|remember|secret|key|user|account|"
    r"cf_clearance|\bst\b|ticket|_id\b|identity|connect"
)
_NO_COOKIE: Final = Pattern(r"(?i)(?:path|domain|expires|max-age|samesite|version|priority)\Z")


def find_in_headers(text: str, lowered: str) -> Iterator[Span]:
    """Values of authorization and cookie headers, ``Bearer …``, ``Basic …``."""
    if "authorization" in lowered or "cookie" in lowered:
        done = line_end = -1
        for match in _NAME.finditer(lowered):
            if match.start() < done:
                continue
            if match.end() > line_end:
                line = _TO_LINE_END.match(text, match.end())
                line_end = line.end() if line else match.end()
            end = _value_end(text, match, line_end)
            if text[match.start()] in "cC":
                yield from _cookies(text, match.end(), end)
                done = end
            else:
                for span in _authorization(text, match, end):
                    done = span.end
                    yield span
    if "bearer" in lowered:
        for match in _BEARER.finditer(lowered):
            word = text[match.start(1) : match.end(1)].rstrip(".:")
            if _is_credential(word, min_length=6):
                yield Span(match.start(1), match.start(1) + len(word), "bearer")
    if "basic" in lowered:
        for match in _BASIC.finditer(lowered):
            if _is_user_and_password(text[match.start(1) : match.end(1)]):
                yield Span(*match.span(1), "basic-auth")


def _value_end(text: str, name: re.Match[str], line_end: int) -> int:
    """Where a header ends: at the quote that it was opened with, or with its line."""
    quote = name["open"] or (None if name["close"] else _quote_before(text, name.start()))
    if not quote:
        return line_end
    start = name.end()
    closing = text.find(quote, start, line_end)
    while closing > start and len(quote) == 1 and text[closing - 1] == "\\":
        closing = text.find(quote, closing + 1, line_end)
    return closing if closing >= 0 else line_end


def _authorization(text: str, name: re.Match[str], end: int) -> Iterator[Span]:
    start = name.end()
    scheme = _SCHEMES.match(text, start, end)
    if name["op"] == "," and not (name["open"] and scheme):
        return
    at = scheme.end() if scheme else start
    content = text[at : min(end, at + 4096)].lstrip()[:2048]
    first = re.split(r"[\s,;]", content, maxsplit=1)[0].rstrip("\"'`)}],;\\")
    if (
        not first
        or _no_value(first)
        or (
            not scheme
            and not name["open"]
            and (guards.is_name(first) or guards.is_reference(first))
        )
    ):
        return
    parameters = bool(re.match(r"\w+=", first)) and not first.endswith("=")
    if parameters or _is_credential(first, min_length=4 if scheme else 8):
        begin = text.index(first, at)
        whole = parameters or end < len(text) and text[end] in "\"'`\\"
        yield Span(begin, max(begin + len(first), end if whole else 0), "authorization")


def _quote_before(text: str, at: int) -> str | None:
    start = at
    if start and text[start - 1] in "\"'`":
        start -= 1
        while start and text[start - 1] == "\\":
            start -= 1
    return text[start:at] or None


def _no_value(first: str) -> bool:
    return (
        guards.is_placeholder(first)
        or guards.is_label(first)
        or bool(re.search(r"[$#%]?\{|\$\(|<\w+>|\$[A-Za-z_]", first))
        or first[0] in "+&"
    )


def _is_credential(word: str, *, min_length: int) -> bool:
    if len(word) < min_length or _NO_BEARER.fullmatch(word) or _no_value(word):
        return False
    if guards.is_name(word):
        return len(word) >= 24 and "_" not in word or guards.is_scrambled(word)
    if re.fullmatch(r"[A-Za-z]+(?:[-._/:|+][A-Za-z]+)*[.:]*", word):  # words: token-based, auth/x
        return guards.is_scrambled(word) or len(word) >= 40 or word.endswith("=")
    return True


def _is_user_and_password(encoded: str) -> bool:
    standard = encoded.replace("-", "+").replace("_", "/")
    try:
        plain = binascii.a2b_base64(standard + "=" * (-len(encoded) % 4))
    except binascii.Error:
        return False
    return b":" in plain and plain.isascii()


def _cookies(text: str, start: int, end: int) -> Iterator[Span]:
    for pair in _COOKIE_PAIR.finditer(text, start, end):
        name, value = pair[1], pair[2]
        if _NO_COOKIE.match(name) or _no_value(value) or len(value) < 4:
            continue
        named = _SESSION_NAME.search(name) and (len(value) >= 16 or re.search(r"\d", value))
        if named or guards.is_random(value, at_least=16):
            yield Span(*pair.span(2), "cookie")
