"""The same journal on several machines: merged, never overwritten."""
