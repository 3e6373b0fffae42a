"""English for the analyzer: stems, and the words a question carries no information in.

Written out here, and not taken from a search library, so that a term never changes because a
dependency did: an index made with one stemmer answers nothing to a query made with another.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

FUNCTION_WORDS: Final = frozenset(
    """
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
    let lets get gets got gotten getting please thanks tell show give find know want like
    """.split()
)
"""Left out of queries. Closed classes (articles, pronouns, auxiliaries, prepositions, conjunctions,
question words, contractions) and the few verbs that introduce a request."""

_VOWEL: Final = re.compile(r"[aeiouy]")
_MEASURE_1: Final = re.compile(r"^[^aeiou]*[aeiouy]+[^aeiou]+")
_DOUBLE: Final = re.compile(r"([bdfgmnprt])\1$")
_CVC: Final = re.compile(r"^[^aeiou]*[aeiouy][^aeiouwxy]$")
_LONG: Final = (  # Porter (1980) steps 2-4, the suffixes that matter in technical prose
    ("ization", "ize"),
    ("ational", "ate"),
    ("fulness", "ful"),
    ("iveness", "ive"),
    ("ation", "ate"),
    ("izer", "ize"),
    ("ator", "ate"),
    ("ness", ""),
    ("ment", ""),
    ("ibly", "ibl"),
    ("ably", "abl"),
    ("ally", "al"),
    ("ion", ""),
    ("ly", ""),
)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of a folded ASCII word; other words, and words of up to three letters, as they are."""
    if len(word) <= 3 or not word.isascii() or not word.isalpha():
        return word
    word = _without_inflection(word)
    return word


def _without_inflection(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for suffix in ("ing", "ed"):
        if word.endswith(suffix) and _VOWEL.search(word[: -len(suffix)]):
            if suffix == "ed" and word.endswith("eed"):
                return word[:-1]
            base = word[: -len(suffix)]
            word = base[:-1] if _DOUBLE.search(base) else base
            break
    if len(word) > 4 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 2 and word.endswith("y"):
        word = word[:-1] + "i"
    return word
