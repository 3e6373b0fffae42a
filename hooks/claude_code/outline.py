"""The first look over a transcript: what can only be known from its later lines.

Events stream out in one pass, yet three facts about a line stand behind it: that the conversation
was wound back to before it, that a text typed while the agent worked came again in a prompt, and
which title is the last. This pass decodes prompts, queue operations and titles only, and keeps a
few hundred bytes for each of them: memory grows with what was typed, not with the file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from .prompts import COMPACT_SUMMARY_START, Said, read_said
from .records import (
    Image,
    Origin,
    QueuedCommand,
    QueueLine,
    Record,
    Skipped,
    Text,
    TitleLine,
    ToolResult,
    UserLine,
    as_text,
)

COMPACT_SUMMARY: Final = "compact summary"
KEPT_ONCE: Final = "typed while working, kept once"

MAX_OPEN_TEXTS: Final = 500
"""Texts that may still come again; the real maximum of one session was below a hundred."""


@dataclass(slots=True)
class Outline:
    """What later lines say about earlier ones. Lines go by their place in the file."""

    cwd: str = ""
    session: str = ""
    started: datetime | None = None
    is_ours: bool = False  # at least one record is Claude Code's
    abandoned: list[tuple[int, int]] = field(default_factory=list)  # [first, end), in order
    interrupted: dict[int, str] = field(default_factory=dict)  # prompt's place → what
    queue: dict[int, str] = field(default_factory=dict)  # place → why it is no prompt, or ""
    repeats: dict[int, list[int]] = field(default_factory=dict)  # prompt → queue lines in it
    repeats_only: set[int] = field(default_factory=set)  # prompts that hold nothing else
    title: int = -1  # place of the title to use, -1 when none was given

    @property
    def needs_head(self) -> bool:
        """Whether the facts that any record can give are still missing."""
        return not (self.cwd and self.session and self.started)

    def is_abandoned(self, place: int) -> bool:
        """Whether the line at *place* lies on a branch that was wound back."""
        at = bisect_right(self.abandoned, (place, 1 << 62)) - 1
        return at >= 0 and place < self.abandoned[at][1]


@dataclass(slots=True)
class _Typed:
    """A text typed while the agent worked."""

    place: int
    text: str  # blanks made single


class OutlineBuilder:
    """Takes the records in file order, then gives the outline."""

    def __init__(self) -> None:
        self.outline = Outline()
        self._siblings: dict[str, int] = {}  # parent → place of the latest prompt below it
        self._waiting: list[_Typed] = []  # enqueued, neither sent nor taken back
        self._open: list[_Typed] = []  # may come again in a later prompt
        self._attached: list[str] = []  # texts that an attachment may repeat
        self._seen: set[str] = set()
        self._prompts: list[int] = []
        self._marks: list[tuple[int, str]] = []
        self._title_rank = 0

    def add(self, place: int, record: Record) -> None:
        """Take the record that stands at *place*."""
        origin = record.origin
        self.outline.is_ours |= not isinstance(record, Skipped) or record.is_ours
        if origin is not None:
            self._add_head(origin)
            if origin.sidechain:
                return
        match record:
            case UserLine() if not record.is_meta and not record.is_compact_summary:
                self._add_prompt(place, record)
            case QueueLine():
                self._add_operation(place, record)
            case QueuedCommand():
                self._add_attachment(place, record)
            case TitleLine(rank="custom" | "ai"):
                rank = 2 if record.rank == "custom" else 1
                if rank >= self._title_rank:
                    self.outline.title, self._title_rank = place, rank

    def finish(self) -> Outline:
        """The outline, once all records are in."""
        outline = self.outline
        outline.abandoned = _merge(outline.abandoned)
        queued = [place for place, reason in outline.queue.items() if not reason]
        prompts = sorted([*self._prompts, *queued])
        for place, what in self._marks:
            at = bisect_right(prompts, place) - 1
            if at >= 0:
                outline.interrupted[prompts[at]] = what
        return outline

    def _add_head(self, origin: Origin) -> None:
        outline = self.outline
        outline.cwd = outline.cwd or origin.cwd
        outline.session = outline.session or origin.session
        outline.started = outline.started or origin.at

    def _add_prompt(self, place: int, line: UserLine) -> None:
        uuid = line.origin.uuid
        if uuid and uuid in self._seen:
            return
        self._seen.add(uuid)
        said = read_user(line)
        if said.interruption:
            self._marks.append((place, said.interruption))
        if not said.text:
            return
        self._prompts.append(place)
        self._claim(place, said.text)
        is_result = any(isinstance(block, ToolResult) for block in line.blocks)
        if line.origin.parent and not is_result:
            earlier = self._siblings.get(line.origin.parent)
            if earlier is not None:
                self.outline.abandoned.append((earlier, place))
            self._siblings[line.origin.parent] = place

    def _add_operation(self, place: int, line: QueueLine) -> None:
        match line.operation:
            case "enqueue":
                said = read_said([line.text])
                typed = _Typed(place, _single_blanks(said.text))
                self._waiting.append(typed)
                self.outline.queue[place] = said.reason
                if typed.text:
                    self._attached.append(typed.text)
                    self._open = [*self._open, typed][-MAX_OPEN_TEXTS:]
            case "popAll":
                for typed in self._waiting:
                    self.outline.queue[typed.place] = "taken back"
                    _discard(self._open, typed)
                    if typed.text in self._attached:
                        self._attached.remove(typed.text)
                self._waiting.clear()
            case "dequeue" | "remove" if self._waiting:
                text = _single_blanks(line.text)
                match = next((each for each in self._waiting if each.text == text), None)
                self._waiting.remove(match or self._waiting[0])

    def _add_attachment(self, place: int, line: QueuedCommand) -> None:
        text = _single_blanks(read_said(line.texts).text)
        if text in self._attached:
            self._attached.remove(text)
            self.outline.queue[place] = KEPT_ONCE
        elif text:
            self.outline.queue[place] = ""
            self._open = [*self._open, _Typed(place, text)][-MAX_OPEN_TEXTS:]

    def _claim(self, place: int, text: str) -> None:
        """Find the open texts that the prompt at *place* contains, as whole words."""
        if not self._open:
            return
        prompt = _single_blanks(text)
        for typed in list(self._open):
            found = re.search(rf"(?<!\w){re.escape(typed.text)}(?!\w)", prompt)
            if found is None:
                continue
            prompt = f"{prompt[: found.start()]} \0 {prompt[found.end() :]}"
            self.outline.queue[typed.place] = KEPT_ONCE
            self.outline.repeats.setdefault(place, []).append(typed.place)
            _discard(self._open, typed)
        if place in self.outline.repeats and not prompt.replace("\0", "").strip():
            self.outline.repeats_only.add(place)


def read_user(line: UserLine) -> Said:
    """What was typed in a user line; a summary of a compaction that older versions do not mark."""
    texts = [as_text(block) for block in line.blocks if isinstance(block, Text | Image)]
    if texts and texts[0].startswith(COMPACT_SUMMARY_START):
        return Said(reason=COMPACT_SUMMARY)
    return read_said(texts)


def _single_blanks(text: str) -> str:
    return " ".join(text.split())


def _discard(typed: list[_Typed], one: _Typed) -> None:
    typed[:] = [each for each in typed if each is not one]


def _merge(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for first, end in sorted(ranges):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((first, end))
    return merged
