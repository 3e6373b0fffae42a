"""One answer to what a command line does: for what is kept of it, and for what it proves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.hooks.commands import command_of, only_looks, program_of


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "cat src/errors.py",
        "cd src && git status && git diff --stat",
        "FOO=1 find . -name '*.py' | xargs wc -l",
        "find . -name '*.py' -exec grep -l 환불 {} +",
        "find . -name '*.log' -print0 | xargs -0 -I {} head -3 {}",
        "grep -rnE 'error|fail;ure(s)?' src | head -20",
        'rg "a && b" src 2>/dev/null',
        "cat a.log 2>&1 | tail -5",
        "git -C ../api log --oneline -5",
        "git branch -a",
        "git branch --list 'fix/*'",
        "git stash list",
        "git remote -v",
        "git config --get user.name",
        "git worktree list",
        "env | sort",
        "sudo cat /etc/hosts",
        "timeout 5 cat /var/log/syslog",
        "sed -n 1,20p a.py",
        "cat <<'EOF'\npytest > out\nEOF",
        "echo '$(pytest)'",
        'echo "$(git rev-parse HEAD)"',
        "diff <(sort a) <(sort b)",
        "mem search 환불",
        "mem -J ~/journal show a7Bc3x",
        "/usr/bin/grep -c x a.py",
        "ls \\\n  -la",
        "# look around\nls",
    ],
)
def test_what_shows_what_is_there_only_looks(command: str) -> None:
    assert only_looks(command)


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q",
        "git ls-files 'test_*.py' | xargs -n1 pytest",
        "git ls-files | xargs -n 1 -P 4 pytest",
        "find tests -name 'test_*.py' -exec pytest {} \\;",
        "find . -name '*.pyc' -delete",
        "fd test_ -x pytest",
        "cat <<'EOF' | sh\npytest -q\nEOF",
        "bash <<'EOF'\npytest -q\nEOF",
        "cat <<EOF\n$(pytest -q)\nEOF",
        "cat > a.py <<'EOF'\nx = 1\nEOF",
        "echo x >> notes.txt",
        "cat a.txt | tee b.txt",
        "sed -i 's/a/b/' a.py",
        "sed -Ei.bak 's/a/b/' a.py",
        "echo $(pytest)",
        'echo "result: $(pytest -q)"',
        "echo `pytest`",
        "diff <(pytest a) <(pytest b)",
        "ls | grep test | sh",
        "cd app\nnpm test",
        "echo $#; pytest",
        "cd app && (pytest -q; echo $?)",
        "env CI=1 pytest",
        "sudo -u postgres pytest",
        "timeout 60 pytest",
        "timeout -k 5 60 pytest",
        "nice -n 10 pytest",
        "git branch -D fix/login",
        "git branch new",
        "git stash pop",
        "git stash",
        "git remote add up https://example.org/up.git",
        "git config user.name Kim",
        "git worktree add ../x",
        "git fetch",
        "git",
        "mem forget --purge a7Bc3x",
        "mem import --all",
    ],
)
def test_what_may_change_or_run_something_does_not_only_look(command: str) -> None:
    assert not only_looks(command)


@pytest.mark.parametrize("command", ["", " \n", "# nothing", "X=1", ";;"])
def test_what_runs_nothing_is_not_said_to_look(command: str) -> None:
    assert not only_looks(command)


@given(
    st.lists(
        st.sampled_from(("'", '"', "$(", "`", ")", "<<EOF\n", "EOF\n", "\\", "|", "xargs ", "ls "))
        | st.text(max_size=5)
    ).map("".join)
)
def test_any_text_is_answered(command: str) -> None:
    assert only_looks(command) in (True, False)


@pytest.mark.parametrize(
    "piece", ["'", '"', "$(", "`", "<<A\n", "xargs ", "find -exec ", "env ", "\\", "<<A\n$(", "-n "]
)
def test_what_nobody_would_type_is_answered_before_long(piece: str) -> None:
    assert only_looks(piece * 20_000) in (True, False)


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("pytest -q", "pytest"),
        ("PASSWORD='Wq8z Xn5R' make test", "make test"),
        ('A="x \\" y" B=$(echo Wq8 z) npm test', "npm test"),
        ("cd a && A='b c' sudo make x", "make x"),
        ("FOO= PATH=$HOME/x make", "make"),
    ],
)
def test_a_program_stands_behind_assignments_whatever_they_hold(command: str, program: str) -> None:
    assert program_of(command) == program


@pytest.mark.parametrize(
    ("given", "command"),
    [
        ({"command": "ls"}, "ls"),
        ({"cmd": ["bash", "-lc", "ls"]}, "bash -lc ls"),
        ({"command": ["pytest", 7]}, "pytest"),
        ({"command": 7}, ""),
        (None, ""),
    ],
)
def test_a_command_is_found_in_what_a_shell_tool_was_given(given: object, command: str) -> None:
    assert command_of(given) == command
