"""What the journal tells with a prompt: the few memories that surely help with it, and mostly none.

Never told are what this session said itself or was told already, the output of tools but for what the user
was asked and chose, a question in place of its answer, what was taken back, done or superseded, and what
is flagged. Another project's rules and lessons are told only where this one has nothing, and only to a question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from ...indexer.catalog.entry_filter import EntryFilter
from ...indexer.catalog.row import Row
from ...indexer.search.answer import Answer, Hit, SearchRequest
from ...indexer.text.content import READING_TOOLS
from ...indexer.text.korean import stem_length
from ...journal.ids import find_citations
from ...journal.usage import Usage, sink_factor
from ..tool_kinds import CHOICE_TOOLS, asks_user
from .asked import Asked, read_prompt
from .gate import (
    CLIFF,
    CLIFF_OF_NEWER,
    TOLD_FROM,
    TOLD_FROM_ELSEWHERE,
    Features,
    Found,
    features_of,
    probability,
)
from .items import Item
from .recalled import Recalled
from .request import RecallRequest
from .sections import Line, Section, assemble
from .sentences import is_question, states_decision
from .steps import Sense, sense_of
from .timeline import recent_timeline
from .wording import language_of

MAX_ITEMS: Final = 4  # a judgement: with 8, no labelled prompt is told more
N_FOUND: Final = 12  # entries that a search is asked for
ITEM_TOKENS: Final = 140
NEVER_TOLD: Final = ("tool_output", "session_marker", "done", "cancelled")
"""Types: noise, titles and summaries of what is told by itself, and tasks that are no longer open."""
ELSEWHERE: Final = ("preference", "convention", "workflow", "lesson")
"""Types of what holds in more than one project."""

_SAYS_LITTLE: Final = 25
"""Characters of an answer such as "Done.": a judgement. Up to 60 next to nothing changes with labelled prompts; at
120 a ninth of those that get what helps does not."""
_SAYS_HOW_MUCH: Final = 16
"""The same of one with a number in it, such as "It is 30 days.": a judgement."""
_MANY_CHOICES: Final = 20  # of one turn
_MANY_PROMPTS: Final = 5
_MAX_SUCCESSORS: Final = 8  # of one another, to the one that holds
_NARRATES: Final = 100
"""Characters of what an assistant says between two tool calls: a judgement. 25 to 400 change nothing there."""
_REPEATS: Final = 300
"""Characters of an answer that cites a memory and says little beyond it: a judgement."""
_N_TOUCHED: Final = 2  # turns that changed a file, the newest ones
_MANY_TOUCHED: Final = 30  # changes of a file, from which it is one that everything touches
_WISHES: Final = re.compile(
    r"\b(?:always|never|from now on|don'?t|do not|prefer|please use|only use|stop using|no more)\b"
    r"|앞으로|항상|절대|쓰지\s*(?:마|말)|하지\s*(?:마|말)|말아\s*줘|[가-힣]만\s*(?:하자|쓰자|써)|하자(?=[.!\s]|$)",
    re.IGNORECASE,
)

Verdict = Literal[
    "told",
    "not sure enough",
    "four are surer",
    "far less sure than the first",
    "told already",
    "superseded",
    "no text",
    "no room",
]
"""``no text``: it may not be told, or cannot be read. ``no room``: the budget is used up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Considered:
    """A memory that was found for a prompt, and what became of it."""

    row: Row
    features: Features
    probability: float  # that it helps, lowered by having been told in vain
    verdict: Verdict
    item: Item | None = None  # as it is told


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """What is told, what was searched for, and what was considered, the surest first."""

    recalled: Recalled
    asked: Asked | None
    considered: tuple[Considered, ...] = ()


