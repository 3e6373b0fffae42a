"""The user's own folders for memjournal: where this system keeps settings, caches and logs.

`repeat` does not ask here: it builds the path of its cache by hand, for it is answered before
anything is loaded, and platformdirs costs more than all it does.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import platformdirs

NAME: Final = "memjournal"


def config_folder() -> Path:
    """Where the user's settings are."""
    return platformdirs.user_config_path(NAME, appauthor=False)


def cache_folder() -> Path:
    """Where what can be deleted at any time is."""
    return platformdirs.user_cache_path(NAME, appauthor=False)


def state_folder() -> Path:
    """Where what this machine must remember is: neither a setting nor to be deleted."""
    return platformdirs.user_state_path(NAME, appauthor=False)


def log_folder() -> Path:
    """Where the log is when there is no journal to put it in."""
    return platformdirs.user_log_path(NAME, appauthor=False)
