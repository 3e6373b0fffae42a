"""What was decided in one session reaches the model in the next one, with citations that open."""

from __future__ import annotations

import re

import pytest

from .client import Client
from .conftest import indexed
from .model_api import Says

DECIDED = "환불 키는 시각이 아니라 UUID로 만들기로 결정했습니다. 같은 초에 두 번 부르면 키가 겹치기 때문입니다."
FENCE = re.compile(r"<memory-context\b.*?</memory-context>", re.DOTALL)
CITATION = re.compile(r"\[mem:([0-9A-Za-z]+)\]")


def told(client: Client, *, with_prompt: bool = False) -> list[str]:
    """The blocks of memories in what the model was sent last; only those that came with a prompt."""
    text = client.model.asked[-1].text
    if with_prompt:
        _, *parts = text.split("UserPromptSubmit hook additional context:")
        text = "\n".join(part.partition("</system-reminder>")[0] for part in parts)
    return FENCE.findall(text)


def decide(client: Client) -> None:
    """A first session, in which something is decided."""
    client.model.on("환불 키를 어떻게", [Says(DECIDED)])
    client.model.on("work on", [Says("Gladly.")])
    client.model.on("만들기로 했지", [Says("UUID입니다.")])
    client.say("환불 키를 어떻게 만들까?")
    indexed(client)
    client.model.asked.clear()


def opens_the_decision(client: Client, fence: str) -> bool:
    """Whether a citation in *fence* leads to the decision."""
    shown = [client.world.ok("show", f"mem:{id}").out for id in CITATION.findall(fence)]
    return any(DECIDED in one for one in shown)


def test_the_next_session_begins_with_what_was_decided_last(client: Client) -> None:
    decide(client)
    assert client.say("work on pay.py").code == 0
    (brief,) = told(client)
    assert "UUID" in brief
    assert opens_the_decision(client, brief)


def test_a_later_session_is_told_what_was_decided_when_it_asks(client: Client) -> None:
    decide(client)
    client.say("work on the colour of the page")
    indexed(client)
    client.say("환불 키를 무엇으로 만들기로 했지?")
    blocks = told(client, with_prompt=True)
    assert len(blocks) == 1 or client.is_alone  # by keyword alone it need not be sure enough
    assert all("UUID" in block and opens_the_decision(client, block) for block in blocks)


def test_a_memory_is_told_once_in_a_session(client: Client) -> None:
    decide(client)
    session = client.say("환불 키를 무엇으로 만들기로 했지?").session
    client.say("그래서 환불 키를 무엇으로 만들기로 했지?", session=session)
    cited = CITATION.findall("".join(told(client)))
    assert cited and len(cited) == len(set(cited))


def test_a_session_is_not_told_its_own_words(client: Client) -> None:
    decide(client)
    client.model.on("배포는 금요일", [Says("배포는 금요일에 하지 않기로 결정했습니다.")])
    client.model.on("언제 하지 않기로", [Says("금요일입니다.")])
    session = client.say("배포는 금요일에 해도 될까?").session
    indexed(client)
    client.say("배포를 언제 하지 않기로 했지?", session=session)
    assert "금요일에 하지 않기로" not in "".join(told(client))


def test_what_is_told_does_not_come_back_as_something_said(client: Client) -> None:
    decide(client)
    session = client.say("환불 키를 무엇으로 만들기로 했지?").session
    exported = client.world.ok("export", "--session", session).out
    assert "memory-context" not in exported
    assert DECIDED not in exported


@pytest.mark.parametrize("prompt", ["work on the colour of the page", "고마워"])
def test_a_prompt_that_has_nothing_to_do_with_it_is_told_nothing(
    client: Client, prompt: str
) -> None:
    """What is told at the start of a session is another matter."""
    decide(client)
    client.model.on("고마워", [Says("천만에요.")])
    client.say(prompt)
    assert told(client, with_prompt=True) == []


def test_after_a_compaction_the_brief_stands_in_the_context_again(client: Client) -> None:
    decide(client)
    client.model.summary = "<summary>아직 아무 일도 없었다.</summary>"
    session = client.say("work on pay.py").session
    (brief,) = told(client)
    client.say("/compact", session=session)
    client.say("work on it still", session=session)
    assert told(client) == [brief]
