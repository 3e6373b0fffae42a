"""The rules of the format, one at a time, on small transcripts."""

from __future__ import annotations

from typing import Any

import pytest

from memjournal.hooks.source import NoRecordsError


def test_blocks_of_one_reply_are_one_event_before_its_tool_output(world: Any) -> None:
    world.write(
        world.user("go", "u1"),
        world.reply("first", message="m1", uuid="a1"),
        world.reply(world.call("t1", command="ls"), message="m1", uuid="a2"),
        world.user([world.result("t1", "a.py")], "u2"),
        world.reply("second", message="m1", uuid="a3"),
        world.reply("other", message="m2", uuid="a4"),
    )
    read = world.read()
    assert [(event.type, event.keys) for event in read.events] == [
        ("user_prompt", ("u1",)),
        ("assistant_response", ("a1", "a3")),
        ("tool_output", ("t1",)),
        ("assistant_response", ("a4",)),
    ]
    assert read.events[1].text == "first\n\nsecond"


def test_only_the_new_block_of_a_known_reply_becomes_an_event(world: Any) -> None:
    world.write(world.user("go", "u1"), world.reply("first", message="m1", uuid="a1"))
    known = world.read().keys
    world.write(world.reply("second", message="m1", uuid="a2"))
    events = world.read(known=known).events
    assert [(event.text, event.keys, event.turn) for event in events] == [("second", ("a2",), 1)]


def test_a_result_that_comes_after_an_import_is_not_lost(world: Any) -> None:
    world.write(world.user("go"), world.reply(world.call("t1", command="make"), message="m1"))
    first = world.read()
    assert [(e.keys, e.outcome) for e in first.of("tool_output")] == [(("t1.call",), "unknown")]
    assert world.read(known=first.keys).events == []
    world.write(world.user([world.result("t1", "Exit code 2\nno rule", is_error=True)]))
    (late,) = world.read(known=first.keys).events
    assert (late.keys, late.outcome, late.exit_code) == (("t1",), "error", 2)
    assert "make" in late.text and "no rule" in late.text


def test_a_result_without_a_call_is_kept(world: Any) -> None:
    world.write(world.user([world.result("t9", "late words")]))
    (event,) = world.read().events
    assert (event.tool, event.outcome) == ("", "ok") and "late words" in event.text


def test_two_results_of_one_call_are_both_kept(world: Any) -> None:
    world.write(
        world.reply(world.call("t1", command="x"), message="m1"),
        world.user([world.result("t1", "one")], "u1"),
        world.user([world.result("t1", "two")], "u2"),
    )
    assert [event.keys for event in world.read().events] == [("t1",), ("u2.0",)]


def test_text_beside_a_result_is_a_prompt(world: Any) -> None:
    blocks = [world.result("t1", "x"), {"type": "text", "text": "아니, 그 파일 말고"}]
    world.write(world.reply(world.call("t1"), message="m1"), world.user(blocks, "u1"))
    assert world.read().prompts == ["아니, 그 파일 말고"]


def test_an_interruption_flags_its_turn(world: Any) -> None:
    mark = [{"type": "text", "text": "[Request interrupted by user for tool use]"}]
    world.write(world.user("one"), world.user("two"), world.user(mark), world.user("three"))
    read = world.read()
    flags = [event.extra.get("interrupted") for event in read.of("user_prompt")]
    assert flags == [None, "tool use", None]
    assert read.tally.skipped["interruption"] == 1


def test_a_refused_call_is_interrupted(world: Any) -> None:
    refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected"
    world.write(
        world.reply(world.call("t1", command="rm -rf build"), message="m1"),
        world.user([world.result("t1", refusal, is_error=True)]),
    )
    assert [event.outcome for event in world.read().events] == ["interrupted"]


def test_prompts_repeated_word_for_word_are_all_kept(world: Any) -> None:
    world.write(*(world.user("계속") for _ in range(3)))
    read = world.read()
    assert [(event.text, event.turn) for event in read.events] == [("계속", n) for n in (1, 2, 3)]


