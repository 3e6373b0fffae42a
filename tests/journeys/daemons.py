"""The daemon of a world, as its commands tell of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..waiting import wait_until
from .conftest import World


def status(world: World) -> Mapping[str, object]:
    """What ``mem daemon status`` tells."""
    ran = world.mem("daemon", "status", "--json")
    (fields,) = ran.objects
    assert ran.code == (0 if fields["running"] else 3)
    return fields


def run_folder(world: World) -> Path:
    """Where the daemon has its socket, its state and its log."""
    return Path(world.environ["XDG_STATE_HOME"]) / "memjournal" / "run"


def started(world: World) -> int:
    """Start the daemon; its process, once its index follows the files."""
    world.ok("daemon", "start")
    wait_until(lambda: status(world)["behind"] == 0 and not status(world)["doing"])
    return int(str(status(world)["pid"]))