def explain(
    prompt: str,
    request: RecallRequest,
    *,
    search: Callable[[SearchRequest], Answer],
    told: Container[str],
    usage: Callable[[str], Usage],
) -> Explained:
    """What is told with *prompt* to a session that was *told* some already, and how it came about.

    Raises:
        MemjournalError: the index cannot be asked.
    """
    asked = read_prompt(prompt)
    if asked is None:
        return Explained(recalled=Recalled(reason="not asked"), asked=None)
    if asked.continues:
        if asked.is_past or _begins(request):
            return Explained(recalled=recent_timeline(request, told=told), asked=asked)
        return Explained(recalled=Recalled(reason="not asked"), asked=asked)
    chooser = _Chooser(asked, request, search=search, told=told, usage=usage)
    considered = chooser.choose()
    recalled = _told([one.item for one in considered if one.item is not None], request)
    considered = tuple(_as_told(one, recalled) for one in considered)
    if not recalled.text and asked.goes_on and _begins(request):
        recalled = recent_timeline(request, told=told)
    return Explained(recalled=recalled, asked=asked, considered=considered)


def _begins(request: RecallRequest) -> bool:
    """Whether nothing was answered in the session yet; later, "go on" means what stands in its context."""
    if not request.session:
        return True
    answers = EntryFilter(sessions=(request.session,), types=("assistant_response",))
    return not request.catalog.count(answers)


def _told(items: Sequence[Item], request: RecallRequest) -> Recalled:
    if not items:
        return Recalled(reason="no match")
    language = language_of(item.quote for item in items)
    return assemble(
        [Section(lines=[Line.of(item, language) for item in items])],
        reason="confident",
        language=language,
        max_tokens=request.max_tokens,
        fits=request.fits,
    )


def _as_told(considered: Considered, recalled: Recalled) -> Considered:
    """*considered*, with what became of it when all was put together."""
    if considered.verdict != "told" or considered.row.id in recalled.quotes:
        return considered
    return replace(considered, verdict="no room")


def _words_of(text: str) -> set[str]:
    """Its words in lower case, Korean ones without their endings, by which sentences are chosen."""
    words = re.findall(r"\w{2,}", text.lower())
    return {word[: stem_length(word)] if "가" <= word[-1] <= "힣" else word for word in words}


@dataclass(slots=True)
class _Candidate:
    """A memory, or a turn: what was found of it, and which entry of it would be told."""

    key: tuple[object, ...]
    hits: list[Hit]
    row: Row


