"""Metrics: cited cases, laws over every registered one, and a plain oracle for each."""

import doctest
import math
import pickle
import subprocess
import sys
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from inspect import signature

import numpy as np
import oracles
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from lists import meet
from rounds import rounds
from tables import rows
from variants import (
    EVERY,
    METRICS,
    NOTATIONS,
    OURS,
    ROOT,
    bound,
    described,
    oracle_params,
    pairs,
    path_of,
    refuses,
    values,
)

from scorer.core.errors import ChallengeError
from scorer.core.plugins import find_marked
from scorer.metrics.api import Metric
from scorer.metrics.notation import Measure, NotationError, parse, parse_measure
from scorer.metrics.registry import MetricRegistry, families_by_name
from scorer.preferences.aggregations import aggregations
from scorer.preferences.comparisons import comparisons
from scorer.testing import cases
from scorer.views.diverse import Diverse
from scorer.views.ranked import Judged, Ranked

LAWS = rounds(80)


def oracle(metric):
    return described(metric).oracle


def same(ours, theirs):
    return ours == pytest.approx(theirs, rel=1e-12, abs=1e-12, nan_ok=True)


# Cited cases


def with_file(metric):
    return str(path_of(metric).relative_to(ROOT / "tests/metrics"))


@pytest.mark.parametrize("metric", EVERY, ids=with_file)
def test_cited_cases(metric):
    told = described(metric)
    for case in told.cases:
        assert case["cite"]
        assert all(METRICS.get(parse(notation)[0]) is metric for notation in case["expect"])
    if told.cases:
        cases(path_of(metric))


@pytest.mark.parametrize("metric", EVERY, ids=with_file)
def test_every_metric_has_variants_and_an_oracle(metric):
    """Or names the tests that hold its values, where its view has no law of oracles."""
    told = described(metric)
    assert told.variants
    assert {parse(notation)[0] for notation in told.variants} == {metric.name}
    assert told.not_raised.keys() <= {*told.variants}
    if told.oracle is None:
        tests = (ROOT / told.tested_in).read_text(encoding="utf-8")
        assert metric.name in tests, f"{told.tested_in} does not test {metric.name}"
        assert metric not in OURS
    if metric.view in (Judged, Ranked, Diverse) and told.oracle is not None:
        fields = metric.parameters.model_fields
        tried = [parse_measure(metric, notation).params for notation in told.variants]
        for name in metric.own_parameters:
            set_in_some = any(params[name] != fields[name].default for params in tried)
            assert set_in_some, f"no variant in {with_file(metric)} sets {name}"


def test_every_file_is_of_a_metric():
    files = set((ROOT / "tests/metrics").rglob("*.yaml"))
    tables = {path for path in files if path.with_suffix(".py").exists()}
    assert files - tables == {path_of(metric) for metric in EVERY}


# What every metric has


@pytest.mark.parametrize("metric", [*METRICS], ids=lambda metric: metric.name)
def test_metric_says_what_it_is(metric):
    assert metric.title
    assert metric.source
    assert metric.latex
    assert metric.page.splitlines()[0].endswith((".", "0."))
    assert doctest.DocTestParser().get_examples(metric.page), "its page shows no example"
    assert metric.function.__name__.startswith(metric.name.casefold().replace("-", "_"))


# Laws

# some take truths without equal grades only; the others take both sorts
SORTS = {False: [n for n in NOTATIONS if bound(n).metric.truth_order != "strict"], True: NOTATIONS}


def asked(made, groups):
    """What the oracle is told beside the list: correlations read the scores."""
    scores = {item: -n for n, group in enumerate(groups) for item in group}
    named = signature(oracle(made.metric)).parameters
    return oracle_params(made) | ({"scores": scores} if "scores" in named else {})


def expected_value(made, groups, truth, **more):
    """What the oracle says of a list, tied items ordered as trec_eval orders them."""
    items = [item for group in groups for item in sorted(group, reverse=True)]
    if made.params.get("judged_only"):
        items = oracles.judged_only(items, truth)
    return oracle(made.metric)(items, truth, **asked(made, groups) | more)


def one(notation, groups, truth):
    return expected_value(bound(notation), groups, truth)


def shapes(groups, truth):
    """What is particular about a list."""
    items = {item for group in groups for item in group}
    relevant = {item for item, grade in truth.items() if grade >= 1}
    told = {
        "empty": not items,
        "unjudged": not truth,
        "irrelevant": truth and not relevant,
        "tied": any(len(group) > 1 for group in groups),
        "strange": items - {*truth},
        "missed": relevant - items,
        "found": relevant & items,
    }
    return {shape for shape, holds in told.items() if holds}


