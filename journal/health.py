"""What is odd or wrong about a journal's files, found in one pass over them; nothing is changed.

A finding names places and kinds, never the text itself: what looks like a secret must not be
printed by the command that warns of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal

from .entry import Entry
from .files import open_regular
from .reading import FOLDERS, Listing, Oddity, Stored, list_files, read_entries
from .redaction import Redactor
from .screening import FLAGGED, is_threatening, screen
from .session_file import scan

Verdict = Literal["ok", "odd", "wrong"]


@dataclass(frozen=True, slots=True)
class Finding:
    """The verdict on one thing, and how to mend it; ``odd`` needs no mending."""

    check: str
    verdict: Verdict
    what: str
    mend: str = ""
    places: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where an entry stands."""

    entry: Entry  # without its body
    path: str


@dataclass(slots=True)
class Survey:
    """What one pass over all files found."""

    listing: Listing
    n_entries: int = 0
    oddities: list[Oddity] = field(default_factory=list)
    unreadable: list[Oddity] = field(default_factory=list)
    torn: dict[str, int] = field(default_factory=dict)  # file -> torn records
    ids: dict[str, list[Place]] = field(default_factory=dict)  # of ids that stand twice
    secrets: dict[str, tuple[str, ...]] = field(default_factory=dict)  # place -> kinds
    flagged: dict[str, tuple[str, ...]] = field(default_factory=dict)  # place -> ids of `screen`


