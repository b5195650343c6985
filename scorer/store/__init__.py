"""The living board: entries, evaluations and decisions, and what follows from them."""
