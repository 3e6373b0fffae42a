"""No bytes make the reader raise, and no file makes it hold more than a line."""

from __future__ import annotations

import importlib.util
import json
import random
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from memjournal.hooks.claude_code.compose import MAX_WAITING_CALLS
from memjournal.hooks.claude_code.lines import skip_reason

BENCH = Path(__file__).parents[2] / "bench" / "make_transcripts.py"
HEAD = b'{"type":"mode","sessionId":"s"}\n'

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
BLOCKS = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "tool_use", "tool_result", "thinking", "image"]) | JSON},
    optional={
        name: st.text(max_size=20) | JSON
        for name in ("text", "id", "name", "input", "tool_use_id", "content", "is_error", "source")
    },
)
TYPES = ["user", "assistant", "system", "summary", "queue-operation", "attachment", "ai-title"]
RECORDS = st.fixed_dictionaries(
    {
        "type": st.sampled_from(TYPES) | JSON,
        "message": st.fixed_dictionaries(
            {"content": st.text(max_size=20) | st.lists(BLOCKS | JSON, max_size=3)},
            optional={"id": st.sampled_from(["m1", "m2"]) | JSON, "model": JSON},
        )
        | JSON,
    },
    optional={
        name: st.sampled_from(["a", "b", "compact_boundary", "enqueue", "popAll", "dequeue"]) | JSON
        for name in (
            *("uuid", "parentUuid", "timestamp", "cwd", "sessionId", "gitBranch", "isMeta"),
            *("isSidechain", "operation", "content", "subtype", "compactMetadata", "attachment"),
            *("summary", "leafUuid", "aiTitle", "planContent", "toolUseResult", "agentId"),
        )
    },
)


@given(st.lists(RECORDS | JSON, max_size=12))
@settings(max_examples=200, deadline=None)
def test_any_records_can_be_read(new_world: Callable[[], Any], records: list[object]) -> None:
    world = new_world()
    world.path.write_bytes(HEAD)
    world.write(*records)
    first = world.read()
    assert first.tally.n_records == 1 + len(records)
    for event in first.events:
        event.text.encode("utf-8")
        assert not set("\x00\x1b") & set(event.text)
        assert all(key and not any(char.isspace() for char in key) for key in event.keys)
    assert len({event.keys[0] for event in first.events}) <= len(first.events)
    assert world.read(known=first.keys).events == []


@given(st.binary(max_size=400))
@settings(deadline=None)
def test_any_bytes_can_be_read(new_world: Callable[[], Any], data: bytes) -> None:
    world = new_world()
    world.path.write_bytes(HEAD + data)
    read = world.read()
    assert read.tally.n_records >= 1
    assert read.tally.n_records == read.tally.n_used + read.tally.skipped.total()


@given(st.data())
@settings(deadline=None)
def test_a_transcript_torn_anywhere_keeps_what_stands_before(
    new_world: Callable[[], Any], samples_bytes: bytes, data: st.DataObject
) -> None:
    world = new_world()
    end = data.draw(st.integers(0, len(samples_bytes)))
    world.path.write_bytes(HEAD + samples_bytes[:end])
    n_whole = samples_bytes[:end].count(b"\n")
    read = world.read()
    assert read.tally.n_records in (1 + n_whole, 2 + n_whole)
    assert read.tally.skipped["torn last line"] <= 1


def test_a_line_torn_inside_a_character_is_counted(world: Any) -> None:
    world.write(world.user("하나"))
    line = json.dumps(world.user("둘"), ensure_ascii=False).encode()
    with world.path.open("ab") as file:
        file.write(line[: line.index("둘".encode()) + 1])
    read = world.read()
    assert read.prompts == ["하나"] and read.tally.skipped["torn last line"] == 1


def test_two_objects_on_one_line_are_two_records(world: Any) -> None:
    one, two = (json.dumps(world.user(text)).encode() for text in ("one", "two"))
    snapshot = b'{"type":"file-history-snapshot","messageId":"x"}'
    world.write(one + two, snapshot + b" " + json.dumps(world.user("three")).encode())
    assert world.read().prompts == ["one", "two", "three"]


