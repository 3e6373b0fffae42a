"""Codex CLI: its hooks."""
