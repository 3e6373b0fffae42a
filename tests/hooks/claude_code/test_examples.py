"""The example transcripts are whole, small, and hold what the documentation asks them about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[3] / "examples" / "transcripts" / "projects"
TRANSCRIPTS = sorted(FOLDER.glob("*/*.jsonl"))


def test_they_are_small() -> None:
    assert len(TRANSCRIPTS) == 4
    assert sum(path.stat().st_size for path in TRANSCRIPTS) < 150_000


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.parent.name)
def test_nothing_in_them_is_damaged(world: Any, path: Path) -> None:
    read = world.read(path)
    assert read.header.session == path.stem
    assert not {"not JSON", "torn last line", "not a JSON object"} & set(read.tally.skipped)


@pytest.mark.parametrize(
    ("project", "type_", "words"),
    [
        ("-home-dev-shop-api", "assistant_response", "원인은 커넥션 누수입니다"),
        ("-home-dev-shop-api", "tool_output", '(pool_timeout)을 얼마로 할까요?"="5초"'),
        ("-home-dev-shop-api", "user_prompt", "헬스체크도 풀에서 커넥션을 쓰는지 같이 봐줘"),
        ("-home-dev-auth-service", "user_prompt", "/review only the migration"),
        ("-home-dev-auth-service", "tool_output", "test_two_tabs_refresh_at_once"),
        ("-home-dev-auth-service", "session_marker", "Refresh-token rotation with reuse detection"),
    ],
)
def test_they_hold_decisions_and_failures(world: Any, project: str, type_: str, words: str) -> None:
    (path,) = (FOLDER / project).glob("*.jsonl")
    assert any(words in event.text for event in world.read(path).of(type_))
