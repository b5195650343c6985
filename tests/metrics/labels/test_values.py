"""Metrics of classes and numbers against the plainest Python, and the laws they keep."""

import math
from dataclasses import replace
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from measured import value_of
from variants import EVERY, METRICS, described

from scorer.metrics.notation import NotationError, parse, parse_measure
from scorer.metrics.ratios import Figure, Ratio
from scorer.testing import labelled_view, targets_view
from scorer.views.rows import Labelled, Targets

CLASSES = ("ant", "bee", "cow")
SEEDS = range(12)


def bound(notation, classes=CLASSES, multilabel=False):
    found = METRICS.find_all(parse(notation)[0], every=True)
    metric = next(m for m in found if "labels" in m.kinds)
    return parse_measure(metric, notation).resolve(
        SimpleNamespace(classes=classes, multilabel=multilabel)
    )


def same(ours, theirs):
    assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-12, nan_ok=True)


def drawn(seed, size=3):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(1, 40))
    true = rng.integers(size, size=rows)
    found = np.where(rng.random(rows) < 0.5, true, rng.integers(size, size=rows))
    likely = rng.integers(1, 5, (rows, size)) / 4
    likely = likely / likely.sum(axis=1, keepdims=True)
    return [CLASSES[n] for n in true], [CLASSES[n] for n in found], likely


def view_of(true, answer):
    """A view whose classes are all three, though a row may use fewer."""
    if not isinstance(answer, list):
        return labelled_view(true, {name: answer[:, n] for n, name in enumerate(CLASSES)})
    view = labelled_view([*true, *CLASSES], [*answer, *CLASSES])
    rows = len(true)
    return replace(
        view,
        names=view.names[:rows],
        answered=view.answered[:rows],
        truth=view.truth[:rows],
        label=view.label[:rows],
    )


# Plain oracles


def divided(part, whole, empty=0.0):
    return part / whole if whole else empty


def each_class(true, found, formula):
    """Each class's value and its number of true rows, of classes that occur."""
    rows = list(zip(true, found, strict=True))
    values = []
    for name in CLASSES:
        hits = sum(t == f == name for t, f in rows)
        predicted, real = found.count(name), true.count(name)
        if predicted + real:
            values.append((formula(hits, predicted, real), real, name))
    return values


FORMULAS = {
    "Precision": lambda hits, predicted, real: divided(hits, predicted),
    "Recall": lambda hits, predicted, real: divided(hits, real),
    "F1": lambda hits, predicted, real: divided(2 * hits, predicted + real),
    "FBeta": lambda hits, predicted, real: divided(5 * hits, 4 * real + predicted),
    "Jaccard": lambda hits, predicted, real: divided(hits, predicted + real - hits),
}


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("seed", SEEDS)
def test_of_classes(name, seed):
    true, found, _ = drawn(seed)
    view, formula = view_of(true, found), FORMULAS[name]
    more = ", beta=2" if name == "FBeta" else ""
    values = each_class(true, found, formula)
    mean = sum(v for v, _, _ in values) / len(values)
    same(value_of(f"{name}(average=macro{more})", view), mean)
    weighted = divided(sum(v * n for v, n, _ in values), sum(n for _, n, _ in values))
    same(value_of(f"{name}(average=weighted{more})", view), weighted)
    right = sum(t == f for t, f in zip(true, found, strict=True))
    micro = formula(right, len(true), len(true))
    same(value_of(f"{name}(average=micro{more})", view), micro)
    single = next((v for v, _, label in values if label == "bee"), 0.0)
    same(value_of(f"{name}(average=binary, positive=bee{more})", view), single)


def chance(true, found, cost):
    """Cohen's kappa from all pairs of a true and a predicted class."""
    code = {name: n for n, name in enumerate(CLASSES)}
    paid = sum(cost(code[t], code[f]) for t, f in zip(true, found, strict=True)) / len(true)
    expected = sum(cost(code[t], code[f]) for t in true for f in found) / len(true) ** 2
    return 1 - paid / expected if expected else math.nan


