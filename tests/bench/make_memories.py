"""A made-up journal of any size for speed tests: the same seed gives the same files.

60 % English, 25 % Korean, 15 % mixed; bodies of 40 to 350 words, 200 files a month folder.

    python tests/bench/make_memories.py FOLDER --count 10000
"""

from __future__ import annotations

import argparse
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memjournal.journal.entry import Entry
from memjournal.journal.ids import mint
from memjournal.journal.memory_file import render_memory
from memjournal.journal.place import MARKER
from memjournal.journal.store import memory_path

_ENGLISH = (
    "session token order refund pool timeout retry cache index parser request handler worker queue"
    " database migration transaction rollback deploy staging production metric alert budget tenant"
    " customer invoice payment webhook signature header cookie browser render layout component test"
    " fixture mock flaky coverage release branch merge conflict review decision because instead"
    " therefore slow fast memory leak profile flame graph latency throughput partition replica lag"
)
_KOREAN = (
    "주문 환불 결제 세션 토큰 캐시 색인 시간초과 재시도 커넥션 풀 고갈 배포 운영 서버 데이터베이스 마이그레이션"
    " 트랜잭션 롤백 알림 지연 처리량 파티션 복제 브라우저 쿠키 서명 검증 테스트 실패 원인 해결 결정 규칙 문서"
    " 코드 리뷰 병합 충돌 메모리 누수 분석 사용자 고객 청구서"
)
_PARTICLES = ("을", "를", "이", "가", "은", "는", "에서", "으로", "에", "도", "까지", "")
_PROJECTS = ("github.com/acme/shop", "github.com/acme/payments", "gitlab.com/acme/infra/deploy")
_TYPES = ("decision", "lesson", "constraint", "note", "spec", "plan")


def make_memories(root: Path, *, count: int, seed: int = 0) -> None:
    """Write *count* memories below *root*, which becomes a journal."""
    root.mkdir(parents=True, exist_ok=True)
    (root / MARKER).touch()
    rng = random.Random(seed)
    start = datetime(2024, 1, 1, 9, tzinfo=UTC)
    for number in range(count):
        entry = make_memory(rng, number, start + timedelta(minutes=97 * number))
        path = root / memory_path(entry)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(render_memory(entry), "utf-8", newline="")


def make_memory(rng: random.Random, number: int, created: datetime) -> Entry:
    """One memory; *number* decides its id and a word that no other has."""
    kind = rng.random()
    words = _english if kind < 0.6 else _korean if kind < 0.85 else _mixed
    return Entry(
        id=mint(f"bench:{number}"),
        kind="fact",
        type=rng.choice(_TYPES),
        title=" ".join(words(rng) for _ in range(rng.randrange(3, 8))),
        body=f"needle{number} " + " ".join(words(rng) for _ in range(rng.randrange(40, 350))),
        created=created,
        project=rng.choice(_PROJECTS),
        tags=tuple(rng.sample(("auth", "db", "ui", "ci", "결제", "검색"), rng.randrange(3))),
    )


def _english(rng: random.Random) -> str:
    words = _ENGLISH.split()
    word = words[min(int(rng.expovariate(1 / 18)), len(words) - 1)]
    return word if rng.random() < 0.9 else f"{word}_{rng.choice(words)}{rng.randrange(400)}"


def _korean(rng: random.Random) -> str:
    words = _KOREAN.split()
    return words[min(int(rng.expovariate(1 / 12)), len(words) - 1)] + rng.choice(_PARTICLES)


def _mixed(rng: random.Random) -> str:
    return _english(rng) if rng.random() < 0.5 else _korean(rng)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=10_000)
    given = parser.parse_args()
    make_memories(given.folder, count=given.count)


if __name__ == "__main__":
    main()
