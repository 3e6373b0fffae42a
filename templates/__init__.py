"""Jinja2 templates of the files that memjournal writes for people."""
