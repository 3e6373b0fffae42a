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


@pytest.fixture
def bakery(tmp_path: Path) -> Path:
    """A project whose rules name files that are there."""
    bakery = tmp_path / "bakery"
    (bakery / ".git").mkdir(parents=True)
    (bakery / "deep").mkdir()
    (bakery / "sub" / "hidden").mkdir(parents=True)
    (bakery / "sub" / "hidden" / "x").write_text("x")
    (bakery / ".memignore").write_text("secret*\n/sub/hidden/\n비밀*\n*.pem\n", "utf-8")
    (bakery / "secret.env").write_text("x")
    (bakery / "비밀.txt").write_text("x")
    (bakery / "plain.txt").write_text("x")
    (bakery / "lnk").symlink_to("secret.env")
    (bakery / "deep" / "way").symlink_to("../sub")
    return bakery


@pytest.mark.parametrize(
    "given",
    [
        {"paths": ["plain.txt", "secret.env"]},
        {"filename": "secret.env"},
        {"source": "a", "destination": "비밀.txt"},
        {"targetFile": "deep/../secret.env"},
        {"uri": "file://{here}/%EB%B9%84%EB%B0%80.txt"},
        {"files": [{"path": "secret.env"}]},
        {"files": {"secret.env": "x"}},
        {"edits": [{"changes": [{"file_path": "비밀.txt"}]}]},
        {"path": "lnk"},
        {"path": "deep/way/hidden/x"},
        {"command": ["make", "secret.env"]},
    ],
)
def test_a_path_is_known_in_whichever_field_it_stands(
    bakery: Path, given: dict[str, object]
) -> None:
    uri = given.get("uri")
    if isinstance(uri, str):
        given = {"uri": uri.replace("{here}", str(bakery))}
    assert is_ignored(given, str(bakery))


@pytest.mark.parametrize(
    "command",
    [
        "cd deep && make ../secret.env",
        "cd deep && cat ../비밀.txt",
        "cd sub && make hidden/x",
        "make -C sub hidden/x",
        'cd "$PWD/sub" && make hidden/x',
        'cd "$X" && make ../secret.env',
        'make "$PWD/secret.env"',
        'make "$PWD"/sub/hidden/x',
        "make ${X}secret.env",
        "make $X/secret.env",
        "make --f=secret.env",
        "make host:secret.env",
        "make @secret.env",
        "make {a,secret.env}",
        "make {a,secr}et.env",
        "make {a,비밀}.txt",
        "make se''cret.env",
        "make sec\\ret.env",
        "make 'secret.env'",
        "make <secret.env",
        "make\tsecret.env,x",
        "sh -c 'make secret.env'",
        "bash -lc 'cd sub && make hidden/x'",
        "python3 - <<EOF\nopen('secret.env')\nEOF",
        "make s*cret.env",
        "cat */hid?en/x",
        "cat 비*.txt",
        "make lnk",
        "cat deep/way/hidden/x",
    ],
)
def test_a_command_names_a_file_in_whichever_way(bakery: Path, command: str) -> None:
    assert is_ignored({"command": command}, str(bakery))


@pytest.mark.parametrize(
    "given",
    [
        {"command": "cd deep && make ../plain.txt"},
        {"command": "cat p*.txt d*/*"},
        {"command": "cat {a,b}.txt @plain.txt --f=plain.txt"},
        {"command": "git commit -m 'keep it in plain.txt'"},
        {"command": "cd hidden && make x"},
        {"command": "curl https://example.com/x/secret.env"},
        {"url": "https://example.com/x/secret.env"},
        {"query": "secret", "content": "비밀"},
    ],
)
def test_what_only_looks_like_it_is_kept(bakery: Path, given: dict[str, object]) -> None:
    assert not is_ignored(given, str(bakery))


def test_a_link_to_the_project_has_its_rules(bakery: Path) -> None:
    link = bakery.parent / "link"
    link.symlink_to(bakery)
    assert is_ignored({"path": str(bakery / "secret.env")}, str(link))
    assert is_ignored({"path": str(link / "secret.env")}, str(bakery))


def test_nothing_is_looked_up_where_no_rules_are(bakery: Path) -> None:
    (bakery / ".memignore").unlink()
    assert not is_ignored({"path": "lnk", "command": "cat s*"}, str(bakery))


def test_a_pattern_for_the_whole_disk_ends(bakery: Path) -> None:
    assert not is_ignored({"command": "ls /*/*/*/*/*/*.nothing"}, str(bakery))


def test_a_command_of_a_hundred_thousand_words_ends(bakery: Path) -> None:
    words = " ".join(f"w{number}" for number in range(100_000))
    assert not is_ignored({"command": f"echo {words}"}, str(bakery))
    assert is_ignored({"command": f"echo {words} secret.env"}, str(bakery))
