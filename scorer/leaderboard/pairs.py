"""Submissions held against each other, pair by pair: preferences, differences, orders."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from scorer.challenge.leaderboard import Leaderboard
from scorer.challenge.model import Challenge
from scorer.core.arrays import Floats
from scorer.leaderboard.samples import Sample
from scorer.metrics.notation import Measure
from scorer.preferences.aggregations import aggregations
from scorer.preferences.base import cycles, order_submissions
from scorer.results.comparison import (
    ComparedFile,
    ComparedPair,
    Comparison,
    ComparisonRules,
    ListDifference,
    ListPreferences,
    MeasureDifference,
    PairTests,
    WinTally,
)
from scorer.results.json import ABSENT, PRIVATE, ChallengeIdentity, ListValues
from scorer.results.report import Report
from scorer.stats.intervals import paired_shares
from scorer.stats.paired import Test
from scorer.stats.pairs import PairedTests, equivalence
from scorer.stats.power import effect_size

MOST = 5  # how many of the lists that differ most are named


def compare_pairs(
    challenge: Challenge,
    report: Report | None,
    names: Sequence[str],
    lists: Sequence[str],
    cubes: Mapping[str, Floats],
    samples: Mapping[str, Sample] | None = None,
    values: Mapping[str, Floats] | None = None,
    measures: Sequence[Measure] = (),
    *,
    untested: Mapping[str, str] | None = None,
    margin: float | None = None,
    test: Test = "permutation",
) -> Comparison:
    """Compare all submissions with each other.

    Args:
        challenge: with the level, the draws and the seed of the statistics.
        report: of the submissions; None where preferences were read back, without these.
        cubes: preference -> (submissions, submissions, lists), NaN where undefined.
        samples: measure id -> what its differences and tests are worked out from.
        values: measure id -> (submissions, lists), NaN where skipped; measures without values of
            lists are missing.
        untested: measure id -> why it is not compared.
        margin: the difference in the primary measure that does not matter.
        test: the test of means over lists.
    """
    rules, samples, values = challenge.leaderboard, samples or {}, values or {}
    first, second = (ends.astype(np.int64) for ends in np.triu_indices(len(names), 1))
    preferred = {
        key: [_preferred(lists, row) for row in cube[first, second]] for key, cube in cubes.items()
    }
    nothing = np.full((len(names), len(lists)), np.nan)
    tested, differing = {}, {}
    for measure in measures:
        sample, table = samples[measure.id], values.get(measure.id, nothing)
        found = sample.tests(rules, own_level=rules.intervals, test=test)
        binary = _binary(table, measure) if sample.over == "lists" else 0.0
        equal = None
        if margin is not None and measure.primary:
            error = found.deviation[first, second] / np.sqrt(
                np.maximum(found.units[first, second], 1)
            )
            units = found.units[first, second].astype(np.float64)
            equal = equivalence(found.difference[first, second], error, units, margin)
        differing[measure.id] = [
            _differing(
                measure,
                table[a] - table[b],
                binary,
                found,
                (a, b),
                lists,
                rules,
                None if equal is None else float(equal[n]),
            )
            for n, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True))
        ]
        if rules.tiers is not None and first.size:
            common = found.lists[first, second]
            fewest, most = int(common.min()), int(common.max())
            tested[measure.id] = PairTests(
                found.test, found.adjust, found.draws, found.pairs, sample.over, (fewest, most)
            )
    pairs = [
        ComparedPair(
            names[a],
            names[b],
            {key: rows[n] for key, rows in preferred.items()},
            {key: rows[n] for key, rows in differing.items()},
        )
        for n, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True))
    ]

    def named(groups: Sequence[Sequence[int]]) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(sorted(names[n] for n in group)) for group in groups)

    return Comparison(
        private=PRIVATE,
        challenge=ChallengeIdentity.of(challenge, report.challenge.fingerprint if report else None),
        submissions=_files(report) if report else ABSENT,
        pairs=pairs,
        orders={
            key: {
                aggregation.name: named(order_submissions(aggregation, cube).groups)
                for aggregation in aggregations.bind_all()
            }
            for key, cube in cubes.items()
        },
        tests=tested,
        how=ComparisonRules.of(rules, margin),
        untested=untested or {},
        cycles={key: named(cyclic) for key, cube in cubes.items() if (cyclic := cycles(cube))},
        scope=report.scope if report else ABSENT,
        names=names,
        lists=lists,
        report=report,
    )


def _files(report: Report) -> list[ComparedFile]:
    return [ComparedFile(s.name, s.path, s.sha256, s.baseline) for s in report.submissions]


def _preferred(lists: Sequence[str], values: Floats) -> ListPreferences:
    mean = float(np.nanmean(values)) if not np.isnan(values).all() else float("nan")
    return ListPreferences(mean, *WinTally.of(values), ListValues(lists, values))


def _binary(table: Floats, measure: Measure) -> float:
    """How far its two bounds are apart, where all values are one of these; else 0."""
    low, high = measure.metric.range
    known = table[~np.isnan(table)]
    if low is None or high is None or not known.size or not measure.of_lists:
        return 0.0
    return high - low if bool(((known == low) | (known == high)).all()) else 0.0


def _around(difference: float, margin: float, measure: Measure) -> tuple[float, float] | None:
    """An interval of a difference, which is at most as large as the range of values."""
    if np.isnan(margin):
        return None
    low, high = measure.range
    most = np.inf if low is None or high is None else high - low
    return max(difference - margin, -most), min(difference + margin, most)


def _differing(
    measure: Measure,
    difference: Floats,
    binary: float,
    test: PairedTests,
    pair: tuple[int, int],
    lists: Sequence[str],
    rules: Leaderboard,
    equivalence_p: float | None,
) -> MeasureDifference:
    """The comparison of a pair by one measure; `difference` has the shape (lists,)."""
    size = np.where(np.isnan(difference), -1.0, np.abs(difference))
    most = [int(at) for at in np.argsort(-size, kind="stable")[:MOST] if size[at] > 0]
    mean_difference = float(test.difference[pair])
    of_all, ends = (
        _around(mean_difference, float(margins[pair]), measure)
        for margins in (test.joint_margin, test.margin)
    )
    if binary and ends is not None and rules.intervals is not None:
        share = difference[~np.isnan(difference)] / binary
        score = paired_shares(
            int((share > 0).sum()), int((share < 0).sum()), share.size, rules.intervals
        )
        ends = min(ends[0], binary * score.low), max(ends[1], binary * score.high)
    is_tested = rules.tiers is not None
    return MeasureDifference(
        mean_difference,
        *WinTally.of(difference if measure.metric.better == "higher" else -difference),
        ends,
        _effect(difference, test, pair),
        float(test.p[pair]) if is_tested else float("nan"),
        int(test.lists[pair]),
        of_all if is_tested else None,
        equivalence_p,
        [ListDifference(lists[at], float(difference[at])) for at in most],
        difference,
        float(test.lead[pair]),
    )


def _effect(difference: Floats, test: PairedTests, pair: tuple[int, int]) -> float:
    """The effect size of a pair, by what each list adds where it has no values."""
    lists, units = int(test.lists[pair]), int(test.units[pair])
    if np.isnan(difference).all() and lists and test.deviation[pair] > 0:
        of_lists = float(test.deviation[pair]) * math.sqrt(lists / units)
        return float(test.difference[pair]) / of_lists
    return effect_size(difference)
