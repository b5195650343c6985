"""NTCIREVAL, as pyNTCIREVAL has it, on seeded random graded data."""

import numpy as np
import pytest
from peer_data import data, differences, ours

HIGHEST = 4


@pytest.fixture(scope="module")
def peer():
    return pytest.importorskip("pyNTCIREVAL.metrics")


def theirs(metric, truth, run, gains, **settings):
    """Its value of every list that is answered; it is given the gain of each level."""
    found = {}
    for query, mine in run.items():
        grades = truth[query]
        order = sorted(mine, key=lambda item: (mine[item], item), reverse=True)
        judged = [sum(g == level for g in grades.values()) for level in range(HIGHEST + 1)]
        made = metric(judged, list(gains), **settings)
        ranked = [(item, grades.get(item)) for item in order]
        found[query] = float(made.compute(ranked)) if sum(judged[1:]) else 0.0
    return found


def exponential():
    return [2**level - 1 for level in range(1, HIGHEST + 1)]


@pytest.mark.parametrize("k", [None, 1, 5, 20])
@pytest.mark.parametrize("beta", [0, 1, 10])
def test_q_measure(peer, k, beta):
    truth, run = data()
    at = f"@{k}" if k else ""
    for gain, gains in (("linear", range(1, HIGHEST + 1)), ("exp2", exponential())):
        found = ours(f"Q(beta={beta},gain={gain}){at}", truth, run)
        made = theirs(peer.QMeasure, truth, run, gains, beta=beta, cutoff=k)
        assert not differences(found, made)


@pytest.mark.parametrize("k", [None, 1, 5, 20])
def test_normalised_expected_reciprocal_rank(peer, k):
    truth, run = data()
    found = ours(f"nERR(max_grade={HIGHEST})" + (f"@{k}" if k else ""), truth, run)
    assert not differences(found, theirs(peer.nERR, truth, run, exponential(), cutoff=k))


@pytest.mark.parametrize("p", [0.5, 0.99])
def test_rank_biased_utility_ends_where_the_reader_of_err_does(peer, p):
    """It has no iRBU, but ERR, whose steps are the chance that the reading ends there over r."""
    truth, run = data()
    found = ours(f"iRBU(p={p},max_grade={HIGHEST})", truth, run)
    made = {}
    for query, mine in run.items():
        order = sorted(mine, key=lambda item: (mine[item], item), reverse=True)
        ranked = [(item, truth[query].get(item)) for item in order]
        err = peer.ERR([0, 0, 0, 0, 1], exponential())
        so_far = np.array([0.0, *(err.compute(ranked[:n]) for n in range(1, len(ranked) + 1))])
        rank = np.arange(1, len(ranked) + 1)
        made[query] = float((np.diff(so_far) * rank * p**rank).sum())
    assert not differences(found, made)
