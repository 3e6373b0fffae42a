"""Parts that their author marked as private.

In doubt a part is hidden: a tag that is never closed hides to the end of the text, and a tag
in code counts as a mere mention of the tag only when nothing but the tag is quoted.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from typing import Final

from ..values import dataclass
from .lazy import Pattern
from .rules import TAG_FORMATS, RedactionRules, TagFormat

_LT: Final = r"(?:<|&lt;|\\+u003[cC])"
_GT: Final = r"(?:>|&gt;|\\+u003[eE])"
_ATTRIBUTES: Final = r"(?:\s[^<>\n]{0,200}?)?"
_TAG: Final = Pattern(
    rf"""(?ix)
    (?P<xml>      {_LT}\s{{0,9}}(?P<xml_end>/?)\s{{0,9}}private{_ATTRIBUTES}\s{{0,9}}/?{_GT})
  | (?P<comment>  {_LT}!--\s{{0,9}}(?P<comment_end>/?)\s{{0,9}}private\s{{0,9}}--{_GT})
  | (?P<bracket>  \[\s{{0,9}}(?P<bracket_end>/?)\s{{0,9}}private\s{{0,9}}/?\])
    """
)
_FENCE: Final = Pattern(r"^[ \t>]{0,12}(`{3,}|~{3,})[^\n]*$", re.MULTILINE)
_WORDS_BETWEEN: Final = Pattern(r"\s*(?:[^\W\d]+[\s,/&+]*){0,3}|[\s,/&+.…]*")
_LINK: Final = Pattern(r"\((?:https?:|[#./])|\[|:\s")
_BREAKS_AT_END: Final = Pattern(r"(?:\r?\n)+\Z")
_BREAKS_AT_START: Final = Pattern(r"(?:\r?\n)+")


@dataclass(frozen=True, slots=True)
class _Tag:
    start: int
    end: int
    format: TagFormat
    closes: bool
    quoted: bool  # on its own, as code
    marker: bool  # looks just like the marker that an earlier redaction left

    @property
    def doubtful(self) -> bool:
        """Whether it is a tag only if something else says so."""
        return self.quoted or self.marker


class _Doubtful:
    """Openings that prove to be meant as tags only when a closing turns up for them."""

    def __init__(self) -> None:
        self._tags: list[_Tag] = []
        self._first_quoted: int | None = None

    def add(self, tag: _Tag) -> None:
        if tag.quoted and self._first_quoted is None:
            self._first_quoted = len(self._tags)
        self._tags.append(tag)

    def take(self) -> _Tag | None:
        """The opening that a closing tag belongs to: with quotes in play, the first of them."""
        if not self._tags:
            return None
        at = len(self._tags) - 1 if self._first_quoted is None else self._first_quoted
        tag = self._tags[at]
        del self._tags[at:]
        self._first_quoted = None
        return tag


@dataclass(frozen=True, slots=True)
class _Region:
    start: int
    end: int
    hollow: bool  # a pair with nothing in it


def hide_private(text: str, rules: RedactionRules) -> tuple[str, int]:
    """*text* with its private parts replaced by the marker, and how many held something."""
    if "private" not in text.lower():
        return text, 0
    tags = _find_tags(text, rules.tag_formats, rules.private_marker)
    regions = _find_regions(text, tags) if tags else []
    if not regions:
        return text, 0
    kept = _between(text, regions)
    markers = ["" if region.hollow else rules.private_marker for region in regions]
    if rules.preserve_lines:
        for i, region in enumerate(regions):
            markers[i] += "\n" * text.count("\n", region.start, region.end)
    else:
        _close_ranks(kept, markers, rules.private_marker)
    parts = [kept[0]]
    for marker, rest in zip(markers, kept[1:], strict=True):
        parts += (marker, rest)
    return "".join(parts), sum(not region.hollow for region in regions)


def _find_tags(text: str, formats: Sequence[TagFormat], marker: str) -> list[_Tag]:
    fences: list[tuple[int, int]] | None = None
    tags: list[_Tag] = []
    for match in _TAG.finditer(text):
        form: TagFormat = "xml" if match["xml"] else "comment" if match["comment"] else "bracket"
        if form not in formats:
            continue
        if fences is None:
            fences = _closed_fences(text)
        tags.append(
            _Tag(
                match.start(),
                match.end(),
                form,
                closes=bool(match[f"{form}_end"]),
                quoted=_is_quoted(text, match, fences),
                marker=match[0] == marker,
            )
        )
    last_close = max((tag.start for tag in tags if tag.closes), default=-1)
    return [tag for tag in tags if tag.start < last_close or not _is_link(text, tag)]


def _is_link(text: str, tag: _Tag) -> bool:
    """Whether this is the label of a Markdown link, ``[private](https://…)``."""
    return tag.format == "bracket" and not tag.closes and bool(_LINK.match(text, tag.end))


def _is_quoted(text: str, tag: re.Match[str], fences: Sequence[tuple[int, int]]) -> bool:
    left, right = tag.span()
    before, after = text[max(0, left - 4) : left], text[right : right + 4]
    ticks = len(before) - len(before.rstrip("`"))
    if ticks and ticks == len(after) - len(after.lstrip("`")):
        return True
    quote = before[-1:]
    if quote not in ("'", '"') or after[:1] != quote:
        return False
    at = bisect.bisect(fences, (left, right)) - 1
    return at >= 0 and right < fences[at][1]


def _closed_fences(text: str) -> list[tuple[int, int]]:
    fences: list[tuple[int, int]] = []
    opened: re.Match[str] | None = None
    for line in _FENCE.finditer(text):
        if opened is None:
            opened = line
        elif line[1].startswith(opened[1]) and line[0].strip(" \t>") == line[1]:
            fences.append((opened.end(), line.start()))
            opened = None
    return fences


def _find_regions(text: str, tags: Sequence[_Tag]) -> list[_Region]:
    """What to hide, in order and apart from each other."""
    following = _next_of_format(tags)
    regions: list[_Region] = []
    doubtful = {form: _Doubtful() for form in TAG_FORMATS}
    i = 0
    while i < len(tags):
        tag = tags[i]
        if tag.closes:
            opened = doubtful[tag.format].take()
            if opened and not (tag.quoted and _is_prose(text[opened.end : tag.start])):
                _hide(text, regions, opened, tag)
        elif tag.doubtful:
            doubtful[tag.format].add(tag)
        else:
            last = _closing(tags, following, i)
            if last is None:
                regions.append(_Region(tag.start, len(text), hollow=False))
                break
            _hide(text, regions, tag, tags[last])
            i = last
        i += 1
    return regions


def _closing(tags: Sequence[_Tag], following: Sequence[int], opening: int) -> int | None:
    """The tag that closes ``tags[opening]``. Doubtful ones inside may only make the part longer."""
    depth, doubtful = 1, 0
    i = following[opening]
    while i < len(tags):
        tag = tags[i]
        if tag.doubtful:
            doubtful += not tag.closes
        else:
            depth += -1 if tag.closes else 1
        if depth == 0:
            break
        i = following[i]
    else:
        return None
    while doubtful:
        after = following[i]
        while after < len(tags) and tags[after].doubtful:
            after = following[after]
        if after == len(tags) or not tags[after].closes:
            break
        i, doubtful = after, doubtful - 1
    return i


def _next_of_format(tags: Sequence[_Tag]) -> list[int]:
    following = [len(tags)] * len(tags)
    seen: dict[TagFormat, int] = {}
    for i in range(len(tags) - 1, -1, -1):
        following[i] = seen.get(tags[i].format, len(tags))
        seen[tags[i].format] = i
    return following


def _hide(text: str, regions: list[_Region], first: _Tag, last: _Tag) -> None:
    start, hollow = first.start, not text[first.end : last.start].strip()
    while regions and regions[-1].end > start:  # found earlier, but inside this one
        start, hollow = min(start, regions.pop().start), False
    regions.append(_Region(start, last.end, hollow))


def _is_prose(between: str) -> bool:
    """Whether two quoted tags are only named side by side: "`<private>` and `</private>`"."""
    return len(between) <= 40 and bool(_WORDS_BETWEEN.fullmatch(between.strip("`'\"")))


def _between(text: str, regions: Sequence[_Region]) -> list[str]:
    starts = [0, *(region.end for region in regions)]
    ends = [*(region.start for region in regions), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def _close_ranks(kept: list[str], markers: list[str], marker: str) -> None:
    """Make one of neighbouring markers, and at most one empty line where a part went."""
    last_marker: int | None = None
    for i in range(len(markers)):
        if not markers[i]:
            continue
        gap = kept[last_marker + 1 : i + 1] if last_marker is not None else kept[:1]
        alone = all(not piece.strip() for piece in gap)
        if last_marker is not None and alone:
            for j in range(last_marker + 1, i + 1):
                kept[j] = ""
            markers[i] = ""
        elif marker and kept[i].rstrip().endswith(marker):
            kept[i] = kept[i].rstrip()
            markers[i] = ""
        else:
            last_marker = i
    for i, here in enumerate(markers):
        left, right = kept[i], kept[i + 1]
        end = m.group() if (m := _BREAKS_AT_END.search(left[-64:])) else ""
        start = m.group() if (m := _BREAKS_AT_START.match(right)) else ""
        if here:
            kept[i] = left[: len(left) - len(end)] + _at_most_two(end)
            kept[i + 1] = _at_most_two(start) + right[len(start) :]
        elif end or start:
            kept[i] = left[: len(left) - len(end)] + _at_most_two(end + start)
            kept[i + 1] = right[len(start) :]


def _at_most_two(breaks: str) -> str:
    if breaks.count("\n") <= 2:
        return breaks
    one = "\r\n" if "\r\n" in breaks else "\n"
    return one * 2
