"""A commit holds the paths that were given and disturbs nothing else in the user's repository."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from memjournal.journal import git
from memjournal.journal.errors import LockedError, StorageError, UnavailableError
from memjournal.journal.git import OLD_LOCK, GitLockedError

from ...git_by_hand import git as by_hand

MADE = datetime(2026, 11, 30, 9, 12, 4, tzinfo=UTC)
NAMES = [
    "notes/인증 메모.md",
    "notes/\"quoted\" 'name'.md",
    "notes/*.md",
    ":(top)x.md",
    "-x.md",
    "a\tb.md",
]


def commit(root: Path, paths: Sequence[str], message: str) -> bool:
    return git.commit(root, paths, message, environ=os.environ)


class Repository:
    """A journal's repository and git as the user runs it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        git.create_repository(root, environ=os.environ)

    def run(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", "-c", "core.quotePath=false", *arguments],
            cwd=self.root,
            check=True,
            capture_output=True,
            encoding="utf-8",
        )
        return done.stdout

    def write(self, path: str, text: str = "x\n") -> str:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return path

    def listed(self, *arguments: str) -> list[str]:
        return sorted(filter(None, self.run(*arguments, "-z").split("\0")))

    def committed(self) -> list[str]:
        return self.listed("ls-tree", "-r", "--name-only", "HEAD")

    def hook(self, name: str, folder: str = ".git/hooks") -> None:
        self.write(f"{folder}/{name}", "#!/bin/sh\ntouch hook-ran\nexit 1\n")
        (self.root / folder / name).chmod(0o755)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (tmp_path / "gitconfig").write_text("", encoding="utf-8")
    return Repository(tmp_path / "journal")


@pytest.fixture
def configure(tmp_path: Path, repository: Repository) -> Callable[[str, str], None]:
    def configure(name: str, value: str) -> None:
        repository.run("config", "--file", str(tmp_path / "gitconfig"), name, value)

    return configure


@pytest.mark.skipif(os.name == "nt", reason="there are no such names there")
@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_any_name_is_committed_and_removed_alone(
    repository: Repository, name: str
) -> None:
    for path in (name, "notes/other.md", "x.md"):
        repository.write(path)
    assert commit(repository.root, [name], "add")
    assert repository.committed() == [name]
    (repository.root / name).unlink()
    assert commit(repository.root, [name], "remove")
    assert repository.committed() == []
    assert repository.run("log", "--format=%s").split() == ["remove", "add"]


def test_what_the_user_staged_stays_staged(repository: Repository) -> None:
    commit(repository.root, [repository.write("a.md"), repository.write("b.md")], "first")
    repository.write("b.md", "changed\n")
    repository.write("c.md")
    repository.run("add", "b.md", "c.md")
    repository.write("b.md", "changed again\n")
    repository.write("a.md", "ours\n")
    assert commit(repository.root, ["a.md"], "second")
    assert repository.listed("diff", "--name-only", "HEAD~", "HEAD") == ["a.md"]
    assert repository.listed("diff", "--cached", "--name-only") == ["b.md", "c.md"]
    assert repository.run("show", ":b.md") == "changed\n"
    assert (repository.root / "b.md").read_text("utf-8") == "changed again\n"


def test_nothing_changed_is_no_commit(repository: Repository) -> None:
    path = repository.write("a.md")
    assert commit(repository.root, [path], "first")
    repository.write("other.md")
    repository.run("add", "other.md")
    assert not commit(repository.root, [path], "second")
    assert not commit(repository.root, [], "third")
    assert repository.run("rev-list", "--count", "HEAD") == "1\n"


def test_a_file_that_came_and_went_does_not_stop_the_others(repository: Repository) -> None:
    assert commit(repository.root, ["gone.md", repository.write("a.md"), "no/folder.md"], "x")
    assert repository.committed() == ["a.md"]


def test_an_ignored_file_that_was_asked_for_is_committed(repository: Repository) -> None:
    repository.write(".gitignore", "*.md\n")
    assert commit(repository.root, [repository.write("a.md")], "x")
    assert repository.committed() == ["a.md"]


def test_many_files_at_once(repository: Repository) -> None:
    paths = [repository.write(f"memories/{'가' * 40}-{n}.md") for n in range(1500)]
    assert commit(repository.root, paths, "many")
    assert repository.committed() == sorted(paths)


