"""JSON as people and programs leave it: any value, in any layout, and settings with hooks of others."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hypothesis import strategies as st

_TEXTS = st.text(max_size=8) | st.sampled_from(
    ["hooks", "Stop", "명령", 'a "quoted" word', "// no comment", "[", "}", "\u2028", "\\"]
)
_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXTS
)
VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(_TEXTS, VALUES, max_size=4)

_BLANKS = st.sampled_from(["", " ", "\n", "\n  ", "\n\t", "\r\n    ", "  \n"])
_COMMENTS = st.sampled_from(["// a, } comment\n", "/* one, ] */", "/* two\nlines */", "//\r\n"])


@st.composite
def layouts(draw: st.DrawFn, values: st.SearchStrategy[object], *, comments: bool = False) -> str:
    """A text of one of *values*, in a layout that nobody would choose."""
    gaps = _BLANKS | st.tuples(_BLANKS, _COMMENTS, _BLANKS).map("".join) if comments else _BLANKS

    def gap() -> str:
        return draw(gaps)

    def joined(parts: Sequence[str], ends: str) -> str:
        trailing = "," + gap() if comments and parts and draw(st.booleans()) else ""
        return ends[0] + ",".join(f"{gap()}{part}{gap()}" for part in parts) + trailing + ends[1]

    def text_of(value: object) -> str:
        if isinstance(value, dict):
            if not value:
                return "{" + gap() + "}"
            pairs = [f"{dumped(key)}{gap()}:{gap()}{text_of(one)}" for key, one in value.items()]
            return joined(pairs, "{}")
        if isinstance(value, list):
            return joined([text_of(one) for one in value], "[]") if value else "[" + gap() + "]"
        return dumped(value)

    def dumped(value: object) -> str:
        return json.dumps(value, ensure_ascii=draw(st.booleans()))

    return gap() + text_of(draw(values)) + gap()


EVENTS = ("SessionStart", "Stop", "PostToolUse", "Notification")
_PROGRAMS = st.sampled_from(
    ["say done", "/opt/notmem-hook x", "mem-hooked", "echo mem-hook", "", "/bin/true"]
)
_HANDLERS = st.fixed_dictionaries(
    {"type": st.just("command"), "command": _PROGRAMS},
    optional={"timeout": st.integers(1, 60), "args": st.lists(_TEXTS, max_size=2)},
)
_GROUPS = st.fixed_dictionaries(
    {"hooks": st.lists(_HANDLERS, max_size=2)}, optional={"matcher": _TEXTS}
)


@st.composite
def settings(draw: st.DrawFn) -> dict[str, object]:
    """Settings of an assistant, often with hooks that are not ours."""
    value: dict[str, object] = {k: v for k, v in draw(OBJECTS).items() if k != "hooks"}
    if draw(st.booleans()):
        hooks = st.dictionaries(st.sampled_from(EVENTS), st.lists(_GROUPS, max_size=2))
        value["hooks"] = draw(hooks)
        keys = draw(st.permutations(list(value)))
        value = {key: value[key] for key in keys}
    return value
