"""Counting what a journal holds, for people: how much of what, of whom, and since when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from .catalog.row import Row

N_TOP = 10


@dataclass(slots=True)
class Statistics:
    """Counts over some entries; months are those of the entries' own dates."""

    n_entries: int = 0
    n_chars: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)  # kind/type
    projects: Counter[str] = field(default_factory=Counter)
    agents: Counter[str] = field(default_factory=Counter)
    tags: Counter[str] = field(default_factory=Counter)
    files: Counter[str] = field(default_factory=Counter)
    months: Counter[str] = field(default_factory=Counter)  # 2026-11
    sessions: set[str] = field(default_factory=set)
    n_failed: int = 0  # tool calls that did not succeed
    first: datetime | None = None
    last: datetime | None = None


def summarize(rows: Iterable[Row]) -> Statistics:
    """The counts over *rows*."""
    counted = Statistics()
    for row in rows:
        counted.n_entries += 1
        counted.n_chars += row.n_chars
        counted.kinds[row.kind] += 1
        counted.types[f"{row.kind}/{row.type}"] += 1
        counted.projects[row.project] += 1
        counted.agents.update(filter(None, [row.agent]))
        counted.tags.update(row.tags)
        counted.files.update(row.files)
        counted.months[f"{row.created:%Y-%m}"] += 1
        counted.sessions.update(filter(None, [row.session]))
        counted.n_failed += row.outcome in ("error", "interrupted")
        if counted.first is None or row.created < counted.first:
            counted.first = row.created
        if counted.last is None or row.created > counted.last:
            counted.last = row.created
    return counted
