"""Coverage and false finds of measures of tables, where the truth is known.

Rates at `SIMULATE` times as many boards stand in docs/statistics.md.
"""

import os
from functools import cache, partial
from itertools import combinations

import numpy as np
import pytest
from scipy import optimize
from scipy.stats import norm

import scorer

TIMES = int(os.environ.get("SIMULATE", "1"))
DECIDED = ("Accuracy", "F1", "Precision", "Recall", "MCC", "Kappa")
SIGNED, ERRORS = ("MCC", "Kappa", "Pearson", "Spearman"), ("LogLoss", "RMSE", "MAE")
CLASSES = np.array(["a", "b"])


def bounds(name):
    """The least and the greatest value of a measure; None where there is none."""
    if name in ERRORS:
        return 0, None
    return (None, 1) if name == "R2" else (-1 if name in SIGNED else 0, 1)


def board(name, truth, runs, **rules):
    """The report of runs by a measure, called s0, s1, ...: rows of classes, or of numbers."""
    if truth.dtype.kind == "i":
        truth, runs = CLASSES[truth], [answers(name, run) for run in runs]
    return scorer.evaluate(
        truth, {f"s{n}": run for n, run in enumerate(runs)}, [name], leaderboard=rules
    )


def answers(name, run):
    """Decided classes, or the probabilities of the second class."""
    if run.dtype.kind == "i" or name in DECIDED:
        return CLASSES[run if run.dtype.kind == "i" else (run >= 0.5).astype(int)]
    return run


def differs(name, truth, runs):
    """Whether the board tells two runs apart."""
    return board(name, truth, runs, draws=500, intervals=False).p("s0", "s1") <= 0.05


def classified(rng, rows, share, apart):
    truth = (rng.random(rows) < share).astype(int)
    shared = apart * truth + 0.6 * rng.normal(size=rows)
    runs = [
        1 / (1 + np.exp(-(apart * (shared + 0.8 * rng.normal(size=rows) - apart / 2)
                          + np.log(share / (1 - share)))))
        for _ in range(2)
    ]  # fmt: skip
    return truth, runs


def regressed(rng, rows, near):
    truth = 10 + 2 * rng.normal(size=rows)
    shared = rng.normal(size=rows)
    return truth, [truth + near * (0.7 * shared + 0.9 * rng.normal(size=rows)) for _ in range(2)]


SCENES = {
    "balanced classes": partial(classified, share=0.5, apart=1.5),
    "one in ten positive": partial(classified, share=0.1, apart=1.5),
    "nearly all right": partial(classified, share=0.3, apart=4),
    "normal errors": partial(regressed, near=1.0),
}
SHARES = [*DECIDED, "AUROC", "AveragePrecision"]
NUMBERS = ["RMSE", "MAE", "R2", "Pearson", "Spearman"]
PLAN = [
    *((name, "balanced classes", rows) for name in [*SHARES, "LogLoss"]
      for rows in (20, 100, 1000)),
    *((name, "nearly all right", rows) for name in SHARES for rows in (20, 100, 1000)),
    *((name, "one in ten positive", rows) for name in SHARES for rows in (200, 1000)),
    *((name, "normal errors", rows) for name in NUMBERS for rows in (20, 100, 1000)),
]  # fmt: skip


@cache
def true_value(name, scene):
    truth, runs = SCENES[scene](np.random.default_rng(10_000), 200_000)
    return value(name, truth, runs[0])


def value(name, truth, run):
    return board(name, truth, [run], intervals=False, tiers=False).mean("s0")


@pytest.mark.slow("simulates", beyond=2)
@pytest.mark.parametrize(("name", "scene", "rows"), PLAN)
def test_intervals_of_tables_cover(name, scene, rows, rate):
    true, held, times = true_value(name, scene), 0, 0
    for seed in range((50 if rows < 1000 else 30) * TIMES):
        truth, runs = SCENES[scene](np.random.default_rng([seed, rows]), rows)
        if truth.dtype.kind == "i" and min(truth.sum(), rows - truth.sum()) < 2:
            continue  # of a single row of a class nothing is known of others
        report = board(name, truth, runs, tiers=False)
        least, most = bounds(name)
        for system in ("s0", "s1"):
            low, high = report.interval(system)
            held += low - 1e-12 <= true <= high + 1e-12
            times += 1
            assert least is None or low >= least
            assert most is None or high <= most
    rate(f"interval of {name}", scene, rows, held, times, least=0.93)


# Submissions of equal figure and unlike shape


