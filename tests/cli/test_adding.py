"""What a person adds, changes and forgets is in the files as they meant it, and never a secret."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import pytest

from memjournal.cli.editor import editor_command, find_editor
from memjournal.journal import files, traces
from memjournal.journal.drafting import Wishes, draft_entry, split_title
from memjournal.journal.errors import UnavailableError
from memjournal.journal.redaction import Redactor

from ..odd_places import a_pipe

if TYPE_CHECKING:
    from .conftest import World

SECRET = "Zx81-kl2Qp9vB"


@pytest.fixture(autouse=True)
def journal(world: World) -> Path:
    return world.init()


def memory(world: World, id_: str) -> str:
    """The text of a memory's file."""
    (path,) = world.root.glob(f"memories/**/*--{id_.removeprefix('mem:')}.md")
    return path.read_text("utf-8")


# add


def test_add_prints_the_citation_and_where_it_stands(world: World) -> None:
    added = world.ok("add", "Use", "signed", "cookies", "--type", "decision", "--tag", "#auth,web")
    citation, path = added.out.split()
    text = (world.root / path).read_text("utf-8")
    assert citation.startswith("[mem:") and f"id: {citation[5:-1]}" in text
    assert "kind: fact\ntype: decision\nproject: local/work/shop\n" in text
    assert "tags: [auth, web]\n" in text
    assert text.endswith("---\n# Use signed cookies\n")


def test_a_korean_memory_keeps_its_words_in_title_body_and_file_name(world: World) -> None:
    added = world.ok("add", "세션 토큰은 서명 쿠키로\n\n서버를 무상태로 두기 위해서다.")
    path = added.out.split()[1]
    assert Path(path).name.startswith("세션-토큰은-서명-쿠키로--")
    assert (
        (world.root / path)
        .read_text("utf-8")
        .endswith("# 세션 토큰은 서명 쿠키로\n\n서버를 무상태로 두기 위해서다.\n")
    )


def test_the_same_words_again_are_one_memory(world: World) -> None:
    first = world.ok("add", "Pool timeout is 30 s")
    again = world.ok("add", "Pool timeout is 30 s")
    assert again.out == first.out
    assert again.err == "already there: nothing was added\n"
    assert len(list(world.root.glob("memories/**/*.md"))) == 1


def test_a_secret_is_not_written_and_how_many_is_said(world: World) -> None:
    text = f"Staging\n\npassword={SECRET}\n<private>\n급여 이야기\n</private>\n"
    added = world.ok("add", "-", stdin=text)
    assert added.err == "2 secrets or private parts not written\n"
    everything = b"".join(world.tree().values())
    assert SECRET.encode() not in everything
    assert "급여".encode() not in everything


def test_a_private_part_that_begins_in_the_title_hides_what_follows() -> None:
    now = datetime(2026, 11, 30, tzinfo=UTC)
    draft = draft_entry(
        "<private>\n\nhidden\n</private> rest", Wishes(), redactor=Redactor(), now=now
    )
    assert "hidden" not in draft.entry.title + draft.entry.body


@pytest.mark.parametrize(
    ("text", "title", "body"),
    [
        ("one line", "one line", ""),
        ("# Heading\n\nwords", "Heading", "words"),
        ("## 제목 ##\n본문", "제목", "본문"),
        ("First\n\nsecond", "First", "second"),
        ("a paragraph\nof two lines", "a paragraph", "a paragraph\nof two lines"),
        ("- one\n- two", "one", "- one\n- two"),
        ("```\ncode\n```", "code", "```\ncode\n```"),
        ("x" * 200, "x" * 119 + "…", "x" * 200),
    ],
)
def test_the_title_is_the_first_line_and_no_word_is_lost(text: str, title: str, body: str) -> None:
    assert split_title(text) == (title, body)


