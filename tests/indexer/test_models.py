"""Vectors are of the model there is; without any, search goes on and says what is missing."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memjournal.indexer import rest
from memjournal.indexer.errors import VectorsUnavailableError
from memjournal.indexer.search.answer import SearchRequest
from memjournal.indexer.search.searcher import Searcher

from .filled import filled
from .programs import program
from .world import DAMAGES, World, make_model, tree


def test_another_model_embeds_everything_anew(world: World, tmp_path: Path) -> None:
    filled(world)
    world.update()
    other = world.open(model=str(make_model(tmp_path / "other", seed=1)))
    report = other.update(now_ns=time.time_ns())
    assert report.remarks == [
        "the vector index was made with other settings: embedding.model; it was rebuilt"
    ]
    assert other.verify() == []
    world.index, world.options = other, other.options
    world.check_against_a_rebuild()


def test_a_model_replaced_under_its_name_embeds_everything_anew(
    world: World, tmp_path: Path
) -> None:
    folder = make_model(tmp_path / "mine")
    world.index = world.open(model=str(folder))
    filled(world)
    world.update()
    make_model(folder, seed=1)
    world.index = world.open(model=str(folder))
    searcher, answer = world.search("pool timeout")
    embedder = world.index.embedder()
    assert embedder is not None
    fingerprint = embedder.fingerprint
    assert searcher.remarks == [
        f"the vector index cannot be read ({fingerprint}.vectors is missing); it was rebuilt"
    ]
    assert answer.used_vector
    assert world.index.verify() == []


@pytest.mark.parametrize("how", ["gone", "cut", "noise", "no tokenizer", "other tokenizer", "off"])
def test_without_a_model_search_answers_by_keyword_and_says_why(
    world: World, how: str, tmp_path: Path
) -> None:
    filled(world)
    world.update(later_s=1)
    folder = make_model(tmp_path / "broken")
    table = folder / "model.safetensors"
    match how:
        case "gone":
            shutil.rmtree(folder)
        case "cut":
            table.write_bytes(table.read_bytes()[:-100])
        case "noise":
            table.write_bytes(DAMAGES["noise"](table.read_bytes()))
        case "no tokenizer":
            (folder / "tokenizer.json").unlink()
        case "other tokenizer":
            text = (folder / "tokenizer.json").read_text("utf-8")
            grown = text.replace(
                '"[UNK]": 0,', '"[UNK]": 0,' + "".join(f'"x{n}": {n + 900},' for n in range(900))
            )
            assert grown != text
            (folder / "tokenizer.json").write_text(grown, "utf-8")
    world.index = world.open(model=str(folder), vectors=how != "off")
    report = world.update(later_s=1)
    for by in ("hybrid", "vector"):
        answer = world.ask("pool timeout", by=by)
        assert answer.hits and answer.fallback_applied
        assert (answer.used_keyword, answer.used_vector) == (True, False)
        assert answer.no_vectors
    assert report.no_vectors or how != "off"
    before = tree(world.root)
    world.update()
    assert tree(world.root) == before  # what cannot be done is no work


def test_a_model_that_comes_later_is_used_without_a_restart(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "나중에"
    filled(world)
    world.index = world.open(model=str(folder))  # as a daemon keeps it
    assert "no such model folder" in world.update(later_s=1).no_vectors
    catalog = world.index.read_catalog()
    with contextlib.closing(catalog):
        searcher = Searcher(world.index, catalog)
        asked = SearchRequest(text="pool timeout", now=datetime.now(UTC))
        for _ in range(2):
            assert "no such model folder" in searcher.search(asked).no_vectors
            make_model(folder)  # not looked for at once
        monkeypatch.setattr(rest, "REST_S", 0.0)
        world.index.rest_vectors(VectorsUnavailableError("no such model folder"))
        assert world.index.no_vectors == "no such model folder"  # until it is loaded
        answer = searcher.search(asked)
        assert (answer.used_vector, answer.no_vectors) == (True, "")
        searcher.close()


WITHOUT_FAISS = """
assert "faiss" not in sys.modules
sys.modules["faiss"] = None
from memjournal.indexer.search.answer import SearchRequest
from memjournal.indexer.search.searcher import Searcher
index = open_index()
index.update(now_ns=time.time_ns())
answer = Searcher(index, index.read_catalog()).search(
    SearchRequest(text="pool timeout", now=datetime.now(UTC))
)
print(len(answer.hits), answer.used_keyword, answer.used_vector, answer.no_vectors, index.verify())
"""


def test_without_faiss_search_answers_by_keyword_and_says_why(world: World) -> None:
    filled(world)
    command = program(world, WITHOUT_FAISS)
    done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")
    assert done.stdout.startswith("10 True False the package faiss-cpu is not installed")
    assert done.stdout.rstrip().endswith("[]")
    world.update()  # once it is installed, only the vectors are missing
    world.check_against_a_rebuild()
