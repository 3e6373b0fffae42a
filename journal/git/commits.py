"""One commit of what changed at some paths, made of git's plumbing.

`git commit --only` reads and writes the whole index several times over: at 100,000 files these few
programs take half of its time. A commit says of itself who made it: its author is the machine, its
committer the user, and its last lines name the machine, the projects and the commit that it
follows, which a history that was rewritten contradicts.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..errors import LockedError, UnavailableError
from .program import Git, GitError
from .trees import Version, commit_at, empty_tree, index_lines

MAX_NAMED_PROJECTS: Final = 3
_SESSION_FILE: Final = re.compile(r"sessions/(?:[^/]+/)*(?P<project>[^/]+?)(?:-\d+)?--[^/]+\.md")
_MEMORY_FILE: Final = re.compile(r"memories/(?:[^/]+/)*(?P<project>[^/]+)/\d{4}-\d\d/[^/]+\.md")
_LINE_ENDS: Final = re.compile(r"[\r\n]+")


class UnfinishedMergeError(LockedError):
    """Somebody merges by hand; a commit now would be their merge."""

    def __init__(self, root: Path) -> None:
        super().__init__(
            "a merge made with git is not finished", where=str(root), mend="`mem sync` finishes it"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """What a commit says of its origin."""

    machine: str = ""  # its name; "" where there is none: then the user is the author as well

    def author(self) -> Mapping[str, str]:
        """The author as git's environment names it."""
        if not self.machine:
            return {}
        return {
            "GIT_AUTHOR_NAME": self.machine,
            "GIT_AUTHOR_EMAIL": f"{self.machine}@memjournal.invalid",  # RFC 2606: nobody's
        }


def commit(git: Git, paths: Sequence[str], message: str, *, signature: Signature) -> str:
    """Commit what changed at *paths* (relative, removed ones included); its hash, "" if nothing did.

    What else is staged stays staged.

    Raises:
        GitLockedError: another git is at work there.
        UnfinishedMergeError: a merge made by hand is not finished.
        GitError: git refused; the files are on disk all the same.
    """
    if not paths:
        return ""
    refuse_unfinished_merge(git)
    refuse_no_branch(git)
    # Not `git add`: that refuses all of them for one that came and went since the last commit.
    git.run(["update-index", "--add", "--remove", "-z", "--stdin"], stdin=listed(paths))
    head = commit_at(git, "HEAD")
    staged = _staged(git, head)
    ours = sorted(set(paths).intersection(staged))
    if not ours:
        return ""
    tree = git.run(["write-tree"]) if len(ours) == len(staged) else _tree_of(git, head, ours)
    told = with_trailers(message, machine=signature.machine, paths=ours, follows=head)
    new = make_commit(git, tree, [head] if head else [], told, signature=signature)
    move_branch(git, new, old=head, reason=f"commit: {message.splitlines()[0]}")
    return new


def refuse_unfinished_merge(git: Git) -> None:
    """
    Raises:
        UnfinishedMergeError: a merge made by hand is not finished.
    """
    if git_path(git, "MERGE_HEAD").exists():
        raise UnfinishedMergeError(git.root)


def refuse_no_branch(git: Git) -> None:
    """
    Raises:
        UnavailableError: no branch is checked out, as in the middle of a rebase: a commit that no branch
            names is gone when another is checked out, and the file with it.
    """
    try:
        head = git_path(git, "HEAD").read_text("utf-8")
    except OSError:
        return  # whatever hinders it, git says it
    if not head.startswith("ref:"):
        where = str(git.root)
        raise UnavailableError("no branch is checked out", where=where, mend="`git switch main`")


def git_path(git: Git, name: str) -> Path:
    """Where git keeps *name* of this work tree."""
    plain = git.root / ".git"
    if plain.is_dir():
        return plain / name
    return git.root / git.run(["rev-parse", "--git-path", name])


def _staged(git: Git, head: str) -> list[str]:
    """The paths at which the index is not as the last commit."""
    if head:
        command = ["diff-index", "--cached", "--name-only", "--no-renames", "-z", head]
    else:
        command = ["ls-files", "--cached", "-z"]
    return list(filter(None, git.run(command).split("\0")))


