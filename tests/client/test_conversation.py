"""What is said and done with the real client stands in the journal once, in order, turn by turn."""

from __future__ import annotations

import shlex
import sys

from .client import Client
from .conftest import Memory, indexed, memories
from .model_api import Calls, Says, bash

ASKED = "결제 테스트가 가끔 실패하는데 왜 그런지 봐 줘"
LOOKING = "`test_refund`부터 보겠습니다."
FOUND = "원인은 초 단위 시각입니다. 환불 키는 시각 대신 UUID로 만들기로 결정했습니다."
SUMMARY = "<analysis>다시 읽었다.</analysis>\n<summary>환불 키는 UUID로 정했다.</summary>"


def script(client: Client) -> None:
    """A conversation with tools that succeed and fail, in Korean and English."""
    notes = str(client.project / "notes.md")
    client.model.on(
        ASKED, [Says(LOOKING), bash("make test")], [bash("make refund")], [Says(FOUND + "  \n")]
    )
    client.model.on(
        "Write that down",
        [Calls("Write", {"file_path": notes, "content": "# 메모\n\n환불 키는 UUID\n"})],
        [Calls("Edit", {"file_path": notes, "old_string": "UUID", "new_string": "UUID v7"})],
        [Says("It stands in notes.md.")],
    )
    client.model.on("What is next?", [Says("Next: the rollback script.")])
    client.model.summary = SUMMARY


def converse(client: Client) -> str:
    """Hold that conversation: resumed, compacted, continued; its session."""
    script(client)
    session = client.say(ASKED).session
    for prompt in ("Write that down", "/compact", "What is next?"):
        said = client.say(prompt, session=session)
        assert (said.code, said.session) == (0, session)
    assert client.model.unknown == []
    return session


def told(memory: Memory) -> tuple[str, object, str]:
    """What a memory says, as short as it goes: a tool's by the command and how it ended."""
    if memory.type != "tool_output":
        return memory.type, memory.turn, memory.body
    command = next((one for one in ("make test", "make refund") if one in memory.body), memory.tool)
    return f"{command}: {memory.extra.get('outcome')}", memory.turn, ""


WHOLE = [
    ("user_prompt", 1, ASKED),
    ("make test: ok", 1, ""),
    ("make refund: error", 1, ""),
    ("assistant_response", 1, FOUND),
    ("user_prompt", 2, "Write that down"),
    ("assistant_response", 2, "It stands in notes.md."),
    ("session_marker", 2, "환불 키는 UUID로 정했다."),
    ("user_prompt", 3, "What is next?"),
    ("assistant_response", 3, "Next: the rollback script."),
]


def test_prompts_tools_and_answers_are_kept_once_and_in_order(client: Client) -> None:
    session = converse(client)
    kept = memories(client.world, session)
    assert [told(one) for one in kept] == WHOLE
    (failed,) = [one for one in kept if "make refund" in one.body]
    assert "같은 초에 두 번" in failed.body
    assert failed.extra["exit"] == 2  # what make makes of a 3
    assert len(memories(client.world)) == len(WHOLE)


def test_an_import_of_the_same_conversation_repeats_nothing(client: Client) -> None:
    session = converse(client)
    client.world.ok("import", "--all", "--from", str(client.projects))
    kept = [told(one) for one in memories(client.world, session)]
    for one in WHOLE:
        what, _, body = one
        assert len([other for other in kept if (other[0], other[2]) == (what, body)]) == 1, one
    prompts = [body for what, _, body in kept if what == "user_prompt"]
    assert prompts == [ASKED, "Write that down", "What is next?"]
    n_before = len(kept)
    client.world.ok("import", "--all", "--from", str(client.projects))
    assert len(memories(client.world, session)) == n_before


def test_hooks_after_an_import_repeat_nothing(client: Client) -> None:
    script(client)
    session = client.say(ASKED).session
    client.world.ok("import", "--all", "--from", str(client.projects))
    client.say("Write that down", session=session)
    kept = [told(one) for one in memories(client.world, session)]
    for what, turn, body in WHOLE[:6]:
        assert kept.count((what, turn, body)) == 1


