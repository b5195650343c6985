"""Linting: canaries whose values are known, what they show, and truths that cannot be scored."""

import itertools
import json
import math
import shutil
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from scorer.api.lint import lint
from scorer.api.probes import evaluate_probe, make_probes
from scorer.challenge.load import load
from scorer.core.errors import ChallengeError
from scorer.reading.table import make_table
from scorer.results.lint import Chance
from scorer.scoring.bind import bind
from scorer.scoring.open import open_challenge

ROOT = Path(__file__).parents[2]
STARTERS = ["preferences", "ranking", "ratings", "trec"]
BARE = "list,item\nq1,a\nq1,b\nq2,a\n"
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


def said(folder, severity=None):
    return "\n".join(r.message for r in found(folder).remarks if severity in (None, r.severity))


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
    assert "the rule for ties (item-desc) decides" in said(challenge(yaml, **data), "warning")
    fair = yaml + "submission: {ties: expected}\n"
    assert "ties" not in said(challenge(fair, **data), "warning")
    none = found(challenge(yaml + "submission: {ties: error}\n", **data))
    assert "tied" not in canaries(none)["P@1"]


@pytest.mark.parametrize(
    ("yaml", "data", "severity", "text"),
    [
        (
            ONE, {"truth.csv": "list,item,grade\nq1,a,2\nq1,b,1\nq2,a,0\n"}, "warning",
            "1 of 2 lists have no relevant item (grade 1 or more): 'q2'",
        ),
        (ONE.replace("zero", "skip"), {}, "warning", "lets a submission choose"),
        (
            ONE, {"truth.csv": "list,item,grade\nq1,a,2\nq1,b,1\nq1,c,1\nq2,a,1\n"}, "note",
            "1 of 2 lists have equal grades on both sides of rank 2",
        ),
        (
            ONE.replace("P@1", "P@5"), {}, "note",
            "the best that is possible here: P@5 0.3 instead of 1",
        ),
        (
            "truth: truth.csv\nmetrics: [MAE]\nsubmission: {missing_list: skip}\n",
            {"truth.csv": "list,item,rating\nu,a,3\nv,a,3\n"}, "error",
            "MAE is 0 for every submission",
        ),
        (
            "truth: truth.csv\nmetrics: [AP, CG]\n",
            {"truth.csv": "list,item\nq,a\nq,b\n"}, "warning", "CG is 2 for every submission",
        ),
        (  # whose answers all are one item
            "truth: truth.csv\nmetrics: [RR]\n", {"truth.csv": "list,item\nq,a\nr,a\n"},
            "warning", "it distinguishes none; those tried have the items that the truth names",
        ),
        (
            "truth: truth.csv\nitems: items.csv\nmetrics: [RR]\n",
            {"truth.csv": "list,item\nq,a\nr,a\n", "items.csv": "item\na\n"},
            "error", "RR is 1 for every submission, so it distinguishes none",
        ),
        (
            "truth: truth.csv\nmetrics: [Low]\nplugins: [own.py]\n", {"own.py": """
from scorer import Ranked, metric
@metric("Low", title="t", source="s", range=(-9, 9), better="lower")
def low(ranked: Ranked) -> float:
    '''The first grade.'''
    return max([0.0, *(g / n for n, g in enumerate(ranked.grades, 1) if g == g)])
"""}, "error", "Low: reversed (0.75) is better than perfect (1.5)",
        ),
        (
            "truth: truth.csv\nmetrics: [Few]\nsubmission: {missing_list: zero}\n"
            "plugins: [own.py]\n", {"own.py": """
from scorer import Ranked, metric
@metric("Few", title="t", source="s")
def few(ranked: Ranked) -> float:
    '''Short lists are good.'''
    return 1 - len(ranked.grades) / 100
"""}, "warning", "Few: an empty submission has 1, better than random ones",
        ),
        (ONE + "leaderboard: {baselines: [b.csv]}", {"b.csv": "list,item\nq9,a\n"}, "error",
         "baseline b is rejected: b.csv: error[S311]"),
        (ONE + "lists: lists.csv", {"lists.csv": "list,grade\nq1,3\nq2,1\n"}, "warning",
         "lists: the public file has a column 'grade', as the truth has; are these answers?"),
        (ONE + "items: items.csv", {"items.csv": "item,grade\na,3\nb,1\nc,1\nz,2\n"}, "warning",
         "items: the public file has a column 'grade', as the truth has; are these answers?"),
        (
            ONE + "items: items.csv",
            {"items.csv": "list,item\nq1,b\nq1,a\nq2,a\n", "truth.csv": BARE}, "warning",
            "items: 2 of 2 lists have no other candidates than their relevant items",
        ),
        (ONE + "items: items.csv", {"items.csv": "item\na\nb\nc\n"}, "warning",
         "items: the catalogue holds just the items that the truth names"),
        (
            "truth: truth.csv\nmetrics: [Mark]\nplugins: [own.py]\n",
            {"truth.csv": "list,item\nq,one two three\nr,four five six\n", "own.py": """
import numpy as np
from scorer import Texts, metric
@metric("Mark", title="t", source="s")
def mark(texts: Texts):
    '''Two numbers in an answer, three in the truth.'''
    return np.array([float(len((text or "").split()) == 2) for text in texts.first()])
"""}, "warning", "`examples:` of such a submission show what it gives",
        ),
        (
            "truth: truth.csv\nmetrics: [Tau]\nundefined: zero\n",
            {"truth.csv": "list,item,grade\nq,a,3\nq,b,2\nq,c,1\nr,a,1\nr,b,2\n"}, "warning",
            "'Tau' compares the items that a list ranks, so that leaving out those it is unsure",
        ),
        (ONE, {}, "note", "no .scorer-key"),
        (ONE, {}, "note", "no examples"),
    ],
)  # fmt: skip
@pytest.mark.slow("draws and scores random submissions", beyond=1)
def test_what_is_remarked(challenge, yaml, data, severity, text):
    result = found(challenge(yaml, **data))
    assert any(text in each.message for each in result.remarks if each.severity == severity)
    assert result.sound == all(each.severity != "error" for each in result.remarks)
    full, brief = (" ".join(result.render(every=every).split()) for every in (True, False))
    assert text in full
    assert (text in brief) == (severity != "note")
    assert (" Sound: " if result.sound else " NOT SOUND: ") in brief


