"""Metrics, one file each; a file here, or an entry point of `scorer.metrics`, is all it takes.

@metric("nDCG", title=..., source=...)                # all lists at once
def ndcg(judged: Judged, *, k: Cutoff | None = None) -> Floats: ...

@metric("Success", title=..., source=...)             # one list; we do the loop
def success(ranked: Ranked, *, k: Cutoff = 10) -> float: ...
"""
