"""Files of assistants: ours goes in and out again, and what is theirs is never lost.

The bytes that were there before come back if nobody else wrote; otherwise only ours goes.
"""

from __future__ import annotations

import copy
import json
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as settings_of_hypothesis
from hypothesis import strategies as st

from memjournal.hooks.install.carry_out import carry_out_install, carry_out_removal, copies_of
from memjournal.hooks.install.json_hooks import JsonHooks, is_ours, program_of
from memjournal.hooks.install.json_text import JsonText
from memjournal.hooks.install.own_file import OwnFile
from memjournal.hooks.install.plan import (
    Change,
    Found,
    Target,
    find_ours,
    plan_install,
    plan_removal,
)
from memjournal.hooks.install.receipts import Receipts
from memjournal.journal.errors import FormatError, LockedError, StorageError

from .odd_json import layouts, settings


def group(program: str, event: str, timeout_s: int = 5) -> dict[str, object]:
    handler = {"type": "command", "command": program, "args": ["some", event], "timeout": timeout_s}
    return {"matcher": "x|y", "hooks": [handler]}


def hooks(program: str = "/usr/bin/mem-hook", *events: str, comments: bool = False) -> JsonHooks:
    chosen = events or ("SessionStart", "Stop")
    return JsonHooks(items={one: group(program, one) for one in chosen}, comments=comments)


def commented(data: bytes) -> JsonText:
    return JsonText(text=data.decode(), comments=True)


on_disk = settings_of_hypothesis(max_examples=25)  # each example waits for the disk several times

FLAT = JsonHooks(
    items={"stop": {"command": "'/my programs/mem-hook' cursor stop"}},
    grouped=False,
    others={"version": 1},
)


class Place:
    """A file, and the verbs that a user has for it."""

    def __init__(self, folder: Path, name: str = "some/settings.json") -> None:
        self.receipts = Receipts(folder / "state" / "installed")
        self.folder = folder
        self.path = folder / name

    def write(self, data: bytes) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(data)

    @property
    def data(self) -> bytes | None:
        return self.path.read_bytes() if self.path.exists() else None

    @property
    def value(self) -> object:
        return json.loads(self.path.read_bytes())

    def install(self, edit: JsonHooks | OwnFile | None = None) -> Change:
        changes = plan_install([Target(path=self.path, edit=edit or hooks())], self.receipts)
        carry_out_install(changes, self.receipts)
        return changes[0]

    def uninstall(self, edit: JsonHooks | OwnFile | None = None) -> Change:
        changes = plan_removal([Target(path=self.path, edit=edit or hooks())], self.receipts)
        carry_out_removal(changes, self.receipts)
        return changes[0]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


# --- any settings -------------------------------------------------------------------------------


@on_disk
@given(layouts(settings()), st.sampled_from([b"", b"\xef\xbb\xbf"]))
def test_install_and_uninstall_leave_the_bytes_that_were_there(text: str, bom: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder))
        place.write(bom + text.encode())
        assert place.install().is_change
        assert not place.install().is_change
        assert place.uninstall().restores
        assert place.data == bom + text.encode()
        assert not place.receipts.folder.exists()


@given(layouts(settings()))
def test_hooks_of_others_are_kept_in_their_order(text: str) -> None:
    now = text.encode()
    after = json.loads(hooks().install(now))
    expected = json.loads(text)
    theirs = expected.setdefault("hooks", {})
    for event in ("SessionStart", "Stop"):
        theirs[event] = [*theirs.get(event, []), group("/usr/bin/mem-hook", event)]
    assert after == expected
    assert list(after)[: len(json.loads(text))] == list(json.loads(text))


@on_disk
@given(layouts(settings(), comments=True))
def test_after_somebody_else_wrote_only_ours_goes(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder))
        place.write(text.encode())
        edit = hooks(comments=True)
        place.install(edit)
        edited = commented(place.path.read_bytes()).with_value(("edited",), "이것")
        place.write(edited.text.encode())
        assert not place.uninstall(edit).restores
        expected = commented(text.encode()).value
        assert isinstance(expected, dict)
        assert commented(place.path.read_bytes()).value == {**expected, "edited": "이것"}


