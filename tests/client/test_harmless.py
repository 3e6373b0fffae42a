"""Hooks keep secrets, can be turned off and taken out, and never show in the client's own work."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ..journeys.conftest import World
from .client import Client
from .conftest import SETTINGS, git, memories, settings_of
from .model_api import Says, bash

# None of these was ever valid anywhere; they are put together here so that no scanner takes them for real.
SECRETS = [
    "sk-ant-" + "api03-" + "Zq7Jw2Kd9Xv4Mb8Tn3Rf6Yh1Pc5Lg0Ae",
    "ghp_" + "a9B8c7D6e5F4g3H2i1J0k9L8m7N6o5P4q3R2",
    "AKIA" + "Z7QWERTY4UIOPA5X",
    "hunter2-" + "뱀장어-9931",
    "c0nnect-" + "me-7741",
]
TYPED = f"열쇠는 {SECRETS[0]} 이고 비밀번호: {SECRETS[3]} 입니다. token={SECRETS[1]}"


def leaks(world: World) -> list[tuple[str, str]]:
    """Secrets and where they stand: in the journal, in what is kept beside it, in git's objects."""
    folders = [
        world.journal,
        *(Path(world.environ[f"XDG_{kind}_HOME"]) for kind in ("CONFIG", "CACHE", "STATE")),
    ]
    paths = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    found = [
        (secret, str(path))
        for path in paths
        for secret in SECRETS
        if secret.encode() in path.read_bytes()
    ]
    objects = git(world.journal, "cat-file", "--batch", "--batch-all-objects", "--buffer")
    assert b"connection failed" in objects, "it is the whole that is looked through"
    return found + [(secret, "git") for secret in SECRETS if secret.encode() in objects]


def test_no_secret_gets_into_files_logs_or_commits(client: Client) -> None:
    (client.project / "Makefile").write_text(
        f"refund:\n\t@echo 'connection failed: postgres://shop:{SECRETS[4]}@db/shop'; exit 1\n",
        encoding="utf-8",
    )
    client.model.on(
        "열쇠는",
        [bash(f"make refund AWS_KEY={SECRETS[2]}")],
        [Says(f"I used {SECRETS[2]} and `Authorization: Bearer {SECRETS[1]}`.")],
    )
    client.model.summary = f"<summary>열쇠는 {SECRETS[0]}</summary>"
    session = client.say(TYPED).session
    client.say("/compact", session=session)
    assert "connection failed" in client.world.ok("export").out
    client.world.ok("import", "--all", "--from", str(client.projects))
    client.world.mem("daemon", "stop")  # what it still had to write is written now
    assert leaks(client.world) == []


def test_turned_off_they_leave_nothing(client: Client) -> None:
    client.model.on("아무 말", [bash("make refund")], [Says("네.")])
    off = client.with_environ(MEMJOURNAL_HOOKS="off")
    assert off.say("아무 말이나").text == "네."
    assert memories(client.world) == []
    assert "memory-context" not in client.model.asked[-1].text


def test_installed_twice_and_taken_out_the_settings_are_as_before(bare: Client) -> None:
    bare.world.ok("hooks", "install", "--agent", "claude-code")
    installed = bare.settings.read_bytes()
    bare.world.ok("hooks", "install", "--agent", "claude-code")
    assert bare.settings.read_bytes() == installed
    hooks = settings_of(bare)["hooks"]
    assert isinstance(hooks, dict) and {"SessionStart", "UserPromptSubmit", "Stop"} <= set(hooks)
    bare.model.on("안녕", [Says("안녕하세요.")])
    said = bare.say("안녕")
    assert "true" in [ran.command for ran in said.hooks]  # the one that was there before
    assert [one.body for one in memories(bare.world)] == ["안녕", "안녕하세요."]
    bare.world.ok("hooks", "uninstall", "--agent", "claude-code")
    assert bare.settings.read_bytes() == SETTINGS.encode()
    assert [ran.command for ran in bare.say("안녕").hooks] == ["true"]
    assert len(memories(bare.world)) == 2


def _missing(journal: Path) -> None:
    shutil.rmtree(journal)


def _a_file_in_its_place(journal: Path) -> None:
    shutil.rmtree(journal)
    journal.write_text("no journal\n", encoding="utf-8")


def _sessions_not_to_be_written(journal: Path) -> None:
    shutil.rmtree(journal / "sessions", ignore_errors=True)
    (journal / "sessions").write_text("no folder\n", encoding="utf-8")


def _read_only(journal: Path) -> None:
    for path in (journal, *journal.rglob("*")):
        if path.is_dir():
            path.chmod(0o500)


@pytest.mark.parametrize(
    "spoil", [_missing, _a_file_in_its_place, _sessions_not_to_be_written, _read_only]
)
def test_the_client_does_not_notice_a_journal_that_cannot_be_written(
    client: Client, spoil: Callable[[Path], None]
) -> None:
    spoil(client.world.journal)
    client.model.on(
        "테스트를 돌려", [bash("make test")], [bash("make refund")], [Says("하나가 실패합니다.")]
    )
    said = client.say("테스트를 돌려 줘")
    client.say("/compact", session=said.session)
    assert (said.code, said.text, said.err) == (0, "하나가 실패합니다.", "")
    assert {ran.status for ran in said.hooks} == {0}
    assert {"SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"} <= {
        ran.event for ran in said.hooks
    }
    assert "Traceback" not in client.model.asked[-1].text
    for path in (client.world.journal, *client.world.journal.rglob("*")):
        if path.is_dir():
            path.chmod(0o700)
