"""Items as the sample: ratings of the same items in all lists are drawn together."""

import numpy as np
import pytest

from scorer.api.score import score
from scorer.challenge.load import load
from scorer.core.errors import ChallengeError
from scorer.prepare.bind import prepare
from scorer.stats.figures import pseudo_values
from scorer.stats.intervals import Scale, intervals


@pytest.fixture
def made(tmp_path):
    """Lists are columns, items are questions: each question is as hard in all columns."""

    def make(metrics, lists=4, items=60, more=""):
        rng = np.random.default_rng(3)
        truth = rng.normal(size=(lists, items))
        hard = rng.gamma(2, 0.5, items)
        names = [(n, q) for n in range(lists) for q in range(items)]
        rows = [f"c{n},q{q:03},{truth[n, q]:.17g}" for n, q in names]
        (tmp_path / "truth.csv").write_text("\n".join(["list,item,rating", *rows, ""]))
        errors = []
        for run, size in enumerate((0.5, 1.0, 2.0)):
            error = size * hard * rng.normal(size=items) + 0.1 * rng.normal(size=(lists, items))
            rows = [f"c{n},q{q:03},{truth[n, q] + error[n, q]:.17g}" for n, q in names]
            (tmp_path / f"r{run}.csv").write_text("\n".join(["list,item,prediction", *rows, ""]))
            errors.append(error)
        (tmp_path / "challenge.yaml").write_text(
            f"truth: truth.csv\nmetrics:\n{metrics}leaderboard: {{draws: 400}}\n{more}"
        )
        return load(tmp_path), [tmp_path / f"r{n}.csv" for n in range(3)], np.array(errors)

    return make


@pytest.mark.parametrize("average", ["pooled", "lists"])
def test_the_interval_is_that_of_the_items(made, average):
    challenge, files, errors = made(
        f"  - {{id: e, metric: RMSE, average: {average}, unit: item}}\n"
    )
    report = score(challenge, files)
    assert report.certainty.how.over == "items"
    assert report.certainty.how.units == 60
    squares = errors.transpose(0, 2, 1) ** 2  # runs, items, lists

    def figure(sums):
        if average == "pooled":
            return np.sqrt(sums[:, :4].sum(axis=1) / (4 * sums[:, 4]))
        return np.sqrt(sums[:, :4] / sums[:, 4:]).mean(axis=1)

    sums = np.concatenate([squares, np.ones((3, 60, 1))], axis=2)
    wanted = intervals(pseudo_values(sums, figure), scale=Scale((0, None)))
    for n, row in enumerate(sorted(report.standings, key=lambda row: row.name)):
        assert row.interval == pytest.approx((wanted[n].low, wanted[n].high), rel=1e-9)


def test_lists_of_the_same_items_are_no_sample(made):
    """Four columns of the same hard questions say less than four independent ones."""
    by = {}
    for unit in ("item", "list"):
        challenge, files, _ = made(f"  - {{metric: MSE, unit: {unit}}}\n")
        row = score(challenge, files).standings[0]
        by[unit] = row.interval[1] - row.interval[0]
    assert by["item"] > 2 * by["list"]


def test_figures_without_sums_and_formulas_draw_items_too(made):
    metrics = (
        '  - {id: s, score: "r2 - 0.1*mae", unit: item}\n'
        "  - {id: r2, metric: R2, unit: item}\n  - {id: mae, metric: MAE, unit: item}\n"
        "  - {id: each, metric: R2, average: lists, unit: item}\n"
    )
    challenge, files, _ = made(metrics)
    for primary in ("s", "r2", "mae", "each"):
        specs = [m.model_copy(update={"primary": m.id == primary}) for m in challenge.metrics]
        report = score(challenge.model_copy(update={"metrics": tuple(specs)}), files)
        assert report.certainty.how.over == "items"
        for row in report.standings:
            assert row.interval[0] < row.values[primary] < row.interval[1]
        assert report.certainty.p[0, 2] <= 0.05


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        ("  - {id: m, metric: NDCG@5, unit: item}\n", "items are drawn for ratings"),
        ("  - {id: m, metric: P@5, unit: item}\n", "items are drawn for ratings"),
    ],
)
def test_other_kinds_draw_no_items(tmp_path, metrics, message):
    (tmp_path / "truth.csv").write_text("list,item\nq1,d1\n")
    (tmp_path / "challenge.yaml").write_text(f"truth: truth.csv\nmetrics:\n{metrics}")
    with pytest.raises(ChallengeError, match=message):
        prepare(load(tmp_path))


def test_all_measures_of_a_formula_draw_alike(made):
    metrics = '  - {id: s, score: "1*mae", unit: item}\n  - {id: mae, metric: MAE}\n'
    challenge, _, _ = made(metrics)
    with pytest.raises(ChallengeError, match="unit: item stands at all its measures"):
        prepare(challenge)
