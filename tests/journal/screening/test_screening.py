"""What would command an assistant is found however it is written; honest work is left alone."""

from __future__ import annotations

import gc
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.journal.screening import is_threatening, known_ids, screen

from . import attacks, innocent

ALL_ATTACKS = [
    (id, text)
    for table in (attacks.ENGLISH, attacks.KOREAN, attacks.INVISIBLE)
    for id, texts in table.items()
    for text in texts
]
ORDERS = {"agent_config_order", "ssh_key_access", "c2_order"}


@pytest.mark.parametrize(("id", "text"), ALL_ATTACKS)
def test_an_attack_is_found_and_kept_from_the_assistant(id: str, text: str) -> None:
    ids = screen(text)
    assert id in ids
    assert is_threatening(ids)


@pytest.mark.parametrize("id", [*attacks.KOREAN, *attacks.INVISIBLE])
def test_it_is_found_in_the_middle_of_a_long_text(id: str) -> None:
    work = "We fixed the pool. 풀을 고쳤다.\n" * 3000  # more than 65,536 characters
    texts = (attacks.KOREAN.get(id) or attacks.INVISIBLE[id])[0], attacks.ENGLISH.get(id, ("",))[0]
    assert id in screen(f"{work}{texts[0]}\n{work}")
    assert not texts[1] or id in screen(f"{work}{texts[1]}\n{work}")


def test_every_id_has_samples_in_both_languages() -> None:
    assert set(known_ids()) == {*attacks.ENGLISH, *attacks.INVISIBLE} | ORDERS
    assert set(known_ids()) == {*attacks.KOREAN, *attacks.INVISIBLE} | ORDERS
    assert all(
        len(texts) >= 3 for table in (attacks.ENGLISH, attacks.KOREAN) for texts in table.values()
    )


def test_the_orders_among_ordinary_work_are_named() -> None:
    found = {id for _, text in ALL_ATTACKS for id in screen(text)}
    assert found >= ORDERS


@pytest.mark.parametrize("text", [*innocent.ENGLISH, *innocent.KOREAN])
def test_honest_work_is_not_kept_from_the_assistant(text: str) -> None:
    assert not is_threatening(screen(text))


@pytest.mark.parametrize("text", innocent.WRITING)
def test_writing_that_needs_unseen_characters_is_left_alone(text: str) -> None:
    assert screen(text) == ()


def test_ids_come_in_their_order() -> None:
    everything = "\n".join(text for _, text in reversed(ALL_ATTACKS))
    found = screen(everything)
    assert list(found) == [id for id in known_ids() if id in found]
    assert len(found) == len(known_ids())


def test_nothing_found_is_no_threat_and_what_is_unknown_is_one() -> None:
    assert not is_threatening(())
    assert not is_threatening(("agent_config_mod", "ssh_access"))
    assert is_threatening(("agent_config_mod", "an id of a later version"))


PIECES = st.one_of(
    st.text(),
    st.sampled_from([text for _, text in ALL_ATTACKS]),
    st.sampled_from(
        ["\ud800", "\u200d", "\ufe0f", "\U000e0067", "\U0001f3f4", "\n", " ", "이전 ", "ignore "]
    ),
)


@given(st.lists(PIECES, max_size=6).map("".join))
def test_any_text_is_screened(text: str) -> None:
    assert set(screen(text)) <= set(known_ids())


@given(st.sampled_from(ALL_ATTACKS), st.text(max_size=80), st.text(max_size=80))
def test_what_stands_on_lines_around_an_attack_hides_nothing(
    attack: tuple[str, str], before: str, after: str
) -> None:
    id, text = attack
    assert id in screen(f"{before}\n{text}\n{after}")


# Time


def _cpu_ns(text: str) -> int:
    gc.collect()
    started = time.process_time_ns()
    screen(text)
    return time.process_time_ns() - started


FIRST = [texts[0] for table in (attacks.ENGLISH, attacks.KOREAN) for texts in table.values()]
HOSTILE = [
    *dict.fromkeys(f"{' '.join(text.split()[:-1])} " for text in FIRST),
    *(
        "ignore all ",
        "curl $",
        "<!--hidden",
        "cat ",
        "send ",
        "translate x into y and ",
        "이제 너는 ",
    ),
    *(" ", "\n", "a", "가", "이전 ", "이전의 모든 ", "https://a 로 ", "절대 파일 디스크 "),
    *("\u0316\u0301", "\u200d", "👨\u200d", "\ufdfa", "\ufe0f", "\U000e0041", "🏴\U000e0067"),
]
EVERY_WORD = "\n".join(sorted({word for _, text in ALL_ATTACKS for word in text.split()})) + "\n"


@pytest.mark.parametrize("unit", HOSTILE)
def test_time_grows_with_the_text_and_not_with_its_square(unit: str) -> None:
    """Sixteen times the text takes far less than 256 times the time; the words of all attacks
    stand in front, so that no expression is spared."""
    small, large = (EVERY_WORD + unit * (size // len(unit)) for size in (4_000, 64_000))
    screen(small)  # compiles
    assert _cpu_ns(large) < 64 * max(_cpu_ns(small) for _ in range(3))
