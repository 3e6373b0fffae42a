"""What hooks tell stands in the journal once, in its order and in its turn, whatever comes twice."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import NoReturn

import pytest

from memjournal.hooks.claude_code.discover import ClaudeCodeSource
from memjournal.hooks.claude_code.options import ReadOptions
from memjournal.hooks.recall.teller import Teller
from memjournal.hooks.session_state import SessionState, SessionStates
from memjournal.journal.entry import Entry
from memjournal.journal.errors import FormatError, MemjournalError, UnavailableError, UsageError
from memjournal.journal.ledger import Ledger
from memjournal.journal.ledger_records import Told
from memjournal.journal.redaction import Redactor
from memjournal.journal.store import Journal
from memjournal.journal.usage import UNKNOWN

from .desk_world import SEOUL, SESSION, World, prompt_id

SAMPLES = Path(__file__).parent / "claude_code" / "samples" / "hooks"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_a_turn_is_a_prompt_what_was_done_and_the_answer(world: World) -> None:
    world.hook("SessionStart", source="startup")
    world.prompt("환불 테스트가 왜 깨져?")
    world.bash("pytest -q", "1 failed, 3 passed")
    world.stop("금액을 두 번 반올림해서 깨집니다.")
    assert [(turn, type_) for turn, type_, _ in world.said] == [
        (1, "user_prompt"),
        (1, "tool_output"),
        (1, "assistant_response"),
    ]
    assert world.said[0][2] == "환불 테스트가 왜 깨져?"
    assert world.files == ["sessions/2026/11/30/shop--aa2f6800.md"]


def test_turns_are_counted_on(world: World) -> None:
    for n in (1, 2, 3):
        world.prompt(f"question {n}", n)
        world.stop(f"answer {n}", n)
    assert [turn for turn, _, _ in world.said] == [1, 1, 2, 2, 3, 3]


def test_a_start_alone_writes_nothing(world: World) -> None:
    assert world.hook("SessionStart", source="startup") == ""
    assert world.files == []


def test_every_hook_may_come_twice(world: World) -> None:
    for _ in range(2):
        world.prompt("fix the login")
        world.bash("pytest -q", "1 failed")
        world.stop("fixed")
    assert [type_ for _, type_, _ in world.said] == [
        "user_prompt",
        "tool_output",
        "assistant_response",
    ]


def test_the_same_words_in_another_turn_are_another_prompt(world: World) -> None:
    world.prompt("계속", 1)
    world.stop("했습니다", 1)
    world.prompt("계속", 2)
    world.stop("했습니다", 2)
    assert [text for _, _, text in world.said] == ["계속", "했습니다", "계속", "했습니다"]


def test_a_prompt_typed_while_the_agent_works_begins_a_turn_of_its_own(world: World) -> None:
    world.prompt("first", 1)
    world.prompt("and this", 1)
    world.stop("done", 1)
    assert world.said == [
        (1, "user_prompt", "first"),
        (2, "user_prompt", "and this"),
        (2, "assistant_response", "done"),
    ]


def test_an_answer_names_the_files_that_were_edited_in_its_turn(world: World) -> None:
    def edit(path: str, use: str) -> None:
        world.hook(
            "PostToolUse",
            tool_name="Edit",
            tool_use_id=use,
            tool_input={"file_path": path, "old_string": "a", "new_string": "b"},
            tool_response={"filePath": path},
        )

    world.prompt("한 줄 고쳐줘", 1)
    edit("/home/user/shop/src/결제.py", "toolu_0000000001")
    edit("/home/user/shop/src/결제.py", "toolu_0000000002")
    world.stop("고쳤습니다", 1)
    world.prompt("thanks", 2)
    world.stop("you are welcome", 2)
    assert [one.files for one in world.entries] == [(), ("src/결제.py",), (), ()]


def test_another_process_goes_on_where_the_last_one_was(world: World) -> None:
    world.prompt("first", 1)
    world.desk = world.open()
    world.stop("one", 1)
    world.desk = world.open()
    world.prompt("second", 2)
    assert [turn for turn, _, _ in world.said] == [1, 1, 2]


def test_without_its_state_a_session_is_taken_up_from_its_file(world: World) -> None:
    world.prompt("first", 1)
    world.stop("one", 1)
    for path in world.states.iterdir():
        path.unlink()
    world.now += timedelta(days=2)
    world.desk = world.open()
    world.hook("SessionStart", source="resume")
    world.prompt("second", 2)
    assert [turn for turn, _, _ in world.said] == [1, 1, 2]
    assert world.files == ["sessions/2026/11/30/shop--aa2f6800.md"]


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b'{"format": 99}', b'{"format": 1, "turn": "x"}', b"\xff"]
)
def test_a_damaged_state_is_made_anew(world: World, damage: bytes) -> None:
    world.prompt("first", 1)
    for path in world.states.glob("*.json"):
        path.write_bytes(damage)
    world.prompt("second", 2)
    assert [turn for turn, _, _ in world.said] == [1, 2]


def test_where_states_cannot_be_kept_events_are_written_all_the_same(world: World) -> None:
    world.states.parent.mkdir()
    world.states.write_text("a file in the folder's place")
    world.prompt("first", 1)
    world.stop("one", 1)
    world.prompt("second", 2)
    assert [turn for turn, _, _ in world.said] == [1, 1, 2]
    assert any("state" in report for report in world.reports)


def test_a_session_that_goes_on_for_days_stays_in_its_file(world: World) -> None:
    world.prompt("first", 1)
    world.now += timedelta(days=3)
    world.prompt("second", 2)
    assert len(world.files) == 1


def test_a_sub_agents_answer_is_kept_and_its_tools_are_not(world: World) -> None:
    world.prompt("look for it")
    world.bash("pytest -q", "1 failed", agent_id="a60b7fa02f225f883")
    world.hook(
        "SubagentStop",
        agent_id="a60b7fa02f225f883",
        agent_type="Explore",
        last_assistant_message="It is in refund.py.",
        prompt_id=prompt_id(1),
    )
    tool = world.entries[1]
    assert (tool.type, tool.tool, tool.body) == ("tool_output", "Agent", "It is in refund.py.")
    assert len(world.entries) == 2


def test_a_sub_agents_tools_are_kept_where_that_is_wanted(world: World) -> None:
    world.desk = world.open(keeps_subagents=True)
    world.bash("pytest -q", "1 failed", agent_id="a60b7fa02f225f883")
    assert world.entries[0].extra["sidechain"] == "a60b7fa02f225f883"


def test_summaries_of_one_turn_are_all_kept(world: World) -> None:
    world.prompt("a long one")
    for text in ("<summary>first</summary>", "<summary>second</summary>"):
        for _ in range(2):  # each hook may come twice
            world.hook("PostCompact", trigger="auto", compact_summary=text, prompt_id=prompt_id(1))
    assert [(one.tool, one.body) for one in world.entries[1:]] == [
        ("compact_summary", "first"),
        ("compact_summary", "second"),
    ]


def test_a_failed_command_has_its_outcome_and_exit_code(world: World) -> None:
    world.hook(
        "PostToolUseFailure",
        tool_name="Bash",
        tool_use_id="toolu_0000000001",
        tool_input={"command": "make deploy", "description": "배포"},
        error="Exit code 2\n배포 실패: 권한 없음",
    )
    failed = world.entries[0]
    assert (failed.extra["outcome"], failed.extra["exit"]) == ("error", 2)
    assert "권한 없음" in failed.body


def test_what_went_well_is_kept_short_and_what_failed_is_not(world: World) -> None:
    lines = "\n".join(f"line {n}" for n in range(90))
    world.bash("pytest -q", lines)
    world.hook(
        "PostToolUseFailure",
        tool_name="Bash",
        tool_use_id="toolu_0000000002",
        tool_input={"command": "pytest -q"},
        error=f"Exit code 1\n{lines}",
    )
    good, bad = world.entries
    assert "cut" in good.body
    assert lines in bad.body


def test_what_was_told_by_us_is_not_remembered_as_said(world: World) -> None:
    echo = "<memory-context>\n[note]\n\nuse cookies [mem:a7Bc3x]\n</memory-context>"
    world.prompt(f"go on {echo}", 1)
    world.stop(f"{echo}\nDone.", 1)
    assert [text for _, _, text in world.said] == ["go on", "Done."]


def test_a_prompt_that_says_nothing_is_none(world: World) -> None:
    world.prompt(" \n ", 1)
    world.stop("", 1)
    world.hook("PostCompact", trigger="auto", compact_summary="", prompt_id=prompt_id(1))
    assert world.files == []


def test_secrets_are_in_no_file(world: World) -> None:
    secret = "sk-ant-api03-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MGFiY2RlZg"
    world.prompt(f"비밀번호는 hunter2!x 이고 키는 {secret}", 1)
    world.hook(
        "PostToolUse",
        tool_name="Bash",
        tool_use_id="toolu_0000000001",
        tool_input={"command": f"curl -H 'Authorization: Bearer {secret}' x && make deploy"},
        tool_response={"stdout": f"api_key={secret}\n<private>1234</private>", "stderr": ""},
    )
    world.stop(f"I used {secret}. <private>never shown", 1)
    everything = b"".join(
        path.read_bytes() for path in world.root.parent.rglob("*") if path.is_file()
    ).decode()
    for hidden in ("hunter2", secret[:20], "1234</", "never shown"):
        assert hidden not in everything


def test_a_secret_that_gave_itself_away_is_hidden_in_the_rest_of_its_session(world: World) -> None:
    password = "Tr4verse9Hill"
    world.prompt("connect to the database", 1)
    world.bash(f"mysql -h db -p{password} shop && make check", f"denied for '{password}'")
    world.stop(f"{password} 로는 접속되지 않습니다.", 1)
    world.hook("UserPromptSubmit", prompt=f"{password}?", prompt_id=prompt_id(2))
    (path,) = world.files
    written = (world.root / path).read_text("utf-8")
    assert password not in written
    assert written.count(" redacted=1 ") == 3, "what is hidden so is counted as well"


def test_what_a_call_that_is_not_kept_gave_away_is_hidden_as_well(world: World) -> None:
    password, key = "Tr4verse9Hill", "sk-ant-api03-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MGFiY2RlZg"
    world.prompt("connect to the database", 1)
    world.bash(f"mysql -h db -p{password} shop", "ok")
    world.hook(
        "PostToolUse",
        tool_name="Read",
        tool_use_id="toolu_0000000002",
        tool_input={"file_path": "/home/user/shop/settings.py"},
        tool_response={"file": {"content": f"API_KEY={key}"}},
    )
    world.hook(
        "PostToolUseFailure",
        tool_name="Bash",
        tool_use_id="toolu_0000000003",
        tool_input={"command": "'DB_PASSWORD=Wq8z Xn5RtY5p' make check"},
        error="Exit code 2",
    )
    world.stop(f"{password} 와 {key} 로 접속했습니다.", 1)
    everything = b"".join(
        path.read_bytes() for path in world.root.parent.rglob("*") if path.is_file()
    ).decode()
    assert password not in everything
    assert key not in everything
    states = b"".join(path.read_bytes() for path in world.states.iterdir()).decode()
    assert "Wq8z" not in states


def test_with_capture_off_nothing_is_written(world: World) -> None:
    world.desk = world.open(captures=False)
    world.prompt("first", 1)
    world.stop("one", 1)
    assert world.files == []


def test_of_a_skipped_project_nothing_is_written(world: World) -> None:
    world.desk = world.open(skips=("github.com/acme/*", "local/sh*p"))
    world.prompt("first", 1)
    world.hook("UserPromptSubmit", prompt="other", prompt_id=prompt_id(2), cwd="/home/user/api")
    assert [text for _, _, text in world.said] == ["other"]


def test_a_tool_that_names_an_ignored_file_is_not_kept(world: World, tmp_path: Path) -> None:
    (tmp_path / ".memignore").write_text("*.env\n")
    for n, command in enumerate(("make deploy ENV=prod.env", "make deploy")):
        world.bash(command, "done", use=f"toolu_000000000{n}", cwd=str(tmp_path))
    assert len(world.entries) == 1


@pytest.mark.parametrize(
    ("tells", "expected"),
    [("always", ["SessionStart", "UserPromptSubmit"]), ("starts", ["SessionStart"])],
)
def test_recall_is_loaded_for_what_may_be_told_with_and_nothing_else(
    world: World, tells: str, expected: list[str]
) -> None:
    asked: list[str] = []

    def load() -> Teller:
        asked.append(event)
        raise UnavailableError("nothing can be recalled")

    world.desk = world.open(teller=load, tells=tells)
    for event, more in {
        "SessionStart": {"source": "startup"},
        "UserPromptSubmit": {"prompt": "fix the login", "prompt_id": prompt_id(1)},
        "PostToolUseFailure": {
            "tool_name": "Bash",
            "tool_use_id": "toolu_0000000001",
            "tool_input": {"command": "pytest -q"},
            "error": "Exit code 1",
        },
        "Stop": {"last_assistant_message": "고쳤습니다", "prompt_id": prompt_id(1)},
        "SessionEnd": {"reason": "other"},
    }.items():
        assert world.hook(event, **more) == ""
    assert list(dict.fromkeys(asked)) == expected
    assert len(world.entries) == 3


class Unindexed:
    """A journal that has no index to be asked."""

    def use(self, task: object) -> NoReturn:
        raise UnavailableError("no index")

    def read(self, row: object) -> None:
        return None

    def settle(self) -> None:
        return None


def test_what_was_told_is_known_again_before_more_is_told(world: World) -> None:
    ledger = Ledger(world.root, machine="host-1", redact=str)
    ledger.append(
        Told(
            at=world.now,
            session=SESSION,
            project="local/shop",
            agent="claude-code",
            event="prompt",
            ids=("a7Bc3x",),
        )
    )

    def load() -> Teller:
        return Teller(
            Unindexed(),
            ledger=ledger,
            usage=lambda: lambda _: UNKNOWN,
            told_in=lambda _: ["a7Bc3x"],
            redactor_of=lambda _: Redactor(),
            clock=lambda: world.now,
            brief_tokens=0,
            prompt_tokens=0,
        )

    world.prompt("first", 1)
    for path in world.states.iterdir():
        path.unlink()
    world.desk = world.open(teller=load, tells="starts")
    world.bash("pytest -q", "1 failed")  # with which nothing is told, and nothing is asked for
    assert state_of(world).told == []
    world.desk = world.open(teller=load)
    world.prompt("second", 2)
    assert (state_of(world).turn, state_of(world).told) == (2, ["a7Bc3x"])


def state_of(world: World) -> SessionState:
    states = SessionStates(world.states, lock_timeout_s=10, report=print)
    state = states.reading("claude-code", SESSION)
    assert state is not None
    return state


def test_of_an_assistant_that_names_no_prompts_a_hook_may_come_twice_too(world: World) -> None:
    for _ in range(2):
        world.hook("UserPromptSubmit", prompt="계속")
    world.hook("Stop", last_assistant_message="했습니다")
    for _ in range(2):
        world.hook("UserPromptSubmit", prompt="계속")
    assert [(turn, type_) for turn, type_, _ in world.said] == [
        (1, "user_prompt"),
        (1, "assistant_response"),
        (2, "user_prompt"),
    ]


def fail(world: World, command: str, *, use: str) -> None:
    world.hook(
        "PostToolUseFailure",
        tool_name="Bash",
        tool_use_id=use,
        tool_input={"command": command},
        error="Exit code 1\nno such table",
    )


def test_a_success_that_mends_a_failure_is_kept(world: World) -> None:
    world.bash("python scripts/seed.py", "10 rows", use="toolu_0000000001")
    fail(world, "python scripts/seed.py", use="toolu_0000000002")
    world.bash("python scripts/seed.py", "10 rows", use="toolu_0000000003")
    world.bash("python scripts/seed.py", "10 rows", use="toolu_0000000004")
    assert [one.extra["outcome"] for one in world.entries] == ["error", "ok"]


def test_memjournals_own_commands_are_no_memories(world: World) -> None:
    for n, command in enumerate(("/memory-search 배포", "/memjournal:memory-list"), 1):
        world.prompt(command, n)
        world.stop("three memories were found", n)
    world.prompt("/memoryleak check", 3)
    world.stop("none", 3)
    assert [text for _, _, text in world.said] == ["/memoryleak check", "none"]


def test_a_secret_that_a_call_gave_away_is_in_no_later_word(world: World) -> None:
    world.hook(
        "PostToolUseFailure",
        tool_name="Bash",
        tool_use_id="toolu_0000000001",
        tool_input={"command": "curl -u bob:S3cr3tPW https://api"},
        error="Exit code 22\nuser bob, S3cr3tPW rejected",
    )
    world.stop("비밀번호 S3cr3tPW가 거부되었습니다", 1)
    everything = b"".join(path.read_bytes() for path in world.root.rglob("*.md")).decode()
    assert "S3cr3tPW" not in everything
    assert "거부되었습니다" in everything


def test_what_is_kept_of_a_prompt_is_cut_after_redaction(world: World) -> None:
    world.prompt("x" * 3_970 + " postgres://admin:Sup3rSecretPw9@db.example.com/shop", 1)
    assert "Sup3rSecret" not in state_of(world).asked


@pytest.mark.parametrize("depth", [600, 900])
def test_input_that_is_nested_deeply_loses_nothing(world: World, depth: int) -> None:
    world.desk = world.open(policy="all")
    nested: object = "deep"
    for _ in range(depth):
        nested = [nested]
    world.hook("PostToolUse", tool_name="Odd", tool_use_id="toolu_1", tool_input=nested)
    assert len(world.entries) == 1


def test_a_session_id_of_any_length_has_a_file_that_reads_back(world: World) -> None:
    for end in ("a", "b"):
        world.hook("UserPromptSubmit", prompt="first", session_id="가" * 70_000 + end)
    assert len(world.files) == 2
    assert all(len(one.session) < 300 for one in world.entries)


def test_what_is_forgotten_is_in_no_state(world: World) -> None:
    states = SessionStates(world.states, lock_timeout_s=10, report=print)
    with states.changing("claude-code", SESSION, restore=SessionState) as state:
        state.brief, state.asked = "서명 쿠키 [mem:a7Bc3x]", "어디에 저장하지?"
        state.told, state.undecided = (
            ["a7Bc3x", "b8Cd4y"],
            {"a7Bc3x": "서명 쿠키", "b8Cd4y": "UUID"},
        )
        state.told_now = {"a7Bc3x": "서명 쿠키"}
    states.forget({"a7Bc3x"})
    left = b"".join(path.read_bytes() for path in world.states.iterdir()).decode()
    assert "서명 쿠키" not in left
    assert "저장하지" not in left
    assert state_of(world).undecided == {"b8Cd4y": "UUID"}


def test_a_fork_is_told_nothing_for_its_history_has_the_brief(world: World) -> None:
    def load() -> Teller:
        raise AssertionError("nothing is to be chosen")

    world.desk = world.open(teller=load)
    for source in ("fork", "resume"):
        assert world.hook("SessionStart", source=source) == ""


def test_moments_for_a_commit_are_announced(world: World) -> None:
    world.prompt("first", 1)
    world.hook("PreCompact", trigger="manual")
    world.hook("SessionEnd", reason="other")
    assert world.moments == ["user_prompt", "compacting", "ended"]


@pytest.mark.parametrize(
    ("payload", "error"),
    [
        (b"", FormatError),
        (b"\xff\xfe", FormatError),
        (b"[]", FormatError),
        (b"[" * 100_000, FormatError),
        (b'{"session_id": 7}', FormatError),
    ],
)
def test_what_is_no_payload_is_refused(
    world: World, payload: bytes, error: type[MemjournalError]
) -> None:
    with pytest.raises(error):
        world.desk.handle("claude-code", "Stop", payload, {})
    assert world.files == []


def test_an_unknown_assistant_is_refused(world: World) -> None:
    with pytest.raises(UsageError, match="nobody"):
        world.desk.handle("nobody", "Stop", b"{}", {})


def at_once(*actions: Callable[[], object]) -> None:
    threads = [threading.Thread(target=action) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_hooks_that_come_at_once_are_all_kept_once(world: World) -> None:
    world.prompt("run them all")
    uses = [f"toolu_{n:010d}" for n in range(16)]
    at_once(
        *(lambda use=use: world.bash("pytest -q", f"{use} failed", use=use) for use in uses * 2)
    )
    outputs = [text for _, type_, text in world.said if type_ == "tool_output"]
    assert len(outputs) == 16
    assert all(any(use in text for text in outputs) for use in uses)


def recorded() -> list[dict[str, object]]:
    lines = (SAMPLES / "session" / "payloads.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_a_recorded_session_is_kept_in_its_order(world: World) -> None:
    for payload in recorded():
        world.send(payload)
    of_one = [one for one in world.entries if one.session == SESSION]
    prompts = [
        payload["prompt"]
        for payload in recorded()
        if payload["hook_event_name"] == "UserPromptSubmit"
        and payload["session_id"] == SESSION
        and not str(payload["prompt"]).startswith("<task-notification>")
    ]
    assert [one.body for one in of_one if one.type == "user_prompt"] == prompts
    answers = [
        str(payload["last_assistant_message"])
        for payload in recorded()
        if payload["hook_event_name"] == "Stop" and payload["session_id"] == SESSION
    ]
    assert [one.body for one in of_one if one.type == "assistant_response"] == answers
    turns = [one.turn or 0 for one in of_one]
    assert turns == sorted(turns)
    assert world.reports == []


def import_after(world: World, folder: Path) -> int:
    """Import the recorded transcript, as `mem import` would; the number of events that it brought."""
    projects = folder / "projects" / "-home-user-shop"
    projects.mkdir(parents=True)
    for path in (SAMPLES / "session").glob("*-*.jsonl"):
        (projects / path.name).write_bytes(path.read_bytes())
    options = ReadOptions(tz=SEOUL, project_of=lambda _: "local/shop", mask=Redactor().redact_value)
    source = ClaudeCodeSource(projects.parent, options)
    n_written = 0
    for transcript in source.transcripts():
        reading = source.read(transcript)
        log = Journal(world.root, redactor=Redactor()).open_session(reading.header)
        n_written += log.append(list(reading.events(log.known_keys()))).n_written
    return n_written


def test_an_import_after_the_hooks_brings_nothing_twice(world: World, tmp_path: Path) -> None:
    for payload in recorded():
        world.send(payload)
    before = world.entries
    assert import_after(world, tmp_path) > 0  # what no hook tells, such as words before a tool call
    after = world.entries
    assert [one for one in after if one.id in {each.id for each in before}] == before

    def tally(entries: list[Entry]) -> Counter[tuple[str, str]]:
        said = ("user_prompt", "assistant_response")
        return Counter(
            (one.type, one.body) for one in entries if one.type in said and one.session == SESSION
        )

    n_before, n_after = tally(before), tally(after)
    assert {said: n_after[said] for said in n_before} == dict(n_before)
    summaries = [one for one in after if one.tool == "compact_summary" and one.session == SESSION]
    assert len(summaries) == len([one for one in before if one.tool == "compact_summary"])
    assert import_after(world, tmp_path / "again") == 0
