"""How far a board depends on what was decided, for a spreadsheet."""

from __future__ import annotations

from scorer.reports.base import ExactRows, Options
from scorer.results.study import PODIUM, Study

HEAD = ["variation", "tau", "winner_stays", "podium_stays"]


def rows(study: Study, options: Options) -> ExactRows:
    """The official order, then a row for each variation, with the rank of each submission."""
    official = ["official", study.ruled, 1.0, True, True, *study.ranks]
    table = [
        [each.about, each.name, each.tau, study.stays(each), study.stays(each, PODIUM), *each.ranks]
        for each in study.variations
    ]
    about = "about" if study.open else "private_about"
    return ExactRows(
        [about, *HEAD, *(f"rank of {name}" for name in study.names)], [official, *table]
    )
