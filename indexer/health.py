"""What is odd or wrong about the index; all of it is derived, so the cure is always a rebuild."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from ..journal.errors import CannotCreateError, MemjournalError
from ..journal.health import Finding
from ..journal.obstacle import find_obstacle
from .catalog.catalog import Catalog
from .errors import IndexDamagedError, NoIndexError
from .index import JournalIndex
from .upkeep.reconcile import plan_update

MEND_REBUILD = "`mem index --rebuild`"


def find_index_obstacle(index: JournalIndex) -> CannotCreateError | None:
    """What stands where the index's folder should be, so that there can be none; a link as well."""
    if os.path.islink(index.folder):
        return CannotCreateError(
            "a symbolic link, not followed", where=str(index.folder), mend="put a folder there"
        )
    return find_obstacle(index.folder)


def check_index(index: JournalIndex) -> Iterator[Finding]:
    """Whether there is an index, how far it follows the files, and what it gave up on."""
    if obstacle := find_index_obstacle(index):
        what = f"there can be none: {obstacle.where}: {obstacle.what}"
        yield Finding("index", "wrong", what, obstacle.mend)
        return
    try:
        catalog = Catalog.copy_of(index.catalog_path)
    except NoIndexError:
        yield Finding("index", "odd", "there is none yet", "the first search makes it")
        return
    except IndexDamagedError as error:
        yield Finding("index", "wrong", error.what, MEND_REBUILD)
        return
    with contextlib.closing(catalog):
        plan, _ = plan_update(catalog, index.root)
        n_behind = len(plan.changed) + len(plan.removed)
        n_pending = catalog.outbox.count("keyword")
        if plan.withheld:
            what = f"{len(plan.withheld):,} indexed files are gone at once, and kept in the index"
            mend = "mount or restore them, or `mem index --accept-deletions` if it was meant"
            yield Finding("index", "wrong", what, mend, plan.withheld)
        elif n_behind or n_pending:
            what = f"behind; files to read: {n_behind:,}, entries to index: {n_pending:,}"
            yield Finding("index", "odd", what, "the next search catches up")
        else:
            yield Finding("index", "ok", "follows the files")
        given_up = catalog.quarantined()
        places = tuple(f"{target}: mem:{row.id}: {error}" for target, row, error in given_up)
        if places:
            what = f"{len(places):,} entries could not be indexed"
            yield Finding("quarantine", "wrong", what, MEND_REBUILD, places)
        else:
            yield Finding("quarantine", "ok", "empty")


def check_vectors(index: JournalIndex) -> Finding:
    """Whether search by meaning works, and with which model."""
    embedder = index.embedder()
    if embedder is not None:
        return Finding("model", "ok", f"{embedder.fingerprint}, {embedder.dimension} dimensions")
    if not index.options.vectors:
        return Finding("model", "ok", "vectors are switched off")
    return Finding("model", "wrong", index.no_vectors, "until then, search goes by keyword alone")


def verify_index(index: JournalIndex) -> Finding:
    """Whether files, catalog and both indexes agree; every file is read again."""
    try:
        wrong = tuple(index.verify())
    except NoIndexError:
        return Finding("verify", "odd", "there is no index yet", "the first search makes it")
    except (MemjournalError, OSError) as error:
        return Finding("verify", "wrong", str(error), MEND_REBUILD)
    if wrong:
        return Finding("verify", "wrong", f"differs in {len(wrong):,} places", MEND_REBUILD, wrong)
    return Finding("verify", "ok", "files, catalog and indexes agree")
