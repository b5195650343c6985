"""Pictures of results, each drawn once, for reports, pages and files."""
