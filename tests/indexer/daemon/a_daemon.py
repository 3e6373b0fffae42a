"""A daemon as a process of its own, for tests: its options come as JSON in the first argument."""

from __future__ import annotations

import json
import signal
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from memjournal.indexer.daemon.ending import End, Ending
from memjournal.indexer.daemon.place import DaemonPlace
from memjournal.indexer.daemon.process import DaemonOptions, run_daemon
from memjournal.indexer.daemon.server import Limits
from memjournal.indexer.index import JournalIndex
from memjournal.indexer.living.living_index import LivingIndex, LivingOptions
from memjournal.indexer.options import IndexOptions
from memjournal.indexer.search.answer import Answer, SearchRequest

INDEX = IndexOptions(
    vectors=False,
    model="memjournal-static-v1",
    chunk_tokens=320,
    chunk_overlap_tokens=40,
    machine="this machine",
    lock_timeout_s=60,
)


class Hanging(LivingIndex):
    """Never says whether the file `hang` was followed, nor answers the question `hang`, but shows
    signs of life."""

    def refresh(self, paths: Sequence[str] | None, *, patience_s: float) -> bool:
        if paths == ["hang"]:
            time.sleep(3600)
        return super().refresh(paths, patience_s=patience_s)

    def _search(self, request: SearchRequest) -> Answer:
        if request.text == "hang":
            time.sleep(3600)
        return super()._search(request)


def main(given: Mapping[str, object]) -> int:
    root = Path(str(given["root"]))
    place = DaemonPlace(Path(str(given["folder"])), root)
    ending = Ending()
    signal.signal(signal.SIGTERM, lambda *_: ending.ask(End("SIGTERM")))
    living = Hanging(
        JournalIndex(root, root / "index", INDEX),
        options=LivingOptions(clock_ns=time.time_ns, report_bug=traceback.print_exc),
    )
    end = run_daemon(
        place,
        DaemonOptions(
            version=str(given.get("version", "1.0")),
            started=datetime.now(UTC).isoformat(),
            mark="mark",
            idle_s=float(str(given.get("idle_s", 0))),
            settings_files=(root / "memjournal.toml",),
            on_demand=bool(given.get("on_demand")),
            transport="tcp" if given.get("tcp") else None,
            beat_s=0.05,
            limits=Limits(stuck_s=float(str(given.get("stuck_s", 60)))),
            closing_s=float(str(given["closing_s"])) if "closing_s" in given else None,
        ),
        open_living=lambda: living,
        ending=ending,
        report_bug=traceback.print_exc,
    )
    print(json.dumps([end.reason, end.wants_another] if end else None))
    return 0


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
