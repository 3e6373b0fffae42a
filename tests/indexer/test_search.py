"""Any question gets an answer; what it says of itself is so; filters bind both legs."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memjournal.indexer.embedding.embedders import SHIPPED_MODEL
from memjournal.indexer.search.answer import N_CANDIDATES, Hit, SearchRequest
from memjournal.indexer.search.phrases import phrases_of
from memjournal.indexer.search.searcher import MIN_SCORE
from memjournal.indexer.text import chunking
from memjournal.journal.errors import UsageError
from memjournal.journal.setting_groups import Embedding, Index, Search

from .world import ENGLISH, NOW, STARTED, World, pick


@pytest.fixture
def filled(world: World) -> World:
    """Notes of two projects in both languages, and a conversation."""
    world.memory("Pool timeout", "The connection pool had a timeout.", tags=("db",))
    world.memory("세션 토큰", "세션 토큰은 서명 쿠키로 옮겼다.", project="other", tags=("auth",))
    world.memory("Refund", "refund retry queue of the order", type="decision")
    world.memory("배포", "deploy 후 rollback 은 cache 를 비운다", project="other")
    world.events(["where is the webhook signature?"], session="talk")
    world.events(
        ["The webhook signature is in the parser."], session="talk", type_="assistant_response"
    )
    world.update()
    return world


ODD_QUERIES = {
    "operators": 'AND OR NOT ( ) * " : ^ ~',
    "one operator": "*",
    "stop words": "what is the of",
    "Korean stop words": "그것은 무엇인가요",
    "a syllable": "풀",
    "a letter": "x",
    "20,000 characters": "pool timeout " * 2_000,
    "one long word": "x" * 20_000,
    "NUL": "pool\0timeout",
    "only NUL": "\0",
    "emoji": "😀👩‍👩‍👧",
    "another script": "مرحبا データベース ฐานข้อมูล",
    "a lone surrogate": "pool \udcff",
    "only a surrogate": "\udcff",
    "decomposed": unicodedata.normalize("NFD", "세션 토큰"),
    "full-width": "ｐｏｏｌ",
    "a range": "[a TO b] {c TO} pool~2 po*l field:value",
    "a path": "../../etc/passwd",
    "SQL": "'; DROP TABLE entries; --",
}


@pytest.mark.parametrize("name", ODD_QUERIES)
@pytest.mark.parametrize("by", ["hybrid", "keyword", "vector"])
def test_an_odd_question_is_a_question(filled: World, name: str, by: str) -> None:
    answer = filled.ask(ODD_QUERIES[name], by=by)
    assert all(0 <= hit.score <= 1 for hit in answer.hits)
    assert answer.confidence in ("high", "suggested", "none")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(codec=None), max_size=40))
def test_any_text_is_a_question(filled: World, text: str) -> None:
    if text.strip():
        filled.ask(text)


@pytest.mark.parametrize("text", ["", "  \n\t"])
def test_no_text_is_no_question(filled: World, text: str) -> None:
    with pytest.raises(UsageError, match="empty"):
        filled.ask(text)


@pytest.mark.parametrize(
    "text", ["ｐｏｏｌ", unicodedata.normalize("NFD", "토큰"), "POOL", "pools"]
)
def test_a_word_is_found_however_it_is_typed(filled: World, text: str) -> None:
    assert filled.ask(text, by="keyword").hits


def test_an_empty_journal_has_an_answer_to_everything(world: World) -> None:
    world.update()
    for text in ODD_QUERIES.values():
        answer = world.ask(text)
        assert (answer.hits, answer.confidence, answer.total) == ((), "none", 0)


# What a score means


def test_a_question_asked_before_stands_below_its_answer(filled: World) -> None:
    found = filled.found("where is the webhook signature?")
    assert found.index("The webhook signature is in the parser.") < found.index(
        "where is the webhook signature?"
    )


def test_one_common_word_proves_little(world: World) -> None:
    for number in range(40):
        world.memory(f"note {number}", f"order {ENGLISH[number % 20]} pool {number}")
    world.update()
    for by in ("hybrid", "keyword"):
        assert max(hit.score for hit in world.ask("order", by=by).hits) < 0.6


def test_scores_fall_and_are_never_below_the_limit(filled: World) -> None:
    for text in ("pool timeout", "세션 토큰", "order"):
        scores = [hit.score for hit in filled.ask(text).hits]
        assert scores == sorted(scores, reverse=True)
        assert scores[0] >= MIN_SCORE
    (best, *rest) = filled.ask("pool timeout").hits
    assert rest
    assert [hit.row.id for hit in filled.ask("pool timeout", min_score=best.score - 1e-9).hits] == [
        best.row.id
    ]


def test_a_hit_that_only_is_the_nearest_is_weak(filled: World) -> None:
    hit = filled.ask("pool timeout").hits[0]
    assert not hit.is_weak
    assert hit.share == pytest.approx(1)
    weak = Hit(
        row=hit.row,
        score=0.1,
        reasons=("semantic_match",),
        snippet=hit.snippet,
        share=0.1,
        similarity=0.1,
    )
    assert weak.is_weak


# Limits and settings


@pytest.mark.parametrize("limit", [1, 3, 250, 1000])
def test_as_many_as_were_asked_for(world: World, limit: int) -> None:
    for number in range(300):
        world.note(f"notes/{number}.md", f"---\ncreated: 2026-01-01\n---\npool timeout {number}")
    world.update()
    answer = world.ask("pool timeout", limit=limit)
    assert len(answer.hits) == min(limit, 300)
    assert len({hit.row.id for hit in answer.hits}) == len(answer.hits)
    assert answer.total == 300


@pytest.mark.parametrize("by", ["hybrid", "keyword", "vector"])
@pytest.mark.parametrize("text", ["pool timeout", "세션 토큰", "budget of the aquarium"])
def test_how_many_match_is_the_same_however_many_are_asked_for(
    filled: World, by: str, text: str
) -> None:
    totals = {filled.ask(text, by=by, limit=limit).total for limit in (1, 2, 5, 100)}
    assert len(totals) == 1


def test_what_is_near_in_meaning_alone_is_counted_alike_for_a_long_list(world: World) -> None:
    for number in range(300):
        world.note(f"notes/{number}.md", f"---\ncreated: 2026-01-01\n---\npool {number}")
    world.update()
    answers = [world.ask("pool", by="vector", limit=limit) for limit in (1, 10, 100, 101, 1000)]
    assert [len(answer.hits) for answer in answers] == [1, 10, 100, 101, 300]
    assert {answer.total for answer in answers} == {N_CANDIDATES}


@pytest.mark.parametrize("limit", [1, 10, 1000])
def test_what_the_question_names_is_counted_once(filled: World, limit: int) -> None:
    row = filled.ask("pool timeout").hits[0].row
    total = filled.ask("pool timeout", limit=limit).total
    assert filled.ask(f"pool timeout {row.id}", limit=limit).total == total


def test_variety_takes_from_what_repeats(world: World) -> None:
    for name in ("a", "b"):
        world.note(f"notes/{name}.md", "---\ncreated: 2026-01-01\n---\npool timeout queue")
    world.update()

    def second(mmr_lambda: float) -> float:
        first, other = world.ask("pool timeout queue", mmr_lambda=mmr_lambda).hits
        return other.score / first.score

    assert second(1.0) == pytest.approx(1)
    assert second(0.7) == pytest.approx(0.8, abs=0.01)
    assert second(0.0) < second(0.7)


def test_how_long_news_stay_news_is_a_setting(world: World) -> None:
    world.memory("Pool timeout", "pool", created=NOW - timedelta(days=100))
    world.update()
    long, short = (
        world.ask("pool timeout", half_life_days=days).hits[0].score for days in (1000.0, 1.0)
    )
    assert long > short


def test_of_two_as_relevant_the_newer_comes_first(world: World) -> None:
    for days in (200, 100, 300):
        world.memory("Pool timeout", "pool", created=NOW - timedelta(days=days, hours=days))
    world.update()
    ages = [NOW - hit.row.created for hit in world.ask("pool timeout", half_life_days=0.01).hits]
    assert ages == sorted(ages)


def test_of_hundreds_as_relevant_the_newest_come_first(world: World) -> None:
    ids = world.events(["계속"] * 600)
    world.update()
    for by in ("keyword", "hybrid"):
        hits = world.ask("계속", by=by, limit=5).hits
        assert [hit.row.id for hit in hits] == list(ids[:-6:-1])


# Filters


FILTERS = [
    {"projects": ("other",)},
    {"tags": ("AUTH",)},
    {"types": ("decision",)},
    {"kinds": ("event",)},
    {"types": ("user_prompt",)},  # whose answers do not pass
    {"sessions": ("ta",)},
    {"agents": ("claude-code",)},
    {"since": STARTED + timedelta(minutes=1), "until": STARTED + timedelta(minutes=3)},
    {"projects": ("nobody's",)},
]


@pytest.mark.parametrize("wanted", FILTERS)
@pytest.mark.parametrize("by", ["hybrid", "keyword", "vector"])
def test_a_filter_binds_both_legs(filled: World, wanted: dict[str, object], by: str) -> None:
    with filled.catalog() as catalog:
        allowed = {row.id for row in catalog.find(pick(**wanted), limit=99)}
    for text in ("pool timeout", "세션 토큰 쿠키", "webhook signature refund deploy"):
        hits = filled.ask(text, by=by, wanted=pick(**wanted)).hits
        assert {hit.row.id for hit in hits} <= allowed
        unfiltered = {hit.row.id for hit in filled.ask(text, by=by, limit=99).hits}
        assert {hit.row.id for hit in hits} >= unfiltered & allowed


def test_a_filter_does_not_change_how_well_a_word_matches(filled: World) -> None:
    (whole,) = [h for h in filled.ask("세션 토큰").hits if h.row.title == "세션 토큰"]
    (alone,) = filled.ask("세션 토큰", wanted=pick(tags=("auth",))).hits
    assert alone.share == whole.share


# Ids


@pytest.mark.parametrize("form", ["{}", "mem:{}", "[mem:{}]", "see [mem:{}] please", "MEM:{}"])
def test_an_id_in_a_question_is_its_answer(filled: World, form: str) -> None:
    with filled.catalog() as catalog:
        row = catalog.find(pick(tags=("auth",)), limit=1)[0]
    answer = filled.ask(form.format(row.id))
    assert (answer.hits[0].row.id, answer.hits[0].score) == (row.id, 1.0)
    assert answer.confidence == "high"
    assert [hit.row.id for hit in answer.hits].count(row.id) == 1
    assert filled.ask(form.format(row.id), wanted=pick(tags=("db",))).confidence != "high"


def test_the_beginning_of_an_id_is_enough_if_it_is_of_one_only(filled: World) -> None:
    with filled.catalog() as catalog:
        row = catalog.find(pick(tags=("auth",)), limit=1)[0]
    assert filled.ask(f"mem:{row.id[:5]}").hits[0].row.id == row.id


# Passages


@pytest.mark.parametrize("by", ["keyword", "vector"])
def test_a_needle_at_the_end_of_a_long_entry_is_found_and_shown(world: World, by: str) -> None:
    hay = "budget tenant invoice. " * 4_000
    world.note("notes/long.md", f"# Hay\n\n{hay}\n## End\n" + "the needle refund " * 40)
    world.note("notes/other.md", "# Other\n\nprofile latency")
    world.update()
    hit = world.ask("needle refund", by=by).hits[0]
    assert hit.row.path == "notes/long.md"
    assert "needle" in hit.snippet.text


def test_a_needle_at_the_end_of_a_megabyte_is_found_and_shown(world: World) -> None:
    """basic-memory#1065: text beyond some thousands of characters was not searchable."""
    world.note(
        "notes/long.md", "# Hay\n\n" + "budget tenant invoice 예산. " * 45_000 + "바늘 needle"
    )
    world.note("notes/other.md", "# Other\n\nprofile latency")
    world.update()
    for text in ("needle", "바늘", "바늘은 어디에"):
        hit = world.ask(text, by="keyword").hits[0]
        assert hit.row.path == "notes/long.md"
        assert hit.snippet.text.endswith("바늘 needle")