def test_what_nobody_typed_is_skipped_with_its_reason(world: Any) -> None:
    world.write(
        world.user("skill text", isMeta=True),
        world.user("sub prompt", isSidechain=True),
        world.user("<local-command-stdout>ok</local-command-stdout>"),
        world.user("<command-name>/clear</command-name><command-args></command-args>"),
        world.user("<system-reminder>be brief</system-reminder>"),
        world.reply("broken pipe", message="m1", isApiErrorMessage=True),
        {"type": "brand-new", "sessionId": "s-1"},
    )
    read = world.read()
    assert read.events == []
    assert read.tally.skipped == {
        "meta": 1,
        "sub-agent": 1,
        "output of a local command": 1,
        "empty command": 1,
        "injected text": 1,
        "API error": 1,
        "unknown type brand-new": 1,
    }


# Typed while working


def test_queued_text_is_a_prompt_when_it_never_comes_again(world: Any) -> None:
    world.write(
        world.user("go"), world.queue("enqueue", "테스트도 봐줘"), world.queue("remove"),
        world.user("thanks"),
    )  # fmt: skip
    read = world.read()
    assert read.prompts == ["go", "테스트도 봐줘", "thanks"]
    assert read.of("user_prompt")[1].at.second == 2


@pytest.mark.parametrize("later", ["look here", "look here\nand there", "first\nlook here"])
def test_queued_text_is_left_to_the_prompt_that_holds_it(world: Any, later: str) -> None:
    world.write(
        world.queue("enqueue", "look here"), world.queue("dequeue"), world.user(later, "u1")
    )
    read = world.read()
    assert read.prompts == [later]


def test_a_short_text_inside_a_word_is_not_a_repetition(world: Any) -> None:
    world.write(
        world.queue("enqueue", "ok"), world.queue("remove"), world.user("the token expired")
    )
    assert world.read().prompts == ["ok", "the token expired"]


def test_text_taken_back_is_no_prompt(world: Any) -> None:
    world.write(
        world.queue("enqueue", "sent"), world.queue("dequeue"),
        world.queue("enqueue", "half a thou"), world.queue("popAll"), world.user("a whole thought"),
    )  # fmt: skip
    read = world.read()
    assert read.prompts == ["sent", "a whole thought"]
    assert read.tally.skipped["taken back"] == 1


def test_a_notification_in_the_queue_was_not_typed(world: Any) -> None:
    world.write(world.queue("enqueue", "<task-notification>done</task-notification>"))
    read = world.read()
    assert read.events == [] and read.tally.skipped["task notification"] == 1


def test_an_attachment_with_queued_text_is_taken_once(world: Any) -> None:
    def attached(text: str) -> dict[str, object]:
        attachment = {"type": "queued_command", "prompt": text}
        return {"type": "attachment", "sessionId": "s", "uuid": text, "attachment": attachment}

    world.write(world.queue("enqueue", "one"), world.queue("remove"), attached("one"))
    world.write(attached("two"))
    assert world.read().prompts == ["one", "two"]


def test_queued_text_imported_early_is_not_written_again(world: Any) -> None:
    world.write(world.user("go", "u1"), world.queue("enqueue", "and this"))
    first = world.read()
    assert first.prompts == ["go", "and this"]
    world.write(world.queue("dequeue"), world.user("and this", "u2"))
    world.write(world.reply("fine", message="m1", uuid="a1"))
    second = world.read(known=first.keys)
    assert [event.text for event in second.events] == ["fine"]
    assert second.events[0].turn == 2


# Branches and order


