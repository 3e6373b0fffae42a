"""A memory or question of any length is written, listed and answered, beside a daemon as without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .daemons import started, status

if TYPE_CHECKING:
    from .conftest import World

N_CHARS = 200_000
LINE = 2_000  # more than any line for people has, far less than what is to be shortened


def test_a_heading_of_200_kilobytes_is_found_and_shown_in_short_lines(den: World) -> None:
    notes = den.journal / "notes"
    (notes / "heading.md").write_text(f"# {'커넥션 pool ' * (N_CHARS // 9)}\n\n오소리\n", "utf-8")
    (notes / "낱말.md").write_text(f"# 낱말\n\n{'긴' * 20_000} 코끼리\n", "utf-8")
    commands = (
        ("search", "오소리"),
        ("search", "--json", "코끼리"),
        ("search", "--json", "긴" * 20_000),
        ("history",),
    )
    without = [den.ok(*command).out for command in commands]
    assert "heading.md" in without[0] or "커넥션 pool" in without[0]
    assert "notes/낱말.md" in without[1] and "notes/낱말.md" in without[2]
    for out in (without[0], without[3]):
        assert max(map(len, out.splitlines())) < LINE
    started(den)
    n_before = int(str(status(den)["requests"]))
    assert [den.ok(*command).out for command in commands] == without
    assert int(str(status(den)["requests"])) >= n_before + len(commands)


def test_a_question_that_comes_from_a_pipe_may_be_of_any_length(den: World) -> None:
    den.ok("add", "지난주에 커넥션 풀을 열 개로 늘렸다")
    started(den)
    for words in ("last week ", "지난주 "):
        ran = den.ok("search", "-", stdin=words * 10_000)
        assert "커넥션 풀을 열 개로" in den.ok("search", "커넥션 풀").out
        assert ran.err == ""


def test_what_is_added_by_a_pipe_has_a_title_of_one_short_line(den: World) -> None:
    den.ok("add", "-", stdin=f"{'두루미 ' * 30_000}\n")
    out = den.ok("search", "두루미").out
    assert "두루미" in out
    assert max(map(len, out.splitlines())) < LINE
