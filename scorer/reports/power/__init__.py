"""How many lists a difference takes."""
