"""The name of a field, read as words: whether what is kept under it is a secret.

A person sees the same name where other characters are used for it, so a name is first brought to the form
that the words are listed in.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from . import vocabulary
from .lazy import Pattern

TOKENS: Final = frozenset({"token", "tokens"})
_WORDS: Final = Pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[가-힣]+")
_KOREAN: Final = Pattern(
    r"비밀\s?번호|비번|패스\s?워드|암호(?!화)|토큰(?!화|\s?수)|시크릿|비밀\s?키|개인\s?키|인증\s?(?:키|번호|정보)|"
    r"(?:api|액세스|접근|서비스|보안)\s?키|주민\s?(?:등록)?\s?번호|카드\s?번호|자격\s?증명",
    re.IGNORECASE,
)
_GAP_IN_KOREAN: Final = Pattern(r"(?<=[가-힣])[\s_.\-·]+(?=[가-힣])")
_LOOK_ALIKES: Final = str.maketrans(
    "аеорсухіјѕԁһӏкАВЕКМНОРСТХІЈЅαοικρτυνΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",  # that is what they are
    "aeopcyxijsdhlkABEKMHOPCTXIJSaoikptuvABEZHIKMNOPTYX",
)
"""Letters of Cyrillic and Greek that are drawn like Latin ones (Unicode 39, confusables)."""
_PROPERTIES: Final = vocabulary.HARMLESS - {"prompt", "input", "output", "id", "name"}


def names_secret(key: str) -> bool:
    """Whether what is kept under *key* is a secret."""
    if not key.isascii():
        key = _plain(key)
        if _KOREAN.search(key) or _KOREAN.search(_GAP_IN_KOREAN.sub("", key)):
            return True
    words = words_of(key)
    if not words:
        return False
    known = set(words)
    if known & vocabulary.HARMLESS and not _is_secret_id(known):
        return bool(known & {"password", "passwd", "secret"}) and known.isdisjoint(_PROPERTIES)
    if known & vocabulary.PASSWORDS or known & TOKENS:
        return True
    if words[-1] == "auth" or (words[-1] in ("key", "keys") and len(words) > 1):
        return words[-1] == "auth" or bool(set(words[:-1]) & vocabulary.KEY_QUALIFIERS)
    return any(word.endswith(("password", "passwd")) for word in words)


def words_of(key: str) -> list[str]:
    """The words of *key* in small letters."""
    return [word.lower() for word in _WORDS.findall(key)]


def _plain(key: str) -> str:
    """*key* in Latin and Korean letters as they are listed, without what nobody sees."""
    plain = unicodedata.normalize("NFKC", key).translate(_LOOK_ALIKES)
    if plain.isascii():
        return plain
    return "".join(
        one for one in plain if one.isspace() or unicodedata.category(one)[0] not in "CM"
    )


def _is_secret_id(words: set[str]) -> bool:
    return {"secret", "id"} <= words
