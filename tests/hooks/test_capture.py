"""Of tool calls, what is kept is how things ended and what was chosen, and not what was looked at."""

from __future__ import annotations

import pytest

from memjournal.hooks.capture import Policy, is_wanted
from memjournal.hooks.happening import ToolUsed
from memjournal.journal.event import Outcome


def call(
    name: str,
    given: object = None,
    result: str = "",
    *,
    outcome: Outcome = "ok",
    stderr: str = "",
) -> ToolUsed:
    return ToolUsed(
        session="s",
        cwd="/home/user/shop",
        name=name,
        given=given if given is not None else {},
        result=result,
        data={"stdout": result, "stderr": stderr},
        outcome=outcome,
        key="toolu_01",
    )


def bash(command: str, result: str = "", *, outcome: Outcome = "ok", stderr: str = "") -> ToolUsed:
    return call("Bash", {"command": command}, result, outcome=outcome, stderr=stderr)


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q tests/",
        "cd api && npm test",
        "npm run lint",
        "cargo test --all",
        "go vet ./...",
        "make check",
        "git commit -m '환불 키를 UUID로'",
        "git push origin main",
        "kubectl apply -f deploy.yaml",
        "alembic upgrade head",
        "npm publish",
    ],
)
def test_tests_checks_and_releases_are_kept_also_when_they_go_well(command: str) -> None:
    assert is_wanted(bash(command, "done"), "outcomes")


@pytest.mark.parametrize(
    "result",
    ["2 passed in 0.10s", "Tests: 3 failed, 12 passed", "테스트 12개 통과", "BUILD SUCCESSFUL"],
)
def test_a_tally_of_tests_is_kept_whatever_ran_them(result: str) -> None:
    assert is_wanted(bash("./run.sh", result), "outcomes")


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "cat src/errors.py",
        "grep -rn error src | head -20",
        "cd src && git status && git diff --stat",
        "FOO=1 find . -name '*.py' | xargs wc -l",
        "git log --oneline -5",
        "mem search 환불",
    ],
)
@pytest.mark.parametrize("outcome", ["ok", "error"])
def test_looking_at_things_is_not_kept_even_where_nothing_was_found(
    command: str, outcome: Outcome
) -> None:
    result = "error: failed tests, traceback"
    assert not is_wanted(bash(command, result, outcome=outcome, stderr=result), "outcomes")


def test_a_command_that_fails_is_kept() -> None:
    assert is_wanted(bash("python manage.py runserver", "Exit code 1", outcome="error"), "outcomes")


@pytest.mark.parametrize(
    "command",
    [
        "git ls-files 'test_*.py' | xargs -n1 pytest",
        "find tests -name 'test_*.py' -exec pytest {} \\;",
        "cat <<'EOF' | sh\npytest -q\nEOF",
        "git branch -D fix/login",
        "mem forget --purge a7Bc3x",
        'echo "$(pytest -q)"',
    ],
)
def test_a_command_that_fails_is_kept_also_where_what_starts_it_only_looks(command: str) -> None:
    assert is_wanted(bash(command, "1 failed", outcome="error"), "outcomes")


def test_a_search_that_found_nothing_is_not_kept_whatever_it_looked_for() -> None:
    command = "grep -rnE 'passed|failed; (a|b)' logs"
    assert not is_wanted(bash(command, "Exit code 1", outcome="error"), "outcomes")


def test_trouble_on_standard_error_is_kept() -> None:
    assert is_wanted(bash("./start", stderr="DeprecationWarning: use v2 instead"), "outcomes")
    assert is_wanted(bash("./start", stderr="경고: 설정 파일이 없어 기본값을 씁니다"), "outcomes")
    assert not is_wanted(bash("./start", stderr="listening on port 8080 now"), "outcomes")


def test_bulk_that_went_well_is_not_kept() -> None:
    assert not is_wanted(bash("python report.py", "row\n" * 5_000), "outcomes")


@pytest.mark.parametrize(
    "name", ["Read", "Grep", "Glob", "WebFetch", "TodoWrite", "ToolSearch", "read_file"]
)
@pytest.mark.parametrize("outcome", ["ok", "error", "interrupted"])
def test_tools_that_look_are_never_kept(name: str, outcome: Outcome) -> None:
    assert not is_wanted(call(name, {}, "text " * 100, outcome=outcome), "outcomes")


@pytest.mark.parametrize(
    "name", ["Write", "Edit", "MultiEdit", "NotebookEdit", "apply_patch", "replace"]
)
def test_edits_are_in_git(name: str) -> None:
    assert not is_wanted(call(name, {"file_path": "a.py"}), "outcomes")


@pytest.mark.parametrize("name", ["Edit", "Bash", "mcp__jira__find"])
def test_what_the_user_refused_is_a_decision(name: str) -> None:
    assert is_wanted(call(name, {}, outcome="interrupted"), "outcomes")


@pytest.mark.parametrize("name", ["AskUserQuestion", "ExitPlanMode"])
def test_choices_are_kept(name: str) -> None:
    assert is_wanted(call(name), "outcomes")


def test_of_a_servers_tools_those_that_change_something_and_those_that_fail_are_kept() -> None:
    assert is_wanted(call("mcp__jira__create_issue", {}, "SHOP-7"), "outcomes")
    assert not is_wanted(call("mcp__jira__find_issues", {}, "SHOP-7 " * 100), "outcomes")
    assert is_wanted(call("mcp__jira__find_issues", {}, "no access", outcome="error"), "outcomes")


def test_our_own_tools_are_no_memories() -> None:
    assert not is_wanted(call("mcp__memjournal__mem-add", {}, "added"), "all")


@pytest.mark.parametrize(("policy", "is_kept"), [("all", True), ("none", False)])
def test_all_or_nothing_can_be_asked_for(policy: Policy, is_kept: bool) -> None:
    assert is_wanted(call("Read", {"file_path": "a"}), policy) is is_kept


@pytest.mark.parametrize(
    "given",
    [None, 7, [], {"command": 7}, {"command": ["pytest", 7]}, {"command": ""}, {"cmd": "x"}],
)
def test_odd_input_of_a_shell_is_no_trouble(given: object) -> None:
    assert is_wanted(call("Bash", given, "1 failed", outcome="error"), "outcomes")
