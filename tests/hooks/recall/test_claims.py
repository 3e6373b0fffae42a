"""A statement gives way to a later one about the same, and to one that turns it down; others stand beside it."""

from __future__ import annotations

import pytest

from memjournal.hooks.recall.claims import choice_in, claim_of, overrules
from memjournal.hooks.recall.sentences import sentences_of


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        # about the same
        ("앞으로 커밋 메시지는 한국어로 쓰자", "커밋 메시지는 이제부터 영어로 쓰자"),
        ("커밋 메시지는 한국어로 쓰자", "커밋 메시지는 영어로 쓴다"),
        (
            "에러 메시지는 항상 영어로 써줘",
            "에러 메시지는 앞으로 한국어로 보여주자, 고객이 한국인이야",
        ),
        ("버튼 색은 파랑으로 하기로 했습니다", "버튼 색을 빨강으로 바꾸자"),
        ("never use semicolons", "always use semicolons"),
        ("we decided to keep the REST API and drop GraphQL", "drop the REST API, keep GraphQL"),
        ("keep the REST API and never GraphQL", "we decided to drop the REST API for GraphQL"),
        ("Which date library? → date-fns", "Which date library should we use? → luxon"),
        ("어떤 DB를 쓸까요? → MySQL", "어떤 데이터베이스를 쓸까요? → PostgreSQL"),
        ("로그인 방식은? → JWT", "로그인 방식은 세션으로 하자"),
        # turned down
        ("always use tabs", "use spaces from now on, not tabs"),
        ("always use pnpm, never npm", "Use bun as package manager, not pnpm"),
        ("Always use pnpm", "from now on use bun instead of pnpm"),
        ("Which payment provider? → Stripe", "Actually let us use Toss instead of Stripe"),
        (
            "We decided to cache pages in Varnish.",
            "We decided to use the CDN, rather than Varnish.",
        ),
        ("상태 관리는 Redux로 하기로 했습니다", "Redux를 Zustand로 바꿔줘"),
        ("빌드할 때 sharp로 WebP로 변환하기로 했습니다.", "WebP는 그만 쓰자"),
        # chosen again
        ("Don't use lodash in this repository", "You can use lodash again"),
        ("npm 쓰지 마", "이제 npm을 다시 써도 돼"),
    ],
)
def test_what_was_said_earlier_is_over(earlier: str, later: str) -> None:
    assert overrules(claim_of(later), claim_of(earlier))


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("에러 메시지는 항상 영어로 써줘", "커밋 메시지는 앞으로 영어로 쓰자"),
        ("앞으로 커밋 메시지는 한국어로", "앞으로 에러 메시지는 한국어로"),
        ("커밋 메시지는 한국어로 쓰자", "커밋은 스쿼시로 하자"),
        ("always use tabs", "always use pnpm"),
        ("always use pnpm for installing packages", "always use pytest for running tests"),
        ("From now on write commit messages in English", "From now on write comments in English"),
        ("never commit to main directly", "always commit with a sign-off"),
        ("always use pnpm, never npm", "npm scripts are always in kebab-case"),
        ("We use Vitest for tests", "there are no tests for the cart"),
        ("we decided to use Redux Toolkit", "The problem is not Redux, it is the reducer"),
        ("TODO 주석은 남기지 말자", "커밋 메시지에는 항상 이슈 번호를 써줘"),
    ],
)
def test_what_is_about_something_else_stands(earlier: str, later: str) -> None:
    assert not overrules(claim_of(later), claim_of(earlier))


@pytest.mark.parametrize(
    ("decided", "prompt", "is_over"),
    [
        ("We decided to use GraphQL with Apollo.", "No, not GraphQL. Use REST.", True),
        (
            "상태 관리는 Redux Toolkit을 쓰기로 했습니다.",
            "아니야, Redux 말고 Zustand로 바꿔줘",
            True,
        ),
        ("We decided to cache pages in Varnish.", "hmm drop varnish, use CDN", True),
        (
            "We decided to keep sessions in Redis.",
            "Let us drop Redis and keep them in Postgres",
            True,
        ),
        (
            "We decided to use GraphQL with Apollo.",
            "Why don't we use REST instead of GraphQL?",
            False,
        ),
        ("테스트는 Vitest로 하기로 했습니다", "테스트 말고 빌드만 돌려", False),
        ("We decided to use a sticky header.", "put it in the footer, not in the header", False),
        ("We decided to use GraphQL with Apollo.", "use REST", False),
        ("이미지 저장소는 R2로 하자", "이미지를 왼쪽으로 옮겨줘", False),
        ("앞으로 커밋 메시지는 한국어로 쓰자", "아니 커밋하지 말고 그냥 써", False),
        ("always answer in Korean", "don't answer yet, use the search tool first", False),
        ("Always use pnpm.", "use npm instead of pnpm this time", False),
        ("패키지 관리자는 pnpm을 쓰자", "이번만 pnpm 말고 npm을 써", False),
    ],
)
def test_a_prompt_overrules_what_it_turns_down_for_something_else(
    decided: str, prompt: str, is_over: bool
) -> None:
    assert overrules(choice_in(sentences_of(prompt)), claim_of(decided)) is is_over


@pytest.mark.parametrize("piece", ["not a ", "X 말고 ", "use a or ", "a은 ", "a, ", "never "])
def test_what_nobody_would_write_is_read_before_long(piece: str) -> None:
    claim_of(piece * (20_000 // len(piece)))
