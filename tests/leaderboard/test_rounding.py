"""Numbers to significant digits, in arrays as alone."""

import numpy as np
import pytest

from scorer.leaderboard.rounding import rounded


@pytest.mark.parametrize("shape", [(4, 3), (12,), (0, 0)])
@pytest.mark.parametrize("digits", [1, 4, 17])
def test_an_array_has_the_bits_of_its_numbers_rounded_alone(shape, digits):
    numbers = [0.12345, -0.12345, 0.0, -0.0, np.nan, np.inf, -np.inf, 5e-324, 1e300, 2.5, 3.5, 2.5]
    values = np.resize(np.array(numbers), shape)
    alone = np.array([rounded(each, digits) for each in values.ravel().tolist()])
    assert rounded(values, digits).tobytes() == alone.tobytes()
    assert rounded(values, digits).shape == shape
