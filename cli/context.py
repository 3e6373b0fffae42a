"""What every command starts from: the one place that reads environment, home, clock and settings."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from ..journal.errors import MemjournalError, StorageError
from ..journal.settings import JOURNAL_FILE, Settings, load_settings

if TYPE_CHECKING:
    from ..indexer.catalog.catalog import Catalog
    from ..indexer.daemon.client import DaemonClient
    from ..indexer.index import JournalIndex
    from ..indexer.upkeep.report import UpdateReport
    from ..journal.entry import Entry
    from ..journal.project import Project
    from ..journal.redaction import Redactor
    from ..journal.store import Journal

HOME_VARIABLE = "MEMJOURNAL_HOME"
_READER_PATIENCE_S = 1.0  # for what was saved just now to be indexed
_WRITER_PATIENCE_S = 60.0  # for what an import has written


class Context:
    """The journal, settings and surroundings of one run of ``mem``."""

    latest: ClassVar[Context | None] = None  # for the log, which has nobody to ask

    def __init__(
        self,
        journal_option: Path | None = None,
        arguments: tuple[str, ...] = (),
        overrides: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """*arguments* are the command line, as typed."""
        self.journal_option, self.arguments, self.overrides = journal_option, arguments, overrides
        self._to_close: list[Catalog | DaemonClient | Context] = []
        self._said: set[str] = set()
        Context.latest = self

    @cached_property
    def environ(self) -> Mapping[str, str]:
        return os.environ

    @cached_property
    def cwd(self) -> Path:
        try:
            return Path.cwd()
        except FileNotFoundError:  # it was removed: only what is the user's own can be meant
            return self.home

    @cached_property
    def home(self) -> Path:
        return Path.home()

    @property
    def now(self) -> datetime:
        """The time, in the zone that the journal's dates are written in."""
        try:
            return datetime.now().astimezone(self.timezone)
        except (ValueError, OverflowError):  # a TZ that is no zone of this planet
            return datetime.now(UTC)

    @property
    def now_ns(self) -> int:
        return time.time_ns()

    @cached_property
    def timezone(self) -> tzinfo | None:
        """The zone of the settings; None is this machine's."""
        name = self.settings.journal.timezone
        if name == "local":
            return None
        from zoneinfo import ZoneInfo

        return ZoneInfo(name)

    @cached_property
    def reading_zone(self) -> tzinfo:
        """The zone that past times are turned into; unlike ``now`` it knows summer from winter."""
        from .local_zone import LocalZone

        return self.timezone or LocalZone()

    @cached_property
    def machine(self) -> str:
        """What this machine is called in the journal."""
        from .machine_name import machine_name

        return machine_name(self.home)

    @cached_property
    def user_file(self) -> Path:
        """The user's own settings file."""
        from .user_folders import config_folder

        return config_folder() / "config.toml"

    @cached_property
    def default_root(self) -> Path:
        """Where the journal is if nothing else is said."""
        named = self.environ.get(HOME_VARIABLE, "")
        return self.expanded(named) if named else self.home / "memjournal"

    def expanded(self, path: str | Path) -> Path:
        """*path* with ``~`` at its beginning replaced; as it is where nobody has that home."""
        try:
            return Path(path).expanduser()
        except RuntimeError:
            return Path(path)

    @cached_property
    def root(self) -> Path:
        """The journal's folder.

        Raises:
            NoJournalError: there is none.
        """
        from ..journal.place import find_journal, require_journal

        if self.journal_option is not None:
            return require_journal(self.expanded(self.journal_option).absolute())
        return find_journal(self.cwd, default=self.default_root).absolute()

    @cached_property
    def settings(self) -> Settings:
        """The settings of this journal; what is odd about them is said once.

        Raises:
            SettingsError: a value cannot be used.
        """
        settings = load_settings(
            user_file=self.user_file,
            journal_file=self.root / JOURNAL_FILE,
            environ=self.environ,
            overrides=self.overrides,
        )
        if settings.warnings:
            from . import output

            for warning in settings.warnings:
                output.warn(warning)
        return settings

    @cached_property
    def redactor(self) -> Redactor:
        from ..journal.redaction import RedactionRules, Redactor

        privacy = self.settings.privacy
        return Redactor(
            RedactionRules(
                marker=privacy.marker,
                private_marker=privacy.private_marker,
                preserve_lines=privacy.preserve_lines,
                patterns=tuple(privacy.patterns),
                words=tuple(privacy.words),
            )
        )

    @cached_property
    def journal(self) -> Journal:
        """The journal, for writing; ids that are taken are looked up in the catalog.

        Raises:
            CannotCreateError: it is shared to be read only.
        """
        from ..journal.store import Journal

        if self.settings.sharing.journals:
            from .shared_search import refuse_read_only

            refuse_read_only(self)
        return Journal(
            self.root,
            redactor=self.redactor,
            lock_timeout_s=self.settings.journal.lock_timeout_s,
            lookup=self._lookup,
            project_words=self.settings.words_by_project,
            is_purged=lambda entry_id: entry_id in self._purged,
        )

    @cached_property
    def _purged(self) -> frozenset[str]:
        """The ids that were taken out of the history."""
        from ..journal.announcements import announcements_on_disk

        return announcements_on_disk(self.root).all_purged

    def _lookup(self, entry_id: str) -> Entry | None:
        if not self.index.catalog_path.exists():
            return None
        try:
            rows = self.catalog.by_id(entry_id)  # an id that was given up is taken as well
        except MemjournalError:  # what is derived must not keep a memory from being written
            return None
        for row in rows:
            if stored := self.index.read(row):
                return stored.entry
        return None

    @cached_property
    def index_folder(self) -> Path:
        """Where the journal's index is."""
        from .index_options import folder_of_index

        return folder_of_index(self.root)

    @cached_property
    def index_mark(self) -> str:
        """Stands for all that decides what a search finds, but for the files and the question."""
        from .index_options import mark_of_index

        return mark_of_index(self)

    @cached_property
    def index(self) -> JournalIndex:
        from ..indexer.index import JournalIndex
        from .index_options import options_of_index

        return JournalIndex(self.root, self.index_folder, options_of_index(self))

    @cached_property
    def daemon(self) -> DaemonClient | None:
        """The daemon of this journal, if one answers; if not, one may be started for later."""
        from .daemon_link import reach_daemon

        client = reach_daemon(self)
        if client is not None:
            self._to_close.append(client)
        return client

    def give_up_daemon(self) -> None:
        """Go on as if there were none."""
        self.__dict__["daemon"] = None

    @cached_property
    def catalog(self) -> Catalog:
        """The catalog as it is; ``fresh_catalog`` brings it up to date first."""
        return self._opened(self.index.read_catalog())

    def _opened(self, catalog: Catalog) -> Catalog:
        self._to_close.append(catalog)
        return catalog

    def close_with_it(self, other: Context) -> None:
        """Let *other* end with this one."""
        self._to_close.append(other)

    def close(self) -> None:
        """Give back what the command opened."""
        while self._to_close:
            self._to_close.pop().close()

    def fresh_catalog(self) -> Catalog:
        """The catalog, after the index has followed the files.

        Raises:
            LockedError, StorageError, CannotCreateError: there is no index and none can be made now.
        """
        from ..indexer.errors import NoIndexError

        with contextlib.suppress(NoIndexError):
            if self._is_followed_by_daemon():
                return self.catalog
            if self.index.catalog_path.exists():
                self.update_index()
                return self.catalog
        # Nothing to fall back on, or it has just been taken away by whoever builds it anew.
        self.follow_files(wait=True)
        return self.catalog

    def forget_catalog(self) -> None:
        """Open the catalog anew when it is asked for next."""
        self.__dict__.pop("catalog", None)

    def current_catalog(self) -> Catalog:
        """The catalog as the files are now, for commands that leave no trace on disk."""
        from ..indexer.upkeep.current import current_catalog

        return self._opened(current_catalog(self.index, now_ns=self.now_ns))

    def update_index(
        self, *, wait: bool = True, paths: Sequence[str] | None = None
    ) -> UpdateReport | None:
        """Let the index follow the files; what is odd is said, and never stops the command.

        A daemon that answers does it. With *paths*, only those have changed as far as is known, and
        nothing else is looked at. With *wait* off, nothing is waited for, and an index that another
        process is writing is left to it.
        """
        if self._is_left_to_daemon(paths, wait=wait):
            return None
        from ..journal.errors import CannotCreateError, LockedError
        from . import output

        try:
            return self.follow_files(wait=wait, only=paths)
        except (LockedError, StorageError, CannotCreateError) as error:
            if isinstance(error, LockedError) and not wait:
                return None  # whoever is writing it, or the next command, follows these files too
            output.warn(f"the index was not brought up to date: {error}")
            return None

    def _is_left_to_daemon(self, paths: Sequence[str] | None, *, wait: bool) -> bool:
        """Whether a daemon sees to it that the index follows."""
        if self.daemon is None:
            return False
        from .daemon_link import let_daemon_follow

        patience_s = _WRITER_PATIENCE_S if wait else 0.0
        try:
            is_done, remarks = let_daemon_follow(self.daemon, paths, patience_s=patience_s)
            self.remark(*remarks)
            if is_done or not wait:
                self.__dict__.pop("catalog", None)
                return True
        except MemjournalError:
            pass
        self.give_up_daemon()  # whatever hinders it, doing it here shows it
        return False

    def _is_followed_by_daemon(self) -> bool:
        """Whether a daemon answers for the index being as the files are now."""
        if self.daemon is None:
            return False
        try:
            is_done, remarks = self.daemon.refresh((), patience_s=_READER_PATIENCE_S)
            self.remark(*remarks)
            if is_done:
                return True
        except MemjournalError:
            pass
        self.give_up_daemon()
        return False

    def follow_files(
        self,
        *,
        wait: bool = True,
        only: Sequence[str] | None = None,
        accept_deletions: bool = False,
    ) -> UpdateReport:
        """Let the index follow the files, as ``JournalIndex.update`` does.

        Raises:
            LockedError, StorageError, CannotCreateError: it could not.
        """
        from . import output

        self.forget_catalog()
        with output.progress("indexing") as progress:
            report = self.index.update(
                now_ns=self.now_ns,
                progress=progress,
                wait=wait,
                only=only,
                accept_deletions=accept_deletions,
            )
        from ..indexer.upkeep.report import unreadable_remark

        self.remark(*report.remarks, *map(unreadable_remark, report.failures))
        return report

    def remark(self, *remarks: str) -> None:
        """Say what a person should know of the index, each of it once in a command."""
        from . import output

        for remark in remarks:
            if remark not in self._said:
                self._said.add(remark)
                output.warn(remark)

    @cached_property
    def project(self) -> Project:
        """The project that the current folder belongs to."""
        return self.project_of(str(self.cwd))

    def project_of(self, folder: str) -> Project:
        """The project that *folder* belongs to.

        Where its path holds a secret, it is named without: parts of a path, taken alone, do not show what
        they were.
        """
        from ..journal.project import identify_project

        path = self.redactor.redact(folder).text
        aliases = dict(self.settings.projects.aliases)
        return identify_project(Path(path), home=self.home, aliases=aliases)
