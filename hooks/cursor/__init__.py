"""Cursor: its hooks."""
