"""Lists are scored alike whatever other lists there are, here and in another process."""

import pickle
import subprocess
import sys
from dataclasses import replace

import everything
import numpy as np
import pytest

from scorer.challenge.load import load
from scorer.core.problems import Findings
from scorer.metrics.catalogue import metrics
from scorer.reading.table import encode
from scorer.scoring.bind import bind
from scorer.scoring.open import open_challenge
from scorer.scoring.submission import join_truths, score_table, score_views

# Unknown lists and items, ids that are written in other ways, items that are given twice.
WRONG = "list,item,score\n" + "".join(
    f"{name},{item},{score}\n"
    for name in ("q1", "q2", "Q1", "q1.0", "", "nan", "zz")
    for score, item in enumerate(("i01", "i01", "i02", "nan", "I01", " i02", "i03.0"))
)


def read_table(plan, path):
    findings = Findings(path.name)
    return plan.read(path, findings).table, findings


def table_of(plan, text, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text(text)
    return read_table(plan, path)


def split(table, rng):
    """The table's lists in random parts, in a random order."""
    names, number = encode(table.frame["list"])
    part = rng.integers(0, rng.integers(1, 6), len(names))[number]
    return [
        table.with_frame(table.frame.filter(part == n)) for n in rng.permutation(np.unique(part))
    ]


@pytest.mark.slow("scores random lists in every split", beyond=1)
@pytest.mark.parametrize("name", ["texts", "grades", "ratings", "subtopics", "numbers"])
def test_a_list_has_the_same_values_without_the_others(settings, name):
    plan, path = settings[name]
    rules = plan.rules.model_copy(update={"missing_list": "skip"})
    plan, rng = replace(plan, rules=rules), np.random.default_rng(7)
    table, findings = read_table(plan, path)
    expected = score_table(plan, table, findings).card
    for _ in range(12):
        for part in split(table, rng):
            found = score_table(plan, part, Findings()).card
            for measure, values in found.values.items():
                same = values[found.answered], expected.values[measure][found.answered]
                np.testing.assert_array_equal(*same, err_msg=measure)


def test_of_more_problems_than_are_kept_the_first_are_told(settings, tmp_path, monkeypatch):
    from scorer.checks import base

    plan, _ = settings["grades"]
    table, findings = table_of(plan, WRONG, tmp_path)
    every = score_table(plan, table, findings).findings
    table, _ = table_of(plan, WRONG, tmp_path)
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
made = [score_table(plan, table, Findings(), "0" * 64).card.to_bytes() for plan, table in work]
with open(sys.argv[1], "wb") as file:
    pickle.dump(made, file)
"""


@pytest.mark.slow("scores by every measure")
def test_a_plan_of_every_metric_gives_the_same_bits_in_another_process(settings, tmp_path):
    work = [(plan, read_table(plan, path)[0]) for plan, path in settings.values()]
    for kind in everything.KINDS:
        (folder := tmp_path / kind).mkdir()
        rng = np.random.default_rng(11)
        everything.sent(folder / "sent.csv", kind, everything.made(folder, kind, rng), rng)
        plan = open_challenge(bind(load(folder))).plan
        work.append((plan, read_table(plan, folder / "sent.csv")[0]))
    assert {m.metric.name for plan, _ in work for m in plan.measures} == {
        metric.name for metric in metrics()
    }
    path = tmp_path / "work"
    path.write_bytes(pickle.dumps([(p, replace(table, find_cells=None)) for p, table in work]))
    subprocess.run([sys.executable, "-c", SPAWNED, str(path)], check=True)
    for data, (plan, table) in zip(pickle.loads(path.read_bytes()), work, strict=True):
        assert data == score_table(plan, table, Findings(), "0" * 64).card.to_bytes()


def test_probes_are_scored_without_checks(settings, tmp_path):
    plan, _ = settings["grades"]
    table, _ = table_of(plan, "list,item,score\nq1,nobody,1\n", tmp_path)
    assert not list(score_views(plan, join_truths(plan, table), Findings()).findings)
