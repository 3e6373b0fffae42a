"""Whether the value of a key that announces a secret is one."""

from __future__ import annotations

import re
from typing import Final

from . import guards
from .key_words import Key, Strength
from .lazy import Pattern
from .values import Value

_TEMPLATE_HOLE: Final = Pattern(
    r"\$\{[^{}]*\}|\$\([^()]*\)|\{\{[^{}]*\}\}|#\{[^{}]*\}|\{[^{}]*\}|%\(\w+\)s|"
    r"%[-\d.]*[sdrvqi@]|<[^<>]*>"
    r"|\$[A-Za-z_]\w*"
)
_ENV_CODE: Final = Pattern(
    r"(?:os|process|settings|config|self|this|env|ENV|Deno|import)\b[.\[(]|"
    r"[A-Za-z_][\w.]*\([^()]*\)?\Z|@|&|\*|!"
)
_STRONG_SYMBOL: Final = Pattern(r"[!@#$%^&*~+=?]")
_WORD: Final = Pattern(r"[a-z]{6,}")


def is_secret(value: Value, key: Key, *, literal: bool, compared: bool = False) -> bool:
    """Whether *value* is a secret.

    *literal*: it stands where only literal values stand (shell, dotenv), so that a bare word
    is a value and not a variable.
    """
    text = value.text.strip()
    if not text or guards.is_placeholder(text) or guards.is_label(text):
        return False
    if guards.is_path(text) or not re.search(r"\w{2}|\w\W\w|[^\w\s]{4}", text):
        return False
    if value.quoted:
        return _quoted(text, key.strength, compared=compared)
    if literal:
        return not _ENV_CODE.match(text) and _literal(text, key.strength)
    return not guards.is_reference(text) and _bare(text, key.strength)


def is_strong(text: str, strength: Strength) -> bool:
    """Whether *text* is a secret though no sign of assignment says that it is a value."""
    if guards.is_placeholder(text) or guards.is_label(text) or guards.is_path(text):
        return False
    if strength == "token" or strength == "weak":
        return (
            guards.is_random(text, at_least=16)
            or _long_digest(text)
            or (len(text) >= 8 and guards.is_secret_in_prose(text) and _with_symbol(text))
        )
    return guards.is_secret_in_prose(text)


def _with_symbol(text: str) -> bool:
    """``aB3#dE5f``: no name and no number has such a sign between its letters."""
    return bool(re.search(r"\w[!#$%^&*]+\w", text)) and bool(re.search(r"\d", text))


def _long_digest(text: str) -> bool:
    return len(text) >= 24 and guards.is_digest(text)


def _quoted(text: str, strength: Strength, *, compared: bool) -> bool:
    rest = _TEMPLATE_HOLE.sub("", text)
    if rest != text and len(re.sub(r"\W", "", rest)) < 4 or rest.strip() in ("Bearer", "Basic"):
        return False
    if strength == "weak":
        return guards.is_random(text, at_least=20) and not guards.is_digest(text)
    if strength == "token" or compared:
        return _drawn(text, at_least=6) or (" " in text and bool(re.search(r"\d", text)))
    return len(text) >= 3 or text.isalnum()


def _literal(text: str, strength: Strength) -> bool:
    if strength == "weak":
        return guards.is_random(text, at_least=16) and not guards.is_digest(text)
    if strength == "token":
        return _drawn(text, at_least=6) or len(text) >= 8
    return len(text) >= 3


def _bare(text: str, strength: Strength) -> bool:
    if guards.is_name(text):
        return False
    if strength == "weak":
        return guards.is_random(text, at_least=20) and not guards.is_digest(text)
    if strength == "token":
        return _drawn(text, at_least=8) and not (guards.is_numbered_name(text) and len(text) < 16)
    if text.isdigit():
        return len(text) >= 4
    if guards.is_numbered_name(text) and ("_" in text or len(text) < 5):
        return False
    return guards.is_mixed(text, at_least=4)


def _drawn(text: str, *, at_least: int) -> bool:
    """Whether a machine or a careful person made this up: no word, no name, no number."""
    if len(text) < at_least or any(c.isspace() for c in text):
        return False
    if text.isdigit():
        return len(text) >= max(at_least, 6)
    if guards.is_technical(text):
        return False
    has_digit = any(c.isdigit() for c in text) and any(c.isalpha() for c in text)
    symbols = (
        len(text) >= 8 and bool(_STRONG_SYMBOL.search(text)) and any(c.isalpha() for c in text)
    )
    return has_digit or symbols or guards.is_scrambled(text) or len(text) >= 32


def is_plain_word(text: str) -> bool:
    """A single small-letter word, as people use for passwords in YAML."""
    return (
        bool(_WORD.fullmatch(text))
        and not guards.is_placeholder(text)
        and not guards.is_label(text)
    )
