"""What a prompt asks: whether the journal is asked at all, for what, and how the prompt is meant.

Most of what is typed to an assistant needs no memory, and a search finds something near whatever it is
given. So what cannot be meant for the journal is never searched for: an acknowledgement, a command, what
a machine wrote, a routine step. Of a long prompt the words of its author are kept, not what they pasted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ...indexer.search.log_lines import message_of
from .steps import is_acknowledgement, is_continuation, is_routine

MAX_CHARS: Final = 600  # of what is searched for; more words only blur what is meant
MAX_LINES: Final = 6  # of a prompt that is searched for as it is
_MAX_READ: Final = 20_000  # characters of a prompt; the first and the last are looked at
_MAX_NAMES: Final = 12
_N_ERRORS: Final = 3
_FEW_LETTERS: Final = 4  # of a question about numbers: "port 4000 or 8080?"

# --- what is not asked -------------------------------------------------------------------------

_COMMAND: Final = re.compile(r"/[A-Za-z][\w:-]*(?:\s|$)")
_OF_A_MACHINE: Final = re.compile(
    r"<(?!private\b)[a-z][\w-]*(?:\s[^<>]*)?>|\[Request interrupted|\[(?:SYSTEM|Image|Pasted)\b"
    r"|Caveat: The messages below|This session is being continued from"
)
_ABOUT_THE_ASSISTANT: Final = re.compile(
    r"(?:(?:what|which)\s+(?:model|version|llm|ai|can you do|files? did you|did you (?:just )?(?:do"
    r"|change|edit))"
    r"|how much context|who are you|are you (?:sure|there|ok|done|a )|what(?:'s| is) your (?:name|model"
    r"|context)"
    r"|(?:너|넌|당신)(?:은|는)?\s.*(?:모델|누구|버전|이름)|.*(?:컨텍스트|토큰)\s*(?:얼마나|몇).*남|.*어떤\s*파일.*(?:수정|바꿨|고쳤|건드렸))",
    re.IGNORECASE,
)

# --- how it is meant -----------------------------------------------------------------------------

_QUOTED: Final = re.compile(r"\"[^\"\n]{1,80}\"|`[^`\n]{1,80}`|“[^”\n]{1,80}”")
_LAST_TIME: Final = re.compile(
    r"\b(?:yesterday|last (?:time|session)|left off|where were we)\b|어제|지난|저번|어디까지",
    re.IGNORECASE,
)
_GOES_ON: Final = re.compile(
    r"^\s*(?:(?:ok|okay|so|now|please|let'?s)[\s,]+)*(?:continue|resume|keep going|pick up|carry on"
    r"|finish)\b"
    r"|이어서|이어가|마저|하던|계속\s*(?:하자|해|진행)",
    re.IGNORECASE,
)
_PAST: Final = re.compile(
    r"\b(?:again|last time|previously|earlier|remind|remember|recall|used to|back then|(?:did|have|had"
    r"|were) (?:we|i|you)"
    r"|(?:we|i|you)(?:'d|'ve| had| have)? (?:decided?|agreed|chose|picked|used|said|settled|discussed|did"
    r"|fixed|solved|set|went|left)"
    r"|as (?:decided|agreed|discussed)|(?:was|were|is|are) (?:it|they) (?:decided|agreed|back)|it'?s back"
    r"|(?:why|when|where|how) (?:did|was|were|are|is|do|does|can'?t)"
    r"|what (?:did|was|were)|happend? (?:the )?last)\b"
    r"|기로\s*(?:했|한|하|정)|(?:했|였|었|았|됐|랬|졌|왔|갔|났|썼|뒀|뺐|꿨|렸|겼|켰|껐|끈|챘)(?:었)?(?:지|더라|나|던|는지|어|냐|음|을까|잖아)"
    r"|뭐였|어땠|어떻게\s*(?:했|됐|하기로)|전에|지난번|저번|예전|지난달|지난주|어제|또\s|다시\s|맞지|맞아\?|맞나|이유|근거|기억|왜\s|원인|정한|고른|더라|던가",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(
    r"\?|？|^\s*(?:what|which|where|when|who|why|how|is|are|can|could|should|may|do|does|did|was|were"
    r"|will)\b"
    r"|(?:까|나|니|지|냐|가요|나요|까요|되나|돼|뭐야|뭐지|무엇|언제|어디|얼마|몇|알려줘)[\s.!~]*$",
    re.IGNORECASE | re.MULTILINE,
)
_FAILS: Final = re.compile(
    r"\b(?:\w*(?:error|exception)s?|fail(?:s|ed|ing|ure)?|broken|breaks?|crash(?:es|ed|ing)?|flaky"
    r"|hang(?:s|ing)?|stuck|timeouts?|times? out|timed out"
    r"|killed|oom\w*|leaks?|drops?|disconnects?|dies|wrong|garbled|mismatch|violations?|duplicate[sd]?"
    r"|twice|slow|spikes?|loop"
    r"|doesn'?t|does not|isn'?t|won'?t|can'?t|not (?:available|found|sent|work\w*)|bug|flash(?:es)?"
    r"|exit \d+)\b"
    r"|에러|오류|실패|버그|안\s*(?:돼|되|나|붙|떠|맞|열|눌|보|먹)|깨(?:져|지|짐)|끊(?:겨|기|김|어)|죽어|죽는|멈추|멈춰|느려|느림|타임아웃|누수|중복|두\s*번"
    r"|깜빡|튀"
    r"|크래시|위반|불일치|초과|차이나|계속\s*떠|날아갔|분리돼|걸려",
    re.IGNORECASE,
)
_MAKES: Final = re.compile(
    r"^\s*(?:please\s+|pls\s+|can you\s+|could you\s+|let'?s\s+|now\s+)*"
    r"(?:add|create|write|make|build|generate|implement|set up|translate|convert|rename|move|bump|show"
    r"|parse|draw|design)\b"
    r"|(?:만들|추가|넣어|붙여|짜|바꿔|바꾸|교체|번역|구현|적용|올려|조정|구성)(?:줘|하자|해줘|해|주세요|해주세요|게 해줘|달라"
    r"|[가-힣]{0,3}\s*해?줘)?[\s.!~]*$",
    re.IGNORECASE,
)

# --- names ---------------------------------------------------------------------------------------

_MAY_BE_NAME: Final = re.compile(r"[A-Za-z0-9_./-]{3,120}(?:\(\))?", re.ASCII)
_NAME: Final = re.compile(
    r".*\w/\w.*|.*\w\.[a-z]{1,6}|\w+\(\)|\w+_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|--?[a-z][\w-]{2,}"
    r"|\w+-\w+-[\w-]+",
    re.ASCII,
)
_IS_CODE_OR_DATA: Final = re.compile(
    r"\s*(?:at [\w$.<>]+ ?\(|File \"|Traceback|\.{3} \d+ more|[|+}{)\];]|import |from \w+ import|const "
    r"|let |var |def |class |return\b|<\/?\w"
    r"|\"[\w-]+\":|[\w.-]+\s*[:=]\s*[\[{\"'\d]|\$ |>>> |@@ |[+-]{3} |\d+[:|]\s|\s{4,}\S)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A prompt that the journal may know something for."""

    text: str  # what is searched for
    names: tuple[str, ...] = ()  # of files, symbols, options, as typed
    continues: bool = False  # it asks for nothing but to go on
    goes_on: bool = False  # with something that it names
    is_past: bool = False  # it asks for, or says, what was
    is_question: bool = False
    is_failure: bool = False  # it tells that something does not work
    is_new: bool = False  # it wants something made that need not have been there


