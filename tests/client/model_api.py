"""A stand-in for the model behind the client: it says what a script tells it to say, and notes what it was sent.

What it says depends on the conversation that a request holds, not on how many requests came before,
so retries, sub-agents and resumed sessions need no bookkeeping. It listens on loopback only.
"""

from __future__ import annotations

import itertools
import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# The client's own words to the model when it wants a conversation summed up.
_SUMMARY_WANTED = "create a detailed summary"

_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Says:
    """A block of text."""

    text: str


@dataclass(frozen=True, slots=True)
class Calls:
    """A call of one of the client's tools."""

    tool: str
    given: Mapping[str, object]


Reply = Sequence[Says | Calls]


def bash(command: str) -> Calls:
    """A command to be run in the client's shell."""
    return Calls("Bash", {"command": command, "description": "run a command"})


@dataclass(frozen=True, slots=True)
class Asked:
    """One request for a reply, as the client sent it."""

    body: Mapping[str, object]

    @property
    def messages(self) -> Sequence[Mapping[str, object]]:
        found = self.body["messages"]
        assert isinstance(found, list)
        return found

    @property
    def text(self) -> str:
        """Everything that the model reads of the conversation, reminders included."""
        return "\n".join(text for message in self.messages for text in texts_of(message))


def texts_of(message: Mapping[str, object]) -> Iterator[str]:
    """The texts of *message*, those inside of tool results as well."""
    yield from _texts(message.get("content"))


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for block in content:
            yield from _texts(block.get("text", block.get("content")))


def _typed(message: Mapping[str, object]) -> str:
    """What a person, or the agent that calls a sub-agent, said in *message*: no results, no reminders."""
    if message["role"] != "user":
        return ""
    content = message["content"]
    blocks = [{"text": content}] if isinstance(content, str) else content
    assert isinstance(blocks, list)
    return _REMINDER.sub("", "\n".join(block.get("text", "") for block in blocks))


@dataclass
class Model:
    """The script and what was asked so far.

    ``replies`` has, for words that stand in a prompt, the replies of that turn in order; the last one
    ends the turn. ``summary`` is what a conversation is summed up as.
    """

    url: str
    replies: dict[str, Sequence[Reply]] = field(default_factory=dict)
    summary: str = "<summary>Nothing was done.</summary>"
    n_tokens: int = 1000  # what a conversation is said to take up
    refuses: bool = False
    asked: list[Asked] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)  # other requests, refused with 404

    def on(self, prompt: str, *replies: Reply) -> None:
        """Say *replies*, one a request, in the turn whose prompt holds *prompt*."""
        self.replies[prompt] = replies

    def about(self, prompt: str) -> list[Asked]:
        """The requests of the turns whose prompt holds *prompt*."""
        return [one for one in self.asked if self._turn(one)[0] == prompt]

    def reply_to(self, asked: Asked) -> Reply:
        """What the script has next for the conversation in *asked*."""
        last = next((m for m in reversed(asked.messages) if m["role"] == "user"), None)
        if last is not None and _SUMMARY_WANTED in "\n".join(texts_of(last)):
            return [Says(self.summary)]
        prompt, at = self._turn(asked)
        replies = self.replies.get(prompt, ())
        return replies[min(at, len(replies) - 1)] if replies else [Says("I have nothing to say.")]

    def _turn(self, asked: Asked) -> tuple[str, int]:
        """The words that the script knows the last prompt by, and how many replies it has had."""
        replied = 0
        for message in reversed(asked.messages):
            replied += message["role"] == "assistant"
            typed = _typed(message)
            if known := [prompt for prompt in self.replies if prompt in typed]:
                return max(known, key=typed.rindex), replied
        return "", 0


def _events(
    reply: Reply, *, model: object, n_tokens: int, numbers: Iterator[int]
) -> Iterator[Mapping[str, object]]:
    """*reply* as the events of a stream."""
    calls = any(isinstance(block, Calls) for block in reply)
    yield {
        "type": "message_start",
        "message": {
            "id": f"msg_{next(numbers):06}",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": n_tokens, "output_tokens": 1},
        },
    }
    for index, block in enumerate(reply):
        start: dict[str, object]
        delta: dict[str, object]
        if isinstance(block, Says):
            start = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": block.text}
        else:
            name, id = block.tool, f"toolu_{next(numbers):06}"
            start = {"type": "tool_use", "id": id, "name": name, "input": {}}
            given = json.dumps(block.given, ensure_ascii=False)
            delta = {"type": "input_json_delta", "partial_json": given}
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None},
        "usage": {"output_tokens": 50},
    }
    yield {"type": "message_stop"}


class _Requests(BaseHTTPRequestHandler):
    """The paths that the client needs; every other one does not exist."""

    protocol_version = "HTTP/1.1"

    @property
    def _served(self) -> _Server:
        assert isinstance(self.server, _Server)
        return self.server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        match self.path.partition("?")[0]:
            case "/v1/messages":
                self._stream(Asked(json.loads(body)))
            case "/v1/messages/count_tokens":
                self._send(200, "application/json", {"input_tokens": len(body) // 4})
            case _:
                self._refuse()

    def do_GET(self) -> None:
        self._refuse()

    do_HEAD = do_GET

    def _stream(self, asked: Asked) -> None:
        model = self._served.model
        model.asked.append(asked)
        if model.refuses:
            self._fail(400, "invalid_request_error", "the model will not answer")
            return
        events = _events(
            model.reply_to(asked),
            model=asked.body["model"],
            n_tokens=model.n_tokens,
            numbers=self._served.numbers,
        )
        written = "".join(
            f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events
        )
        self._send(200, "text/event-stream", written)

    def _refuse(self) -> None:
        self._served.model.unknown.append(f"{self.command} {self.path}")
        self._fail(404, "not_found_error", "there is no such path")

    def _fail(self, status: int, kind: str, message: str) -> None:
        error = {"type": kind, "message": message}
        self._send(status, "application/json", {"type": "error", "error": error})

    def _send(self, status: int, kind: str, content: str | Mapping[str, object]) -> None:
        data = (content if isinstance(content, str) else json.dumps(content)).encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the requests themselves are kept."""


class _Server(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Requests)
        self.model = Model(f"http://127.0.0.1:{self.server_address[1]}")
        self.numbers = itertools.count(1)


@contextmanager
def serve() -> Iterator[Model]:
    """A model that answers at its ``url`` until the block is left."""
    with _Server() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server.model
        finally:
            server.shutdown()
            thread.join()