def test_what_is_piped_in_is_remembered(world: World) -> None:
    added = world.ok("add", "--type", "lesson", stdin="\ufeff파이프로 온 글")
    assert "# 파이프로 온 글" in (world.root / added.out.split()[1]).read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "stdin", "code", "message"),
    [
        (["add"], "", 64, 'mem: there is nothing to remember; give a text: mem add "…"'),
        (["add", "-"], b"\xff\xfe", 65, "mem: stdin: not UTF-8; convert it first"),
        (["add", "a\0b"], "", 65, "mem: the text holds a NUL character; is it a text at all?"),
        (
            ["add", "x", "--type", "lesson", "--kind", "rule"],
            "",
            64,
            "mem: 'lesson' is no type of 'rule'; it is a fact",
        ),
    ],
)
def test_what_cannot_be_remembered_is_said_in_one_line(
    world: World, arguments: list[str], stdin: str | bytes, code: int, message: str
) -> None:
    ran = world.run(*arguments, stdin=stdin)
    assert (ran.code, ran.error) == (code, message)
    assert not list(world.root.glob("memories/**/*.md"))


def test_the_kind_follows_from_the_type(world: World) -> None:
    assert "kind: rule\ntype: workflow\n" in memory(world, world.add("x", "--type", "workflow"))
    rule = world.add("한국어로 답하기", "--type", "preference", "--kind", "rule")
    assert "kind: rule\ntype: preference\n" in memory(world, rule)


def test_a_project_is_named_by_the_end_of_its_name_once_it_is_known(world: World) -> None:
    world.add("first", "--project", "github.com/acme/결제")
    assert "project: github.com/acme/결제\n" in memory(world, world.add("2", "--project", "결제"))
    assert "project:" not in memory(world, world.add("third", "--project", ""))


def test_in_the_journal_itself_a_memory_belongs_to_no_project(world: World) -> None:
    world.chdir(world.root)
    assert "project:" not in memory(world, world.add("nobody's"))