LOOKALIKES = """
truth: truth.csv
metrics: [P@1]
"""


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (("a1", "A1"), "item 'A1' differs from 'a1' only by case"),
        (("caf\u00e9", "cafe\u0301"), "only by Unicode normalisation"),
        (("7", "007"), "item '007' differs from '7' only by leading zeros"),
        (("1", "1.0"), "item '1.0' differs from '1' only as a number is written"),
        (("10", "1"), None),
        (("x1", "x01"), None),
    ],
)
def test_ids_that_look_alike_are_warned_of(challenge, names, text):
    rows = "".join(f"q{n},{name},1\n" for n, name in enumerate(names))
    folder = challenge(LOOKALIKES, **{"truth.csv": f"list,item,grade\n{rows}"})
    warnings = said(folder, "warning")
    assert ("look" in warnings or "only" in warnings) == (text is not None)
    assert text is None or text in warnings


@pytest.mark.parametrize("column", ["list", "label"])
def test_lists_and_classes_that_look_alike_are_warned_of(challenge, column):
    rows = {"list": "Q1,a\nq1,b\nq2,a\n", "label": "q1,Yes\nq2,yes\nq3,no\n"}[column]
    yaml = "truth: truth.csv\nmetrics: [Accuracy]\n"
    text = said(challenge(yaml, **{"truth.csv": f"list,label\n{rows}"}), "warning")
    word, pair = {"list": ("list", "'q1' differs from 'Q1'"),
                  "label": ("class", "'yes' differs from 'Yes'")}[column]  # fmt: skip
    assert f"truth: {word} {pair} only by case; are these different ones?" in text


def test_the_ceiling_of_an_odd_measure_is_told_as_a_bound(challenge):
    truth = {"truth.csv": "list,item,grade\nq,a,3\nq,b,2\nr,a,1\n"}
    text = said(challenge("truth: truth.csv\nmetrics: [P@2, Tau]\nundefined: zero\n", **truth))
    assert "P@2 0.75 instead of 1" in text
    assert "Tau at least 0.5 instead of 1" in text
    facets = "list,subtopic,item,grade\nq,s,a,1\nq,t,b,1\nq,t,c,1\n"
    text = said(challenge("truth: facets.csv\nmetrics: [AP_IA]\n", **{"facets.csv": facets}))
    assert "AP_IA at least 0.791667 instead of 1" in text  # a, b, c: (1 + (1/2 + 2/3) / 2) / 2


@pytest.mark.slow("draws and scores random submissions")
def test_examples_fail_loudly(score, challenge):
    example = "examples: [{submission: s.csv, expect: {AP: 0.5, XX: 1}}]\n"
    ran = score("lint", challenge(ONE + example, **{"s.csv": "list,item\nq1,a\nq2,a\n"}))
    assert ran.code == 2
    assert "AP = 0.75 FAILS: expected 0.5" in ran.out
    assert "XX: no such value (measures: nDCG@2, P@1, AP)" in ran.out
    assert "NOT SOUND: 2 errors" in ran.out
    assert "1 example, 1 failed." in " ".join(ran.out.split())
    ran = score("lint", challenge(ONE + example, **{"s.csv": "list,item\nq1,a\nq1,a\n"}))
    ran.assert_exit(2, out="examples[0]: s.csv:3:4: error[S304]")
    told = " ".join(ran.out.split())
    assert "examples[0] (s.csv): AP: the example was rejected, so it has no values" in told
    assert "no such value" not in told
    assert not score("lint", challenge(ONE + example), "--format", "json").json(2)["sound"]


