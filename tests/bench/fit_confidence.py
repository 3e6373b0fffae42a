"""Fits the models of ``indexer/search/judgement.py`` and prints how reliable they are.

    python tests/bench/fit_confidence.py --eval DIR

The figures come from models that did not see the question (five-fold cross-validation); the weights
to paste are fitted on all questions. Each set weighs the same; the questions without an answer weigh
as much as one set for ``FIRST_IS_RIGHT``, and as much as all sets together for ``HAS_ANSWER``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from evalsets import (
    ABOUT_SOMETHING_ELSE,
    SETS,
    UNANSWERABLE,
    EvalSet,
    Grades,
    load_set,
)
from memory_index import Legs, MemoryIndex, load_indexes
from numpy.typing import NDArray

from memjournal.indexer.search.answer import Features
from memjournal.indexer.search.confidence import features_of
from memjournal.indexer.search.judgement import HIGH_FROM, NONE_BELOW

Floats = NDArray[np.float64]

N_FOLDS = 5
RIDGE = 1e-5
FEATURES: dict[tuple[Legs, str], tuple[str, ...]] = {
    ("hybrid", "FIRST_IS_RIGHT"): ("similarity", "gap", "standout", "agreement"),
    ("hybrid", "HAS_ANSWER"): ("similarity", "share", "gap"),
    ("keyword", "FIRST_IS_RIGHT"): ("share", "gap", "agreement"),
    ("keyword", "HAS_ANSWER"): ("share", "relevance"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A question asked of a set of documents, and what came of it."""

    group: str
    features: Features | None  # None when nothing at all was found
    first_is_right: bool = False
    one_of_five_is_right: bool = False


def collect(
    sets: dict[str, EvalSet], indexes: dict[str, MemoryIndex], legs: Legs
) -> tuple[list[Sample], list[Sample]]:
    """The questions that have an answer, and those that have none."""
    answerable = [
        ask(one.name, indexes[one.name], question.text, one.grades[question.id], legs)
        for one in sets.values()
        for question in one.questions
    ]
    hopeless = [
        ask(f"{asked} > {documents}", indexes[documents], question.text, {}, legs)
        for asked, documents in UNANSWERABLE
        if asked in sets and documents in sets
        for question in sets[asked].questions[::3]
    ]
    hopeless += [
        ask(f"something else > {name}", indexes[name], text, {}, legs)
        for name in sets
        for text in ABOUT_SOMETHING_ELSE
    ]
    return answerable, hopeless


def ask(group: str, index: MemoryIndex, text: str, grades: Grades, legs: Legs) -> Sample:
    """Ask *text* of *index*; no *grades* means that nothing there is right."""
    relevance = index.ask(text, legs=legs)
    right = [index.documents[at].id in grades for at in relevance.documents[:5]]
    return Sample(
        group=group,
        features=features_of(relevance) if right else None,
        first_is_right=bool(right) and right[0],
        one_of_five_is_right=any(right),
    )


def fit(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Logistic regression by Newton's method; the last coefficient is the constant."""
    x = np.column_stack([x, np.ones(len(x))])
    coefficients = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ coefficients))
        gradient = x.T @ (weights * (p - y)) + RIDGE * coefficients
        curvature = (x * (weights * p * (1 - p))[:, None]).T @ x + RIDGE * np.eye(x.shape[1])
        coefficients -= np.linalg.solve(curvature, gradient)
    return coefficients


def predict(coefficients: Floats, x: Floats) -> Floats:
    """The probability of each row of *x*."""
    return np.asarray(1 / (1 + np.exp(-(x @ coefficients[:-1] + coefficients[-1]))))


def cross_validated(x: Floats, y: Floats, weights: Floats) -> Floats:
    """The probability of each row by a model that was fitted without it."""
    fold = np.random.default_rng(0).integers(0, N_FOLDS, len(x))
    p = np.zeros(len(x))
    for held_back in range(N_FOLDS):
        out = fold == held_back
        p[out] = predict(fit(x[~out], y[~out], weights[~out]), x[out])
    return p


