"""The one place that reads and writes YAML frontmatter.

Two promises. Reading never fails and never changes a byte: whatever is between the fences stays as
it was written, and a block that cannot be used is reported and treated as text. Writing replaces
the lines of the fields that change and no others, then reads its own result back before it is used.

Every scalar is read as text (``no`` stays ``no``, ``012`` stays ``012``): the schema of an entry
gives types, YAML does not.

YAML takes 11 ms to load, as much as Python itself. Of lines that can only mean one thing, as in the header of a
session, it is not asked: a hook reads one each time, and has no such time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from .entry import format_time
from .errors import FrontmatterError
from .values import dataclass, field

if TYPE_CHECKING:
    import yaml

MAX_FRONTMATTER_BYTES: Final = 64 * 1024
MAX_DEPTH: Final = 6

_OPEN = re.compile(r"\ufeff?---[ \t]*\r?\n")
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_TOP_LEVEL_KEY = re.compile(
    r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s#\-\[\]{},&*!|>'"%@`?:][^\n]*?)\s*:(?=\s|\Z)"""
)
_PLAIN = re.compile(r"[^\W\d_][\w./+~@()-]*(?:[ :][\w./+~@()-]+)*", re.UNICODE)
_NOT_TEXT = re.compile(r"(?i:true|false|yes|no|on|off|null|y|n|nan|inf)|[-+.]?\d.*")
_NOT_PRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")

_ONE_MEANING = re.compile(  # a name; a word, a time, or quoted text without escapes
    r"([a-z_]+): (?:([^\W\d_][\w./+~@-]*|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d:.+-]*)|\"([\w ./+~@:-]*)\")"
)


@cache
def _base_loader() -> Any:
    import yaml

    return getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # the C loader where there is one


@cache
def _guarded_loader() -> Any:
    """Text scalars, no tags, no merge keys, and no silent loss of a repeated key."""
    import yaml

    class GuardedLoader(_base_loader()):  # type: ignore[misc]  # which of two is known when run
        def construct_mapping(
            self, node: yaml.MappingNode, deep: bool = False
        ) -> dict[str, object]:
            seen: set[str] = set()
            for key_node, _ in node.value:
                if not isinstance(key_node, yaml.ScalarNode):
                    raise yaml.constructor.ConstructorError(
                        None, None, "a key is not plain text", key_node.start_mark
                    )
                if key_node.value in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"the key {key_node.value!r} stands twice", key_node.start_mark
                    )
                seen.add(key_node.value)
            mapping: dict[str, object] = super().construct_mapping(node, deep=deep)
            return mapping

    return GuardedLoader


@dataclass(frozen=True, slots=True)
class Document:
    """A Markdown file taken apart; the parts joined again are the file, byte for byte."""

    opening: str  # byte-order mark and first fence, or ""
    block: str  # the YAML lines, or ""
    closing: str  # second fence with its line end, or ""
    body: str
    fields: Mapping[str, object] = field(default_factory=dict)
    problem: str = ""  # why the block could not be used, with its line; "" if all is well

    def render(self) -> str:
        return self.opening + self.block + self.closing + self.body

    @property
    def newline(self) -> str:
        return "\r\n" if "\r\n" in (self.opening or self.body[:4096]) else "\n"


def parse_document(text: str) -> Document:
    """Take *text* apart. A block that is no usable YAML mapping is a problem, never an exception."""
    opening = _OPEN.match(text)
    closing = _CLOSE.search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        return Document("", "", "", text)
    block = text[opening.end() : closing.start()]
    parts = (opening.group(), block, closing.group(), text[closing.end() :])
    try:
        fields = load_fields(block)
    except FrontmatterError as error:
        return Document(*parts, problem=str(error))
    if fields is None:  # a horizontal rule, text, and another rule: not frontmatter at all
        return Document("", "", "", text)
    return Document(*parts, fields=fields)


