"""Where the last sessions of a project stopped: what still fails, what was asked last, what is to be done.

It answers "continue" and ``이어서``, which name nothing that could be searched for. What is done or given up
is never told as if it were open, and a turn is told with its question and its answer, or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final

from ...indexer.catalog.entry_filter import EntryFilter
from ...indexer.catalog.row import Row
from ..capture import is_wanted
from ..happening import ToolUsed
from .calls import command_in, outcomes_of
from .items import SHORT_ID, Item, ItemMaker
from .recalled import Recalled
from .request import RecallRequest
from .safety import safe_name
from .sections import Line, Section, assemble
from .sessions import Session, Turn, past_sessions
from .steps import is_routine
from .wording import WORDINGS, Language, language_of

OPEN: Final = ("pending", "in_progress", "blocked")
"""The states of a task that is still to be done."""

_N_TURNS: Final = 4
_N_FAILING: Final = (
    3  # sessions, in the last of which that tried something a command may have failed
)
_N_ASKED: Final = 20  # prompts, among which is one that says what it wants
_PROMPT_TOKENS: Final = 45
_ANSWER_TOKENS: Final = 80
_TASK_TOKENS: Final = 45
_N_TASKS: Final = 12


def still_failing(
    sessions: Iterable[Session], *, body_of: Callable[[Row], str]
) -> tuple[Row, Session] | None:
    """The command that failed last in *sessions*, newest first, and was not run with success since.

    Only the last turn that tried something counts: what was left failing before was gone on from. None where
    all is well, or may be: a success is kept of tests and their like alone, so that any other command which
    failed in a session may have been mended in a later one that changed a file.
    """
    may_be_mended = False
    for session in islice(sessions, _N_FAILING):
        for turn in reversed(session.turns):
            if ended := outcomes_of(turn.tools, body_of=body_of):
                failed = [row for row, how in ended if how == "error" and command_in(body_of(row))]
                last = max(failed, key=lambda row: (row.created_us, row.offset), default=None)
                if last is None or (may_be_mended and not _is_always_kept(last, body_of(last))):
                    return None
                return last, session
        may_be_mended = may_be_mended or any(row.files for row in session.answers)
    return None


def _is_always_kept(row: Row, body: str) -> bool:
    """Whether of such a call a success is written down as well, in whatever session."""
    succeeded = ToolUsed(
        session=row.session,
        cwd="",
        name=row.tool,
        given={"command": command_in(body)},
        result="",
        outcome="ok",
        key="",
    )
    return is_wanted(succeeded, "outcomes")


def asked_last(session: Session, *, text_of: Callable[[Row], str]) -> Row | None:
    """The last prompt that names what it wants, rather than a routine step; of routine steps the last."""
    prompts = session.prompts[-_N_ASKED:]
    names = (row for row in reversed(prompts) if not is_routine(text_of(row)))
    return next(names, prompts[-1] if prompts else None)


def open_tasks(
    request: RecallRequest, maker: ItemMaker, *, without: Container[str] = ()
) -> list[Item]:
    """The tasks of the project that are to be done, those in progress first, the newest first."""
    wanted = EntryFilter(projects=(request.project,), kinds=("task",), types=OPEN)
    newest = request.catalog.find(wanted, limit=2 * _N_TASKS)
    rows = sorted(newest, key=lambda row: row.type != "in_progress")
    items = (maker.item(row, max_tokens=_TASK_TOKENS) for row in rows if row.id not in without)
    return [item for item in items if item is not None][:_N_TASKS]


def heading_of(
    session: Session, template: str, *, request: RecallRequest, language: Language
) -> str:
    """When and which: the heading that stands above a session."""
    when = f"{session.newest.created.astimezone(request.now.tzinfo):%Y-%m-%d %H:%M}"
    called = safe_name(session.newest.session[:SHORT_ID], request.redactor)
    name = WORDINGS[language].of_session.format(session=called)
    return template.format(when=when, session=name)


def recent_timeline(request: RecallRequest, *, told: Container[str] = ()) -> Recalled:
    """The last turns of the last session, what is still failing, and what is to be done.

    What the session was *told* already is left out, and with half of a turn the other half.
    """
    maker = request.maker()
    sessions = past_sessions(request, maker)
    last = next(sessions, None)
    failing = still_failing(chain((last,), sessions), body_of=maker.body_of) if last else None
    failed = _failed_item(failing, maker, told)
    turns = list(_turns_told(last, maker, told)) if last else []
    tasks = open_tasks(request, maker, without=told)
    said = [item for turn in turns for item in (turn.asked, turn.answered) if item]
    language = language_of(item.quote for item in (*said, *tasks))
    wording = WORDINGS[language]
    heading = ""
    if last:
        is_newest = bool(turns) and turns[0].turn is last.turns[-1]
        template = wording.turns if is_newest else wording.earlier_turns
        heading = heading_of(last, template, request=request, language=language)
    lines = [turn.line(language) for turn in turns]
    if failing and failed:
        is_of_last = failing[1] is last
        lines.insert(0, Line.of(failed, language, lead="failing", with_place=not is_of_last))
    sections = (
        Section(heading=heading, lines=lines, share=0.7),
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


def _failed_item(
    failing: tuple[Row, Session] | None, maker: ItemMaker, told: Container[str]
) -> Item | None:
    return maker.item(failing[0]) if failing and failing[0].id not in told else None


@dataclass(frozen=True, slots=True)
class _TurnTold:
    """A turn as it is told: whole."""

    turn: Turn
    asked: Item | None  # None where it was asked in an earlier session to go on
    answered: Item | None  # None where nothing was answered

    def line(self, language: Language) -> Line:
        asked = [Line.of(self.asked, language, lead="asked")] if self.asked else []
        answered = [Line.of(self.answered, language, lead="answered")] if self.answered else []
        return Line.together((*asked, *answered))


def _turns_told(session: Session, maker: ItemMaker, told: Container[str]) -> Iterator[_TurnTold]:
    """The last turns, the newest first, of which nothing was *told*."""
    for turn in reversed(session.turns[-_N_TURNS:]):
        asked, answered = turn.prompts[-1:], turn.answers[-1:]
        if not (asked or answered) or any(row.id in told for row in (*asked, *answered)):
            continue
        if not asked and turn is not session.turns[-1]:  # it would stand below another's question
            continue
        question = [maker.item(row, max_tokens=_PROMPT_TOKENS) for row in asked]
        answer = [maker.item(row, max_tokens=_ANSWER_TOKENS) for row in answered]
        if None not in (*question, *answer):
            yield _TurnTold(turn, next(iter(question), None), next(iter(answer), None))