@pytest.mark.skipif(os.name == "nt", reason="hooks are shell scripts")
def test_the_users_hooks_do_not_run(
    repository: Repository, configure: Callable[[str, str], None]
) -> None:
    for name in (
        "pre-commit",
        "commit-msg",
        "prepare-commit-msg",
        "post-commit",
        "post-index-change",
    ):
        repository.hook(name)
        repository.hook(name, folder="elsewhere")
    commit(repository.root, [repository.write("a.md")], "x")
    configure("core.hooksPath", str(repository.root / "elsewhere"))
    commit(repository.root, [repository.write("b.md")], "y")
    assert not (repository.root / "hook-ran").exists()
    assert repository.run("rev-list", "--count", "HEAD") == "2\n"


def test_a_commit_is_signed_where_the_user_wants_that(
    repository: Repository, configure: Callable[[str, str], None], tmp_path: Path
) -> None:
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    configure("commit.gpgSign", "true")
    configure("gpg.format", "ssh")
    configure("user.signingKey", str(key))
    assert commit(repository.root, [repository.write("a.md")], "x")
    assert "gpgsig -----BEGIN SSH SIGNATURE-----" in repository.run("cat-file", "commit", "HEAD")


def test_what_cannot_be_signed_is_not_committed_unsigned(
    repository: Repository, configure: Callable[[str, str], None]
) -> None:
    configure("commit.gpgSign", "true")
    configure("gpg.program", "no-such-program")
    with pytest.raises(StorageError, match="the commit cannot be signed"):
        commit(repository.root, [repository.write("a.md")], "x")
    assert repository.run("for-each-ref") == ""
    configure("commit.gpgSign", "false")
    assert commit(repository.root, ["a.md"], "x")


def test_a_commit_names_its_machine_its_projects_and_what_it_follows(
    repository: Repository, configure: Callable[[str, str], None]
) -> None:
    configure("user.name", "지은")
    first = repository.write("memories/github.com/acme/shop/2026-11/쿠키--a7Bc3x.md")
    second = repository.write("sessions/2026/11/30/api-2--0f6d0c0e.md")
    other = repository.write("notes/a.md")
    git.commit(repository.root, [other], "add: note", environ=os.environ, machine="laptop-3f2a")
    before = repository.run("rev-parse", "HEAD").strip()
    git.commit(
        repository.root, [first, second], "capture: 3 prompts", environ=os.environ, machine="desk-1"
    )
    assert repository.run("log", "--reverse", "--format=%an|%ae|%cn%n%B").strip() == (
        "laptop-3f2a|laptop-3f2a@memjournal.invalid|지은\n"
        "add: note\n\nMachine: laptop-3f2a\n\n"
        "desk-1|desk-1@memjournal.invalid|지은\n"
        "capture: 3 prompts in api, shop\n\n"
        f"Machine: desk-1\nProject: api\nProject: shop\nFollows: {before}"
    )


def test_a_merge_that_is_made_by_hand_is_not_finished_by_a_commit(repository: Repository) -> None:
    commit(repository.root, [repository.write("a.md", "one\n")], "first")
    repository.run("switch", "--quiet", "-c", "other")
    commit(repository.root, [repository.write("a.md", "two\n")], "second")
    repository.run("switch", "--quiet", "main")
    commit(repository.root, [repository.write("a.md", "three\n")], "third")
    assert "CONFLICT" in by_hand(repository.root, "merge", "other", may_fail=True)
    with pytest.raises(LockedError, match="a merge made with git is not finished; `mem sync`"):
        commit(repository.root, [repository.write("b.md")], "fourth")
    assert repository.run("rev-parse", "MERGE_HEAD", "other").split()[0]


@pytest.mark.parametrize(
    ("known", "author"),
    [
        ({}, "memjournal <memjournal@localhost>"),
        ({"user.name": "지은"}, "지은 <memjournal@localhost>"),
        ({"user.name": "지은", "user.email": "j@example.com"}, "지은 <j@example.com>"),
    ],
)
def test_the_author_is_the_user_where_git_knows_them(
    repository: Repository,
    configure: Callable[[str, str], None],
    known: dict[str, str],
    author: str,
) -> None:
    for name, value in known.items():
        configure(name, value)
    commit(repository.root, [repository.write("a.md")], "메시지\n\n# kept: one line")
    assert (
        repository.run("log", "--format=%an <%ae>|%B").strip()
        == f"{author}|메시지\n\n# kept: one line"
    )


def test_a_hook_of_another_repository_may_be_running_us(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Repository(tmp_path / "other")
    index = other.root / ".git/index"
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(index))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
    commit(repository.root, [repository.write("a.md")], "ours")
    assert os.environ["GIT_DIR"] == str(other.root / ".git")
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        monkeypatch.delenv(name)
    assert repository.committed() == ["a.md"]
    assert not index.exists()


