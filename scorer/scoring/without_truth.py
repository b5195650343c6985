"""Challenges without a truth: their lists, and the table of these in the place of a truth."""

from __future__ import annotations

from collections.abc import Sequence

from scorer.challenge.model import Challenge
from scorer.challenge.public import Public
from scorer.reading.schema import Schema
from scorer.reading.table import Table, make_table
from scorer.scoring.bind import BoundChallenge
from scorer.scoring.faults import Fault, refuse
from scorer.scoring.kind import refuse_votes

HELP = "write lists: {file: lists.csv}, with a column list"


def found_lists(prepared: BoundChallenge) -> Sequence[str]:
    """The lists of the submissions that come together; `ChallengeError` where none do."""
    if prepared.found is None:
        message = "nothing names the lists; a file of lists does, or submissions scored together"
        refuse(prepared.challenge, [Fault("lists", "C121", message, HELP)])
    return sorted(prepared.found or ())


def refuse_without_entries(challenge: Challenge) -> None:
    """Refuse, by `ChallengeError`, what no board can be kept of: votes, and lists not yet known."""
    refuse_votes(challenge)
    if challenge.truthless and challenge.lists is None:
        message = "nothing names the lists, which are the same for all entries of a board"
        refuse(challenge, [Fault("lists", "C121", message, HELP)])


def table_of_lists(public: Public) -> Table:
    """The table of the lists, which stands where there is no truth."""
    schema = Schema(("list",), (), {"list": public.called["list"]})
    return make_table({"list": list(public.lists)}, schema)
