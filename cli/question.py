"""The question of a search, from the words and options of a command line to what an index is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from . import filters

if TYPE_CHECKING:
    from ..indexer.catalog.catalog import Catalog
    from ..indexer.catalog.entry_filter import EntryFilter
    from ..indexer.search.answer import Mode, SearchRequest
    from .context import Context

MODES: Final[tuple[Mode, ...]] = ("hybrid", "keyword", "vector")
DEFAULT_MODE: Final = MODES[0]
SCOPES: Final = ("all", "project", "shared")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the command line asks for, as it was typed; None where it says nothing.

    What is meant then is decided here alone, however the command line was read.
    """

    text: str
    projects: list[str] | None = None
    scope: str | None = None
    kinds: list[str] | None = None
    types: list[str] | None = None
    tags: list[str] | None = None
    sessions: list[str] | None = None
    files: list[str] | None = None
    agents: list[str] | None = None
    since: str | None = None
    until: str | None = None
    limit: int | None = None
    min_score: float | None = None
    by: str | None = None
    dates_in_words: bool = True

    def request(self, surroundings: Context, catalog: Catalog | None) -> SearchRequest:
        """The question as an index is asked it; *catalog* is needed for names of projects only.

        Raises:
            typer.BadParameter: a scope, kind, type or time that there is not.
            UsageError: its time ends before it begins.
            NotFoundError: no project goes by that name.
        """
        from ..indexer.search.answer import MAX_QUERY_CHARS, SearchRequest

        settings = surroundings.settings.search
        return SearchRequest(
            text=self.text.lstrip()[:MAX_QUERY_CHARS],
            wanted=self._wanted(surroundings, catalog),
            limit=self.limit or settings.limit,
            by=filters.choice("--by", DEFAULT_MODE if self.by is None else self.by, MODES),
            now=surroundings.now,
            min_score=settings.min_score if self.min_score is None else self.min_score,
            mmr_lambda=settings.mmr_lambda,
            half_life_days=settings.half_life_days,
            dates_in_words=self.dates_in_words,
        )

    def scope_in(self, surroundings: Context) -> str:
        """What is searched: as the command line says, or the settings."""
        return surroundings.settings.search.scope if self.scope is None else self.scope

    def _wanted(self, surroundings: Context, catalog: Catalog | None) -> EntryFilter:
        return filters.make_filter(
            surroundings,
            catalog,
            projects=self.projects,
            scope=filters.choice("--scope", self.scope_in(surroundings), SCOPES),
            kinds=self.kinds,
            types=self.types,
            tags=self.tags,
            sessions=self.sessions,
            files=self.files,
            agents=self.agents,
            since=self.since,
            until=self.until,
        )
