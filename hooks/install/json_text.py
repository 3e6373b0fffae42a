"""Changing a part of a JSON text and nothing else: order, layout, comments and line ends stay.

Each change is a few characters put in or taken out, and what comes out is read again, as far as it is
other text: its meaning must be what the same change makes of the values, or it is a bug and nothing is written.
"""

from __future__ import annotations

import json
import re
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from .json_nodes import (
    Child,
    Container,
    JsonTextError,
    Node,
    line_and_column,
    parse_changed,
    parse_nodes,
)

JsonPath = tuple[str | int, ...]  # keys, and numbers of items, from the outermost
_UNIT: Final = "  "
_UNCHANGED: Final = "mend it by hand; nothing was changed"
_COLON: Final = re.compile(r'^[^"]*"(?:[^"\\]|\\.)*"\s*:(\s?)')


@dataclass(frozen=True, kw_only=True)
class JsonText:
    """A text that is JSON, and its changed copies."""

    text: str
    comments: bool = False  # whether comments and trailing commas are allowed
    read: Node | None = field(default=None, repr=False, compare=False)  # what `root` is, if known

    @cached_property
    def root(self) -> Node:
        """The parsed text.

        Raises:
            JsonTextError: it is not JSON.
        """
        return self.read or parse_nodes(self.text, comments=self.comments)

    @property
    def value(self) -> object:
        """What it says, as `json.loads` has it."""
        return self.root.value

    def at(self, path: JsonPath) -> Node | None:
        """The value at *path*, None where there is none."""
        node = self.root
        for name in path:
            child = node.child(name) if isinstance(node, Container) else None
            if child is None:
                return None
            node = child.node
        return node

    def require_object(self, path: JsonPath) -> None:
        """Refuse a text that has something else than an object at *path*.

        Raises:
            JsonTextError: it does, or is not JSON.
        """
        node = self.at(path)
        if node is None or not isinstance(node.value, dict):
            where = line_and_column(self.text, node.start if node is not None else 0)
            name = ".".join(map(str, path)) or "the whole"
            raise JsonTextError(f"{name} is not an object", where=where, mend=_UNCHANGED)

    def with_value(self, path: JsonPath, value: object) -> JsonText:
        """*value* at *path*: in place of what is there, else behind all others of its container.

        Objects on the way that are missing are made. An item of an array that is one past its end is
        added to it.

        Raises:
            JsonTextError: something on the way is neither an object nor an array.
        """
        if not path:
            return self._spliced([(self.root.start, self.root.end, self._dumped(value, ""))], value)
        parent = self.at(path[:-1])
        if parent is None:
            made: object = {path[-1]: value} if isinstance(path[-1], str) else [value]
            return self.with_value(path[:-1], made)
        name = path[-1]
        expected = self._expected(path[:-1])
        if not isinstance(parent, Container) or isinstance(name, str) != isinstance(expected, dict):
            kind = "an object" if isinstance(name, str) else "a list"
            what = f"{'.'.join(map(str, path[:-1])) or 'the whole'} is not {kind}"
            where = line_and_column(self.text, parent.start)
            raise JsonTextError(what, where=where, mend=_UNCHANGED)
        child = parent.child(name)
        if child is not None:
            indent = self._indent_at(child.start)
            new = self._dumped(value, indent, inline=not _is_tall(self.text, child.node))
            return self._put(path, value, [(child.node.start, child.node.end, new)])
        assert isinstance(name, str) or name == len(parent.children), "no gaps in an array"
        return self._put(path, value, self._addition(parent, name, value))

    def without(self, path: JsonPath) -> JsonText:
        """The text without what is at *path*, which is there."""
        parent = self.at(path[:-1])
        assert isinstance(parent, Container), "only what is in something can be taken out"
        child = parent.child(path[-1])
        assert child is not None, "only what is there can be taken out"
        expected, container = _copied_along(self.value, path[:-1])
        del container[path[-1]]  # type: ignore[attr-defined]  # a container
        return self._spliced(self._removal(parent, child), expected)

    def _put(self, path: JsonPath, value: object, splices: list[tuple[int, int, str]]) -> JsonText:
        expected, container = _copied_along(self.value, path[:-1])
        if isinstance(container, list) and path[-1] == len(container):
            container.append(value)
        else:
            container[path[-1]] = value  # type: ignore[index]  # a container
        return self._spliced(splices, expected)

    def _expected(self, path: JsonPath) -> object:
        return _look_up(self.value, path)

    def _spliced(self, splices: list[tuple[int, int, str]], expected: object) -> JsonText:
        text = self.text
        for start, end, new in sorted(splices, reverse=True):
            text = text[:start] + new + text[end:]
        root = parse_changed(
            self.root,
            text,
            start=min(start for start, _, _ in splices),
            end=max(end for _, end, _ in splices),
            n_more=len(text) - len(self.text),
            comments=self.comments,
        )
        changed = JsonText(text=text, comments=self.comments, read=root)
        assert changed.value == expected, "the layout was kept, the meaning lost"
        return changed

    # --- putting in ---

    def _addition(
        self, parent: Container, name: str | int, value: object
    ) -> list[tuple[int, int, str]]:
        key = f"{json.dumps(name, ensure_ascii=False)}:{self._gap}" if isinstance(name, str) else ""
        if not parent.children:
            return [self._first(parent, key, value)]
        last, close = parent.children[-1], parent.end - 1
        end = last.node.end + len(self.text[last.node.end : close].rstrip())
        behind = self.text[last.node.end : end]  # a trailing comma, comments
        trailing = "," if "," in _without_comments(behind) else ""
        if "\n" in self.text[parent.start : parent.children[0].start] or "//" in behind:
            indent = self._indent_at(last.start)
            new = f"{self._line_end}{indent}{key}{self._dumped(value, indent)}{trailing}"
            if "\n" not in self.text[end:close]:
                new += self._line_end + self._indent_at(parent.start)
        else:
            new = f"{self._gap}{key}{self._dumped(value, '', inline=True)}{trailing}"
        if trailing:
            return [(end, end, new)]
        if not behind:
            return [(end, end, "," + new)]
        return [(last.node.end, last.node.end, ","), (end, end, new)]

    def _first(self, parent: Container, key: str, value: object) -> tuple[int, int, str]:
        """Into an empty container: on lines of its own, unless the whole text is one line."""
        inside = self.text[parent.start + 1 : parent.end - 1]
        outer = self._indent_at(parent.start)
        is_inline = not _is_tall(self.text, self.root) and parent.start != self.root.start
        if is_inline and not inside.strip():
            return parent.start + 1, parent.end - 1, key + self._dumped(value, "", inline=True)
        indent = outer + self._unit
        kept = inside.rstrip()  # comments, if anything
        new = f"{self._line_end}{indent}{key}{self._dumped(value, indent)}{self._line_end}{outer}"
        return parent.start + 1, parent.end - 1, kept + new

    def _dumped(self, value: object, indent: str, *, inline: bool = False) -> str:
        if inline:
            marks = (", ", ": ") if self._gap else (",", ":")
            return json.dumps(value, ensure_ascii=False, separators=marks)
        text = json.dumps(value, ensure_ascii=False, indent=self._unit)
        return text.replace("\n", self._line_end + indent)

    # --- taking out ---

    def _removal(self, parent: Container, child: Child) -> list[tuple[int, int, str]]:
        number = parent.children.index(child)
        comma = self._comma_after(child.node.end, parent)
        end = comma or child.node.end
        if len(parent.children) == 1:
            others = self.text[parent.start + 1 : child.start] + self.text[end : parent.end - 1]
            if not others.strip():
                return [(parent.start + 1, parent.end - 1, "")]
        if number + 1 < len(parent.children):
            following = parent.children[number + 1].start
            gap = self.text[end:following]
            if not gap.strip() and "\n" not in gap:
                return [(child.start, following, "")]
        splices = [(self._blank_before(child.start, end), end, "")]
        if number > 0 and comma is None:  # with one, that of the child before stays in its place
            previous = self._comma_after(parent.children[number - 1].node.end, parent)
            assert previous is not None, "between two there is a comma"
            splices.append((previous - 1, previous, ""))
        return splices

    def _comma_after(self, offset: int, parent: Container) -> int | None:
        """Behind the comma that follows *offset*, None where none does."""
        rest = _without_comments(self.text[offset : parent.end])
        blank = len(rest) - len(rest.lstrip())
        return offset + blank + 1 if rest[blank : blank + 1] == "," else None

    def _blank_before(self, offset: int, end: int) -> int:
        """Where the blanks before *offset* begin, if all up to *end* is taken out with them.

        A comment that goes to the end of its line keeps that end, unless another follows.
        """
        start = len(self.text[:offset].rstrip(" \t\r\n"))
        is_followed = self.text[end:].lstrip(" \t").startswith(("\n", "\r\n"))
        line = self.text[self.text.rfind("\n", 0, start) + 1 : start]
        if "//" in line and not is_followed:
            return offset - len(self.text[start:offset].partition("\n")[2])
        return start

    # --- its layout ---

    @property
    def _line_end(self) -> str:
        first = self.text.find("\n")
        return "\r\n" if first > 0 and self.text[first - 1] == "\r" else "\n"

    @property
    def _gap(self) -> str:
        """What stands between a colon and its value: nothing in a text without blanks."""
        found = _COLON.match(self.text)
        return " " if found is None or found[1] else ""

    @property
    def _unit(self) -> str:
        """By how much the outermost members are indented."""
        root = self.root
        if isinstance(root, Container) and root.children:
            before = self.text[root.start + 1 : root.children[0].start].rpartition("\n")
            if before[1] and not before[2].strip():
                return before[2] or _UNIT
        return _UNIT

    def _indent_at(self, offset: int) -> str:
        """The blanks at the beginning of the line of *offset*."""
        line = self.text[self.text.rfind("\n", 0, offset) + 1 : offset]
        return line[: len(line) - len(line.lstrip(" \t"))]


def _is_tall(text: str, node: Node) -> bool:
    return "\n" in text[node.start : node.end]


def _look_up(value: object, path: JsonPath) -> object:
    for name in path:
        assert isinstance(value, dict | list)
        value = value[name]  # type: ignore[index]  # a key or a number, as the container has them
    return value


def _copied_along(value: object, path: JsonPath) -> tuple[object, object]:
    """*value* with all that *path* leads through copied, and the copy of what is at its end."""
    whole = inner = copy(value)
    for name in path:
        assert isinstance(inner, dict | list)
        child = copy(inner[name])  # type: ignore[index]  # a key or a number, as the container has them
        inner[name] = child  # type: ignore[index]  # as above
        inner = child
    return whole, inner


def _without_comments(text: str) -> str:
    """*text*, between two values, with blanks where comments are."""
    return re.sub(r"//[^\r\n]*|/\*.*?\*/", lambda found: " " * len(found[0]), text, flags=re.DOTALL)
