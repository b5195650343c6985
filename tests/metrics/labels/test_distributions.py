"""Distributions, times, points and curves: plain oracles, worked values, whole files."""

import json
import math
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from measured import measure_of, value_of

from scorer.metrics.notation import NotationError
from scorer.testing import labelled_view, ratings_view, scored_view, targets_view
from scorer.views.columns import Extras, NamedColumns

SEEDS = range(12)


def same(ours, theirs, near=1e-12):
    assert ours == pytest.approx(theirs, rel=near, abs=near, nan_ok=True)


def view_of(target, prediction, truth=None, weight=None, **sent):
    """Numbers with further columns of the submission and of the truth."""
    return targets_view(target, prediction, weight, truth=truth or {}, submission=sent)


def drawn(seed):
    """Targets, predictions, spreads and an event for each row, with ties."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(2, 25))
    target, prediction = rng.integers(0, 9, (2, rows)).astype(float)
    return target, prediction, rng.integers(1, 5, rows) / 2, rng.integers(0, 2, rows).astype(float)


# Distributions


@pytest.mark.parametrize("seed", SEEDS)
def test_the_laplace_density(seed):
    target, prediction, spread, _ = drawn(seed)
    plain = [
        math.log(1 / (math.sqrt(2) * s)) - math.sqrt(2) * abs(t - p) / s
        for t, p, s in zip(target, prediction, spread, strict=True)
    ]
    view = view_of(target, prediction, spread=spread)
    same(value_of("LaplaceLogLikelihood", view), sum(plain) / len(plain))
    held = [
        -math.sqrt(2) * min(abs(t - p), 3) / max(s, 1) - math.log(math.sqrt(2) * max(s, 1))
        for t, p, s in zip(target, prediction, spread, strict=True)
    ]
    same(value_of("LaplaceLogLikelihood(floor=1, cap=3)", view), sum(held) / len(held))


@pytest.mark.parametrize("spread", [0.0, -1.0, math.nan])
def test_a_spread_that_is_none_gives_no_value(spread):
    view = view_of([1, 2], [1, 2], spread=[1.0, spread])
    assert math.isnan(value_of("LaplaceLogLikelihood", view))
    assert math.isnan(value_of("CRPS", view)) == (spread != 0)


def integral(target, cumulative, points):
    """∫ (F - [target <= x])² by the midpoint rule."""
    step = points[1] - points[0]
    return sum((cumulative(x) - (target <= x)) ** 2 for x in points + step / 2) * step


@pytest.mark.parametrize("seed", range(4))
def test_the_continuous_ranked_probability_score_is_its_integral(seed):
    target, prediction, spread, _ = (column[:4] for column in drawn(seed))
    normal = [
        integral(t, lambda x, p=p, s=s: 0.5 * (1 + math.erf((x - p) / s / math.sqrt(2))),
                 np.arange(-30, 40, 0.01))
        for t, p, s in zip(target, prediction, spread, strict=True)
    ]  # fmt: skip
    same(value_of("CRPS", view_of(target, prediction, spread=spread)), np.mean(normal), 1e-4)
    other = prediction[::-1] + spread
    pairs = zip(target, prediction, other, strict=True)
    both = [
        integral(t, lambda x, a=a, b=b: (int(a <= x) + int(b <= x)) / 2, np.arange(-10, 20, 0.5))
        for t, a, b in pairs
    ]  # all numbers are multiples of a half
    view = view_of(target, prediction, more=other)
    same(value_of("CRPS", view, form="ensemble", members=["prediction", "more"]), np.mean(both))


def test_probabilities_of_steps_as_in_the_big_data_bowl():
    view = view_of([1], [0.2], p1=[0.7], p2=[1.0])
    steps = {"prediction": 0, "p1": 1, "p2": 2}
    same(value_of("CRPS", view, form="steps", steps=steps), (0.2**2 + 0.3**2 + 0) / 3)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_quantile_score_is_the_mean_of_pinball_losses(seed):
    target, prediction, spread, _ = drawn(seed)
    view = view_of(target, prediction, {"scale": spread}, high=prediction + spread)
    asked = {"quantiles": {"prediction": 0.5, "high": 0.9}}
    losses = [
        (max(q * (t - x), (q - 1) * (t - x)), s)
        for t, p, s in zip(target, prediction, spread, strict=True)
        for q, x in ((0.5, p), (0.9, p + s))
    ]
    same(value_of("QuantileScore", view, **asked), np.mean([loss for loss, _ in losses]))
    scaled = [loss / s for loss, s in losses]
    same(value_of("QuantileScore", view, scale="scale", **asked), np.mean(scaled))
    weight = np.arange(1.0, target.size + 1)
    weighted = replace(view, weight=weight)
    whole = np.average(scaled, weights=np.repeat(weight, 2))
    same(value_of("WSPL", weighted, scale="scale", **asked), whole)


@pytest.mark.parametrize("seed", SEEDS)
def test_coverage_counts_what_is_inside(seed):
    target, prediction, spread, _ = drawn(seed)
    view = view_of(target, prediction, low=prediction - spread, high=prediction + spread)
    inside = [abs(t - p) <= s for t, p, s in zip(target, prediction, spread, strict=True)]
    same(value_of("IntervalCoverage", view), sum(inside) / len(inside))


# Times


def concordant(time, prediction, event, weight, stratum):
    """All ordered pairs of which the first is seen to come before the second."""
    right = whole = 0.0
    for i, j in permutations(range(len(time)), 2):
        if stratum[i] != stratum[j] or not event[i]:
            continue
        if time[i] < time[j] or (time[i] == time[j] and not event[j]):
            pair = weight[i] * weight[j]
            whole += pair
            right += pair * ((prediction[i] < prediction[j]) + (prediction[i] == prediction[j]) / 2)
    return right / whole if whole else math.nan


@pytest.mark.parametrize("seed", range(40))
def test_concordance_counts_all_pairs(seed):
    time, prediction, weight, event = drawn(seed)
    stratum = np.array(["abc"[n % 3] for n in range(time.size)], dtype=object)
    columns = {"event": event, "race": stratum}
    rows, one = range(time.size), np.ones(time.size)
    view = view_of(time, prediction, columns)
    same(value_of("Concordance", view), concordant(time, prediction, one, one, [0 for _ in rows]))
    seen = concordant(time, prediction, event, one, [0 for _ in rows])
    same(value_of("Concordance(event=event)", view), seen)
    risk = view_of(time, -prediction, columns)
    same(value_of("Concordance(event=event, predicts=risk)", risk), seen)
    heavy = replace(view, weight=weight)
    within = concordant(time, prediction, event, weight, stratum)
    same(value_of("Concordance(event=event, strata=race)", heavy), within)


# Curves


def binary(seed, levels=6):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(4, 40))
    true = np.append([1, 0], rng.integers(0, 2, rows))
    return true, np.round(rng.integers(0, levels, rows + 2) / (levels - 1), 9)


def of_binary(true, likely, **fields):
    return labelled_view([str(n) for n in true], {"0": 1 - likely, "1": likely}, **fields)


def roc(true, likely):
    """The points of the curve, from no row to all."""
    points = [(0.0, 0.0)]
    for least in sorted({*likely}, reverse=True):
        kept = likely >= least
        points.append((sum(kept & (true == 0)) / sum(true == 0), sum(kept & (true == 1)) /
                       sum(true == 1)))  # fmt: skip
    return points


def under(points, low, high, flip=False, steps=20_000):
    """The area under the curve from low to high of its first rate, by many strips."""
    rate, height = (np.array(side) for side in zip(*points, strict=True))
    if flip:
        rate, height = 1 - height[::-1], 1 - rate[::-1]
        low, high = 1 - high, 1 - low
    x = np.linspace(low, high, steps, endpoint=False) + (high - low) / steps / 2
    at = np.searchsorted(rate, x)
    part = (x - rate[at - 1]) / (rate[at] - rate[at - 1])
    return float((height[at - 1] + part * (height[at] - height[at - 1])).mean() * (high - low))


@pytest.mark.parametrize("seed", SEEDS)
def test_parts_of_the_roc_curve(seed):
    true, likely = binary(seed)
    view, points = of_binary(true, likely), roc(true, likely)
    chance = 0.3**2 / 2
    low = (under(points, 0, 0.3) - chance) / (0.3 - chance)
    same(value_of("AUROC", view, max_fpr=0.3), 0.5 * (1 + low), 1e-3)
    same(value_of("AUROC", view, max_fpr=1), value_of("AUROC", view))
    same(value_of("AUROC", view, min_tpr=0.8), under(points, 0.8, 1, flip=True), 1e-3)
    same(value_of("AUROC", view, min_tpr=0), value_of("AUROC", view))


@pytest.mark.parametrize("seed", SEEDS)
def test_trapezoids_under_precision_and_recall(seed):
    true, likely = binary(seed)
    view, area, before = of_binary(true, likely), 0.0, (0.0, 1.0)
    for least in sorted({*likely}, reverse=True):
        kept = likely >= least
        now = sum(true[kept]) / sum(true), sum(true[kept]) / sum(kept)
        area += (now[0] - before[0]) * (now[1] + before[1]) / 2
        before = now
    same(value_of("PRTrapezoids", view), area)


@pytest.mark.parametrize("seed", SEEDS)
def test_probabilistic_f1(seed):
    true, likely = binary(seed)
    view, right = of_binary(true, likely), sum(likely[true == 1])
    for beta in (1, 2):
        precision, recall = right / sum(likely), right / sum(true)
        wanted = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
        same(value_of(f"ProbabilisticF1(beta={beta})", view), wanted if right else 0.0)


CURVES = [
    ("ProbabilisticF1", {}),
    ("PRTrapezoids", {}),
    ("AUROC", {"max_fpr": 0.3}),
    ("AUROC", {"min_tpr": 0.8}),
]


@pytest.mark.parametrize(("notation", "params"), CURVES)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_weight_of_three_is_three_rows(notation, params, seed):
    true, likely = binary(seed)
    times = np.random.default_rng(seed).integers(1, 4, true.size)
    weighted = of_binary(true, likely, weight=times.astype(float))
    thrice = of_binary(np.repeat(true, times), np.repeat(likely, times))
    same(value_of(notation, weighted, **params), value_of(notation, thrice, **params))


@pytest.mark.parametrize(("notation", "params"), CURVES)
def test_without_a_positive_row_there_is_no_value(notation, params):
    view = replace(of_binary(np.array([0, 1]), np.array([0.2, 0.6])), truth=np.array([0, 0]))
    assert math.isnan(value_of(notation, view, **params))


@pytest.mark.parametrize(
    ("notation", "params", "said"),
    [
        ("AUROC", {"max_fpr": 0}, "max_fpr cannot be 0"),
        ("AUROC", {"min_tpr": 1}, "min_tpr cannot be 1"),
        ("AUROC", {"max_fpr": 0.1, "min_tpr": 0.8}, "cannot be used together"),
        ("AUROC", {"max_fpr": 0.1, "multi": "ovo"}, "are for multi=ovr"),
    ],
)
def test_parts_that_cannot_be(notation, params, said):
    view = of_binary(np.array([0, 1]), np.array([0.2, 0.6]))
    with pytest.raises(NotationError, match=said):
        value_of(notation, view, **params)


def test_probabilistic_f1_is_of_two_classes():
    view = labelled_view(["a", "b", "c"], {name: [1 / 3] * 3 for name in "abc"})
    with pytest.raises(NotationError, match="two classes"):
        value_of("ProbabilisticF1", view)


# Points


@pytest.mark.parametrize("seed", SEEDS)
def test_points_on_a_sphere(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(2, 8, 3))
    points /= np.linalg.norm(points, axis=2, keepdims=True)
    angle = np.arccos((points[0] * points[1]).sum(axis=1))
    azimuth, zenith = np.arctan2(points[..., 1], points[..., 0]), np.arccos(points[..., 2])
    view = view_of(azimuth[0], azimuth[1] + 2 * np.pi, {"zenith": zenith[0]}, zenith=zenith[1])
    same(value_of("AngularError", view), angle.mean())
    degrees = view_of(*np.rad2deg(azimuth), {"zenith": np.rad2deg(zenith[0])},
                      zenith=np.rad2deg(zenith[1]))  # fmt: skip
    same(value_of("AngularError(unit=degrees)", degrees), np.rad2deg(angle).mean())
    north = 90 - np.rad2deg(zenith)
    sides = [{"longitude": np.rad2deg(side)} for side in azimuth]
    same(value_of("Haversine(radius=1)", view_of(*north, sides[0], **sides[1])), angle.mean())
    extras = Extras(*map(NamedColumns, sides, ("truth", "submission")))
    rated = ratings_view((north[0][:5], north[1][:5]), (north[0][5:], north[1][5:]))
    rated = replace(rated, extras=extras)
    same(value_of("Haversine(radius=1)", rated), (angle[:5].mean() + angle[5:].mean()) / 2)
    cuts = [np.quantile(part, [0.5, 0.95]).mean() for part in (angle[:5], angle[5:])]
    same(value_of("Haversine(radius=1)", rated, quantiles=[0.5, 0.95]), np.mean(cuts))


# Labels in order


@pytest.mark.parametrize("seed", SEEDS)
def test_label_ranking(seed):
    rng = np.random.default_rng(seed)
    lists = []
    for _ in range(5):
        scores = {item: float(rng.integers(0, 3)) for item in "abcdef"}
        truth = {item: 1.0 for item in "abcdefg" if rng.random() < 0.4}
        lists.append((scores, truth))
    own = [
        [
            sum(item in truth for item, x in scores.items() if x >= scores[one])
            / sum(x >= scores[one] for x in scores.values()) if one in scores else 0.0
            for one in truth
        ]
        for scores, truth in lists
    ]  # fmt: skip
    every = [x for each in own for x in each]
    view = scored_view(*lists)
    same(value_of("LRAP(average=pooled)", view), sum(every) / len(every) if every else math.nan)
    given = measure_of("LRAP", view)
    values = given.values(view)
    same(values.tolist(), [sum(x) / len(x) if x else math.nan for x in own])


# Through files

TRUTH = "id,time,seen,zenith,race\n" + "".join(
    f"r{n},{n % 7 + 1},{n % 2},{n / 10},{'xy'[n % 2]}\n" for n in range(20)
)
SENT = "id,time,zenith,spread\n" + "".join(
    f"r{n},{(n * 3) % 7 + 1},{n / 9},{1 + n % 3}\n" for n in range(20)
)
YAML = """
truth: {file: truth.csv, columns: {list: id, target: time, extra: {seen: number, zenith: number}}}
submission:
  columns: {list: id, prediction: time, extra: {zenith: number, spread: number}}
