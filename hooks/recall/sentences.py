"""The sentences of a memory, and which of them tell: what was decided, and why.

The first words of an answer are rarely what it was good for. Whole sentences are chosen and none is
reworded, in English and in Korean; what was left out between them is shown as left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import Final

from ...journal.redaction.lazy import Pattern
from .tokens import count_tokens, cut_to_tokens

MAX_CHARS: Final = 20_000  # of a memory are looked at; what tells stands at its beginning or end
_GAP: Final = " … "
_LEFT_OUT: Final = "…"
_CLOSES: Final = re.compile(r"[.!?…。！？:;,][\"'”’)\]]*$")
_MIN_CUT: Final = 8  # tokens; less of a sentence says nothing

# --- Markdown ---------------------------------------------------------------------------------

_FENCED: Final = re.compile(
    r"^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_NO_PROSE: Final = re.compile(
    r" {0,3}(?:#{1,6}(?:\s|$)|\||[-=_*]{3,}\s*$|\[\^?[^\]]+\]:\s)|(?: {4}|\t)\S"
)
_ITEM: Final = re.compile(r"\s*(?:>\s?)*(?:[-*+•]\s+|\d{1,3}[.)]\s+)(?:\[[ xX]\]\s+)?")
_QUOTED: Final = re.compile(r"\s*(?:>\s?)+")
_IMAGE: Final = re.compile(r"!\[([^\[\]\n]*)\]\([^)\n]{0,1000}\)")
_LINK: Final = re.compile(r"(?<!!)\[([^\[\]\n]+)\]\([^)\n]{0,1000}\)")
_WIKI: Final = re.compile(r"\[\[(?:[^\[\]|\n]*\|)?([^\[\]|\n]+)\]\]")
_STRONG: Final = re.compile(r"(\*\*|__)(?=\S)(.{1,300}?)(?<=\S)\1")
_EM: Final = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])")
_IDS: Final = r"mem:[0-9A-Za-z]{4,64}(?:[,;] ?mem:[0-9A-Za-z]{4,64}){0,20}"
_CITES: Final = rf"(?:(?:\[{{1,2}}{_IDS}\]{{1,2}}(?:\([^)\n]{{0,200}}\))?|\({_IDS}\))(?:,? (?=[\[(]{{1,2}}mem:))?)+"
_CITED: Final = Pattern(rf" ?(?:\({_CITES}\)|{_CITES})")
_LEADS_TO_WORD: Final = Pattern(
    r"(?<!\w)(?:to|per|see|also|in|of|by|from|as|with|on|than)$", re.IGNORECASE
)
_END: Final = re.compile(
    r"(?<=[.!?…])[\"'”’)\]]*\s+(?=[^\s.,;:!?a-z])|(?<=[。！？])\s*|(?<=[가-힣][.!?])\s+"
)
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|etc|no|fig|approx|[A-Za-z])\.)$", re.IGNORECASE
)


def sentences_of(markdown: str) -> list[str]:
    """The sentences of the prose of *markdown*, in its order, without marks of Markdown.

    Code blocks, tables, headings and comments are no prose.
    """
    text = _COMMENT.sub("\n", _FENCED.sub("\n", markdown.replace("\r\n", "\n")[:MAX_CHARS]))
    return [sentence for paragraph in _paragraphs(text) for sentence in _split(_plain(paragraph))]


def _paragraphs(text: str) -> Iterator[str]:
    """Each paragraph and each item of a list, on one line."""
    held: list[str] = []
    for line in text.split("\n"):
        item = _ITEM.match(line)
        is_prose = bool(line.strip()) and (bool(held) or item or not _NO_PROSE.match(line))
        if held and (item or not is_prose or _NO_PROSE.match(line.strip())):
            yield " ".join(held)
            held = []
        if is_prose and not _NO_PROSE.match(line.strip()):
            mark = item or _QUOTED.match(line)
            held.append(line[mark.end() if mark else 0 :].strip())
    if held:
        yield " ".join(held)


def without_citations(text: str) -> str:
    """*text* without ``[mem:ID]``: beside a quote's own id, others only raise the question which is meant.

    Where one is a word of its sentence, "…" stands for it.
    """
    return _CITED.sub(_in_its_place, text) if "mem:" in text else text


def _in_its_place(cited: re.Match[str]) -> str:
    text, start, end = cited.string, cited.start(), cited.end()
    before = text[max(0, start - 10) : start]
    is_word = text[end : end + 1].isalnum() or bool(_LEADS_TO_WORD.search(before))
    is_first = not before.strip() and bool(text[end:].strip(" .!?"))
    if not (is_word or is_first):
        return ""
    return f" {_LEFT_OUT}" if before else _LEFT_OUT


def _plain(text: str) -> str:
    text = without_citations(text)
    for pattern, kept in (
        (_IMAGE, r"\1"),
        (_LINK, r"\1"),
        (_WIKI, r"\1"),
        (_STRONG, r"\2"),
        (_EM, r"\1"),
    ):
        text = pattern.sub(kept, text)
    return " ".join(text.split())


_LONGEST_ABBREVIATION: Final = 12  # characters, with what is before it


def _split(text: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(text):
        piece = text[start : end.end()].strip()
        if piece and not _ABBREVIATION.search(piece[-_LONGEST_ABBREVIATION:]):
            yield piece
            start = end.end()
    if rest := text[start:].strip():
        yield rest


# --- what tells -------------------------------------------------------------------------------

_DECIDES_EN: Final = re.compile(
    r"\b(?:(?:we|i|they|the team|everyone)(?:'ve| have)? (?:\w+ly |also |then |now )?"
    r"(?:decided|chose|agreed|settled|picked|opted|went with|standardi[sz]ed)"
    r"|(?:decided|chosen|agreed|settled|opted) (?:to|on|that|upon|against|for|in favou?r)"
    r"|(?:we|i)(?:'ll| will| shall|'re going to| are going to)"
    r" (?:use|keep|stay|go with|adopt|drop|stick|switch|move|remain)"
    r"|(?:let's|let us) (?:use|keep|stay|go with|adopt|drop|stick|switch|move to)"
    r"|going with|decision(?: is|:| was)|final(?:ly)? (?:choice|decision))(?!\w)",
    re.IGNORECASE,
)
_CHOOSES_EN: Final = re.compile(
    r"(?:(?:then|ok|okay|yes|no|right|good|fine|so|please|and|but)[,.:]? )*"
    r"(?:keep(?! (?:go|try|work|look|mov|test|writ)ing\b| on\b| it up\b)|go with|stick with"
    r"|stay (?:on|with)|we keep|we use|we go with|use \w+ instead)\b",
    re.IGNORECASE,
)
"""What decides when a user says it, and is advice when an assistant does."""
_MAY_CHOOSE_EN: Final = re.compile(
    r"\b(?:keep|go with|stick with|stay|we use|instead)\b", re.IGNORECASE
)
_UNDECIDED_EN: Final = re.compile(
    r"\b(?:if|whether|should|could|would|might|may|maybe|perhaps|before|once|until|unless|when|not|never)\b"
    r"|n't\b|\bhow\b",
    re.IGNORECASE,
)
_DECIDES_KO: Final = re.compile(
    r"결정(?:했|하였|됐|되었|함|됨|한다|합니다|입니다|사항|:|은 |\s*[-—:])"
    r"|기로\s*(?:했(?!다고|다는|다며|대)|하였|합시다|합니다|함|정했|결정|하자|한다|하고|하겠|할게|해요|했으|합의)"
    r"|(?<![가-힣])정(?:했|하였|합니다|함)(?:다|습니다|어|음|으|$|[.,])?"
    r"|(?:채택|선택|확정|합의)(?:했|하였|함|합니다|됐|되었|됨|한다)"
    r"|(?:으로|로)\s*(?:갑니다|간다|가자|갈게|가겠습니다|확정)"
    r"|(?:쓰자|사용하자|유지하자|바꾸자|빼자|쓰겠습니다|유지합니다)(?=[.!\s]|$)"
)
_IS_QUESTION: Final = re.compile(r"(?:[?？]|(?:까요|나요|니까|을까|ㄹ까|인가요?)[.]?)[\"'”’)]*$")
_EXPLAINS: Final = re.compile(
    r"\b(?:because|since|due to|root cause|caused by|the cause|the reason|the fix|fixed|so that|therefore|turns? out"
    r"|turned out|instead of|must(?: not)?|never|always|fails?|failed|passes|resolved|works now)\b"
    r"|원인|때문|이유|그래서|따라서|해결|수정했|고쳤|바꿨|통과|실패|대신|반드시|누수",
    re.IGNORECASE,
)
_FILLS: Final = re.compile(
    r"(?:let me|(?:i'll|i will|i'm going to) (?:now |first |also |just |quickly )*(?:look|check|start|begin|read|run|see"
    r"|take|investigate|search|find|explore|examine|review|dig|try|go)\b|now i|now let|first,? i|next,? i|sure\b|great\b|okay\b|ok\b|perfect\b|got it"
    r"|you're (?:absolutely )?right|thanks|happy to|here(?:'s| is| are)|would you like|do you want|알겠습니다|좋습니다"
    r"|네[,.]|먼저|이제|다음으로|말씀하신)|.*(?:보겠습니다|드리겠습니다|드릴까요|볼게요)[.!]?$",
    re.IGNORECASE,
)
"""What announces a look, or fills; "I will set the timeout to 4 seconds" and ``제한하겠습니다`` say what is done."""
_QUOTATION: Final = Pattern(r"\"[^\"]{1,600}\"|“[^”]{1,600}”|「[^」]{1,600}」")
_NAMES_NOTHING: Final = Pattern(
    r"\b(?:go(?:ing)? with|use|keep|stick with|take|chose|picked|(?:went|decided) (?:with|on|for))"
    r" (?:that|this|it|those|these|the (?:first|second|third|last|other|former|latter))(?: one| option)?[\s.!]*$"
    r"|(?<![가-힣])(?:그|이|저)(?:걸|것|거|쪽|렇게)(?:으?로|을|를)? ?(?:가|하|쓰|결정|정|선택|확정|진행)",
    re.IGNORECASE,
)
_OBEYS: Final = Pattern(
    r"(?:(?:네|넵|넹|예|응|그래요?)[,.!~]* .{0,60}(?:겠습니다|게요|겠어요|ㄹ게)"
    r"|(?:알겠|좋습니다|그렇게 하겠).{0,70}"
    r"|(?:ok|okay|yes|sure|right|alright|fine)[,.!:]* (?:i|we)(?:'ll| will)\b.{0,60}"
    r"|(?:understood|got it|noted|will do|ok|okay)(?:[,.!:]+ .{0,60})?)[.!~]*",
    re.IGNORECASE,
)
"""An answer that takes an order and says nothing else."""
_LONGEST_OBEYING: Final = 80  # characters
_LONGEST_BEFORE: Final = 60  # characters before a cue in which it is taken back


def fills(sentence: str) -> bool:
    """Whether *sentence* announces a look or is polite, and tells nothing."""
    return _FILLS.match(sentence) is not None


def obeys(answer: str) -> bool:
    """Whether *answer* only says that something will be done as it was asked for."""
    return len(answer) <= _LONGEST_OBEYING and _OBEYS.fullmatch(answer) is not None


def is_question(sentence: str) -> bool:
    """Whether *sentence* asks rather than says."""
    return _IS_QUESTION.search(sentence) is not None


def without_quotations(sentence: str) -> str:
    """*sentence* without what it quotes: that is somebody else's word. Also where a mark has no second one in it."""
    said = _QUOTATION.sub(" ", sentence)
    first = said.find('"')
    if first < 0:
        return said
    is_closing = not said[first + 1 :].strip(" .!?…,")
    return said[first + 1 :] if is_closing else said[:first]


