"""OpenClaw: its plugin."""
