"""Whole lists scored in any split, here or in another process, are the whole, to the bit."""

import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from variants import DIVERSE, VARIANTS

from scorer.challenge.load import load
from scorer.core.problems import Findings
from scorer.io.formats.base import format_of, read
from scorer.io.table import CodedColumn, Table
from scorer.metrics.base import metrics
from scorer.prepare.bind import prepare
from scorer.prepare.open import opened
from scorer.scoring.evaluate import score
from scorer.scoring.lists import merged, outcome, score_lists, score_whole
from scorer.views.positions import Positions

RNG = np.random.default_rng(2011)
LISTS, ITEMS = [f"q{n}" for n in range(9)], "abcdefgh"
# every list has an order of its own, so that no metric refuses the truth
TRUTH = "list,item,grade\n" + "".join(
    f"{name},{item},{grade}\n"
    for name in LISTS
    for item, grade in zip(ITEMS[:5], RNG.permutation([-1, 0, 1, 2, 3.5]), strict=True)
)
BEYOND = """CatalogueCoverage@3 ListCoverage Gini@2 Entropy@5 Novelty@3 ILD@4 EDRC
Serendipity(expected=2)@3 Serendipity(expected=history)@3 EDRC(unknown=likelihood)"""
NOTATIONS = *VARIANTS.split(), *DIVERSE, *BEYOND.split()
EVERY = ", ".join(f"'{notation}'" for notation in NOTATIONS)
HIGHER = ", ".join(f"'{each}'" for each in NOTATIONS if not each.startswith("Clicks"))
FILES = {
    "truth.csv": TRUTH,
    "items.csv": "item,users,x,y\n" + "".join(f"{i},{n},{n % 3},1\n" for n, i in enumerate(ITEMS)),
    "history.csv": "list,item\nq1,a\nq2,c\nq2,b\nq8,h\n",
    "likelihood.csv": "list,better,worse,probability\nq1,a,b,0.8\nq3,c,d,0.25\n",
    "ratings.csv": "list,item,rating\n"
    + "".join(f"{n},{i},{RNG.integers(1, 6)}\n" for n in LISTS for i in ITEMS[:4]),
    "pairs.csv": "list,better,worse\n" + "".join(f"{n},a,b\n{n},b,c\n{n},d,c\n" for n in LISTS),
    "folds.csv": "list,fold\n" + "".join(f"{n},{1 + k % 2}\n" for k, n in enumerate(LISTS)),
}
GRADES = """truth: truth.csv
items: {file: items.csv, columns: {users: users, features: [x, y]}}
history: {file: history.csv}
likelihood: {file: likelihood.csv}
"""
CHALLENGES = {
    "grades": f"{GRADES}undefined: skip\nmetrics: [{EVERY}]\n",
    "folds": "truth: truth.csv\nfolds: {file: folds.csv}\nundefined: skip\nmetrics: [AP, nDCG@2]\n",
    "ratings": "truth: ratings.csv\nsubmission: {range: [1, 5], missing_list: skip}\n"
    "metrics: [RMSE, 'RMSE(average=lists)', MAE, MSE, R2]\nundefined: skip\n",
    "preferences": "truth: pairs.csv\nmetrics: [EDRC]\nundefined: skip\n",
}
FILES |= {
    "tags.csv": "list,item,tag\n"
    + "".join(f"{n},{i},{'BIO'[RNG.integers(3)]}-X\n" for n in LISTS for i in ITEMS[:5]),
    "lists.csv": "list,scale,weight\n" + "".join(f"{n},{k + 1},{k}\n" for k, n in enumerate(LISTS)),
    "seen.csv": "list,item\nq1,a\nq1,f\nq3,b\nq7,c\nq99,a\n",
    "classes.csv": "item,group,ic,artist\n"
    + "".join(f"{i},{'xyz'[n % 3]}|x,{n},{'pq'[n % 2]}\n" for n, i in enumerate(ITEMS)),
}
CHALLENGES["further"] = """truth: {file: tags.csv, columns: {extra: [tag]}}
exclude: {file: seen.csv}
items: {file: classes.csv, columns: {extra: {group: classes, ic: number, artist: text}}}
submission: {columns: {extra: [tag]}}
undefined: skip
metrics: [Fmax, 'Fmax(average=pooled,weight=ic)', AWRF@3, ClassRprec(group=artist), ExactMatch,
  TokenF1, ChunkF1]
"""
CHALLENGES["series"] = """truth: ratings.csv
lists: {file: lists.csv, columns: {extra: {scale: number, weight: number}}}
submission: {missing_list: skip}
metrics: [WRMSSE]
"""
# an empty list is no perfect one
CHALLENGES["whole"] = (
    f"{GRADES}submission: {{missing_list: zero}}\nundefined: skip\nmetrics: [{HIGHER}]\n"
)
RANKED = "list,item,score\n"
SENT = {
    "good": RANKED + "".join(f"{n},{i},{k % 5}\n" for n in LISTS for k, i in enumerate(ITEMS)),
    "missing": RANKED + "".join(f"{n},{i},{k}\n" for n in LISTS[2:] for k, i in enumerate(ITEMS)),
    "scattered": RANKED
    + "".join(f"{n},{i},{k % 3}\n" for k, i in enumerate(ITEMS) for n in LISTS[::-1]),
    "wrong": RANKED
    + "".join(
        f"{n},{i},{k}\n"
        for n in [*LISTS, "Q1", "q1.0", "", "nan", "zz"]
        for k, i in enumerate(["a", "a", "b", "nan", "z", "A", " b", "c.0"])
    ),
    "other": RANKED + "x,a,1\ny,a,1\n",
    "alike": RANKED + "".join(f"{n},{i},1\n" for n in LISTS for i in "ab"),
    "ranks": "list,item,rank\nq1,a,1\nq1,b,3\nq2,a,0\nq2,b,1\nq3,a,2\nq3,b,2\nq4,a,1.5\nq0,a,-1\n",
    "both": "list,item,rank,score\nq1,a,1,2\nq1,b,2,3\nq2,a,1,2\nq2,b,2,3\nq3,a,1,1\n",
    "empty": RANKED,
}
RATED = "list,item,prediction\n"
RATINGS = {
    "good": RATED
    + "".join(f"{n},{i},{1 + k % 5}\n" for n in LISTS for k, i in enumerate(ITEMS[:4])),
    "missing": RATED + "".join(f"{n},{i},2\n" for n in LISTS[1:5] for i in "ab"),
    "wrong": RATED
    + "".join(f"{n},{i},{k * 3}\n" for n in (*LISTS, "u") for k, i in enumerate("aabx")),
}
PAIRS = {
    "good": "list,better,worse\n" + "".join(f"{n},a,b\n{n},c,b\n" for n in LISTS),
    "wrong": "list,better,worse\n"
    + "".join(f"{n},a,a\n{n},a,b\n{n},b,a\n{n},a,b\n{n},b,c\n{n},x,c\n" for n in (*LISTS, "u")),
    "ranked": RANKED + "".join(f"{n},{i},{k}\n" for n in LISTS for k, i in enumerate("dacb")),
}
TAGGED = {
    "good": "list,item,score,tag\n"
    + "".join(
        f"{n},{i},{k / 5},{'BIO'[k % 3]}-X\n" for n in LISTS for k, i in enumerate(ITEMS[:6])
    ),
    "scattered": "list,item,score,tag\n"
    + "".join(f"{n},{i},0.5,B-X\n" for i in ITEMS for n in LISTS[::-1]),
}
CASES = [
    *(("further", text) for text in TAGGED.items()),
    *(("series", text) for text in RATINGS.items()),
    *((kind, text) for kind in ("grades", "whole", "folds") for text in SENT.items()),
    *(("ratings", text) for text in RATINGS.items()),
    *(("preferences", text) for text in PAIRS.items()),
]