def test_warnings_of_the_truth_are_shown(score, challenge):
    truth = "list,item,grade\nq1,a,2\nq1,a,2\nq2,c,1\n"
    ran = score("lint", challenge(ONE, **{"truth.csv": truth}))
    assert ran.code == 0
    assert "warning[T304] item 'a' of list 'q1' is graded twice, with the same grade" in ran.out
    ran = score("lint", challenge(ONE + "items: items.csv\n", **{"items.csv": "item\na\n"}))
    ran.assert_exit(2, err="T305")


@pytest.mark.slow("draws and scores random submissions")
def test_where_no_difference_can_be_significant_none_is_detectable(challenge, score):
    truth = "list,item,grade\n" + "".join(f"q{n},i{n},1\nq{n},j{n},0\n" for n in range(5))
    folder = challenge("truth: truth.csv\nmetrics: [RR]\n", **{"truth.csv": truth})
    assert all(math.isinf(each.difference) for each in found(folder).detectable.among)
    ran = score("lint", folder)
    told = " ".join(ran.out.split())
    assert "no difference in RR between two submissions is found about 80 %" in told
    data = score("lint", folder, "--format", "json").json()
    assert [each["difference"] for each in data["detectable"]["among"]] == [None] * 4


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

TIED = "list,item,grade\nq1,a,1\nq1,b,1\nq2,a,1\nq2,b,0\n"


@pytest.mark.parametrize(
    ("yaml", "truth", "lists"),
    [
        ("metrics: [Tau]\nundefined: error", TIED, "'q1'"),
        ("metrics: [AP]\nundefined: error", "list,item,grade\nq1,a,0\nq2,a,1\n", "'q1'"),
        ("metrics: [EDRC]\nundefined: error", ORDER["truth.csv"] + "s,z,z\n", None),
        ("metrics: [R2(average=lists)]\nundefined: error",
         "list,item,rating\nu,a,1\nu,b,2\nv,a,2\n", "'v'"),
        ("metrics: [MAE(average=lists)]\nlists: lists.csv", RATINGS["truth.csv"], "'w'"),
    ],
)  # fmt: skip
def test_a_truth_that_nobody_can_answer(score, challenge, yaml, truth, lists):
    data = {"truth.csv": truth, "sub.csv": "list,item\nq1,a\n", "lists.csv": "list\nu\nv\nw\n"}
    folder = challenge(f"truth: truth.csv\n{yaml}\n", **data)
    ran = score("lint", folder).assert_exit(2)
    assert ran.out == ""
    if lists:
        assert f"truth.csv: error[T511] {yaml.split('[')[1].split(']')[0]} has no value" in ran.err
        assert f"list {lists}, whatever is submitted" in ran.err
    assert "T511" not in score(folder, folder / "sub.csv").err


@pytest.mark.parametrize(
    ("yaml", "truth", "submission"),
    [
        ("metrics: [MAE]", RATINGS["truth.csv"],
         "list,item,prediction\nu,a,1\nu,b,1\nv,a,2\nv,b,2\nv,c,2\n"),
        ("metrics: [AP]\nundefined: error", "list,item,grade\nq1,a,1\nq2,a,1\n",
         "list,item\nq1,a\nq2,b\n"),
        # the perfect list holds one item; a longer one is needed
        ("metrics: ['ILD@2']\nundefined: error\nitems: {file: i.csv, columns: {features: [x]}}",
         "list,item,grade\nq1,a,1\n", "list,item\nq1,a\nq1,b\n"),
        ("metrics: ['AP(denominator=hits)@2']\nundefined: error",
         "list,item,grade\nq1,a,1\n", "list,item\nq1,a\n"),
        # lists that are left out do not count
        ("metrics: [AP]\nundefined: error\nsubmission: {missing_list: skip}",
         "list,item,grade\nq1,a,1\nq2,b,1\n", "list,item\nq1,a\n"),
    ],
)  # fmt: skip
def test_a_truth_that_can_be_answered(score, challenge, yaml, truth, submission):
    data = {"truth.csv": truth, "sub.csv": submission, "i.csv": "item,x\na,1\nb,2\n"}
    folder = challenge(f"truth: truth.csv\n{yaml}\n", **data)
    score(folder, folder / "sub.csv").assert_exit(0)


