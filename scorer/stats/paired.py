"""Paired tests of submissions, each pair over the lists that both have.

Everything looks at `values` of shape (submissions, lists), the challenge's rules for missing and
undefined lists applied, and is a function of its arguments and `seed` alone. Lists are the
sample: an interval or a p-value speaks of other lists of the same sort.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Literal

import numpy as np

from scorer.stats.family import Paired, holm
from scorer.stats.intervals import MEANS, Scale
from scorer.stats.pair_groups import all_observed, as_matrices, large_enough, pair_groups, sizes
from scorer.stats.permutation import permuted, student
from scorer.stats.threads import Threads
from scorer.stats.units import NOISE, Floats, Ints, Mask, units

Test = Literal["permutation", "wilcoxon", "t"]
THREADS = 8  # that share out the draws of a test
FLIPPED = 10_000  # units above which a permutation flips blocks of them


def paired(
    values: Floats,
    *,
    test: Test = "permutation",
    draws: int = 10_000,
    seed: int = 1,
    level: float = 0.95,
    clusters: Ints | None = None,
    control: bool = False,
    recompute: Callable[[Ints, Mask], Floats] | None = None,
    exchanged: Callable[[int, Ints, Mask], Floats] | None = None,
    scale: Scale = MEANS,
    alone: float | None = None,
) -> Paired:
    """Which submissions differ by more than the luck of the lists, over all pairs at once.

    A pair is tested on the lists for which both have a value. One with fewer than two in common
    has no p and is in no family.

    `permutation`: were two submissions equal, each list's difference would be as likely to have
    the other sign. A draw gives each list one sign, for all pairs, so that what one list does to
    many pairs is kept (Smucker, Allan & Carterette, CIKM 2007, for the test in retrieval). With
    sampled draws p = (b + 1) / (m + 1); where all 2**lists patterns fit into `draws` they are
    enumerated and p = b / m is exact.

    Of a figure of all lists the values are its pseudo-values, so that the test is of figures that
    are equal, not of submissions that are alike: swapping what two submissions have would give
    each of them the mean of the two spreads (Chung & Romano, Annals of Statistics 41, 2013).
    Pseudo-values are made at each one's own figure, and so vary less than they should where one
    is far from the other by luck; a pair's spread is no less than where the two are equal.

    Differences of equal means need not be symmetric. A mean far towards the short tail then goes
    with a small deviation, and is found too often. |t| is therefore not above its value by Hall's
    transformation (J. Royal Statistical Society B 54, 1992), which takes the skew of a pair's
    differences into account; but where all patterns are enumerated, p is exact for symmetric ones.

    Each pair is held against the greatest studentised difference of any pair in a draw (Westfall &
    Young 1993; Romano & Wolf, JASA 100, 2005; single-step), which bounds the chance of any false
    difference. A pair's sum of squared differences Q is the same under every sign, so
    t**2 = (n - 1) r / (1 - r) with r = S**2 / (n Q) and S the sum of differences: |t| grows with
    |S| / sqrt(Q), and where n is one for all pairs so does its maximum. That is what is compared;
    it needs no deviation for each draw and has no 0/0 where all differences are equal.
    Where n differs, Student's p of each t is compared, no less than the least p that n signs can
    give, 2 / 2**n, so that a pair of few lists cannot outweigh the others.

    `wilcoxon` (scipy's, with its choice of exact or normal) and `t` take Holm's correction.
    Wilcoxon's test is one of ranks: it is about the median of the differences, and so is its
    `lead`.

    Args:
        values: (submissions, lists), NaN where a submission has no value.
        draws: How many sign patterns are drawn; time grows with draws x lists x submissions.
        level: How often all of `margin` are to hold at once; 1 - level is the error that `draws`
            must allow for.
        clusters: (lists,), equal numbers for lists that are not independent of each other: a
            cluster's lists share a sign, and their sums are what is tested.
        control: Whether the family is that of the first submission against each other one (many to
            one: Dunnett, JASA 50, 1955) instead of all pairs.
        recompute: Gives the values of some rows over some lists, (rows, lists), where a list's
            value depends on which others there are, as that of `pseudo_values`.
        exchanged: Gives the differences of a row and others over some lists, (others, lists), as
            `exchanged` in `figures` has them, were their figures equal.
        scale: Of a figure with two bounds, near which `stretch` makes its error larger.
        alone: How often each of `Paired.alone` is to hold by itself; None: there are none.

    Raises:
        ValueError: If a value is infinite.
    """
    values = np.atleast_2d(np.asarray(values, dtype=np.float64))
    if np.isinf(values).any():
        raise ValueError("paired tests need finite values")
    unit = units(values.shape[1], clusters, FLIPPED, seed)
    every = list(pair_groups(values, unit, control, recompute, exchanged, scale))
    if test == "permutation":
        width = values.shape[1] if unit is None else int(unit.max(initial=-1)) + 1
        with ExitStack() as stack:
            threads = Threads(stack, THREADS)
            return permuted(len(values), every, width, draws, seed, level, alone, threads)
    parts = large_enough(every)
    observed = all_observed([part.observed() for part in parts])
    rows = [row for part in parts for rows in part.differences() for row in rows]
    p = holm(np.array([(_wilcoxon if test == "wilcoxon" else _t_test)(row) for row in rows]))
    signs = map(_rank_sign, rows) if test == "wilcoxon" else np.sign(observed[0])
    lead = np.array([*signs], dtype=np.float64)
    own = None if alone is None else np.repeat(student(parts, alone), sizes(parts))
    critical = student(parts, 1 - (1 - level) / max(p.size, 1))
    return as_matrices(len(values), every, observed, p, lead, critical, 0, (test, "holm"), own)


def _wilcoxon(differences: Floats) -> float:
    """Scipy's signed-rank p; 1 where there is no difference to rank."""
    from scipy.stats import wilcoxon

    # 0.8 - 0.6 and 0.4 - 0.2 are not the same float but must share a rank.
    rounded = np.rint(differences / NOISE)
    return float(wilcoxon(rounded).pvalue) if rounded.any() else 1.0


def _rank_sign(differences: Floats) -> float:
    """The sign of the ranks of gains less those of losses."""
    from scipy.stats import rankdata

    rounded = np.rint(differences / NOISE)
    rounded = rounded[rounded != 0]
    return float(np.sign((np.sign(rounded) * rankdata(np.abs(rounded))).sum()))


def _t_test(differences: Floats) -> float:
    """The p of `scipy.stats.ttest_rel`, without its warnings; 1 where there is no difference."""
    from scipy.special import stdtr

    lists = differences.size
    if not differences.any():
        return 1.0
    error = np.std(differences, ddof=1) / np.sqrt(lists)
    return float(2 * stdtr(lists - 1, -abs(differences.mean()) / error)) if error else 0.0