def read_prompt(prompt: str) -> Asked | None:
    """What *prompt* asks of the journal; None where it asks nothing of it."""
    prompt = prompt.strip()
    if not prompt or prompt[0] in "!#" or _COMMAND.match(prompt) or _OF_A_MACHINE.match(prompt):
        return None
    if is_continuation(prompt):
        return Asked(text=prompt, continues=True, is_past=_LAST_TIME.search(prompt) is not None)
    if is_acknowledgement(prompt) or is_routine(prompt) or _ABOUT_THE_ASSISTANT.match(prompt):
        return None
    text = _essence(prompt)
    if not text:
        return None
    said = _QUOTED.sub(" ", text)  # how something is called does not say how the prompt is meant
    return Asked(
        text=text,
        names=tuple(dict.fromkeys(_names_in(text)))[:_MAX_NAMES],
        goes_on=_GOES_ON.search(said) is not None,
        is_past=_PAST.search(said) is not None,
        is_question=_ASKS.search(said) is not None,
        is_failure=_FAILS.search(said) is not None or bool(message_of(text)),
        is_new=_MAKES.search(said) is not None,
    )


def _names_in(text: str) -> Iterator[str]:
    for found in _MAY_BE_NAME.findall(text):
        name = found.rstrip("./-")
        if _NAME.fullmatch(name):
            yield name


def _essence(prompt: str) -> str:
    """*prompt*, or of a long one what its author typed, the errors and the names in it."""
    lines = [line.strip() for line in _read_lines(prompt)]
    typed = [line for line in lines if line and _is_typed(line)]
    is_short = len(lines) <= MAX_LINES and len(prompt) <= MAX_CHARS
    if is_short and (typed or (len(lines) == 1 and message_of(prompt))):
        return prompt
    errors = [line for line in lines if _FAILS.search(line) and not _is_typed(line)][-_N_ERRORS:]
    kept = typed if len(typed) <= 2 * MAX_LINES else typed[:MAX_LINES] + typed[-MAX_LINES:]
    room = MAX_CHARS - sum(map(len, errors))
    return "\n".join((*_fitting(kept, room), *errors))[: 2 * MAX_CHARS]


def _read_lines(prompt: str) -> list[str]:
    if len(prompt) > 2 * _MAX_READ:
        prompt = f"{prompt[:_MAX_READ]}\n{prompt[-_MAX_READ:]}"
    return prompt.splitlines()


def _is_typed(line: str) -> bool:
    """Whether a person may have typed *line*: no code, no data, nothing that a program printed."""
    letters = sum(char.isalpha() for char in line)
    is_said = letters >= len(line) / 2 or (letters >= _FEW_LETTERS and line.endswith(("?", "？")))
    return is_said and not _IS_CODE_OR_DATA.match(line) and not message_of(line)


def _fitting(lines: list[str], room: int) -> Iterator[str]:
    """The first lines and the last ones, in their order, as many as fit."""
    order = sorted(range(len(lines)), key=lambda at: min(at, len(lines) - 1 - at))
    kept: list[int] = []
    for at in order:
        room -= len(lines[at]) + 1
        if room < 0 and kept:
            break
        kept.append(at)
    return (lines[at] for at in sorted(kept))
