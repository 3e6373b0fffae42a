"""Shared journals made and taken away: a clone in the user's folder, and a line in their settings.

The clone is made beside its place and put there when it is known to be a journal; the settings name it last.
Killed in between, the same command goes on from there.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..journal.errors import CannotCreateError, MemjournalError, NotFoundError, UsageError
from ..journal.files import as_storage_error
from ..journal.settings import load_settings, set_setting, unset_setting
from ..journal.sharing.shares import (
    READ_ONLY,
    READ_WRITE,
    Share,
    check_journal,
    check_name,
    name_of_url,
    shares_of,
)
from .user_folders import shares_folder

if TYPE_CHECKING:
    from ..journal.git.program import Git
    from .context import Context

Progress = Callable[[str, int, int], None]
_UNFINISHED: Final = ".adding-"  # no name of a share begins with a dot
_EXCLUDED: Final = "index/\n"  # of a clone, whatever its own .gitignore says
_STOP_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Added:
    """A share that was added."""

    share: Share
    is_new: bool  # the repository was empty, and a journal was made in it
    url: str  # without credentials


def known_shares(surroundings: Context) -> dict[str, Share]:
    """The shares by their names, as the user's settings have them, with a journal in use or without.

    Raises:
        SettingsError: the settings cannot be read.
        UsageError: one is called as none can be.
    """
    settings = load_settings(
        user_file=surroundings.user_file,
        journal_file=None,
        environ=surroundings.environ,
        overrides=surroundings.overrides,
    )
    found = shares_of(settings.sharing.journals, shares_folder().absolute())
    return {share.name: share for share in found}


def share_named(surroundings: Context, name: str) -> Share:
    """The share with that name.

    Raises:
        NotFoundError: there is none.
    """
    found = known_shares(surroundings)
    if name not in found:
        raise NotFoundError(
            f"no shared journal is called {name!r}",
            mend=f"there {'are' if len(found) > 1 else 'is'} {', '.join(found)}"
            if found
            else "`mem share add URL` adds one",
        )
    return found[name]


# --- add ----------------------------------------------------------------------------------------


def add_share(
    surroundings: Context,
    url: str,
    *,
    name: str,
    is_read_only: bool,
    interactive: bool,
    progress: Progress,
) -> Added:
    """Clone the journal at *url* and name it in the user's settings; in an empty one, make it first.

    Raises:
        UsageError: *url* or *name* is none, or the name is taken.
        FormatError: there is something else than a journal.
        UnavailableError: there is no git, or the repository does not answer.
        CannotCreateError: there is something in the way.
    """
    from ..journal.git import exchange

    url = _whole_url(surroundings, url)
    exchange.check_url(url)
    name = check_name(name or name_of_url(url))
    _refuse_taken(surroundings, name)
    share = Share(name=name, root=shares_folder().absolute() / name, is_read_only=is_read_only)
    shown = exchange.without_credentials(url)
    is_new = False
    if share.root.exists():
        _check_left_there(surroundings, share, url)
    else:
        is_new = _clone(surroundings, share, url, interactive=interactive, progress=progress)
    access = READ_ONLY if is_read_only else READ_WRITE
    set_setting(surroundings.user_file, f"sharing.journals.{name}", access)
    return Added(share, is_new, shown)


def _whole_url(surroundings: Context, url: str) -> str:
    """*url*; a folder with its whole path, for git is run elsewhere."""
    folder = surroundings.cwd / surroundings.expanded(url)
    try:
        return str(folder.resolve()) if url.strip() and folder.is_dir() else url
    except (OSError, ValueError):  # too long for a path, or none at all
        return url


def _refuse_taken(surroundings: Context, name: str) -> None:
    taken = known_shares(surroundings)
    if found := [one for one in taken if one.casefold() == name.casefold()]:
        raise UsageError(
            f"there is a shared journal {found[0]} already",
            mend="give this one another name with --name, or remove that one first",
        )


def _check_left_there(surroundings: Context, share: Share, url: str) -> None:
    """Nothing, if the folder of *share* is a clone of *url*: it was removed before, or never finished.

    Raises:
        CannotCreateError: it is something else.
    """
    from ..journal.git import exchange, is_repository

    git = _git(surroundings, share.root) if is_repository(share.root) else None
    if git is None or exchange.remote_url(git) != url:
        raise CannotCreateError(
            "there is something else in the place of the journal",
            where=str(share.root),
            mend="move it away, or choose another name with --name",
        )
    check_journal(share.root, where=str(share.root))


def _clone(
    surroundings: Context, share: Share, url: str, *, interactive: bool, progress: Progress
) -> bool:
    """Make the folder of *share* a clone of *url*; whether a journal was made in it.

    Raises:
        UsageError: there is nothing to read.
        FormatError, UnavailableError, CannotCreateError: as `add_share` does.
    """
    from ..journal.git import exchange
    from ..journal.git.trees import commit_at

    shown = exchange.without_credentials(url)
    with _unfinished(share) as place:
        environ = surroundings.environ
        exchange.clone(url, place, environ=environ, progress=progress, interactive=interactive)
        git = _git(surroundings, place)
        is_empty = not commit_at(git, "HEAD") and not git.run(["for-each-ref", "refs/remotes"])
        if is_empty and share.is_read_only:
            raise UsageError(
                "an empty repository: there is nothing to read",
                where=shown,
                mend="without --read-only, a journal is made in it",
            )
        _prepare(git)
        if is_empty:
            _make_journal(surroundings, place, share.name)
        check_journal(place, where=shown)
        load_settings(user_file=None, journal_file=place / "memjournal.toml", environ={})
        _move(place, share.root)
    return is_empty


@contextlib.contextmanager
def _unfinished(share: Share) -> Iterator[Path]:
    """Where a clone is made before it is known to be a journal; nothing of it is left there.

    Raises:
        CannotCreateError, StorageError: the disk refused.
    """
    place = share.root.parent / f"{_UNFINISHED}{share.name}"
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if place.exists():  # of a command that was killed
            shutil.rmtree(place)
    except OSError as error:
        raise as_storage_error(error, place) from error
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _prepare(git: Git) -> None:
    """Have nobody else look into the clone, and git treat it as a journal."""
    from ..journal.git import exchange
    from ..journal.layout import ALL_FOLDERS
    from .new_journal import configure_git

    root = git.root
    try:
        root.chmod(0o700)
        info = root / ".git" / "info"
        info.mkdir(exist_ok=True)
        (info / "exclude").write_text(_EXCLUDED, "utf-8", newline="")
        for name in ALL_FOLDERS:
            if not os.path.lexists(root / name):
                (root / name).mkdir()
    except OSError as error:
        raise as_storage_error(error, root) from error
    exchange.follow_remote_branch(git)
    configure_git(root, git.environ)


def _make_journal(surroundings: Context, place: Path, name: str) -> None:
    """Make the empty clone at *place* a journal, whose first commit `mem sync` sends."""
    from ..journal.layout import find_missing, make_missing
    from .new_journal import commit_first, journal_texts

    texts = journal_texts(place.with_name(name))
    make_missing(place, find_missing(place, texts))
    commit_first(surroundings, place, list(texts))


def _move(place: Path, root: Path) -> None:
    try:
        place.rename(root)
    except OSError as error:
        raise as_storage_error(error, root) from error


def _git(surroundings: Context, root: Path) -> Git:
    from ..journal.git.program import Git

    return Git(root, surroundings.environ)


# --- remove -------------------------------------------------------------------------------------


def remove_share(
    surroundings: Context, share: Share, *, deletes_files: bool, accepts_loss: bool
) -> None:
    """Take *share* out of the user's settings, and its clone away if that is wanted.

    Raises:
        UsageError: the clone holds what no other repository has.
        NotFoundError: it is not the user's file that names it.
        StorageError: the disk refused.
    """
    if deletes_files and not accepts_loss and (unsent := describe_unsent(surroundings, share)):
        raise UsageError(
            f"{unsent} would be lost",
            where=str(share.root),
            mend="`mem sync` sends it; or add --yes",
        )
    if not unset_setting(surroundings.user_file, f"sharing.journals.{share.name}"):
        raise NotFoundError(
            f"sharing.journals.{share.name} is not set there", where=str(surroundings.user_file)
        )
    if deletes_files and os.path.lexists(share.root):
        _end_daemon(share)
        try:
            shutil.rmtree(share.root)
        except OSError as error:
            raise as_storage_error(error, share.root) from error


def describe_unsent(surroundings: Context, share: Share) -> str:
    """What the clone of *share* has that its remote has not, as far as is known; "" if nothing."""
    from ..journal import git
    from ..journal.git import exchange
    from ..journal.git.trees import commit_at
    from .output import count

    if not git.is_repository(share.root):
        return ""
    command = _git(surroundings, share.root)
    head, theirs = commit_at(command, "HEAD"), exchange.known_remote_head(command)
    n_commits = exchange.distance(command, head, theirs).n_ahead
    n_files = len(git.uncommitted(share.root, environ=surroundings.environ))
    parts = [count(n_commits, "commit")] if n_commits else []
    parts += [count(n_files, "file")] if n_files else []
    return " and ".join(parts)


def _end_daemon(share: Share) -> None:
    """End the daemon of *share*, that it may not write into what is taken away."""
    from ..indexer.daemon.lifecycle import end_daemon
    from ..indexer.daemon.place import DaemonPlace
    from .user_folders import state_folder

    end_daemon(DaemonPlace(state_folder() / "run", share.root), patience_s=_STOP_S)


# --- list ---------------------------------------------------------------------------------------


def context_of(surroundings: Context, share: Share) -> Context:
    """The journal of *share*, for which no other has to be in use."""
    from .context import Context

    context = Context(share.root, surroundings.arguments, surroundings.overrides)
    Context.latest = surroundings  # whose log this is
    surroundings.close_with_it(context)
    return context


def share_fields(context: Context, share: Share) -> dict[str, object]:
    """What is known of *share*, whose journal *context* is; what cannot be told is null."""
    from ..journal.git import exchange, is_repository

    fields: dict[str, object] = {
        "name": share.name,
        "url": "",
        "path": str(share.root),
        "is_read_only": share.is_read_only,
        "entries": None,
        "last_synced": None,
        "problem": "",
    }
    try:
        check_journal(context.root, where=str(context.root))
        if is_repository(share.root):
            url = exchange.remote_url(_git(context, share.root))
            fields["url"] = exchange.without_credentials(url)
        fields["last_synced"] = _last_synced(context)
        fields["entries"] = _n_entries(context)
    except MemjournalError as error:
        fields["problem"] = str(error)
    return fields


def _last_synced(context: Context) -> str | None:
    from .sync_run import read_sync_state

    return read_sync_state(context).last_success or None


def _n_entries(context: Context) -> int | None:
    """How many entries the index knows; None while there is none."""
    from ..indexer.catalog.entry_filter import EntryFilter

    if not context.index.catalog_path.exists():
        return None
    return context.catalog.count(EntryFilter())
