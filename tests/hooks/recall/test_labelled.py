"""On labelled prompts, what is told helps; with prompts that nothing helps with, nothing is told.

The goals are those of docs/recall.md, of each half of the prompts by itself: of the one that the gate is
fitted on, of the one that it is not, and of those that were written last.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ...bench.recall import (
    GOAL_RELEVANT,
    GOAL_UNRELATED,
    HALVES,
    Figures,
    Half,
    Outcome,
    Recall,
    load_prompts,
    of_half,
    recall_of,
    unrelated,
)

LEAST_COVERED = 0.5
"""Of the prompts that something helps with. A gate that tells next to nothing is right, and of no use."""


@pytest.fixture(scope="module")
def recall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recall]:
    with recall_of(tmp_path_factory.mktemp("labelled"), n_around=300) as recall:
        yield recall


@pytest.fixture(scope="module")
def outcomes(recall: Recall) -> list[Outcome]:
    return [recall.outcome(prompt) for prompt in load_prompts()]


def test_the_prompts_are_many_and_of_both_languages() -> None:
    prompts = load_prompts()
    assert len({prompt.id for prompt in prompts}) == len(prompts) >= 170
    assert sum(not prompt.relevant for prompt in prompts) >= 60
    korean = sum(prompt.language == "ko" for prompt in prompts)
    assert 0.4 < korean / len(prompts) < 0.6
    assert {prompt.category for prompt in prompts} == {
        *("continuation", "decision", "incident", "symbol", "preference", "unrelated"),
    }


@pytest.mark.parametrize("half", HALVES)
def test_what_is_told_helps(outcomes: list[Outcome], half: Half) -> None:
    figures = Figures.of(of_half(outcomes, half))
    assert figures.relevant_share >= GOAL_RELEVANT
    assert figures.n_forbidden == 0
    assert figures.n_covered >= LEAST_COVERED * figures.n_answerable


@pytest.mark.parametrize("half", HALVES)
def test_next_to_nothing_is_told_with_unrelated_prompts(
    outcomes: list[Outcome], half: Half
) -> None:
    figures = Figures.of(unrelated(of_half(outcomes, half)))
    assert figures.n_prompts >= 40
    assert figures.told_share <= GOAL_UNRELATED


def test_questions_are_never_told_alone(outcomes: list[Outcome]) -> None:
    assert [one.prompt.id for one in outcomes if one.is_prompt_only] == []


def test_of_tools_only_what_the_user_chose_is_told_outside_of_a_timeline(
    outcomes: list[Outcome],
) -> None:
    searched = (one for one in outcomes if one.explained.recalled.reason == "confident")
    tools = {row.tool for one in searched for row in one.told if row.type == "tool_output"}
    assert tools <= {"AskUserQuestion"}


def test_nothing_is_told_twice_in_a_session(recall: Recall) -> None:
    assert recall.n_repeated(load_prompts()) == 0
