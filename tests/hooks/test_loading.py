"""A hook that nobody attends to but itself loads nothing that takes longer than all the rest."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from memjournal.hooks.agents import AGENTS

from ..journeys.conftest import World, new_world
from .hooked import Hooked, failure

SLOW: Final = ("dataclasses", "inspect", "hashlib", "yaml")
"""7 to 14 ms each: `journal.values`, `journal.digests` and `journal.frontmatter` do without them."""

ATTEND: Final = """
import json, os, sys, time
before = set(sys.modules)
from memjournal.cli import mem_hook
for agent, event, payload in json.load(sys.stdin):
    mem_hook.run(
        [agent, event],
        read=lambda _: json.dumps(payload).encode(),
        write=print,
        environ=os.environ,
        started=time.monotonic(),
    )
print(json.dumps(sorted(set(sys.modules) - before)))
"""


@pytest.fixture(scope="module")
def hooked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hooked]:
    """A home with a journal, of which no daemon is started."""
    world = new_world(tmp_path_factory.mktemp("loading") / "집 home")
    environ = {
        **world.environ,
        "XDG_STATE_HOME": str(tmp_path_factory.mktemp("s")),
        "MEMJOURNAL_DAEMON_AUTOSTART": "never",
        "MEMJOURNAL_HOOK_BUDGET_S": "20",
    }
    made = World(world.home, environ)
    made.ok("init", "--no-git")
    yield Hooked(made)


def tools(agent: str) -> list[tuple[str, Mapping[str, object]]]:
    """What *agent* tells of tools, as its real client did where there is a sample of it."""
    if agent == "claude-code":
        return [("PostToolUseFailure", failure(1))]
    if agent == "cursor":
        told = {"command": "make deploy"}, {"exitCode": 2, "output": "배포 실패"}
        return [
            (
                "postToolUse",
                {
                    "conversation_id": "c1",
                    "generation_id": "g1",
                    "hook_event_name": "postToolUse",
                    "workspace_roots": ["/home/dev/shop"],
                    "tool_name": "Shell",
                    "tool_use_id": "u1",
                    "tool_input": told[0],
                    "tool_output": json.dumps(told[1], ensure_ascii=False),
                },
            )
        ]
    found = list(Path(__file__).with_name(agent).glob("samples/session-*.jsonl"))
    own = Path(__file__).parent.glob("pi/samples/session-*.jsonl")  # the payload is the same
    calls = [json.loads(line) for line in (found or list(own))[0].read_text("utf-8").splitlines()]
    return [(one["event"], one["payload"]) for one in calls if "tool" in one["event"].lower()]


@pytest.mark.parametrize("agent", AGENTS)
def test_a_tool_hook_alone_loads_nothing_slow(hooked: Hooked, agent: str) -> None:
    n_before = len(hooked.keys())
    hooks = [(agent, event, payload) for event, payload in tools(agent)]
    done = subprocess.run(
        [sys.executable, "-P", "-c", ATTEND],
        input=json.dumps(hooks).encode(),
        capture_output=True,
        env=dict(hooked.world.environ),
        cwd=hooked.world.home,
        check=True,
        timeout=60,
    )
    assert len(hooked.keys()) > n_before, hooked.log
    loaded = json.loads(done.stdout.splitlines()[-1])
    assert "memjournal.journal.session_log" in loaded
    assert sorted(set(SLOW) & set(loaded)) == []
