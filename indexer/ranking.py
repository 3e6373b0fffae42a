"""From evidence to an order: how well each entry answers a query, on a scale from 0 to 1.

Two legs see every query: BM25F over terms, and the cosine of vectors. No fixed weight between them
wins everywhere (a query in the other language has only chance keyword hits; a heading with code in
it has only weak vectors), so a keyword hit counts by the share of the query that it matches. Then
what an entry is (its type, its age, whether it only repeats the question) decides between entries
that are about as relevant, and never more than that.

Everything here is a pure function on arrays; documents are ordinals chosen by the caller. Formulas
and constants are explained in docs/ranking.md and measured by tests/bench/retrieval.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .analysis import Query, Scripts

type_ints = NDArray[np.int64]