def test_sources_and_files_take_their_one_form(world: World) -> None:
    (world.project / ".git").mkdir()
    (world.project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (world.project / ".git" / "objects").mkdir()
    (world.project / "src").mkdir()
    (world.project / "src" / "auth.py").write_text("")
    world.chdir(world.project / "src")
    cited = world.add("first")
    text = memory(
        world,
        world.add("second", "--source", f"[{cited}]", "--source", "docs/x.md", "--file", "auth.py"),
    )
    assert f"source: [{cited}, docs/x.md]\n" in text
    assert "files: [src/auth.py]\n" in text


def test_adding_does_not_wait_for_an_index_that_is_being_written(world: World) -> None:
    world.add("the first makes the index")
    with files.locked(world.root / "index" / "writer.lock", timeout_s=1):
        added = world.ok("add", "the second is written all the same")
    assert added.err == ""  # nothing is wrong: the next command follows the file
    assert "the second" in (world.root / added.out.split()[1]).read_text("utf-8")
    assert added.out.split()[0] in world.ok("history").out.replace("mem:", "[mem:").replace(
        "  ", "] "
    )


@pytest.mark.parametrize("text", ["<private>큐를 옮긴다</private>", f"password: {SECRET}"])
def test_what_is_private_as_a_whole_is_no_memory(world: World, text: str) -> None:
    added = world.run("add", text)
    if text.startswith("<"):
        assert added.code == 64
        assert "all of it is private" in added.err
        assert not list(world.root.glob("memories/**/*.md"))
    else:  # what kind of secret it was is something
        assert "[REDACTED]" in memory(world, added.out.split()[0][1:-1])


def test_a_form_is_filled_in_in_the_editor(world: World) -> None:
    world.editor(r"sed -i 's/^# $/# 편집기에서/; s/^type: note/type: lesson/' " + '"${2:-$1}"')
    added = world.ok("add", "--edit")
    text = (world.root / added.out.split()[1]).read_text("utf-8")
    assert "type: lesson\nproject: local/work/shop\n" in text
    assert text.endswith("# 편집기에서\n")
    assert "<!--" not in text


def test_an_empty_form_adds_nothing(world: World) -> None:
    world.editor("true")
    ran = world.ok("add", "-e")
    assert ran.error == "the form was left empty: nothing was added"


def test_a_form_that_cannot_be_read_is_kept(world: World) -> None:
    world.editor('printf -- "---\\ntags: [a\\n---\\n# my words\\n" > "${2:-$1}"')
    ran = world.run("add", "-e")
    assert ran.code == 65
    place = ran.error.removeprefix("mem: ").split(": ")[0]
    assert "my words" in Path(place).read_text("utf-8")


def test_an_editor_that_fails_adds_nothing(world: World) -> None:
    world.editor("exit 3")
    ran = world.run("add", "-e")
    assert ran.code == 1
    assert ran.error.endswith("ended with exit code 3; nothing was taken over")
    world.set_env(EDITOR="no-such-editor-here")
    ran = world.run("add", "-e")
    assert (ran.code, ran.error) == (
        69,
        (
            "mem: the editor 'no-such-editor-here' cannot be started;"
            " set $EDITOR, or `mem config set editor COMMAND`"
        ),
    )


def test_adding_commits_that_file_alone_and_then_what_was_edited_by_hand(world: World) -> None:
    world.ok("init", "--git")
    world.set_env(MEMJOURNAL_JOURNAL_COMMIT="true")
    world.write("notes/unfinished.md", "not yet")
    added = world.ok("add", "제목은 커밋에 남지 않는다")
    assert world.git("log", "-2", "--format=%s").splitlines() == [
        "edit: 1 file changed by hand",
        f"add: note {added.out.split()[0]} in shop",
    ]
    assert "제목" not in world.git("log", "--format=%B")  # it may be forgotten one day
    names = ("-c", "core.quotePath=false", "show", "--format=", "--name-only")
    assert world.git(*names, "HEAD~") == added.out.split()[1]
    assert world.git(*names, "HEAD") == "notes/unfinished.md"
    assert world.git("status", "--porcelain") == ""


def test_what_could_not_be_committed_is_committed_with_the_next_write(world: World) -> None:
    world.ok("init", "--git")
    world.set_env(MEMJOURNAL_JOURNAL_COMMIT="true", MEMJOURNAL_JOURNAL_LOCK_TIMEOUT_S="0.2")
    lock = world.root / ".git" / "index.lock"
    lock.touch()  # another git is at work
    assert "not committed now" in world.ok("add", "the first").err
    lock.unlink()
    world.ok("add", "the second")
    assert world.git("status", "--porcelain") == ""


def test_a_lock_that_a_git_left_behind_is_named_and_not_waited_for(world: World) -> None:
    world.ok("init", "--git")
    world.set_env(MEMJOURNAL_JOURNAL_COMMIT="true", MEMJOURNAL_JOURNAL_LOCK_TIMEOUT_S="600")
    lock = world.root / ".git" / "index.lock"
    lock.touch()
    os.utime(lock, (0, 0))
    said = world.ok("add", "the first").err  # and not after ten minutes
    assert f"{lock}: git has been locked by it since 1970-01-01 00:00 UTC" in said
    assert "remove it if no git is running" in said
    assert lock.exists()


def test_a_secret_in_a_title_does_not_reach_a_commit_message(world: World) -> None:
    world.ok("init", "--git")
    world.set_env(MEMJOURNAL_JOURNAL_COMMIT="true")
    world.ok("add", f"password={SECRET}")
    assert SECRET not in world.git("log", "--format=%B", "--patch")


def test_an_editor_of_the_terminal_is_not_started_without_one(world: World) -> None:
    world.init()
    cited = world.add("a memory")
    ran = world.run("edit", cited)
    assert ran.code == UnavailableError.exit_code
    assert ran.err.startswith("mem: vi needs a terminal") and "$EDITOR" in ran.err


# the editor's command line


@pytest.mark.parametrize(
    ("editor", "command"),
    [
        ("vim", ["vim", "+7", "a b.md"]),
        ("/usr/bin/nano -w", ["/usr/bin/nano", "-w", "+7", "a b.md"]),
        ("code", ["code", "--wait", "--goto", "a b.md:7"]),
        ("code -w", ["code", "-w", "--goto", "a b.md:7"]),
        ("hx", ["hx", "a b.md:7"]),
        ("subl", ["subl", "--wait", "a b.md:7"]),
        ("my-editor", ["my-editor", "a b.md"]),
    ],
)
def test_an_editor_that_is_known_opens_at_the_line(editor: str, command: list[str]) -> None:
    assert editor_command(editor, Path("a b.md"), line=7, is_windows=False) == command


def test_the_setting_goes_before_visual_and_editor() -> None:
    environ = {"VISUAL": "v", "EDITOR": "e"}
    assert find_editor("s", environ, is_windows=False) == "s"
    assert find_editor("", environ, is_windows=False) == "v"
    assert find_editor("", {"EDITOR": "e"}, is_windows=False) == "e"
    assert find_editor("", {}, is_windows=False) == "vi"
    assert find_editor("", {}, is_windows=True) == "notepad"


# edit


def test_set_changes_those_lines_and_no_others(world: World) -> None:
    note = "\ufeff---\r\n# mine\r\nmood:   calm   # so far\r\ntags: [x]\r\n---\r\n# 옛 제목\r\n\r\n본문\r\n"
    path = world.write("notes/손글씨.md", note)
    edited = world.ok(
        "edit", "notes/손글씨.md", "--set", "title=새 제목", "--set", "tags=a,#b", "--set", "by=나"
    )
    assert edited.out == "changed notes/손글씨.md\n"
    expected = note.replace("옛 제목", "새 제목").replace("[x]", "[a, b]")
    assert path.read_bytes().decode() == expected.replace(
        "tags: [a, b]\r\n", "tags: [a, b]\r\nby: 나\r\n"
    )


def test_an_empty_value_takes_the_field_out(world: World) -> None:
    id_ = world.add("x", "--tag", "a", "--confidence", "0.5")
    world.ok("edit", id_, "--set", "tags=", "--set", "confidence=")
    assert "tags" not in memory(world, id_) and "confidence" not in memory(world, id_)


@pytest.mark.parametrize("type_", ["user_prompt", "turn", "pending"])
def test_what_only_memjournal_writes_is_no_type_to_set(world: World, type_: str) -> None:
    id_ = world.ok("add", "큐를 옮긴다", "-t", "decision").out.split()[0][1:-1]
    before = memory(world, id_)
    refused = world.run("edit", id_, "--set", f"type={type_}")
    assert (refused.code, memory(world, id_)) == (64, before)
    assert "use decision, " in refused.err


def test_a_file_whose_frontmatter_is_broken_is_named(world: World) -> None:
    path = world.root / "notes" / "broken.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text("---\ntags: [a\n---\nqueue\n", "utf-8")
    refused = world.run("edit", "notes/broken.md", "--set", "type=lesson")
    assert refused.code == 65
    assert refused.err.startswith("mem: notes/broken.md: line ")


def test_a_new_type_brings_its_kind_along(world: World) -> None:
    id_ = world.add("x")
    world.ok("edit", id_, "--set", "type=convention")
    assert "kind: rule\ntype: convention\n" in memory(world, id_)


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("id=abcdef", "mem: an id never changes; citations would no longer open"),
        ("privacy=open", "mem: 'open' is no privacy; use public, internal, private, masked"),
        ("confidence=1.5", "mem: '1.5' is no confidence; write a number from 0 to 1"),
        ("nonsense", "mem: 'nonsense' sets nothing; write KEY=VALUE, or KEY= to empty it"),
        ("title=", "mem: a title cannot be emptied; delete it in the file"),
        ("created=soon", "mem: 'soon' is not a time; write 2026-11-30T09:14:10+09:00"),
    ],
)
def test_a_value_that_does_not_fit_changes_nothing(
    world: World, assignment: str, message: str
) -> None:
    id_ = world.add("x")
    before = memory(world, id_)
    ran = world.run("edit", id_, "--set", assignment)
    assert (ran.code, ran.error) == (64, message)
    assert memory(world, id_) == before


