"""Cross-validation: what a challenge with folds is scored to."""

import json
import math
from statistics import fmean, stdev

import numpy as np
import pytest

from scorer.metrics.notation import parse_measure
from scorer.metrics.ranking import p
from scorer.results.scorecard import Rules, Scorecard
from scorer.scoring.aggregate import aggregate_folds

TRUTH = "list,item,rating\nu1,a,5\nu1,b,3\nu2,a,4\nu2,b,2\nu3,a,1\n"
MINE = "list,item,prediction\nu1,a,4\nu1,b,3\nu2,a,2\nu2,b,1\nu3,a,1.5\n"
BY_LIST = "list,fold\nu1,one\nu2,two\nu3,two\n"
BY_ITEM = "list,item,fold\nu1,a,1\nu1,b,2\nu2,a,2\nu2,b,1\nu3,a,1\n"


def scored(challenge, tmp_path, score, folds, metrics="MAE(average=lists), RMSE", more=""):
    yaml = f"truth: truth.csv\nfolds: {{file: folds.csv}}\nmetrics: [{metrics}]\n{more}"
    folder = challenge(yaml, **{"truth.csv": TRUTH, "folds.csv": folds})
    (tmp_path / "mine.csv").write_text(MINE)
    ran = score(folder, tmp_path / "mine.csv", "--format", "json", "--per-list")
    return ran, json.loads(ran.out)["submissions"][0]["values"] if ran.code == 0 else None


def test_folds_of_lists(challenge, tmp_path, score):
    _, values = scored(challenge, tmp_path, score, BY_LIST)
    mae = values["MAE(average=lists)"]
    assert mae["folds"] == {"one": 0.5, "two": 1.0}  # u1; (1.5 + 0.5) / 2
    assert mae["mean"] == 0.75
    assert mae["deviation"] == pytest.approx(stdev([0.5, 1.0]))
    assert mae["per_list"] == {"u1": 0.5, "u2": 1.5, "u3": 0.5}
    assert mae["lists"] == 3
    pooled = values["RMSE"]
    assert pooled["folds"] == {"one": math.sqrt(1 / 2), "two": math.sqrt((4 + 1 + 0.25) / 3)}
    assert pooled["mean"] == pytest.approx(fmean(pooled["folds"].values()))


def test_folds_of_a_lists_items(challenge, tmp_path, score):
    _, values = scored(challenge, tmp_path, score, BY_ITEM)
    mae = values["MAE(average=lists)"]
    assert mae["folds"] == {"1": (1 + 1 + 0.5) / 3, "2": (0 + 2) / 2}
    assert mae["per_list"] == {"u1": 0.5, "u2": 1.5, "u3": 0.5}


def test_each_fold_alone_is_a_challenge_of_its_own(challenge, tmp_path, score):
    _, values = scored(
        challenge, tmp_path, score, BY_ITEM, "MAE, MAE(average=lists), R2", "undefined: skip\n"
    )
    for fold in "12":
        pairs = [row.split(",") for row in BY_ITEM.splitlines()[1:]]
        mine = {(u, i) for u, i, n in pairs if n == fold}
        truth = [row for row in TRUTH.splitlines()[1:] if tuple(row.split(",")[:2]) in mine]
        said = [row for row in MINE.splitlines()[1:] if tuple(row.split(",")[:2]) in mine]
        folder = challenge(
            "truth: truth.csv\nmetrics: [MAE, MAE(average=lists), R2]\nundefined: skip\n",
            **{"truth.csv": "\n".join(["list,item,rating", *truth, ""])},
        )
        (tmp_path / "part.csv").write_text("\n".join(["list,item,prediction", *said, ""]))
        ran = score(folder, tmp_path / "part.csv", "--format", "json")
        alone = json.loads(ran.out)["submissions"][0]["values"]
        for key, value in values.items():
            assert value["folds"][fold] == alone[key]["mean"]


def test_reports_show_mean_and_deviation(challenge, tmp_path, score):
    scored(challenge, tmp_path, score, BY_LIST)
    for form in ("table", "markdown", "github", "html"):
        ran = score(tmp_path / "challenge", tmp_path / "mine.csv", "--format", form)
        assert "0.750 ± 0.354" in ran.out, form
    ran = score(tmp_path / "challenge", tmp_path / "mine.csv", "--format", "csv")
    assert "MAE(average=lists) sd" in ran.out.splitlines()[0]


def test_lists_without_relevant_items_have_a_fold_too(challenge, tmp_path, score):
    folder = challenge(
        "truth: truth.csv\nlists: {file: lists.csv}\nfolds: {file: folds.csv}\nmetrics: [P@1]\n",
        **{
            "truth.csv": "list,item\nq1,a\nq2,a\n",
            "lists.csv": "list\nq1\nq2\nq3\n",
            "folds.csv": "list,fold\nq1,1\nq2,2\nq3,2\n",
        },
    )
    (tmp_path / "mine.csv").write_text("list,item,rank\nq1,a,1\nq2,a,1\nq3,a,1\n")
    ran = score(folder, tmp_path / "mine.csv", "--format", "json")
    value = json.loads(ran.out)["submissions"][0]["values"]["P@1"]
    assert value["folds"] == {"1": 1.0, "2": 0.5}


def test_a_fold_without_a_value_counts_in_neither():
    each = parse_measure(p.metric, "P@1")

    def card(*values):
        names = tuple("abc"[: len(values)])
        return Scorecard(names, np.ones(len(values), dtype=bool), {"P@1": np.array(values)})

    cards = {"x": card(1.0, 0.5), "y": card(math.nan), "z": card(0.25, math.nan)}
    found = aggregate_folds(cards, "abc", each, {each.id: Rules("error", "skip")})
    assert found.mean == 0.5
    assert found.deviation == pytest.approx(stdev([0.75, 0.25]))
    assert math.isnan(found.folds["y"])
    assert found.per_list.tolist()[:2] == [0.625, 0.5]
    assert math.isnan(found.per_list[2])
    assert (found.lists, found.undefined) == (2, 2)
