"""The files of submissions, scored one after the other."""

import pytest

from scorer.challenge.load import load
from scorer.prepare.bind import prepare
from scorer.prepare.open import opened
from scorer.scoring import submission
from scorer.scoring.run import score_submissions


@pytest.fixture
def plan(challenge):
    return opened(prepare(load(challenge()))).plan


def test_a_submission_that_wants_too_much_memory_is_refused_alone(plan, tmp_path, monkeypatch):
    paths = [tmp_path / f"{name}.csv" for name in ("one", "two", "three")]
    for path in paths:
        path.write_text("list,item,score\nq1,a,2\nq2,a,1\n")
    check_and_join, calls = submission.check_and_join, []

    def hungry(plan, table, findings):
        calls.append(findings)
        if len(calls) == 2:
            raise MemoryError
        return check_and_join(plan, table, findings)

    monkeypatch.setattr(submission, "check_and_join", hungry)
    done = []
    found = list(score_submissions(plan, paths, done.append))
    assert [one.card is not None for one in found] == [True, False, True]
    assert [problem.code for problem in found[1].findings] == ["S104"]
    assert done == [0, 1, 2, 3]
