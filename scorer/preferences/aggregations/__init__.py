"""Aggregations, one file each; a file here is all it takes.

@aggregation("Borda", title=..., source=...)
def borda(preferences: Floats) -> Order: ...
"""
