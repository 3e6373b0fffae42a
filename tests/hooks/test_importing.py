"""An import adds each event once, opens what has changed only, and names what it cannot read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memjournal.hooks.claude_code.discover import ClaudeCodeSource
from memjournal.hooks.claude_code.options import ReadOptions
from memjournal.hooks.claude_code.transcript import TranscriptReading
from memjournal.hooks.import_state import ImportState
from memjournal.hooks.importing import (
    Filters,
    ImportReport,
    Progress,
    Step,
    list_transcripts,
    plan_import,
    run_import,
)
from memjournal.hooks.source import Peek, Transcript
from memjournal.journal.errors import LockedError, StorageError
from memjournal.journal.event import Event, SessionHeader
from memjournal.journal.session_log import AppendReport

SAMPLES = Path(__file__).parent / "claude_code" / "samples"


@dataclass
class Log:
    events: dict[str, Event] = field(default_factory=dict)
    batches: list[int] = field(default_factory=list)
    error: Exception | None = None

    def known_keys(self) -> set[str]:
        return {key for event in self.events.values() for key in event.keys}

    def append(self, events: Sequence[Event], *, secrets: object = None) -> AppendReport:
        if self.error is not None:
            raise self.error
        self.batches.append(len(events))
        new = {event.keys[0]: event for event in events if event.keys[0] not in self.events}
        self.events.update(new)
        return AppendReport(ids=tuple(new), n_known=len(events) - len(new))


class Sink:
    """A journal in memory."""

    def __init__(self) -> None:
        self.logs: dict[str, Log] = {}

    def open_session(self, header: SessionHeader) -> Log:
        return self.logs.setdefault(header.session, Log())

    def all(self) -> list[Event]:
        return [event for log in self.logs.values() for event in log.events.values()]


class World:
    """A projects folder of samples, a journal, and the state between two runs."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "projects"
        self.state_path = root / "index" / "imported.jsonl"
        self.sink = Sink()
        self.opened: list[Path] = []
        self.peeked: list[Path] = []
        self.reader_options = ReadOptions(
            tz=UTC, project_of=lambda cwd: cwd.rsplit("/", 1)[-1], mask=lambda value: value
        )

    def add(self, sample: str, *, project: str = "-p", name: str = "") -> Path:
        path = self.folder / project / (name or sample)
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(SAMPLES / sample, path)
        return path

    @property
    def source(self) -> ClaudeCodeSource:
        opened, peeked = self.opened, self.peeked

        class Watched(ClaudeCodeSource):
            def read(self, transcript: Transcript) -> TranscriptReading:
                opened.append(transcript.path)
                return super().read(transcript)

            def peek(self, transcript: Transcript) -> Peek:
                peeked.append(transcript.path)
                return super().peek(transcript)

        return Watched(self.folder, self.reader_options)

    def plan(self, filters: Filters | None = None, state: ImportState | None = None) -> list[Step]:
        source = self.source
        return plan_import(
            source.transcripts(),
            state or ImportState.load(self.state_path),
            filters or Filters(),
            source=source,
        )

    def run(self, filters: Filters | None = None) -> tuple[ImportReport, list[Progress]]:
        report, state = ImportReport(), ImportState.load(self.state_path)
        steps = self.plan(filters, state)
        progress = list(
            run_import(
                steps,
                self.source,
                self.sink,
                state=state,
                report=report,
                since=filters.since if filters else None,
            )
        )
        return report, progress


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_all_events_reach_the_journal(world: World) -> None:
    for path in SAMPLES.glob("*.jsonl"):
        world.add(path.name)
    report, progress = world.run()
    assert report.errors == []
    assert report.n_written == len(world.sink.all()) == report.events.total()
    assert report.events["user_prompt"] > 10 and report.skipped["thinking"] > 10
    assert report.skipped_files == {"sub-agent": 1}
    assert progress[-1].n_bytes_done == progress[-1].n_bytes
    assert progress[-1].n_files_done == progress[-1].n_files
    done = [each.n_bytes_done for each in progress]
    assert done == sorted(done)


def test_a_second_run_opens_nothing(world: World) -> None:
    world.add("plain-small-2.0.74.jsonl")
    world.run()
    world.opened.clear()
    report, _ = world.run()
    assert world.opened == [] and report.skipped_files == {"unchanged": 1}
    assert report.n_written == 0