def test_a_secret_is_not_set(world: World) -> None:
    id_ = world.add("x")
    world.ok("edit", id_, "--set", f"note=password={SECRET}")
    assert SECRET not in memory(world, id_)


def test_an_event_is_not_set_and_why_is_said(world: World) -> None:
    world.transcript("질문입니다", "답입니다")
    world.ok("import")
    (event,) = world.ok("history", "--type", "user_prompt", "--json").objects
    ran = world.run("edit", str(event["id"]), "--set", "title=x")
    assert (ran.code, ran.error) == (
        64,
        (
            f"mem: {event['id']} is part of a conversation, which only grows;"
            f" write a memory about it: mem add --source {event['id']} …"
        ),
    )


def test_a_secret_that_is_typed_into_the_editor_is_not_kept(
    world: World,
) -> None:
    id_ = world.add("x")
    world.editor(f'printf "password={SECRET}\\n" >> "$1"')
    edited = world.ok("edit", f"[{id_}]")
    assert edited.out.startswith("changed memories/local/work/shop/")
    assert edited.err.endswith(": 1 secret or private part not kept\n")
    assert SECRET not in edited.out + edited.err
    kept = [path for path in world.root.rglob("*") if path.is_file()]
    assert all(SECRET.encode() not in path.read_bytes() for path in kept)
    world.editor('printf -- "---\\na: [\\n---\\nx" > "$1"')
    (changed,) = world.ok("edit", id_[:8], "--json").objects
    assert changed["state"] == "changed" and changed["oddities"]


