"""A reference of a command line as the versions that git keeps of that memory."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..journal.errors import FormatError, NotFoundError, UnavailableError
from .references import resolve_references

if TYPE_CHECKING:
    from ..journal.git.program import Git
    from ..journal.history.entry_history import Version
    from .context import Context


@dataclass(frozen=True, slots=True)
class Place:
    """Where an entry stands on disk: its lines, from 1; *last* 0 is the end."""

    path: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class EntryVersions:
    """One memory through time."""

    context: Context
    git: Git
    entry_id: str
    all: Sequence[Version]  # the newest first, never empty

    def at(self, name: str) -> Version:
        """The version that was the newest at a commit or a time.

        Raises:
            NotFoundError: *name* is neither, or there was none then.
        """
        from ..journal.git.trees import commit_at, is_ancestor
        from .filters import moment

        if commit := commit_at(self.git, name):
            for version in self.all:
                if version.commit and is_ancestor(self.git, version.commit.sha, commit):
                    return version
        elif time := moment("--at", name, self.context, at_end=True):
            for version in self.all:
                if version.commit and version.commit.at <= time:
                    return version
        raise NotFoundError(
            f"it had no version at {name}", mend=f"`mem log mem:{self.entry_id}` lists them"
        )

    def before(self, version: Version) -> Version | None:
        """The version that *version* took the place of; None if it is the first."""
        place = self.all.index(version)
        return self.all[place + 1] if place + 1 < len(self.all) else None

    def last_other(self) -> Version:
        """The newest version that says something else than there is now.

        Raises:
            NotFoundError: there is none.
        """
        now = self.all[0]
        for version in self.all[1:]:
            if version.is_there and (version.data != now.data or not now.is_there):
                return version
        raise NotFoundError("there is no earlier version of it", where=f"mem:{self.entry_id}")

    def place_now(self) -> Place:
        """Where it stands.

        Raises:
            NotFoundError: it is not there any more.
        """
        from ..journal import files
        from ..journal.session_file import record_id, scan

        now = self.all[0]
        if not now.is_there:
            raise NotFoundError(
                "it is not there any more",
                where=f"mem:{self.entry_id}",
                mend="`mem restore` brings it back",
            )
        if not now.path.startswith("sessions/"):
            return Place(now.path, 1, 0)
        line = 1
        for part in scan(io.BytesIO(files.read(self.context.root / now.path))):
            n_lines = part.raw.rstrip(b"\n").count(b"\n") + 1
            if record_id(part.raw) == self.entry_id:
                return Place(now.path, line, line + n_lines - 1)
            line += part.raw.count(b"\n")
        raise NotFoundError("it is not there any more", where=now.path)


def open_history(context: Context) -> Git:
    """Git, where the journal has a history.

    Raises:
        UnavailableError: git is not installed, or the journal is no repository of its own, or has no
            commit yet.
    """
    from ..journal.git.program import Git
    from ..journal.git.trees import commit_at
    from ..journal.sync.journal_sync import git_folder

    git_folder(context.root)
    git = Git(context.root, context.environ)
    if not commit_at(git, "HEAD"):
        raise UnavailableError(
            "there is no history yet",
            where=str(context.root),
            mend="the next command that writes makes a commit",
        )
    return git


def find_versions(context: Context, ref: str) -> EntryVersions:
    """The versions of the memory that *ref* names, whether it is still there or not.

    Raises:
        NotFoundError, AmbiguousError: it names none, or several.
        UnavailableError: there is no history.
    """
    from ..journal.history.entry_history import find_paths, read_versions
    from ..journal.ids import is_id, parse_references

    git = open_history(context)
    try:
        (row, *_) = resolve_references(context, context.fresh_catalog(), [ref])
        entry_id, now = str(row.id), row.path
    except NotFoundError:
        (reference, *_) = parse_references(ref)
        entry_id, now = reference.id_prefix, reference.path if "/" in reference.path else ""
        if not now and not is_id(entry_id):
            raise
    versions = read_versions(git, find_paths(git, entry_id, now=now), entry_id)
    if not versions:
        raise NotFoundError("no entry goes by that name, now or in the history", where=ref)
    return EntryVersions(context, git, entry_id, versions)


def restore_version(context: Context, versions: EntryVersions, chosen: Version) -> list[str]:
    """Write *chosen* back, tell the other machines if it had been forgotten, and commit; the paths.

    Raises:
        NotFoundError: there is nothing of it in that version, or it was purged.
        MemjournalError: it cannot be written.
    """
    from ..journal.announcements import announcements_on_disk
    from ..journal.history.restoring import restore
    from .announcing import announce_if_back
    from .commit_written import commit_all, commit_written

    commit_all(context)  # what was edited since must not be lost under an older version
    told = announcements_on_disk(context.root)
    if versions.entry_id in told.all_purged:
        raise NotFoundError("it was purged: it is in no history", where=f"mem:{versions.entry_id}")
    now = versions.all[0]
    paths = restore(
        context.root,
        chosen,
        versions.entry_id,
        now=now,
        redact=lambda data: _redacted(context, data),
        lock_timeout_s=context.settings.journal.lock_timeout_s,
    )
    paths += announce_if_back(context, versions.entry_id)
    context.update_index(paths=paths[:1])
    commit_written(context, paths, f"restore: [mem:{versions.entry_id}]")
    return paths[:1]


def _redacted(context: Context, data: bytes) -> bytes:
    """*data* without what is known as a secret by now."""
    try:
        return context.redactor.redact(data.decode("utf-8")).text.encode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError("not UTF-8", mend="restore it with git") from error
