"""Telling: what was chosen is noted as told, and what became of it is judged by the answer.

Noting comes before printing. A hook that dies between the two has told nothing that the ledger does not
know of; the other way round, an assistant could be told the same thing twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from ...journal.ledger_records import NotTold, Record, TellingEvent, Told, Unused, Used
from .brief import make_brief
from .prompt import explain
from .recalled import Recalled
from .request import RecallRequest
from .use import judge_use

if TYPE_CHECKING:
    from ...indexer.catalog.catalog import Catalog
    from ...journal.ledger import Ledger
    from ...journal.redaction import Redactor
    from ...journal.usage import Usage
    from ..adapter import Adapter
    from ..session_state import SessionState
    from .memory import Memory, Search


class Teller:
    """Tells one journal's memories."""

    def __init__(
        self,
        memory: Memory,
        *,
        ledger: Ledger,
        usage: Callable[[], Callable[[str], Usage]],
        told_in: Callable[[str], list[str]],
        redactor_of: Callable[[str], Redactor],
        clock: Callable[[], datetime],
        brief_tokens: int,
        prompt_tokens: int,
    ) -> None:
        """*usage* gives, each time, how memories have fared until now, *told_in* what a session was told, and
        *redactor_of* what hides secrets in a project. *brief_tokens* and *prompt_tokens*
        are told at most, each time; with 0 nothing is."""
        self._memory, self._ledger, self._usage = memory, ledger, usage
        self._told_in, self._redactor_of, self._clock = told_in, redactor_of, clock
        self._brief_tokens, self._prompt_tokens = brief_tokens, prompt_tokens

    def choose_brief(self, *, adapter: Adapter, session: str, project: str) -> Recalled:
        """What a session of *project* begins with; nothing is noted.

        Raises:
            MemjournalError: the journal cannot be asked.
        """

        self._memory.settle()

        def recall(catalog: Catalog, _: Search) -> Recalled:
            most = self._brief_tokens
            request = self._request(
                catalog, adapter, session=session, project=project, max_tokens=most
            )
            return make_brief(request)

        return self._memory.use(recall)

    def choose(
        self, prompt: str, *, adapter: Adapter, session: str, project: str, told: Iterable[str]
    ) -> Recalled:
        """What helps with *prompt*, and is none of *told*; nothing is noted.

        Raises:
            MemjournalError: the journal cannot be asked.
        """
        if not self._prompt_tokens:
            return Recalled(reason="disabled")
        known = frozenset(told)

        def recall(catalog: Catalog, search: Search) -> Recalled:
            most = self._prompt_tokens
            request = self._request(
                catalog, adapter, session=session, project=project, max_tokens=most
            )
            usage = self._usage()
            return explain(prompt, request, search=search, told=known, usage=usage).recalled

        return self._memory.use(recall)

    def _request(
        self, catalog: Catalog, adapter: Adapter, *, session: str, project: str, max_tokens: int
    ) -> RecallRequest:
        return RecallRequest(
            catalog=catalog,
            read=self._memory.read,
            project=project,
            session=session,
            now=self._clock(),
            max_tokens=max_tokens,
            fits=lambda text: adapter.size_of(text) <= adapter.max_size,
            redactor=self._redactor_of(project),
        )

    def tell_brief(
        self, *, adapter: Adapter, session: str, project: str, state: SessionState
    ) -> str:
        """The brief of a session, which *state* keeps.

        It is told again as it was, so that the assistant's cache of it holds, as long as a new one would tell
        all of it too: what was changed, forgotten, replaced or mended meanwhile is not told again.

        Raises:
            MemjournalError: the journal cannot be asked, or the ledger not be written.
        """
        if not self._brief_tokens:
            return ""
        recalled = self.choose_brief(adapter=adapter, session=session, project=project)
        if state.brief is not None and state.brief_quotes.items() <= recalled.quotes.items():
            return state.brief
        if recalled.ids:
            self._note_told(recalled, "brief", adapter, session=session, project=project)
        state.brief, state.brief_quotes = recalled.text, dict(recalled.quotes)
        state.told = _added(state.told, recalled.ids)
        state.undecided |= recalled.quotes
        return state.brief

    def note_prompt(
        self,
        recalled: Recalled,
        *,
        adapter: Adapter,
        session: str,
        project: str,
        state: SessionState,
    ) -> str:
        """What is told with a prompt, noted in *state* and in the ledger; "" if nothing is.

        Raises:
            MemjournalError: the ledger cannot be written.
        """
        if recalled.ids:
            self._note_told(recalled, "prompt", adapter, session=session, project=project)
        elif recalled.reason not in ("not asked", "disabled"):
            self._ledger.append(
                NotTold(
                    at=self._clock(),
                    session=session,
                    project=project,
                    agent=adapter.agent,
                    reason=recalled.reason,
                )
            )
        state.told = _added(state.told, recalled.ids)
        state.told_now = dict(recalled.quotes)
        return recalled.text

    def judge(self, answer: str, *, session: str, state: SessionState) -> None:
        """Note of what *answer* shows to have been used, and not, of what was told before it.

        What was told in the brief may be of use at any time: of that, only uses are noted.

        Raises:
            MemjournalError: the ledger cannot be written.
        """
        waiting = state.undecided | state.told_now
        at, records = self._clock(), list[Record]()
        for verdict in judge_use(answer, list(waiting.items()), prompt=state.asked):
            if verdict.how is not None:
                records.append(
                    Used(
                        at=at,
                        session=session,
                        id=verdict.id,
                        how=verdict.how,
                        overlap=verdict.overlap,
                    )
                )
            elif verdict.id in state.told_now:
                records.append(
                    Unused(at=at, session=session, id=verdict.id, overlap=verdict.overlap)
                )
        if records:
            self._ledger.append(*records)
        used = {one.id for one in records if isinstance(one, Used)}
        state.undecided = {one: quote for one, quote in state.undecided.items() if one not in used}
        state.told_now = {}

    def close(self, *, session: str, state: SessionState) -> None:
        """Note what of the brief no answer of the session has used.

        Raises:
            MemjournalError: the ledger cannot be written.
        """
        at = self._clock()
        unused = [Unused(at=at, session=session, id=one, overlap=0.0) for one in state.undecided]
        if unused and state.turn:  # without a prompt there was nothing to use it for
            self._ledger.append(*unused)
        state.undecided = {}

    def told_in(self, session: str) -> list[str]:
        """The ids that the session was told, as far as it is known.

        Raises:
            MemjournalError: the ledger cannot be read.
        """
        return self._told_in(session)

    def _note_told(
        self,
        recalled: Recalled,
        event: TellingEvent,
        adapter: Adapter,
        *,
        session: str,
        project: str,
    ) -> None:
        self._ledger.append(
            Told(
                at=self._clock(),
                session=session,
                project=project,
                agent=adapter.agent,
                event=event,
                ids=recalled.ids,
            )
        )


def _added(known: Iterable[str], more: Iterable[str]) -> list[str]:
    return list(dict.fromkeys((*known, *more)))