def states_decision(sentence: str, *, by_user: bool = False) -> bool:
    """Whether *sentence* says that something was decided; asking, weighing, denying and quoting are not."""
    if is_question(sentence):
        return False
    sentence = without_quotations(sentence)
    if _DECIDES_KO.search(sentence) or (by_user and _CHOOSES_EN.match(sentence)):
        return True
    found = _DECIDES_EN.search(sentence)
    if found is None:
        return False
    return not _UNDECIDED_EN.search(
        sentence[max(0, found.start() - _LONGEST_BEFORE) : found.start()]
    )


def names_decision(sentence: str, *, by_user: bool = False) -> bool:
    """Whether it is one that says by itself what was decided.

    A mere "OK, we'll use it" is none, and "let's go with that one" is understood by nobody else.
    """
    if _NAMES_NOTHING.search(sentence) or (not by_user and obeys(sentence)):
        return False
    return states_decision(sentence, by_user=by_user)


def may_state_decision(text: str) -> bool:
    """Whether a sentence of *text* may state a decision: a look that costs next to nothing."""
    cues = (_DECIDES_EN, _DECIDES_KO, _MAY_CHOOSE_EN)
    return any(cue.search(text, 0, MAX_CHARS) for cue in cues)


def telling_part(
    sentences: list[str],
    *,
    max_tokens: int,
    about: Collection[str] = (),
    from_end: bool = False,
    only: Collection[int] | None = None,
) -> str:
    """The sentences that tell most, whole and in their order, in at most *max_tokens*; all, where they fit.

    Where some tell, of the others only those that lead up to them are taken. *about* are words, in lower
    case, of what was asked: sentences that have them come first. With *from_end* the later of equals is
    chosen: an answer ends with what came of it. With *only* none but those at these places is taken. Only
    where not even one fits is it cut, between words. Wherever something was left out there is an "…".
    """
    says = [at for at, one in enumerate(sentences) if not fills(one)]
    whole = _joined(sentences, says)
    if only is None and says and count_tokens(whole) <= max_tokens:
        return whole  # a sentence alone may mean something else
    worth = [_worth(sentence, about) for sentence in sentences]
    order = sorted(
        range(len(worth)) if only is None else only,
        key=lambda at: (-worth[at], -at if from_end else at),
    )
    chosen: list[int] = []
    left = max_tokens
    for at in order:
        is_lead = worth[at] >= 0 and (worth[order[0]] <= 0 or at + 1 in chosen)
        needed = count_tokens(sentences[at])
        is_wanted = only is not None or worth[at] > 0 or is_lead or not chosen
        if needed <= left and is_wanted and _fits(sentences, [*chosen, at], max_tokens):
            chosen.append(at)
            left -= needed
        elif not chosen:
            return _shortened(sentences, at, max_tokens)
    return _joined(sentences, sorted(chosen))


