"""What an assistant would be told here: the same choice as its hooks make, and no trace of it.

Nothing is written: neither what is told nor that it was asked for is noted, and no index follows the files.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from ...hooks.desk_options import is_skipped
from ...journal.errors import UsageError
from .. import options, output
from ..context import Context
from ..present import label_of, title_of
from ..text_command import TextCommand

if TYPE_CHECKING:
    from ...hooks.recall.prompt import Considered, Explained
    from ...hooks.recall.recalled import Reason, Recalled
    from ...hooks.recall.request import RecallRequest
    from ...indexer.catalog.catalog import Catalog
    from ...indexer.catalog.row import Row
    from ...indexer.search.answer import Answer, SearchRequest

Event = Literal["brief", "prompt"]

_WHY: Final[Mapping[Reason, str]] = {
    "brief": "what a session begins with",
    "confident": "found, and sure enough",
    "continuation": "the prompt asks to go on",
    "no match": "nothing is known of it that is sure enough to be told",
    "not asked": "the prompt asks for nothing that a journal knows",
    "disabled": "the settings say that nothing is told here; see `mem config list`",
}


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    app.command(cls=TextCommand)(recall)


def recall(
    context: typer.Context,
    prompt: Annotated[
        list[str] | None,
        typer.Argument(help="What you would say to the assistant; - reads stdin."),
    ] = None,
    brief: Annotated[
        bool, typer.Option("--brief", help="Also what it is told when a session starts.")
    ] = False,
    project: Annotated[
        str | None,
        typer.Option("--project", "-p", metavar="NAME", help="Default: the current folder's."),
    ] = None,
    session: Annotated[
        str, typer.Option("--session", "-s", metavar="ID", help="A session to leave out.")
    ] = "",
    explain: Annotated[
        bool, typer.Option("--explain", help="Also say what was considered, and why it is told.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Show what an assistant is told for a prompt, or without one when a session starts; writes nothing."""
    surroundings: Context = context.obj
    words = " ".join(prompt or ()).strip()
    if words == "-":
        words = sys.stdin.read().strip()
    if prompt and not words:
        raise UsageError("the prompt is empty", mend="say what you would say to the assistant")
    shown = _Shown(surroundings, project=project, session=session)
    told: frozenset[str] = frozenset()
    texts: list[str] = []
    if brief or not words:
        recalled = shown.brief()
        told = frozenset(recalled.ids)
        texts += _print("brief", recalled, shown, explain=explain, as_json=as_json)
    if words:
        explained = shown.for_prompt(words, told)
        texts += _print(
            "prompt",
            explained.recalled,
            shown,
            considered=explained.considered,
            explain=explain,
            as_json=as_json,
        )
    if not as_json and texts:
        output.line(output.safe("\n\n".join(texts)))


class _Shown:
    """What the hooks would choose now, for one project."""

    def __init__(self, surroundings: Context, *, project: str | None, session: str) -> None:
        settings = surroundings.settings
        self.settings, skips = settings.recall, settings.capture.skip_projects
        self.catalog = surroundings.current_catalog()
        self._surroundings = surroundings
        self.project = _project(surroundings, self.catalog, project)
        self._is_off = not self.settings.enabled or is_skipped(self.project, skips)
        self._session = _whole_session(self.catalog, session)

    def brief(self) -> Recalled:
        """What is told when a session starts."""
        from ...hooks.recall.brief import make_brief
        from ...hooks.recall.recalled import Recalled

        if self._is_off or not self.settings.brief_tokens:
            return Recalled(reason="disabled")
        return make_brief(self._request(max_tokens=self.settings.brief_tokens))

    def for_prompt(self, prompt: str, told: frozenset[str]) -> Explained:
        """What is told with *prompt*, when *told* was told before, and what was considered."""
        from ...hooks.recall.prompt import Explained, explain
        from ...hooks.recall.recalled import Recalled
        from ...journal.usage import LedgerUsage

        if self._is_off or not self.settings.prompt_tokens:
            return Explained(recalled=Recalled(reason="disabled"), asked=None)
        return explain(
            prompt,
            self._request(max_tokens=self.settings.prompt_tokens),
            search=self._search,
            told=told,
            usage=LedgerUsage(self._surroundings.root).refresh(),
        )

    def _request(self, *, max_tokens: int) -> RecallRequest:
        from ...hooks.recall.request import RecallRequest

        return RecallRequest(
            catalog=self.catalog,
            read=self._surroundings.index.read,
            project=self.project,
            session=self._session,
            now=self._surroundings.now,
            max_tokens=max_tokens,
            fits=_fits,
            redactor=self._surroundings.redactor,
        )

    def _search(self, request: SearchRequest) -> Answer:
        """The answer of the index as it is on disk.

        Raises:
            MemjournalError: there is none, or it cannot be searched.
        """
        from ...indexer.search.searcher import Searcher

        index = self._surroundings.index
        with (
            contextlib.closing(index.read_catalog()) as catalog,
            contextlib.closing(Searcher(index, catalog, mends=False)) as searcher,
        ):
            answer = searcher.search(request)
        self._surroundings.remark(*searcher.remarks)
        return answer


