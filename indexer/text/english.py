"""English for the analyzer: stems, and the words a question carries no information in.

Written out here, and not taken from a search library, so that a term never changes because a
dependency did: an index made with one stemmer answers nothing to a query made with another.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_FUNCTION_WORDS = """
a an the this that these those such same other another some any each every either neither both
all no not nor only own too very just also even still yet already again ever never
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his
himself she her hers herself it its itself they them their theirs themselves
am is are was were be been being do does did doing done have has had having
can could shall should will would may might must ought need
and or but if then else than so because as until while of at by for with without about against
between among into onto through during before after above below to from up down in out on off
over under via per upon within
here there when where why how what which who whom whose
whether once more most less least few many much lot lots
s t d ll m o re ve don didn doesn isn aren wasn weren hasn haven hadn couldn shouldn wouldn won
please thanks tell give know want
"""
FUNCTION_WORDS: Final = frozenset(_FUNCTION_WORDS.split())
"""Left out of queries. Closed classes (articles, pronouns, auxiliaries, prepositions, conjunctions,
question words, contractions) and the few verbs that introduce a request."""

_VOWEL: Final = re.compile(r"[aeiouy]")
_DOUBLED: Final = re.compile(r"([bdfgmnprt])\1$")
_IRREGULAR: Final = {"ids": "id"}


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """The stem of a folded ASCII word; other words, and words of up to three letters, as they are.

    Only what inflection adds goes (steps 1a-1c of Porter, 1980, lightened): measured, plurals and
    tenses are worth 5 points of recall across languages, and the derivations of the later steps
    nothing more, while they merge words that a programmer keeps apart (``general``, ``generate``).
    """
    if len(word) <= 3 or not word.isascii() or not word.isalpha():
        return _IRREGULAR.get(word, word)
    word = _without_tense(_without_plural(word))
    if len(word) > 4 and word.endswith("e"):
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") else word


def _without_plural(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _without_tense(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if len(word) > 4 else word
    for suffix in ("ing", "ed"):
        base = word.removesuffix(suffix)
        if base != word and _VOWEL.search(base):
            return base[:-1] if _DOUBLED.search(base) else base
    return word
