"""The evaluation sets and the measures taken on them; see docs/ranking.md."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

Grades = Mapping[str, float]  # by document


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
    folder: str  # sets of one folder have the same documents
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    grades: Mapping[str, Grades]


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
        folder=folder,
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


def recall_at(ranked: Sequence[str], grades: Grades, k: int) -> float:
    """The share of the right documents that are among the first *k*."""
    return sum(1 for document in ranked[:k] if document in grades) / len(grades)


def reciprocal_rank(ranked: Sequence[str], grades: Grades) -> float:
    """One over the place of the first right document; 0 when there is none."""
    return next((1 / place for place, doc in enumerate(ranked, 1) if doc in grades), 0.0)


def ndcg_at(ranked: Sequence[str], grades: Grades, k: int) -> float:
    """Normalised discounted cumulative gain of the first *k* (Järvelin and Kekäläinen, 2002)."""
    gained = sum(grades.get(doc, 0.0) / math.log2(n + 1) for n, doc in enumerate(ranked[:k], 1))
    ideal = sorted(grades.values(), reverse=True)[:k]
    return gained / sum(grade / math.log2(n + 1) for n, grade in enumerate(ideal, 1))


UNANSWERABLE: tuple[tuple[str, str], ...] = (
    ("parakqc", "coding-sessions"),
    ("parakqc", "kodev"),
    ("parakqc", "react-ko"),
    ("react-ko", "parakqc"),
    ("react-ko", "coding-sessions"),
    ("react-ko-en", "parakqc"),
    ("react-ko-en", "coding-sessions"),
    ("coding-sessions", "parakqc"),
    ("coding-sessions", "react-ko"),
    ("kodev", "parakqc"),
    ("kodev", "react-ko"),
    ("kodev", "coding-sessions"),
)
"""Questions of the first set have no answer among the documents of the second."""

ABOUT_SOMETHING_ELSE: tuple[str, ...] = (
    "how long should I boil eggs for ramen",
    "train timetable from Lyon to Geneva on Sunday",
    "what did the vet say about the dog's ear infection",
    "Kerberos keytab rotation on the Hadoop cluster",
    "calibrating the extruder of the 3D printer",
    "which violin strings did we order",
    "COBOL copybook for the pension batch",
    "SAP purchase order approval workflow",
    "PX4 drone gyroscope drift",
    "insulin dose table for the cat",
    "Fortran MPI deadlock on the weather model",
    "LaTeX bibliography style for the thesis",
    "김치찌개에 들어가는 재료",
    "제주도 렌터카 보험 약관",
    "아이 어린이집 입소 서류",
    "하둡 클러스터 커버로스 키탭 교체",
    "안드로이드 앱 서명 키를 잃어버렸을 때 대처",
    "바이올린 줄 교체 주기",
    "전기차 충전 요금 정산 방법",
    "유니티 셰이더 그림자 깨짐",
    "아파트 관리비 이의 신청",
    "드론 자이로 센서 보정",
    "논문 참고 문헌 양식",
    "코볼 연금 배치 카피북",
)
"""Questions that no set answers, half of them about other software."""
