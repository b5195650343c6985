"""The report that tests of several formats share."""

import pytest
from boards import score as scored
from conftest import ROOT

GOLDEN = ROOT / "tests/golden/board"


@pytest.fixture(scope="package")
def board():
    """The report of the golden files."""
    return scored(GOLDEN, sorted((GOLDEN / "submissions").iterdir()))
