"""Secrets planted in every field of a transcript: after an import no file of the journal holds them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..git_by_hand import git
from ..journal.redaction.planted import (
    BY_SHAPE,
    KEYED_ENGLISH,
    KEYED_KOREAN,
    drawn,
    telling_parts,
)

if TYPE_CHECKING:
    from .conftest import World

SESSION = "7d9f2c1e-0000-4000-8000-00000000000a"


def planted_sentences() -> Iterator[tuple[str, list[str]]]:
    """A sentence with a secret, and what may not be left of it."""
    for make in BY_SHAPE.values():
        secret = make()
        yield f"이 값으로 배포했는데 실패했어: {secret} please check", telling_parts(secret)
    for wording in KEYED_ENGLISH + KEYED_KOREAN:
        secret = drawn(18) + "!7"
        yield wording.format(secret), [secret]
    for opening, closing in (
        ("<private>", "</private>"),
        ("[private]", "[/private]"),
        ("<!-- private -->", "<!-- /private -->"),
        ("<private>", ""),
    ):
        secret = drawn(14)
        yield f"우리끼리 이야기 {opening}the plan is {secret}{closing}", [secret]


def records(sentence: str, number: int) -> Iterator[dict[str, object]]:
    """The sentence in each field that an import keeps something of."""
    common: dict[str, object] = {
        "sessionId": SESSION,
        "cwd": "/home/dev/shop",
        "gitBranch": sentence,
    }
    at = f"2026-03-02T09:{number // 60:02}:{number % 60:02}.000Z"

    def user(part: str, content: object, **more: object) -> dict[str, object]:
        message = {"role": "user", "content": content}
        own = {"type": "user", "uuid": f"u{number}-{part}", "timestamp": at, "message": message}
        return common | own | more

    def assistant(part: str, block: dict[str, object]) -> dict[str, object]:
        message = {"id": f"m{number}-{part}", "role": "assistant", "content": [block]}
        own = {"type": "assistant", "uuid": f"a{number}-{part}", "timestamp": at}
        return common | own | {"message": message}

    yield user("prompt", sentence)
    yield assistant("answer", {"type": "text", "text": sentence})
    inputs: dict[str, dict[str, object]] = {
        "Bash": {"command": f"echo '{sentence}'", "description": sentence},
        "Write": {"file_path": f"/home/dev/shop/{sentence}.txt", "content": sentence},
        "Edit": {"file_path": "/home/dev/shop/a.py", "old_string": sentence, "new_string": "x"},
        "mcp__notes__save": {"note": {"text": [sentence], "password": sentence}},
        "AskUserQuestion": {"questions": [{"question": sentence, "options": []}]},
        "TodoWrite": {"todos": [{"content": sentence, "status": "pending"}]},
    }
    for name, given in inputs.items():
        call = f"toolu_{number}_{name}"
        yield assistant(name, {"type": "tool_use", "id": call, "name": name, "input": given})
        result = {"type": "tool_result", "tool_use_id": call, "content": sentence}
        failed = {"is_error": name == "Bash"}
        data = {"stdout": sentence, "stderr": sentence}
        yield user(name, [result | failed], toolUseResult=data)
    queued: dict[str, object] = {
        "type": "queue-operation",
        "operation": "enqueue",
        "content": f"queued {sentence}",
    }
    yield queued | {"sessionId": SESSION, "timestamp": at}
    yield {"type": "custom-title", "customTitle": sentence, "sessionId": SESSION}
    yield user("summary", sentence, isCompactSummary=True)


def test_a_secret_in_the_name_of_a_folder_or_file_is_not_written(
    world: World, tmp_path: Path
) -> None:
    secrets = [BY_SHAPE["github classic"](), BY_SHAPE["gitlab"](), BY_SHAPE["npm"]()]
    folder = tmp_path / "projects" / f"-srv-{secrets[0]}"
    folder.mkdir(parents=True)
    message = {"role": "user", "content": "무엇이 문제일까?"}
    record = {"type": "user", "uuid": secrets[2], "sessionId": secrets[1], "message": message}
    place = {"cwd": f"/srv/{secrets[0]}", "timestamp": "2026-03-02T09:00:00.000Z"}
    (folder / f"{secrets[1]}.jsonl").write_text(json.dumps(record | place) + "\n", "utf-8")
    world.ok("init")
    for _ in range(2):
        world.ok("import", "--all", "--from", str(tmp_path / "projects"))
    assert len(world.ok("history", "--json").objects) == 1
    history = git(world.journal, "log", "--all", "--patch", "--format=%B").encode()
    texts = {**world.files(), "git's history": history}
    assert [
        (secret, path)
        for secret in secrets
        for path, data in texts.items()
        if secret.encode() in data or secret in path
    ] == []


def test_no_secret_is_left_in_any_file(world: World, tmp_path: Path) -> None:
    planted = list(planted_sentences())
    folder = tmp_path / "projects" / "-home-dev-shop"
    folder.mkdir(parents=True)
    with open(folder / f"{SESSION}.jsonl", "w", encoding="utf-8") as stream:
        for number, (sentence, _) in enumerate(planted):
            stream.writelines(
                json.dumps(record, ensure_ascii=False) + "\n"
                for record in records(sentence, number)
            )
    world.ok("init")
    ran = world.ok("import", "--all", "--from", str(tmp_path / "projects"))
    for sentence, _ in planted[:5]:
        world.ok("add", sentence, "--type", "note")
    world.ok("index")
    history = git(world.journal, "log", "--all", "--patch", "--format=%B").encode()
    texts = {
        **{path: data for path, data in world.files(world.home).items()},
        "git's history": history,
        "what the import printed": (ran.out + ran.err).encode(),
    }
    left = [
        (part, path)
        for _, parts in planted
        for part in parts
        for path, data in texts.items()
        if part.encode() in data
    ]
    assert left == []
    assert any("redacted=" in data.decode("utf-8", "ignore") for data in texts.values())
    assert len([path for path in texts if path.startswith("memjournal/sessions/")]) == 1
