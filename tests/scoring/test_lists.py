"""Lists are scored alike whatever other lists there are, here and in another process."""

import pickle
import subprocess
import sys
from dataclasses import replace

import everything
import numpy as np
import pytest
from wholes import CASES, RANKED, RATINGS, SENT, SMALL, SPANS, TAGGED, every_plan, same_card

from scorer.challenge.load import load
from scorer.core.problems import Findings
from scorer.metrics.catalogue import metrics
from scorer.reading.table import encode
from scorer.scoring.bind import bind
from scorer.scoring.open import open_challenge
from scorer.scoring.submission import join_truths, score_table, score_views


@pytest.fixture(scope="module")
def plans(tmp_path_factory):
    return every_plan(tmp_path_factory)


def table_of(plan, text, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text(text)
    findings = Findings("mine.csv")
    table = plan.read(path, findings).table
    return table, findings


def score_text(plan, text, tmp_path):
    table, findings = table_of(plan, text, tmp_path)
    return score_table(plan, table, findings, "0" * 64)


def split(table, rng):
    """The table's lists in random parts, in a random order."""
    names, number = encode(table.frame["list"])
    part = rng.integers(0, rng.integers(1, 6), len(names))[number]
    return [
        table.with_frame(table.frame.filter(part == n)) for n in rng.permutation(np.unique(part))
    ]


@pytest.mark.slow("scores random lists in every split", beyond=1)
@pytest.mark.parametrize("kind", ["grades", "ratings", "series", "whole"])
def test_a_list_has_the_same_values_without_the_others(plans, kind, tmp_path):
    rules = plans[kind].rules.model_copy(update={"missing_list": "skip"})
    plan, rng = replace(plans[kind], rules=rules), np.random.default_rng(7)
    (text,) = {sent[1] for of, sent in CASES if of == kind and sent[0] == "good"}
    table, findings = table_of(plan, text, tmp_path)
    expected = score_table(plan, table, findings).card
    for _ in range(12):
        for part in split(table, rng):
            found = score_table(plan, part, Findings()).card
            for name, values in found.values.items():
                same = values[found.answered], expected.values[name][found.answered]
                np.testing.assert_array_equal(*same, err_msg=name)


@pytest.mark.slow("scores random lists in every split")
def test_the_cases_are_scored_and_refused(plans, tmp_path):
    accepted = {("missing", "whole"), ("missing", "ratings"), ("missing", "series")}
    accepted |= {("missing", "asked"), ("both", "whole")}
    accepted |= {("missing", "spans")}  # a document without a row has no span
    accepted |= {("strangers", "orders")}  # the challenge names no items
    for kind, (name, text) in CASES:
        found = score_text(plans[kind], text, tmp_path)
        good = name in ("good", "scattered", "alike", "ranked") or (name, kind) in accepted
        assert (found.card is not None) is good, (kind, name, list(found.findings))


def test_every_metric_is_among_the_measures(plans):
    tried = {m.metric.name for plan in plans.values() for m in plan.measures}
    left = {m.name for m in metrics() if m.kinds & {"grades", "ratings", "preferences"}} - tried
    assert left <= {  # which ask for columns of their own
        "AngularError", "CRPS", "Haversine", "IntervalCoverage", "LaplaceLogLikelihood",
        "QuantileScore",
    }  # fmt: skip


def test_of_more_problems_than_are_kept_the_first_are_told(plans, tmp_path, monkeypatch):
    from scorer.checks import base

    plan = plans["grades"]
    every = score_text(plan, SENT["wrong"], tmp_path).findings
    table, _ = table_of(plan, SENT["wrong"], tmp_path)
    monkeypatch.setattr(base, "KEPT", 3)
    first = score_table(plan, table, Findings(most=3)).findings
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
        expected.append(score_table(plan, table, findings, "0" * 64).card)

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
        add(open_challenge(bind(load(folder))).plan, (folder / "sent.csv").read_text())
    for name, (rules, truth, sent) in SMALL.items():
        (folder := tmp_path / name).mkdir()
        (folder / "challenge.yaml").write_text(rules)
        (folder / "truth.csv").write_text(truth)
        add(open_challenge(bind(load(folder))).plan, sent)
    tried = {m.metric.name for plan, _ in work for m in plan.measures}
    assert tried == {metric.name for metric in metrics()}
    path = tmp_path / "work"
    path.write_bytes(pickle.dumps(work))
    subprocess.run([sys.executable, "-c", SPAWNED, str(path)], check=True)
    made = pickle.loads(path.read_bytes())
    for (data, names), card, (plan, _) in zip(made, expected, work, strict=True):
        assert names == [m.name for m in plan.measures]
        same_card(type(card).from_bytes(data), card)


def test_probes_are_scored_without_checks(plans, tmp_path):
    plan = plans["grades"]
    table, _ = table_of(plan, RANKED + "q1,nobody,1\n", tmp_path)
    assert not list(score_views(plan, join_truths(plan, table), Findings()).findings)
