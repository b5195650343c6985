"""Cross-validation: what `score folds` makes, and what a challenge with folds is scored to."""

import csv
import json
import math
from statistics import fmean, stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds

from scorer.metrics.notation import parse_measure
from scorer.metrics.ranking import p
from scorer.prepare.folds import parts
from scorer.results.scorecard import Rules, Scorecard
from scorer.scoring.aggregate import aggregate_folds

ROWS = [(f"u{n % 4}", f"i{n}", n % 5 + 0.5) for n in range(23)]
TEXT = "list,item,rating\n" + "".join(f"{u},{i},{r}\n" for u, i, r in ROWS)


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        _, *found = csv.reader(file)
    return [tuple(row) for row in found]


@pytest.fixture
def ratings(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(TEXT)
    return path


@rounds(100)
@given(st.integers(2, 60), st.integers(2, 10), st.integers(0, 99))
def test_parts_are_disjoint_complete_and_of_equal_size(n, k, seed):
    masks = parts(n, k, seed)
    assert (np.sum(masks, axis=0) == 1).all()
    sizes = [int(mask.sum()) for mask in masks]
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("by", ["row", "list"])
def test_each_row_is_in_one_truth_and_in_the_other_training_parts(ratings, tmp_path, score, by):
    ran = score("folds", ratings, "-k", 3, "--by", by, "-o", tmp_path / "out")
    assert ran.code == 0, ran
    truths = [rows(tmp_path / f"out/{n}/truth.csv") for n in (1, 2, 3)]
    trains = [rows(tmp_path / f"out/{n}/train.csv") for n in (1, 2, 3)]
    every = sorted(rows(ratings))
    assert sorted(row for truth in truths for row in truth) == every
    assert all(sorted(mine + rest) == every for mine, rest in zip(truths, trains, strict=True))
    lists = [{row[0] for row in truth} for truth in truths]
    alone = sum(map(len, lists)) == len(set.union(*lists))
    assert alone is (by == "list")
    noted = {row[:-1]: row[-1] for row in rows(tmp_path / "out/folds.csv")}
    width = 1 if by == "list" else 2
    for n, truth in enumerate(truths, start=1):
        assert {noted[row[:width]] for row in truth} == {str(n)}


def test_the_seed_decides_and_the_order_of_the_file_does_not(ratings, tmp_path, score):
    head, *body = TEXT.splitlines()
    (tmp_path / "turned.csv").write_text("\n".join([head, *body[::-1]]))
    for name, words in {
        "a": [ratings],
        "b": [tmp_path / "turned.csv"],
        "c": [ratings, "--seed", 2],
    }.items():
        assert score("folds", *words, "-o", tmp_path / name).code == 0
    a, b, c = ((tmp_path / name / "folds.csv").read_text() for name in "abc")
    assert a == b != c


@pytest.mark.parametrize(
    ("name", "text", "words", "head"),
    [
        ("x.qrels", "1 0 d1 2\n2 0 d1 0\n", [], "list,item,grade"),
        ("x.lists", "u1: a, b\nu2: c\n", [], "list,item"),
        ("x.csv", "list,item\nu,a\nu,b\n", [], "list,item"),
        ("x.jsonl", '{"list": "u", "item": "a"}\n{"list": "u", "item": "b"}\n', [], "list,item"),
        (
            "x.csv",
            "user,film,stars,when\nu,a,3.5,9\nu,b,4,9\n",
            ["--column", "list=user", "--column", "item=film", "--column", "rating=stars"],
            "user,film,stars",
        ),
    ],
)
def test_any_format_is_split(tmp_path, score, name, text, words, head):
    (tmp_path / name).write_text(text)
    ran = score("folds", tmp_path / name, "-k", 2, "-o", tmp_path / "out", *words)
    assert ran.code == 0, ran
    found = (tmp_path / "out/1/truth.csv").read_text() + (tmp_path / "out/2/truth.csv").read_text()
    assert found.count(head + "\n") == 2
    assert "4.0" not in found


def test_pairs_that_come_twice_stay_together(tmp_path, score):
    (tmp_path / "x.csv").write_text("list,item\n" + "u,a\nu,b\n" * 8)
    assert score("folds", tmp_path / "x.csv", "-k", 2, "-o", tmp_path / "out").code == 0
    assert len(set(rows(tmp_path / "out/1/truth.csv"))) == 1


def test_nothing_is_overwritten_and_what_cannot_be_is_said(ratings, tmp_path, score):
    (tmp_path / "full").mkdir()
    (tmp_path / "full/mine.txt").write_text("keep")
    for words, said in [
        ((ratings, "-o", tmp_path / "full"), "is not an empty folder"),
        ((ratings, "-o", ratings), "is not an empty folder"),
        ((ratings, "-o", tmp_path / "a", "-k", 5, "--by", "list"), "4 lists cannot make 5 folds"),
        ((ratings, "-o", tmp_path / "a", "--column", "user"), "--column 'user'"),
        ((ratings, "-o", tmp_path / "a", "--column", "list=user"), "column 'user' is missing"),
        ((tmp_path / "none.csv", "-o", tmp_path / "a"), "T101"),
        ((ratings, "-o", tmp_path / "a", "-k", 1), "-k"),
    ]:
        ran = score("folds", *words)
        assert (ran.code, said in ran.err) == (2, True), ran
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine.txt"]
    assert not (tmp_path / "a").exists()


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
        assert "0.7500 ± 0.3536" in ran.out, form
    ran = score(tmp_path / "challenge", tmp_path / "mine.csv", "--format", "csv")
    assert "MAE(average=lists) sd" in ran.out.splitlines()[0]


@pytest.mark.parametrize(
    ("folds", "said"),
    [
        ("list,fold\nu1,one\nu2,two\n", "1 lists are in no fold: 'u3'"),
        ("list,fold\nu1,one\nu1,two\nu2,one\nu3,one\n", "is in two folds, 'one' and 'two'"),
        ("list,item,fold\nu1,a,1\n", "4 rows of the truth are in no fold: 'u1/b'"),
        ("user,fold\nu1,one\n", "column 'list' is missing"),
    ],
)
def test_folds_that_are_wrong(challenge, tmp_path, score, folds, said):
    ran, _ = scored(challenge, tmp_path, score, folds)
    assert ran.code == 2
    assert said in ran.err


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
