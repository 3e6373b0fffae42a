"""What an assistant is told when a session starts: rules, decisions, open work, and the last session.

Everything in it is quoted, whole sentences with their citations, from what the journal says; nothing is
concluded. It is made while the assistant waits, so that it reads few files and asks indexes only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
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
from .sentences import may_state_decision, sentences_of, states_decision, telling_part
from .timeline import (
    Session,
    asked_last,
    heading_of,
    last_session,
    open_tasks,
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
_RULE_TOKENS: Final = 50
_FACT_TOKENS: Final = 60
_PROMPT_TOKENS: Final = 45
_DECISION_TOKENS: Final = 60
_END_TOKENS: Final = 80
_SHARES: Final = {"rules": 0.25, "facts": 0.35, "tasks": 0.15, "session": 0.25}
"""Of the budget. A judgement: what holds is of use to any prompt, and what one leaves the others get."""


def make_brief(request: RecallRequest) -> Recalled:
    """What the journal knows that a session should begin with; nothing where there is nothing.

    In the order of worth: rules of the project and general ones, decisions and lessons that hold, open
    tasks, the last session.
    """
    maker = request.maker()
    known = _Known(maker)
    rules, facts = known.rules_and_facts(request.catalog, request.project)
    tasks = [item for item in open_tasks(request, maker) if known.is_new(item)]
    last = last_session(request)
    ended = list(_told_of(last, maker, known)) if last else []
    told = (*rules, *facts, *tasks, *(item for _, item in ended))
    language = language_of(item.quote for item in told)
    wording = WORDINGS[language]
    heading = heading_of(last, wording.session, now=request.now, language=language) if last else ""
    of_session = [Line.of(item, language, lead=lead) for lead, item in ended]
    sections = (
        _section(wording.rules, rules, language, share=_SHARES["rules"]),
        _section(wording.decisions, facts, language, share=_SHARES["facts"]),
        _section(wording.tasks, tasks, language, share=_SHARES["tasks"]),
        Section(heading=heading, lines=of_session, share=_SHARES["session"]),
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
    """What of the journal was chosen already, so that nothing is told twice or after it was superseded."""

    maker: ItemMaker
    _superseded: set[str] = field(default_factory=set)  # ids, and paths of those written by hand
    _ids: set[str] = field(default_factory=set)
    _quotes: set[str] = field(default_factory=set)

    def is_new(self, item: Item) -> bool:
        """Whether neither the memory nor its words were chosen before; from now on they were."""
        words = "".join(filter(str.isalnum, item.quote.casefold()))
        if item.id in self._ids | self._superseded or words in self._quotes:
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
        told = self._items(rules, max_tokens=_RULE_TOKENS)  # only now is known what is superseded
        return list(told), list(self._items(facts, max_tokens=_FACT_TOKENS))

    def _by_importance(self, rows: list[Row]) -> list[Row]:
        """*rows*, which are the newest first, by importance; what they supersede is noted."""
        importance: dict[int, float] = {}
        for row in rows:
            stored = self.maker.stored(row)
            importance[row.docno] = stored.entry.importance if stored else 0.0
            for edge in stored.entry.edges if stored else ():
                if edge.relation == "supersedes":
                    self._superseded.add(edge.target.strip("[]").removeprefix("mem:"))
        return sorted(rows, key=lambda row: -importance[row.docno])

    def _items(self, rows: Iterable[Row], *, max_tokens: int) -> Iterator[Item]:
        n_told = 0
        for row in rows:
            if n_told == _N_TOLD:
                return
            if row.id in self._superseded or row.path in self._superseded:
                continue
            item = self.maker.item(row, max_tokens=max_tokens)
            if item is not None and self.is_new(item):
                n_told += 1
                yield item


# --- the last session -------------------------------------------------------------------------


def _told_of(session: Session, maker: ItemMaker, known: _Known) -> Iterator[tuple[Lead, Item]]:
    """What is told of a session, the most worth first: its end, its decisions, its beginning."""
    for lead, item in _candidates(session, maker):
        if item is not None and known.is_new(item):
            yield lead, item


def _candidates(session: Session, maker: ItemMaker) -> Iterator[tuple[Lead, Item | None]]:
    if failed := still_failing(session, body_of=maker.body_of):
        yield "failing", maker.item(failed)
    if last := asked_last(session, text_of=maker.text_of):
        end = session.turns[-1]
        is_unanswered = last in end.prompts and not end.answers
        yield (
            "unanswered" if is_unanswered else "asked_last",
            maker.item(last, max_tokens=_PROMPT_TOKENS),
        )
    if session.answers:
        yield "stopped", maker.item(session.answers[-1], max_tokens=_END_TOKENS)
    for decided in _decided_in(session, maker):
        yield "decided", decided
    yield "asked_first", maker.item(session.first_prompt, max_tokens=_PROMPT_TOKENS)


def _decided_in(session: Session, maker: ItemMaker) -> Iterator[Item]:
    """The last decisions that answers and prompts state, and choices that the user was asked for."""
    rows = [*session.answers, *session.prompts]
    rows += [row for row in session.tools if asks_user(row.tool) and row.outcome == "ok"]
    rows.sort(key=lambda row: (row.created_us, row.offset))
    n_found = 0
    for row in reversed(rows[-_N_LOOKED_AT:]):
        stored = maker.stored(row)
        if stored is None or not (
            row.type == "tool_output" or may_state_decision(stored.entry.body)
        ):
            continue
        quote = telling_part(_decisions_in(row, maker.text_of(row)), max_tokens=_DECISION_TOKENS)
        item = maker.item(row, quote=quote) if quote else None
        if item is not None:
            yield item
            n_found += 1
        if n_found == _N_DECIDED:
            return


def _decisions_in(row: Row, text: str) -> list[str]:
    if row.type == "tool_output":
        return choices_in(text)
    by_user = row.type == "user_prompt"
    return [one for one in sentences_of(text) if states_decision(one, by_user=by_user)]
