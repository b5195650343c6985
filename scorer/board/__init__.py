"""The living board: entries, evaluations, decisions, receipts, and what is shown of them."""