def _project(surroundings: Context, catalog: Catalog, wanted: str | None) -> str:
    """The project's whole name: of the current folder, or of a known one that *wanted* means."""
    from ...journal.project import find_project

    if wanted is None:
        return surroundings.project.name
    return find_project(catalog.tally("project"), wanted)


def _whole_session(catalog: Catalog, beginning: str) -> str:
    """The id of the session that begins so; as it is where there is none."""
    from ...indexer.catalog.entry_filter import EntryFilter

    rows = catalog.find(EntryFilter(sessions=(beginning,)), limit=1) if beginning else []
    return rows[0].session if rows else beginning


def _fits(text: str) -> bool:
    """Whether Claude Code takes *text* whole; the others take as much or more."""
    from ...hooks.claude_code.hook_adapter import HookAdapter

    adapter = HookAdapter()
    return adapter.size_of(text) <= adapter.max_size


def _print(
    event: Event,
    recalled: Recalled,
    shown: _Shown,
    *,
    considered: Sequence[Considered] = (),
    explain: bool,
    as_json: bool,
) -> list[str]:
    """The text that is told, to be printed; what else there is to say is said."""
    if as_json:
        fields = _fields_of(event, recalled, shown)
        if explain:
            fields["considered"] = [_fields_of_considered(one) for one in considered]
        output.emit("recalled", fields)
        return []
    if explain or not recalled.text:
        _say_why(event, recalled, shown)
    if explain and recalled.reason != "confident":
        for row in (row for one in recalled.ids for row in shown.catalog.by_id(one)[:1]):
            output.note(f"  {_named(row)}")
    if explain:
        for one in considered:
            output.note(f"  {one.probability:.2f}  {one.verdict}: {_named(one.row)}")
    return [recalled.text] if recalled.text else []


def _fields_of(event: Event, recalled: Recalled, shown: _Shown) -> dict[str, object]:
    n_tokens, most = _tokens_of(event, recalled, shown)
    return {
        "event": event,
        "project": shown.project,
        "reason": recalled.reason,
        "ids": [f"mem:{one}" for one in recalled.ids],
        "tokens": n_tokens,
        "max_tokens": most,
        "text": recalled.text,
    }


def _fields_of_considered(considered: Considered) -> dict[str, object]:
    return {
        "id": f"mem:{considered.row.id}",
        "title": considered.row.title,
        "probability": round(considered.probability, 4),
        "verdict": considered.verdict,
    }


def _say_why(event: Event, recalled: Recalled, shown: _Shown) -> None:
    n_tokens, most = _tokens_of(event, recalled, shown)
    of = f" of {shown.project}" if shown.project else ""
    found = f"; {n_tokens:,} of at most {most:,} tokens" if recalled.text else ""
    is_empty = event == "brief" and recalled.reason == "no match"
    why = "nothing is known of it yet" if is_empty else _WHY[recalled.reason]
    output.note(f"{event}{of}: {why}{found}")


def _tokens_of(event: Event, recalled: Recalled, shown: _Shown) -> tuple[int, int]:
    """How many are told, and how many may be."""
    from ...hooks.recall.tokens import count_tokens

    settings = shown.settings
    most = settings.brief_tokens if event == "brief" else settings.prompt_tokens
    return count_tokens(recalled.text), most


def _named(row: Row) -> str:
    return f"mem:{row.id}  {label_of(row)}: {output.shorten(title_of(row), 70)}"
