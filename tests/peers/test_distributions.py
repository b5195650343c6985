"""Distributions, times, curves and orders of labels against other scorers, on random data."""

import json

import numpy as np
import pytest

sk = pytest.importorskip("sklearn.metrics")
rules = pytest.importorskip("scoringrules")
lifelines = pytest.importorskip("lifelines.utils")

from measured import value_of  # noqa: E402

from scorer.testing import judged_view, labelled_view, scored_view, targets_view  # noqa: E402

SEEDS = range(25)


def same(ours, theirs):
    assert ours == pytest.approx(float(theirs), rel=1e-10, abs=1e-12, nan_ok=True)


def numbers(target, prediction, truth=None, **sent):
    return targets_view(target, prediction, truth=truth or {}, submission=sent)


@pytest.mark.parametrize("seed", SEEDS)
def test_distributions(seed):
    rng = np.random.default_rng(seed)
    target, mean, spread = rng.normal(size=50), rng.normal(size=50), rng.uniform(0.1, 3, 50)
    view = numbers(target, mean, spread=spread)
    same(value_of("CRPS", view), rules.crps_normal(target, mean, spread).mean())
    surprise = rules.logs_laplace(target, mean, spread / np.sqrt(2)).mean()
    same(value_of("LaplaceLogLikelihood", view), -surprise)
    members = rng.integers(-3, 4, (50, 7)).astype(float)
    view = numbers(target, mean, members=members)
    theirs = rules.crps_ensemble(target, members, estimator="nrg").mean()
    same(value_of("CRPS", view, form="ensemble", members=["members"]), theirs)
    levels = np.array([0.1, 0.5, 0.9])
    quantiles = np.sort(rng.normal(size=(50, 3)), axis=1)
    view = numbers(target, quantiles[:, 1], low=quantiles[:, 0], high=quantiles[:, 2])
    asked = dict(zip(("low", "prediction", "high"), levels, strict=True))
    theirs = [sk.mean_pinball_loss(target, quantiles[:, n], alpha=levels[n]) for n in range(3)]
    same(value_of("QuantileScore", view, quantiles=asked), np.mean(theirs))
    theirs = rules.crps_quantile(target, quantiles, levels).mean() / 2
    same(value_of("QuantileScore", view, quantiles=asked), theirs)


@pytest.mark.parametrize("seed", SEEDS)
def test_concordance(seed):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(3, 60))
    time, prediction = rng.integers(0, 12, (2, rows)).astype(float)
    event = rng.integers(0, 2, rows).astype(float)
    event[np.argmin(time)], time[np.argmin(time)] = 1, -1  # so that some pair can be compared
    view = numbers(time, prediction, {"seen": event})
    same(value_of("Concordance", view), lifelines.concordance_index(time, prediction))
    theirs = lifelines.concordance_index(time, prediction, event)
    same(value_of("Concordance(event=seen)", view), theirs)
    theirs = lifelines.concordance_index(time, -prediction, event)
    same(value_of("Concordance(event=seen, predicts=risk)", view), theirs)


@pytest.mark.parametrize("seed", SEEDS)
def test_curves(seed):
    rng = np.random.default_rng(seed)
    true = np.append([0, 1], rng.integers(0, 2, int(rng.integers(4, 80))))
    likely = np.round(rng.integers(0, 15, true.size) / 14 * 0.6 + true * rng.random() * 0.4, 6)
    names = [str(n) for n in true]
    view = labelled_view(names, {"0": 1 - likely, "1": likely})
    for most in (0.1, 0.5):
        theirs = sk.roc_auc_score(true, likely, max_fpr=most)
        same(value_of("AUROC", view, max_fpr=most), theirs)
    flipped = sk.roc_auc_score(1 - true, -likely, max_fpr=0.2)  # as ISIC 2024 has it
    least = 0.2**2 / 2
    theirs = least + (0.2 - least) / 0.5 * (flipped - 0.5)
    same(value_of("AUROC", view, min_tpr=0.8), theirs)
    precision, recall, _ = sk.precision_recall_curve(true, likely)
    same(value_of("PRTrapezoids", view), sk.auc(recall, precision))
    same(value_of("KL", view), sk.log_loss(true, likely))


@pytest.mark.parametrize("seed", SEEDS)
def test_label_ranking(seed):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 2, (8, 6))
    true[:, 0], true[:, 1] = 1, 0
    score = rng.integers(0, 4, (8, 6)) / 4
    lists = [
        ({str(n): x for n, x in enumerate(scores)}, {str(n): 1.0 for n in np.flatnonzero(has)})
        for has, scores in zip(true, score, strict=True)
    ]
    view = scored_view(*lists)
    same(value_of("LRAP", view), sk.label_ranking_average_precision_score(true, score))
    counts = true.sum(axis=1)
    theirs = sk.label_ranking_average_precision_score(true, score, sample_weight=counts)
    same(value_of("LRAP(average=pooled)", view), theirs)


