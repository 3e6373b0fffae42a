"""A small world for commands: a home of its own, a journal, a project's folder, transcripts."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from memjournal.cli.app import main

from ..git_by_hand import git
from ..ran import Ran

SESSION = "0b1f6c1e-0000-4000-8000-000000000001"


class World:
    """Runs commands as the shell would, in this process."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self.home = folder / "home"
        self.root = self.home / "memjournal"
        self.project = self.home / "work" / "shop"
        self.project.mkdir(parents=True)
        for name in [one for one in os.environ if one.startswith(("MEMJOURNAL_", "XDG_", "GIT_"))]:
            monkeypatch.delenv(name)
        for name in ("VISUAL", "EDITOR", "CLAUDE_CONFIG_DIR", "NO_COLOR"):
            monkeypatch.delenv(name, raising=False)
        self.set_env(
            HOME=str(self.home),
            GIT_CONFIG_NOSYSTEM="1",
            GIT_CONFIG_GLOBAL=os.devnull,
            MEMJOURNAL_JOURNAL_COMMIT="false",  # each commit costs 0.2 s; its own tests switch it on
            MEMJOURNAL_EMBEDDING_ENABLED="false",
            MEMJOURNAL_JOURNAL_TIMEZONE="Asia/Seoul",
        )
        monkeypatch.chdir(self.project)

    def set_env(self, **variables: str) -> None:
        for name, value in variables.items():
            self._monkeypatch.setenv(name, value)

    def chdir(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._monkeypatch.chdir(folder)

    def run(self, *arguments: str, stdin: str | bytes = "") -> Ran:
        """Run ``mem`` with *arguments*; it is not on a terminal."""
        out, err = io.StringIO(), io.StringIO()
        data = stdin.encode() if isinstance(stdin, str) else stdin
        with self._monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            try:
                code = main(arguments)
            except SystemExit as ended:
                code = ended.code if isinstance(ended.code, int) else int(bool(ended.code))
        return Ran(code, out.getvalue(), err.getvalue())

    def ok(self, *arguments: str, stdin: str | bytes = "") -> Ran:
        """Run a command that must succeed."""
        ran = self.run(*arguments, stdin=stdin)
        assert ran.code == 0, ran.err or ran.out
        return ran

    def init(self) -> Path:
        self.ok("init", "--no-git")
        return self.root

    def add(self, text: str, *options: str) -> str:
        """Remember *text*; its id, as in ``mem:a7Bc3x``."""
        (added,) = self.ok("add", "--json", *options, "--", text).objects
        return str(added["id"])

    def write(self, path: str, text: str | bytes) -> Path:
        """Write a file of the journal by hand."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    def editor(self, script: str) -> None:
        """Let the editor be a shell script that is given the file as ``$1``, or after a ``+N``."""
        path = self.home / "editor.sh"
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o700)
        self.set_env(EDITOR=str(path))

    def transcript(
        self, *texts: str, session: str = SESSION, cwd: str = "", name: str = "-work-shop"
    ) -> Path:
        """Write or go on with a conversation: prompts and answers in turn."""
        path = self.home / ".claude" / "projects" / name / f"{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as stream:
            n_before = path.stat().st_size
            for n, text in enumerate(texts):
                role = "user" if n % 2 == 0 else "assistant"
                content: object = text
                if role == "assistant":
                    content = [{"type": "text", "text": text}]
                record: dict[str, object] = {
                    "type": role,
                    "uuid": f"{session[:8]}-{n_before}-{n}",
                    "parentUuid": None,
                    "sessionId": session,
                    "cwd": cwd or str(self.project),
                    "timestamp": f"2026-11-28T01:{n // 60:02}:{n % 60:02}.000Z",
                    "message": {"role": role, "content": content, "id": f"msg-{n_before}-{n}"},
                }
                stream.write(json.dumps(record, ensure_ascii=False) + "\n")
        return path

    def git(self, *arguments: str, folder: Path | None = None) -> str:
        return git(folder or self.root, *arguments)

    def tree(self) -> Mapping[str, bytes]:
        """Every file below the home, with its bytes."""
        return {
            path.relative_to(self.home).as_posix(): path.read_bytes()
            for path in sorted(self.home.rglob("*"))
            if path.is_file() and not path.name.endswith("-shm")
        }


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tmp_path, monkeypatch)
