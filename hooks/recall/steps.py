"""Prompts that name nothing: thanks, an acknowledgement, a routine step, the wish to go on, small talk.

Each is told by its words alone, English or Korean, all of which must be known here: "run the tests" asks nothing
of a journal, "run the tests of the coupon API" may. Every word is looked at once, so that no prompt takes long.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final, Literal

from ...journal.redaction.lazy import Pattern

Sense = Literal["wants", "goes on", "is polite", "is private", "is nothing"]
"""What a prompt is to the work that it stands in: ``is nothing`` has no part in it, and of what ``is private`` the
words are not there or not to be told."""

MAX_CHARS: Final = 80  # what is longer names something

_WORD: Final = re.compile(r"[a-z']+|[가-힣ㄱ-ㅎㅏ-ㅣ]+|[^\s\w.,!?~;:…\"'()-]+|\w+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# --- acknowledgements ------------------------------------------------------------------------------

_ACKNOWLEDGES: Final = _words(
    "y n k yes yep yeah yup no nope nah ok okay sure fine right correct exactly please thanks thank thx"
    " ty cool nice"
    " good great perfect awesome done stop wait go do it for ahead sounds looks lgtm you of course very"
    " so much that"
    " works got i see never mind nevermind both all approve approved hi hello hey well now then the"
    " first second one"
    " option a b c d"
    " 응 어 네 넵 넹 예 아니 아니요 아뇨 오케이 오키 좋아 좋아요 좋네 그래 그렇게 해줘 해 하자 진행해 진행해줘 진행 고마워"
    " 고맙습니다 감사 감사합니다 감사해요 수고했어 수고 잘했어 완벽해 됐어 맞아 맞아요 확인 알겠어 알았어 안녕 잠깐 멈춰 둘 다"
    " 전부 응응 네네 첫번째 두번째 번 로 으로 굿 그걸로 이걸로 understood noted is"
    " 안녕하세요 수고했어요 수고하셨어요 수고하셨습니다 고마워요 알겠습니다 이해했습니다 계속합니다 진행합니다"
)
_IS_LAUGH: Final = re.compile(r"[ㅋㅎㅠㅜㅇㄱㄴ]+|\d{1,2}번?|[^\w가-힣]+")

# --- routine steps ---------------------------------------------------------------------------------

_STEPS: Final = _words(
    "run rerun re start restart stop execute commit push pull build rebuild compile lint format undo"
    " revert redo retry"
    " show print list open close save clean check verify explain summarize summarise shorten fix review"
    " try amend stage"
    " merge rebase stash"
)
_ABOUT_STEPS: Final = _words(
    "please pls can could you now then and ok okay just go ahead let's lets me the a an all it this that"
    " these those them"
    " my your our last whole full entire current what did do change changes changed test tests suite"
    " linter type types"
    " typecheck diff git code file files status log logs again too up everything work branch repo to"
    " main master origin"
    " once more above below error errors function line lines with message of for is i we have"
)
_KOREAN_STEP: Final = re.compile(
    r"(?:테스트|커밋|푸시|빌드|린트|포맷|실행|확인|리뷰|설명|요약|정리|수정|취소|재시작|머지|되돌려|보여|돌려|고쳐)"
    r"(?:을|를)?(?:해|하고|돌려|보여|봐|줘|주세요|줄래|하자|해줘|해봐|해주세요|봐줘|놔|놔줘)*"
)
_ABOUT_KOREAN_STEP: Final = re.compile(
    r"(?:이제|그럼|다시|한|번|한번|일단|지금|방금|전체|모든|이|그|저|이거|그거|저거|이것|위|위에|아래|바꾼|수정한|고친|변경|변경한|변경사항|것|거|걸|게"
    r"|내용|코드|파일|함수|테스트|전부|모두|다|깃|커밋|푸시|빌드|린트|포맷|타입|체크|상태|로그|에러|오류|좀|만|메시지|브랜치|해|해줘|해봐|봐|줘|주세요|하고)"
    r"(?:을|를|은|는|이|가|도|만|으로|로|부터|까지|하고)?"
)

# --- going on --------------------------------------------------------------------------------------

_GOES_ON: Final = re.compile(
    r"\b(?:continue|proceed|carry on|keep going|go on|resume|pick (?:it |this )?up|take (?:it |this )?up"
    r"|where (?:were|did|was|are) (?:we|you|i)|what(?:'s|s| is| was)? (?:next|left|remains)|next (?:one"
    r"|step|task)"
    r"|what (?:were|was) (?:we|i|you)|what should (?:we|i) do next|where (?:we|i) (?:left|stopped)|next)\b"
)
_ABOUT_GOING_ON: Final = _words(
    "ok okay so now please pls alright right hey let's lets can you could we and continue proceed carry"
    " keep going go on"
    " resume next pick take up where were did was are i stop stopped leave left off at what what's whats"
    " is doing working"
    " with the it this that task tasks work step one from yesterday last time session to do here again"
    " there for me us in"
    " project things our my previous remains should a"
)
_KOREAN_GOES_ON: Final = re.compile(
    r"이어서(?:하자|해|해줘|가자)?|이어(?:가자|가|서)|계속(?:해|해줘|하자|가자|해주세요)?|다음(?:은|거|으로)?|마저(?:하자|해|해줘)?"
    r"|하던|어디까지(?:했지|했어|했더라)?|남(?:았지|았어|았더라|은)|하고있었지"
)
_ABOUT_KOREAN_GOING_ON: Final = re.compile(
    r"(?:자|그럼|이제|아까|어제|지난번|지난|저번|하다|만|했던|작업하던|우리|거|것|걸|일|작업|부분|단계|세션|여기서|거기서|그대로|멈춘|데|뭐|할|해|하|진행|진행해"
    r"|진행하자|가|하자|해줘|해주세요|진행해줘|있었|있었지|했|했지|했어|했더라|진행했지|진행됐지|뭐야|뭐지|뭐였지|뭘|해야|되지|하지|알려줘)"
    r"(?:을|를|은|는|이|가|도|만|으로|로|에|에서|부터|까지|지|더라|어)?"
)


# --- what is no work ---------------------------------------------------------------------------------

_OWN_COMMAND: Final = Pattern(
    r"!|/(?:(?:memjournal:)?memory-[a-z]+|memjournal:|(?:clear|compact|exit|quit|help|model|cost|usage|status|context|config"
    r"|login|logout|resume|doctor|memory|mcp|hooks|permissions|vim|theme)(?:\s|$))"
)
_IS_POLITE: Final = Pattern(
    r"\b(?:thanks?|thank you|thx|ty|hi|hello|hey|bye|goodbye|good (?:morning|night|evening))\b|고마|고맙|감사|수고|안녕|잘했",
    re.IGNORECASE,
)
_KEPT_BACK: Final = Pattern(
    r"(?:일지|기록|저널|메모리)[가-힣]*\s*(?:에|에는|도)?\s*(?:남기|적|저장|쓰|하)지\s*(?:마|말)"
    r"|(?:기록|기억|저장)하지\s*(?:마|말)"
    r"|\b(?:do not|don'?t) (?:record|journal|log|remember|store|keep|save)\s+(?:any of\s+)?(?:this|that|it)"
    r"(?:\s+in (?:the|your|my) (?:journal|log|memory))?(?:[\s.!]*$|\s*:)|\boff the record\b",
    re.IGNORECASE,
)
_CHATS: Final = _words(
    "lunch dinner breakfast coffee weather joke haiku poem weekend how's"
    " 점심 저녁 아침 커피 날씨 농담 주말 야식 간식 퇴근 심심해 배고파 피곤해 졸려"
)
_ABOUT_CHATS: Final = _words(
    "what what's whats should shall i we you have eat for today tonight tomorrow the is it a an tell me"
    " write about are how going do was your my good nice any idea ideas like now to get some on thanks"
    " thank again autumn spring summer winter we'll that's all it's time bed home leaving off calling a day see talk"
    " soon later monday be back out then"
    " 오늘 내일 어때 어떠니 어때요 뭐 뭘 먹지 먹을까 먹을까요 먹었어 마실까 하나 해줘 좋네 좋다 너무 진짜 이제 그만"
    " 추천해줘 추천 메뉴 할까 하지 정말 참 나 좀 봐 봐요 보자 봅시다 뵙겠습니다 여기까지 하자 할게 할게요 합시다 이만 먼저 갈게 갈게요"
    " 들어갈게 들어갈게요 다들 모두 자 자요 주무세요 되세요 보내 보내세요 푹 쉬어 쉬세요"
)
_PARTS_WITH: Final = _words("night goodnight bye goodbye tomorrow ya u i'm am day")
_PARTS: Final = Pattern(
    r"\bgood ?night\b|\b(?:good)?bye\b|\bsee (?:you|ya|u)\b|\btalk (?:to you )?(?:later|tomorrow|soon)\b"
    r"|\b(?:that's|that is) (?:all|it) for (?:today|now)\b|(?<!it )\bdone for (?:today|the day|now)\b"
    r"|\bcall(?:ing)? it a day\b|\bhave a (?:good|nice|great)\b|\b(?:i'm|i am) (?:off|leaving|out)\b"
    r"|(?<![가-힣])(?:퇴근|고생\s?(?:했|하셨|많)|내일 (?:봐|보자|봅|뵙)|다음에 (?:봐|보자)|또 (?:봐|보자)|잘 ?자|주무세요|안녕히|굿나잇|굿밤|바이|좋은 (?:밤|하루)"
    r"|(?:오늘은|일단|그럼) ?(?:여기까지|이만)|이만 (?:갈게|퇴근|자))",
    re.IGNORECASE,
)
_PARTING: Final = Pattern(
    r"(?:퇴근|고생|내일|다음|오늘|수고|바이|굿나잇|굿밤|잘자|좋은|밤|하루|또|일단|그럼)(?:은|는|에|도)?"
    r"(?:할게|할게요|합니다|해|해요|한다|하자|했어|했어요|하셨어요|하셨습니다|많았어|많으셨습니다)?|많았어|많으셨어요|많이|잘|안녕히"
)
_CHATS_WITH: Final = Pattern(
    r"(?:(?:hi|hello|hey|so|ok|안녕|안녕하세요)[!,.]* )?(?:(?:what|who) (?:can|are|do) you(?: do| know)?(?: for me)?"
    r"|how are you(?: doing)?(?: today)?|what(?:'s| is) your name|(?:너는?|넌|당신은?)? ?(?:뭐|뭘|무엇을) 할 수 있(?:어|어요|니|나요|습니까)"
    r"|(?:너는?|넌|당신은?) 누구(?:야|니|세요|예요))[?.! ]*"
    r"|(?:please |can you |could you )?(?:write|tell|sing|make up|compose|give)(?: me| us)? (?:a|an|another|one) (?:\w+ )?"
    r"(?:haiku|poem|joke|limerick|riddle|song|fun fact)(?: (?:about|on|for)(?: \w+){1,4})?(?: please)?[?.! ]*"
    r"|(?:[가-힣]+ (?:주제로|대한|관한|대해) )?(?:하이쿠|농담|수수께끼|삼행시|시|노래) ?(?:하나|한 ?편|한 ?곡|좀)?(?:만)? ?(?:써|해|지어|불러|내) ?"
    r"(?:줘|줄래|주세요)?[?.! ]*",
    re.IGNORECASE,
)
"""Questions about the assistant, and what has nothing to do with code."""
_CHAT_ENDING: Final = re.compile(r"(?:은|는|이|가|을|를|도|에|엔|에는)$")


def sense_of(text: str, *, n_chars: int, markers: Collection[str] = ()) -> Sense:
    """What a prompt of *n_chars* that begins with *text* is to the work.

    *markers* stand in it where something private was taken out.
    """
    if _OWN_COMMAND.match(text):
        return "is nothing"
    if max(n_chars, len(text)) > MAX_CHARS:
        return "wants"
    rest = text
    for marker in filter(None, markers):
        rest = rest.replace(marker, " ")
    if not any(map(str.isalnum, rest)) or _KEPT_BACK.search(rest):
        return "is private"
    if is_small_talk(rest):
        return "is nothing"
    if is_continuation(text):
        return "goes on"
    if is_acknowledgement(text):
        return "is polite" if _IS_POLITE.search(text) else "goes on"
    return "wants"


def is_small_talk(prompt: str) -> bool:
    """Whether *prompt* is about lunch or the weather, or takes leave, rather than work."""
    if len(prompt) <= MAX_CHARS and _CHATS_WITH.fullmatch(prompt.strip()):
        return True
    words = [_CHAT_ENDING.sub("", word) if len(word) > 1 else word for word in _words_of(prompt)]
    parts = bool(words) and _PARTS.search(prompt) is not None
    return (parts or any(word in _CHATS for word in words)) and all(
        word in _CHATS
        or word in _ABOUT_CHATS
        or word in _ACKNOWLEDGES
        or _IS_LAUGH.fullmatch(word)
        or (parts and (word in _PARTS_WITH or _PARTING.fullmatch(word)))
        for word in words
    )


def is_acknowledgement(prompt: str) -> bool:
    """Whether *prompt* only takes note of what the assistant said."""
    words = _words_of(prompt)
    return bool(words) and all(word in _ACKNOWLEDGES or _IS_LAUGH.fullmatch(word) for word in words)


def is_routine(prompt: str) -> bool:
    """Whether *prompt* is a step of the conversation that it stands in, such as "commit it"."""
    words = _words_of(prompt)
    if not words:
        return False
    is_step = [bool(word in _STEPS or _KOREAN_STEP.fullmatch(word)) for word in words]
    return any(is_step) and all(
        known or word in _ABOUT_STEPS or _ABOUT_KOREAN_STEP.fullmatch(word)
        for word, known in zip(words, is_step, strict=True)
    )


def is_continuation(prompt: str) -> bool:
    """Whether *prompt* says no more than to go on, or asks where things were left."""
    words = _words_of(prompt)
    goes_on = [bool(_KOREAN_GOES_ON.fullmatch(word)) for word in words]
    if not any(goes_on) and not _GOES_ON.search(prompt.lower()):
        return False
    return bool(words) and all(
        known or word in _ABOUT_GOING_ON or _ABOUT_KOREAN_GOING_ON.fullmatch(word)
        for word, known in zip(words, goes_on, strict=True)
    )


def _words_of(prompt: str) -> list[str]:
    """Its words in lower case; none where it is too long to be one of these."""
    return _WORD.findall(prompt.lower()) if len(prompt) <= MAX_CHARS else []