@pytest.mark.slow("tries every metric on random lists")
@pytest.mark.parametrize("order", SORTS)
def test_values_are_the_oracles_in_range_and_of_any_split(order):
    drawn = set()

    @LAWS
    @given(st.lists(pairs(order, tied=True), min_size=1, max_size=4))
    def holds(lists):
        drawn.update(shape for pair in lists for shape in shapes(*pair))
        together, apart = meet(lists), [meet([pair]) for pair in lists]
        for notation in SORTS[order]:
            low, high = bound(notation).metric.range
            found = values(notation, together)
            assert found.dtype == np.float64
            assert same(found, [one(notation, *pair) for pair in lists]), notation
            known = found[~np.isnan(found)]
            assert (known >= low - 1e-12).all(), notation
            assert high is None or (known <= high + 1e-12).all(), notation
            alone = np.concatenate([values(notation, judged) for judged in apart])
            assert np.array_equal(found, alone, equal_nan=True), notation  # to the bit

    holds()
    assert drawn == {"empty", "unjudged", "irrelevant", "tied", "strange", "missed", "found"}


@pytest.mark.slow("scores random lists", beyond=1)
@pytest.mark.parametrize("order", SORTS)
def test_longer_lists_are_the_oracles(order):
    rng = np.random.default_rng(11)
    items, lists = np.array([f"{n:02}" for n in range(90)]), []
    for _ in range(12):
        known = rng.permutation(items)[: rng.integers(1, 60)].tolist()
        grades = rng.permutation(len(known)) / 16 if order else rng.integers(-2, 5, len(known))
        truth = dict(zip(known, grades.tolist(), strict=True))
        scores = {item: int(rng.integers(40)) for item in rng.permutation(items)[:70]}
        groups = [[x for x in scores if scores[x] == score] for score in range(40, -1, -1)]
        lists.append(([group for group in groups if group], truth))
    judged = meet(lists)
    for notation in SORTS[order]:
        made, more = bound(notation), {}
        if "catalogue" in made.params:
            more = {"catalogue": 90}
            made = replace(made, params=made.params | more)
        found = made.values(judged)
        wanted = [expected_value(made, groups, truth, **more) for groups, truth in lists]
        assert same(found, wanted), notation


def rewards(notation, truth):
    """Whether this variant tells grades from 1 up from those below, and never inverts them."""
    params = bound(notation).params
    rel, gain = params.get("rel"), params.get("gain", "linear")
    grades = sorted(truth.values())
    worth = [oracles.worth(grade, gain) for grade in grades]
    told = rel is None or all((grade >= rel) == (grade >= 1) for grade in grades)
    return told and worth == sorted(worth)


@pytest.mark.slow("scores random lists", beyond=1)
@pytest.mark.parametrize("order", SORTS)
def test_raising_a_relevant_item_never_lowers(order):
    @LAWS
    @given(pairs(order), st.data())
    def holds(pair, data):
        groups, truth = pair
        grades = [truth.get(item, 0) for (item,) in groups]
        places = [n for n in range(1, len(groups)) if grades[n - 1] < 1 <= grades[n]]
        assume(places)
        at = data.draw(st.sampled_from(places))
        raised = [*groups]
        raised[at - 1 : at + 1] = groups[at], groups[at - 1]
        judged = meet([(groups, truth), (raised, truth)])
        for notation in SORTS[order]:
            if notation not in described(bound(notation).metric).not_raised and rewards(
                notation, truth
            ):
                before, after = values(notation, judged)
                assert math.isnan(before) == math.isnan(after), notation
                if bound(notation).metric.better == "lower":
                    before, after = after, before
                assert not after < before - 1e-12, notation

    holds()


def test_where_raising_lowers():
    assert values("AP(denominator=hits)@3", meet([(list("axyb"), {"a": 1, "b": 1})])) == [1]
    assert values("AP(denominator=hits)@3", meet([(list("axby"), {"a": 1, "b": 1})])) < 1
    assert values("AUC@3", meet([(list("axyb"), {"a": 1, "b": 1})])) == [1]
    assert values("AUC@3", meet([(list("axby"), {"a": 1, "b": 1})])) == [0.5]
    truth = {"a": 0.9, "b": 1}
    assert values("BPM(max_grade=1)@3", meet([(list("xab"), truth)])) == pytest.approx([1.9 / 3])
    assert values("BPM(max_grade=1)@3", meet([(list("xba"), truth)])) == [1 / 2]
    truth = {"a": 1, "u": -1}
    assert values("InfAP", meet([(list("xyzua"), truth)])) == pytest.approx([0.3])
    assert values("InfAP", meet([(list("xyzau"), truth)])) == pytest.approx([0.25])


