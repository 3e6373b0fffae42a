"""Finding Claude Code's transcripts: ``<folder>/<project>/<session>.jsonl`` and sub-agents' files.

The folder is given (usually ``~/.claude/projects``); so may be one project's folder or one file.
What reads transcripts is imported when one is read: most runs find nothing new.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..source import Peek, Transcript
from .options import AGENT, ReadOptions

if TYPE_CHECKING:
    from .transcript import TranscriptReading

READER_VERSION: Final = 1
"""Raise it when the reader finds more in the same file: then all files are read again."""


class ClaudeCodeSource:
    """The transcripts below one folder; a `source.Source`."""

    agent = AGENT

    def __init__(self, folder: Path, options: ReadOptions) -> None:
        self.folder = folder
        self.unreadable: list[Path] = []  # folders that could not be listed
        self._options = replace(options, project_of=functools.cache(options.project_of))

    @property
    def reader(self) -> str:
        """Names the reader's version and options."""
        limits, with_sidechains = self._options.limits, self._options.include_sidechains
        options = f"{limits.characters}-{limits.lines}{'-sidechains' if with_sidechains else ''}"
        return f"{AGENT}-{READER_VERSION}-{options}"

    def project_of(self, cwd: str) -> str:
        """The project of the working directory that a transcript names; "" for none."""
        return self._options.project_of(cwd) if cwd else ""

    def transcripts(self) -> Iterator[Transcript]:
        """All there are, without opening one."""
        self.unreadable.clear()
        if self.folder.is_file():
            yield _transcript(self.folder)
            return
        for path in self._listed(self.folder):
            if path.suffix == ".jsonl":
                yield from _existing(path)
            elif path.is_dir():
                yield from self._in_project(path)

    def peek(self, transcript: Transcript) -> Peek:
        """What the first lines of *transcript* tell."""
        from .transcript import peek

        return peek(transcript, self._options)

    def read(self, transcript: Transcript) -> TranscriptReading:
        """Start reading *transcript*."""
        from .transcript import TranscriptReading

        return TranscriptReading(transcript, self._options)

    def _in_project(self, project: Path) -> Iterator[Transcript]:
        for path in self._listed(project):
            if path.suffix == ".jsonl":
                yield from _existing(path)
            elif path.name == "subagents" or (path / "subagents").is_dir():
                folder = path if path.name == "subagents" else path / "subagents"
                for agent in self._listed(folder):
                    if agent.suffix == ".jsonl":
                        yield from _existing(agent)

    def _listed(self, folder: Path) -> list[Path]:
        try:
            return sorted(Path(entry.path) for entry in os.scandir(folder))
        except FileNotFoundError:
            return []
        except OSError:
            self.unreadable.append(folder)
            return []


def _existing(path: Path) -> Iterator[Transcript]:
    try:
        if path.is_file():
            yield _transcript(path)
    except FileNotFoundError:  # Claude Code deletes old sessions whenever it likes
        return


def _transcript(path: Path) -> Transcript:
    status = path.stat()
    is_below_session = path.parent.name == "subagents"
    return Transcript(
        agent=AGENT,
        path=path,
        session=path.stem,
        size_bytes=status.st_size,
        mtime_ns=status.st_mtime_ns,
        hint=(path.parent.parent.parent if is_below_session else path.parent).name,
        is_subagent=is_below_session or path.name.startswith("agent-"),
    )
