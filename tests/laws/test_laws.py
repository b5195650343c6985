"""Laws of scoring from rows to values: what must not matter does not."""

import numpy as np
from cards import assert_same_lists
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds

from scorer.challenge.public import Public
from scorer.kinds.base import Constants, SideTables
from scorer.kinds.ranking import Grades
from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import parse_measure
from scorer.reading.table import make_table
from scorer.scoring.evaluate import evaluate, score
from scorer.views.join import GradedItems, judge
from scorer.views.ranked import Judged

MEASURES = [
    parse_measure(metrics().get(notation.split("@")[0].split("(")[0]), notation)
    for notation in ("MARp@2,4", "P@3", "R@3", "nDCG(gain=exp2)@4", "AP", "RR", "ERR@4")
]
MARP = MEASURES[0]
LISTS, ITEMS = ("p", "q", "r"), tuple("abcdefgh")

grades = st.dictionaries(
    st.tuples(st.sampled_from(LISTS), st.sampled_from(ITEMS)),
    st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0, 3.0]),
    min_size=1,
    max_size=18,
)
scores = st.dictionaries(
    st.tuples(st.sampled_from(LISTS), st.sampled_from(ITEMS)),
    st.integers(0, 5).map(float),
    max_size=20,
)
law = rounds(60)


def table(rows, number):
    """A table of (list, item) -> number, in that order."""
    columns = {role: [key[n] for key in rows] for n, role in enumerate(("list", "item"))}
    return make_table({**columns, number: list(rows.values())})


def values(truth, run, lists=LISTS, ties="item-desc", measures=MEASURES):
    judged, _ = judge(table(run, "score"), GradedItems.of(table(truth, "grade").frame, lists), ties)
    return {m.name: evaluate(m.resolve(type("C", (), {"max_grade": 3.0})), {Judged: judged})
            for m in measures}  # fmt: skip


def same(mine, theirs):
    for name in mine:
        np.testing.assert_array_equal(mine[name], theirs[name], name)


@law
@given(grades, scores, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(truth, run, random):
    keys = random.sample(list(run), len(run))
    same(values(truth, run), values(truth, {key: run[key] for key in keys}))


@law
@given(grades, scores)
def test_the_names_of_lists_and_items_do_not_matter(truth, run):
    # the tie rule reads item ids, so their order is kept
    def renamed(rows):
        return {(f"x{name}", f"z{item}y"): number for (name, item), number in rows.items()}

    lists = tuple(f"x{name}" for name in LISTS)
    same(values(truth, run), values(renamed(truth), renamed(run), lists))


@law
@given(grades, scores, st.integers(4, 8))
def test_items_below_the_deepest_cut_off_do_not_matter(truth, run, depth):
    deepest = [m for m in MEASURES if m.params.get("k") or m.params.get("cutoffs")]
    kept = {}
    for name in LISTS:
        mine = sorted(((-s, i) for (n, i), s in run.items() if n == name), reverse=False)
        mine = sorted(mine, key=lambda pair: pair[1], reverse=True)
        mine.sort(key=lambda pair: pair[0])
        kept |= {(name, item): -key for key, item in mine[:depth]}
    same(values(truth, run, measures=deepest), values(truth, kept, measures=deepest))


@law
@given(grades, scores)
def test_marp_reads_the_order_of_the_truths_grades_only(truth, run):
    positive = {key: abs(grade) for key, grade in truth.items()}
    mapped = {key: np.exp(grade) + 7 for key, grade in positive.items()}
    same(values(positive, run, measures=[MARP]), values(mapped, run, measures=[MARP]))


@law
@given(grades, scores, st.data())
def test_breaking_a_tie_of_the_truth_never_raises_marp(truth, run, data):
    broken = dict(truth)
    key = data.draw(st.sampled_from(list(truth)))
    for other in truth:  # all that are above make room, so that only the tie is broken
        if other[0] == key[0] and truth[other] > truth[key]:
            broken[other] = truth[other] + 10
    broken[key] = truth[key] + 1e-3
    before = values(truth, run, measures=[MARP])["MARp@2,4"]
    after = values(broken, run, measures=[MARP])["MARp@2,4"]
    assert np.all((after <= before + 1e-12) | np.isnan(before))


@law
@given(grades, scores, st.sets(st.sampled_from(LISTS)))
def test_a_list_has_the_same_values_whatever_other_lists_there_are(truth, run, first):
    def card(lists):
        mine = {k: g for k, g in truth.items() if k[0] in lists}
        rows = {k: s for k, s in run.items() if k[0] in lists}
        graded = GradedItems.of(table(mine, "grade").frame, lists)
        side, constants = SideTables(Public("grades", lists)), Constants(max_grade=3.0)
        answers = Grades(lists=graded.lists, constants=constants, truth=graded, side=side)
        views = answers.join(table(rows, "score"), "item-desc", frozenset({Judged}))
        return score(views, lists, [m.resolve(answers.constants) for m in MEASURES])

    halves = [tuple(sorted(half)) for half in (first, set(LISTS) - first) if half]
    assert_same_lists([card(half) for half in halves], card(LISTS))


@law
@given(grades, scores)
def test_equal_scores_fall_as_the_challenge_says(truth, run):
    distinct = {}
    for name in LISTS:
        mine = [(s, i) for (n, i), s in run.items() if n == name]
        for place, (_, item) in enumerate(sorted(mine, reverse=True)):
            distinct[(name, item)] = float(-place)
    same(values(truth, run), values(truth, distinct))
