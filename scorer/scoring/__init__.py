"""Values of a view, settled by the rules; one list explained."""
