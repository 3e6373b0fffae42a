"""Decoded JSON: a key that names a secret takes its value away, whatever the value looks like.

A key is read as words (``apiKey``, ``x-api-key``, ``API_KEY``), so that ``tokenizer``, ``author``
and ``key_bindings`` are not taken for what they contain.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from .answers import gives_secret, is_question
from .arguments import find_in_arguments
from .key_names import TOKENS, names_secret, words_of
from .lazy import Pattern

MAX_DEPTH: Final = 100
"""Deeper values are replaced whole; no assistant nests its payloads like that."""

_OPTION: Final = Pattern(r"--?[A-Za-z][\w-]*\Z")
_REFERENCE: Final = Pattern(
    r"\$\{?[A-Za-z_]\w*\}?|<[\w -]+>|\{\{.*\}\}|true|false|null|none", re.IGNORECASE
)
_ANSWERS: Final = frozenset({"answer", "answers", "response", "value", "text", "reply"})
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
        named, asked = _named_by_sibling(value), _asked_by_sibling(value)
        masked: dict[object, object] = {}
        for key, part in value.items():
            question = key if isinstance(key, str) and is_question(key) else ""
            if question or (asked and key in _ANSWERS):
                clean = self._answer(part, question or asked, depth + 1)
            elif isinstance(key, str) and (names_secret(key) or key in named):
                clean = self.hide(part, key, depth + 1)
            else:
                clean = self.walk(part, depth + 1)
            masked[self._free_key(key, masked)] = clean
        return masked

    def _answer(self, value: object, question: str, depth: int) -> object:
        """*value* as the answer to *question*, or several."""
        if depth > MAX_DEPTH:
            return self._marker
        match value:
            case str() if gives_secret(question, value):
                return self.hide(value, "", depth)
            case list() | tuple():
                return [self._answer(part, question, depth + 1) for part in value]
            case Mapping() if not _asked_by_sibling(value):
                answers = {k: self._answer(v, question, depth + 1) for k, v in value.items()}
                return self.walk(answers, depth)
        return self.walk(value, depth)

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
            if _is_schema(value) or words_of(key)[-1:] == ["auth"]:
                return self.walk(value, depth)
            return {self._free_key(k, {}): self.hide(v, key, depth + 1) for k, v in value.items()}
        if isinstance(value, list):
            return [self.hide(part, key, depth + 1) for part in value]
        if isinstance(value, tuple):
            return tuple(self.hide(part, key, depth + 1) for part in value)
        return value

    def _sequence(self, parts: Iterable[object], depth: int) -> Iterable[object]:
        """A list may be a command line, in which an option names what comes next."""
        parts = self._without_arguments(list(parts))
        option: str | None = None
        for part in parts:
            if option is not None and isinstance(part, str) and not part.startswith("-"):
                yield self.hide(part, option, depth + 1)
            else:
                yield self.walk(part, depth + 1)
            option = None
            if isinstance(part, str) and _OPTION.match(part) and names_secret(part):
                option = part

    def _without_arguments(self, parts: list[object]) -> list[object]:
        words = [part for part in parts if isinstance(part, str)]
        if len(words) == len(parts):
            for number, (start, end, _) in find_in_arguments(words, self._marker):
                self._hidden(words[number][start:end])
                parts[number] = words[number][:start] + self._marker + words[number][end:]
        return parts

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


def _asked_by_sibling(value: Mapping[object, object]) -> str:
    """The question beside an answer: ``{"question": "DB password?", "answer": …}``."""
    asked = value.get("question") or value.get("prompt") or value.get("message")
    return asked if isinstance(asked, str) and not _ANSWERS.isdisjoint(value) else ""


def _is_amount(key: str, value: float) -> bool:
    """A number that counts tokens and is no one-time password."""
    words = set(words_of(key))
    if words & {"tokens", "pass", "secrets", "cookies", "credentials"}:
        return True
    return bool(words & TOKENS) and abs(value) < 10**9 or abs(value) < 100


def _is_schema(value: Mapping[object, object]) -> bool:
    kind = value.get("type")
    return isinstance(kind, str) and kind in _SCHEMA_TYPES or "$ref" in value or "anyOf" in value


def _is_working_directory(key: str, value: str) -> bool:
    return key.lower() in ("pwd", "oldpwd") and value.startswith(("/", "~", "C:\\"))
