"""Numbers that a challenge's measures are not made for: refused, or warned of in a truth."""

import pytest

GRADES = "list,item,grade\nq1,a,1\nq2,b,1\n"
POINTS = "list,target,longitude\na,{},8\nb,10,9\n"
RISKS = "list,label\na,1\nb,0\n"
LONGITUDE = "columns: {extra: {longitude: number}}"
DELAY = "submission: {columns: {extra: {delay: number}}}\n"


@pytest.fixture
def checked(challenge, score):
    """Scores a submission; gives what it says, and the exit code."""

    def of(yaml, truth, submission):
        folder = challenge(yaml, **{"truth.csv": truth, "run.csv": submission})
        ran = score(folder, folder / "run.csv")
        return ran.code, ran.err

    return of


@pytest.mark.parametrize(
    ("score_of_a", "said"),
    [
        ("90", "run.csv:2: error[S505] score 90 is outside 0 to 1, the numbers that Fmax takes"),
        ("-0.5", "score -0.5 is outside 0 to 1"),
        ("1.00000000000001", None),  # of numbers that were added up
        ("1", None),
    ],
)
def test_scores_of_fmax_are_shares(checked, score_of_a, said):
    yaml = "truth: {file: truth.csv}\nmetrics: [Fmax]\n"
    code, err = checked(yaml, GRADES, f"list,item,score\nq1,a,{score_of_a}\nq2,b,0.5\n")
    assert (code, "S505" in err) == ((0, False) if said is None else (1, True))
    assert (said or "") in err


@pytest.mark.parametrize(
    ("true", "predicted", "code", "said"),
    [
        ("47", "151", 1, "error[S505] prediction 151 is outside -90 to 90, the numbers that Hav"),
        ("151", "47", 0, "warning[T505] target 151 is outside -90 to 90, the numbers that Havers"),
        ("-90", "90", 0, ""),
    ],
)
def test_latitudes_are_degrees(checked, true, predicted, code, said):
    yaml = f"truth: {{file: truth.csv, {LONGITUDE}}}\nmetrics: [Haversine]\n"
    yaml += f"submission: {{{LONGITUDE}}}\n"
    rows = f"list,prediction,longitude\na,{predicted},8\nb,10,9\n"
    found = checked(yaml, POINTS.format(true), rows)
    assert found[0] == code
    assert said in found[1]
    assert ("505]" in found[1]) == bool(said)


@pytest.mark.parametrize("metric", ["ERDE@5", "FLatency"])
def test_delays_are_no_less_than_0(checked, metric):
    yaml = f"truth: truth.csv\nmetrics: [{metric}]\n{DELAY}"
    code, err = checked(yaml, RISKS, "list,label,delay\na,1,-3\nb,0,2\n")
    assert code == 1
    assert "error[S505] delay -3 is below 0, the least that" in err
    assert checked(yaml, RISKS, "list,label,delay\na,1,0\nb,0,2\n")[0] == 0
