"""Coverage and false finds of measures of tables, where the truth is known.

Rates at `SIMULATE` times as many boards stand in docs/statistics.md.
"""

import importlib
import os
from functools import cache, partial

import numpy as np
import pytest
from scipy import optimize
from scipy.stats import norm

from scorer.challenge.model import Leaderboard
from scorer.leaderboard.figures import Figures
from scorer.leaderboard.samples import _of_figures, _OfLists
from scorer.stats.intervals import Scale
from scorer.stats.tiers import rank_ranges
from scorer.views.labelled import labelled, targets

TIMES = int(os.environ.get("SIMULATE", "1"))
CLASSES = {"positive": "b"}
PARAMS = {
    "Accuracy": {"threshold": 0.5, "positive": None},
    "F1": {"average": "binary", **CLASSES},
    "Precision": {"average": "binary", **CLASSES},
    "MCC": CLASSES,
    "AUROC": {"average": "macro", "multi": "ovr", **CLASSES},
    "AveragePrecision": {"average": "macro", **CLASSES},
}


@cache
def metric(name):
    module = importlib.import_module(f"scorer.metrics.labels.{name.lower()}")
    return getattr(module, name.lower()).__scorer__


def sampled(name, truth, runs):
    """What a board's intervals and tests are made from; and the values."""
    made, params = metric(name), PARAMS.get(name, {})
    views = [view(name, truth, run) for run in runs]
    given = [made.values(each, **params) for each in views]
    if made.statistic is None or isinstance(given[0], np.ndarray):
        values = np.array(given, dtype=float)
        return _OfLists(values, scale=Scale(made.range)), values.mean(axis=1)
    sums = [made.statistic.summed(each, **params) for each in given]
    width = max(each.shape[1] for each in sums)
    sums = np.stack([np.pad(each, ((0, 0), (0, width - each.shape[1]))) for each in sums])
    rests = made.statistic.rests
    rests = () if rests is None else tuple(rests(each, **params) for each in sums)
    of = partial(made.statistic.of_sums, **params)
    figures = Figures(np.ones(sums.shape[:2], dtype=bool), (), sums, of, rests=rests)
    scale = Scale(made.range, True, rests, figure=True)
    return _of_figures(figures, None, None, scale), of(sums.sum(axis=1))


def view(name, truth, run):
    if truth.dtype.kind != "i":
        return targets(truth, run)
    classes = np.array(["a", "b"])
    if run.dtype.kind == "i" or name in ("Accuracy", "F1", "Precision", "MCC"):
        decided = run if run.dtype.kind == "i" else (run >= 0.5).astype(int)
        return labelled(classes[truth].tolist(), classes[decided].tolist())
    return labelled(classes[truth].tolist(), {"a": (1 - run).tolist(), "b": run.tolist()})


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
SHARES = ["Accuracy", "F1", "MCC", "AUROC", "AveragePrecision"]
NUMBERS = ["RMSE", "MAE", "R2", "Pearson", "Spearman"]
PLAN = [
    *((name, "balanced classes", rows) for name in [*SHARES, "LogLoss"] for rows in (20, 100)),
    *((name, "nearly all right", rows) for name in SHARES for rows in (20, 100)),
    *((name, "one in ten positive", 200) for name in SHARES),
    *((name, "normal errors", rows) for name in NUMBERS for rows in (20, 100)),
    *((name, "balanced classes", 1000) for name in ("Accuracy", "AUROC")),
]


@cache
def true_value(name, scene):
    truth, runs = SCENES[scene](np.random.default_rng(10_000), 200_000)
    return sampled_value(name, truth, runs[0])


def sampled_value(name, truth, run):
    made, params = metric(name), PARAMS.get(name, {})
    given = made.values(view(name, truth, run), **params)
    if isinstance(given, np.ndarray):
        return float(given.mean())
    return float(made.statistic.figure(given, **params))


