"""How well memories are found: recall, reciprocal rank and confidence on the evaluation sets.

    python tests/bench/retrieval.py --eval DIR [--sets kodev,parakqc] [--real] [--ablation]

Ranking is measured over an index in memory with the formulas of the real one, and with --real as a
user is answered, over a journal on disk; see docs/ranking.md for the sets and for what the figures mean.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np
import reference_bm25f
from baselines import BASELINES
from evalsets import (
    ABOUT_SOMETHING_ELSE,
    SETS,
    UNANSWERABLE,
    EvalSet,
    Question,
    load_set,
    ndcg_at,
    recall_at,
    reciprocal_rank,
)
from memory_index import Legs, MemoryIndex, load_indexes
from real_index import print_real

from memjournal.indexer.embedding import passage_vectors
from memjournal.indexer.search import ordering, ranking
from memjournal.indexer.search.confidence import judge
from memjournal.indexer.search.ranking import Relevance
from memjournal.indexer.text import analysis, english, korean
from memjournal.indexer.text.chunking import Passage, chunk, passages

Ask = Callable[[MemoryIndex, str], Relevance]
DEPTH = 100  # places that count for the reciprocal rank


@dataclass(frozen=True, slots=True)
class Figures:
    """Means over questions."""

    recall_5: float
    recall_10: float
    mrr: float
    ndcg_10: float

    def __str__(self) -> str:
        return f"{self.recall_5:8.3f}{self.recall_10:8.3f}{self.mrr:8.3f}{self.ndcg_10:8.3f}"


def measure(one: EvalSet, index: MemoryIndex, ask: Ask, questions: Sequence[Question]) -> Figures:
    """The figures of *questions* of a set, each asked by *ask*."""
    rows = []
    for question in questions:
        relevance = ask(index, question.text)
        ranked = [index.documents[at].id for at in relevance.documents[:DEPTH]]
        grades = one.grades[question.id]
        rows.append(
            (
                recall_at(ranked, grades, 5),
                recall_at(ranked, grades, 10),
                reciprocal_rank(ranked, grades),
                ndcg_at(ranked, grades, 10),
            )
        )
    return Figures(*np.mean(rows, axis=0).tolist())


def print_baselines(sets: Mapping[str, EvalSet]) -> None:
    """Recall at 10 and reciprocal rank of what is at hand without us."""
    print(f"\n{'R@10/MRR':18}" + "".join(f"{name:>17}" for name in BASELINES))
    for name, one in sets.items():
        cells = []
        for make in BASELINES.values():
            ask = make(one.documents)
            ranks = [(ask(question.text), one.grades[question.id]) for question in one.questions]
            recall = np.mean([recall_at(ranked, grades, 10) for ranked, grades in ranks])
            mrr = np.mean([reciprocal_rank(ranked, grades) for ranked, grades in ranks])
            cells.append(f"{f'{recall:.3f}/{mrr:.3f}':>17}")
        print(f"{name:18}" + "".join(cells), flush=True)


def groups(one: EvalSet) -> Iterator[tuple[str, list[Question]]]:
    """All questions of a set, and those of each kind where there are kinds."""
    yield one.name, list(one.questions)
    for kind in sorted({question.kind for question in one.questions} - {""}):
        yield f"  {kind}", [question for question in one.questions if question.kind == kind]


def print_legs(sets: Mapping[str, EvalSet], indexes: Mapping[str, MemoryIndex]) -> None:
    """Each leg alone and both, on every set."""
    print(f"{'set':18}{'leg':10}{'R@5':>8}{'R@10':>8}{'MRR':>8}{'nDCG@10':>8}")
    for name, one in sets.items():
        for group, questions in groups(one):
            for legs in ("keyword", "vector", "hybrid"):
                figures = measure(one, indexes[name], _by(legs), questions)
                print(f"{group:18}{legs:10}{figures}")


def _by(legs: Legs) -> Ask:
    return lambda index, text: index.ask(text, legs=legs)


def print_confidence(sets: Mapping[str, EvalSet], indexes: Mapping[str, MemoryIndex]) -> None:
    """How often ``high`` is right, and how often ``none`` is said where there is no answer."""
    print(f"\n{'set':18}{'high':>8}{'right':>8}{'none':>8}   no answer: none")
    all_right: list[bool] = []
    all_none: list[bool] = []
    for name, one in sets.items():
        index = indexes[name]
        said = [(q, index.ask(q.text)) for q in one.questions]
        verdicts = [judge(relevance) for _, relevance in said]
        right = [
            index.documents[relevance.documents[0]].id in one.grades[question.id]
            for (question, relevance), verdict in zip(said, verdicts, strict=True)
            if verdict == "high"
        ]
        none = [judge(index.ask(text)) == "none" for text in _unanswerable(name, sets)]
        all_right += right
        all_none += none
        print(
            f"{name:18}{verdicts.count('high') / len(said):8.3f}{_mean(right):8.3f}"
            f"{verdicts.count('none') / len(said):8.3f}{_mean(none):11.3f} of {len(none)}"
        )
    print(f"high is right {_mean(all_right):.3f} of {len(all_right)}")
    print(f"none without an answer {_mean(all_none):.3f} of {len(all_none)}")


def _unanswerable(name: str, sets: Mapping[str, EvalSet]) -> list[str]:
    texts = list(ABOUT_SOMETHING_ELSE)
    for asked, documents in UNANSWERABLE:
        if documents == name and asked in sets:
            texts += [question.text for question in sets[asked].questions]
    return texts


def _mean(values: Sequence[bool]) -> float:
    return float(np.mean(values)) if values else float("nan")


def by_rank(index: MemoryIndex, text: str) -> Relevance:
    """Reciprocal rank fusion with equal weights (Cormack et al., 2009), for comparison."""
    legs = [index.ask(text, legs=leg) for leg in ("keyword", "vector")]
    score = np.zeros(len(index.documents))
    for leg in legs:
        score[leg.documents] += 1 / (60 + np.arange(1, len(leg.documents) + 1))
    fused = legs[1]
    order = np.lexsort((fused.documents, -score[fused.documents]))
    return ranking.Relevance(
        documents=fused.documents[order],
        relevance=score[fused.documents][order],
        strength=fused.strength[order],
        share=fused.share[order],
        similarity=fused.similarity[order],
        agreement=fused.agreement,
        used_keyword=True,
        used_vector=True,
    )


def by_half(index: MemoryIndex, text: str) -> Relevance:
    """Equal weights, and every keyword hit counts in full."""
    with patch.multiple(ranking, KEYWORD_WEIGHT=(0.5, 0.5), SHARE_EXPONENT=(0.0, 0.0)):
        return index.ask(text)


def by_quarter(index: MemoryIndex, text: str) -> Relevance:
    """Equal weights, and keyword hits below a quarter of the query's idf are dropped."""
    query = analysis.query_terms(text)
    keyword = index.keyword(query)
    kept = np.where(keyword.share >= 0.25, keyword.strength, 0.0)
    with patch.multiple(ranking, KEYWORD_WEIGHT=(0.5, 0.5), SHARE_EXPONENT=(0.0, 0.0)):
        return ranking.fuse(
            replace(keyword, strength=kept),
            index.vector(text),
            query=query,
            collection=index.collection,
        )


