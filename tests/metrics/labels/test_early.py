"""Early detection: ERDE and FLatency, from the delays of a submission to a board."""

import math
from dataclasses import replace

import numpy as np
import pytest
from measured import value_of

from scorer.testing import labelled_view
from scorer.views.columns import Extras, NamedColumns

YAML = """
truth: {file: truth.csv, columns: {list: id, label: risk}}
submission: {columns: {list: id, label: risk, extra: {delay: number}}}
metrics: ["ERDE(positive=1)@5", "ERDE(positive=1)@50", "FLatency(positive=1)"]
"""
TRUTH = "id,risk\na,1\nb,1\nc,0\nd,0\ne,1\n"
SENT = "id,risk,delay\na,1,1\nb,1,30\nc,1,4\nd,0,99\ne,0,99\n"


def early(seed):
    """True classes, predicted ones, and delays."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(1, 30))
    sides = [[str(n) for n in rng.integers(0, 2, rows)] for _ in range(2)]
    return *sides, rng.integers(1, 60, rows).astype(float)


def view_of(true, found, delay):
    sent = Extras(submission=NamedColumns({"delay": np.append(delay, [1, 1])}, "submission"))
    whole = labelled_view([*true, "0", "1"], [*found, "0", "1"])
    rows = np.arange(len(true))
    return replace(
        whole, names=whole.names[: rows.size], answered=whole.answered[rows],
        truth=whole.truth[rows], label=whole.label[rows], extras=sent.at(submission=rows),
    )  # fmt: skip


def oracle(true, found, delay, o, c_fp=None):
    costs = []
    for t, f, k in zip(true, found, delay, strict=True):
        if f == "1" and t == "0":
            costs.append(true.count("1") / len(true) if c_fp is None else c_fp)
        elif t == "1":
            costs.append(1 if f == "0" else 1 - 1 / (1 + math.exp(k - o)))
        else:
            costs.append(0)
    return sum(costs) / len(costs)


def f_latency(true, found, delay, p=0.0078):
    hits = [k for t, f, k in zip(true, found, delay, strict=True) if t == f == "1"]
    if not hits:
        return 0.0
    penalties = [-1 + 2 / (1 + math.exp(-p * (k - 1))) for k in hits]
    f1 = 2 * len(hits) / (true.count("1") + found.count("1"))
    return f1 * (1 - float(np.median(penalties)))


@pytest.mark.parametrize("seed", range(12))
def test_values_are_the_oracles(seed):
    rows = early(seed)
    view = view_of(*rows)
    assert value_of("ERDE(positive=1)@5", view) == pytest.approx(oracle(*rows, 5))
    assert value_of("ERDE(positive=1,c_fp=0.1)@50", view) == pytest.approx(oracle(*rows, 50, 0.1))
    assert value_of("FLatency(positive=1)", view) == pytest.approx(f_latency(*rows))


@pytest.mark.parametrize("notation", ["ERDE(positive=1)@5", "FLatency(positive=1)"])
def test_a_weight_of_three_is_three_equal_rows(notation):
    true, found, delay = early(3)
    times = np.random.default_rng(3).integers(1, 4, len(true))
    weighted = replace(view_of(true, found, delay), weight=times.astype(float))
    again = [np.repeat(side, times).tolist() for side in (true, found)]
    repeated = view_of(*again, np.repeat(delay, times))
    assert value_of(notation, weighted) == pytest.approx(value_of(notation, repeated))


def test_a_delay_that_is_no_number_has_a_line(challenge, score):
    folder = challenge(YAML, **{"truth.csv": TRUTH, "sub.csv": SENT.replace("30", "soon")})
    ran = score("check", folder, folder / "sub.csv").assert_exit(1)
    assert "sub.csv:3:5: error[S501] delay" in ran.told
