"""The results of a living board as records: for commands, the API, children and templates."""
