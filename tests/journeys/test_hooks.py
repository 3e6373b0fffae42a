"""What is said in one session is known in the next, cited, and nothing else about the hooks is seen."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ..git_by_hand import git
from ..waiting import wait_until
from .conftest import World
from .daemons import status
from .hooks import run_hook, send_hooks
from .test_secrets import planted_sentences

FIRST = "11111111-1111-4111-8111-111111111111"
SECOND = "22222222-2222-4222-8222-222222222222"
PROMPT = "679268eb-afb4-4d0a-9cfd-02e548dd8c3b"
TALKS = {
    "Korean": (
        "세션 토큰은 어디에 저장할까?",
        "서버를 무상태로 두기 위해 세션 토큰은 Redis 대신 서명 쿠키에 저장하기로 결정했습니다.",
        "세션 토큰 저장 방식을 왜 서명 쿠키로 정했지?",
        "서명 쿠키",
    ),
    "English": (
        "Where should we keep the session tokens?",
        "We decided to keep session tokens in signed cookies instead of Redis, so that servers stay stateless.",
        "why did we decide to keep session tokens in signed cookies?",
        "signed cookies",
    ),
}


@pytest.fixture
def shop(den: World) -> Path:
    shop = den.home / "쇼핑 shop"
    shop.mkdir()
    return shop


def hold_a_session(den: World, shop: Path, asked: str, answered: str) -> None:
    at = {"session_id": FIRST, "cwd": str(shop)}
    run_hook(den, "SessionStart", source="startup", **at)
    run_hook(den, "UserPromptSubmit", prompt=asked, prompt_id=PROMPT, **at)
    run_hook(den, "Stop", last_assistant_message=answered, prompt_id=PROMPT, **at)
    run_hook(den, "SessionEnd", reason="other", **at)


@pytest.mark.parametrize("talk", TALKS.values(), ids=TALKS)
def test_the_next_session_is_told_what_was_decided(
    den: World, shop: Path, talk: tuple[str, str, str, str]
) -> None:
    asked, answered, _, telling = talk
    hold_a_session(den, shop, asked, answered)
    den.ok("index")
    told = run_hook(den, "SessionStart", session_id=SECOND, cwd=str(shop), source="startup")
    assert told.startswith("<memory-context>")
    assert told.endswith("</memory-context>")
    assert telling in told
    line = next(line for line in told.splitlines() if telling in line)
    cited = re.findall(r"\[mem:\w+\]", line)
    assert len(cited) == 1
    assert answered in den.ok("show", *cited).out


def make_private(den: World, rule: str) -> None:
    den.ok("edit", rule, "--set", "privacy=private")


def forget(den: World, rule: str) -> None:
    den.ok("forget", rule, "--yes")


def say_otherwise(den: World, rule: str) -> None:
    (path,) = [
        path for path in (den.journal / "memories").rglob("*.md") if "pnpm" in path.read_text()
    ]
    path.write_text(path.read_text("utf-8").replace("pnpm", "bun"), "utf-8")


@pytest.mark.parametrize("change", [make_private, forget, say_otherwise])
@pytest.mark.parametrize("beside", ["a daemon", "none"])
def test_a_session_that_goes_on_is_told_what_holds_still_and_else_the_same(
    den: World, shop: Path, change: Callable[[World, str], None], beside: str
) -> None:
    rules = []
    for said in ("패키지는 항상 pnpm으로 설치한다", "배포는 화요일에만 한다"):
        added = den.ok("add", said, "--kind", "rule", "--type", "convention", "--json", cwd=shop)
        rules.append(f"mem:{json.loads(added.out)['id'].removeprefix('mem:')}")
    if beside == "a daemon":
        den.ok("daemon", "start")
    den.ok("index")
    at = {"session_id": FIRST, "cwd": str(shop)}
    brief = run_hook(den, "SessionStart", source="startup", **at)
    assert "pnpm" in brief
    assert "화요일" in brief
    assert run_hook(den, "SessionStart", source="resume", **at) == brief
    change(den, rules[0])
    den.ok("index")
    for source in ("resume", "compact"):
        told = run_hook(den, "SessionStart", source=source, **at)
        assert "pnpm" not in told
        assert "화요일" in told
        assert ("bun" in told) == (change is say_otherwise)


@pytest.mark.parametrize("talk", TALKS.values(), ids=TALKS)
def test_a_prompt_about_it_is_told_it_once(
    den: World, shop: Path, talk: tuple[str, str, str, str]
) -> None:
    asked, answered, about_it, telling = talk
    hold_a_session(den, shop, asked, answered)
    den.ok("daemon", "start")
    den.ok("index")
    at = {"session_id": SECOND, "cwd": str(shop)}
    told = [
        run_hook(den, "UserPromptSubmit", prompt=prompt, prompt_id=f"{PROMPT[:-1]}{n}", **at)
        for n, prompt in enumerate((about_it, about_it, "빨간색이 좋아? do you like red?"))
    ]
    assert telling in told[0]
    assert told[1:] == ["", ""]


def test_a_session_starts_with_the_same_words_again_when_it_is_resumed(
    den: World, shop: Path
) -> None:
    hold_a_session(den, shop, *TALKS["Korean"][:2])
    den.ok("index")
    at = {"session_id": SECOND, "cwd": str(shop)}
    first = run_hook(den, "SessionStart", source="startup", **at)
    den.ok("add", "환불 키는 UUID v7로 정했다", "--type", "decision", cwd=shop)
    assert first
    for source in ("resume", "compact"):
        assert run_hook(den, "SessionStart", source=source, **at) == first


def test_the_first_hook_starts_a_daemon_and_the_end_of_the_session_commits(
    den: World, shop: Path
) -> None:
    hold_a_session(den, shop, *TALKS["Korean"][:2])
    wait_until(lambda: status(den)["running"])
    at = {"session_id": SECOND, "cwd": str(shop)}
    run_hook(den, "UserPromptSubmit", prompt="고마워 또 보자", prompt_id=PROMPT, **at)
    run_hook(den, "SessionEnd", reason="other", **at)
    wait_until(lambda: "capture: 1 prompt" in git(den.journal, "log", "--format=%s"))
    assert git(den.journal, "status", "--porcelain", "sessions", "ledger") == ""


def test_without_a_daemon_everything_is_written_and_nothing_is_left_running(
    den: World, shop: Path
) -> None:
    den.ok("config", "set", "daemon.autostart", "never")
    hold_a_session(den, shop, *TALKS["English"][:2])
    assert not status(den)["running"]
    assert TALKS["English"][1] in den.ok("search", "signed cookies").out


def in_every_field(sentence: str, number: int) -> Iterator[dict[str, object]]:
    """Payloads of every event that have *sentence* wherever something is kept of them."""

    def payload(event: str, **fields: object) -> dict[str, object]:
        folder = sentence if "//" not in sentence else "shop"  # no folder is called so
        common = {"session_id": FIRST, "cwd": f"/home/dev/{folder}", "prompt_id": f"p{number}"}
        return {**common, "hook_event_name": event, **fields}

    yield payload("SessionStart", source="startup")
    yield payload("UserPromptSubmit", prompt=sentence)
    for n, (name, given, response) in enumerate(
        (
            ("Bash", {"command": f"make deploy '{sentence}'", "description": sentence}, sentence),
            ("mcp__notes__save", {"note": {"text": [sentence], "password": sentence}}, [sentence]),
            ("AskUserQuestion", {"questions": []}, {"answers": {sentence: sentence}}),
            (sentence, {sentence: sentence}, {"content": [{"type": "text", "text": sentence}]}),
        )
    ):
        call = {"tool_name": name, "tool_use_id": f"toolu_{number}_{n}", "tool_input": given}
        data = {"stdout": response, "stderr": sentence} if name == "Bash" else response
        yield payload("PostToolUse", **call, tool_response=data)
        failed = {**call, "tool_use_id": f"toolu_{number}_{n}_x"}
        yield payload("PostToolUseFailure", **failed, error=f"Exit code 1\n{sentence}")
    file = {"file_path": f"/home/dev/shop/{sentence}.py", "old_string": "a", "new_string": "b"}
    yield payload(
        "PostToolUse", tool_name="Edit", tool_use_id=f"e{number}", tool_input=file, tool_response={}
    )
    yield payload("Stop", last_assistant_message=sentence)
    yield payload(
        "SubagentStop", agent_id=f"a{number}", agent_type=sentence, last_assistant_message=sentence
    )
    yield payload("PostCompact", trigger="auto", compact_summary=f"<summary>{sentence}</summary>")
    yield payload("SessionEnd", reason=sentence)


def test_no_secret_that_a_hook_tells_is_left_anywhere(den: World) -> None:
    planted = list(planted_sentences())
    den.ok("daemon", "start")
    answers = send_hooks(
        den,
        (one for number, (text, _) in enumerate(planted) for one in in_every_field(text, number)),
    )
    den.ok("daemon", "stop")  # commits what it wrote
    assert git(den.journal, "status", "--porcelain", "sessions", "ledger") == ""
    state = Path(den.environ["XDG_STATE_HOME"])
    texts = {
        **{f"home/{path}": data for path, data in den.files(den.home).items()},
        **{f"state/{path}": data for path, data in den.files(state).items()},
        "git's history": git(den.journal, "log", "--all", "--patch", "--format=%B").encode(),
        "what the hooks printed": "\n".join(answers).encode(),
    }
    left = [
        (part, path)
        for _, parts in planted
        for part in parts
        for path, data in texts.items()
        if part.encode() in data or part in path
    ]
    assert not left, left
    written = b"".join(data for path, data in texts.items() if "/sessions/" in path)
    assert written.count(b" user_prompt ") == len(planted)
    assert written.count(b" tool_output ") >= 7 * len(planted)


def test_a_hook_with_settings_of_its_own_is_redacted_by_them(den: World, shop: Path) -> None:
    den.ok("daemon", "start")
    own = World(den.home, {**den.environ, "MEMJOURNAL_PRIVACY_WORDS": '["나이트자"]'})
    at = {"session_id": FIRST, "cwd": str(shop), "prompt_id": PROMPT}
    run_hook(own, "UserPromptSubmit", prompt="나이트자 프로젝트 배포해줘", **at)
    (session,) = (den.journal / "sessions").glob("*/*/*/*.md")
    assert "[REDACTED] 프로젝트 배포해줘" in session.read_text("utf-8")
    assert "other settings" not in den.ok("doctor", "--log").out


def test_an_evaluation_tells_the_same_and_leaves_no_trace(den: World, shop: Path) -> None:
    hold_a_session(den, shop, *TALKS["Korean"][:2])
    den.ok("daemon", "start")
    den.ok("index")
    evaluating = World(den.home, {**den.environ, "MEMJOURNAL_HOOKS": "evaluate"})
    state = Path(den.environ["XDG_STATE_HOME"]) / "memjournal" / "hooks"
    at = {"session_id": SECOND, "cwd": str(shop)}
    before = {**den.files(), **den.files(state)}
    prompt = {"prompt": TALKS["Korean"][2], "prompt_id": PROMPT}
    told = [
        run_hook(evaluating, "UserPromptSubmit", **prompt, **at),
        run_hook(evaluating, "SessionStart", source="startup", **at),
        run_hook(evaluating, "Stop", last_assistant_message="끝", **at),
    ]
    assert {**den.files(), **den.files(state)} == before
    assert "서명 쿠키" in told[0]
    assert "서명 쿠키" in told[1]
    assert run_hook(den, "UserPromptSubmit", **prompt, **at) == told[0]
