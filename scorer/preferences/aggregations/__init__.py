"""Aggregations, one file each; a file here, or an entry point of `scorer.aggregations`, is all.

@aggregation("Borda", title=..., source=...)
def borda(preferences: Floats) -> Order: ...
"""
