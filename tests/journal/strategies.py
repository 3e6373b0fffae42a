"""Values as the journal may meet them, for property tests.

Text is any text that UTF-8 can carry: the adapters let no lone surrogate through.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from hypothesis import strategies as st

from memjournal.journal.entry import KINDS, PRIVACIES, TYPES, Edge, Entry, EntryId
from memjournal.journal.event import Event, SessionHeader
from memjournal.journal.memory_file import _KNOWN, _UPDATED_KEYS

BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
NASTY = (
    *("---\n", "...\n", "# 제목\n", "\n", "\r\n", "\r", "\0", "\ufeff", "\u2028", "\u2029", "\x85"),
    *("\x0b", "\x0c", "\x1c", " ", "\t", "\\", '"', "'", "`", "-->", "<!--", "--", "*", "&", "#"),
    *("## 09:12:31 user_prompt [mem:a7Bc3x]\n", "\\## 09:12:31 x [mem:a7Bc3x]\n", "## 09:12:31 "),
    *(
        "<!-- mem:a7Bc3x key=k -->\n",
        "\\\\<!-- mem:a7Bc3x -->\n",
        "<!-- forgotten:a7Bc3x key=k -->\n",
    ),
    *("key: value\n", "[mem:a7Bc3x]", ": ", "- ", "한글", "한", "🔒", "\U000e0001", "true", "1.10"),
)

chars = st.characters(exclude_categories=["Cs"])
words = st.text("abcXYZ019가나다 _-./:@", min_size=1, max_size=12).map(str.strip).filter(bool)
texts = st.one_of(
    st.text(chars, max_size=40),
    st.lists(st.sampled_from(NASTY) | words, max_size=8).map("".join),
)
lines = texts.map(lambda text: text.replace("\r", "").replace("\n", ""))
ids = st.text(BASE62, min_size=6, max_size=12).map(EntryId)
offsets = st.integers(-86_399, 86_399).map(lambda seconds: timezone(timedelta(seconds=seconds)))
times = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=offsets)
scores = st.floats(0.0, 1.0)
values = st.recursive(
    texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(lines, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    """Any entry that can stand in a file of its own."""
    kind = draw(st.sampled_from(KINDS))
    foreign = lines.filter(lambda name: name not in _KNOWN and name not in _UPDATED_KEYS)
    several = st.lists(texts, max_size=3).map(tuple)
    return Entry(
        id=draw(ids),
        kind=kind,
        type=draw(st.sampled_from(TYPES[kind]) | words),
        title=draw(lines),
        body=draw(texts),
        created=draw(times),
        updated=draw(st.none() | times),
        project=draw(texts),
        session=draw(texts),
        turn=draw(st.none() | st.integers(0, 10**9 - 1)),
        agent=draw(texts),
        tool=draw(texts),
        tags=draw(several),
        source=draw(several),
        confidence=draw(scores),
        importance=draw(scores),
        privacy=draw(st.sampled_from(PRIVACIES)),
        edges=tuple(draw(st.lists(st.builds(Edge, texts, texts), max_size=3))),
        files=draw(several),
        symbols=draw(several),
        extra=draw(st.dictionaries(foreign, values, max_size=3)),
    )


headers = st.builds(
    SessionHeader, session=texts.filter(bool), project=texts, agent=texts, started=times
)
keys = st.text(chars.filter(lambda char: not char.isspace()), min_size=1, max_size=30)
attribute_names = st.sampled_from(["form", "interrupted", "git_branch", "toolUseId", "x.y-z"])


@st.composite
def events(draw: st.DrawFn) -> Event:
    """Any event that an adapter may hand over."""
    return Event(
        keys=tuple(draw(st.lists(keys, min_size=1, max_size=3, unique=True))),
        type=draw(
            st.sampled_from(
                [
                    "user_prompt",
                    "assistant_response",
                    "tool_output",
                    "session_marker",
                    "imported_turn",
                ]
            )
        ),
        at=draw(times),
        text=draw(texts),
        turn=draw(st.integers(0, 10**6)),
        tool=draw(texts),
        outcome=draw(st.sampled_from(["", "ok", "error", "interrupted", "unknown"])),
        exit_code=draw(st.none() | st.integers(-(2**31), 2**32)),
        files=tuple(draw(st.lists(texts, max_size=3))),
        branch=draw(st.sampled_from(["", "abandoned"])),
        extra=draw(st.dictionaries(attribute_names, texts, max_size=2)),
    )
