"""How the indexes follow the files."""
