"""``kill -9`` at random moments of everything that writes: nothing acknowledged may be lost.

Real commands run on one journal, in a git repository, and die after a random delay. After each death
the next command must work with no manual step and find what it is asked for; now and then everything
is checked: what was acknowledged is in the files once, what was forgotten is gone, ``mem doctor
--verify`` is content, and the index answers as one made from nothing.

Most commands are forked from this process, which has everything imported, so that the delay falls
into the work and not into the start; every tenth is a ``mem`` process of its own.

    python tests/bench/kill.py --kills 1000 --seed 7
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Protocol

sys.path.insert(0, str(Path(__file__).parent))

from mortal import Ended, Mortals

_WORDS: Final = (
    *("pool", "timeout", "session", "cookie", "refund", "queue", "커넥션", "풀", "고갈", "주문"),
    *("환불", "세션", "토큰", "배포", "롤백"),
)
_NEEDLE: Final = re.compile(r"\bneedle(\d+)\b")
_OWN_PROCESS: Final = 0.1
_CHECK_EVERY: Final = 25
_DAEMON_S: Final = 3.0  # it lives no longer
_FEWEST: Final = 10  # memories that are there to be edited, forgotten and looked for


@dataclass(slots=True)
class Truth:
    """What must be in the journal, what may be, and what must not, by the number of its needle."""

    sure: set[int] = field(default_factory=set)  # it was acknowledged
    maybe: set[int] = field(default_factory=set)  # it was under way
    gone: set[int] = field(default_factory=set)  # forgetting it was acknowledged
    ids: dict[int, str] = field(default_factory=dict)  # of memories that were acknowledged
    tags: dict[int, set[str]] = field(default_factory=dict)  # one of these it has
    last: int = 0

    def new(self) -> int:
        self.last += 1
        return self.last

    def lose_track_of(self, number: int) -> None:
        """It may be there, and may not."""
        self.sure.discard(number)
        self.maybe.add(number)

    def acknowledge(self, *numbers: int) -> None:
        self.maybe.difference_update(numbers)
        self.sure.update(numbers)

    def note_gone(self, number: int) -> None:
        self.sure.discard(number)
        self.maybe.discard(number)
        self.gone.add(number)
        self.ids.pop(number, None)


class Battle:
    """One journal, the commands that die on it, and what has come of it."""

    def __init__(self, scratch: Path, *, seed: int) -> None:
        self.scratch, self.root = scratch, scratch / "memjournal"
        self.rng = random.Random(seed)
        self.truth = Truth()
        self.faults: list[str] = []
        self.phases: dict[str, Counter[str]] = {}
        self.remarks: Counter[str] = Counter()
        self.n_checks = 0
        self._typical_s: dict[str, float] = {}
        self._transcripts: list[tuple[Path, list[int]]] = []
        environ = {
            **{name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ},
            **{f"XDG_{name}_HOME": str(scratch / name) for name in ("CONFIG", "CACHE", "STATE")},
            "HOME": str(scratch),
            "LANG": "C.UTF-8",
            "PYTHONUTF8": "1",
            "NO_COLOR": "1",
            "OMP_NUM_THREADS": "1",
            "TOKENIZERS_PARALLELISM": "false",
            "MEMJOURNAL_JOURNAL_LOCK_TIMEOUT_S": "120",  # however busy the machine is
        }
        self.mortals = Mortals(scratch, environ)
        self.run = self.mortals.run

    # --- deaths -----------------------------------------------------------------------------

    def kill_one(self, name: str) -> bool:
        """Let one command die at a random moment; whether it did not end before."""
        act = _COMMANDS[name]
        typical_s = _DAEMON_S if name == _DAEMON else self._typical_s.get(name)
        if typical_s is None:  # first, how long it takes
            self._typical_s[name] = act(self, None, own_process=False).wall_s
            return False
        own_process = self.rng.random() < _OWN_PROCESS
        delay_s = self.rng.uniform(0, 1.1 * typical_s + (0.5 if own_process else 0))
        before = self._state()
        ended = act(self, delay_s, own_process=own_process)
        if ended.has_left_others:
            self.faults.append(f"{name}: processes that it had started live on")
        if not ended.is_killed:
            if not own_process:
                self._typical_s[name] = 0.7 * typical_s + 0.3 * ended.wall_s
            self._judge(name, ended)
            return False
        phase = _phase(before, self._state())
        self.phases.setdefault(name, Counter())[phase] += 1
        self._next_command_works(f"after {name} was killed ({phase})")
        return True

    def _state(self) -> tuple[object, ...]:
        """Of files, index and git: what tells whether something was written."""
        root = self.root
        folders = (("sessions", "memories", "notes"), ("index",), (".git",))
        return tuple(
            frozenset(
                (path, status.st_size, status.st_mtime_ns)
                for name in names
                for path in (root / name).rglob("*")
                if not path.name.endswith(".lock")
                and (status := _status(path)) is not None
                and not path.is_dir()
            )
            for names in folders
        ) + ((root / ".git/index.lock").exists(),)

    def _judge(self, name: str, ended: Ended) -> bool:
        """Whether a command that was not killed went well; what it remarked is counted."""
        for line in ended.err.splitlines():
            if not line.startswith("indexing:"):
                self.remarks[re.sub(r"mem:\w{6,}|/\S+|\d+", "…", line)[:100]] += 1
        if ended.code or "Traceback" in ended.err:
            self.faults.append(f"{name}: exit {ended.code}: {ended.err.strip()[-500:]}")
            return False
        return True

    def _next_command_works(self, when: str) -> None:
        known = sorted(self.truth.ids)
        if not known:
            return
        number = self.rng.choice(known)
        ended = self.run("search", f"needle{number}", "--json", "-n", "5")
        if self._judge(f"search {when}", ended):
            found = [json.loads(line).get("id") for line in ended.out.splitlines()]
            if self.truth.ids[number] not in found:
                self.faults.append(f"{when}: needle{number} is not found")

    def told(self) -> str:
        """How it stands, for whoever waits for the end."""
        last = f", the last: {self.faults[-1]}" if self.faults else ""
        return f"{len(self.truth.sure):,} acknowledged entries, faults: {len(self.faults)}{last}"

    # --- checks -----------------------------------------------------------------------------

    def check(self) -> None:
        """All that was acknowledged is there, once; index and files agree."""
        self.n_checks += 1
        self._retry_some()
        added = self.add(None, own_process=False)
        if self._judge("add", added) and "not committed" in added.err:
            self.faults.append(f"nothing can be committed any more: {added.err.strip()[-300:]}")
        self._judge("doctor", self.run("doctor", "--verify"))
        found, tags = self._needles()
        truth = self.truth
        self._expect("lost", truth.sure - found.keys())
        self._expect("doubled", {number for number, n in found.items() if n > 1})
        self._expect("still there, though forgotten", truth.gone & found.keys())
        for number in truth.tags.keys() & found.keys():
            if tags[number] not in truth.tags[number]:
                self._expect(f"an edit to {truth.tags[number]} is lost", {number})
            truth.tags[number] = {tags[number]}
        truth.maybe &= found.keys()
        compared = self.mortals.do(self._compare)
        if compared.code or compared.out:
            self.faults.append(f"not as a rebuild: {compared.out} {compared.err[-500:]}")

    def _expect(self, what: str, numbers: set[int]) -> None:
        if numbers:
            self.faults.append(f"{what}: needles {sorted(numbers)[:10]}")

    def _retry_some(self) -> None:
        """Whoever was not answered asks again."""
        for path, numbers in self._transcripts[-3:]:
            if not self.truth.sure.issuperset(numbers) and self._judge(
                "import again", self.run("import", str(path))
            ):
                self.truth.acknowledge(*(set(numbers) - self.truth.gone))

    def _needles(self) -> tuple[Counter[int], dict[int, str]]:
        """How often each needle is in the files, and the tag of each memory."""
        from memjournal.journal.reading import Oddity, list_files, read_entries

        found: Counter[int] = Counter()
        tags: dict[int, str] = {}
        for file in list_files(self.root).files:
            for one in read_entries(self.root, file):
                if isinstance(one, Oddity):
                    continue
                for number in map(int, set(_NEEDLE.findall(one.entry.body + one.entry.title))):
                    found[number] += 1
                    tags[number] = ",".join(one.entry.tags)
        return found, tags

    def _compare(self) -> int:
        """In a child: the index is whole and answers as one that is made from nothing."""
        from memjournal.cli.context import Context
        from memjournal.indexer.index import JournalIndex

        index = Context(journal_option=self.root).index
        index.update(now_ns=time.time_ns())
        other = JournalIndex(self.root, self.scratch / "rebuilt", index.options)
        other.rebuild(now_ns=time.time_ns())
        numbers = self.rng.sample(range(1, self.truth.last + 1), min(10, self.truth.last))
        questions = [f"needle{number}" for number in numbers] + [
            " ".join(self.rng.sample(_WORDS, 3)) for _ in range(10)
        ]
        print(*index.verify(), sep="\n", end="")
        for question in questions:
            ours, theirs = _answers(index, question), _answers(other, question)
            if ours != theirs:
                print(f"{question!r}: {ours[:3]} instead of {theirs[:3]}")
        shutil.rmtree(self.scratch / "rebuilt")
        return 0

    # --- what dies --------------------------------------------------------------------------

    def words(self, n: int) -> str:
        return " ".join(self.rng.choices(_WORDS, k=n))

    def add(self, kill_after_s: float | None, *, own_process: bool) -> Ended:
        number = self.truth.new()
        self.truth.maybe.add(number)
        ended = self.run(
            *("add", f"{self.words(3)}\n\nneedle{number} {self.words(40)}", "--json"),
            kill_after_s=kill_after_s,
            own_process=own_process,
        )
        if ended.out.endswith("\n"):
            self.truth.acknowledge(number)
            self.truth.ids[number] = json.loads(ended.out.splitlines()[0])["id"]
            self.truth.tags[number] = {""}
        return ended

    def edit(self, kill_after_s: float | None, *, own_process: bool) -> Ended:
        number = self.rng.choice(sorted(self.truth.ids))
        tag = f"t{self.rng.randrange(1000)}"
        self.truth.tags[number].add(tag)
        ended = self.run(
            *("edit", self.truth.ids[number], "--set", f"tags={tag}"),
            kill_after_s=kill_after_s,
            own_process=own_process,
        )
        if ended.code == 0 or ended.out.endswith("\n"):
            self.truth.tags[number] = {tag}
        return ended

    def forget(self, kill_after_s: float | None, *, own_process: bool) -> Ended:
        number = self.rng.choice(sorted(self.truth.ids))
        entry_id = self.truth.ids.pop(number)
        self.truth.lose_track_of(number)
        ended = self.run(
            *("forget", entry_id, "--yes"), kill_after_s=kill_after_s, own_process=own_process
        )
        if ended.code == 0:
            self.truth.note_gone(number)
        return ended

    def import_(self, kill_after_s: float | None, *, own_process: bool) -> Ended:
        if self._transcripts and self.rng.random() < 0.5:
            path, numbers = self._transcripts[-1]
            _add_lines(path, more := [self.truth.new() for _ in range(20)], self.words)
            numbers += more
        else:
            path = self.scratch / f"transcripts/{len(self._transcripts):08x}-0000-4000-8000-0.jsonl"
            path.parent.mkdir(exist_ok=True)
            numbers = [self.truth.new() for _ in range(60)]
            _add_lines(path, numbers, self.words)
            self._transcripts.append((path, numbers))
        self.truth.maybe.update(set(numbers) - self.truth.sure)
        ended = self.run("import", str(path), kill_after_s=kill_after_s, own_process=own_process)
        if ended.code == 0:
            self.truth.acknowledge(*numbers)
        return ended

    def save_and_index(self, kill_after_s: float | None, *, own_process: bool) -> Ended:
        self.save_notes(self.rng.randrange(1, 8))
        return self.run("index", kill_after_s=kill_after_s, own_process=own_process)

    def rebuild(self, kill_after_s: float | None, *, own_process: bool) -> Ended:
        return self.run("index", "--rebuild", kill_after_s=kill_after_s, own_process=own_process)

    def save_and_search(self, kill_after_s: float | None, *, own_process: bool) -> Ended:
        self.save_notes(1)
        return self.run("search", self.words(3), kill_after_s=kill_after_s, own_process=own_process)

    def daemon(self, kill_after_s: float | None, *, own_process: bool) -> Ended:
        """A daemon that dies in the middle of a burst of saves, with searches beside it."""
        return self.run(
            *("daemon", "run"),
            kill_after_s=kill_after_s,
            own_process=own_process,
            meanwhile=self._save_and_ask,
        )

    def _save_and_ask(self) -> None:
        self.save_notes(self.rng.randrange(1, 6))
        if self.rng.random() < 0.2:
            self._next_command_works("beside a daemon")

    def save_notes(self, n: int) -> None:
        """Save files as an editor does; the journal has them from then on."""
        for _ in range(n):
            number = self.truth.new()
            path = self.root / f"notes/{number % 5}/{number % 40}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists():
                for old in map(int, _NEEDLE.findall(path.read_text("utf-8"))):
                    self.truth.note_gone(old)
            path.with_suffix(".tmp").write_text(f"needle{number} {self.words(30)}\n", "utf-8")
            os.replace(path.with_suffix(".tmp"), path)
            self.truth.acknowledge(number)


class _Command(Protocol):
    def __call__(
        self, battle: Battle, kill_after_s: float | None, /, *, own_process: bool
    ) -> Ended: ...


_DAEMON: Final = "daemon run"
_COMMANDS: Final[dict[str, _Command]] = {
    "add": Battle.add,
    "import": Battle.import_,
    "edit": Battle.edit,
    "forget": Battle.forget,
    "index": Battle.save_and_index,
    "index --rebuild": Battle.rebuild,
    "search": Battle.save_and_search,
    _DAEMON: Battle.daemon,
}
_WEIGHTS: Final = (6, 4, 4, 2, 4, 1, 4, 3)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except OSError:
        return None


def _phase(before: tuple[object, ...], after: tuple[object, ...]) -> str:
    """Where a command was when it died, by what it had written."""
    if after[3]:
        return "git was writing"
    if before[2] != after[2]:
        return "committed"
    if before[1] != after[1]:
        return "the index was being written"
    return "a file was written" if before[0] != after[0] else "nothing was written"


def _add_lines(path: Path, numbers: Sequence[int], words: Callable[[int], str]) -> None:
    """Let a transcript go on with one prompt or answer for each of *numbers*."""
    with open(path, "a", encoding="utf-8") as stream:
        for number in numbers:
            role = "user" if number % 2 else "assistant"
            text = f"needle{number} {words(20)}"
            record = {
                "type": role,
                "uuid": f"u-{number}",
                "sessionId": path.stem,
                "timestamp": datetime.fromtimestamp(1_790_000_000 + number, UTC).isoformat(),
                "cwd": "/home/dev/shop",
                "message": {
                    "role": role,
                    "content": text if role == "user" else [{"type": "text", "text": text}],
                    "id": f"m-{number}",
                },
            }
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")


def _answers(index: object, question: str) -> list[tuple[str, str, float]]:
    from memjournal.indexer.index import JournalIndex
    from memjournal.indexer.search.answer import SearchRequest
    from memjournal.indexer.search.searcher import Searcher

    assert isinstance(index, JournalIndex)
    catalog = index.read_catalog()
    searcher = Searcher(index, catalog)
    answer = searcher.search(
        SearchRequest(text=question, now=datetime(2026, 12, 1, tzinfo=UTC), limit=20)
    )
    searcher.close()
    catalog.close()
    return [(hit.row.id, hit.row.path, round(hit.score, 6)) for hit in answer.hits]


def fight(battle: Battle, *, kills: int) -> int:
    """Let so many commands die, and check; the number of deaths."""
    battle.mortals.prepare()
    made = battle.run("init", str(battle.root))
    if made.code:
        raise SystemExit(made.err)
    for _ in range(_FEWEST):
        battle.add(None, own_process=False)
    battle.save_notes(20)
    has_daemon = battle.run("daemon", "--help").code == 0
    n_killed = 0
    while n_killed < kills and len(battle.faults) < 20:
        (name,) = battle.rng.choices(list(_COMMANDS), _WEIGHTS)
        if len(battle.truth.ids) < _FEWEST or (name == _DAEMON and not has_daemon):
            name = "add"
        if battle.kill_one(name):
            n_killed += 1
            if n_killed % _CHECK_EVERY == 0:
                battle.check()
                print(f"{n_killed:,} killed, {battle.told()}", file=sys.stderr, flush=True)
    battle.check()
    return n_killed


def print_table(battle: Battle, n_killed: int) -> None:
    phases = sorted({phase for counted in battle.phases.values() for phase in counted})
    print(f"| killed | {' | '.join(phases)} | all |\n|---|{'---|' * (len(phases) + 1)}")
    for name in _COMMANDS:
        counted = battle.phases.get(name, Counter())
        cells = " | ".join(str(counted[phase]) for phase in phases)
        print(f"| `mem {name}` | {cells} | {counted.total()} |")
    print(f"\n{n_killed:,} killed, {battle.n_checks:,} times all checked,", end=" ")
    print(f"{len(battle.truth.sure):,} acknowledged entries, faults: {len(battle.faults)}")
    for remark, n in battle.remarks.most_common(12):
        print(f"    said {n} times: {remark}")
    for fault in battle.faults:
        print(f"FAULT {fault}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        battle = Battle(Path(scratch), seed=given.seed)
        n_killed = fight(battle, kills=given.kills)
        print_table(battle, n_killed)
    return 1 if battle.faults or n_killed < given.kills else 0


if __name__ == "__main__":
    sys.exit(main())
