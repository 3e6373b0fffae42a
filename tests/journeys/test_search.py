"""From a question to the words that were said: search, then timeline, then show, in two languages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import World


def test_an_english_question_is_answered_by_the_memory_that_answers_it(example: World) -> None:
    hits = example.ok("search", "why were refunds swallowed", "--json").objects
    assert hits[0]["title"] == "Idempotency keys collided within one second"
    assert hits[-1]["object"] == "answer"
    assert hits[-1]["used_keyword"] and hits[-1]["used_vector"]


def test_a_korean_question_is_answered_by_the_memory_that_answers_it(example: World) -> None:
    hits = example.ok("search", "주문 API가 타임아웃 난 원인이 뭐였지?", "--json").objects
    assert "커넥션 풀 고갈로 주문 API 타임아웃" in [hit.get("title") for hit in hits[:3]]


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("how do we drop repeated webhook deliveries", "Webhook retries"),
        ("웹훅 서명은 어떻게 검증해?", "결제사 웹훅 서명 검증"),
        ("websocket disconnects every minute", "웹소켓이 60초마다 끊김"),
        ("세션 쿠키를 서버에 저장하지 않기로 한 이유", "Session cookies are signed, not stored"),
    ],
)
def test_either_language_finds_what_was_written_in_the_other(
    example: World, question: str, title: str
) -> None:
    hits = example.ok("search", question, "--json", "-n", "5").objects
    assert title in [hit.get("title") for hit in hits]


def test_an_earlier_question_does_not_outrank_its_own_answer(example: World) -> None:
    hits = example.ok("search", "주문 API가 점심시간마다 타임아웃 나", "--json").objects[:-1]
    seen: list[tuple[object, object]] = []
    for hit in hits:
        turn = (hit["session"], hit["turn"])
        if hit["type"] == "assistant_response":
            seen.append(turn)
        if hit["type"] == "user_prompt":
            assert turn in seen, f"the question {hit['id']} stands before its answer"


def test_every_citation_opens_in_every_form(example: World) -> None:
    first = example.ok("search", "refund", "--json").objects[0]
    bare = str(first["id"]).removeprefix("mem:")
    forms = [f"mem:{bare}", f"[mem:{bare}]", bare, bare[:5], str(first["path"])]
    shown = [example.ok("show", form).out for form in forms]
    assert len(set(shown)) == 1
    assert f"[mem:{bare}]" in shown[0]


def test_a_question_about_nothing_that_is_known_is_not_answered_with_confidence(
    example: World,
) -> None:
    for question in ("김치찌개 맛있게 끓이는 법", "best sourdough hydration for rye flour"):
        answer = example.ok("search", question, "--json").objects[-1]
        assert answer["confidence"] == "none", question
        assert "nothing surely answers this" in example.ok("search", question).out


def test_output_is_clean_when_piped(example: World) -> None:
    assert "\x1b" not in example.ok("search", "refund").out
    assert "\x1b" not in example.ok("show", "BybRGd").out


def test_timeline_shows_the_neighbours_and_marks_what_was_asked_for(example: World) -> None:
    prompt = example.ok("history", "--type", "user_prompt", "--json", "-n", "1").objects[0]
    rows = example.ok("timeline", str(prompt["id"]), "-w", "2", "--json").objects
    assert [row["id"] for row in rows if row["is_target"]] == [prompt["id"]]
    assert {row["session"] for row in rows} == {prompt["session"]}
    created = [str(row["created"]) for row in rows]
    assert created == sorted(created)


def test_source_shows_the_whole_turn_of_an_answer(example: World) -> None:
    answer = example.ok("history", "--type", "assistant_response", "--json", "-n", "1").objects[0]
    found = example.ok("source", str(answer["id"]), "--json").objects
    assert found[0]["path"] == answer["path"]
    types = [one["type"] for one in found[1:]]
    assert types[0] == "user_prompt"
    assert answer["id"] in [one["id"] for one in found[1:]]


def test_an_edit_in_any_editor_is_found_by_the_next_command(example: World) -> None:
    note = example.journal / "notes" / "plain.md"
    note.write_text("배포 승인은 이제 박하늘이 아니라 당번이 한다. approval-rota\n", "utf-8")
    assert "approval-rota" in example.ok("search", "approval-rota").out
    note.unlink()
    assert "배포 승인은" not in example.ok("search", "approval-rota", "--all").out


def test_deleting_the_index_loses_nothing(example: World) -> None:
    import shutil

    question = ("search", "커넥션 풀", "--json")
    before = example.ok(*question).out
    shutil.rmtree(example.journal / "index")
    assert example.ok(*question).out == before


def test_search_works_and_says_so_without_vectors(example: World) -> None:
    ran = example.ok("search", "커넥션 풀 고갈", environ={"MEMJOURNAL_EMBEDDING_ENABLED": "false"})
    assert "커넥션 풀 고갈로 주문 API 타임아웃" in ran.out
    assert "by keyword only: vectors are switched off" in ran.err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("search", ""), 64, "the query is empty"),
        (("search", "   "), 64, "the query is empty"),
        (("show", "mem:zzzzzz"), 66, "no entry is called 'mem:zzzzzz'"),
        (("show", "mem:!!"), 64, "'mem:!!' is not a citation"),
        (("search", "x", "--kind", "poem"), 2, "'poem' is not one of"),
        (("search", "x", "--since", "soonish"), 2, "is no time"),
        (("search", "x", "--project", "nowhere"), 66, "no project nowhere"),
        (("--journal", "missing", "search", "x"), 66, "no journal here"),
    ],
)
def test_a_wrong_request_gets_one_clear_line_and_its_exit_code(
    example: World, arguments: tuple[str, ...], code: int, said: str
) -> None:
    ran = example.mem(*arguments)
    assert ran.code == code
    assert said in ran.err
    assert "Traceback" not in ran.err
    if code != 2:
        assert len(ran.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "question", ["the of and", '() "AND" OR NOT * ^ ~', "값", "!!!", "😀", "a\x00b"]
)
def test_an_odd_question_gets_an_answer_and_no_failure(example: World, question: str) -> None:
    ran = example.mem("search", "--", question.replace("\x00", " "))
    assert ran.code == 0, ran.err


def test_a_prefix_that_fits_several_entries_is_refused_with_the_candidates(example: World) -> None:
    ids = re.findall(r"mem:(\w{6})", example.ok("history", "-n", "500").out)
    starts = [one[:2] for one in ids]
    shared = next(start for start in starts if starts.count(start) > 1)
    ran = example.mem("show", shared)
    assert ran.code == 66
    assert "fits" in ran.err and "give one letter more" in ran.err
