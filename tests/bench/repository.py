"""How a journal's repository grows: its size, and what commits, clones and housekeeping take.

Built are repositories as debounced commits make them, of sessions, memories and ledgers that memjournal
itself renders. Times are CPU seconds of all processes, with the wall time in brackets.

    python tests/bench/repository.py 100000 1000000    # prints the tables of docs/performance.md
    python tests/bench/repository.py --part session    # one part of it alone
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parent))

from git_costs import (
    Cost,
    disk_mb,
    in_turns,
    megabytes,
    objects_of,
    run_git,
    table,
    timed,
    without_user_settings,
)
from repository_history import History, rendered_event, session_header
from repository_layouts import commit, measure_folders, measure_growth, measure_ways
from speed import machine

from memjournal.journal.git.housekeeping import storage_of
from memjournal.journal.git.program import Git
from memjournal.journal.history.audit import audit
from memjournal.journal.purge.rewriting import rewrite

PARTS: Final = ("session", "ways", "folders", "repository")
_N_TIMES: Final = 7
_UNUSED: Final = 10**9  # events from there on are in no history
_MANY_BYTES: Final = 200_000  # a session that is larger is none of the usual ones
_SETTINGS: Final[Mapping[str, tuple[str, str]]] = {  # a setting, and the version of the index
    "git's own": ("", "2"),
    "index of version 4": ("", "4"),
    "core.untrackedCache": ("core.untrackedCache", "2"),
    "feature.manyFiles": ("feature.manyFiles", "4"),
}
_CLONES: Final[Mapping[str, tuple[str, ...]]] = {
    "clone": (),
    "clone `--depth 1`": ("--depth", "1"),
    "clone `--filter=blob:none`": ("--filter=blob:none",),
}


class Bench:
    """The repository of one size; *figures* are what was found, in the order of the table."""

    def __init__(self, folder: Path, n_events: int) -> None:
        self.folder, self.root = folder, folder / "journal"
        self.history = History(n_events)
        self.figures: dict[str, str] = {}
        self._numbers = iter(range(_UNUSED, 2 * _UNUSED))

    def measure(self) -> dict[str, str]:
        """All figures; the repository is removed."""
        built = timed(partial(self.history.write, self.root))
        self._contents()
        self._note("made by `git fast-import` in", built)
        self._commits()
        self._reading()
        self._packing()
        self._history_of_a_file()
        self._clones()
        self._settings()
        self._packing_what_is_loose()
        self._whole_history()
        shutil.rmtree(self.root)
        return self.figures

    def _note(self, name: str, value: object) -> None:
        self.figures[name] = str(value)
        print(f"{self.history.n_events:,} events: {name}: {value}", file=sys.stderr, flush=True)

    def _contents(self) -> None:
        files = list(self.root.glob("*/**/*.md")) + list(self.root.glob("ledger/*/*.jsonl"))
        in_folders = Counter(path.parent for path in files)
        self._note("memories", f"{self.history.n_memories:,}")
        self._note("sessions", f"{self.history.n_sessions:,}")
        self._note("files", f"{len(files):,}")
        self._note(
            "folders, with the most files in one",
            f"{len(in_folders):,}, {max(in_folders.values()):,}",
        )
        self._note("the files", megabytes(sum(path.stat().st_size for path in files) / 1e6))
        self._note("commits", f"{self.history.n_commits:,}")
        self._note("all that these wrote, uncompressed", megabytes(self.history.written_mb))

    def _usual_session(self) -> str:
        """The newest session that is none of the long ones."""
        paths = sorted((self.root / "sessions").rglob("*.md"), reverse=True)
        usual = next(path for path in paths if path.stat().st_size < _MANY_BYTES)
        return usual.relative_to(self.root).as_posix()

    def _one_more(self, session: str) -> str:
        """Let the session have one event more."""
        header = session_header(0, self.history.end)
        with (self.root / session).open("ab") as stream:
            stream.write(rendered_event(next(self._numbers), 0, header))
        return session

    def _plain(self, session: str) -> None:
        run_git(self.root, "add", self._one_more(session))
        run_git(self.root, "commit", "--quiet", "-m", "capture: 1 event")

    def _plain_of_path(self, session: str) -> None:
        run_git(self.root, "commit", "--quiet", "-m", "capture: 1 event", self._one_more(session))

    def _commits(self) -> None:
        session = self._usual_session()
        taken = in_turns(
            {
                "ours": lambda: commit(self.root, self._one_more(session)),
                "plain": lambda: self._plain(session),
                "path": lambda: self._plain_of_path(session),
            },
            n=_N_TIMES,
        )
        ours, plain, of_path = taken["ours"], taken["plain"], taken["path"]
        self._note("our commit of one event", ours)
        self._note("`git add FILE` and `git commit`", plain)
        self._note("`git commit FILE`", of_path)
        self._note("our commit / `git add`, `git commit`", _ratio(ours, plain))
        self._note("our commit / `git commit FILE`", _ratio(ours, of_path))

    def _reading(self) -> None:
        git = Git(self.root, os.environ)
        taken = in_turns(
            {
                "`git status`": lambda: run_git(self.root, "status", "--porcelain"),
                "our look at what is loose": lambda: storage_of(git),
            },
            n=_N_TIMES,
        )
        for name, cost in taken.items():
            self._note(name, cost)

    def _packing(self) -> None:
        self._note("`.git` as `fast-import` left it", megabytes(disk_mb(self.root / ".git")))
        self._note("`git gc`", timed(partial(run_git, self.root, "gc", "--quiet")))
        self._note("`.git` after it", megabytes(disk_mb(self.root / ".git")))
        self._note("its index", megabytes((self.root / ".git/index").stat().st_size / 1e6))
        again = timed(partial(run_git, self.root, "gc", "--quiet"))
        self._note("`git gc` again, with nothing to do", again)
        auto = partial(run_git, self.root, "maintenance", "run", "--auto", "--quiet")
        self._note("`git maintenance run --auto`, nothing to do", timed(auto))

    def _history_of_a_file(self) -> None:
        memories = sorted((self.root / "memories").rglob("*.md"))
        some = memories[len(memories) // 2].relative_to(self.root).as_posix()
        ask: Callable[[], object] = partial(
            run_git, self.root, "log", "-1", "--format=%h", "--", some
        )
        self._note("`git log -1 -- FILE`, an old one", timed(ask))
        graph = partial(
            run_git, self.root, "commit-graph", "write", "--reachable", "--changed-paths"
        )
        self._note("`git commit-graph write --changed-paths`", timed(graph))
        graphs = disk_mb(self.root / ".git/objects/info")
        self._note("the graph", megabytes(graphs))
        self._note("`git log -1 -- FILE` with it", timed(ask))

    def _clones(self) -> None:
        run_git(self.root, "config", "uploadpack.allowFilter", "true")
        for name, options in _CLONES.items():
            target = self.folder / "clone"
            clone = partial(
                run_git, self.folder, "clone", "-q", *options, f"file://{self.root}", str(target)
            )
            cost = timed(clone)
            self._note(name, f"{cost}, {megabytes(disk_mb(target / '.git'))}")
            if not options:
                self._fetch(target)
            shutil.rmtree(target)

    def _fetch(self, clone: Path) -> None:
        session = self._usual_session()

        def come_and_get() -> None:
            run_git(clone, "fetch", "-q")

        commit(self.root, self._one_more(session))
        self._note("`git fetch` of one commit", timed(come_and_get))

    def _settings(self) -> None:
        for name, (setting, index_version) in _SETTINGS.items():
            if setting:
                run_git(self.root, "config", setting, "true")
            # An index that is there keeps its version, whatever the settings say.
            run_git(self.root, "update-index", "--index-version", index_version)
            run_git(self.root, "status")  # fills the cache of untracked files
            session = self._usual_session()
            taken = in_turns(
                {
                    "ours": lambda session=session: commit(self.root, self._one_more(session)),
                    "status": lambda: run_git(self.root, "status", "--porcelain"),
                },
                n=_N_TIMES,
            )
            size_kb = (self.root / ".git/index").stat().st_size / 1e3
            self._note(f"{name}: our commit", taken["ours"])
            self._note(f"{name}: `git status`", taken["status"])
            self._note(f"{name}: the index", f"{size_kb:,.0f} kB")
            if setting:
                run_git(self.root, "config", "--unset", setting)

    def _packing_what_is_loose(self) -> None:
        objects = objects_of(self.root)
        loose = f"{objects.n_loose:,} loose objects, {megabytes(objects.loose_mb)}"
        cost = timed(partial(run_git, self.root, "repack", "-d", "-l", "-q"))
        self._note("`git repack -d -l`", f"{cost} for {loose}")

    def _whole_history(self) -> None:
        """Going through all of the history, and writing it anew without one memory."""
        git = Git(self.root, os.environ)
        self._note("`mem audit`", timed(lambda: audit(git)))
        head = git.run(["rev-parse", "HEAD"])
        memories = sorted((self.root / "memories").rglob("*.md"))
        some = memories[len(memories) // 2].stem.rsplit("--", 1)[1]
        anew = timed(lambda: rewrite(git, self.root / ".git", [head], {some}))
        self._note("the history written anew for `mem forget --purge`", anew)


def _ratio(ours: Cost, others: Cost) -> str:
    return f"{ours.cpu_s / others.cpu_s:.2f} ({ours.wall_s / others.wall_s:.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sizes", nargs="*", type=int, metavar="EVENTS", default=[10_000, 100_000])
    parser.add_argument(
        "--folder", type=Path, help="where to build; by default for temporary files"
    )
    parser.add_argument("--part", choices=PARTS, action="append", help="measure this alone")
    parser.add_argument("--long", type=int, default=20_000, help="events of the long session")
    given = parser.parse_args()
    parts = given.part or PARTS
    without_user_settings()
    if given.folder:
        given.folder.mkdir(parents=True, exist_ok=True)
    print(f"{machine()}, {run_git(Path.cwd(), '--version').strip()}\n")
    with tempfile.TemporaryDirectory(dir=given.folder) as scratch:
        folder = Path(scratch)
        layouts: dict[str, Callable[[], Iterator[str]]] = {
            "session": lambda: measure_growth(folder, given.long),
            "ways": lambda: measure_ways(folder, given.long),
            "folders": lambda: measure_folders(folder),
        }
        for part, measured in layouts.items():
            for text in measured() if part in parts else ():
                print(text, flush=True, end="\n\n")
        if "repository" in parts:
            found = {f"{size:,} events": Bench(folder, size).measure() for size in given.sizes}
            rows = {
                name: [figures[name] for figures in found.values()]
                for name in next(iter(found.values()))
            }
            print(table(["", *found], rows))


if __name__ == "__main__":
    main()