@pytest.fixture(scope="module")
def plans(tmp_path_factory):
    made = {}
    for kind, text in CHALLENGES.items():
        folder = tmp_path_factory.mktemp(kind)
        for name, content in FILES.items():
            (folder / name).write_text(content)
        (folder / "challenge.yaml").write_text(text)
        views = frozenset({Positions} if kind in ("grades", "folds") else ())
        made[kind] = opened(prepare(load(folder)), views=views).plan
    return made


def table_of(plan, text, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text(text)
    findings = Findings("mine.csv")
    table = read(path, format_of(path, None), plan.shapes, findings, plan.limits)
    return table, findings


def rows(table, keep):
    """Only some rows of a table, as a piece of its file would have them."""
    ids = {}
    for role, column in table.ids.items():
        used, codes = np.unique(column.codes[keep], return_inverse=True)
        ids[role] = CodedColumn(codes, tuple(column.names[n] for n in used.tolist()))
    numbers = {role: values[keep] for role, values in table.numbers.items()}
    return Table(ids, numbers, table.line[keep], table.wanted, table.facts)


def split(table, rng):
    """The table's lists in random parts, in a random order."""
    lists = table.ids["list"]
    part = rng.integers(0, rng.integers(1, 6), len(lists.names))[lists.codes]
    return [rows(table, part == n) for n in rng.permutation(np.unique(part))]


def grouped(parts, rng):
    """The parts put together two by two, in a random order."""
    parts = list(parts)
    while len(parts) > 1:
        first, second = (parts.pop(rng.integers(len(parts))) for _ in range(2))
        parts.append(merged([first, second]))
    return parts[0]


def same(mine, theirs):
    assert list(mine.findings) == list(theirs.findings)
    assert mine.findings.counts == theirs.findings.counts
    assert (mine.card is None) == (theirs.card is None)
    for card, other in (
        (mine.card, theirs.card),
        *((mine.folds[name], theirs.folds[name]) for name in theirs.folds),
    ):
        if card is not None:
            same_card(card, other)


def same_card(card, other):
    assert card.lists == other.lists
    np.testing.assert_array_equal(card.answered, other.answered)
    assert card.values.keys() == other.values.keys()
    for name in card.values:
        np.testing.assert_array_equal(card.values[name], other.values[name], name)
    assert card.statistics.keys() == other.statistics.keys()
    pairs = [
        (card.statistics[n], other.statistics[n], ("in_list", "rows")) for n in card.statistics
    ]
    assert (card.positions is None) == (other.positions is None)
    if card.positions is not None:
        names = ("in_list", "position", "grade", "truth_list", "truth_grade")
        pairs.append((card.positions, other.positions, names))
    for mine, theirs, names in pairs:
        for name in names:
            np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name), name)


