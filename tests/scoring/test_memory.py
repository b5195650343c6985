"""What is scored holds no table: a file has thousands, and cycles are seldom searched for."""

import gc
import re
import weakref

import pytest
import yaml
from conftest import ROOT

from scorer.core.problems import Findings
from scorer.scoring import submission
from scorer.scoring.submission import score_submission, score_table

SETTINGS = [
    re.sub(r"\W+", "_", name)
    for name in yaml.safe_load((ROOT / "tests/recorded/measures.yaml").read_text("utf-8"))
]


@pytest.fixture
def no_search():
    gc.disable()
    yield
    gc.enable()


def held(table):
    """References to a table and its frame that keep none of them."""
    return [weakref.ref(each) for each in (table, table.frame)]


@pytest.mark.slow("scores with a metric a row", beyond=8)
@pytest.mark.parametrize("name", SETTINGS)
def test_a_table_that_is_scored_goes_with_its_last_reference(settings, name, no_search):
    plan, path = settings[name]
    table = plan.read(path, Findings()).table
    found, known = score_table(plan, table, Findings()), held(table)
    del table
    assert [one() for one in known] == [None] * len(known)
    assert found.card is not None or found.findings.fatal


@pytest.mark.slow("scores with a metric a row", beyond=8)
@pytest.mark.parametrize("name", SETTINGS)
def test_rows_are_given_back_before_they_are_measured(settings, name, no_search, monkeypatch):
    (plan, path), known, left = settings[name], [], []
    read, measure = submission.read_file, submission.score

    def read_and_hold(*words):
        file_table = read(*words)
        known.extend(held(file_table.table))
        return file_table

    def measured(*words, **named):
        left.extend(one() for one in known)
        return measure(*words, **named)

    monkeypatch.setattr(submission, "read_file", read_and_hold)
    monkeypatch.setattr(submission, "score", measured)
    found = score_submission(plan, path)
    scored = [] if found.card is None else [found.card, *found.folds.values()]
    assert left == [None] * (len(known) * len(scored))
