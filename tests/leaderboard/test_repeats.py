"""Several runs of one system as one submission."""

import numpy as np
import pytest

from scorer.api.compare import compare
from scorer.api.score import score
from scorer.api.text import content_of
from scorer.core.errors import ChallengeError, UsageError
from scorer.results.json import ABSENT

HEAD = "scorer: 1\nkind: values\n"
# a system's runs by cases: of x two of three runs are right on case 1, and so on
RUNS = {"x": ["110101", "100111", "110011"], "y": ["000101", "100000", "000001"]}


@pytest.fixture
def board(tmp_path):
    """Scores tables of runs, each a file."""
    (tmp_path / "challenge.yaml").write_text(
        f"{HEAD}submission: {{columns: {{list: case, value: ok}}}}\n"
        "leaderboard: {draws: 50, pass_at: [1, 2, 4]}\n"
    )

    def of(files):
        for name, right in files.items():
            rows = "".join(f"c{n},{value}\n" for n, value in enumerate(right))
            (tmp_path / f"{name}.csv").write_text(f"case,ok\n{rows}")
        return score(tmp_path, [tmp_path / f"{name}.csv" for name in files])

    return of


def files(runs=RUNS):
    return {f"{name}#{n}": right for name, own in runs.items() for n, right in enumerate(own)}


def test_runs_are_one_submission_with_their_mean(board):
    report = board(files())
    assert [(row.rank, row.name) for row in report.leaderboard] == [(1, "x"), (2, "y")]
    x = report.submissions[0]
    assert x.values["ok"].mean == pytest.approx(12 / 18)
    assert x.values["ok"].per_list == pytest.approx([1, 2 / 3, 0, 2 / 3, 2 / 3, 1])
    assert x.values["ok"].runs == pytest.approx({"0": 4 / 6, "1": 4 / 6, "2": 4 / 6})
    assert (x.values["ok"].deviation, len(x.runs)) == (0, 3)
    # by hand: 1 - C(3 - c, 2) / C(3, 2) is 1, 1, 0, 1, 1, 1
    assert x.values["pass@1"].mean == pytest.approx(12 / 18)
    assert x.values["pass@2"].mean == pytest.approx(5 / 6)
    assert np.isnan(x.values["pass@4"].mean)
    how = content_of(report).certainty.how
    assert (how.test, how.adjust, how.over, how.units) == ("t", "holm", "lists in runs", 6)
    low, high = report.leaderboard[0].interval
    assert low < 12 / 18 < high
    assert report.leaderboard[0].variance.runs == 0
    assert report.leaderboard[1].variance.lists > 0
    assert "± is the standard deviation between the runs" in report.render(notes=True)
    assert "pass@4 has no value for 'x', 'y'." in str(report)


@pytest.mark.parametrize("rule", ["skip", "zero"])
@pytest.mark.parametrize("lost", ["p3,2", "p3,1 p3,2", "p3,1 p3,2 p4,2", "p2,2 p3,1 p4,1"])
def test_a_sample_that_is_missing_has_not_passed(tmp_path, rule, lost):
    (tmp_path / "lists.csv").write_text("list\np1\np2\np3\np4\n")
    (tmp_path / "challenge.yaml").write_text(
        f"{HEAD}lists: lists.csv\nleaderboard: {{pass_at: [1, 2]}}\n"
        f"submission: {{columns: {{list: task, run: sample, value: ok}}, missing_list: {rule}}}\n"
    )
    rows = {"p1,1": 1, "p1,2": 1, "p2,1": 1, "p2,2": 0, "p3,1": 0, "p3,2": 0, "p4,1": 0, "p4,2": 0}
    kept = "".join(f"{key},{ok}\n" for key, ok in rows.items() if key not in lost.split())
    (tmp_path / "run.csv").write_text(f"task,sample,ok\n{kept}")
    found = score(tmp_path, [tmp_path / "run.csv"]).submissions[0].values
    # 1, 1/2, 0 and 0; then 1, 1, 0 and 0: what is left out failed
    assert (found["pass@1"].mean, found["pass@2"].mean) == (1.5 / 4, 2 / 4)
    assert found["pass@1"].lists == 4


