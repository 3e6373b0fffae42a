"""A change to a JSON text changes what it is asked to and no other character that matters."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.hooks.install.json_nodes import Container, JsonTextError, Node, parse_nodes
from memjournal.hooks.install.json_text import JsonText

from .odd_json import OBJECTS, VALUES, layouts


@given(layouts(VALUES))
def test_a_text_is_read_as_the_standard_library_reads_it(text: str) -> None:
    assert parse_nodes(text).value == json.loads(text)


@given(st.text(alphabet='{}[]",:01e-. \n\ttrufalsn\\/*', max_size=20))
def test_what_the_standard_library_refuses_is_refused(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(JsonTextError, match=r"^\d+:\d+: "):
            parse_nodes(text)
    else:
        try:
            found = parse_nodes(text).value
        except JsonTextError as error:
            assert "stands twice" in error.what
        else:
            assert found == expected


@given(layouts(VALUES, comments=True))
def test_every_node_knows_where_it_stands(text: str) -> None:
    waiting = [parse_nodes(text, comments=True)]
    while waiting:
        node: Node = waiting.pop()
        assert parse_nodes(text[node.start : node.end], comments=True).value == node.value
        if isinstance(node, Container):
            waiting += [child.node for child in node.children]


@given(layouts(OBJECTS, comments=True), st.text(max_size=5), VALUES)
def test_a_key_that_is_put_in_and_taken_out_leaves_the_rest(
    text: str, key: str, value: object
) -> None:
    before = JsonText(text=text, comments=True)
    expected = before.value
    assert isinstance(expected, dict)
    after = before.with_value((key,), value)  # it compares the meanings by itself
    assert after.value == {**expected, key: value}
    expected.pop(key, None)
    assert after.without((key,)).value == expected


@given(
    layouts(st.dictionaries(st.sampled_from("abc"), OBJECTS, max_size=3), comments=True),
    st.lists(st.tuples(st.sampled_from("abc"), st.text(max_size=2), VALUES), max_size=3),
)
def test_after_any_changes_all_is_known_as_if_the_text_had_been_read_from_its_beginning(
    text: str, changes: list[tuple[str, str, object]]
) -> None:
    changed = JsonText(text=text, comments=True)
    for *path, value in changes:
        changed = changed.with_value(tuple(path), value)
    for *path, _ in changes[::2]:
        changed = changed.without(tuple(path)) if changed.at(tuple(path)) else changed
    assert tree(changed.root) == tree(parse_nodes(changed.text, comments=True))


def tree(node: Node) -> object:
    """All that is known of *node* and what is in it."""
    inside = node.children if isinstance(node, Container) else ()
    children = [(child.name, child.start, tree(child.node)) for child in inside]
    return type(node), node.start, node.end, node.value, children


def test_what_stands_beside_a_change_is_not_read_again() -> None:
    before = JsonText(text='{"before": {"a": [1]}, "hooks": {"Stop": []}, "behind": {"b": [2]}}')
    after = before.with_value(("hooks", "Stop", 0), 3)
    for name in ("before", "behind"):
        found, known = after.at((name,)), before.at((name,))
        assert found is not None and known is not None and found.value is known.value
    assert after.with_value(("behind", "b", 1), 4).text == (
        '{"before": {"a": [1]}, "hooks": {"Stop": [3]}, "behind": {"b": [2, 4]}}'
    )


@given(layouts(OBJECTS), VALUES)
def test_in_strict_json_only_blanks_can_differ_after_both(text: str, value: object) -> None:
    before = JsonText(text=text)
    if before.at(("new",)) is not None:
        return
    after = before.with_value(("new",), value).without(("new",))
    assert "".join(after.text.split()) == "".join(text.split())


PRETTY = st.sampled_from([2, 4, "\t"])


@given(OBJECTS, VALUES, PRETTY, st.sampled_from(["\n", "\r\n"]))
def test_a_text_laid_out_as_usual_is_the_same_after_both(
    value: dict[str, object], new: object, indent: int | str, line_end: str
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", line_end) + line_end
    before = JsonText(text=text)
    if before.at(("new",)) is not None:
        return
    added = before.with_value(("new",), new)
    expected = json.dumps({**value, "new": new}, indent=indent, ensure_ascii=False)
    if value:  # an empty object has no layout to be followed
        assert added.text == expected.replace("\n", line_end) + line_end
    assert added.without(("new",)).text == text


def test_comments_stay_where_they_are() -> None:
    text = '{\n  // of a\n  "a": 1, // one\n  /* of b */ "b": [2, /* two */ 3], // end\n}\n'
    before = JsonText(text=text, comments=True)
    added = before.with_value(("c", "d"), [True])
    assert added.text == text.replace(
        "// end\n", '// end\n  "c": {\n    "d": [\n      true\n    ]\n  },\n'
    )
    assert added.without(("c",)).text == text
    assert before.without(("b", 0)).text == text.replace("2, /* two */ 3", " /* two */ 3")


def test_one_line_stays_one_line() -> None:
    assert JsonText(text='{"a":1}').with_value(("b", 0), {"c": 2}).text == '{"a":1,"b":[{"c":2}]}'
    assert JsonText(text='{"a": [1]}').with_value(("a", 1), 2).text == '{"a": [1, 2]}'
    assert JsonText(text='{"a": [1, 2, 3]}').without(("a", 1)).text == '{"a": [1, 3]}'
    assert JsonText(text='{"a": [1, 2, 3]}').without(("a", 0)).text == '{"a": [2, 3]}'


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        ('{\n  "a": 1,\n}', "3:1", "comma"),
        ('{\n  "a": 1\n  "b": 2\n}', "3:3", "comma or }"),
        ('{\n  // c\n  "a": 1\n}', "2:3", "comments"),
        ('{"a": 1, "a": 2}', "1:10", '"a" stands twice'),
        ("{'a': 1}", "1:2", "double quotes"),
        ('{"a": "\n"}', "1:7", "line break"),
        ('{"a": "\\x"}', "1:7", "escape"),
        ('{"a" 1}', "1:6", "colon"),
        ('{"a": NaN}', "1:7", "value"),
        ('{"a": 01}', "1:8", "comma"),
        ('{"a": 1} x', "1:10", "follows"),
        ('{"a": ', "1:7", "too early"),
        ("", "1:1", "too early"),
        ("[" * 200, "1:102", "levels"),
        ('{"한글": 1,\n"나": }', "2:6", "value"),
    ],
)
def test_what_is_wrong_is_named_with_line_and_column(text: str, place: str, what: str) -> None:
    with pytest.raises(JsonTextError, match=what) as caught:
        parse_nodes(text)
    assert caught.value.where == place


def test_marks_of_a_merge_are_called_so() -> None:
    with pytest.raises(JsonTextError, match="a merge left both"):
        parse_nodes('{\n<<<<<<< HEAD\n"a": 1\n=======\n"a": 2\n>>>>>>> b\n}')


@pytest.mark.parametrize(
    ("text", "path", "what"),
    [
        ('{"hooks": []}', ("hooks", "Stop", 0), "1:11: hooks is not an object"),
        ('{"hooks": {"Stop": {}}}', ("hooks", "Stop", 0), "1:20: hooks.Stop is not a list"),
        ('{"hooks": 3}', ("hooks", "Stop", 0), "hooks is not an object"),
        ("[]", ("hooks",), "the whole is not an object"),
    ],
)
def test_a_change_in_something_of_another_kind_is_refused(
    text: str, path: tuple[str | int, ...], what: str
) -> None:
    with pytest.raises(JsonTextError, match=what):
        JsonText(text=text).with_value(path, 1)
