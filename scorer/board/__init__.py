"""The living board: entries, evaluations, decisions, receipts, and the board that they make."""