@given(layouts(settings()), st.permutations(["/old/mem-hook", "C:\\x\\mem-hook.exe", "mem-hook"]))
def test_a_newer_version_takes_the_place_of_an_older_one(text: str, programs: list[str]) -> None:
    first, second, third = programs
    once = hooks(first, "Stop", "PreCompact").install(text.encode())
    twice = hooks(second, "Stop", "SessionEnd").install(once)
    assert twice == hooks(second, "Stop", "SessionEnd").install(twice)
    at = [one["hooks"][0]["command"] for one in json.loads(once)["hooks"]["Stop"] if one["hooks"]]
    now = [one["hooks"][0]["command"] for one in json.loads(twice)["hooks"]["Stop"] if one["hooks"]]
    assert now == [second if one == first else one for one in at]
    assert hooks(third).find(twice) == Found(
        events=tuple(
            event for event in json.loads(twice)["hooks"] if event in ("Stop", "SessionEnd")
        ),
        commands=(second,),
    )
    without = hooks(third).remove(twice, before=text.encode())
    assert without is not None
    assert json.loads(without) == json.loads(text)


# --- which are ours -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "program",
    [
        "mem-hook",
        "/a b/bin/mem-hook",
        "C:\\Py\\Scripts\\mem-hook.exe",
        "MEM-HOOK.EXE",
        "./mem-hook",
    ],
)
def test_our_program_is_known_wherever_it_is(program: str) -> None:
    assert is_ours(program)


@pytest.mark.parametrize("program", ["", "mem", "mem-hooks", "my-mem-hook", "/mem-hook/other"])
def test_other_programs_are_not_ours(program: str) -> None:
    assert not is_ours(program)


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("mem-hook codex Stop", "mem-hook"),
        ("'/a b/mem-hook' codex Stop", "/a b/mem-hook"),
        ('"C:\\a b\\mem-hook.exe" codex', "C:\\a b\\mem-hook.exe"),
        ("echo mem-hook", "echo"),
        ("", ""),
        ("   ", ""),
    ],
)
def test_the_program_of_a_command_for_a_shell_is_behind_assignments(
    command: str, word: str
) -> None:
    assert program_of(command) == word


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("env X=1 mem-hook a b", "mem-hook"),
        ("X=1 Y='두 말' /opt/bin/mem-hook a b", "/opt/bin/mem-hook"),
        ("exec '/a path/mem-hook' a b", "/a path/mem-hook"),
        ("mem-hook a b 2>/dev/null || true", "mem-hook"),
        ("mem-hook a 'b; c'", "mem-hook"),
        ("mem-hook other thing; rm -rf x", ""),
        ("mem-hook a b && make", ""),
        ("mem-hook a b | tee log", ""),
        ("mem-hook a b > out", ""),
        ("mem-hook $(make)", ""),
        ("mem-hook a\nmake", ""),
    ],
)
def test_a_command_that_does_more_than_call_us_is_not_ours(command: str, program: str) -> None:
    assert program_of(command) == program


def test_a_large_file_is_read_in_time_that_grows_with_it(place: Place) -> None:
    """What stands in it before would once be read for each hook and each object: minutes."""
    members = {f"k{number}": {"a": number, "b": [1, {}]} for number in range(20_000)}
    place.write(json.dumps({"projects": members}).encode())
    before = place.data
    place.install()
    assert b"mem-hook" in (place.data or b"")
    place.uninstall()
    assert place.data == before


def test_what_others_put_into_our_group_stays_when_ours_goes(place: Place) -> None:
    place.install()
    value = copy.deepcopy(place.value)
    assert isinstance(value, dict)
    theirs = {"type": "command", "command": "say done"}
    value["hooks"]["Stop"][0]["hooks"].insert(0, theirs)
    place.write(json.dumps(value).encode())
    newer = hooks("/new/mem-hook")
    place.install(newer)
    (found,) = json.loads(place.path.read_bytes())["hooks"]["Stop"]
    assert [one["command"] for one in found["hooks"]] == ["say done", "/new/mem-hook"]
    place.uninstall(newer)
    assert place.value == {"hooks": {"Stop": [{"matcher": "x|y", "hooks": [theirs]}]}}


def test_ours_that_stand_twice_stand_once_afterwards(place: Place) -> None:
    copies = [group("/a/mem-hook", "Stop"), group("/b/mem-hook", "Stop")]
    place.write(json.dumps({"hooks": {"Stop": copies}}).encode())
    place.install(hooks("/c/mem-hook", "Stop"))
    assert place.value == {"hooks": {"Stop": [group("/c/mem-hook", "Stop")]}}


def test_handlers_without_groups_and_keys_that_must_be_there(place: Place) -> None:
    place.install(FLAT)
    assert place.value == {
        "version": 1,
        "hooks": {"stop": [{"command": "'/my programs/mem-hook' cursor stop"}]},
    }
    assert find_ours(Target(path=place.path, edit=FLAT)) == Found(
        events=("stop",), commands=("/my programs/mem-hook",)
    )
    place.write(place.path.read_bytes() + b"\n")  # somebody else wrote
    place.uninstall(FLAT)
    assert place.data is None
    place.write(b'{"version": 2, "hooks": {"stop": [{"command": "x"}]}}')
    place.install(FLAT)
    place.write(place.path.read_bytes() + b"\n")
    place.uninstall(FLAT)
    assert place.data == b'{"version": 2, "hooks": {"stop": [{"command": "x"}]}}\n'