class _Chooser:
    """Judges what a search finds for one prompt."""

    def __init__(
        self,
        asked: Asked,
        request: RecallRequest,
        *,
        search: Callable[[SearchRequest], Answer],
        told: Container[str],
        usage: Callable[[str], Usage],
    ) -> None:
        self._asked, self._request, self._search = asked, request, search
        self._maker, self._told, self._usage = request.maker(), told, usage
        self._about = _words_of(asked.text)

    def choose(self) -> tuple[Considered, ...]:
        """What the project knows; if nothing of it is told to a question, what holds elsewhere."""
        project = self._request.project
        here = EntryFilter(
            projects=tuple({project, ""}),
            without_session=self._request.session,
            without_types=NEVER_TOLD,
            but_tools=CHOICE_TOOLS,
        )
        elsewhere = EntryFilter(kinds=("fact", "rule"), types=ELSEWHERE)
        considered = self._judge(
            here,
            told_from=TOLD_FROM,
            touched_in=project,
            then=elsewhere if self._asks_for_rules else None,
        )
        if any(one.verdict == "told" for one in considered) or not self._asks_for_rules:
            return considered
        known = {one.row.docno for one in considered}
        others = self._judge(elsewhere, told_from=TOLD_FROM_ELSEWHERE)
        return (*considered, *(one for one in others if one.row.docno not in known))

    @property
    def _asks_for_rules(self) -> bool:
        return self._asked.is_question or self._asked.is_past

    def _judge(
        self,
        wanted: EntryFilter,
        *,
        told_from: float,
        touched_in: str = "",
        then: EntryFilter | None = None,
    ) -> tuple[Considered, ...]:
        request = SearchRequest(
            text=self._asked.text,
            now=self._request.now,
            wanted=wanted,
            limit=N_FOUND,
            dates_in_words=False,
            with_snippets=False,
            mends_words=False,
            then=then,
        )
        answer = self._search(request)
        candidates = self._candidates(answer.hits)
        touched = self._touched(touched_in, wanted) if touched_in else set()
        found = [Found.of(one.hits) for one in candidates]
        judged = []
        for at, one in enumerate(candidates):
            features = features_of(
                found,
                at,
                asked=self._asked,
                certainty=answer.certainty,
                is_touched=one.key in touched,
            )
            sure = probability(features) * sink_factor(self._usage(one.row.id))
            judged.append((sure, features, one.row))
        judged.sort(key=lambda one: -one[0])
        return tuple(self._verdicts(judged, told_from))

    def _candidates(self, hits: Iterable[Hit]) -> list[_Candidate]:
        """What was found, a turn once; in the order of the hits."""
        by_turn: dict[tuple[object, ...], _Candidate] = {}
        for hit in hits:
            if asks_user(hit.row.tool) and hit.row.outcome != "ok":
                continue  # nothing was chosen
            key = _turn_of(hit.row)
            if key in by_turn:
                by_turn[key].hits.append(hit)
            else:
                by_turn[key] = _Candidate(key, [hit], hit.row)
        found = []
        for candidate in by_turn.values():
            row = self._tells(candidate)
            if row is not None:
                found.append(replace(candidate, row=row))
        return found

    def _tells(self, candidate: _Candidate) -> Row | None:
        """Which entry of a turn is told: an answer, or else a prompt that says what is to be."""
        first = candidate.row
        if first.kind != "event":
            return first
        if asks_user(first.tool):
            return first
        answers = [hit.row for hit in candidate.hits if hit.row.type == "assistant_response"]
        best = next((row for row in answers if row.n_chars >= _NARRATES), None)
        best = best or self._request.catalog.last_answer(first) or next(iter(answers), None)
        if best is not None and self._says_something(best):
            return best
        if chosen := self._choice_in_turn_of(first):
            return chosen
        if best is not None and is_question(self._maker.body_of(best)):
            return None  # what was proposed was not agreed to
        prompts = (hit.row for hit in candidate.hits if hit.row.type == "user_prompt")
        said = next((row for row in prompts if self._states(row)), None)
        return said or (first if first.type not in ("user_prompt", "assistant_response") else None)

    def _says_something(self, answer: Row) -> bool:
        """Whether *answer* is more than "Done."; a Korean sentence has half the letters."""
        if answer.n_chars >= _SAYS_LITTLE:
            return True
        text = self._maker.body_of(answer)
        weight = len(text) + sum("가" <= letter <= "힣" for letter in text)
        says_how_much = any(map(str.isdigit, text)) and weight >= _SAYS_HOW_MUCH
        return (weight >= _SAYS_LITTLE or says_how_much) and not is_question(text)

    def _choice_in_turn_of(self, row: Row) -> Row | None:
        """What the user was asked in that turn, and chose last."""
        if not row.session or row.turn is None:
            return None
        calls = EntryFilter(
            sessions=(row.session,), turn=row.turn, types=("tool_output",), tools=CHOICE_TOOLS
        )
        found = self._request.catalog.find(calls, limit=_MANY_CHOICES)
        return next((one for one in found if one.outcome == "ok" and not one.branch), None)

    def _states(self, row: Row) -> bool:
        """Whether a prompt is evidence itself: it decides, or says how things are to be done."""
        text = self._maker.body_of(row)
        if not self._asks_for_rules and _words_of(text) <= self._about:
            return False  # it says no more than what is said now
        return states_decision(text) or _WISHES.search(text) is not None

    def _touched(self, project: str, wanted: EntryFilter) -> set[tuple[object, ...]]:
        """The last turns that changed a file which the prompt names."""
        files = tuple(name for name in self._asked.names if _is_file(name))
        if not files:
            return set()
        changing = replace(
            wanted,
            projects=(project,),
            types=("tool_output", "assistant_response"),
            without_types=(),
            files=files,
        )
        rows = self._request.catalog.find(changing, limit=_MANY_TOUCHED)
        if len(rows) == _MANY_TOUCHED:
            return set()
        changed = [row for row in rows if row.tool not in READING_TOOLS and not row.branch]
        return set(list(dict.fromkeys(map(_turn_of, changed)))[:_N_TOUCHED])

    def _verdicts(
        self, judged: Sequence[tuple[float, Features, Row]], told_from: float
    ) -> Iterator[Considered]:
        best, told, newest = 0.0, list[str](), 0
        found = [row for _, _, row in judged]
        for sure, features, row in judged:
            verdict: Verdict = "told"
            item: Item | None = None
            if sure < told_from:
                verdict = "not sure enough"
            elif len(told) == MAX_ITEMS:
                verdict = "four are surer"
            elif sure < best - (CLIFF if row.created_us < newest else CLIFF_OF_NEWER):
                verdict = "far less sure than the first"
            else:
                row, verdict, item = self._told_for(row, found, told)
            best = max(best, sure)
            if verdict == "told":
                newest = max(newest, row.created_us)
            yield Considered(
                row=row, features=features, probability=sure, verdict=verdict, item=item
            )

    def _source_of(self, row: Row, found: Iterable[Row]) -> Row:
        """Of what was *found* as well, the memory that a short answer cites and repeats; else *row* itself."""
        if row.type != "assistant_response" or row.n_chars > _REPEATS:
            return row
        said = self._maker.body_of(row)
        cited, words = find_citations(said), _words_of(said)
        return next((one for one in found if one.id in cited and _is_repeated(one, words)), row)

    def _holding(self, row: Row) -> Row:
        """What has come in the place of *row*, in its project or in all; *row* itself if nothing has."""
        catalog, scopes = self._request.catalog, {row.project, self._request.project, ""}
        for _ in range(_MAX_SUCCESSORS):
            if not catalog.is_superseded(row):
                break
            following = [*catalog.successors(row), *self._named_by(row)]
            row = next((one for one in following if one.project in scopes), row)
        return row

    def _named_by(self, row: Row) -> Iterator[Row]:
        """What *row* itself says that it is superseded by."""
        stored = self._maker.stored(row)
        for edge in stored.entry.edges if stored else ():
            if edge.relation == "superseded_by":
                target = edge.target.strip("[] ").removeprefix("mem:")
                yield from self._request.catalog.by_id(target)

    def _told_for(
        self, row: Row, found: Iterable[Row], told: list[str]
    ) -> tuple[Row, Verdict, Item | None]:
        """What is told where *row* was found: its source if that can be told, and what holds of it."""
        source = self._holding(self._source_of(row, found))
        verdict, item = self._tell(source, told)
        if verdict == "no text" and source is not row:
            source = self._holding(row)
            verdict, item = self._tell(source, told)
        return source, verdict, item

    def _tell(self, row: Row, told: list[str]) -> tuple[Verdict, Item | None]:
        """*row* as it is told, if nothing is in the way, and then it is one of *told*."""
        if row.id in self._told or row.id in told:
            return "told already", None
        item = None
        if not self._is_kept_back(row):
            item = self._maker.item(row, max_tokens=ITEM_TOKENS, about=self._about)
        if item is None:
            is_superseded = self._request.catalog.is_superseded(row)
            return "superseded" if is_superseded else "no text", None
        told.append(row.id)
        return "told", item

    def _is_kept_back(self, row: Row) -> bool:
        """Whether *row* is of a turn of which the user wanted nothing to be remembered."""
        if row.kind != "event" or not row.session:
            return False
        prompts = EntryFilter(sessions=(row.session,), turn=row.turn, types=("user_prompt",))
        asked = self._request.catalog.find(prompts, limit=_MANY_PROMPTS)
        return any(self._sense_of(one) == "is private" for one in asked)

    def _sense_of(self, prompt: Row) -> Sense:
        rules = self._request.redactor.rules
        markers = (rules.marker, rules.private_marker)
        return sense_of(self._maker.body_of(prompt), n_chars=prompt.n_chars, markers=markers)


def _is_repeated(row: Row, words: set[str]) -> bool:
    """Whether a memory says in its title what *words* say, for the most part."""
    own = _words_of(row.title)
    return row.kind != "event" and 2 * len(own & words) >= len(own)


def _turn_of(row: Row) -> tuple[object, ...]:
    if row.kind == "event" and row.session and row.turn is not None:
        return row.session, row.turn
    return (row.docno,)


def _is_file(name: str) -> bool:
    last = name.rsplit("/", 1)[-1]
    return "." in last and not last.startswith(".") and not last.endswith(".")
