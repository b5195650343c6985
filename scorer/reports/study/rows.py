"""How far a board depends on the organizer's decisions, for a spreadsheet."""

from __future__ import annotations

from scorer.reports.base import ExactRows, Options
from scorer.results.study import Study

HEAD = ["variation", "tau", "winner_stays", "podium_stays"]


def rows(study: Study, options: Options) -> ExactRows:
    """Return a row for the official order and one for each variation, with all ranks.

    The official row has in place of a variation what ranks, and a tau of 1.
    """
    official = ["official", study.ranked_by, 1.0, True, True, *study.ranks]
    table = [
        [each.about, each.variation, each.tau, each.winner_stays, each.podium_stays, *each.ranks]
        for each in study.variations
    ]
    about = "private_about" if study.private else "about"
    return ExactRows(
        [about, *HEAD, *(f"rank of {name}" for name in study.names)], [official, *table]
    )
