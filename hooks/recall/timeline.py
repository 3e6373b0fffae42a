"""Where the last sessions of a project stopped: what still fails, what was asked last, what is to be done.

It answers "continue" and ``이어서``, which name nothing that could be searched for. What is done or given up
is never told as if it were open, and a turn is told with its question and its answer, or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from ...indexer.catalog.entry_filter import EntryFilter
from ...indexer.catalog.row import Row
from ...journal.redaction.lazy import Pattern
from ..capture import is_wanted
from ..happening import ToolUsed
from ..tool_kinds import asks_user
from .calls import command_in, outcomes_of
from .items import SHORT_ID, Item, ItemMaker
from .recalled import Recalled
from .request import RecallRequest
from .safety import safe_name
from .sections import Line, Section, assemble
from .sentences import fills, obeys, sentences_of
from .sessions import Session, Turn, past_sessions
from .standing import states_standing
from .steps import MAX_CHARS, is_acknowledgement, is_routine
from .wording import WORDINGS, Language, language_of

OPEN: Final = ("pending", "in_progress", "blocked")
"""The states of a task that is still to be done."""

_N_TURNS: Final = 4
_N_FAILING: Final = (
    3  # sessions, in the last of which that tried something a command may have failed
)
_N_SINCE: Final = 20  # calls of the session that is told
_N_TRIED: Final = 20  # calls of a turn, of which one has to have done something
_N_ASKED: Final = 20  # prompts, among which is one that says what it wants
_PROMPT_TOKENS: Final = 45
_ANSWER_TOKENS: Final = 80
_TASK_TOKENS: Final = 45
_N_TASKS: Final = 12
_SAYS_DONE: Final = Pattern(r"\bdone\b|됐|됬|완료", re.IGNORECASE)


def still_failing(
    sessions: Iterable[Session], request: RecallRequest, *, maker: ItemMaker
) -> tuple[Row, Session] | None:
    """The command that failed last in *sessions*, newest first, and was not run with success since.

    Only the last turn that tried something counts: what was left failing before was gone on from, and be it in the
    session that is told. None where all is well, or may be: a success is kept of tests and their like
    alone, so that any other command which failed in a session may have been mended in a later one that
    changed a file.
    """
    found = _left_failing(sessions, body_of=maker.body_of)
    if found is None or _was_gone_on_from(found[0], request, maker=maker):
        return None
    return found


def _left_failing(
    sessions: Iterable[Session], *, body_of: Callable[[Row], str]
) -> tuple[Row, Session] | None:
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


def _was_gone_on_from(failed: Row, request: RecallRequest, *, maker: ItemMaker) -> bool:
    """Whether the session that is told, which may have been compacted or resumed, ran something since."""
    if not request.session:
        return False

    def since(type_: str) -> list[Row]:
        wanted = EntryFilter(sessions=(request.session,), types=(type_,), since=failed.created)
        rows = request.catalog.find(wanted, limit=_N_SINCE)[::-1]
        return [row for row in rows if row.session == request.session and row.branch == ""]

    if outcomes_of(since("tool_output"), body_of=maker.body_of):
        return True
    if _is_always_kept(failed, maker.body_of(failed)):
        return False
    return any(row.files for row in since("assistant_response"))


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


# --- where a session ended --------------------------------------------------------------------------


def last_session(sessions: Sequence[Session], maker: ItemMaker) -> Session:
    """The newest of *sessions*, at least one, in which was more than wishes for good: these are told themselves."""
    worked = (
        one
        for one in sessions
        if any(_came_to_something(turn, maker) for turn in reversed(one.turns))
        or not all(states_standing(row.title) for row in one.prompts)
    )
    return next(worked, sessions[0])


def end_of(session: Session, maker: ItemMaker, *, told: Container[str] = ()) -> int:
    """The place of the last turn in which something was done or said; of the last one, where there is none such.

    "Don't run the tests now" with its "I won't" is no end, and neither is a wish that was only taken note of, nor one
    that was *told* and of whose turn there is nothing else to tell.
    """

    def is_end(turn: Turn) -> bool:
        is_told = bool(turn.prompts) and all(row.id in told for row in turn.prompts)
        if is_told and not any(says_something(row, maker) for row in turn.answers):
            return False
        return _came_to_something(turn, maker)

    places = range(len(session.turns) - 1, -1, -1)
    return next((at for at in places if is_end(session.turns[at])), len(session.turns) - 1)


def _came_to_something(turn: Turn, maker: ItemMaker) -> bool:
    """Whether more came of it than an "Ok."; what was not answered may be what it stopped before."""
    if not turn.answers:
        return bool(turn.tools) or not all(states_standing(row.title) for row in turn.prompts)
    if any(row.files for row in turn.answers) or any(asks_user(row.tool) for row in turn.tools):
        return True
    if outcomes_of(turn.tools[-_N_TRIED:], body_of=maker.body_of):
        return True
    return any(says_something(row, maker) for row in turn.answers)


def says_something(answer: Row, maker: ItemMaker) -> bool:
    """Whether an answer is more than "Ok." and "Yes, I'll do that."."""
    if answer.n_chars > MAX_CHARS:
        return True
    text = maker.text_of(answer)
    if obeys(text) or (is_acknowledgement(text) and not _SAYS_DONE.search(text)):
        return False
    return not all(map(fills, sentences_of(text)))


def asked_last(session: Session, end: int, *, text_of: Callable[[Row], str]) -> Row | None:
    """The last prompt until the turn at *end* that names what it wants; of routine steps alone the last."""
    after = {row.docno for turn in session.turns[end + 1 :] for row in turn.prompts}
    prompts = [row for row in session.prompts if row.docno not in after][-_N_ASKED:]
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
    sessions = list(islice(past_sessions(request, maker), _N_FAILING))
    last = last_session(sessions, maker) if sessions else None
    failing = still_failing(sessions, request, maker=maker)
    failed = _failed_item(failing, maker, told)
    turns = list(_turns_told(last, maker, told)) if last else []
    tasks = open_tasks(request, maker, without=told)
    said = [item for turn in turns for item in (turn.asked, turn.answered) if item]
    language = language_of(item.quote for item in (*said, *tasks))
    wording = WORDINGS[language]
    heading = ""
    if last:
        is_newest = not turns or turns[0].turn is last.turns[end_of(last, maker)]
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
    """The last turns until the end, the newest first, of which nothing was *told*."""
    end = end_of(session, maker)
    newest = session.turns[end]
    for turn in reversed(session.turns[max(0, end + 1 - _N_TURNS) : end + 1]):
        asked, answered = turn.prompts[-1:], turn.answers[-1:]
        if not (asked or answered) or any(row.id in told for row in (*asked, *answered)):
            continue
        if not asked and turn is not newest:  # it would stand below another's question
            continue
        question = [maker.item(row, max_tokens=_PROMPT_TOKENS) for row in asked]
        answer = [maker.item(row, max_tokens=_ANSWER_TOKENS) for row in answered]
        if None not in (*question, *answer):
            yield _TurnTold(turn, next(iter(question), None), next(iter(answer), None))
