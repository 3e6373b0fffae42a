"""The folders, the package list and the direction of imports agree with each other."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from graphlib import TopologicalSorter
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
IN_INDEXER = {
    "errors": set[str](),
    "stamps": set[str](),
    "options": set[str](),
    "patience": set[str](),
    "rest": set[str](),
    "text": set[str](),
    "catalog": {"errors"},
    "vectors": {"errors"},
    "keywords": {"errors", "text"},
    "embedding": {"errors", "text"},
    "upkeep": {"errors", "text", "catalog", "keywords", "embedding", "vectors"},
    "search": {"errors", "rest", "text", "catalog", "keywords", "embedding", "vectors"},
    "parts": {
        *("errors", "stamps", "options", "patience", "rest", "text", "catalog"),
        *("keywords", "embedding", "vectors"),
    },
    "index": {"errors", "text", "catalog", "upkeep", "parts"},
    "statistics": {"catalog"},
    "health": {"errors", "catalog", "upkeep", "index"},
    "forgetting": {"catalog", "index"},
    "living": {"errors", "stamps", "catalog", "upkeep", "search", "index"},
    "daemon": {"errors", "search", "living"},
}
"""What a folder or module there may need of the others when it runs; types alone may be anyone's."""
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


def imported_names(source: Path, *, when_run: bool = False) -> Iterator[str]:
    """Yield each name that *source* imports, absolute, in either form, at any depth.

    With *when_run* not those that it needs for types alone.
    """
    here = ("memjournal", *source.relative_to(ROOT).parts[:-1])
    waiting: list[ast.AST] = [ast.parse(source.read_text("utf-8"))]
    while waiting:
        match waiting.pop():
            case ast.If(test=ast.Name(id="TYPE_CHECKING"), orelse=otherwise) if when_run:
                waiting += otherwise
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                base = here[: len(here) - level + 1] if level else ()
                stem = ".".join((*base, *filter(None, [module])))
                yield from (f"{stem}.{alias.name}" for alias in names)
            case node:
                waiting += ast.iter_child_nodes(node)


def imported_folders(source: Path) -> Iterator[str]:
    """Yield each folder of ours that *source* imports."""
    for name in imported_names(source):
        root, _, rest = name.partition(".")
        if root == "memjournal":
            yield rest.partition(".")[0]
        elif root in MAY_IMPORT:
            yield f"{root} without memjournal"


def part_of_indexer(source: Path) -> str:
    return source.relative_to(ROOT / "indexer").with_suffix("").parts[0]


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


def test_the_parts_of_the_indexer_need_only_those_below_them() -> None:
    list(TopologicalSorter(IN_INDEXER).static_order())  # raises where some need each other
    sources = [path for path in (ROOT / "indexer").rglob("*.py") if path.parent not in DATA]
    inside = {path: part_of_indexer(path) for path in sorted(sources) if path.stem != "__init__"}
    assert set(inside.values()) == IN_INDEXER.keys()
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path, part in inside.items()
        for name in imported_names(path, when_run=True)
        if name.startswith("memjournal.indexer.")
        and name.split(".")[2] not in IN_INDEXER[part] | {part}
    ]
    assert wrong == []


def test_what_is_needed_for_types_alone_is_told_from_the_rest() -> None:
    source = ROOT / "indexer/upkeep/current.py"
    needed = {"memjournal.indexer.catalog.catalog.Catalog"}
    for_types = {"memjournal.indexer.index.JournalIndex"}
    assert needed | for_types <= set(imported_names(source))
    assert set(imported_names(source, when_run=True)) & (needed | for_types) == needed
