"""The evaluation sets and the measures taken on them; see docs/ranking.md."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Document:
    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalSet:
    """Documents, questions, and for each question the grades of the documents that answer it."""

    name: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    grades: Mapping[str, Mapping[str, float]]


SETS: Mapping[str, tuple[str, str, str]] = {
    "coding-sessions": ("coding-sessions", "queries.jsonl", "qrels.tsv"),
    "parakqc": ("parakqc", "queries.jsonl", "qrels.tsv"),
    "react-ko": ("react-ko", "queries.jsonl", "qrels.tsv"),
    "react-ko-en": ("react-ko", "queries-en.jsonl", "qrels-en.tsv"),
    "kodev": ("kodev", "queries.jsonl", "qrels.tsv"),
}
"""By name: folder, questions, grades."""


def load_set(root: Path, name: str) -> EvalSet:
    """The set called *name* below *root*."""
    folder, questions, grades = SETS[name]
    by_question: dict[str, dict[str, float]] = {}
    for line in (root / folder / grades).read_text(encoding="utf-8").splitlines():
        question, document, grade = line.split("\t")
        by_question.setdefault(question, {})[document] = float(grade)
    return EvalSet(
        name=name,
        documents=tuple(
            Document(row["id"], row.get("title", ""), row["text"])
            for row in _rows(root / folder / "docs.jsonl")
        ),
        questions=tuple(
            Question(row["id"], row["text"], row.get("kind", ""))
            for row in _rows(root / folder / questions)
        ),
        grades=by_question,
    )


def _rows(path: Path) -> Iterable[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def recall_at(ranked: Sequence[str], grades: Mapping[str, float], k: int) -> float:
    """The share of the right documents that are among the first *k*."""
    return sum(1 for document in ranked[:k] if document in grades) / len(grades)


def reciprocal_rank(ranked: Sequence[str], grades: Mapping[str, float]) -> float:
    """One over the place of the first right document; 0 when there is none."""
    return next((1 / place for place, doc in enumerate(ranked, 1) if doc in grades), 0.0)


def ndcg_at(ranked: Sequence[str], grades: Mapping[str, float], k: int) -> float:
    """Normalised discounted cumulative gain of the first *k* (Järvelin and Kekäläinen, 2002)."""
    gained = sum(grades.get(doc, 0.0) / math.log2(n + 1) for n, doc in enumerate(ranked[:k], 1))
    ideal = sorted(grades.values(), reverse=True)[:k]
    return gained / sum(grade / math.log2(n + 1) for n, grade in enumerate(ideal, 1))
