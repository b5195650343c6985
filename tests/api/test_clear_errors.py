"""What a session in Python gives wrongly is refused, in words that say what to write."""

import pytest

import scorer

TRUTH = {"q": {"a": 1}}
RUN = {"q": ["a"]}


def test_a_number_in_quotes_is_refused_with_its_type():
    with pytest.raises(TypeError, match=r"^length: '10' is a str; write a number without quotes$"):
        scorer.evaluate(TRUTH, {"m": RUN}, ["AP"], length="10")
    with pytest.raises(TypeError, match=r"^range: '1' is a str"):
        scorer.evaluate(TRUTH, {"m": RUN}, ["AP"], range=("1", 5))
    assert scorer.evaluate(TRUTH, {"m": RUN}, ["AP"], length=1).mean("m") == 1


def test_a_mapping_without_runs_is_refused():
    for call in (
        lambda: scorer.evaluate(TRUTH, {}, ["AP"]),
        lambda: scorer.evaluate([0, 1], {}, ["Accuracy"]),
        lambda: scorer.check(TRUTH, {}, measures=["AP"]),
    ):
        with pytest.raises(scorer.UsageError, match=r"^no run is given; write \{'name': run\}$"):
            call()


@pytest.mark.parametrize("wrong", ["abc", "0.5", None, [1]])
def test_a_wrong_value_refuses_its_system_alone(wrong):
    report = scorer.values({"a": {"x": 0.5, "y": 1.0}, "b": {"x": wrong, "y": 0.5}})
    assert [row.name for row in report.leaderboard] == ["a"]
    (problem,) = report.submissions[1].findings
    assert str(problem) == f"system 'b': error[S501] {wrong!r} of case 'x' is not a number"


def test_a_wrong_value_of_several_refuses_its_system_alone():
    good = {"x": {"f1": 0.5, "s": 2.0}}
    report = scorer.values({"a": good, "b": {"x": {"f1": 0.25, "s": None}}}, lower="s")
    assert [row.name for row in report.leaderboard] == ["a"]
    assert not report.submissions[1].valid
