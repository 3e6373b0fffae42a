"""Where all hooks come together: what happened is written down, and what the journal knows is told.

The order is the promise: an event is on disk before anything else is done about it, and what is
recalled is only told after it was noted that it is. A failure behind the first step costs the
assistant nothing but the context; it is reported, never raised.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from ..indexer.errors import NoIndexError
from ..journal.entry import EventType, parse_time
from ..journal.errors import MemjournalError
from ..journal.event import Event, SessionHeader
from ..journal.redaction.lazy import Pattern
from ..journal.values import replace
from .agents import find_adapter
from .capture import is_wanted
from .commands import command_of
from .desk_options import is_skipped
from .failing_programs import mark_of, with_outcome
from .happening import (
    Answered,
    Compacted,
    Compacting,
    Happening,
    Ignored,
    Prompted,
    SessionEnded,
    SessionStarted,
    ToolUsed,
)
from .ignored_files import is_ignored
from .keys import made_key
from .received import receive
from .session_logs import SessionLogs
from .session_secrets import SessionSecrets
from .session_state import SessionState, SessionStates
from .text import Limits, clean, trim
from .thin import MODE_VARIABLE
from .tool_call import files_of, render_call, render_result
from .tool_kinds import is_editor, is_shell

if TYPE_CHECKING:
    from ..journal.redaction import Redactor
    from ..journal.store import Journal
    from .adapter import Adapter
    from .desk_options import DeskOptions
    from .recall.recalled import Recalled
    from .recall.teller import Teller
    from .tool_call import Mask

    Begin = Callable[[Callable[[], Recalled]], Callable[[], Recalled]]

EVALUATE: Final = "evaluate"
"""The mode in which nothing is written; ``off`` is for `mem-hook` itself."""

_ASKED_CHARS: Final = 4_000  # of a prompt, kept to judge by what was told with it
_MAX_EDITED: Final = 200
_OWN_COMMAND: Final = Pattern(r"/(?:memjournal:)?memory-[a-z]+(?:\s|\Z)")
_MAX_NAME: Final = 200
_MAX_LEARNED_FROM: Final = 100_000  # characters of a result that may not be kept
_GOES_ON: Final = ("resume", "compact")
_FENCE_SIGNS: Final = ("<", "&", "\uff1c", "\ufe64", "\u2501")
_OK_LIMITS: Final = Limits(characters=2_000, lines=40)  # of what went well: enough to see how


class HookDesk:
    """Takes what hooks tell and gives what they print. Any number of threads and processes may.

    *teller* gives, when it is needed first, what chooses what an assistant is told; without one nothing is.
    *written* hears of each event that was written, by its type, and of moments at which what was written
    should be committed. *begin* is given what takes long and is asked for the outcome later; where there
    is time, it does it meanwhile.
    """

    def __init__(
        self,
        journal: Journal,
        *,
        options: DeskOptions,
        states: SessionStates,
        clock: Callable[[], datetime],
        project_of: Callable[[str], str],
        mask: Mask,
        report: Callable[[str], object],
        teller: Callable[[], Teller] | None = None,
        written: Callable[[str], object] = lambda _: None,
        begin: Begin = lambda task: task,
    ) -> None:
        self._journal, self._options, self._states = journal, options, states
        self._clock, self._project_of, self._mask = clock, project_of, mask
        self._report, self._teller, self._written = report, teller, written
        self._begin, self._logs = begin, SessionLogs(journal)
        self._secrets = SessionSecrets()

    def handle(self, agent: str, event: str, payload: bytes, environ: Mapping[str, str]) -> str:
        """What the hook *event* of *agent* is to print; whatever it tells is on disk then.

        Raises:
            PayloadError: the payload is none of this event.
            MemjournalError: what it tells could not be written.
        """
        adapter = find_adapter(agent, environ)
        happening = receive(adapter, event, payload, environ)
        if isinstance(happening, Ignored) or self._is_skipped(happening):
            return ""
        is_evaluation = environ.get(MODE_VARIABLE, "").lower() == EVALUATE
        attend = self._evaluate if is_evaluation else self._attend
        context = attend(adapter, happening)
        return adapter.write(event, context) if context else ""

    def _is_skipped(self, happening: Happening) -> bool:
        skips = self._options.skips
        return bool(skips) and is_skipped(self._project_of(happening.cwd), skips)

    def _attend(self, adapter: Adapter, happening: Happening) -> str:
        match happening:
            case SessionStarted():
                return self._start(adapter, happening)
            case Prompted():
                return self._take_prompt(adapter, happening)
            case ToolUsed():
                self._take_tool(adapter, happening)
            case Answered():
                self._take_answer(adapter, happening)
            case Compacted():
                self._take_summary(adapter, happening)
            case Compacting():
                self._written("compacting")  # all is on disk; now into git as well
            case SessionEnded():
                self._end(adapter, happening)
        return ""

    def _evaluate(self, adapter: Adapter, happening: Happening) -> str:
        """What would be told; nothing is written anywhere."""
        teller = self._teller_for(happening)
        if teller is None or not isinstance(happening, SessionStarted | Prompted):
            return ""
        session, project = happening.session, self._project_of(happening.cwd)
        state = self._states.reading(adapter.agent, session) or SessionState()
        if isinstance(happening, Prompted):
            asked = self._hidden(happening, _said(happening.text))
            return self._choose(teller(), adapter, happening, asked, state.told).text
        if state.brief is not None:
            return state.brief
        return teller().choose_brief(adapter=adapter, session=session, project=project).text

    # --- what is written down -----------------------------------------------------------------

    def _take_prompt(self, adapter: Adapter, said: Prompted) -> str:
        text = _said(said.text)
        if not text:
            return ""
        with self._changing(adapter, said) as state:
            state.own_command = _OWN_COMMAND.match(text) is not None
            if state.own_command:  # what it shows is in the journal already
                return ""
            turn, asked = state.turn + 1, self._hidden(said, text)
            key = said.key or made_key("prompt", turn, asked)
            if not said.key and state.open_prompt == made_key("prompt", state.turn, asked):
                return ""  # the same hook once more, of an assistant that names no prompts
            recalling = None
            if (teller := self._teller_for(said)) is not None:
                recalling = self._begin(lambda: self._recall(teller(), adapter, said, asked, state))
            if not self._store(adapter, said, state, self._event(key, "user_prompt", text, turn)):
                return ""  # the same hook once more
            project = self._project_of(said.cwd)
            state.turn = turn
            state.asked = asked[:_ASKED_CHARS]
            state.open_prompt = key
            state.told_now, state.edited = {}, []
            if teller is not None and recalling is not None:
                with self._reporting("recall"):
                    return teller().note_prompt(
                        recalling(),
                        adapter=adapter,
                        session=said.session,
                        project=project,
                        state=state,
                    )
        return ""

    def _recall(
        self, teller: Teller, adapter: Adapter, said: Prompted, asked: str, state: SessionState
    ) -> Recalled:
        self._know_what_was_told(
            state, said
        )  # of a long ledger: nothing that is stored waits for it
        return self._choose(teller, adapter, said, asked, state.told)

    def _choose(
        self, teller: Teller, adapter: Adapter, said: Prompted, asked: str, told: Sequence[str]
    ) -> Recalled:
        """*asked* is the prompt without secrets: a search may hand it to a service."""
        return teller.choose(
            asked,
            adapter=adapter,
            session=said.session,
            project=self._project_of(said.cwd),
            told=told,
        )

    def _take_tool(self, adapter: Adapter, tool: ToolUsed) -> None:
        if tool.by_subagent and not self._options.keeps_subagents:
            return
        if is_ignored(tool.given, tool.cwd):
            return
        named = files_of(tool.given, tool.cwd)
        is_edit = is_editor(tool.name) and tool.outcome == "ok"
        is_kept = is_wanted(tool, self._options.policy)
        command = command_of(tool.given) if is_shell(tool.name) else ""
        program = mark_of(command)
        if not is_kept and not (is_edit and named) and not program:
            self._learn_from_unkept(tool)
            return
        with self._changing(adapter, tool) as state:
            is_kept = is_kept or (tool.outcome == "ok" and program in state.failing)
            state.failing = with_outcome(state.failing, program, tool.outcome)
            if is_edit:  # git has the change; which files it touched is said by the answer to come
                paths = [self._hidden(tool, path) for path in named]
                state.edited = list(dict.fromkeys((*state.edited, *paths)))[:_MAX_EDITED]
            if is_kept:
                state.open_prompt = ""
                self._store(adapter, tool, state, self._tool_event(tool, named, state.turn))
            else:
                self._learn_from_unkept(tool)

    def _tool_event(self, tool: ToolUsed, named: tuple[str, ...], turn: int) -> Event:
        limits = self._options.limits
        if tool.outcome == "ok" and self._options.policy != "all":
            limits = Limits(
                characters=min(limits.characters, _OK_LIMITS.characters),
                lines=min(limits.lines, _OK_LIMITS.lines),
            )
        result = without_fences(clean(tool.result))
        self._learn(tool, tool.given, result)  # part of which is masked or cut
        parts = (
            render_call(tool.name, self._mask(tool.given)),
            render_result(tool.name, result, limits=limits, mask=self._mask),
        )
        return Event(
            keys=(tool.key,),
            type="tool_output",
            at=self._clock(),
            text="\n\n".join(filter(None, parts)),
            turn=turn,
            tool=clean(tool.name)[:_MAX_NAME],
            outcome=tool.outcome,
            exit_code=tool.exit_code,
            files=named,
            extra={"sidechain": tool.by_subagent} if tool.by_subagent else {},
        )

    def _take_answer(self, adapter: Adapter, said: Answered) -> None:
        text = _said(said.text)
        if not text:
            return
        with self._changing(adapter, said) as state:
            if state.own_command:
                return
            state.open_prompt = ""
            key = said.key or self._made_key(said, f"answer{said.subagent}", state.turn, text)
            if said.subagent:
                event = self._event(key, "tool_output", text, state.turn, tool="Agent")
                if said.subagent_type:
                    event = replace(event, extra={"subagent": said.subagent_type})
                self._store(adapter, said, state, event)
                return
            event = self._event(key, "assistant_response", text, state.turn)
            self._store(adapter, said, state, replace(event, files=tuple(state.edited)))
            self._judge(said, state, answer=text)

    def _take_summary(self, adapter: Adapter, compacted: Compacted) -> None:
        text = _said(compacted.summary)
        if not text:
            return
        with self._changing(adapter, compacted) as state:
            key = compacted.key or self._made_key(compacted, "summary", state.turn, text)
            mark = f"{key} {self._made_key(compacted, 'summary', 0, text)}"
            if mark in state.summaries:  # the same hook once more
                return
            n_before = sum(one.startswith(f"{key} ") for one in state.summaries)
            state.summaries.append(mark)
            if n_before:  # a long turn is compacted more than once
                key = f"{key}.{n_before}"
            event = self._event(key, "session_marker", text, state.turn, tool="compact_summary")
            self._store(adapter, compacted, state, event)

    def _event(self, key: str, type_: EventType, text: str, turn: int, *, tool: str = "") -> Event:
        return Event(keys=(key,), type=type_, at=self._clock(), text=text, turn=turn, tool=tool)

    def _store(
        self, adapter: Adapter, happening: Happening, state: SessionState, event: Event
    ) -> bool:
        """Append *event* to the session's file; False where it stood there already.

        Where nothing is to be written down, nothing ever stood there.
        """
        if not self._options.captures:
            return True
        started = parse_time(state.started) or event.at
        header = SessionHeader(
            session=happening.session,
            project=self._project_of(happening.cwd),
            agent=adapter.agent,
            started=started,
        )
        log = self._logs.of(header, is_new=not state.started)
        report = log.append((event,), secrets=self._secrets.of(happening.session))
        state.started = started.isoformat()
        if report.n_written:
            self._written(event.type)
        return bool(report.n_written)

    # --- what is told --------------------------------------------------------------------------

    def _start(self, adapter: Adapter, start: SessionStarted) -> str:
        with self._reporting("cleaning up"):
            self._states.prune(now_s=self._clock().timestamp())
        teller = self._teller_for(start)
        if teller is None:
            return ""
        with self._changing(adapter, start) as state:
            self._know_what_was_told(state, start)
            if start.source == "fork" and state.brief is None:
                state.brief = ""  # it goes on with all that the session before it was told
            told = ""
            if state.brief != "":  # else there was nothing to tell
                with self._reporting("the brief"):
                    told = teller().tell_brief(
                        adapter=adapter,
                        session=start.session,
                        project=self._project_of(start.cwd),
                        state=state,
                    )
            return told

    def _judge(self, happening: Happening, state: SessionState, *, answer: str) -> None:
        """Note which of the memories that were told have been of use, as far as *answer* shows it."""
        teller = self._teller_for(happening)
        if teller is not None and answer and (state.told_now or state.undecided):
            with self._reporting("the ledger"):
                teller().judge(answer, session=happening.session, state=state)

    def _end(self, adapter: Adapter, end: SessionEnded) -> None:
        teller = self._teller_for(end)
        if teller is not None:
            with self._changing(adapter, end) as state, self._reporting("the ledger"):
                if state.undecided:
                    teller().close(session=end.session, state=state)
        self._written("ended")

    def _teller_for(self, happening: Happening) -> Callable[[], Teller] | None:
        """What gives who tells something then, and loads it not before; None where nobody does.

        With a tool call nothing ever is told. Where a hook has nobody who has recall loaded already,
        the start of a session may be worth the wait and nothing else is.
        """
        if isinstance(happening, ToolUsed):
            return None
        if self._options.tells == "starts" and not isinstance(happening, SessionStarted):
            return None
        return self._teller

    # --- help ------------------------------------------------------------------------------------

    def _changing(
        self, adapter: Adapter, happening: Happening
    ) -> contextlib.AbstractContextManager[SessionState]:
        def restore() -> SessionState:
            return self._restored(happening)

        return self._states.changing(adapter.agent, happening.session, restore=restore)

    def _restored(self, happening: Happening) -> SessionState:
        """The state of a conversation that nothing is known of here: as its file and the ledger say."""
        state = SessionState()
        is_new = isinstance(happening, SessionStarted) and happening.source not in _GOES_ON
        found = None if is_new else self._journal.find_session(happening.session)
        if found is not None:
            state.started, state.turn = found.header.started.isoformat(), found.last_turn
            state.is_restored = True
        return state

    def _know_what_was_told(self, state: SessionState, happening: Happening) -> None:
        """Of a state that was made of the session's file: what the ledger says, before more is told."""
        teller = self._teller_for(happening)
        if teller is not None and state.is_restored:
            with self._reporting("the ledger"):
                state.told = teller().told_in(happening.session)
            state.is_restored = False

    def _learn(self, happening: Happening, *shown: object) -> None:
        """Hide from now on the secrets that give themselves away in *shown*."""
        found = self._redactor_of(happening).secrets_in(shown)
        self._secrets.of(happening.session).learn(found)

    def _learn_from_unkept(self, tool: ToolUsed) -> None:
        if self._options.learns:
            self._learn(tool, tool.given, tool.result[:_MAX_LEARNED_FROM])

    def _hidden(self, happening: Happening, text: str) -> str:
        """*text* as it may be written."""
        return (
            self._redactor_of(happening)
            .redact(text, known=self._secrets.of(happening.session))
            .text
        )

    def _made_key(self, happening: Happening, what: str, turn: int, text: str) -> str:
        return made_key(what, turn, self._hidden(happening, text))

    def _redactor_of(self, happening: Happening) -> Redactor:
        return self._journal.redactor_of(self._project_of(happening.cwd))

    @contextlib.contextmanager
    def _reporting(self, what: str) -> Iterator[None]:
        """Go on when *what* fails: it is not worth the event that is being attended to."""
        try:
            yield
        except NoIndexError:
            pass  # a new journal, which knows nothing yet
        except MemjournalError as error:
            self._report(f"{what}: {error}")


def without_fences(text: str) -> str:
    """*text* without what memjournal itself told: an assistant's echo of it is no new memory."""
    if not any(sign in text for sign in _FENCE_SIGNS):
        return text
    from .recall.fence import strip_fences

    return strip_fences(text)


def _said(text: str) -> str:
    return trim(without_fences(clean(text)))
