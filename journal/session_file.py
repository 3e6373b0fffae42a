"""One conversation a file: Markdown that reads well in any viewer and only ever grows.

A record is a heading, the text, and a closing comment with the exact attributes::

    ## 09:12:31 tool_output Bash [mem:Qw81zD]
    pytest -k refund
    <!-- mem:Qw81zD at=2026-11-30T09:12:31.120+09:00 turn=1 outcome=error exit=1 key=toolu_1 -->

The closing comment proves that the record is whole: one that a power cut tore has none. A line of
the text that would read as either line is escaped with a backslash, so that any text comes back.

Everything works on bytes and offsets, so that one record can be read without the rest of its file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, time
from typing import Final, Literal

from . import frontmatter
from .entry import EVENT_TYPES, Entry, EntryId, as_privacy, format_time, parse_time
from .event import Event, SessionHeader
from .values import dataclass

_HEADING = re.compile(
    rb"## (?P<clock>\d\d:\d\d:\d\d) (?P<type>[a-z_]+)(?: (?P<tool>[^\r\n]*?))?"
    rb" \[mem:(?P<id>[0-9A-Za-z]{6,64})\]\r?\n?"
)
_FOOTER = re.compile(
    rb"<!-- (?P<word>mem|forgotten):(?P<id>[0-9A-Za-z]{6,64})(?P<attributes>[^\r\n]*) -->\r?\n?"
)
_ESCAPE = re.compile(r"^(\\*)(?=## \d\d:\d\d:\d\d |<!-- (?:mem|forgotten):)", re.MULTILINE)
_UNESCAPE = re.compile(r"^\\(?=\\*(?:## \d\d:\d\d:\d\d |<!-- (?:mem|forgotten):))", re.MULTILINE)
_FRAGMENT = re.compile(  # the beginning of a heading, as a torn write leaves it
    rb"(?:#|##|## |## \d{1,2}|## \d\d:\d{0,2}|## \d\d:\d\d:\d{0,2}"
    rb"|## \d\d:\d\d:\d\d (?P<type>[a-z_]*)(?P<rest> [^\r\n]*)?)\0*|\0+"
)
_ATTRIBUTE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_ATTRIBUTE = re.compile(r'(?<!\S)([A-Za-z_][A-Za-z0-9_.-]*)=("(?:[^"\\]|\\.)*"|[^\s"]*)')
_BARE_VALUE = re.compile(r"[\w./:+@~%,=#-]+")
_LISTS: Final = ("file", "key", "tag", "source")
_SCALARS: Final = ("at", "turn", "outcome", "exit", "branch", "privacy")
_RESERVED: Final = frozenset({"at", "turn", "outcome", "exit", "branch", "file", "key"})
_HEADER_LINES: Final = (
    b"---",
    b"kind: session",
    b"session: ",
    b"project: ",
    b"agent: ",
    b"started: ",
    b"---",
)
_ARGUMENT_NAME: Final = re.compile(r"[a-z_]+: (?=\S)")
MAX_EVENT_TITLE_CHARS: Final = 100

PartKind = Literal["head", "event", "forgotten", "torn", "loose"]


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a session file; all parts in order are the file, byte for byte."""

    kind: PartKind
    start: int
    raw: bytes

    @property
    def end(self) -> int:
        return self.start + len(self.raw)


def render_header(header: SessionHeader) -> str:
    """Frontmatter and title, which stand once at the top of the file."""
    fields = {
        "kind": "session",
        "session": header.session,
        "project": header.project,
        "agent": header.agent,
        "started": header.started,
    }
    name = " ".join("/".join(header.project.split("/")[-2:]).split())
    title = f"# {name} — {header.started:%Y-%m-%d %H:%M}"
    return f"---\n{frontmatter.render_fields(fields)}---\n{title}\n\n"


def parse_header(text: str) -> tuple[SessionHeader, str]:
    """The header of a session file that begins with *text*, and what is odd about it."""
    document = frontmatter.parse_document(text)
    fields = document.fields

    def value(name: str) -> str:
        found = fields.get(name, "")
        return found if isinstance(found, str) else ""

    started = parse_time(value("started"))
    problem = document.problem or ("" if started else "the session has no start time")
    header = SessionHeader(
        session=value("session"),
        project=value("project"),
        agent=value("agent"),
        started=started or datetime.fromtimestamp(0, UTC),
    )
    return header, problem


def session_in(head: bytes) -> str | None:
    """The session that a file with this *head* belongs to; None when it does not say."""
    fields = frontmatter.parse_document(_decode(head)).fields
    session = fields.get("session")
    return session if isinstance(session, str) and fields.get("kind") == "session" else None


def is_torn_header(head: bytes) -> bool:
    """Whether *head* is what a power cut left of a header, and nothing that a person wrote."""
    if not head.strip(b"\0"):
        return bool(head)
    lines = head.rstrip(b"\0").split(b"\n")
    if len(lines) > len(_HEADER_LINES):
        return False
    *whole, last = zip(lines, _HEADER_LINES, strict=False)
    return all(line.startswith(start) for line, start in whole) and (
        last[0].startswith(last[1]) or last[1].startswith(last[0])
    )


