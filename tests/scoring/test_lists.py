"""Lists are scored alike whatever other lists there are, here and in another process."""

import pickle
import subprocess
import sys
from dataclasses import replace

import everything
import numpy as np
import pytest
from wholes import CASES, RANKED, RATINGS, SENT, SMALL, SPANS, TAGGED, every_plan, same, same_card

from scorer.challenge.load import load
from scorer.core.problems import Findings
from scorer.metrics.catalogue import metrics
from scorer.prepare.bind import prepare
from scorer.prepare.open import opened
from scorer.reading.table import encode
from scorer.scoring.evaluate import score
from scorer.scoring.submission import score_table, score_with_views


@pytest.fixture(scope="module")
def plans(tmp_path_factory):
    return every_plan(tmp_path_factory)


def table_of(plan, text, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text(text)
    findings = Findings("mine.csv")
    table = plan.read(path, findings).table
    return table, findings


def rows(table, keep):
    """Only some rows of a table, as a piece of its file would have them."""
    return table.with_frame(table.frame.filter(keep))


def split(table, rng):
    """The table's lists in random parts, in a random order."""
    names, number = encode(table.frame["list"])
    part = rng.integers(0, rng.integers(1, 6), len(names))[number]
    return [rows(table, part == n) for n in rng.permutation(np.unique(part))]


def whole(plan, table, findings):
    return score_table(plan, table, findings, "0" * 64)


@pytest.mark.slow("scores random lists in every split", beyond=1)
@pytest.mark.parametrize("kind", ["grades", "ratings", "series", "whole"])
def test_a_list_has_the_same_values_without_the_others(plans, kind, tmp_path):
    rules = plans[kind].rules.model_copy(update={"missing_list": "skip"})
    plan, rng = replace(plans[kind], rules=rules), np.random.default_rng(7)
    (text,) = {sent[1] for of, sent in CASES if of == kind and sent[0] == "good"}
    table, findings = table_of(plan, text, tmp_path)
    expected = whole(plan, table, findings).card
    for _ in range(12):
        for part in split(table, rng):
            found = whole(plan, part, Findings()).card
            for name, values in found.values.items():
                same = values[found.answered], expected.values[name][found.answered]
                np.testing.assert_array_equal(*same, err_msg=name)


@pytest.mark.slow("scores random lists in every split", beyond=2)
@pytest.mark.parametrize(
    ("kind", "sent"), CASES, ids=lambda value: value if isinstance(value, str) else value[0]
)
def test_what_explanations_see_is_what_is_scored(plans, kind, sent, tmp_path):
    plan = plans[kind]
    table, findings = table_of(plan, sent[1], tmp_path)
    expected = whole(plan, table, findings)
    table, findings = table_of(plan, sent[1], tmp_path)
    found, views = score_with_views(plan, table, findings, "0" * 64)
    same(found, expected)
    if found.card is not None:
        again = score(views, plan.truth.lists, plan.measures, columns=plan.columns)
        same_card(again, expected.card)


@pytest.mark.slow("scores random lists in every split")
def test_the_cases_are_scored_and_refused(plans, tmp_path):
    for kind, (name, text) in CASES:
        found = whole(plans[kind], *table_of(plans[kind], text, tmp_path))
        good = name in ("good", "scattered", "alike", "ranked") or (
            (name, kind)
            in (
                ("missing", "whole"),
                ("missing", "ratings"),
                ("missing", "series"),
                ("missing", "asked"),
                ("missing", "spans"),  # a document without a row has no span
                ("both", "whole"),
                ("strangers", "orders"),  # the challenge names no items
            )
        )
        assert (found.card is not None) is good, (kind, name, list(found.findings))


def test_every_metric_is_among_the_measures(plans):
    tried = {m.metric.name for plan in plans.values() for m in plan.measures}
    left = {m.name for m in metrics() if m.kinds & {"grades", "ratings", "preferences"}} - tried
    assert left <= {  # which ask for columns of their own
        "AngularError", "CRPS", "Haversine", "IntervalCoverage", "LaplaceLogLikelihood",
        "QuantileScore",
    }  # fmt: skip


def test_of_more_problems_than_are_kept_the_first_are_told(plans, tmp_path, monkeypatch):
    from scorer.checks import base, tables

    plan = plans["grades"]
    table, findings = table_of(plan, SENT["wrong"], tmp_path)
    every = whole(plan, table, findings).findings
    for module in (base, tables):
        monkeypatch.setattr(module, "KEPT", 3)
    first = whole(plan, table, Findings(most=3)).findings
    assert first.counts == every.counts
    assert max(first.counts.values()) > 3
    for code in first.counts:
        told = [replace(p, path=None) for p in first if p.code == code]
        known = [replace(p, path=None) for p in every if p.code == code]
        assert told == known[:3]


SPAWNED = """
import pickle, sys
from scorer.scoring.submission import score_table
from scorer.core.problems import Findings
with open(sys.argv[1], "rb") as file:
    work = pickle.load(file)
made = [score_table(p, t, Findings(), "0" * 64) for p, t in work]
with open(sys.argv[1], "wb") as file:
    pickle.dump([(one.card.to_bytes(), [m.name for m in p.measures])
                 for one, (p, t) in zip(made, work)], file)
"""


@pytest.mark.slow("scores random lists in every split")
def test_a_plan_of_every_metric_gives_the_same_bits_in_another_process(plans, tmp_path):
    work, expected = [], []

    def add(plan, text):
        table, findings = table_of(plan, text, tmp_path)
        work.append((plan, replace(table, find_cells=None)))
        expected.append(whole(plan, table, findings).card)

    for kind, texts in (
        ("grades", SENT),
        ("further", TAGGED),
        ("series", RATINGS),
        ("spans", SPANS),
    ):
        add(plans[kind], texts["good"])
    for kind in everything.KINDS[1:]:
        (folder := tmp_path / kind).mkdir()
        rng = np.random.default_rng(11)
        everything.sent(folder / "sent.csv", kind, everything.made(folder, kind, rng), rng)
        add(opened(prepare(load(folder))).plan, (folder / "sent.csv").read_text())
    for name, (rules, truth, sent) in SMALL.items():
        (folder := tmp_path / name).mkdir()
        (folder / "challenge.yaml").write_text(rules)
        (folder / "truth.csv").write_text(truth)
        add(opened(prepare(load(folder))).plan, sent)
    tried = {m.metric.name for plan, _ in work for m in plan.measures}
    assert tried == {metric.name for metric in metrics()}
    path = tmp_path / "work"
    path.write_bytes(pickle.dumps(work))
    subprocess.run([sys.executable, "-c", SPAWNED, str(path)], check=True)
    made = pickle.loads(path.read_bytes())
    for (data, names), card, (plan, _) in zip(made, expected, work, strict=True):
        assert names == [m.name for m in plan.measures]
        same_card(type(card).from_bytes(data), card)


@pytest.mark.slow("scores random lists")
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
