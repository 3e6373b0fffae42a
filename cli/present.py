"""How entries look: on a terminal, in a pipe, and as JSON (docs/json.md describes the fields)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ..journal.entry import format_time
from . import output

if TYPE_CHECKING:
    from ..indexer.catalog.row import Row
    from ..indexer.search.answer import Hit
    from ..journal.entry import Entry
    from .context import Context

_PREVIEW_CHARS = 200


def row_fields(row: Row) -> dict[str, object]:
    """What lists say about an entry."""
    return {
        "id": f"mem:{row.id}",
        "kind": row.kind,
        "type": row.type,
        "title": row.title,
        "project": row.project,
        "created": format_time(row.created),
        "session": row.session,
        "turn": row.turn,
        "agent": row.agent,
        "tool": row.tool,
        "outcome": row.outcome,
        "branch": row.branch,
        "tags": row.tags,
        "files": row.files,
        "path": row.path,
    }


def hit_fields(hit: Hit, *, is_weak: bool) -> dict[str, object]:
    """What a search says about an entry."""
    return {
        **row_fields(hit.row),
        "score": round(hit.score, 4),
        "weak": is_weak,
        "reasons": hit.reasons,
        "snippet": hit.snippet.text,
        "matches": hit.snippet.spans,
    }


def journal_field(journal: str) -> dict[str, object]:
    """What JSON says of an entry of the journal with that name; nothing of the one in use."""
    return {"journal": journal} if journal else {}


def heading_of(row: Row, *, now: datetime, n_columns: int, journal: str = "") -> str:
    """One line that names an entry: citation, title, what it is, when, and of which project.

    *journal* is the name of its journal, if that is not the one in use.
    """
    facts = " · ".join(
        filter(None, (label_of(row), f"{row.created.astimezone(now.tzinfo):%Y-%m-%d}", _short(row)))
    )
    cited = f"[mem:{row.id}]" + (f" [{journal}]" if journal else "")
    room = n_columns - output.width(cited) - output.width(facts) - 3
    title = output.shorten(title_of(row), max(20, room))
    return (
        f"{output.style(cited, output.CYAN)} {output.style(title, output.BOLD)}  "
        + output.style(facts, output.DIM)
    )


def title_of(row: Row) -> str:
    """What an entry is called, beside its label: a tool's name need not be said twice."""
    title = row.title.removeprefix(f"{row.tool}: ") if row.type == "tool_output" else row.title
    return output.safe(title) or "(no title)"


def label_of(row: Row) -> str:
    """What an entry is, in a word or two, with what a reader should be warned of."""
    names = {
        "user_prompt": "prompt",
        "assistant_response": "answer",
        "tool_output": row.tool or "tool",
        "session_marker": row.tool.replace("_", " ") or "session",
    }
    label = names.get(row.type, row.type) if row.kind == "event" else row.type
    marks = [mark for mark in (row.outcome, row.branch) if mark not in ("", "ok")]
    return f"{label} ({', '.join(marks)})" if marks else label


def _short(row: Row) -> str:
    return "/".join(row.project.split("/")[-2:])


def print_rows(
    rows: Sequence[Row],
    surroundings: Context,
    *,
    as_json: bool,
    target: str = "",
    journal: str = "",
) -> None:
    """Print entries a line each; *target* is the one that was asked for, *journal* where they are."""
    now, n_columns = surroundings.now, output.columns()
    for row in rows:
        is_target = row.id == target
        if as_json:
            fields = {**row_fields(row), "is_target": is_target, **journal_field(journal)}
            output.emit("row", fields)
            continue
        moment = output.when(row.created, now)
        label = output.pad(output.shorten(label_of(row), 18), 18)
        cited = f"mem:{row.id}" + (f" [{journal}]" if journal else "")
        start = f"{'▶' if is_target else ' '} {moment}  {label} {cited}  "
        room = min(_PREVIEW_CHARS, max(20, n_columns - output.width(start)))
        line = start + output.shorten(title_of(row), room)
        output.line(output.style(line, output.BOLD) if is_target else line)


def print_entry(
    row: Row,
    entry: Entry,
    *,
    now: datetime,
    before: Sequence[Row] = (),
    after: Sequence[Row] = (),
    is_target: bool = False,
    journal: str = "",
) -> None:
    """Print the whole of an entry, and what stands next to it.

    *journal* is the name of its journal, if that is not the one in use.
    """
    mark = "▶ " if is_target else ""
    cited = entry.citation + (f" [{journal}]" if journal else "")
    output.line(
        f"{mark}{output.style(cited, output.CYAN)} "
        + output.style(output.safe(row.title), output.BOLD)
    )
    output.line(output.style(" · ".join(_facts_of(row, entry, now)), output.DIM))
    output.line()
    output.line(output.safe(entry.body).rstrip("\n") or "(nothing but a title)")
    neighbours = [("previous", before[-1:]), ("next", after[:1])]
    shown = [(word, rows[0]) for word, rows in neighbours if rows]
    if shown:
        output.line()
    for word, neighbour in shown:
        title = output.shorten(title_of(neighbour), 80)
        output.line(
            output.style(f"{word}: [mem:{neighbour.id}] {label_of(neighbour)}: {title}", output.DIM)
        )


def _facts_of(row: Row, entry: Entry, now: datetime) -> list[str]:
    facts = [label_of(row), output.when(row.created, now), row.project, entry.agent]
    if row.session:
        facts.append(f"session {row.session[:8]}" + (f" turn {row.turn}" if row.turn else ""))
    if "exit" in entry.extra:
        facts.append(f"exit {entry.extra['exit']}")
    if entry.tags:
        facts.append(" ".join(f"#{tag}" for tag in entry.tags))
    if entry.files:
        facts.append(", ".join(entry.files[:3]) + (" …" if len(entry.files) > 3 else ""))
    if entry.source:
        facts.append("from " + ", ".join(entry.source[:5]))
    if entry.confidence < 1.0:
        facts.append(f"confidence {entry.confidence:.2f}")
    if "redacted" in entry.extra:
        facts.append(f"🔒 {entry.extra['redacted']} hidden")
    if flagged := entry.extra.get("flagged"):
        ids = flagged if isinstance(flagged, list) else str(flagged).split(",")
        facts.append(f"⚠ flagged: {', '.join(map(str, ids))}")
    facts.append(row.path)
    return [output.safe(fact) for fact in facts if fact]