@pytest.mark.parametrize("absent", ["없는말", "不在", "ไม่มี", "غائب", "нету", "नहीं", "ナイ"])
def test_a_word_of_any_script_that_is_absent_does_not_void_the_question(
    filled: World, absent: str
) -> None:
    """qmd#976, basic-memory#1022: a run of CJK that stands nowhere voided the whole query."""
    for by in ("hybrid", "keyword"):
        hits = filled.ask(f"세션 토큰 {absent}", by=by).hits
        assert hits[0].row.title == "세션 토큰"
        assert hits[0].snippet.spans


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("本番のデータベース接続が失敗した", "データベース"),
        ("今天数据库连接失败了", "数据库"),
        ("เชื่อมต่อฐานข้อมูลไม่ได้", "ข้อมูล"),
        ("انقطع الاتصال مع قاعدة البيانات", "قاعدة"),
        ("база данных недоступна", "данных"),
        ("यह हिन्दी में खोज है", "हिन्दी"),
        ("환경 設定을 바꿨다", "설정"),
        ("배포할 때 deploy하다가 멈춤", "deploy"),
    ],
)
def test_every_script_is_found_and_marked(world: World, text: str, query: str) -> None:
    """openclaw#92061, basic-memory#1022: other scripts fell through one path or another."""
    for form in ("NFC", "NFD"):
        body = unicodedata.normalize(form, text)  # type: ignore[arg-type]  # one of the forms
        world.note(f"notes/{form}.md", f"# {form}\n\n{body}")
    world.note("notes/other.md", "# Other\n\nprofile latency 지연")
    world.update()
    hits = world.ask(query, by="keyword").hits
    assert {hit.row.path for hit in hits} == {"notes/NFC.md", "notes/NFD.md"}
    for hit in hits:
        ((start, end),) = hit.snippet.spans
        marked = unicodedata.normalize("NFC", hit.snippet.text[start:end])
        assert query in marked or marked in text


