"""Explanations: each leads, step by step, to the very value that scoring gave."""

import json
import math
from functools import partial

import numpy as np
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from lists import table
from rounds import rounds
from variants import (
    DIVERSE,
    NOTATIONS,
    PREDICTED,
    PREFERRED,
    RETURNED,
    TRIED,
    described,
    pairs,
    refuses,
)

from scorer.api.explain import explain as explanation_of
from scorer.api.submissions import SubmissionFile
from scorer.challenge.public import Public
from scorer.core.errors import UsageError
from scorer.core.problems import Findings
from scorer.kinds import find_kind
from scorer.kinds.base import SideTables
from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import parse, parse_measure
from scorer.metrics.steps import Equation, Grid, NamedItems, Sentence, sum_equation
from scorer.reading.table import make_table
from scorer.results.scorecard import Rules
from scorer.scoring.evaluate import score as scored
from scorer.scoring.explain import explain_list
from scorer.views.diverse import Diverse

LAWS = rounds(12)


def bound(notation, kind=None):
    named = metrics().find_all(parse(notation)[0], every=True)
    return parse_measure(next(m for m in named if kind is None or kind in m.kinds), notation)


def views(made):
    return frozenset({made.metric.view})


def rows_of(roles, rows, numbers=()):
    """A table of rows whose ids come first."""
    roles = (*roles, *numbers)
    return make_table({role: [row[n] for row in rows] for n, role in enumerate(roles)})


def workings(notation, answers, submission, ties="item-desc", kind="grades"):
    """What is explained of each list, beside what scoring gave."""
    made = bound(notation, kind).resolve(answers.constants)
    meeting = answers.join(submission, ties, views(made))
    card = scored(meeting, answers.lists, [made])
    for at in range(len(answers.lists)):
        named = partial(answers.item_names, submission, ties, at=at)
        seen = answers.explain_views(submission, ties, views(made), at)
        found = explain_list(made, card, seen, named, at, {made.id: Rules()})
        if made.id in card.values:
            value = float(
                np.where(np.isfinite(card.values[made.id]), card.values[made.id], np.nan)[at]
            )
        else:
            value = card.figures[made.id].subset(np.arange(len(card.lists)) == at).pooled()
        yield found, value


SPECIAL = {"nan": math.nan, "inf": math.inf}


def arithmetic(step):
    """What anybody gets who redoes it."""
    said = step.write_numbers(repr).replace("×", "*").replace("²", "**2")
    try:
        return eval(said, {"sqrt": math.sqrt, "log2": math.log2, "floor": math.floor, **SPECIAL})
    except ZeroDivisionError:
        return math.nan


def assert_leads(found, value):
    assert found.value == value or (math.isnan(found.value) and math.isnan(value))
    last = found.steps[-1]
    if isinstance(last, Sentence):
        assert math.isnan(value)
        assert "undefined" in last.text
    else:
        assert isinstance(last, Equation)
        assert last.value == value or (math.isnan(last.value) and math.isnan(value))
    for step in found.steps:
        if isinstance(step, Equation):
            again = arithmetic(step)
            assert again == pytest.approx(step.value, rel=1e-9, abs=1e-9, nan_ok=True), step
        elif isinstance(step, Grid):
            assert all(len(row) == len(step.columns) for row in step.rows)
            assert not step.is_key_row or len(step.is_key_row) == len(step.rows)


def assert_grades(found, truth):
    """Every row shows the grade that the truth gives the item."""
    for step in found.steps:
        if isinstance(step, Grid) and {"item", "grade"} <= {*step.columns}:
            item, grade = step.columns.index("item"), step.columns.index("grade")
            for row in step.rows:
                assert row[grade] == truth.get(row[item])


def grades_of(lists, **tables):
    """A challenge of graded lists, and what was submitted."""
    names = [f"{n:03}" for n in range(len(lists))]
    truth, sent = [], []
    for name, (groups, graded) in zip(names, lists, strict=True):
        truth += [(name, item, grade) for item, grade in graded.items()]
        sent += [(name, x, -n) for n, group in enumerate(groups) for x in group]
    items = dict.fromkeys("abcdefghijklmnopqrst")
    aids = SideTables(Public("grades", dict.fromkeys(names), items), tables, ("f", "g"))
    return find_kind("grades").open(table(truth, "grade"), aids, Findings()), table(sent, "score")


