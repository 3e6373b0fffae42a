"""What a hook costs as the real client measures it: ``pytest -s tests/client/timing.py``, which prints a table.

Not a test by its name, for nothing is asserted about time. A command that does nothing, run as a hook by the same
client in the same minutes, shows how much of it is the client's own way to run one.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections import defaultdict

from .client import Client
from .conftest import indexed, settings_of
from .model_api import Says, bash

EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop")
ROUNDS = 20
_IDLE = [sys.executable, "-c", "pass"]


def _add_idle_hooks(client: Client) -> None:
    """Beside ours, at each event: a shell's ``true``, and a Python that does nothing."""
    settings = settings_of(client)
    hooks = settings["hooks"]
    assert isinstance(hooks, dict)
    idle = {"type": "command", "command": _IDLE[0], "args": _IDLE[1:]}
    for event in EVENTS:
        hooks.setdefault(event, []).append(
            {"hooks": [idle, {"type": "command", "command": "true"}]}
        )
    client.settings.write_text(json.dumps(settings), encoding="utf-8")


def _whose(command: str) -> str:
    if "mem-hook" in command or "mem_hook" in command:
        return "memjournal"
    return "python -c pass" if command.endswith("-c pass") else "true"


def test_time_that_hooks_take(client: Client) -> None:
    _add_idle_hooks(client)
    client.model.on(
        "결제 테스트", [bash("make test")], [bash("make refund")], [Says("키가 겹칩니다.")]
    )
    times: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number in range(ROUNDS):
        for ran in client.say(f"결제 테스트를 다시 돌려 줘 ({number})").hooks:
            times[ran.event, _whose(ran.command)].append(ran.ms)
        indexed(client)
    print(f"\n\n{'without a daemon' if client.is_alone else 'with a daemon'}, median ms (worst)")
    for event in EVENTS:
        cells = [
            f"{whose}: {statistics.median(times[event, whose]):.0f} ({max(times[event, whose])})"
            for whose in ("memjournal", "python -c pass", "true")
            if times[event, whose]
        ]
        print(f"{event:20}", "  ".join(cells))
