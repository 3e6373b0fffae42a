"""What anybody has at hand: grep, and the full-text search of SQLite; to stand beside ours."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Sequence

from evalsets import Document

Baseline = Callable[[str], list[str]]  # from a question to ids, best first

_WORD = re.compile(r"\w+")
_DEPTH = 100


def grep(documents: Sequence[Document]) -> Baseline:
    """The documents with most of the question's words in them, then those with most hits.

    A word counts wherever its characters stand, in any case, as ``grep -i -F`` has it.
    """
    texts = [(one.id, f"{one.title}\n{one.text}".casefold()) for one in documents]

    def ask(question: str) -> list[str]:
        words = set(_WORD.findall(question.casefold()))
        ranked = []
        for number, (name, text) in enumerate(texts):
            counts = [n for word in words if (n := text.count(word))]
            if counts:
                ranked.append((-len(counts), -sum(counts), number, name))
        return [name for *_, name in sorted(ranked)[:_DEPTH]]

    return ask


def fts5(documents: Sequence[Document], tokenizer: str) -> Baseline:
    """SQLite FTS5 by its own BM25, any of the question's words, the title counting double."""
    base = sqlite3.connect(":memory:")
    base.execute(f'CREATE VIRTUAL TABLE d USING fts5(title, body, tokenize="{tokenizer}")')
    base.executemany(
        "INSERT INTO d (rowid, title, body) VALUES (?, ?, ?)",
        ((number, one.title, one.text) for number, one in enumerate(documents)),
    )

    def ask(question: str) -> list[str]:
        words = dict.fromkeys(_WORD.findall(question))
        if not words:
            return []
        asked = " OR ".join(f'"{word}"' for word in words)
        query = "SELECT rowid FROM d WHERE d MATCH ? ORDER BY bm25(d, 2.0, 1.0), rowid LIMIT ?"
        return [documents[number].id for (number,) in base.execute(query, (asked, _DEPTH))]

    return ask


BASELINES: dict[str, Callable[[Sequence[Document]], Baseline]] = {
    "grep": grep,
    "fts5 words": lambda documents: fts5(documents, "unicode61"),
    "fts5 trigrams": lambda documents: fts5(documents, "trigram"),
}
