"""How far a board depends on what was decided."""
