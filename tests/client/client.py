"""Claude Code itself, talking to the scripted model, in a home where memjournal's hooks are installed."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..journeys.conftest import World
from .model_api import Model

# Nothing but the model is to be talked to, and nothing is to be fetched.
_QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
}

_HOOK_RAN = re.compile(r"Hooks: (\w+)(?::\S+)? \[(.*)\] finished with status (\d+) \((\d+)ms\)")


@dataclass(frozen=True)
class HookRan:
    """A run of a hook, as the client's log tells of it."""

    event: str
    command: str
    status: int
    ms: int


@dataclass(frozen=True)
class Said:
    """What one run of the client left."""

    code: int
    results: Sequence[Mapping[str, object]]  # one for each prompt
    hooks: Sequence[HookRan]
    err: str

    @property
    def session(self) -> str:
        return str(self.results[-1]["session_id"])

    @property
    def text(self) -> str:
        """The last answer, as the client prints it."""
        return str(self.results[-1]["result"])


@dataclass(frozen=True)
class Client:
    """The client, run in *project*; a person's home is that of *world*."""

    program: Path
    world: World
    model: Model
    project: Path
    environ: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_alone(self) -> bool:
        """Whether no daemon may run beside it."""
        return self.world.environ.get("MEMJOURNAL_DAEMON_AUTOSTART") == "never"

    @property
    def settings(self) -> Path:
        return self.world.home / ".claude" / "settings.json"

    @property
    def projects(self) -> Path:
        """Where the client keeps its transcripts."""
        return self.world.home / ".claude" / "projects"

    def say(self, prompt: str, *options: str, session: str = "", fork: bool = False) -> Said:
        """One prompt; in a new session, or in *session*, or in one that branches off from it."""
        resumed = ["--resume", session] if session else []
        forked = ["--fork-session"] if fork else []
        return self.run("--output-format", "json", *options, *resumed, *forked, prompt)

    def say_all(self, *prompts: str) -> Said:
        """Prompts that come while the client is still busy with the first."""
        lines = [
            {
                "type": "user",
                "message": {"role": "user", "content": [{"type": "text", "text": text}]},
            }
            for text in prompts
        ]
        stream = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
        stdin = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        return self.run(*stream, stdin=stdin)

    def run(self, *arguments: str, stdin: str = "") -> Said:
        """Run the client without a terminal, to its end."""
        log = self.world.home / f"debug-{time.monotonic_ns()}.txt"
        done = subprocess.run(
            [self.program, "-p", "--debug-file", str(log), *arguments],
            input=stdin.encode(),
            capture_output=True,
            env=self.environment,
            cwd=self.project,
            check=False,
            timeout=300,
        )
        printed = [json.loads(line) for line in done.stdout.decode().splitlines()]
        results = [line for line in printed if line.get("type") == "result"]
        hooks = [
            HookRan(event, command, int(status), int(ms))
            for event, command, status, ms in _HOOK_RAN.findall(log.read_text(encoding="utf-8"))
        ]
        log.unlink()
        return Said(done.returncode, results, hooks, done.stderr.decode())

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables of its process; none of the surrounding one's settings are among them."""
        model = {
            "ANTHROPIC_BASE_URL": self.model.url,
            "ANTHROPIC_API_KEY": "no-key-is-needed-on-loopback",
        }
        scratch = {"CLAUDE_CODE_TMPDIR": self.world.environ["TMPDIR"]}
        return {**self.world.environ, **_QUIET, **model, **scratch, **self.environ}

    def with_environ(self, **environ: str) -> Client:
        """This client, with more variables in its environment."""
        return Client(
            self.program, self.world, self.model, self.project, {**self.environ, **environ}
        )
