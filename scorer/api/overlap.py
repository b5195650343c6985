"""A warning for the organizer: hardly any item of a submission occurs in the truth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from scorer.api.submissions import SubmissionFile, read_submission
from scorer.checks.ids import DECIMAL_ID, IdIndex
from scorer.core.problems import Findings, Problem
from scorer.core.text import quoted
from scorer.kinds.ranking import Grades
from scorer.results.report import Scored
from scorer.scoring.open import OpenChallenge
from scorer.views.join import GradedItems
from scorer.views.ranked import Judged, Ranked

LOW = 0.01  # a mean below this is looked into
FEW = 0.01  # the share of the items that are in the truth below which it is told
LOOKED = 20  # ids that an explanation is looked for
MOST_COMPARED = 100_000  # items of a truth that ids are compared with
WORDS = {  # what explains an id, of many
    "S306": "ids look like decimals",
    "S307": "ids have lost leading zeros",
    "S308": "ids look changed by a spreadsheet",
    "S310": "ids look like missing values",
    "S312": "ids differ by case, blanks or normalisation",
}


def overlap(
    ready: OpenChallenge, files: Sequence[SubmissionFile], scored: Sequence[Scored]
) -> Iterator[Problem]:
    """The submissions of which no item, or hardly any, occurs in a graded truth.

    Only files with a very low value are looked into.
    """
    if not isinstance(ready.truth, Grades):
        return
    truth, prepared = ready.truth.truth, ready.bound
    for file, submission in zip(files, scored, strict=True):
        if not _is_low(ready, submission):
            continue
        table = read_submission(prepared, file, Findings()).table
        if table is None or "item" not in table or not len(table):
            continue
        items = table.frame["item"].unique(maintain_order=True)
        in_truth = int(items.is_in(truth.named.implode()).sum())
        if in_truth >= FEW * len(items):
            continue
        count = f"{in_truth:,} of {len(items):,} items" if in_truth else "no item"
        occur = "occur" if in_truth > 1 else "occurs"
        message = f"{count} of {quoted(file.name)} {occur} in the truth{_reason(items, truth)}"
        yield Problem("T311", message, "warning", file.display)


def _is_low(ready: OpenChallenge, scored: Scored) -> bool:
    """Whether a measure of relevant items is close to 0."""
    return any(
        scored.values[measure.id].mean < LOW
        for measure in ready.measures
        if scored.valid
        and measure.metric.view in (Judged, Ranked)
        and measure.metric.better == "higher"
        and measure.metric.range[0] == 0
    )


def _reason(items: pl.Series, truth: GradedItems) -> str:
    """Why the first few ids are not in the truth, for a message; empty where no cause is found."""
    names = items[:LOOKED].to_list()
    if all(DECIMAL_ID.fullmatch(name) for name in names):
        return f"; {WORDS['S306']} ({quoted(names[0])})"
    if len(truth.named) > MOST_COMPARED:
        return ""
    known = dict.fromkeys(truth.named)
    index = IdIndex(known)
    for name in names:
        fault = index.explain(name) if name not in known else None
        if fault is not None and fault.code in WORDS:
            return f"; {WORDS[fault.code]} ({quoted(name)})"
    return ""
