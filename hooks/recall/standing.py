"""What a user said once and meant for good: "always use pnpm", "we decided to keep REST", ``앞으로 한국어로 쓰자``.

The invariant: an order for the moment is none, whatever words it has ("don't run the tests now"), nor is a
complaint ("the test always fails"), nor what cannot be understood outside of its session ("go with that one").
It is better to miss one, which a search still finds, than to tell every later session what was meant for one.
"""

from __future__ import annotations

import re
from typing import Final

from ...indexer.text.korean import stem_length
from ...journal.redaction.lazy import Pattern
from .sentences import is_question, states_decision

_LEADS_IN: Final = (
    r"^(?:(?:please|also|and|so|but|ok|okay|well|btw|note|remember|rule|fyi)[,:]? +"
    r"|(?:in|for|on) (?:this|the|our|all|every) [\w ]{1,40}?,? |for [\w/ -]{1,30}, |when \w[\w/ -]{1,40}, ){0,3}"
)
_WISHES_EN: Final = Pattern(
    r"\b(?:from now on|going forward|from here on|as a rule)\b"
    rf"|{_LEADS_IN}(?:always|never) (?!mind\b|again\b|ever\b|had\b|got\b|saw\b|did\b|seen\b|\w+(?:ed|s) )\w+"
    rf"|{_LEADS_IN}(?:use|prefer|write|keep|put|name|run|commit|deploy)\b[^.!?]{{1,80}}[,;] (?:but )?never\b"
    r"|\b(?:should|must|have to|need to|to|please) (?:always|never)\b"
    r"|\b(?:we|i) (?:always|never|only) (?:use|write|run|commit|push|merge|squash|rebase|deploy|release|name|put|keep|test"
    r"|format|mock|pin|log|ship|review|document|add|return|throw|support|target)\b"
    r"|\b(?:we|i)(?:'d| would)? (?:much |strongly )?prefer\b",
    re.IGNORECASE,
)
_MAY_WISH_EN: Final = Pattern(
    rf"{_LEADS_IN}(?:do not|don'?t|stop|only|no more) (?:ever )?(?:use|using|push|pushing|commit|committing|add|adding"
    r"|import|importing|mock|mocking)\b"
    rf"|{_LEADS_IN}use only\b",
    re.IGNORECASE,
)
"""A wish, unless it points to something or to the moment."""
_WILL_KO: Final = (
    r"(?:자|줘|줘요|줘라|주세요|세요|십시오|합시다|하기|할 것|할것|쓸 것|말 것|말것|마|마라|말아|말자|말고|금지|한다|쓴다|해라|써라|(?:로|만|을|를)\s*써"
    r"|부탁해|부탁해요|부탁드려요|부탁드립니다|(?:대답|답|작성|설명|요약|표기)해|도록|도록 해|(?:로|만|서|게)\s*해|해야 (?:해|돼|한다)|면 (?:돼|된다)|야 (?:해|돼|한다))"
    r"[\s.!~]*$"
)
_WISHES_KO: Final = Pattern(
    r"(?:(?<![가-힣])(?:앞으로|이제부터|지금부터)(?:는|도|,)?"
    r"(?!\s*(?:옮|당[겨기]|보내|빼|이동|밀|가져|돌|넘|끌|나오|감|튀|정렬|배치))"
    r"|(?<![가-힣])(?:항상|언제나|매번|절대로?|웬만하면|되도록)"
    rf"|(?:때|마다|전에|후에|뒤에)(?:는|은|도)?\s.*(?:반드시|무조건|꼭)).*{_WILL_KO}"
)
_MAY_WISH_KO: Final = Pattern(
    r"(?:쓰|사용하)지\s*(?:마|말)"
    r"|[\w가-힣`]+(?:로|으로|에)?만\s*(?:하자|쓰자|써|써줘|쓴다|사용하자|사용해|사용해줘|허용)[\s.!~]*$"
    r"|(?:푸시|커밋|사용|쓰기|배포|머지)\s*금지[\s.!~]*$"
    r"|(?:로|으로)\s*(?:통일|고정)(?:하자|해|해줘|한다|합시다)"
    r"|(?:(?<!다음)으로|(?<![새따서바대으])로)\s*하자[\s.!~]*$"
)
_ORDERS: Final = Pattern(
    r"(?:바꾸자|빼자)[\s.!~]*$|(?:고쳐|해결해|수정해|바꿔|찾아|막아|없애|확인해|추가해|만들어|구현해)\s?(?:줘|주세요|줄래)?[\s.!~]*$"
    r"|\b(?:let's|let us|we'll|we will) (?:keep|stay) (?:\w+ing|at it|it up)\b",
    re.IGNORECASE,
)
"""What sounds like a wish for good or a decision, and is no more than the next thing to do."""
_FOR_GOOD: Final = Pattern(
    r"\b(?:from now on|going forward|from here on|as a rule)\b|앞으로|이제부터|지금부터",
    re.IGNORECASE,
)
_POINTS: Final = Pattern(
    r"\b(?<!from )now\b|\b(?:today|tonight|yet|just once|once more|this time|for the moment|for now|temporar\w+)\b"
    r"|\b(?:it|these|those|here|there|above|below|the (?:former|latter|first|second|other))\b"
    r"|\bthis\b(?! (?:repo|repository|project|codebase|team|app|service)\b)"
    r"|(?<!decided )(?<!agreed )(?<!so )(?<!sure )\bthat\b"
    r"|\b(?:option|number|plan) (?:\d|[a-d]\b)"
    r"|(?<![가-힣])(?:지금(?!부터)|이번|오늘|일단|당장|아직|잠깐|우선|방금|여기|거기|저기|이거|그거|저거|이걸|그걸|저걸|이건|그건"
    r"|그렇게|이렇게|이대로|그대로|이쪽|그쪽|(?:이|그|저)\s+[가-힣]+|[0-9]+번|첫\s*번째|두\s*번째)",
    re.IGNORECASE,
)
_OF_THE_PROJECT: Final = Pattern(r"(?:이|우리)\s+(?:프로젝트|저장소|레포|리포|팀|서비스)")
_WORD: Final = Pattern(r"\w+")
_NOT_MEANT: Final = Pattern(
    r"\b(?:might|maybe|perhaps|would|could|wonder|if we|whether)\b|ㄹ지도|을지도|을 수도",
    re.IGNORECASE,
)
_MIN_WORDS: Final = 2