# Ties: expected


@pytest.mark.slow("scores random lists")
@LAWS
@given(st.lists(pairs(tied=True, most=5), min_size=1, max_size=3))
def test_expected_is_the_mean_over_all_orders(lists):
    judged = meet(lists, "expected")
    for notation in NOTATIONS:
        made = bound(notation)
        if "expected" in made.metric.ties and not refuses(notation):
            for value, (groups, truth) in zip(values(notation, judged), lists, strict=True):
                if made.params.get("judged_only"):
                    kept = [oracles.judged_only(group, truth) for group in groups]
                    groups = [group for group in kept if group]
                mean = oracles.expected(oracle(made.metric), groups, truth, **asked(made, groups))
                assert same(value, mean), notation


@pytest.mark.parametrize("notation", [n for n in NOTATIONS if refuses(n)])
def test_variants_without_a_closed_form_say_so(notation):
    judged = meet([([["a", "x"]], {"a": 1})], "expected")
    key = "pairs" if notation.startswith("AUC") else "denominator"
    with pytest.raises(NotationError, match=f"{key}=.*has no closed form") as told:
        values(notation, judged)
    assert told.value.parameter == key


@pytest.mark.slow("groups of a hundred thousand items")
def test_expected_in_groups_of_a_hundred_thousand():
    t, r = 100_000, 50_000
    items = [f"{n:06}" for n in range(t)]
    judged = meet([(["z", items], dict.fromkeys(items[:r], 1))], "expected")

    def chance(j):  # that the first relevant one comes at place j of the group
        return r / t * math.prod((t - r - i) / (t - 1 - i) for i in range(j - 1))

    first = sum(chance(j) / (1 + j) for j in range(1, 200))
    assert values("RR", judged) == pytest.approx([first], rel=1e-12)
    assert values("Success@10", judged) == pytest.approx(
        [1 - math.prod((t - r - i) / (t - i) for i in range(9))], rel=1e-12
    )
    assert values("P@1001", judged) == pytest.approx([500 / 1001], rel=1e-12)
    q = (r - 1) / (t - 1)
    total = math.fsum(r / t * (1 + (j - 1) * q) / (1 + j) for j in range(1, t + 1))
    assert values("AP", judged) == pytest.approx([total / r], rel=1e-12)


@pytest.mark.slow("a group of a hundred thousand items")
def test_one_relevant_item_far_down_a_large_group():
    items = [f"{n:06}" for n in range(100_000)]
    judged = meet([([items], {"000000": 1})], "expected")
    harmonic = math.fsum(1 / n for n in range(1, 100_001))
    assert values("RR", judged) == pytest.approx([harmonic / 100_000], rel=1e-12)
    assert values("AP", judged) == pytest.approx([harmonic / 100_000], rel=1e-12)
    assert values("Success@1000", judged) == pytest.approx([0.01], rel=1e-12)


def test_tied_scores_stay_tied_for_correlations():
    pair = ([["a", "b"], "c", ["d", "e"]], {"a": 1, "b": 2, "c": 3, "d": 0, "e": -1})
    for notation in ("Tau", "Rho"):
        rules = ("item-desc", "item-asc", "file", "expected")
        assert len({values(notation, meet([pair], ties))[0] for ties in rules}) == 1


# Edges


def test_judged_only_keeps_ties():
    judged = meet([([["a", "x", "b"], "c"], {"a": 1, "b": 0, "c": 1})], "expected")
    assert values("RR(judged_only=True)", judged) == [0.75]  # a first or second
    assert values("P(judged_only=True)@1", judged) == [0.5]


def test_undefined_is_nan_and_not_zero():
    judged = meet([(["a"], {}), ([], {"b": 1}), (["a"], {"a": -1})])
    for notation in ("R@2", "F@2", "SetR", "SetF", "Rprec", "AP", "Bpref", "InfAP", "IPrec@0.5"):
        assert same(values(notation, judged), [math.nan, 0, math.nan]), notation
    assert same(values("nDCG", judged), [math.nan, 0, math.nan])
    assert same(values("SetP", judged), [0, math.nan, 0])
    for notation in ("P@2", "RR", "Success@2", "ERR", "CG", "DCG", "RBP(p=0.5)"):
        assert same(values(notation, judged), [0, 0, 0]), notation


