"""A world that has some of everything: memories, a conversation, notes deep and empty."""

from __future__ import annotations

import random

from .world import ENGLISH, KOREAN, World


def filled(world: World, n: int = 12) -> World:
    """Write *n* memories and the rest; nothing is indexed yet."""
    rng = random.Random(3)
    for number in range(n):
        title = " ".join(rng.choices(ENGLISH + KOREAN, k=3))
        world.memory(title, " ".join(rng.choices(ENGLISH + KOREAN, k=30)) + f" needle{number}")
    world.events(["pool timeout 왜 나지?", "세션 토큰은 쿠키로"], session="s1")
    world.note("notes/deep/er/still/메모.md", "# 캐시 누수\n\nthe cache has a leak")
    world.note("notes/empty.md", "")
    return world
