"""What is scored holds no table: a file has thousands, and cycles are seldom searched for."""

import gc
import weakref

import pytest
from wholes import CASES, every_plan

from scorer.core.problems import Findings
from scorer.scoring import submission
from scorer.scoring.submission import score_submission, score_table


@pytest.fixture(scope="module")
def plans(tmp_path_factory):
    return every_plan(tmp_path_factory)


@pytest.fixture
def no_search():
    gc.disable()
    yield
    gc.enable()


def table_of(plan, text, path):
    path.write_text(text)
    return plan.read(path, Findings()).table


def held(table):
    """References to a table and its frame that keep none of them."""
    return [weakref.ref(each) for each in (table, table.frame)]


@pytest.mark.slow("scores with a metric a row", beyond=8)
@pytest.mark.parametrize(
    ("kind", "sent"), CASES, ids=lambda value: value if isinstance(value, str) else value[0]
)
def test_a_table_that_is_scored_goes_with_its_last_reference(
    plans, kind, sent, tmp_path, no_search
):
    table = table_of(plans[kind], sent[1], tmp_path / "mine.csv")
    found, known = score_table(plans[kind], table, Findings()), held(table)
    del table
    assert [one() for one in known] == [None] * len(known)
    assert found.card is not None or found.findings.fatal


@pytest.mark.slow("scores with a metric a row", beyond=8)
@pytest.mark.parametrize(
    ("kind", "sent"), CASES, ids=lambda value: value if isinstance(value, str) else value[0]
)
def test_rows_are_given_back_before_they_are_measured(
    plans, kind, sent, tmp_path, no_search, monkeypatch
):
    path, known, left = tmp_path / "mine.csv", [], []
    path.write_text(sent[1])
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
    found = score_submission(plans[kind], path)
    scored = [] if found.card is None else [found.card, *found.folds.values()]
    assert left == [None] * (len(known) * len(scored))
