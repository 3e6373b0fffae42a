"""A call reads like what it did; an outcome is what the result says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.hooks.text import Limits
from memjournal.hooks.tool_call import files_of, read_outcome, render_call, render_result

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
NAMES = st.sampled_from(
    ["Bash", "Edit", "MultiEdit", "Write", "TodoWrite", "AskUserQuestion", "ExitPlanMode", "Read"]
)


def test_a_command_is_a_code_block_below_its_description() -> None:
    text = render_call("mcp__acp__Bash", {"command": "pytest -x", "description": "Run tests"})
    assert text == "Run tests\n\n```bash\npytest -x\n```"


def test_an_edit_shows_what_changed_and_no_more() -> None:
    old, new = "a\nb\nc\nd\ne\nx\ny", "a\nb\nc\nd\ne\nX\ny"
    text = render_call("Edit", {"file_path": "a.py", "old_string": old, "new_string": new})
    assert text == "`a.py`: 7 → 7 lines\n\n```diff\n c\n d\n e\n-x\n+X\n y\n```"


def test_todos_are_a_checklist() -> None:
    todos = [
        {"content": "풀 크기 늘리기", "status": "completed"},
        {"content": "측정", "status": "in_progress"},
        "just text",
    ]
    text = render_call("TodoWrite", {"todos": todos})
    assert text == "- [x] 풀 크기 늘리기\n- [ ] 측정 (in progress)\n- [ ] just text"


def test_an_unknown_tool_shows_its_input_up_to_a_limit() -> None:
    assert render_call("mcp__x__Deploy", {"to": "prod"}) == '```json\n{"to":"prod"}\n```'
    assert len(render_call("Other", {"blob": "x" * 100_000})) < 2_200
    assert render_call("Other", {}) == ""


def test_a_fence_in_the_output_does_not_end_the_block() -> None:
    text = render_result("Read", "a\n```\nb", limits=Limits(), mask=lambda value: value)
    assert text == "````\na\n```\nb\n````"


@pytest.mark.parametrize(
    ("text", "is_error", "data", "expected"),
    [
        ("ok", False, None, ("ok", None)),
        ("Exit code 1\nboom", True, None, ("error", 1)),
        ("Error: Exit code 127", True, None, ("error", 127)),
        ("Exited with code 0.Final output:", False, None, ("ok", 0)),
        ("Exited with code 3.Final output:", False, None, ("error", 3)),
        ("Timed out. New output:", False, None, ("error", None)),
        ("half", False, {"interrupted": True}, ("interrupted", None)),
        ("[Request interrupted by user for tool use]", True, None, ("interrupted", None)),
        ("<tool_use_error>no</tool_use_error>", True, None, ("error", None)),
    ],
)
def test_outcomes(
    text: str, is_error: bool, data: object, expected: tuple[str, int | None]
) -> None:
    assert read_outcome(text, is_error=is_error, data=data) == expected


@pytest.mark.parametrize(
    ("path", "cwd", "expected"),
    [
        ("/w/shop/src/a.py", "/w/shop", ("src/a.py",)),
        ("/w/shop-api/a.py", "/w/shop", ("/w/shop-api/a.py",)),
        ("src/a.py", "/w/shop", ("src/a.py",)),
        ("/w/shop", "/w/shop", ()),
        ("C:\\w\\shop\\src\\a.py", "C:\\w\\shop", ("src/a.py",)),
        ("/w/shop/a.py", "", ("/w/shop/a.py",)),
    ],
)
def test_files_are_relative_to_the_directory(
    path: str, cwd: str, expected: tuple[str, ...]
) -> None:
    assert files_of({"file_path": path}, cwd) == expected


@given(NAMES, JSON)
def test_any_input_can_be_rendered(name: str, value: object) -> None:
    assert isinstance(render_call(name, value), str)
    assert isinstance(files_of(value, "/x"), tuple)


@given(
    NAMES,
    st.dictionaries(st.sampled_from(["command", "todos", "edits", "questions", "plan"]), JSON),
)
def test_any_known_field_can_hold_anything(name: str, value: dict[str, object]) -> None:
    assert isinstance(render_call(name, value), str)
