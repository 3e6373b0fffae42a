"""Hermes Agent: its plugin."""
