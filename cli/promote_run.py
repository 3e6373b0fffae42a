"""One copy of an entry into a shared journal: looked at first, then written and committed there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..journal import files
from ..journal.errors import CannotCreateError, MemjournalError, NotFoundError, UsageError
from ..journal.sharing.promotion import Promotion, plan_promotion, promoted_from
from ..journal.sharing.shares import Share
from .shared_search import refuse_read_only, share_contexts, shares_in

if TYPE_CHECKING:
    from ..journal.entry import Entry
    from ..journal.redaction import Redactor
    from .context import Context


@dataclass(frozen=True, slots=True)
class Planned:
    """What would be copied where, or is there already."""

    name: str  # of the share
    share: Context
    original: Entry
    promotion: Promotion
    there_as: Entry | None  # the copy, if it is there already
    path: str  # of that copy


def plan(surroundings: Context, original: Entry, *, to: str) -> Planned:
    """What a copy of *original* in the share called *to* would be; "" is the only one there is.

    Raises:
        UsageError: the entry may not leave, or there are several shares.
        NotFoundError: there is no such share.
        CannotCreateError: it is to be read only.
    """
    name, share = _target(surroundings, to)
    refuse_read_only(share)
    redactor = _redactor_of_both(surroundings, share, original.project)
    promotion = plan_promotion(original, redactor=redactor)
    there, path = _copy_in(share.root, original)
    return Planned(name, share, original, promotion, there, path)


def write(planned: Planned) -> tuple[Entry, str, bool]:
    """Write the copy into the shared journal, index and commit it; the copy, its path, whether it is new.

    Raises:
        CannotCreateError, StorageError: the disk refused.
    """
    from .commit_written import commit_written

    share = planned.share
    created = share.journal.create(planned.promotion.draft)
    if created.is_new:
        share.update_index(wait=False, paths=[created.path])
        commit_written(share, [created.path], "promote: 1 entry")
    return created.entry, created.path, created.is_new


def _target(surroundings: Context, name: str) -> tuple[str, Context]:
    shares = {share.name: share for share in shares_in(surroundings)}
    if name and name not in shares:
        raise NotFoundError(
            f"no shared journal is called {name!r}", mend="`mem share list` shows them"
        )
    chosen = name or _only_one(tuple(shares.values()))
    return next(one for one in share_contexts(surroundings) if one[0] == chosen)


def _only_one(shares: tuple[Share, ...]) -> str:
    writable = [share.name for share in shares if not share.is_read_only]
    if not shares:
        raise NotFoundError("there is no shared journal", mend="`mem share add URL` adds one")
    if not writable:
        raise CannotCreateError(
            "all shared journals are to be read only", mend="`mem share list` shows them"
        )
    if len(writable) > 1:
        raise UsageError(
            "there are several shared journals",
            mend=f"say which with --to: {', '.join(writable)}",
        )
    return writable[0]


def _redactor_of_both(own: Context, share: Context, project: str) -> Redactor:
    """What hides all that either journal hides in the entries of that project."""
    from ..journal.redaction import Redactor
    from ..journal.values import replace

    one, other = own.journal.redactor_of(project).rules, share.journal.redactor_of(project).rules
    return Redactor(
        replace(
            other,
            words=tuple(dict.fromkeys((*other.words, *one.words))),
            patterns=tuple(dict.fromkeys((*other.patterns, *one.patterns))),
        )
    )


def _copy_in(root: Path, original: Entry) -> tuple[Entry | None, str]:
    """The copy of *original* in the journal at *root*, and its path; None and "" if there is none.

    The files are looked through, for the index knows no edges; only what names the id is read as a memory.
    """
    from ..journal.reading import Stored, list_files, read_entries

    name = str(original.id).encode()
    for file in list_files(root, below=["memories"]).files:
        try:
            if name not in files.read(root / file.path):
                continue
            for one in read_entries(root, file):
                if isinstance(one, Stored) and _is_copy(one.entry, original):
                    return one.entry, file.path
        except (MemjournalError, OSError):  # a file that cannot be read is no copy that counts
            continue
    return None, ""


def _is_copy(entry: Entry, original: Entry) -> bool:
    """Whether *entry* was made of *original*, or is the same memory under the same id."""
    is_same = (entry.id, entry.title) == (original.id, original.title)
    return is_same or promoted_from(entry, str(original.id))
