"""Whatever an assistant sends: exit code 0, an output that it can read, no half a record, and the reason in the log."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memjournal.cli import mem_hook

from ..journeys.conftest import World, new_world
from .hooked import NO_BYTECODE, Hooked, check_output, failure, odd_daemon, whole_keys

IN_CI: Final = bool(os.environ.get("CI"))
N_HERE: Final = 10_000 if IN_CI else 400  # payloads given to what the process does, in this one
N_PROCESSES: Final = 200 if IN_CI else 20
QUIET: Final = (
    HealthCheck.too_slow,
    HealthCheck.data_too_large,
    HealthCheck.filter_too_much,
    HealthCheck.function_scoped_fixture,
)
AGENTS: Final = ("claude-code", "codex", "gemini", "cursor", "hermes", "opencode", "auto")


def usual(event: str, **more: object) -> dict[str, object]:
    common = {
        "session_id": "0f6d0c0e-1f0b-4b7e-9d3e-1c2b7f0a9c11",
        "transcript_path": "/nowhere/x.jsonl",
        "cwd": "/srv/상점",
        "hook_event_name": event,
        "prompt_id": "1f6d0c0e-1f0b-4b7e-9d3e-1c2b7f0a9c11",
        "permission_mode": "default",
    }
    return {**common, **more}


PAYLOADS: Final[Mapping[str, Mapping[str, object]]] = {
    "SessionStart": usual("SessionStart", source="startup", model="m"),
    "UserPromptSubmit": usual("UserPromptSubmit", prompt="로그인 버그 고쳐줘", source="user"),
    "PostToolUse": usual(
        "PostToolUse",
        tool_name="Bash",
        tool_input={"command": "pytest -q", "description": "Run the tests"},
        tool_use_id="toolu_01ABCDEFGHIJKLMNOP",
        tool_response={"stdout": "3 passed in 0.1s", "stderr": "", "interrupted": False},
    ),
    "PostToolUseFailure": failure(1),
    "Stop": usual("Stop", stop_hook_active=False, last_assistant_message="서명 쿠키로 정했습니다."),
    "SubagentStop": usual(
        "SubagentStop", agent_id="a1", agent_type="Explore", last_assistant_message="Found it."
    ),
    "PreCompact": usual("PreCompact", trigger="auto", custom_instructions=None),
    "PostCompact": usual("PostCompact", trigger="auto", compact_summary="We chose cookies."),
    "SessionEnd": usual("SessionEnd", reason="other"),
    "Notification": usual("Notification", message="waiting", notification_type="idle_prompt"),
}

texts = st.text(max_size=40) | st.sampled_from(
    (
        *("", " ", "\x00", "\ud800", "\u202e", "---", "## 09:12:31 user_prompt [mem:a7Bc3x]", "/"),
        *(
            "../../etc",
            "<!-- mem:a7Bc3x at=2026 -->",
            "<private>",
            "</private>",
            "password=hunter22",
        ),
        *("한" * 3000, "x" * 20_000, "\n" * 500, "🙂" * 100, "<task-notification>", "[mem:a7Bc3x]"),
    )
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def payloads(draw: st.DrawFn, event: str) -> bytes:
    """A payload of *event* with something about it: left out, added, of another type, or broken."""
    fields = dict(PAYLOADS.get(event, {}))
    fields["session_id"] = f"0f6d0c0e-1f0b-4b7e-9d3e-{draw(st.integers(0, 400)):012d}"
    if "tool_use_id" in fields:
        fields["tool_use_id"] = f"toolu_{draw(st.integers(0, 10**9)):024d}"
    names = sorted(fields)
    what = draw(st.integers(0, 9))  # is odd about it
    if names and what in (1, 4):
        del fields[draw(st.sampled_from(names))]
    if names and what in (2, 3, 4):
        fields[draw(st.sampled_from(names))] = draw(values)
    if what in (4, 5):
        fields.update(draw(st.dictionaries(texts, values, max_size=2)))
    for name in ("prompt", "error", "last_assistant_message", "compact_summary", "tool_response"):
        if name in fields and what in (0, 6):
            fields[name] = draw(texts)
    raw = json.dumps(fields).encode()
    match what:
        case 7:
            return raw[: draw(st.integers(0, len(raw)))]
        case 8:
            at = draw(st.integers(0, len(raw)))
            return raw[:at] + draw(st.binary(min_size=1, max_size=8)) + raw[at:]
        case 9:
            return draw(st.binary(max_size=60) | values.map(lambda one: json.dumps(one).encode()))
    return raw


@st.composite
def hooks(draw: st.DrawFn) -> tuple[str, str, bytes]:
    """An assistant, an event and a payload; most are those of Claude Code."""
    agent, event = "claude-code", draw(st.sampled_from(sorted(PAYLOADS)))
    payload = draw(payloads(event))
    match draw(st.integers(0, 9)):
        case 0:
            agent = draw(st.sampled_from(AGENTS) | texts)
        case 1:
            event = draw(st.sampled_from(sorted(PAYLOADS)) | texts)
    return agent, event, payload


@pytest.fixture(scope="module")
def hooked(tmp_path_factory: pytest.TempPathFactory) -> Hooked:
    """A home with a journal, for all of the tests here."""
    world = new_world(tmp_path_factory.mktemp("fuzz") / "집 home")
    state = tmp_path_factory.mktemp("s")
    environ = {
        **world.environ,
        "XDG_STATE_HOME": str(state),
        "MEMJOURNAL_DAEMON_AUTOSTART": "never",
        "MEMJOURNAL_HOOK_BUDGET_S": "20",
    }
    made = World(world.home, environ)
    made.ok("init", "--no-git")
    return Hooked(made)


@pytest.fixture(scope="module")
def here(hooked: Hooked) -> Iterator[Hooked]:
    """The same, with this process in that home."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            patch.delenv(name)
        for name, value in hooked.world.environ.items():
            patch.setenv(name, value)
        patch.chdir(hooked.world.home)
        yield hooked


