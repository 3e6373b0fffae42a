"""A hook with settings of its own is not attended to by a daemon that has others."""

from __future__ import annotations

import pytest

from memjournal.cli.hook_method import settings_in


@pytest.mark.parametrize(
    ("environ", "settings"),
    [
        ({}, {}),
        ({"MEMJOURNAL_PRIVACY_WORDS": "나이트자"}, {"MEMJOURNAL_PRIVACY_WORDS": "나이트자"}),
        (
            {
                "MEMJOURNAL_HOME": "/j",
                "MEMJOURNAL_HOOKS": "evaluate",
                "MEMJOURNAL_HOOK_BUDGET_S": "9",
            },
            {},
        ),
        ({"CLAUDE_PROJECT_DIR": "/home/user/shop", "PATH": "/bin"}, {}),
    ],
)
def test_only_what_sets_something_counts(environ: dict[str, str], settings: dict[str, str]) -> None:
    assert settings_in(environ) == settings
