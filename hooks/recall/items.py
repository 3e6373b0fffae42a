"""One memory as it is told: what it says, its citation, when, where from, and whether it is proven.

Whatever is told has passed redaction and screening once more, as it is read in the end, for files can be
edited by hand (``safety``): what is flagged is left out whole, and so is what may not leave this machine.

Standing. *Confirmed* is a memory that was set down on purpose and is at least as sure as 0.7, a tool call
that succeeded, and an answer in whose turn something was run or changed before it and nothing that was
tried was left failing: of calls of the same program the last one counts, so that a test which failed and
then passed has passed. What only looks (``Read``, ``grep``, ``git status``) or keeps books proves nothing.
All else an assistant said is *attempted*. A prompt is only *asked*: what it wants may never have come about.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from ...indexer.catalog.catalog import Catalog
from ...indexer.catalog.row import Row
from ...journal.errors import MemjournalError
from ...journal.reading import Stored
from ...journal.redaction import Redactor
from ..tool_kinds import asks_user
from .calls import outcomes_of, quote_of_call
from .fence import strip_fences
from .safety import label_of, may_be_told, may_stand, safe_name, safe_quote
from .sentences import (
    MAX_CHARS,
    opening_part,
    sentences_of,
    telling_part,
    without_citations,
)
from .tokens import count_tokens
from .wording import WORDINGS, Language

Standing = Literal["confirmed", "attempted", "asked"]
Read = Callable[[Row], Stored | None]
"""The entry of a row; None where its file has changed since."""

QUOTE_TOKENS: Final = 90
SHORT_ID: Final = 8  # characters of a session's id that it is called by
SURE_FROM: Final = 0.7  # confidence; less is a guess that somebody or something wrote down
TOLD_PRIVACY: Final = ("public", "internal")
_LONGEST_SECRET: Final = 8_000  # characters: none is cut in two, and so not known, but a longer one
_MAX_TURN: Final = 80  # events before an answer in which its turn is looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A memory as it is told."""

    id: str
    quote: str  # one paragraph of plain text
    created: datetime  # in the zone that dates are told in
    label: str  # its type, or "choice"
    project: str  # "" where it is the one that was asked for
    place: str  # a session's short id, or the path of a note; "" for a memory
    standing: Standing


