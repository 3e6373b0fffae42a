"""Our files for other assistants, run by node or Python against a stand-in of the assistant, with a program that
writes down what it is told in place of `mem-hook`.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from memjournal.hooks.extension import extension_file

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(
    NODE is None or sys.platform == "win32", reason="node is needed to run the file"
)
CONTEXT = "지난 결정 <memory-context> [mem:a7Bc3x]"
TOLD_BACK = {"session-start": f"brief: {CONTEXT}", "prompt": f"recall: {CONTEXT}"}
ABOUT = {"session", "cwd", "turn"}
FIELDS: dict[str, set[str]] = {
    "session-start": {"source"},
    "prompt": {"prompt", "id"},
    "tool": {"tool", "id", "input", "output", "failed", "interrupted", "exit_code"},
    "answer": {"answer", "id"},
    "compacting": set(),
    "compacted": {"summary", "id"},
    "session-end": set(),
}
"""What is read of each event, as docs/agents.md has it; nothing else is to leave the assistant."""
_PROGRAM = """#!{python}
import json, sys
payload = json.loads(sys.stdin.buffer.read())
with open({file!r}, "a", encoding="utf-8") as file:
    file.write(json.dumps([*sys.argv[1:], payload]) + "\\n")
context = {told_back!r}.get(sys.argv[2])
if context:
    sys.stdout.buffer.write(json.dumps({{"context": context}}).encode())
"""


@dataclass(frozen=True)
class Told:
    """One thing that `mem-hook` was told."""

    agent: str
    event: str
    payload: dict[str, object]


class ExtensionWorld:
    """A folder with the program, and the file under test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "it's 내 폴더"
        self.folder.mkdir()
        self.program = self.folder / "mem-hook"
        self._told = self.folder / "told.jsonl"
        self.program_is(
            _PROGRAM.format(python=sys.executable, file=str(self._told), told_back=TOLD_BACK)
        )

    def program_is(self, text: str) -> None:
        """Have *text* run in place of `mem-hook`."""
        self.program.write_text(text, "utf-8")
        self.program.chmod(0o755)

    def write(self, template: str, name: str) -> Path:
        """The file that is installed, with less patience."""
        text = extension_file(template, str(self.program)).data.decode()
        text = text.replace("TIMEOUT_MS = 5000", "TIMEOUT_MS = 1000")
        path = self.folder / name
        path.write_text(text.replace("TIMEOUT_S = 5 ", "TIMEOUT_S = 1 "), "utf-8")
        return path

    def run_node(self, driver: str, *arguments: object) -> object:
        """What *driver* prints as JSON; it finds *arguments* in ``given``."""
        assert NODE is not None
        given = json.dumps(arguments)
        script = self.folder / "driver.mjs"
        script.write_text(f"const given = {given};\n{driver}", "utf-8")
        done = subprocess.run(
            [NODE, script],
            cwd=self.folder,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)

    @property
    def told(self) -> list[Told]:
        """Everything that the program was told, in order."""
        if not self._told.exists():
            return []
        lines = self._told.read_text("utf-8").splitlines()
        told = [Told(*json.loads(line)) for line in lines]
        for one in told:
            assert one.payload.keys() <= ABOUT | FIELDS[one.event], one
        return told

    @property
    def events(self) -> list[str]:
        return [one.event for one in self.told]


BAD_PROGRAMS = {
    "prints what is no JSON": "#!/bin/sh\ncat >/dev/null; echo '<html>'\n",
    "prints another JSON": "#!/bin/sh\ncat >/dev/null; echo 'null'\n",
    "fails": "#!/bin/sh\nexit 3\n",
    "does not read": "#!/bin/sh\nexec <&-\necho '{}'\n",
    "hangs": "#!/bin/sh\nexec sleep 60\n",
    "is no program": "no program\n",
}