def test_a_record_behind_a_torn_one_is_found(world: Any) -> None:
    whole = json.dumps({"parentUuid": None} | world.user("after the crash")).encode()
    whole = whole.replace(b'{"parentUuid": null', b'{"parentUuid":null', 1)
    world.write(world.user("before"), whole[: len(whole) // 2] + whole)
    read = world.read()
    assert read.prompts == ["before", "after the crash"]
    assert read.tally.skipped == {"not JSON": 1}


def test_hostile_values_are_skipped_or_mended(world: Any) -> None:
    world.write(
        b"[" * 100_000,
        b'{"type":"user","n":' + b"9" * 5_000 + b"}",
        b'{"type":"user","uuid":"u1","message":{"content":"a\\ud800b\\u0000\\u001b[31mred\\u001b[0m"}}',
        b'{"type":"user","uuid":"u2","message":{"content":"bad \xff byte"}}',
        b'{"type":"user","uuid":"has blank","timestamp":"0001-01-01T00:00:00+14:00",'
        b'"message":{"content":"early"}}',
    )
    read = world.read()
    assert read.prompts == ["a\ufffdbred", "bad \ufffd byte", "early"]
    assert read.tally.skipped["not JSON"] == 2
    assert all(" " not in key for key in read.keys)


def test_a_line_over_the_limit_is_skipped_and_the_next_one_read(world: Any) -> None:
    world.max_line_bytes = 1_000
    world.write(world.user("short"), world.user("x" * 5_000_000), world.user("after"))
    read = world.read()
    assert read.prompts == ["short", "after"] and read.tally.skipped["line too long"] == 1


def test_a_line_of_fifty_megabytes_is_read(world: Any) -> None:
    world.write(
        world.reply(world.call("t1", command="cat big"), message="m1"),
        world.user([world.result("t1", "head " + "x" * 50_000_000 + " tail")]),
        world.user("done"),
    )
    output, prompt = world.read().events
    assert prompt.text == "done"
    assert "head" in output.text and "tail" in output.text and len(output.text) < 11_000


def test_calls_that_never_end_do_not_pile_up(world: Any) -> None:
    n_calls = MAX_WAITING_CALLS + 50
    world.write(
        *(world.reply(world.call(f"t{n}"), message=f"m{n}") for n in range(n_calls)),
        world.user("end"),
    )
    events = world.read().events
    assert len(events) == n_calls + 1
    assert [event.type for event in events[:51]] == ["tool_output"] * 50 + ["user_prompt"]


def test_memory_does_not_grow_with_the_content(world: Any) -> None:
    """100 MB, read in less than 15: what is kept is some hundred bytes for each record."""
    spec = importlib.util.spec_from_file_location("make_transcripts", BENCH)
    assert spec is not None and spec.loader is not None
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    n_lines = bench.make_transcript(world.path, size_bytes=100_000_000)
    from memjournal.hooks.claude_code.transcript import TranscriptReading

    tracemalloc.start()
    try:
        reading = TranscriptReading(world.transcript(), world.options)
        n_events = sum(1 for _ in reading.events())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert reading.tally.n_records == n_lines and n_events > 10_000
    assert peak < 15_000_000


def test_bytes_of_the_generator_depend_on_the_seed_alone(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("make_transcripts", BENCH)
    assert spec is not None and spec.loader is not None
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    paths = [tmp_path / name / "s.jsonl" for name in "abc"]
    for path, seed in zip(paths, (1, 1, 2), strict=True):
        bench.make_transcript(path, size_bytes=50_000, seed=seed)
    one, same, other = (path.read_bytes() for path in paths)
    assert one == same != other


def test_a_line_skipped_undecoded_is_one_that_decoding_would_skip(samples: Path) -> None:
    n_skipped = 0
    for line in _lines(samples):
        reason = skip_reason(line)
        if reason:
            n_skipped += 1
            assert json.loads(line)["type"] == reason
    assert n_skipped > 30


def test_a_type_inside_the_content_does_not_skip_the_line(world: Any) -> None:
    nested = {"type": "progress", "note": '"type":"progress",'}
    world.write(
        world.reply(world.call("t1", "Emit", event=nested), message="m1"),
        json.dumps(
            {"note": '","type":"progress"', "a": nested} | world.user("kept"),
            separators=(",", ":"),
        ).encode(),
    )
    assert world.read().prompts == ["kept"]
    assert len(world.read().events) == 2


def _lines(samples: Path) -> Iterator[bytes]:
    for path in samples.glob("*.jsonl"):
        yield from (line for line in path.read_bytes().split(b"\n") if line.strip())


def test_shuffled_lines_never_raise(world: Any, samples: Path) -> None:
    lines = list(_lines(samples))
    for seed in range(5):
        random.Random(seed).shuffle(lines)
        world.path.write_bytes(b"\n".join(lines))
        read = world.read()
        assert read.tally.n_records >= len(lines) and read.prompts
