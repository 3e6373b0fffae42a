"""The tokens of texts, a word at a time where the tokenizer works so, and remembered.

A passage has most of its words in common with its neighbours, and with its language: looked up, not
tokenised again, a memory of 1,370 characters costs 0.1 to 0.3 ms of CPU instead of 0.9. The tokens
are those of the whole text; tests hold one way to the other.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Any, Final

_REMEMBERED: Final = 100_000
"""Words, and as many older ones: 45 MB at most, which only the build of a large index comes to."""
_LONGEST: Final = 40  # characters; a longer one is data, or a script without spaces: seldom again
_MARK: Final = "\U0010fffd"  # for private use: no model has it
_GROUP: Final = 64
_WORD: Final = re.compile(
    "[^\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+"
)  # what the tokenizers take for white space: Unicode's White_Space
_ONLY_PYTHON_SPLITS: Final = "\x1c\x1d\x1e\x1f"

_CUTS_AT_SPACES: Final = frozenset({"WhitespaceSplit", "Whitespace", "BertPreTokenizer"})
_CUTS_PIECES: Final = _CUTS_AT_SPACES | {
    *("Punctuation", "Digits", "Split", "Metaspace", "ByteLevel", "CharDelimiterSplit"),
    "UnicodeScripts",
}
_CHANGES_LETTERS: Final = frozenset(
    {"NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "BertNormalizer"}
)
_REPLACES_IN_WORDS: Final = frozenset({r"\s+", "(?<=[a-z])(?=[A-Z])"})


class WordTokens:
    """The known tokens of texts, by one tokenizer. Safe for threads."""

    def __init__(self, tokenizer: Any, *, unknown: int | None) -> None:
        """*tokenizer* is one of the tokenizers library; the token *unknown* is left out."""
        self._tokenizer, self._unknown = tokenizer, unknown
        self._takes_words = takes_words(tokenizer)
        mark = self._numbers([_MARK])[0]
        is_usable = unknown is not None and mark.count(unknown) == 1 and mark[-1] == unknown
        self._mark: list[int] | None = mark if is_usable else None
        self._recent: dict[str, bytes] = {}
        self._older: dict[str, bytes] = {}  # what was recent before; what is used again moves up

    def of(self, texts: Sequence[str]) -> list[bytes]:
        """For each text its tokens, as the bytes of int32 numbers."""
        if not self._takes_words:
            return self._tokenize(texts)
        words = [words_of(text) for text in texts]
        tokens = self._of_words(set(chain.from_iterable(words)))
        return [b"".join(map(tokens.__getitem__, ones)) for ones in words]

    def _of_words(self, words: Collection[str]) -> dict[str, bytes]:
        recent, older = (
            self._recent,
            self._older,
        )  # as they are now: another thread may move them on
        known = {word: recent.get(word) for word in words}
        lacking = {word: older.get(word) for word, tokens in known.items() if tokens is None}
        missing = [word for word, tokens in lacking.items() if tokens is None]
        lacking.update(zip(missing, self._tokenize_words(missing), strict=True))
        found = {word: tokens for word, tokens in lacking.items() if tokens is not None}  # all
        recent.update((word, found[word]) for word in found if len(word) <= _LONGEST)
        if len(recent) > _REMEMBERED:
            self._recent, self._older = {}, recent
        return {word: tokens for word, tokens in known.items() if tokens is not None} | found

    def _tokenize_words(self, words: Sequence[str]) -> list[bytes]:
        """As ``_tokenize``, some at a time with a mark between them that no token knows.

        A call's cost for each text is half of all otherwise. Where other unknown letters pass for
        the mark, their group is done one by one.
        """
        if self._mark is None:
            return self._tokenize(words)
        groups = [words[start : start + _GROUP] for start in range(0, len(words), _GROUP)]
        joined = self._numbers([f" {_MARK} ".join(group) for group in groups])
        tokens: list[bytes] = []
        for group, numbers in zip(groups, joined, strict=True):
            parts = self._parted(numbers)
            tokens += parts if len(parts) == len(group) else self._tokenize(group)
        return tokens

    def _parted(self, numbers: Sequence[int]) -> list[bytes]:
        """The tokens between the marks, of which only the last one is unknown."""
        assert self._mark is not None
        n_before = len(self._mark) - 1
        parts = []
        start = 0
        for end in [at for at, number in enumerate(numbers) if number == self._unknown]:
            parts.append(array("i", numbers[start : end - n_before]).tobytes())
            start = end + 1
        parts.append(array("i", numbers[start:]).tobytes())
        return parts

    def _tokenize(self, texts: Sequence[str]) -> list[bytes]:
        unknown = self._unknown
        return [
            array("i", [number for number in numbers if number != unknown]).tobytes()
            for numbers in self._numbers(texts)
        ]

    def _numbers(self, texts: Sequence[str]) -> list[list[int]]:
        if not texts:
            return []
        encoded = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [one.ids for one in encoded]


def words_of(text: str) -> list[str]:
    """What stands between white space in *text*."""
    if any(mark in text for mark in _ONLY_PYTHON_SPLITS):
        return _WORD.findall(text)
    return text.split()  # three times as fast


def takes_words(tokenizer: Any) -> bool:
    """Whether *tokenizer* certainly makes the same tokens of a text as of its words one by one.

    It must cut at white space before anything else, and change nothing across it before that. What
    is not known here is taken for one that does not.
    """
    cutting = _parts(tokenizer.pre_tokenizer, "pretokenizers")
    changing = _parts(tokenizer.normalizer, "normalizers")
    added = tokenizer.get_added_tokens_decoder().values()
    return (
        bool(cutting)
        and cutting[0].get("type") in _CUTS_AT_SPACES
        and all(_cuts_pieces(part) for part in cutting)
        and all(_changes_words(part) for part in changing)
        and not any(len(words_of(f"x{token.content}x")) > 1 for token in added)
    )


def _parts(component: Any, name: str) -> list[dict[str, Any]]:
    """The steps of a normalizer or pre-tokenizer, in order."""
    if component is None:
        return []
    described = json.loads(component.__getstate__())
    return list(described[name]) if described.get("type") == "Sequence" else [described]


def _cuts_pieces(part: Mapping[str, Any]) -> bool:
    # "first" marks the first piece of a text, which with words alone would be every one.
    return part.get("type") in _CUTS_PIECES and part.get("prepend_scheme") != "first"


def _changes_words(part: Mapping[str, Any]) -> bool:
    if part.get("type") == "Replace":
        return part.get("pattern", {}).get("Regex") in _REPLACES_IN_WORDS
    return part.get("type") in _CHANGES_LETTERS
