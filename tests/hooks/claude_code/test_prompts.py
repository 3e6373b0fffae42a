"""What was typed comes out word for word; what was not typed does not come out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.hooks.claude_code.prompts import cut_injected, read_said


@pytest.mark.parametrize(
    ("text", "typed", "form"),
    [
        ("결제 테스트가 실패해", "결제 테스트가 실패해", ""),
        ("<command-name>/review</command-name>\n <command-args>the text</command-args>",
         "/review the text", "command"),
        ("<command-message>r…</command-message>\n<command-args>결제만</command-args>\n"
         + "<command-name>/r</command-name>", "/r 결제만", "command"),
        ("<command-name>/commit</command-name><command-args></command-args>", "/commit", "command"),
        ("<command-name>/compact</command-name><command-args>keep names</command-args>",
         "/compact keep names", "command"),
        ("<bash-input>git status</bash-input>", "!git status", "shell"),
        ("<system-reminder>x</system-reminder>do it<system-reminder>y</system-reminder>",
         "do it", ""),
        ("<ide_selection>a <b> c</ide_selection>\nwhy?", "why?", ""),
        ('see\n<context ref="file:///a">\n<context ref="b">inner</context></context>', "see", ""),
        ("what does <system-reminder> mean?", "what does <system-reminder> mean?", ""),
        ("is <context> closed by </context> here?", "is <context> closed by </context> here?", ""),
    ],
)  # fmt: skip
def test_what_was_typed(text: str, typed: str, form: str) -> None:
    said = read_said([text])
    assert (said.text, said.form, said.reason) == (typed, form, "")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<command-name>/clear</command-name>", "empty command"),
        ("<command-name>/model</command-name><command-args> </command-args>", "empty command"),
        (" <bash-stdout>ok</bash-stdout><bash-stderr></bash-stderr>", "output of a shell command"),
        ("<local-command-stderr>no</local-command-stderr>", "output of a local command"),
        ("<task-notification>\ndone</task-notification>", "task notification"),
        ("<system-reminder>a<system-reminder>b</system-reminder></system-reminder>",
         "injected text"),
        ("[Request interrupted by user]", "interruption"),
        (" \n", "empty text"),
    ],
)  # fmt: skip
def test_what_was_not_typed(text: str, reason: str) -> None:
    said = read_said([text])
    assert (said.text, said.reason) == ("", reason)


def test_a_sentence_split_at_a_mention_is_one_sentence() -> None:
    said = read_said(
        ["문서를 쓸 때 ", "[@a.md](file:///a.md)", " 을 써줘.", '\n<context ref="x">y</context>']
    )
    assert said.text == "문서를 쓸 때 [@a.md](file:///a.md) 을 써줘."


def test_text_behind_an_interruption_is_kept() -> None:
    said = read_said(["[Request interrupted by user]", "use the other file"])
    assert (said.text, said.interruption) == ("use the other file", "yes")


@given(st.text(alphabet="ab <>/", max_size=40), st.text(alphabet="xy\n", max_size=40))
def test_cutting_keeps_every_word_outside_the_tags(before: str, inside: str) -> None:
    tagged = f"{before}<system-reminder>{inside}</system-reminder>{before}"
    assert cut_injected(tagged) == before + before


@given(st.lists(st.sampled_from(["<system-reminder>", "</system-reminder>", "a", "b"])))
def test_cutting_never_cuts_text_before_the_first_tag(parts: list[str]) -> None:
    assert cut_injected("typed" + "".join(parts)).startswith("typed")
