"""The daemon as a service of the user's session: a systemd unit on Linux, a launchd agent on macOS.

Installing writes one file and tells the manager of it; where there is none that listens, as in a
container, the file is written all the same and the commands for later are printed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from ..journal import files
from ..journal.errors import UnavailableError
from ..templates import render

_PASSED_ON: Final = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
"""What decides where the daemon finds its files; a session's manager need not know of it."""
_MANAGER_S: Final = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A file that describes the daemon to the manager, and the commands that make it heed it."""

    path: Path
    text: str
    enable: tuple[tuple[str, ...], ...]
    disable: tuple[tuple[str, ...], ...]
    forget: tuple[tuple[str, ...], ...]  # after the file is gone


def describe_service(
    command: Sequence[str],
    *,
    name: str,
    journal: Path,
    home: Path,
    environ: Mapping[str, str],
    platform: str = sys.platform,
) -> Service:
    """The service that runs *command* for *journal*; *name* tells it from those of other journals.

    Raises:
        UnavailableError: this system has neither systemd nor launchd.
    """
    environment = [(one, environ[one]) for one in _PASSED_ON if environ.get(one)]
    if platform == "darwin":
        return _agent(command, f"memjournal.{name}", home, environment)
    if platform.startswith("linux"):
        folder = Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "systemd" / "user"
        return _unit(command, f"memjournal-{name}.service", folder, journal, environment)
    raise UnavailableError(
        "this system has no services of a user",
        mend="the daemon starts by itself with the first command that needs it",
    )


def _unit(
    command: Sequence[str],
    name: str,
    folder: Path,
    journal: Path,
    environment: Sequence[tuple[str, str]],
) -> Service:
    text = render(
        "service/memjournal.service.j2",
        journal=_plain(str(journal)),
        command=" ".join(_unit_word(one).replace("$", "$$") for one in command),
        environment=[_unit_word(f"{key}={value}") for key, value in environment],
    )
    manager = ("systemctl", "--user")
    return Service(
        path=folder / name,
        text=text,
        enable=((*manager, "daemon-reload"), (*manager, "enable", "--now", name)),
        disable=((*manager, "disable", "--now", name),),
        forget=((*manager, "daemon-reload"),),
    )


def _unit_word(text: str) -> str:
    """*text* as one word of a unit, systemd.syntax(7): quoted, and ``%`` is not a specifier."""
    return '"' + _plain(text.replace("\\", "\\\\").replace('"', '\\"')) + '"'


def _plain(text: str) -> str:
    return text.replace("%", "%%").replace("\n", "\\n")


def _agent(
    command: Sequence[str], label: str, home: Path, environment: Sequence[tuple[str, str]]
) -> Service:
    path = home / "Library" / "LaunchAgents" / f"{label}.plist"
    text = render(
        "service/memjournal.plist.j2",
        label=label,
        command=[escape(one) for one in command],
        environment=[(key, escape(value)) for key, value in environment],
    )
    domain = f"gui/{os.getuid()}"
    return Service(
        path=path,
        text=text,
        enable=(("launchctl", "bootstrap", domain, str(path)),),
        disable=(("launchctl", "bootout", f"{domain}/{label}"),),
        forget=(),
    )


def install(service: Service, *, environ: Mapping[str, str]) -> bool:
    """Write the file and have the manager start it, now and with each session; whether it does.

    Raises:
        CannotCreateError, StorageError: the file cannot be written.
    """
    files.replace(service.path, service.text.encode("utf-8", "surrogateescape"))
    return _run(service.enable, environ)


def uninstall(service: Service, *, environ: Mapping[str, str]) -> bool:
    """Have the manager end and forget it, and remove the file; whether there was one.

    Raises:
        StorageError: the file cannot be removed.
    """
    if not service.path.exists():
        return False
    _run(service.disable, environ)
    files.remove(service.path)
    _run(service.forget, environ)
    return True


def _run(commands: Sequence[Sequence[str]], environ: Mapping[str, str]) -> bool:
    """Whether each of *commands* did what it says."""
    for command in commands:
        if shutil.which(command[0], path=environ.get("PATH")) is None:
            return False
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=dict(environ),
                timeout=_MANAGER_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
        if done.returncode != 0:
            return False
    return True