def test_calls_made_at_once_are_all_kept(client: Client) -> None:
    names = [f"step{number:02}" for number in range(16)]
    makefile = client.project / "Makefile"
    rules = "".join(f"{name}:\n\t@echo {name} failed; exit 1\n" for name in names)
    makefile.write_text(rules, encoding="utf-8")
    client.model.on(
        "모두 한꺼번에", [bash(f"make {name}") for name in names], [Says("다 됐습니다.")]
    )
    session = client.say("모두 한꺼번에 돌려 줘").session
    kept = memories(client.world, session)
    bodies = [one.body for one in kept if one.type == "tool_output"]
    assert sorted(name for body in bodies for name in names if f"make {name}" in body) == names
    assert [one.type for one in (kept[0], kept[-1])] == ["user_prompt", "assistant_response"]


def test_prompts_typed_while_the_client_works_are_turns_of_their_own(client: Client) -> None:
    client.model.on("첫 번째 일", [bash("make test")], [Says("All three are done.")])
    session = client.say_all("첫 번째 일을 해 줘", "그리고 두 번째 일도", "and a third one").session
    kept = [told(one) for one in memories(client.world, session)]
    assert [body for what, _, body in kept if what == "user_prompt"] == [
        "첫 번째 일을 해 줘",
        "그리고 두 번째 일도",
        "and a third one",
    ]
    assert kept[-1] == ("assistant_response", 3, "All three are done.")


def test_a_sub_agent_is_heard_and_the_machine_s_own_prompts_are_not(client: Client) -> None:
    task = "Find where the refund key is made"
    given = {"description": "look", "prompt": task, "subagent_type": "general-purpose"}
    client.model.on("도우미에게", [Calls("Agent", given)], [Says("도우미가 찾고 있습니다.")])
    client.model.on(task, [bash("grep -n refund pay.py")], [Says("pay.py, line 1.")])
    session = client.say("도우미에게 물어봐 줘").session
    client.say("/compact", session=session)  # has a helper of its own, without a type
    kept = memories(client.world, session)
    assert [one.body for one in kept if one.type == "user_prompt"] == ["도우미에게 물어봐 줘"]
    assert len([one for one in kept if one.body == "pay.py, line 1."]) == 1
    assert not [one for one in kept if "task-notification" in one.body]
    assert len([one for one in kept if one.type == "session_marker"]) == 1


def test_a_session_that_branches_off_has_its_own_words_only(client: Client) -> None:
    client.model.on("처음 질문", [Says("처음 답입니다.")])
    client.model.on("다른 길", [Says("다른 길의 답입니다.")])
    first = client.say("처음 질문입니다").session
    branch = client.say("다른 길로 가 보자", session=first, fork=True).session
    assert branch != first
    assert [one.body for one in memories(client.world, first)] == [
        "처음 질문입니다",
        "처음 답입니다.",
    ]
    assert [one.body for one in memories(client.world, branch)] == [
        "다른 길로 가 보자",
        "다른 길의 답입니다.",
    ]


def test_a_client_that_is_run_by_a_tool_harms_neither_conversation(client: Client) -> None:
    inner = shlex.join([str(client.program), "-p", "안쪽 질문"])
    client.model.on("안쪽 질문", [Says("안쪽 답")])
    client.model.on("바깥 질문", [bash(inner)], [Says("바깥 답")])
    said = client.say("바깥 질문이야")
    assert (said.code, said.text) == (0, "바깥 답")
    assert len(client.model.about("안쪽 질문")) == 1
    outer = [one.body for one in memories(client.world, said.session) if one.type != "tool_output"]
    assert outer == ["바깥 질문이야", "바깥 답"]
    everywhere = [one.body for one in memories(client.world)]
    assert everywhere.count("안쪽 질문") <= 1


def test_a_daemon_that_ends_in_the_middle_loses_nothing(client: Client) -> None:
    mem = shlex.join([sys.executable, "-P", "-m", "memjournal.cli", "daemon", "stop"])
    client.model.on(ASKED, [bash("make test")], [bash(mem)], [bash("make refund")], [Says(FOUND)])
    session = client.say(ASKED).session
    kept = [told(one) for one in memories(client.world, session)]
    assert [one for one in kept if one in WHOLE] == WHOLE[:4]


def test_what_hooks_wrote_is_found_at_once(client: Client) -> None:
    converse(client)
    indexed(client)
    assert "UUID" in client.world.ok("search", "환불 키를 무엇으로 만들기로 했지").out