def test_an_event_opens_at_its_line(world: World) -> None:
    world.transcript("질문입니다", "답입니다")
    world.ok("import")
    (answer,) = world.ok("history", "--type", "assistant_response", "--json").objects
    script = world.home / "vim"
    script.write_text('#!/bin/sh\necho "$1" > "$HOME/line"\n')
    script.chmod(0o700)
    world.set_env(EDITOR=str(script))
    assert world.ok("edit", str(answer["id"])).out == f"unchanged {answer['path']}\n"
    number = int((world.home / "line").read_text().lstrip("+"))
    heading = (world.root / str(answer["path"])).read_text("utf-8").splitlines()[number - 1]
    assert heading.endswith(f"[{answer['id']}]")


# forget


def found(world: World, text: str) -> list[str]:
    """The ids that a search for *text* gives."""
    return world.ok("search", "--ids", text).out.split()


def test_forget_proves_that_nothing_is_left(world: World) -> None:
    id_ = world.add("배포 전에 캐시를 비운다\n\nclear the warehouse cache first", "--tag", "zebra")
    other = world.add("cache of another kind")
    (proof,) = world.ok("forget", id_, "--yes", "--json").objects
    assert proof["ids"] == [id_]
    assert proof["is_proven"] is True
    places = {"records": [], "index_files": [], "unread_files": []}
    assert proof["left"] == {"catalog": 0, "keyword": 0, "vector": None, **places}
    assert id_ not in found(world, "cache") and other in found(world, "cache")
    everything = b"".join(world.tree().values())
    for gone in (id_[4:].encode(), "비운다".encode(), b"warehouse", b"zebra"):
        assert gone not in everything