def test_a_rewind_marks_what_was_abandoned(world: Any) -> None:
    world.write(
        world.user("start", "u1"), world.reply("a", message="m1", uuid="a1"),
        world.user("wrong way", "u2", parentUuid="a1"), world.reply("b", message="m2", uuid="a2"),
        world.user("wrong again", "u3", parentUuid="a1"), world.reply("c", message="m3"),
        world.user("right way", "u4", parentUuid="a1"), world.reply("d", message="m4"),
    )  # fmt: skip
    branches = {event.text: event.branch for event in world.read().events}
    abandoned = [text for text, branch in branches.items() if branch]
    assert abandoned == ["wrong way", "b", "wrong again", "c"]


def test_parallel_results_below_one_reply_are_no_rewind(world: Any) -> None:
    world.write(
        world.user("start", "u1"),
        world.reply(world.call("t1"), world.call("t2"), message="m1", uuid="a1"),
        world.user([world.result("t1", "x")], "u2", parentUuid="a1"),
        world.user([world.result("t2", "y")], "u3", parentUuid="a1"),
        world.user("first", "u4"), world.user("second", "u5"),
    )  # fmt: skip
    assert {event.branch for event in world.read().events} == {""}


def test_the_first_line_of_a_uuid_counts(world: Any) -> None:
    world.write(world.user("one", "u1"), world.user("one, replayed", "u1"))
    read = world.read()
    assert read.prompts == ["one"] and read.tally.skipped["repeated record"] == 1


# Projects, titles, plans


def test_a_change_to_another_project_is_noted(world: Any) -> None:
    world.write(
        world.user("here", cwd="/home/dev/shop"),
        world.user("below", cwd="/home/dev/shop"),
        world.user("there", cwd="/home/dev/api"),
    )
    read = world.read()
    assert read.header.project == "shop"
    assert [event.extra.get("project") for event in read.events] == [None, None, "api"]


def test_a_summary_of_this_session_is_its_title(world: Any) -> None:
    world.write(
        {"type": "summary", "summary": "캐시 키 충돌 수정", "leafUuid": "u1"},
        {"type": "summary", "summary": "another", "leafUuid": "elsewhere"},
        world.user("go", "u1"),
    )
    (title,) = world.read().of("session_marker")
    assert (title.tool, title.text) == ("title", "캐시 키 충돌 수정")


def test_an_approved_plan_is_kept(world: Any) -> None:
    world.write(world.user("Implement the plan", "u1", planContent="1. Rotate tokens\n2. Test"))
    (plan,) = world.read().of("session_marker")
    assert (plan.tool, plan.text, plan.keys) == ("plan", "1. Rotate tokens\n2. Test", ("u1.plan",))


def test_secrets_are_masked_before_anything_is_cut(world: Any) -> None:
    def mask(value: object) -> object:
        if isinstance(value, dict):
            return {k: "[masked]" if k == "token" else mask(v) for k, v in value.items()}
        return value.replace("hunter2", "***") if isinstance(value, str) else value

    world.with_options(mask=mask)
    output = "x\n" * 5_000 + "hunter2\n" + "y\n" * 40
    world.write(
        world.reply(world.call("t1", "Deploy", token="abc", note="hunter2"), message="m1"),
        world.user([world.result("t1", output)]),
    )
    (event,) = world.read().events
    assert "abc" not in event.text and "hunter2" not in event.text and "[masked]" in event.text


def test_a_transcript_of_another_agent_is_refused(world: Any) -> None:
    world.write({"timestamp": "2026-01-05T09:00:00Z", "type": "session_meta", "payload": {}})
    with pytest.raises(NoRecordsError, match="no Claude Code records in this file"):
        world.read()


def test_an_empty_file_is_refused(world: Any) -> None:
    world.path.touch()
    with pytest.raises(NoRecordsError):
        world.read()


def test_peek_tells_what_reading_tells(world: Any, samples: Any) -> None:
    from memjournal.hooks.claude_code.transcript import peek

    for path in samples.glob("*.jsonl"):
        told, read = peek(world.transcript(path), world.options), world.read(path)
        assert (told.session, told.project) == (read.header.session, read.header.project)
        assert told.started == read.header.started
