"""How certain a board is: intervals, tiers and ranges of ranks, and what its lists can show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce

import numpy as np

from scorer.challenge.leaderboard import Leaderboard, Tiers
from scorer.core.arrays import Floats, Ints
from scorer.leaderboard.samples import Sample, sample_of
from scorer.metrics.notation import Measure
from scorer.results.report import (
    BaselineTests,
    Certainty,
    How,
    Report,
    ShakeUp,
    Standing,
    Value,
)
from scorer.stats.intervals import MIN_UNITS
from scorer.stats.pairs import PairedTests
from scorer.stats.power import detectable, fewest_lists, least_p
from scorer.stats.ranks import rank_ranges, shake_up, tiers

ENOUGH = 6  # units: 2 / 2**6 is below .05
MOST = 1_000  # ranked submissions of which all pairs are tested: memory grows with their square
SPLIT = ("public", "private")  # groups of lists that are compared with random ones


def with_certainty(
    report: Report, groups: Mapping[str, str], clusters: Mapping[str, str]
) -> Report:
    """The report with intervals, tiers, ranges of ranks, and what the tests were.

    Tests look at the lists that both of a pair have. The ranked are one family, and each baseline
    against all of them another, so that no baseline changes a result of the ranked. There are no
    tests where preferences, or points of several measures, rank, since they would speak of another
    order; and none of more than `MOST` ranked submissions.

    A list without an entry in `clusters` is alone.
    """
    rules, primary = report.definition.leaderboard, report.primary
    by_name = {each.name: each for each in report.submissions if each.valid}
    scored = [by_name[row.name] for row in report.leaderboard]
    if not scored or (rules.intervals is None and rules.tiers is None):
        return report
    codes = cluster_codes(report.lists, clusters)
    sample = sample_of(primary, scored, challenge=report.definition, clusters=codes)
    if isinstance(sample, str):
        return replace(report, no_certainty=sample)
    shown = report.leaderboard
    valued = [row.rank is not None and not math.isnan(row.values[primary.id]) for row in shown]
    ranked = np.flatnonzero(valued)
    rows = list(shown)
    if rules.intervals is not None:
        made = sample.intervals(rules.intervals)
        rows = [replace(row, interval=ends) for row, ends in zip(shown, made, strict=True)]
    values = [each.values[primary.id] for each in scored]
    valued_units = sample.count_units()[[not math.isnan(value.mean) for value in values]]
    is_short = rules.intervals is not None and (valued_units < MIN_UNITS).any()
    for n, varies in enumerate(sample.variances_of_runs()):
        rows[n] = replace(rows[n], variance=varies)
    for n, of in _marked(rows, values):
        rows[n] = replace(rows[n], fewer_lists=(values[n].lists, of))
    certainty, no_certainty = None, None
    if rules.tiers is not None and report.measured and ranked.size > MOST:
        no_certainty = f"of more than {MOST:,} submissions not all pairs are tested"
    elif rules.tiers is not None and report.measured and ranked.size > 1:
        certainty = _tested(primary, rows, sample, ranked, rules, rules.tiers)
        per_list = _per_list([values[n] for n in ranked.tolist()])
        if per_list is not None:
            moved = _shake_up(per_list, report.lists, groups, primary, rules)
            certainty = replace(certainty, shake_up=moved)
        _placed(rows, ranked, certainty, primary)
    return replace(
        report,
        leaderboard=tuple(rows),
        certainty=certainty,
        no_certainty=no_certainty,
        too_few=sample.over if is_short else None,
        rarest_class=min(sample.scale.rarest_class, default=math.inf),
    )


def cluster_codes(lists: Sequence[str], clusters: Mapping[str, str]) -> Ints | None:
    """A number for each list, equal ones for lists of one cluster; None without clusters."""
    if not clusters:
        return None
    known: dict[tuple[bool, str], int] = {}
    keys = ((name in clusters, clusters.get(name, name)) for name in lists)
    return np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.int64)


def _marked(rows: Sequence[Standing], values: Sequence[Value]) -> Iterator[tuple[int, int]]:
    """Those with fewer lists than the ranked have between them, and how many these have."""
    most = {}
    for baseline in (False, True):
        selected = [v for row, v in zip(rows, values, strict=True) if baseline or not row.baseline]
        per_list = _per_list(selected)
        most[baseline] = (
            max((value.lists for value in selected), default=0)
            if per_list is None
            else int((~reduce(np.logical_and, map(np.isnan, per_list))).sum())
        )
    for n, (row, value) in enumerate(zip(rows, values, strict=True)):
        if value.lists < most[row.baseline] and not math.isnan(value.mean):
            yield n, most[row.baseline]


def _per_list(values: Sequence[Value]) -> list[Floats] | None:
    """The value of each list, (lists,), of each submission; None for whole-challenge figures."""
    per_list = [value.per_list for value in values if value.plain and value.per_list is not None]
    return per_list if per_list and len(per_list) == len(values) else None


def _tested(
    primary: Measure,
    rows: Sequence[Standing],
    sample: Sample,
    ranked: Ints,
    rules: Leaderboard,
    tier: Tiers,
) -> Certainty:
    test = sample.select(ranked).tests(rules)
    lists, units, sd = typical_pair(test)
    how = How(
        test=test.test,
        adjust=test.adjust,
        alpha=tier.alpha,
        level=rules.intervals,
        draws=test.draws,
        seed=rules.seed,
        over=sample.over,
        lists=lists,
        units=units,
    )
    least = least_p(test.test, units, test.draws)
    possible = least <= tier.alpha
    found = detectable(sd, units, tier.alpha, pairs=max(test.pairs, 1)) if possible else math.nan
    return Certainty(
        measure=primary.id,
        names=tuple(rows[n].name for n in ranked.tolist()),
        difference=test.difference,
        p=test.p,
        lists=lists,
        detectable=found,
        how=how,
        signature=how.signature,
        common_lists=test.lists,
        pairs=test.pairs,
        least_p=least,
        fewest_lists=fewest_lists(test.test, tier.alpha),
        baselines=tuple(_against(rows, sample, ranked, rules)),
        shake_up=None,
        lead=test.lead,
    )


def typical_pair(test: PairedTests) -> tuple[int, int, float]:
    """How many lists and units most pairs have, and the typical deviation of a difference.

    Of those whose lists are enough for a p of .05, if any are.
    """
    first, second = np.triu_indices(len(test.p), 1)
    known = ~np.isnan(test.p[first, second])
    if not known.any():
        return int(test.lists[first, second].max(initial=0)), int(test.units.max()), math.nan
    enough = known & (test.units[first, second] >= ENOUGH)
    known = enough if enough.any() else known
    first, second = first[known], second[known]
    lists = test.lists[first, second]
    sizes, times = np.unique(lists, return_counts=True)
    most_common = int(sizes[::-1][np.argmax(times[::-1])])
    same = lists == most_common
    sd = math.sqrt(float((test.deviation[first, second][same] ** 2).mean()))
    return most_common, int(test.units[first, second][same].max()), sd


def _against(
    rows: Sequence[Standing], sample: Sample, ranked: Ints, rules: Leaderboard
) -> Iterator[BaselineTests]:
    for n, row in enumerate(rows):
        if row.baseline:
            test = sample.select(np.array([n, *ranked.tolist()])).tests(rules, control=True)
            yield BaselineTests(row.name, -test.difference[0, 1:], test.p[0, 1:], test.lists[0, 1:])


def _placed(rows: list[Standing], ranked: Ints, certainty: Certainty, primary: Measure) -> None:
    """Give the ranked their tiers and their ranges of ranks."""
    lead = certainty.lead if primary.metric.better == "higher" else -certainty.lead
    alpha = certainty.how.alpha
    placed = tiers(certainty.p, lead, alpha)
    spans = rank_ranges(certainty.p, lead, alpha)
    for at, (n, own, (low, high)) in enumerate(zip(ranked.tolist(), placed, spans, strict=True)):
        sure = certainty.p[at] <= alpha
        behind = sure & (lead[at] < 0)
        rows[n] = replace(
            rows[n],
            tier=own,
            # the mean that ranks may be of other lists than the tests are about, and lie outside
            ranks=(low, high),
            worse=bool(behind[0] or behind[at:].any()),
        )


def _shake_up(
    per_list: Sequence[Floats],
    lists: Sequence[str],
    groups: Mapping[str, str],
    primary: Measure,
    rules: Leaderboard,
) -> ShakeUp | None:
    """Public and private lists, where groups are called so."""
    called = {group.casefold(): group for group in groups.values()}
    if not all(name in called for name in SPLIT):
        return None
    one, other = (
        np.array([groups.get(name, "").casefold() == split for name in lists]) for split in SPLIT
    )
    changes = shake_up(np.array(per_list), one, other, primary.metric.better, seed=rules.seed)
    return ShakeUp((called[SPLIT[0]], called[SPLIT[1]]), *changes)
