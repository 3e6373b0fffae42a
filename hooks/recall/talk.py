"""Words that stand in every answer of a coding assistant, whatever it is about: they prove nothing.

Written down after counting: of English words those in at least one of thirty answers of 273 real sessions
in one repository, without that repository's own; of Korean ones the same of 415 texts on programming.
Without them, what one answer says is found in another of the same project by chance up to twelve times
less often (docs/recall-use.md, tests/bench/use_by_chance.py). Function words are the analyzer's
business, and not repeated here.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from ...indexer.text.analysis import document_terms

_ENGLISH: Final = """
    actual actually add added adding address also always answer appear apply approach available back base
    behavior better block build call called case catch cause change changed check clear clearly code command
    comment complete completed confirm contain content context correct correctly count create created current
    currently data default delete design detail detect different directly done edit else end ensure error
    everything exact exactly example exist exists expect expected explain explore extract fail failed failing
    failure fallback false file final finally find first fix fixed follow format found full function generate
    get getting go going good great handle handling happen happens help here id implement implementation
    implemented import include instead issue just keep key last let like likely line list logic look looking
    main make made match mean message method missing modify multiple name need needs new next note nothing now
    number okay old one only open option original output pass passed pattern perfect place please point problem
    process proper properly question read ready real reference remain remove removed replace require required
    respond response result return returns review right run running same save scenario search second section
    see separate set show shows simple simply single something sorry specific start started step still stop
    string suite summary support sure take task test thing things think three time tool tried trigger true try
    two type understand unit update updated use used using value verify version want way well work working
    works write writing written wrong yes
"""
_CODE: Final = """
    args assert async await bool boolean catch class com const constructor def dict elif enum err export extends
    float func html http https impl int interface js json lambda md none null object package print private public
    py raise self static str struct switch this throw ts tsx undefined var void www
"""
_KOREAN: Final = """
    가능 가지 결과 결정 구현 그대로 기능 기본 내부 내용 다른 다음 동일 동작 로직 많은 만들 말씀 먼저 모든 목록 문제 반환 발생
    방법 방식 변경 부분 사용 상태 새로운 생성 설명 설정 수정 수행 시간 시작 실행 아래 여러 연결 예시 오류 완료 원인 의미 이름
    이유 이전 이제 일반 일부 작성 작업 적용 전체 정리 정의 제거 제공 지원 지정 직접 진행 처리 처음 추가 추천 코드 테스트 특정
    파일 포함 표시 필요 하나 함수 항목 해결 해당 현재 호출 확인
"""


@cache
def common_terms() -> frozenset[str]:
    """The terms of these words, as the analyzer makes them."""
    return frozenset(document_terms(_ENGLISH + _CODE)) | _korean_terms()


def _korean_terms() -> frozenset[str]:
    """Pairs of syllables alone: a single one stands for more words than are meant."""
    return frozenset(term for term in document_terms(_KOREAN) if len(term) > 1)
