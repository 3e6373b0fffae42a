"""What has to be known of a conversation from one hook to the next; each hook is a process of its own.

Nothing is lost with these files: the turn is read from the session's file again, and what was told from
the ledger. They are for this machine and this user alone, and go when they are old.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Final

from ..journal import files
from ..journal.digests import sha256
from ..journal.errors import MemjournalError
from ..journal.values import dataclass, field

KEPT_S: Final = 90 * 86_400
_FORMAT: Final = 1
_MAX_BYTES: Final = 2_000_000


@dataclass(slots=True)
class SessionState:
    """One conversation as its hooks left it."""

    turn: int = 0  # of the last prompt; 0 before the first
    asked: str = ""  # the text of that prompt as it was stored, or its beginning
    started: str = ""  # RFC 3339; "" before the first event is stored
    told: list[str] = field(default_factory=list)  # ids of memories, all of this session
    told_now: dict[str, str] = field(default_factory=dict)  # with this prompt: words by id
    undecided: dict[str, str] = field(default_factory=dict)  # of the brief, and used by no answer
    edited: list[str] = field(default_factory=list)  # files changed since the prompt
    summaries: list[str] = field(default_factory=list)  # of compactions: key and digest
    failing: list[str] = field(
        default_factory=list
    )  # programs that ended in an error last, by digests
    open_prompt: str = ""  # the key of the prompt that nothing has come of yet
    own_command: bool = False  # whether that prompt is one of memjournal's own slash commands
    is_restored: bool = False  # made of the session's file; what was told is not known yet
    brief: str | None = None  # as it was told; None before that
    brief_quotes: dict[str, str] = field(
        default_factory=dict
    )  # what it says of which memory, by id

    def as_json(self) -> bytes:
        fields = {name: getattr(self, name) for name in self.__slots__}
        return json.dumps({"format": _FORMAT, **fields}, ensure_ascii=False).encode(
            "utf-8", "surrogatepass"
        )

    @classmethod
    def from_json(cls, raw: bytes) -> SessionState | None:
        """The state that *raw* holds; None where it is another format, or damaged."""
        try:
            fields = json.loads(raw)
        except (ValueError, RecursionError):
            return None
        if not isinstance(fields, dict) or fields.get("format") != _FORMAT:
            return None
        state = cls()
        for name in cls.__slots__:
            value = fields.get(name)
            if not _is_like(getattr(state, name), value):
                return None
            setattr(state, name, value)
        return state


def _is_like(usual: object, value: object) -> bool:
    """Whether *value* is of the type that *usual*, the value of a new state, has."""
    match usual:
        case None:
            return value is None or isinstance(value, str)
        case list():
            return isinstance(value, list) and all(isinstance(one, str) for one in value)
        case dict():
            return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())
    return type(value) is type(usual)


class SessionStates:
    """The states of the conversations that this machine's hooks tell of, in *folder*."""

    def __init__(
        self, folder: Path, *, lock_timeout_s: float, report: Callable[[str], object]
    ) -> None:
        """*report* hears why a state could not be kept: no event is lost for that."""
        self._folder, self._lock_timeout_s, self._report = folder, lock_timeout_s, report

    @contextlib.contextmanager
    def changing(
        self, agent: str, session: str, *, restore: Callable[[], SessionState]
    ) -> Iterator[SessionState]:
        """The state, to be changed by nobody else meanwhile; what it is at the end is kept.

        Where there is none, *restore* makes it.
        """
        path = self._path(agent, session)
        with contextlib.ExitStack() as held:
            try:
                self._make_folder()
                lock = files.locked(path.with_suffix(".lock"), timeout_s=self._lock_timeout_s)
                held.enter_context(lock)
            except MemjournalError as error:
                self._report(f"the session's state: {error}")
                yield restore()
                return
            before = _read(path)
            state = (SessionState.from_json(before) if before else None) or restore()
            yield state
            after = state.as_json()
            if after != before:
                try:
                    _write(path, after)
                except MemjournalError as error:
                    self._report(f"the session's state: {error}")

    def reading(self, agent: str, session: str) -> SessionState | None:
        """The state as it is; None where there is none."""
        before = _read(self._path(agent, session))
        return SessionState.from_json(before) if before else None

    def forget(self, ids: Collection[str]) -> None:
        """Take out of every state what it has of the memories *ids*, and of what was asked.

        Raises:
            LockedError, StorageError: a state cannot be changed.
        """
        for path in sorted(self._folder.glob("*.json")):
            with files.locked(path.with_suffix(".lock"), timeout_s=self._lock_timeout_s):
                state = SessionState.from_json(_read(path))
                if state is None:
                    path.unlink(missing_ok=True)
                    continue
                state.asked = ""  # no id stands for it here
                if not {*state.told, *state.told_now, *state.undecided}.isdisjoint(ids):
                    state.brief, state.brief_quotes = None, {}  # it is made anew without them
                    state.told_now = _without(state.told_now, ids)
                    state.undecided = _without(state.undecided, ids)
                _write(path, state.as_json())

    def prune(self, *, now_s: float) -> None:
        """Remove what nobody has changed for long."""
        with contextlib.suppress(OSError):
            for entry in list(os.scandir(self._folder)):
                with contextlib.suppress(OSError):
                    if now_s - entry.stat(follow_symlinks=False).st_mtime > KEPT_S:
                        os.unlink(entry.path)

    def _path(self, agent: str, session: str) -> Path:
        name = sha256(f"{agent}\0{session}".encode("utf-8", "surrogatepass"))
        return self._folder / f"{name.hexdigest()[:24]}.json"

    def _make_folder(self) -> None:
        try:
            files.make_private_folder(self._folder)
        except OSError as error:
            raise files.as_storage_error(error, self._folder) from error


def _without(quotes: dict[str, str], ids: Collection[str]) -> dict[str, str]:
    return {one: quote for one, quote in quotes.items() if one not in ids}


def _read(path: Path) -> bytes:
    try:
        with files.open_regular(path) as stream:
            return stream.read(_MAX_BYTES)
    except OSError:
        return b""


def _write(path: Path, data: bytes) -> None:
    """Give the file this content; not fsynced, for it can be made again."""
    temporary = path.with_suffix(f".{os.getpid()}.tmp")  # only who holds the lock writes it
    try:
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(fd, "wb") as stream:
            stream.write(data)
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise files.as_storage_error(error, path) from error
