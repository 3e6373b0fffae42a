"""What the journal tells an assistant: at the start of a session, and for a prompt."""
