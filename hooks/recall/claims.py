"""What a statement is about, what it chooses and what it turns down; and which of two can still hold.

The invariant: a statement gives way to a later one about the same, to one that turns down what it chose, and to one
that chooses what it turned down, and to nothing else. What neither names cannot be known: "use spaces" does
not say that tabs are over, "use spaces, not tabs" does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from ...indexer.text.korean import stem_length
from ...journal.redaction.lazy import Pattern
from .sentences import is_question

Words = frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A statement by its words."""

    words: Words  # all that say what it is about
    subject: Words = frozenset()  # what it is on, where that is marked; else empty
    is_topic: bool = False  # whether the subject alone says what it is about
    wanted: Words = frozenset()  # the words that it does not turn down
    chosen: tuple[Words, ...] = ()
    refused: tuple[Words, ...] = ()


# --- words ----------------------------------------------------------------------------------------

_SAME_FROM: Final = 0.6
"""Of the fewer words: a judgement. Two wishes of the same have all but the value in common."""
_FRAME_WORDS: Final = (
    "always never ever use using used keep from now on please the and not for with our we you decided to let let's"
    " prefer should must only do don in of all any an it is be or so that which what here again instead rather than"
    " no can may them project repository repo also then actually ok okay yes well really one drop stop yet sure"
    " just at as by but us this more back too will into"
    " 앞으로 항상 절대 이제부터 지금부터 다음부터 쓰자 쓰지 하자 하기로 쓰기로 사용 사용하자 말고 대신 해줘 말자 했다 했습니다 결정 어떤 무엇"
    " 뭘 뭐로 쓸까요 쓸까 할까요 할까 모든 계속 다시 이제 그냥 아니 아니야 바꿔줘 바꾸자 써줘 보여주자 마라 써도 돼 된다 그만 우리"
    " 언제나 매번 금지"
)
_FRAME: Final = frozenset(_FRAME_WORDS.split())
_ONE_NAME: Final = {
    "db": "database",
    "디비": "database",
    "데이터베이스": "database",
    "타입스크립트": "typescript",
    "자바스크립트": "javascript",
    "리액트": "react",
    "레디스": "redis",
}
"""Names of one thing that are written in either language or short."""
_WORD: Final = Pattern(r"[A-Za-z][A-Za-z0-9_+#./-]*[A-Za-z0-9+#]|[가-힣]{2,}|\d+")
_NO_PLURAL: Final = ("ss", "us", "is", "js")


def words_of(statement: str) -> Words:
    """The words that say what *statement* is about: Korean ones without their endings, none of its frame."""
    found = (word.lower() for word in _WORD.findall(statement))
    stems = (_stem(word) for word in found if word not in _FRAME)
    return frozenset(_ONE_NAME.get(stem, stem) for stem in stems if stem not in _FRAME)


def _stem(word: str) -> str:
    if "가" <= word[0] <= "힣":
        is_short = len(word) == 2 and word.endswith(("은", "는", "을", "를"))
        return word[:1] if is_short else word[: stem_length(word)]
    is_plural = len(word) > 3 and word.endswith("s") and not word.endswith(_NO_PLURAL)
    return word[:-1] if is_plural else word


def _are_alike(one: Words, other: Words) -> bool:
    if one == other:
        return bool(one)
    fewer = min(len(one), len(other))
    return fewer > 1 and len(one & other) >= _SAME_FROM * fewer


# --- what is chosen, and what turned down -----------------------------------------------------------

_CLAUSE: Final = Pattern(r"[,;:!?()\n]+|\.(?=\s|$)| [-–—] ")  # dashes that people type
_MAX_TOKENS: Final = 80  # of a clause are looked at
_CHOOSES: Final = frozenset(("use", "using", "keep", "adopt", "choose", "pick", "allow", "prefer"))
_CHOOSES_WITH: Final = frozenset(
    (("go", "with"), ("stick", "with"), ("switch", "to"), ("move", "to"), ("back", "to"))
)
_TURNS_DOWN: Final = frozenset(("drop", "ditch", "scrap", "abandon", "avoid", "replace"))
_TURNS_DOWN_WITH: Final = frozenset(
    (("instead", "of"), ("rather", "than"), ("rid", "of"), ("switch", "from"), ("move", "from"))
)
_FORBIDS: Final = frozenset(("never", "don't", "dont", "stop"))
_BEFORE_NOT: Final = frozenset(("do", "must", "should"))
_BEFORE_NAME: Final = frozenset(
    ("ever", "really", "more", "the", "a", "an", "any", "to", "with", "our")
)
_AFTER_NAME_WORDS: Final = (
    "in on for to as at by with from because since but and or nor we i it until when if use keep adopt go switch move"
    " from here again instead anywhere anymore"
)
_AFTER_NAME: Final = frozenset(_AFTER_NAME_WORDS.split())
_KO_TURNS_DOWN: Final = Pattern(
    r"(?:말고|대신|그만|금지|빼고|아니라|버리고|지우고|없애고|(?:쓰|사용하)지)(?![가-힣]{3})"
)
_KO_CHOOSES: Final = Pattern(
    r"(?:쓰자|써|쓰기|쓴다|쓰고|사용|유지|하자|가자|통일|한다|하기로|바꾸|바꿔|교체|갈아|옮기|옮겨)"
)
_KO_CHANGES: Final = Pattern(r"(?:바꾸|바꿔|교체|갈아|옮기|옮겨)")
_KO_PARTICLE: Final = Pattern(r".(?:[을를은는이가도로에]|에서)$")
_KO_OBJECT: Final = Pattern(r".(?:[을를은는도로]|로만)$")


