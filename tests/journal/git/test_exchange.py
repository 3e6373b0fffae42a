"""Fetching and pushing tell a race from a failure, and never force what they have not seen."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memjournal.journal.errors import UnavailableError, UsageError
from memjournal.journal.git import exchange
from memjournal.journal.git.program import Git
from memjournal.journal.git.trees import commit_at

from ...git_by_hand import git as by_hand

MakeClone = Callable[[str], Git]


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    folder = tmp_path / "원격 저장소.git"
    folder.mkdir()
    by_hand(folder, "init", "--quiet", "--bare", "--initial-branch=main")
    return folder


@pytest.fixture
def make_clone(tmp_path: Path, bare: Path, monkeypatch: pytest.MonkeyPatch) -> MakeClone:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)

    def make(name: str) -> Git:
        root = tmp_path / name
        root.mkdir()
        by_hand(root, "init", "--quiet", "--initial-branch=main")
        git = Git(root, os.environ)
        exchange.set_remote(git, str(bare))
        exchange.follow_remote_branch(git)
        return git

    return make


def commit(git: Git, name: str) -> str:
    (git.root / name).write_text(name, "utf-8")
    by_hand(git.root, "add", "--all")
    by_hand(git.root, "commit", "--quiet", "-m", name)
    return by_hand(git.root, "rev-parse", "HEAD")


def test_an_empty_remote_gives_nothing_and_takes_what_is_pushed(make_clone: MakeClone) -> None:
    laptop, desk = make_clone("laptop"), make_clone("desk")
    assert exchange.fetch(laptop) == ""
    head = commit(laptop, "a")
    assert exchange.push(laptop, head) == "done"
    assert exchange.known_remote_head(laptop) == head
    assert exchange.fetch(desk) == head
    assert exchange.distance(desk, "", head) == exchange.Distance(0, 1)


def test_a_push_that_another_was_faster_than_is_a_race_and_changes_nothing(
    make_clone: MakeClone, bare: Path
) -> None:
    laptop, desk = make_clone("laptop"), make_clone("desk")
    first = commit(laptop, "a")
    assert exchange.push(laptop, first) == "done"
    assert exchange.push(desk, commit(desk, "b")) == "raced"
    assert by_hand(bare, "rev-parse", "main") == first


def test_a_rewritten_history_replaces_only_what_was_seen(make_clone: MakeClone, bare: Path) -> None:
    laptop, desk = make_clone("laptop"), make_clone("desk")
    seen = commit(laptop, "a")
    exchange.push(laptop, seen)
    newer = commit(laptop, "c")
    exchange.push(laptop, newer)
    rewritten = commit(desk, "b")
    assert exchange.push(desk, rewritten, replacing=seen) == "raced"
    assert by_hand(bare, "rev-parse", "main") == newer
    assert exchange.push(desk, rewritten, replacing=newer) == "done"
    assert by_hand(bare, "rev-parse", "main") == rewritten


def test_the_branch_that_the_remote_shows_is_followed(make_clone: MakeClone, bare: Path) -> None:
    laptop = make_clone("laptop")
    exchange.push(laptop, commit(laptop, "a"))
    by_hand(bare, "branch", "--move", "main", "trunk")
    by_hand(bare, "symbolic-ref", "HEAD", "refs/heads/trunk")
    assert exchange.follow_remote_branch(laptop) == "trunk"
    assert exchange.fetch(laptop) == commit_at(laptop, "HEAD")
    assert exchange.push(laptop, commit(laptop, "b")) == "done"
    assert by_hand(bare, "rev-parse", "trunk") == commit_at(laptop, "HEAD")


def test_a_remote_that_is_gone_is_named_without_its_password(make_clone: MakeClone) -> None:
    laptop = make_clone("laptop")
    by_hand(laptop.root, "remote", "set-url", "origin", "https://kim:s3cret@127.0.0.1:1/j.git")
    with pytest.raises(UnavailableError) as raised:
        exchange.fetch(laptop)
    assert raised.value.where == "https://127.0.0.1:1/j.git"
    assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize(
    "url", ["", " ", "-oProxyCommand=x", "ext::sh -c x", "EXT::x", "fd::3", "a\nb"]
)
def test_what_is_no_address_or_runs_a_command_is_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        exchange.clone(url, tmp_path / "clone", environ=os.environ)
    assert not (tmp_path / "clone").exists()


def test_a_clone_brings_no_hook_and_no_link(
    make_clone: MakeClone, bare: Path, tmp_path: Path
) -> None:
    laptop = make_clone("laptop")
    (laptop.root / "link.md").symlink_to("/etc/passwd")
    exchange.push(laptop, commit(laptop, "a"))
    steps: list[tuple[str, int, int]] = []
    exchange.clone(
        f"file://{bare}",
        tmp_path / "clone",
        environ=os.environ,
        progress=lambda *step: steps.append(step),
    )
    assert (tmp_path / "clone/link.md").read_text("utf-8") == "/etc/passwd"
    assert not (tmp_path / "clone/link.md").is_symlink()
    assert not (tmp_path / "clone/.git/hooks").exists()
    assert steps and all(0 <= n_done <= n_all for _, n_done, n_all in steps)
