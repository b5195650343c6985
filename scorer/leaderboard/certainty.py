"""How certain a board is: intervals, tiers and ranges of ranks, and what its lists can show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce

import numpy as np

from scorer.challenge.leaderboard import Leaderboard, Tiers
from scorer.core.arrays import Floats, Ints, Mask
from scorer.leaderboard.by_t import varies_of
from scorer.leaderboard.samples import Samples, samples_of
from scorer.metrics.notation import Measure
from scorer.results.report import (
    Against,
    Certainty,
    Fewer,
    How,
    Report,
    ShakeUp,
    Standing,
    Value,
)
from scorer.stats.family import Paired
from scorer.stats.paired import Test
from scorer.stats.power import detectable, fewest_lists, least_p
from scorer.stats.ranks import shake_up
from scorer.stats.tiers import rank_ranges, tiers

SURE = 2.5758293035489004  # standard errors: 99 %, as every submission is asked
ENOUGH = 6  # units: 2 / 2**6 is below .05
MOST = 1_000  # ranked submissions of which all pairs are tested: memory grows with their square
SPLIT = ("public", "private")  # groups of lists that are compared with random ones


def with_certainty(
    report: Report, groups: Mapping[str, str], clusters: Mapping[str, str]
) -> Report:
    """The report with intervals, tiers, ranges of ranks, and what the tests were.

    Tests look at the lists that both of a pair have. The ranked are one family, and each
    baseline against all of them another, so that no baseline changes what is said of the
    ranked. Where preferences, or points of several measures, rank there are no tests, since they
    would speak of another order, or of more than `MOST` ranked submissions.

    A list without an entry in `clusters` is alone.
    """
    rules, primary = report.challenge.leaderboard, report.primary
    by_name = {each.name: each for each in report.submissions if each.valid}
    scored = [by_name[row.name] for row in report.standings]
    if not scored or (rules.intervals is None and rules.tiers is None):
        return report
    codes = cluster_codes(report.lists, clusters)
    samples = samples_of(primary, scored, challenge=report.challenge, clusters=codes)
    if isinstance(samples, str):
        return replace(report, uncertain=samples)
    shown = report.standings
    valued = [row.rank is not None and not math.isnan(row.values[primary.id]) for row in shown]
    ranked = np.flatnonzero(valued)
    bounds = samples.intervals(_of_each(rules, ranked.size))
    rows = [replace(row, interval=ends) for row, ends in zip(shown, bounds, strict=True)]
    values = [each.values[primary.id] for each in scored]
    for n, varies in enumerate(varies_of(samples) or ()):
        rows[n] = replace(rows[n], error=varies)
    for n, of in _marked(rows, values):
        rows[n] = replace(rows[n], fewer=(values[n].lists, of))
    certainty, uncertain = None, ""
    if rules.tiers is not None and report.measured and ranked.size > MOST:
        uncertain = f"of more than {MOST:,} submissions not all pairs are tested"
    elif rules.tiers is not None and report.measured and ranked.size > 1:
        certainty = _tested(rows, samples, ranked, primary, rules, rules.tiers)
        per_list = _per_list([values[n] for n in ranked.tolist()])
        if per_list is not None:
            certainty = certainty._replace(
                fewer=tuple(_fewer_lists([rows[n] for n in ranked.tolist()], per_list, primary)),
                shake_up=_shake_up(per_list, report.lists, groups, primary, rules),
            )
        _placed(rows, ranked, certainty, primary, rules.tiers)
    return replace(
        report,
        standings=tuple(rows),
        certainty=certainty,
        uncertain=uncertain,
        rests_on=samples.rests_on,
    )


def _of_each(rules: Leaderboard, ranked: int) -> Leaderboard:
    """The rules with the level of each interval for all of the ranked to hold together.

    Šidák, "Rectangular confidence regions for the means of multivariate normal distributions",
    JASA 62, 1967: however the values of submissions hang together.
    """
    if not rules.joint or rules.level is None:
        return rules
    return rules.model_copy(update={"intervals": rules.level ** (1 / max(ranked, 1))})


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
    rows: Sequence[Standing],
    samples: Samples,
    ranked: Ints,
    primary: Measure,
    rules: Leaderboard,
    tier: Tiers,
) -> Certainty:
    ranked_samples = samples.of(ranked)
    test = ranked_samples.tests(rules)
    lists, units, sd = usual(test)
    name, adjust = ranked_samples.test(tier)
    how = How(
        name, adjust, tier.alpha, tier.rule, rules.level, test.draws,
        rules.seed, ranked_samples.over,
        lists, units, rules.joint,
    )  # fmt: skip
    plain: Test = (
        "t" if name in ("t", "corrected t") else "wilcoxon" if name == "wilcoxon" else "permutation"
    )
    least = least_p(units, plain, tier.adjust, max(test.pairs, 1), max(test.draws, 1))
    fewest = fewest_lists(tier.alpha, plain, tier.adjust, max(test.pairs, 1))
    possible = least <= tier.alpha
    return Certainty(
        tuple(rows[n].name for n in ranked.tolist()),
        test.difference,
        test.p,
        lists,
        detectable(sd, units, tier.alpha, pairs=max(test.pairs, 1)) if possible else math.nan,
        how,
        test.lead,
        test.lists,
        test.pairs,
        least,
        fewest,
        tuple(_against(rows, samples, ranked, rules)),
    )


def usual(test: Paired) -> tuple[int, int, float]:
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
    usual = int(sizes[::-1][np.argmax(times[::-1])])
    same = lists == usual
    sd = math.sqrt(float((test.deviation[first, second][same] ** 2).mean()))
    return usual, int(test.units[first, second][same].max()), sd


def _against(
    rows: Sequence[Standing], samples: Samples, ranked: Ints, rules: Leaderboard
) -> Iterator[Against]:
    for n, row in enumerate(rows):
        if row.baseline:
            test = samples.of(np.array([n, *ranked.tolist()])).tests(rules, control=True)
            yield Against(row.name, -test.difference[0, 1:], test.p[0, 1:], test.lists[0, 1:])


def _placed(
    rows: list[Standing], ranked: Ints, certainty: Certainty, primary: Measure, tier: Tiers
) -> None:
    """Give the ranked their tiers and their ranges of ranks."""
    lead = certainty.lead if primary.metric.better == "higher" else -certainty.lead
    placed = tiers(certainty.p, lead, tier.alpha, tier.rule)
    spans = rank_ranges(certainty.p, lead, tier.alpha)
    for at, (n, own, (low, high)) in enumerate(zip(ranked.tolist(), placed, spans, strict=True)):
        sure = certainty.p[at] <= tier.alpha
        behind = sure & (lead[at] < 0)
        rows[n] = replace(
            rows[n],
            tier=own,
            # the mean that ranks may be of other lists than the tests are about, and lie outside
            ranks=(low, high),
            worse=bool(behind[0] or behind[at:].any()),
        )


def _fewer_lists(
    rows: Sequence[Standing], per_list: Sequence[Floats], primary: Measure
) -> Iterator[Fewer]:
    """Those with fewer lists, and whether their lists are easier for the others than the rest."""
    if all(row.fewer is None for row in rows):
        return
    table = np.array(per_list)
    valued = ~np.isnan(table)
    every = valued.any(axis=0)
    for n, row in enumerate(rows):
        if row.fewer is None:
            continue
        others = np.delete(np.arange(len(rows)), n)
        of_others = valued[others].sum(axis=0)
        hard = np.nansum(table[others], axis=0) / np.maximum(of_others, 1)
        here, rest = valued[n] & (of_others > 0), every & ~valued[n] & (of_others > 0)
        means = [float(hard[mask].mean()) if mask.any() else math.nan for mask in (here, rest)]
        up = 1 if primary.metric.better == "higher" else -1
        easier = up * _sign(hard, here, rest)
        yield Fewer(row.name, *row.fewer, means[0], means[1], easier)


def _sign(hard: Floats, here: Mask, rest: Mask) -> int:
    """1 where the mean of some lists is surely above that of the others, -1 below, else 0."""
    both = hard[here | rest]
    if not here.any() or not rest.any() or both.size < 3 or np.ptp(both) == 0:
        return 0
    # a permutation of the lists between the two has this error (without replacement)
    error = both.std(ddof=1) * math.sqrt(1 / here.sum() + 1 / rest.sum())
    statistic = float(hard[here].mean() - hard[rest].mean()) / error
    return int(np.sign(statistic)) if abs(statistic) > SURE else 0


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
