"""Two sorted lists side by side: the same as two dictionaries would say, in whatever parts they come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.indexer.upkeep import comparing
from memjournal.indexer.upkeep.comparing import differences
from memjournal.journal.file_walk import FoundFile

from ..odd_paths import ODD_PATHS

LISTS = st.dictionaries(st.sampled_from(ODD_PATHS), st.integers(1, 3)).map(
    lambda sizes: [(path, size, 0, 0) for path, size in sorted(sizes.items())]
)
CUTS = st.sets(st.integers(0, len(ODD_PATHS)))


def parts(files: Sequence[FoundFile], cuts: set[int]) -> Iterator[Sequence[FoundFile]]:
    """*files* cut at *cuts*; some parts are empty."""
    start = 0
    for end in (*sorted(cuts), len(files)):
        yield files[start:end]
        start = max(start, end)


@pytest.mark.parametrize("stretch", [1, 2, 7, 2_000])
def test_what_differs_is_what_two_dictionaries_would_say(
    stretch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing, "_STRETCH", stretch)

    @given(LISTS, LISTS, CUTS, CUTS)
    def compare(
        found: list[FoundFile], known: list[FoundFile], cut: set[int], other_cut: set[int]
    ) -> None:
        there, before = ({file[0]: file for file in files} for files in (found, known))
        expected = [
            (there.get(path), before.get(path))
            for path in sorted(there.keys() | before.keys())
            if there.get(path) != before.get(path)
        ]
        said = list(differences(parts(found, cut), parts(known, other_cut)))
        assert sorted(said, key=path_of) == expected
        changed = [path_of(one) for one in said if one[0]]
        assert changed == sorted(changed)

    compare()


def path_of(difference: comparing.Difference) -> str:
    found, before = difference
    one = found or before
    assert one is not None
    return one[0]


def test_what_is_known_is_read_no_further_than_the_walk_has_come() -> None:
    known = [[(f"notes/{number:04}.md", 1, 0, 0)] for number in range(1_000)]
    n_read = 0

    def counted() -> Iterator[Sequence[FoundFile]]:
        nonlocal n_read
        for n_read, part in enumerate(known, 1):  # noqa: B007  # it is counted
            yield part

    def walk() -> Iterator[Sequence[FoundFile]]:
        for number, part in enumerate(known):
            assert n_read <= number + 1
            yield part

    assert list(differences(walk(), counted())) == []
    assert n_read == 1_000


def test_little_of_what_is_gone_is_held_at_once() -> None:
    """A journal of which most is gone takes no more memory than one of which nothing is."""
    n_read = 0

    def known() -> Iterator[list[FoundFile]]:
        nonlocal n_read
        for part in range(100):
            n_read += 1
            yield [(f"a{part:03}/{n:03}", 1, 0, 0) for n in range(100)]

    said = differences([[("b", 1, 0, 0)]], known())
    for number in range(5_000):
        assert path_of(next(said)) == f"a{number // 100:03}/{number % 100:03}"
    assert n_read <= 52
