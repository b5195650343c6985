"""`score compare`: several measures, or groups of lists, at once."""

import json

import numpy as np
import pytest

from scorer.stats.family import at_least, holm, holm_of_families

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


def test_measures_are_chosen_and_corrected_as_one_family(score, forums):
    every, alone = said(score, forums), said(score, forums, "--measures", "RMSE")
    (pair,) = alone["pairs"]
    assert list(pair["measures"]) == ["RMSE"]
    assert alone["how"]["measures_in_family"] == every["how"]["measures_in_family"] == 0
    ids = list(every["pairs"][0]["measures"])
    p = [every["pairs"][0]["measures"][key]["p"] for key in ids]
    family = said(score, forums, "--measures", ",".join(ids), "--holm")
    corrected = [family["pairs"][0]["measures"][key]["p"] for key in ids]
    assert corrected == pytest.approx(holm(np.array(p)).tolist())
    assert family["how"]["measures_in_family"] == 2
    text = score("compare", forums, forums / "a.csv", forums / "b.csv", "--holm").out
    assert "It is corrected by Holm for 2 measures" in " ".join(text.split())


def test_an_unknown_measure_is_named_with_those_there_are(score, forums):
    ran = score("compare", forums, forums / "a.csv", forums / "b.csv", "--measures", "AP")
    assert ran.code == 2
    assert "no measure 'AP'; there are" in ran.err


def test_in_how_many_groups_one_is_better(score, forums):
    (pair,) = said(score, forums, "--groups")["groups"]
    assert (pair["a"], pair["b"], pair["better"], pair["worse"]) == ("a", "b", 2, 0)
    assert list(pair["groups"]) == list(FORUMS)
    assert [group["lists"] for group in pair["groups"].values()] == [20, 20, 20]
    assert [group["p"] <= 0.05 for group in pair["groups"].values()] == [False, True, True]
    for form in ("table", "markdown", "html"):
        ran = score("compare", forums, forums / "a.csv", forums / "b.csv", "--groups",
                    "--format", form)  # fmt: skip
        text = " ".join(ran.out.split())
        assert "a is better than b in at least 2 of 3 groups" in text, form


def test_a_pooled_measure_has_groups_and_an_effect_with_an_interval(score, forums):
    yaml = (forums / "challenge.yaml").read_text().replace("MAE(average=list), ", "")
    (forums / "challenge.yaml").write_text(yaml)
    made = said(score, forums, "--groups")
    (pair,) = made["groups"]
    assert (pair["better"], pair["worse"]) == (2, 0)
    found = made["pairs"][0]["measures"]["RMSE"]
    low, high = found["effect_interval"]
    assert low < found["effect_size"] < high < 0


def test_groups_are_asked_for_where_there_are_some(score, forums):
    yaml = (forums / "challenge.yaml").read_text().replace("lists: forums.csv\n", "")
    (forums / "challenge.yaml").write_text(yaml)
    ran = score("compare", forums, forums / "a.csv", forums / "b.csv", "--groups")
    assert ran.code == 2
    assert "no groups of lists" in ran.err


def test_families_of_one_hypothesis_each_are_holms():
    p = np.random.default_rng(1).random(6)
    assert holm_of_families(p[:, None])[:, 0] == pytest.approx(holm(p))


def test_no_family_of_equal_ones_is_found_more_often_than_alpha():
    """Three measures of 10 pairs, corrected within each by Bonferroni; two measures are true."""
    rng, wrong = np.random.default_rng(2), 0
    for _ in range(2000):
        p = rng.random((3, 10))
        p[1:, 0] = 1e-9
        corrected = holm_of_families(np.minimum(10 * p, 1))
        corrected[1:, 0] = 1
        wrong += bool((corrected <= 0.05).any())
    assert wrong / 2000 < 0.065


@pytest.mark.parametrize(("true", "groups"), [(0, 6), (2, 6), (5, 6)])
def test_more_groups_than_there_are_are_rarely_claimed(true, groups):
    rng, wrong = np.random.default_rng(1), 0
    for _ in range(2000):
        p = rng.random(groups)
        p[:true] *= 1e-6
        wrong += at_least(p, 0.05) > true
    assert wrong / 2000 < 0.065
