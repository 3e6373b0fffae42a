"""Taking a text out of all history, on every machine."""
