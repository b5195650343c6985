"""Runs of equal rows."""

import numpy as np
import pytest

from scorer.core.arrays import starts

CASES = [
    ([[]], []),
    ([[7]], [True]),
    ([[1, 1, 2, 1]], [True, False, True, True]),
    ([[1, 1, 1], ["a", "b", "b"]], [True, True, False]),
    ([[0.5, 0.5, np.inf, np.inf, -np.inf]], [True, False, True, False, True]),
    ([[np.nan, np.nan]], [True, True]),
]


@pytest.mark.parametrize(("keys", "expected"), CASES)
def test_a_run_begins_where_any_key_differs(keys, expected):
    assert starts(*map(np.array, keys)).tolist() == expected


def test_unsigned_keys_do_not_wrap():
    assert starts(np.array([0, 2**64 - 1, 0], np.uint64)).tolist() == [True] * 3
