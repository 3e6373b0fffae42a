"""The daemon as commands see it: where it is, how it is started, and questions that it may answer.

A command is never worse off for it: when it is not there, does not suit or does not answer, the command
does the work itself and prints the same.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ..indexer.daemon.errors import DaemonSilentError
from ..indexer.daemon.place import DaemonPlace
from ..journal.errors import MemjournalError
from .user_folders import state_folder
from .version import VERSION

if TYPE_CHECKING:
    from ..indexer.daemon.client import DaemonClient
    from ..indexer.daemon.lifecycle import Launch
    from ..indexer.search.answer import Answer, SearchRequest
    from .context import Context

PATIENCE_S: Final = 1.0  # for what was saved just now to be indexed
_POLL_S: Final = 0.2


def place_of(surroundings: Context) -> DaemonPlace:
    """Where the journal's daemon is.

    In the state folder and not in a runtime folder: that one depends on how the user logged in, and a
    journal must have one daemon whoever asks.
    """
    return DaemonPlace(state_folder() / "run", surroundings.root)


def launch_of(surroundings: Context) -> Launch:
    """How the journal's daemon is found and started."""
    from ..indexer.daemon.lifecycle import (
        Launch,  # 20 ms, which a hook without a daemon need not pay
    )

    return Launch(
        place=place_of(surroundings),
        version=VERSION,
        command=command_of(surroundings, "daemon", "run", "--detached"),
        autostart=_may_start(surroundings),
    )


def command_of(surroundings: Context, *words: str) -> tuple[str, ...]:
    """`mem` with *words* for this journal, as a command that does not depend on where it is run."""
    return (*program_command(), "--journal", str(surroundings.root), *words)


def program_command() -> tuple[str, ...]:
    """`mem` itself, as a command that does not depend on where it is run."""
    return (sys.executable, "-P", "-m", "memjournal.cli")


def _may_start(surroundings: Context) -> bool:
    """Whether this command may leave a daemon behind; what is set for one run is not passed on."""
    if surroundings.overrides:
        return False
    wanted = surroundings.settings.daemon.autostart
    return wanted == "always" or (wanted == "auto" and sys.stdout.isatty())


def reach_daemon(surroundings: Context) -> DaemonClient | None:
    """The journal's daemon, if one answers that suits; what is odd about it is said."""
    from ..indexer.daemon.lifecycle import reach
    from . import output

    reached = reach(launch_of(surroundings), now_ns=surroundings.now_ns)
    if reached.remark:
        output.warn(reached.remark)
    return reached.client


def ask_daemon(
    surroundings: Context, request: SearchRequest
) -> tuple[Answer, tuple[str, ...]] | None:
    """The daemon's answer and its remarks; None where the command has to search by itself."""
    client = surroundings.daemon
    if client is None:
        return None
    try:
        return client.search(request, mark=surroundings.index_mark, patience_s=PATIENCE_S)
    except DaemonSilentError as error:
        from . import output

        output.warn(f"{error}; searched without it")
    except MemjournalError:
        pass  # searching without it says what is wrong, if anything is
    surroundings.give_up_daemon()
    return None


def let_daemon_follow(
    client: DaemonClient, paths: Sequence[str] | None, *, patience_s: float
) -> tuple[bool, tuple[str, ...]]:
    """Tell the daemon which *paths* have changed, None for all; whether its index has followed in time.

    With it come the daemon's remarks for people.

    Raises:
        MemjournalError: it does not answer.
    """
    deadline = time.monotonic() + patience_s
    is_done, remarks = client.refresh(paths, patience_s=patience_s)
    while not is_done and time.monotonic() < deadline and not client.status().get("failure"):
        time.sleep(_POLL_S)  # much work is done elsewhere, and not waited for by the daemon
        is_done, more = client.refresh((), patience_s=max(0.0, deadline - time.monotonic()))
        remarks += more
    return is_done, remarks
