"""`score CHALLENGE SUBMISSION...` as organizers and participants run it."""

import re

import pytest
from conftest import ROOT

VLNET = ROOT / "challenges/vlnet-2011"
SENT = ROOT / "submissions_example/vlnet-2011"
GOOD = sorted((SENT / "good").iterdir())


def test_json_has_the_keys_of_the_contract_in_order(score):
    said = score(VLNET, SENT / "good/team_a.lists", "--format", "json", "--per-list").json()
    keys = ["schema", "scorer", "challenge", "measures", "submissions", "leaderboard"]
    assert list(said)[:6] == keys
    assert list(said["challenge"])[:3] == ["id", "title", "fingerprint"]
    assert list(said["measures"][0]) == [
        "id", "metric", "params", "better", "aggregate", "primary", "signature",
    ]  # fmt: skip
    assert said["measures"][0]["params"] == {
        "cutoffs": [5, 10], "at_cutoff": "include", "judged_only": False, "average": "lists",
    }  # fmt: skip
    submission = said["submissions"][0]
    assert list(submission) == [
        "name", "path", "sha256", "valid", "baseline", "problems", "values",
    ]  # fmt: skip
    value = submission["values"]["MARp"]
    assert list(value)[:5] == ["mean", "lists", "missing", "undefined", "per_list"]
    assert value["mean"] == pytest.approx(83 / 140, abs=1e-15)
    assert value["per_list"] == {"s1": 0.7, "s2": pytest.approx(17 / 35, abs=1e-15)}
    assert said["leaderboard"][0]["rank"] == 1


def test_per_list_comes_only_when_asked(score):
    said = score(VLNET, SENT / "good/team_a.lists", "--format", "json").json()
    assert "per_list" not in said["submissions"][0]["values"]["MARp"]


def test_nothing_is_cut_where_the_output_is_no_terminal(score, terminal, monkeypatch, tmp_path):
    measures = [f"P@{k}" for k in range(1, 31)]
    words = [word for each in measures for word in ("-m", each)]
    monkeypatch.setenv("COLUMNS", "80")  # as some shells export it
    piped = score(VLNET, *GOOD, *words)
    terminal(80)
    assert "P@30" not in score(VLNET, *GOOD, *words).out
    to = tmp_path / "board.txt"
    score(VLNET, *GOOD, *words, "-o", to)
    for text in (piped.out, to.read_text()):
        assert set(measures) <= set(text.splitlines()[1].split())
        for line in text.splitlines()[3 : 3 + len(GOOD)]:
            assert len(line) <= len(text.splitlines()[2])


def test_tables_for_people_have_lists_by_their_numbers_and_files_as_the_truth(challenge, score):
    lists = ["u1", "u2", "u10", "u100"]
    rows = "".join(f"{name},a,1\n" for name in lists)
    folder = challenge(
        "truth: truth.csv\nmetrics: [P@1]\n",
        **{"truth.csv": f"list,item,grade\n{rows}", "s.csv": f"list,item,score\n{rows}"},
    )
    for form in ("table", "markdown", "html", "latex"):
        text = score(folder, folder / "s.csv", "--per-list", "--format", form).out
        places = [[*re.finditer(rf"\b{name}\b", text)][-1].start() for name in lists]
        assert places == sorted(places), (form, text)
    made = score(folder, folder / "s.csv", "--per-list", "--format", "json").json()
    assert list(made["submissions"][0]["values"]["P@1"]["per_list"]) == sorted(lists)


def test_a_truth_of_another_kind_is_told_once_with_its_count(score, tmp_path):
    rows = "".join(f"r{n},c{n % 3}\n" for n in range(50))
    for name in ("target", "prediction"):
        (tmp_path / f"{name}.csv").write_text(f"id,{name}\n{rows}")
    ran = score(tmp_path / "target.csv", tmp_path / "prediction.csv", "-m", "RMSE").assert_exit(2)
    assert ran.err.splitlines()[1] == "  and 49 more of T501, on lines 3, 4, 5, ..."


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
