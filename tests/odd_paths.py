"""Paths that come in another order as bytes, as text, in a folder and in a whole journal."""

from __future__ import annotations

import unicodedata
from typing import Final

_KOREAN: Final = "\ud68c\uc758\ub85d"  # 회의록
_NAMES: Final = (
    *("a.md", "a/x.md", "a/b/x.md", "a-b/x.md", "a-b.md", "a0.md", "a.md.md", "a.markdown"),
    *("A.md", "A/x.md", "Z.md", "_.md", "a b/x.md", "a b.md", "~/x.md", "z/x.md"),
    *(f"{unicodedata.normalize(form, _KOREAN)}{end}" for form in ("NFC", "NFD") for end in (".md", "/x.md")),
    *("\ud7a3.md", "\ue000.md", "\uffee/x.md", "\U0001f600.md", "\U0001f600/x.md"),
)  # fmt: skip
ODD_PATHS: Final = (
    *(f"notes/{name}" for name in _NAMES),
    *("memories/a.md", "memories/a/x.md", "sessions/a.md"),
)
"""None is a folder of another one, so that any of them can be there at once. Bytes and code points agree
about U+D7A3, U+E000 and U+1F600; UTF-16 does not."""
