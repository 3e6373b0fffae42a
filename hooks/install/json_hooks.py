"""Our hooks among others in a JSON file: the form that Claude Code has and most others took over.

    {"hooks": {"Stop": [{"matcher": "...", "hooks": [{"type": "command", "command": "..."}]}]}}

Cursor has the handlers directly in the event's list. Ours are known by the program that they call,
wherever that is: ``mem-hook``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from ...journal.errors import FormatError
from .json_nodes import Node
from .json_text import JsonPath, JsonText
from .plan import Found

PROGRAM: Final = "mem-hook"
_HOOKS: Final = "hooks"
_VALUE: Final = r"""(?:"[^"]*"|'[^']*'|[^\s"';&|<>])*"""
_BEFORE_PROGRAM: Final = re.compile(
    rf"\s*(?:(?:\S*/)?(?:env|exec|command|nohup)\s+)*(?:[A-Za-z_]\w*={_VALUE}\s+)*"
)
_WORD: Final = re.compile(r"""(?:"([^"]*)"|'([^']*)'|([^\s;&|<>()]+))""")
_QUOTED: Final = re.compile(r"'[^']*'|\"[^\"$`]*\"|2>(?:/dev/null|&1)|\|\|\s*(?:true|:)\s*$")
_MORE: Final = re.compile(r"[;&|<>`\n]|\$\(")
_BOM: Final = b"\xef\xbb\xbf"


