"""One run of `mem show`: memories read from their files, and printed whole.

Nothing here knows how the command line was read: that is done by Typer, or by `quick` without it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import output
from .present import journal_field, print_entry
from .references import as_shown, find_anywhere

if TYPE_CHECKING:
    from .context import Context


def run_show(surroundings: Context, refs: Sequence[str], *, raw: bool, as_json: bool) -> None:
    """Print what *refs* name: for people, as it stands in the file, or as JSON.

    Raises:
        MemjournalError: one names nothing, or several, or cannot be read.
    """
    from ..journal.export import entry_fields

    opened = [(found, found.opened()) for found in find_anywhere(surroundings, refs)]
    for number, (found, stored) in enumerate(opened):
        row, entry = found.row, as_shown(found, stored.entry)
        if raw:
            sys.stdout.flush()
            if sys.stdout.isatty():  # as it stands, but for what would act on the terminal
                output.line(output.safe(stored.raw.decode("utf-8", "replace")))
            else:
                sys.stdout.buffer.write(stored.raw)
        elif as_json:
            output.emit("entry", {**entry_fields(entry, row.path), **journal_field(found.journal)})
        else:
            if number:
                output.line()
            before, after = found.catalog.neighbours(row, before=1, after=1)
            print_entry(
                row,
                entry,
                before=before,
                after=after,
                now=surroundings.now,
                journal=found.journal,
            )
