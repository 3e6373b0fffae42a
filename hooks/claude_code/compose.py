"""From records to events: what belongs together becomes one event, in the order it was begun.

A reply is written as several lines and a call lies apart from its result, so events are held back
until they are whole. What is held is bounded: the reply being written, what stands behind it, and
the calls that wait for a result.
"""

from __future__ import annotations

import hashlib
from collections import Counter, OrderedDict
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import Final

from ...journal.event import Event
from ..ignored_files import is_ignored
from ..keys import said_key, summary_key
from ..source import Tally
from ..text import trim
from ..tool_call import approved_plan, files_of, read_outcome, render_call, render_result
from .held import HeldEvents, Position
from .options import ReadOptions
from .outline import COMPACT_SUMMARY, KEPT_ONCE, Outline, read_user
from .prompts import join_blocks, read_said
from .records import (
    Compaction,
    Image,
    Origin,
    QueuedCommand,
    QueueLine,
    Record,
    ReplyLine,
    Silent,
    Skipped,
    Text,
    TitleLine,
    ToolCall,
    ToolResult,
    UserLine,
    as_text,
)
from .titles import Titles
from .unseen import Unseen

IGNORED: Final = "ignored by .memignore"

MAX_WAITING_CALLS: Final = 1_000

_USED: Final = "used"
_KNOWN: Final = "known"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    key: str
    name: str
    text: str
    files: tuple[str, ...]
    place: Position