class ItemMaker:
    """Makes items of what a catalog knows, for one *project*."""

    def __init__(
        self, catalog: Catalog, read: Read, *, project: str, now: datetime, redactor: Redactor
    ) -> None:
        self._catalog, self._read = catalog, read
        self._project, self._zone, self._redactor = project, now.tzinfo, redactor
        self._stored: dict[int, Stored | None] = {}
        self._texts: dict[int, str] = {}
        self._tellable: dict[int, bool] = {}

    def stored(self, row: Row) -> Stored | None:
        """The entry of *row*; None where it may not be told, or cannot be read as it was indexed."""
        if row.docno not in self._stored:
            self._stored[row.docno] = self._read_safely(row)
        return self._stored[row.docno]

    def _read_safely(self, row: Row) -> Stored | None:
        if row.privacy not in TOLD_PRIVACY or row.branch == "abandoned":
            return None
        try:
            return self._read(row)
        except MemjournalError:  # one file that cannot be read keeps nothing else from being told
            return None

    def body_of(self, row: Row) -> str:
        """The body of *row* as it stands in its file: to be looked at, and never told."""
        stored = self.stored(row)
        return stored.entry.body if stored else ""

    def text_of(self, row: Row) -> str:
        """The body of *row* as it may be told; "" where nothing of it may be."""
        if row.docno not in self._texts:
            stored = self.stored(row)
            is_told = stored is not None and self._may_be_told(row, stored)
            self._texts[row.docno] = self._safe(stored.entry.body) if stored and is_told else ""
        return self._texts[row.docno]

    def _may_be_told(self, row: Row, stored: Stored) -> bool:
        if row.docno not in self._tellable:
            self._tellable[row.docno] = may_be_told(stored.entry)
        return self._tellable[row.docno]

    def _safe(self, text: str) -> str:
        """*text*, of an entry that may be told, without secrets and without what is told of memories."""
        redacted = self._redactor.redact(text[: MAX_CHARS + _LONGEST_SECRET]).text[:MAX_CHARS]
        return strip_fences(redacted).strip()

    def item(
        self,
        row: Row,
        *,
        max_tokens: int = QUOTE_TOKENS,
        about: Collection[str] = (),
        quote: str | None = None,
    ) -> Item | None:
        """*row* as it is told; None where there is nothing of it to tell.

        *about* are words of the prompt, in lower case. With *quote*, that part of its text is told.
        """
        stored = self.stored(row)
        if stored is None or not self._may_be_told(row, stored):
            return None
        if self._catalog.is_superseded(row):
            return None
        if quote is None:
            quote = self._quote_of(row, stored, max_tokens=max_tokens, about=about)
        quote = safe_quote(without_citations(quote), self._redactor)
        if not quote:
            return None
        project = row.project if row.project != self._project else ""
        item = Item(
            id=row.id,
            quote=quote,
            created=row.created.astimezone(self._zone),
            label="choice" if asks_user(row.tool) else label_of(row.type),
            project=safe_name(project, self._redactor),
            place=_place_of(row, self._redactor),
            standing=self.standing(row, stored),
        )
        return item if may_stand(render_item(item), self._redactor) else None

    def _quote_of(
        self, row: Row, stored: Stored, *, max_tokens: int, about: Collection[str]
    ) -> str:
        body = self.text_of(row)
        if row.kind != "event":
            title = _one_line(self._safe(stored.entry.title))
            return _title_and_body(title, body, max_tokens=max_tokens, about=about)
        if row.type == "tool_output":
            return quote_of_call(row, body, max_tokens=max_tokens)
        sentences = sentences_of(body)
        if row.type == "user_prompt" and not about:
            return opening_part(sentences, max_tokens=max_tokens)
        is_answer = row.type == "assistant_response"
        return telling_part(sentences, max_tokens=max_tokens, about=about, from_end=is_answer)

    def standing(self, row: Row, stored: Stored) -> Standing:
        """Whether *row* is proven; see the module."""
        if row.kind != "event":
            return "confirmed" if stored.entry.confidence >= SURE_FROM else "attempted"
        if row.type == "user_prompt":
            return "asked"
        if row.type == "tool_output":
            return "confirmed" if row.outcome == "ok" else "attempted"
        if row.type != "assistant_response" or row.turn is None or not row.session:
            return "attempted"
        before, _ = self._catalog.neighbours(row, before=_MAX_TURN, after=0)
        calls = [one for one in before if one.turn == row.turn and one.type == "tool_output"]
        outcomes = {outcome for _, outcome in outcomes_of(calls, body_of=self.body_of)}
        return "confirmed" if outcomes == {"ok"} else "attempted"


def _title_and_body(title: str, body: str, *, max_tokens: int, about: Collection[str]) -> str:
    sentences = sentences_of(body)
    bare = title.rstrip("….")
    if not title or (sentences and " ".join(sentences).startswith(bare)):
        return telling_part(sentences or [title], max_tokens=max_tokens, about=about)
    head = title if title.endswith((".", "!", "?", "…", "다")) else f"{title}."
    head = telling_part([head], max_tokens=max_tokens)
    left = max_tokens - count_tokens(head) - 1
    rest = telling_part(sentences, max_tokens=left, about=about) if left > 0 and sentences else ""
    is_cut = bool(sentences) and not rest and not head.endswith("…")
    return f"{head} {rest}".strip() + (" …" if is_cut else "")


def _place_of(row: Row, redactor: Redactor) -> str:
    if row.session:
        return safe_name(row.session[:SHORT_ID], redactor)
    if not row.path.startswith("notes/"):
        return ""
    return f"notes/{safe_name(row.path.removeprefix('notes/'), redactor)}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def render_item(
    item: Item, language: Language = "en", *, lead: str = "", with_place: bool = True
) -> str:
    """*item* as one line: what it says, its citation, and in brackets when, what, where from, how sure.

    *lead* are words before it. A session that stands above the line need not be named in it.
    """
    wording = WORDINGS[language]
    place = item.place if with_place else ""
    if place and not place.startswith("notes/"):
        place = wording.of_session.format(session=place)
    facts = [f"{item.created:%Y-%m-%d}", item.project, place]
    if item.standing != "asked":
        label = wording.labels.get(item.label, item.label)
        facts[1:1] = [label]
        facts.append(wording.standing[item.standing])
    said = f"{lead}: {item.quote}" if lead else item.quote
    return f"- {said} [mem:{item.id}] ({' · '.join(filter(None, facts))})"
