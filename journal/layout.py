"""What a journal's folder has to have, and making what is missing of it.

Whatever is there already stays as it is, byte for byte; only to the two files that tell git how to
treat a journal are lines added that they lack.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from . import files
from .errors import CannotCreateError
from .obstacle import kind_at
from .place import MARKER
from .reading import FOLDERS
from .remote import repository_at

ALL_FOLDERS: Final = (*FOLDERS, "ledger")
GIT_FILES: Final = (".gitignore", ".gitattributes")


@dataclass(frozen=True, slots=True)
class Missing:
    """What a folder lacks to be a journal."""

    folders: tuple[str, ...]
    files: Mapping[str, str]  # name -> whole text
    lines: Mapping[str, str]  # name of a file that is there -> text to be added at its end

    def __bool__(self) -> bool:
        return bool(self.folders or self.files or self.lines)


def find_missing(root: Path, texts: Mapping[str, str]) -> Missing:
    """What *root*, which need not exist, lacks; *texts* are the journal's own files by name.

    Raises:
        CannotCreateError: something that is not a folder, or not a file, is in the way.
        StorageError: a file cannot be read.
    """
    for folder in (root, *(root / name for name in ALL_FOLDERS)):
        if folder.exists() and not folder.is_dir():
            raise CannotCreateError(
                "there is a file where a folder is needed", where=str(folder), mend="move it away"
            )
    for file in (root / name for name in texts):
        if file.exists() and not file.is_file():
            what = f"there is {kind_at(file)} where a file is needed"
            raise CannotCreateError(what, where=str(file), mend="move it away")
    lines = {}
    for name in GIT_FILES:
        if (root / name).exists():
            present = files.read(root / name).decode("utf-8", "replace").splitlines()
            rules = [line for line in texts[name].splitlines() if not line.startswith("#")]
            lacking = [rule for rule in rules if not _has_rule(present, rule)]
            if lacking:
                lines[name] = "".join(f"{rule}\n" for rule in lacking)
    return Missing(
        folders=tuple(name for name in ALL_FOLDERS if not (root / name).is_dir()),
        files={name: text for name, text in texts.items() if not (root / name).exists()},
        lines=lines,
    )


def _has_rule(present: list[str], rule: str) -> bool:
    """Whether a rule is there; one for the same files that says something else is the person's wish."""
    pattern = rule.split()[0].strip("/")
    return any(line.split()[:1] and line.split()[0].strip("/") == pattern for line in present)


def make_missing(root: Path, missing: Missing) -> list[str]:
    """Make what *missing* names; the paths of the files that were written, relative to *root*.

    The file that makes the folder a journal is written last: a run that was broken off is repeated.

    Raises:
        CannotCreateError, StorageError: the disk refused.
    """
    try:
        if not root.exists():
            root.mkdir(mode=0o700, parents=True)
        for name in missing.folders:
            (root / name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise files.as_storage_error(error, root) from error
    for name in sorted(missing.files, key=lambda name: name == MARKER):
        files.replace(root / name, missing.files[name].encode("utf-8"))
    for name, text in missing.lines.items():
        before = files.read(root / name)
        separator = b"" if not before or before.endswith(b"\n") else b"\n"
        files.replace(root / name, before + separator + text.encode("utf-8"))
    return sorted((*missing.files, *missing.lines))


def surrounding_repository(root: Path) -> Path | None:
    """The top of the git work tree that *root* lies in; None if that is *root* itself or none."""
    for folder in root.parents:
        if repository := repository_at(folder):
            return repository.top
    return None
