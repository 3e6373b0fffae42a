"""An embeddings service on this machine, which answers as OpenAI does or goes wrong as it is told."""

from __future__ import annotations

import base64
import json
import threading
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

import numpy as np

KEY: Final = "sk-test-0123456789"
DIMENSION: Final = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What is sent back instead of vectors."""

    status: int = 200
    body: bytes = b"{}"
    headers: tuple[tuple[str, str], ...] = ()
    hangs: bool = False  # nothing is sent until the client is gone
    drops: bool = False  # the connection is closed without a word
    ends_early: bool = False  # or before the last byte


def failing(status: int, code: str = "", **headers: str) -> Answer:
    """An error as OpenAI words it; the message quotes the key, as some services do."""
    body = {"error": {"message": f"no, {KEY} asked for SECRET WORDS", "code": code}}
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Answer(status=status, body=json.dumps(body).encode(), headers=named)


def vector(text: str, dimension: int = DIMENSION) -> list[float]:
    """The sum of a vector for each word and one that all texts share: a narrow cone, as of e5."""
    row = np.full(dimension, 1.0)
    for word in text.lower().split():
        row += np.random.default_rng(zlib.crc32(word.encode("utf-8", "replace"))).normal(
            scale=0.4, size=dimension
        )
    return row.tolist()


@dataclass(slots=True)
class Service:
    """The service, and what it was asked; its next answers can be set."""

    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    next: deque[Answer | Callable[[dict[str, Any]], Any]] = field(default_factory=deque)
    always: Answer | Callable[[dict[str, Any]], Any] | None = None
    released: threading.Event = field(default_factory=threading.Event)

    @property
    def texts(self) -> list[str]:
        """All that was ever sent to it."""
        return [text for request in self.requests for text in request["input"]]

    def forget(self) -> None:
        self.requests.clear()
        self.headers.clear()


def proper(request: dict[str, Any], *, dimension: int = DIMENSION) -> dict[str, Any]:
    """What a service answers that works."""
    dimension = request.get("dimensions", dimension)
    data = [
        {"object": "embedding", "index": n, "embedding": vector(text, dimension)}
        for n, text in enumerate(request["input"])
    ]
    return {"object": "list", "data": data, "model": request["model"]}


def in_base64(request: dict[str, Any]) -> dict[str, Any]:
    """The same, each vector as base64 of little-endian float32, and in another order."""
    answer = proper(request)
    for item in answer["data"]:
        raw = np.asarray(item["embedding"], "<f4").tobytes()
        item["embedding"] = base64.b64encode(raw).decode("ascii")
    answer["data"].reverse()
    return answer


def refusing(status: int, too_much: Callable[[str], bool]) -> Callable[[dict[str, Any]], Any]:
    """A service that does not take a request with a text that is *too_much*."""
    return lambda request: (
        failing(status) if any(map(too_much, request["input"])) else proper(request)
    )


def changed(change: Callable[[list[dict[str, Any]]], Sequence[object]]) -> Callable[..., Any]:
    """A service whose list of data *change* spoils."""
    return lambda request: {"data": change(proper(request)["data"])}


@contextmanager
def running() -> Iterator[Service]:
    """A service at ``Service.url`` until the block ends."""
    service = Service()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            request = json.loads(body)
            service.requests.append(request)
            service.headers.append(dict(self.headers))
            answer = service.next.popleft() if service.next else service.always or proper
            if not isinstance(answer, Answer):
                answer = answer(request)
            if not isinstance(answer, Answer):
                answer = Answer(body=json.dumps(answer).encode())
            if answer.hangs:
                service.released.wait(30)
            if answer.hangs or answer.drops:
                self.close_connection = True
                return
            self.send_response(answer.status)
            for name, value in answer.headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body[: -1 if answer.ends_early else None])
            self.close_connection = answer.ends_early

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        service.url = f"http://127.0.0.1:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield service
        finally:
            service.released.set()
            server.shutdown()
            thread.join()
