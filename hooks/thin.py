"""The thin client of hooks: hands a payload to the daemon, and gives back what it answers.

An assistant waits for each of its hooks, so this costs little more than Python itself: of modules it
loads those alone that CPython has compiled in. `json`, `socket` and `signal` cost 4 to 7 ms each where
a bare Python costs 8 (`tests/bench/hooks.py`). It finds journal, folder and socket as `journal.place` and
`DaemonPlace` do, and the tests hold them to each other. Of all that is out of the ordinary - a
daemon on loopback or of another version, something in the way - it says so and leaves it to those.
"""

from __future__ import annotations

import os
import time

from ..journal.digests import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PROTOCOL = 1  # `indexer.daemon.wire.PROTOCOL`; a test compares them
MAX_PAYLOAD_BYTES = 32 << 20
"""More is no event: an assistant cuts what its tools give back far below that."""
MODE_VARIABLE = "MEMJOURNAL_HOOKS"
"""``off`` turns hooks off, for a session that is itself run by one; what else it may be is the desk's business."""
_MAX_REQUEST_BYTES = 4 << 20  # what the daemon takes, `indexer.daemon.lines.MAX_REQUEST_BYTES`
_MAX_ANSWER_BYTES = 1 << 20  # of some 10,000 characters that an assistant reads
_MAX_STATE_BYTES = 64_000
_CHUNK_BYTES = 1 << 16
_JOURNAL_FILE = "memjournal.toml"
_PROJECT_FOLDER = ".memjournal"
_HOME_VARIABLE = "MEMJOURNAL_HOME"
_KIND_BITS, _FILE_BITS, _FOLDER_BITS = 0o170000, 0o100000, 0o040000  # inode(7); `stat` costs 0.5 ms
_START_OF_RESULT = '{"id":1,"result":"'

PASSED_ON = frozenset(
    (
        *("AI_AGENT", "CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT"),
        *("CLAUDE_CODE_REMOTE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR"),
        *("CURSOR_PROJECT_DIR", "CURSOR_TRANSCRIPT_PATH", "CURSOR_VERSION"),
        *("GEMINI_CWD", "GEMINI_PROJECT_DIR", "GEMINI_SESSION_ID"),
    )
)
"""The variables that adapters need. Named one by one, as ``CLAUDE_CODE_`` begins the name of a token too."""
_OWN_PREFIX = "MEMJOURNAL_"
_SECRET_ENDS = ("KEY", "TOKEN", "SECRET", "PASSWORD")  # what a user may call a service's key


class PlaceError(Exception):
    """Something else is where a journal should be; whoever asks `journal.place` is told what."""


class NoAnswerError(Exception):
    """The daemon did not do it: whoever asked has to.

    *is_other* says that one may be there that this client is too thin for.
    """

    def __init__(self, what: str, *, is_other: bool = False) -> None:
        super().__init__(what)
        self.is_other = is_other


class NoDaemonError(NoAnswerError):
    """There is none, which is nothing to tell anybody."""


def find_journal(environ: Mapping[str, str], cwd: str) -> str:
    """The journal that is meant in *cwd*, "" where there is none; as ``mem`` finds it.

    Raises:
        PlaceError: something is in the way.
    """
    folder = cwd
    while folder:
        for candidate in (folder, os.path.join(folder, _PROJECT_FOLDER)):
            if _is_journal(candidate):
                return candidate
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    named = environ.get(_HOME_VARIABLE, "")
    default = os.path.join(cwd, os.path.expanduser(named or os.path.join("~", "memjournal")))
    return default if _is_journal(default, is_last=True) else ""


def _is_journal(folder: str, *, is_last: bool = False) -> bool:
    path = os.path.join(folder, _JOURNAL_FILE)
    try:
        if os.stat(path).st_mode & _KIND_BITS == _FILE_BITS:
            return True
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError) as error:
        if is_last:  # elsewhere, a folder that we may not look into is none that was meant
            raise PlaceError(path) from error
    try:
        os.lstat(path)
    except (OSError, ValueError):
        return False
    raise PlaceError(path)


def place_name(root: str) -> str:
    """What the daemon's files are called, as ``DaemonPlace.name`` has it."""
    return sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:16]


def passed_on(environ: Mapping[str, str]) -> dict[str, str]:
    """Of *environ* what an adapter or a setting needs, and never a key or a token."""
    return {
        name: value
        for name, value in environ.items()
        if name in PASSED_ON
        or (name.startswith(_OWN_PREFIX) and not name.upper().endswith(_SECRET_ENDS))
    }


