"""What the columns of a truth and a sample mean: a table of kinds, of which the first fits."""

from __future__ import annotations

from scorer.prepare.guess.base import Kind
from scorer.prepare.guess.pairs import cells, named, preferences, trec, unnamed
from scorer.prepare.guess.tables import table

KNOWN: tuple[Kind, ...] = (trec, preferences, cells, named, table)  # by what columns are called
KINDS: tuple[Kind, ...] = (*KNOWN, unnamed)