# --- files and folders --------------------------------------------------------------------------


def test_files_and_folders_that_we_made_are_gone_again(place: Place) -> None:
    deep = Place(place.folder, "a/b/c/settings.json")
    deep.install()
    before = deep.data
    assert before is not None and before.endswith(b"}\n")
    deep.uninstall()
    assert os.listdir(place.folder) == ["state"]


def test_a_folder_that_others_use_by_now_stays(place: Place) -> None:
    place.install()
    other = place.path.parent / "other"
    other.write_text("x")
    place.uninstall()
    assert os.listdir(place.path.parent) == ["other"]


@pytest.mark.parametrize("blank", [b"", b"\n", b" \r\n"])
def test_a_blank_file_is_blank_again(place: Place, blank: bytes) -> None:
    place.write(blank)
    place.install()
    assert place.value
    place.write(json.dumps(place.value).encode())  # as if another program had rewritten it
    place.uninstall()
    assert place.data == blank


def test_empty_lists_that_were_there_before_are_there_again(place: Place) -> None:
    place.write(b'{"hooks": {"Stop": [], "Other": []}}')
    place.install()
    place.write(place.path.read_bytes() + b"\n")
    place.uninstall()
    assert place.value == {"hooks": {"Stop": [], "Other": []}}


def test_a_link_stays_a_link_and_its_target_keeps_its_mode(place: Place) -> None:
    real = place.folder / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_bytes(b'{"a": 1}')
    real.chmod(0o640)
    place.path.parent.mkdir()
    place.path.symlink_to(real)
    place.install()
    assert place.path.is_symlink() and b"mem-hook" in real.read_bytes()
    assert real.stat().st_mode & 0o777 == 0o640
    place.uninstall()
    assert place.path.is_symlink() and real.read_bytes() == b'{"a": 1}'


@pytest.mark.parametrize(
    ("data", "where", "what"),
    [
        (b'{"a": 1', "settings.json:1:8", "ends too early"),
        (b"{\n  // why\n}", "settings.json:2:3", "comments"),
        (b'{\n "a": 1, "a": 2}', "settings.json:2:10", "twice"),
        (b'{"a": "\xff"}', "settings.json:1", "not UTF-8"),
        (b"[]", "settings.json:1:1", "not an object"),
        (b'{"hooks": [1]}', "settings.json:1:11", "hooks is not an object"),
        (b'{"hooks": {"Stop": "x"}}', "settings.json:1:20", "not a list"),
    ],
)
def test_settings_that_cannot_be_read_are_refused_and_not_touched(
    place: Place, data: bytes, where: str, what: str
) -> None:
    place.write(data)
    with pytest.raises(FormatError, match=what) as caught:
        place.install()
    assert caught.value.where.endswith(where)
    assert caught.value.exit_code == 65
    assert place.data == data
    assert not place.receipts.folder.exists()


def test_settings_that_were_broken_since_are_not_touched_either(place: Place) -> None:
    place.write(b"{}")
    place.install()
    place.write(place.path.read_bytes() + b"}")
    broken = place.data
    for verb in (place.install, place.uninstall):
        with pytest.raises(FormatError, match="follows"):
            verb()
    assert place.data == broken
    (copy_of,) = place.receipts.folder.glob("*.before")
    assert copy_of.read_bytes() == b"{}"


def test_a_file_that_is_not_to_be_written_is_refused(place: Place) -> None:
    place.write(b"{}")
    place.path.chmod(0o444)
    with pytest.raises(StorageError, match="not to be written"):
        place.install()
    assert place.data == b"{}"


def test_a_file_that_changed_since_the_plan_is_left_alone(place: Place) -> None:
    place.write(b"{}")
    changes = plan_install([Target(path=place.path, edit=hooks())], place.receipts)
    place.write(b'{"a": 1}')
    with pytest.raises(LockedError, match="just now"):
        carry_out_install(changes, place.receipts)
    assert place.data == b'{"a": 1}'


# --- what is kept -------------------------------------------------------------------------------