def test_a_journal_in_a_folder_of_a_repository_commits_its_own_paths(
    repository: Repository,
) -> None:
    repository.write("src.py")
    repository.write("journal/a.md")
    assert commit(repository.root / "journal", ["a.md"], "x")
    assert repository.committed() == ["journal/a.md"]


@pytest.mark.parametrize("place", ["top", "work tree", "folder"])
def test_what_a_checkout_took_away_is_told_from_what_somebody_deleted(
    repository: Repository, tmp_path: Path, place: str
) -> None:
    top = repository.root
    commit(top, [repository.write("a.md")], "x")
    if place == "work tree":
        repository.run("worktree", "add", "--quiet", str(tmp_path / "added"), "-b", "added")
        repository.root = top = tmp_path / "added"
    root = top / ".memjournal" if place == "folder" else top
    below = "".join(f"{name}/" for name in root.relative_to(top).parts)
    repository.run("checkout", "--quiet", "-b", "other")
    paths = [f"notes/{name}.md" for name in ("인증 메모", "deleted", '"quoted"')]
    commit(top, [repository.write(f"{below}{path}") for path in paths], "y")
    repository.run("checkout", "--quiet", "-")
    root.mkdir(exist_ok=True)
    gone = [paths[0], paths[2]]
    repository.write(f"{below}{paths[1]}")
    repository.run("add", f"{below}{paths[1]}")
    (root / paths[1]).unlink()
    found = git.left_behind(root, [*paths, "a-stranger.md"], environ=os.environ)
    assert found == set(gone)


def test_making_a_repository_twice_changes_nothing(repository: Repository) -> None:
    repository.run("config", "core.bare", "false")
    before = {path: path.read_bytes() for path in repository.root.rglob("*") if path.is_file()}
    git.create_repository(repository.root, environ=os.environ)
    assert before == {
        path: path.read_bytes() for path in repository.root.rglob("*") if path.is_file()
    }
    assert repository.run("symbolic-ref", "HEAD") == "refs/heads/main\n"
    assert git.is_repository(repository.root)
    assert not git.is_repository(repository.root.parent)


def test_without_git_it_says_so(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = repository.write("a.md")
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert not git.is_installed(os.environ)
    for act in (
        lambda: commit(repository.root, [path], "x"),
        lambda: git.create_repository(tmp_path / "new", environ=os.environ),
    ):
        with pytest.raises(UnavailableError, match="git is not installed") as raised:
            act()
        assert raised.value.exit_code == 69


def test_another_git_at_work_is_an_error_to_retry(repository: Repository) -> None:
    path = repository.write("a.md")
    repository.write(".git/index.lock", "")
    lock = repository.root / ".git/index.lock"
    os.utime(lock, (MADE.timestamp(), MADE.timestamp()))
    with pytest.raises(LockedError) as raised:
        commit(repository.root, [path], "x")
    assert str(raised.value) == (
        f"{lock}: another git is at work there since 2026-11-30 09:12 UTC; try again"
    )
    lock.unlink()
    assert commit(repository.root, [path], "x")


@pytest.mark.parametrize("name", ["index.lock", "HEAD.lock"])
def test_a_lock_that_a_git_left_behind_is_told_from_one_of_a_git_at_work(
    repository: Repository, name: str
) -> None:
    path = repository.write("a.md")
    repository.write(f".git/{name}", "")
    lock = repository.root / ".git" / name
    os.utime(lock, (MADE.timestamp(), MADE.timestamp()))
    soon, later = MADE + OLD_LOCK / 2, MADE + OLD_LOCK
    with pytest.raises(GitLockedError) as raised:
        commit(repository.root, [path], "x")
    assert (raised.value.is_old(soon), raised.value.is_old(later)) == (False, True)
    locks = partial(git.old_locks, repository.root, environ=os.environ)
    assert list(locks(now=soon)) == []
    (left,) = locks(now=later)
    said = f"{lock}: git has been locked by it since 2026-11-30 09:12 UTC"
    assert str(left) == f"{said}; remove it if no git is running"
    assert lock.exists()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_repository_that_cannot_be_written_is_not_taken_for_a_locked_one(
    repository: Repository,
) -> None:
    path = repository.write("a.md")
    (repository.root / ".git").chmod(0o500)
    try:
        with pytest.raises(StorageError, match="Permission denied"):
            commit(repository.root, [path], "x")
    finally:
        (repository.root / ".git").chmod(0o700)


def test_what_git_refuses_is_told_in_its_words(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x", encoding="utf-8")
    with pytest.raises(StorageError, match="not a git repository.*the files are safe"):
        commit(tmp_path, ["a.md"], "x")