@pytest.mark.parametrize("metric", TRIED, ids=lambda metric: metric.name)
def test_every_metric_explains_itself(metric):
    """Those of tables and of further columns do so in the tests that their files name."""
    named = {*NOTATIONS, *DIVERSE, *PREDICTED, *RETURNED, *PREFERRED}
    assert named & {*described(metric).variants} or described(metric).tested_in


@pytest.mark.slow("explains every metric", beyond=2)
@pytest.mark.parametrize("notation", NOTATIONS)
def test_ranked_lists(notation):
    rules = ["item-desc", "file"]
    if "expected" in bound(notation).metric.ties and not refuses(notation):
        rules.append("expected")
    if "mean-rank" in bound(notation).metric.ties:
        rules.append("mean-rank")
    strict = bound(notation).metric.truth_order == "strict"

    @LAWS
    @given(st.lists(pairs(order=strict, tied=True), min_size=1, max_size=3), st.sampled_from(rules))
    def holds(lists, ties):
        answers, sent = grades_of(lists)
        for (found, value), (_, truth) in zip(
            workings(notation, answers, sent, ties), lists, strict=True
        ):
            assert_leads(found, value)
            assert_grades(found, truth)

    holds()


@pytest.mark.slow("explains every metric", beyond=2)
@pytest.mark.parametrize("notation", DIVERSE)
def test_subtopics(notation):
    @LAWS
    @given(st.lists(pairs(tied=True), min_size=1, max_size=3), st.integers(0, 99))
    def holds(lists, seed):
        rng = np.random.default_rng(seed)
        names = [f"{n:03}" for n in range(len(lists))]
        rows = [
            (name, item, f"{rng.integers(3)}", grade)
            for name, (_, graded) in zip(names, lists, strict=True)
            for item, grade in graded.items()
            for _ in range(2)
        ]
        sent = [
            (name, x, -n)
            for name, (groups, _) in zip(names, lists, strict=True)
            for n, group in enumerate(groups)
            for x in group
        ]
        public = Public("grades", dict.fromkeys(names))
        aids = SideTables(public, views={Diverse: notation})
        truth = rows_of(("list", "item", "subtopic"), rows, ("grade",))
        answers = find_kind("grades").open(truth, aids, Findings())
        for found, value in workings(notation, answers, table(sent, "score")):
            assert_leads(found, value)

    holds()


@pytest.mark.slow("explains every metric", beyond=2)
@pytest.mark.parametrize("notation", RETURNED)
def test_beyond_accuracy(notation):
    number = st.integers(0, 3)

    @LAWS
    @given(
        st.lists(pairs(), min_size=1, max_size=3),
        st.lists(st.tuples(number, number), min_size=20, max_size=20),
        st.lists(st.tuples(st.sampled_from(["000", "u"]), st.sampled_from("abc")), min_size=1),
    )
    def holds(lists, features, past):
        rows = [(item, *each) for item, each in zip("abcdefghijklmnopqrst", features, strict=True)]
        tables = {
            "items": rows_of(("item",), rows, ("f", "g")),
            "history": rows_of(("list", "item"), past),
        }
        answers, sent = grades_of(lists, **tables)
        for found, value in workings(notation, answers, sent):
            assert_leads(found, value)
            whole = bound(notation).aggregate == "pooled"
            assert whole == any("is one figure of " in note for note in found.notes)

    holds()


@pytest.mark.slow("explains every metric", beyond=2)
@pytest.mark.parametrize("notation", PREDICTED)
def test_predictions(notation):
    number = st.floats(-5, 5, width=16)
    rating = st.tuples(st.sampled_from("abcdef"), number, number, st.booleans())

    @LAWS
    @given(
        st.lists(st.lists(rating, min_size=1, unique_by=lambda row: row[0]), min_size=1, max_size=3)
    )
    def holds(lists):
        rows = [
            (f"{n}", item, rated, said, said - 1, said + 1, sent)
            for n, one in enumerate(lists)
            for item, rated, said, sent in one
        ]
        truth = table([row[:3] for row in rows], "rating")
        kept = [(*row[:2], *row[3:6]) for row in rows if row[6]]
        sent = rows_of(("list", "item"), kept, ("prediction", "low", "high"))
        known = dict.fromkeys(row[0] for row in rows)
        answers = find_kind("ratings").open(truth, SideTables(Public("ratings", known)), Findings())
        for (found, value), name in zip(
            workings(notation, answers, sent, kind="ratings"), answers.lists, strict=True
        ):
            assert_leads(found, value)
            (shown,) = (step for step in found.steps if isinstance(step, Grid))
            assert {(row[0], row[1], row[2]) for row in shown.rows} == {
                (row[1], row[2], row[3]) for row in rows if row[0] == name and row[6]
            }

    holds()


