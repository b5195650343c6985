"""The array types, and the runs of equal rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


Floats = NDArray[np.float64]


Mask = NDArray[np.bool_]


def starts(*keys: NDArray[Any]) -> Mask:
    """Where runs begin: rows that differ from the row before them in any of the keys.

    Each key has the shape (rows,), as the result has; the first row always begins a run.

    >>> starts(np.array([1, 1, 2, 2]), np.array([0, 0, 0, 5])).tolist()
    [True, False, True, True]
    """
    new = np.zeros(keys[0].size, dtype=bool)
    new[:1] = True
    for key in keys:
        new[1:] |= key[1:] != key[:-1]
    return new


def ends(*keys: NDArray[Any]) -> Mask:
    """Where the runs of `starts` end.

    >>> ends(np.array([1, 1, 2, 2]), np.array([0, 0, 0, 5])).tolist()
    [False, True, True, True]
    """
    found: Mask = np.append(starts(*keys)[1:], True)[: keys[0].size]
    return found
