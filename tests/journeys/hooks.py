"""Hooks of an assistant in a world: as processes of their own, and many of them at the daemon's socket."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from memjournal.indexer.daemon.client import DaemonClient
from memjournal.indexer.daemon.place import DaemonPlace

from ..ran import Ran
from .conftest import World

_MEM_HOOK: Final = "from memjournal.cli.mem_hook import main; main()"


def run_hook(world: World, event: str, **fields: object) -> str:
    """Run ``mem-hook`` with the payload *fields*; what the assistant is told, "" if nothing."""
    ran = run_raw(world, event, json.dumps({"hook_event_name": event, **fields}))
    assert (ran.code, ran.err) == (0, "")
    return context_of(ran.out, event)


def run_raw(
    world: World, event: str, payload: str, *, agent: str = "claude-code", cwd: Path | None = None
) -> Ran:
    done = subprocess.run(
        [sys.executable, "-P", "-c", _MEM_HOOK, agent, event],
        input=payload.encode(),
        capture_output=True,
        env=dict(world.environ),
        cwd=cwd or world.home,
        check=False,
        timeout=60,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def context_of(out: str, event: str) -> str:
    """The context in what a hook printed, which must be the envelope of *event* or nothing."""
    if not out:
        return ""
    told = json.loads(out)["hookSpecificOutput"]
    assert told.keys() == {"hookEventName", "additionalContext"}
    assert told["hookEventName"] == event
    return str(told["additionalContext"])


def send_hooks(world: World, payloads: Iterable[Mapping[str, object]]) -> list[str]:
    """What the daemon answers to Claude Code's hooks with *payloads*, one after the other."""
    folder = Path(world.environ["XDG_STATE_HOME"]) / "memjournal" / "run"
    place = DaemonPlace(folder, world.journal)
    state = place.read_state()
    assert state is not None
    with contextlib.closing(DaemonClient.open(place, state)) as client:
        return [
            str(
                client.call(
                    "hook",
                    {
                        "agent": "claude-code",
                        "event": payload["hook_event_name"],
                        "payload": json.dumps(payload, ensure_ascii=False),
                        "environ": {},
                    },
                    timeout_s=60,
                )
            )
            for payload in payloads
        ]