@pytest.mark.slow("simulates", beyond=2)
@pytest.mark.parametrize(("name", "scene", "rows"), PLAN)
def test_intervals_of_tables_cover(name, scene, rows, rate):
    true, held, times = true_value(name, scene), 0, 0
    for seed in range((50 if rows < 1000 else 15) * TIMES):
        truth, runs = SCENES[scene](np.random.default_rng([seed, rows]), rows)
        if truth.dtype.kind == "i" and min(truth.sum(), rows - truth.sum()) < 2:
            continue  # of a single row of a class nothing is known of others
        made, _ = sampled(name, truth, runs)
        for low, high in made.intervals(Leaderboard()):
            held += low - 1e-12 <= true <= high + 1e-12
            times += 1
            low_bound, high_bound = metric(name).range
            assert low_bound is None or low >= low_bound
            assert high_bound is None or high <= high_bound
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


def f1_of(hit, false):
    return 0.4 * hit / (0.2 * hit + 0.8 * false + 0.2)


FALSE = optimize.brentq(lambda false: f1_of(0.95, false) - f1_of(0.5, 0.01), 0, 1)


def precise_and_complete(rng, rows):
    truth = (rng.random(rows) < 0.2).astype(int)
    chances = ((0.5, 0.01), (0.95, FALSE))
    return truth, [(rng.random(rows) < np.where(truth, *each)).astype(int) for each in chances]


def noisy_and_mixed(rng, rows):
    """A correlation of .7 by noise, and by three rows of ten that are anything."""
    truth = rng.normal(size=rows)
    noisy = 0.7 * truth + np.sqrt(0.51) * rng.normal(size=rows)
    return truth, [noisy, np.where(rng.random(rows) < 0.7, truth, rng.normal(size=rows))]


@pytest.mark.slow("simulates", beyond=2)
@pytest.mark.parametrize(("rows", "limit"), [(100, 0.08), (400, 0.065)])
@pytest.mark.parametrize(
    ("name", "unlike"),
    [("Precision", shy_and_bold), ("AUROC", shifted_and_mixed), ("F1", precise_and_complete),
     ("Pearson", noisy_and_mixed)],
)  # fmt: skip
def test_equal_figures_of_unlike_submissions_are_not_found(name, unlike, rows, limit, rate):
    found = times = 0
    for seed in range(60 * TIMES):
        truth, runs = unlike(np.random.default_rng([seed, rows, 11]), rows)
        if truth.dtype.kind == "i" and len(set(truth.tolist())) < 2:
            continue
        made, _ = sampled(name, truth, runs)
        found += bool(made.tests(Leaderboard(draws=500)).p[0, 1] <= 0.05)
        times += 1
    rate(f"false difference of {name}", "equal figures, unlike shapes", rows, found, times,
         most=limit)  # fmt: skip


# Many submissions


def half_exponential(rng, submissions, lists):
    """Equal means, half constant and half exponential: differences are not symmetric."""
    odd = np.arange(submissions)[:, None] % 2
    shared = 2 + 0.1 * rng.normal(size=lists) + 1e-3 * rng.normal(size=(submissions, lists))
    return shared + np.where(odd, rng.exponential(1, (submissions, lists)) - 1, 0)


@pytest.mark.parametrize(
    ("submissions", "lists", "times"), [(2, 20, 200), (20, 20, 100), (50, 20, 25), (20, 100, 50)]
)
def test_equal_means_with_unlike_spreads(submissions, lists, times, rate):
    found = held = 0
    times *= TIMES
    for seed in range(times):
        rng = np.random.default_rng([seed, submissions, lists])
        test = _OfLists(half_exponential(rng, submissions, lists)).tests(Leaderboard(draws=500))
        found += bool((test.p <= 0.05).any())
        held += all(each == (1, submissions) for each in rank_ranges(test.p, test.lead))
    where = "equal means, half of them exponential"
    rate(f"any false difference of {submissions}", where, lists, found, times, most=0.08)
    rate(f"all {submissions} ranges of ranks", where, lists, held, times, least=0.93)