def test_a_snippet_shows_what_was_asked_for(filled: World) -> None:
    snippet = filled.ask("토큰은 어디에").hits[0].snippet
    start, end = snippet.spans[0]
    assert snippet.text[start:end].startswith("토큰")


def test_an_entry_that_has_changed_meanwhile_is_still_a_hit(filled: World) -> None:
    (path,) = [path for path in filled.paths("memories") if "refund" in path]
    (filled.root / path).write_text("other bytes", "utf-8")
    hit = filled.ask("refund retry").hits[0]
    assert (hit.row.path, hit.snippet.text) == (path, "")


# Legs


def test_an_answer_says_which_legs_gave_it(filled: World) -> None:
    used = {
        by: (answer.used_keyword, answer.used_vector, answer.fallback_applied, answer.no_vectors)
        for by in ("hybrid", "keyword", "vector")
        for answer in [filled.ask("pool timeout", by=by)]
    }
    assert used == {
        "hybrid": (True, True, False, ""),
        "keyword": (True, False, False, ""),
        "vector": (False, True, False, ""),
    }


def test_words_that_say_nothing_are_named(filled: World) -> None:
    assert filled.ask("what is the pool").left_out == ("what", "is", "the")


def test_the_defaults_are_those_of_the_settings() -> None:
    assert Index.chunk_tokens.default == chunking.MAX_TOKENS
    assert Index.chunk_overlap_tokens.default == chunking.OVERLAP
    assert Embedding.model.default == SHIPPED_MODEL
    request = SearchRequest(text="x", now=NOW)
    assert request.limit == Search.limit.default
    assert request.mmr_lambda == Search.mmr_lambda.default
    assert request.half_life_days == Search.half_life_days.default
    assert request.min_score == Search.min_score.default


