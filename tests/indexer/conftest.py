"""Fixtures of the indexer's tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .world import World, make_model


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model that knows the words of the tests."""
    return make_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def world(tmp_path: Path, model: Path) -> World:
    return World(tmp_path / "journal", model)


@pytest.fixture(scope="session")
def new_world(tmp_path_factory: pytest.TempPathFactory, model: Path) -> Callable[[], World]:
    """A fresh world for each example of a property."""
    return lambda: World(tmp_path_factory.mktemp("world"), model)
