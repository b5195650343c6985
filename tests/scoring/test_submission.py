"""The files of submissions, scored one after the other."""

import numpy as np
import pytest

from scorer.challenge.load import load
from scorer.checks import base, ranked
from scorer.checks.ids import IdIndex, PairIndex
from scorer.scoring import submission
from scorer.scoring.bind import bind
from scorer.scoring.open import open_challenge
from scorer.scoring.run import score_submissions


@pytest.fixture
def plan(challenge):
    return open_challenge(bind(load(challenge()))).plan


def test_a_submission_that_wants_too_much_memory_is_refused_alone(plan, tmp_path, monkeypatch):
    paths = [tmp_path / f"{name}.csv" for name in ("one", "two", "three")]
    for path in paths:
        path.write_text("list,item,score\nq1,a,2\nq2,a,1\n")
    check_and_join = submission.check_and_join

    def hungry(plan, table, findings):
        if findings.path == str(paths[1]):
            raise MemoryError
        return check_and_join(plan, table, findings)

    monkeypatch.setattr(submission, "check_and_join", hungry)
    done = []
    found = list(score_submissions(plan, paths, done.append))
    assert [one.card is not None for one in found] == [True, False, True]
    assert [problem.code for problem in found[1].findings] == ["S104"]
    assert done == [0, 1, 2, 3]


# Of each kind: challenge.yaml, the truth, and a submission of which an id is not in the truth.
KINDS = {
    "grades": ("metrics: [AP]\n", "list,item,grade\nq,a,1\n", "list,item,score\nq,a,1\nx,a,1\n"),
    "ratings": ("metrics: [RMSE]\n", "list,item,rating\nq,a,1\n", "list,item,prediction\nq,b,1\n"),
    "labels": ("metrics: [Accuracy]\n", "list,label\nq,a\n", "list,label\nx,a\n"),
    "masks": ("metrics: [Dice]\n", "list,runs\nq,1 3\n", "list,runs\nx,1 3\n"),
    "preferences": (
        "metrics: [EDRC]\n",
        "list,better,worse\nq,a,b\n",
        "list,better,worse\nq,a,x\n",
    ),
    "ranked preferences": (
        "metrics: [EDRC]\n",
        "list,better,worse\nq,a,b\n",
        "list,item,score\nq,a,2\nq,x,1\n",
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_only_the_join_does_not_know_are_a_mistake_of_scorer(
    kind, challenge, tmp_path, score, monkeypatch
):
    """The checks are made to take every id for public."""
    yaml, truth, rows = KINDS[kind]
    folder = challenge(f"truth: truth.csv\n{yaml}", **{"truth.csv": truth})
    (tmp_path / "mine.csv").write_text(rows)
    assert score(folder, tmp_path / "mine.csv").code == 1
    monkeypatch.setattr(ranked, "find_indices", lambda ids, names: np.arange(len(ids)) % len(names))
    monkeypatch.setattr(base, "find_indices", lambda ids, names: np.arange(len(ids)) % len(names))
    monkeypatch.setattr(IdIndex, "contains", lambda index, ids: ids.is_not_null())
    monkeypatch.setattr(
        PairIndex, "contains", lambda index, rows, role="": np.ones(len(rows), bool)
    )
    monkeypatch.setattr(PairIndex, "without", lambda index, rows: index.frame.clear())
    ran = score(folder, tmp_path / "mine.csv")
    assert ran.code == 4
    assert "this is a mistake of scorer: please report it" in ran.err
    assert "no submission is at fault" in ran.err
    assert not ran.out