def whole(plan, table, findings):
    return outcome(plan, score_lists(plan, table), findings, "0" * 64)


@pytest.mark.parametrize(
    ("kind", "sent"), CASES, ids=lambda value: value if isinstance(value, str) else value[0]
)
def test_any_split_in_any_grouping_is_the_whole(plans, kind, sent, tmp_path):
    plan, rng = plans[kind], np.random.default_rng(7)
    table, findings = table_of(plan, sent[1], tmp_path)
    expected = whole(plan, table, findings)
    for _ in range(12):
        if not len(table):
            break
        parts = [score_lists(plan, part) for part in split(table, rng)]
        again = table_of(plan, sent[1], tmp_path)[1]
        same(outcome(plan, grouped(parts, rng), again, "0" * 64), expected)


@pytest.mark.parametrize(
    ("kind", "sent"), CASES, ids=lambda value: value if isinstance(value, str) else value[0]
)
def test_what_explanations_see_is_what_is_scored(plans, kind, sent, tmp_path):
    plan = plans[kind]
    table, findings = table_of(plan, sent[1], tmp_path)
    expected = whole(plan, table, findings)
    part, views = score_whole(plan, table)
    found = outcome(plan, part, table_of(plan, sent[1], tmp_path)[1], "0" * 64)
    same(found, expected)
    if found.card is not None:
        again = score(views, plan.truth.lists, plan.measures, columns=plan.columns)
        same_card(again, expected.card)


