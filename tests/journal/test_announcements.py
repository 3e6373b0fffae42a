"""What was announced means the same in whatever order it is read, and bad lines mean nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from memjournal.journal.announcements import (
    Announced,
    announce,
    announcements_on_disk,
    read_announcements,
)

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)
IDS = ("a7Bc3x", "k2Jd8f", "Qw81zD")


def tell(root: Path, kind: Announced, *ids: str, minutes: int = 0, machine: str = "laptop") -> str:
    at = NOW + timedelta(minutes=minutes)
    return announce(root, machine=machine, kind=kind, ids=ids, at=at, lock_timeout_s=1)


def test_the_latest_word_counts(tmp_path: Path) -> None:
    assert tell(tmp_path, "forgot", "a7Bc3x", "k2Jd8f") == "ledger/laptop/forgotten.jsonl"
    tell(tmp_path, "restored", "a7Bc3x", minutes=1, machine="desk")
    tell(tmp_path, "purged", "Qw81zD", minutes=2)
    told = announcements_on_disk(tmp_path)
    assert told.forgotten == {"k2Jd8f", "Qw81zD"}
    assert told.purged == (("Qw81zD",),)
    assert told.ever_forgotten == set(IDS) and told.ever_restored == {"a7Bc3x"}
    tell(tmp_path, "forgot", "a7Bc3x", minutes=3)
    assert "a7Bc3x" in announcements_on_disk(tmp_path).forgotten


def test_at_the_same_moment_it_is_forgotten(tmp_path: Path) -> None:
    tell(tmp_path, "forgot", "a7Bc3x")
    tell(tmp_path, "restored", "a7Bc3x", machine="desk")
    assert announcements_on_disk(tmp_path).forgotten == {"a7Bc3x"}


def test_a_torn_line_is_ended_and_passed_over(tmp_path: Path) -> None:
    path = tmp_path / tell(tmp_path, "forgot", "a7Bc3x")
    with path.open("ab") as stream:
        stream.write(b'{"kind":"forgot","at":"2026')
    tell(tmp_path, "forgot", "k2Jd8f")
    path.write_bytes(path.read_bytes() + '{"kind":"forgot","ids":["한글"]}\n[]\n'.encode())
    told = announcements_on_disk(tmp_path)
    assert (told.forgotten, told.n_bad) == ({"a7Bc3x", "k2Jd8f"}, 3)


def test_many_ids_are_many_lines(tmp_path: Path) -> None:
    ids = [f"id{number:06d}" for number in range(12_345)]
    path = tmp_path / tell(tmp_path, "forgot", *ids)
    assert max(map(len, path.read_bytes().splitlines())) < 64 * 1024
    assert announcements_on_disk(tmp_path).forgotten == set(ids)


LINES = st.lists(
    st.tuples(
        st.sampled_from(["forgot", "restored", "purged"]),
        st.sets(st.sampled_from(IDS), min_size=1),
        st.integers(0, 3),
    ),
    max_size=8,
)


@given(LINES, st.randoms(use_true_random=False))
def test_the_order_of_files_and_lines_means_nothing(
    told: list[tuple[str, set[str], int]], chance: object
) -> None:
    lines = [
        f'{{"kind":"{kind}","at":"{(NOW + timedelta(minutes=m)).isoformat()}","ids":{sorted(ids)}}}\n'.replace(
            "'", '"'
        ).encode()
        for kind, ids, m in told
    ]
    turned = lines[::-1]
    assert read_announcements([b"".join(lines)]) == read_announcements(turned)
