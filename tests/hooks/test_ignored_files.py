"""Of a file that `.memignore` names nothing is kept: not by a tool's path, not by a word of a command."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memjournal.hooks.ignored_files import is_ignored


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    shop = tmp_path / "shop"
    (shop / ".git").mkdir(parents=True)
    (shop / "api").mkdir()
    (shop / ".memignore").write_text("secrets/\n*.env\n!example.env\n비밀*.md\n", "utf-8")
    return shop


@pytest.mark.parametrize(
    "path",
    ["prod.env", "api/dev.env", "secrets/key.pem", "secrets", "비밀번호.md", "api/../prod.env"],
)
def test_what_the_rules_name_is_ignored(shop: Path, path: str) -> None:
    assert is_ignored({"file_path": path}, str(shop))
    assert is_ignored({"file_path": str(shop / path)}, str(shop))
    assert is_ignored({"command": f"cat {path} | head -3"}, str(shop))


@pytest.mark.parametrize("path", ["example.env", "api/views.py", "README.md", "env", "비밀.txt"])
def test_what_the_rules_do_not_name_is_not(shop: Path, path: str) -> None:
    assert not is_ignored({"file_path": path}, str(shop))
    assert not is_ignored({"command": f"cat {path} | head -3"}, str(shop))


def test_rules_count_from_a_folder_below(shop: Path) -> None:
    assert is_ignored({"file_path": "../prod.env"}, str(shop / "api"))
    assert is_ignored({"path": "dev.env"}, str(shop / "api"))


def test_rules_of_a_folder_count_for_it_alone(shop: Path) -> None:
    (shop / "api" / ".memignore").write_text("draft.md\n")
    assert is_ignored({"file_path": "draft.md"}, str(shop / "api"))
    assert not is_ignored({"file_path": str(shop / "draft.md")}, str(shop / "api"))


@pytest.mark.parametrize(
    "command",
    [
        "cat 'prod.env'",
        'source "prod.env" && make',
        "cp prod.env /tmp/x",
        "docker run --env-file=prod.env x",
    ],
)
def test_a_quoted_or_joined_word_of_a_command_is_a_path_too(shop: Path, command: str) -> None:
    assert is_ignored({"command": command}, str(shop))


def test_above_the_repository_nothing_counts(shop: Path) -> None:
    (shop.parent / ".memignore").write_text("*\n")
    assert not is_ignored({"file_path": "README.md"}, str(shop))


def test_a_file_elsewhere_is_not_below_the_rules(shop: Path) -> None:
    assert not is_ignored({"file_path": "/etc/prod.env"}, str(shop))


@pytest.mark.parametrize("content", [b"\xff\xfe\x00secret", b"a\x00" * 10])
def test_rules_that_cannot_be_read_ignore_everything_below(shop: Path, content: bytes) -> None:
    (shop / ".memignore").write_bytes(b"\xff" + content)
    assert is_ignored({"file_path": "README.md"}, str(shop))


def test_a_pipe_in_their_place_is_not_waited_for(shop: Path) -> None:
    (shop / ".memignore").unlink()
    os.mkfifo(shop / ".memignore")
    assert is_ignored({"file_path": "README.md"}, str(shop))


def test_changed_rules_count_at_once(shop: Path) -> None:
    assert not is_ignored({"file_path": "README.md"}, str(shop))
    (shop / ".memignore").write_text("README.md\n# a longer file\n")
    assert is_ignored({"file_path": "README.md"}, str(shop))


@pytest.mark.parametrize(
    "given", [None, [], 7, {}, {"file_path": 7}, {"command": None}, {"file_path": ""}]
)
def test_odd_input_names_nothing(shop: Path, given: object) -> None:
    assert not is_ignored(given, str(shop))


@pytest.mark.parametrize("cwd", ["", "relative", "C:\\work", "/no/such\0folder"])
def test_folders_of_other_machines_have_no_rules(cwd: str) -> None:
    assert not is_ignored({"file_path": "prod.env"}, cwd)
