"""What an assistant is told when a session starts: rules, decisions, what the user wants, open work, the last session.

Everything in it is quoted, whole sentences with their citations, from what the journal says; nothing is
concluded. It is made while the assistant waits, so that it reads few files and asks indexes only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Final

from ...indexer.catalog.catalog import Catalog
from ...indexer.catalog.entry_filter import EntryFilter
from ...indexer.catalog.row import Row
from ..tool_kinds import asks_user
from .calls import choices_in
from .items import Item, ItemMaker
from .recalled import Recalled
from .request import RecallRequest
from .sections import Line, Section, assemble
from .sentences import fills, may_state_decision, sentences_of, states_decision, telling_part
from .sessions import Session, past_sessions
from .standing import is_about_the_same, states_standing, words_of
from .steps import MAX_CHARS, is_acknowledgement
from .timeline import asked_last, heading_of, open_tasks, still_failing
from .wording import WORDINGS, Language, Lead, language_of

HOLDING: Final = ("decision", "constraint", "preference", "lesson")
"""The types of facts that hold until they are superseded."""

FOR_ALL: Final = ("preference",)
"""Those of them that are told in every project where they belong to none."""

_N_RULES: Final = 12  # the newest are read; of them the most important are told
_N_FACTS: Final = 30
_N_TOLD: Final = 10
_N_DECIDED: Final = 3
_N_LOOKED_AT: Final = 20  # the last of a session, in which decisions are looked for
_N_SESSIONS: Final = 6  # the last ones, in which is looked for what the user said for good
_N_SAID: Final = 8
_N_READ: Final = 24  # prompts that are read for it; of most the title tells that they do not say it
_LONGEST_READ: Final = 600  # characters
_RULE_TOKENS: Final = 50
_FACT_TOKENS: Final = 60
_SAID_TOKENS: Final = 45
_PROMPT_TOKENS: Final = 45
_DECISION_TOKENS: Final = 60
_END_TOKENS: Final = 80
_SHARES: Final = {"rules": 0.2, "facts": 0.3, "said": 0.15, "tasks": 0.1, "session": 0.25}
"""Of the budget. A judgement: what holds is of use to any prompt, and what one leaves the others get."""


def make_brief(request: RecallRequest) -> Recalled:
    """What the journal knows that a session should begin with; nothing where there is nothing.

    In the order of worth: rules of the project and general ones, decisions and lessons that hold, what the
    user said lately on how things are to be, open tasks, the last session.
    """
    maker = request.maker()
    known = _Known(maker)
    rules, facts = known.rules_and_facts(request.catalog, request.project)
    sessions = list(islice(past_sessions(request, maker), _N_SESSIONS))
    wishes = list(_said_for_good(sessions, maker, known, [*rules, *facts]))
    tasks = [item for item in open_tasks(request, maker) if known.is_new(item)]
    ended = list(_told_of(sessions, maker, known)) if sessions else []
    told = (*rules, *facts, *wishes, *tasks, *(one.item for one in ended))
    language = language_of(item.quote for item in told)
    wording = WORDINGS[language]
    heading = ""
    if sessions:
        heading = heading_of(sessions[0], wording.session, request=request, language=language)
    sections = (
        _section(wording.rules, rules, language, share=_SHARES["rules"]),
        _section(wording.decisions, facts, language, share=_SHARES["facts"]),
        _section(wording.said, wishes, language, share=_SHARES["said"]),
        _section(wording.tasks, tasks, language, share=_SHARES["tasks"]),
        Section(
            heading=heading,
            lines=[one.line(language) for one in ended],
            share=_SHARES["session"],
        ),
    )
    return assemble(
        sections,
        tail=wording.more,
        reason="brief",
        language=language,
        max_tokens=request.max_tokens,
        fits=request.fits,
    )


def _section(heading: str, items: Iterable[Item], language: Language, *, share: float) -> Section:
    return Section(heading=heading, lines=[Line.of(item, language) for item in items], share=share)


@dataclass(slots=True)
class _Known:
    """What of the journal was chosen already, so that nothing is told twice."""

    maker: ItemMaker
    _ids: set[str] = field(default_factory=set)
    _quotes: set[str] = field(default_factory=set)

    def is_new(self, item: Item) -> bool:
        """Whether neither the memory nor its words were chosen before; from now on they were."""
        words = "".join(filter(str.isalnum, item.quote.casefold()))
        if item.id in self._ids or words in self._quotes:
            return False
        self._ids.add(item.id)
        self._quotes.add(words)
        return True

    def rules_and_facts(self, catalog: Catalog, project: str) -> tuple[list[Item], list[Item]]:
        """What holds for *project*, and then for all: the most important first, of equals the newest."""

        def find(scope: str, kind: str, types: tuple[str, ...], limit: int) -> list[Row]:
            wanted = EntryFilter(projects=(scope,), kinds=(kind,), types=types)
            return self._by_importance(catalog.find(wanted, limit=limit))

        rules = find(project, "rule", (), _N_RULES)
        facts = find(project, "fact", HOLDING, _N_FACTS)
        if project:
            rules += find("", "rule", (), _N_RULES)
            facts += find("", "fact", FOR_ALL, _N_RULES)
        told = list(self._items(rules, max_tokens=_RULE_TOKENS))
        return told, list(self._items(facts, max_tokens=_FACT_TOKENS))

    def _by_importance(self, rows: list[Row]) -> list[Row]:
        """*rows*, which are the newest first, by importance."""
        importance: dict[int, float] = {}
        for row in rows:
            stored = self.maker.stored(row)
            importance[row.docno] = stored.entry.importance if stored else 0.0
        return sorted(rows, key=lambda row: -importance[row.docno])

    def _items(self, rows: Iterable[Row], *, max_tokens: int) -> Iterator[Item]:
        n_told = 0
        for row in rows:
            if n_told == _N_TOLD:
                return
            item = self.maker.item(row, max_tokens=max_tokens)
            if item is not None and self.is_new(item):
                n_told += 1
                yield item


# --- what the user said for good ----------------------------------------------------------------


def _said_for_good(
    sessions: Sequence[Session], maker: ItemMaker, known: _Known, held: Sequence[Item]
) -> Iterator[Item]:
    """What the user decided, chose or wants from now on, the newest first.

    Of what is about the same the newest is told alone, and nothing where what is *held* came later.
    """
    later = [(item.created, words_of(item.quote)) for item in held]
    n_told = 0
    for item in _statements_in(sessions, maker):
        words = words_of(item.quote)
        if any(at >= item.created and is_about_the_same(one, words) for at, one in later):
            continue
        later.append((item.created, words))
        if known.is_new(item):
            yield item
            n_told += 1
        if n_told == _N_SAID:
            return


def _statements_in(sessions: Sequence[Session], maker: ItemMaker) -> Iterator[Item]:
    n_read = 0
    for session in sessions:
        rows = [*session.prompts, *_choices(session)]
        rows.sort(key=lambda row: (row.created_us, row.offset), reverse=True)
        for row in rows:
            if not _may_state(row):
                continue
            n_read += 1
            if n_read > _N_READ:
                return
            if not _part(row, maker.body_of(row), states_standing, max_tokens=_SAID_TOKENS):
                continue
            text = maker.text_of(row)  # which takes longer, as it passes redaction and screening
            quote = _part(row, text, states_standing, max_tokens=_SAID_TOKENS)
            item = maker.item(row, quote=quote) if quote else None
            if item is not None:
                yield item


def _may_state(row: Row) -> bool:
    """Whether *row* is worth reading; of a short prompt the title is all that it says."""
    if row.type == "tool_output":
        return True
    is_whole = row.n_chars <= len(row.title)
    return states_standing(row.title) if is_whole else row.n_chars <= _LONGEST_READ


def _choices(session: Session) -> list[Row]:
    return [row for row in session.tools if asks_user(row.tool) and row.outcome == "ok"]


def _part(row: Row, text: str, is_meant: Callable[[str], bool], *, max_tokens: int) -> str:
    """The sentences of *text* that are meant, or what was chosen; "" where it says neither."""
    if row.type == "tool_output":
        return telling_part(choices_in(text), max_tokens=max_tokens)
    sentences = sentences_of(text)
    meant = [at for at, one in enumerate(sentences) if is_meant(one)]
    return telling_part(sentences, max_tokens=max_tokens, only=meant) if meant else ""


# --- the last session -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Ended:
    """What is told of the end of a session."""

    lead: Lead
    item: Item
    is_of_last: bool = True

    def line(self, language: Language) -> Line:
        return Line.of(self.item, language, lead=self.lead, with_place=not self.is_of_last)


def _told_of(sessions: Sequence[Session], maker: ItemMaker, known: _Known) -> Iterator[_Ended]:
    """What is told of the last of *sessions*, the most worth first: its end, its decisions, its beginning."""
    if failing := still_failing(sessions, body_of=maker.body_of):
        row, session = failing
        item = maker.item(row)
        if item is not None and known.is_new(item):
            yield _Ended("failing", item, is_of_last=session is sessions[0])
    for lead, item in _candidates(sessions[0], maker):
        if item is not None and known.is_new(item):
            yield _Ended(lead, item)


def _candidates(session: Session, maker: ItemMaker) -> Iterator[tuple[Lead, Item | None]]:
    end = session.turns[-1]
    if last := asked_last(session, text_of=maker.text_of):
        is_unanswered = last in end.prompts and not end.answers
        yield (
            "unanswered" if is_unanswered else "asked_last",
            maker.item(last, max_tokens=_PROMPT_TOKENS),
        )
    if end.answers and _says_something(end.answers[-1], maker):
        yield "stopped", maker.item(end.answers[-1], max_tokens=_END_TOKENS)
    for decided in _decided_in(session, maker):
        yield "decided", decided
    if session.prompts:
        yield "asked_first", maker.item(session.prompts[0], max_tokens=_PROMPT_TOKENS)


def _says_something(answer: Row, maker: ItemMaker) -> bool:
    """Whether an answer is more than "Ok."."""
    if answer.n_chars > MAX_CHARS:
        return True
    text = maker.text_of(answer)
    return not is_acknowledgement(text) and not all(map(fills, sentences_of(text)))


def _decided_in(session: Session, maker: ItemMaker) -> Iterator[Item]:
    """The last decisions that answers and prompts state, and choices that the user was asked for."""
    rows = [*session.answers, *session.prompts, *_choices(session)]
    rows.sort(key=lambda row: (row.created_us, row.offset))
    n_found = 0
    for row in reversed(rows[-_N_LOOKED_AT:]):
        stored = maker.stored(row)
        if stored is None or not (
            row.type == "tool_output" or may_state_decision(stored.entry.body)
        ):
            continue
        is_meant = partial(states_decision, by_user=row.type == "user_prompt")
        quote = _part(row, maker.text_of(row), is_meant, max_tokens=_DECISION_TOKENS)
        item = maker.item(row, quote=quote) if quote else None
        if item is not None:
            yield item
            n_found += 1
        if n_found == _N_DECIDED:
            return
