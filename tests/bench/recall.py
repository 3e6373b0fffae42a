"""What is told with a prompt, on labelled prompts: how much of it helps, and how often it is told in vain.

    python tests/bench/recall.py                       # with 300 memories around, and with 20,000
    python tests/bench/recall.py --sizes 300 --list    # and each prompt where something went wrong
    python tests/bench/recall.py --eval DIR            # and 1,445 questions about something else
    python tests/bench/recall.py --eval DIR --fit      # weights for hooks/recall/gate.py

Prompts are *fitted* or *held out*, which their text alone decides, or *later*: the weights and the limit of
hooks/recall/gate.py are fitted on the first half only. See recall/README.md for the labels.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
from evalsets import load_set
from numpy.typing import NDArray
from recall_journal import (
    HALVES,
    NOW,
    SHOP,
    THIS_SESSION,
    Half,
    Labelled,
    Labels,
    build_journal,
    load_prompts,
)

from memjournal.hooks.recall.gate import NAMES, TOLD_FROM
from memjournal.hooks.recall.prompt import Explained, explain
from memjournal.hooks.recall.request import RecallRequest
from memjournal.hooks.recall.tokens import count_tokens
from memjournal.indexer.catalog.catalog import Catalog
from memjournal.indexer.catalog.row import Row
from memjournal.indexer.index import JournalIndex
from memjournal.indexer.search.searcher import Searcher
from memjournal.journal.redaction import Redactor
from memjournal.journal.usage import UNKNOWN

Floats = NDArray[np.float64]

BUDGET: Final = 800
STRANGERS: Final = ("parakqc", "react-ko", "react-ko-en")
GOAL_RELEVANT: Final = 0.80
GOAL_UNRELATED: Final = 0.03
_RIDGE: Final = 0.3
_UNRELATED_WEIGHT: Final = 2.0  # of what was found for a prompt that nothing helps with
_STRANGER_WEIGHT: Final = 0.3  # of what was found for a stranger: a heading is no prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What was told with one prompt."""

    prompt: Labelled
    told: tuple[Row, ...]
    n_relevant: int  # of them
    n_forbidden: int
    n_tokens: int
    explained: Explained

    @property
    def is_covered(self) -> bool:
        return self.n_relevant > 0

    @property
    def is_prompt_only(self) -> bool:
        """Whether nothing but questions was told, outside of a timeline."""
        of_search = self.explained.recalled.reason == "confident"
        return of_search and all(row.type == "user_prompt" for row in self.told)


class Recall:
    """A journal that prompts are asked of as a hook asks, again and again."""

    def __init__(self, index: JournalIndex, catalog: Catalog) -> None:
        self._index, self._catalog = index, catalog
        self._searcher, self._redactor = Searcher(index, catalog), Redactor()
        self.labels = Labels()

    def explain(
        self, text: str, project: str, *, told: Sequence[str] = (), session: str = THIS_SESSION
    ) -> Explained:
        """What is told with *text*."""
        request = RecallRequest(
            catalog=self._catalog,
            read=self._index.read,
            project=project,
            session=session,
            now=NOW,
            max_tokens=BUDGET,
            fits=lambda _: True,
            redactor=self._redactor,
        )
        search = self._searcher.search
        return explain(text, request, search=search, told=told, usage=lambda _: UNKNOWN)

    def outcome(self, prompt: Labelled) -> Outcome:
        """The same, with what is known of the prompt."""
        explained = self.explain(prompt.text, prompt.project)
        told = self.rows(explained.recalled.ids)
        return Outcome(
            prompt=prompt,
            told=told,
            n_relevant=sum(self.labels.name_one(row, prompt.relevant) for row in told),
            n_forbidden=sum(self.labels.name_one(row, prompt.forbidden) for row in told),
            n_tokens=count_tokens(explained.recalled.text),
            explained=explained,
        )

    def rows(self, ids: Sequence[str]) -> tuple[Row, ...]:
        """The entries with *ids*."""
        return tuple(self._catalog.by_id(one)[0] for one in ids)

    def n_repeated(self, prompts: Sequence[Labelled]) -> int:
        """How many memories are told twice if *prompts* follow each other in one session."""
        told: list[str] = []
        for prompt in prompts:
            told += self.explain(prompt.text, prompt.project, told=tuple(told)).recalled.ids
        return len(told) - len(set(told))


