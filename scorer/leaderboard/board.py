"""Scorecards to a report, without the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from scorer.challenge.model import Challenge
from scorer.compare.base import aggregations, bind
from scorer.core.problems import Problem
from scorer.leaderboard.standings import (
    Entry,
    by_measure,
    by_preference,
    contradictions,
    standings,
    with_certainty,
)
from scorer.metrics.base import Measure
from scorer.results.report import Report, Scored
from scorer.views.positions import PositionTable


@dataclass(frozen=True)
class Terms:
    """What a board needs to know of its challenge; nothing of it opens the truth."""

    challenge: Challenge
    measures: tuple[Measure, ...]
    fingerprint: str
    signatures: Mapping[str, str]  # measure id -> signature
    breakers: tuple[Measure, ...] = ()  # what orders equal standings: measures, or preferences
    rank_by: tuple[Measure, Measure] | None = None  # a preference and its aggregation
    lists: tuple[str, ...] = ()
    groups: Mapping[str, str] = field(default_factory=dict)  # list -> the group that it is in
    called: Mapping[str, str] = field(default_factory=dict)  # role -> the challenge's word
    notes: tuple[Problem, ...] = ()  # warnings about the challenge itself

    @property
    def primary(self) -> Measure:
        """The measure that ranks, unless preferences do."""
        return next(measure for measure in self.measures if measure.primary)


def board(terms: Terms, scored: Sequence[Scored], *, certain: bool = True) -> Report:
    """Standings of what was scored, and all that a report shows.

    Args:
        terms: what the challenge says of its board.
        scored: the submissions, each with its scorecard and its settled values.
        certain: whether intervals, tiers and ranges of ranks are worked out.
    """
    valid = [each for each in scored if each.card is not None]
    positions = {
        each.name: each.card.positions
        for each in valid
        if each.card is not None and each.card.positions is not None
    }
    mean = bind(aggregations(), "Mean")
    by = [
        by_preference(each, mean, positions)
        if each.metric.view is PositionTable
        else by_measure(each.id, each.metric.better)
        for each in (terms.primary, *terms.breakers)
    ]
    contradicting: tuple[tuple[str, ...], ...] = ()
    if terms.rank_by is not None:
        by[0] = by_preference(*terms.rank_by, positions)
        ranked = {e.name: positions[e.name] for e in valid if not e.baseline}
        contradicting = contradictions(terms.rank_by[0], ranked)
    entries = [
        Entry(each.name, {key: value.mean for key, value in each.values.items()}, each.baseline)
        for each in valid
    ]
    rows = standings(entries, by)
    certainty = None
    if certain:
        per_list = {
            each.name: values
            for each in valid
            if (values := each.values[terms.primary.id].per_list) is not None
        }
        rules = terms.challenge.leaderboard
        rows, certainty = with_certainty(rows, per_list, terms.primary, rules)
    deviations = {
        each.name: {key: v.deviation for key, v in each.values.items() if v.deviation is not None}
        for each in valid
    }
    counts = Counter(terms.groups[name] for name in terms.lists if name in terms.groups)
    return Report(
        terms.challenge,
        terms.fingerprint,
        terms.measures,
        terms.signatures,
        tuple(scored),
        tuple(replace(row, deviations=deviations[row.name]) for row in rows),
        terms.lists,
        terms.called,
        terms.notes,
        certainty,
        contradicting,
        dict(sorted(counts.items())),
        terms.rank_by,
    )
