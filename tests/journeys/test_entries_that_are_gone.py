"""An entry whose file went away since it was indexed is named in one line, by whatever command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .daemons import started

if TYPE_CHECKING:
    from .conftest import World


@pytest.fixture
def zebra(den: World) -> tuple[str, str]:
    """The id and the path of a memory that lies beside others."""
    for text in ("커넥션 풀이 고갈되었다", "The pool was too small", "로그를 돌려쓴다"):
        den.ok("add", text)
    (added,) = den.ok("add", "얼룩말은 줄무늬가 있다", "--json").objects
    return str(added["id"]), str(added["path"])


@pytest.mark.parametrize(
    ("by", "beside"), [("id", "alone"), ("path", "alone"), ("id", "beside a daemon")]
)
def test_no_command_finds_it_and_each_says_so_in_one_line(
    den: World, zebra: tuple[str, str], by: str, beside: str
) -> None:
    entry, path = zebra
    if beside == "beside a daemon":
        started(den)
    (den.journal / path).unlink()
    reference = entry if by == "id" else path
    for first, *options in (
        ("show",),
        ("source",),
        ("timeline",),
        ("edit", "--set", "title=다른 제목"),
        ("forget", "--yes"),
    ):
        ran = den.mem(first, reference, *options)
        assert ran.code == 66, (first, ran)
        assert ran.error.startswith(f"mem: no entry is called '{reference}'"), (first, ran)
        assert len(ran.error.splitlines()) == 1
    history = den.ok("history")
    assert entry not in history.out and "커넥션 풀이 고갈되었다" in history.out
    assert entry not in den.ok("search", "--ids", "--all", "얼룩말").out
    assert "agrees" in den.ok("index", "--verify").out


def test_of_several_that_are_asked_for_none_is_forgotten_when_one_is_gone(
    den: World, zebra: tuple[str, str]
) -> None:
    entry, path = zebra
    other = den.ok("search", "--ids", "커넥션").out.split()[0]
    (den.journal / path).unlink()
    ran = den.mem("forget", other, entry, "--yes")
    assert ran.code == 66
    assert entry in ran.error
    assert "커넥션 풀이 고갈되었다" in den.ok("show", other).out


def test_what_a_folder_took_along_is_gone_and_what_it_brings_back_is_there(
    den: World, zebra: tuple[str, str]
) -> None:
    entry, path = zebra
    whole = (den.journal / path).read_bytes()
    (den.journal / path).unlink()
    assert den.mem("show", entry).code == 66
    moved = den.journal / "notes" / "다른 이름.md"
    moved.write_bytes(whole)
    assert "얼룩말은 줄무늬가 있다" in den.ok("show", entry).out
    assert "다른 이름.md" in den.ok("show", entry, "--json").out
