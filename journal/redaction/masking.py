"""Decoded JSON: a key that names a secret takes its value away, whatever the value looks like.

A key is read as words (``apiKey``, ``x-api-key``, ``API_KEY``), so that ``tokenizer``, ``author``
and ``key_bindings`` are not taken for what they contain.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from . import vocabulary
from .lazy import Pattern

MAX_DEPTH: Final = 100
"""Deeper values are replaced whole; no assistant nests its payloads like that."""

_WORDS: Final = Pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[가-힣]+")
_TOKENS: Final = frozenset({"token", "tokens"})
_KOREAN: Final = Pattern(
    r"비밀\s?번호|비번|패스\s?워드|암호(?!화)|토큰(?!화|\s?수)|시크릿|비밀\s?키|개인\s?키|인증\s?(?:키|번호|정보)|"
    r"(?:api|액세스|접근|서비스|보안)\s?키|주민\s?(?:등록)?\s?번호|카드\s?번호|자격\s?증명",
    re.IGNORECASE,
)
_OPTION: Final = Pattern(r"--?[A-Za-z][\w-]*\Z")
_REFERENCE: Final = Pattern(
    r"\$\{?[A-Za-z_]\w*\}?|<[\w -]+>|\{\{.*\}\}|true|false|null|none", re.IGNORECASE
)
_SCHEMA_TYPES: Final = frozenset(
    {"string", "number", "integer", "boolean", "object", "array", "null"}
)


def mask(
    value: object,
    *,
    redact: Callable[[str], str],
    marker: str,
    hidden: Callable[[str], object] = lambda _: None,
) -> object:
    """*value* with its strings redacted and the values of telling keys replaced by *marker*.

    *hidden* hears of each text that was replaced whole.
    """
    return _Masker(redact, marker, hidden).walk(value, 0)


def names_secret(key: str) -> bool:
    """Whether what is kept under *key* is a secret."""
    if _KOREAN.search(key):
        return True
    words = [word.lower() for word in _WORDS.findall(key)]
    if not words:
        return False
    known = set(words)
    if known & vocabulary.HARMLESS and not _is_secret_id(known):
        return bool(known & {"password", "passwd", "secret"}) and known.isdisjoint(_PROPERTIES)
    if known & vocabulary.PASSWORDS or known & _TOKENS:
        return True
    if words[-1] == "auth" or (words[-1] in ("key", "keys") and len(words) > 1):
        return words[-1] == "auth" or bool(set(words[:-1]) & vocabulary.KEY_QUALIFIERS)
    return any(word.endswith(("password", "passwd")) for word in words)


_PROPERTIES: Final = vocabulary.HARMLESS - {"prompt", "input", "output", "id", "name"}


class _Masker:
    def __init__(
        self, redact: Callable[[str], str], marker: str, hidden: Callable[[str], object]
    ) -> None:
        self._redact, self._marker, self._hidden = redact, marker, hidden

    def walk(self, value: object, depth: int) -> object:
        if depth > MAX_DEPTH:
            return self._marker
        if isinstance(value, str):
            return self._redact(value)
        if isinstance(value, Mapping):
            return self._mapping(value, depth)
        if isinstance(value, list):
            return list(self._sequence(value, depth))
        if isinstance(value, tuple):
            return tuple(self._sequence(value, depth))
        return value

    def _mapping(self, value: Mapping[object, object], depth: int) -> dict[object, object]:
        named = _named_by_sibling(value)
        masked: dict[object, object] = {}
        for key, part in value.items():
            secret = isinstance(key, str) and (names_secret(key) or key in named)
            clean = self.hide(part, str(key), depth + 1) if secret else self.walk(part, depth + 1)
            masked[self._free_key(key, masked)] = clean
        return masked

    def hide(self, value: object, key: str, depth: int) -> object:
        """*value* under a key that names a secret, its shape kept."""
        if depth > MAX_DEPTH:
            return self._marker
        if isinstance(value, str):
            keep = not value.strip() or value == self._marker or _REFERENCE.fullmatch(value)
            if keep or _is_working_directory(key, value):
                return self._redact(value)
            self._hidden(value)
            return self._marker
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, int | float):
            return value if _is_amount(key, value) else self._marker
        if isinstance(value, Mapping):
            if _is_schema(value) or _WORDS.findall(key.lower())[-1:] == ["auth"]:
                return self.walk(value, depth)
            return {self._free_key(k, {}): self.hide(v, key, depth + 1) for k, v in value.items()}
        if isinstance(value, list):
            return [self.hide(part, key, depth + 1) for part in value]
        if isinstance(value, tuple):
            return tuple(self.hide(part, key, depth + 1) for part in value)
        return value

    def _sequence(self, parts: Iterable[object], depth: int) -> Iterable[object]:
        """A list may be a command line, in which an option names what comes next."""
        option: str | None = None
        for part in parts:
            if option is not None and isinstance(part, str) and not part.startswith("-"):
                yield self.hide(part, option, depth + 1)
            else:
                yield self.walk(part, depth + 1)
            option = None
            if isinstance(part, str) and _OPTION.match(part) and names_secret(part):
                option = part

    def _free_key(self, key: object, taken: Mapping[object, object]) -> object:
        if not isinstance(key, str):
            return key
        clean = free = self._redact(key)
        number = 2
        while free in taken:
            free, number = f"{clean} {number}", number + 1
        return free


def _named_by_sibling(value: Mapping[object, object]) -> frozenset[str]:
    """The keys whose value a sibling names: ``{"name": "DB_PASSWORD", "value": …}``."""
    for name in ("name", "Name", "key", "Key", "header", "variable"):
        told = value.get(name)
        if isinstance(told, str) and len(told) <= 80 and names_secret(told):
            return frozenset({"value", "Value", "values", "default"})
    return frozenset()


def _is_secret_id(words: set[str]) -> bool:
    return {"secret", "id"} <= words


def _is_amount(key: str, value: float) -> bool:
    """A number that counts tokens and is no one-time password."""
    words = {word.lower() for word in _WORDS.findall(key)}
    if words & {"tokens", "pass", "secrets", "cookies", "credentials"}:
        return True
    return bool(words & _TOKENS) and abs(value) < 10**9 or abs(value) < 100


def _is_schema(value: Mapping[object, object]) -> bool:
    kind = value.get("type")
    return isinstance(kind, str) and kind in _SCHEMA_TYPES or "$ref" in value or "anyOf" in value


def _is_working_directory(key: str, value: str) -> bool:
    return key.lower() in ("pwd", "oldpwd") and value.startswith(("/", "~", "C:\\"))