@pytest.mark.parametrize("seed", SEEDS)
def test_of_confusion(seed):
    true, found, _ = drawn(seed)
    view, rows = view_of(true, found), len(true)
    right = [t == f for t, f in zip(true, found, strict=True)]
    same(value_of("Accuracy", view), sum(right) / rows)
    same(value_of("HammingLoss", view), 1 - sum(right) / rows)
    recalls = [v for v, n, _ in each_class(true, found, FORMULAS["Recall"]) if n]
    same(value_of("BalancedAccuracy", view), sum(recalls) / len(recalls))
    same(value_of("Kappa", view), chance(true, found, lambda a, b: a != b))
    same(value_of("Kappa(weights=linear)", view), chance(true, found, lambda a, b: abs(a - b)))
    squared = chance(true, found, lambda a, b: (a - b) ** 2)
    same(value_of("Kappa(weights=quadratic)", view), squared)
    # the correlation of the classes' indicators, over all pairs of rows
    pairs = [(i, j) for i in range(rows) for j in range(rows)]
    together = [[side[i] == side[j] for i, j in pairs] for side in (true, found)]
    cross = sum(true[i] == found[j] for i, j in pairs)
    both = rows * sum(right) - cross
    spread = [rows**2 - sum(each) for each in together]
    same(value_of("MCC", view), divided(both, math.sqrt(spread[0] * spread[1])))


def pairs_right(true, score):
    right = [
        1.0 if yes > no else 0.5 if yes == no else 0.0
        for yes, t in zip(score, true, strict=True)
        for no, f in zip(score, true, strict=True)
        if t and not f
    ]
    return sum(right) / len(right) if right else math.nan


def precision_steps(true, score):
    if not any(true):
        return math.nan
    area, before = 0.0, 0
    for least in sorted(set(score), reverse=True):
        kept = [t for t, s in zip(true, score, strict=True) if s >= least]
        area += (sum(kept) - before) * sum(kept) / len(kept)
        before = sum(kept)
    return area / sum(true)


@pytest.mark.parametrize("seed", SEEDS)
def test_of_probabilities(seed):
    true, _, likely = drawn(seed)
    view, rows = view_of(true, likely), range(len(true))
    code = [CLASSES.index(name) for name in true]
    own = [float(likely[n, code[n]]) for n in rows]
    same(value_of("LogLoss", view), sum(-math.log(p) for p in own) / len(own))
    limits = [-math.log(min(max(p, 0.1), 0.9)) for p in own]
    same(value_of("LogLoss(eps=0.1)", view), sum(limits) / len(own))
    apart = [sum((likely[n, c] - (c == code[n])) ** 2 for c in range(3)) for n in rows]
    same(value_of("Brier", view), sum(apart) / len(apart))
    shares = [code.count(k) / len(code) for k in set(code)]
    naive = -sum(share * math.log(share) for share in shares)
    loss = sum(-math.log(p) for p in own) / len(own)
    same(value_of("RCE", view), 100 * (1 - loss / naive) if naive else math.nan)
    same(value_of("Brier(scale=half)", view), sum(apart) / len(apart) / 2)
    # of equal ones the later class first
    order = [sorted(range(3), key=lambda c, n=n: (-likely[n, c], -c)) for n in rows]
    top = [code[n] in order[n][:2] for n in rows]
    same(value_of("TopK@2", view), sum(top) / len(top))
    first = [max(range(3), key=lambda c, n=n: (likely[n, c], -c)) for n in rows]
    right = [first[n] == code[n] for n in rows]
    same(value_of("Accuracy", view), sum(right) / len(right))
    bins = [math.ceil(max(likely[n]) * 5 - 0.0) - 1 for n in rows]
    gaps = [
        abs(sum(right[n] - max(likely[n]) for n in rows if bins[n] == bin)) for bin in set(bins)
    ]
    same(value_of("ECE(bins=5)", view), sum(gaps) / len(right))
    for name, oracle in (("AUROC", pairs_right), ("AveragePrecision", precision_steps)):
        areas = [oracle([c == k for c in code], likely[:, k].tolist()) for k in range(3)]
        same(value_of(name, view), sum(areas) / 3)
        shares = [code.count(k) for k in range(3)]
        weighted = sum(a * n for a, n in zip(areas, shares, strict=True)) / len(code)
        same(value_of(f"{name}(average=weighted)", view), weighted)
        flat = [c == k for c in code for k in range(3)]
        same(value_of(f"{name}(average=micro)", view), oracle(flat, likely.ravel().tolist()))
    both = []
    for a, b in combinations(range(3), 2):
        mine = [n for n in rows if code[n] in (a, b)]
        for k in (a, b):
            both.append(pairs_right([code[n] == k for n in mine], [likely[n, k] for n in mine]))
    same(value_of("AUROC(multi=ovo)", view), sum(both) / 6)


