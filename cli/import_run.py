"""One import from the first byte to the closing report: shown, indexed, committed, accounted for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import typer

from . import output
from .commit_written import commit_written
from .context import Context

if TYPE_CHECKING:
    from ..hooks.claude_code.discover import ClaudeCodeSource
    from ..hooks.import_state import ImportState
    from ..hooks.importing import Filters, ImportReport, Progress, Step
    from ..hooks.masking import CountingMask
    from ..journal.event import Event, SessionHeader
    from ..journal.redaction import KnownSecrets
    from ..journal.session_log import AppendReport, SessionLog


def listed(counts: Mapping[str, int]) -> str:
    """``3 unchanged, 1 sub-agent``."""
    return ", ".join(f"{number:,} {name}" for name, number in counts.items())


def nothing_new(skipped_files: Mapping[str, int]) -> str:
    """The whole report of an import that found nothing new."""
    reasons = f"  files skipped: {listed(skipped_files)}\n" if skipped_files else ""
    return f"nothing new\n{reasons}"


class _Sink:
    """The journal as an import sees it; remembers which files were written."""

    def __init__(self, surroundings: Context) -> None:
        self._surroundings = surroundings
        self.paths: dict[str, None] = {}  # in the order of their writing, each once
        self.projects: dict[str, None] = {}

    def open_session(self, header: SessionHeader) -> _Log:
        return _Log(self, self._surroundings.journal.open_session(header))

    def note_written(self, log: SessionLog) -> None:
        self.paths[log.path.relative_to(self._surroundings.root).as_posix()] = None
        if log.header.project:
            self.projects[log.header.project] = None


class _Log:
    def __init__(self, sink: _Sink, log: SessionLog) -> None:
        self._sink, self._log = sink, log

    def known_keys(self) -> set[str]:
        return self._log.known_keys()

    def append(
        self, events: Sequence[Event], *, secrets: KnownSecrets | None = None
    ) -> AppendReport:
        report = self._log.append(events, secrets=secrets)
        if report.n_written:
            self._sink.note_written(self._log)
        return report


class ImportRun:
    """One import: carried out, indexed, committed, reported."""

    def __init__(
        self,
        surroundings: Context,
        source: ClaudeCodeSource,
        mask: CountingMask,
        state: ImportState,
        *,
        verbose: bool,
    ) -> None:
        from ..hooks.importing import ImportReport

        self.report: ImportReport = ImportReport()
        self._surroundings, self._source, self._mask = surroundings, source, mask
        self._state, self._verbose = state, verbose

    def carry_out(self, steps: Sequence[Step], filters: Filters, *, with_index: bool) -> None:
        """Read what is to be read; what was written is committed even if the run is broken off."""
        from ..hooks.importing import run_import

        sink = _Sink(self._surroundings)
        try:
            run = run_import(
                steps,
                self._source,
                sink,
                state=self._state,
                report=self.report,
                since=filters.since,
            )
            self._show(run)
            if self.report.n_written and with_index:
                self._surroundings.update_index(paths=list(sink.paths))
        finally:
            if sink.paths:
                message = self._message(sink.projects)
                commit_written(self._surroundings, list(sink.paths), message)

    def _show(self, run: Iterator[Progress]) -> None:
        n_done, n_before = 0, 0
        with output.progress("importing", in_bytes=True) as show:
            for step in run:
                show(step.transcript.session[:8], step.n_bytes_done, step.n_bytes)
                if step.n_files_done > n_done and self._verbose:
                    n_new = self.report.n_written - n_before
                    output.note(f"{step.transcript.path}: {output.count(n_new, 'new event')}")
                if step.n_files_done > n_done:
                    n_done, n_before = step.n_files_done, self.report.n_written

    def _message(self, projects: Iterable[str]) -> str:
        report = self.report
        counts = (
            output.count(report.n_sessions, "session"),
            output.count(report.n_written, "event"),
        )
        names = ", ".join("/".join(name.split("/")[-2:]) for name in projects)
        message = f"import: {', '.join(counts)}" + (f" ({names})" if names else "")
        return message if len(message) <= 72 else output.shorten(message, 72)

    def print_report(self, names: Sequence[str], *, as_json: bool) -> None:
        """Say what came in, what did not, and why; a transcript that failed sets the exit code."""
        if as_json:
            output.emit("import", self._fields())
        else:
            self._print(names)
        if self.report.errors:
            raise typer.Exit(1)

    def _fields(self) -> dict[str, object]:
        report = self.report
        return {
            "n_files": report.n_files,
            "n_sessions": report.n_sessions,
            "n_written": report.n_written,
            "n_known": report.n_known,
            "n_private": report.n_private + self._mask.n_private,
            "n_secrets": report.n_secrets + self._mask.n_secrets,
            "events": dict(report.events),
            "skipped_records": dict(report.skipped),
            "skipped_files": dict(report.skipped_files),
            "errors": [{"path": str(one.path), "what": one.what} for one in report.errors],
        }

    def _print(self, names: Sequence[str]) -> None:
        report = self.report
        if not report.n_written:
            output.line("nothing new")
        else:
            n_sessions = output.count(report.n_sessions, "session")
            output.line(f"imported {output.count(report.n_written, 'event')} of {n_sessions}")
        hidden = {
            "secrets": report.n_secrets + self._mask.n_secrets,
            "private parts": report.n_private + self._mask.n_private,
        }
        for label, counts in (
            ("events", dict(report.events.most_common())),
            ("known already", {"events": report.n_known}),
            ("hidden", hidden),
            ("records skipped", dict(report.skipped.most_common())),
            ("files skipped", dict(report.skipped_files.most_common())),
        ):
            if shown := {name: number for name, number in counts.items() if number}:
                output.line(f"  {label}: {listed(shown)}")
        for error in report.errors:
            output.warn(f"{error.path}: {error.what}")
        if names and not report.n_files and report.skipped_files["another project"]:
            output.note(f"only {names[0]} was asked for; `mem import --all` takes all projects")
