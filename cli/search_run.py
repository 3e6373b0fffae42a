"""One run of `mem search`: asked of the daemon or of the index, and printed.

Nothing here knows how the command line was read: that is done by Typer, or by `quick` without it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from ..journal.errors import MemjournalError
from . import output
from .messages import QUOTED_CHARS
from .present import heading_of, hit_fields, title_of

if TYPE_CHECKING:
    from ..indexer.catalog.catalog import Catalog
    from ..indexer.search.answer import Answer, Hit
    from .context import Context
    from .question import Question

_N_NEAREST: Final = 3
_REBUILDS: Final = 3  # of the index, by others, while one question is answered


def run_search(
    surroundings: Context, question: Question, *, show_all: bool, ids_only: bool, as_json: bool
) -> None:
    """Answer *question*: as JSON, as citations alone, or for people.

    Raises:
        MemjournalError: it cannot be answered.
        typer.BadParameter: a scope, kind, type or time that there is not.
    """
    found = _ask_daemon(surroundings, question)
    answer, remarks = found or _search_here(surroundings, question)
    surroundings.remark(*remarks)
    if as_json:
        _emit_answer(answer, question.text)
    elif ids_only:
        _print_ids(answer, show_all=show_all)
    else:
        _print_answer(answer, surroundings, show_all=show_all)


def _print_ids(answer: Answer, *, show_all: bool) -> None:
    """Citations of what answers; a script would take what is merely nearest for an answer."""
    if answer.confidence == "none" and answer.hits and not show_all:
        output.note("nothing surely answers this; --all prints what is nearest")
        return
    for hit in answer.hits if show_all else answer.hits[: answer.n_strong]:
        output.line(f"mem:{hit.row.id}")


def _emit_answer(answer: Answer, text: str) -> None:
    for rank, hit in enumerate(answer.hits, 1):
        is_weak = rank > answer.n_strong
        output.emit("hit", {"rank": rank, **hit_fields(hit, is_weak=is_weak)})
    output.emit(
        "answer",
        {
            "query": text,
            "total": answer.total,
            "shown": len(answer.hits),
            "confidence": answer.confidence,
            "used_keyword": answer.used_keyword,
            "used_vector": answer.used_vector,
            "fallback_applied": answer.fallback_applied,
            "no_vectors": answer.no_vectors,
            "left_out": answer.left_out,
            "did_you_mean": answer.did_you_mean,
            "period": _period_fields(answer),
            "missing_phrases": answer.missing_phrases,
        },
    )


def _ask_daemon(surroundings: Context, question: Question) -> tuple[Answer, tuple[str, ...]] | None:
    """The answer and remarks of a daemon; None where the search has to be done here."""
    if surroundings.daemon is None:
        return None
    from .daemon_link import ask_daemon

    try:
        request = question.request(
            surroundings, surroundings.catalog if question.projects else None
        )
    except MemjournalError:  # a project that is too new to be known, or a mistake: seen here
        return None
    return ask_daemon(surroundings, request)


def _search_here(surroundings: Context, question: Question) -> tuple[Answer, tuple[str, ...]]:
    """The answer and remarks of a search in this process, after its index has followed the files."""
    from ..indexer.errors import IndexDamagedError

    for _ in range(_REBUILDS):
        catalog = surroundings.fresh_catalog()
        try:
            return _search_in(catalog, surroundings, question)
        except IndexDamagedError:
            if not catalog.is_replaced:
                raise
            surroundings.forget_catalog()  # somebody builds it anew
    return _search_in(surroundings.fresh_catalog(), surroundings, question)


def _search_in(
    catalog: Catalog, surroundings: Context, question: Question
) -> tuple[Answer, tuple[str, ...]]:
    request = question.request(surroundings, catalog)
    from ..indexer.search.searcher import Searcher

    with contextlib.closing(Searcher(surroundings.index, catalog)) as searcher:
        answer = searcher.search(request)
    return answer, tuple(searcher.remarks)


def _print_answer(answer: Answer, surroundings: Context, *, show_all: bool) -> None:
    n_columns, now = output.columns(), surroundings.now
    strong = answer.hits[: answer.n_strong]
    shown = answer.hits if show_all else strong or answer.hits[:_N_NEAREST]
    if shown and answer.confidence == "none":
        output.line(output.style("nothing surely answers this; the nearest:", output.YELLOW))
    for hit in shown:
        output.line(heading_of(hit.row, now=now, n_columns=n_columns))
        if hit.snippet.text and hit.snippet.text != title_of(hit.row):
            output.line(f"    {output.mark(hit.snippet.text, hit.snippet.spans)}")
        reasons = ", ".join(hit.reasons)
        output.line(f"    {output.style(f'{hit.score:.2f} {reasons}', output.DIM)}")
    if shown:
        output.line()
    output.line(output.style(_summary_of(answer, shown), output.DIM))
    for remark in _remarks_on(answer, surroundings):
        output.line(output.style(remark, output.YELLOW))
    if answer.no_vectors:
        output.warn(f"searched by keyword only: {answer.no_vectors}")


def _period_fields(answer: Answer) -> dict[str, object] | None:
    period = answer.period
    if period is None:
        return None
    return {
        "words": period.words,
        "start": period.start,
        "end": period.end,
        "is_used": period.is_used,
    }


def _remarks_on(answer: Answer, surroundings: Context) -> Iterator[str]:
    """How the question was understood, and how it may have been meant."""
    if answer.did_you_mean:
        asked = output.shorten(output.safe(answer.did_you_mean), QUOTED_CHARS)
        yield f"did you mean: {asked}"
    for phrase in answer.missing_phrases:
        yield f'nothing says "{output.safe(phrase)}" word for word'
    if (period := answer.period) is not None:
        now, words = surroundings.now, output.safe(period.words)
        start = output.when(period.start, now) if period.start else "the beginning"
        end = output.when(period.end, now) if period.end else "now"
        if period.is_used:
            yield f'"{words}" was read as a time: {start} – {end}'
        else:
            yield f'nothing of "{words}" ({start} – {end}) surely answers this; all times were searched'


def _summary_of(answer: Answer, shown: Sequence[Hit]) -> str:
    legs = " + ".join(
        name
        for name, used in (("keyword", answer.used_keyword), ("meaning", answer.used_vector))
        if used
    )
    if not shown:
        return "nothing found"
    n_weak = len(answer.hits) - len(shown)
    matches = output.count(answer.total, "match", "matches")
    parts = [
        f"{len(shown)} of {matches}" if len(shown) <= answer.total else f"{len(shown)} shown",
        *(
            [f"{n_weak} that hardly match{'es' if n_weak == 1 else ''} left out (--all)"]
            if n_weak
            else []
        ),
        *([legs] if legs else []),
        f"confidence: {answer.confidence}",
        f"open one with `mem show mem:{shown[0].row.id}`",
    ]
    return " · ".join(parts)