@pytest.mark.parametrize("grade", [1, 2])  # where both are 1, no submission has a value
def test_in_a_submission_it_is_the_submissions_problem(score, challenge, grade):
    yaml = "truth: truth.csv\nmetrics: [Tau]\nundefined: error\n"
    truth = f"list,item,grade\nq1,a,{grade}\nq1,b,1\n"
    folder = challenge(yaml, **{"truth.csv": truth, "sub.csv": "list,item\nq1,a\n"})
    score(folder, folder / "sub.csv").assert_exit(1, err="S511")


def test_a_fold_that_nobody_can_answer(score, challenge):
    yaml = "truth: truth.csv\nmetrics: [Tau]\nundefined: error\nfolds: folds.csv\n"
    data = {
        "truth.csv": "list,item,grade\nq1,a,3\nq1,b,2\nq1,c,1\n",
        "folds.csv": "list,item,fold\nq1,a,1\nq1,b,1\nq1,c,2\n",
    }
    folder = challenge(yaml, **data)
    score("lint", folder).assert_exit(2, err="T511")


def test_lint_writes_over_nothing_that_it_reads(score, challenge):
    folder = challenge(ONE, **{".scorer-key": "secret"})
    for name in ("truth.csv", "challenge.yaml", ".scorer-key"):
        before = (folder / name).read_bytes()
        score("lint", folder, "-o", folder / name).assert_exit(2, err="needs a file of its own")
        assert (folder / name).read_bytes() == before


def test_large_numbers_keep_their_columns_and_a_lowest_value_is_never_minus_0(challenge, score):
    yaml = (
        "truth: {file: truth.csv, columns: {list: id, target: price}}\n"
        "submission: {columns: {list: id, prediction: price}}\nmetrics: [MSE, MAPE]\n"
    )
    ran = score(
        "lint", "--all", challenge(yaml, **{"truth.csv": "id,price\na,900\nb,0\nc,7\nd,41\n"})
    )
    rows = {line.split()[0]: line.split() for line in ran.out.splitlines() if line}
    head, mse, mape = rows["measure"], rows["MSE"], rows["MAPE"]
    assert head[1:] == ["perfect", "mean", "empty", "random", "±"]
    assert len(mse) == len(mape) == len(head)
    assert mse[1] == mape[1] == "0.0000"


def test_lists_are_called_as_the_challenge_calls_them(challenge, score):
    truth = "userId,item,grade\nq0,a,0\n" + "".join(
        f"q{n},{item},{k % 2 * (n % 2)}\n" for n in range(1, 12) for k, item in enumerate("abcdef")
    )
    yaml = (
        "truth: {file: truth.csv, columns: {list: userId}}\nmetrics: [P@2]\n"
        "submission: {columns: {list: userId}, missing_list: skip}\nundefined: skip\n"
    )
    folder = challenge(yaml, **{"truth.csv": truth})
    text = " ".join(score("lint", folder).out.split())
    assert "12 users, 67 judged items" in text
    assert "6 of 12 users have no relevant item" in text
    assert "lets a submission choose the users it is scored on" in text
    assert "lists" not in text


def test_a_file_of_splits_is_read(challenge):
    yaml = "truth: truth.csv\nmetrics: [AP]\nsplits: {file: splits.csv}\n"
    truth = {"truth.csv": "list,item,grade\nq1,a,1\nq2,b,1\n"}
    folder = challenge(yaml, **truth, **{"splits.csv": "topic,split\nq1,public\nq2,private\n"})
    with pytest.raises(ChallengeError, match="column 'list' is missing"):
        found(folder)


def test_intervals_of_ratings_are_linted(score, challenge):
    yaml = """
truth: truth.csv
metrics: [IntervalCoverage]
undefined: zero
submission: {columns: {low: low, high: high}, missing_list: skip}
"""
    (measure,) = score("lint", challenge(yaml, **RATINGS), "--format", "json").json()["measures"]
    assert measure["canaries"]["perfect"] == 1.0


@pytest.mark.parametrize(
    ("metric", "labels", "more", "warned"),
    [
        ("Kappa(weights=quadratic)", ("low", "medium", "high"), "", True),
        ("Kappa(weights=linear)", ("low", "medium", "high"), "", True),
        ("Kappa", ("low", "medium", "high"), "", False),
        ("Kappa(weights=quadratic)", ("1", "2", "10"), "", False),
        (
            "Kappa(weights=quadratic)",
            ("low", "medium", "high"),
            "submission: {classes: [low, medium, high]}\n",
            False,
        ),
    ],
)
def test_classes_in_the_order_of_the_alphabet_are_warned_of(
    challenge, metric, labels, more, warned
):
    rows = "".join(f"r{n},{label}\n" for n, label in enumerate(labels))
    yaml = f"truth: truth.csv\nmetrics: [{metric}]\n{more}"
    folder = challenge(yaml, **{"truth.csv": f"list,label\n{rows}"})
    text = said(folder, "warning")
    assert ("in the order of the alphabet: 'high', 'low', 'medium';" in text) == warned
