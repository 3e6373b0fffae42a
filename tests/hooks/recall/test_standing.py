"""What a user said for good is told in later sessions; what was meant for the moment, or is no wish, is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from memjournal.hooks.recall.sentences import sentences_of
from memjournal.hooks.recall.standing import standing_at, states_standing

from .small_journal import OLD, SmallJournal

EARLIER, LATER = "11111111-0000-4000-8000-000000000001", "22222222-0000-4000-8000-000000000002"
HEADINGS = (
    "## What the user said in recent sessions on how things are to be, newest first",
    "## 사용자가 최근 세션에서 정한 것(최근 것부터)",
)


@pytest.fixture
def journal(tmp_path: Path) -> SmallJournal:
    return SmallJournal(tmp_path / "journal")


def said_in(text: str) -> list[str]:
    """The lines below the heading of what the user said, without what stands behind the quotes."""
    lines = text.splitlines()
    start = next((at for at, line in enumerate(lines) if line in HEADINGS), len(lines))
    found = []
    for line in lines[start + 1 :]:
        if not line.startswith("- "):
            break
        found.append(line.removeprefix("- ").partition(" [mem:")[0])
    return found


def say(journal: SmallJournal, *prompts: str, session: str, answer: str = "Ok.") -> None:
    for turn, prompt in enumerate(prompts, 1):
        journal.ask(prompt, turn=turn, session=session)
        journal.answer(answer, turn=turn, session=session)


@pytest.mark.parametrize(
    "sentence",
    [
        "always use pnpm, never npm",
        "Please always write tests first.",
        "from now on, commit messages are in English",
        "we decided to keep REST and drop GraphQL",
        "We agreed that the pool stays at 20.",
        "let's use ruff instead of flake8",
        "never commit to main directly",
        "We prefer composition over inheritance.",
        "In this repo, always squash merges.",
        "don't use npm, use pnpm",
        "We never use default exports.",
        "앞으로 커밋 메시지는 한국어로 쓰자",
        "앞으로는 테스트부터 작성해줘",
        "항상 한국어로 답해줘",
        "앞으로 영어로 대답해",
        "테스트는 pytest로만 하자",
        "npm 쓰지 마",
        "any 타입은 절대 쓰지 마세요",
        "main에 직접 푸시 금지",
        "배포 전에 반드시 테스트를 돌려줘",
        "들여쓰기는 스페이스 4칸으로 통일하자",
        "이미지 저장소는 R2로 하자",
        "이 프로젝트에서는 항상 타입스크립트를 쓰자",
        "GraphQL은 빼고 REST를 유지하기로 결정했어",
        "always use pnpm here",
        "Never ever touch the generated/ folder",
        "In the future, please write the tests first",
        "always run the linter before you commit",
        "we never want to see raw SQL in controllers",
        "Every new endpoint must have an OpenAPI entry",
        "remember that we deploy on Fridays only",
        "에러 메시지는 앞으로 한국어로 보여주자, 고객이 한국인이야",
        "테스트는 항상 pytest로 돌려",
        "주석은 항상 한국어로",
        "앞으로 에러 메시지는 한국어로",
        "주석은 달지 마",
        "any 타입 금지",
        "다음부터는 배포 전에 나한테 물어봐",
        "타입스크립트 strict 모드는 꼭 켜두자",
        "TODO 주석은 남기지 말자",
        "모든 API 응답은 snake_case로 한다",
    ],
)
def test_what_is_meant_for_good_is_known(sentence: str) -> None:
    assert states_standing(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "don't run tests now",
        "don't use that function here",
        "the test always fails",
        "it never returns",
        "The server never closes the connection.",
        "I never got the email",
        "never mind",
        "should we always use pnpm?",
        "why does it always time out",
        "go with that one",
        "let's use the second option",
        "never use it again",
        "let's keep going",
        "fix the bug where it always logs out",
        "fix the header",
        "run all the tests",
        "지금은 테스트 돌리지 마",
        "이번에는 npm 쓰지 마",
        "테스트가 항상 실패해",
        "메모리를 항상 많이 써",
        "매번 에러가 나는 거 고쳐줘",
        "로그인이 항상 풀리는 문제 해결해줘",
        "버튼을 항상 보이게 바꿔줘",
        "이 버그 반드시 고쳐줘",
        "버튼을 앞으로 옮겨줘",
        "앞으로 3일 걸려",
        "앞으로 어떻게 할까?",
        "좋아, 그걸로 가자",
        "일단 이대로 가자",
        "다음으로 하자",
        "버튼 색을 빨강으로 바꾸자",
        "커밋해줘",
        "do not commit until I say so",
        "don't push before I have looked",
        "내가 말할 때까지 커밋하지 마",
        "let us go with that one",
        "The tests always pass locally but never on CI",
        "in the future the API will be versioned",
        "All tests must pass",
        "remember that bug from yesterday",
        "메뉴가 항상 위로",
        "로그인하면 항상 홈으로 가",
        "로그인 버그는 꼭 고치자",
        'The style guide of Blue says "always use tabs"',
        "팀 블루는 gRPC를 쓰기로 했다고 한다.",
    ],
)
def test_what_is_meant_for_the_moment_or_complains_is_not(sentence: str) -> None:
    assert not states_standing(sentence)


@pytest.mark.parametrize(
    "prompt",
    [
        "모든 날짜는 UTC로 저장해줘. 앞으로도 계속",
        "버튼 이름은 동사로 시작해. 항상 그렇게 해줘.",
        "Dates are stored in UTC. From now on always.",
    ],
)
def test_what_is_to_go_on_makes_a_wish_of_what_stands_before_it(prompt: str) -> None:
    assert standing_at(sentences_of(prompt)) == [(0, 1)]


@pytest.mark.parametrize("prompt", ["왜 이래? 앞으로도 계속", "이렇게 해줘. 앞으로도 계속"])
def test_what_cannot_be_understood_is_none_even_if_it_goes_on(prompt: str) -> None:
    assert standing_at(sentences_of(prompt)) == []


@pytest.mark.parametrize(
    "piece",
    [
        "in the a ",
        "for all a, ",
        "when a, ",
        "please ",
        "때 ",
        "앞으로 ",
        "항상 자",
        "only use ",
        "that ",
    ],
)
def test_what_nobody_would_write_is_judged_before_long(piece: str) -> None:
    states_standing(piece * (2_000 // len(piece)))


def test_what_was_said_for_good_outlasts_the_next_session(journal: SmallJournal) -> None:
    say(
        journal,
        "앞으로 커밋 메시지는 한국어로 쓰자",
        "always use pnpm, never npm",
        "we decided to keep REST and drop GraphQL",
        "don't run the tests now",
        session=OLD,
    )
    say(journal, "fix the header", session=EARLIER, answer="Fixed the header.")
    assert said_in(journal.brief().text) == [
        "we decided to keep REST and drop GraphQL",
        "always use pnpm, never npm",
        "앞으로 커밋 메시지는 한국어로 쓰자",
    ]


def test_it_is_told_in_korean_where_most_is(journal: SmallJournal) -> None:
    say(journal, "앞으로 커밋 메시지는 한국어로 쓰자", session=OLD)
    say(journal, "헤더 색을 파랗게 고쳐줘", session=EARLIER, answer="고쳤습니다.")
    text = journal.brief().text
    assert HEADINGS[1] in text
    assert said_in(text) == ["앞으로 커밋 메시지는 한국어로 쓰자"]


def test_of_a_long_prompt_that_part_is_told(journal: SmallJournal) -> None:
    say(
        journal,
        "The list is slow when there are many orders in it, look at the query.\n\n"
        "Always use pnpm here in this repo from now on. Then add a test for it.",
        session=OLD,
    )
    (quote,) = said_in(journal.brief().text)
    assert quote == "… Always use pnpm here in this repo from now on. …"


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("커밋 메시지는 한국어로 쓰자", "앞으로 커밋 메시지는 영어로 쓰자"),
        ("keep the REST API and never GraphQL", "we decided to drop the REST API for GraphQL"),
        ("never use semicolons", "always use semicolons"),
        ("always use tabs", "use spaces from now on, not tabs"),
        ("에러 메시지는 항상 영어로 써줘", "에러 메시지는 앞으로 한국어로 보여주자"),
    ],
)
def test_what_was_said_later_about_the_same_wins(
    journal: SmallJournal, before: str, now: str
) -> None:
    say(journal, before, session=OLD)
    say(journal, now, session=EARLIER)
    assert said_in(journal.brief().text) == [now]


def test_a_memory_that_came_later_wins(journal: SmallJournal) -> None:
    say(journal, "커밋 메시지는 한국어로 쓰자", session=OLD)
    journal.memory("커밋 메시지는 영어로 쓴다")
    assert said_in(journal.brief().text) == []


@pytest.mark.parametrize(
    ("memory", "wish"),
    [
        ("커밋 메시지는 영어로 쓴다", "커밋 메시지는 한국어로 쓰자"),
        ("Always use pnpm", "from now on use bun instead of pnpm"),
    ],
)
@pytest.mark.parametrize("kind", ["rule", "fact"])
def test_a_memory_that_came_before_stands_below_the_wish(
    journal: SmallJournal, kind: str, memory: str, wish: str
) -> None:
    held = journal.memory(memory, kind=kind)
    say(journal, wish, session=OLD)
    recalled = journal.brief()
    assert said_in(recalled.text) == []
    lines = [line for line in recalled.text.splitlines() if line.startswith("- ")]
    assert lines[0].startswith(
        (f"- said since by the user: {wish}", f"- 그 뒤에 사용자가 한 말: {wish}")
    )
    assert f"[mem:{held}]" in lines[1]


def test_wishes_about_different_things_stand_beside_each_other(journal: SmallJournal) -> None:
    say(journal, "에러 메시지는 항상 영어로 써줘", "커밋 메시지는 앞으로 영어로 쓰자", session=OLD)
    assert said_in(journal.brief().text) == [
        "커밋 메시지는 앞으로 영어로 쓰자",
        "에러 메시지는 항상 영어로 써줘",
    ]


def test_of_two_wishes_of_a_prompt_the_one_that_holds_is_told(journal: SmallJournal) -> None:
    say(journal, "Always use pnpm. Never use semicolons.", session=OLD)
    say(journal, "always use semicolons please", session=EARLIER)
    assert said_in(journal.brief().text) == ["always use semicolons please", "Always use pnpm. …"]


@pytest.mark.parametrize(
    ("ban", "lifted"),
    [
        ("Don't use lodash in this repository", "You can use lodash again, we need debounce"),
        ("lodash는 쓰지 마", "이제 lodash를 다시 써도 돼"),
    ],
)
def test_a_ban_that_was_lifted_is_not_told(journal: SmallJournal, ban: str, lifted: str) -> None:
    say(journal, ban, session=OLD)
    assert said_in(journal.brief().text) == [ban]
    say(journal, lifted, session=EARLIER)
    assert said_in(journal.brief().text) == []


def test_a_wish_about_a_secret_is_not_told(journal: SmallJournal) -> None:
    token = "ghp_16C7e42F292c6912E7710c838347" + "Ae178B4a"
    say(journal, f"always use the token {token} for pushes", "always use pnpm", session=OLD)
    assert said_in(journal.brief().text) == ["always use pnpm"]


def test_the_same_words_are_told_once(journal: SmallJournal) -> None:
    for session in (OLD, EARLIER, LATER):
        say(journal, "always use pnpm, never npm", session=session)
    assert journal.brief().text.count("always use pnpm") == 1


def test_it_is_forgotten_after_six_sessions(journal: SmallJournal) -> None:
    say(journal, "always use pnpm, never npm", session=OLD)
    for number in range(6):
        assert said_in(journal.brief().text) == ["always use pnpm, never npm"]
        session = f"{number}3333333-0000-4000-8000-000000000003"
        say(journal, f"fix header {number} of the page", session=session)
    assert said_in(journal.brief().text) == []


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (
            "**로그인 방식은?**\n- JWT: 토큰\n- 세션: 쿠키\n\n로그인 방식은? → JWT",
            "로그인 방식은? → JWT",
        ),
        ('User has answered your questions: "Which login?"="JWT".', "Which login? → JWT"),
    ],
)
def test_a_choice_is_a_decision_of_the_user(journal: SmallJournal, record: str, told: str) -> None:
    journal.ask("로그인을 만들어줘", turn=1)
    one = journal.say("tool_output", record, turn=1, tool="AskUserQuestion", outcome="ok")
    journal.answer("만들었습니다.", turn=1)
    say(journal, "fix the header", session=EARLIER, answer="Fixed.")
    recalled = journal.brief()
    assert said_in(recalled.text) == [told]
    assert one in recalled.ids


def test_another_project_s_wishes_are_not_told(journal: SmallJournal) -> None:
    journal.ask("always use pnpm, never npm", turn=1, project="github.com/acme/payments")
    assert journal.brief().text == ""
