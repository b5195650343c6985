"""Linting: canaries whose values are known, what they show, and truths that cannot be scored."""

import itertools
import json
import shutil
from importlib.resources import files

import numpy as np
import pytest
from scipy import stats

from scorer.api.lint import lint
from scorer.api.probes import evaluate_probe, make_probes
from scorer.challenge.load import load
from scorer.reading.table import make_table
from scorer.results.lint import Chance
from scorer.scoring.bind import bind
from scorer.scoring.open import open_challenge

STARTERS = ["preferences", "ranking", "ratings", "trec"]
ONE = "truth: truth.csv\nmetrics: ['nDCG@2', 'P@1', 'AP']\nsubmission: {missing_list: zero}\n"
RATED = "truth: truth.csv\nmetrics: [MAE(average=lists), R2(average=lists)]\nundefined: skip\n"
RATINGS = {"truth.csv": "list,item,rating\nu,a,1\nu,b,5\nv,a,2\nv,b,4\nv,c,3\n"}
ORDER = {"truth.csv": "list,better,worse\nq,a,b\nq,b,c\nr,b,a\n"}


def found(folder):
    """The findings as data."""
    return lint(folder, allow_plugins=True)


def canaries(lint):
    """Measure -> probe -> its value."""
    return {each.id: each.canaries for each in lint.measures}


def chances(lint):
    """Measure -> its distribution over random submissions."""
    return {each.id: each.random for each in lint.measures}


def warnings(folder):
    return "\n".join(r.message for r in found(folder).remarks if r.severity == "warning")


@pytest.mark.slow("draws and scores random submissions", beyond=1)
@pytest.mark.parametrize("kind", STARTERS)
def test_starters_are_sound(score, tmp_path, kind):
    shutil.copytree(files("scorer.challenge.templates") / kind, tmp_path / kind)
    ran = score("lint", tmp_path / kind, "--format", "json", "-o", tmp_path / "said.json")
    assert (ran.code, ran.out) == (0, "")
    data = json.loads((tmp_path / "said.json").read_text())
    assert data["sound"]
    assert data["random"]["draws"] == 100
    for measure in data["measures"]:
        made, chance = measure["canaries"], measure["random"]
        assert chance["low"] <= chance["mean"] <= chance["high"]
        best, least = made["perfect"], made["reversed"]
        assert best <= least if measure["id"][0] in "MR" else best >= least


def test_canaries_of_grades(challenge):
    truth = "list,item,grade\nq1,a,2\nq1,b,1\nq1,c,0\nq2,a,1\nq2,c,0\n"
    row = canaries(found(challenge(ONE, **{"truth.csv": truth})))
    assert row["nDCG@2"]["perfect"] == row["P@1"]["perfect"] == row["AP"]["perfect"] == 1
    # reversed c, b, a and c, a; constant a, b, c twice; tied c, b, a twice
    assert row["P@1"]["reversed"] == 0
    assert row["AP"]["reversed"] == pytest.approx(((1 / 2 + 2 / 3) / 2 + 1 / 2) / 2)
    assert row["P@1"]["constant"] == row["AP"]["constant"] == 1
    assert row["P@1"]["tied"] == 0
    assert row["AP"]["tied"] == pytest.approx(((1 / 2 + 2 / 3) / 2 + 1 / 3) / 2)
    assert row["AP"]["empty"] == 0
    assert list(row["AP"]) == ["perfect", "reversed", "constant", "empty", "tied"]


def test_the_result_is_a_table_and_folds_its_notes(challenge):
    result = found(challenge(ONE))
    assert repr(result) == "<Lint of challenge: sound>"
    rows = result.to_polars()
    assert rows.filter(submission="perfect")["value"].to_list() == [1.0, 1.0, 1.0]
    pytest.importorskip("pandas")
    assert result.to_pandas().shape == rows.shape
    page = result._repr_html_()
    shown, _, notes = page.partition("<details>")
    assert "Sound: " in shown
    assert "no .scorer-key" in notes


def test_canaries_of_ratings(challenge):
    row = canaries(found(challenge(RATED, **RATINGS)))
    assert row["MAE(average=lists)"] == {
        "perfect": 0,
        "reversed": 2.5 + 1 / 6,
        "constant": 4 / 3,
        "empty": None,
    }
    assert (row["R2(average=lists)"]["perfect"], row["R2(average=lists)"]["constant"]) == (1, 0)