def load_fields(block: str) -> Mapping[str, object] | None:
    """The mapping that *block* holds, its scalars as text; None when it holds no mapping.

    Raises:
        FrontmatterError: not YAML, a key stands twice, anchors, nested too deep, or too large.
    """
    if len(block.encode("utf-8", "replace")) > MAX_FRONTMATTER_BYTES:
        raise FrontmatterError(
            f"the frontmatter is larger than {MAX_FRONTMATTER_BYTES} bytes",
            mend="move what is long below it",
        )
    if (plain := _read_plain(block)) is not None:
        return plain
    import yaml
    from frontmatter.default_handlers import YAMLHandler

    try:
        if ("&" in block or "*" in block) and _has_anchors(block):
            raise FrontmatterError("anchors and aliases are not read", mend="write the value out")
        loaded = YAMLHandler().load(block, Loader=_guarded_loader())
    except yaml.YAMLError as error:
        raise _as_frontmatter_error(error) from error
    except (ValueError, RecursionError) as error:
        raise FrontmatterError(f"not usable YAML ({error})", mend="put values in quotes") from error
    if loaded is None or loaded == "":
        return {}
    if not isinstance(loaded, dict):
        return None
    if _is_deeper(loaded, MAX_DEPTH):
        raise FrontmatterError(
            f"nested deeper than {MAX_DEPTH} levels", mend="write it flatter, or below as text"
        )
    return loaded


def _read_plain(block: str) -> dict[str, object] | None:
    """The fields of a block whose every line has but one meaning; None where YAML has to say."""
    if not block.endswith("\n"):
        return None
    fields: dict[str, object] = {}
    for line in block[:-1].split("\n"):
        found = _ONE_MEANING.fullmatch(line)
        if found is None or found[1] in fields or not line.isprintable():
            return None
        fields[found[1]] = found[3] if found[2] is None else found[2]
    return fields


def _has_anchors(block: str) -> bool:
    import yaml

    parsed = yaml.parse(block, Loader=_base_loader())
    return any(getattr(event, "anchor", None) for event in parsed)


def _as_frontmatter_error(error: yaml.YAMLError) -> FrontmatterError:
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or str(error).splitlines()[0]
    where = f"line {mark.line + 2}" if mark is not None else ""
    mend = "use spaces instead of tabs" if "\\t" in what else "put values with a colon in quotes"
    if "stands twice" in what:
        mend = "keep one of them"
    return FrontmatterError(what, where=where, mend=mend)


def _is_deeper(value: object, limit: int) -> bool:
    """Whether mappings and lists are nested more than *limit* levels; looks no further than that."""
    children: Iterable[object] = ()
    if isinstance(value, dict):
        children = value.values()
    elif isinstance(value, list):
        children = value
    else:
        return False
    return limit == 0 or any(_is_deeper(child, limit - 1) for child in children)


def render_field(name: str, value: object) -> str:
    """The lines of one field, ending in a newline.

    Raises:
        ValueError: *value* has a type that frontmatter does not carry.
    """
    key = _scalar(name, in_flow=False)
    if isinstance(value, Mapping):
        inner = "".join(f"  {line}\n" for line in render_fields(value).splitlines())
        return f"{key}:\n{inner}" if inner else f"{key}: {{}}\n"
    if isinstance(value, list | tuple):
        if any(isinstance(item, Mapping) for item in value):
            return f"{key}:\n" + "".join(_list_item(item) for item in value)
        return f"{key}: {_flow(value)}\n"
    return f"{key}: {_scalar(value, in_flow=False)}\n"


def render_fields(fields: Mapping[str, object]) -> str:
    """All of *fields*, in their order."""
    return "".join(render_field(name, value) for name, value in fields.items())


def _list_item(item: object) -> str:
    if isinstance(item, Mapping) and len(item) == 1:
        ((name, value),) = item.items()
        return f"  - {_scalar(name, in_flow=False)}: {_flow(value)}\n"
    return f"  - {_flow(item)}\n"


