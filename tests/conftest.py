"""Hypothesis profiles: ``dev`` explores anew each time, ``ci`` always tries the same examples."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_SLOW_MACHINES = (HealthCheck.too_slow, HealthCheck.filter_too_much)

settings.register_profile("dev", deadline=None, suppress_health_check=_SLOW_MACHINES)
settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=True,
    suppress_health_check=_SLOW_MACHINES,
)
settings.load_profile("ci" if os.environ.get("CI") else "dev")