def weigh(groups: NDArray[np.str_], total: float) -> Floats:
    """A weight for each sample, so that every group weighs the same."""
    names, counts = np.unique(groups, return_counts=True)
    count_of = dict(zip(names.tolist(), counts.tolist(), strict=True))
    return np.array([total / len(names) / count_of[group] for group in groups.tolist()])


def matrix(samples: Sequence[Sample], names: Sequence[str]) -> Floats:
    """The features called *names*, a row a sample."""
    return np.array([[getattr(one.features, name) for name in names] for one in samples])


def fit_both(legs: Legs, answerable: list[Sample], hopeless: list[Sample]) -> None:
    """Fit and print both models for *legs*."""
    answerable = [one for one in answerable if one.features]
    nothing_found = sum(not one.features for one in hopeless)
    n_hopeless = len(hopeless)
    hopeless = [one for one in hopeless if one.features]
    samples = answerable + hopeless
    groups = np.array([one.group for one in samples])
    n = len(answerable)
    n_sets = len(set(groups[:n].tolist()))

    first = np.array([one.first_is_right for one in samples], dtype=np.float64)
    weights = np.concatenate([weigh(groups[:n], n_sets), weigh(groups[n:], 1.0)])
    p_first = _fit_and_paste(legs, "FIRST_IS_RIGHT", samples, first, weights / weights.sum())

    five = np.array([one.one_of_five_is_right for one in samples], dtype=np.float64)
    # a question that was answered wrongly says nothing about whether there is an answer
    told = (five == 1) | (np.arange(len(samples)) >= n)
    weights = np.concatenate([weigh(groups[:n], 1.0), weigh(groups[n:], 1.0)])
    weights = weights * told / (weights * told).sum()
    p_any = _fit_and_paste(legs, "HAS_ANSWER", samples, five, weights)

    _print_reliability(p_first, first, np.arange(len(samples)) < n)
    is_none = p_any < NONE_BELOW
    is_high = ~is_none & (p_first >= HIGH_FROM)
    print(f"\n{'set':34}{'n':>5}{'high':>7}{'right':>7}{'none':>7}{'lost':>7}")
    for group in dict.fromkeys(groups.tolist()):
        here = groups == group
        high = here & is_high
        lost = is_none[here & (five == 1)].mean() if (here & (five == 1)).any() else np.nan
        right = first[high].mean() if high.any() else np.nan
        print(
            f"{group:34}{here.sum():5}{is_high[here].mean():7.2f}{right:7.2f}"
            f"{is_none[here].mean():7.2f}{lost:7.2f}"
        )
    print(f"right when high, all questions: {first[is_high].mean():.3f} of {is_high.sum()}")
    none_share = (is_none[n:].sum() + nothing_found) / n_hopeless
    print(f"none when there is no answer: {none_share:.3f} of {n_hopeless}\n")


def _fit_and_paste(
    legs: Legs, name: str, samples: list[Sample], y: Floats, weights: Floats
) -> Floats:
    names = FEATURES[legs, name]
    x = matrix(samples, names)
    fitted = fit(x, y, weights)
    values = ", ".join(
        f"{key}={value:.2f}" for key, value in zip((*names, "constant"), fitted, strict=True)
    )
    suffix = "" if legs == "hybrid" else "_BY_KEYWORD"
    print(f"{name}{suffix}: Final = Model({values})")
    return cross_validated(x, y, weights)


def _print_reliability(p: Floats, right: Floats, answerable: NDArray[np.bool_]) -> None:
    print("\nfirst result: said | was right | questions (of those that have an answer)")
    tenth = np.minimum((p * 10).astype(int), 9)
    for n in range(10):
        here = (tenth == n) & answerable
        if here.any():
            print(f"  {p[here].mean():.2f} | {right[here].mean():.2f} | {here.sum()}")


def main() -> None:
    """Fit on the sets in a folder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--eval", type=Path, required=True, help="the folder of the sets")
    parser.add_argument("--model", default="", help="a model2vec folder; default: the shipped one")
    arguments = parser.parse_args()
    sets = {name: load_set(arguments.eval, name) for name in SETS}
    indexes = load_indexes(sets, model=arguments.model)
    for legs in ("hybrid", "keyword"):
        print(f"== {legs}")
        fit_both(legs, *collect(sets, indexes, legs))


if __name__ == "__main__":
    main()
