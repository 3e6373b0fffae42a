"""What goes over the socket comes out as it went in: questions, answers, errors."""

from __future__ import annotations

import json
from dataclasses import fields
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.indexer.catalog.entry_filter import EntryFilter
from memjournal.indexer.catalog.row import Row
from memjournal.indexer.daemon.errors import OtherSettingsError
from memjournal.indexer.daemon.wire import decode, decode_error, encode, encode_error
from memjournal.indexer.errors import IndexDamagedError, NoIndexError
from memjournal.indexer.search.answer import Answer, AskedPeriod, Hit, SearchRequest, Snippet
from memjournal.journal.errors import FormatError, LockedError, MemjournalError, UsageError

_texts = st.text(max_size=20)
_lists = st.lists(_texts, max_size=3).map(tuple)
_zones = st.one_of(
    st.just(UTC),
    st.sampled_from(["Asia/Seoul", "Europe/Berlin", "America/St_Johns"]).map(ZoneInfo),
    st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes))),
)
_times = st.datetimes(
    min_value=datetime(1971, 1, 1), max_value=datetime(2100, 1, 1), timezones=_zones
)
_numbers = st.floats(allow_nan=False, allow_infinity=False)
_filters = st.builds(
    EntryFilter,
    **{field.name: _lists for field in fields(EntryFilter) if field.name.endswith("s")},
    since=st.none() | _times,
    until=st.none() | _times,
    turn=st.none() | st.integers(0, 10**6),
)
_requests = st.builds(
    SearchRequest,
    text=_texts,
    now=_times,
    wanted=_filters,
    limit=st.integers(1, 1000),
    by=st.sampled_from(["hybrid", "keyword", "vector"]),
    min_score=_numbers,
)
_rows = st.builds(
    Row,
    **{field.name: _texts for field in fields(Row) if field.type == "str"},
    **{field.name: st.integers() for field in fields(Row) if field.type == "int"},
    digest=st.binary(max_size=32),
    turn=st.none() | st.integers(),
    created=_times,
    tags=_lists,
    files=_lists,
)
_spans = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=3).map(tuple)
_hits = st.builds(
    Hit,
    row=_rows,
    score=_numbers,
    reasons=_lists,
    snippet=st.builds(Snippet, text=_texts, spans=_spans),
    share=_numbers,
    similarity=_numbers,
)
_answers = st.builds(
    Answer,
    hits=st.lists(_hits, max_size=3).map(tuple),
    total=st.integers(0),
    confidence=st.sampled_from(["high", "suggested", "none"]),
    used_keyword=st.booleans(),
    used_vector=st.booleans(),
    fallback_applied=st.booleans(),
    no_vectors=_texts,
    left_out=_lists,
    did_you_mean=_texts,
    period=st.none()
    | st.builds(
        AskedPeriod,
        words=_texts,
        start=st.none() | _times,
        end=st.none() | _times,
        is_used=st.booleans(),
    ),
    missing_phrases=_lists,
)


def over_the_wire(value: object) -> object:
    return json.loads(json.dumps(encode(value), allow_nan=False))


@given(_requests)
def test_a_question_survives_the_trip(request: SearchRequest) -> None:
    arrived = decode(SearchRequest, over_the_wire(request))
    assert arrived == request
    assert arrived.now.utcoffset() == request.now.utcoffset()
    assert str(arrived.now.tzinfo) == str(request.now.tzinfo)  # last week depends on it


@given(_answers)
def test_an_answer_survives_the_trip(answer: Answer) -> None:
    assert decode(Answer, over_the_wire(answer)) == answer


def test_a_path_that_is_not_utf8_survives_the_trip() -> None:
    wanted = EntryFilter(files=("caf\udce9.md", "한글.md"))
    assert decode(EntryFilter, over_the_wire(wanted)) == wanted


def test_numbers_of_numpy_travel_as_what_they_are() -> None:
    assert over_the_wire((np.float32(0.5), np.int64(7), np.bool_(True))) == [0.5, 7, True]


@pytest.mark.parametrize(
    "error",
    [
        UsageError("the query is empty", mend="ask for something"),
        LockedError("빈 곳이 없다", where="journal/index", mend="try again"),
        NoIndexError(),
        IndexDamagedError("keyword", "a file is short"),
        OtherSettingsError("the daemon runs with other settings"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_keeps_its_kind_its_words_and_its_exit_code(error: MemjournalError) -> None:
    arrived = decode_error(json.loads(json.dumps(encode_error(error))))
    assert type(arrived) is type(error)
    assert (str(arrived), arrived.exit_code) == (str(error), error.exit_code)
    assert vars(arrived).items() >= vars(error).items()


def test_an_error_of_a_newer_version_keeps_its_exit_code() -> None:
    arrived = decode_error({"kind": "NotYetKnownError", "code": 75, "what": "later"})
    assert (arrived.exit_code, arrived.what) == (75, "later")


def test_a_field_of_a_newer_version_is_left_out_and_one_of_an_older_has_its_default() -> None:
    raw = {"projects": ["shop"], "planets": ["mars"]}
    assert decode(EntryFilter, raw) == EntryFilter(projects=("shop",))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=10,
    )
)
def test_anything_else_is_refused_in_one_way(raw: object) -> None:
    for kind in (SearchRequest, Answer):
        with pytest.raises(FormatError):
            decode(kind, raw)


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("limit", True),
        ("limit", "10"),
        ("limit", 1.5),
        ("now", "yesterday"),
        ("now", 5),
        ("by", "magic"),
        ("min_score", "0"),
        ("wanted", []),
        ("wanted", {"tags": "auth"}),
        ("wanted", {"tags": [1]}),
        ("text", None),
    ],
)
def test_a_value_of_another_type_is_refused(name: str, raw: object) -> None:
    encoded = over_the_wire(SearchRequest(text="풀", now=datetime.now(UTC)))
    assert isinstance(encoded, dict)
    with pytest.raises(FormatError):
        decode(SearchRequest, {**encoded, name: raw})
