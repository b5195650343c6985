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
    score_table, calls = submission.score_table, []

    def hungry(plan, table, findings, sha256):
        calls.append(findings)
        if len(calls) == 2:
            raise MemoryError
        return score_table(plan, table, findings, sha256)

    monkeypatch.setattr(submission, "score_table", hungry)
    done = []
    found = list(score_submissions(plan, paths, done.append))
    assert [one.card is not None for one in found] == [True, False, True]
    assert [problem.code for problem in found[1].findings] == ["S104"]
    assert done == [0, 1, 2, 3]
