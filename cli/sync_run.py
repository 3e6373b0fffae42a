"""One sync of the journal and of what is shared, as the command and the daemon make it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..journal.errors import MemjournalError

if TYPE_CHECKING:
    from ..journal.sync.journal_sync import SyncReport
    from .context import Context

_STATE: Final = "sync-state.json"
_MAX_BACK_OFF: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncState:
    """What is remembered of the exchanges so far; to be deleted at will."""

    last_success: str = ""  # RFC 3339
    last_try: str = ""
    failure: str = ""  # why the last try failed
    n_failures: int = 0  # since the last success
    conflicts: tuple[str, ...] = ()  # paths in which both texts stood when they were merged

    def next_try(self, interval: timedelta) -> datetime | None:
        """When it is to be tried again: after the interval, twice as long after each failure; None: now."""
        try:
            last = datetime.fromisoformat(self.last_try)
        except ValueError:
            return None
        waits = min(interval * float(2 ** min(self.n_failures, 20)), _MAX_BACK_OFF)
        return last + max(interval, waits)


def read_sync_state(context: Context) -> SyncState:
    """What is remembered; nothing where there is nothing, or nothing that can be read."""
    try:
        found = json.loads(_state_path(context).read_text("utf-8"))
        found["conflicts"] = tuple(found["conflicts"])
        return SyncState(**found)
    except (OSError, ValueError, TypeError, KeyError, MemjournalError):
        return SyncState()


def _state_path(context: Context) -> Path:
    from ..journal.sync.journal_sync import git_folder
    from ..journal.sync.pending import FOLDER

    return git_folder(context.root) / FOLDER / _STATE


def _remember(context: Context, state: SyncState) -> None:
    from ..journal import files

    files.replace(_state_path(context), json.dumps(asdict(state)).encode(), durable=False)


def has_remote(context: Context) -> bool:
    """Whether there is anything to exchange with."""
    from ..journal.remote import remote_urls, repository_at

    found = repository_at(context.root)
    return bool(found and found.git and remote_urls(found.git))


def sync_journal(
    context: Context,
    *,
    interactive: bool,
    progress: Callable[[str, int, int], None] = lambda *_: None,
    is_read_only: bool = False,
) -> SyncReport:
    """Exchange the journal with its remote, and remember how that went. The index is left as it is.

    Raises:
        UnavailableError: there is no git or no remote, or it does not answer.
        LockedError: another process is at work there.
        StorageError: git or the disk refused; nothing is lost.
    """
    from ..journal.sync.journal_sync import JournalSync, SyncOptions
    from .commit_written import commit_all
    from .witness import note_head, note_rewritten

    options = SyncOptions(
        environ=context.environ,
        machine=context.machine,
        lock_timeout_s=context.settings.journal.lock_timeout_s,
        interactive=interactive,
        is_read_only=is_read_only,
        note_head=lambda commit: note_head(context, commit),
        note_rewritten=lambda commits: note_rewritten(context, commits),
    )
    exchange = JournalSync(context.root, options)
    state = replace(read_sync_state(context), last_try=context.now.isoformat())
    try:
        report = exchange.run(commit_changes=lambda: commit_all(context), progress=progress)
    except MemjournalError as error:
        said = context.redactor.redact(str(error)).text
        _remember(context, replace(state, failure=said, n_failures=state.n_failures + 1))
        raise
    # Also those that came with a merge that another machine has made.
    conflicts = open_conflicts(context, {*state.conflicts, *report.paths})
    _remember(
        context,
        SyncState(
            last_success=context.now.isoformat(),
            last_try=context.now.isoformat(),
            conflicts=tuple(conflicts),
        ),
    )
    return report


def follow_sync(context: Context, report: SyncReport) -> None:
    """Let the index follow what a sync has changed, and keep nothing of what was purged."""
    from .text_encoding import is_text

    if report.n_purged:
        erase_purged(context)
    elif paths := [path for path in report.paths if is_text(path)]:  # others are not indexed
        context.update_index(paths=paths)


def erase_purged(context: Context) -> None:
    """Take out of the index what is gone from the files, and its bytes; what hinders it is said."""
    from ..indexer.forgetting import erase_traces
    from . import output

    try:
        context.follow_files(accept_deletions=True)  # no disk is missing: these were meant to go
        erase_traces(context.index)
    except MemjournalError as error:
        output.warn(f"the index may still hold what was purged: {error}; `mem index --rebuild`")


def open_conflicts(context: Context, paths: Iterable[str]) -> list[str]:
    """Those of *paths* in which both texts stand, sorted."""
    from ..journal import files
    from ..journal.merging.conflicts import find_conflicts

    found: list[str] = []
    for path in sorted(paths):
        try:
            if find_conflicts(files.read(context.root / path)):
                found.append(path)
        except MemjournalError:  # it was removed since
            continue
    return found


def describe_sync(context: Context, fields: Mapping[str, object]) -> str:
    """The state of the exchange in a line, from what `sync_fields` gives."""
    from . import output

    if not fields:
        return ""
    parts = [str(fields["url"])]
    n_ahead, n_behind = fields["n_ahead"], fields["n_behind"]
    if isinstance(n_ahead, int) and n_ahead:
        parts.append(f"{output.count(n_ahead, 'commit')} to send")
    if isinstance(n_behind, int) and n_behind:
        parts.append(f"{output.count(n_behind, 'commit')} to bring in")
    last = fields["last_success"]
    parts.append(
        f"last synced {output.when(last, context.now)}"
        if isinstance(last, datetime)
        else "never synced"
    )
    if fields["failure"]:
        parts.append(f"the last try failed: {fields['failure']}")
    if conflicts := fields["conflicts"]:
        assert isinstance(conflicts, list)
        parts.append(f"{output.count(len(conflicts), 'conflict')}; see `mem conflicts`")
    return ", ".join(parts)


def sync_fields(context: Context) -> dict[str, object]:
    """How the journal stands to its remote, as far as is known without asking it; {} without one."""
    from ..journal.git import exchange
    from ..journal.git.program import Git
    from ..journal.git.trees import commit_at

    if not has_remote(context):
        return {}
    git = Git(context.root, context.environ)
    apart = exchange.distance(git, commit_at(git, "HEAD"), exchange.known_remote_head(git))
    state = read_sync_state(context)
    return {
        "url": exchange.without_credentials(exchange.remote_url(git)),
        "n_ahead": apart.n_ahead,
        "n_behind": apart.n_behind,
        "last_success": datetime.fromisoformat(state.last_success) if state.last_success else None,
        "last_try": datetime.fromisoformat(state.last_try) if state.last_try else None,
        "failure": state.failure,
        "conflicts": open_conflicts(context, state.conflicts),
    }
