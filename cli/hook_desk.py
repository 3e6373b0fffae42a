"""The desk that hooks come to, made of what a command knows: for the daemon, and for a hook without one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..hooks.desk import HookDesk
from ..hooks.desk_options import DeskOptions
from ..hooks.masking import CountingMask
from ..hooks.session_state import SessionStates
from ..hooks.text import Limits

if TYPE_CHECKING:
    from ..hooks.desk import Begin
    from ..hooks.desk_options import Tells
    from ..hooks.recall.memory import Memory
    from ..hooks.recall.teller import Teller
    from ..journal.entry import Entry
    from ..journal.usage import Usage
    from .context import Context


def make_desk(
    surroundings: Context,
    *,
    teller: Callable[[], Teller],
    tells: Tells,
    report: Callable[[str], object],
    lookup: Callable[[str], Entry | None] = lambda _: None,
    written: Callable[[str], object] = lambda _: None,
    begin: Begin = lambda task: task,
    learns: bool = True,
) -> HookDesk:
    """A desk for the journal of *surroundings*, which tells what *teller* chooses where *tells* lets it.

    It may be used by several threads: nothing that it opens is kept open. *lookup* answers which entry has an id.
    """
    from ..journal.store import Journal

    settings = surroundings.settings
    capture = settings.capture
    lock_timeout_s = settings.journal.lock_timeout_s
    journal = Journal(
        surroundings.root,
        redactor=surroundings.redactor,
        lock_timeout_s=lock_timeout_s,
        lookup=lookup,
        project_words=settings.words_by_project,
    )
    return HookDesk(
        journal,
        options=DeskOptions(
            captures=capture.enabled,
            policy=capture.tools,
            keeps_subagents=capture.sidechains,
            skips=capture.skip_projects,
            limits=Limits(
                characters=capture.tool_output_max_chars, lines=capture.tool_output_max_lines
            ),
            tells=tells,
            learns=learns,
        ),
        states=states_of(surroundings, report=report),
        clock=lambda: surroundings.now,
        project_of=lambda cwd: surroundings.project_of(cwd).name,
        mask=CountingMask(lambda: surroundings.redactor),
        report=report,
        teller=teller if settings.recall.enabled else None,
        written=written,
        begin=begin,
    )


def states_of(surroundings: Context, *, report: Callable[[str], object]) -> SessionStates:
    """What is known from one hook to the next of the journal's conversations; *report* hears of trouble."""
    from .daemon_link import place_of
    from .user_folders import state_folder

    return SessionStates(
        state_folder() / "hooks" / place_of(surroundings).name,
        lock_timeout_s=surroundings.settings.journal.lock_timeout_s,
        report=report,
    )


def make_teller(
    surroundings: Context,
    memory: Memory,
    *,
    usage: Callable[[], Callable[[str], Usage]],
    told_in: Callable[[str], list[str]],
) -> Teller:
    """What tells the memories of the journal; *usage* gives how they have fared until now, and *told_in*
    what a session was told."""
    from ..hooks.recall.teller import Teller
    from ..journal.ledger import Ledger

    settings = surroundings.settings
    redactor = surroundings.redactor
    return Teller(
        memory,
        ledger=Ledger(
            surroundings.root,
            machine=surroundings.machine,
            redact=lambda text: redactor.redact(text).text,
            lock_timeout_s=settings.journal.lock_timeout_s,
        ),
        usage=usage,
        told_in=told_in,
        redactor_of=surroundings.journal.redactor_of,
        clock=lambda: surroundings.now,
        brief_tokens=settings.recall.brief_tokens,
        prompt_tokens=settings.recall.prompt_tokens,
    )
