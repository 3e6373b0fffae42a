"""Why a daemon does not answer. Whoever asked does the work itself, so that none of this stops anything."""

from __future__ import annotations

from ...journal.errors import UnavailableError


class DaemonGoneError(UnavailableError):
    """The daemon is not there, or went away in the middle of an answer."""


class DaemonSilentError(UnavailableError):
    """The daemon took the question and did not answer in time."""


class OtherSettingsError(UnavailableError):
    """The daemon runs with other settings than the question is meant with."""
