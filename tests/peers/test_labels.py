"""Metrics of classes and numbers against scikit-learn, live, on random data."""

import warnings

import numpy as np
import pytest

sk = pytest.importorskip("sklearn.metrics")

from measured import value_of  # noqa: E402

from scorer.testing import labelled_view, targets_view  # noqa: E402

AVERAGES = ("micro", "macro", "weighted")
NAMES = np.array(["ant", "bee", "cow", "dog"])
SEEDS = range(25)


def same(ours, theirs):
    assert ours == pytest.approx(float(theirs), rel=1e-12, abs=1e-12, nan_ok=True)


def drawn(seed, size):
    """Names, true and predicted, probabilities with ties, and weights."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(2 * size + 2, 80))
    true = np.append(np.arange(size), rng.integers(size, size=rows - size))
    found = np.where(rng.random(rows) < 0.6, true, rng.integers(size, size=rows))
    found[:size] = np.arange(size)  # so that both have the same classes
    likely = rng.integers(1, 6, (rows, size)).astype(float)
    likely /= likely.sum(axis=1, keepdims=True)
    return NAMES[true], NAMES[found], likely, rng.integers(1, 5, rows) / 2


@pytest.mark.parametrize("seed", range(5))
def test_relative_cross_entropy_and_the_gini_of_a_ranking(seed):
    true, _, likely, weight = drawn(seed, 2)
    shown = {name: likely[:, n] for n, name in enumerate(NAMES[:2])}
    for mine in (None, weight):
        view = labelled_view(true, shown, weight=mine)
        loss = sk.log_loss(true, likely, sample_weight=mine)
        share = np.average(true == NAMES[1], weights=mine)
        naive = sk.log_loss(true, np.tile([1 - share, share], (len(true), 1)),
                                 sample_weight=mine)  # fmt: skip
        same(value_of("RCE", view), 100 * (1 - loss / naive))
        ones = (true == NAMES[1]).astype(float)
        area = sk.roc_auc_score(ones, likely[:, 1], sample_weight=mine)
        same(value_of("NormalizedGini", targets_view(ones, likely[:, 1], mine)), 2 * area - 1)


def views(true, found, likely, weight):
    shown = {name: likely[:, n] for n, name in enumerate(NAMES[: likely.shape[1]])}
    yield (
        labelled_view(true, found, weight=weight),
        labelled_view(true, shown, weight=weight),
        weight,
    )
    yield labelled_view(true, found), labelled_view(true, shown), None


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("seed", SEEDS)
def test_classes(seed, size):
    true, found, likely, weight = drawn(seed, size)
    for view, _, w in views(true, found, likely, weight):
        by = {"sample_weight": w}
        same(value_of("Accuracy", view), sk.accuracy_score(true, found, **by))
        same(value_of("HammingLoss", view), sk.hamming_loss(true, found, **by))
        same(value_of("BalancedAccuracy", view), sk.balanced_accuracy_score(true, found, **by))
        same(value_of("MCC", view), sk.matthews_corrcoef(true, found, **by))
        for weights in ("none", "linear", "quadratic"):
            how = None if weights == "none" else weights
            theirs = sk.cohen_kappa_score(true, found, weights=how, **by)
            same(value_of(f"Kappa(weights={weights})", view), theirs)
        for average in (*AVERAGES, "binary"):
            more = {"average": average, **by}
            extra = f"average={average}"
            if average == "binary":
                if size > 2:
                    more |= {"labels": ["bee"], "average": "macro"}
                more["pos_label"] = "bee"
                extra += ", positive=bee"
            for name, function in (
                ("Precision", sk.precision_score),
                ("Recall", sk.recall_score),
                ("F1", sk.f1_score),
                ("Jaccard", sk.jaccard_score),
            ):
                same(value_of(f"{name}({extra})", view), function(true, found, **more))
            theirs = sk.fbeta_score(true, found, beta=0.7, **more)
            same(value_of(f"FBeta(beta=0.7, {extra})", view), theirs)


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("seed", SEEDS)
def test_probabilities(seed, size):
    true, found, likely, weight = drawn(seed, size)
    for _, view, w in views(true, found, likely, weight):
        by, classes = {"sample_weight": w}, NAMES[:size]
        given = likely if size > 2 else likely[:, 1]
        same(value_of("LogLoss", view), sk.log_loss(true, likely, labels=classes, **by))
        scaled = {"pos_label": "bee"} if size == 2 else {"labels": classes}
        same(value_of("Brier", view), sk.brier_score_loss(true, given, **scaled, **by))
        for half, scale in ((True, "half"), (False, "whole")):
            theirs = sk.brier_score_loss(true, given, scale_by_half=half, **scaled, **by)
            same(value_of(f"Brier(scale={scale})", view), theirs)
        for k in range(1, size) if size > 2 else ():
            theirs = sk.top_k_accuracy_score(true, likely, k=k, labels=classes, **by)
            same(value_of(f"TopK@{k}", view), theirs)
        named = classes[likely.argmax(axis=1)] if size > 2 else classes[1 * (given >= 0.5)]
        same(value_of("F1(average=macro)", view), sk.f1_score(true, named, average="macro", **by))
        if size == 2:
            same(value_of("AUROC", view), sk.roc_auc_score(true == "bee", given, **by))
            other = value_of("AUROC(positive=ant)", view)
            same(other, sk.roc_auc_score(true == "ant", likely[:, 0], **by))
            theirs = sk.average_precision_score(true, given, pos_label="bee", **by)
            same(value_of("AveragePrecision", view), theirs)
            named = np.where(given >= 0.3, "bee", "ant")
            same(value_of("Accuracy(threshold=0.3)", view), sk.accuracy_score(true, named, **by))
            continue
        for average in AVERAGES:
            theirs = sk.roc_auc_score(true, likely, multi_class="ovr", average=average, **by)
            same(value_of(f"AUROC(average={average})", view), theirs)
            theirs = sk.average_precision_score(true, likely, average=average, **by)
            same(value_of(f"AveragePrecision(average={average})", view), theirs)
            if average != "micro" and w is None:  # scikit-learn takes no weights there
                theirs = sk.roc_auc_score(true, likely, multi_class="ovo", average=average)
                same(value_of(f"AUROC(average={average}, multi=ovo)", view), theirs)


@pytest.mark.parametrize("seed", SEEDS)
def test_several_labels(seed):
    rng = np.random.default_rng(seed)
    rows, size = int(rng.integers(5, 60)), 4
    true, found = (rng.random((2, rows, size)) < 0.4).astype(bool)
    true[0], true[1], found[0] = True, False, True
    likely = rng.integers(0, 8, (rows, size)) / 7
    for weight in (None, rng.integers(1, 5, rows) / 2):
        by = {"sample_weight": weight}
        base = labelled_view(["ant"] * rows, dict.fromkeys(NAMES, [0.0] * rows), weight=weight)
        from dataclasses import replace

        view = replace(base, truth=true, label=found, probability=None)
        probable = replace(base, truth=true, probability=likely)
        same(value_of("Accuracy", view, True), sk.accuracy_score(true, found, **by))
        same(value_of("HammingLoss", view, True), sk.hamming_loss(true, found, **by))
        same(value_of("HammingLoss", probable, True), sk.hamming_loss(true, likely >= 0.5, **by))
        for average in AVERAGES:
            for name, function in (
                ("Precision", sk.precision_score),
                ("Recall", sk.recall_score),
                ("F1", sk.f1_score),
                ("Jaccard", sk.jaccard_score),
            ):
                theirs = function(true, found, average=average, **by)
                same(value_of(f"{name}(average={average})", view, True), theirs)
            theirs = sk.roc_auc_score(true, likely, average=average, **by)
            same(value_of(f"AUROC(average={average})", probable, True), theirs)
            theirs = sk.average_precision_score(true, likely, average=average, **by)
            same(value_of(f"AveragePrecision(average={average})", probable, True), theirs)


@pytest.mark.parametrize("seed", SEEDS)
def test_numbers(seed):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(2, 70))
    true = rng.normal(1e3 * (seed % 3), 3, rows).round(1)
    found = (true + rng.normal(0.3, 2, rows)).round(1)
    for weight in (None, rng.integers(1, 5, rows) / 2):
        view, by = targets_view(true, found, weight=weight), {"sample_weight": weight}
        same(value_of("MAE", view), sk.mean_absolute_error(true, found, **by))
        same(value_of("MSE", view), sk.mean_squared_error(true, found, **by))
        same(value_of("RMSE", view), sk.root_mean_squared_error(true, found, **by))
        same(value_of("MAPE", view), sk.mean_absolute_percentage_error(true, found, **by))
        same(value_of("MedAE", view), sk.median_absolute_error(true, found, **by))
        same(value_of("ExplainedVariance", view), sk.explained_variance_score(true, found, **by))
        same(value_of("R2", view), sk.r2_score(true, found, **by))
        for quantile in (0.1, 0.5, 0.9):
            theirs = sk.mean_pinball_loss(true, found, alpha=quantile, **by)
            same(value_of(f"Pinball(quantile={quantile})", view), theirs)
        logs = targets_view(np.abs(true), np.abs(found), weight=weight)
        theirs = sk.root_mean_squared_log_error(np.abs(true), np.abs(found), **by)
        same(value_of("RMSLE", logs), theirs)
        if weight is None:
            same(value_of("MaxError", view), sk.max_error(true, found))
            stats = pytest.importorskip("scipy.stats")
            same(value_of("Pearson", view), stats.pearsonr(true, found).statistic)
            same(value_of("Spearman", view), stats.spearmanr(true, found).statistic)


@pytest.mark.parametrize("found", [[2.0, 2.0], [1.0, 2.0]])
def test_targets_that_are_all_equal(found):
    view = targets_view([2.0, 2.0], found)
    same(value_of("R2", view), sk.r2_score([2.0, 2.0], found))
    same(value_of("ExplainedVariance", view), sk.explained_variance_score([2.0, 2.0], found))
