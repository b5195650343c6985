"""The table of kinds: what the columns of a truth and a sample mean; the first that fits wins."""

from __future__ import annotations

from scorer.infer.answers import (
    boxes,
    columns_of_classes,
    masks,
    points,
    several_labels,
    spread,
    texts,
)
from scorer.infer.base import Recognizer
from scorer.infer.pairs import cells, named, preferences, trec, unnamed
from scorer.infer.tables import table
from scorer.infer.wide import ranks, wide

# by what columns are called
ANSWERS: tuple[Recognizer, ...] = (
    boxes, masks, columns_of_classes, several_labels, texts, spread, points
)  # fmt: skip
KNOWN: tuple[Recognizer, ...] = (trec, preferences, *ANSWERS, cells, named, ranks, wide, table)
KINDS: tuple[Recognizer, ...] = (*KNOWN, unnamed)
