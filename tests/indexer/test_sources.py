"""An entry goes back to what it names, or to the turn it is part of; never to another session's."""

from __future__ import annotations

from memjournal.indexer.search.sources import sources_of

from .world import World


def sources(world: World, entry_id: str) -> list[str]:
    with world.catalog() as catalog:
        (row,) = catalog.by_prefix(entry_id)
        stored = world.index.read(row)
        assert stored is not None
        return [found.title for found in sources_of(catalog, row, stored.entry)]


def test_a_memory_goes_back_to_what_it_names_oldest_first(world: World) -> None:
    first, second = world.events(["why is the pool full?", "because of a leak"])
    world.note(
        "notes/a.md",
        f"---\nid: abcdef\nsource: [mem:{second}, {first}, mem:gone00, notes/x.md]\n---\nx",
    )
    world.update()
    assert sources(world, "abcdef") == ["why is the pool full?", "because of a leak"]


def test_or_to_what_its_text_cites(world: World) -> None:
    (event,) = world.events(["the prompt"])
    world.note("notes/a.md", f"---\nid: abcdef\nsource: notes/x.md\n---\nas in [mem:{event}]")
    world.update()
    assert sources(world, "abcdef") == ["the prompt"]


def test_an_event_goes_back_to_its_turn(world: World) -> None:
    world.events(["turn 1"], session="s", turn=1)
    prompt, answer = world.events(["the prompt", "the answer"], session="s", turn=2)
    world.events(["turn 3"], session="s", turn=3)
    world.events(["of another session"], session="s-2", turn=2)  # whose name begins alike
    world.update()
    assert sources(world, answer) == ["the prompt", "the answer"]
    assert sources(world, prompt) == ["the prompt", "the answer"]


def test_what_goes_back_to_nothing_is_its_own_source(world: World) -> None:
    world.note("notes/a.md", "---\nid: abcdef\n---\n# alone\n")
    world.note("notes/b.md", "---\nid: bcdefg\nsource: [mem:gone00]\n---\n# of what is gone\n")
    world.update()
    assert sources(world, "abcdef") == ["alone"]
    assert sources(world, "bcdefg") == ["of what is gone"]