def states_standing(sentence: str) -> bool:
    """Whether a user's *sentence* holds beyond its session: a decision, or how things are to be done."""
    if is_question(sentence) or len(_WORD.findall(sentence)) < _MIN_WORDS:
        return False
    wishes = bool(_WISHES_EN.search(sentence) or _WISHES_KO.search(sentence))
    if wishes and _FOR_GOOD.search(sentence):
        return not _NOT_MEANT.search(sentence)
    if _ORDERS.search(sentence) or _POINTS.search(_OF_THE_PROJECT.sub(" ", sentence)):
        return False
    if wishes:
        return not _NOT_MEANT.search(sentence)
    return bool(
        _MAY_WISH_EN.search(sentence) or _MAY_WISH_KO.search(sentence) or states_decision(sentence)
    )


# --- about the same ---------------------------------------------------------------------------------

_SAME_FROM: Final = 0.6
"""Of the fewer words: a judgement. Two wishes of the same have all but the value in common."""
_FRAME_WORDS: Final = (
    "always never use using keep from now on please the and not for with our we you decided to let"
    " prefer should must only do don in of all it is be 앞으로 항상 절대 이제부터 쓰자 쓰지 하자 하기로 사용 말고 대신 해줘"
    " 말자 했다 결정"
)
_FRAME: Final = frozenset(_FRAME_WORDS.split())


def words_of(statement: str) -> frozenset[str]:
    """The words that say what *statement* is about: Korean ones without their endings, none of its frame."""
    words = (word.lower() for word in re.findall(r"[A-Za-z][\w+#.-]*\w|[가-힣]{2,}|\d+", statement))
    telling = (word for word in words if word not in _FRAME)
    return frozenset(
        word[: stem_length(word)] if "가" <= word[0] <= "힣" else word for word in telling
    )


def is_about_the_same(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether of two statements, by their words, only the later one can hold."""
    fewer = min(len(one), len(other))
    return fewer > 1 and len(one & other) >= _SAME_FROM * fewer
