"""The index that is always there: watched, written and asked."""
