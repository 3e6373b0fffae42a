"""The same questions asked of a real journal: files on disk, Whoosh, FAISS, and `mem search`'s own code."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from evalsets import Document, EvalSet, ndcg_at, recall_at, reciprocal_rank

from memjournal.indexer.embedding.embedders import SHIPPED_MODEL
from memjournal.indexer.index import JournalIndex
from memjournal.indexer.options import IndexOptions
from memjournal.indexer.search.answer import Mode, SearchRequest
from memjournal.indexer.search.searcher import Searcher
from memjournal.indexer.text.chunking import MAX_TOKENS, OVERLAP
from memjournal.journal.entry import Entry
from memjournal.journal.ids import mint
from memjournal.journal.memory_file import render_memory

NOW = datetime(2026, 11, 30, tzinfo=UTC)
DEPTH = 10


def print_real(sets: Mapping[str, EvalSet]) -> None:
    """Each leg and both, as a user is answered; ranks beyond ten do not count."""
    print(
        f"\n{'real journal':18}{'leg':10}{'R@5':>8}{'R@10':>8}{'MRR@10':>8}{'nDCG@10':>8}{'ms':>8}"
    )
    with ExitStack() as stack:
        opened: dict[str, Searcher] = {}
        for name, one in sets.items():
            if one.folder not in opened:
                opened[one.folder] = stack.enter_context(journal_of(one.documents))
            for by in ("keyword", "vector", "hybrid"):
                print(f"{name:18}{by:10}{_measure(one, opened[one.folder], by)}", flush=True)


def _measure(one: EvalSet, searcher: Searcher, by: Mode) -> str:
    rows: list[Sequence[float]] = []
    started = time.process_time()
    for question in one.questions:
        request = SearchRequest(text=question.text, now=NOW, limit=DEPTH, by=by)
        ranked = [hit.row.type for hit in searcher.search(request).hits]
        grades = one.grades[question.id]
        rows.append(
            (
                recall_at(ranked, grades, 5),
                recall_at(ranked, grades, 10),
                reciprocal_rank(ranked, grades),
                ndcg_at(ranked, grades, 10),
            )
        )
    means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    spent_ms = 1000 * (time.process_time() - started) / len(rows)
    return "".join(f"{mean:8.3f}" for mean in means) + f"{spent_ms:8.1f}"


@contextmanager
def journal_of(documents: Sequence[Document]) -> Iterator[Searcher]:
    """A journal of *documents*, indexed; the type of an entry says which document it is."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for number, document in enumerate(documents):
            entry = Entry(
                id=mint(document.id),
                kind="fact",
                type=document.id,
                title=" ".join(document.title.split()),
                body=document.text,
                created=NOW,
            )
            path = root / "memories" / f"{number // 250:03}" / f"{number}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(render_memory(entry), "utf-8", newline="")
        options = IndexOptions(
            vectors=True,
            model=SHIPPED_MODEL,
            chunk_tokens=MAX_TOKENS,
            chunk_overlap_tokens=OVERLAP,
            machine="this machine",
            lock_timeout_s=10,
        )
        index = JournalIndex(root, root / "index", options)
        index.update(now_ns=0)
        with closing(index.read_catalog()) as catalog:
            searcher = Searcher(index, catalog)
            yield searcher
            searcher.close()
