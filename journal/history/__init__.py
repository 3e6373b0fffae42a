"""The history of a journal: of one memory, and of all that was ever written."""
