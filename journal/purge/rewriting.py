"""A history without some memories: made beside the repository, of which nothing is touched."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .. import files
from ..errors import NotFoundError, StorageError
from ..git.objects import reading_objects
from ..git.program import Git
from ..git.trees import commit_at
from ..sync.pending import FOLDER
from .filter import PurgeFilter

_BESIDE: Final = "purge"
_IDS_FILE: Final = "purged-ids"  # importing it from the program would load git-filter-repo
_PLACES: Final = ("sessions", "memories", "notes", "quarantine")
_CLEAN: Final = "refs/memjournal/clean"
_PURGED: Final = "refs/memjournal/purged"


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What became of commits: old hashes to new ones, of those that changed."""

    commits: Mapping[str, str]

    def of(self, commit: str) -> str:
        """What *commit* has become."""
        return self.commits.get(commit, commit)


def holds(git: Git, commit: str, ids: AbstractSet[str]) -> bool:
    """Whether the history of *commit* holds anything of the memories with *ids*.

    What was found clean is remembered: asked again, only what is new is looked through.
    """
    if not ids or not commit:
        return False
    clean = commit_at(git, _clean_ref(ids))
    listing = ["rev-list", "--objects", commit, *([f"^{clean}"] if clean else [])]
    filter_ = PurgeFilter(ids)
    with reading_objects(git) as reader:
        for line in git.run([*listing, "--", *_PLACES]).splitlines():
            sha, _, path = line.partition(" ")
            if not path:
                continue
            found = reader.find(sha)
            if found and found[0] == "blob" and filter_.holds(path, found[1]):
                return True
    return False


def note_clean(git: Git, commit: str, ids: AbstractSet[str]) -> None:
    """The history of *commit* holds nothing of them."""
    if ids:
        git.run(["update-ref", _clean_ref(ids), commit])


def _clean_ref(ids: AbstractSet[str]) -> str:
    digest = hashlib.sha256("\n".join(sorted(ids)).encode()).hexdigest()
    return f"{_CLEAN}/{digest[:16]}"


def rewrite(git: Git, git_folder: Path, commits: Iterable[str], ids: AbstractSet[str]) -> Rewritten:
    """The histories of *commits* without the memories with *ids*, in this repository's objects.

    No branch of it is moved. What a run that was killed left beside it is removed first.

    Raises:
        StorageError: it cannot be rewritten, and why.
    """
    beside = git_folder / FOLDER / _BESIDE
    shutil.rmtree(beside, ignore_errors=True)
    wanted = sorted(set(commits))
    try:
        _copy(git, git_folder, beside, wanted)
        _run_filter(beside, ids)
        refspec = f"+refs/heads/*:{_PURGED}/*"
        git.run(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", str(beside), refspec])
        return Rewritten(_commit_map(beside))
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _copy(git: Git, git_folder: Path, beside: Path, commits: list[str]) -> None:
    """A bare repository in *beside* that borrows the objects of ours and has a branch for each commit."""
    git.run(["init", "--quiet", "--bare", "--template=", str(beside)])
    objects = git.run(["rev-parse", "--path-format=absolute", "--git-path", "objects"])
    alternates = beside / "objects" / "info" / "alternates"
    alternates.parent.mkdir(parents=True, exist_ok=True)
    alternates.write_bytes(os.fsencode(f"{objects}\n"))
    shallow = git_folder / "shallow"
    if shallow.exists():
        raise StorageError(
            "the history is not here as a whole",
            where=str(git.root),
            mend="`git fetch --unshallow`",
        )
    copy = Git(beside, git.environ)
    for number, commit in enumerate(commits):
        copy.run(["update-ref", f"refs/heads/h{number}", commit])


def _run_filter(beside: Path, ids: AbstractSet[str]) -> None:
    files.replace(beside / _IDS_FILE, "\n".join(sorted(ids)).encode())
    program = [sys.executable, "-P", "-m", "memjournal.journal.purge.rewrite_process"]
    done = subprocess.run(program, cwd=beside, capture_output=True, check=False)
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        what = f"the history cannot be rewritten: {lines[-1] if lines else done.returncode}"
        raise StorageError(what, where=str(beside), mend="nothing was changed; try again")


def _commit_map(beside: Path) -> dict[str, str]:
    """Old to new, as git-filter-repo wrote it down; a line for the columns' names comes first."""
    try:
        text = files.read(beside / "filter-repo" / "commit-map").decode("ascii")
    except NotFoundError:
        return {}
    pairs = (line.split() for line in text.splitlines()[1:])
    return {old: new for old, new in pairs if old != new}
