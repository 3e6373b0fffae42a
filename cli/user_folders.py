"""The user's own folders for memjournal: where this system keeps settings, caches and logs.

On Linux the rule is two lines (XDG base directories, 0.8), and every hook without a daemon needs it:
platformdirs, which knows the other systems, costs 17 ms. `repeat` and `mem_hook` do not even ask here, as
they answer before anything is loaded; a test holds all of them to each other.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

NAME: Final = "memjournal"
_IS_XDG: Final = sys.platform not in ("win32", "darwin")


def config_folder() -> Path:
    """Where the user's settings are."""
    if _IS_XDG:
        return _xdg("XDG_CONFIG_HOME", "~/.config")
    import platformdirs

    return platformdirs.user_config_path(NAME, appauthor=False)


def cache_folder() -> Path:
    """Where what can be deleted at any time is."""
    if _IS_XDG:
        return _xdg("XDG_CACHE_HOME", "~/.cache")
    import platformdirs

    return platformdirs.user_cache_path(NAME, appauthor=False)


def state_folder() -> Path:
    """Where what this machine must remember is: neither a setting nor to be deleted."""
    if _IS_XDG:
        return _xdg("XDG_STATE_HOME", "~/.local/state")
    import platformdirs

    return platformdirs.user_state_path(NAME, appauthor=False)


def shares_folder() -> Path:
    """Where the clones of shared journals are."""
    if _IS_XDG:
        return _xdg("XDG_DATA_HOME", "~/.local/share") / "shares"
    import platformdirs

    return platformdirs.user_data_path(NAME, appauthor=False) / "shares"


def log_folder() -> Path:
    """Where the log is when there is no journal to put it in."""
    if _IS_XDG:
        return state_folder() / "log"
    import platformdirs

    return platformdirs.user_log_path(NAME, appauthor=False)


def _xdg(variable: str, usual: str) -> Path:
    named = os.environ.get(variable, "")
    return Path(named if os.path.isabs(named) else os.path.expanduser(usual)) / NAME