def test_what_stands_above_a_hit_that_is_shown_is_shown(filled: World) -> None:
    answer = filled.ask("connection pool timeout", limit=50)
    strong = [hit for hit in answer.hits if not hit.is_weak]
    assert 0 < len(strong) <= answer.n_strong <= len(answer.hits)
    assert not answer.hits[answer.n_strong - 1].is_weak
    assert all(hit.is_weak for hit in answer.hits[answer.n_strong :])
    turned = replace(answer, hits=(answer.hits[-1], *answer.hits[:-1]))
    assert answer.hits[-1].is_weak and turned.n_strong == answer.n_strong + 1


@pytest.mark.parametrize("quoted", ['"unicorn dragons pool"', '커넥션 풀 고갈 "용과 유니콘"'])
def test_nothing_is_sure_where_what_is_quoted_stands_nowhere(world: World, quoted: str) -> None:
    world.memory("커넥션 풀 고갈", "커넥션 풀 고갈: pool exhausted, unicorn pool")
    world.update()
    answer = world.ask(quoted)
    assert answer.hits and answer.missing_phrases and answer.confidence != "high"


def test_nothing_is_sure_where_the_time_that_was_named_was_set_aside(world: World) -> None:
    world.memory("Refund 2020-01-05", "the refund of 2020-01-05 was swallowed")
    world.update()
    asked = "refund swallowed on 2020-01-05"
    assert world.ask(asked, dates_in_words=False).confidence == "high"
    answer = world.ask(asked)
    assert answer.period is not None and not answer.period.is_used
    assert answer.hits and answer.confidence == "suggested"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("canary anary", "canary canary"), ("rollouts rollou strategy", "rollouts rollout strategy")],
)
def test_the_word_that_is_mended_is_the_one_that_stands_nowhere(
    world: World, typed: str, meant: str
) -> None:
    world.memory("Deployment", "kubernetes deployment rollout strategy and canary, rollouts")
    world.update()
    assert world.ask(typed).did_you_mean == meant


def test_a_name_without_end_is_soon_no_name() -> None:
    """Its pattern takes the square of its length: a minute for this one."""
    assert not phrases_of("__a" * 30_000 + "!").whole
