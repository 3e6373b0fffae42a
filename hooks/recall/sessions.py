"""The sessions of a project as work: what was wanted in them and what came of it, the newest session first.

Thanks, small talk, "continue" and commands of the assistant's own are turns of a file and none of the work; a session
of nothing else is no session here. The invariant: an answer stands with the question that it came of, so that
a turn that only goes on is part of the one it goes on with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from typing import Final

from ...indexer.catalog.entry_filter import EntryFilter
from ...indexer.catalog.row import Row
from ..tool_kinds import asks_user
from .calls import outcomes_of
from .items import ItemMaker
from .request import RecallRequest
from .steps import MAX_CHARS, Sense, sense_of

_MAX_SESSIONS: Final = 60  # are looked at, most of which may be small talk
_N_LATEST: Final = 400  # events of the last session, from its end
_N_BEFORE: Final = 60  # and of each before it
_N_PROMPTS: Final = 30  # besides, of one that is longer
_N_FIRST: Final = 5  # of them from its beginning
_N_TRIED: Final = 20  # calls of a turn that only goes on, of which one has to have done something
_SAYS_LITTLE: Final = 25  # characters of an answer such as "ok, continuing"


@dataclass(frozen=True, slots=True)
class Turn:
    """What was asked, what tools did about it, and what was answered; each oldest first."""

    prompts: tuple[Row, ...]  # those that want something
    tools: tuple[Row, ...]
    answers: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Session:
    """The end of a session, and what was asked at its beginning; without what was taken back."""

    turns: tuple[Turn, ...]  # oldest first, at least one
    prompts: tuple[Row, ...]  # oldest first, those at its beginning among them
    newest: Row

    @property
    def tools(self) -> list[Row]:
        return [row for turn in self.turns for row in turn.tools]

    @property
    def answers(self) -> list[Row]:
        return [row for turn in self.turns for row in turn.answers]


def past_sessions(request: RecallRequest, maker: ItemMaker) -> Iterator[Session]:
    """The sessions of the project in which there was work, but for the one that is told; the newest first."""
    reader = _Reader(request, maker)
    limit = _N_LATEST
    ended = request.catalog.newest_of_sessions(request.project, without=request.session)
    for newest in islice(ended, _MAX_SESSIONS):
        if found := reader.session_that_ends_with(newest, limit=limit):
            yield found
            limit = _N_BEFORE


class _Reader:
    """Reads sessions of one journal."""

    def __init__(self, request: RecallRequest, maker: ItemMaker) -> None:
        self._catalog, self._maker = request.catalog, maker
        rules = request.redactor.rules
        self._markers = (rules.marker, rules.private_marker)
        self._senses: dict[int, Sense] = {}

    def session_that_ends_with(self, newest: Row, *, limit: int) -> Session | None:
        """The session of its *newest* event; None where nobody asked anything in it, or nothing came of it."""
        before, _ = self._catalog.neighbours(newest, before=limit, after=0)
        rows = [row for row in (*before, newest) if _is_live(row)]
        beginning = self._prompts_before(before[0]) if len(before) == limit else []
        asked = [row for row in (*beginning, *rows) if row.type == "user_prompt"]
        turns = tuple(self._turns_that_count(rows)) if asked else ()
        wanting = tuple(row for row in asked if self._sense_of(row) == "wants")
        return Session(turns, wanting, newest) if turns else None

    def _prompts_before(self, row: Row) -> list[Row]:
        """The first prompts of its session and the last ones before *row*, oldest first."""
        wanted = EntryFilter(sessions=(row.session,), types=("user_prompt",), until=row.created)
        found = self._catalog.find(wanted, limit=_N_PROMPTS - _N_FIRST)[::-1]
        if len(found) == _N_PROMPTS - _N_FIRST:
            known = {one.docno for one in found}
            first = self._catalog.find(wanted, limit=_N_FIRST, newest_first=False)
            found = [*(one for one in first if one.docno not in known), *found]
        return [one for one in found if _is_live(one) and one.session == row.session]

    def _turns_that_count(self, rows: Sequence[Row]) -> list[Turn]:
        kept: list[Turn] = []
        for turn in _turns_of(rows):
            senses: list[Sense] = [self._sense_of(row) for row in turn.prompts]
            if not senses or "wants" in senses:
                wanting = zip(turn.prompts, senses, strict=True)
                prompts = tuple(row for row, sense in wanting if sense == "wants")
                kept.append(replace(turn, prompts=prompts))
            elif self._comes_to_something(turn, senses[-1]):
                if kept and senses[-1] != "is private":
                    kept[-1] = _with(kept[-1], turn)
                else:
                    kept.append(replace(turn, prompts=()))
        return kept

    def _comes_to_something(self, turn: Turn, sense: Sense) -> bool:
        """Whether there was work in a turn whose prompt names none."""
        if sense == "is nothing":
            return False
        if sense == "goes on" and any(row.n_chars >= _SAYS_LITTLE for row in turn.answers):
            return True
        if any(row.files for row in turn.answers) or any(asks_user(row.tool) for row in turn.tools):
            return True
        return bool(outcomes_of(turn.tools[-_N_TRIED:], body_of=self._maker.body_of))

    def _sense_of(self, row: Row) -> Sense:
        """What a prompt is to the work; most are not read for it."""
        if row.docno not in self._senses:
            is_whole = row.n_chars <= len(row.title)
            text = row.title if is_whole or row.n_chars > MAX_CHARS else self._maker.body_of(row)
            sense = sense_of(text, n_chars=row.n_chars, markers=self._markers)
            self._senses[row.docno] = sense
        return self._senses[row.docno]


def _with(turn: Turn, more: Turn) -> Turn:
    return Turn(turn.prompts, (*turn.tools, *more.tools), (*turn.answers, *more.answers))


def _is_live(row: Row) -> bool:
    return row.branch == "" and row.kind == "event"


def _turns_of(rows: Sequence[Row]) -> Iterator[Turn]:
    for _, group in groupby(rows, key=lambda row: row.turn):
        of_turn = list(group)
        turn = Turn(
            *(
                tuple(row for row in of_turn if row.type == type_)
                for type_ in ("user_prompt", "tool_output", "assistant_response")
            )
        )
        if turn.prompts or turn.tools or turn.answers:
            yield turn
