"""Claude Code: reading its transcripts."""
