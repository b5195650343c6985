"""Preferences, held to METRICS' worked numbers and to the plainest code there is."""

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds
from tables import rows

from scorer.core.errors import UnknownName
from scorer.metrics.notation import NotationError
from scorer.preferences import base as module
from scorer.preferences.aggregations import aggregations
from scorer.preferences.base import (
    compute_preferences,
    cycles,
    order_by_scores,
    order_submissions,
    wins,
)
from scorer.preferences.comparisons import comparisons
from scorer.testing import judged_view
from scorer.views.preferences import Positions

COMPARISONS = [measure.name for measure in comparisons.bind_all()]
AGGREGATIONS = ["Borda", "Copeland", "MC4", "Mean", "MeanRank", "RankSum", "WinRate"]
MORE = ["RPP(rel=2)", "RPP(rel=2, weights=log)", "LexiRecall(rel=2)", "rrLexiPrecision(rel=0.5)"]


def compared(notation, *submissions, truths):
    """The preferences of submissions, each a returned list for every truth."""
    found = [
        Positions.of(judged_view(*zip(returned, truths, strict=True))) for returned in submissions
    ]
    return compute_preferences(comparisons.bind(notation), found)


def lists_ranking(*rankings):
    """Preferences of one list for each ranking, such as "abc", of submissions a, b, c."""
    place = np.array([[ranking.index(one) for ranking in rankings] for one in sorted(rankings[0])])
    return np.sign(place[None] - place[:, None]).astype(float)


# The plainest code


def plain(returned, truth, rel):
    """Positions of the items with that grade, infinite ones for what is not returned."""
    wanted = [item for item in truth if truth[item] >= rel]
    return sorted(returned.index(item) + 1 if item in returned else math.inf for item in wanted)


def plain_rpp(x, y, weight):
    signs = [(a < b) - (a > b) for a, b in zip(x, y, strict=True)]
    weights = [weight(j) for j in range(1, len(x) + 1)]
    return sum(w * s for w, s in zip(weights, signs, strict=True)) / sum(weights)


def plain_graded(first, second, truth, weight):
    grades = sorted({grade for grade in truth.values() if grade > 0})
    values = [(plain(first, truth, g), plain(second, truth, g)) for g in grades]
    if not values:
        return math.nan
    return sum(len(x) * plain_rpp(x, y, weight) for x, y in values) / sum(len(x) for x, _ in values)


def plain_lexi(first, second, truth, rel, of):
    pairs = list(zip(plain(first, truth, rel), plain(second, truth, rel), strict=True))
    return of([(x, y) for x, y in pairs if x != y] or [(1, 1)]) if pairs else math.nan


def plain_binary(first, second, truth, rel, weight):
    x, y = plain(first, truth, rel), plain(second, truth, rel)
    return plain_rpp(x, y, weight) if x else math.nan


def sign(pair):
    return (pair[0] < pair[1]) - (pair[0] > pair[1])


WEIGHT = {"": lambda j: 1, "inverse": lambda j: 1 / j, "log": lambda j: 1 / math.log2(j + 1)}
ORACLES = {
    "RPP": lambda x, y, t: plain_graded(x, y, t, WEIGHT[""]),
    "invRPP": lambda x, y, t: plain_graded(x, y, t, WEIGHT["inverse"]),
    "DCG-RPP": lambda x, y, t: plain_graded(x, y, t, WEIGHT["log"]),
    "RPP(rel=2)": lambda x, y, t: plain_binary(x, y, t, 2, WEIGHT[""]),
    "DCG-RPP(rel=2)": lambda x, y, t: plain_binary(x, y, t, 2, WEIGHT["log"]),
    "LexiRecall": lambda x, y, t: plain_lexi(x, y, t, 1, lambda differ: sign(differ[-1])),
    "LexiRecall(rel=2)": lambda x, y, t: plain_lexi(x, y, t, 2, lambda differ: sign(differ[-1])),
    "LexiPrecision": lambda x, y, t: plain_lexi(x, y, t, 1, lambda differ: sign(differ[0])),
    "rrLexiPrecision": lambda x, y, t: plain_lexi(
        x, y, t, 1, lambda differ: 1 / differ[0][0] - 1 / differ[0][1]
    ),
}

items = st.sampled_from("abcdefgh")
truth = st.dictionaries(items, st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0, 3.0]), max_size=8)
returned = st.lists(items, unique=True, max_size=8)


