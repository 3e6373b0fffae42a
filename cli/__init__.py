"""Layer 4: the `mem` command. Composition only; nothing here decides about memories."""
