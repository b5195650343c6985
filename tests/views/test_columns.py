"""Further columns at rows that may be missing."""

import numpy as np
import pytest

from scorer.core.errors import ChallengeError
from scorer.testing import further_columns
from scorer.views.columns import NamedColumns

COLUMNS = further_columns(
    item={"name": ["a", "b"], "price": [1, 2], "shares": [[1, 0], [0.5, 0.5]]}
).item


def test_a_missing_row_has_an_empty_text_no_number_and_no_share():
    found = COLUMNS.at_or_missing(np.array([1, -1]))
    assert found["name"].tolist() == ["b", ""]
    np.testing.assert_array_equal(found["price"], [2, np.nan])
    assert found["shares"].tolist() == [[0.5, 0.5], [0, 0]]


def test_a_column_that_nobody_declared_says_how_it_is():
    assert COLUMNS.at(np.array([True, False]))["price"].tolist() == [1]
    with pytest.raises(ChallengeError, match=r"items has no further column 'size'; declared: name"):
        COLUMNS["size"]
    with pytest.raises(ChallengeError, match=r"truth: \{columns: \{extra: \{size: text"):
        NamedColumns({}, "truth")["size"]
