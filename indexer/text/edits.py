"""How far apart two words are as they are typed: letters, Korean letters, and the keys they lie on.

Pure functions. Latin words are compared by optimal string alignment (a letter added, left out, changed,
or two neighbours swapped, each 1); Hangul by the letters of a syllable, of which only the one that is
near in sound or on the keyboard costs 1.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

_FIRST_SYLLABLE: Final = 0xAC00
_N_VOWELS: Final = 21
_N_FINALS: Final = 28
_INITIALS: Final = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_VOWELS: Final = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_FINALS: Final = " ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
_NEAR: Final[Mapping[str, tuple[str, ...]]] = {
    _INITIALS: ("ㄱㄲㅋ", "ㄷㄸㅌ", "ㅂㅃㅍ", "ㅅㅆ", "ㅈㅉㅊ", "ㄴㄹ", "ㄴㅁ"),
    _VOWELS: (
        *("ㅐㅔㅒㅖ", "ㅙㅚㅞ", "ㅣㅟㅢ", "ㅡㅜ", "ㅓㅗ", "ㅏㅑ", "ㅓㅕ", "ㅗㅛ", "ㅜㅠ", "ㅏㅓ"),
        *("ㅏㅣ", "ㅡㅓ", "ㅐㅏ", "ㅔㅓ", "ㅗㅜ"),
    ),
    _FINALS: (
        "ㄱㄲㅋ",
        "ㄴㅁㅇ",
        "ㄷㅅㅆㅈㅊㅌ",
        "ㅂㅍ",
        " ㄴ",
        " ㅇ",
        " ㄹ",
        " ㅅ",
        " ㅁ",
        " ㄱ",
        "ㄴㄹ",
    ),
}
"""Letters that are taken for each other: by sound in loan words, or by their keys (KS X 5002)."""
_KEYS: Final = dict(
    zip(
        "rRseEfaqQtTdwWczxvgkoiOjpuPhynbml",
        "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎㅏㅐㅑㅒㅓㅔㅕㅖㅗㅛㅜㅠㅡㅣ",
        strict=True,
    )
)
_DOUBLE: Final = {
    pair[:2]: pair[2]
    for pair in (
        *("ㅗㅏㅘ", "ㅗㅐㅙ", "ㅗㅣㅚ", "ㅜㅓㅝ", "ㅜㅔㅞ", "ㅜㅣㅟ", "ㅡㅣㅢ"),
        *("ㄱㅅㄳ", "ㄴㅈㄵ", "ㄴㅎㄶ", "ㄹㄱㄺ", "ㄹㅁㄻ", "ㄹㅂㄼ", "ㄹㅅㄽ", "ㄹㅌㄾ", "ㄹㅍㄿ"),
        *("ㄹㅎㅀ", "ㅂㅅㅄ"),
    )
}
_VOWELS_SET: Final = frozenset(_VOWELS)
_KEY_OF: Final = {letter: key for key, letter in _KEYS.items()}
_SINGLE: Final = {double: pair for pair, double in _DOUBLE.items()}


def distances(one: str, others: Sequence[str]) -> Ints:
    """Optimal string alignment of *one*, of at most 62 letters, to each of *others*, all of ASCII.

    Bit-parallel (Hyyrö, 2003), and all words at once: one step for each place in the longest of them.
    """
    if not one or not others:
        return np.asarray([len(other) for other in others], np.int64)
    letters = np.asarray(others, "S")
    lengths = np.char.str_len(letters)
    columns = np.ascontiguousarray(letters.view(np.uint8).reshape(len(others), -1).T)
    places = np.zeros(256, np.uint64)
    for place, letter in enumerate(one.encode("ascii")):
        places[letter] |= np.uint64(1 << place)
    mask, last, single = np.uint64((1 << len(one)) - 1), np.uint64(1 << len(one) - 1), np.uint64(1)
    plus = np.full(len(others), mask)
    minus, diagonal, before = (np.zeros(len(others), np.uint64) for _ in range(3))
    scores = np.full(len(others), len(one))
    for at, column in enumerate(columns):
        here = places[column]
        swapped = ((~diagonal & here) << single) & before
        diagonal = ((((here & plus) + plus) ^ plus) | here | minus | swapped) & mask
        up, down = (minus | ~(diagonal | plus)) & mask, plus & diagonal
        change = ((up & last) > 0).astype(np.int64) - ((down & last) > 0)
        scores += np.where(at < lengths, change, 0)
        up, down = (up << single | single) & mask, (down << single) & mask
        plus, minus, before = (down | ~(diagonal | up)) & mask, diagonal & up, here
    return scores


def with_one_edit(word: str, at: int) -> Iterator[str]:
    """What *word* is with another letter at *at*, with one more there, with it left out, or swapped with
    the next."""
    before, rest = word[:at], word[at:]
    for letter in "abcdefghijklmnopqrstuvwxyz":
        yield before + letter + rest[1:]
        yield before + letter + rest
    yield before + rest[1:]
    yield before + rest[1:2] + rest[:1] + rest[2:]


@lru_cache(maxsize=2048)
def near_syllables(syllable: str, *, any_letter: bool = False) -> tuple[str, ...]:
    """The syllables that differ from *syllable* in one letter that is taken for its own, or in any."""
    if not "가" <= syllable <= "힣":
        return ()
    rest, final = divmod(ord(syllable) - _FIRST_SYLLABLE, _N_FINALS)
    places = (*divmod(rest, _N_VOWELS), final)
    found: dict[str, None] = {}
    for part, letters in enumerate((_INITIALS, _VOWELS, _FINALS)):
        own = letters[places[part]]
        near = "".join(group for group in _NEAR[letters] if own in group)
        for letter in letters if any_letter else near:
            changed = [*places[:part], letters.index(letter), *places[part + 1 :]]
            found[_syllable(*changed)] = None
    found.pop(syllable, None)
    return tuple(found)


def _syllable(initial: int, vowel: int, final: int) -> str:
    return chr(_FIRST_SYLLABLE + (initial * _N_VOWELS + vowel) * _N_FINALS + final)


def as_hangul(keys: str) -> str:
    """What the Latin letters *keys* type on a Korean keyboard; "" if not whole syllables."""
    letters = [_KEYS.get(key) or _KEYS.get(key.lower(), "") for key in keys]
    if not letters or "" in letters:
        return ""
    syllables = _compose(letters)
    return syllables if all("가" <= syllable <= "힣" for syllable in syllables) else ""


def _compose(letters: list[str]) -> str:
    """Syllables as an input method makes them: a consonant before a vowel begins the next one."""
    done: list[str] = []
    at = 0
    while at < len(letters):
        if letters[at] not in _INITIALS or at + 1 >= len(letters) or letters[at + 1] not in _VOWELS:
            return " "
        initial, vowel, at = letters[at], letters[at + 1], at + 2
        if at < len(letters) and (double := _DOUBLE.get(vowel + letters[at])):
            vowel, at = double, at + 1
        final = " "
        if _closes(letters, at):
            final, at = letters[at], at + 1
            if _closes(letters, at) and (double := _DOUBLE.get(final + letters[at])):
                final, at = double, at + 1
        done.append(_syllable(_INITIALS.index(initial), _VOWELS.index(vowel), _FINALS.index(final)))
    return "".join(done)


def _closes(letters: list[str], at: int) -> bool:
    """Whether the letter at *at* ends a syllable: a consonant that no vowel follows."""
    if at >= len(letters) or letters[at] not in _FINALS:
        return False
    return at + 1 == len(letters) or letters[at + 1] not in _VOWELS_SET


def as_keys(hangul: str) -> str:
    """The Latin letters on whose keys the Hangul *hangul* lies, as if they had been meant."""
    keys: list[str] = []
    for char in hangul:
        if "가" <= char <= "힣":
            rest, final = divmod(ord(char) - _FIRST_SYLLABLE, _N_FINALS)
            initial, vowel = divmod(rest, _N_VOWELS)
            letters = _INITIALS[initial] + _VOWELS[vowel] + _FINALS[final].strip()
        else:
            letters = _letter_of(char)
        for letter in letters:
            for single in _SINGLE.get(letter, letter):
                keys.append(_KEY_OF.get(single, ""))
    return "".join(keys)


def _letter_of(char: str) -> str:
    """The letter as it is typed of a conjoining one, which is what NFKC makes of it."""
    name = unicodedata.name(char, "")
    for kind in ("CHOSEONG", "JUNGSEONG", "JONGSEONG"):
        if name.startswith(f"HANGUL {kind} "):
            try:
                return unicodedata.lookup(f"HANGUL LETTER {name.rpartition(' ')[2]}")
            except KeyError:
                return ""
    return char