def hook_groups(
    events: Mapping[str, tuple[str, int]], handler: Callable[[str, int], Mapping[str, object]]
) -> dict[str, dict[str, object]]:
    """The group of each of *events*, which are given what they are matched by and a time limit.

    *handler* makes the one handler of an event's group, with its limit in the assistant's unit.
    """
    return {
        event: {**({"matcher": matcher} if matcher else {}), "hooks": [handler(event, limit)]}
        for event, (matcher, limit) in events.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonHooks:
    """Hooks to be in a JSON file, one item for each event.

    An item is a group with one handler in its list ``hooks`` or, unless *grouped*, the handler.
    *others* are keys that the file must have besides; one that is there stays as it is.
    """

    items: Mapping[str, Mapping[str, object]]
    grouped: bool = True
    comments: bool = False  # whether the assistant allows comments in the file
    others: Mapping[str, object] = field(default_factory=dict)

    @property
    def is_shared(self) -> bool:
        return True

    def install(self, now: bytes | None) -> bytes:
        if now is None or not now.strip():
            return _encoded(self._installed(JsonText(text="{}\n", comments=self.comments)))
        installed = _encoded(self._installed(self._read(now)))
        return _BOM + installed if now.startswith(_BOM) else installed

    def remove(self, now: bytes, *, before: bytes | None) -> bytes | None:
        text = self._read(now) if now.strip() else None
        if text is None or not any(self._ours(text)):
            return now
        was_blank = before is not None and not before.strip()
        kept = self._read(before) if before and not was_blank else JsonText(text="{}")
        text = self._without_ours(text, kept)
        if text.value == {} and not re.search(r"/[/*]", text.text):
            if before is None:
                return None
            if was_blank:
                return before
        return _BOM + _encoded(text) if now.startswith(_BOM) else _encoded(text)

    def find(self, now: bytes) -> Found:
        ours = list(self._ours(self._read(now))) if now.strip() else []
        return Found(
            events=tuple(dict.fromkeys(one.event for one in ours)),
            commands=tuple(dict.fromkeys(one.program for one in ours)),
        )

    def _read(self, data: bytes) -> JsonText:
        try:
            decoded = data.removeprefix(_BOM).decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            mend = "save it as UTF-8; nothing was changed"
            raise FormatError("is not UTF-8", where=str(line), mend=mend) from error
        text = JsonText(text=decoded, comments=self.comments)
        text.require_object(())
        if text.at((_HOOKS,)) is not None:
            text.require_object((_HOOKS,))
        return text

    # --- putting in ---

    def _installed(self, text: JsonText) -> JsonText:
        for key, value in self.others.items():
            if text.at((key,)) is None:
                text = text.with_value((key,), value)
        for event in dict.fromkeys(one.event for one in self._ours(text)):
            if event not in self.items:
                text = self._without_event(text, event, JsonText(text="{}"))
        for event, item in self.items.items():
            text = self._with_item(text, event, item)
        return text

    def _with_item(self, text: JsonText, event: str, item: Mapping[str, object]) -> JsonText:
        """*text* with *item* as the only one of ours: where the first of them was, else at the end."""
        ours = [one for one in self._ours(text) if one.event == event]
        for one in reversed(ours[1:]):
            text = self._taken_out(text, one.path)
        if not ours:
            there = text.at((_HOOKS, event))
            n_items = len(there.value) if there and isinstance(there.value, list) else 0
            return text.with_value((_HOOKS, event, n_items), item)
        path = ours[0].path
        new: object = item
        if self.grouped:
            if self._is_alone(text, path):
                path = path[:-2]
            else:  # somebody put it among their own, in a group with a matcher of theirs
                new = _handlers(item)[0]
        return text if _value(text.at(path)) == new else text.with_value(path, new)

    # --- taking out ---

    def _without_ours(self, text: JsonText, kept: JsonText) -> JsonText:
        """*text* without ours and without what is empty then, unless it was so in *kept*."""
        for event in dict.fromkeys(one.event for one in self._ours(text)):
            text = self._without_event(text, event, kept)
        for key, value in self.others.items():
            if kept.at((key,)) is None and _value(text.at((key,))) == value:
                text = text.without((key,))
        return text

    def _without_event(self, text: JsonText, event: str, kept: JsonText) -> JsonText:
        for one in reversed([one for one in self._ours(text) if one.event == event]):
            text = self._taken_out(text, one.path)
        for path in ((_HOOKS, event), (_HOOKS,)):
            if not _value(text.at(path)) and kept.at(path) is None:
                text = text.without(path)
        return text

    def _taken_out(self, text: JsonText, handler: JsonPath) -> JsonText:
        is_whole = self.grouped and self._is_alone(text, handler)
        return text.without(handler[:-2] if is_whole else handler)

    @staticmethod
    def _is_alone(text: JsonText, handler: JsonPath) -> bool:
        """Whether its group has no other handler."""
        return len(_handlers(_value(text.at(handler[:-2])))) == 1

    # --- which are ours ---

    def _ours(self, text: JsonText) -> Iterator[_Ours]:
        events = _value(text.at((_HOOKS,)))
        for event, items in events.items() if isinstance(events, dict) else ():
            for number, item in enumerate(items if isinstance(items, list) else ()):
                path: JsonPath = (_HOOKS, event, number)
                if not self.grouped:
                    yield from _if_ours(event, path, item)
                    continue
                for place, handler in enumerate(_handlers(item)):
                    yield from _if_ours(event, (*path, _HOOKS, place), handler)


@dataclass(frozen=True, slots=True)
class _Ours:
    event: str
    path: JsonPath  # of the handler
    program: str  # as it is called


def _if_ours(event: str, path: JsonPath, handler: object) -> Iterator[_Ours]:
    match handler:
        case {"command": str(command), **others}:
            program = command if "args" in others else program_of(command)
            if is_ours(program):
                yield _Ours(event, path, program)


def is_ours(program: str) -> bool:
    """Whether *program* is ``mem-hook``, on whichever path, as any system writes it."""
    return re.split(r"[/\\]", program)[-1].lower().removesuffix(".exe") == PROGRAM


def program_of(command: str) -> str:
    """The one program that a shell would run for *command*, behind assignments; "" where it runs more."""
    found = _BEFORE_PROGRAM.match(command)
    rest = command[found.end() :] if found else command
    word = _WORD.match(rest)
    if word is None or _MORE.search(_QUOTED.sub("", rest[word.end() :])):
        return ""
    return next((one for one in word.groups() if one is not None), "")


def _handlers(item: object) -> list[object]:
    match item:
        case {"hooks": list(handlers)}:
            return handlers
    return []


def _value(node: Node | None) -> object:
    return node.value if node is not None else None


def _encoded(text: JsonText) -> bytes:
    return text.text.encode()