@contextlib.contextmanager
def recall_of(root: Path, *, n_around: int) -> Iterator[Recall]:
    """The journal of ``recall_journal``, made in *root*, with *n_around* memories beside it."""
    index = build_journal(root, n_around=n_around)
    with contextlib.closing(index.read_catalog()) as catalog:
        yield Recall(index, catalog)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What the outcomes of some prompts come to."""

    n_prompts: int
    n_told: int  # prompts with which something was told
    n_items: int
    n_relevant: int  # of the items
    n_answerable: int  # prompts that something helps with
    n_covered: int  # of these, those with which something that helps was told
    n_prompt_only: int
    n_forbidden: int
    tokens: float  # of a telling, the median

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Figures:
        """The figures of *outcomes*."""
        tellings = [one for one in outcomes if one.told]
        return cls(
            n_prompts=len(outcomes),
            n_told=len(tellings),
            n_items=sum(len(one.told) for one in tellings),
            n_relevant=sum(one.n_relevant for one in tellings),
            n_answerable=sum(bool(one.prompt.relevant) for one in outcomes),
            n_covered=sum(one.is_covered for one in outcomes),
            n_prompt_only=sum(one.is_prompt_only for one in tellings),
            n_forbidden=sum(one.n_forbidden for one in tellings),
            tokens=statistics.median([one.n_tokens for one in tellings] or [0]),
        )

    @property
    def relevant_share(self) -> float:
        """Of all memories that were told, those that help."""
        return self.n_relevant / self.n_items if self.n_items else 1.0

    @property
    def told_share(self) -> float:
        """Of all prompts, those with which something was told."""
        return self.n_told / self.n_prompts if self.n_prompts else 0.0


def of_half(outcomes: Sequence[Outcome], half: Half) -> list[Outcome]:
    """Those of one half."""
    return [one for one in outcomes if one.prompt.half == half]


def unrelated(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Those of prompts that nothing helps with."""
    return [one for one in outcomes if not one.prompt.relevant]


_HEAD: Final = (
    f"{'':22}{'prompts':>8}{'told':>6}{'items':>7}{'relevant':>10}{'covered':>9}"
    f"{'prompt-only':>13}{'forbidden':>11}{'tokens':>8}"
)


def print_figures(outcomes: Sequence[Outcome]) -> None:
    """By half, category and language; then what the goals are about."""
    for half in HALVES:
        of_it = of_half(outcomes, half)
        print(f"\n-- {half}\n{_HEAD}")
        groups: dict[str, list[Outcome]] = {}
        for one in of_it:
            groups.setdefault(f"{one.prompt.category} {one.prompt.language}", []).append(one)
        for name, group in groups.items():
            print(_line(name, Figures.of(group)))
        print(_line("all", Figures.of(of_it)))
        _print_goals(Figures.of(of_it), Figures.of(unrelated(of_it)))


def _line(name: str, figures: Figures) -> str:
    covered = f"{figures.n_covered}/{figures.n_answerable}" if figures.n_answerable else "–"
    relevant = f"{figures.relevant_share:.2f}" if figures.n_items else "–"
    return (
        f"{name:22}{figures.n_prompts:8}{figures.n_told:6}{figures.n_items:7}{relevant:>10}"
        f"{covered:>9}{figures.n_prompt_only:13}{figures.n_forbidden:11}{figures.tokens:8.0f}"
    )


