"""How certain a board is: intervals, tiers and ranges of ranks, and what its lists can show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import NamedTuple

import numpy as np

from scorer.challenge.leaderboard import Leaderboard
from scorer.core.arrays import Floats, Ints
from scorer.leaderboard.samples import Sample, sample_of
from scorer.metrics.notation import Measure
from scorer.results.certainty import BaselineTests, Certainty, How, ShakeUp
from scorer.results.report import Report, Standing, Value
from scorer.stats.intervals import MIN_UNITS
from scorer.stats.pairs import PairedTests
from scorer.stats.power import detectable, fewest_lists, least_p
from scorer.stats.ranks import rank_ranges, shake_up, tiers

# Units from which on a permutation test can reach p < .05: its least p is 2 / 2**units.
ENOUGH_UNITS = 6
# Ranked submissions of which all pairs are tested. Memory grows with their square.
MAX_TESTED = 1_000
# The names of the two groups of lists of a split, in small letters.
SPLIT_GROUPS = ("public", "private")


class TypicalPair(NamedTuple):
    """What most pairs of submissions have in common."""

    lists: int  # that both submissions have
    units: int
    deviation: float  # standard deviation of a difference; NaN if no pair was tested


def with_certainty(
    report: Report, groups: Mapping[str, str], clusters: Mapping[str, str]
) -> Report:
    """Return the report with intervals, tiers, ranges of ranks, and what the tests were.

    A pair is tested on the lists that both submissions have. The ranked submissions are one family
    of tests; each baseline against all of them is another family, so that no baseline changes a
    result of the ranked ones. There are no tests if preferences or several measures rank, since the
    tests are about the primary measure, and none of more than `MAX_TESTED` ranked submissions.

    Args:
        report: The report with its leaderboard, in order.
        groups: list -> its group.
        clusters: list -> its cluster. A list without an entry is a cluster by itself.
    """
    rules, primary = report.definition.leaderboard, report.primary
    by_name = {scored.name: scored for scored in report.submissions if scored.valid}
    scored = [by_name[row.name] for row in report.leaderboard]
    if not scored or (rules.intervals is None and rules.tiers is None):
        return report
    codes = cluster_codes(report.lists, clusters)
    sample = sample_of(primary, scored, challenge=report.definition, clusters=codes)
    if isinstance(sample, str):
        return replace(report, no_certainty=sample)
    rows = list(report.leaderboard)
    has_value = [row.rank is not None and not math.isnan(row.values[primary.id]) for row in rows]
    ranked = np.flatnonzero(has_value)
    if rules.intervals is not None:
        intervals = sample.intervals(rules.intervals)
        rows = [replace(row, interval=ends) for row, ends in zip(rows, intervals, strict=True)]
    values = [submission.values[primary.id] for submission in scored]
    unit_counts = sample.count_units()[[not math.isnan(value.mean) for value in values]]
    has_too_few = rules.intervals is not None and (unit_counts < MIN_UNITS).any()
    for n, variance in enumerate(sample.variances_of_runs()):
        rows[n] = replace(rows[n], variance=variance)
    for n, expected in _find_fewer_lists(rows, values):
        rows[n] = replace(rows[n], fewer_lists=(values[n].lists, expected))
    certainty, no_certainty = None, None
    if rules.tiers is not None and report.measured and ranked.size > MAX_TESTED:
        no_certainty = f"of more than {MAX_TESTED:,} submissions not all pairs are tested"
    elif rules.tiers is not None and report.measured and ranked.size > 1:
        certainty = _test_pairs(primary, rows, sample, ranked, rules, rules.tiers.alpha)
        per_list = _values_per_list([values[n] for n in ranked.tolist()])
        if per_list is not None:
            change = _shake_up(per_list, report.lists, groups, primary, rules)
            certainty = replace(certainty, shake_up=change)
        rows = _add_tiers(rows, ranked, certainty, primary)
    return replace(
        report,
        leaderboard=tuple(rows),
        certainty=certainty,
        no_certainty=no_certainty,
        too_few=sample.over if has_too_few else None,
        rarest_class=min(sample.scale.rarest_class, default=math.inf),
    )


def cluster_codes(lists: Sequence[str], clusters: Mapping[str, str]) -> Ints | None:
    """Return a number for each list, the same for lists of one cluster; None without clusters."""
    if not clusters:
        return None
    codes: dict[tuple[bool, str], int] = {}
    # A list without a cluster may have the name of one: the flag keeps them distinct.
    keys = ((name in clusters, clusters.get(name, name)) for name in lists)
    return np.array([codes.setdefault(key, len(codes)) for key in keys], dtype=np.int64)


def _find_fewer_lists(
    rows: Sequence[Standing], values: Sequence[Value]
) -> Iterator[tuple[int, int]]:
    """Yield each row with fewer lists than all rows together: its number, and their lists.

    A submission is compared with the submissions; a baseline with the baselines, too.
    """
    expected = {}
    for baseline in (False, True):
        selected = [v for row, v in zip(rows, values, strict=True) if baseline or not row.baseline]
        per_list = _values_per_list(selected)
        if per_list is None:
            expected[baseline] = max((value.lists for value in selected), default=0)
        else:
            is_missing = reduce(np.logical_and, map(np.isnan, per_list))  # from all of them
            expected[baseline] = int((~is_missing).sum())
    for n, (row, value) in enumerate(zip(rows, values, strict=True)):
        if value.lists < expected[row.baseline] and not math.isnan(value.mean):
            yield n, expected[row.baseline]


def _values_per_list(values: Sequence[Value]) -> list[Floats] | None:
    """Return the values of lists, (lists,) for each submission; None if a submission lacks them."""
    per_list = [value.per_list for value in values if value.plain and value.per_list is not None]
    return per_list if per_list and len(per_list) == len(values) else None


def _test_pairs(
    primary: Measure,
    rows: Sequence[Standing],
    sample: Sample,
    ranked: Ints,
    rules: Leaderboard,
    alpha: float,
) -> Certainty:
    """Return the tests of all pairs of ranked submissions, and of each baseline against them.

    `ranked` are the numbers of the ranked submissions' rows.
    """
    test = sample.select(ranked).tests(rules)
    lists, units, deviation = typical_pair(test)
    how = How(
        test=test.test,
        adjust=test.adjust,
        alpha=alpha,
        level=rules.intervals,
        draws=test.draws,
        seed=rules.seed,
        over=sample.over,
        lists=lists,
        units=units,
    )
    least = least_p(test.test, units, test.draws)
    least_difference = math.nan
    if least <= alpha:
        least_difference = detectable(deviation, units, alpha, pairs=max(test.pairs, 1))
    return Certainty(
        measure=primary.id,
        names=tuple(rows[n].name for n in ranked.tolist()),
        difference=test.difference,
        p=test.p,
        lists=lists,
        detectable=least_difference,
        how=how,
        signature=how.signature,
        common_lists=test.lists,
        pairs=test.pairs,
        least_p=least,
        fewest_lists=fewest_lists(test.test, alpha),
        baselines=tuple(_test_baselines(rows, sample, ranked, rules)),
        shake_up=None,
        lead=test.lead,
    )


def typical_pair(test: PairedTests) -> TypicalPair:
    """Return the most common number of lists of a pair, and what pairs of that many lists have.

    If some pairs have `ENOUGH_UNITS`, only these pairs count. Of equally common numbers of lists
    the largest is taken.
    """
    first, second = np.triu_indices(len(test.p), 1)
    counted = ~np.isnan(test.p[first, second])
    if not counted.any():
        lists = int(test.lists[first, second].max(initial=0))
        return TypicalPair(lists, int(test.units.max()), math.nan)
    has_enough = counted & (test.units[first, second] >= ENOUGH_UNITS)
    counted = has_enough if has_enough.any() else counted
    first, second = first[counted], second[counted]
    lists_of_pairs = test.lists[first, second]
    sizes, times = np.unique(lists_of_pairs, return_counts=True)
    most_common = int(sizes[::-1][np.argmax(times[::-1])])
    is_typical = lists_of_pairs == most_common
    variance = float((test.deviation[first, second][is_typical] ** 2).mean())
    units = int(test.units[first, second][is_typical].max())
    return TypicalPair(most_common, units, math.sqrt(variance))


def _test_baselines(
    rows: Sequence[Standing], sample: Sample, ranked: Ints, rules: Leaderboard
) -> Iterator[BaselineTests]:
    """Yield the tests of each baseline against all ranked submissions."""
    for n, row in enumerate(rows):
        if row.baseline:
            test = sample.select(np.array([n, *ranked.tolist()])).tests(rules, control=True)
            yield BaselineTests(row.name, -test.difference[0, 1:], test.p[0, 1:], test.lists[0, 1:])


def _add_tiers(
    rows: Sequence[Standing], ranked: Ints, certainty: Certainty, primary: Measure
) -> list[Standing]:
    """Return the rows, the ranked ones with their tiers and their ranges of ranks.

    A rank may lie outside its range: it goes by the mean of all lists of a submission, and a test
    by the lists that both of a pair have.
    """
    lead = certainty.lead if primary.metric.better == "higher" else -certainty.lead
    alpha = certainty.how.alpha
    tier_numbers = tiers(certainty.p, lead, alpha)
    ranges = rank_ranges(certainty.p, lead, alpha)
    result = list(rows)
    for position, n in enumerate(ranked.tolist()):
        # Of each ranked submission, whether this one is significantly worse.
        is_worse = (certainty.p[position] <= alpha) & (lead[position] < 0)
        result[n] = replace(
            rows[n],
            tier=tier_numbers[position],
            ranks=ranges[position],
            worse=bool(is_worse[0] or is_worse[position:].any()),
        )
    return result


def _shake_up(
    per_list: Sequence[Floats],
    lists: Sequence[str],
    groups: Mapping[str, str],
    primary: Measure,
    rules: Leaderboard,
) -> ShakeUp | None:
    """Return how the order changes from public to private lists; None without these groups."""
    names = {group.casefold(): group for group in groups.values()}
    if not all(name in names for name in SPLIT_GROUPS):
        return None
    is_public, is_private = (
        np.array([groups.get(name, "").casefold() == group for name in lists])
        for group in SPLIT_GROUPS
    )
    changes = shake_up(
        np.array(per_list), is_public, is_private, primary.metric.better, seed=rules.seed
    )
    return ShakeUp((names[SPLIT_GROUPS[0]], names[SPLIT_GROUPS[1]]), *changes)