def test_a_second_run_without_its_state_adds_nothing(world: World) -> None:
    for name in ("plain-small-2.0.74.jsonl", "korean-queue-2.1.38.jsonl"):
        world.add(name)
    world.run()
    before = world.sink.all()
    world.state_path.unlink()
    report, _ = world.run()
    assert report.n_written == 0 and report.n_known > 0 and len(world.opened) == 4
    assert world.sink.all() == before


def test_a_grown_transcript_brings_only_what_is_new(world: World) -> None:
    path = world.add("korean-queue-2.1.38.jsonl")
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.index(b"\n", len(whole) // 2)])
    first, _ = world.run()
    path.write_bytes(whole)
    (listed,) = list_transcripts(world.source, ImportState.load(world.state_path))
    assert listed.status == "grown"
    second, _ = world.run()
    assert first.n_written > 0 and second.n_written > 0
    words = "".join(event.text for event in world.sink.all())
    assert "커밋이 완료되었습니다" in words


def test_one_bad_file_is_named_and_the_others_are_read(world: World) -> None:
    good = world.add("plain-small-2.0.74.jsonl")
    foreign = world.folder / "-p" / "rollout.jsonl"
    foreign.write_text('{"timestamp":"2026-01-05T09:00:00Z","type":"session_meta"}\n')
    os.utime(foreign, ns=(2**62, 2**62))  # the newest: it comes first
    report, _ = world.run()
    assert [(error.path, error.what) for error in report.errors] == [
        (foreign, "no Claude Code records in this file")
    ]
    assert report.n_files == 1 and report.n_written == 3
    assert [step.skip for step in world.plan() if step.transcript.path == good] == ["unchanged"]
    assert [step.skip for step in world.plan() if step.transcript.path == foreign] == [""]


def test_a_file_that_vanishes_is_an_error_of_its_own(world: World) -> None:
    gone = world.add("plain-small-2.0.74.jsonl")
    steps = world.plan()
    gone.unlink()
    report = ImportReport()
    list(run_import(steps, world.source, world.sink, state=_state(world), report=report))
    assert [error.what for error in report.errors] == ["No such file or directory"]


def test_a_session_that_stays_locked_is_named_and_read_next_time(world: World) -> None:
    path = world.add("plain-small-2.0.74.jsonl")
    session = world.source.read(next(iter(world.source.transcripts()))).header.session
    log = world.sink.logs[session] = Log(error=LockedError("the session is locked"))
    report, _ = world.run()
    assert [error.path for error in report.errors] == [path]
    log.error = None
    report, _ = world.run()
    assert report.n_written == 3


def test_a_full_disk_stops_the_run(world: World) -> None:
    world.add("plain-small-2.0.74.jsonl")
    session = world.source.read(next(iter(world.source.transcripts()))).header.session
    world.sink.logs[session] = Log(error=StorageError("the disk is full"))
    with pytest.raises(StorageError):
        world.run()


def test_a_run_broken_off_is_taken_up_again(world: World) -> None:
    for path in SAMPLES.glob("*.jsonl"):
        world.add(path.name)
    report = ImportReport()
    run = run_import(world.plan(), world.source, world.sink, state=_state(world), report=report)
    for _ in range(3):
        next(run)
    run.close()
    n_before = len(world.sink.all())
    world.run()
    whole = World(world.folder.parent)
    whole.state_path.unlink()
    whole.run()
    assert n_before < len(world.sink.all()) == len(whole.sink.all())


def test_since_is_about_the_event_not_the_file(world: World) -> None:
    world.add("korean-queue-2.1.38.jsonl")
    since = datetime(2026, 2, 11, 8, 38, tzinfo=UTC)
    report, _ = world.run(Filters(since=since))
    assert report.skipped["before the date asked for"] > 0
    assert min(event.at for event in world.sink.all()) >= since
    again, _ = world.run(Filters(since=since))
    assert again.skipped_files == {"unchanged": 1}
    older, _ = world.run()
    assert older.n_written > 0


def test_filters_by_session_project_and_number(world: World) -> None:
    small = world.add("plain-small-2.0.74.jsonl")
    korean = world.add("korean-queue-2.1.38.jsonl")

    def taken(filters: Filters) -> set[Path]:
        return {step.transcript.path for step in world.plan(filters) if not step.skip}

    assert taken(Filters()) == {small, korean}
    assert taken(Filters(projects=("agent-stuff",))) == {korean}
    assert taken(Filters(projects=("agent",))) == set()  # a name, not a likeness
    assert taken(Filters(sessions=("4b1079c4",))) == {korean}
    assert len(taken(Filters(limit=1))) == 1
    assert world.opened == []


def test_the_transcripts_of_other_projects_are_not_opened_again(world: World) -> None:
    small = world.add("plain-small-2.0.74.jsonl")
    korean = world.add("korean-queue-2.1.38.jsonl")
    only = Filters(projects=("agent-stuff",))
    world.run(only)
    assert sorted(world.peeked) == sorted((small, korean))
    world.peeked.clear()
    assert [step.skip for step in world.plan(only)].count("another project") == 1
    assert world.peeked == []
    with small.open("a") as file:
        file.write("\n")
    world.plan(only)
    assert world.peeked == [small]


def test_a_folder_that_came_to_belong_to_the_project_is_noticed(world: World) -> None:
    world.add("plain-small-2.0.74.jsonl")
    world.run(Filters(projects=("shop",)))
    world.peeked.clear()
    world.reader_options = replace(world.reader_options, project_of=lambda _: "shop")
    assert [step.skip for step in world.plan(Filters(projects=("shop",)))] == [""]
    assert world.peeked == []


def test_force_and_another_reader_read_again(world: World) -> None:
    world.add("plain-small-2.0.74.jsonl")
    world.run()
    assert [step.skip for step in world.plan()] == ["unchanged"]
    assert [step.skip for step in world.plan(Filters(force=True))] == [""]
    options = world.reader_options
    world.reader_options = ReadOptions(
        tz=UTC, project_of=options.project_of, mask=options.mask, include_sidechains=True
    )
    assert [step.skip for step in world.plan()] == [""]


def test_sub_agents_are_listed_and_skipped_until_asked_for(world: World) -> None:
    world.add("agent-sidechain-file-2.0.28.jsonl", name="agent-a1.jsonl")
    below = f"-p/{'0' * 8}-0000-4000-8000-{'0' * 12}/subagents"
    world.add("agent-sidechain-file-2.0.28.jsonl", project=below, name="agent-b2.jsonl")
    found = list(world.source.transcripts())
    assert [each.is_subagent for each in found] == [True, True]
    assert {each.hint for each in found} == {"-p"}
    assert [step.skip for step in world.plan()] == ["sub-agent"] * 2
    assert [step.skip for step in world.plan(Filters(include_subagents=True))] == [""] * 2


def test_batches_are_bounded(world: World) -> None:
    path = world.folder / "-p" / "s.jsonl"
    path.parent.mkdir(parents=True)
    records = (
        {"type": "user", "uuid": f"u{n}", "sessionId": "s", "message": {"content": "x"}}
        for n in range(450)
    )
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    world.run()
    assert world.sink.logs["s"].batches == [200, 200, 50]


def test_a_missing_folder_has_no_transcripts(world: World) -> None:
    assert list(world.source.transcripts()) == []


def test_the_listing_tells_what_is_new(world: World) -> None:
    world.add("plain-small-2.0.74.jsonl")
    world.run()
    world.add("korean-queue-2.1.38.jsonl")
    listed = {
        each.peek.project: each
        for each in list_transcripts(world.source, ImportState.load(world.state_path))
    }
    assert {name: each.status for name, each in listed.items()} == {
        "cli": "imported",
        "agent-stuff": "new",
    }
    assert listed["agent-stuff"].peek.started == datetime(2026, 2, 11, 8, 25, 4, 405000, UTC)


def test_importing_the_module_loads_nothing_heavy() -> None:
    code = (
        "import sys; import memjournal.hooks.claude_code.discover, memjournal.hooks.importing;"
        "heavy = {'numpy', 'git', 'whoosh', 'faiss', 'yaml', 'typer', 'pydantic', 'model2vec'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def _state(world: World) -> ImportState:
    return ImportState.load(world.state_path)
