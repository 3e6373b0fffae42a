"""`mem daemon` where none runs, and the files that a session's manager is given."""

from __future__ import annotations

import os
import plistlib
import shutil
import subprocess
from pathlib import Path

import pytest

from memjournal.cli.daemon_log import DaemonLog
from memjournal.cli.service import describe_service
from memjournal.journal.errors import UnavailableError

from .conftest import World

ODD = '/home/me/집 50% "quoted" $HOME back\\slash & <tag>'


def test_status_of_a_daemon_that_does_not_run_is_3_as_scripts_expect(world: World) -> None:
    world.init()
    ran = world.run("daemon", "status", "--json")
    assert ran.code == 3
    assert ran.objects == [{"object": "daemon", "running": False}]
    assert world.run("daemon", "status").out == "running        no\n"


def test_stopping_what_does_not_run_is_no_failure_and_leaves_no_trace(world: World) -> None:
    world.init()
    before = world.tree()
    assert world.ok("daemon", "stop").out == "the daemon was not running\n"
    assert world.tree() == before


def test_without_a_journal_there_is_no_daemon(world: World) -> None:
    for command in ("start", "stop", "status", "run", "install", "uninstall"):
        ran = world.run("daemon", command)
        assert ran.code == 66
        assert "no journal here" in ran.error


def test_status_and_doctor_say_that_none_runs(world: World) -> None:
    world.init()
    (fields,) = world.ok("status", "--json").objects
    assert fields["daemon"] == "not running"
    found = {one["check"]: one for one in world.run("doctor", "--json").objects}
    assert found["daemon"]["verdict"] == "ok"


# --- install ------------------------------------------------------------------------------------


def test_print_shows_the_file_and_writes_nothing(world: World) -> None:
    world.init()
    before = world.tree()
    ran = world.ok("daemon", "install", "--print")
    assert "daemon" in ran.out and str(world.root) in ran.out
    assert world.ok("daemon", "uninstall", "--print").out.strip() == ran.err.strip()
    assert world.tree() == before


def test_install_writes_one_file_and_says_how_to_start_it_and_uninstall_removes_it(
    world: World, tmp_path: Path
) -> None:
    world.init()
    before = world.tree()
    world.set_env(PATH=str(tmp_path))  # no manager to be found
    ran = world.ok("daemon", "install")
    (path,) = set(world.tree()) - set(before)
    assert str(world.home / path) in ran.out
    assert "when you are logged in, run" in ran.err
    assert world.ok("daemon", "install").code == 0  # again
    assert "removed" in world.ok("daemon", "uninstall").out
    assert world.tree() == before
    assert world.ok("daemon", "uninstall").out == "it was not installed\n"


def test_the_manager_is_told_and_its_refusal_is_said(world: World, tmp_path: Path) -> None:
    world.init()
    log = tmp_path / "told"
    for name in ("systemctl", "launchctl"):
        manager = tmp_path / "bin" / name
        manager.parent.mkdir(exist_ok=True)
        manager.write_text(f'#!/bin/sh\necho "$@" >> {log}\nexit ${{REFUSE:-0}}\n')
        manager.chmod(0o700)
    world.set_env(PATH=f"{tmp_path / 'bin'}:/usr/bin:/bin")
    assert "started now" in world.ok("daemon", "install").out
    told = log.read_text()
    assert "memjournal" in told and ("enable --now" in told or "bootstrap" in told)
    world.set_env(REFUSE="1")
    assert "nothing here could start it" in world.ok("daemon", "install").err
    assert "removed" in world.ok("daemon", "uninstall").out


def test_a_unit_is_read_by_systemd_as_it_was_meant(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    described = describe_service(
        ("/bin/sh", "-c", ODD),
        name="0123",
        journal=Path(ODD),
        home=tmp_path,
        environ={"XDG_STATE_HOME": ODD},
        platform="linux",
    )
    assert described.path == tmp_path / ".config/systemd/user/memjournal-0123.service"
    described.path.parent.mkdir(parents=True)
    described.path.write_text(described.text, encoding="utf-8")
    done = subprocess.run(
        [analyze, "verify", "--user", "--man=no", "--recursive-errors=no", str(described.path)],
        capture_output=True,
        text=True,
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path)},
        check=False,
    )
    ours = [line for line in done.stderr.splitlines() if described.path.name in line]
    assert (done.returncode, ours) == (0, []), done.stderr


def test_an_agent_is_a_property_list_with_the_command_as_it_is(tmp_path: Path) -> None:
    described = describe_service(
        ("/usr/bin/python3", "--journal", ODD),
        name="0123",
        journal=Path(ODD),
        home=tmp_path,
        environ={"XDG_STATE_HOME": ODD, "OTHER": "x"},
        platform="darwin",
    )
    read = plistlib.loads(described.text.encode())
    assert described.path == tmp_path / "Library/LaunchAgents/memjournal.0123.plist"
    assert read["ProgramArguments"] == ["/usr/bin/python3", "--journal", ODD]
    assert read["EnvironmentVariables"] == {"XDG_STATE_HOME": ODD}
    assert read["Label"] == "memjournal.0123"
    assert read["KeepAlive"] == {"SuccessfulExit": False}


def test_where_there_is_no_manager_install_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="starts by itself"):
        describe_service(
            ("mem",), name="0", journal=tmp_path, home=tmp_path, environ={}, platform="win32"
        )


# --- its log ------------------------------------------------------------------------------------


def test_what_a_daemon_writes_is_dated_whole_and_without_secrets(tmp_path: Path) -> None:
    log = DaemonLog(tmp_path / "daemon.log")
    print("the first", "line", file=log)
    print("password=hunter2hunter2", file=log)
    log.write("not yet a li")
    text = (tmp_path / "daemon.log").read_text("utf-8")
    first, second = text.splitlines()
    assert first.endswith(" the first line")
    assert "hunter2" not in text and "password" in second
    assert (tmp_path / "daemon.log").stat().st_mode & 0o077 == 0


def test_a_log_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    print("a line", file=DaemonLog(tmp_path / "file" / "daemon.log"))
