"""How far a board depends on what was decided, for a spreadsheet."""

from __future__ import annotations

from scorer.reports.base import ExactRows, Options
from scorer.results.study import Study

HEAD = ["variation", "tau", "winner_stays", "podium_stays"]


def rows(study: Study, options: Options) -> ExactRows:
    """The official order, then a row for each variation, with the rank of each submission."""
    official = ["official", study.ranked_by, 1.0, True, True, *study.ranks]
    table = [
        [
            each.about,
            each.variation,
            each.tau,
            each.winner_stays,
            each.podium_stays,
            *each.ranks,
        ]
        for each in study.variations
    ]
    about = "private_about" if study.private else "about"
    return ExactRows(
        [about, *HEAD, *(f"rank of {name}" for name in study.names)], [official, *table]
    )
