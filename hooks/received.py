"""What a hook hands over, from bytes to what has happened, of a length that can be kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from ..journal.digests import sha256
from ..journal.errors import FormatError
from ..journal.values import replace
from .happening import Happening, Ignored
from .thin import MAX_PAYLOAD_BYTES

if TYPE_CHECKING:
    from .adapter import Adapter

_MAX_SESSION_CHARS: Final = 200  # of an id; a longer one is told apart by its digest


def receive(
    adapter: Adapter, event: str, payload: bytes, environ: Mapping[str, str]
) -> Happening | Ignored:
    """What *payload* tells by way of *adapter*.

    Raises:
        FormatError: it is no JSON object.
        PayloadError: it is none of this event.
    """
    happening = adapter.read(event, _decode(payload), environ)
    if isinstance(happening, Ignored) or len(happening.session) <= _MAX_SESSION_CHARS:
        return happening
    digest = sha256(happening.session.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return replace(happening, session=f"{happening.session[:_MAX_SESSION_CHARS]}-{digest}")


def _decode(payload: bytes) -> Mapping[str, object]:
    """The JSON object in *payload*; bytes that are no UTF-8 become U+FFFD."""
    if len(payload) > MAX_PAYLOAD_BYTES:
        raise FormatError(f"the payload has more than {MAX_PAYLOAD_BYTES:,} bytes")
    try:
        decoded = json.loads(payload.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise FormatError("the payload is not JSON") from error
    if not isinstance(decoded, dict):
        raise FormatError("the payload is not a JSON object")
    return decoded
