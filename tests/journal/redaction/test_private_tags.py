"""What an author marks as private is gone, however the marks are written, nested or broken."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memjournal.journal.redaction import RedactionRules, Redactor

REDACTOR = Redactor()
PAIRS = (
    ("<private>", "</private>"),
    ("<private/>", "</private>"),
    ("<PRIVATE>", "</Private>"),
    ("< private >", "</ private >"),
    ('<private reason="x">', "</private>"),
    ("[private]", "[/private]"),
    ("[Private]", "[/PRIVATE]"),
    ("[PRIVATE]", "[/PRIVATE]"),
    ("<!-- private -->", "<!-- /private -->"),
    ("<!--PRIVATE-->", "<!--/PRIVATE-->"),
    ("&lt;private&gt;", "&lt;/private&gt;"),
    ("\\u003cprivate\\u003e", "\\u003c/private\\u003e"),
)


def clean(text: str, **rules: object) -> str:
    return Redactor(RedactionRules(**rules)).redact(text).text  # type: ignore[arg-type]  # by name


@pytest.mark.parametrize(("opening", "closing"), PAIRS)
def test_every_format_hides_what_is_between(opening: str, closing: str) -> None:
    assert clean(f"앞 {opening}비밀\n둘째 줄{closing} 뒤") == "앞 [PRIVATE] 뒤"


@pytest.mark.parametrize(("opening", "closing"), PAIRS)
def test_nested_tags_hide_to_the_matching_close(opening: str, closing: str) -> None:
    text = f"a {opening}b {opening}c{closing} d{closing} e"
    assert clean(text) == "a [PRIVATE] e"


@pytest.mark.parametrize("opening", [o for o, _ in PAIRS if o != "[PRIVATE]"])
def test_an_unclosed_tag_hides_to_the_end(opening: str) -> None:
    assert clean(f"a {opening}b\n\nc") == "a [PRIVATE]"


@pytest.mark.parametrize(
    "text",
    [
        "` <private>비밀</private> `",
        "it`s <private>비밀</private>",
        "`<private>비밀</private>`",
        "`<private>`비밀-1`</private>`",
        "` <private> ` 비밀 </private>",
        "`<private>` 비밀 </private>",
        "```\n<private>비밀</private>\n```",
        "```\n<private>비밀",
        "```\n`<private>`\n```\n비밀 </private>",
        "<private>a `</private>` 비밀</private>",
        "<private>a `<private>` b</private> 비밀</private>",
        "<priv<private></private>ate>비밀</private>",
        "<private>a</private><private>비밀",
        "<private>[private]비밀</private> b",
    ],
)
def test_code_and_tricks_do_not_disarm_a_tag(text: str) -> None:
    assert "비밀" not in clean(text)


@pytest.mark.parametrize(
    "text",
    [
        "use the `<private>` tag",
        "`<private>` 태그로 감싸세요",
        "use `<private>` and `</private>` around it",
        "``<private>`` is documented",
        "```py\nif '<private>' in text:\n    pass\n```\nand so on",
        "see [private](https://example.com/private) repositories",
        "a private method",
        "text </private> with a stray close",
    ],
)
def test_a_mere_mention_of_a_tag_stays(text: str) -> None:
    assert clean(text) == text


def test_an_empty_pair_vanishes() -> None:
    assert clean("a <private> </private>b") == "a b"
    assert clean("a\n\n<private></private>\n\nb") == "a\n\nb"


def test_line_breaks_shrink_around_the_removed_part_only() -> None:
    text = "x\n\n\n\ny\n\n\n<private>s</private>\n\n\n\nz"
    assert clean(text) == "x\n\n\n\ny\n\n[PRIVATE]\n\nz"


def test_neighbouring_markers_become_one() -> None:
    assert clean("<private>a</private> <private>b</private>\n[private]c[/private] d") == (
        "[PRIVATE] d"
    )


def test_lines_can_be_preserved() -> None:
    text = "a\n<private>1\n2\n3</private>\nb"
    kept = clean(text, preserve_lines=True)
    assert kept.count("\n") == text.count("\n")
    assert kept.endswith("\nb")


def test_formats_and_markers_are_settings() -> None:
    assert clean("[private]a[/private]", tag_formats=("xml",)) == "[private]a[/private]"
    assert clean("x <private>a</private> y", private_marker="") == "x  y"
    assert clean("x <private>a</private> y", private_marker="(비공개)") == "x (비공개) y"


def test_what_was_hidden_is_counted() -> None:
    redacted = REDACTOR.redact("<private>a</private> b <private></private> [private]c[/private]")
    assert (redacted.n_private, redacted.kinds) == (2, ("private",))


TAGS = st.sampled_from([tag for pair in PAIRS for tag in pair] + ["`", "```\n", "\n", " ", "x"])


@settings(deadline=None)  # the first text compiles the expressions
@given(st.lists(TAGS, max_size=12).map("".join), st.sampled_from(PAIRS))
def test_no_surroundings_reveal_a_closed_part(around: str, pair: tuple[str, str]) -> None:
    opening, closing = pair
    if opening == "[PRIVATE]":
        opening = "[private]"
    assert "geheim" not in REDACTOR.redact(f"{around}\n{opening}\ngeheim\n{closing}").text
