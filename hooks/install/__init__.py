"""Installing hooks into assistants' own files: planned first, then done, and taken back byte for byte."""
