"""Layer 1, canonical: the entry model, the Markdown format, and the only writer of a journal."""
