"""Comparisons, one file each; a file here, or an entry point of `scorer.comparisons`, is all.

@comparison("LexiRecall", title=..., source=...)
def lexirecall(lineup: PositionTable, *, rel: AboveZero = 1) -> Floats: ...
"""
