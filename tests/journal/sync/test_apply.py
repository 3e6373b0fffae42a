"""What a remote sends is written into the journal and nowhere else, and over nothing that others write."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memjournal.journal.errors import CannotCreateError, MemjournalError
from memjournal.journal.git import exchange
from memjournal.journal.git.program import Git
from memjournal.journal.sync.apply import check_place, is_safe
from memjournal.journal.sync.journal_sync import JournalSync, SyncOptions

from ...git_by_hand import git


@pytest.mark.parametrize(
    "path",
    [
        *("../x", "a/../../x", "/etc/x", "a//b", "./a", "a/", ""),
        *(".git/config", "a/.git/hooks/x", ".GIT/config", ".g\u200cit/config", "git~1/config"),
        *(".git. /config", "a\0b"),
    ],
)
def test_a_path_that_leads_out_is_not_safe(path: str) -> None:
    assert not is_safe(path)


@pytest.mark.parametrize(
    "path", ["a", "notes/회의록.md", ".gitignore", "a/.github/x", "..a/b..", "a b"]
)
def test_an_ordinary_path_is(path: str, tmp_path: Path) -> None:
    assert is_safe(path)
    check_place(tmp_path, path)


def test_what_lies_behind_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "away").mkdir()
    journal = tmp_path / "journal"
    journal.mkdir()
    (journal / "notes").symlink_to(tmp_path / "away")
    with pytest.raises(CannotCreateError, match="a link leads out of the journal"):
        check_place(journal, "notes/a.md")


class Exchange:
    """A journal, its remote, and what somebody pushes there."""

    def __init__(self, folder: Path) -> None:
        self.bare, self.root = folder / "remote.git", folder / "journal"
        self.bare.mkdir()
        git(self.bare, "init", "--quiet", "--bare", "--initial-branch=main")
        self.root.mkdir()
        git(self.root, "init", "--quiet", "--initial-branch=main")
        (self.root / "notes").mkdir()
        (self.root / "notes/a.md").write_text("메모\n", "utf-8")
        self.commit()
        exchange.set_remote(Git(self.root, os.environ), str(self.bare))
        self.sync()

    def commit(self) -> None:
        git(self.root, "add", "--all")
        git(self.root, "commit", "--quiet", "--allow-empty", "--message", "x")

    def sync(self) -> None:
        options = SyncOptions(environ=os.environ, machine="laptop-1a2b3c", lock_timeout_s=5)
        JournalSync(self.root, options).run(commit_changes=lambda: None)

    def push_tree(self, *entries: tuple[bytes, bytes]) -> None:
        """Let the remote stand at a commit whose tree has these names and contents, whatever git thinks."""
        program = Git(self.bare, os.environ)
        raw = b""
        for name, content in sorted(entries):
            sha = program.run(["hash-object", "-w", "--stdin"], stdin=content)
            raw += b"100644 " + name + b"\0" + bytes.fromhex(sha)
        tree = program.run(["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], stdin=raw)
        head = git(self.bare, "rev-parse", "main")
        new = git(self.bare, "commit-tree", tree, "-p", head, "-m", "hostile")
        git(self.bare, "update-ref", "refs/heads/main", new)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Exchange:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "kim@example.org")
    return Exchange(tmp_path)


@pytest.mark.parametrize("name", [b"../../pwned", b"..", b".git"])
def test_nothing_is_written_of_what_leads_out(world: Exchange, tmp_path: Path, name: bytes) -> None:
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.md")}
    config = (world.root / ".git/config").read_bytes()
    world.push_tree((name, b"pwned\n"), (b"fine.md", b"fine\n"))
    with pytest.raises(MemjournalError):  # by us, or by git's own look at what it fetches
        world.sync()
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.md")} == before
    assert (world.root / ".git/config").read_bytes() == config
    assert not (tmp_path / "pwned").exists()


def test_an_edit_that_was_not_committed_is_merged_with_what_comes(
    world: Exchange, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    git(tmp_path, "clone", "--quiet", str(world.bare), str(other))
    (other / "notes/a.md").write_text("메모\n-\n-\n다른 기계에서\n", "utf-8")
    git(other, "commit", "--quiet", "--all", "--message", "x")
    git(other, "push", "--quiet")
    (world.root / "notes/a.md").write_text("여기서\n메모\n", "utf-8")
    world.sync()
    text = (world.root / "notes/a.md").read_text("utf-8")
    assert "여기서\n" in text and "다른 기계에서\n" in text
    assert git(world.root, "status", "--porcelain").split() == ["M", "notes/a.md"]


def test_modes_and_links_come_along_and_folders_that_are_empty_go(
    world: Exchange, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    git(tmp_path, "clone", "--quiet", str(world.bare), str(other))
    (other / "notes/run.sh").write_text("#!/bin/sh\n", "utf-8")
    (other / "notes/run.sh").chmod(0o755)
    (other / "notes/link").symlink_to("a.md")
    (other / "깊은").mkdir()
    (other / "깊은/b.md").write_text("b\n", "utf-8")
    git(other, "add", "--all")
    git(other, "commit", "--quiet", "--message", "x")
    git(other, "push", "--quiet")
    world.sync()
    assert os.access(world.root / "notes/run.sh", os.X_OK)
    assert os.readlink(world.root / "notes/link") == "a.md"
    git(other, "rm", "--quiet", "깊은/b.md", "notes/link")
    git(other, "commit", "--quiet", "--message", "x")
    git(other, "push", "--quiet")
    world.sync()
    assert not (world.root / "깊은").exists()
    assert not (world.root / "notes/link").is_symlink()
    assert git(world.root, "status", "--porcelain") == ""