def only_chunks(title: str, text: str) -> list[Passage]:
    """What is embedded without an opening."""
    return [
        Passage(piece.start, f"{title}\n{piece.text}" if title else piece.text)
        for piece in chunk(text)
    ]


def print_ablation(sets: Mapping[str, EvalSet], model: str) -> None:
    """Recall at 10 and reciprocal rank with one thing changed at a time."""
    print(f"\n{'R@10/MRR':26}" + "".join(f"{name:>17}" for name in sets))

    def row(name: str, indexes: Mapping[str, MemoryIndex], ask: Ask) -> None:
        cells = []
        for key, one in sets.items():
            figures = measure(one, indexes[key], ask, one.questions)
            cells.append(f"{f'{figures.recall_10:.3f}/{figures.mrr:.3f}':>17}")
        print(f"{name:26}" + "".join(cells), flush=True)

    indexes = load_indexes(sets, model=model)
    print("keyword leg")
    row("  as it is", indexes, _by("keyword"))
    with patch.object(english, "FUNCTION_WORDS", frozenset()), _no_function_words():
        row("  nothing left out", indexes, _by("keyword"))
    with patch.object(analysis, "ENDING_WEIGHT", 1.0):
        row("  endings in full", indexes, _by("keyword"))
    with patch.object(analysis, "ENDING_WEIGHT", 0.0):
        row("  no endings", indexes, _by("keyword"))
    with patch.object(english, "stem", lambda word: word):
        _forget_terms()
        row("  no English stems", load_indexes(sets, model=model), _by("keyword"))
    _forget_terms()
    print("both legs")
    row("  as it is", indexes, _by("hybrid"))
    row("  equal weights", indexes, by_half)
    row("  equal weights, share>=.25", indexes, by_quarter)
    row("  reciprocal rank fusion", indexes, by_rank)
    with patch.object(reference_bm25f, "DOUBT_IDF", 0.0):
        row("  common words certain", indexes, _by("hybrid"))
    with patch.object(ranking, "SHARE_EXPONENT", (1.0, 1.0)):
        row("  share in full", indexes, _by("hybrid"))
    with patch.object(ranking, "KEYWORD_WEIGHT", (0.5, 0.5)):
        row("  one weight", indexes, _by("hybrid"))
    for legs in ("vector", "hybrid"):
        print(f"passages, {legs}")
        row("  as it is", indexes, _by(legs))
        with patch.object(passage_vectors, "CONTEXT", 0.0):
            row("  no context", load_indexes(sets, model=model), _by(legs))
        row("  no opening", load_indexes(sets, model=model, passages=only_chunks), _by(legs))
        for max_tokens, overlap in ((180, 20), (240, 40), (400, 60)):
            cut = partial(passages, max_tokens=max_tokens, overlap=overlap)
            row(
                f"  chunks of {max_tokens}",
                load_indexes(sets, model=model, passages=cut),
                _by(legs),
            )


