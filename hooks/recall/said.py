"""What the user said in the last sessions: how things are to be from now on, and what is chosen in place of what.

The invariant: nothing that was said is told once the user said otherwise. What only turned something down
("no, not GraphQL; use REST") is no wish for good and not told as one, but what it turned down is over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import Final

from ...indexer.catalog.row import Row
from ..tool_kinds import asks_user
from .calls import choices_in
from .claims import Claim, choice_in, claim_of, overrules
from .items import Item, ItemMaker
from .sentences import sentences_of, telling_part
from .sessions import Session
from .standing import standing_at

_N_TOLD: Final = 8
_N_READ: Final = 24  # prompts that are read for it; of most the title tells all that they say
_LONGEST_READ: Final = 600  # characters
_TOKENS: Final = 45

Places = list[tuple[int, ...]]
"""Of sentences: each tuple is told together or not at all."""


@dataclass(frozen=True, slots=True)
class Said:
    """What was claimed, and when; an earlier statement may not hold since."""

    claim: Claim
    created: datetime
    offset: int = 0  # in its file
    row: Row | None = None  # of what was said in a session

    @classmethod
    def since(cls, created: datetime, claim: Claim) -> Said:
        """It was set down, at some time of that second: these times have no fractions."""
        return cls(claim, created.replace(microsecond=999_999))

    @classmethod
    def by(cls, row: Row, claim: Claim) -> Said:
        """It stands in a session."""
        return cls(claim, row.created, row.offset, row)


def overruling(later: Iterable[Said], row: Row, claim: Claim) -> Said | None:
    """What of *later*, if it came after *row*, leaves its *claim* standing no more."""
    at = (row.created, row.offset)
    came_after = (one for one in later if (one.created, one.offset) > at)
    return next((one for one in came_after if overrules(one.claim, claim)), None)


def choices_of(session: Session) -> list[Row]:
    """Where the assistant asked the user to choose."""
    return [row for row in session.tools if asks_user(row.tool) and row.outcome == "ok"]


# --- parts of a text ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Parts:
    """The sentences of a text, or its choices, and those of them that are meant."""

    sentences: Sequence[str]
    meant: Places
    claims: Sequence[Claim]  # of what is meant, in its order
    is_choice: bool

    @classmethod
    def of(
        cls, row: Row, text: str, find: Callable[[Sequence[str]], Places], *, hidden: str
    ) -> Parts:
        """Those of *text* that *find* finds, but for "always use the token …": *hidden* stands for a secret."""
        is_choice = row.type == "tool_output"
        sentences = choices_in(text) if is_choice else sentences_of(text)
        found: Places = [(at,) for at in range(len(sentences))] if is_choice else find(sentences)
        meant = [places for places in found if not any(hidden in sentences[at] for at in places)]
        claims = [claim_of(" ".join(sentences[at] for at in places)) for places in meant]
        return cls(sentences, meant, claims, is_choice)

    def quote(self, *, max_tokens: int) -> str:
        """Those that are meant, as many as fit; "" where none is."""
        only = [at for places in self.meant for at in places]
        if not only:
            return ""
        if self.is_choice:
            return telling_part([self.sentences[at] for at in only], max_tokens=max_tokens)
        return telling_part(list(self.sentences), max_tokens=max_tokens, only=only)

    def holding(self, row: Row, later: Sequence[Said]) -> Parts:
        """Those of them that no *later* one overrules."""
        kept = [
            (places, claim)
            for places, claim in zip(self.meant, self.claims, strict=True)
            if overruling(later, row, claim) is None
        ]
        meant, claims = [places for places, _ in kept], [claim for _, claim in kept]
        return replace(self, meant=meant, claims=claims)


# --- what the user said ---------------------------------------------------------------------------


class Sayings:
    """What the user said in some sessions, the newest first."""

    def __init__(self, sessions: Sequence[Session], maker: ItemMaker, *, hidden: str) -> None:
        self._maker, self.hidden = maker, hidden
        self._stating: list[tuple[Row, Parts]] = []  # something for good, as it stands in the file
        self.later: list[Said] = []
        """Whatever an earlier statement has to give way to."""
        n_read = 0
        for row in _rows_of(sessions):
            is_whole = row.type == "user_prompt" and row.n_chars <= len(row.title)
            if not is_whole:
                if row.n_chars > _LONGEST_READ and row.type == "user_prompt":
                    continue
                n_read += 1
                if n_read > _N_READ:
                    break
            self._take(row, row.title if is_whole else maker.body_of(row))

    def _take(self, row: Row, text: str) -> None:
        parts = self._parts(row, text)
        if parts.meant:
            self._stating.append((row, parts))
            self.later += [Said.by(row, claim) for claim in parts.claims]
        if not parts.is_choice:
            turns = choice_in(parts.sentences)
            if turns.refused or turns.chosen:
                self.later.append(Said.by(row, turns))

    def _parts(self, row: Row, text: str) -> Parts:
        return Parts.of(row, text, standing_at, hidden=self.hidden)

    def for_good(self, held: Sequence[Said]) -> Iterator[tuple[Item, Sequence[Claim]]]:
        """What holds of it, as it is told, and what it claims; not what a later one of *held* settles."""
        n_told = 0
        later = [*self.later, *held]
        for row, stated in self._stating:
            if not stated.holding(row, later).meant:
                continue
            # it takes long to come by the text that may be told, as it passes redaction and screening
            parts = self._parts(row, self._maker.text_of(row)).holding(row, later)
            quote = parts.quote(max_tokens=_TOKENS)
            item = self._maker.item(row, quote=quote) if quote else None
            if item is not None:
                yield item, parts.claims
                n_told += 1
            if n_told == _N_TOLD:
                return


def _rows_of(sessions: Sequence[Session]) -> Iterator[Row]:
    """Prompts and choices, the newest session first, and in each the newest."""
    for session in sessions:
        rows = chain(session.prompts, choices_of(session))
        yield from sorted(rows, key=lambda row: (row.created_us, row.offset), reverse=True)