def claim_of(statement: str) -> Claim:
    """What *statement*, a sentence or ``QUESTION → CHOICE``, claims."""
    asked, arrow, chosen = statement.partition(" → ")
    if arrow:
        taken = words_of(chosen)
        subject = words_of(asked)
        words = subject | taken
        return Claim(words=words, subject=subject, is_topic=True, wanted=words, chosen=(taken,))
    clauses = [
        one.lower().split()[:_MAX_TOKENS]
        for one in _CLAUSE.sub("\n", statement.replace("`", "")).split("\n")
    ]
    subject, is_topic = _subject_of(clauses)
    found = [_read_clause(clause) for clause in clauses]
    return Claim(
        words=words_of(statement),
        subject=subject,
        is_topic=is_topic,
        wanted=frozenset[str]().union(*(wanted for _, _, wanted in found)),
        chosen=tuple(one for chosen, _, _ in found for one in chosen if one),
        refused=tuple(one for _, refused, _ in found for one in refused if one),
    )


def choice_in(sentences: Iterable[str]) -> Claim:
    """What a prompt chooses and turns down, unless it is for once: nothing that it is about.

    Turning down counts where something else is chosen, or where it begins with a "no": "not the header" alone may
    be about anything.
    """
    said = [one for one in sentences if not (is_question(one) or _ONLY_ONCE.search(one))]
    chooses = any(_MAY_CHOOSE_EN.search(one) for one in said)
    if not (chooses or any(_MAY_CHOOSE_OR_DENY.search(one) for one in said)):
        return Claim(words=frozenset())
    claims = [claim_of(one) for one in said]
    chosen = tuple(one for claim in claims for one in claim.chosen)
    is_meant = chooses or bool(chosen) or bool(said and _SAYS_NO.match(said[0]))
    refused = tuple(one for claim in claims for one in claim.refused) if is_meant else ()
    wanted = frozenset[str]().union(*(claim.wanted for claim in claims))
    return Claim(words=frozenset(), wanted=wanted, chosen=chosen, refused=refused)


_MAY_CHOOSE_EN: Final = Pattern(
    r"\b(?:use|using|keep|adopt|choose|pick|allow|prefer|(?:go|stick) with|(?:switch|move|back) to)\b",
    re.IGNORECASE,
)
_MAY_CHOOSE_OR_DENY: Final = Pattern(
    r"^(?:no|nope|nah|wrong)\b|^아니|쓰자|써|쓰기|쓴다|쓰고|사용|유지|하자|가자|통일|한다|하기로|바꾸|바꿔|교체|갈아|옮기|옮겨",
    re.IGNORECASE,
)
_ONLY_ONCE: Final = Pattern(
    r"\b(?:this time|this once|just once|for once|only today)\b|이번(?:만|에만|엔|에는)|한 ?번만|오늘만",
    re.IGNORECASE,
)
_SAYS_NO: Final = Pattern(r"(?:no|nope|nah|wrong)\b|아니", re.IGNORECASE)


def overrules(later: Claim, earlier: Claim) -> bool:
    """Whether what was said *earlier* does not hold any more once *later* was said."""
    if _is_about_the_same(later, earlier):
        return True
    if any(_turns_down(refused, earlier) for refused in later.refused):
        return True
    return any(refused <= chosen for refused in earlier.refused for chosen in later.chosen)


def _turns_down(refused: Words, earlier: Claim) -> bool:
    """Whether *earlier* chose it; a part of what it is on does not do: a commit is no commit message."""
    in_subject = refused & earlier.subject
    return refused <= earlier.wanted and (not in_subject or in_subject == earlier.subject)


def _is_about_the_same(one: Claim, other: Claim) -> bool:
    if one.subject and other.subject:
        if not _are_alike(one.subject, other.subject):
            return False
        if one.is_topic and other.is_topic:
            return True
    return _are_alike(one.words, other.words)


def _read_clause(tokens: Sequence[str]) -> tuple[list[Words], list[Words], Words]:
    """What the words of a clause choose, what they turn down, and all of them that do not."""
    chosen: list[Words] = []
    refused: list[Words] = []
    in_refused: set[int] = set()
    for at in range(len(tokens)):
        for span in _refused_at(tokens, at):
            refused.append(_words_at(tokens, span))
            in_refused.update(span)
    for at in range(len(tokens)):
        if at not in in_refused:
            chosen += [_words_at(tokens, span) for span in _chosen_at(tokens, at, in_refused)]
    wanted = words_of(" ".join(one for at, one in enumerate(tokens) if at not in in_refused))
    return chosen, refused, wanted