def _print_goals(all_of_it: Figures, of_unrelated: Figures) -> None:
    told = f"{of_unrelated.n_told} of {of_unrelated.n_prompts}"
    print(
        f"relevant {all_of_it.relevant_share:.3f} (goal ≥ {GOAL_RELEVANT}); told with unrelated"
        f" prompts {of_unrelated.told_share:.3f}, {told} (goal ≤ {GOAL_UNRELATED})"
    )


def print_faults(outcomes: Sequence[Outcome]) -> None:
    """Each prompt with which something else was told than what helps, or nothing that does."""
    for one in outcomes:
        is_wrong = one.n_relevant < len(one.told)
        is_missed = bool(one.prompt.relevant) and not one.is_covered
        if not is_wrong and not is_missed:
            continue
        faults = ", ".join(["wrong"] * is_wrong + ["missed"] * is_missed)
        print(f"\n{one.prompt.id} {faults}: {one.prompt.text[:90]!r}")
        for found in one.explained.considered[:3]:
            features = " ".join(
                f"{name}={value:.2f}"
                for name, value in zip(NAMES, astuple(found.features), strict=True)
            )
            print(
                f"   {found.probability:.2f} {found.verdict}: {found.row.title[:60]!r}\n      {features}"
            )


# --- strangers: prompts of other sets, about which the journal knows nothing ----------------------


def load_strangers(folder: Path) -> tuple[Labelled, ...]:
    """Questions of sets that the journal has next to nothing to do with, as if they were prompts."""
    return tuple(
        Labelled(
            id=f"{name}/{question.id}",
            category=name,
            language="en" if name.endswith("-en") else "ko",
            project=SHOP,
            text=question.text,
            relevant=(),
        )
        for name in STRANGERS
        for question in load_set(folder, name).questions
    )


def print_strangers(outcomes: Sequence[Outcome]) -> None:
    """How often something is told with them."""
    print(f"\n{'strangers':32}{'prompts':>8}{'told':>6}{'share':>8}")
    for name in STRANGERS:
        for half in ("fitted", "held out"):
            of_name = [one for one in outcomes if one.prompt.category == name]
            figures = Figures.of(of_half(of_name, half))
            told = f"{figures.n_prompts:8}{figures.n_told:6}{figures.told_share:8.3f}"
            print(f"{f'{name}, {half}':32}{told}")


# --- fitting --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """What was found for the prompts of one half, a row each."""

    x: Floats
    y: Floats  # 1 where it helps
    weights: Floats
    prompts: tuple[Labelled, ...]


def samples_of(recall: Recall, outcomes: Sequence[Outcome]) -> Samples:
    """Everything that was considered in the prompt's own project."""
    rows: list[tuple[tuple[float, ...], bool, Labelled]] = []
    for one in outcomes:
        for found in one.explained.considered:
            if found.row.project in (one.prompt.project, ""):
                helps = recall.labels.name_one(found.row, one.prompt.relevant)
                rows.append((astuple(found.features), helps, one.prompt))
    return Samples(
        x=np.array([row[0] for row in rows]),
        y=np.array([row[1] for row in rows], np.float64),
        weights=np.array([_weight_of(row[2]) for row in rows]),
        prompts=tuple(row[2] for row in rows),
    )


def _weight_of(prompt: Labelled) -> float:
    if prompt.category in STRANGERS:
        return _STRANGER_WEIGHT
    return 1.0 if prompt.relevant else _UNRELATED_WEIGHT


def fit(samples: Samples) -> Floats:
    """Logistic regression with a ridge, by Newton's method; the last coefficient is the constant."""
    x = np.column_stack([samples.x, np.ones(len(samples.x))])
    ridge = np.diag([_RIDGE] * samples.x.shape[1] + [1e-4])
    coefficients = np.zeros(x.shape[1])
    for _ in range(60):
        p = 1 / (1 + np.exp(-x @ coefficients))
        gradient = x.T @ (samples.weights * (p - samples.y)) + ridge @ coefficients
        curvature = (x * (samples.weights * p * (1 - p))[:, None]).T @ x + ridge
        coefficients -= np.linalg.solve(curvature, gradient)
    return coefficients