class Composer:
    """Takes records in file order and gives events as they become whole."""

    def __init__(
        self,
        outline: Outline,
        *,
        started: datetime,
        project: str,
        known: Container[str],
        options: ReadOptions,
        tally: Tally,
        unseen: Unseen,
    ) -> None:
        self._outline = outline
        self._project = project
        self._known = known
        self._options = options
        self._tally = tally
        self._last_at = started
        self._turn = 0
        self._cwd = outline.cwd
        self._seen: set[str] = set()  # uuids; some hundred bytes for each record
        self._answered: set[str] = set()
        self._calls: OrderedDict[str, _Call] = OrderedDict()
        self._ignored: set[str] = set()  # calls that name files of `.memignore`
        self._held = HeldEvents()
        self._kept_typed: set[int] = set()  # queue lines already in the journal
        self._titles = Titles()
        self._unseen = unseen
        self._prompt = ""  # the id of the prompt that is worked on
        self._said: set[str] = set()  # keys by which hooks know what was said
        self._summarised: Counter[str] = Counter()  # compactions in the turn of a prompt

    def add(self, offset: int, record: Record, raw: bytes) -> Iterator[Event]:
        """Take the record at *offset*, read from the bytes *raw*; gives what is whole by now."""
        self._count(self._outcomes(offset, record, raw))
        yield from self._held.release()

    def finish(self) -> Iterator[Event]:
        """What is left when the file has ended: unanswered calls and the title."""
        self._held.end_reply()
        while self._calls:
            self._give_up_oldest()
        self._give_title()
        yield from self._held.release()

    def _count(self, outcomes: list[str]) -> None:
        """Count one record: by the best that became of its parts, or the first reason."""
        self._tally.n_records += 1
        if _USED in outcomes:
            self._tally.n_used += 1
        elif _KNOWN in outcomes:
            self._tally.n_known += 1
        elif outcomes:
            self._tally.skipped[outcomes[0]] += 1

    def _outcomes(self, offset: int, record: Record, raw: bytes) -> list[str]:
        """What became of the record's parts: used, known, or the reason for neither."""
        if isinstance(record, Skipped):
            self._note_time(record.origin)
            return [record.reason]
        origin = record.origin
        if origin.sidechain and not self._options.include_sidechains:
            return ["sub-agent"]
        if origin.uuid and origin.uuid in self._seen:
            return ["repeated record"]
        if origin.uuid:
            self._seen.add(origin.uuid)
        self._note_time(origin)
        self._cwd = origin.cwd or self._cwd
        self._prompt = origin.prompt or self._prompt
        key = origin.uuid or digest_key(raw)
        match record:
            case ReplyLine():
                return self._add_reply(offset, record, key)
            case UserLine():
                return self._add_user(offset, record, key)
            case QueueLine():
                return [self._add_operation(offset, record, key)]
            case QueuedCommand():
                return [self._add_typed(offset, origin, key, record.texts)]
            case Compaction():
                return [self._add_compaction(offset, record, key)]
            case TitleLine():
                return self._add_title(offset, record, key)

    # Replies and calls

    def _add_reply(self, offset: int, line: ReplyLine, key: str) -> list[str]:
        if line.is_api_error:
            return ["API error"]
        if line.is_synthetic:
            return ["synthetic reply"]
        message = line.message or key
        self._held.end_reply(unless=message)
        outcomes = [block.reason for block in line.blocks if isinstance(block, Silent)]
        texts = [trim(block.text) for block in line.blocks if isinstance(block, Text)]
        if text := "\n\n".join(each for each in texts if each):
            outcomes.append(self._add_reply_text(offset, line, key, text))
        elif texts:
            outcomes.append("empty text")
        for n, block in enumerate(line.blocks):
            if isinstance(block, ToolCall):
                outcomes.append(self._add_call(offset, line, block, f"{key}.{n}"))
        return outcomes or ["empty message"]

    def _add_reply_text(self, offset: int, line: ReplyLine, key: str, text: str) -> str:
        keys = self._keys(key, text)
        if not self._known_none(keys):
            self._unseen.learn(text)
            return _KNOWN
        place = self._place(offset, line.origin)
        self._held.add_reply_text(line.message or key, keys, text, place=place)
        return _USED

    def _add_call(self, offset: int, line: ReplyLine, call: ToolCall, spare_key: str) -> str:
        key = call.id or spare_key
        if key in self._known:
            self._unseen.learn(call.input)
            return _KNOWN
        if is_ignored(call.input, self._cwd):
            self._ignored.add(key)
            return IGNORED
        given = self._unseen.mask(call.input)
        self._calls[key] = _Call(
            key=key,
            name=call.name,
            text=render_call(call.name, given),
            files=files_of(given, self._cwd),
            place=self._place(offset, line.origin),
        )
        if len(self._calls) > MAX_WAITING_CALLS:
            self._give_up_oldest()
        return _USED

    def _add_result(self, offset: int, line: UserLine, result: ToolResult, spare_key: str) -> str:
        key = result.id or spare_key
        if key in self._answered:
            key = spare_key
        if key in self._known:
            self._unseen.learn(result.text)
            return _KNOWN
        if key in self._ignored:
            return IGNORED
        self._answered.add(key)
        call = self._calls.pop(result.id, None)
        is_error, data = result.is_error, line.tool_data
        outcome, exit_code = read_outcome(result.text, is_error=is_error, data=data)
        name = call.name if call else ""
        limits, mask = self._options.limits, self._unseen.mask
        parts = [
            call.text if call else "",
            render_result(name, result.text, limits=limits, mask=mask),
        ]
        if name == "ExitPlanMode" and (plan := approved_plan(data)):
            parts += [] if any(plan in part for part in parts) else [plan]
        here = self._place(offset, line.origin)
        place = call.place if call else here
        self._held.add(
            (key,),
            "tool_output",
            "\n\n".join(part for part in parts if part),
            place=replace(place, at=here.at),
            tool=name,
            outcome=outcome,
            exit_code=exit_code,
            files=call.files if call else (),
        )
        return _USED

    def _give_up_oldest(self) -> None:
        """A call without a result. Its key differs, so that a result that comes later is new."""
        _, call = self._calls.popitem(last=False)
        if f"{call.key}.call" not in self._known:
            self._held.add(
                (f"{call.key}.call",),
                "tool_output",
                call.text,
                place=call.place,
                tool=call.name,
                outcome="unknown",
                files=call.files,
            )

    # What the user said

    def _add_user(self, offset: int, line: UserLine, key: str) -> list[str]:
        outcomes = [
            self._add_result(offset, line, block, f"{key}.{n}")
            for n, block in enumerate(line.blocks)
            if isinstance(block, ToolResult)
        ]
        if any(isinstance(block, Text | Image) for block in line.blocks):
            outcomes.append(self._add_said(offset, line, key))
        if line.plan and not any(line.plan.strip() in text for text in map(as_text, line.blocks)):
            outcomes.append(self._mark(offset, line.origin, (f"{key}.plan",), "plan", line.plan))
        silent = [block.reason for block in line.blocks if isinstance(block, Silent)]
        return outcomes or silent or ["empty message"]

    def _add_said(self, offset: int, line: UserLine, key: str) -> str:
        if line.is_compact_summary:
            return self._add_compact_summary(offset, line, key)
        if line.is_meta:
            return "meta"
        said = read_user(line)
        if said.reason == COMPACT_SUMMARY:
            return self._add_compact_summary(offset, line, key)
        if not said.text:
            return said.reason
        if line.origin.sidechain:
            return self._mark(offset, line.origin, (key,), "subagent_prompt", said.text)
        if self._is_kept_typed(offset):
            return KEPT_ONCE
        return self._add_prompt(offset, line.origin, key, said.text, form=said.form)

    def _add_prompt(self, offset: int, origin: Origin, key: str, text: str, *, form: str) -> str:
        self._held.end_reply()
        self._turn += 1
        keys = self._keys(key, text)
        if not self._known_none(keys):
            self._unseen.learn(text)
            return _KNOWN
        place = self._place(offset, origin)
        if form:
            place.extra["form"] = form
        if interrupted := self._outline.interrupted.get(offset):
            place.extra["interrupted"] = interrupted
        if origin.git_branch not in ("", "HEAD"):
            place.extra["git_branch"] = origin.git_branch
        self._held.add(keys, "user_prompt", text, place=place)
        return _USED

    def _add_operation(self, offset: int, line: QueueLine, key: str) -> str:
        if line.operation != "enqueue":
            return "queue operation"
        return self._add_typed(offset, line.origin, key, (line.text,))

    def _add_typed(self, offset: int, origin: Origin, key: str, texts: tuple[str, ...]) -> str:
        """A text typed while the agent worked: a prompt, unless the outline says otherwise."""
        said = read_said(texts)
        reason = self._outline.queue.get(offset, "")
        if not said.text or (reason and key not in self._known):
            return reason or said.reason
        if key in self._known:  # written when its repetition had not come yet
            self._kept_typed.add(offset)
        return self._add_prompt(offset, origin, key, said.text, form=said.form)

    def _is_kept_typed(self, offset: int) -> bool:
        """Whether the prompt only repeats texts that an earlier import has kept already."""
        repeated = self._outline.repeats.get(offset, ())
        return offset in self._outline.repeats_only and self._kept_typed.issuperset(repeated)

    # Marks

    def _add_compaction(self, offset: int, line: Compaction, key: str) -> str:
        self._held.end_reply()
        parts = [line.trigger] if line.trigger else []
        if line.n_tokens is not None:
            parts.append(f"{line.n_tokens:,} tokens before")
        text = ", ".join(parts) or "compacted"
        return self._mark(offset, line.origin, (key,), "compaction", text)

    def _add_compact_summary(self, offset: int, line: UserLine, key: str) -> str:
        self._held.end_reply()
        text = trim(join_blocks(as_text(block) for block in line.blocks))
        keys: tuple[str, ...] = (key,)
        if in_hook := summary_key(line.origin.prompt):
            n_before = self._summarised[in_hook]
            self._summarised[in_hook] += 1
            keys += (f"{in_hook}.{n_before}" if n_before else in_hook,)
        return self._mark(offset, line.origin, keys, "compact_summary", text)

    def _add_title(self, offset: int, line: TitleLine, key: str) -> list[str]:
        reason = self._titles.add(line, key, is_last=offset == self._outline.title)
        if not reason:
            self._tally.n_records -= 1  # counted when the file has ended
        return [reason] if reason else []

    def _give_title(self) -> None:
        title, reasons = self._titles.choose(self._seen)
        for reason in reasons:
            self._count([reason])
        if title is not None:
            place = Position(at=self._last_at, turn=self._turn, branch=self._branch(-1), extra={})
            self._count([self._mark_at(place, (title.key,), "title", trim(title.text))])

    def _mark(
        self, offset: int, origin: Origin, keys: tuple[str, ...], tool: str, text: str
    ) -> str:
        return self._mark_at(self._place(offset, origin), keys, tool, text)

    def _mark_at(self, place: Position, keys: tuple[str, ...], tool: str, text: str) -> str:
        if not self._known_none(keys):
            return _KNOWN
        self._held.add(keys, "session_marker", text, place=place, tool=tool)
        return _USED

    # What it is known by

    def _keys(self, key: str, text: str) -> tuple[str, ...]:
        """The keys of what was said: that of its record, and the one that a hook knows it by.

        Words that come again in a turn are another event: the first of them has the hook's key.
        """
        in_hook = said_key(self._prompt, text)
        if not in_hook or in_hook in self._said:
            return (key,)
        self._said.add(in_hook)
        return key, in_hook

    def _known_none(self, keys: tuple[str, ...]) -> bool:
        return not any(key in self._known for key in keys)

    # Where it stands

    def _branch(self, offset: int) -> str:
        return "abandoned" if self._outline.is_abandoned(offset) else ""

    def _place(self, offset: int, origin: Origin) -> Position:
        extra = {"sidechain": origin.sidechain} if origin.sidechain else {}
        if self._cwd and self._cwd != self._outline.cwd:
            project = self._options.project_of(self._cwd)
            if project != self._project:
                extra["project"] = project
        branch = self._branch(offset)
        return Position(at=self._last_at, turn=self._turn, branch=branch, extra=extra)

    def _note_time(self, origin: Origin | None) -> None:
        if origin is not None and origin.at is not None:
            self._last_at = in_zone(origin.at, self._options.tz) or self._last_at


def in_zone(moment: datetime, tz: tzinfo) -> datetime | None:
    """The same moment in *tz*; None at the edges of the calendar."""
    try:
        return moment.astimezone(tz)
    except (OverflowError, ValueError):
        return None


def digest_key(raw: bytes) -> str:
    """The key of a record that has none of its own."""
    return hashlib.sha256(raw).hexdigest()[:32]