metrics:
  - Concordance(event=seen)
  - CRPS
  - LaplaceLogLikelihood
  - AngularError
  - {metric: QuantileScore, quantiles: {prediction: 0.5, spread: 0.1}, id: quantiles}
"""


@pytest.mark.parametrize("spread", ["0", "-1"])
def test_a_spread_that_is_none_never_wins(challenge, score, spread):
    worse = SENT.replace("r0,1,0.0,1", f"r0,1,0.0,{spread}")
    yaml = YAML.split("metrics:", maxsplit=1)[0] + "metrics: [LaplaceLogLikelihood]\n"
    folder = challenge(yaml, **{"truth.csv": TRUTH, "sub.csv": SENT, "bad.csv": worse})
    ran = score(folder, folder / "sub.csv", folder / "bad.csv")
    assert "1 file was rejected: bad." in ran.out.splitlines()
    assert "LaplaceLogLikelihood is undefined for id 'r0'" in ran.out + ran.err


@pytest.mark.parametrize("cell", ["", "nan", "inf", "word"])
def test_a_spread_that_is_no_number_is_refused(challenge, score, cell):
    bad = SENT.replace("r3,3,", "r3,3,", 1).replace("r0,1,0.0,1", f"r0,1,0.0,{cell}")
    folder = challenge(YAML, **{"truth.csv": TRUTH, "sub.csv": bad})
    ran = score("check", folder, folder / "sub.csv")
    assert ran.code != 0
    assert "spread" in ran.out + ran.err


def kaggle_gini(target, prediction):
    """As the winners' code: sorted by prediction, then by place, rows one by one."""
    rows = sorted(range(len(target)), key=lambda n: (-prediction[n], n))
    share = sum(np.cumsum([target[n] for n in rows])) / sum(target)
    return (share - (len(target) + 1) / 2) / len(target)


@pytest.mark.parametrize("seed", SEEDS)
def test_equal_predictions_in_the_order_of_the_truths_file(challenge, score, seed):
    rng = np.random.default_rng(seed)
    target, prediction = rng.integers(0, 2, 12), rng.integers(0, 3, 12)
    target[:2] = 0, 1
    names = [f"r{n}" for n in rng.permutation(12)]
    lines = {
        name: "id,y\n" + "".join(f"{i},{y}\n" for i, y in zip(names, column, strict=True))
        for name, column in (("truth.csv", target), ("sub.csv", prediction))
    }
    folder = challenge(
        "truth: {file: truth.csv, columns: {list: id, target: y}}\n"
        "submission: {columns: {list: id, prediction: y}}\nmetrics: [NormalizedGini(ties=file)]\n",
        **lines,
    )
    ran = score(folder, folder / "sub.csv", "--format", "json")
    found = json.loads(ran.out)["submissions"][0]["values"]["NormalizedGini(ties=file)"]["mean"]
    wanted = kaggle_gini(target, prediction) / kaggle_gini(target, target)
    same(found, wanted)


def test_one_class_alone_has_no_gini():
    assert math.isnan(value_of("NormalizedGini(ties=file)", targets_view([1, 1], [0.2, 0.3])))
