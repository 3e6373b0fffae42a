"""How client and daemon reach each other: a Unix socket, or loopback with a token where there is none.

Only the user who runs the daemon gets an answer. The folder of the socket is closed to others, and the
kernel is asked who is at the other end where it can tell. On loopback, which any user and any web page
of this machine can reach, the first line must be a token that only the user can read.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
from typing import Final

from ...journal import files
from ...journal.errors import MemjournalError
from .lines import LineSocket
from .place import DaemonPlace, DaemonState, Transport

_BACKLOG: Final = 128
_LOOPBACK: Final = "127.0.0.1"
_TOKEN_S: Final = 2.0
_MAX_TOKEN_BYTES: Final = 1000
_UCRED: Final = struct.Struct("3i")  # pid, uid, gid; unix(7)


def pick_transport(place: DaemonPlace) -> Transport:
    """The best that this machine and the length of the socket's path allow."""
    return "unix" if hasattr(socket, "AF_UNIX") and place.fits_a_socket else "tcp"


def listen(place: DaemonPlace, transport: Transport) -> socket.socket:
    """A socket that clients can reach; whoever calls this holds the lock.

    Raises:
        CannotCreateError, StorageError: it cannot be made.
    """
    try:
        if transport == "unix":
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            listener.bind(os.fspath(place.socket))
            os.chmod(place.socket, 0o600)
        else:
            listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            listener.bind((_LOOPBACK, 0))
            files.replace(place.token, os.urandom(32).hex().encode("ascii"))
        listener.listen(_BACKLOG)
    except OSError as error:
        raise files.as_storage_error(error, place.socket) from error
    return listener


def port_of(listener: socket.socket) -> int:
    """The port that clients need to know; 0 for a Unix socket."""
    return int(listener.getsockname()[1]) if listener.family == socket.AF_INET else 0


def address_of(place: DaemonPlace, state: DaemonState) -> str:
    """Where the daemon that *state* tells of listens, for people."""
    return str(place.socket) if state.transport == "unix" else f"{_LOOPBACK}:{state.port}"


def connect(place: DaemonPlace, state: DaemonState, *, timeout_s: float) -> LineSocket:
    """A connection to the daemon that *state* tells of.

    Raises:
        OSError: nobody is there.
    """
    if state.transport == "unix":
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        address: str | tuple[str, int] = os.fspath(place.socket)
    else:
        connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        address = (_LOOPBACK, state.port)
    try:
        connection.settimeout(timeout_s)
        connection.connect(address)
        line = LineSocket(connection)
        if state.transport == "tcp":
            line.send_line(_token(place), timeout_s)
    except OSError:
        connection.close()
        raise
    return line


def is_welcome(connection: socket.socket, line: LineSocket, place: DaemonPlace) -> bool:
    """Whether the one at the other end may ask: the same user, or one who knows the token."""
    if connection.family == socket.AF_INET:
        from hmac import compare_digest  # for those who listen; who asks never needs it

        with contextlib.suppress(MemjournalError, OSError):
            given = line.receive(timeout_s=_TOKEN_S, max_bytes=_MAX_TOKEN_BYTES)
            return given is not None and compare_digest(given, _token(place))
        return False
    if not hasattr(socket, "SO_PEERCRED"):
        return True  # the folder is closed to others
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size)
    _, uid, _ = _UCRED.unpack(raw)
    return bool(uid == os.getuid())


def _token(place: DaemonPlace) -> bytes:
    try:
        return files.read(place.token).strip()
    except MemjournalError as error:
        raise OSError(str(error)) from error
