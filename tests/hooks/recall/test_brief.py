"""A session begins with what holds, what is open and where the last one stopped, and with nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.hooks.recall.fence import fenced
from memjournal.hooks.recall.sections import Line, Section, assemble
from memjournal.hooks.recall.tokens import count_tokens
from memjournal.journal.entry import Edge

from .small_journal import NEW, OLD, SmallJournal


@pytest.fixture
def journal(tmp_path: Path) -> SmallJournal:
    return SmallJournal(tmp_path / "journal")


def headings(text: str) -> list[str]:
    return [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")]


def work_in_english(journal: SmallJournal, *, session: str = OLD) -> dict[str, str]:
    """A session that decides something and stops with a failing test."""
    return {
        "first": journal.ask(
            "The order API times out at noon, find the cause please.", turn=1, session=session
        ),
        "answer": journal.answer(
            "Let me look. We decided to close the session with `async with`, because it leaks.",
            turn=1,
            session=session,
        ),
        "last": journal.ask("Now run all the tests and mend what fails.", turn=2, session=session),
        "failed": journal.run(
            "pytest -q", "FAILED tests/test_refund.py", turn=2, outcome="error", session=session
        ),
        "end": journal.answer(
            "The refund test still fails because the clock is not frozen.", turn=2, session=session
        ),
    }


def test_a_fresh_journal_tells_nothing(journal: SmallJournal) -> None:
    recalled = journal.brief()
    assert (recalled.text, recalled.ids, recalled.reason) == ("", (), "no match")
    assert journal.timeline().text == ""


def test_everything_is_told_in_the_order_of_its_worth(journal: SmallJournal) -> None:
    journal.memory("Tests are named after what must hold", kind="rule", type="convention")
    journal.memory("Sessions are signed cookies", "Because the server stays stateless.")
    journal.memory("Freeze the clock in the refund tests", kind="task", type="in_progress")
    ids = work_in_english(journal)
    recalled = journal.brief()
    assert headings(recalled.text) == [
        "Rules",
        "Decisions and lessons that hold",
        "Open tasks",
        "Last session: 2026-11-30 09:20, session 0f6d0c0e",
    ]
    said = recalled.text
    assert (
        f"- still failing: Bash: pytest -q → FAILED tests/test_refund.py [mem:{ids['failed']}]"
        in said
    )
    assert f"- asked last: Now run all the tests and mend what fails. [mem:{ids['last']}]" in said
    assert (
        f"fails because the clock is not frozen. [mem:{ids['end']}] (2026-11-30 · answer · attempted)"
        in said
    )
    assert (
        "- decided: … We decided to close the session with `async with`, because it leaks." in said
    )
    assert (
        f"- asked first: The order API times out at noon, find the cause please. [mem:{ids['first']}]"
        in said
    )
    assert said.endswith(
        "More of it: `mem search WORDS`; the whole of one: `mem show mem:ID`.\n</memory-context>"
    )
    assert len(set(recalled.ids)) == len(recalled.ids) == 8


def test_a_korean_journal_is_told_in_korean(journal: SmallJournal) -> None:
    journal.memory("테스트 이름은 동작을 말한다", kind="rule", type="convention")
    journal.memory("세션 토큰은 Redis 대신 서명 쿠키로", "서버를 무상태로 두기 때문이다.")
    journal.memory("환불 테스트 시계 고정", kind="task", type="blocked")
    journal.ask("주문 API가 점심시간마다 타임아웃 나. 원인 좀 찾아줘", turn=1)
    journal.answer("먼저 로그를 보겠습니다. 풀 대기는 5초로 하기로 했습니다.", turn=1)
    said = journal.brief().text
    assert headings(said) == [
        "규칙",
        "유효한 결정과 교훈",
        "남은 작업",
        f"지난 세션: 2026-11-30 09:17, 세션 {OLD[:8]}",
    ]
    assert "풀 대기는 5초로 하기로 했습니다." in said
    assert "(2026-11-30 · 막힘 · 확인됨)" in said
    assert "먼저 로그를 보겠습니다" not in said


def test_general_rules_follow_those_of_the_project(journal: SmallJournal) -> None:
    journal.memory("Speak plainly", kind="rule", type="preference", project="")
    journal.memory("Squash before merging", kind="rule", type="workflow")
    journal.memory(
        "Only in payments", kind="rule", type="workflow", project="github.com/acme/payments"
    )
    said = journal.brief().text
    assert said.index("Squash before merging") < said.index("Speak plainly")
    assert "Only in payments" not in said


def test_what_was_superseded_is_not_told(journal: SmallJournal) -> None:
    old = journal.memory("The pool is 10")
    journal.memory("The pool is 20", edges=(Edge("supersedes", f"mem:{old}"),))
    recalled = journal.brief()
    assert "The pool is 20" in recalled.text
    assert old not in recalled.ids


def test_the_most_important_comes_first_and_of_equals_the_newest(journal: SmallJournal) -> None:
    journal.memory("First decision")
    journal.memory("Grave decision", importance=0.9)
    journal.memory("Second decision")
    journal.memory("A mere note", type="note")
    said = journal.brief().text
    places = [said.index(f"- {name} decision") for name in ("Grave", "Second", "First")]
    assert places == sorted(places)
    assert "mere note" not in said


@pytest.mark.parametrize("state", ["done", "cancelled"])
def test_finished_work_does_not_come_back(journal: SmallJournal, state: str) -> None:
    done = journal.memory("Rotate the keys", kind="task", type=state)
    journal.memory("Write the runbook", kind="task", type="pending")
    assert done not in journal.brief().ids
    assert done not in journal.timeline().ids
    assert "Write the runbook" in journal.timeline().text


def test_the_session_that_goes_on_is_not_the_last_one(journal: SmallJournal) -> None:
    ids = work_in_english(journal)
    journal.ask("Something else entirely in the new session.", turn=1, session=NEW)
    assert ids["last"] in journal.brief(session=NEW).ids
    assert "Something else entirely" not in journal.brief(session=NEW).text
    assert "Something else entirely" in journal.brief(session="another").text


def test_another_project_s_session_is_not_told(journal: SmallJournal) -> None:
    journal.ask("What is in payments stays there.", turn=1, project="github.com/acme/payments")
    assert journal.brief().text == ""


def test_a_test_that_passed_in_the_end_is_not_failing(journal: SmallJournal) -> None:
    journal.ask("Run the tests of the refund please.", turn=1)
    journal.run("pytest -q", "1 failed", turn=1, outcome="error")
    journal.run("pytest -q --lf", "1 passed", turn=1)
    assert "still failing" not in journal.brief().text


def test_a_look_that_found_nothing_is_not_failing(journal: SmallJournal) -> None:
    journal.ask("Where is the refund handled?", turn=1)
    journal.run("grep -r refund src", "", turn=1, outcome="error")
    assert "still failing" not in journal.brief().text


def test_the_last_prompt_is_one_that_says_something(journal: SmallJournal) -> None:
    wanted = journal.ask("Move the thumbnails out of the request path.", turn=1)
    journal.answer("Moved, because the request took 3 s.", turn=1)
    journal.ask("ok, go on", turn=2)
    said = journal.brief().text
    assert f"asked last: Move the thumbnails out of the request path. [mem:{wanted}]" in said
    assert "go on" not in said


def test_a_prompt_without_an_answer_is_where_it_stopped(journal: SmallJournal) -> None:
    journal.ask("결제 웹훅의 서명 검증을 추가해줘, 테스트도 같이", turn=1)
    assert (
        "답 없이 멈춘 요청: 결제 웹훅의 서명 검증을 추가해줘, 테스트도 같이" in journal.brief().text
    )


def test_a_long_run_of_tools_does_not_hide_what_was_asked(journal: SmallJournal) -> None:
    first = journal.ask("Rename the module everywhere, one file at a time.", turn=1)
    journal.run_often(420, turn=1)
    assert first in journal.brief().ids


def test_what_was_taken_back_is_not_told(journal: SmallJournal) -> None:
    journal.ask("Use Redis for the sessions of the shop.", turn=1, branch="abandoned")
    journal.ask("Use cookies for the sessions of the shop.", turn=1)
    said = journal.brief().text
    assert "Use cookies" in said
    assert "Redis" not in said


def test_a_memory_that_says_the_same_is_told_once(journal: SmallJournal) -> None:
    journal.memory("Squash before merging", kind="rule", type="workflow")
    journal.memory("Squash before merging.", type="preference")
    assert journal.brief().text.count("Squash before merging") == 1


def test_the_budget_is_kept_and_rules_go_last(journal: SmallJournal) -> None:
    for number in range(30):
        journal.memory(f"Rule {number} of the house is kept", kind="rule", type="workflow")
        journal.memory(f"Decision {number} 커넥션 풀", "because it was measured " * 9 + ".")
    work_in_english(journal)
    for max_tokens in (0, 60, 150, 300, 700, 1_500):
        text = journal.brief(max_tokens=max_tokens).text
        assert count_tokens(text) <= max_tokens
        assert not text or "Rule 29" in text
        if max_tokens >= 700:  # each section has its share
            assert len(headings(text)) == 3


def test_the_limit_of_the_assistant_is_kept(journal: SmallJournal) -> None:
    work_in_english(journal)
    assert len(journal.brief(fits=lambda text: len(text) <= 600).text) <= 600
    assert journal.brief(fits=lambda _: False).text == ""


# --- what was decided ---------------------------------------------------------------------------


def decide(journal: SmallJournal, prompt: str, answer: str, *, turn: int) -> tuple[str, str]:
    asked = journal.ask(prompt, turn=turn)
    journal.run("pytest -q", "4 passed", turn=turn)
    return asked, journal.answer(answer, turn=turn)


def decided_in(text: str) -> list[str]:
    lines = [line for line in text.splitlines() if line.startswith(("- decided: ", "- 결정: "))]
    return [line.partition(": ")[2].partition(" [mem:")[0] for line in lines]


def work_goes_on(journal: SmallJournal) -> None:
    journal.ask("add paging to the order list", turn=9)
    journal.answer("The list of orders has pages of 20 now.", turn=9, files=("a.ts",))


@pytest.mark.parametrize(
    ("decision", "refusal"),
    [
        (
            "We decided to use GraphQL with Apollo.",
            "No, not GraphQL. Use REST, our partners only know REST.",
        ),
        ("상태 관리는 Redux Toolkit을 쓰기로 했습니다.", "아니야, Redux 말고 Zustand로 바꿔줘"),
        ("We decided to cache pages in Varnish.", "hmm drop varnish, use the CDN"),
    ],
)
def test_what_the_user_overruled_is_not_told_as_decided(
    journal: SmallJournal, decision: str, refusal: str
) -> None:
    decide(journal, "what do you think of the API?", decision, turn=1)
    work_goes_on(journal)
    assert decided_in(journal.brief().text) == [decision]
    decide(journal, refusal, "Changed, and the tests pass.", turn=10)
    journal.ask("add sorting to the order list", turn=11)
    journal.answer("The list of orders is sorted by date now.", turn=11, files=("a.ts",))
    assert decided_in(journal.brief().text) == [refusal]


def test_of_two_choices_of_the_same_the_later_is_told(journal: SmallJournal) -> None:
    for turn, (question, choice) in enumerate(
        [("Which date library?", "date-fns"), ("Which date library should we use?", "luxon")], 1
    ):
        journal.ask(f"Ask me about the library, {turn}.", turn=turn)
        record = f'User has answered your questions: "{question}"="{choice}".'
        journal.say("tool_output", record, turn=turn, tool="AskUserQuestion", outcome="ok")
        journal.answer(f"Now it is {choice} everywhere.", turn=turn)
    work_goes_on(journal)
    said = journal.brief().text
    assert "→ luxon" in said
    assert "→ date-fns" not in said


def test_a_choice_that_a_prompt_overruled_is_told_nowhere(journal: SmallJournal) -> None:
    journal.ask("Ask me about payments.", turn=1)
    record = 'User has answered your questions: "Which payment provider?"="Stripe".'
    journal.say("tool_output", record, turn=1, tool="AskUserQuestion", outcome="ok")
    journal.answer("It is built with Stripe.", turn=1)
    wish = "Actually let us use Toss as payment provider instead of Stripe"
    decide(journal, wish, "Switched to it.", turn=2)
    work_goes_on(journal)
    said = journal.brief().text
    assert "→ Stripe" not in said
    assert f"- {wish} [mem:" in said


@pytest.mark.parametrize("prompt", ["그걸로 가자", "let us go with that one", "ok, use it"])
def test_what_names_nothing_is_no_decision(journal: SmallJournal, prompt: str) -> None:
    decide(journal, prompt, "Changed, and the tests pass.", turn=1)
    work_goes_on(journal)
    assert decided_in(journal.brief().text) == []


@pytest.mark.parametrize(
    "answer",
    [
        "네, 영어로 쓰겠습니다.",
        "OK, we'll use it.",
        'The RFC of team Blue says: "we decided to use gRPC everywhere". That does not concern us.',
        "팀 블루는 gRPC를 쓰기로 했다고 합니다. 우리와는 상관없습니다.",
    ],
)
def test_what_an_answer_takes_note_of_or_quotes_is_no_decision(
    journal: SmallJournal, answer: str
) -> None:
    decide(journal, "what about the names of the variables?", answer, turn=1)
    work_goes_on(journal)
    assert decided_in(journal.brief().text) == []


# --- going on -----------------------------------------------------------------------------------


def test_going_on_begins_with_what_fails_and_the_newest_turn(journal: SmallJournal) -> None:
    ids = work_in_english(journal)
    journal.memory("Freeze the clock in the refund tests", kind="task", type="pending")
    recalled = journal.timeline()
    assert recalled.reason == "continuation"
    places = [
        recalled.ids.index(ids[name]) for name in ("failed", "last", "end", "first", "answer")
    ]
    assert places == sorted(places)
    assert headings(recalled.text)[1] == "Open tasks"


def test_what_was_told_is_not_told_again(journal: SmallJournal) -> None:
    work_in_english(journal)
    brief = journal.brief()
    again = journal.timeline(told=brief.ids)
    assert not set(again.ids) & set(brief.ids)


# --- budgets ------------------------------------------------------------------------------------

lines = st.lists(st.text("가나 abc.", min_size=1, max_size=80), max_size=8)


@given(st.lists(lines, max_size=4), st.integers(0, 300))
def test_any_lines_fit_any_budget(texts: list[list[str]], max_tokens: int) -> None:
    sections = [
        Section(
            heading=f"제목 {at}",
            lines=[Line(f"- {text}", f"{at}{n}", text) for n, text in enumerate(some)],
            share=1 / (at + 1),
        )
        for at, some in enumerate(texts)
    ]
    recalled = assemble(
        sections,
        tail="끝",
        reason="brief",
        language="ko",
        max_tokens=max_tokens,
        fits=lambda _: True,
    )
    assert count_tokens(recalled.text) <= max_tokens
    assert bool(recalled.text) == bool(recalled.ids)
    if max_tokens > count_tokens(fenced("끝", "ko")) + 1_000:
        assert len(recalled.ids) == sum(map(len, texts))
