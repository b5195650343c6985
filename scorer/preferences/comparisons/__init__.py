"""Comparisons, one file each; a file here is all it takes.

@comparison("LexiRecall", title=..., source=...)
def lexirecall(lineup: PositionTable, *, rel: AboveZero = 1) -> Floats: ...
"""