def _words_at(tokens: Sequence[str], span: Iterable[int]) -> Words:
    return words_of(" ".join(tokens[at] for at in span))


def _refused_at(tokens: Sequence[str], at: int) -> Iterator[list[int]]:
    word, before = tokens[at], tokens[at - 1] if at else ""
    if _KO_TURNS_DOWN.match(word) or (at > 1 and _KO_CHANGES.match(word) and before.endswith("로")):
        name = at - 2 if _KO_CHANGES.match(word) else at - 1
        if not _KO_CHANGES.match(word) or tokens[name].endswith(("을", "를", "에서")):
            yield _name_before(tokens, name)
        return
    forbids = word in _FORBIDS or (word == "not" and before in _BEFORE_NOT)
    denies = word in ("not", "no") and (at == 0 or not _CHOOSES.isdisjoint(tokens[:at]))
    if not (forbids or denies or word in _TURNS_DOWN or (before, word) in _TURNS_DOWN_WITH):
        return
    start = at + 1
    while start < len(tokens) and tokens[start] in _BEFORE_NAME:
        start += 1
    uses = tokens[start : start + 1] and tokens[start] in (*_CHOOSES, "go", "import", "importing")
    if forbids and not uses:  # what is forbidden is to do something, and with what
        span = list(range(start, len(tokens)))
        if (
            word == "never" or len(_words_at(tokens, span)) > 1
        ):  # "don't answer yet" says too little
            yield span
    else:
        yield from _names_from(tokens, start + 1 if uses else start)


def _chosen_at(tokens: Sequence[str], at: int, taken: set[int]) -> Iterator[list[int]]:
    word, before = tokens[at], tokens[at - 1] if at else ""
    if word in _CHOOSES or (before, word) in _CHOOSES_WITH:
        yield from _names_from(tokens, at + 1)
    elif at and _KO_CHOOSES.match(word):
        name = at - 1
        while name > 0 and tokens[name] in ("다시", "이제", "계속"):
            name -= 1
        if name not in taken and _KO_OBJECT.search(tokens[name]):
            yield _name_before(tokens, name)


def _names_from(tokens: Sequence[str], start: int) -> Iterator[list[int]]:
    """The names that begin at *start*: "npm or yarn in scripts" has two."""
    held: list[int] = []
    for at in range(start, len(tokens)):
        word = tokens[at]
        if word in _BEFORE_NAME and not held:
            continue
        if word in _AFTER_NAME:
            if held:
                yield held
            held = []
            follows = tokens[at + 1] if at + 1 < len(tokens) else ""
            if word not in ("and", "or", "nor") or follows in _AFTER_NAME or follows in _TURNS_DOWN:
                return
            continue
        held.append(at)
    if held:
        yield held


def _name_before(tokens: Sequence[str], at: int) -> list[int]:
    """The name that ends at *at*, of two words where the first has no particle."""
    if at < 0:
        return []
    is_longer = at > 0 and not (_KO_PARTICLE.search(tokens[at - 1]) or tokens[at - 1] in _FRAME)
    return [at - 1, at] if is_longer else [at]


# --- the subject -----------------------------------------------------------------

_WRITES: Final = frozenset(("write", "name", "store", "save", "format", "return", "log"))
_N_BEFORE_SUBJECT: Final = 10  # words
_LEADS: Final = Pattern(
    r"(?:앞으로|이제부터|지금부터|다음부터|항상|언제나|매번|이제|우리)(?:는|은|도)?$"
)
_NO_SUBJECT: Final = Pattern(
    r"(?:에서|에|때|으로|까지|부터|하기|우리)[은는]$|[하되있없]는$|(?:같은|많은|작은|좋은|새로운|쓰는|매번)$"
)


def _subject_of(clauses: Sequence[Sequence[str]]) -> tuple[Words, bool]:
    """What stands before 은 or 는, and whether it does; else before 을 or 를, or behind "write"."""
    for particles, is_topic in ((("은", "는"), True), (("을", "를"), False)):
        for clause in clauses:
            start = 0
            for at, word in enumerate(clause[:_N_BEFORE_SUBJECT]):
                if _LEADS.match(word) or _KO_TURNS_DOWN.match(word) or _NO_SUBJECT.search(word):
                    start = at + 1
                elif (
                    word.endswith(particles)
                    and len(word) > 1
                    and (found := words_of(" ".join(clause[start : at + 1])))
                ):
                    return found, is_topic
    written = (
        _words_at(clause, span)
        for clause in clauses
        for at, word in enumerate(clause)
        if word in _WRITES
        for span in islice(_names_from(clause, at + 1), 1)
    )
    return next(written, frozenset()), False
