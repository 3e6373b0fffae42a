"""The desk that hooks come to, made of what a command knows: for the daemon, and for a hook without one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..hooks.desk import DeskOptions, HookDesk
from ..hooks.masking import CountingMask
from ..hooks.session_state import SessionStates
from ..hooks.text import Limits
from ..journal.errors import MemjournalError

if TYPE_CHECKING:
    from ..hooks.desk import Begin
    from ..hooks.recall.memory import Memory
    from ..hooks.recall.teller import Teller
    from ..journal.entry import Entry
    from .context import Context


def make_desk(
    surroundings: Context,
    *,
    memory: Memory | None,
    report: Callable[[str], object],
    written: Callable[[str], object] = lambda _: None,
    begin: Begin = lambda task: task,
    is_lasting: bool = True,
) -> HookDesk:
    """A desk for the journal of *surroundings*; without a *memory* nothing is told.

    It may be used by several threads: nothing that it opens is kept open. One that is not *is_lasting*
    serves a single hook and leaves out what takes long to load. Ids are minted as if the journal had
    none: loading the index takes 40 ms, and of 500,000 events one meets another's id in a journal of
    100,000 entries; both stay, and `mem doctor` gives one a longer id. Nor is the ledger read for
    how memories have fared.
    """
    from ..journal.store import Journal
    from .daemon_link import place_of
    from .user_folders import state_folder

    settings = surroundings.settings
    capture = settings.capture
    lock_timeout_s = settings.journal.lock_timeout_s
    journal = Journal(
        surroundings.root,
        redactor=surroundings.redactor,
        lock_timeout_s=lock_timeout_s,
        lookup=lambda entry_id: _entry_with(surroundings, memory, entry_id) if is_lasting else None,
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
        ),
        states=SessionStates(
            state_folder() / "hooks" / place_of(surroundings).name,
            lock_timeout_s=lock_timeout_s,
            report=report,
        ),
        clock=lambda: surroundings.now,
        project_of=lambda cwd: surroundings.project_of(cwd).name,
        mask=CountingMask(lambda: surroundings.redactor),
        report=report,
        teller=_teller(surroundings, memory, knows_usage=is_lasting)
        if memory and settings.recall.enabled
        else None,
        written=written,
        begin=begin,
    )


def _teller(surroundings: Context, memory: Memory, *, knows_usage: bool) -> Teller:
    from ..hooks.recall.teller import Teller
    from ..journal.ledger import Ledger
    from ..journal.usage import UNKNOWN, LedgerUsage
    from .machine_name import machine_name

    settings = surroundings.settings
    redactor = surroundings.redactor
    return Teller(
        memory,
        ledger=Ledger(
            surroundings.root,
            machine=machine_name(surroundings.home),
            redact=lambda text: redactor.redact(text).text,
            lock_timeout_s=settings.journal.lock_timeout_s,
        ),
        usage=LedgerUsage(surroundings.root).refresh if knows_usage else lambda: lambda _: UNKNOWN,
        redactor=redactor,
        clock=lambda: surroundings.now,
        brief_tokens=settings.recall.brief_tokens,
        prompt_tokens=settings.recall.prompt_tokens,
    )


def _entry_with(surroundings: Context, memory: Memory | None, entry_id: str) -> Entry | None:
    """The entry that has that id, as far as the index knows."""
    if memory is None or not surroundings.index.catalog_path.exists():
        return None
    try:
        rows = memory.use(lambda catalog, _: catalog.by_id(entry_id))
    except MemjournalError:  # what is derived must not keep an event from being written
        return None
    stored = (memory.read(row) for row in rows)
    return next((one.entry for one in stored if one is not None), None)
