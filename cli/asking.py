"""One question asked of one journal: of its daemon, or else of its index here."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

from ..journal.errors import MemjournalError

if TYPE_CHECKING:
    from ..indexer.catalog.catalog import Catalog
    from ..indexer.search.answer import Answer
    from .context import Context
    from .question import Question

_REBUILDS: Final = 3  # of the index, by others, while one question is answered


def ask_journal(
    place: Context, question: Question, *, asker: Context
) -> tuple[Answer, tuple[str, ...]]:
    """What the journal of *place* answers, with remarks for people; *asker* is whose question it is.

    Raises:
        MemjournalError: it cannot be answered.
        typer.BadParameter: a scope, kind, type or time that there is not.
    """
    return _ask_daemon(place, question, asker) or _search_here(place, question, asker)


def _ask_daemon(
    place: Context, question: Question, asker: Context
) -> tuple[Answer, tuple[str, ...]] | None:
    """The answer and remarks of a daemon; None where the search has to be done here."""
    if place.daemon is None:
        return None
    from .daemon_link import ask_daemon

    try:
        request = question.request(asker, place.catalog if question.projects else None)
    except MemjournalError:  # a project that is too new to be known, or a mistake: seen here
        return None
    return ask_daemon(place, request)


def _search_here(
    place: Context, question: Question, asker: Context
) -> tuple[Answer, tuple[str, ...]]:
    """The answer and remarks of a search in this process, after its index has followed the files."""
    from ..indexer.errors import IndexDamagedError

    for _ in range(_REBUILDS):
        catalog = place.fresh_catalog()
        try:
            return _search_in(catalog, place, question, asker)
        except IndexDamagedError:
            if not catalog.is_replaced:
                raise
            place.forget_catalog()  # somebody builds it anew
    return _search_in(place.fresh_catalog(), place, question, asker)


def _search_in(
    catalog: Catalog, place: Context, question: Question, asker: Context
) -> tuple[Answer, tuple[str, ...]]:
    request = question.request(asker, catalog)
    from ..indexer.search.searcher import Searcher

    with contextlib.closing(Searcher(place.index, catalog)) as searcher:
        answer = searcher.search(request)
    return answer, tuple(searcher.remarks)