def test_the_first_copy_is_never_overwritten_and_goes_with_us(place: Place) -> None:
    place.write(b'{"api": "first"}')
    changes = (place.install(),)
    (kept,) = copies_of(changes, place.receipts)
    assert kept.read_bytes() == b'{"api": "first"}'
    assert kept.stat().st_mode & 0o077 == 0 and kept.parent.stat().st_mode & 0o077 == 0
    place.write(json.dumps({**json.loads(place.path.read_bytes()), "more": 1}).encode())
    place.install(hooks("/new/mem-hook"))
    assert kept.read_bytes() == b'{"api": "first"}'
    place.uninstall()
    assert place.value == {"api": "first", "more": 1}
    assert not kept.exists()


def test_an_upgrade_of_a_file_that_nobody_touched_can_still_be_taken_back(place: Place) -> None:
    place.write(b'{ "a":1 }')
    for version in ("/1/mem-hook", "/2/mem-hook", "/3/mem-hook"):
        place.install(hooks(version))
    place.uninstall()
    assert place.data == b'{ "a":1 }'


def test_a_run_that_was_killed_before_it_wrote_is_finished_by_the_next(place: Place) -> None:
    place.write(b'{ "a":1 }')
    (change,) = plan_install([Target(path=place.path, edit=hooks())], place.receipts)
    assert change.receipt is not None
    place.receipts.keep(change.receipt)  # and then the power went
    place.install()
    assert place.uninstall().restores
    assert place.data == b'{ "a":1 }'


def test_without_a_receipt_only_ours_goes(place: Place) -> None:
    place.write(b'{\n  "a": 1\n}\n')
    place.install()
    for one in place.receipts.folder.iterdir():
        one.unlink()
    place.uninstall()
    assert place.data == b'{\n  "a": 1\n}\n'


@pytest.mark.parametrize("damage", [b"", b"[]", b"{}", b'{"existed": true, "written": 3}'])
def test_a_damaged_receipt_is_as_good_as_none(place: Place, damage: bytes) -> None:
    place.write(b'{\n  "a": 1\n}\n')
    place.install()
    (receipt,) = place.receipts.folder.glob("*.json")
    receipt.write_bytes(damage)
    place.uninstall()
    assert place.data == b'{\n  "a": 1\n}\n'


def test_what_was_before_is_never_taken_to_have_had_ours_in_it(place: Place) -> None:
    place.write(b'{\n  "a": 1\n}\n')
    place.install(hooks("/old/mem-hook"))
    (receipt,) = place.receipts.folder.glob("*.json")
    receipt.unlink()
    place.install(hooks("/new/mem-hook"))
    place.uninstall()
    assert place.data == b'{\n  "a": 1\n}\n'


def test_a_copy_whose_receipt_was_lost_is_not_overwritten(place: Place) -> None:
    place.write(b'{"a": "first"}')
    place.install()
    (receipt,) = place.receipts.folder.glob("*.json")
    receipt.unlink()
    place.write(b'{"a": "second"}')
    place.install()
    copies = {one.read_bytes() for one in place.receipts.folder.glob("*.before*")}
    assert copies == {b'{"a": "first"}', b'{"a": "second"}'}
    place.uninstall()
    assert place.data == b'{"a": "second"}'


def test_a_copy_that_was_changed_is_not_put_back(place: Place) -> None:
    place.write(b'{\n  "a": 1\n}\n')
    place.install()
    (kept,) = place.receipts.folder.glob("*.before")
    kept.write_bytes(b"something else")
    place.uninstall()
    assert place.data == b'{\n  "a": 1\n}\n'


# --- files that are ours alone ------------------------------------------------------------------

OLD, NEW = OwnFile(data=b"old\n"), OwnFile(data=b"new\n")


def test_a_file_of_ours_is_written_brought_up_to_date_and_removed(place: Place) -> None:
    place.install(OLD)
    place.install(NEW)
    assert place.data == b"new\n"
    place.uninstall(NEW)
    assert place.data is None
    assert os.listdir(place.folder) == ["state"]


def test_a_file_that_the_user_changed_is_theirs(place: Place) -> None:
    place.install(OLD)
    place.write(b"mine\n")
    assert "left as it is" in place.install(NEW).remark
    assert "left as it is" in place.uninstall(NEW).remark
    assert place.data == b"mine\n"


def test_a_file_that_the_user_had_before_is_theirs(place: Place) -> None:
    place.write(b"mine\n")
    assert "left as it is" in place.install(NEW).remark
    assert place.uninstall(NEW).remark
    assert place.data == b"mine\n"


def test_a_file_of_ours_without_a_receipt_is_known_by_its_content(place: Place) -> None:
    place.write(b"new\n")
    assert not place.install(NEW).is_change
    place.uninstall(NEW)
    assert place.data is None
