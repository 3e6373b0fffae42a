"""A secret that one record of a transcript gave away stands bare in no event that is written of it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memjournal.hooks.claude_code.discover import ClaudeCodeSource
from memjournal.hooks.import_state import ImportState
from memjournal.hooks.importing import Filters, ImportReport, plan_import, run_import
from memjournal.journal.entry import Entry
from memjournal.journal.reading import Stored, read_entries, stat_file
from memjournal.journal.redaction import Redactor
from memjournal.journal.store import Journal

from .conftest import World

SECRET = "HunterXX9"


class Imported:
    """A journal that a world's transcript comes into."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world, self.root = world, folder
        folder.mkdir()
        self.redactor = Redactor()
        world.with_options(mask=self.redactor.redact_value, make_redactor=lambda: self.redactor)

    def run(self, *, since: datetime | None = None) -> ImportReport:
        """Import what is there by now."""
        report, state = ImportReport(), ImportState.load(self.root / "imports.jsonl")
        source = ClaudeCodeSource(self.world.folder, self.world.options)
        steps = plan_import(source.transcripts(), state, Filters(since=since), source=source)
        journal = Journal(self.root, redactor=self.redactor)
        list(run_import(steps, source, journal, state=state, report=report, since=since))
        assert report.errors == []
        return report

    @property
    def entries(self) -> list[Entry]:
        """Those of the session, in order."""
        (path,) = self.root.glob("sessions/**/*.md")
        file = stat_file(self.root, path.relative_to(self.root).as_posix())
        assert file is not None
        return [one.entry for one in read_entries(self.root, file) if isinstance(one, Stored)]


@pytest.fixture
def imported(world: World, tmp_path: Path) -> Imported:
    return Imported(world, tmp_path / "journal")


def session(world: World, korean: bool) -> None:
    said = f"{SECRET} 값이 틀렸대" if korean else f"it says that {SECRET} is wrong"
    world.write(
        world.user("배포해 줘" if korean else "deploy it"),
        world.reply(world.call("t1", command=f"mysql -p{SECRET} shop"), message="m1"),
        world.user([world.result("t1", f"Access denied ({SECRET})", is_error=True)]),
        world.reply(said, message="m2"),
        world.user(said),
    )


@pytest.mark.parametrize("korean", [True, False])
def test_what_a_call_gave_away_is_hidden_in_all_that_follows_and_counted(
    imported: Imported, korean: bool
) -> None:
    session(imported.world, korean)
    report = imported.run()
    assert (report.n_written, report.n_secrets) == (4, 3)  # and one that the reader has masked
    assert not [one for one in imported.entries if SECRET in one.body]
    assert [one.extra.get("redacted") for one in imported.entries] == [None, "1", "1", "1"]
    assert imported.entries[-1].body.startswith("[REDACTED] 값" if korean else "it says that [RED")


def test_a_secret_in_what_is_cut_out_of_a_result_is_known_as_well(imported: Imported) -> None:
    world, lines = imported.world, [f"line {n}" for n in range(20_000)]
    lines[10_000] = f"DB_PASSWORD={SECRET}"
    world.write(
        world.reply(world.call("t1", command="cat all.log"), message="m1"),
        world.user([world.result("t1", "\n".join(lines))]),
        world.reply(f"비밀번호가 {SECRET} 로 되어 있네요", message="m2"),
    )
    imported.run()
    result, answer = imported.entries
    assert "lines cut" in result.body
    assert answer.body == "비밀번호가 [REDACTED] 로 되어 있네요"


def test_of_a_known_secret_that_is_cut_through_no_half_is_left(imported: Imported) -> None:
    world, half = imported.world, imported.world.options.limits.characters // 2
    world.write(
        world.user(f"mysql -p{SECRET} shop 로 접속해 줘"),
        world.reply(world.call("t1", command="cat all.log"), message="m1"),
        world.user([world.result("t1", "x" * (half - 4) + f" {SECRET} " + "y" * 2 * half)]),
    )
    assert imported.run().n_secrets == 1
    assert "cut …]" in imported.entries[-1].body
    assert SECRET[:3] not in imported.entries[-1].body


def test_what_is_in_the_journal_already_is_known_as_well(imported: Imported) -> None:
    session(imported.world, korean=True)
    imported.run()
    imported.world.write(imported.world.user(f"{SECRET} 이거 뭐였지?"))
    report = imported.run()
    assert (report.n_written, report.n_secrets) == (1, 1)
    assert imported.entries[-1].body == "[REDACTED] 이거 뭐였지?"


def test_what_is_left_out_for_its_date_is_known_as_well(imported: Imported) -> None:
    world = imported.world
    early, late = "2026-11-01T00:00:00.000Z", "2026-11-20T00:00:00.000Z"
    world.write(
        world.user(f"비밀번호: {SECRET}", timestamp=early),
        world.user(f"{SECRET} 이거 뭐였지?", timestamp=late),
    )
    imported.run(since=datetime(2026, 11, 10, tzinfo=UTC))
    assert [one.body for one in imported.entries] == ["[REDACTED] 이거 뭐였지?"]
