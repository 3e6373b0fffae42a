"""What a user said once and meant for good: "always use pnpm", "we decided to keep REST", ``앞으로 한국어로 쓰자``.

The invariant: an order for the moment is none, whatever words it has ("don't run the tests now"), nor is a
complaint ("the test always fails"), nor what cannot be understood outside of its session ("go with that one").
It is better to miss one, which a search still finds, than to tell every later session what was meant for one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ...journal.redaction.lazy import Pattern
from .sentences import is_question, states_decision, without_quotations

_LEADS_IN: Final = (
    r"^(?:(?:please|also|and|so|but|ok|okay|well|btw|note|remember|rule|fyi)[,:]? +"
    r"|(?:in|for|on) (?:this|the|our|all|every) [\w ]{1,40}?,? |for [\w/ -]{1,30}, |when \w[\w/ -]{1,40}, ){0,3}"
)
_IMPERATIVES: Final = (
    "always|never|do not|don'?t|only|use|write|run|keep|put|name|prefer|ask|tell|show|make|add|commit|push|deploy|test"
    "|check|format|explain|answer|respond|reply|avoid|start|open|create|include|document|stop"
)
_WISHES_EN: Final = Pattern(
    r"\b(?:from now on|going forward|from here on|as a rule)\b"
    rf"|{_LEADS_IN}(?:in (?:the )?future|next time)(?: too| again)?,? (?:please )?(?:{_IMPERATIVES})\b"
    rf"|{_LEADS_IN}(?:remember|keep in mind) that (?:we|i|our|the|all|every|each|no|only)\b"
    r"|^(?:please )?remember: "
    rf"|{_LEADS_IN}(?:every|each|all)\b[\w /-]{{2,40}} (?:must|has to|have to)\b(?! (?:pass|work|succeed|fail)\b)"
    rf"|{_LEADS_IN}(?:always|never(?: ever)?) (?!mind\b|again\b|ever\b|had\b|got\b|saw\b|did\b|seen\b|\w+(?:ed|s) )\w+"
    rf"|{_LEADS_IN}(?:use|prefer|write|keep|put|name|run|commit|deploy)\b[^.!?]{{1,80}}[,;] (?:but )?never\b"
    r"|\b(?:should|must|have to|need to|to|please) (?:always|never)\b"
    r"|\b(?:we|i) (?:always|never|only) (?:use|write|run|commit|push|merge|squash|rebase|deploy|release|name|put|keep|test"
    r"|format|mock|pin|log|ship|review|document|add|return|throw|support|target|want)\b"
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
    r"|물어봐|물어봐요|돌려|켜|켜둬|지켜|남겨|적어|붙여|맞춰|부탁해|부탁해요|부탁드려요|부탁드립니다|(?:대답|답|작성|설명|요약|표기)해|도록|도록 해|(?:로|만|서|게)\s*해|해야 (?:해|돼|한다)|면 (?:돼|된다)|야 (?:해|돼|한다))"
    r"[\s.!~]*$"
)
_WISHES_KO: Final = Pattern(
    r"(?:(?<![가-힣])(?:앞으로|이제부터|지금부터|다음부터)(?:는|도|,)?"
    r"(?!\s*(?:옮|당[겨기]|보내|빼|이동|밀|가져|가\s?봐|돌|넘|끌|나오|감|튀|정렬|배치))"
    r"|(?<![가-힣])(?:항상|언제나|매번|절대로?|웬만하면|되도록)"
    rf"|(?:때|마다|전에|후에|뒤에)(?:는|은|도)?\s.*(?:반드시|무조건|꼭)).*{_WILL_KO}"
    r"|[가-힣\w](?:은|는) (?:항상|언제나|앞으로|이제부터|다음부터)(?:는|도)? .*(?<!앞으)로[\s.!~]*$"
    r"|(?:앞으로|이제부터|다음부터)(?:는|도)? .{0,40}[가-힣\w](?:은|는) .*(?<!앞으)로[\s.!~]*$"
    r"|(?:은|는) (?:.{0,40} )?(?:꼭|반드시|무조건) .*(?:두자|쓰자|지키자|켜자|유지하자|사용하자|남기자|달자|붙이자|맞추자|거치자|받자)[\s.!~]*$"
    r"|(?<![가-힣])모든 .{1,60}(?:은|는) .{1,60}로만? ?(?:한다|쓴다|저장한다|통일한다)[\s.!~]*$"
    r"|^기억해(?:\s?줘|\s?둬|주세요)?[:,] "
)
_MAY_WISH_KO: Final = Pattern(
    r"(?:쓰|사용하)지\s*(?:마|말)"
    r"|[가-힣\w](?:은|는) (?:달|남기|섞|남발하|하드코딩하)지\s*(?:마|말)"
    r"|[\w`]만\s*(?:하자|쓰자|써|써줘|쓴다|사용하자|사용해|사용해줘|허용)[\s.!~]*$"
    r"|[\w가-힣)] ?금지[\s.!~]*$"
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
    r"\b(?:from now on|going forward|from here on|as a rule|in (?:the )?future)\b|앞으로|이제부터|지금부터|다음부터",
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
_WAITS: Final = Pattern(
    r"\b(?:until|till|before|while) (?:i|we|you|then|tomorrow|further|later)\b|때까지",
    re.IGNORECASE,
)
"""For how long an order is meant that says neither "always" nor "never"."""
_OF_THE_PROJECT: Final = Pattern(r"(?:이|우리)\s+(?:프로젝트|저장소|레포|리포|팀|서비스)")
_HERE: Final = Pattern(r" here[.!]*$", re.IGNORECASE)
_REMEMBERS: Final = Pattern(r"\b(?:remember|keep in mind) that\b", re.IGNORECASE)
_AND_SO_ON: Final = Pattern(
    r"(?:앞으로|이제부터|다음부터)(?:도|는)?(?: (?:계속|쭉|항상|그렇게|이렇게))*(?: (?:해|해줘|해 줘|하자|부탁해))?[.!~]*"
    r"|(?:항상|언제나) (?:그렇게|이렇게)(?: (?:해|해줘|해 줘|하자|부탁해))?[.!~]*"
    r"|(?:and |also )?(?:(?:do (?:that|it|so) )?(?:always|from now on(?:,? always)?)(?: (?:please|too|as well))?"
    r"|in (?:the )?future(?: too| as well))[.!]*",
    re.IGNORECASE,
)
"""What makes the sentence before it a wish for good: ``날짜는 UTC로 저장해줘. 앞으로도 계속``."""
_WORD: Final = Pattern(r"\w+")
_NOT_MEANT: Final = Pattern(
    r"\b(?:might|maybe|perhaps|would|could|wonder|if we|whether)\b|ㄹ지도|을지도|을 수도",
    re.IGNORECASE,
)
_MIN_WORDS: Final = 2
_LONGEST: Final = 400  # characters: what is longer is no wish, and would be looked at for long


def points(sentence: str) -> bool:
    """Whether *sentence* points to something or to the moment, so that it says little outside of its session."""
    return _POINTS.search(_OF_THE_PROJECT.sub(" ", sentence)) is not None


def standing_at(sentences: Sequence[str]) -> list[tuple[int, ...]]:
    """The places of those of a prompt that hold beyond its session, each with the one that it goes on with."""
    found: list[tuple[int, ...]] = []
    for at, sentence in enumerate(sentences):
        before = sentences[at - 1] if at else ""
        if before and _AND_SO_ON.fullmatch(sentence):
            if is_question(before) or points(before):
                continue
            found = [*(one for one in found if at - 1 not in one), (at - 1, at)]
        elif states_standing(sentence):
            found.append((at,))
    return found


def states_standing(sentence: str) -> bool:
    """Whether a user's *sentence* holds beyond its session: a decision, or how things are to be done."""
    if len(sentence) > _LONGEST or is_question(sentence):
        return False
    if len(_WORD.findall(sentence)) < _MIN_WORDS:
        return False
    said = without_quotations(sentence)
    comma = said.find(", ")  # what follows may say why: ``영어로 쓰자, 고객이 외국인이야``
    is_korean_wish = _WISHES_KO.search(said) or (comma > 0 and _WISHES_KO.search(said[:comma]))
    wishes = bool(_WISHES_EN.search(said) or is_korean_wish)
    if wishes and _FOR_GOOD.search(said):
        return not _NOT_MEANT.search(said)
    pointing = _REMEMBERS.sub(" ", _HERE.sub("", said)) if wishes else said
    if _ORDERS.search(said) or points(pointing):
        return False
    if wishes:
        return not _NOT_MEANT.search(said)
    if _WAITS.search(said):
        return False
    return bool(_MAY_WISH_EN.search(said) or _MAY_WISH_KO.search(said) or states_decision(said))
