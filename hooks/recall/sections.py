"""Lines under headings, as many as a budget allows: what is told, put together.

The invariant: what comes out fits, in tokens and in the assistant's own measure, with the fence around it;
and what is worth more is never left out for what is worth less, beyond each section's own share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from .fence import fenced
from .items import Item, render_item
from .recalled import Reason, Recalled
from .tokens import count_tokens
from .wording import WORDINGS, Language, Lead


@dataclass(frozen=True, slots=True)
class Line:
    """What is told together or not at all: one line mostly, and the memory that it quotes."""

    text: str
    id: str
    quote: str  # what of *text* are the memory's words
    others: tuple[Line, ...] = ()  # what *text* quotes besides

    @classmethod
    def of(
        cls,
        item: Item,
        language: Language,
        *,
        lead: Lead | None = None,
        with_place: bool | None = None,
    ) -> Line:
        """*item* as a line; with a *lead* below the heading of its session, which need not be named again."""
        words = WORDINGS[language].leads[lead] if lead else ""
        is_placed = lead is None if with_place is None else with_place
        text = render_item(item, language, lead=words, with_place=is_placed)
        return cls(text, item.id, item.quote)

    @classmethod
    def together(cls, lines: Sequence[Line]) -> Line:
        """*lines*, at least one, as one that is told whole."""
        first = lines[0]
        text = "\n".join(line.text for line in lines)
        return cls(text, first.id, first.quote, tuple(lines[1:]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Lines of one sort, the most worth first."""

    heading: str = ""  # "": none
    lines: Sequence[Line]
    share: float = 1.0  # of the budget, before what others leave is given away


def assemble(
    sections: Iterable[Section],
    *,
    tail: str = "",
    reason: Reason,
    language: Language,
    max_tokens: int,
    fits: Callable[[str], bool],
) -> Recalled:
    """As many lines of *sections*, which are in the order of their worth, as fit; then *tail*.

    Nothing at all where not one line fits.
    """
    kept = [section for section in sections if section.lines]
    budget = max_tokens - count_tokens(fenced(f"x\n\n{tail}", language)) - 1
    counts = _fill(kept, budget)
    while any(counts):
        text = fenced(_text_of(kept, counts, tail), language)
        if count_tokens(text) <= max_tokens and fits(text):
            told = [
                one
                for section, n in zip(kept, counts, strict=True)
                for line in section.lines[:n]
                for one in (line, *line.others)
            ]
            quotes: dict[str, str] = {}
            for line in told:
                before = quotes.get(line.id)
                quotes[line.id] = f"{before}\n{line.quote}" if before else line.quote
            return Recalled(text=text, quotes=quotes, reason=reason)
        last = max(at for at, n in enumerate(counts) if n)
        counts[last] -= 1
    return Recalled(reason="no match")


def _fill(sections: Sequence[Section], budget: int) -> list[int]:
    """How many lines of each section are told: its share at first, then what others left of theirs."""
    counts = [0] * len(sections)
    for is_shared in (True, False):
        for at, section in enumerate(sections):
            room = min(budget, int(section.share * budget)) if is_shared else budget
            while counts[at] < len(section.lines):
                cost = count_tokens(section.lines[counts[at]].text) + 1
                if counts[at] == 0:
                    cost += count_tokens(section.heading) + 2
                if cost > room or cost > budget:
                    break
                counts[at] += 1
                room -= cost
                budget -= cost
    return counts


def _text_of(sections: Sequence[Section], counts: Sequence[int], tail: str) -> str:
    blocks = [
        "\n".join(
            ([f"## {section.heading}"] if section.heading else [])
            + [line.text for line in section.lines[:n]]
        )
        for section, n in zip(sections, counts, strict=True)
        if n
    ]
    return "\n\n".join(filter(None, (*blocks, tail)))
