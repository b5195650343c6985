"""The leaderboard: from scorecards to a report, without the truth.

`apply_rules` makes the values of a recorded submission (an `Outcome`) by the rules of its challenge
(`Terms`); `board` ranks submissions.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np

from scorer.challenge.model import Challenge
from scorer.core.arrays import Mask, round_for_ranks
from scorer.core.errors import MetricFailed, PluginError
from scorer.core.plugins import plugin_errors
from scorer.core.problems import Problem
from scorer.core.text import printable, quoted
from scorer.leaderboard.certainty import with_certainty
from scorer.leaderboard.repeats import with_passes, with_repeats
from scorer.leaderboard.standings import (
    Contestant,
    by_measure,
    by_number,
    by_preference,
    by_rank_counts,
    contradictions,
    ranks_by,
    standings,
)
from scorer.leaderboard.wins import with_wins
from scorer.metrics.notation import Measure
from scorer.preferences.aggregations import aggregations
from scorer.results.front import Front, FrontAxis, front_axes
from scorer.results.groups import groups_without_value
from scorer.results.json import ABSENT, PRIVATE, ChallengeIdentity
from scorer.results.report import RankAggregate, Report, Scored, Value
from scorer.results.scorecard import UNDEFINED, Outcome, Rules, Scorecard
from scorer.scoring.aggregate import aggregate_folds, aggregate_values, values_of_lists
from scorer.stats.ranks import dominates
from scorer.views.preferences import PositionTable


class Terms(NamedTuple):
    """What a board needs to know of its challenge, without the truth."""

    challenge: Challenge
    measures: tuple[Measure, ...]
    fingerprint: str
    rules: Mapping[str, Rules]  # measure id -> how lists without a value count
    tie_breakers: tuple[Measure, ...] = ()  # measures or preferences that break ties, in this order
    pairwise: tuple[Measure, Measure] | None = None  # a preference and its aggregation
    lists: Sequence[str] = ()
    groups: Mapping[str, str] = {}  # list -> the group that it is in
    called: Mapping[str, str] = {}  # role -> the challenge's word
    notes: tuple[Problem, ...] = ()  # warnings about the challenge itself
    clusters: Mapping[str, str] = {}  # list -> its cluster of lists that depend on each other
    rank_aggregate: RankAggregate | None = None  # the rule if several measures rank together

    @property
    def primary(self) -> Measure:
        """The measure that ranks, unless preferences do."""
        return next(measure for measure in self.measures if measure.primary)


def apply_rules(
    terms: Terms, name: str, path: str, outcome: Outcome, *, baseline: bool = False
) -> Scored:
    """Return a submission with its values by the challenge's rules.

    It is rejected if a metric fails, or has no value where the rule is `undefined: error`.

    Args:
        path: its file, as reports name it.
        outcome: the recorded scorecard, or one for each fold.
        baseline: whether it is shown outside the ranks.
    """
    card, findings, values = outcome.card, outcome.findings.copy(), dict[str, Value]()
    if card is not None:
        for measure in terms.measures:
            rules = terms.rules[measure.id]
            try:
                with plugin_errors(f"metric {measure.metric.name} failed"):
                    values[measure.id] = (
                        aggregate_folds(outcome.folds, card.lists, measure, terms.rules)
                        if outcome.folds
                        else aggregate_values(card, measure, terms.rules)
                    )
            except PluginError as error:
                if all(part.metric.own for part in measure.all_parts):
                    raise  # a fault of scorer's own metrics, not of the submission
                findings.add(MetricFailed(str(error)).problem)
                continue
            if rules.undefined == "error" and measure.of_lists:
                for list_ in _find_undefined(outcome.folds.values() or [card], measure, terms):
                    findings.add(_undefined_list(measure.id, terms, list_))
            elif rules.undefined == "error":
                findings.extend(_undefined_groups(measure, outcome.folds.values() or [card]))
        if findings.fatal:
            card, values = None, {}
    return Scored(
        name,
        path,
        outcome.sha256,
        baseline,
        findings,
        card,
        values,
        _by_group(terms, card) if card is not None else {},
        description=outcome.description,
    )


def _find_undefined(cards: Iterable[Scorecard], measure: Measure, terms: Terms) -> Iterator[str]:
    """Yield the lists, each once, that a measure has no value for."""
    names: dict[str, None] = {}
    for card in cards:
        _, states = values_of_lists(card, measure, terms.rules)
        names |= {card.lists[n]: None for n in np.flatnonzero(states >= UNDEFINED).tolist()}
    yield from names


def _by_group(terms: Terms, card: Scorecard) -> dict[str, dict[str, float]]:
    """Return measure id -> group of lists -> mean; empty if the challenge has no groups."""
    masks: dict[str, Mask] = {}
    for n, name in enumerate(card.lists if terms.groups else ()):
        if (group := terms.groups.get(name)) is not None:
            masks.setdefault(group, np.zeros(len(card.lists), dtype=bool))[n] = True
    return {
        measure.id: {
            group: aggregate_values(card, measure, terms.rules, keep).mean
            for group, keep in sorted(masks.items())
        }
        for measure in terms.measures
    }


def _undefined_groups(measure: Measure, cards: Iterable[Scorecard]) -> Iterator[Problem]:
    """Yield a problem for each group that a measure has no value for."""
    names = (
        name
        for card in cards
        for name in groups_without_value(card, measure, np.ones(len(card.lists), dtype=bool))
    )
    for name in dict.fromkeys(names):
        message = f"{measure.id} is undefined for group {quoted(name)}"
        yield Problem("S511", f"{message}, and this challenge allows none")


def _undefined_list(measure: str, terms: Terms, name: str) -> Problem:
    """Return the problem that a measure has no value for a list."""
    word = printable(terms.called.get("list", "list"), 60)
    message = f"{measure} is undefined for {word} {quoted(name)}, and this challenge allows none"
    return Problem("S511", message, list=name)


def rank(
    terms: Terms, scored: Sequence[Scored], received: Mapping[str, float] | None = None
) -> Report:
    """Return a report with ordered standings, but without intervals, tests and tiers.

    `received` is name -> the time of its entry in seconds, on a board that takes entries.
    """
    measures = terms.measures
    group_of = [terms.groups.get(name) for name in terms.lists] if terms.groups else []
    for k in terms.challenge.leaderboard.pass_at:
        measures, scored = with_passes(k, terms.primary, measures, scored, group_of)
    if terms.rank_aggregate is not None and terms.rank_aggregate.each is not None:
        measures, scored = with_wins(terms.rank_aggregate, measures, scored, group_of)
    valid = [submission for submission in scored if submission.card is not None]
    positions = {
        submission.name: submission.card.positions
        for submission in valid
        if submission.card is not None and submission.card.positions is not None
    }
    mean = aggregations.bind("Mean")
    criteria = [
        by_preference(measure, mean, positions)
        if measure.metric.view is PositionTable
        else by_measure(measure.id, measure.metric.better)
        for measure in (terms.primary, *terms.tie_breakers)
    ]
    contradicting: tuple[tuple[str, ...], ...] = ()
    if terms.pairwise is not None:
        criteria[0] = by_preference(*terms.pairwise, positions)
        ranked_positions = {each.name: positions[each.name] for each in valid if not each.baseline}
        contradicting = contradictions(terms.pairwise[0], ranked_positions)
    entries = [
        Contestant(
            submission.name,
            {key: value.mean for key, value in submission.values.items()},
            submission.baseline,
        )
        for submission in valid
    ]
    points: Mapping[str, float] = {}
    times = dict(received or {})
    # If several measures rank together, their order replaces the primary measure in `criteria`.
    if (rule := terms.rank_aggregate) is not None and rule.each is not None:
        earliest = [by_number(times)] if rule.tie_break else []
        criteria[:1] = [by_measure(measures[0].id, measures[0].metric.better), *earliest]
    elif rule is not None:
        better = {measure.id: measure.metric.better for measure in terms.measures}
        ranks = ranks_by([(key, better[key]) for key in rule.measures], rule.aggregate, entries)
        breaks = {"first_places": by_rank_counts(ranks.rank_counts), "earliest": by_number(times)}
        criteria[:1] = [by_number(ranks.order), *(breaks[name] for name in rule.tie_break)]
        points = ranks.points
    rows = standings(entries, criteria)
    deviations = {
        submission.name: {
            key: v.deviation for key, v in submission.values.items() if v.deviation is not None
        }
        for submission in valid
    }
    grouped_lists = terms.lists if terms.groups else ()
    counts = Counter(terms.groups[name] for name in grouped_lists if name in terms.groups)
    return Report(
        private=PRIVATE,
        challenge=ChallengeIdentity.of(terms.challenge, terms.fingerprint),
        measures=measures,
        submissions=tuple(scored),
        leaderboard=tuple(
            replace(row, deviations=deviations[row.name], points=points.get(row.name, ABSENT))
            for row in rows
        ),
        ranked_by=_ranked_by(terms),
        certainty=None,
        no_certainty=None,
        rarest_class=math.inf,
        cycles=contradicting,
        groups=dict(sorted(counts.items())),
        notes=terms.notes,
        definition=terms.challenge,
        lists=terms.lists,
        called=terms.called,
        pairwise=terms.pairwise,
        rank_aggregate=terms.rank_aggregate,
        clusters=terms.clusters,
    )


def _ranked_by(terms: Terms) -> dict[str, object]:
    """Return what ranks, as results show it: several measures, a preference or a measure."""
    if (by := terms.rank_aggregate) is not None:
        each = {} if by.each is None else {"each": by.each}
        rule = {"measures": by.measures, "aggregate": by.aggregate.name, "tie_break": by.tie_break}
        return {**rule, **each}
    if terms.pairwise is None:
        return {"measure": terms.primary.id}
    preference, aggregate = terms.pairwise
    return {"preference": preference.name, "aggregate": aggregate.name}


def board(
    terms: Terms, scored: Sequence[Scored], answers: Mapping[str, Mapping[str, str]] | None = None
) -> Report:
    """Return a report with standings, intervals, tiers, ranges of ranks and the Pareto front.

    Several runs of one system, `name#1` and `name#2`, are one submission.
    `answers` is name -> question -> answer, for the questions that the board shows.
    """
    report = rank(terms, with_repeats(scored))
    if answers:
        rows = tuple(replace(row, answers=answers.get(row.name, {})) for row in report.leaderboard)
        report = replace(report, leaderboard=rows, answers=answers)
    return add_statistics(report, terms.groups, terms.clusters)


def add_statistics(
    report: Report, groups: Mapping[str, str], clusters: Mapping[str, str]
) -> Report:
    """Return the report with intervals, tests and the front: the slow part of a board."""
    return with_front(with_certainty(report, groups, clusters))


def with_front(report: Report) -> Report:
    """Return the report with its Pareto front, if the challenge asks for one.

    A submission without a number on some axis is not on the front, and dominates no other.
    """
    axes = front_axes(report.definition, report.measures) if report.leaderboard else ()
    if not axes:
        return report
    ranked = [row.name for row in report.leaderboard if row.rank is not None]
    table = {name: [_coordinate(report, name, axis) for axis in axes] for name in ranked}
    names = tuple(name for name in ranked if not any(map(math.isnan, table[name])))
    if not names:
        return report
    directions = [1.0 if axis.better == "higher" else -1.0 for axis in axes]
    mask = dominates(round_for_ranks([table[name] for name in names]) * np.array(directions))
    dominated_by = {
        name: tuple(names[row] for row in np.flatnonzero(mask[:, column]).tolist())
        for column, name in enumerate(names)
    }
    without = tuple(name for name in ranked if name not in names)
    undominated = [name for name in names if not dominated_by[name]]
    front = Front(axes, undominated, dominated_by, without, names)
    rows = tuple(replace(row, front=front.place(row.name) or None) for row in report.leaderboard)
    return replace(report, leaderboard=rows, pareto=front)


def _coordinate(report: Report, name: str, axis: FrontAxis) -> float:
    """Return a submission's number on an axis; NaN without one."""
    if not axis.measure:
        answer = report.answers.get(name, {}).get(axis.id)
        return float(answer) if answer else math.nan
    return next(row.values[axis.id] for row in report.leaderboard if row.name == name)


R = TypeVar("R", bound=Report)


def first_ranks(report: R, most: int) -> R:
    """Return a report with the ranks up to `most` and all rejected submissions.

    The ranks, intervals and tests are still made of all submissions.
    """
    rows_in_ranks = [n for n, row in enumerate(report.leaderboard) if row.rank and row.rank <= most]
    rows = report.leaderboard[: rows_in_ranks[-1] + 1] if rows_in_ranks else ()
    below = {row.name for row in report.leaderboard[len(rows) :]}
    return replace(
        report,
        leaderboard=rows,
        submissions=tuple(
            submission for submission in report.submissions if submission.name not in below
        ),
        omitted=sum(row.rank is not None for row in report.leaderboard[len(rows) :]) or ABSENT,
    )
