"""JSON text as a tree whose nodes know where they stand, so that a part can be changed in place.

The standard library's decoder tells no places, and what re-dumps a file loses its layout. Read
strictly, as RFC 8259 has it, or with comments and trailing commas where the assistant allows them.
A key that stands twice is refused: readers differ in which one counts.

What is inside the members of the whole is given places only when somebody asks: a file of megabytes is then
read by the standard library, all but its outermost level. And after a change inside one of the members, that
one alone is read again: what stands before and behind it is the same text and says the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, NoReturn

from ...journal.errors import FormatError

_BLANK: Final = re.compile(r"[ \t\r\n]*")
_COMMENT: Final = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null")
_MAX_DEPTH: Final = 100
_MERGE_MARK: Final = re.compile(r"^(?:<<<<<<<|=======|>>>>>>>)", re.MULTILINE)


class JsonTextError(FormatError):
    """A text is not JSON; ``where`` is its line and column, ``3:14``."""


@dataclass(frozen=True, kw_only=True)
class Node:
    """A value, and the half-open range of the text that it takes."""

    start: int
    end: int
    value: object  # as `json.loads` gives it


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """What an object or array holds: where it begins, with its key if it has one, and its value."""

    name: str | int  # the key, or the number
    start: int
    node: Node


@dataclass(frozen=True, kw_only=True)
class Container(Node):
    """An object or an array."""

    read_children: Callable[[], tuple[Child, ...]] = field(repr=False, compare=False)

    @cached_property
    def children(self) -> tuple[Child, ...]:
        """What it holds, in order."""
        return self.read_children()

    def child(self, name: str | int) -> Child | None:
        """What goes by that key or number."""
        return next((one for one in self.children if one.name == name), None)


def parse_nodes(text: str, *, comments: bool = False) -> Node:
    """The only value of *text*.

    Raises:
        JsonTextError: it is not JSON; with *comments*, neither JSON with comments and trailing commas.
    """
    reader = _Reader(text, comments=comments)
    root = reader.value(reader.skip(0), depth=0)
    if (rest := reader.skip(root.end)) < len(text):
        reader.fail(rest, "something follows the end of the value")
    return root


def parse_changed(
    before: Node, text: str, *, start: int, end: int, n_more: int, comments: bool = False
) -> Node:
    """The only value of *text*, in which that of *before* is changed between *start* and *end*.

    *text* is *n_more* characters longer by that.

    Raises:
        JsonTextError: as ``parse_nodes``.
    """
    reader = _Reader(text, comments=comments)
    return reader.changed(before, start, end, n_more) or parse_nodes(text, comments=comments)


def line_and_column(text: str, offset: int) -> str:
    """*offset* as editors show it, both from 1: ``3:14``."""
    before = text[:offset]
    return f"{before.count(chr(10)) + 1}:{offset - before.rfind(chr(10))}"


class _Reader:
    def __init__(self, text: str, *, comments: bool) -> None:
        self._text, self._comments = text, comments
        self._decoder = json.JSONDecoder(
            object_pairs_hook=_as_object, parse_constant=_refuse_constant
        )

    def fail(self, offset: int, what: str) -> NoReturn:
        mend = "mend it by hand; nothing was changed"
        if _MERGE_MARK.search(self._text):
            mend = "a merge left both versions in it; keep the lines you want; nothing was changed"
        raise JsonTextError(
            f"not JSON: {what}", where=line_and_column(self._text, offset), mend=mend
        )

    def skip(self, offset: int) -> int:
        """Where the next token begins."""
        while True:
            blank = _BLANK.match(self._text, offset)
            assert blank is not None, "it matches nothing as well"
            offset = blank.end()
            comment = _COMMENT.match(self._text, offset)
            if comment is None:
                return offset
            if not self._comments:
                self.fail(offset, "comments are not allowed in this file")
            offset = comment.end()

    def value(self, offset: int, *, depth: int) -> Node:
        if depth > _MAX_DEPTH:
            self.fail(offset, f"more than {_MAX_DEPTH} levels")
        sign = self._text[offset : offset + 1]
        if depth and not self._comments and (quick := self._quick(offset, sign, depth=depth)):
            return quick
        if sign == "{":
            return self._object(offset, depth=depth)
        if sign == "[":
            return self._array(offset, depth=depth)
        if sign == '"':
            return self._string(offset)
        found = _SCALAR.match(self._text, offset)
        if found is None:
            self.fail(offset, "a value is missing" if sign else "it ends too early")
        try:
            value = json.loads(found.group())
        except ValueError:  # a number with thousands of digits
            self.fail(offset, "a number that cannot be read")
        return Node(start=offset, end=found.end(), value=value)

    def _quick(self, offset: int, sign: str, *, depth: int) -> Container | None:
        """The container at *offset* without the places in it; None: read it slowly, to say what is wrong."""
        if sign not in ("{", "["):
            return None
        try:
            value, end = self._decoder.raw_decode(self._text, offset)
        except (ValueError, RecursionError):
            return None
        if _has_levels(value, _MAX_DEPTH - depth + 1):
            return None
        return self._unread(offset, end, value, depth=depth)

    def _unread(self, start: int, end: int, value: object, *, depth: int) -> Container:
        """A container that is known to be one; the places in it are looked for when somebody asks."""
        read = self._object if isinstance(value, dict) else self._array
        return Container(
            start=start,
            end=end,
            value=value,
            read_children=lambda: read(start, depth=depth).children,
        )

    def changed(self, before: Node, start: int, end: int, n_more: int) -> Container | None:
        """*before* with the one member read again that is changed inside; None: it is not one alone."""
        if not isinstance(before, Container) or not isinstance(before.value, dict):
            return None
        children: list[Child] = []
        value, is_inside = dict(before.value), False
        for child in before.children:
            node = child.node
            if node.end <= start:
                children.append(child)
            elif node.start >= end:
                children.append(self._moved(child, n_more))
            else:
                again = self.value(node.start, depth=1) if node.start < start else None
                if again is None or end >= node.end or again.end != node.end + n_more:
                    return None
                children.append(replace(child, node=again))
                value[child.name], is_inside = again.value, True
        return _container(before.start, before.end + n_more, value, children) if is_inside else None

    def _moved(self, child: Child, by: int) -> Child:
        start, end = child.node.start + by, child.node.end + by
        if isinstance(child.node, Container):
            node: Node = self._unread(start, end, child.node.value, depth=1)
        else:
            node = replace(child.node, start=start, end=end)
        return replace(child, start=child.start + by, node=node)

    def _string(self, offset: int) -> Node:
        found = _STRING.match(self._text, offset)
        if found is None:
            self.fail(
                offset, "a text is not closed, or has a line break or control character in it"
            )
        try:
            value = json.loads(found.group())
        except ValueError:
            self.fail(offset, "a text has an escape that JSON does not know")
        return Node(start=offset, end=found.end(), value=value)

    def _object(self, start: int, *, depth: int) -> Container:
        children: list[Child] = []
        values: dict[str, object] = {}
        offset = self.skip(start + 1)
        while self._goes_on(offset, "}", is_first=not children):
            if self._text[offset : offset + 1] != '"':
                self.fail(offset, "a key in double quotes is missing")
            key = self._string(offset)
            name = str(key.value)
            if name in values:
                self.fail(offset, f"the key {json.dumps(name, ensure_ascii=False)} stands twice")
            colon = self.skip(key.end)
            if self._text[colon : colon + 1] != ":":
                self.fail(colon, "a colon is missing")
            node = self.value(self.skip(colon + 1), depth=depth + 1)
            children.append(Child(name=name, start=offset, node=node))
            values[name] = node.value
            offset = self._after(node.end, "}")
        return _container(start, offset + 1, values, children)

    def _array(self, start: int, *, depth: int) -> Container:
        children: list[Child] = []
        offset = self.skip(start + 1)
        while self._goes_on(offset, "]", is_first=not children):
            node = self.value(offset, depth=depth + 1)
            children.append(Child(name=len(children), start=offset, node=node))
            offset = self._after(node.end, "]")
        values = [one.node.value for one in children]
        return _container(start, offset + 1, values, children)

    def _goes_on(self, offset: int, close: str, *, is_first: bool) -> bool:
        if self._text[offset : offset + 1] != close:
            return True
        if not is_first and not self._comments:
            before = offset - 1
            while self._text[before] in " \t\r\n":
                before -= 1
            if self._text[before] == ",":
                self.fail(offset, f"a comma before {close}")
        return False

    def _after(self, offset: int, close: str) -> int:
        """Where what follows a child begins: the next one, or *close*."""
        offset = self.skip(offset)
        sign = self._text[offset : offset + 1]
        if sign == ",":
            return self.skip(offset + 1)
        if sign != close:
            self.fail(offset, f"a comma or {close} is missing" if sign else "it ends too early")
        return offset


def _container(start: int, end: int, value: object, children: list[Child]) -> Container:
    known = tuple(children)
    return Container(start=start, end=end, value=value, read_children=lambda: known)


def _as_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key stands twice")
    return made


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _has_levels(value: object, n_levels: int) -> bool:
    """Whether *value* is nested *n_levels* deep."""
    level = [value]
    for _ in range(n_levels):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True