@st.composite
def preferences(draw):
    """Pairs of a truth, along one order, and pairs of a submission, along another."""
    sides = []
    for _ in range(2):
        order = draw(st.permutations("abcde"))
        places = st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda p: p[0] < p[1])
        sides.append([(order[i], order[j]) for i, j in draw(st.sets(places, max_size=6))])
    return sides


@pytest.mark.slow("explains every metric", beyond=2)
@pytest.mark.parametrize("notation", PREFERRED)
def test_preferences(notation):
    @LAWS
    @given(st.lists(preferences(), min_size=1, max_size=3))
    def holds(lists):
        roles, names = ("list", "better", "worse"), [f"{n}" for n in range(len(lists))]
        truth, sent = (
            rows_of(roles, [(names[n], *p) for n, both in enumerate(lists) for p in both[side]])
            for side in (0, 1)
        )
        candidates = {
            name: frozenset(item for pair in both[0] for item in pair)
            for name, both in zip(names, lists, strict=True)
        }
        chances = rows_of(roles, [("0", "a", "b", 0.9)], ("probability",))
        chances = {"likelihood": chances}
        public = Public("preferences", dict.fromkeys(names), None, candidates)
        answers = find_kind("preferences").open(truth, SideTables(public, chances), Findings())
        for found, value in workings(notation, answers, sent, kind="preferences"):
            assert_leads(found, value)

    holds()


def test_orders_of_grades_are_preferences_too():
    answers, sent = grades_of([([["b"], ["a"], ["c"]], {"a": 3, "b": 2, "c": 1})])
    ((found, value),) = workings("EDRC", answers, sent)
    assert_leads(found, value)
    formulas = {step.name: step.formula for step in found.steps if isinstance(step, Equation)}
    assert formulas["C(b)"] == "EP(b, a)"
    assert formulas["C(c)"] == "EP(c, a) + EP(c, b)"


def test_a_metric_that_does_not_explain_shows_grades_and_value(challenge, score):
    code = """
from scorer import Floats, Judged, metric

@metric("Own", title="One's own", source="this test", range=(0, None))
def own(judged: Judged) -> Floats:
    return judged.hits.total()
"""
    files = {"own.py": code, "sub.csv": "list,item,rank\nq1,x,1\nq1,a,2\nq2,a,1\n"}
    folder = challenge("truth: truth.csv\nmetrics: [Own]\nplugins: [own.py]\n", **files)
    ran = score("explain", folder, folder / "sub.csv", "--list", "q1", "--allow-plugins")
    assert ran.code == 0, ran
    assert rows(ran.out) == ["1 x", "2 a 2"]
    assert ran.out.endswith("\nOwn = 1\n\nOwn = 1\n")
    assert score("explain", folder, folder / "sub.csv", "--list", "q1").code == 2
    broken = code.replace("range=", "explain=lambda *given, **params: given[9], range=")
    folder = challenge("truth: truth.csv\nmetrics: [Own]\nplugins: [own.py]\n", **{
        "own.py": broken, "sub.csv": files["sub.csv"],
    })  # fmt: skip
    ran = score("explain", folder, folder / "sub.csv", "--list", "q1", "--allow-plugins")
    ran.assert_exit(4, err="metric Own cannot explain itself: IndexError")


# The documents' examples

GOLDEN = [
    ("vlnet-s1", "vlnet-2011", "team_a.lists", "s1", []),
    ("vlnet-s2", "vlnet-2011", "team_a.lists", "s2", []),
    ("slides-dcg", "recsys-slides-ranking", "slides.csv", "q1", ["-m", "DCG", "-m", "nDCG"]),
    ("edrc-meant", "edrc", "table_1.csv", "meant", []),
]


