"""Journals that are shared with others: which there are, what makes one, and what may leave for one."""
