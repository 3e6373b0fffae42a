"""What an assistant is told when a session starts: rules, decisions, what the user wants, open work, the last session.

Everything in it is quoted, whole sentences with their citations, from what the journal says; nothing is
concluded. It is made while the assistant waits, so that it reads few files and asks indexes only.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Final

from ...indexer.catalog.catalog import Catalog
from ...indexer.catalog.entry_filter import EntryFilter
from ...indexer.catalog.row import Row
from .claims import Claim, claim_of, overrules
from .items import Item, ItemMaker
from .recalled import Recalled
from .request import RecallRequest
from .said import Parts, Places, Said, Sayings, choices_of, overruling
from .sections import Line, Section, assemble
from .sentences import may_state_decision, names_decision
from .sessions import Session, past_sessions
from .timeline import (
    asked_last,
    end_of,
    heading_of,
    last_session,
    open_tasks,
    says_something,
    still_failing,
)
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
_RULE_TOKENS: Final = 50
_FACT_TOKENS: Final = 60
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
    said = Sayings(sessions, maker, hidden=request.redactor.rules.marker)
    held = (*rules, *facts)
    set_down = {item.id: Said.since(item.created, claim_of(item.quote)) for item in held}
    since, wishes = _beside(held, set_down, said.for_good(list(set_down.values())), known)
    tasks = [item for item in open_tasks(request, maker) if known.is_new(item)]
    failing = still_failing(sessions, request, maker=maker)
    last = last_session(sessions, maker) if sessions else None
    ended = list(_told_of(last, failing, said, maker, known)) if last else []
    told = (*held, *chain(*since.values()), *wishes, *tasks, *(one.item for one in ended))
    language = language_of(item.quote for item in told)
    wording = WORDINGS[language]
    heading = heading_of(last, wording.session, request=request, language=language) if last else ""
    sections = (
        Section(
            heading=wording.rules,
            lines=list(_below_what_was_said_since(rules, since, language)),
            share=_SHARES["rules"],
        ),
        Section(
            heading=wording.decisions,
            lines=list(_below_what_was_said_since(facts, since, language)),
            share=_SHARES["facts"],
        ),
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
    ids: set[str] = field(default_factory=set)
    _quotes: set[str] = field(default_factory=set)

    def is_new(self, item: Item) -> bool:
        """Whether neither the memory nor its words were chosen before; from now on they were."""
        words = "".join(filter(str.isalnum, item.quote.casefold()))
        if item.id in self.ids or words in self._quotes:
            return False
        self.ids.add(item.id)
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


# --- rules and what was said since -----------------------------------------------------------------


def _beside(
    held: Sequence[Item],
    set_down: Mapping[str, Said],
    said: Iterable[tuple[Item, Sequence[Claim]]],
    known: _Known,
) -> tuple[dict[str, list[Item]], list[Item]]:
    """What of *said* came after one that is *held* and overrules it, by its id; and the rest."""
    since: dict[str, list[Item]] = {}
    rest: list[Item] = []
    for item, claims in said:
        if not known.is_new(item):
            continue
        over = (
            one.id
            for one in held
            if item.created > one.created
            and any(overrules(claim, set_down[one.id].claim) for claim in claims)
        )
        if first := next(over, None):
            since.setdefault(first, []).append(item)
        else:
            rest.append(item)
    return since, rest


def _below_what_was_said_since(
    items: Iterable[Item], since: Mapping[str, Sequence[Item]], language: Language
) -> Iterator[Line]:
    """*items*, which were set down on purpose and may be over all the same, each below what came after it."""
    for item in items:
        for one in since.get(item.id, ()):
            yield Line.of(one, language, lead="said_since", with_place=True)
        yield Line.of(item, language)


# --- the last session -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Ended:
    """What is told of the end of a session."""

    lead: Lead
    item: Item
    is_of_last: bool = True

    def line(self, language: Language) -> Line:
        return Line.of(self.item, language, lead=self.lead, with_place=not self.is_of_last)


def _told_of(
    session: Session,
    failing: tuple[Row, Session] | None,
    said: Sayings,
    maker: ItemMaker,
    known: _Known,
) -> Iterator[_Ended]:
    """What is told of the last *session*, the most worth first: its end, its decisions, its beginning."""
    if failing:
        row, failed_in = failing
        item = maker.item(row)
        if item is not None and known.is_new(item):
            yield _Ended("failing", item, is_of_last=failed_in is session)
    for lead, item in _candidates(session, said, maker, told=known.ids):
        if item is not None and known.is_new(item):
            yield _Ended(lead, item)


def _candidates(
    session: Session, said: Sayings, maker: ItemMaker, *, told: Container[str]
) -> Iterator[tuple[Lead, Item | None]]:
    end = end_of(session, maker, told=told)
    turn = session.turns[end]
    if last := asked_last(session, end, text_of=maker.text_of):
        is_unanswered = last in turn.prompts and not turn.answers
        yield (
            "unanswered" if is_unanswered else "asked_last",
            maker.item(last, max_tokens=_PROMPT_TOKENS),
        )
    if turn.answers and says_something(turn.answers[-1], maker):
        yield "stopped", maker.item(turn.answers[-1], max_tokens=_END_TOKENS)
    for decided in islice(_decided_in(session, said, maker), _N_DECIDED):
        yield "decided", decided
    if session.prompts:
        yield "asked_first", maker.item(session.prompts[0], max_tokens=_PROMPT_TOKENS)


def _decided_in(session: Session, said: Sayings, maker: ItemMaker) -> Iterator[Item]:
    """The last decisions that answers and prompts state, and choices that the user was asked for.

    In the place of what the user overruled since stands what was said instead; of two about the same the later.
    """
    rows = [*session.answers, *session.prompts, *choices_of(session)]
    rows.sort(key=lambda row: (row.created_us, row.offset))
    later = list(said.later)
    told: set[int] = set()
    for row in reversed(rows[-_N_LOOKED_AT:]):
        body = maker.body_of(row)
        if not (row.type == "tool_output" or may_state_decision(body)):
            continue
        find = _decisions_of_user if row.type == "user_prompt" else _decisions
        parts = Parts.of(row, maker.text_of(row), find, hidden=said.hidden)
        claims = parts.claims
        for instead in _said_instead(row, claims, later, said, maker):
            if instead.docno not in told:
                told.add(instead.docno)
                if item := maker.item(instead, max_tokens=_PROMPT_TOKENS):
                    yield item
        quote = parts.holding(row, later).quote(max_tokens=_DECISION_TOKENS)
        later[:0] = [Said.by(row, claim) for claim in claims]
        item = maker.item(row, quote=quote) if quote else None
        if item is not None:
            yield item


def _said_instead(
    row: Row, claims: Iterable[Claim], later: Sequence[Said], said: Sayings, maker: ItemMaker
) -> Iterator[Row]:
    """The prompts that overruled what *row* *claims*, and that nothing overruled since."""
    for claim in claims:
        over = overruling(later, row, claim)
        if over is None or over.row is None or over.row.type != "user_prompt":
            continue
        is_shown = said.hidden not in maker.text_of(over.row)
        if is_shown and overruling(said.later, over.row, over.claim) is None:
            yield over.row


def _decisions(sentences: Sequence[str]) -> Places:
    return [(at,) for at, one in enumerate(sentences) if names_decision(one)]


def _decisions_of_user(sentences: Sequence[str]) -> Places:
    return [(at,) for at, one in enumerate(sentences) if names_decision(one, by_user=True)]
