"""How often an answer seems to use a memory that nobody told: what the measure of use says by chance.

    python tests/bench/use_by_chance.py --eval DIR [--pairs 3000]

A passage of one text is judged by another of the same project, picked at random, as if it had been
told; docs/recall-use.md has the figures. Some pairs are about the same thing: it is an upper bound.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from memjournal.hooks.recall import use

LENGTHS = (25, 60)  # words of what is told
MIN_ANSWER_WORDS = 30
CHANGES: dict[str, dict[str, object]] = {
    "as it is": {},
    "in the whole answer": {"PASSAGE_WORDS": 1_000_000},
    "no list of words": {"common_terms": frozenset},
    "neither": {"PASSAGE_WORDS": 1_000_000, "common_terms": frozenset},
}


class Answer(NamedTuple):
    """An answer, what it answers, and whose words they are."""

    group: str
    prompt: str
    text: str


def read_sessions(folder: Path) -> Iterator[Answer]:
    """The answers of real sessions."""
    for line in (folder / "docs.jsonl").read_text("utf-8").splitlines():
        session = json.loads(line)
        parts = re.split(r"(?:^|\n)(User|Assistant): ", session["text"])
        prompt, said = "", list[str]()
        for speaker, text in [*zip(parts[1::2], parts[2::2], strict=True), ("User", "")]:
            if speaker == "Assistant":
                said.append(text)
                continue
            if prompt and said:
                yield Answer(session["id"], prompt, "\n".join(said))
            prompt, said = text, []


def read_sections(folder: Path) -> Iterator[Answer]:
    """The sections of a handbook in Korean, their titles as what was asked."""
    for line in (folder / "docs.jsonl").read_text("utf-8").splitlines():
        section = json.loads(line)
        if re.search("[가-힣]", section["text"]):
            yield Answer(section["id"], section["title"], section["text"])


SETS = {"coding-sessions": read_sessions, "react-ko": read_sections}


def share_used(answers: list[Answer], n_words: int, n_pairs: int) -> float:
    """The share of random pairs in which the first words of one text count as used by the other."""
    picked = random.Random(3)
    long_enough = [one for one in answers if len(one.text.split()) >= n_words]
    asked = [one for one in answers if len(one.text.split()) > MIN_ANSWER_WORDS]
    n_used = n_done = 0
    while n_done < n_pairs:
        told, answer = picked.choice(long_enough), picked.choice(asked)
        if told.group == answer.group:
            continue
        text = " ".join(told.text.split()[:n_words])
        (verdict,) = use.judge_use(answer.text, [("a7Bc3x", text)], prompt=answer.prompt)
        n_used += verdict.how is not None
        n_done += 1
    return n_used / n_pairs


def main() -> None:
    """Measure the sets in a folder, as the measure is and with parts of it left out."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--eval", type=Path, required=True, help="the folder of the sets")
    parser.add_argument("--pairs", type=int, default=3_000)
    arguments = parser.parse_args()
    for name, read in SETS.items():
        answers = list(read(arguments.eval / name))
        print(f"{name}: {len(answers):,} texts; told are the first {LENGTHS} words")
        for change, values in CHANGES.items():
            with ExitStack() as stack:
                for attribute, value in values.items():
                    stack.enter_context(patch.object(use, attribute, value))
                shares = [share_used(answers, length, arguments.pairs) for length in LENGTHS]
            print(f"  {change:<22}" + "".join(f"{share:8.1%}" for share in shares))


if __name__ == "__main__":
    main()