@pytest.mark.parametrize("seed", SEEDS)
def test_sets_and_probabilistic_counts(seed):
    rng = np.random.default_rng(seed)
    true, sent = rng.integers(0, 2, (2, 9, 6))
    true[0] = sent[0] = 0  # neither has an item
    lists = [
        ([str(n) for n in np.flatnonzero(b)], {str(n): 1.0 for n in np.flatnonzero(a)})
        for a, b in zip(true, sent, strict=True)
    ]
    view, asked = judged_view(*lists), {"average": "samples", "zero_division": 1.0}
    same(value_of("SetJaccard(empty=one)", view), sk.jaccard_score(true, sent, **asked))
    same(value_of("SetF(empty=one)", view), sk.f1_score(true, sent, **asked))
    same(value_of("SetF(empty=one, beta=2)", view), sk.fbeta_score(true, sent, beta=2, **asked))
    # a row of 0.7 is 0.7 of a positive one and 0.3 of a negative one
    has, likely = np.append(1, rng.integers(0, 2, 40)), np.round(rng.random(41), 3)
    both, weight = np.repeat([1, 0], 41), np.append(likely, 1 - likely)
    theirs = sk.f1_score(np.append(has, has), both, sample_weight=weight)
    shown = labelled_view([str(n) for n in has], {"0": 1 - likely, "1": likely})
    same(value_of("ProbabilisticF1", shown), theirs)
    theirs = sk.fbeta_score(np.append(has, has), both, beta=0.5, sample_weight=weight)
    same(value_of("ProbabilisticF1(beta=0.5)", shown), theirs)


@pytest.mark.parametrize("seed", SEEDS)
def test_arcs(seed):
    """By scikit-learn's haversines and cosines; a direction is a point of a sphere."""
    pairwise = pytest.importorskip("sklearn.metrics.pairwise")
    rng = np.random.default_rng(seed)
    latitude, other = rng.uniform(-90, 90, (2, 30))
    east, west = rng.uniform(-180, 180, (2, 30))
    first, second = np.deg2rad([latitude, east]).T, np.deg2rad([other, west]).T
    theirs = np.diag(pairwise.haversine_distances(first, second))
    view = numbers(latitude, other, {"longitude": east}, longitude=west)
    same(value_of("Haversine", view), theirs.mean() * 6_371_000)
    same(value_of("Haversine(radius=1)", view), theirs.mean())
    view = numbers(east, west, {"zenith": 90 - latitude}, zenith=90 - other)
    same(value_of("AngularError(unit=degrees)", view), np.rad2deg(theirs).mean())
    points = [
        np.column_stack([np.cos(x) * np.cos(y), np.cos(x) * np.sin(y), np.sin(x)])
        for x, y in (first.T, second.T)
    ]
    cosines = np.diag(pairwise.cosine_similarity(*points))
    same(value_of("AngularError(unit=degrees)", view), np.rad2deg(np.arccos(cosines)).mean())


def test_the_stratified_concordance_of_cibmtr(challenge, score):
    """The mean of groups less the deviation of their values, from files."""
    rng = np.random.default_rng(7)
    time, seen, risk = rng.exponential(1, 60), rng.integers(0, 2, 60), rng.normal(size=60)
    groups = rng.choice(["x", "y", "z"], 60)
    truth = "id,time,seen\n" + "".join(f"r{n},{time[n]},{seen[n]}\n" for n in range(60))
    lists = "id,race\n" + "".join(f"r{n},{groups[n]}\n" for n in range(60))
    sent = "id,risk\n" + "".join(f"r{n},{risk[n]}\n" for n in range(60))
    yaml = """
truth: {file: truth.csv, columns: {list: id, target: time, extra: {seen: number}}}
lists: {file: lists.csv, columns: {list: id, group: race}}
submission: {columns: {list: id, prediction: risk}}
metrics:
  - {metric: Concordance, event: seen, predicts: risk, average: group,
     aggregate: dispersion(1), id: stratified}
"""
    folder = challenge(yaml, **{"truth.csv": truth, "lists.csv": lists, "sub.csv": sent})
    ran = score(folder, folder / "sub.csv", "--format", "json")
    assert ran.code == 0, ran
    found = json.loads(ran.out)["submissions"][0]["values"]["stratified"]["mean"]
    each = [
        lifelines.concordance_index(time[groups == g], -risk[groups == g], seen[groups == g])
        for g in "xyz"
    ]
    same(found, np.mean(each) - np.std(each))
