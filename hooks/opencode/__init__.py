"""OpenCode: its plugin."""