def is_object(payload: bytes) -> bool:
    try:
        return isinstance(json.loads(payload.decode("utf-8", "replace")), dict)
    except (ValueError, RecursionError):
        return False


def check_sessions(hooked: Hooked) -> int:
    """How many records there are; each of them is whole."""
    return sum(len(whole_keys(path)) for path in hooked.sessions())


def log_size(hooked: Hooked) -> int:
    path = hooked.world.journal / "index" / "mem.log"
    return path.stat().st_size if path.exists() else 0


def test_any_payload_is_stored_whole_or_logged(
    here: Hooked, capfd: pytest.CaptureFixture[str]
) -> None:
    tried = 0

    @settings(max_examples=N_HERE, suppress_health_check=QUIET, deadline=None)
    @given(hooks())
    def try_one(hook: tuple[str, str, bytes]) -> None:
        nonlocal tried
        agent, event, payload = hook
        printed: list[str] = []
        (here.world.journal / "index" / "mem.log").unlink(missing_ok=True)
        mem_hook.run(
            [agent, event],
            read=lambda _: payload,
            write=printed.append,
            environ=os.environ,
            started=time.monotonic(),
        )
        for text in printed:
            check_output(event, text)
        if not is_object(payload):
            assert log_size(here) > 0
        if log_size(here):
            assert "Traceback" not in here.log, here.log.partition("Traceback")[2][:3000]
        tried += 1

    try_one()
    assert tried >= N_HERE
    assert capfd.readouterr() == ("", "")
    assert check_sessions(here) > N_HERE // 20


def cut_off(connection: object) -> None:
    """A daemon that is killed when it has the request."""


def fill_disk() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))


def close_stdin() -> None:
    os.close(0)


WORLDS: Final[tuple[Callable[[], None] | None, ...]] = (None, None, close_stdin, fill_disk)


def test_any_payload_ends_a_process_as_it_must(hooked: Hooked) -> None:
    @settings(max_examples=N_PROCESSES, suppress_health_check=QUIET, deadline=None)
    @given(hooks(), st.sampled_from(WORLDS), st.booleans())
    def try_one(
        hook: tuple[str, str, bytes], before: Callable[[], None] | None, has_daemon: bool
    ) -> None:
        agent, event, payload = hook
        words = [
            word.replace("\x00", "").encode("utf-8", "replace").decode() for word in (agent, event)
        ]
        with odd_daemon(hooked, cut_off) if has_daemon else contextlib.nullcontext():
            ran = hooked.run(
                words[1], payload, agent=words[0], preexec_fn=before, environ=NO_BYTECODE
            )
        assert (ran.code, ran.err) == (0, b"")
        check_output(words[1], ran.out.decode())

    try_one()
    check_sessions(hooked)
    assert "Traceback" not in hooked.log, hooked.log.partition("Traceback")[2][:3000]
    assert "the daemon went away" in hooked.log


def test_nothing_is_left_behind_beside_the_records(hooked: Hooked) -> None:
    lost = [path for path in hooked.world.journal.rglob("*.tmp")]
    assert lost == []
    assert Path(hooked.world.environ["XDG_STATE_HOME"]).exists()
