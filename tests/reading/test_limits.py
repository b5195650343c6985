"""Limits on what is read."""

import polars as pl
import pytest

from scorer.reading.limits import ReadLimits, UnreadableError, refuse_many_rows


def test_rows_beyond_32_bits_are_counted():
    lines, counts = pl.Series([1, 2]), pl.Series([2**31, 2**31], dtype=pl.UInt32)
    with pytest.raises(UnreadableError, match="more than 20,000,000 rows") as caught:
        refuse_many_rows(lines, ReadLimits(), counts)
    assert caught.value.problem.line == 1
    refuse_many_rows(lines, ReadLimits(rows=2**32), counts)
