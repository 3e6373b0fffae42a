"""One run of `mem search`: asked of the daemon or of the index, and printed.

Nothing here knows how the command line was read: that is done by Typer, or by `quick` without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from ..journal.place import PROJECT_FOLDER
from . import output
from .messages import QUOTED_CHARS
from .present import heading_of, hit_fields, journal_field, title_of

if TYPE_CHECKING:
    from ..indexer.search.answer import Answer, Hit
    from .context import Context
    from .question import Question

_N_NEAREST: Final = 3


def run_search(
    surroundings: Context, question: Question, *, show_all: bool, ids_only: bool, as_json: bool
) -> None:
    """Answer *question*: as JSON, as citations alone, or for people.

    Raises:
        MemjournalError: it cannot be answered.
        typer.BadParameter: a scope, kind, type or time that there is not.
    """
    answer, journals = _find(surroundings, question)
    if as_json:
        _emit_answer(answer, question.text, journals)
    elif ids_only:
        _print_ids(answer, show_all=show_all)
    else:
        _print_answer(answer, surroundings, journals, show_all=show_all)


def _find(surroundings: Context, question: Question) -> tuple[Answer, tuple[str, ...]]:
    """The answer, and of each hit the name of its journal, "" being the one in use; () if all are its."""
    if _is_of_several(surroundings, question):
        from .shared_search import search_journals

        found = search_journals(surroundings, question, question.scope_in(surroundings))
        return found.answer, found.journals
    from .asking import ask_journal

    answer, remarks = ask_journal(surroundings, question, asker=surroundings)
    surroundings.remark(*remarks)
    return answer, ()


def _is_of_several(surroundings: Context, question: Question) -> bool:
    """Whether other journals may have to be asked."""
    match question.scope_in(surroundings):
        case "shared":
            return True
        case "all":
            has_shares = bool(surroundings.settings.sharing.journals)
            return has_shares or surroundings.root.name == PROJECT_FOLDER
    return False


def _journal_of(rank: int, journals: Sequence[str]) -> str:
    return journals[rank] if journals else ""


def _print_ids(answer: Answer, *, show_all: bool) -> None:
    """Citations of what answers; a script would take what is merely nearest for an answer."""
    if answer.confidence == "none" and answer.hits and not show_all:
        output.note("nothing surely answers this; --all prints what is nearest")
        return
    for hit in answer.hits if show_all else answer.hits[: answer.n_strong]:
        output.line(f"mem:{hit.row.id}")


def _emit_answer(answer: Answer, text: str, journals: Sequence[str]) -> None:
    for rank, hit in enumerate(answer.hits, 1):
        fields = {"rank": rank, **hit_fields(hit, is_weak=rank > answer.n_strong)}
        output.emit("hit", {**fields, **journal_field(_journal_of(rank - 1, journals))})
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


def _print_answer(
    answer: Answer, surroundings: Context, journals: Sequence[str], *, show_all: bool
) -> None:
    n_columns, now = output.columns(), surroundings.now
    strong = answer.hits[: answer.n_strong]
    shown = answer.hits if show_all else strong or answer.hits[:_N_NEAREST]
    if shown and answer.confidence == "none":
        output.line(output.style("nothing surely answers this; the nearest:", output.YELLOW))
    for rank, hit in enumerate(shown):
        journal = _journal_of(rank, journals)
        output.line(heading_of(hit.row, now=now, n_columns=n_columns, journal=journal))
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
