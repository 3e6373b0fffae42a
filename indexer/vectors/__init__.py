"""The vector index."""