@pytest.mark.parametrize(("name", "folder", "sent", "one", "more"), GOLDEN, ids=lambda x: str(x))
def test_the_documents_examples(score, name, folder, sent, one, more):
    path = ROOT / "submissions_example" / folder / "good" / sent
    ran = score("explain", ROOT / "challenges" / folder, path, "--list", one, *more).assert_exit(0)
    assert ran.out == (ROOT / f"tests/golden/explain/{name}.txt").read_text()


# The command


def rows(text):
    """Lines of the first table, without their spacing."""
    lines = text.split("───\n", 1)[1].split("\n\n")[0].splitlines()
    return [" ".join(line.split()) for line in lines]


def test_a_long_list_is_abbreviated(challenge, score):
    sent = "list,item\n" + "".join(f"q1,i{n}\n" for n in range(3000)) + "q2,a\n"
    truth = "list,item,grade\nq1,i2,1\nq1,i1500,1\nq2,a,1\n"
    folder = challenge("truth: truth.csv\nmetrics: [R@2000]\n", **{
        "sub.csv": sent, "truth.csv": truth,
    })  # fmt: skip
    ran = score("explain", folder, folder / "sub.csv", "--list", "q1", "-q")
    assert rows(ran.out) == [
        "1 i0", "2 i1", "3 i2 1 1 1", "… 1,497 left out", "1501 i1500 1 1 2", "… 498 left out",
        "2000 i1999",
    ]  # fmt: skip
    whole = score("explain", folder, folder / "sub.csv", "--list", "q1", "-q", "--format", "json")
    assert len(json.loads(whole.out)["measures"][0]["steps"][1]["rows"]) == 2000


# Workings as data


def test_a_table_is_abbreviated_to_what_matters():
    short = Grid("t", ("n",), tuple((n,) for n in range(24)), (False,) * 24)
    assert list(short.abbreviated()) == list(short.rows)
    few = Grid("t", ("n",), tuple((n,) for n in range(99)), tuple(n == 50 for n in range(99)))
    assert list(few.abbreviated()) == [(0,), 49, (50,), 47, (98,)]
    all_matter = Grid("t", ("n",), tuple((n,) for n in range(99)))
    shown = list(all_matter.abbreviated())
    assert shown[27:29] == [(27,), 59]
    assert len(shown) == 41


def test_long_sets_and_sums_are_cut():
    assert str(NamedItems("s", tuple("ab"))) == "{a, b}"
    assert str(NamedItems("s", tuple(f"{n}" for n in range(100)))).endswith("39, … 60 more}")
    assert sum_equation("S", "", "{} / 2", [1, 2], 1.5).numbers == "({} + {}) / 2"
    assert sum_equation("S", "", "{} / 2", range(20), 95).parts == (190,)


RUNS = "list,seed,model,dice\n" + "".join(
    f"{name},{run},{system},{value}\n"
    for system, run, values in (("a", 1, (0.5, 1)), ("a", 2, (0.25, 0.75)), ("b", 1, (0.9, 0.1)))
    for name, value in zip(("c1", "c2"), values, strict=True)
)


@pytest.mark.parametrize(
    ("name", "called", "steps", "value"),
    [
        ("a", "a", ["Run 1", 0.5, "Run 2", 0.25, (("1", 0.5), ("2", 0.25))], 0.375),
        ("a#2", "a#2", [0.25], 0.25),
        ("b", "b#1", [0.9], 0.9),
    ],
)
def test_runs_are_worked_out_one_by_one_with_their_mean(
    challenge, tmp_path, name, called, steps, value
):
    columns = "{list: list, run: seed, system: model, value: dice}"
    folder = challenge(f"kind: values\nsubmission: {{columns: {columns}}}\n")
    path = tmp_path / "all.csv"
    path.write_text(RUNS)
    found = explanation_of(folder, SubmissionFile(name, path), "c1")
    (whole,) = found.measures
    assert found.submission == called
    said = [getattr(s, "text", None) or getattr(s, "rows", None) or s.value
            for s in whole.steps]  # fmt: skip
    assert said == steps
    assert whole.value == whole.counts_as == value
    with pytest.raises(UsageError, match=r"2 submissions \('a', 'b'\); name the one .* a=.*all"):
        explanation_of(folder, path)
    path.write_text(RUNS.replace("c1,2,a,0.25", "c1,2,a,x"))
    refused = explanation_of(folder, SubmissionFile("a", path), "c1")
    assert not refused.measures
    assert [(p.code, p.line) for p in refused.findings] == [("S501", 4)]
