"""`score compare`: the measures by which pairs are compared."""

import json

import numpy as np
import pytest

FORUMS = ("ants", "bees", "cows")


@pytest.fixture
def forums(challenge):
    """Ratings of three forums of 20 lists; `b` is worse in two of them."""
    rng = np.random.default_rng(3)
    names = [f"l{n:02}" for n in range(60)]
    grouped = "list,group\n" + "".join(
        f"{each},{FORUMS[n // 20]}\n" for n, each in enumerate(names)
    )
    worse = np.repeat([0.0, 1.0, 1.0], 20)
    files = {
        "truth.csv": "list,item,rating\n" + "".join(f"{each},i,5\n" for each in names),
        "forums.csv": grouped,
    }
    for run, extra in (("a", 0.0), ("b", worse)):
        errors = np.abs(rng.normal(0, 0.5, 60)) + extra
        rows = (f"{each},i,{5 + error:.9f}\n" for each, error in zip(names, errors, strict=True))
        files[f"{run}.csv"] = "list,item,prediction\n" + "".join(rows)
    yaml = "truth: truth.csv\nlists: forums.csv\nmetrics: [MAE(average=list), RMSE]\n"
    return challenge(yaml, **files)


def said(score, folder, *words):
    ran = score("compare", folder, folder / "a.csv", folder / "b.csv", *words, "--format", "json")
    assert ran.code == 0, ran
    return json.loads(ran.out)


def test_measures_are_chosen(score, forums):
    every, alone = said(score, forums), said(score, forums, "--measures", "RMSE")
    assert len(every["pairs"][0]["measures"]) == 2
    (pair,) = alone["pairs"]
    assert list(pair["measures"]) == ["RMSE"]
    assert pair["measures"]["RMSE"] == every["pairs"][0]["measures"]["RMSE"]


def test_an_unknown_measure_is_named_with_those_there_are(score, forums):
    ran = score("compare", forums, forums / "a.csv", forums / "b.csv", "--measures", "AP")
    assert ran.code == 2
    assert "no measure 'AP'; there are" in ran.err
