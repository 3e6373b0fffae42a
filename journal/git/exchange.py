"""Fetching from and pushing to another repository. Nothing here merges, and nothing is ever forced blindly."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from ..errors import UnavailableError, UsageError
from .program import Git, GitError
from .trees import commit_at

REMOTE: Final = "origin"
Progress = Callable[[str, int, int], None]
"""Hears what is being done, how much of it, and of how much (0 where nobody knows)."""
Pushed = Literal["done", "raced"]

_SLOW: Final = (  # a server that says nothing for a minute is taken for gone
    *("-c", "http.lowSpeedLimit=1000"),
    *("-c", "http.lowSpeedTime=60"),
)
_PATIENT_SSH: Final = "ssh -oConnectTimeout=20 -oServerAliveInterval=15 -oServerAliveCountMax=4"
_PROGRESS: Final = re.compile(rb"(?:remote: )?([A-Z][\w ]+): +\d+% \((\d+)/(\d+)\)")
_CREDENTIALS: Final = re.compile(r"(?<=://)[^/@\s]+@")
_RUNS_COMMANDS: Final = re.compile(r"(?:ext|fd)::", re.IGNORECASE)
_RACED: Final = re.compile(
    r"\[rejected\]|\[remote rejected\].*(?:lock|failed to update ref|reference already exists)"
)


class RemoteError(UnavailableError):
    """The other repository does not answer, or refuses."""


def check_url(url: str) -> None:
    """
    Raises:
        UsageError: *url* is none, or one that git takes for an option or a command to run.
    """
    if not url.strip() or url.startswith("-") or any(sign in url for sign in "\n\r\0"):
        raise UsageError("not the address of a repository", where=without_credentials(url))
    if _RUNS_COMMANDS.match(url.strip()):
        raise UsageError(
            "an address that makes git run a command",
            where=without_credentials(url),
            mend="use https, ssh or a folder",
        )


def without_credentials(text: str) -> str:
    """*text* with no name and password in an address."""
    return _CREDENTIALS.sub("", text)


def remote_url(git: Git) -> str:
    """Where this repository is pushed to; "" where it has no remote."""
    return git.run(["config", "--default", "", "--get", f"remote.{REMOTE}.url"])


def set_remote(git: Git, url: str) -> None:
    """Exchange with *url* from now on.

    Raises:
        UsageError: it is no address.
        GitError: git refused.
    """
    check_url(url)
    command = "set-url" if remote_url(git) else "add"
    git.run(["remote", command, REMOTE, url])


def remove_remote(git: Git) -> None:
    """Exchange with nobody; what was fetched stays in the history."""
    git.run(["remote", "remove", REMOTE])


def current_branch(git: Git) -> str:
    """The branch that is checked out; "" where it is none."""
    return git.run(["symbolic-ref", "--quiet", "--short", "HEAD"], ok=(0, 1))


def remote_branch(git: Git) -> str:
    """The branch of the remote that ours is exchanged with."""
    branch = current_branch(git)
    merge = git.run(["config", "--default", "", "--get", f"branch.{branch}.merge"])
    return merge.removeprefix("refs/heads/") or branch or "main"


def follow_remote_branch(git: Git) -> str:
    """Find out which branch of the remote is exchanged with, and remember it; its name.

    One that is called as ours, else the one that the remote shows to everybody, else one to be made.

    Raises:
        RemoteError: the remote does not answer.
    """
    branch = current_branch(git) or "main"
    printed = _ask(git, ["ls-remote", "--symref", REMOTE, "HEAD", "refs/heads/*"])
    shown = re.search(r"^ref: refs/heads/(\S+)\tHEAD$", printed, re.MULTILINE)
    there = set(re.findall(r"^[0-9a-f]+\trefs/heads/(\S+)$", printed, re.MULTILINE))
    chosen = branch if branch in there or not there else (shown[1] if shown else min(there))
    git.run(["config", f"branch.{branch}.remote", REMOTE])
    git.run(["config", f"branch.{branch}.merge", f"refs/heads/{chosen}"])
    return chosen


def known_remote_head(git: Git) -> str:
    """The commit at which the remote stood when it was last seen; "" if it never was."""
    return commit_at(git, _tracking(remote_branch(git)))


def note_remote_head(git: Git, commit: str) -> None:
    """The remote stands at *commit*, as far as is known; "" is not known."""
    if commit:
        git.run(["update-ref", _tracking(remote_branch(git)), commit])


def fetch(git: Git, *, progress: Progress = lambda *_: None) -> str:
    """Bring in what the remote has; its commit, or "" where it has none yet.

    Raises:
        RemoteError: the remote does not answer.
        GitLockedError: another git is at work there.
    """
    branch = remote_branch(git)
    quietly = ["--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--progress"]
    refspec = f"+refs/heads/{branch}:{_tracking(branch)}"
    try:
        _ask(git, ["fetch", *quietly, REMOTE, refspec], progress=progress)
    except RemoteError as error:
        cause = error.__cause__
        if isinstance(cause, GitError) and "couldn't find remote ref" in cause.reason:
            git.run(["update-ref", "-d", _tracking(branch)])
            return ""
        raise
    return commit_at(git, _tracking(branch))


def push(
    git: Git, commit: str, *, replacing: str = "", progress: Progress = lambda *_: None
) -> Pushed:
    """Let the remote's branch stand at *commit*; "raced" if it has moved meanwhile.

    A history that was rewritten is pushed by *replacing* exactly the commit that the remote has.

    Raises:
        RemoteError: the remote does not answer, or refuses.
        GitLockedError: another git is at work there.
    """
    branch = remote_branch(git)
    lease = [f"--force-with-lease=refs/heads/{branch}:{replacing}"] if replacing else []
    command = ["push", "--porcelain", "--progress", "--no-verify", "--no-follow-tags", *lease]
    try:
        _ask(git, [*command, REMOTE, f"{commit}:refs/heads/{branch}"], progress=progress)
    except RemoteError as error:
        cause = error.__cause__
        if isinstance(cause, GitError) and _RACED.search(cause.reason):
            return "raced"
        raise
    note_remote_head(git, commit)
    return "done"


def clone(
    url: str,
    target: Path,
    *,
    environ: Mapping[str, str],
    progress: Progress = lambda *_: None,
    interactive: bool = False,
) -> None:
    """Make *target*, which is not there yet, a copy of the repository at *url* with its files.

    No hook and no submodule of it comes along, and a link in it becomes a file that names its target.

    Raises:
        UsageError: *url* is no address.
        UnavailableError: git is not installed.
        RemoteError: the repository does not answer.
    """
    check_url(url)
    target.parent.mkdir(parents=True, exist_ok=True)
    git = Git(target.parent, environ, interactive=interactive)
    safely = ["--no-recurse-submodules", "--no-tags", "--template=", "--progress"]
    config = ["--config", "core.symlinks=false"]
    command = ["clone", *safely, *config, "--origin", REMOTE, "--", url, str(target)]
    _ask(git, command, progress=progress)


@dataclass(frozen=True, slots=True)
class Distance:
    """How far two histories are apart, in commits."""

    n_ahead: int  # that the remote has not
    n_behind: int  # that we have not


def distance(git: Git, ours: str, theirs: str) -> Distance:
    """How far *ours* is from *theirs*, "" being a history of nothing."""
    if not ours or not theirs:
        there = ours or theirs
        n_there = int(git.run(["rev-list", "--count", there])) if there else 0
        return Distance(n_there, 0) if ours else Distance(0, n_there)
    counted = git.run(["rev-list", "--left-right", "--count", f"{ours}...{theirs}"])
    ahead, behind = counted.split()
    return Distance(int(ahead), int(behind))


def _tracking(branch: str) -> str:
    return f"refs/remotes/{REMOTE}/{branch}"


def _ask(git: Git, arguments: Sequence[str], *, progress: Progress = lambda *_: None) -> str:
    """
    Raises:
        RemoteError: the other side does not answer, or refuses.
        GitLockedError: another git is at work there.
    """

    def tell(line: bytes) -> None:
        if found := _PROGRESS.match(line):
            progress(found[1].decode().lower(), int(found[2]), int(found[3]))

    try:
        return git.run_slowly(arguments, options=_SLOW, told=tell, env=_ssh(git))
    except GitError as error:
        is_known = arguments[0] in ("fetch", "push")
        mend = "the next sync tries it again" if is_known else "check the address"
        raise RemoteError(_reason_of(error), where=_address(git, arguments), mend=mend) from error


def _ssh(git: Git) -> dict[str, str]:
    """How ssh is to behave, where the user has not said."""
    if "GIT_SSH_COMMAND" in git.environ or "GIT_SSH" in git.environ:
        return {}
    if git.run(["config", "--default", "", "--get", "core.sshCommand"]):
        return {}
    batch = "" if git.interactive else " -oBatchMode=yes"
    return {"GIT_SSH_COMMAND": f"{_PATIENT_SSH}{batch}"}


def _address(git: Git, arguments: Sequence[str]) -> str:
    url = arguments[-2] if arguments[0] == "clone" else remote_url(git)
    return without_credentials(url)


def _reason_of(error: GitError) -> str:
    """What the other side says is wrong: git's first complaint, not its advice."""
    lines = [line.strip() for line in error.reason.splitlines() if line.strip()]
    for start in ("!", "fatal: ", "error: ", "remote: "):
        if found := next((line for line in lines if line.startswith(start)), ""):
            return without_credentials(found.removeprefix(start).replace("\t", " ").strip())
    return without_credentials(lines[-1] if lines else error.what)