def shy_and_bold(rng, rows):
    """A precision of .8 of one who says little, and of one who says much."""
    truth = (rng.random(rows) < 0.5).astype(int)
    chances = ((0.2, 0.05), (0.8, 0.2))
    return truth, [(rng.random(rows) < np.where(truth, *each)).astype(int) for each in chances]


def shifted_and_mixed(rng, rows):
    """An area of .9 by a shift of all positive rows, and by a large one of most."""
    truth = (rng.random(rows) < 0.1).astype(int)
    shifted = rng.normal(size=rows) + np.sqrt(2) * norm.ppf(0.9) * truth
    mixed = np.where((truth == 1) & (rng.random(rows) < 0.8), 10, 0) + rng.normal(size=rows)
    return truth, [1 / (1 + np.exp(-each / 5)) for each in (shifted, mixed)]


def solved(name, share, hit, others):
    """The false share of a second classifier with which its figure is that of the first.

    Args:
        name: the measure.
        share: of rows that are positive.
        hit: the shares of true and false positives of the first.
        others: the share of true positives of the second.
    """

    def of(true, false):
        both, positive = share * true, share * true + (1 - share) * false
        if name == "F1":
            return 2 * both / (positive + share)
        over = both - positive * share
        if name == "MCC":
            return over / np.sqrt(positive * (1 - positive) * share * (1 - share))
        return 2 * over / (positive + share - 2 * positive * share)  # kappa

    return optimize.brentq(lambda false: of(others, false) - of(*hit), 1e-6, others)


def decided(share, first, second, rng, rows):
    """Two classifiers by their shares of true and of false positives."""
    truth = (rng.random(rows) < share).astype(int)
    return truth, [
        (rng.random(rows) < np.where(truth, *each)).astype(int) for each in (first, second)
    ]


FALSE = {name: solved(name, 0.2, (0.5, 0.01), 0.95) for name in ("F1", "MCC", "Kappa")}


@cache
def shift_of_equal_precision():
    """The shift with which all positive rows have the average precision of the mixed ones."""
    rng, rows = np.random.default_rng(0), 50_000
    truth = (rng.random(rows) < 0.1).astype(int)
    noise = rng.normal(size=rows)
    mixed = value("AveragePrecision", truth, squeezed(mixed_with(rng, truth)))

    def off(shift):
        shifted = value("AveragePrecision", truth, squeezed(noise + shift * truth))
        return shifted - mixed

    return optimize.brentq(off, 1, 4, xtol=1e-3)


def squeezed(scores):
    return 1 / (1 + np.exp(-scores / 5))


def mixed_with(rng, truth):
    """A large shift of most positive rows."""
    some = (truth == 1) & (rng.random(truth.size) < 0.8)
    return np.where(some, 10, 0) + rng.normal(size=truth.size)


def precise_at_top(rng, rows):
    truth = (rng.random(rows) < 0.1).astype(int)
    shifted = rng.normal(size=rows) + shift_of_equal_precision() * truth
    return truth, [squeezed(shifted), squeezed(mixed_with(rng, truth))]


SURE = optimize.brentq(
    lambda right: -right * np.log(0.9) - (1 - right) * np.log(0.1)
    + 0.7 * np.log(0.7) + 0.3 * np.log(0.3), 0.5, 1,
)  # fmt: skip


def calm_and_sure(rng, rows):
    """The same expected loss by calibrated probabilities of .7, and by ones of .9 that boast."""
    truth = (rng.random(rows) < 0.5).astype(int)
    runs = []
    for right, stated in ((0.7, 0.7), (SURE, 0.9)):
        chosen = np.where(rng.random(rows) < right, truth, 1 - truth)
        runs.append(np.where(chosen == 1, stated, 1 - stated))
    return truth, runs


def normal_and_long(rng, rows):
    """Errors of the same variance: normal ones, and Laplace's."""
    truth = 2 * rng.normal(size=rows)
    return truth, [truth + rng.normal(size=rows), truth + rng.laplace(0, np.sqrt(0.5), rows)]


def biased_and_noisy(rng, rows):
    """Errors of the same mean square: a shift, and noise."""
    truth = 2 * rng.normal(size=rows)
    shifted = truth + 0.9 + np.sqrt(0.19) * rng.normal(size=rows)
    return truth, [shifted, truth + rng.normal(size=rows)]


def noisy_and_mixed(rng, rows, like=0.7):
    """A correlation of .7 by noise, and by three rows of ten that are anything."""
    truth = rng.normal(size=rows)
    noisy = like * truth + np.sqrt(1 - like**2) * rng.normal(size=rows)
    return truth, [noisy, np.where(rng.random(rows) < 0.7, truth, rng.normal(size=rows))]


