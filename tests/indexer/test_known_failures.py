"""What went wrong in other memories does not go wrong here: what concerns the index itself.

Each test names the public thread in which it was told. All threads, and the test of each, are listed
at the top of ``tests/journeys/test_known_failures.py``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from memjournal.indexer.catalog.catalog import Catalog
from memjournal.indexer.catalog.entry_filter import EntryFilter

from .crashing import Crashing, can_give_up_rights
from .programs import program
from .world import DAMAGES, World, pick, tree


@pytest.fixture
def crashing() -> Iterator[Crashing]:
    with Crashing() as process:
        yield process


def paths_in(world: World) -> set[str]:
    """The files that the catalog has entries of."""
    with world.catalog() as catalog:
        return {row.path for row in catalog.find(EntryFilter(), limit=-1)}


# Pruning


def test_an_update_of_one_file_prunes_no_other(world: World) -> None:
    """memsearch#613: indexing one file deleted every source that was not named."""
    for name in "abc":
        world.note(f"notes/{name}/{name}.md", f"pool {name}")
    world.update()
    everything = paths_in(world)
    (world.root / "notes/b/b.md").unlink()
    world.note("notes/a/a.md", "pool timeout")
    for only in (["notes/a/a.md"], ["notes/a"], ["notes/none.md"], []):
        world.index.update(now_ns=time.time_ns(), only=only)
        assert paths_in(world) == everything, only
    world.index.update(now_ns=time.time_ns(), only=["notes/b/b.md"])
    assert paths_in(world) == everything - {"notes/b/b.md"}
    world.check_against_a_rebuild()


@pytest.mark.skipif(os.name == "nt", reason="modes stop nobody there")
@pytest.mark.parametrize("hinted", [False, True])
def test_an_unreadable_folder_is_not_an_empty_one(
    world: World, crashing: Crashing, hinted: bool
) -> None:
    """basic-memory#1007: what could not be read was taken for empty, and deleted."""
    if not can_give_up_rights():
        pytest.skip("root cannot give up its rights here")
    for number in range(6):
        world.note(f"notes/closed/{number}.md", f"pool timeout {number}")
    world.note("notes/open.md", "session cookie")
    world.update()
    everything = paths_in(world)
    before = world.answers()
    folder = world.root / "notes/closed"
    folder.chmod(0)
    only = ["notes/closed", "notes/closed/3.md", "notes/closed/new.md"] if hinted else None
    outcome = crashing.run("update", world.root, world.options, now_ns=time.time_ns(), only=only)
    folder.chmod(0o700)
    assert outcome.error == ""
    assert paths_in(world) == everything
    assert world.answers() == before


def test_most_of_a_journal_is_not_pruned_because_it_is_not_there(world: World) -> None:
    """basic-memory#1007: nor is what is away taken for deleted."""
    for number in range(60):
        world.note(f"notes/{number}.md", f"pool timeout {number}")
    world.note("memories/kept.md", "session cookie")
    world.update()
    before = world.answers()
    (world.root / "notes").rename(world.root / "elsewhere")
    report = world.update()
    assert report.n_withheld == 60 and report.remarks
    assert world.answers() == before
    world.index.update(now_ns=time.time_ns(), accept_deletions=True)
    assert paths_in(world) == {"memories/kept.md"}


# Indexing


def test_the_real_cause_is_named_and_deleting_is_never_the_advice(world: World) -> None:
    """memsearch#652: whatever failed was called an old format, to be moved out of the way."""
    world.memory("refund", "환불")
    world.update()
    catalog = world.index.catalog_path
    whole = catalog.read_bytes()
    said = {}
    for damage in ("cut in half", "noise"):
        catalog.write_bytes(DAMAGES[damage](whole))
        (said[damage],) = world.open().update(now_ns=time.time_ns()).remarks
        assert world.found("refund") == ["refund"]
        whole = catalog.read_bytes()
    (catalog.with_name("whoosh") / "stamp").unlink()
    (said["no stamp"],) = world.open().update(now_ns=time.time_ns()).remarks
    for what, words in said.items():
        assert not {"delete", "remove", "move"} & set(words.split()), (what, words)
    assert "malformed" in said["cut in half"]
    assert "not a database" in said["noise"]
    assert "keyword index was missing or incomplete" in said["no stamp"]


