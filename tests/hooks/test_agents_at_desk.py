"""Sessions of other assistants, as their real clients told them: in the journal once, in order and in their turns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .desk_world import World

SAMPLES = sorted(Path(__file__).parent.glob("*/samples/session-*.jsonl"))
ASKED, DONE = "타임아웃을 30초로 늘려줘", "`TIMEOUT`을 30으로 바꿨습니다. Done."
FIRST = [
    (1, "user_prompt", ASKED),
    (1, "tool_output", "failing"),  # of two commands the one that failed
    (1, "assistant_response", DONE),
]
SECOND = [
    (2, "user_prompt", "이어서 해줘"),
    (2, "tool_output", "failing"),
    (2, "assistant_response", DONE),
]
EXPECTED = {
    "codex": [
        (1, "user_prompt", ASKED),
        (1, "tool_output", "1 failed, 2 passed"),
        (1, "assistant_response", DONE),
        (2, "user_prompt", "계속해줘"),
        (2, "assistant_response", "이어서 했습니다."),
        (3, "user_prompt", "세 번째"),
        (3, "assistant_response", "이어서 했습니다."),
    ],
    "gemini": FIRST,
    "hermes": [*FIRST, *SECOND],
    "openclaw": [*FIRST, *SECOND],
    "opencode": [
        (1, "user_prompt", f'"{ASKED}"'),  # the quotes are of its own command line
        *FIRST[1:],
        (2, "user_prompt", "이어서 해줘"),
        (2, "tool_output", "요약: 완료."),  # of a sub-agent
        (2, "assistant_response", "요약: 완료."),
        (2, "session_marker", "요약: 완료."),
    ],
    "pi": [*FIRST, *SECOND],
}


def replay(world: World, sample: Path) -> None:
    for line in sample.read_text("utf-8").splitlines():
        call = json.loads(line)
        payload = json.dumps(call["payload"]).encode()
        assert world.desk.handle(sample.parts[-3], call["event"], payload, {}) == ""


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.parts[-3])
def test_a_real_session_is_in_the_journal_once_and_in_order(tmp_path: Path, sample: Path) -> None:
    world = World(tmp_path)
    replay(world, sample)
    expected = EXPECTED[sample.parts[-3]]
    assert [(turn, kind) for turn, kind, _ in world.said] == [
        (turn, kind) for turn, kind, _ in expected
    ]
    for (_, _, text), (_, kind, part) in zip(world.said, expected, strict=True):
        assert part in text if kind == "tool_output" else part == text
    replay(world, sample)
    again = [kind for _, kind, _ in world.said if kind != "session_marker"]
    assert again == [kind for _, kind, _ in expected if kind != "session_marker"], (
        "told twice, it is one"
    )
    assert world.reports == []


def test_there_is_a_session_of_every_client_that_was_tried() -> None:
    assert sorted(path.parts[-3] for path in SAMPLES) == sorted(EXPECTED)
