"""One decoded line of a transcript, narrowed by hand to what memjournal uses.

There is no published schema and every field may be missing, so nothing here raises: what does not
fit becomes a `Skipped` with its reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final, Literal

from ...journal.entry import parse_time
from ...journal.values import dataclass
from ..keys import as_key
from ..text import clean

_TYPE_NAME = re.compile(r"[A-Za-z_-]{1,40}")
_BOOKKEEPING: Final = (
    "agent-name",
    "file-history-snapshot",
    "last-prompt",
    "mode",
    "permission-mode",
    "pr-link",
    "progress",
    "tag",
    "worktree-state",
)


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class Image:
    media_type: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    id: str
    name: str
    input: object


@dataclass(frozen=True, slots=True)
class ToolResult:
    id: str
    text: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class Silent:
    """A block that says nothing worth keeping: thinking, and kinds not known."""

    reason: str


Block = Text | Image | ToolCall | ToolResult | Silent


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What lines of all types share."""

    uuid: str  # "" when there is none that can be a key
    parent: str
    at: datetime | None
    session: str
    cwd: str
    git_branch: str
    sidechain: str  # the sub-agent's id, "yes" when it has none; "" in the conversation itself
    prompt: str = ""  # the id of the prompt that is worked on; replies do not say it


@dataclass(frozen=True, slots=True, kw_only=True)
class UserLine:
    origin: Origin
    blocks: tuple[Block, ...]
    is_meta: bool
    is_compact_summary: bool
    plan: str
    tool_data: object  # `toolUseResult`: the results once more, as data


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyLine:
    origin: Origin
    message: str  # one reply is written as several lines that share this id
    blocks: tuple[Block, ...]
    is_synthetic: bool
    is_api_error: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueLine:
    origin: Origin
    operation: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedCommand:
    """An attachment that repeats a text typed while the agent worked."""

    origin: Origin
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleLine:
    origin: Origin
    rank: Literal["custom", "ai", "summary"]
    text: str
    leaf: str = ""  # for a summary: a line of the session that it titles


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    origin: Origin
    trigger: str
    n_tokens: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    reason: str
    is_ours: bool = True  # a record of Claude Code, though of no use
    origin: Origin | None = None


Record = UserLine | ReplyLine | QueueLine | QueuedCommand | TitleLine | Compaction | Skipped


def narrow(value: object) -> Record:
    """Check and narrow one decoded value. Unknown keys are ignored: versions add them freely."""
    match value:
        case {"type": str(kind)}:
            pass
        case {}:
            return Skipped(reason="record without a type", is_ours=False)
        case _:
            return Skipped(reason="not a JSON object", is_ours=False)
    assert isinstance(value, dict)
    match kind:
        case "user" | "assistant":
            return _narrow_message(value, kind)
        case "queue-operation":
            return QueueLine(
                origin=_origin(value),
                operation=_text(value, "operation"),
                text=_text(value, "content"),
            )
        case "attachment":
            return _narrow_attachment(value)
        case "custom-title" | "ai-title" | "summary":
            return _narrow_title(value, kind)
        case "system":
            return _narrow_system(value)
    if kind in _BOOKKEEPING:
        return Skipped(reason=kind, origin=_origin(value))
    name = kind if _TYPE_NAME.fullmatch(kind) else "(no name)"
    return Skipped(reason=f"unknown type {name}", is_ours="sessionId" in value)


def _narrow_message(value: Mapping[str, object], kind: str) -> Record:
    match value.get("message"):
        case {"content": str() | list() as content, **message}:
            blocks = tuple(_blocks(content))
        case _:
            is_ours = "uuid" in value or "sessionId" in value
            reason = f"{kind} line without content"
            return Skipped(reason=reason, is_ours=is_ours, origin=_origin(value))
    if kind == "assistant":
        return ReplyLine(
            origin=_origin(value),
            message=_as_string(message.get("id")),
            blocks=blocks,
            is_synthetic=message.get("model") == "<synthetic>",
            is_api_error=value.get("isApiErrorMessage") is True,
        )
    return UserLine(
        origin=_origin(value),
        blocks=blocks,
        is_meta=value.get("isMeta") is True,
        is_compact_summary=value.get("isCompactSummary") is True,
        plan=clean(_text(value, "planContent")),
        tool_data=value.get("toolUseResult"),
    )