@st.composite
def fields(draw):
    """Some lists' truths, and some submissions of a list for each."""
    truths = draw(st.lists(truth, min_size=1, max_size=5))
    one = st.tuples(*[returned] * len(truths))
    return truths, draw(st.lists(one, min_size=1, max_size=5))


plainly = rounds(20)


# Comparisons


@pytest.mark.parametrize(
    ("notation", "value"),
    [
        ("RPP", -1 / 3),
        ("invRPP", 1 / 11),
        ("DCG-RPP", (1 - 1 / math.log2(3) - 1 / 2) / (1 + 1 / math.log2(3) + 1 / 2)),
        ("LexiRecall", -1),
        ("LexiPrecision", 1),
        ("rrLexiPrecision", 0.5),
    ],
)
def test_worked_numbers(notation, value):
    found = compared(notation, ["a.......b"], [".abc"], truths=[dict.fromkeys("abc", 1)])
    assert found[:, :, 0] == pytest.approx(np.array([[0, value], [-value, 0]]), abs=1e-15)


def test_the_printed_digits_of_dcg_rpp():
    found = compared("DCG-RPP", ["a.......b"], [".abc"], truths=[dict.fromkeys("abc", 1)])
    assert round(found[0, 1, 0], 4) == -0.0614


@pytest.mark.slow("scores random preferences", beyond=2)
@pytest.mark.parametrize("notation", ORACLES)
@plainly
@given(field=fields())
def test_against_the_plainest_code(notation, field):
    truths, submissions = field
    expected = [
        [
            [ORACLES[notation](*lists) for lists in zip(one, other, truths, strict=True)]
            for other in submissions
        ]
        for one in submissions
    ]
    found = compared(notation, *submissions, truths=truths)
    np.testing.assert_allclose(found, np.array(expected), rtol=0, atol=1e-14)


@pytest.mark.slow("scores random preferences", beyond=2)
@pytest.mark.parametrize("notation", COMPARISONS + MORE)
@plainly
@given(field=fields())
def test_laws(notation, field):
    truths, submissions = field
    found = compared(notation, *submissions, submissions[0], truths=truths)
    np.testing.assert_array_equal(found, -found.swapaxes(0, 1))
    defined = found[:, :, ~np.isnan(found[0, 0])]
    assert not np.isnan(defined).any()
    assert (np.abs(defined) <= 1).all()
    assert (defined[0, -1] == 0).all(), "a submission and its copy"
    np.testing.assert_array_equal(found[0], found[-1])


@pytest.mark.parametrize("notation", COMPARISONS)
@pytest.mark.parametrize("block", [1, 7, 60])
def test_in_blocks_of_any_size(notation, block, monkeypatch):
    rng = np.random.default_rng(3)
    letters = np.array(list("abcdefghijkl"))
    truths = [
        dict(zip(letters[:size], rng.integers(0, 4, size).tolist(), strict=True))
        for size in [3, 0, 12, 1, 5, 12, 2]
    ]
    submissions = [[rng.permutation(letters)[:7].tolist() for _ in truths] for _ in range(4)]
    whole = compared(notation, *submissions, truths=truths)
    monkeypatch.setattr(module, "BLOCK", block)
    np.testing.assert_array_equal(compared(notation, *submissions, truths=truths), whole)


def test_grades_count_in_rpp():
    truths = [{"a": 3, "b": 1, "c": 1}]
    submissions = [["abc"], ["bac"]]
    # at least 3: +1 of 1 item; at least 1: the same positions, of 3 items
    assert compared("RPP", *submissions, truths=truths)[0, 1] == pytest.approx([1 / 4])
    assert compared("RPP(rel=1)", *submissions, truths=truths)[0, 1] == [0]
    assert compared("RPP(rel=3)", *submissions, truths=truths)[0, 1] == [1]


def test_grades_are_those_of_each_list():
    truths = [{"a": 3, "b": 1}, {"a": 2, "b": 1}]
    found = compared("RPP", ["ab", "ab"], ["ba", "ba"], truths=truths)
    assert found[0, 1] == pytest.approx([1 / 3, 1 / 3])


