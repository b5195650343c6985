"""A challenge's measures and rules: all that is wrong with them, each at its line."""

import pytest

TRUTH = "truth: truth.csv\n"


def test_a_measure_that_cannot_be_is_told_at_its_line(challenge, score):
    metrics = "metrics:\n  - P@2\n  - {metric: MARp, cutofs: [5]}\n"
    ran = score(challenge(f"{TRUTH}{metrics}"), "s.csv")
    ran.assert_exit(2, err="challenge.yaml:4: error[C114] metrics[1].cutofs: MARp has no parameter")


def test_all_of_it_at_once(challenge, score):
    folder = challenge(
        f"{TRUTH}metrics: [nDGC@10, P, AP(rel=x)]\n", **{"s.csv": "list,item\nq1,a\n"}
    )
    ran = score(folder, folder / "s.csv")
    assert [line.split(":")[2].strip() for line in ran.err.splitlines()] == [
        "error[C113] metrics[0]", "error[C114] metrics[1].k", "error[C114] metrics[2].rel",
    ]  # fmt: skip


def test_a_zero_is_refused_where_it_would_be_perfect(challenge, score):
    folder = challenge(
        f"{TRUTH}metrics: [MAE]\nundefined: zero\nsubmission: {{missing_list: zero}}\n",
        **{"truth.csv": "list,item,rating\nu,a,3\n", "s.csv": "list,item,prediction\nu,a,3\n"},
    )
    ran = score(folder, folder / "s.csv")
    assert ran.code == 2
    assert "3: error[C118] undefined: zero would be a perfect MAE" in ran.err
    assert "4: error[C118] submission.missing_list: zero would be a perfect MAE" in ran.err


@pytest.mark.slow("opens a challenge a row", beyond=4)
@pytest.mark.parametrize(
    ("measure", "plain"),
    [
        ("AP", True),
        ("{metric: AP, group: x}", True),
        ("{metric: AP, average: group}", False),
        ("{metric: AP, aggregate: median}", False),
        ("{metric: AP, weights: w}", False),
        ("NumRet", False),
        ("{metric: P, k: 2, average: pooled}", False),
        ('{score: "(a + b) / 2"}', False),
    ],
)
@pytest.mark.parametrize("ladder", ["auto", "0.01"])
def test_a_step_from_the_lists_needs_a_mean_of_lists(challenge, score, measure, plain, ladder):
    yaml = f"""\
truth: truth.csv
lists: lists.csv
leaderboard: {{ladder: {ladder}}}
metrics: [{measure}, {{metric: RR, id: a}}, {{metric: nDCG, id: b}}]
"""
    files = {
        "truth.csv": "list,item\nq,a\nr,a\n",
        "lists.csv": "list,group,w\nq,x,1\nr,y,3\n",
        "one.csv": "list,item,rank\nq,a,1\nr,b,1\n",
    }
    folder = challenge(yaml, **files)
    ran = score(folder, folder / "one.csv").assert_exit(0 if plain or ladder != "auto" else 2)
    if ran.code:
        assert "challenge.yaml:3: error[C122] leaderboard.ladder: auto takes its step" in ran.err
        assert "ladder: 0.01" in ran.err


def test_a_figure_without_a_value_is_said_and_why(challenge, score):
    files = {
        "truth.csv": "list,target\n1,2\n2,4\n3,0\n",
        "one.csv": "list,prediction\n1,2.5\n2,4\n3,1\n",
    }
    folder = challenge("truth: truth.csv\nmetrics: [RMSE, RMSLE(log=plain)]\n", **files)
    ran = score(folder, folder / "one.csv").assert_exit(0)
    said = " ".join(ran.out.split())
    assert "RMSLE(log=plain) has no value for 'one'; `score metrics RMSLE` says when." in said
    assert "RMSE has no value" not in said