def test_canaries_of_preferences(challenge):
    result = found(challenge("truth: truth.csv\nmetrics: [EDRC]\n", **ORDER))
    # the order of the names is right in q and wrong in r
    expected = {"perfect": 1, "reversed": -1, "constant": 0, "tied": 0, "empty": None}
    assert canaries(result)["EDRC"] == pytest.approx(expected)
    assert chances(result)["EDRC"].low < 0 < chances(result)["EDRC"].high


@pytest.mark.slow("draws and scores random submissions")
def test_random_ones_are_the_same_every_time(challenge):
    folder = challenge(ONE)
    assert chances(found(folder)) == chances(found(folder))
    other = challenge(ONE + "leaderboard: {seed: 2}\n")
    assert chances(found(other))["AP"].mean > 0


@pytest.mark.slow("draws and scores random submissions")
def test_chance_is_what_can_be_reckoned(challenge):
    truth = "".join(f"q{n},i{n % 10},1\n" for n in range(200))
    items = "item\n" + "".join(f"i{n}\n" for n in range(10))
    yaml = "truth: truth.csv\nitems: items.csv\nmetrics: [RR, 'Success@3']\n"
    result = found(
        challenge(yaml, **{"truth.csv": "list,item,grade\n" + truth, "items.csv": items})
    )
    harmonic = sum(1 / rank for rank in range(1, 11)) / 10
    assert result.random.from_ == "the 10 public items, at most 10 a list"
    chance = chances(result)
    assert chance["RR"].mean == pytest.approx(harmonic, abs=0.01)
    assert chance["Success@3"].mean == pytest.approx(0.3, abs=0.01)
    assert chance["Success@3"].deviation == pytest.approx((0.21 / 200) ** 0.5, rel=0.3)


def test_lengths_are_kept(challenge):
    yaml = ONE.replace("zero", "zero, length: {min: 2, max: 3}")
    truth = "list,item,grade\n" + "".join(f"q1,i{n},{n}\n" for n in range(9)) + "q2,a,1\n"
    ready = open_challenge(bind(load(challenge(yaml, **{"truth.csv": truth}))))
    made = make_probes(ready)
    for table in [*made.perfect, made.others["reversed"], made.others["tied"]]:
        lists = table.frame["list"].to_list()
        assert 2 <= lists.count("q1") <= 3
        assert 2 <= lists.count("q2") <= 3
    assert max(evaluate_probe(ready, table)["P@1"].mean for table in made.perfect) == 1


def test_each_list_draws_from_its_own_candidates(challenge):
    items = "list,item\nq1,a\nq1,b\nq2,a\nq2,c\n"
    yaml = ONE + "items: {file: items.csv, columns: {list: list}}\n"
    ready = open_challenge(bind(load(challenge(yaml, **{"items.csv": items}))))
    made = make_probes(ready)
    assert made.source.startswith("each list's own items")
    for table in (made.others["constant"], made.others["tied"]):
        named = set(table.frame.select("list", "item").iter_rows())
        assert named == {("q1", "a"), ("q1", "b"), ("q2", "a"), ("q2", "c")}


@pytest.mark.slow("draws and scores random submissions")
def test_ids_that_tell_the_answer(challenge):
    truth = "".join(f"q{n},{'z' if n % 2 else 'y'}{n},1\n" for n in range(20))
    truth += "".join(f"q{n},a{n},0\nq{n},b{n},0\nq{n},c{n},0\n" for n in range(20))
    items = "list,item\n" + "".join(
        f"q{n},{item}{n}\n" for n in range(20) for item in ("abcz" if n % 2 else "abcy")
    )
    yaml = "truth: truth.csv\nitems: {file: items.csv, columns: {list: list}}\nmetrics: [P@1]\n"
    data = {"truth.csv": "list,item,grade\n" + truth, "items.csv": items}
    assert "the rule for ties (item-desc) decides" in warnings(challenge(yaml, **data))
    fair = yaml + "submission: {ties: expected}\n"
    assert "ties" not in warnings(challenge(fair, **data))
    none = found(challenge(yaml + "submission: {ties: error}\n", **data))
    assert "tied" not in canaries(none)["P@1"]


# Ceilings


def best_of_all(ready, items, scores):
    """The best value of each list over every submission of these items and scores."""
    lists = ready.truth.lists
    (measure,) = ready.measures
    best = np.full(len(lists), np.nan)
    for given in itertools.product([None, *scores], repeat=len(items)):
        chosen = [(n, score) for n, score in enumerate(given) if score is not None]
        # one way to write each order with ties
        if {score for _, score in chosen} != set(range(1, len({s for _, s in chosen}) + 1)):
            continue
        if not chosen:
            continue
        many = len(chosen)
        ids = {"list": np.repeat(lists, many), "item": [items[n] for n, _ in chosen] * len(lists)}
        numbers = np.tile([float(score) for _, score in chosen], len(lists))
        length = ready.bound.challenge.submission.length
        if length is not None and length.max is not None and many > length.max:
            continue
        per_list = evaluate_probe(ready, make_table({**ids, "score": numbers}))[measure.id].per_list
        best = np.fmax(best, per_list)
    return float(np.nanmean(best))


