"""A session file gives back every event, and its parts are the file, whatever was done to it."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memjournal.journal.entry import Entry, EntryId
from memjournal.journal.event import Event, SessionHeader
from memjournal.journal.session_file import (
    Part,
    escape,
    event_title,
    is_torn_header,
    parse_event,
    parse_header,
    record_id,
    record_keys,
    render_event,
    render_forgotten,
    render_header,
    scan,
    session_in,
    unescape,
)

from .strategies import events, headers, ids, keys, texts
from .world import HEADER, make_event

ID = EntryId("a7Bc3x")


def parts_of(data: bytes) -> list[Part]:
    return list(scan(io.BytesIO(data)))


def kinds(data: bytes) -> list[str]:
    return [part.kind for part in parts_of(data)]


def expected(event: Event, entry_id: EntryId, header: SessionHeader) -> Entry:
    """What a record of *event* says when it is read."""
    tool = " ".join(event.tool.split())
    extra: dict[str, object] = {**event.extra, "keys": event.keys}
    known = {"outcome": event.outcome, "branch": event.branch, "exit": event.exit_code}
    extra |= {name: value for name, value in known.items() if value not in ("", None)}
    return Entry(
        id=entry_id,
        kind="event",
        type=event.type,
        title=event_title(event.type, tool, event.text),
        body=event.text,
        created=event.at,
        project=header.project,
        session=header.session,
        turn=event.turn or None,
        agent=header.agent,
        tool=tool,
        files=event.files,
        extra=extra,
    )


@given(events(), ids, headers)
def test_an_event_survives_the_trip_through_markdown(
    event: Event, entry_id: EntryId, header: SessionHeader
) -> None:
    raw = render_event(event, entry_id)
    assert parse_event(raw, header) == expected(event, entry_id, header)
    assert (record_id(raw), record_keys(raw)) == (entry_id, event.keys)


@given(st.lists(events(), max_size=4), headers)
def test_each_record_of_a_file_is_one_part(written: list[Event], header: SessionHeader) -> None:
    records = [render_event(event, EntryId(f"id{n:06}")) for n, event in enumerate(written)]
    head = render_header(header).encode()
    assert [part.raw for part in parts_of(head + b"".join(records))] == [head, *records]
    assert kinds(head + b"".join(records)) == ["head"] + ["event"] * len(records)


@given(headers)
def test_a_header_survives_the_trip(header: SessionHeader) -> None:
    text = render_header(header)
    assert parse_header(text) == (header, "")
    assert session_in(text.encode()) == header.session
    assert not is_torn_header(text.encode())
    assert kinds(text.encode()) == ["head"]


@given(texts)
def test_escaping_is_undone(text: str) -> None:
    assert unescape(escape(text)) == text


@given(texts)
@example("<!-- forgotten:a7Bc3x key=k -->")
@example("\n## 09:12:31 tool_output x [mem:a7Bc3x]\r\n<!-- mem:zzzzzz -->")
def test_no_line_of_an_escaped_text_is_a_line_of_the_format(text: str) -> None:
    record = render_event(make_event("k", text), ID)
    body = record.split(b"\n", 1)[1].rsplit(b"\n<!-- mem:", 1)[0]
    assert kinds(b"## 09:12:31 user_prompt [mem:zzzzzz]\n" + body) == ["torn"]


@given(ids, st.lists(keys, max_size=3))
def test_a_forgotten_record_keeps_its_keys(entry_id: EntryId, known: list[str]) -> None:
    raw = render_forgotten(entry_id, known)
    assert kinds(raw) == ["forgotten"]
    assert (record_id(raw), record_keys(raw)) == (entry_id, tuple(known))


@given(st.binary() | texts.map(str.encode))
@example(b"## 09:12:31 x [mem:a7Bc3x]")
@example(b"<!-- mem:a7Bc3x -->")
@example(b"<!-- forgotten:a7Bc3x -->\r\n\r\n\r\n")
def test_the_parts_of_any_bytes_are_the_bytes(data: bytes) -> None:
    assert_parts_are(data)


def assert_parts_are(data: bytes) -> None:
    parts = parts_of(data)
    assert b"".join(part.raw for part in parts) == data
    assert (
        [part.start for part in parts] == [0, *(part.end for part in parts)][:-1] if parts else True
    )
    assert all(part.raw for part in parts)
    for part in parts:
        record_keys(part.raw)
        if part.kind == "event" or (part.kind == "torn" and record_id(part.raw)):
            parse_event(part.raw, HEADER)


GOOD = render_header(HEADER).encode() + b"".join(
    render_event(
        make_event(f"k{n}", f"line {n}\n한 줄\n\n```py\nx\n```\n", turn=n, files=("a b.py",)),
        EntryId(f"id{n:06}"),
    )
    for n in range(4)
)


@st.composite
def edited(draw: st.DrawFn) -> bytes:
    """A session file after a person or a bad disk had it."""
    rows = GOOD.split(b"\n")
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(rows) - 1))
        match draw(st.sampled_from(["insert", "remove", "swap", "flip"])):
            case "insert":
                some = st.sampled_from([*rows, b"<!-- forgotten:id000001 key=k1 -->", b"\xff\0"])
                rows.insert(at, draw(some | texts.map(str.encode)))
            case "remove":
                rows.pop(at)
            case "swap":
                other = draw(st.integers(0, len(rows) - 1))
                rows[at], rows[other] = rows[other], rows[at]
            case "flip":
                rows[at] = rows[at][: len(rows[at]) // 2] + b"\xe3" + rows[at][len(rows[at]) // 2 :]
        rows = rows or [b""]
    data = b"\n".join(rows)
    data = data.replace(b"\n", b"\r\n") if draw(st.booleans()) else data
    return data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data


@given(edited())
def test_the_parts_of_an_edited_file_are_the_file(data: bytes) -> None:
    assert_parts_are(data)


def test_a_file_converted_to_crlf_says_the_same() -> None:
    converted = GOOD.replace(b"\n", b"\r\n")
    before = [parse_event(part.raw, HEADER) for part in parts_of(GOOD)[1:]]
    after = [parse_event(part.raw, HEADER) for part in parts_of(converted)[1:]]
    assert [replace(one, body=one.body.replace("\r\n", "\n")) for one in after] == before


def test_a_record_reads_well() -> None:
    event = make_event(
        "toolu_1",
        "pytest -k refund\n",
        type="tool_output",
        tool="Bash",
        turn=1,
        outcome="error",
        exit_code=1,
        files=("src/a -->.py",),
    )
    assert render_event(event, ID).decode() == (
        "## 09:12:04 tool_output Bash [mem:a7Bc3x]\n"
        "pytest -k refund\n"
        "\n"
        "<!-- mem:a7Bc3x at=2026-11-30T09:12:04+09:00 turn=1 outcome=error exit=1"
        ' file="src/a \\u002d\\u002d\\u003e.py" key=toolu_1 -->\n'
        "\n"
    )


@given(events())
def test_nothing_in_an_attribute_ends_the_closing_comment(event: Event) -> None:
    footer = render_event(event, ID).decode().rstrip("\n").rsplit("\n", 1)[1]
    assert re.fullmatch(r"<!-- [^<>]* -->", footer)
    assert "--" not in footer[4:-3]
    assert footer.splitlines() == [footer]


@pytest.mark.parametrize("name", ["at", "key", "file", "turn", "", "a b", "a=b", "-->", 'a"', "가"])
def test_an_attribute_of_a_bad_name_is_a_bug_of_the_adapter(name: str) -> None:
    with pytest.raises(ValueError, match="attribute"):
        render_event(make_event("k", extra={name: "x"}), ID)


@pytest.mark.parametrize("value", ["²", "--5", "9" * 5000, "٣", "x", ""])
@pytest.mark.parametrize("name", ["turn", "exit"])
def test_a_number_that_is_none_is_left_out(name: str, value: str) -> None:
    raw = f"## 09:12:31 user_prompt [mem:a7Bc3x]\nx\n<!-- mem:a7Bc3x {name}={value} -->\n\n"
    entry = parse_event(raw.encode(), HEADER)
    assert (entry.turn, "exit" in entry.extra, entry.body) == (None, False, "x")


def test_a_record_by_hand_takes_day_and_offset_from_the_header() -> None:
    raw = b"## 10:20:30 user_prompt [mem:a7Bc3x]\nx\n<!-- mem:a7Bc3x -->\n"
    assert parse_event(raw, HEADER).created == datetime(
        2026, 11, 30, 10, 20, 30, tzinfo=HEADER.started.tzinfo
    )
    assert parse_event(raw.replace(b"10:20:30", b"99:99:99"), HEADER).created == HEADER.started


def test_a_forgotten_record_after_a_torn_one_is_still_forgotten() -> None:
    torn = render_event(make_event("k0"), EntryId("id0000"))[:50]
    data = torn + b"\n\n" + render_forgotten("id0001", ["k1"])
    assert kinds(data) == ["torn", "forgotten"]
    assert record_keys(parts_of(data)[1].raw) == ("k1",)


@pytest.mark.parametrize("n_bytes", range(1, len("## 09:12:04 user_prompt [mem:a7Bc3x")))
def test_the_beginning_of_a_heading_is_a_torn_record(n_bytes: int) -> None:
    fragment = render_event(make_event("k"), ID)[:n_bytes]
    for before in (render_header(HEADER).encode(), GOOD):
        for after in (b"", b"\n\n", b"\0\0\0", b"\n\n" + render_event(make_event("k"), ID)):
            found = parts_of(before + fragment + after)
            torn = [part for part in found if part.kind == "torn"]
            assert [part.start for part in torn] == [len(before)]
            assert record_id(torn[0].raw) == ""
            assert_parts_are(before + fragment + after)


@pytest.mark.parametrize(
    "words", ["## 09:12:31 standup\n", "# Notes\n\ntext", "## 09\n\nmore", "#tag"]
)
def test_a_heading_of_a_person_is_not_torn(words: str) -> None:
    assert kinds(GOOD + words.encode())[-1] == "loose"


@pytest.mark.parametrize("n_bytes", range(1, len(render_header(HEADER).partition("# ")[0])))
def test_the_beginning_of_a_header_is_told_from_what_a_person_wrote(n_bytes: int) -> None:
    assert is_torn_header(render_header(HEADER).encode()[:n_bytes])
    assert is_torn_header(render_header(HEADER).encode()[:n_bytes] + b"\0" * 9)


@pytest.mark.parametrize(
    "head", ["", "words", "---\ntitle: x\n", "# x", "---\nkind: session\nnote: x\n", "---\n---\n"]
)
def test_what_a_person_wrote_is_no_torn_header(head: str) -> None:
    assert not is_torn_header(head.encode())


def test_an_event_is_called_by_its_first_words() -> None:
    assert event_title("user_prompt", "", "\n\n```py\n- 할 일\n") == "할 일"
    assert event_title("tool_output", "Bash", "make") == "Bash: make"
    assert event_title("tool_output", "Bash", "") == "Bash"
    assert len(event_title("user_prompt", "", "x" * 1000)) == 100
