"""A merge holds what both sides have, whoever makes it; where only a person can choose, both texts stand."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.journal.git.line_merge import GitLineMerger
from memjournal.journal.git.program import Git
from memjournal.journal.merging.conflicts import find_conflicts, resolve
from memjournal.journal.merging.file_merge import MergedFile, Side, merge_file
from memjournal.journal.merging.lines import Region

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)
MEMORY = "memories/shop/2026-11/쿠키--a7Bc3x.md"
TEXT = """\
---
id: a7Bc3x
kind: fact
type: decision  # 결정
project: shop
tags: [auth, 인증]
source: [mem:Qw81zD]
importance: 0.5
---
# 서명된 쿠키를 쓴다

첫째 줄
둘째 줄
셋째 줄
"""


@pytest.fixture(scope="module")
def diff(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GitLineMerger]:
    yield GitLineMerger(Git(tmp_path_factory.mktemp("diff"), os.environ))


def side(text: str | None, *, label: str = "laptop 2026-12-01 09:00", hours: int = 0) -> Side:
    data = None if text is None else text.encode("utf-8")
    return Side(data, label, NOW + timedelta(hours=hours))


Merge = Callable[..., MergedFile]


@pytest.fixture
def merge(diff: GitLineMerger) -> Merge:
    """A merge that is the same from both sides, and that settles: merged again it stays."""

    def merge(
        one: str | None,
        other: str | None,
        base: str | None = TEXT,
        path: str = MEMORY,
        forgotten: frozenset[str] = frozenset(),
    ) -> MergedFile:
        before = None if base is None else base.encode()
        sides = side(one), side(other, label="desk 2026-12-01 10:00", hours=1)
        merged = merge_file(path, before, *sides, diff=diff, forgotten=forgotten)
        turned = merge_file(path, before, *sides[::-1], diff=diff, forgotten=forgotten)
        assert merged == turned
        for one_side in sides:
            if one_side.data is not None and merged.data is not None:
                result = Side(merged.data, "x", NOW)
                again = merge_file(path, one_side.data, one_side, result, diff=diff)
                assert again.data == merged.data
        return merged

    return merge


def text_of(merged: MergedFile) -> str:
    assert merged.data is not None
    return merged.data.decode("utf-8")


# --- memories -----------------------------------------------------------------------------------


def test_different_fields_and_lines_of_both_sides_are_all_there(merge: Merge) -> None:
    one = TEXT.replace("importance: 0.5", "importance: 0.9").replace("첫째", "처음")
    other = TEXT.replace("kind: fact", "kind: rule").replace("셋째 줄\n", "셋째 줄\n넷째 줄\n")
    merged = merge(one, other)
    assert merged.n_conflicts == 0
    expected = TEXT.replace("importance: 0.5", "importance: 0.9").replace("첫째", "처음")
    expected = expected.replace("kind: fact", "kind: rule").replace(
        "셋째 줄\n", "셋째 줄\n넷째 줄\n"
    )
    assert text_of(merged) == expected  # to the byte: comments and quoting stay


def test_of_two_values_that_of_the_newer_change_counts(merge: Merge) -> None:
    early = "updated: 2026-11-30T09:00:00+09:00\n---\n"
    late = "updated: 2026-12-02T09:00:00+09:00\n---\n"
    one = TEXT.replace("importance: 0.5", "importance: 0.9").replace("---\n#", f"{late}#")
    other = TEXT.replace("importance: 0.5", "importance: 0.1").replace("---\n#", f"{early}#")
    merged = text_of(merge(one, other))
    assert "importance: 0.9" in merged and late in merged
    assert merge(one.replace("updated", "seen"), other.replace("updated", "seen")).n_conflicts == 0


def test_lists_hold_what_either_added_without_what_either_took_away(merge: Merge) -> None:
    one = TEXT.replace("[auth, 인증]", "[auth, 인증, 결제]").replace("[mem:Qw81zD]", "[]")
    other = TEXT.replace("[auth, 인증]", "[인증, db]").replace("[mem:Qw81zD]", "[mem:Zz99zz]")
    merged = text_of(merge(one, other))
    tags = next(line for line in merged.splitlines() if line.startswith("tags:"))
    assert sorted(tags.removeprefix("tags: [").removesuffix("]").split(", ")) == [
        "db",
        "결제",
        "인증",
    ]
    assert "mem:Zz99zz" in merged  # what an entry is tied to is only ever added to


def test_a_line_that_both_changed_keeps_both_texts_and_can_be_settled(merge: Merge) -> None:
    merged = merge(TEXT.replace("둘째 줄", "두 번째"), TEXT.replace("둘째 줄", "second"))
    assert merged.n_conflicts == 1
    assert (
        "첫째 줄\n<<<<<<< laptop 2026-12-01 09:00\n두 번째\n=======\nsecond\n"
        ">>>>>>> desk 2026-12-01 10:00\n셋째 줄\n"
    ) in text_of(merged)
    assert merged.data is not None
    (found,) = find_conflicts(merged.data)
    assert (found.first, found.second, found.line) == ("두 번째\n", "second\n", 13)
    assert resolve(merged.data, keep="first").decode() == TEXT.replace("둘째 줄", "두 번째")
    assert resolve(merged.data, keep="second").decode() == TEXT.replace("둘째 줄", "second")
    assert "두 번째\nsecond\n" in resolve(merged.data, keep="both").decode()


def test_a_conflict_over_a_conflict_is_told_from_it(merge: Merge) -> None:
    first = text_of(merge(TEXT.replace("둘째 줄", "하나"), TEXT.replace("둘째 줄", "둘")))
    merged = merge(first.replace("하나\n", "셋\n"), first.replace("하나\n", "넷\n"), first)
    assert merged.data is not None and merged.n_conflicts == 1
    assert b"<<<<<<<< laptop" in merged.data
    settled = resolve(merged.data, keep="first")
    assert settled.decode() != first
    assert len(find_conflicts(settled)) == 1


def test_of_two_titles_the_newer_stands_alone(merge: Merge) -> None:
    merged = merge(TEXT.replace("서명된", "안전한"), TEXT.replace("서명된", "signed"))
    assert merged.n_conflicts == 0
    assert "# signed 쿠키를 쓴다\n" in text_of(merged)


def test_a_file_that_was_added_twice_is_one(merge: Merge) -> None:
    merged = merge(TEXT.replace("첫째 줄\n", ""), TEXT + "넷째 줄\n", None)
    assert merged.n_conflicts == 0
    assert text_of(merged) == TEXT + "넷째 줄\n"


def test_a_deletion_loses_against_an_edit_unless_it_was_announced(merge: Merge) -> None:
    edited = TEXT.replace("첫째", "처음")
    assert text_of(merge(None, edited)) == edited
    assert merge(None, TEXT).data is None
    assert merge(None, edited, forgotten=frozenset({"a7Bc3x"})).data is None
    assert text_of(merge(None, edited, forgotten=frozenset({"a7Bc3"}))) == edited
    assert text_of(merge(None, TEXT, None)) == TEXT


def test_line_ends_and_a_missing_last_newline_are_no_conflict(merge: Merge) -> None:
    windows = TEXT.replace("\n", "\r\n")
    merged = merge(windows, TEXT.replace("첫째", "처음"))
    assert text_of(merged) == TEXT.replace("첫째", "처음").replace("\n", "\r\n")
    merged = merge(TEXT.rstrip("\n"), TEXT.replace("첫째", "처음"))
    assert text_of(merged) == TEXT.replace("첫째", "처음").rstrip("\n")


def test_frontmatter_that_cannot_be_read_is_merged_as_text(merge: Merge) -> None:
    broken = TEXT.replace("project: shop", "project: [shop")
    merged = merge(broken, TEXT.replace("셋째", "세 번째"))
    assert "project: [shop" in text_of(merged) and "세 번째" in text_of(merged)


def test_bytes_that_are_no_text_survive(diff: GitLineMerger) -> None:
    base = TEXT.encode()
    one = Side(base.replace("첫째".encode(), b"\xff\xfe"), "a", NOW)
    other = Side(base.replace("셋째".encode(), "세 번째".encode()), "b", NOW)
    merged = merge_file(MEMORY, base, one, other, diff=diff)
    assert merged.data is not None
    assert b"\xff\xfe" in merged.data and "세 번째".encode() in merged.data


def test_of_two_binaries_the_newer_keeps_the_name_and_both_are_kept(diff: GitLineMerger) -> None:
    one, other = Side(b"\0a", "a", NOW), Side(b"\0b", "b", NOW + timedelta(hours=1))
    merged = merge_file("notes/a.png", b"\0", one, other, diff=diff)
    assert (merged.data, merged.also, merged.n_conflicts) == (b"\0b", b"\0a", 1)


def test_settings_never_hold_two_versions(merge: Merge) -> None:
    base = "# the settings\n[search]\nlimit = 10\n\n[privacy]\nwords = ['a']\n"
    one = base.replace("10", "20").replace("['a']", "['a', '가']")
    other = base.replace("10", "30").replace("['a']", "['b']") + "\n[recall]\nenabled = false\n"
    merged = text_of(merge(one, other, base, "memjournal.toml"))
    assert "# the settings" in merged and "limit = 30" in merged and "enabled = false" in merged
    words = next(line for line in merged.splitlines() if line.startswith("words"))
    assert "가" in words and "b" in words and '"a"' not in words
    assert text_of(merge("[[broken", one, base, "memjournal.toml")) == one


def test_rules_for_git_hold_the_lines_of_both(merge: Merge) -> None:
    merged = merge("/index/\nnotes/x\n", "/index/\n*.bak\n", "/index/\n", ".gitignore")
    assert sorted(text_of(merged).splitlines()) == ["*.bak", "/index/", "notes/x"]


# --- any texts ----------------------------------------------------------------------------------

LINES = st.lists(
    st.sampled_from(["가", "b", "", "<<<<<<< x", "=======", ">>>>>>> y", "# t", "---", "id: a"]),
    max_size=7,
).map(lambda lines: "".join(f"{line}\n" for line in lines))


@given(LINES, LINES, LINES)
def test_any_three_texts_merge_alike_from_both_sides_and_lose_no_line(
    diff: GitLineMerger, base: str, one: str, other: str
) -> None:
    sides = side(one), side(other, label="desk 2026-12-01 10:00", hours=1)
    for path in ("notes/a.md", "notes/a.txt"):
        merged = merge_file(path, base.encode(), *sides, diff=diff)
        assert merged == merge_file(path, base.encode(), *sides[::-1], diff=diff)
        assert merged.data is not None
        kept = merged.data.decode().splitlines()
        if path.endswith(".txt"):
            for text in (one, other):
                assert set(text.splitlines()) - set(base.splitlines()) <= set(kept)


@given(LINES, LINES, LINES)
def test_regions_of_git_hold_both_texts(
    diff: GitLineMerger, base: str, one: str, other: str
) -> None:
    regions = diff(base.encode(), one.encode(), other.encode())
    assert all(isinstance(region, Region) for region in regions)
    if base == other:
        assert b"".join(region.first for region in regions) == one.encode()


def test_an_example_without_a_journal(tmp_path: Path) -> None:
    """The line merger needs no repository."""
    git = GitLineMerger(Git(tmp_path, os.environ))
    assert git(b"a\n", b"b\n", b"c\n") == (Region(b"b\n", b"c\n"),)
