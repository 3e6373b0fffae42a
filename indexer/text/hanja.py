"""How Han characters are read in Korean: ``設定`` is ``설정``.

KS X 1001 lists its 4,888 Han characters in the order of their readings, and Python knows that list as
``euc_kr``; so it is enough to say how many of them each reading has. Checked against a dictionary of
readings, the order agrees for every character but those that the standard lists under a second one.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

_READINGS: Final = """
가29 각11 간24 갈10 감20 갑6 강24 개20 객2 갱4 갹1 거17 건12 걸4 검7 겁3 게3 격7
견11 결6 겸6 경45 계24 고39 곡7 곤10 골3 공17 과13 곽3 관17 괄4 광13 괘3 괴9 굉4
교25 구54 국6 군6 굴4 궁6 권10 궐5 궤7 귀5 규15 균7 귤1 극7 근16 금14 급7 긍4
기64 긴1 길5 끽1 나23 난9 날2 남9 납5 낭7 내7 녀1 년3 념4 녕2 노25 농7 뇌6 뇨9 눈1
눌1 뉴5 능6 니2 닉2 다2 단20 달5 담17 답5 당11 대17 덕2 도40 독10 돈10 돌2 동17
두11 둔6 득1 등9 라9 락10 란8 랄2 람10 랍3 랑8 래4 랭1 략2 량13 려18 력7 련12 렬6
렴5 렵1 령18 례5 로18 록7 론1 롱7 뢰8 료12 룡1 루13 류14 륙3 륜6 률4 륭1 륵2 름1
릉6 리26 린9 림5 립4 마8 막6 만19 말7 망12 매14 맥5 맹6 멱2 면11 멸2 명15 몌1
모24 목7 몰2 몽3 묘12 무22 묵2 문12 물3 미19 민13 밀3 박19 반25 발11 방28 배20
백8 번10 벌4 범9 법2 벽12 변6 별4 병17 보16 복17 본1 볼1 봉17 부42 북1 분19 불5
붕6 비43 빈14 빙4 사60 삭4 산12 살5 삼8 삽4 상31 새5 색3 생5 서30 석15 선32 설13
섬8 섭4 성18 세9 소37 속9 손6 솔1 송8 쇄5 쇠2 수61 숙12 순27 술4 숭3 슬3 습5 승10
시28 식15 신24 실4 심10 십3 쌍1 씨1 아18 악14 안10 알4 암8 압4 앙7 애11 액7 앵4
야11 약9 양31 어10 억5 언6 얼2 엄6 업2 엔1 여24 역13 연43 열10 염15 엽4 영40
예24 오30 옥5 온6 올1 옹9 와8 완18 왈1 왕5 왜4 외5 요38 욕6 용24 우32 욱9 운13
울3 웅2 원27 월3 위25 유56 육7 윤13 율5 융5 은7 을1 음6 읍3 응4 의19 이38 익8
인24 일9 임11 입5 잉4 자26 작13 잔5 잠6 잡1 장37 재17 쟁4 저28 적25 전41 절8 점9
접3 정55 제23 조46 족4 존2 졸3 종17 좌5 죄1 주40 죽2 준19 줄1 중4 즉1 즐1 즙3
증11 지34 직5 진35 질15 짐3 집6 징3 차15 착7 찬15 찰5 참10 창22 채12 책4 처4
척15 천19 철10 첨10 첩10 청9 체9 초27 촉6 촌4 총10 촬1 최3 추23 축12 춘3 출3 충6
췌4 취14 측5 층1 치24 칙3 친1 칠3 침9 칩1 칭2 쾌1 타14 탁16 탄10 탈2 탐4 탑3 탕5
태14 택3 탱1 터1 토4 통7 퇴6 투6 특2 틈1 파16 판9 팔3 패11 팽4 퍅1 편10 폄1 평5
폐10 포28 폭6 표14 품2 풍5 피7 필10 핍2 하14 학5 한14 할2 함12 합7 항17 해18 핵2
행5 향9 허4 헌4 헐1 험2 혁4 현21 혈4 혐1 협12 형20 혜9 호41 혹3 혼6 홀3 홍10 화14
확6 환17 활5 황24 회20 획2 횡3 효13 후13 훈10 훙1 훤4 훼3 휘8 휴5 휼3 흉5 흑1 흔4
흘4 흠3 흡4 흥1 희20 힐1
"""
"""Each reading and how many characters in a row have it."""
_FIRST_SYLLABLE: Final = 0xAC00
_N_OF_INITIAL: Final = 588  # syllables with one initial consonant
_NIEUN, _RIEUL, _IEUNG = 2, 5, 11
_Y_VOWELS: Final = frozenset(
    {2, 3, 6, 7, 12, 17, 20}
)  # those that an initial n or l is lost before


def reading_of(run: str) -> str:
    """How the word *run* of Han characters is read; "" if one of them is not a Korean one."""
    table = _table()
    if any(char not in table for char in run):
        return ""
    reading = "".join(table[char] for char in run)
    return _as_first(reading[0]) + reading[1:] if reading else ""


@lru_cache(maxsize=1)
def _table() -> dict[str, str]:
    rows = (bytes((row, cell)) for row in range(0xCA, 0xFE) for cell in range(0xA1, 0xFF))
    characters = [pair.decode("euc_kr") for pair in rows]
    readings = [part[0] for part in _READINGS.split() for _ in range(int(part[1:]))]
    table = dict(zip(characters, readings, strict=True))
    # second readings stand at compatibility characters, which are the first ones once normalised
    return {char: one for char, one in table.items() if unicodedata.normalize("NFKC", char) == char}


def _as_first(syllable: str) -> str:
    """*syllable* as it is written at the beginning of a word (``녀자`` -> ``여자``)."""
    initial, rest = divmod(ord(syllable) - _FIRST_SYLLABLE, _N_OF_INITIAL)
    if initial in (_NIEUN, _RIEUL) and rest // 28 in _Y_VOWELS:
        initial = _IEUNG
    elif initial == _RIEUL:
        initial = _NIEUN
    return chr(_FIRST_SYLLABLE + initial * _N_OF_INITIAL + rest)