def print_fit(all_samples: Sequence[Samples]) -> None:
    """The weights to paste, and what each limit would do on the prompts that they are fitted on."""
    samples = Samples(
        x=np.concatenate([one.x for one in all_samples]),
        y=np.concatenate([one.y for one in all_samples]),
        weights=np.concatenate([one.weights for one in all_samples]),
        prompts=tuple(prompt for one in all_samples for prompt in one.prompts),
    )
    *weights, constant = fit(samples)
    print("\nWEIGHTS: Final = Features(")
    for name, weight in zip(NAMES, weights, strict=True):
        print(f"    {name}={weight:.2f},")
    print(f")\nCONSTANT: Final = {constant:.2f}")
    p = 1 / (1 + np.exp(-(samples.x @ np.array(weights) + constant)))
    print(
        f"\n{'limit':>6}{'items':>7}{'relevant':>10}{'covered':>9}{'unrelated':>11}{'strangers':>11}"
    )
    for limit in np.arange(0.4, 0.9, 0.05):
        print(_limit_line(samples, p >= limit, float(limit)))


def _limit_line(samples: Samples, told: NDArray[np.bool_], limit: float) -> str:
    with_told = [prompt for prompt, is_told in zip(samples.prompts, told, strict=True) if is_told]
    right = told & (samples.y == 1)
    covered = {p.id for p, is_right in zip(samples.prompts, right, strict=True) if is_right}
    strangers = {prompt.id for prompt in with_told if prompt.category in STRANGERS}
    unrelated = {prompt.id for prompt in with_told if not prompt.relevant} - strangers
    mark = " *" if abs(limit - TOLD_FROM) < 1e-9 else ""
    own = told & np.array([prompt.category not in STRANGERS for prompt in samples.prompts])
    relevant = samples.y[own].mean() if own.any() else 1.0
    counts = f"{len(covered):9}{len(unrelated):11}{len(strangers):11}"
    return f"{limit:6.2f}{own.sum():7}{relevant:10.3f}{counts}{mark}"


# --- the whole ------------------------------------------------------------------------------------


def measure(prompts: Sequence[Labelled], recall: Recall) -> tuple[list[Outcome], float]:
    """What is told with each, and the CPU milliseconds that one takes."""
    recall.outcome(prompts[0])  # loads the model
    started = time.process_time()
    outcomes = [recall.outcome(prompt) for prompt in prompts]
    return outcomes, 1000 * (time.process_time() - started) / len(prompts)


def report(
    prompts: Sequence[Labelled], recall: Recall, *, given: argparse.Namespace
) -> list[Outcome]:
    """Print everything about one size."""
    outcomes, spent_ms = measure(prompts, recall)
    print_figures(outcomes)
    print(f"\ntold twice in a session of all prompts: {recall.n_repeated(prompts)} (goal 0)")
    print(f"CPU: {spent_ms:.1f} ms a prompt")
    if given.list:
        print_faults(outcomes)
    if given.eval:
        strangers = [recall.outcome(one) for one in load_strangers(given.eval)]
        print_strangers(strangers)
        outcomes += strangers
    return outcomes


def main() -> None:
    """Measure at the sizes that are asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[300, 20_000])
    parser.add_argument("--list", action="store_true", help="every prompt that went wrong")
    parser.add_argument("--fit", action="store_true", help="print weights for gate.py")
    parser.add_argument("--eval", type=Path, help="a folder of evaluation sets")
    given = parser.parse_args()
    prompts = load_prompts()
    fitted: list[Samples] = []
    for size in given.sizes:
        print(f"\n== {len(prompts)} prompts, {size:,} memories around")
        with (
            tempfile.TemporaryDirectory() as folder,
            recall_of(Path(folder), n_around=size) as recall,
        ):
            outcomes = report(prompts, recall, given=given)
            fitted.append(samples_of(recall, of_half(outcomes, "fitted")))
    if given.fit:
        print_fit(fitted)


if __name__ == "__main__":
    main()
