"""How often ordinary source code is taken for a secret or a planted order: each line that is, listed.

The code is Python's own standard library and the packages that are installed beside memjournal: nobody
planted anything there, so whatever changes is a false alarm, or a password in an example.

    python tests/bench/false_positives.py [FOLDER ...]
"""

from __future__ import annotations

import argparse
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

from memjournal.journal.redaction import Redactor
from memjournal.journal.screening import is_threatening, screen

SUFFIXES = (".py", ".pyi", ".js", ".ts", ".go", ".rs", ".java", ".c", ".h", ".sh", ".toml", ".json")
MAX_BYTES = 1_000_000
SHOWN_CHARS = 110


def source_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in SUFFIXES and path.is_file() and path.stat().st_size <= MAX_BYTES:
            yield path


def changed_lines(text: str, redacted: str) -> Iterator[str]:
    """The lines of *text* that are not in *redacted* as they were."""
    before, after = text.splitlines(), redacted.splitlines()
    if len(before) != len(after):  # a block of several lines went
        kept = set(after)
        yield from (line for line in before if line not in kept)
        return
    yield from (one for one, other in zip(before, after, strict=True) if one != other)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, help="Where the source code is.")
    paths = sysconfig.get_paths()
    folders = parser.parse_args().folders or [Path(paths["stdlib"]), Path(paths["purelib"])]
    redactor = Redactor()
    seen: set[Path] = set()
    for folder in folders:
        n_lines = n_changed = n_threatening = n_files = 0
        started = time.process_time()
        for path in source_files(folder):
            if path in seen or (folder != folders[-1] and "site-packages" in path.parts):
                continue
            seen.add(path)
            text = path.read_text("utf-8", "replace")
            n_files += 1
            n_lines += text.count("\n")
            for line in changed_lines(text, redactor.redact(text).text):
                n_changed += 1
                print(f"  {path.relative_to(folder)}: {line.strip()[:SHOWN_CHARS]}")
            if is_threatening(ids := screen(text)):
                n_threatening += 1
                print(f"  {path.relative_to(folder)}: would not be told: {', '.join(ids)}")
        one_in = n_lines // n_changed if n_changed else n_lines
        print(
            f"{folder}: {n_files:,} files, {n_lines:,} lines; {n_changed:,} changed by redaction,"
            f" 1 in {one_in:,}; {n_threatening:,} files flagged;"
            f" {time.process_time() - started:.0f} CPU s\n"
        )


if __name__ == "__main__":
    main()