def survey_files(
    root: Path,
    redactor: Redactor,
    *,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> Survey:
    """Read every file once."""
    listing = list_files(root)
    survey = Survey(listing, unreadable=list(listing.unreadable))
    places: dict[str, list[Place]] = {}
    for number, file in enumerate(listing.files, 1):
        try:
            for found in read_entries(root, file):
                if isinstance(found, Oddity):
                    survey.oddities.append(found)
                else:
                    survey.n_entries += 1
                    place = Place(_without_text(found.entry), found.path)
                    places.setdefault(found.entry.id, []).append(place)
                    _look_into(found, redactor, survey)
            if file.kind == "session" and (n_torn := _count_torn(root / file.path)):
                survey.torn[file.path] = n_torn
        except OSError as error:
            survey.unreadable.append(Oddity(file.path, error.strerror or type(error).__name__))
        progress("files", number, len(listing.files))
    survey.ids = {one: found for one, found in places.items() if len(found) > 1}
    return survey


def _without_text(entry: Entry) -> Entry:
    return replace(entry, body="")


def _count_torn(path: Path) -> int:
    with open_regular(path) as stream:
        return sum(1 for part in scan(stream) if part.kind == "torn")


def _look_into(stored: Stored, redactor: Redactor, survey: Survey) -> None:
    """Whether an entry holds secrets, or orders to an assistant."""
    entry = stored.entry
    if entry.kind == "event":
        extra = (value for name, value in entry.extra.items() if name not in ("keys", FLAGGED))
        text = "\n".join((entry.body, entry.tool, *entry.files, *map(str, extra)))
    else:
        text = stored.raw.decode("utf-8", "replace")
    is_note = stored.path.startswith("notes/")
    place = stored.path if is_note else f"{stored.path}: mem:{entry.id}"
    if kinds := redactor.redact(text).kinds:
        survey.secrets[place] = kinds
    if ids := screen(text):
        survey.flagged[place] = ids


MEND_FIX: Final = "`mem doctor --fix` mends it"


def findings_of(survey: Survey) -> Iterator[Finding]:
    """The verdicts on the files, in the order in which a person should read them."""
    n_files = len(survey.listing.files)
    yield Finding("files", "ok", f"{n_files:,} files with {survey.n_entries:,} entries")
    yield from _each("unreadable files", "wrong", survey.unreadable, "check owner and mode")
    links = [one for one in survey.listing.skipped if "link" in one.what]
    yield from _each("links", "odd", links, "move the file itself into the journal")
    others = [one for one in survey.listing.skipped if one not in links]
    yield from _each("pipes, sockets, devices", "odd", others, "remove them: they hold nothing")
    odd = [one for one in survey.oddities if " torn: " not in one.what]
    yield from _each("oddities", "odd", odd, "mend them in an editor: `mem edit PATH`")
    if survey.torn:
        n_torn = sum(survey.torn.values())
        what = f"{n_torn:,} torn by a crash; every other entry of these files is whole"
        yield Finding("torn entries", "wrong", what, MEND_FIX, tuple(survey.torn))
    else:
        yield Finding("torn entries", "ok", "none")
    yield _about_ids(survey.ids)
    yield _about_secrets(survey.secrets)
    yield from _about_flagged(survey.flagged)


def _each(check: str, verdict: Verdict, found: Sequence[Oddity], mend: str) -> Iterator[Finding]:
    if found:
        places = tuple(f"{one.path}: {one.what}" for one in found)
        yield Finding(check, verdict, f"{len(found):,}", mend, places)
    else:
        yield Finding(check, "ok", "none")


def _count(counted: Sized, one: str, several: str) -> str:
    return f"{len(counted):,} {one if len(counted) == 1 else several}"


def _about_ids(ids: Mapping[str, Sequence[Place]]) -> Finding:
    if not ids:
        return Finding("duplicate ids", "ok", "none")
    places = tuple(
        f"mem:{one}: {', '.join(place.path for place in found)}" for one, found in ids.items()
    )
    fixable = any(plan_new_ids(ids, is_taken=lambda _: False))
    mend = MEND_FIX if fixable else "both stay; `mem show` lists them with their dates"
    verdict: Verdict = "wrong" if fixable else "odd"
    return Finding(
        "duplicate ids", verdict, f"{_count(ids, 'id stands', 'ids stand')} twice", mend, places
    )


def _about_secrets(secrets: Mapping[str, tuple[str, ...]]) -> Finding:
    if not secrets:
        return Finding("secrets", "ok", "none that the rules know")
    places_hold = _count(secrets, "place holds", "places hold")
    what = f"{places_hold} what looks like a secret or a private part"
    return Finding("secrets", "wrong", what, "`mem edit` or `mem forget` them", _places(secrets))


def _about_flagged(flagged: Mapping[str, tuple[str, ...]]) -> Iterator[Finding]:
    withheld = {place: ids for place, ids in flagged.items() if is_threatening(ids)}
    ordinary = {place: ids for place, ids in flagged.items() if place not in withheld}
    if withheld:
        hold = _count(withheld, "entry holds", "entries hold")
        what = f"{hold} what could give an assistant orders, and is never told to one"
        mend = "look with `mem show --raw`; `mem forget` what nobody meant"
        yield Finding("flagged", "odd", what, mend, _places(withheld))
    else:
        yield Finding("flagged", "ok", "none")
    if ordinary:
        hold = _count(ordinary, "entry holds", "entries hold")
        what = f"{hold} what may be an order or ordinary work, and may be told"
        yield Finding("flagged lightly", "ok", what, places=_places(ordinary))


def _places(found: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(f"{place}: {', '.join(kinds)}" for place, kinds in found.items())


@dataclass(frozen=True, slots=True)
class NewId:
    """A memory file that gives way: another entry has its id."""

    path: str
    old: str
    new: str


def plan_new_ids(
    ids: Mapping[str, Sequence[Place]], *, is_taken: Callable[[str], bool]
) -> Iterable[NewId]:
    """New ids for all but one entry of each id: the oldest keeps it, and an event before a memory,
    for a session only grows. A file without an id of its own has none to change."""
    from .ids import mint, path_key

    given: set[str] = set()
    for old, places in ids.items():
        ordered = sorted(
            places, key=lambda place: (place.entry.kind != "event", place.entry.created, place.path)
        )
        for place in ordered[1:]:
            if not place.path.startswith("memories/"):
                continue
            tail = mint(path_key(place.path))
            new = next(
                one
                for n in range(1, len(tail) + 1)
                if not is_taken(one := old + tail[:n]) and one not in given
            )
            given.add(new)
            yield NewId(place.path, old, new)


def missing_folders(root: Path) -> Finding:
    """Whether the journal has its folders."""
    missing = tuple(name for name in FOLDERS if not (root / name).is_dir())
    if missing:
        return Finding("folders", "odd", "some are missing", "`mem init` makes them", missing)
    return Finding("folders", "ok", ", ".join(FOLDERS))
