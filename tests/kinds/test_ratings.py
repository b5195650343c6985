"""Predictions against ratings: cited values, a plain oracle, scikit-learn, and the laws."""

import math
from statistics import fmean

import numpy as np
import pytest
from cards import assert_same_lists
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds

from scorer.challenge.public import Public
from scorer.core.problems import Findings
from scorer.kinds import find_kind
from scorer.kinds.base import SideTables
from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import parse_measure
from scorer.reading.table import make_table
from scorer.results.scorecard import Rules, Scorecard
from scorer.scoring.aggregate import aggregate_values
from scorer.scoring.evaluate import score
from scorer.views.rows import Targets

LAWS = rounds(60)
NAMES = ["MAE", "MSE", "RMSE", "R2", "IntervalCoverage"]
BY_LIST = {name: f"{name}(average=lists)" for name in NAMES[:4]} | {NAMES[4]: NAMES[4]}
POOLED = {name: name for name in NAMES[:4]} | {NAMES[4]: f"{NAMES[4]}(average=pooled)"}
NOTATIONS = [*BY_LIST.values(), *POOLED.values()]
MEASURES = [parse_measure(metrics().get(n.split("(")[0]), n) for n in NOTATIONS]
SKIP = Rules("skip", "skip")
KIND = find_kind("ratings")

numbers = st.sampled_from([0.1, 1.0, 1.5, 2.0, 3.3, 4.0, 5.0, -2.0, 1e6])
pairs = st.tuples(st.sampled_from("uvwxyz"), st.sampled_from("abcdefg"))
truths = st.dictionaries(pairs, numbers, min_size=1, max_size=20)
predicted = st.tuples(numbers, numbers, numbers)


def table(rows, *roles):
    """A table of rows `(list, item, number, ..)`."""
    roles = ("list", "item", *roles)
    return make_table({role: [row[n] for row in rows] for n, role in enumerate(roles)})


def card(truth, submission):
    """The scorecard of `{(list, item): rating}` and `{(list, item): (prediction, low, high)}`."""
    rows = table([(*pair, rating) for pair, rating in truth.items()], "rating")
    lists = dict.fromkeys(name for name, _ in truth)
    answers = KIND.open(rows, SideTables(Public("ratings", lists)), Findings())
    given = [(*pair, *numbers) for pair, numbers in submission.items()]
    rows = table(given, "prediction", "low", "high")
    meeting = answers.join(rows, "file", frozenset({Targets}))
    return score(meeting, answers.lists, MEASURES)


def values(found: Scorecard):
    return {each.id: aggregate_values(found, each, {each.id: SKIP}) for each in MEASURES}


def test_the_slides():
    truth = dict(zip([("u", item) for item in "ABDGECF"], [5, 4, 4, 4, 3, 2, 2], strict=True))
    said = dict(zip(truth, [(p, 0, 4) for p in [5, 3, 4, 2, 5, 5, 2]], strict=True))
    found = {key: value.mean for key, value in values(card(truth, said)).items()}
    assert found["MAE"] == found["MAE(average=lists)"] == 8 / 7
    assert found["MSE"] == 18 / 7
    assert found["RMSE"] == pytest.approx(math.sqrt(18 / 7))
    assert found["R2"] == pytest.approx(-4 / 3)
    assert found["IntervalCoverage"] == 6 / 7


def plain(rows):
    """The five values of rows `(rating, prediction, low, high)`; None where undefined."""
    if not rows:
        return dict.fromkeys(NAMES)
    errors = [prediction - rating for rating, prediction, _, _ in rows]
    ratings = [rating for rating, *_ in rows]
    mean = fmean(ratings)
    spread = sum((rating - mean) ** 2 for rating in ratings)
    squares = sum(error**2 for error in errors)
    r2 = float(squares == 0) if len({*ratings}) == 1 else 1 - squares / spread
    return {
        "MAE": sum(map(abs, errors)) / len(rows),
        "MSE": squares / len(rows),
        "RMSE": math.sqrt(squares / len(rows)),
        "R2": r2 if len(rows) > 1 else None,
        "IntervalCoverage": sum(low <= r <= high for r, _, low, high in rows) / len(rows),
    }


