"""The board that lives: entries, evaluations and decisions, and what follows from them."""