def _narrow_attachment(value: Mapping[str, object]) -> Record:
    match value.get("attachment"):
        case {"type": "queued_command", "prompt": str(prompt)}:
            return QueuedCommand(origin=_origin(value), texts=(clean(prompt),))
        case {"type": "queued_command", "prompt": list(prompt)}:
            texts = tuple(each for block in _blocks(prompt) if (each := as_text(block)))
            return QueuedCommand(origin=_origin(value), texts=texts)
        case _:
            return Skipped(reason="attachment", origin=_origin(value))


def _narrow_title(value: Mapping[str, object], kind: str) -> Record:
    origin = _origin(value)
    match kind:
        case "custom-title":
            line = TitleLine(origin=origin, rank="custom", text=clean(_text(value, "customTitle")))
        case "ai-title":
            line = TitleLine(origin=origin, rank="ai", text=clean(_text(value, "aiTitle")))
        case _:
            line = TitleLine(
                origin=origin,
                rank="summary",
                text=clean(_text(value, "summary")),
                leaf=_text(value, "leafUuid"),
            )
    return line if line.text.strip() else Skipped(reason="empty title", origin=origin)


def _narrow_system(value: Mapping[str, object]) -> Record:
    subtype = _text(value, "subtype")
    if subtype != "compact_boundary":
        name = subtype if _TYPE_NAME.fullmatch(subtype) else "(no name)"
        return Skipped(reason=f"system {name}", origin=_origin(value))
    trigger, n_tokens = "", None
    match value.get("compactMetadata"):
        case dict(metadata):
            trigger = _text(metadata, "trigger")
            match metadata.get("preTokens"):
                case bool():
                    pass
                case int(count):
                    n_tokens = count
    return Compaction(
        origin=_origin(value),
        trigger=trigger if _TYPE_NAME.fullmatch(trigger) else "",
        n_tokens=n_tokens,
    )


def _origin(value: Mapping[str, object]) -> Origin:
    stamp = value.get("timestamp")
    sidechain = ""
    if value.get("isSidechain") is True:
        sidechain = as_key(_text(value, "agentId")) or "yes"
    return Origin(
        uuid=as_key(_text(value, "uuid")),
        parent=_text(value, "parentUuid"),
        at=parse_time(stamp) if isinstance(stamp, str) else None,
        session=_text(value, "sessionId"),
        cwd=clean(_text(value, "cwd")),
        git_branch=clean(_text(value, "gitBranch")),
        sidechain=sidechain,
        prompt=as_key(_text(value, "promptId")),
    )


def _blocks(content: str | list[object]) -> Iterator[Block]:
    if isinstance(content, str):
        yield Text(clean(content))
        return
    for block in content:
        match block:
            case str(text) | {"type": "text", "text": str(text)}:
                yield Text(clean(text))
            case {"type": "image", **rest}:
                yield Image(_media_type(rest.get("source")))
            case {"type": "tool_use", "id": str(id_), "name": str(name), **rest}:
                yield ToolCall(as_key(id_), clean(name)[:200], rest.get("input"))
            case {"type": "tool_result", "tool_use_id": str(id_), **rest}:
                text = _result_text(rest.get("content"))
                yield ToolResult(as_key(id_), text, rest.get("is_error") is True)
            case {"type": "thinking" | "redacted_thinking"}:
                yield Silent("thinking")
            case _:
                yield Silent("unknown block")


def _result_text(content: object) -> str:
    match content:
        case str(text):
            return clean(text)
        case list(blocks):
            return "\n".join(each for block in _blocks(blocks) if (each := as_text(block)))
        case _:
            return ""


def as_text(block: Block) -> str:
    """A block as the text that stands for it; "" for calls, results and what is silent."""
    match block:
        case Text(text):
            return text
        case Image(media_type):
            return f"[image: {media_type}]"
        case _:
            return ""


def _media_type(source: object) -> str:
    match source:
        case {"media_type": str(media_type)} if re.fullmatch(r"[\w.+/-]{1,80}", media_type):
            return media_type
        case _:
            return "unknown"


def _text(value: Mapping[str, object], name: str) -> str:
    return _as_string(value.get(name))


def _as_string(found: object) -> str:
    return found if isinstance(found, str) else ""
