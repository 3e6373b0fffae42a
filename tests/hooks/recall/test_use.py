"""A memory counts as used when the answer shows it, and by nothing that would stand there anyway."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.hooks.recall.fence import fenced
from memjournal.hooks.recall.use import USED_OVERLAP, Verdict, judge_use

COOKIE = (
    "Session tokens live in an HttpOnly cookie named `sid`, SameSite=Lax, issued by"
    " `src/auth/session_cookie.py`; localStorage was dropped because one XSS hands the token over."
)
COOKIE_KO = (
    "세션 토큰은 localStorage 대신 HttpOnly 쿠키 `sid`에 저장하기로 정했다. 발급은 `src/auth/session_cookie.py`,"
    " 만료는 14일, 갱신할 때마다 새 토큰으로 교체한다."
)
POOL = "The database pool is capped at 20 connections: pgbouncer refused the 21st during the load test."
POOL_KO = "부하 시험에서 pgbouncer가 21번째 연결을 거절해서 커넥션 풀을 20개로 제한했다."


def judge(answer: str, text: str, *, prompt: str = "") -> Verdict:
    (verdict,) = judge_use(answer, [("a7Bc3x", text)], prompt=prompt)
    return verdict


# cited


@pytest.mark.parametrize(
    "answer",
    [
        "We settled that on Monday [mem:a7Bc3x].",
        "see mem:a7Bc3x for why",
        "지난주에 정한 대로입니다([mem:a7Bc3x]).",
        "mem:a7Bc3x에 따르면 쿠키입니다",
        "`mem: a7Bc3x`",
        "MEM:a7Bc3x",
        "run `mem show a7Bc3x` to see the whole of it",
        "[mem:a7Bc]",
        "<https://example.org/#mem:a7Bc3x>",
    ],
)
def test_what_is_cited_in_any_form_is_used(answer: str) -> None:
    assert judge(answer, COOKIE, prompt="where do tokens go?").how == "cited"


@pytest.mark.parametrize(
    "answer",
    ["mem:a7Bc3xQ", "xa7Bc3x", "mem:a7B", "mem:a7Bc3y", "MEM:A7BC3X", "mem: a7Bc", "mem:", ""],
)
def test_what_is_cited_otherwise_is_another_memory_or_none(answer: str) -> None:
    assert judge(answer, COOKIE) == Verdict(id="a7Bc3x", how=None, overlap=0.0)


def test_an_id_that_is_a_word_must_be_cited_as_one() -> None:
    told = [("server", "x"), ("Server", "x"), ("SERVER", "x"), ("202611", "x")]
    for verdict in judge_use("the server, Server or SERVER of 202611", told, prompt=""):
        assert verdict.how is None
    assert judge_use("[mem:server]", told, prompt="")[0].how == "cited"


def test_a_beginning_that_fits_two_cites_neither() -> None:
    told = [("a7Bc3x", COOKIE), ("a7Bc9z", POOL)]
    assert [one.how for one in judge_use("mem:a7Bc", told, prompt="")] == [None, None]
    assert [one.how for one in judge_use("mem:a7Bc9", told, prompt="")] == [None, "cited"]


def test_a_citation_that_the_person_typed_proves_nothing() -> None:
    prompt = "what does [mem:a7Bc3x] say about lint?"
    assert judge("mem:a7Bc3x is about cookies, so nothing.", COOKIE, prompt=prompt).how is None


# said


@pytest.mark.parametrize(
    ("text", "prompt", "answer"),
    [
        (
            COOKIE,
            "add a logout button",
            (
                "The button posts to /logout. As the token sits in the HttpOnly `sid` cookie, script cannot"
                " clear it, so the endpoint does: I added `clear_cookie()` to"
                " `src/auth/session_cookie.py`. Nothing touches localStorage."
            ),
        ),
        (
            COOKIE_KO,
            "로그아웃 버튼 추가해줘",
            (
                "버튼을 추가했습니다. 토큰이 HttpOnly 쿠키 `sid`에 있어 스크립트로는 지울 수 없으므로"
                " `src/auth/session_cookie.py`에 만료시키는 함수를 두고 서버에서 쿠키를 지우게 했습니다."
            ),
        ),
        (
            COOKIE_KO,
            "where should the refresh token go?",
            (
                "Put it beside the session in an HttpOnly cookie, not in localStorage;"
                " `src/auth/session_cookie.py` already issues `sid` that way."
            ),
        ),
        (
            POOL,
            "why do requests time out under load?",
            (
                "More workers wait for the database than there are connections: the pool is capped at 20,"
                " and pgbouncer refuses more. Raise its limit first."
            ),
        ),
        (
            POOL_KO,
            "부하가 걸리면 타임아웃이 나요",
            "커넥션 풀이 20개로 제한되어 있고 pgbouncer는 21번째부터 거절합니다. pgbouncer 한도부터 올리세요.",
        ),
        (
            POOL_KO,
            "타임아웃 원인 찾아줘",
            "워커가 연결을 기다리고 있었습니다. 지난 부하시험에서처럼 pgbouncer에서 거절되고 있어요.",
        ),
    ],
)
def test_what_the_answer_says_is_used(text: str, prompt: str, answer: str) -> None:
    verdict = judge(answer, text, prompt=prompt)
    assert verdict.how == "overlap" and verdict.overlap >= USED_OVERLAP


@pytest.mark.parametrize(
    ("text", "prompt", "answer"),
    [
        (
            COOKIE,
            "fix the flaky test in tests/auth/test_login.py",
            (
                "The test was racing with the fixture: it read the log before the server had written it."
                " I wait for the line now, and ran it 200 times without a failure."
            ),
        ),
        (
            COOKIE_KO,
            "로그인 테스트가 가끔 실패해요",
            (
                "픽스처보다 먼저 로그를 읽어서 생긴 문제였습니다. 해당 줄이 나올 때까지 기다리도록 고쳤고, 200번 실행해도"
                " 실패하지 않았습니다."
            ),
        ),
        (
            POOL,
            "add an index on orders.created_at",
            (
                "I added the migration `0042_orders_created_at.sql`, which builds the index concurrently, and"
                " the database test that checks the plan uses it."
            ),
        ),
        (
            POOL_KO,
            "orders.created_at에 인덱스 추가해줘",
            (
                "마이그레이션 `0042_orders_created_at.sql`을 추가했습니다. 운영 중에도 잠기지 않도록 CONCURRENTLY로"
                " 만들고, 실행 계획을 확인하는 테스트를 함께 넣었습니다."
            ),
        ),
    ],
)
def test_what_the_answer_is_not_about_is_unused(text: str, prompt: str, answer: str) -> None:
    assert judge(answer, text, prompt=prompt).how is None


@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        (
            COOKIE,
            "put the session token in the HttpOnly SameSite=Lax cookie sid, not in localStorage",
        ),
        (
            COOKIE_KO,
            "세션 토큰을 localStorage 말고 HttpOnly 쿠키 sid에 저장하고 만료는 14일로 해줘",
        ),
    ],
)
def test_what_the_person_typed_themselves_proves_nothing(text: str, prompt: str) -> None:
    assert judge(prompt, text).how == "overlap"
    assert judge(prompt, text, prompt=prompt).how is None


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (
            "Let me check the test file and run the code again; the fix works now and all tests pass.",
            (
                "Now let me run the tests. All pass: the fix works, and the file was changed as needed."
                " I checked the code again."
            ),
        ),
        (
            "코드를 확인하고 파일을 수정한 다음 테스트를 다시 실행했습니다. 모든 테스트가 통과했고 문제가 해결되었습니다.",
            "파일을 수정하고 테스트를 실행했습니다. 코드를 확인해 보니 문제가 해결되었습니다.",
        ),
    ],
)
def test_words_of_every_answer_prove_nothing(text: str, answer: str) -> None:
    assert judge(answer, text).how is None


def test_words_strewn_over_a_long_answer_prove_nothing() -> None:
    filler = "we compared three vendors and wrote down what each of them would charge per seat " * 8
    words = ("HttpOnly", "localStorage", "XSS", "issued", "SameSite", "dropped", "hands")
    strewn = " ".join(f"{word} {filler}" for word in words)
    assert judge(strewn, COOKIE).how is None
    assert judge(f"{filler} {' '.join(words)} {filler}", COOKIE).how == "overlap"


def test_the_block_that_told_it_proves_nothing_when_it_is_repeated() -> None:
    block = fenced(f"- {COOKIE} [mem:a7Bc3x]")
    assert COOKIE in block
    assert judge(f"My context holds:\n\n{block}\n\nThat is all.", COOKIE) == Verdict(
        id="a7Bc3x", how=None, overlap=0.0
    )
    assert judge(f"{block}\n\nSo the answer is a cookie [mem:a7Bc3x].", COOKIE).how == "cited"


def test_letters_taken_apart_are_the_same_letters() -> None:
    apart = unicodedata.normalize("NFD", f"전에 정한 대로, {POOL_KO}")
    assert judge(apart, POOL_KO).how == "overlap"
    assert judge(POOL_KO, unicodedata.normalize("NFD", POOL_KO)).how == "overlap"
    assert judge(POOL_KO, POOL_KO, prompt=apart).how is None


def test_saying_it_twice_is_no_more_than_saying_it_once() -> None:
    once = judge("pgbouncer refused", POOL).overlap
    assert 0 < once == judge("pgbouncer refused, pgbouncer refused", POOL).overlap < USED_OVERLAP


def test_of_a_memory_of_two_words_only_a_citation_tells() -> None:
    text, prompt = "Use pnpm with corepack.", "install the packages"
    assert judge("Run `corepack enable` and `pnpm install`.", text, prompt=prompt).how is None
    assert judge("`pnpm install` [mem:a7Bc3x]", text, prompt=prompt).how == "cited"


def test_an_identifier_is_one_word_and_its_parts_are_not_it() -> None:
    text = "maxPoolSize, idleTimeout and retryBudget are set in deploy/values.yaml"
    spelt = "max_pool_size, idle_timeout, retry_budget: see `deploy/values.yaml`"
    apart = "the max of the pool, its size, an idle time out, one retry and the budget"
    assert judge(spelt, text).how == "overlap"
    assert judge(apart, text).how is None


def test_each_memory_has_its_own_verdict() -> None:
    told = [("a7Bc3x", COOKIE), ("b8Cd4y", POOL), ("c9De5z", "")]
    verdicts = judge_use(f"As before: {POOL}", told, prompt="tokens?")
    assert [(one.id, one.how) for one in verdicts] == [
        ("a7Bc3x", None),
        ("b8Cd4y", "overlap"),
        ("c9De5z", None),
    ]


@given(st.text(max_size=300), st.text(max_size=300), st.text(max_size=100))
def test_any_text_is_judged(answer: str, text: str, prompt: str) -> None:
    verdict = judge(answer, text, prompt=prompt)
    assert 0 <= verdict.overlap <= 1
    assert judge(answer, text, prompt=f"{prompt} {text}").overlap == 0
