"""Paired tests of all pairs of submissions, each pair over the lists that both have.

`values` has shape (submissions, lists), with the challenge's rules for missing and undefined lists
applied. Units are drawn: lists, clusters of lists, or blocks of very many lists. Lists are the
sample: an interval or a p-value speaks of other lists of the same sort. All results are
functions of the arguments and `seed` alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from scorer.stats.intervals import MEANS, Scale, student, unskewed
from scorer.stats.pair_groups import PairGroup, PairSums, Recompute, Swap, pair_groups, pair_sums
from scorer.stats.pairs import SKEW_CORRECTED, PairColumns, PairedTests, holm, join_columns
from scorer.stats.units import NOISE, Floats, Ints, Mask, units

Test = Literal["permutation", "wilcoxon", "t"]

MAX_UNITS = 10_000  # more lists are joined to blocks, whose draws take a fraction of the time
SIGNS_AT_ONCE = 1_000_000  # numbers of a block of sign patterns: 8 MB
PAIRS_AT_ONCE = 8  # pairs whose sums of all draws are held at once: they stay in the cache


def paired_tests(
    values: Floats,
    *,
    test: Test = "permutation",
    draws: int = 10_000,
    seed: int = 1,
    level: float = 0.95,
    clusters: Ints | None = None,
    control: bool = False,
    recompute: Recompute | None = None,
    swap: Swap | None = None,
    scale: Scale = MEANS,
    own_level: float | None = None,
) -> PairedTests:
    """Test which submissions differ by more than the luck of the lists, over all pairs at once.

    A pair is tested on the lists for which both have a value. One with fewer than two units in
    common has no p and belongs to no family.

    `permutation`: if two submissions were equal, each list's difference would be as likely to have
    the other sign. A draw gives each list one sign for all pairs, so that the effect of one list on
    many pairs is kept (Smucker, Allan & Carterette, CIKM 2007, for the test in retrieval). Each
    pair is compared with the greatest studentised difference of any pair in a draw (single-step
    max-T: Westfall & Young 1993; Romano & Wolf, JASA 100, 2005). That bounds the chance of any
    false difference. With sampled draws p = (b + 1) / (m + 1); if all 2**lists patterns fit into
    `draws`, they are enumerated and p = b / m is exact.

    A measure may be one figure of all lists, such as a correlation. Its `values` are then
    pseudo-values, so that the hypothesis is equal figures, not exchangeable submissions (Chung &
    Romano, Annals of Statistics 41, 2013). The pseudo-values of a submission are made at its own
    figure. If the two figures are far apart by luck, they vary less than they should. The spread of
    a pair is therefore at least the one that `swap` gives.

    Differences with a mean of 0 need not be symmetric. A mean far towards the short tail then goes
    with a small deviation, and is found too often. |t| is therefore at most |t| after Hall's
    transformation, which corrects for skew. If all patterns are enumerated, it is left as it is: p
    is then exact for symmetric differences.

    If the pairs do not all have the same lists, one draw cannot serve all of them. Each pair then
    has the t-test of its own differences, with the same corrections and Holm's adjustment; its p is
    at least 2 / 2**lists, the least of a sign test.

    `wilcoxon` (scipy's, with its choice of exact or normal) and `t` have Holm's adjustment, too.
    Wilcoxon's test is of ranks: it is about the median of the differences, and so is `lead`.

    Args:
        values: (submissions, lists), NaN where a submission has no value.
        draws: how many sign patterns are drawn; time grows with draws x lists x submissions.
        level: the chance with which all intervals of `joint_margin` hold at once.
        clusters: (lists,), equal numbers for lists that depend on each other: a cluster's lists
            share a sign, and their sums are tested.
        control: whether the family is the first submission against each other one (many to
            one: Dunnett, JASA 50, 1955) instead of all pairs.
        recompute: gives the values over the lists in common, if a list's value depends on which
            others there are, as with `pseudo_values`.
        swap: gives the differences if the two figures were equal, as `swapped_differences` does.
        scale: the bounds of the figure: near them its standard error is too small.
        own_level: the chance with which each interval of `margin` holds; None: margins are NaN.

    Raises:
        ValueError: a value is infinite.
    """
    values = np.atleast_2d(np.asarray(values, dtype=np.float64))
    if np.isinf(values).any():
        raise ValueError("paired tests need finite values")
    unit = units(values.shape[1], clusters, MAX_UNITS, seed)
    groups = list(pair_groups(values, unit, control, recompute, swap, scale))
    tested = [group for group in groups if group.units > 1]
    if test == "permutation" and len(tested) == 1:
        result = _permutation_tests(tested[0], draws, seed, level, own_level)
        tests = result.as_matrices(len(values), "permutation", "max", draws)
    elif test == "permutation" and not tested:
        tests = join_columns([]).as_matrices(len(values), "permutation", "max", draws)
    else:
        kind: Literal["wilcoxon", "t"] = "wilcoxon" if test == "wilcoxon" else "t"
        corrected = test == "permutation"
        result = _holm_tests(tested, kind, level, own_level, corrected=corrected)
        name = SKEW_CORRECTED if corrected else kind
        tests = result.as_matrices(len(values), name, "holm")
    for group in groups:
        if group.units == 1:  # one unit cannot be tested: only the difference is known
            a, b = group.first, group.second
            tests.difference[a, b] = group.difference
            tests.difference[b, a] = -group.difference
            tests.lists[a, b] = tests.lists[b, a] = group.lists
            tests.units[a, b] = tests.units[b, a] = 1
    return tests


def _permutation_tests(
    group: PairGroup, draws: int, seed: int, level: float, own_level: float | None
) -> PairColumns:
    """Return the max-T permutation tests of pairs with the same lists.

    A pair's sum of squared differences Q is the same under every sign, so that
    t**2 = (n - 1) r / (1 - r) with r = S**2 / (n Q) and S the sum of the differences: |t| grows
    with |S| / sqrt(Q). That ratio is compared. It needs no deviation for each draw, and is
    no 0 / 0 if all differences are equal.
    """
    count, sums = group.units, pair_sums(group)
    exact = can_enumerate(count, draws)
    # Pairs without any difference get weight 0, and so p = 1.
    weights = _inverse(sums.norm)
    # Equal sums leave a matrix product, and equal ratios of two pairs a division, equal but for
    # their last digits.
    ratio = (np.abs(sums.total) - NOISE) * weights
    ratio = _ratio_of_t(_corrected_t(ratio, sums, group, skewed=not exact), count, ratio)
    maxima, own_limits = _draw_maxima(group, weights, draws, seed, own_level)
    patterns = maxima.size if exact else maxima.size + 1
    reached = maxima.size - np.searchsorted(maxima, ratio - 1e-9)
    p = (reached if exact else reached + 1) / patterns
    index = _index_of_limit(level, patterns, maxima.size)
    limit = maxima[index] if index is not None else math.inf
    joint = np.full(p.size, float(_t_of_ratio(np.array([limit]), count)[0]))
    own = _t_of_ratio(own_limits, count)
    if p.size == 1 and own_level == level:  # of one pair, both intervals are the same
        own = joint
    with np.errstate(invalid="ignore"):
        differs_alone = _t_of_ratio(ratio, count) > own
    return _columns(
        group, sums, p, np.sign(sums.total), joint, own, (p <= 1 - level, differs_alone)
    )


def _corrected_t(ratio: Floats, sums: PairSums, group: PairGroup, *, skewed: bool) -> Floats:
    """Return |t|, (pairs,), with three corrections of the standard error.

    They are for figures near a bound (`widening`), for equal figures (`swapped_norm`) and, if
    `skewed`, for skew by Hall's transformation. Each is of the uncorrected t; the least t counts.
    """
    uncorrected = _t_of_ratio(ratio, group.units)
    t = uncorrected / group.widening
    wider = group.swapped_norm > sums.norm * (1 + NOISE)
    if wider.any():
        swapped_ratio = ratio[wider] * sums.norm[wider] / group.swapped_norm[wider]
        t[wider] = np.minimum(t[wider], _t_of_ratio(swapped_ratio, group.units))
    if skewed:
        # t is infinite if all differences are equal; these have no skew.
        signed = np.where(np.isfinite(uncorrected), np.sign(sums.total) * uncorrected, 0.0)
        against = sums.skew * signed < 0
        unskewed_t = np.abs(unskewed(signed[against], sums.skew[against], group.units))
        t[against] = np.minimum(t[against], unskewed_t)
    return t


def _inverse(norm: Floats) -> Floats:
    """Return 1 / norm, and 0 where it is 0."""
    return np.divide(1.0, norm, out=np.zeros(norm.size), where=norm > 0)


def _t_of_ratio(ratio: Floats, count: int) -> Floats:
    """Return the |t| of |S| / sqrt(Q) of so many units; infinite if all differences are equal."""
    square = np.clip(np.maximum(ratio, 0.0) ** 2 / count, 0.0, 1.0)  # above 1 only by rounding
    square[square >= 1 - 1e-9] = 1.0
    with np.errstate(divide="ignore"):
        return np.asarray(np.sqrt((count - 1) * square / (1 - square)))


def _ratio_of_t(t: Floats, count: int, ratio: Floats) -> Floats:
    """Return the |S| / sqrt(Q) of a |t|, at most `ratio`, which is below 0 for a tied pair."""
    with np.errstate(invalid="ignore"):
        square = np.where(np.isinf(t), 1.0, t**2 / (count - 1 + t**2))
    return np.asarray(np.minimum(ratio, np.sqrt(count * square)))


def _draw_maxima(
    group: PairGroup, weights: Floats, draws: int, seed: int, own_level: float | None
) -> tuple[Floats, Floats]:
    """Return the greatest |S| / sqrt(Q) of each draw, ascending, and each pair's own limit.

    The limit, (pairs,), is what a pair's own ratio exceeds in a draw with a chance of
    1 - `own_level`; NaN without a level.
    """
    together = group.sums
    if group.other_sums is not None:
        together = np.concatenate([group.sums, group.other_sums])
    patterns_drawn = sign_patterns(group.units, draws, seed)
    flipped = np.concatenate([together @ signs.T for signs in patterns_drawn], axis=1)
    rows, others = np.split(flipped, [len(group.sums)])
    drawn = rows.shape[1]
    maxima, own_limits = np.zeros(drawn), np.full(weights.size, np.nan)
    patterns = drawn if can_enumerate(group.units, draws) else drawn + 1
    index = None if own_level is None else _index_of_limit(own_level, patterns, drawn)
    if own_level is not None and index is None:
        own_limits[:] = math.inf
    start, buffer = 0, np.empty((PAIRS_AT_ONCE, drawn))
    for n, row in enumerate(rows):
        paired_with = rows[n + 1 :] if group.other_sums is None else others
        for block in range(0, len(paired_with), PAIRS_AT_ONCE):
            block_of_others = paired_with[block : block + PAIRS_AT_ONCE]
            pairs = slice(start, start + len(block_of_others))
            # Written into one buffer: new arrays for each step take a fifth of the time.
            ratios = np.subtract(row, block_of_others, out=buffer[: len(block_of_others)])
            np.abs(ratios, out=ratios)
            ratios *= weights[pairs, None]
            np.maximum(maxima, ratios.max(axis=0), out=maxima)
            if index is not None:
                own_limits[pairs] = np.partition(ratios, index, axis=1)[:, index]
            start = pairs.stop
    return np.sort(maxima), own_limits


def _index_of_limit(level: float, patterns: int, drawn: int) -> int | None:
    """Return the index, in ascending order, of the ratio above which p <= 1 - level.

    `patterns` is `drawn`, plus one for the observed pattern if patterns are sampled. None if no
    drawn ratio is so rare.
    """
    observed = patterns - drawn  # counts as a draw that reaches the ratio
    from_above = math.floor((1 - level + 1e-9) * patterns) - observed
    return drawn - 1 - from_above if 0 <= from_above < drawn else None


def sign_patterns(units: int, draws: int, seed: int) -> Iterator[Floats]:
    """Yield blocks of patterns of -1 and 1, (draws, units): all 2**units, or sampled ones."""
    exact = can_enumerate(units, draws)
    source, total = np.random.PCG64(seed), 2**units if exact else draws
    # Never so few at once that the matrix product is slow.
    at_once = max(32, SIGNS_AT_ONCE // max(units, 1))
    for start in range(0, total, at_once):
        rows = min(at_once, total - start)
        if exact:
            words = np.arange(start, start + rows, dtype=np.uint64)[:, None]
        else:
            words = source.random_raw((rows, -(-units // 64)))
        octets = words.astype("<u8").view(np.uint8)
        bits = np.unpackbits(octets, axis=1, count=units, bitorder="little")
        yield (2 * bits.view(np.int8) - 1).astype(np.float64)


def can_enumerate(units: int, draws: int) -> bool:
    """Return whether `draws` hold all 2**units sign patterns."""
    return units < draws.bit_length()


def _holm_tests(
    groups: Sequence[PairGroup],
    test: Literal["wilcoxon", "t"],
    level: float,
    own_level: float | None,
    *,
    corrected: bool,
) -> PairColumns:
    """Return each pair's own test, with Holm's adjustment.

    `corrected` t-tests have the corrections of the permutation test. Joint intervals are
    Bonferroni's.
    """
    from scipy.special import stdtr

    pairs = sum(group.first.size for group in groups)
    parts = []
    for group in groups:
        sums, degrees = pair_sums(group), group.units - 1
        lead = np.sign(sums.total)
        if test == "wilcoxon":
            rows = [row for difference in group.differences() for row in difference]
            p = np.array([_wilcoxon_p(row) for row in rows])
            lead = np.array([_rank_sign(row) for row in rows])
        else:
            ratio = np.abs(sums.total) * _inverse(sums.norm)
            t = _t_of_ratio(ratio, group.units)
            if corrected:
                t = _corrected_t(ratio, sums, group, skewed=True)
            p = 2 * stdtr(degrees, -t)
            if corrected:  # at least the p of a sign test of so few units
                p = np.maximum(p, 2.0**-degrees)
        joint = student(1 - (1 - level) / 2 / pairs, degrees)
        own = math.nan if own_level is None else student((1 + own_level) / 2, degrees)
        limits = np.full(p.size, joint), np.full(p.size, own)
        columns = _columns(group, sums, p, lead, *limits)
        if corrected and own_level is not None and 2.0**-degrees > 1 - own_level:
            # No difference can be significant, so every interval must hold 0.
            holding_0 = np.maximum(columns.margin, np.abs(columns.difference))
            columns = columns._replace(margin=holding_0)
        parts.append(columns)
    columns = join_columns(parts)
    p = holm(columns.p)
    # The interval of a pair that is not found to differ holds 0, whatever its width.
    holding_0 = np.maximum(columns.joint_margin, np.abs(columns.difference))
    joint_margin = np.where(p <= 1 - level, columns.joint_margin, holding_0)
    return columns._replace(p=p, joint_margin=joint_margin)


def _columns(
    group: PairGroup,
    sums: PairSums,
    p: Floats,
    lead: Floats,
    joint: Floats,
    own: Floats,
    differs: tuple[Mask, Mask] | None = None,
) -> PairColumns:
    """Return the results of a group's pairs.

    `joint` and `own` are critical |t|, (pairs,). `differs` says for both which pairs the test finds
    to differ: the interval of any other pair holds 0, whatever its width.
    """
    count = group.units
    variance = np.maximum(sums.norm**2 - sums.total**2 / count, 0) / (count - 1)
    # This little is the rounding error of subtracting two large sums.
    variance[variance <= NOISE * sums.norm**2] = 0.0
    deviation = np.sqrt(variance) * group.scale * group.widening
    margins = []
    for n, critical in enumerate((joint, own)):
        with np.errstate(invalid="ignore"):
            margin = critical * deviation / np.sqrt(count)
        if differs is not None:
            margin = np.where(differs[n], margin, np.maximum(margin, np.abs(group.difference)))
        margins.append(np.where(np.isinf(margin), np.nan, margin))
    return PairColumns(
        first=group.first,
        second=group.second,
        difference=group.difference,
        p=p,
        lead=lead,
        lists=np.full(p.size, group.lists),
        units=np.full(p.size, count),
        deviation=deviation,
        joint_margin=margins[0],
        margin=margins[1],
    )


def _wilcoxon_p(differences: Floats) -> float:
    """Return scipy's p of the signed-rank test; 1 if there is no difference to rank."""
    from scipy.stats import wilcoxon

    # 0.8 - 0.6 and 0.4 - 0.2 are not the same float but must share a rank.
    rounded = np.rint(differences / NOISE)
    return float(wilcoxon(rounded).pvalue) if rounded.any() else 1.0


def _rank_sign(differences: Floats) -> float:
    """Return the sign of the ranks of gains minus the ranks of losses."""
    from scipy.stats import rankdata

    rounded = np.rint(differences / NOISE)
    rounded = rounded[rounded != 0]
    return float(np.sign((np.sign(rounded) * rankdata(np.abs(rounded))).sum()))
