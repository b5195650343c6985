"""`--fail-under MEASURE=VALUE`: a participant's CI as a gate."""

import pytest

TRUTH = "list,item,grade\nq1,a,1\nq1,b,1\nq2,a,1\nq2,c,0\n"
HALF = "list,item\nq1,a\nq1,x\nq2,x\nq2,a\n"  # P@2 is .5, RR .75


COUNTING = """
from pathlib import Path
from scorer import Floats, Judged, metric

with Path(__file__).with_name("ran.txt").open("a") as file:
    file.write("x")

@metric("Met", title="How many judged items were met", source="this test", range=(0, None))
def met(judged: Judged) -> Floats:
    \"\"\"Hits.\"\"\"
    return judged.hits.total()
"""


@pytest.mark.parametrize("verb", [[], ["lint"]], ids=["score", "lint"])
def test_a_plugin_file_runs_once_and_the_truth_is_opened_once(score, challenge, monkeypatch, verb):
    from scorer.scoring import open as opening

    folder = challenge(
        "truth: truth.csv\nmetrics: [Met]\nplugins: [own.py]\n"
        "leaderboard: {baselines: [half.csv]}\n"
        "examples: [{submission: sent.csv, expect: {Met: 1.0}}]\n",
        **{"truth.csv": TRUTH, "own.py": COUNTING, "half.csv": HALF, "sent.csv": HALF},
    )
    (folder.parent / "mine.csv").write_text(HALF)
    asked, open_truth = [], opening.open_truth
    monkeypatch.setattr(opening, "open_truth", lambda *given: asked.append(1) or open_truth(*given))
    words = [folder.parent / "mine.csv", "--fail-under", "Met=0.5"] if not verb else []
    ran = score(*verb, folder, *words, "--allow-plugins")
    assert ("0 failed" in ran.out) if verb else (ran.code == 0), ran
    assert (folder / "ran.txt").read_text() == "x"
    assert asked == [1]
