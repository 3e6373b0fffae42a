"""Reading changes no byte; writing changes the lines of one field, or nothing."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from memjournal.journal import frontmatter
from memjournal.journal.errors import FrontmatterError
from memjournal.journal.event import SessionHeader
from memjournal.journal.frontmatter import load_fields, parse_document, render_fields, set_fields
from memjournal.journal.session_file import render_header

from .strategies import lines, texts, values

BLOCK_LINES = (
    *("title: 인증", "title: 'it''s'", 'title: "a: b"  # why', "tags: [a, b]", "tags:", "  - a"),
    *("- a", "  b: c", "# a comment", "  # indented", "", "when: 2024-01-01", "text: |", "  line"),
    *("text: >+", '"quoted": 1', "'single': 2", "a:b: c", "url: http://x/y", "x: &a 1", "y: *a"),
    *("[broken", "\ttab: 1", "title : spaced", "? complex", "문서: 값", "?", "@at: 1", "n: ~"),
    *("...", "%YAML 1.1", "{flow: map}", "list: [a,", "b: c]", 'open: "', 'id: x"', "-dash: 1"),
)
blocks = st.lists(st.sampled_from(BLOCK_LINES) | lines, max_size=7)
newlines = st.sampled_from(["\n", "\r\n"])


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Files as people leave them: any line ends, byte-order mark, broken and unusual YAML."""
    newline = draw(newlines)
    fence = draw(st.sampled_from(["---", "--- ", "----", "---\t"]))
    bom = draw(st.sampled_from(["", "\ufeff"]))
    block = "".join(line + newline for line in draw(blocks))
    closing = draw(st.sampled_from([f"---{newline}", f"...{newline}", "---", ""]))
    return f"{bom}{fence}{newline}{block}{closing}{draw(texts)}"


@given(documents() | texts)
def test_the_parts_of_any_text_are_the_text(text: str) -> None:
    document = parse_document(text)
    assert document.render() == text
    if not document.opening:
        assert document.body == text


@given(st.dictionaries(lines, values, max_size=5))
def test_fields_survive_the_trip_through_yaml(fields: dict[str, object]) -> None:
    assert load_fields(render_fields(fields)) == fields


@given(
    documents() | texts, st.sampled_from(["title", "tags", "text", "a", "새것"]), st.none() | values
)
@example('---\nopen: "\nid: x"\nid: y\n---\n', "id", "z")
@example("---\ntags: [a,\nb: c]\nb: d\n---\n", "b", "e")
@example("---\na:b: c\na: d\n---\n", "a", "e")
def test_setting_a_field_changes_its_lines_alone_or_refuses(
    text: str, name: str, value: object
) -> None:
    try:
        changed = set_fields(text, {name: value})
    except FrontmatterError:
        return
    before, after = parse_document(text), parse_document(changed)
    assert after.body == (before.body if before.opening else text.removeprefix("\ufeff")) or (
        changed == text
    )
    assert changed.startswith("\ufeff") == text.startswith("\ufeff")
    assert after.fields.get(name) == value
    assert {**after.fields, name: 0} == {**before.fields, name: 0}
    kept = others(before.block, name)
    assert others(after.block, name) == kept


def others(block: str, name: str) -> list[str]:
    """The lines that are not those of the field *name*: from its key to the next line of a key."""
    kept, inside = [], False
    for line in block.split("\n"):
        if not line.startswith((" ", "\t", "-", "#")) and line.strip():
            inside = line.split(":")[0].strip().strip("'\"") == name
        if not inside:
            kept.append(line)
    return [line for line in kept if line.strip()]


HANDMADE = (
    "\ufeff---\r\n"
    "# 사람이 쓴 메모\r\n"
    "title:   'it''s mine'   # do not touch\r\n"
    "tags:\r\n"
    "  - a   # one\r\n"
    "  - b\r\n"
    "\r\n"
    "# about the date\r\n"
    "when: 2024-01-01\r\n"
    "zeta: ~\r\n"
    "---\r\n"
    "# 제목\r\n"
    "본문  \r\n"
)


def test_comments_order_line_ends_and_byte_order_mark_stay() -> None:
    changed = set_fields(HANDMADE, {"tags": ("x", "y z")})
    assert changed == HANDMADE.replace("tags:\r\n  - a   # one\r\n  - b\r\n", "tags: [x, y z]\r\n")


def test_a_new_field_stands_last() -> None:
    changed = set_fields(HANDMADE, {"confidence": 0.5})
    assert changed == HANDMADE.replace("zeta: ~\r\n", "zeta: ~\r\nconfidence: 0.5\r\n")


def test_a_field_that_is_removed_leaves_the_rest() -> None:
    changed = set_fields(HANDMADE, {"when": None})
    assert changed == HANDMADE.replace("when: 2024-01-01\r\n", "")