@LAWS
@given(truths, st.dictionaries(pairs, predicted, max_size=30))
def test_a_plain_oracle_says_the_same(truth, said):
    found = values(card(truth, said))
    met = [(pair[0], (rating, *said[pair])) for pair, rating in truth.items() if pair in said]
    lists = sorted({name for name, _ in truth})
    each = [plain([row for mine, row in met if mine == name]) for name in lists]
    pooled = plain([row for _, row in met])
    for name in NAMES:
        expected = [math.nan if one[name] is None else one[name] for one in each]
        np.testing.assert_allclose(found[BY_LIST[name]].per_list, expected, rtol=1e-9)
        whole = math.nan if pooled[name] is None else pooled[name]
        np.testing.assert_allclose(found[POOLED[name]].mean, whole, rtol=1e-9)


@LAWS
@given(truths, st.dictionaries(pairs, predicted, max_size=30), st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_other_lists_change_a_bit(truth, said, random):
    whole = card(truth, said)
    rows, given_rows = list(truth.items()), list(said.items())
    random.shuffle(rows)
    random.shuffle(given_rows)
    assert card(dict(rows), dict(given_rows)).to_bytes() == whole.to_bytes()
    half = {name for name, _ in truth if random.random() < 0.5}
    parts = [
        card({pair: r for pair, r in truth.items() if (pair[0] in half) is side}, said)
        for side in (True, False)
        if any((pair[0] in half) is side for pair in truth)
    ]
    assert_same_lists(parts, whole)


@pytest.mark.parametrize(("predicted", "value"), [(0.1, 1), (0.2, 0)])
def test_r2_of_equal_ratings_is_0_unless_all_are_right_even_where_their_mean_is_rounded(
    predicted, value
):
    sent = {("u", item): (predicted, 0, 1) for item in "abc"}
    found = values(card({("u", item): 0.1 for item in "abc"}, sent))
    assert found["R2"].mean == found["R2(average=lists)"].mean == value


TRUTH = "user,item,rating\nu1,a,5\nu1,b,3\nu2,a,4\n"
YAML = """
truth: {file: truth.csv, columns: {list: user}}
submission: {columns: {list: user}}
"""
GOOD = "user,item,prediction\nu2,a,4\nu1,b,4\nu1,a,3\n"


def made(challenge, tmp_path, more, text=GOOD, **files):
    folder = challenge(YAML + more, **{"truth.csv": TRUTH, **files})
    path = tmp_path / "mine.csv"
    path.write_text(text)
    return folder, path


def test_checks_need_no_truth_where_lists_and_items_are_public(challenge, tmp_path, score):
    public = (
        "lists: {file: users.csv, columns: {list: user}}\n"
        "items: {file: asked.csv, columns: {list: user}}\nmetrics: [MAE]\n"
    )
    files = {"users.csv": "user\nu1\nu2\n", "asked.csv": "user,item\nu1,a\nu1,b\nu2,a\n"}
    folder, mine = made(challenge, tmp_path, public, **files)
    assert score(folder, mine).code == 0
    (folder / "truth.csv").unlink()
    assert score("check", folder, mine).code == 0
    mine.write_text(GOOD.replace("u1,b,4\n", ""))
    ran = score("check", folder, mine)
    assert (ran.code, "S508" in ran.out + ran.err) == (1, True)


def test_the_public_part_holds_pairs_and_no_rating(challenge, tmp_path):
    from scorer.challenge.load import load
    from scorer.scoring.bind import bind
    from scorer.scoring.public import read_public

    folder, _ = made(challenge, tmp_path, "metrics: [MAE]")
    known = read_public(bind(load(folder)))
    assert known.candidates == {"u1": {"a", "b"}, "u2": {"a"}}
    assert list(known.lists) == ["u1", "u2"]
