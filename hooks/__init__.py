"""Layer 3: adapters, one sub-package for each assistant."""
