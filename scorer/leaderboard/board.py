"""Scorecards to a report, without the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from scorer.compare.base import aggregations, bind
from scorer.leaderboard.standings import (
    Entry,
    by_measure,
    by_preference,
    contradictions,
    standings,
    with_certainty,
)
from scorer.prepare.fingerprint import fingerprint, signature
from scorer.prepare.open import Opened
from scorer.results.report import Report, Scored
from scorer.views.positions import Lineup


def report(ready: Opened, scored: Sequence[Scored], *, certain: bool = True) -> Report:
    """Standings of what was scored, and all that a report shows.

    Without `certain` nothing is said of how sure they are.
    """
    prepared = ready.prepared
    challenge, measures = prepared.challenge, ready.measures
    primary = next(m for m in measures if m.primary)
    valid = [each for each in scored if each.card is not None]
    positions = {
        each.name: each.card.positions
        for each in valid
        if each.card is not None and each.card.positions is not None
    }
    mean = bind(aggregations(), "Mean")
    by = [
        by_preference(each, mean, positions)
        if each.metric.view is Lineup
        else by_measure(each.id, each.metric.better)
        for each in (primary, *prepared.breakers)
    ]
    contradicting: tuple[tuple[str, ...], ...] = ()
    if prepared.rank_by is not None:
        by[0] = by_preference(*prepared.rank_by, positions)
        ranked = {e.name: positions[e.name] for e in valid if not e.baseline}
        contradicting = contradictions(prepared.rank_by[0], ranked)
    rows = standings(
        [
            Entry(each.name, {key: value.mean for key, value in each.values.items()}, each.baseline)
            for each in valid
        ],
        by,
    )
    per_list = {
        each.name: values
        for each in valid
        if (values := each.values[primary.id].per_list) is not None
    }
    certainty = None
    if certain:
        rows, certainty = with_certainty(rows, per_list, primary, challenge.leaderboard)
    apart = {
        each.name: {key: v.deviation for key, v in each.values.items() if v.deviation is not None}
        for each in valid
    }
    rows = tuple(replace(row, deviations=apart[row.name]) for row in rows)
    lists = ready.answers.lists if ready.answers else ()
    signatures = {
        m.id: signature(
            m, prepared.rules[m.id], challenge.submission.ties, len(lists), len(ready.folds)
        )
        for m in measures
    }
    groups = ready.public.groups
    counts = Counter(groups[name] for name in lists if name in groups) if groups else {}
    return Report(
        challenge,
        fingerprint(ready.digests),
        measures,
        signatures,
        tuple(scored),
        rows,
        lists,
        ready.public.called,
        ready.warnings,
        certainty,
        contradicting,
        dict(sorted(counts.items())),
        prepared.rank_by,
    )
