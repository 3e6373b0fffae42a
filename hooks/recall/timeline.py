"""The last session of a project: its turns, what they came to, and where it stopped.

It answers "continue" and ``이어서``, which name nothing that could be searched for. What is done or given up
is never told as if it were open.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Final

from ...indexer.catalog.catalog import Catalog
from ...indexer.catalog.entry_filter import EntryFilter
from ...indexer.catalog.row import Row
from .calls import command_in, outcomes_of
from .items import Item, ItemMaker
from .recalled import Recalled
from .request import RecallRequest
from .sections import Line, Section, assemble
from .tokens import count_tokens
from .wording import WORDINGS, Language, Lead, language_of

OPEN: Final = ("pending", "in_progress", "blocked")
"""The states of a task that is still to be done."""

_LOOKED_AT: Final = 50  # of the newest events of a project; the session with a prompt among them
_N_LATEST: Final = 400  # events of a session, from its end
_N_FIRST: Final = 20  # and from its beginning
_BEFORE_ALL: Final = -(2**62)  # microseconds
_N_TURNS: Final = 4
_N_ASKED: Final = 20  # prompts, among which is one that says what it wants
_SAYS_LITTLE: Final = 4  # tokens of a prompt such as "go on"
_PROMPT_TOKENS: Final = 45
_ANSWER_TOKENS: Final = 80
_TASK_TOKENS: Final = 45
_N_TASKS: Final = 12


@dataclass(frozen=True, slots=True)
class Turn:
    """What was asked, what tools did about it, and what was answered; each oldest first."""

    prompts: tuple[Row, ...]
    tools: tuple[Row, ...]
    answers: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Session:
    """The end of a session, and its first prompt; without what was taken back."""

    turns: tuple[Turn, ...]  # oldest first
    first_prompt: Row
    newest: Row

    @property
    def tools(self) -> list[Row]:
        return [row for turn in self.turns for row in turn.tools]

    @property
    def prompts(self) -> list[Row]:
        return [row for turn in self.turns for row in turn.prompts]

    @property
    def answers(self) -> list[Row]:
        return [row for turn in self.turns for row in turn.answers]


def last_session(request: RecallRequest) -> Session | None:
    """The session of the project in which something was asked last, but for the one that is told."""
    wanted = EntryFilter(
        projects=(request.project,), kinds=("event",), without_session=request.session
    )
    rows = request.catalog.find(wanted, limit=_LOOKED_AT)
    seen: set[str] = set()
    for row in rows:
        if row.session and row.session not in seen:
            seen.add(row.session)
            if found := _session_that_ends_with(request.catalog, row):
                return found
    return None


def _session_that_ends_with(catalog: Catalog, newest: Row) -> Session | None:
    """The session of its *newest* event; None where nobody asked anything in it."""
    before, _ = catalog.neighbours(newest, before=_N_LATEST, after=0)
    rows = [row for row in (*before, newest) if _is_live(row)]
    beginning = rows
    if len(before) == _N_LATEST:
        start = replace(newest, created_us=_BEFORE_ALL)
        _, beginning = catalog.neighbours(start, before=0, after=_N_FIRST)
    asked = (row for row in (*beginning, *rows) if row.type == "user_prompt" and _is_live(row))
    first = next(asked, None)
    return Session(tuple(_turns_of(rows)), first, newest) if first else None


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


def still_failing(session: Session, *, body_of: Callable[[Row], str]) -> Row | None:
    """The command that failed last in *session* and was not run with success since; None where all is well.

    Only the last turn that tried something counts: what was left failing before was gone on from.
    """
    for turn in reversed(session.turns):
        ended = outcomes_of(turn.tools, body_of=body_of)
        if ended:
            failed = [row for row, how in ended if how == "error" and command_in(body_of(row))]
            return max(failed, key=lambda row: (row.created_us, row.offset), default=None)
    return None


def asked_last(session: Session, *, text_of: Callable[[Row], str]) -> Row | None:
    """The last prompt that says what it wants, rather than "go on" or ``응``."""
    prompts = session.prompts[-_N_ASKED:]
    says = (row for row in reversed(prompts) if count_tokens(text_of(row)[:200]) > _SAYS_LITTLE)
    return next(says, prompts[-1] if prompts else None)


def open_tasks(
    request: RecallRequest, maker: ItemMaker, *, without: Container[str] = ()
) -> list[Item]:
    """The tasks of the project that are to be done, those in progress first, the newest first."""
    wanted = EntryFilter(projects=(request.project,), kinds=("task",), types=OPEN)
    rows = request.catalog.find(wanted, limit=2 * _N_TASKS)
    rows.sort(key=lambda row: row.type != "in_progress")
    items = (maker.item(row, max_tokens=_TASK_TOKENS) for row in rows if row.id not in without)
    return [item for item in items if item is not None][:_N_TASKS]


def heading_of(session: Session, template: str, *, now: datetime, language: Language) -> str:
    """When and which: the heading that stands above a session."""
    when = f"{session.newest.created.astimezone(now.tzinfo):%Y-%m-%d %H:%M}"
    name = WORDINGS[language].of_session.format(session=session.newest.session[:8])
    return template.format(when=when, session=name)


def recent_timeline(request: RecallRequest, *, told: Container[str] = ()) -> Recalled:
    """The last turns of the last session, what is still failing, and what is to be done.

    The memories that the session was *told* already are left out.
    """
    maker = request.maker()
    last = last_session(request)
    said = list(_said_in(last, maker, told)) if last else []
    tasks = open_tasks(request, maker, without=told)
    language = language_of(item.quote for lead, item in said if lead != "failing")
    wording = WORDINGS[language]
    heading = heading_of(last, wording.turns, now=request.now, language=language) if last else ""
    sections = (
        Section(
            heading=heading,
            lines=[Line.of(item, language, lead=lead) for lead, item in said],
            share=0.7,
        ),
        Section(
            heading=wording.tasks,
            lines=[Line.of(item, language) for item in tasks],
            share=0.3,
        ),
    )
    return assemble(
        sections,
        reason="continuation",
        language=language,
        max_tokens=request.max_tokens,
        fits=request.fits,
    )


def _said_in(
    session: Session, maker: ItemMaker, told: Container[str]
) -> Iterator[tuple[Lead, Item]]:
    """What is still failing, then the prompt and the last answer of the last turns, the newest turn first."""
    failed = still_failing(session, body_of=maker.body_of)
    if failed and failed.id not in told and (item := maker.item(failed)):
        yield "failing", item
    for turn in reversed(session.turns[-_N_TURNS:]):
        for row in (*turn.prompts[-1:], *turn.answers[-1:]):
            if row.id in told:
                continue
            is_answer = row.type == "assistant_response"
            item = maker.item(row, max_tokens=_ANSWER_TOKENS if is_answer else _PROMPT_TOKENS)
            if item is not None:
                yield "answered" if is_answer else "asked", item
