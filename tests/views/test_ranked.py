"""A table's rows as ranked lists."""

import gc
import weakref

import numpy as np
import pytest

from scorer.io.table import CodedColumn, Schema, Table
from scorer.views.ranked import ranked


@pytest.fixture
def no_search():
    gc.disable()
    yield
    gc.enable()


def test_a_table_goes_with_its_last_reference(no_search):
    """A file has thousands of them, and the command seldom searches for cycles."""
    ids = {role: CodedColumn(np.array([0, 1]), ("a", "b")) for role in ("list", "item")}
    table = Table(ids, {"score": np.array([1.0, 2.0])}, np.array([2, 3]), Schema(("list", "item")))
    assert len(ranked(table).items.repeated) == 0
    gone = weakref.ref(table)
    del table
    assert gone() is None
