"""The files that assistants load, written from templates with the path of `mem-hook` in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from .. import templates
from .install.own_file import OwnFile
from .own_payload import EVENTS

_FOLDER: Final = Path(templates.__file__).parent / "agents"


def extension_file(name: str, program: str, events: tuple[str, ...] = EVENTS) -> OwnFile:
    """The file made of the template *name*, which calls *program* at *events*.

    A text in JSON is one in JavaScript and in Python as well.
    """
    tell = (_FOLDER / "tell.js").read_text("utf-8")
    quoted = json.dumps(program, ensure_ascii=False)
    text = templates.render(f"agents/{name}", program=quoted, tell=tell)
    return OwnFile(data=text.encode("utf-8", "surrogateescape"), events=events, commands=(program,))


def plain_file(name: str) -> OwnFile:
    """The file *name*, as it is."""
    return OwnFile(data=(_FOLDER / name).read_bytes())
