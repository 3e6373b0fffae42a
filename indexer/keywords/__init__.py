"""The keyword index."""
