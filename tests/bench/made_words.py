"""Made-up words that behave as words do: a few are everywhere, and every text brings new ones.

A word is a rank. Ranks below ``_N_COMMON`` follow Zipf's law; a share of the words lies beyond, where
the law falls more steeply, so that the vocabulary grows with the text as Heaps found it: about as
the 0.7th power of its length. The same random numbers give the same words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

import numpy as np

_ENGLISH: Final = (
    "the to of a in and is for we it that on not with when this was be as session token order refund"
    " pool timeout retry cache index parser request handler worker queue database migration"
    " transaction rollback deploy staging production metric alert budget tenant customer invoice"
    " payment webhook signature header cookie browser render layout component test fixture mock flaky"
    " coverage release branch merge conflict review decision because instead therefore slow fast"
    " memory leak profile flame graph latency throughput partition replica lag"
)
_KOREAN: Final = (
    "주문 환불 결제 세션 토큰 캐시 색인 시간초과 재시도 커넥션 풀 고갈 배포 운영 서버 데이터베이스 마이그레이션"
    " 트랜잭션 롤백 알림 지연 처리량 파티션 복제 브라우저 쿠키 서명 검증 테스트 실패 원인 해결 결정 규칙 문서"
    " 코드 리뷰 병합 충돌 메모리 누수 분석 사용자 고객 청구서 왜 그래서 이렇게 다시 먼저 모두"
)
_COMMON_ENGLISH: Final = _ENGLISH.split()
_COMMON_KOREAN: Final = _KOREAN.split()
_PARTICLES: Final = ("", "", "", "을", "를", "이", "가", "은", "는", "에서", "으로", "도")
_ONSETS: Final = "b br c ch d dr f fl g gr h j k l m n p pl pr qu r s sh st t th tr v w z"
_VOWELS: Final = "a e i o u ai ea ou"
_SYLLABLES: Final = [onset + vowel for onset in _ONSETS.split() for vowel in _VOWELS.split()]
_ENDINGS: Final = ("", "", "n", "r", "s", "ing", "ed", "tion", "er", "ly", "able", "ment")
_HANGUL: Final = (
    "가각간감강개거건검결경계고공과관구국군권규기김나난남내노다단대도동등라락란량력로론료류리마만면명모목무문물"
    "미민반발방배백번법변별보복본부분비사산상생서석선설성세소속손수순술스시식신실심아안암양어업여역연영예"
)
_ERRORS: Final = ("TypeError", "ECONNRESET", "ValueError", "KeyError", "ETIMEDOUT", "OOMKilled")

_N_COMMON: Final = 3_000
_RARE: Final = 0.12  # of all words
_TAIL: Final = 0.6  # the power of the vocabulary's growth
_SHARES: Final = np.cumsum(1 / (np.arange(_N_COMMON) + 2.7))  # Mandelbrot's shift
_CUMULATED: Final = _SHARES / _SHARES[-1]
_MAX_RANK: Final = 5_000_000

Word = Callable[[int, float], str]  # of a rank and a number between 0 and 1


def ranks(rng: np.random.Generator, n: int) -> list[int]:
    """*n* words of a text, by rank."""
    common = np.searchsorted(_CUMULATED, rng.random(n))
    rare = _N_COMMON * rng.random(n) ** (-1 / _TAIL)
    chosen = np.where(rng.random(n) < _RARE, np.minimum(rare, _MAX_RANK), common)
    return [int(rank) for rank in chosen.tolist()]


@lru_cache(maxsize=300_000)
def _english_word(rank: int) -> str:
    if rank < len(_COMMON_ENGLISH):
        return _COMMON_ENGLISH[rank]
    rest, ending = divmod(_mix(rank), len(_ENDINGS))
    return _spell(rest, _SYLLABLES) + _ENDINGS[ending]


@lru_cache(maxsize=300_000)
def _korean_word(rank: int) -> str:
    if rank < len(_COMMON_KOREAN):
        return _COMMON_KOREAN[rank]
    return _spell(rank, _HANGUL)


def _mix(rank: int) -> int:
    """Another number for each, so that neighbours look different."""
    return rank * 2_654_435_761 % 2**23


def _spell(number: int, syllables: Sequence[str]) -> str:
    """A word of at least two syllables, another one for each number."""
    spelled: list[str] = []
    while number or len(spelled) < 2:
        number, place = divmod(number, len(syllables))
        spelled.append(syllables[place])
    return "".join(spelled)


def english(rank: int, chance: float) -> str:
    """An English word, or now and then an identifier made of it."""
    word = _english_word(rank)
    if chance < 0.95:
        return word
    other = _COMMON_ENGLISH[20 + int(chance * 1e6) % (len(_COMMON_ENGLISH) - 20)]
    return f"{word}_{other}" if chance < 0.975 else f"{other}{word.capitalize()}{rank % 400}"


def korean(rank: int, chance: float) -> str:
    """A Korean word with its particle."""
    return _korean_word(rank) + _PARTICLES[int(chance * len(_PARTICLES))]


def mixed(rank: int, chance: float) -> str:
    """A word of either language: which one goes by its rank."""
    return (english if rank % 2 else korean)(rank, chance)


def line(rng: np.random.Generator, word: Word, n: int) -> str:
    """*n* words."""
    return " ".join(map(word, ranks(rng, n), rng.random(n).tolist()))


def text(rng: np.random.Generator, word: Word, n: int) -> str:
    """*n* words in sentences and paragraphs; with an error line in one text of four."""
    words = list(map(word, ranks(rng, n), rng.random(n).tolist()))
    sentences = [" ".join(words[start : start + 12]) + "." for start in range(0, n, 12)]
    paragraphs = [" ".join(sentences[start : start + 5]) for start in range(0, len(sentences), 5)]
    if rng.random() < 0.25:
        paragraphs.insert(1, f"    {error_line(rng)}")
    return "\n\n".join(paragraphs)


def error_line(rng: np.random.Generator) -> str:
    """A line as programs print it when they fail."""
    name = _ERRORS[int(rng.integers(len(_ERRORS)))]
    file = "/".join(_english_word(rank) for rank in ranks(rng, 2))
    code, place = int(rng.integers(10_000)), int(rng.integers(1, 900))
    return f"{name} [E{code:04}]: {line(rng, english, 5)} at src/{file}.ts:{place}"
