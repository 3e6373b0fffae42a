"""What stands where a secret could stand and is none: code, types, placeholders, words.

Without these the filter would damage the source code that it is shown all day. Each guard
answers for a value that has already been cut out of its surroundings.
"""

from __future__ import annotations

import re
from typing import Final

from . import vocabulary
from .lazy import Pattern

_PLACEHOLDER: Final = Pattern(
    r"""(?ix)
    [xX*.•·…_\-\#?0]+ | \[.* | <.* | \{.* | %[\w]*%? | %\(.* | %[-\d]*[sdrvq].* | \#\{.*
  | @@\w+@@ | @\{.*
  | \$[({].* | \$\d | \$env:.* | \$[A-Z][A-Z0-9_]* | \$[a-z_]+(?:->\w+|\[.*)? | \\?\(.*
  | (?:your|enter|insert|replace|put|add|paste|fill)(?:[-_ .][a-z]+)* | your[a-z]+
  | [a-z\-_ ]*(?:placeholder|example|dummy|redacted|removed|masked|goes[-_ ]here|here)[a-z\-_ ]*
  | (?:op|vault|arn|ssm|secretsmanager|keyring|env|file|https?|ref)(?::|://).*
  | \#(?:[0-9a-f]{3}){1,2}\b.*
  | !(?:vault|ref|sub|secret|env|getatt|reference)\b.* | !!\w*
    """
)
_CALL: Final = Pattern(
    r"[@&*!~+-]{0,2}(?:new\s+|await\s+)?[A-Za-z_$][\w$]*"
    r"(?:(?:\.|::|->|\?\.|!\.)[\w$]+)*(?:<[\w\s,<>]*>)?[!?]?[(\[{].*",
    re.DOTALL,
)
_ATTRIBUTE: Final = Pattern(
    r"[@&*!~+-]{0,2}[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.|!\.)[A-Za-z_$][\w$]*)+[,;:)]*"
)
_IDENTIFIER: Final = Pattern(r"[@&*!~+-]{0,2}[A-Za-z_$][A-Za-z_$]*")
_NUMBERED_IDENTIFIER: Final = Pattern(
    r"[@&*!~]?[A-Za-z]+(?:_[A-Za-z]+)*_?[0-9]{1,2}(?:_[A-Za-z]+)*"
)
_OPERATOR: Final = Pattern(
    r"[=<>|&+,;:)\]}]|[!~+-]?[A-Za-z_]+(?:\.[A-Za-z_]+)*[;,)]?\Z|-\d|/[*/]|\|\||\\"
)
_PATH: Final = Pattern(
    r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\]{1,2}(?:etc|run|var|home|usr|tmp|opt|root|mnt|dev|users|work|"
    r"app|src|"
    r"secrets?|private|library|system|data|[\w-]+/[\w./-]*\.\w{1,5}\Z)(?:[/\\].*|\Z)"
    r"|(?:~|\.{1,2})[/\\].*",
    re.IGNORECASE,
)
_TECH: Final = Pattern(
    r"""(?ix)
    (?:sha|md|aes|rsa|des|3des|hs|rs|es|ps|ed|utf|utf-|ucs|base|ascii|iso|rfc|http|oauth|ipv|ip|
    x|p|v|py|python|
    node|java|php|es|ecma|tls|ssl|sso|s|ec|r|k|i|l|a|h|web|unicode|crc|fnv|blake|argon|pbkdf|
    bcrypt|secp|curve|
    openid|saml|totp|fido|pkcs|mp|m|c|cp|win|x86_|arm|amd|int|uint|float|u|f|gpt|gpt-|claude|
    claude-|llama|
    mysql|sqlite|log|neo|vue|react|next|nuxt|d|three|j|sql|db|step|part|phase|chapter|version|
    row|col|test|
    item|page|line|port|level|top|issue|pr|api|user|case|round|day|week|sprint|ticket|jira|file|
    image|h264|h265)
    [-_/.]?\d[\d.\-_/]*(?:[-_/][a-z0-9.]+)*[a-z]?
  | \d[\d.,]*[-_]?(?:[a-z]{1,12}|%)(?:[-/]?[a-z]+)? | \d+(?:st|nd|rd|th)
  | [A-Z]{2,10}-\d+ | [\w.-]+\.(?:py|js|ts|tsx|jsx|md|json|ya?ml|toml|txt|sh|go|rs|java|kt|rb|c|
  h|cpp|html|css|
    png|jpg|svg|csv|log|lock|env|pem|key|crt|ini|cfg|conf|xml|sql|db|com|org|net|io|dev|ai|kr)
    (?::\d+)*
    """
)
_EMAIL: Final = Pattern(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*")
_UUID: Final = Pattern(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_HEX: Final = Pattern(r"(?:0x|sha\d+[-:]|md5[-:])?[0-9a-f]{7,128}", re.IGNORECASE)
_INTEGRITY: Final = Pattern(r"sha\d{3}-[A-Za-z0-9+/]+=*")
_LABEL_WORD: Final = Pattern(
    r"pass(?:word|phrase|code|wd)?s?|secrets?|tokens?|keys?|credentials?|auth\w*"
    r"|비밀\s?번호|비번|패스워드|암호|토큰|시크릿|키",
    re.IGNORECASE,
)
_NOT_IN_LABEL: Final = Pattern(r"[0-9!@#$%^&*=]")
_CONSTANT: Final = Pattern(r"[A-Z]+(?:_[A-Z]+)+")
_PARTS: Final = Pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SYMBOL: Final = Pattern(r"[!@#$%^&*~+=?|\\/:;,.<>(){}\[\]\"'`-]")
_PROSE_SYMBOL: Final = Pattern(
    r"[A-Za-z0-9][!@#$%^&*~+=]+[A-Za-z0-9]|[A-Za-z][0-9]|[0-9][A-Za-z]|[!@#$^&]\Z"
)
_DRAWN: Final = Pattern(r"[A-Za-z0-9_\-+/=.~%!@#$^&*]+")
_ONE_DIGIT: Final = Pattern(
    r"(?=.*[0-9])(?=(?:.*[A-Z]){3})(?=(?:.*[a-z]){3})[A-Za-z0-9+!@#$^&*]{16,80}"
)
_UNSPEAKABLE: Final = Pattern(  # one digit, and consonants as no word has them in a row
    r"(?=.*[0-9])(?=.*[A-Z])(?=.*[a-z])(?=(?i:.*[bcdfghjklmnpqrstvwxz]{5}))"
    r"[A-Za-z0-9+!@#$^&*]{16,80}"
)
_SNAKE: Final = Pattern(r"[a-z0-9]+(?:_[a-z0-9]+)+")
_TWO_DIGITS: Final = Pattern(r"[0-9][^0-9]*[0-9]")
_CASE_CHANGE: Final = Pattern(r"[a-z][A-Z]|[A-Z][A-Z][a-z]")


def is_placeholder(value: str) -> bool:
    """Whether *value* only holds the place of a secret: ``xxxx``, ``<token>``, ``${TOKEN}``."""
    return bool(_PLACEHOLDER.fullmatch(value)) or value.lower() in vocabulary.TYPE_NAMES


def is_reference(value: str) -> bool:
    """Whether *value*, written without quotes, is code: a call, an attribute, a path."""
    return bool(_CALL.fullmatch(value) or _ATTRIBUTE.fullmatch(value) or _OPERATOR.match(value))


def is_path(value: str) -> bool:
    return bool(_PATH.match(value))


def is_name(value: str) -> bool:
    """Whether *value*, written without quotes, can be a variable."""
    return bool(_IDENTIFIER.fullmatch(value)) and not is_scrambled(value)


def is_numbered_name(value: str) -> bool:
    """``token2``, ``db_pass_1``."""
    return bool(_NUMBERED_IDENTIFIER.fullmatch(value))


def is_scrambled(value: str) -> bool:
    """Whether letters change case far too often for a name."""
    return len(value) >= 16 and len(_CASE_CHANGE.findall(value)) * 4 >= len(value)


def is_label(value: str) -> bool:
    """Whether *value* speaks of a secret and is none: ``Enter your password``, ``API_KEY``."""
    if _NOT_IN_LABEL.search(value) or not _LABEL_WORD.search(value):
        return False
    if " " in value.strip() or _CONSTANT.fullmatch(value):
        return True
    return all(part.lower() in vocabulary.LABEL_PARTS for part in _PARTS.findall(value))


def is_digest(value: str) -> bool:
    """UUIDs, commit ids and checksums: no secret unless something calls them one."""
    return bool(_UUID.fullmatch(value) or _HEX.fullmatch(value) or _INTEGRITY.fullmatch(value))


def is_mixed(value: str, *, at_least: int) -> bool:
    """Whether *value* has letters and, with them, digits or symbols."""
    if len(value) < at_least or not any(c.isalpha() for c in value):
        return len(value) >= 10 and value.isdigit()
    return any(c.isdigit() for c in value) or bool(_SYMBOL.search(value)) or is_scrambled(value)


def is_random(value: str, *, at_least: int) -> bool:
    """Whether *value* looks drawn by lot: long, without blanks, digits among mixed letters."""
    if len(value) < at_least or not _DRAWN.fullmatch(value):
        return False
    if not _TWO_DIGITS.search(value):
        is_drawn = _ONE_DIGIT.fullmatch(value) or _UNSPEAKABLE.fullmatch(value)
        return is_scrambled(value) or bool(is_drawn)
    if _SNAKE.fullmatch(value) and sum(map(str.isdigit, value)) * 4 < len(value):
        return False
    digits = sum(c.isdigit() for c in value)
    upper = sum(c.isupper() for c in value)
    lower = sum(c.islower() for c in value)
    drawn = min(upper, lower) >= 2 or digits * 8 >= len(value)
    return drawn and upper + lower >= 2 or is_scrambled(value)


def is_technical(value: str) -> bool:
    """``sha256``, ``oauth2``, ``3600s``, ``auth.py``."""
    return bool(_TECH.fullmatch(value))


def is_secret_in_prose(value: str) -> bool:
    """Whether a word of a sentence can only be a password: ``hunter2!`` but not ``sha256``."""
    if len(value) < 6 or is_placeholder(value) or _TECH.fullmatch(value) or _EMAIL.fullmatch(value):
        return False
    if value[0] in "@/\\-.(" or "://" in value or re.search(r"[(){}\[\]<>|\"]", value):
        return False
    if re.fullmatch(r"[A-Za-z]+(?:[/=+&:.][A-Za-z]+)+", value) or _PATH.match(value):
        return False
    return any(c.isascii() and c.isalpha() for c in value) and bool(_PROSE_SYMBOL.search(value))
