"""Finds in a text what would give an assistant orders: a memory is data, never an instruction."""

from .screener import FLAGGED, is_threatening, known_ids, screen

__all__ = ["FLAGGED", "is_threatening", "known_ids", "screen"]