def test_the_cases_are_scored_and_refused(plans, tmp_path):
    for kind, (name, text) in CASES:
        found = whole(plans[kind], *table_of(plans[kind], text, tmp_path))
        good = name in ("good", "scattered", "alike", "ranked") or (
            (name, kind)
            in (
                ("missing", "whole"),
                ("missing", "ratings"),
                ("missing", "series"),
                ("both", "whole"),
            )
        )
        assert (found.card is not None) is good, (kind, name, list(found.findings))


def test_every_metric_is_among_the_measures(plans):
    tried = {m.metric.name for plan in plans.values() for m in plan.measures}
    left = {m.name for m in metrics() if m.kinds & {"grades", "ratings", "preferences"}} - tried
    assert left <= {"IntervalCoverage"}  # which asks for columns of its own


def test_more_problems_than_are_kept_are_the_same_by_parts(plans, tmp_path, monkeypatch):
    from scorer.checks import base, tally
    from scorer.core import problems

    for module in (base, tally, problems):
        monkeypatch.setattr(module, "KEPT", 3)
    monkeypatch.setattr(Findings.__init__, "__defaults__", (None, 3))
    plan, rng = plans["grades"], np.random.default_rng(5)
    table, _ = table_of(plan, SENT["wrong"], tmp_path)
    expected = whole(plan, table, Findings())
    assert max(expected.findings.counts.values()) > 3
    for _ in range(5):
        parts = [score_lists(plan, part) for part in split(table, rng)]
        same(outcome(plan, grouped(parts, rng), Findings(), "0" * 64), expected)


SPAWNED = """
import pickle, sys
from scorer.scoring.lists import outcome, score_lists
from scorer.core.problems import Findings
with open(sys.argv[1], "rb") as file:
    work = pickle.load(file)
made = [outcome(p, score_lists(p, t), Findings(), "0" * 64) for p, t in work]
with open(sys.argv[1], "wb") as file:
    pickle.dump([(one.card.to_bytes(), [m.name for m in p.measures])
                 for one, (p, t) in zip(made, work)], file)
"""


def test_a_plan_gives_the_same_bits_in_another_process(plans, tmp_path):
    work, expected = [], []
    for kind, sent in (("grades", SENT), ("ratings", RATINGS), ("preferences", PAIRS)):
        table, _ = table_of(plans[kind], sent["good"], tmp_path)
        work.append((plans[kind], table))
        expected.append(whole(plans[kind], table, Findings()).card)
    path = tmp_path / "work"
    path.write_bytes(pickle.dumps(work))
    subprocess.run([sys.executable, "-c", SPAWNED, str(path)], check=True)
    made = pickle.loads(path.read_bytes())
    for (data, names), card, (plan, _) in zip(made, expected, work, strict=True):
        assert names == [m.name for m in plan.measures]
        same_card(type(card).from_bytes(data), card)


def test_a_plugins_measure_pickles_by_its_file(challenge, tmp_path):
    plugin = (
        "from scorer import Ranked, metric\n\n\n"
        "@metric('Half', title='half', source='here')\n"
        "def half(ranked: Ranked, *, of: float = 1.0) -> float:\n"
        '    """A half."""\n    return of / 2\n'
    )
    folder = challenge(
        "truth: truth.csv\nmetrics: ['Half(of=0.5)']\nplugins: [half.py]\n", **{"half.py": plugin}
    )
    plan = opened(prepare(load(folder), allow_plugins=True)).plan
    path = tmp_path / "work"
    table, _ = table_of(plan, "list,item\nq1,a\nq2,a\n", tmp_path)
    path.write_bytes(pickle.dumps([(plan, table)]))
    subprocess.run([sys.executable, "-c", SPAWNED, str(path)], check=True)
    ((data, names),) = pickle.loads(path.read_bytes())
    assert names == ["Half(of=0.5)"]
    found = type(whole(plan, table, Findings()).card).from_bytes(data)
    assert found.values[names[0]].tolist() == [0.25, 0.25]


def test_probes_are_scored_without_checks(plans, tmp_path):
    plan = replace(plans["grades"], checks=False)
    table, _ = table_of(plan, RANKED + "q1,nobody,1\n", tmp_path)
    assert not list(whole(plan, table, Findings()).findings)
