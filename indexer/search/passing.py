"""Which entries pass a filter, remembered: hooks ask for those of one project with every prompt.

Between two questions entries are added, mostly, and none of those that were there changes. So what passed
passes still, and only what is new is looked at. The invariant: the answer is that of the catalog itself.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..catalog.catalog import Catalog
from ..catalog.entry_filter import EntryFilter

Int = NDArray[np.int64]

_MAX_FILTERS: Final = 8


@dataclass(frozen=True, slots=True, eq=False)
class _Passed:
    docnos: Int  # ascending
    n_refilings: int
    last: int  # no entry had a higher number then


class PassingEntries:
    """The entries that pass the filters asked for last, of one catalog; any number of threads may ask."""

    def __init__(self) -> None:
        self._passed: OrderedDict[EntryFilter, _Passed] = OrderedDict()
        self._remembering = threading.Lock()

    def docnos(self, wanted: EntryFilter, catalog: Catalog) -> Int:
        """The numbers of the entries that pass *wanted*, ascending.

        Raises:
            MemjournalError: the catalog cannot be read.
        """
        if wanted.without_session:  # every conversation has another one
            of_all = self.docnos(replace(wanted, without_session=""), catalog)
            return np.setdiff1d(
                of_all, catalog.docnos_of_session(wanted.without_session), assume_unique=True
            )
        with self._remembering:
            before = self._passed.get(wanted)
        n_refilings, last = catalog.n_refilings, catalog.last_docno()
        if before is None or before.n_refilings != n_refilings:
            docnos = _up_to(last, catalog.docnos(wanted))
        elif before.last == last:
            docnos = before.docnos
        else:
            added = _up_to(last, catalog.docnos(wanted, after=before.last))
            docnos = np.concatenate([before.docnos, added]) if len(added) else before.docnos
        with self._remembering:
            self._passed[wanted] = _Passed(docnos, n_refilings, last)
            self._passed.move_to_end(wanted)
            if len(self._passed) > _MAX_FILTERS:
                self._passed.popitem(last=False)
        return docnos


def _up_to(last: int, docnos: Int) -> Int:
    """Without what somebody has added since *last* was looked up: it will be new once more."""
    return docnos[: int(np.searchsorted(docnos, last, "right"))]
