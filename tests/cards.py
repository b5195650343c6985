"""Scorecards of some lists beside that of all of them."""

import numpy as np


def assert_same_lists(parts, whole):
    """The parts have the lists of the whole, each with the very values that it has there."""
    place = {name: n for n, name in enumerate(whole.lists)}
    assert sorted(name for part in parts for name in part.lists) == sorted(place)
    for part in parts:
        at = np.array([place[name] for name in part.lists], dtype=np.int64)
        np.testing.assert_array_equal(part.answered, whole.answered[at])
        assert part.values.keys() == whole.values.keys()
        for measure, values in part.values.items():
            np.testing.assert_array_equal(values, whole.values[measure][at], err_msg=measure)
