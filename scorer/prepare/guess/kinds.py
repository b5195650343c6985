"""The table of kinds: what the columns of a truth and a sample mean; the first that fits wins."""

from __future__ import annotations

from scorer.prepare.guess.base import Recognizer
from scorer.prepare.guess.pairs import cells, named, preferences, trec, unnamed
from scorer.prepare.guess.tables import table
from scorer.prepare.guess.wide import ranks, wide

# by what columns are called
KNOWN: tuple[Recognizer, ...] = (trec, preferences, cells, named, ranks, wide, table)
KINDS: tuple[Recognizer, ...] = (*KNOWN, unnamed)
