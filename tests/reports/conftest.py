"""The report that tests of several formats share."""

import pytest
from conftest import ROOT

from scorer.api.score import score as scored

GOLDEN = ROOT / "tests/golden/board"


@pytest.fixture(scope="package")
def board():
    """The report of the golden files."""
    return scored(GOLDEN, sorted((GOLDEN / "submissions").iterdir()))
