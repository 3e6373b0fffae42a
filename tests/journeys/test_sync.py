"""One journal on two machines: what one remembers the other finds, and nothing waits for a person."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..git_by_hand import git
from ..waiting import wait_until
from .conftest import World, new_world


class Machines:
    """Two machines with a journal each, and a bare repository between them."""

    def __init__(self, folder: Path) -> None:
        self.bare = folder / "원격.git"
        self.bare.mkdir()
        git(self.bare, "init", "--quiet", "--bare", "--initial-branch=main")
        self.laptop, self.desk = (self._machine(folder / name) for name in ("laptop", "desk"))

    def _machine(self, home: Path) -> World:
        world = new_world(home)
        world.ok("init")
        world.ok("remote", "add", str(self.bare))
        return world

    def sync(self) -> None:
        for world in (self.laptop, self.desk, self.laptop):
            world.ok("sync")

    def same(self) -> dict[str, bytes]:
        """The files of both, which must be the same."""
        found = []
        for world in (self.laptop, self.desk):
            listed = git(world.journal, "ls-files", "-z").split("\0")
            found.append({p: (world.journal / p).read_bytes() for p in listed if p})
            assert git(world.journal, "status", "--porcelain") == ""
        assert found[0] == found[1]
        return found[0]


@pytest.fixture
def machines(tmp_path: Path) -> Machines:
    return Machines(tmp_path)


def add(world: World, text: str) -> tuple[str, Path]:
    added = json.loads(world.ok("add", text, "--project", "shop", "--json").out)
    return str(added["id"]), world.journal / str(added["path"])


def without_drivers(world: World) -> None:
    for name in ("merge.memjournal", "merge.union"):
        git(world.journal, "config", "--remove-section", name)


def edit(path: Path, before: str, after: str) -> None:
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after), "utf-8")


def test_what_one_machine_remembers_the_other_finds(machines: Machines) -> None:
    ref, _ = add(machines.laptop, "서명된 쿠키를 쓴다")
    other, _ = add(machines.desk, "Use Postgres for the ledger")
    synced = json.loads(machines.laptop.ok("sync", "--json").out)
    assert (synced["sent"], synced["conflicts"]) == (2, [])
    machines.sync()
    assert ref in machines.desk.ok("search", "쿠키", "--ids").out
    assert other in machines.laptop.ok("search", "Postgres", "--ids").out
    machines.same()
    assert machines.laptop.ok("sync").out == "nothing new on either side\n"
    log = machines.desk.ok("log", "--json").out
    assert len({json.loads(line)["machine"] for line in log.splitlines()}) == 2


def test_edits_of_both_are_merged_and_a_real_conflict_keeps_both_and_is_settled(
    machines: Machines,
) -> None:
    ref, path = add(machines.laptop, "쿠키 결정\n\n첫째 줄\n-\n둘째 줄\n-\n셋째 줄")
    machines.sync()
    other = machines.desk.journal / path.relative_to(machines.laptop.journal)
    edit(path, "첫째 줄", "처음 줄")
    edit(other, "둘째 줄", "second line")
    machines.desk.ok("edit", ref, "--set", "importance=0.9")
    machines.sync()
    text = path.read_text("utf-8")
    assert "처음 줄\n-\nsecond line\n" in text and "importance: 0.9" in text
    machines.same()
    assert machines.desk.ok("conflicts").err == "no file holds two versions\n"

    edit(path, "셋째 줄", "세 번째 줄")
    edit(other, "셋째 줄", "third line")
    for world in (machines.laptop, machines.desk):
        world.ok("sync")
    machines.laptop.ok("sync")
    assert "conflict" in machines.laptop.ok("status").out
    machines.same()
    assert "세 번째 줄" in path.read_text("utf-8") and "third line" in path.read_text("utf-8")
    for words in ("세 번째", "third"):
        assert ref in machines.laptop.ok("search", words, "--ids", "--all").out
    conflict = json.loads(machines.laptop.ok("conflicts", "--json").out)
    texts = {conflict["first"]["text"], conflict["second"]["text"]}
    assert texts == {"세 번째 줄\n", "third line\n"}
    kept = "first" if conflict["first"]["text"] == "세 번째 줄\n" else "second"
    machines.laptop.ok("resolve", ref, "--keep", kept)
    machines.sync()
    assert "세 번째 줄\n" in other.read_text("utf-8")
    assert "third line" not in other.read_text("utf-8")
    assert "conflict" not in machines.laptop.ok("status").out
    assert machines.laptop.mem("resolve", ref, "--keep", "first").code == 66


def test_an_editor_settles_a_conflict(machines: Machines, tmp_path: Path) -> None:
    ref, path = add(machines.laptop, "결정\n\n줄")
    machines.sync()
    edit(path, "줄\n", "이 줄\n")
    edit(machines.desk.journal / path.relative_to(machines.laptop.journal), "줄\n", "저 줄\n")
    machines.sync()
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i '/^[<=>]\\{7\\}/d' \"$2\"\n", "utf-8")
    editor.chmod(0o755)
    idle = machines.laptop.mem("resolve", ref, environ={"EDITOR": "true"})
    assert (idle.code, "still holds two versions" in idle.out) == (1, True)
    machines.laptop.ok("resolve", ref, environ={"EDITOR": f"{editor} +1"})
    assert "이 줄\n저 줄\n" in path.read_text("utf-8")


def test_what_was_forgotten_on_one_machine_does_not_come_back_from_another(
    machines: Machines,
) -> None:
    ref, path = add(machines.laptop, "비밀 결정\n\n첫째 줄")
    machines.sync()
    other = machines.desk.journal / path.relative_to(machines.laptop.journal)
    edit(other, "첫째", "처음")
    machines.laptop.ok("forget", ref, "--yes")
    machines.sync()
    assert not path.exists() and not other.exists()
    assert machines.desk.mem("show", ref).code == 66
    machines.same()


def test_what_is_remembered_again_is_not_forgotten_any_more(machines: Machines) -> None:
    ref, path = add(machines.laptop, "다시 떠올린 결정")
    machines.laptop.ok("forget", ref, "--yes")
    assert add(machines.laptop, "다시 떠올린 결정") == (ref, path)
    for number in range(6):
        add(machines.laptop, f"결정 {number}")  # else most of the journal would be gone
    machines.sync()
    other = machines.desk.journal / path.relative_to(machines.laptop.journal)
    edit(other, "결정", "결정!")
    path.unlink()
    machines.sync()
    assert "결정!" in path.read_text("utf-8")
    assert "they only ever grew" in machines.desk.ok("audit").out


def test_a_file_that_was_only_deleted_stays_where_the_other_side_changed_it(
    machines: Machines,
) -> None:
    _, path = add(machines.laptop, "결정\n\n첫째 줄")
    _, gone = add(machines.laptop, "다른 결정")
    for number in range(6):
        add(machines.laptop, f"결정 {number}")  # else most of the journal would be gone
    machines.sync()
    edit(machines.desk.journal / path.relative_to(machines.laptop.journal), "첫째", "처음")
    path.unlink()
    gone.unlink()
    machines.sync()
    files = machines.same()
    assert str(path.relative_to(machines.laptop.journal)) in files
    assert str(gone.relative_to(machines.laptop.journal)) not in files


def test_a_forced_push_loses_nothing(machines: Machines, tmp_path: Path) -> None:
    ref, _ = add(machines.laptop, "남아야 하는 결정")
    machines.sync()
    rogue = tmp_path / "rogue"
    git(tmp_path, "clone", "--quiet", str(machines.bare), str(rogue))
    git(rogue, "reset", "--quiet", "--hard", "HEAD~1")
    (rogue / "notes").mkdir()
    (rogue / "notes/남.md").write_text("강제로 민 메모\n", "utf-8")
    git(rogue, "add", "--all")
    git(rogue, "commit", "--quiet", "--message", "forced")
    git(rogue, "push", "--quiet", "--force")
    ran = machines.laptop.ok("sync")
    assert "the remote had lost commits; they are kept, and were given back to it" in ran.err
    machines.sync()
    files = machines.same()
    assert "notes/남.md" in files
    assert ref in machines.desk.ok("search", "남아야", "--ids").out


def test_a_remote_that_is_away_is_named_and_everything_is_sent_later(machines: Machines) -> None:
    machines.sync()
    away = machines.bare.with_name("away.git")
    machines.bare.rename(away)
    add(machines.laptop, "오프라인에서 쓴 결정")
    ran = machines.laptop.mem("sync")
    assert ran.code == 69
    assert str(machines.bare) in ran.err and "the next sync tries it again" in ran.err
    status = machines.laptop.ok("status").out
    assert "1 commit to send" in status and "the last try failed" in status
    away.rename(machines.bare)
    assert "1 commit sent" in machines.laptop.ok("sync").out
    assert "the last try failed" not in machines.laptop.ok("status").out


def test_a_merge_that_plain_git_could_not_finish_is_finished(machines: Machines) -> None:
    """In a clone without our drivers git stops at a conflict; what was settled by hand stays settled."""
    _, path = add(machines.laptop, "결정\n\n첫째 줄")
    _, second = add(machines.laptop, "다른 결정\n\n한 줄")
    machines.sync()
    without_drivers(machines.desk)
    inside = [one.relative_to(machines.laptop.journal) for one in (path, second)]
    edit(path, "첫째 줄", "처음 줄")
    edit(second, "한 줄", "한두 줄")
    machines.laptop.ok("sync")
    edit(machines.desk.journal / inside[0], "첫째 줄", "맨 첫 줄")
    edit(machines.desk.journal / inside[1], "한 줄", "한 줄 반")
    git(machines.desk.journal, "commit", "--quiet", "--all", "--message", "by hand")
    git(machines.desk.journal, "pull", "--quiet", "--no-rebase", "origin", "main", may_fail=True)
    assert "<<<<<<< " in (machines.desk.journal / inside[0]).read_text("utf-8")
    waiting = machines.desk.ok("add", "그동안 쓴 것").err
    assert "a merge made with git is not finished; `mem sync` finishes it" in waiting
    head = git(machines.desk.journal, "show", f"HEAD:{inside[1]}")
    (machines.desk.journal / inside[1]).write_text(
        head.replace("한 줄 반", "손으로 고른 줄") + "\n", "utf-8"
    )
    machines.desk.ok("sync")
    machines.sync()
    machines.same()
    assert "손으로 고른 줄" in second.read_text("utf-8") and "<<<" not in second.read_text("utf-8")
    assert {"처음 줄", "맨 첫 줄"} <= set(path.read_text("utf-8").splitlines())
    assert not (machines.desk.journal / ".git/MERGE_HEAD").exists()
    assert "they only ever grew" in machines.desk.ok("audit").out


def test_sessions_that_plain_git_joined_line_by_line_are_whole_again(machines: Machines) -> None:
    session = "sessions/2026/11/30/shop--0f6d0c0e.md"
    head = (
        "---\nkind: session\nsession: s1\nproject: shop\nagent: x\n"
        "started: 2026-11-30T09:00:00+09:00\n---\n# shop\n\n"
    )

    def record(number: int, ref: str, words: str) -> str:
        text = "\n".join(["같은 줄"] * 3 + [words] + ["또 같은 줄"] * 6)
        return (
            f"## 09:00:0{number} user_prompt [mem:{ref}]\n{text}\n"
            f"<!-- mem:{ref} at=2026-11-30T09:00:0{number}+09:00 key=k{number} -->\n\n"
        )

    def write(world: World, text: str) -> None:
        (world.journal / session).parent.mkdir(parents=True, exist_ok=True)
        (world.journal / session).write_text(text, "utf-8")

    first, left, right = (
        record(n, f"{c}aaaaa", w) for n, c, w in ((1, "A", "가"), (2, "B", "나"), (3, "C", "다"))
    )
    write(machines.laptop, head + first)
    machines.sync()
    without_drivers(machines.desk)
    write(machines.laptop, head + first + left)
    machines.laptop.ok("sync")
    write(machines.desk, head + first + right)
    git(machines.desk.journal, "commit", "--quiet", "--all", "--message", "by hand")
    git(machines.desk.journal, "pull", "--quiet", "--no-rebase", "--no-edit", "origin", "main")
    assert (machines.desk.journal / session).read_text("utf-8") != head + first + left + right
    machines.desk.ok("sync")
    machines.sync()
    machines.same()
    assert (machines.laptop.journal / session).read_text("utf-8") == head + first + left + right


def test_plain_git_with_our_drivers_merges_as_sync_does(machines: Machines) -> None:
    _, path = add(machines.laptop, "결정\n\n첫째 줄")
    machines.sync()
    inside = path.relative_to(machines.laptop.journal)
    machines.laptop.ok("edit", str(path), "--set", "tags=인증")
    edit(path, "첫째", "처음")
    machines.laptop.ok("sync")
    machines.desk.ok("edit", str(inside), "--set", "importance=0.9", cwd=machines.desk.journal)
    pulled = machines.desk
    done = git(pulled.journal, "pull", "--quiet", "--no-rebase", "--no-edit", "origin", "main")
    assert "CONFLICT" not in done
    text = (pulled.journal / inside).read_text("utf-8")
    assert "인증" in text and "importance: 0.9" in text and "처음 줄" in text


def test_doctor_tells_git_how_to_merge(machines: Machines) -> None:
    git(machines.desk.journal, "config", "--unset", "merge.memjournal.driver")
    assert "odd    merge drivers" in machines.desk.ok("doctor").out
    assert "ok     merge drivers: installed now" in machines.desk.ok("doctor", "--fix").out
    assert "ok     merge drivers: installed" in machines.desk.ok("doctor").out


def test_a_remote_that_cannot_be_reached_is_not_kept(machines: Machines, tmp_path: Path) -> None:
    world = machines.laptop
    before = git(world.journal, "remote", "get-url", "origin")
    ran = world.mem("remote", "add", str(tmp_path / "nowhere.git"))
    assert ran.code == 69
    assert git(world.journal, "remote", "get-url", "origin") == before
    assert world.mem("remote", "add", "ext::sh -c id").code == 64
    shown = json.loads(world.ok("remote", "show", "--json").out)
    assert (shown["n_ahead"], shown["n_behind"]) == (0, 0)
    world.ok("remote", "remove")
    assert world.mem("sync").code == 69
    assert "sync" not in [line.split()[0] for line in world.ok("status").out.splitlines()]


def test_a_repository_that_is_no_journal_is_not_synced_with(
    machines: Machines, tmp_path: Path
) -> None:
    project = tmp_path / "project.git"
    project.mkdir()
    git(project, "init", "--quiet", "--bare")
    git(machines.desk.journal, "init", "--quiet", str(tmp_path / "work"))
    (tmp_path / "work/main.c").write_text("int main;\n", "utf-8")
    git(tmp_path / "work", "add", "--all")
    git(tmp_path / "work", "commit", "--quiet", "--message", "code")
    git(tmp_path / "work", "push", "--quiet", str(project), "HEAD:refs/heads/master")
    ran = machines.laptop.mem("remote", "add", str(project))
    assert ran.code == 65 and "it holds something else than a journal" in ran.err
    assert git(machines.laptop.journal, "remote", "get-url", "origin") == str(machines.bare)
    assert not (machines.laptop.journal / "main.c").exists()


def test_what_is_written_while_no_branch_is_checked_out_is_committed_later(
    machines: Machines,
) -> None:
    world = machines.laptop
    git(world.journal, "switch", "--quiet", "--detach")
    ran = world.ok("add", "브랜치 없이 쓴 결정")
    assert "not committed now" in ran.err and "no branch is checked out" in ran.err
    assert world.mem("sync").code == 69
    git(world.journal, "switch", "--quiet", "main")
    world.ok("sync")
    machines.sync()
    assert "브랜치 없이" in machines.desk.ok("search", "브랜치 없이 쓴").out


def test_a_name_that_is_no_text_is_synced_and_not_indexed(machines: Machines) -> None:
    (machines.laptop.journal / "notes").mkdir(exist_ok=True)
    name = os.fsencode(machines.laptop.journal / "notes") + b"/bad\xff.md"
    with open(name, "wb") as stream:
        stream.write(b"# x\n")
    machines.sync()
    assert os.path.exists(os.fsencode(machines.desk.journal / "notes") + b"/bad\xff.md")


def test_a_journal_that_is_cloned_by_hand_is_a_journal(machines: Machines, tmp_path: Path) -> None:
    ref, _ = add(machines.laptop, "복제해도 남는 결정")
    machines.sync()
    third = new_world(tmp_path / "third")
    git(tmp_path, "clone", "--quiet", str(machines.bare), str(third.journal))
    assert ref in third.ok("search", "복제해도", "--ids").out
    third.ok("init")
    add(third, "셋째 기계의 결정")
    third.ok("sync")
    machines.sync()
    assert "셋째 기계의" in machines.desk.ok("search", "셋째 기계의 결정").out


@pytest.fixture
def daemon_machines(tmp_path: Path) -> Iterator[Machines]:
    machines = Machines(tmp_path)
    short = Path(f"/tmp/mem-{os.getpid()}")
    machines.desk = World(
        machines.desk.home,
        {
            **machines.desk.environ,
            "XDG_STATE_HOME": str(short),
            "MEMJOURNAL_SYNC_INTERVAL_MINUTES": "0.01",
        },
    )
    yield machines
    machines.desk.mem("daemon", "stop")
    shutil.rmtree(short, ignore_errors=True)


def test_the_daemon_syncs_by_itself_and_finds_what_came(daemon_machines: Machines) -> None:
    machines = daemon_machines
    machines.desk.ok("daemon", "start")
    ref, _ = add(machines.laptop, "데몬이 가져온 결정")
    machines.laptop.ok("sync")
    wait_until(lambda: ref in machines.desk.ok("search", "데몬이", "--ids").out)
    (machines.desk.journal / "notes").mkdir(exist_ok=True)
    (machines.desk.journal / "notes/손.md").write_text("# 손으로 쓴 메모\n", "utf-8")

    def has_come() -> bool:
        machines.laptop.ok("sync")
        return (machines.laptop.journal / "notes/손.md").exists()

    wait_until(has_come)