def test_what_is_known_of_runs_in_json(board):
    record = board(files()).to_dict()
    x = record["submissions"][0]
    assert [run["name"] for run in x["runs"]] == ["x#0", "x#1", "x#2"]
    assert (x["sha256"], len(x["runs"][0]["sha256"])) == (None, 64)
    assert set(x["values"]["ok"]["runs"]) == {"0", "1", "2"}
    assert set(record["leaderboard"][0]["variance"]) == {"lists", "runs"}
    alone = board({"x": "110101", "y": "000101"}).to_dict()
    assert "runs" not in alone["submissions"][0]
    assert "variance" not in alone["leaderboard"][0]


def test_pairs_of_systems_are_compared_over_their_runs(tmp_path, board):
    report = board(files())
    compared = compare(tmp_path, [tmp_path / f"{name}.csv" for name in files()])
    (pair,) = compared.pairs
    found = pair.measures["ok"]
    assert (pair.a, pair.b, found.difference) == ("x", "y", pytest.approx(8 / 18))
    assert (found.wins, found.ties) == (5, 1)
    (_, row) = report.leaderboard
    assert (row.worse, found.p <= 0.05) in ((True, True), (False, False))
    assert compared.tests["ok"].over == "lists in runs"


def test_a_single_run_beside_several(board):
    report = board({**files(), "z": "111110"})
    z = next(row for row in report.leaderboard if row.name == "z")
    assert z.variance is ABSENT
    assert z.interval is not None
    assert "'z' has a single run" in report.render(notes=True)


def test_one_file_with_a_number_is_no_system(board):
    report = board({"x#1": "110101", "y": "000101"})
    assert [row.name for row in report.leaderboard] == ["x#1", "y"]
    assert content_of(report).certainty.how.test == "permutation"


def test_a_system_gains_nothing_by_a_run_that_is_rejected(board):
    report = board({**files(), "x#bad": "9?"})
    assert {each.name: each.valid for each in report.submissions} == {"x": False, "y": True}
    assert [row.name for row in report.leaderboard] == ["y"]
    assert next(each for each in report.submissions if each.name == "x").findings.fatal


def test_one_system_alone_with_a_run_that_is_rejected(board):
    (x,) = board({"x#1": "110101", "x#bad": "9?"}).submissions
    assert (x.name, x.valid) == ("x", False)


def test_a_submission_called_as_a_system(board):
    with pytest.raises(UsageError, match="call it x#0"):
        board({**files(), "x": "111111"})


@pytest.mark.slow("puts each run into a file of its own")
@pytest.mark.parametrize("system", ["system: model, ", ""])
def test_runs_in_one_table(tmp_path, system):
    (tmp_path / "challenge.yaml").write_text(
        f"{HEAD}submission: {{columns: {{list: case, value: ok, {system}run: seed}}}}\n"
        "leaderboard: {draws: 50}\n"
    )
    rows = [
        (f"c{case}", name, str(seed), value)
        for name, own in RUNS.items()
        for seed, right in enumerate(own)
        for case, value in enumerate(right)
    ]
    if system:
        given = {"all": rows}
    else:
        given = {name: [row for row in rows if row[1] == name] for name in RUNS}
    for name, own in given.items():
        text = "".join(",".join(row) + "\n" for row in own)
        (tmp_path / f"{name}.csv").write_text(f"case,model,seed,ok\n{text}")
    report = score(tmp_path, [tmp_path / f"{name}.csv" for name in given])
    assert [row.name for row in report.leaderboard] == ["x", "y"]
    assert [len(each.runs) for each in report.submissions] == [3, 3]


def test_no_number_of_runs(tmp_path):
    (tmp_path / "challenge.yaml").write_text(
        f"{HEAD}submission: {{columns: {{list: case, value: ok}}}}\nleaderboard: {{pass_at: [0]}}\n"
    )
    with pytest.raises(ChallengeError, match="pass_at"):
        score(tmp_path, [])