@pytest.mark.parametrize(
    "changes", [{}, {"title": "it's mine"}, {"tags": ["a", "b"]}, {"absent": None}, {"zeta": "~"}]
)
@pytest.mark.parametrize("text", [HANDMADE, "just text\n", ""])
def test_what_is_so_already_changes_nothing(text: str, changes: dict[str, object]) -> None:
    if text == HANDMADE or all(value is None for value in changes.values()):
        assert set_fields(text, changes) == text


def test_a_file_without_frontmatter_gets_one_in_its_own_line_ends() -> None:
    assert set_fields("\ufeff# 제목\r\n", {"a": "b"}) == "\ufeff---\r\na: b\r\n---\r\n# 제목\r\n"
    assert set_fields("# 제목\n", {"a": "b"}) == "---\na: b\n---\n# 제목\n"


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        ("a: 1\nb: 2\na: 3", "line 4: the key 'a' stands twice"),
        ("a: 1\n\tb: 2", "line 3"),
        ("title: fix: the bug", "put values with a colon in quotes"),
        ("who: @me", "line 2"),
        ("a: [1, 2", "line 3"),
        ("a: &x 1\nb: *x", "anchors and aliases"),
        ("a: \0", "unacceptable character"),
        ("[a, b]: c", "a key is not plain text"),
        ("a: {b: {c: {d: {e: {f: {g: h}}}}}}", "nested deeper than 6"),
        ("a: " + "[" * 100 + "]" * 100, "nested deeper than 6"),
        ("a: " + "[" * 900 + "]" * 900, ""),
        ("a: " + "[" * 3000 + "]" * 3000, ""),
        ("a: " + "x" * 70_000, "larger than 65536"),
    ],
    ids=lambda value: value[:20],
)
def test_a_block_that_cannot_be_used_is_a_problem_that_says_why(block: str, problem: str) -> None:
    text = f"---\n{block}\n---\nbody\n"
    document = parse_document(text)
    assert document.render() == text
    assert document.problem and problem in document.problem
    assert document.fields == {}
    with pytest.raises(FrontmatterError):
        set_fields(text, {"new": "x"})


@pytest.mark.parametrize(
    "text",
    [
        "---\njust words\n---\n",
        "---\n- a\n- b\n---\n",
        "---\nnever closed: x\n",
        "a\n---\nb: c\n---\n",
    ],
)
def test_a_rule_is_not_frontmatter(text: str) -> None:
    document = parse_document(text)
    assert (document.opening, document.body, document.problem) == ("", text, "")


@pytest.mark.parametrize(
    "value", ["no", "012", "12:30:45", "1.10", "2024-01-01", "null", "~", "1e3"]
)
def test_every_scalar_stays_the_text_that_it_is(value: str) -> None:
    assert parse_document(f"---\na: {value}\n---\n").fields == {"a": value}


def test_tags_and_merge_keys_are_not_obeyed() -> None:
    document = parse_document("---\na: !!python/name:os.system x\n<<: {b: c}\n---\n")
    assert document.fields == {"a": "x", "<<": {"b": "c"}}


def test_a_value_that_yaml_cannot_hold_is_a_bug_of_the_caller() -> None:
    with pytest.raises(ValueError, match="cannot hold a bytes"):
        set_fields("", {"a": b"x"})


@given(texts)
def test_any_value_can_be_put_into_any_healthy_block(value: str) -> None:
    assume("\r" not in value)
    text = set_fields("---\nb: 1\n---\nbody", {"a": value, "c": [value], "d": {value: value}})
    assert parse_document(text).fields == {"b": "1", "a": value, "c": [value], "d": {value: value}}


_PLAIN_VALUES = st.one_of(
    st.from_regex(r"[^\W\d_][\w./+~@-]*", fullmatch=True),
    st.from_regex(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d:.+-]*", fullmatch=True),
    st.from_regex(r'"[\w ./+~@:-]*"', fullmatch=True),
    st.sampled_from(
        ("yes", "null", "~", "0x1F", "1_000", "-", "- a", "a: b", "a #b", '""', "@a", "&a")
    ),
)


@given(
    st.lists(st.tuples(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), _PLAIN_VALUES), max_size=6)
)
@example([("session", '"0f6d0c0e-1f0b-4b7e-9d3e-1c2b7f0a9c11"'), ("project", "local/한글")])
def test_what_is_read_without_yaml_is_what_yaml_reads(pairs: list[tuple[str, str]]) -> None:
    block = "".join(f"{name}: {value}\n" for name, value in pairs)
    plain = frontmatter._read_plain(block)
    if plain is not None:
        assert load_fields(block + "# a comment, which is for YAML\n") == plain


def test_the_header_of_a_session_needs_no_yaml() -> None:
    header = SessionHeader(
        session="0f6d0c0e-1f0b-4b7e-9d3e-1c2b7f0a9c11",
        project="local/상점/web",
        agent="claude-code",
        started=datetime(2026, 11, 30, 9, 12, 4, tzinfo=UTC),
    )
    block = parse_document(render_header(header)).block
    assert frontmatter._read_plain(block) == load_fields(block + "# a comment\n")