PEAK = """
import resource
open_index().update(now_ns=time.time_ns())
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(peak if sys.platform == "darwin" else peak * 1024)
"""


@pytest.mark.skipif(os.name == "nt", reason="no such measure there")
def test_memory_is_bounded_however_many_notes_there_are(tmp_path: Path, model: Path) -> None:
    """memsearch#533: each piece of text took 9 MB, and none was given back.

    Here postings are kept, up to those of a batch, which these fill by less than half.
    """
    words = ["pool", "timeout", "세션", "토큰", "order", "refund"]

    def peak(n: int) -> int:
        world = World(tmp_path / f"of-{n}", model)
        for number in range(n):
            text = " ".join(f"{words[(number + place) % 6]}{place}" for place in range(300))
            world.note(f"notes/{number % 20}/{number}.md", f"needle{number} {text}")
        done = subprocess.run(program(world, PEAK), capture_output=True, check=True, text=True)
        return int(done.stdout)

    small, large = peak(500), peak(4_000)
    assert large - small < 3_500 * 100_000
    assert large < 4 * small


def test_indexing_changes_no_file_of_the_journal(world: World) -> None:
    """basic-memory#1171, basic-memory#528: a second frontmatter was put above the user's own."""
    world.note("notes/own.md", "---\r\ntitle: mine\r\nodd_key: 1\r\n---\r\n\r\npool")
    world.note("notes/bom.md", "\ufeff# 제목\n본문")
    world.note("notes/broken.md", "---\ntitle: a: b\n - c\n---\ntimeout")
    world.note("notes/none.md", "no frontmatter at all")
    world.memory("refund", "환불")
    world.events(["one", "둘"])
    folders = ("sessions", "memories", "notes")
    before = [tree(world.root / folder) for folder in folders]
    data = {path: (world.root / path).read_bytes() for path in world.paths()}
    world.update()
    world.index.rebuild(now_ns=time.time_ns())
    assert [tree(world.root / folder) for folder in folders] == before
    assert {path: (world.root / path).read_bytes() for path in world.paths()} == data


@pytest.mark.parametrize(
    "header",
    [
        "---\ntitle: a: b: c\n  - d\n---\n",
        "---\ntags: [auth\n---\n",
        "---\n\t\tx\n---\n",
        "---\ntitle: never closed\n",
        "---\n&a [*a]\n---\n",
        "---\nid: [1]\ncreated: someday\nconfidence: very\n---\n",
        "---\n" + "a: " * 200 + "\n---\n",
    ],
)
def test_a_malformed_frontmatter_stops_nothing_and_its_body_is_found(
    world: World, header: str
) -> None:
    """basic-memory#368: one frontmatter that was not YAML kept all else from being indexed."""
    world.note("notes/a.md", "before: session")
    world.note("notes/b.md", f"{header}the needle is here\n")
    world.note("notes/c.md", "after: cookie")
    report = world.update()
    assert report.failures == []
    assert report.n_files == 3
    for word, path in (("needle", "b"), ("session", "a"), ("cookie", "c")):
        assert [hit.row.path for hit in world.ask(word, by="keyword").hits] == [f"notes/{path}.md"]


def test_an_edit_on_disk_reaches_the_vectors(world: World) -> None:
    """basic-memory#1016: the vectors stayed those of the text before the edit."""
    path = world.note("notes/a.md", "the order had a refund")
    world.note("notes/b.md", "the deploy was rolled back")
    world.update()
    (before,) = [
        hit for hit in world.ask("refund", by="vector").hits if hit.row.path == "notes/a.md"
    ]
    path.write_text("invoice of the tenant", "utf-8")
    world.update()
    hits = {hit.row.path: hit for hit in world.ask("invoice tenant", by="vector").hits}
    assert hits["notes/a.md"].similarity > 0.9
    refund = {hit.row.path: hit for hit in world.ask("refund", by="vector").hits}
    assert "notes/a.md" not in refund or refund["notes/a.md"].similarity < before.similarity
    assert docnos_of_keyword(world) == docnos_of_vectors(world)


def docnos_of_keyword(world: World) -> set[int]:
    with world.index.open_keyword().snapshot() as snapshot:
        return set(snapshot.docnos[snapshot.alive].tolist())


def docnos_of_vectors(world: World) -> set[int]:
    vectors = world.index.open_vectors()
    assert vectors is not None
    return set(vectors.docnos.tolist())


