"""Jinja2 templates of the files that memjournal writes for people, and the one place that fills them in."""

from __future__ import annotations

from pathlib import Path


def render(name: str, /, **values: object) -> str:
    """The file *name* of this folder with *values* filled in; a value that is missing is an error."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # Markdown and TOML, not HTML
    )
    return environment.get_template(name).render(**values)
