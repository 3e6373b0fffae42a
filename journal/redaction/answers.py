"""Questions that ask for a secret, and the answers that give it: ``"DB password?"="…"``.

Most questions that speak of a secret ask for a decision (JWT or sessions?), whose answer is worth keeping: an
answer goes only if the question asks for the secret itself, or the answer looks like one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from . import guards
from .key_names import names_secret
from .lazy import Pattern
from .spans import Span

_MAX_QUESTION: Final = 500
_WORD: Final = (
    r"(?:pass(?:word|wd|phrase|code)|pwd|pin|otp|secret|token|credentials?"
    r"|(?:api|access|secret|private|encryption|signing|license|auth)[ _-]?key)s?"
)
_ASKS: Final = Pattern(
    r"(?i)(?:\b(?:what(?:['’]s| is| are| was)|enter|provide|give|type|paste|tell|send|share)\b"
    r"(?: me| us| in)?(?: (?:the|your|our|my|its|a|an))?"
    r"(?: (?!(?:way|best|to|for|of|in|kind|type)\b)[\w.'’-]+){0,3}? "
    rf"{_WORD}\b"
    r"|\A\W*(?:(?!(?:where|how|should|which|who|when|why|do|does|is|are|can|use|store)\b)[\w.'’-]+ ){0,3}"
    rf"{_WORD}[\"'`*)]*\s*(?:[?:：？]|\Z)"  # also as Korean keyboards have them
    r"|\A\W*(?:the )?(?:pass(?:word|phrase|code)|pin|otp) (?:of|for|to) (?:[\w.'’-]+ ){0,4}[\w.'’-]+\s*[?？])"
)
_ASKS_IN_KOREAN: Final = Pattern(
    r"(?:비밀\s?번호|비번|패스\s?워드|암호(?!화)|토큰|시크릿|키|인증\s?번호|자격\s?증명|(?:OTP|otp|PIN|pin|핀)\s?(?:번호|코드)?)"
    r"(?:는|은|가|이|를|을|란|값은?|값을)?\s*"
    r"(?:\(?\s*(?:무엇|뭐|뭔|어떻게\s?되|알려|말해|입력|적어|써|주세요|줘|넣어|필요)|[?:：？]|\Z)"
)
_KOREAN_DECISION: Final = Pattern(r"(?:무엇|뭐)(?:으로|로|를|에)")
_QUOTED_PAIR: Final = Pattern(r'"([^"\n]{2,500})"\s?[=:]\s?"([^"\n]{1,2000})"')
_ARROW_PAIR: Final = Pattern(r"(?m)^[ \t>*-]{0,8}([^\n→]{2,500}[^\s→])\s*→[ \t]*([^\n]{1,2000})")


def is_question(text: str) -> bool:
    """Whether *text*, the name of a field, is a question or an order to a person."""
    if " " not in text.strip():
        return False
    return text.rstrip().endswith(("?", "？")) or text.count(" ") > 4


def gives_secret(question: str, answer: str) -> bool:
    """Whether *answer* is a secret that *question* asked for."""
    asked = question[-_MAX_QUESTION:]
    if not names_secret(asked) or guards.is_placeholder(answer.strip()):
        return False
    if guards.is_secret_in_prose(answer.strip()) and " " not in answer.strip():
        return True
    if _KOREAN_DECISION.search(asked):
        return False
    return bool(_ASKS.search(asked) or _ASKS_IN_KOREAN.search(asked))


def find_in_answers(text: str) -> Iterator[Span]:
    """The answers in a text of questions and answers, as tools of assistants write them."""
    if '"' in text and '"="' in text:
        for match in _QUOTED_PAIR.finditer(text):
            if gives_secret(match[1], match[2]):
                yield Span(*match.span(2), "answer")
    if "→" in text:
        for match in _ARROW_PAIR.finditer(text):
            asked = match[1].strip("*` ")
            if (is_question(asked) or asked.endswith(":")) and gives_secret(asked, match[2]):
                yield Span(*match.span(2), "answer")