def _flow(value: object) -> str:
    if isinstance(value, Mapping):
        pairs = (f"{_scalar(key, in_flow=True)}: {_flow(item)}" for key, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return _scalar(value, in_flow=True)


def _scalar(value: object, *, in_flow: bool) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case datetime():
            return format_time(value)
        case None:
            return '""'
        case str():
            plain = _PLAIN.fullmatch(value) and not _NOT_TEXT.fullmatch(value)
            if plain and not (in_flow and " " in value and ":" in value):
                return value
            quoted = json.dumps(value, ensure_ascii=False)
            return _NOT_PRINTABLE.sub(lambda found: f"\\u{ord(found.group()):04x}", quoted)
    raise ValueError(f"frontmatter cannot hold a {type(value).__name__}")


def set_fields(text: str, changes: Mapping[str, object]) -> str:
    """*text* with these fields changed; a value of None removes the field.

    Only the lines of those fields change: order, comments, quotes, line ends, byte-order mark and
    body stay. New fields stand last. A file without frontmatter gets one.

    Raises:
        FrontmatterError: the block cannot be read, or is written so unusually that one field
            cannot be changed without touching another. Nothing is changed then.
    """
    document = parse_document(text)
    if document.problem:
        raise FrontmatterError(document.problem)
    newline = document.newline
    block, opening, closing = document.block, document.opening, document.closing
    if not opening:
        bom = "\ufeff" if text.startswith("\ufeff") else ""
        opening, closing = f"{bom}---{newline}", f"---{newline}"
        document = Document(opening, "", closing, text.removeprefix("\ufeff"))
    wanted = {name: _as_read(name, value) for name, value in changes.items()}
    for name, value in changes.items():
        if wanted[name] == document.fields.get(name):
            continue  # says so already, perhaps in other quotes: those are the author's
        lines = "" if value is None else render_field(name, value).replace("\n", newline)
        block = _replace_field(block, name, lines, newline)
    if block == document.block:
        return text
    changed = opening + block + closing + document.body
    _check_change(document, changed, wanted)
    return changed


def _as_read(name: str, value: object) -> object:
    """What reading gives back for *value*: every scalar is text then. None stays None."""
    if value is None:
        return None
    return (load_fields(render_field(name, value)) or {}).get(name)


def _replace_field(block: str, name: str, lines: str, newline: str) -> str:
    """*block* with the lines of the top-level field *name* replaced, or *lines* added at the end."""
    kept = block.splitlines(keepends=True)
    start = next((i for i, line in enumerate(kept) if _key_of(line) == name), None)
    if start is None:
        if block and not block.endswith("\n"):
            block += newline
        return block + lines
    end = start + 1
    while end < len(kept) and _key_of(kept[end]) is None:
        end += 1
    while end > start + 1 and (not kept[end - 1].strip() or kept[end - 1].startswith("#")):
        end -= 1  # blank lines and comments in front of the next field belong to that one
    return "".join(kept[:start]) + lines + "".join(kept[end:])


def split_fields(block: str) -> list[tuple[str, str]]:
    """Each top-level field's name and its lines, with blank lines and comments in front of it; joined
    they are *block*. What stands before the first field, or after the last, has no name."""
    fields: list[tuple[str, str]] = []
    name, lines, waiting = "", "", ""
    for line in block.splitlines(keepends=True):
        key = _key_of(line)
        if key is None and (not line.strip() or line.startswith("#")):
            waiting += line
        elif key is None:
            lines, waiting = lines + waiting + line, ""
        else:
            fields.append((name, lines))
            name, lines, waiting = key, waiting + line, ""
    fields += [(name, lines), ("", waiting)]
    return [field for field in fields if field[1]]


def _key_of(line: str) -> str | None:
    """The top-level key that begins in this line, or None."""
    found = _TOP_LEVEL_KEY.match(line)
    if found is None:
        return None
    key = found.group()[:-1].rstrip()
    if key.startswith('"'):
        try:
            return str(json.loads(key))
        except ValueError:
            return None
    return key.strip("'")


def _check_change(before: Document, text: str, wanted: Mapping[str, object]) -> None:
    after = parse_document(text)
    expected = {**before.fields, **wanted}
    expected = {name: value for name, value in expected.items() if value is not None}
    if after.problem or after.fields != expected or after.body != before.body:
        raise FrontmatterError(
            f"cannot change {', '.join(wanted)} without touching other lines",
            mend="edit the file by hand",
        )