@pytest.mark.parametrize("seed", SEEDS)
def test_of_numbers(seed):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(3, 30))
    true = rng.integers(1, 9, rows).astype(float)
    found = true + rng.integers(-3, 4, rows) / 2
    view, error = targets_view(true, found), (found - true).tolist()
    mean = lambda values: sum(values) / len(values)  # noqa: E731
    same(value_of("MAE", view), mean([abs(e) for e in error]))
    same(value_of("MSE", view), mean([e * e for e in error]))
    same(value_of("RMSE", view), math.sqrt(mean([e * e for e in error])))
    same(value_of("MaxError", view), max(map(abs, error)))
    ordered = sorted(map(abs, error))
    same(value_of("MedAE", view), (ordered[rows // 2] + ordered[(rows - 1) // 2]) / 2)
    same(value_of("MAPE", view), mean([abs(e) / t for e, t in zip(error, true, strict=True)]))
    both = list(zip(true.tolist(), found.tolist(), strict=True))
    shares = [2 * abs(t - f) / (abs(t) + abs(f)) for t, f in both]
    same(value_of("SMAPE", view), mean(shares))
    loss = [max(0.9 * (t - f), -0.1 * (t - f)) for t, f in both]
    same(value_of("Pinball(quantile=0.9)", view), mean(loss))
    logs = [(math.log1p(abs(f)) - math.log1p(t)) ** 2 for t, f in both]
    same(value_of("RMSLE", targets_view(true, np.abs(found))), math.sqrt(mean(logs)))
    above = [f + 9 for f in found.tolist()]
    plain = [(math.log(f) - math.log(t)) ** 2 for t, f in zip(true, above, strict=True)]
    same(value_of("RMSLE(log=plain)", targets_view(true, above)), math.sqrt(mean(plain)))
    same(value_of("RMSPE", view), math.sqrt(mean([((t - f) / t) ** 2 for t, f in both])))
    same(value_of("NormalizedGini", view), lorenz(found, true) / lorenz(true, true))
    spread = sum((t - mean(true)) ** 2 for t in true)
    same(value_of("R2", view), 1 - sum(e * e for e in error) / spread)
    centred = sum((e - mean(error)) ** 2 for e in error)
    same(value_of("ExplainedVariance", view), 1 - centred / spread)
    same(value_of("Pearson", view), correlated(true, found))
    ranked = [[mean([n for n, v in enumerate(sorted(side), 1) if v == x]) for x in side]
              for side in (true, found)]  # fmt: skip
    same(value_of("Spearman", view), correlated(*ranked))


def lorenz(key, target):
    """Kaggle's Gini: of rows without ties one after the other, tied rows share their mean."""
    groups = [[t for k, t in zip(key, target, strict=True) if k == at] for at in sorted(set(key))]
    ordered = [sum(group) / len(group) for group in groups[::-1] for _ in group]
    share = sum(sum(ordered[: n + 1]) for n in range(len(ordered))) / sum(ordered)
    return (share - (len(ordered) + 1) / 2) / len(ordered)


def correlated(first, second):
    first, second = ([x - sum(side) / len(side) for x in side] for side in (first, second))
    both = sum(a * b for a, b in zip(first, second, strict=True))
    whole = math.sqrt(sum(a * a for a in first) * sum(b * b for b in second))
    return both / whole if whole else math.nan


# Laws

OURS = [metric for metric in EVERY if metric.view in (Labelled, Targets)]
HERE = ("", "tests/metrics/labels/test_values.py")  # others read further columns
PLAIN = [each for each in OURS if described(each).tested_in in HERE]


def notations(view, columns):
    """Of the metrics of a view, those that read these columns."""
    return [
        each
        for metric in PLAIN
        if metric.view is view and ("probability" in metric.columns) is columns
        for each in described(metric).variants
    ]


VARIANTS = notations(Labelled, False)
PROBABLE = notations(Labelled, True)
NUMBERS = notations(Targets, False)


def plain(view):
    """What an oracle is told of each row: the true answer, and the given one."""
    if isinstance(view, Targets):
        return view.target.tolist(), view.prediction.tolist()
    true = [view.classes[n] for n in view.truth]
    if view.probability is None:
        return true, [view.classes[n] for n in view.label]
    return true, [dict(zip(view.classes, row, strict=True)) for row in view.probability.tolist()]


@pytest.mark.parametrize("seed", SEEDS)
def test_values_are_those_of_the_oracle_in_the_metrics_file(seed):
    for notations, view in views(seed):
        for notation in notations:
            made = bound(notation)
            if (oracle := described(made.metric).oracle) is not None:
                same(value_of(notation, view), oracle(*plain(view), **made.params))


def views(seed):
    true, found, likely = drawn(seed)
    rng = np.random.default_rng(seed)
    numbers = targets_view(rng.integers(1, 9, len(true)), rng.integers(1, 9, len(true)))
    yield VARIANTS, view_of(true, found)
    yield PROBABLE, view_of(true, likely)
    yield NUMBERS, numbers


def repeated(view, times):
    """The view with each row as many times as told."""
    arrays = {
        key: np.repeat(held, times, axis=0)
        for key, held in vars(view).items()
        if isinstance(held, np.ndarray)
    }
    return replace(view, names=tuple(np.repeat(view.names, times)), **arrays)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_weight_of_three_is_three_equal_rows(seed):
    for notations, view in views(seed):
        times = np.random.default_rng(seed).integers(0, 4, view.lists)
        times[0] = 1
        for notation in notations:
            weighted = replace(view, weight=times.astype(float))
            same(value_of(notation, weighted), value_of(notation, repeated(view, times)))


@pytest.mark.parametrize("seed", SEEDS)
def test_values_are_in_range_and_the_order_of_rows_is_no_matter(seed):
    for notations, view in views(seed):
        order = np.random.default_rng(seed).permutation(view.lists)
        shuffled = replace(
            view, **{k: v[order] for k, v in vars(view).items() if isinstance(v, np.ndarray)}
        )
        for notation in notations:
            low, high = bound(notation).metric.range
            found = value_of(notation, view)
            if "ties=file" not in notation:  # which the order of rows is for
                same(found, value_of(notation, shuffled))
            if not math.isnan(found):
                assert low is None or found >= low - 1e-12, notation
                assert high is None or found <= high + 1e-12, notation


@pytest.mark.parametrize("seed", SEEDS)
def test_the_truth_itself_is_perfect(seed):
    true, _, _ = drawn(seed)
    best = np.array([[float(name == each) for each in CLASSES] for name in true])
    numbers = np.random.default_rng(seed).integers(1, 9, len(true)).astype(float)
    for notations, view in (
        (VARIANTS, view_of(true, true)),
        (PROBABLE, view_of(true, best)),
        (NUMBERS, targets_view(numbers, numbers)),
    ):
        for notation in notations:
            metric, found = bound(notation).metric, value_of(notation, view)
            if math.isnan(found) or (notation == "MCC" and len(set(true)) == 1):
                continue
            if "positive=bee" in notation and "bee" not in true:
                continue
            wanted = metric.range[metric.better == "higher"]
            assert found == pytest.approx(wanted, abs=1e-9), notation


def test_nothing_at_all():
    none = [*zip(*[(VARIANTS, view_of([], [])), (NUMBERS, targets_view([], []))], strict=True)]
    for notations, view in zip(*none, strict=True):
        for notation in notations:
            found = value_of(notation, view)
            assert math.isnan(found) or "binary" in notation, notation


# Refusals


@pytest.mark.parametrize(
    ("notation", "said"),
    [
        ("F1(average=binary)", "average=binary needs positive="),
        ("F1(average=binary, positive=elk)", "'elk' is no class; there are 'ant', 'bee', 'cow'"),
        ("F1(positive=bee)", "positive= is for average=binary"),
        ("AUROC(positive=bee)", "positive= is for two classes"),
        ("AUROC(multi=ovo, average=micro)", "multi=ovo has average=macro or weighted"),
    ],
)
def test_parameters_that_do_not_fit(notation, said):
    _, _, likely = drawn(1)
    view = view_of([CLASSES[n % 3] for n in range(len(likely))], likely)
    with pytest.raises(NotationError, match=said):
        value_of(notation, view)


def test_a_row_without_an_answer_is_wrong_however_many_classes_are_looked_at():
    view = view_of(["ant", "bee"], np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    view = replace(view, answered=np.array([True, False]))
    same(value_of("TopK@9", view), 1 / 2)


@pytest.mark.parametrize(
    "notation", ["MCC", "Kappa", "LogLoss", "Brier", "ECE", "TopK@1", "BalancedAccuracy"]
)
def test_several_labels_are_refused_where_they_are_not_defined(notation):
    view = view_of(["ant"], np.array([[1.0, 0.0, 0.0]]))
    several = replace(view, truth=view.truth[:, None] == np.arange(3))
    with pytest.raises(NotationError, match="not defined for rows with several labels"):
        value_of(notation, several, True)


def test_two_classes_settle_what_is_not_written():
    made = bound("F1", ("no", "yes"))
    assert (made.params["average"], made.params["positive"]) == ("binary", "yes")
    assert bound("F1", ("no", "yes"), multilabel=True).params["average"] == "macro"
    assert bound("F1").params == {"average": "macro", "positive": None, "threshold": 0.5}
    assert bound("F1(average=binary, positive=1)").params["positive"] == "1"
    assert bound("Kappa(weights=none)").params["weights"] == "none"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_draw_of_rows_has_the_value_of_these_rows(seed):
    """A row that is drawn twice is two rows, and one that is not drawn is none."""
    for notations, view in views(seed):
        times = np.random.default_rng(seed).integers(0, 3, view.lists)
        times[0] = 1
        rows = repeated(view, times)  # before properties are cached in the view
        for notation in notations:
            given = replace(bound(notation), weighted=True).values(view)
            if isinstance(given, Figure) and given.no_bootstrap:
                continue
            if isinstance(given, Ratio | Figure):
                same(given.pooled(times), value_of(notation, rows))


@pytest.mark.parametrize("seed", range(6))
def test_a_constant_submission_has_a_correlation_of_0_whatever_the_weights(seed):
    rng = np.random.default_rng(seed)
    truth = np.array(list("abc"))[rng.integers(0, 3, 300)].tolist()
    weights = rng.choice([0.5, 1, 2, 3.7], 300)
    view = labelled_view(truth, ["a"] * 300, weights)
    assert value_of("MCC", view) == 0
