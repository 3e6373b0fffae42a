"""Layer 2, derived: everything that can be deleted and rebuilt from the files."""