def test_forget_shows_first_and_asks(world: World) -> None:
    id_ = world.add("지울 기억")
    path = memory_path = next(world.root.glob("memories/**/*.md")).relative_to(world.root)
    dry = world.ok("forget", id_, "--dry-run")
    assert dry.out.splitlines()[0] == "would forget 1 entry in 1 file"
    assert "지울 기억" in dry.out and f"  {path.as_posix()} is deleted" in dry.out
    refused = world.run("forget", id_)
    assert refused.code == 64
    assert refused.err == "mem: forgetting needs a yes; look with --dry-run, then add --yes\n"
    assert (world.root / memory_path).exists()


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo terminal")
@pytest.mark.parametrize(("answer", "is_left"), [(b"n\n", True), (b"y\n", False)])
def test_on_a_terminal_forget_asks(world: World, answer: bytes, is_left: bool) -> None:
    id_ = world.add("묻고 나서 지운다")
    leader, follower = os.openpty()
    os.write(leader, answer)
    code = "import sys; from memjournal.cli.app import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, "forget", id_],
        stdin=follower,
        capture_output=True,
        text=True,
        check=True,
    )
    os.close(leader)
    os.close(follower)
    assert "Forget 1 entry? [y/N] " in done.stderr
    assert bool(list(world.root.glob("memories/**/*.md"))) == is_left


def test_forget_wants_to_be_told_what(world: World) -> None:
    assert world.run("forget", "--yes").code == 2
    assert world.ok("forget", "--query", "no such words", "--yes").err == (
        "nothing fits: nothing to forget\n"
    )


def test_a_forgotten_conversation_does_not_come_back(world: World) -> None:
    world.transcript("결제 오류를 고쳐줘", "The gateway timed out twice.")
    world.ok("import")
    world.ok("forget", "--session", "0b1f6c1e", "--yes")
    assert not found(world, "gateway")
    again = world.ok("import", "--force")
    assert again.out.splitlines()[0] == "nothing new"
    assert not found(world, "gateway")
    session = next(world.root.glob("sessions/**/*.md")).read_text("utf-8")
    assert "gateway" not in session and session.count("<!-- forgotten:") == 2


@pytest.mark.parametrize("place", ["notes/f.md", "fifo.toml", "index/f"])
def test_a_pipe_in_the_journal_does_not_hold_forgetting_up(world: World, place: str) -> None:
    citation = world.add("잊어야 할 것 하나")
    a_pipe(world.root / place)
    assert "nothing left" in world.ok("forget", "--yes", citation).out