def render_event(event: Event, entry_id: EntryId) -> bytes:
    """The record of *event*, to be added at the end of its file.

    Raises:
        ValueError: a name in ``event.extra`` has blanks or signs, or means something else here.
    """
    tool = " ".join(event.tool.split())
    heading = f"## {event.at:%H:%M:%S} {event.type}{' ' + tool if tool else ''} [mem:{entry_id}]"
    attributes: dict[str, tuple[str, ...]] = {"at": (format_time(event.at),)}
    if event.turn:
        attributes["turn"] = (str(event.turn),)
    if event.outcome:
        attributes["outcome"] = (event.outcome,)
    if event.exit_code is not None:
        attributes["exit"] = (str(event.exit_code),)
    if event.branch:
        attributes["branch"] = (event.branch,)
    attributes["file"] = event.files
    for name, value in event.extra.items():
        if name in _RESERVED or not _ATTRIBUTE_NAME.fullmatch(name) or "--" in name:
            raise ValueError(f"not a name for an attribute: {name!r}")
        attributes[name] = (value,)
    attributes["key"] = event.keys
    return f"{heading}\n{escape(event.text)}\n{_comment('mem', entry_id, attributes)}\n\n".encode()


def render_forgotten(entry_id: str, keys: Iterable[str]) -> bytes:
    """What stands in place of a forgotten record: its keys, so that no import brings it back."""
    return f"{_comment('forgotten', entry_id, {'key': tuple(keys)})}\n\n".encode()


def _comment(word: str, entry_id: str, attributes: Mapping[str, Iterable[str]]) -> str:
    pairs = [f"{name}={_quote(one)}" for name, values in attributes.items() for one in values]
    return " ".join((f"<!-- {word}:{entry_id}", *pairs, "-->"))


def _quote(value: str) -> str:
    if _BARE_VALUE.fullmatch(value) and "--" not in value:
        return value
    quoted = json.dumps(value, ensure_ascii=False)
    for unsafe in ("--", "<", ">", "\x85", "\u2028", "\u2029"):  # nothing may end the comment
        quoted = quoted.replace(unsafe, "".join(f"\\u{ord(sign):04x}" for sign in unsafe))
    return quoted


def _attributes(text: str) -> dict[str, list[str]]:
    attributes: dict[str, list[str]] = {}
    for name, raw in _ATTRIBUTE.findall(text):
        try:
            value = str(json.loads(raw)) if raw.startswith('"') else raw
        except ValueError:
            value = raw
        attributes.setdefault(name, []).append(value)
    return attributes


def escape(text: str) -> str:
    """*text* with a backslash before each line that would read as a heading or closing comment."""
    return _ESCAPE.sub(r"\\\1", text)


def unescape(text: str) -> str:
    """The inverse of ``escape``."""
    return _UNESCAPE.sub("", text)


def scan(lines: Iterable[bytes]) -> Iterator[Part]:
    """Take a session file apart in one pass; *lines* are its lines with their line ends.

    Only one record at a time is in memory. What a write left that was torn inside of its heading
    is a ``torn`` part too, which has no id.
    """
    offset = start = 0
    open_id = b""  # of the record being read, b"" between records
    held: list[bytes] = []
    kind: PartKind = "head"
    after_record = False
    for line in lines:
        if after_record and line.strip(b"\r\n") == b"":  # the blank line that ends a record
            held.append(line)
            offset += len(line)
            yield from _parts(kind, start, held)
            held, start, kind, after_record = [], offset, "loose", False
            continue
        if after_record:
            yield from _parts(kind, start, held)
            held, start, kind, after_record = [], offset, "loose", False
        heading = _HEADING.fullmatch(line) if line.startswith(b"## ") else None
        footer = _FOOTER.fullmatch(line) if line.startswith(b"<!-- ") else None
        if heading:
            yield from _parts("torn" if open_id else kind, start, held)
            held, start, open_id = [], offset, heading["id"]
        elif footer and footer["word"] == b"forgotten":
            yield from _parts("torn" if open_id else kind, start, held)
            held, start, kind, open_id, after_record = [], offset, "forgotten", b"", True
        elif footer and footer["word"] == b"mem" and footer["id"] == open_id:
            kind, open_id, after_record = "event", b"", True
        held.append(line)
        offset += len(line)
    yield from _parts("torn" if open_id else kind, start, held)


def _parts(kind: PartKind, start: int, lines: list[bytes]) -> Iterator[Part]:
    """What *lines* are: one part, and the fragment of a heading behind it; none if there is none."""
    n_whole = _without_fragment(lines) if kind in ("head", "loose") else len(lines)
    whole, fragment = b"".join(lines[:n_whole]), b"".join(lines[n_whole:])
    if whole:
        yield Part(kind, start, whole)
    if fragment:
        yield Part("torn", start + len(whole), fragment)


