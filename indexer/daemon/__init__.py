"""The daemon: one process per journal that keeps its index warm and current, and its thin client.

It is never required: what cannot reach it does the work itself, more slowly and with the same result.
"""