@pytest.mark.parametrize("notation", COMPARISONS)
def test_a_list_without_relevant_items_has_no_preference(notation):
    truths = [{"a": 0, "b": -1}, {}, {"a": 1}]
    found = compared(notation, ["a", "", "a"], ["b", "a", "b"], truths=truths)
    assert np.isnan(found[:, :, :2]).all()
    assert (found[0, 1, 2], found[0, 0, 2]) == (1, 0)


@pytest.mark.parametrize("notation", COMPARISONS)
def test_a_missing_list_is_worse_than_any_that_has_something(notation):
    truths = [{"a": 1, "b": 1}] * 2
    found = compared(notation, ["....a", ""], ["", ""], truths=truths)
    assert found[0, 1, 0] > 0
    assert found[0, 1, 1] == 0


@pytest.mark.parametrize("notation", COMPARISONS)
def test_one_submission_and_no_relevant_item_at_all(notation):
    assert compared(notation, ["ab"], truths=[{"a": 1}]).tolist() == [[[0]]]
    assert np.isnan(compared(notation, ["ab"], ["b"], truths=[{"a": 0}])).all()


def test_rounding_is_no_preference():
    """For who wants 2, against who wants 3 or 6: 1/2 - 1/3 - 1/6 = 0, but not in doubles."""
    made = [[_at(1, 2, 5, 7, 8, 12)], [_at(1, 3, 4, 7, 8, 11)]]
    assert compared("invRPP", *made, truths=[dict.fromkeys("abcdef", 1)])[0, 1] == [0]


def _at(*places):
    """A list with a, b, .. at those places."""
    letters = iter("abcdef")
    return "".join(next(letters) if n in places else "." for n in range(1, max(places) + 1))


# Names


@pytest.mark.parametrize(("notation", "name"), rows(__file__, "notation"))
def test_notation(notation, name):
    assert comparisons.bind(notation).name == name


@pytest.mark.parametrize(("notation", "says"), rows(__file__, "wrong_notation"))
def test_wrong_notation(notation, says):
    with pytest.raises(NotationError) as caught:
        comparisons.bind(notation)
    assert says in str(caught.value)


@pytest.mark.parametrize("notation", ["", "@5", "RPX", "MC4"])
def test_unknown_names(notation):
    with pytest.raises(UnknownName, match="no preference is called"):
        comparisons.bind(notation)


def test_all_are_there_and_documented():
    assert {"RPP", "RPP(weights=inverse)", "RPP(weights=log)"} < set(COMPARISONS)
    assert len(COMPARISONS) == 6
    assert [one.name for one in aggregations.bind_all()] == AGGREGATIONS
    for measure in [*comparisons.bind_all(), *aggregations.bind_all()]:
        assert ">>>" in measure.metric.page, measure.name
        assert "doi:10." in measure.metric.source, measure.name


@pytest.mark.parametrize("jump", [0, 1.5])
def test_jumps_that_cannot_be(jump):
    with pytest.raises(NotationError, match="above 0 up to 1"):
        aggregations.bind(f"MC4(jump={jump})")


# Aggregations


def ranked(notation, cube):
    return order_submissions(aggregations.bind(notation), cube)


@pytest.mark.slow("compares random submissions", beyond=2)
@pytest.mark.parametrize("notation", AGGREGATIONS)
@pytest.mark.parametrize("preference", COMPARISONS)
@plainly
@given(field=fields(), data=st.data())
def test_identical_submissions_tie_and_names_do_not_matter(preference, notation, field, data):
    truths, submissions = field
    submissions = [*submissions, submissions[0]]
    cube = compared(preference, *submissions, truths=truths)
    groups = ranked(notation, cube).groups
    assert any({0, len(submissions) - 1} <= set(group) for group in groups)
    assert sorted(n for group in groups for n in group) == list(range(len(submissions)))

    other = data.draw(st.permutations(range(len(submissions))))
    renamed = ranked(notation, cube[np.ix_(other, other)]).groups
    assert [{other[n] for n in group} for group in renamed] == [set(group) for group in groups]


