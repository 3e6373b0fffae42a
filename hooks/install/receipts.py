"""What was done to files of assistants: enough to put back, byte for byte, what was there before.

Kept in a private folder and not beside the files: settings hold keys, and a project's folder is
committed. The first copy of a file is never overwritten; it goes with its receipt, when we go.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ...journal import files
from ...journal.errors import NotFoundError

_RECEIPT: Final = ".receipt.json"
_COPY: Final = ".before"
_KEY_LENGTH: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What we found at *path* and what we left there."""

    path: Path  # where links lead
    written: str  # digest of what we wrote; "" if somebody else wrote between two of our changes
    before: bytes | None  # what was there when we came; None: no file
    made_folders: tuple[Path, ...] = ()  # for it, the outermost first

    def is_still(self, now: bytes | None) -> bool:
        """Whether nobody else has changed the file since."""
        return now == self.before or (now is not None and digest_of(now) == self.written)

    def with_written(self, written: str) -> Receipt:
        """The same, after we have written again."""
        return replace(self, written=written)


@dataclass(frozen=True, slots=True)
class Receipts:
    """The receipts in a folder, which is made when the first is kept."""

    folder: Path

    def find(self, path: Path) -> Receipt | None:
        """The receipt of the file at *path*; one that cannot be read counts as none.

        Raises:
            StorageError: the disk refused.
        """
        try:
            fields = json.loads(files.read(self._file(path, _RECEIPT)))
            before = files.read(self.copy_of(path)) if fields["existed"] else None
            written, made = fields["written"], fields["made_folders"]
        except (NotFoundError, ValueError, TypeError, KeyError):
            return None
        if not isinstance(written, str) or not isinstance(made, list):
            return None
        if before is not None and digest_of(before) != fields.get("before"):
            return None
        return Receipt(
            path=path,
            written=written,
            before=before,
            made_folders=tuple(Path(one) for one in made if isinstance(one, str)),
        )

    def keep(self, receipt: Receipt) -> None:
        """Keep *receipt*, on disk when this returns; the copy of what was there comes first.

        Raises:
            StorageError, CannotCreateError: the disk refused.
        """
        before = receipt.before
        try:
            files.make_private_folder(self.folder)
        except OSError as error:
            raise files.as_storage_error(error, self.folder) from error
        if before is not None:
            self._keep_copy(self.copy_of(receipt.path), before)
        fields: Mapping[str, object] = {
            "path": str(receipt.path),
            "existed": before is not None,
            "before": digest_of(before) if before is not None else "",
            "written": receipt.written,
            "made_folders": [str(one) for one in receipt.made_folders],
        }
        text = json.dumps(fields, ensure_ascii=True, indent=2) + "\n"
        files.replace(self._file(receipt.path, _RECEIPT), text.encode())

    def _keep_copy(self, path: Path, before: bytes) -> None:
        """Keep *before* at *path*; a copy whose receipt was lost is put aside."""
        try:
            older = files.read(path)
        except NotFoundError:
            older = before
        if older != before:
            files.replace(path.with_name(f"{path.name}-{digest_of(older)[:_KEY_LENGTH]}"), older)
        files.replace(path, before)

    def forget(self, path: Path) -> None:
        """Remove the receipt of the file at *path*, and the copy of what was there.

        Raises:
            StorageError: the disk refused.
        """
        if not self.folder.is_dir():
            return
        for ending in (_RECEIPT, _COPY):  # in this order: a copy alone is nothing to go by
            files.remove(self._file(path, ending))
        with contextlib.suppress(OSError):  # there are others
            self.folder.rmdir()

    def copy_of(self, path: Path) -> Path:
        """Where the copy of the file at *path* is kept, if there was one."""
        return self._file(path, _COPY)

    def _file(self, path: Path, ending: str) -> Path:
        key = hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()
        return self.folder / f"{key[:_KEY_LENGTH]}{ending}"


def digest_of(data: bytes) -> str:
    """The SHA-256 of *data*."""
    return hashlib.sha256(data).hexdigest()