def _tree_of(git: Git, head: str, paths: Sequence[str]) -> str:
    """The tree of *head* with what is staged at *paths* alone."""
    staged: dict[str, Version | None] = dict.fromkeys(paths)
    command = ["ls-files", "--stage", "-z", "--", *map(_literal, paths)]
    for line in filter(None, git.run(command).split("\0")):
        about, _, path = line.partition("\t")
        mode, sha, _ = about.split(" ")
        staged[path] = Version(mode, sha)
    with tempfile.TemporaryDirectory() as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
        git.run(["read-tree", head or empty_tree(git)], env=index)
        git.run(["update-index", "-z", "--index-info"], stdin=index_lines(staged), env=index)
        return git.run(["write-tree"], env=index)


def _literal(path: str) -> str:
    return f":(literal){path}"


def make_commit(
    git: Git,
    tree: str,
    parents: Sequence[str],
    message: str,
    *,
    signature: Signature,
    env: Mapping[str, str] | None = None,
    sign: bool = True,
) -> str:
    """A commit that no branch names yet; signed where the user's configuration wants that.

    Raises:
        GitError: git refused, or it cannot be signed.
    """
    command = ["commit-tree", tree, *(word for parent in parents for word in ("-p", parent))]
    settings = _settings(git)
    if sign and settings.get("commit.gpgsign") == "true":
        command.append("-S")
    try:
        return git.run(
            [*command, "-F", "-"],
            options=list(_identity(settings)),
            stdin=message.encode("utf-8", "surrogateescape"),
            env={**signature.author(), **(env or {})},
        )
    except GitError as error:
        if "-S" not in command or "sign" not in error.reason:
            raise
        raise GitError(
            "the commit cannot be signed",
            where=str(git.root),
            mend="`mem sync` in a terminal can ask for the passphrase; git's commit.gpgSign asks for it",
            reason=error.reason,
            status=error.status,
        ) from error


def move_branch(git: Git, new: str, *, old: str, reason: str) -> None:
    """Let the branch that is checked out, which stood at *old* ("": nowhere), stand at *new*.

    Raises:
        GitError: it stands elsewhere by now.
    """
    line = _LINE_ENDS.sub(" ", reason)
    git.run(["update-ref", "-m", line, "HEAD", new, old or "0" * len(new)])


def _settings(git: Git) -> dict[str, str]:
    """What the user has set of all that a commit needs, by its name in small letters."""
    wanted = r"^(user\.(name|email)|commit\.gpgsign)$"
    printed = git.run(["config", "--null", "--get-regexp", wanted], ok=(0, 1))
    settings: dict[str, str] = {}
    for line in filter(None, printed.split("\0")):
        name, _, value = line.partition("\n")
        settings[name] = value
    sign = settings.get("commit.gpgsign", "false")
    if sign.lower() in ("true", "yes", "on", "1", ""):  # without a value: a bare `gpgSign`
        settings["commit.gpgsign"] = "true"
    return settings


def _identity(settings: Mapping[str, str]) -> Iterator[str]:
    """Whose commits these are, where the user's configuration does not say."""
    for name, value in (("user.name", "memjournal"), ("user.email", "memjournal@localhost")):
        if not settings.get(name):
            yield from ("-c", f"{name}={value}")


def with_trailers(message: str, *, machine: str, paths: Iterable[str], follows: str) -> str:
    """*message*, its first line naming the projects if they are few, with its last lines."""
    projects = sorted(set(filter(None, map(project_of, paths))))
    subject, _, rest = message.strip().partition("\n")
    is_named = any(project in subject for project in projects)
    if 0 < len(projects) <= MAX_NAMED_PROJECTS and not is_named:
        subject = f"{subject} in {', '.join(projects)}"
    lines = [f"Machine: {machine}"] if machine else []
    lines += [f"Project: {project}" for project in projects]
    lines += [f"Follows: {follows}"] if follows else []
    return "\n\n".join(filter(None, (subject, rest.strip(), "\n".join(lines)))) + "\n"


def project_of(path: str) -> str:
    """The last part of the name of the project that a file belongs to, as the path has it; "" if it
    does not tell."""
    found = _SESSION_FILE.fullmatch(path) or _MEMORY_FILE.fullmatch(path)
    return found["project"] if found else ""


def listed(paths: Iterable[str]) -> bytes:
    """*paths* as git reads them from stdin with ``-z``."""
    return "\0".join(paths).encode("utf-8", "surrogateescape")