def _fits(sentences: Sequence[str], chosen: list[int], max_tokens: int) -> bool:
    return count_tokens(_joined(sentences, sorted(chosen))) <= max_tokens


def _joined(sentences: Sequence[str], chosen: Sequence[int]) -> str:
    """Those of *sentences* at the places *chosen*, ascending; what is left out around them is shown."""
    if not chosen:
        return ""
    pieces = [f"{_LEFT_OUT} " if chosen[0] > 0 else "", sentences[chosen[0]]]
    for before, at in pairwise(chosen):
        is_closed = _CLOSES.search(pieces[-1]) is not None
        pieces += [_GAP if at > before + 1 else " " if is_closed else "; ", sentences[at]]
    if chosen[-1] < len(sentences) - 1:
        pieces.append(f" {_LEFT_OUT}")
    return "".join(pieces)


def opening_part(sentences: Sequence[str], *, max_tokens: int) -> str:
    """The first sentences, as many as fit: what a prompt wants stands at its beginning."""
    n_fit = 0
    left = max_tokens - (1 if len(sentences) > 1 else 0)
    for sentence in sentences:
        left -= count_tokens(sentence) + 1
        if left < 0:
            break
        n_fit += 1
    if sentences and not n_fit:
        return _shortened(sentences, 0, max_tokens)
    rest = [_LEFT_OUT] if n_fit < len(sentences) else []
    return " ".join((*sentences[:n_fit], *rest))


def _worth(sentence: str, about: Collection[str]) -> float:
    """How much *sentence* tells. The weights are a judgement and fitted to nothing: a decision goes before a
    reason, what has most of the words that were asked for before either, and what only fills comes last."""
    worth = 3.0 * states_decision(sentence) + 2.0 * bool(_EXPLAINS.search(sentence))
    if fills(sentence) or is_question(sentence):
        worth -= 3.0
    if sentence.endswith(":"):  # of what follows
        worth -= 1.0
    if about:
        lowered = sentence.lower()
        worth += 4.0 * sum(word in lowered for word in about) / len(about)
    return worth


def _shortened(sentences: Sequence[str], at: int, max_tokens: int) -> str:
    """The beginning of a sentence that is too long, to the end of a word; "" where that is next to nothing."""
    if max_tokens < _MIN_CUT:
        return ""
    before = f"{_LEFT_OUT} " if at else ""
    cut = cut_to_tokens(sentences[at], max_tokens - (3 if before else 1))
    at_word = cut.rfind(" ", len(cut) * 2 // 3)
    return before + (cut[:at_word] if at_word > 0 else cut).rstrip(" ,;:") + _LEFT_OUT
