"""Keys by which a hook and the transcript of the same session name the same thing, whichever the assistant.

Tool calls have ids that both tell. A prompt has one in both, but texts typed while it is worked on share it;
an answer has none that hooks tell. So what was said is named by the prompt's id and its own words: in a
hook's payload they stand as the last block of text in the transcript does, without the blanks around.
"""

from __future__ import annotations

import re

from ..journal.digests import sha256

_KEY = re.compile(r"[\w.:-]{1,100}", re.ASCII)  # what a session file keeps word for word


def as_key(text: str) -> str:
    """*text* if it can stand as a key, else ""."""
    return text if _KEY.fullmatch(text) else ""


def said_key(prompt: str, text: str) -> str:
    """The key of what was said in the turn of *prompt*; without its id there is none, "" then."""
    if not prompt:
        return ""
    words = f"{prompt}\0{text.strip()}".encode("utf-8", "surrogatepass")
    return f"said.{sha256(words).hexdigest()[:32]}"


def summary_key(prompt: str) -> str:
    """The key of the summary that a compaction in that turn made; their words differ."""
    return said_key(prompt, "compact summary")


def made_key(what: str, turn: int, text: str) -> str:
    """A key for *what* was said in a turn by an assistant that names nothing."""
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return f"{what}.{turn}.{digest}"
