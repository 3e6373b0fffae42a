"""The folders, the package list and the direction of imports agree with each other."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MAY_IMPORT = {
    "journal": set[str](),
    "indexer": {"journal"},
    "hooks": {"journal", "indexer", "templates"},
    "cli": {"journal", "indexer", "hooks", "templates"},
    "templates": set[str](),
}
GIVEN = {
    *("os.environ", "os.getenv", "os.getcwd", "Path.cwd", "Path.home"),
    *(
        "datetime.now",
        "datetime.utcnow",
        "datetime.today",
        "date.today",
        "time.time",
        "time.time_ns",
    ),
    *("sys.argv", "sys.stdin", "sys.stdout", "sys.stderr"),
}
"""What only the floors above read; below, it is an argument. A clock for time-outs may stay."""
DATA = {ROOT / "indexer/model/source"}  # how the model was built: shipped to be read, not imported


def test_every_package_on_disk_is_listed_for_the_wheel() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    on_disk = {
        ".".join(("memjournal", *init.parent.relative_to(ROOT).parts))
        for folder in MAY_IMPORT
        for init in (ROOT / folder).rglob("__init__.py")
    }
    assert set(config["tool"]["setuptools"]["packages"]) == on_disk


def test_every_python_file_is_in_a_package() -> None:
    lost = [
        path.relative_to(ROOT).as_posix()
        for folder in MAY_IMPORT
        for path in (ROOT / folder).rglob("*.py")
        if path.parent not in DATA and not (path.parent / "__init__.py").exists()
    ]
    assert lost == []


def imported_folders(source: Path) -> Iterator[str]:
    """Yield each folder of ours that *source* imports, in either form, at any depth."""
    here = ("memjournal", *source.relative_to(ROOT).parts[:-1])
    for node in ast.walk(ast.parse(source.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level + 1] if node.level else ()
            stem = ".".join((*base, *filter(None, [node.module])))
            names = [f"{stem}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            root, _, rest = name.partition(".")
            if root == "memjournal":
                yield rest.partition(".")[0]
            elif root in MAY_IMPORT:
                yield f"{root} without memjournal"


def read_from_around(source: Path) -> Iterator[str]:
    """Yield each place where *source* reads environment, home, clock or terminal."""
    for node in ast.walk(ast.parse(source.read_text("utf-8"))):
        match node:
            case ast.Attribute(attr="expanduser") | ast.Name(id="print" | "input"):
                name = ast.unparse(node)
            case ast.Attribute():
                name = ".".join(ast.unparse(node).split(".")[-2:])
            case ast.ImportFrom(module="os" | "time" | "sys" as module):
                names = {f"{module}.{alias.name}" for alias in node.names}
                name = next(iter(names & GIVEN), "")
            case _:
                continue
        if name in GIVEN or name in ("print", "input") or name.endswith("expanduser"):
            yield f"{source.relative_to(ROOT).as_posix()}:{node.lineno}: {name}"


@pytest.mark.parametrize("folder", ["journal", "indexer"])
def test_the_lower_floors_are_given_environment_home_and_time(folder: str) -> None:
    sources = [path for path in (ROOT / folder).rglob("*.py") if path.parent not in DATA]
    assert [place for path in sorted(sources) for place in read_from_around(path)] == []


def test_what_is_read_from_around_is_seen() -> None:
    source = ROOT / "cli/context.py"
    seen = {place.rpartition(" ")[2] for place in read_from_around(source)}
    assert {"os.environ", "Path.cwd", "Path.home", "datetime.now", "time.time_ns"} <= seen


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_types_are_published(folder: str) -> None:
    assert (ROOT / folder / "py.typed").read_bytes() == b""


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_imports_point_downwards(folder: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for name in imported_folders(path)
        if name != folder and name not in MAY_IMPORT[folder]
    ]
    assert wrong == []