UNLIKE = {
    "Precision": shy_and_bold,
    "Recall": partial(decided, 0.3, (0.7, 0.02), (0.7, 0.4)),
    "F1": partial(decided, 0.2, (0.5, 0.01), (0.95, FALSE["F1"])),
    "MCC": partial(decided, 0.2, (0.5, 0.01), (0.95, FALSE["MCC"])),
    "Kappa": partial(decided, 0.2, (0.5, 0.01), (0.95, FALSE["Kappa"])),
    "AUROC": shifted_and_mixed,
    "AveragePrecision": precise_at_top,
    "LogLoss": calm_and_sure,
    "RMSE": normal_and_long,
    "R2": biased_and_noisy,
    "Pearson": noisy_and_mixed,
    "Spearman": partial(noisy_and_mixed, like=2 * np.sin(0.7 * np.pi / 6)),
}


@pytest.mark.slow("simulates", beyond=1)
@pytest.mark.parametrize(("rows", "limit"), [(100, 0.08), (400, 0.065)])
@pytest.mark.parametrize("name", UNLIKE)
def test_equal_figures_of_unlike_submissions_are_not_found(name, rows, limit, rate):
    found = swapped = times = 0
    for seed in range(60 * TIMES):
        rng = np.random.default_rng([seed, rows, 11])
        truth, runs = UNLIKE[name](rng, rows)
        if truth.dtype.kind == "i" and len(set(truth.tolist())) < 2:
            continue
        found += differs(name, truth, runs)
        swapped += exchange(name, truth, runs, rng) <= 0.05
        times += 1
    where = "equal figures, unlike shapes"
    rate(f"false difference of {name}", where, rows, found, times, most=limit)
    rate(f"the same by an exchange of {name}", where, rows, swapped, times)


# Submissions that are alike, and power


def ranks(values):
    return values.argsort(axis=-1).argsort(axis=-1).astype(float)


def correlations(truth, runs):
    """(runs,), of a truth (rows,) and runs (runs, rows)."""
    y = truth - truth.mean()
    x = runs - runs.mean(axis=-1, keepdims=True)
    return x @ y / np.sqrt((x**2).sum(axis=-1) * (y @ y))


def of_counts(figure):
    """A figure of the true positives, and of what is positive in the truth, runs and rows."""

    def of(truth, runs):
        given = runs if runs.dtype.kind == "i" else runs >= 0.5
        both = (given & (truth == 1)).sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            made = figure(both, truth.sum(), given.sum(axis=-1), truth.size)
        return np.nan_to_num(made)

    return of


def right_pairs(truth, runs):
    positive = truth.sum()
    places = (ranks(runs) + 1)[:, truth == 1].sum(axis=-1)
    return (places - positive * (positive + 1) / 2) / positive / (truth.size - positive)


def mean_precision(truth, runs):
    found = truth[(-runs).argsort(axis=-1)]
    return (found * found.cumsum(axis=-1) / np.arange(1, truth.size + 1)).sum(axis=-1) / truth.sum()


FIGURES = {
    "Precision": of_counts(lambda both, true, given, rows: both / given),
    "Recall": of_counts(lambda both, true, given, rows: both / true),
    "F1": of_counts(lambda both, true, given, rows: 2 * both / (true + given)),
    "MCC": of_counts(lambda both, true, given, rows: (rows * both - true * given)
                     / np.sqrt(1.0 * true * given * (rows - true) * (rows - given))),
    "Kappa": of_counts(lambda both, true, given, rows: 2 * (rows * both - true * given)
                       / (rows * (true + given) - 2 * true * given)),
    "AUROC": right_pairs,
    "AveragePrecision": mean_precision,
    "LogLoss": lambda y, x: np.log(np.where(y == 1, x, 1 - x)).mean(axis=-1),
    "RMSE": lambda y, x: np.sqrt(((x - y) ** 2).mean(axis=-1)),
    "R2": lambda y, x: 1 - ((x - y) ** 2).sum(axis=-1) / ((y - y.mean()) ** 2).sum(),
    "Pearson": correlations,
    "Spearman": lambda y, x: correlations(ranks(y), ranks(x)),
}  # fmt: skip


