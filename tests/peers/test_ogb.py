"""The Open Graph Benchmark's own evaluator, which wants PyTorch: numbers that it gave, and live."""

import numpy as np
import pytest
from peer_data import ours

# of package ogb 1.3.6 with PyTorch 2.13.0: Evaluator("ogbl-collab"), its K set to each k
GIVEN = {1: 0.08, 3: 0.08, 10: 0.6, 20: 1.0, 21: 1.0}


def edges(seed):
    """Scores of positive and of negative edges, some of them equal."""
    rng = np.random.default_rng(seed)
    return rng.integers(10, 60, 25) / 8, rng.integers(0, 55, 20) / 8


def hits(positive, negative, k):
    scores = {f"p{n}": s for n, s in enumerate(positive.tolist())}
    scores |= {f"n{n}": s for n, s in enumerate(negative.tolist())}
    truth = {"edges": {name: int(name.startswith("p")) for name in scores}}
    return ours(f"Hits@{k}", truth, {"edges": scores})["edges"]


@pytest.mark.parametrize(("k", "value"), GIVEN.items())
def test_the_numbers_that_it_gave(k, value):
    assert hits(*edges(7), k) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_hits_at_k(seed):
    evaluator = pytest.importorskip("ogb.linkproppred").Evaluator("ogbl-collab")
    positive, negative = edges(seed)
    for k in (1, 2, 5, 10, 20, 21):
        evaluator.K = k
        (value,) = evaluator.eval({"y_pred_pos": positive, "y_pred_neg": negative}).values()
        assert hits(positive, negative, k) == pytest.approx(value, abs=1e-12)