def ask(
    run_folder: str,
    root: str,
    *,
    version: str,
    agent: str,
    event: str,
    payload: bytes,
    environ: Mapping[str, str],
    deadline: float,
) -> str:
    """What the daemon of the journal at *root* answers; *deadline* is of ``time.monotonic``.

    Raises:
        NoAnswerError: it did not, in time or at all.
    """
    if not _is_private(run_folder):
        raise NoDaemonError("no folder of a daemon")
    base = os.path.join(run_folder, place_name(root))
    _check_state(_read_state(base + ".json"), version)
    request = _request(agent, event, payload, environ)
    if len(request) > _MAX_REQUEST_BYTES:
        raise NoAnswerError("a payload too large for the daemon")
    try:
        line = _exchange(base + ".sock", request, deadline)
    except TimeoutError as error:
        raise NoAnswerError("the daemon did not answer in time") from error
    except (OSError, ValueError) as error:
        raise NoAnswerError(f"the daemon went away: {error}") from error
    return _result_of(line)


def _is_private(folder: str) -> bool:
    """Whether nobody else can have put a socket into *folder*, as ``files.is_private_folder`` has it."""
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    if os.name == "posix" and (status.st_uid != os.getuid() or status.st_mode & 0o077):
        return False
    return status.st_mode & _KIND_BITS == _FOLDER_BITS


def _read_state(path: str) -> bytes:
    try:
        fd = os.open(
            path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        )
    except OSError as error:
        raise NoDaemonError("no daemon") from error
    try:
        return os.read(fd, _MAX_STATE_BYTES)
    except OSError as error:
        raise NoDaemonError("no daemon") from error
    finally:
        os.close(fd)


def _check_state(state: bytes, version: str) -> None:
    """Nothing, if what the daemon says of itself is all as usual.

    A quote inside of one of its texts is escaped, so that none can be taken for a field.
    """
    usual = (f'"protocol": {PROTOCOL},', f'"version": "{version}"', '"transport": "unix"')
    if not all(one.encode() in state for one in usual):
        raise NoAnswerError("a daemon out of the ordinary", is_other=True)


def _request(agent: str, event: str, payload: bytes, environ: Mapping[str, str]) -> bytes:
    quote = _quoter()
    pairs = ",".join(f"{quote(name)}:{quote(value)}" for name, value in environ.items())
    text = quote(payload.decode("utf-8", "replace"))
    return (
        f'{{"id":1,"protocol":{PROTOCOL},"method":"hook","params":{{"agent":{quote(agent)},'
        f'"event":{quote(event)},"payload":{text},"environ":{{{pairs}}}}}}}\n'
    ).encode("utf-8", "replace")


def _quoter() -> Callable[[str], str]:
    """The compiled half of `json` that writes a text."""
    try:
        from _json import encode_basestring
    except ImportError:
        from json.encoder import encode_basestring
    return encode_basestring


def _exchange(path: str, request: bytes, deadline: float) -> bytes:
    """One line for another."""
    try:
        from _socket import AF_UNIX, SOCK_STREAM, socket
    except ImportError:
        from socket import (  # type: ignore[assignment]  # the same, with more to it
            AF_UNIX,  # pyright: ignore[reportGeneralTypeIssues]
            SOCK_STREAM,  # pyright: ignore[reportGeneralTypeIssues]
            socket,
        )
    connection = socket(AF_UNIX, SOCK_STREAM)
    try:
        connection.settimeout(_left(deadline))
        connection.connect(path)
        connection.sendall(request)
        answer = b""
        while not answer.endswith(b"\n"):
            if len(answer) > _MAX_ANSWER_BYTES:
                raise ValueError("an answer that does not end")
            connection.settimeout(_left(deadline))
            chunk = connection.recv(_CHUNK_BYTES)
            if not chunk:
                raise ValueError("no answer")
            answer += chunk
    finally:
        connection.close()
    return answer


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _result_of(line: bytes) -> str:
    """The text that the daemon gave back; errors and what is no answer are for others to understand."""
    answer = line.decode("utf-8", "replace").rstrip("\n")
    if answer.startswith(_START_OF_RESULT):
        try:
            from _json import scanstring
        except ImportError:
            from json.decoder import scanstring  # type: ignore[attr-defined,no-redef]  # it is there
        try:
            result, end = scanstring(answer, len(_START_OF_RESULT), True)
        except (ValueError, SystemError):  # the latter where `json`, and its error, is not loaded
            result, end = "", len(answer)
        if answer[end:] == "}":
            return result
    if answer.startswith('{"id":1,"error":{"kind":"OtherSettingsError"'):
        raise NoDaemonError("the daemon runs with other settings")
    raise NoAnswerError(f"the daemon answered {answer[:300]}")
