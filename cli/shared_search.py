"""The other journals of a person: those that are shared, and their own beside that of a project; and a
search through several.

Whatever another journal says in its settings counts for itself: for its index, and for what is written
into it. What is asked, of what, and how it is shown is settled by the journal in use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from ..journal.errors import CannotCreateError, MemjournalError, NotFoundError
from ..journal.place import PROJECT_FOLDER, require_journal
from ..journal.settings import JOURNAL_FILE, Settings, load_settings
from ..journal.sharing.shares import OWN, Share, shares_of
from .context import Context
from .user_folders import shares_folder

if TYPE_CHECKING:
    from ..indexer.search.answer import Answer
    from .question import Question

SEARCH_PATIENCE_S: Final = 2.0  # for an index of another journal that somebody is writing


class OtherContext(Context):
    """A journal beside the one in use; what it does not say right is not said at each command."""

    def __init__(self, own: Context, name: str, root: Path, *, patience_s: float | None) -> None:
        """With *patience_s*, whoever holds a lock there is waited for no longer."""
        super().__init__(root, own.arguments, own.overrides)
        Context.latest = own  # whose log this is
        self.name = name
        self._own, self._patience_s = own, patience_s

    @cached_property
    def root(self) -> Path:
        assert self.journal_option is not None  # it was made with one
        return require_journal(self.journal_option)

    @cached_property
    def settings(self) -> Settings:
        lock_timeout_s = self._own.settings.journal.lock_timeout_s
        if self._patience_s is not None:
            lock_timeout_s = min(lock_timeout_s, self._patience_s)
        return load_settings(
            user_file=self.user_file,
            journal_file=self.root / JOURNAL_FILE,
            environ=self.environ,
            overrides=MappingProxyType(
                {**self.overrides, "journal.lock_timeout_s": str(lock_timeout_s)}
            ),
        )

    def remark(self, *remarks: str) -> None:
        self._own.remark(*(f"[{self.name}] {remark}" for remark in remarks))


def shares_in(surroundings: Context) -> tuple[Share, ...]:
    """The shared journals that the user's settings name, but for the one that is in use.

    Raises:
        UsageError: one is called as none can be.
    """
    journals = surroundings.settings.sharing.journals
    if not journals:
        return ()
    found = shares_of(journals, shares_folder().absolute())
    own = surroundings.root.resolve()
    return tuple(share for share in found if share.root.resolve() != own)


def share_contexts(
    surroundings: Context, *, patience_s: float | None = None
) -> list[tuple[str, Context]]:
    """The shared journals by their names; whether each is there, its ``root`` tells."""
    return [
        (share.name, _other(surroundings, share.name, share.root, patience_s))
        for share in shares_in(surroundings)
    ]


def _other(own: Context, name: str, root: Path, patience_s: float | None) -> OtherContext:
    context = OtherContext(own, name, root, patience_s=patience_s)
    own.close_with_it(context)
    return context


def is_read_only(context: Context) -> bool:
    """Whether the journal of *context* is one that is shared to be read only."""
    journals = context.settings.sharing.journals
    if context.root.name not in journals:  # nearly always, and a path is not looked up for it
        return False
    place = context.root.resolve()
    found = shares_of(journals, shares_folder().absolute())
    return any(share.is_read_only and share.root.resolve() == place for share in found)


def refuse_read_only(context: Context) -> None:
    """
    Raises:
        CannotCreateError: the journal of *context* is shared to be read only.
    """
    if is_read_only(context):
        raise CannotCreateError(
            "a journal that is shared to be read only",
            where=str(context.root),
            mend=f"`mem config set sharing.journals.{context.root.name} read-write` lets it be written",
        )


# --- search -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Found:
    """What was found, and the journal of each hit; "" is the one in use."""

    answer: Answer
    journals: tuple[str, ...]


def _beside_project(surroundings: Context) -> Path | None:
    """The user's own journal, where that of a project is in use because of where they are."""
    if surroundings.journal_option is not None or surroundings.root.name != PROJECT_FOLDER:
        return None
    own = surroundings.default_root.absolute()
    return own if own != surroundings.root and (own / JOURNAL_FILE).is_file() else None


def further_journals(surroundings: Context) -> list[tuple[str, Context]]:
    """All journals beside the one in use, by their names."""
    found = share_contexts(surroundings, patience_s=SEARCH_PATIENCE_S)
    if own := _beside_project(surroundings):
        found.insert(0, (OWN, _other(surroundings, OWN, own, SEARCH_PATIENCE_S)))
    return found


def search_journals(surroundings: Context, question: Question, scope: str) -> Found:
    """What the journals of *scope* answer together; one that cannot is named, and the rest answers.

    Raises:
        MemjournalError: the question is wrong, the journal in use cannot answer, or no other can.
        typer.BadParameter: a kind, type or time that there is not.
    """
    from ..indexer.search.joining import join_answers

    if scope == "shared":  # else the journal in use says what is wrong with the question itself
        replace(question, projects=None).request(surroundings, None)
    names, answers, unknown = _ask_all(surroundings, question, scope)
    if not answers:
        raise unknown or NotFoundError(
            "no shared journal could be searched"
            if surroundings.settings.sharing.journals
            else "there is no shared journal",
            mend="`mem share add URL` adds one; `mem share list` shows how they are",
        )
    limit = question.limit or surroundings.settings.search.limit
    joined = join_answers(answers, limit=limit)
    answer = replace(joined.answer, no_vectors=_no_vectors(names, answers))
    return Found(answer, tuple(names[origin] for origin in joined.origins))


def _ask_all(
    surroundings: Context, question: Question, scope: str
) -> tuple[list[str], list[Answer], MemjournalError | None]:
    """Names and answers of those that answer, and why the project that was asked for is unknown."""
    from .asking import ask_journal

    places = (
        share_contexts(surroundings, patience_s=SEARCH_PATIENCE_S)
        if scope == "shared"
        else [("", surroundings), *further_journals(surroundings)]
    )
    names: list[str] = []
    answers: list[Answer] = []
    unknown: MemjournalError | None = None
    for name, place in places:
        try:
            answer, remarks = ask_journal(place, question, asker=surroundings)
        except MemjournalError as error:
            if type(error) is NotFoundError and question.projects:
                unknown = unknown or error  # another journal may know it
            elif not name:
                raise
            else:
                surroundings.remark(f"[{name}] was not searched: {error}")
            continue
        place.remark(*remarks)
        names.append(name)
        answers.append(answer)
    return names, answers, unknown


def _no_vectors(names: Sequence[str], answers: Sequence[Answer]) -> str:
    """Why vectors are missing, of whichever journal; "" if of none."""
    reasons = [answer.no_vectors for answer in answers]
    if len(set(reasons)) == 1:
        return reasons[0]
    named = zip(names, reasons, strict=True)
    return "; ".join(f"[{name}] {why}" if name else why for name, why in named if why)
