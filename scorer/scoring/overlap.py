"""Whether the items of a submission occur in a graded truth at all, for a warning to organizers.

Participants never see the warning, since it depends on the hidden truth.
"""

from __future__ import annotations

import polars as pl

from scorer.checks.ids import DECIMAL_ID, IdIndex
from scorer.core.text import quoted
from scorer.kinds.base import OpenTruth, Views
from scorer.kinds.ranking import Grades
from scorer.reading.table import Table
from scorer.results.scorecard import ItemOverlap
from scorer.views.ranked import Judged
from scorer.views.texts import Texts

FEW_HITS = 0.1  # judged items that a list returns on average; with more there is no warning
FEW_ITEMS = 0.01  # a warning is given if a smaller share of the items is in the truth
MOST_EXPLAINED = 20  # ids for which a reason is looked for
MOST_COMPARED = 100_000  # items of a truth with which these ids are compared
REASONS = {  # code of the fault of an id -> the fault of many ids, in words
    "S306": "ids look like decimals",
    "S307": "ids have lost leading zeros",
    "S308": "ids look changed by a spreadsheet",
    "S310": "ids look like missing values",
    "S312": "ids differ by case, blanks or normalisation",
}


def find_low_overlap(truth: OpenTruth, views: Views, table: Table) -> ItemOverlap | None:
    """Return how many of a submission's items occur in the truth; None unless they are few."""
    if not isinstance(truth, Grades) or not len(table) or "item" not in table:
        return None
    if Texts in views.views:  # a good text need not be one of the truth's
        return None
    judged: Judged = views.views[Judged]
    hit_count = judged.hits.rank.size
    if hit_count >= FEW_HITS * len(truth.lists):
        return None
    items = table.frame.select(pl.col("item").unique(maintain_order=True))
    truth_items = truth.truth.named
    unknown = items.join(truth_items.to_frame("item"), on="item", how="anti", maintain_order="left")
    known = items.height - unknown.height
    if known >= FEW_ITEMS * items.height:
        return None
    return ItemOverlap(known, items.height, _find_reason(unknown["item"], truth_items))


def _find_reason(unknown: pl.Series, truth_items: pl.Series) -> str:
    """Return why the first unknown ids are not in the truth; empty if no reason is found."""
    ids = unknown.head(MOST_EXPLAINED).to_list()
    if all(DECIMAL_ID.fullmatch(name) for name in ids):
        return f"{REASONS['S306']} ({quoted(ids[0])})"
    if len(truth_items) > MOST_COMPARED:
        return ""
    index = IdIndex(dict.fromkeys(truth_items))
    for name in ids:
        fault = index.explain(name)
        if fault is not None and fault.code in REASONS:
            return f"{REASONS[fault.code]} ({quoted(name)})"
    return ""
