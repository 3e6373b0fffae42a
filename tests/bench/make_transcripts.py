"""Big made-up Claude Code transcripts for speed tests: the same seed gives the same bytes.

The mix of line types and their sizes follow the counts in 207 real sessions: of 100 lines, 41
assistant, 22 user (20 of them tool results), 32 progress, 3 snapshots, 2 system.

    python tests/bench/make_transcripts.py FOLDER --sessions 3 --megabytes 100
"""

from __future__ import annotations

import argparse
import json
import random
import uuid
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

PROMPTS = (
    "결제 테스트가 가끔 실패하는데 원인 좀 찾아줘",
    "Why does the order endpoint time out under load?",
    "커넥션 풀 크기를 설정 파일로 빼줘",
    "Rotate refresh tokens on every use and add a test",
    "이 함수 이름이 헷갈린다. 더 나은 이름을 제안해줘",
    "Split this module, it does two things",
)
REPLIES = (
    "원인은 커넥션이 반환되지 않는 경로입니다. `finally`에서 닫도록 고치겠습니다.",
    "The retry hides the first error. I will let it surface and log the cause.",
    "테스트를 먼저 추가하고, 실패를 확인한 다음 고치겠습니다.",
    "I'll look at how the session is refreshed before changing anything.",
)
_WORDS = (
    "session token order refund pool timeout retry cache index parser 주문 환불 결제 세션 토큰 캐시"
    " 인덱스 시간초과 재시도 src/app/orders.py tests/test_orders.py assert return None await def"
)
WORDS = _WORDS.split()


def make_transcript(path: Path, *, size_bytes: int, seed: int = 0) -> int:
    """Write a transcript of at least *size_bytes* and return its number of lines."""
    n_lines, n_bytes = 0, 0
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        for record in make_records(random.Random(seed), session=path.stem):
            line = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            file.write(line)
            n_lines += 1
            n_bytes += len(line)
            if n_bytes >= size_bytes:
                return n_lines
    raise AssertionError("the records never end")


def make_records(rng: random.Random, *, session: str) -> Iterator[dict[str, object]]:
    """Records of one session, without end."""
    clock = datetime(2026, 3, 2, 9, tzinfo=UTC)
    parent: str | None = None

    def common(kind: str) -> dict[str, object]:
        nonlocal clock, parent
        clock += timedelta(milliseconds=rng.randrange(100, 9_000))
        own = str(uuid.UUID(int=rng.getrandbits(128), version=4))
        record: dict[str, object] = {
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/dev/shop",
            "sessionId": session,
            "version": "2.1.40",
            "gitBranch": "main",
        }
        if kind != "assistant":  # as the program orders its keys
            record["type"] = kind
        record["uuid"] = own
        record["timestamp"] = clock.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        parent = own
        return record

    def reply(message: str, block: Mapping[str, object]) -> dict[str, object]:
        content = {"model": "claude-opus-4-6", "id": message, "type": "message"}
        usage = {"input_tokens": 3, "output_tokens": rng.randrange(900)}
        body = content | {"role": "assistant", "content": [block], "usage": usage}
        return common("assistant") | {"message": body, "type": "assistant"}

    while True:
        yield common("user") | {"message": {"role": "user", "content": rng.choice(PROMPTS)}}
        yield {"type": "file-history-snapshot", "messageId": parent, "snapshot": _backups(rng)}
        for _ in range(rng.randrange(4, 14)):
            message = f"msg_{rng.getrandbits(80):020x}"
            thinking = {"type": "thinking", "thinking": _words(rng, 60), "signature": "x" * 400}
            yield reply(message, thinking)
            if rng.random() < 0.4:
                yield reply(message, {"type": "text", "text": rng.choice(REPLIES)})
            call = f"toolu_{rng.getrandbits(80):020x}"
            name, given = _call(rng)
            yield reply(message, {"type": "tool_use", "id": call, "name": name, "input": given})
            for n in range(rng.randrange(4)):
                data = {"type": "bash_progress", "output": _words(rng, 120), "elapsed": n}
                yield common("progress") | {"data": data, "toolUseID": call}
            output = _words(rng, rng.choice((10, 60, 400, 1_200)))
            result = {"tool_use_id": call, "type": "tool_result", "content": output}
            data = {"stdout": output, "stderr": "", "interrupted": False}
            body = {"role": "user", "content": [result]}
            yield common("user") | {"message": body, "toolUseResult": data}
        yield reply(f"msg_{rng.getrandbits(80):020x}", {"type": "text", "text": _answer(rng)})
        yield common("system") | {"subtype": "turn_duration", "durationMs": rng.randrange(90_000)}


def _call(rng: random.Random) -> tuple[str, dict[str, object]]:
    name = rng.choice(("Bash", "Bash", "Read", "Edit", "Grep"))
    path = f"/home/dev/shop/src/app/orders_{rng.randrange(40)}.py"
    match name:
        case "Bash":
            return name, {"command": "pytest -k orders -x", "description": "Run the order tests"}
        case "Read":
            return name, {"file_path": path, "offset": 1, "limit": 200}
        case "Edit":
            old, new = _words(rng, 60), _words(rng, 70)
            return name, {"file_path": path, "old_string": old, "new_string": new}
    return name, {"pattern": rng.choice(WORDS), "path": "/home/dev/shop"}


def _backups(rng: random.Random) -> dict[str, object]:
    names = (f"src/app/orders_{n}.py" for n in range(rng.randrange(1, 20)))
    return {"trackedFileBackups": {name: {"version": 1, "backupFileName": None} for name in names}}


def _answer(rng: random.Random) -> str:
    return "\n\n".join(rng.choice(REPLIES) for _ in range(rng.randrange(2, 6)))


def _words(rng: random.Random, n: int) -> str:
    return "".join(word + (" " if rng.random() < 0.9 else "\n") for word in rng.choices(WORDS, k=n))


def main() -> None:
    """Write the transcripts and print what was written."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sessions", type=int, default=1)
    parser.add_argument("--megabytes", type=float, default=100.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for n in range(options.sessions):
        name = uuid.UUID(int=random.Random(options.seed + n).getrandbits(128), version=4)
        path = options.folder / "-home-dev-shop" / f"{name}.jsonl"
        size_bytes = int(options.megabytes * 1e6)
        n_lines = make_transcript(path, size_bytes=size_bytes, seed=options.seed + n)
        print(f"{path}: {n_lines:,} lines, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