def _without_fragment(lines: list[bytes]) -> int:
    """How many of *lines* stand before a torn heading at their end: all, if there is none."""
    last = len(lines) - 1
    while last >= 0 and not lines[last].strip(b"\r\n"):
        last -= 1
    found = _FRAGMENT.fullmatch(lines[last].rstrip(b"\r\n")) if last >= 0 else None
    if found is None:
        return len(lines)
    type_ = _decode(found["type"] or b"")
    known = type_ in EVENT_TYPES if found["rest"] else any(t.startswith(type_) for t in EVENT_TYPES)
    return last if known else len(lines)


def parse_event(raw: bytes, header: SessionHeader) -> Entry:
    """The entry that one record holds. *raw* may be torn: then what is there is read.

    Raises:
        ValueError: *raw* does not begin with a heading.
    """
    heading_line, _, rest = raw.partition(b"\n")
    heading = _HEADING.fullmatch(heading_line + b"\n")
    if heading is None:
        raise ValueError("not a record: it has no heading")
    lines = rest.rstrip(b"\r\n").rsplit(b"\n", 1)
    footer = _FOOTER.fullmatch(lines[-1].rstrip(b"\r"))
    if footer is not None and footer["id"] == heading["id"]:
        attributes = _attributes(_decode(footer["attributes"]))
        body = rest[: rest.rstrip(b"\r\n").rfind(b"\n")] if len(lines) == 2 else b""
        if heading_line.endswith(b"\r"):  # the file went through a program that writes CRLF
            body = body.removesuffix(b"\r")
    else:
        attributes, body = {}, rest
    return _entry_from(heading, unescape(_decode(body)), attributes, header)


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _entry_from(
    heading: re.Match[bytes], body: str, attributes: Mapping[str, list[str]], header: SessionHeader
) -> Entry:
    def first(name: str) -> str:
        return attributes.get(name, [""])[0]

    type_, tool = _decode(heading["type"]), _decode(heading["tool"] or b"")
    return Entry(
        id=EntryId(_decode(heading["id"])),
        kind="event",
        type=type_,
        title=event_title(type_, tool, body),
        body=body,
        created=parse_time(first("at")) or _at(header.started, _decode(heading["clock"])),
        project=header.project,
        session=header.session,
        turn=_whole(first("turn")),
        agent=header.agent,
        tool=tool,
        tags=tuple(attributes.get("tag", ())),
        source=tuple(attributes.get("source", ())),
        privacy=as_privacy(first("privacy")) or "internal",
        files=tuple(attributes.get("file", ())),
        extra=_extra_from(attributes),
    )


def _extra_from(attributes: Mapping[str, list[str]]) -> dict[str, object]:
    """What an entry has no field for: the attributes that are not ours, outcome, exit and keys."""
    extra: dict[str, object] = {
        name: values[0]
        for name, values in attributes.items()
        if name not in _LISTS and name not in _SCALARS
    }
    extra |= {name: attributes[name][0] for name in ("outcome", "branch") if attributes.get(name)}
    exit_code = _whole(attributes.get("exit", [""])[0])
    if exit_code is not None:
        extra["exit"] = exit_code
    if keys := attributes.get("key"):
        extra["keys"] = tuple(keys)
    return extra


def _whole(text: str) -> int | None:
    return int(text) if re.fullmatch(r"-?[0-9]{1,18}", text) else None


def _at(day: datetime, clock: str) -> datetime:
    try:
        return datetime.combine(day.date(), time.fromisoformat(clock), day.tzinfo)
    except ValueError:  # a clock such as 99:99:99, written by hand
        return day


def event_title(type_: str, tool: str, body: str) -> str:
    """What an event is called in lists: its first line of words, cut at 100 characters."""
    line = next(
        (line for line in map(str.strip, body.splitlines()) if line and not line.startswith("```")),
        "",
    ).lstrip("#>*- ")
    if type_ == "tool_output" and tool and not line.startswith(tool):
        line = _ARGUMENT_NAME.sub("", line)  # the first argument says enough without its name
        line = f"{tool}: {line}" if line else tool
    if len(line) > MAX_EVENT_TITLE_CHARS:
        line = line[: MAX_EVENT_TITLE_CHARS - 1].rstrip() + "…"
    return line


def record_keys(raw: bytes) -> tuple[str, ...]:
    """The dedupe keys of a record or of what is left of a forgotten one; () when it is torn."""
    lines = raw.rstrip(b"\r\n").rsplit(b"\n", 1)
    footer = _FOOTER.fullmatch(lines[-1].rstrip(b"\r"))
    if footer is None:
        return ()
    return tuple(_attributes(_decode(footer["attributes"])).get("key", ()))


def record_id(raw: bytes) -> str:
    """The id in the heading of a record, or in a forgotten one's comment."""
    first = raw.partition(b"\n")[0] + b"\n"
    found = _HEADING.fullmatch(first) or _FOOTER.fullmatch(first)
    return _decode(found["id"]) if found else ""


def event_key(session: str, event: Event) -> str:
    """The dedupe key of an event: the session and the first of the assistant's own keys."""
    return f"event:{session}\0{event.keys[0]}"