def test_verifying_compares_the_two_indexes(world: World) -> None:
    """basic-memory#1016: nothing told that the two had drifted apart."""
    path = world.memory("refund", "환불")
    world.update()
    with world.catalog() as catalog:
        (row,) = catalog.by_path(path)
    world.index.open_keyword().apply([], replaced=[row.docno])
    assert world.index.verify() == ["keyword index: other entries than in the catalog"]


@pytest.mark.parametrize("n_chars", [7_000, 70_000, 400_000])
def test_what_stands_at_the_end_of_a_long_text_is_found(world: World, n_chars: int) -> None:
    """basic-memory#1065: what stood behind some thousands of characters was in no index."""
    filler = "pool timeout 세션 토큰 cache index 배포 " * (n_chars // 34)
    world.note("notes/long.md", f"# long\n\n{filler}\n\nthe invoice of the tenant, 마지막누수")
    world.note("notes/other.md", "something else")
    world.update()
    for word in ("invoice tenant", "마지막누수"):
        hits = world.ask(word, by="keyword").hits
        assert [hit.row.path for hit in hits][:1] == ["notes/long.md"]
        assert word.split()[0] in hits[0].snippet.text
    if n_chars < 200_000:
        (best, *_) = world.ask("invoice tenant", by="vector").hits
        assert best.row.path == "notes/long.md"


# Scripts


TEXTS = {
    "Korean": ("커넥션 풀이 고갈되었다", "고갈"),
    "Korean, a particle": ("환불을 처리했다", "환불"),
    "Korean, one syllable": ("값이 다르다", "값"),
    "Japanese": ("接続プールが枯渇した", "枯渇"),
    "Japanese, katakana": ("データベースの移行", "データベース"),
    "Chinese": ("连接池耗尽导致超时", "超时"),
    "Hanja": ("大韓民國의 憲法", "憲法"),
    "Thai": ("ฐานข้อมูลล่มเมื่อคืนนี้", "ฐานข้อมูล"),
    "Arabic": ("انتهت مهلة الاتصال بقاعدة البيانات", "الاتصال"),
    "Hebrew": ("החיבור נכשל אתמול", "נכשל"),
    "Russian": ("пул соединений исчерпан", "соединений"),
    "Greek": ("η σύνδεση απέτυχε", "σύνδεση"),
    "Hindi": ("डेटाबेस कनेक्शन विफल", "कनेक्शन"),
}


@pytest.fixture
def of_all_scripts(world: World) -> World:
    """A note for each script, and vectors are off."""
    world.index = world.open(vectors=False)
    for number, (text, _) in enumerate(TEXTS.values()):
        world.note(f"notes/{number}.md", f"{text}\n")
    world.update()
    return world


@pytest.mark.parametrize("script", TEXTS)
def test_every_script_is_found_by_keyword_alone(of_all_scripts: World, script: str) -> None:
    """basic-memory#1022, basic-memory#1269: CJK and others fell out of keyword search."""
    number = list(TEXTS).index(script)
    for form in ("NFC", "NFD"):
        asked = unicodedata.normalize(form, TEXTS[script][1])
        answer = of_all_scripts.ask(asked)
        assert (answer.used_keyword, answer.used_vector) == (True, False)
        assert answer.hits and answer.hits[0].row.path == f"notes/{number}.md", form


def test_vectors_have_length_one_and_the_answer_names_its_legs(world: World) -> None:
    """basic-memory#1023, basic-memory#843: lengths differed; hybrid became keyword only, unsaid."""
    world.memory("Pool timeout", "the pool had a timeout " * 200)
    world.memory("환불", "주문 환불")
    world.update()
    embedder = world.index.embedder()
    assert embedder is not None
    made = embedder.encode(["pool timeout", "환불 주문", "x" * 5_000, "pool " * 3_000])
    norms = np.linalg.norm(made, axis=1)
    assert np.all((np.abs(norms - 1) < 1e-3) | (norms == 0))
    answer = world.ask("pool timeout")
    assert (answer.used_keyword, answer.used_vector, answer.fallback_applied) == (True, True, False)
    assert all(-1 <= hit.similarity <= 1 for hit in answer.hits)
    without = world.ask("pool timeout", world.open(vectors=False))
    assert (without.used_keyword, without.used_vector) == (True, False)
    assert without.fallback_applied and without.no_vectors == "vectors are switched off"


def test_no_number_of_entries_or_paths_is_too_many_for_sqlite(world: World) -> None:
    """basic-memory#1045: a large project had more parameters than a statement may bind."""
    for number in range(30):
        world.note(f"notes/{number}.md", f"pool timeout {number}")
    many = [f"notes/{number}.md" for number in range(40_001)]
    world.index.update(now_ns=time.time_ns(), only=many)
    assert len(paths_in(world)) == 30
    with world.catalog() as catalog:
        numbers = list(range(40_001))
        assert len(catalog.rows(numbers)) == len(catalog.outlines(numbers)) == 30
        for wanted in (
            pick(sessions=many),
            pick(projects=many),
            pick(types=many),
            pick(tags=many),
            pick(files=many),
        ):
            assert catalog.find(wanted, limit=5) == []
    names = tuple(f"s{number}" for number in range(40_001))
    assert world.ask("pool", wanted=pick(sessions=names)).hits == ()


# Names


ODD_NAMES = (
    *("a b.md", "-rf.md", "C:x.md", "back\\slash.md", "..md.md", "...md", "a'b\"c.md", "회의록.md"),
    *("%2e%2e.md", "a\tb.md", "deep/er/still/x.md", "UPPER.MD", "emoji😀.md", "a;b|c&d.md"),
)


@pytest.mark.skipif(os.name == "nt", reason="no such names there")
def test_only_relative_posix_paths_are_stored(world: World) -> None:
    """basic-memory#243: paths of two systems were put one into the other."""
    for name in ODD_NAMES:
        world.note(f"notes/{name}", "pool timeout")
    world.update()
    found = paths_in(world)
    hidden = {f"notes/{name}" for name in ODD_NAMES if name.startswith(".")}
    assert found == {f"notes/{name}" for name in ODD_NAMES} - hidden
    for path in found:
        assert not path.startswith("/") and ".." not in path.split("/")
        assert (world.root / path).is_file()
    assert str(world.root).encode() not in world.index.catalog_path.read_bytes()
    other = Catalog.copy_of(world.index.catalog_path)
    known = [file[0] for some in other.known_files() for file in some]
    assert known == sorted(found)
    other.close()


def test_times_and_bullets_of_prose_are_text_and_nothing_else(world: World) -> None:
    """basic-memory#1239, basic-memory#1291: they were read as categories and relations."""
    world.note(
        "notes/a.md",
        "# log\n\n- [decision] 12:30 the pool\n- relates_to [[Cache]]\n[00:12:31] 회의 시작\n"
        "## 09:12:04 user_prompt\n- (x) timeout: 5\n",
    )
    world.update()
    ((hit),) = world.ask("회의 시작", by="keyword").hits
    assert (hit.row.kind, hit.row.type, hit.row.tags, hit.row.title) == ("fact", "note", (), "log")
    with world.catalog() as catalog:
        entry = world.index.read(hit.row)
        assert len(catalog.find(EntryFilter(), limit=-1)) == 1
    assert entry is not None and entry.entry.edges == ()


def test_names_that_differ_in_case_or_punctuation_keep_their_entries(
    world: World,
) -> None:
    """qmd#717, qmd#801: of two such files one drove the other out."""
    names = ("api.md", "API.md", "a-p-i.md", "a_p_i.md", "a p i.md", "api!.md", "api.markdown")
    for number, name in enumerate(names):
        world.note(f"notes/{name}", f"pool needle{number}")
    if len(world.paths("notes")) < 6:
        pytest.skip("the file system takes names of either case for one")
    world.update()
    ids = {}
    for number, name in enumerate(names):
        (hit,) = world.ask(f"needle{number}", by="keyword").hits
        assert hit.row.path == f"notes/{name}"
        ids[hit.row.id] = name
    assert len(ids) == len(names)
    (world.root / "notes/API.md").unlink()
    world.update()
    assert paths_in(world) == {f"notes/{name}" for name in names} - {"notes/API.md"}
    world.check_against_a_rebuild()


# Asking


@pytest.mark.parametrize(
    "question",
    [
        "고갈 없는말뭉치",
        "고갈 존재하지않는긴말뭉치덩어리",
        "枯渇 커넥션 고갈",
        "왜 커넥션이 존재하지않는단어 고갈되었지",
        "고갈 zzqqxx",
    ],
)
def test_a_word_that_is_nowhere_does_not_void_the_question(world: World, question: str) -> None:
    """qmd#976: a run of CJK that stood in no text left no hit at all."""
    world.note("notes/a.md", "커넥션 풀이 고갈되었다")
    for number in range(40):
        world.note(f"notes/other-{number}.md", f"다른 이야기 배포 롤백 {number}")
    world.update()
    assert world.ask(question, by="keyword").hits[0].row.path == "notes/a.md"


def test_the_passage_shown_is_the_one_that_matched(world: World) -> None:
    """qmd#973: for CJK another passage was shown."""
    filler = "배포와 롤백 이야기가 이어진다. " * 150
    world.note("notes/a.md", f"{filler}\n\n결제 서명이 어긋나 환불되었다.\n\n{filler}")
    world.update()
    for question in ("서명", "환불", "결제 서명", "환불을"):
        (hit, *_) = world.ask(question, by="keyword").hits
        assert "서명이 어긋나" in hit.snippet.text, question
        assert hit.snippet.spans
        marked = [hit.snippet.text[start:end] for start, end in hit.snippet.spans]
        assert any(part in "".join(marked) for part in ("서명", "환불")), question


def test_memory_note_and_conversation_are_cut_into_words_alike(world: World) -> None:
    """openclaw#92061, openclaw#20730, openclaw#140736: each path failed CJK in its own way."""
    text = "커넥션풀 getUserName의 한글ABC 처리, データベース v2.1과 src/pool_size.py"
    world.memory("제목", text)
    world.note("notes/a.md", text)
    world.events([text], session="s1")
    world.note("notes/other.md", "전혀 다른 글")
    world.update()
    for question in (
        "커넥션",
        "getUserName",
        "user name",
        "한글abc",
        "データベース",
        "pool size",
        "v2.1",
        "풀",
    ):
        paths = {hit.row.path.split("/")[0] for hit in world.ask(question, by="keyword").hits}
        assert paths == {"memories", "notes", "sessions"}, question
    with world.catalog() as catalog:
        rows = [
            row for row in catalog.find(EntryFilter(), limit=-1) if row.path != "notes/other.md"
        ]
    bodies = {world.index.read_body(row) or "" for row in rows}
    assert {body.strip() for body in bodies} == {text}  # and no path takes another text


WATCH = """
import json
from memjournal.indexer.search.answer import SearchRequest
from memjournal.indexer.living.living_index import LivingIndex, LivingOptions
sys.path.insert(0, sys.argv[4])
from waiting import wait_until
index = open_index()
index.update(now_ns=time.time_ns())
living = LivingIndex(index, options=LivingOptions(clock_ns=time.time_ns, poll_every_s=0.1))
living.start()
wait_until(lambda: living.status().watch.mode == sys.argv[3])
(root / "notes/new.md").write_text("justsaved", "utf-8")
request = SearchRequest(text="justsaved", by="keyword", now=datetime.now(UTC))
wait_until(lambda: living.search(request, patience_s=1.0).hits)
status = living.status().watch
living.close()
print(json.dumps({"mode": status.mode, "reason": status.reason}))
"""
LIMIT = 'echo "$1" > /proc/sys/user/"$2" && shift 2 && exec "$@"'


@pytest.mark.skipif(sys.platform != "linux", reason="the limits are Linux's")
@pytest.mark.parametrize("limit", ["none", "max_inotify_instances", "max_inotify_watches"])
def test_where_the_system_gives_no_watches_the_journal_is_polled_and_that_is_said(
    world: World, limit: str
) -> None:
    """openclaw#136966, openclaw#78224, openclaw#5827: at a limit the watcher died unsaid."""
    for name in ("a/b", "c/d", "e/f"):
        world.note(f"notes/{name}/g.md", "pool")
    mode = "inotify" if limit == "none" else "polling"
    command = program(world, WATCH, mode, str(Path(__file__).parents[1]))
    if limit != "none":
        least = "0" if limit == "max_inotify_instances" else "1"
        command = ["unshare", "-Ur", "sh", "-c", LIMIT, "sh", least, limit, *command]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    if done.stderr.startswith(("unshare", "sh:")):
        pytest.skip("limits of one's own cannot be set here")
    assert done.stderr == ""
    said = json.loads(done.stdout)
    assert (said["mode"], bool(said["reason"])) == (mode, limit != "none")