def print_ordering(sets: Mapping[str, EvalSet], indexes: Mapping[str, MemoryIndex]) -> None:
    """What bonuses for type and age, and the loss for repetition, do to ten results.

    The sets have no types or dates. Drawn at random they show what the bonuses cost where they know
    nothing; with what is right from this week, of this month or older otherwise, what age gains.
    """
    print(f"\n{'first ten: R/MRR':26}" + "".join(f"{name:>17}" for name in sets))
    rows: tuple[tuple[str, float, float, bool], ...] = (
        ("  relevance alone", 0.0, 0.0, False),
        ("  without repetition", 0.0, ordering.REPETITION, False),
        ("  random type and age", ordering.MAX_BONUS, ordering.REPETITION, False),
        ("  the right one is recent", ordering.MAX_BONUS, ordering.REPETITION, True),
        ("  the same, bonus x 5", 5 * ordering.MAX_BONUS, ordering.REPETITION, True),
        ("  random, bonus x 5", 5 * ordering.MAX_BONUS, ordering.REPETITION, False),
    )
    for name, bonus, repetition, is_recent in rows:
        cells = []
        with patch.object(ordering, "MAX_BONUS", bonus):
            for key, one in sets.items():
                found = [
                    _first_ten(
                        indexes[key], question, one.grades[question.id], repetition, is_recent
                    )
                    for question in one.questions
                ]
                recall, mrr = np.mean(found, axis=0)
                cells.append(f"{f'{recall:.3f}/{mrr:.3f}':>17}")
        print(f"{name:26}" + "".join(cells), flush=True)


def _first_ten(
    index: MemoryIndex,
    question: Question,
    grades: Mapping[str, float],
    repetition: float,
    recent: bool,
) -> tuple[float, float]:
    """Recall and reciprocal rank of the ten results that would be shown."""
    relevance = index.ask(question.text)
    relevance = relevance.take(np.arange(min(200, len(relevance.documents))))
    draw = np.random.default_rng(len(question.text))
    ages = draw.uniform(0, 365, len(index.documents))
    types = draw.choice([*ordering.TYPE_PRIORS], len(index.documents))
    ids = [index.documents[at].id for at in relevance.documents]
    candidates = [
        ordering.Candidate(
            kind="fact",
            type=str(types[at]),
            age_days=draw.uniform(0, 7) if recent and name in grades else float(ages[at]),
        )
        for at, name in zip(relevance.documents, ids, strict=True)
    ]
    shown = ordering.order_results(
        relevance,
        candidates,
        limit=10,
        vectors=index.vectors_of(relevance.documents),
        repetition=repetition,
    )
    ranked = [index.documents[one.document].id for one in shown]
    return recall_at(ranked, grades, 10), reciprocal_rank(ranked, grades)


def _no_function_words() -> ExitStack:
    stack = ExitStack()
    stack.enter_context(patch.object(korean, "is_function_word", lambda word: False))
    stack.enter_context(patch.object(korean, "is_particle", lambda word: False))
    return stack


def _forget_terms() -> None:
    analysis._terms_of.cache_clear()


def main() -> None:
    """Measure the sets in a folder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--eval", type=Path, required=True, help="the folder of the sets")
    parser.add_argument("--sets", default="", help="default: all that are there")
    parser.add_argument("--model", default="", help="a model2vec folder; default: the shipped one")
    parser.add_argument("--ablation", action="store_true", help="also change one thing at a time")
    parser.add_argument("--real", action="store_true", help="also ask a journal on disk")
    arguments = parser.parse_args()
    there = [name for name, (folder, *_) in SETS.items() if (arguments.eval / folder).is_dir()]
    names = arguments.sets.split(",") if arguments.sets else there
    if not names:
        parser.error(f"no evaluation set in {arguments.eval}")
    sets = {name: load_set(arguments.eval, name) for name in names}
    indexes = load_indexes(sets, model=arguments.model)
    print_legs(sets, indexes)
    print_baselines(sets)
    print_confidence(sets, indexes)
    if arguments.real:
        print_real(sets)
    if arguments.ablation:
        print_ordering(sets, indexes)
        print_ablation(sets, arguments.model)


if __name__ == "__main__":
    main()
