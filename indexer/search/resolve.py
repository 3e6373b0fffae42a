"""From what a person typed to the entry they mean: the same rules for every command."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from pathlib import Path

from ...journal.errors import AmbiguousError, NotFoundError
from ...journal.ids import ID_LENGTH, Reference, parse_references
from ...journal.reading import FOLDERS
from ..catalog.catalog import Catalog
from ..catalog.row import Row

_MIN_PREFIX = 2


def resolve(catalog: Catalog, texts: Iterable[str], *, root: Path, cwd: Path) -> list[Row]:
    """The entries that *texts* name, in their order, each once.

    An id that stands in two files (minted on two machines) gives both; one that an entry had before
    names that entry, unless another one has it now. Fewer letters than an id has are its beginning;
    more are never taken for one, or a citation of a forgotten entry would lead to another.

    Raises:
        UsageError: a text is no reference at all.
        NotFoundError: nothing goes by that name.
        AmbiguousError: the beginning of an id fits several entries.
    """
    found: dict[int, Row] = {}
    for text in texts:
        for reference in parse_references(text):
            for row in _resolve_one(catalog, reference, root=root, cwd=cwd):
                found[row.docno] = row
    return list(found.values())


def _resolve_one(catalog: Catalog, reference: Reference, *, root: Path, cwd: Path) -> list[Row]:
    if len(reference.id_prefix) >= _MIN_PREFIX:
        rows = catalog.by_id(reference.id_prefix)
        if not rows and len(reference.id_prefix) < ID_LENGTH:  # as long as an id, it is one
            rows = catalog.by_prefix(reference.id_prefix)
        if len({row.id for row in rows}) > 1:
            listed = ", ".join(f"mem:{row.id} ({row.title[:40]})" for row in rows[:5])
            raise AmbiguousError(
                f"{reference.text!r} fits {len(rows)} entries: {listed}",
                mend="give one letter more",
            )
        if rows:
            return rows
    if reference.path:
        for path in _as_journal_paths(reference.path, root=root, cwd=cwd):
            if rows := catalog.by_path(path):
                return rows
    if reference.id_prefix and len(reference.id_prefix) < _MIN_PREFIX:
        raise NotFoundError(
            f"no entry is called {reference.text!r}",
            mend=f"give at least {_MIN_PREFIX} letters of its id",
        )
    raise NotFoundError(
        f"no entry is called {reference.text!r}",
        mend="`mem search` finds ids; `mem doctor` tells if an index is behind",
    )


def _as_journal_paths(text: str, *, root: Path, cwd: Path) -> list[str]:
    """The paths in the journal that *text* may mean: as given, and from the current folder."""
    paths: list[str] = []
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    for form in dict.fromkeys((text, composed, decomposed)):  # as file systems hand out names
        given = Path(form)
        candidates = [cwd / given]
        if not given.is_absolute():
            candidates += [root / given, *(root / folder / given for folder in FOLDERS)]
        for candidate in candidates:
            for base, tried in ((root, candidate), (root.resolve(), _resolved(candidate))):
                if tried.is_relative_to(base):
                    paths.append(tried.relative_to(base).as_posix())
    return list(dict.fromkeys(paths))


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, ValueError, RuntimeError):  # a loop, or no path at all
        return path
