"""Merging without asking: pure functions from versions of a file, or of a tree, to what holds them all."""
