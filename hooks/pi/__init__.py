"""Pi coding agent: its extension."""