def test_what_cannot_be_looked_through_is_named_and_nothing_is_proven(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the tests may read everything: the file is refused in their place."""
    citation = world.add("잊어야 할 것 하나")
    world.write("closed.txt", "잊어야 할 것 하나")

    def refuse(path: Path) -> BinaryIO:
        if path.name == "closed.txt":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return files.open_regular(path)

    monkeypatch.setattr(traces, "open_regular", refuse)
    ran = world.run("forget", "--yes", "--json", citation)
    assert (ran.code, ran.objects[0]["is_proven"]) == (1, False)
    assert ran.objects[0]["left"]["unread_files"] == ["closed.txt"]  # type: ignore[index]  # JSON
    assert "closed.txt: not everything could be looked through" in ran.err


def test_forget_by_date_takes_what_lies_between(world: World) -> None:
    world.transcript("the old question", "the old answer")
    world.ok("import")
    world.add("a new memory")
    assert "2 entries" in world.ok("forget", "--before", "2026-11-29", "--dry-run").out
    assert world.ok("forget", "--before", "2026-11-28", "--dry-run").err.startswith("nothing fits")
    ran = world.run("forget", "--before", "whenever", "--dry-run")
    assert ran.code == 2 and "'whenever' is no time" in ran.err


def test_forget_by_words_takes_what_contains_them_and_nothing_like_it(world: World) -> None:
    world.add("Redis  Password\n\nrotates weekly")
    kept = world.add("redis rotates; passwords are elsewhere")
    world.ok("forget", "--query", "redis password", "--yes")
    assert found(world, "redis") == [kept]


def test_what_still_cites_a_forgotten_memory_is_named(world: World) -> None:
    id_ = world.add("the source of it all")
    world.add("derived", "--source", id_)
    forgotten = world.ok("forget", id_, "--yes")
    assert "  still cited in memories/local/work/shop/" in forgotten.out


def test_forgetting_is_committed_and_history_is_not_promised(world: World) -> None:
    world.ok("init", "--git")
    world.set_env(MEMJOURNAL_JOURNAL_COMMIT="true")
    id_ = world.add("in history for ever")
    forgotten = world.ok("forget", id_, "--yes")
    assert "so does every clone of it; --purge takes it out\n" in forgotten.err
    assert world.git("log", "-1", "--format=%s") == "forget: 1 entry in shop"
    assert world.git("status", "--porcelain") == ""


# sources


def test_what_was_never_committed_is_in_no_history(world: World) -> None:
    world.ok("init", "--git")
    world.set_env(MEMJOURNAL_JOURNAL_COMMIT="true")
    note = world.root / "notes" / "trip.md"
    note.parent.mkdir(exist_ok=True)
    note.write_text("목성 여행을 준비한다\n", "utf-8")
    forgotten = world.ok("forget", "--query", "목성 여행", "--yes")
    assert not note.exists()
    assert "history" not in forgotten.err


def test_a_source_that_is_an_entry_is_kept_by_its_id(world: World) -> None:
    world.init()
    first = world.add("먼저 쓴 것")
    (row,) = world.ok("show", first, "--json").objects
    path = world.root / str(row["path"])
    for given in (first[:7], f"[{first}]", str(path)):
        second = world.add(f"나중에 쓴 것: {given}", "--source", given)
        (entry,) = world.ok("show", second, "--json").objects
        assert entry["source"] == [first], given


def test_any_other_source_is_kept_as_it_is(world: World) -> None:
    world.init()
    first = world.add("먼저 쓴 것")
    bare = first.removeprefix("mem:")[:3]  # a word, which only happens to begin like an id
    for given in ("https://example.com/a", "src/auth.py", bare):
        (entry,) = world.ok("show", world.add(given, "--source", given), "--json").objects
        assert entry["source"] == [given]
    ran = world.ok("add", "x y z", "--source", "mem:zzzzzz")
    assert ran.err == "mem: no entry is called 'mem:zzzzzz'; kept as it is\n"


def test_what_was_hidden_is_counted(world: World) -> None:
    world.ok("add", f"password={SECRET} and <private>this</private>")
    (stats,) = world.ok("stats", "--json").objects
    assert stats["hidden"] == 2


# words that are no text


NO_TEXT = "\udcff"  # the byte 0xff, as Python has it in a command line


@pytest.mark.parametrize("option", ["--title", "--type", "--kind", "--tag", "-p", "-f", "--source"])
def test_an_option_that_is_not_utf8_is_named_and_nothing_is_written(
    world: World, option: str
) -> None:
    before = world.tree()
    ran = world.run("add", "기억", option, f"{NO_TEXT}abc")
    long_ = {"-p": "--project", "-f": "--file"}.get(option, option)
    assert (ran.code, ran.error) == (65, f"mem: {long_}: not UTF-8; convert it first")
    assert world.tree() == before


def test_words_fields_and_settings_that_are_not_utf8_are_refused(world: World) -> None:
    citation = world.add("기억")
    before = world.tree()
    for arguments in (
        ("add", NO_TEXT),
        ("edit", citation, "--set", f"title={NO_TEXT}"),
        ("config", "set", "editor", NO_TEXT),
    ):
        ran = world.run(*arguments)
        assert ran.code == 65
        assert "not UTF-8" in ran.error
    assert world.tree() == before


@pytest.mark.parametrize("command", ["show", "timeline", "source", "edit", "forget"])
@pytest.mark.parametrize("reference", [NO_TEXT, f"notes/{NO_TEXT}.md"])
def test_a_reference_that_is_not_utf8_names_nothing(
    world: World, command: str, reference: str
) -> None:
    ran = world.run(command, reference)
    assert ran.code == 66
    assert "no entry is called" in ran.err