def exchange(name, truth, runs, rng, draws=400):
    """The p of an exchange of predictions, the figure worked out anew each time."""
    swap, of = rng.random((draws, truth.size)) < 0.5, FIGURES[name]
    sides = np.where(swap, *runs), np.where(swap, *runs[::-1])
    drawn = np.abs(of(truth, sides[0]) - of(truth, sides[1]))
    seen = abs(np.subtract(*of(truth, np.array(runs))))
    return (1 + (drawn >= seen - 1e-12).sum()) / (1 + draws)


def noise_of(levels, rng, rows):
    truth, shared = 2 * rng.normal(size=rows), 0.7 * rng.normal(size=rows)
    return truth, [truth + shared + level * rng.normal(size=rows) for level in levels]


@pytest.mark.slow("draws many boards", beyond=1)
@pytest.mark.parametrize("name", ["Pearson", "Spearman"])
def test_correlations_of_twenty_rows_are_told_apart_as_by_an_exchange(name, rate):
    """Level of submissions that are alike; power of ones that are not."""
    times, found = 60 * TIMES, np.zeros((2, 2), dtype=int)
    for seed in range(times):
        for n, levels in enumerate(((0.9, 0.9), (0.9, 3.0))):
            rng = np.random.default_rng([seed, n, 17])
            truth, runs = noise_of(levels, rng, 20)
            found[n] += differs(name, truth, runs), exchange(name, truth, runs, rng) <= 0.05
    rate(f"false difference of {name}", "submissions that are alike", 20, found[0, 0], times,
         most=0.05)  # fmt: skip
    rate(f"difference of {name} found", "noise of .9 and of 3", 20, found[1, 0], times,
         least=0.95 * found[1, 1] / times)  # fmt: skip


def judged_of(levels, rng, rows):
    """Chances of a positive class of three in ten, by signals of the same shape and more noise."""
    truth = (rng.random(rows) < 0.3).astype(int)
    signal = truth + 0.4 * rng.normal(size=rows)
    return truth, [1 / (1 + np.exp(2 - 4 * (signal + each * rng.normal(size=rows))))
                   for each in levels]  # fmt: skip


@pytest.mark.slow("simulates")
@pytest.mark.parametrize("name", FIGURES)
def test_a_difference_is_found_as_often_as_by_an_exchange(name, rate):
    """Of submissions of one shape an exchange is exact: level, and power beside its own."""
    times, found, rows = 60 * TIMES, np.zeros((2, 2), dtype=int), 100
    scene, low, high = (noise_of, 0.9, 1.4) if name in NUMBERS else (judged_of, 0.3, 0.8)
    for seed in range(times):
        for n, levels in enumerate(((low, low), (low, high))):
            rng = np.random.default_rng([seed, n, 19])
            truth, runs = scene(levels, rng, rows)
            found[n] += differs(name, truth, runs), exchange(name, truth, runs, rng) <= 0.05
    rate(f"false difference of {name}", "submissions that are alike", rows, found[0, 0], times,
         most=0.05)  # fmt: skip
    where = f"one shape, noise of {low} and of {high}"
    rate(f"difference of {name} found", where, rows, found[1, 0], times,
         least=0.95 * found[1, 1] / times)  # fmt: skip
    rate(f"the same by an exchange of {name}", where, rows, found[1, 1], times)


# Many submissions


def half_exponential(rng, submissions, lists):
    """Equal means, half constant and half exponential: differences are not symmetric."""
    odd = np.arange(submissions)[:, None] % 2
    shared = 2 + 0.1 * rng.normal(size=lists) + 1e-3 * rng.normal(size=(submissions, lists))
    return shared + np.where(odd, rng.exponential(1, (submissions, lists)) - 1, 0)


@pytest.mark.slow("draws many boards")
@pytest.mark.parametrize(
    ("submissions", "lists", "times"), [(2, 20, 200), (20, 20, 100), (50, 20, 25), (20, 100, 50)]
)
def test_equal_means_with_unlike_spreads(submissions, lists, times, rate):
    found = held = 0
    times *= TIMES
    for seed in range(times):
        rng = np.random.default_rng([seed, submissions, lists])
        systems = {f"s{n}": row for n, row in enumerate(half_exponential(rng, submissions, lists))}
        report = scorer.values(systems, leaderboard={"draws": 500, "intervals": False})
        found += any(report.p(one, other) <= 0.05 for one, other in combinations(systems, 2))
        held += all(row.ranks == (1, submissions) for row in report.leaderboard)
    where = "equal means, half of them exponential"
    rate(f"any false difference of {submissions}", where, lists, found, times, most=0.08)
    rate(f"all {submissions} ranges of ranks", where, lists, held, times, least=0.93)