def test_nothing_at_all():
    judged = meet([])
    for notation in NOTATIONS:
        assert values(notation, judged).shape == (0,)
        if "expected" in bound(notation).metric.ties and not refuses(notation):
            assert values(notation, meet([], "expected")).shape == (0,)


@pytest.mark.parametrize("level", ["0.1", "0.2", "0.3", "0.6", "0.7", "0.07", "0.29"])
def test_recall_levels_are_exact(level):
    function = METRICS.get("IPrec").function
    for relevant in (1, 3, 10, 21, 30, 70, 100):
        truth = {f"{n:03}": 1 for n in range(relevant)}
        needed = math.ceil(Fraction(level) * relevant)
        # just enough, then something else, then the rest far too late to matter
        enough = list(truth)[:needed]
        found = function(meet([(enough, truth), (enough[1:], truth)]), recall=float(level)).values()
        assert found.tolist() == [1.0, 0.0], relevant


def test_err_takes_the_highest_grade_of_the_truth_it_sees():
    judged = meet([(["a"], {"a": 1, "b": 2})])
    assert METRICS.get("ERR").evaluate(judged).values().tolist() == [0.25]
    assert bound("ERR").params["max_grade"] == 4
    with pytest.raises(NotationError, match="max_grade=1 is below"):
        METRICS.get("ERR").evaluate(judged, max_grade=1)


def test_auc_of_all_pairs_needs_the_catalogue():
    auc = METRICS.get("AUC").function
    judged = meet([(["x", "y"], {"a": 1, "b": 1, "c": 1})])
    with pytest.raises(NotationError, match="must declare `items`"):
        auc(judged, pairs="all")
    with pytest.raises(NotationError, match="catalogue=2 is fewer"):  # than a, b and c
        auc(judged, pairs="all", catalogue=2)


def test_exp2_of_what_no_float_holds():
    judged = meet([(["a"], {"a": 5000.0, "b": 4998.0})])
    with pytest.raises(ChallengeError, match="grade 5000"):
        values("nDCG(gain=exp2)", judged)
    assert values("ERR(max_grade=5000)", judged).tolist() == [1.0]


def test_a_gain_table_leaves_other_grades_what_they_are():
    judged = meet([(["a", "b"], {"a": 1, "b": 3})])
    assert values("DCG(gain={1:9})@1", judged) == [9]
    assert values("DCG(gain={1:9})", judged) == pytest.approx([9 + 3 / math.log2(3)])
    assert values("nDCG(gain={1:9})", judged) == [1]  # the best list has a first


@pytest.mark.parametrize(("theirs", "ours"), rows(__file__, "other_tools_spellings"))
def test_other_tools_spellings(theirs, ours):
    assert bound(theirs).name == ours


@pytest.mark.parametrize(("notation", "said"), rows(__file__, "what_cannot_be_written"))
def test_what_cannot_be_written(notation, said):
    with pytest.raises(NotationError, match=said):
        bound(notation)


def test_a_measure_pickles_whole():
    """By the function of its metric, since two kinds can have a metric of one name."""
    bare = [Measure(metric, {"k": 3}, metric.name, "own") for metric in METRICS]
    known = [*bare, *comparisons.bind_all(), *aggregations.bind_all()]
    assert len({metric.name for metric in METRICS}) < len(bare)
    for each in [*known, replace(bare[0], primary=True, weighted=True, classes=("a", "b"))]:
        again = pickle.loads(pickle.dumps(each))
        assert again == each
        assert again.metric is each.metric


def test_the_table_of_families_has_every_name_of_their_modules():
    defined = defaultdict(set)
    for metric in find_marked("scorer.metrics", Metric):
        family = metric.function.__module__.rpartition(".")[2]
        for name in (metric.name, *metric.aliases):
            defined[name.casefold()].add(family)
    listed = {name: set(families) for name, families in families_by_name().items()}
    assert listed == defined, "write each name in FAMILIES, in scorer/metrics/registry.py"


def test_a_name_is_found_alike_by_its_family_and_among_all():
    alone = MetricRegistry()
    for name in families_by_name():
        assert list(alone._metrics_called(name)) == alone._by_name[name]


def test_only_the_families_of_the_measures_are_imported():
    code = """
import sys
from scorer.metrics.catalogue import metrics
assert metrics().get("nDCG").name == "nDCG"
print(*(name for name in sys.modules if name.startswith("scorer.metrics.")))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = {name.rpartition(".")[2] for name in ran.stdout.split()}
    families = {family for each in families_by_name().values() for family in each}
    assert imported & families == {"gains"}
