"""What the examples in docstrings can use without an import: what makes the views of metrics."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture(autouse=True)
def _example_names(doctest_namespace: dict[str, Any]) -> None:
    """Give the examples of metrics the functions that make the views they look at."""
    from scorer import testing

    views = {name: value for name, value in vars(testing).items() if name.endswith("_view")}
    doctest_namespace.update(views)
    doctest_namespace["further_columns"] = testing.further_columns
    doctest_namespace["position_table"] = testing.position_table
