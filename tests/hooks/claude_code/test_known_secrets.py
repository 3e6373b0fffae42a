"""A secret that one record of a transcript gave away stands in no event of it, however bare."""

from __future__ import annotations

import pytest

from memjournal.hooks.claude_code.known_secrets import KnownSecrets
from memjournal.journal.redaction import MAX_KNOWN, Redactor

from .conftest import World

SECRET = "HunterXX9"


@pytest.fixture
def redacting(world: World) -> World:
    redactor = Redactor()
    world.with_options(mask=redactor.redact_value, make_redactor=lambda: redactor)
    return world


def session(world: World, korean: bool) -> None:
    said = f"{SECRET} 값이 틀렸대" if korean else f"it says that {SECRET} is wrong"
    world.write(
        world.user("배포해 줘" if korean else "deploy it"),
        world.reply(world.call("t1", command=f"mysql -p{SECRET} shop"), message="m1"),
        world.user([world.result("t1", f"Access denied ({SECRET})", is_error=True)]),
        world.reply(said, message="m2"),
        world.user(said),
    )


@pytest.mark.parametrize("korean", [True, False])
def test_what_a_call_gave_away_is_hidden_in_all_that_follows(
    redacting: World, korean: bool
) -> None:
    session(redacting, korean)
    read = redacting.read()
    assert len(read.events) == 4
    assert not [event for event in read.events if SECRET in event.text]
    assert "[REDACTED]" in read.prompts[-1]


def test_what_is_in_the_journal_already_is_known_as_well(redacting: World) -> None:
    session(redacting, korean=True)
    known = redacting.read().keys
    redacting.write(redacting.user(f"{SECRET} 이거 뭐였지?"))
    (event,) = redacting.read(known=known).events
    assert event.text == "[REDACTED] 이거 뭐였지?"


def test_no_more_is_kept_than_there_is_room_for() -> None:
    secrets = KnownSecrets(Redactor)
    for number in range(MAX_KNOWN + 50):
        secrets.learn({"password": f"secret{number:04}"})
    assert secrets.hide("secret0000 secret0249") == "[REDACTED] secret0249"
    given = {"password": "secret0249"}
    assert secrets.hide("secret0249", given) == "[REDACTED]"