GRADED = {
    "graded": "q1,a,3\nq1,b,1\nq1,c,0\nq2,b,2\nq2,d,2\nq2,a,0\n",
    "binary": "q1,a,1\nq1,b,1\nq1,c,0\nq1,d,0\nq2,b,1\nq2,d,0\nq2,a,0\n",
    "relevant": "q1,a,1\nq1,b,1\nq1,c,1\nq2,b,1\n",
}


@pytest.mark.slow("draws and scores random submissions", beyond=1)
@pytest.mark.parametrize("truth", ["graded", "binary", "relevant"])
@pytest.mark.parametrize("length", ["", ", length: {max: 2}"])
@pytest.mark.parametrize("measure", ["Tau", "Rho", "AUC", "AUC@2", "nDCG", "AP", "SetF", "TauAP"])
def test_the_ceiling_is_attainable_and_the_best(challenge, truth, length, measure):
    yaml = (
        f"truth: truth.csv\nmetrics: [{measure}]\nitems: items.csv\n"
        f"submission: {{missing_list: zero{length}}}\n"
    )
    data = {"truth.csv": "list,item,grade\n" + GRADED[truth], "items.csv": "item\na\nb\nc\nd\n"}
    if measure == "TauAP":  # which wants an order as its truth
        data["truth.csv"] = "list,item,grade\nq1,a,3\nq1,b,1\nq1,c,0\nq2,b,2\nq2,d,1\n"
    folder = challenge(yaml, **data)
    ready = open_challenge(bind(load(folder)))
    wanted = best_of_all(ready, ("a", "b", "c", "d"), (4, 3, 2, 1))
    perfect = canaries(found(folder))[ready.measures[0].id]["perfect"]
    assert perfect == pytest.approx(wanted, abs=1e-12)


def test_auc_with_a_maximum_length_is_sound(challenge):
    rng = np.random.default_rng(1)
    rows = [
        f"q{q},i{item:02},{int(n < 8)}"
        for q in range(40)
        for n, item in enumerate(rng.permutation(30)[:20])
    ]
    yaml = "truth: truth.csv\nmetrics: [AUC]\nitems: items.csv\nsubmission: {length: {max: 5}}\n"
    items = "item\n" + "".join(f"i{n:02}\n" for n in range(30))
    data = {"truth.csv": "list,item,grade\n" + "\n".join(rows) + "\n", "items.csv": items}
    made = found(challenge(yaml, **data))
    assert canaries(made)["AUC"]["perfect"] == 1
    assert made.sound


@pytest.mark.parametrize("items", ["", "items: items.csv\n"])
def test_no_probe_has_an_item_that_a_check_refuses(challenge, items, tmp_path, score):
    yaml = f"truth: truth.csv\nmetrics: [AUC, Tau]\n{items}submission: {{length: 4}}\n"
    data = {
        "truth.csv": "list,item,grade\n" + GRADED["binary"],
        "items.csv": "item\na\nb\nc\nd\ne\n",
    }
    folder = challenge(yaml, **data)
    ready = open_challenge(bind(load(folder)))
    made = make_probes(ready)
    rng = np.random.default_rng(1)
    tables = [*made.perfect, *made.others.values(), made.random(rng), made.degraded(rng, 0.5)]
    for n, table in enumerate(tables):
        if table.frame["list"].n_unique() < 2:
            continue  # an answer to no list, or to some, is not meant to be accepted
        rows = table.frame.select("list", "item", "score").iter_rows()
        lines = [",".join(map(str, row)) for row in rows]
        path = tmp_path / f"probe{n}.csv"
        path.write_text("list,item,score\n" + "\n".join(lines) + "\n")
        score("check", folder, path).assert_exit(0)


# Chance


@pytest.mark.parametrize("draws", [3, 10, 30])
def test_the_band_of_chance_holds_a_further_draw(draws):
    rng = np.random.default_rng(draws)
    held, times = 0, 4000
    for _ in range(times):
        *known, further = rng.normal(size=draws + 1).tolist()
        band = Chance.of(known)
        held += band.low <= further <= band.high
    assert stats.binomtest(held, times, 0.99).pvalue > 1e-4


# Lists that nobody could answer