@plainly
@given(field=fields())
def test_aggregations_against_the_plainest_code(field):
    truths, submissions = field
    cube = compared("DCG-RPP", *submissions, truths=truths)
    cube = cube[:, :, ~np.isnan(cube[0, 0])]
    count, lists = len(cube), cube.shape[2]
    if not lists:
        return
    total = [[math.fsum(cube[a, :, n]) for n in range(lists)] for a in range(count)]
    above = np.zeros((count, count))
    level = np.zeros((count, count))
    for a in range(count):
        for b in range(count):
            for n in range(lists):
                above[a, b] += total[a][n] - total[b][n] > 1e-12
                level[a, b] += abs(total[a][n] - total[b][n]) <= 1e-12

    points = [
        sum(above[a, b] + level[a, b] / 2 for b in range(count) if b != a) / lists
        for a in range(count)
    ]
    assert ranked("Borda", cube).scores == pytest.approx(points, abs=1e-12)

    beaten = [
        sum((above[a, b] > above[b, a]) + (above[a, b] == above[b, a]) / 2 for b in range(count))
        - 1 / 2
        for a in range(count)
    ]
    assert ranked("Copeland", cube).scores == pytest.approx(beaten, abs=1e-12)

    shares = [1 / count] * count
    for _ in range(1000):
        after = [0.05 / count] * count
        for a in range(count):
            for b in range(count):
                goes = b if above[b, a] > above[a, b] else a
                after[goes] += 0.95 * shares[a] / count
        shares = after
    assert ranked("MC4", cube).scores == pytest.approx(shares, abs=1e-12)

    means = [sum(total[a]) / lists / max(1, count - 1) for a in range(count)]
    assert ranked("Mean", cube).scores == pytest.approx(means, abs=1e-12)


@pytest.mark.parametrize("notation", AGGREGATIONS)
def test_a_cycle_is_reported_and_ties(notation):
    cube = lists_ranking("abc", "bca", "cab")
    assert cycles(cube) == ((0, 1, 2),)
    assert ranked(notation, cube).groups == ((0, 1, 2),)


def test_cycles_are_told_apart():
    cube = lists_ranking("abcdefg", "bcaefdg", "cabfdeg")
    assert cycles(cube) == ((0, 1, 2), (3, 4, 5))
    assert cycles(lists_ranking("abcdefg")) == ()


def test_a_cycle_within_a_list_is_none_of_its_ranking():
    # RPP prefers a to b to c to a; the sums tie, so the list says nothing
    made = [[_at(1, 6, 8)], [_at(2, 4, 9)], [_at(3, 5, 7)]]
    cube = compared("RPP", *made, truths=[dict.fromkeys("abc", 1)])
    assert cube[[0, 1, 2], [1, 2, 0], 0] == pytest.approx([1 / 3] * 3)
    assert not wins(cube).any()
    assert cycles(cube) == ()
    assert all(ranked(notation, cube).groups == ((0, 1, 2),) for notation in AGGREGATIONS)


@pytest.mark.parametrize("notation", AGGREGATIONS)
def test_undefined_lists_do_not_count(notation):
    cube = lists_ranking("abc", "acb", "abc")
    cube = np.insert(cube, 1, np.nan, axis=2)
    with_, without = ranked(notation, cube), ranked(notation, cube[:, :, [0, 2, 3]])
    assert with_.groups == without.groups == ((0,), (1,), (2,))
    np.testing.assert_array_equal(with_.scores, without.scores)
    nothing = ranked(notation, cube[:, :, [1]])
    assert nothing.groups == ((0, 1, 2),)
    assert np.isnan(nothing.scores).all()
    assert cycles(cube[:, :, [1]]) == ()


@pytest.mark.parametrize("notation", AGGREGATIONS)
def test_a_submission_alone_is_first(notation):
    assert ranked(notation, np.zeros((1, 1, 2))).groups == ((0,),)


def test_rounding_does_not_rank():
    """Sums that differ by their order of addition alone tie in a list."""
    values = [0.1, 0.2, 0.3, -0.6]
    for a, b in permutations(range(2)):
        cube = np.zeros((6, 6, 1))
        cube[a, 2:, 0], cube[b, 2:, 0] = values, values[::-1]
        cube -= cube.swapaxes(0, 1)
        assert wins(cube)[:2, :2].tolist() == [[0, 0], [0, 0]]


def test_mc4_is_not_stopped_early():
    """Ten steps, as pref_eval takes, are far from the end of a chain of ten submissions."""
    cube = lists_ranking("abcdefghij")
    assert ranked("MC4(jump=0.000001)", cube).scores[0] == pytest.approx(1, abs=1e-4)


def test_ordered():
    assert order_by_scores(np.array([1.0, 3.0, 2.0, 3.0 + 1e-13])).groups == ((1, 3), (2,), (0,))
