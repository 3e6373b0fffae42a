"""The version, where building and running both find it; `importlib.metadata` would cost 40 ms."""

VERSION = "0.1.0"
