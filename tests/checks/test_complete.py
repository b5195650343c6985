"""Orders of all candidates: whatever is left out of one is told, and gains nothing."""

import json
import zipfile

import pytest

TRUTH = "list,item,grade\nq1,a,3\nq1,b,2\nq1,c,1\nq2,a,1\nq2,b,2\nq2,c,3\n"
ITEMS = "list,item\nq1,a\nq1,b\nq1,c\nq2,a\nq2,b\nq2,c\n"
FULL = "list,item\nq1,a\nq1,c\nq1,b\nq2,c\nq2,b\nq2,a\n"
SHORT = "list,item\nq1,a\nq1,b\nq2,c\nq2,b\nq2,a\n"
TOLD = "list 'q1' has 2 of its 3 candidates, and all are required; without item 'c'"


@pytest.mark.parametrize(
    ("metric", "rules", "told"),
    [
        ("Tau", "", TOLD),
        ("TauAP", "", TOLD),
        ("Rho", "", TOLD),
        ("{id: a, metric: Tau}, {score: 1 - a, better: lower}", "", TOLD),
        ("AP", "", None),
        ("AP", "complete: true", TOLD),
        ("Tau", "complete: false", None),
    ],
)
def test_orders_are_of_all_candidates(challenge, score, metric, rules, told):
    yaml = f"truth: truth.csv\nitems: items.csv\nsubmission: {{{rules}}}\nmetrics: [{metric}]\n"
    files = {"truth.csv": TRUTH, "items.csv": ITEMS, "full.csv": FULL, "short.csv": SHORT}
    folder = challenge(yaml, **files)
    ran = score("check", folder, folder / "full.csv", folder / "short.csv", "--format", "json")
    full, short = json.loads(ran.out)["submissions"]
    assert [p["message"] for p in full["problems"] if p["severity"] == "error"] == []
    assert [(p["code"], p["line"], p["message"]) for p in short["problems"]] == (
        [("S401", 2, told)] if told else []
    )
    (folder / "truth.csv").unlink()  # the candidates are public
    (folder / "lists.csv").write_text("list\nq1\nq2\n")
    (folder / "challenge.yaml").write_text(yaml + "lists: lists.csv\n")
    again = score("check", folder, folder / "full.csv", folder / "short.csv", "--format", "json")
    assert json.loads(again.out)["submissions"][1]["problems"] == short["problems"]


def test_the_kits_sample_is_complete(challenge, score, tmp_path):
    yaml = "truth: truth.csv\nitems: items.csv\nlists: lists.csv\nmetrics: [Tau]\n"
    items = "list,item\n" + "".join(f"{name},{n}\n" for name in ("q1", "q2") for n in range(30))
    files = {"items.csv": items.replace(",0\n", ",a\n").replace(",1\n", ",b\n")}
    files["truth.csv"] = "list,item,grade\nq1,a,1\nq1,b,2\nq2,a,1\nq2,b,2\n"
    folder = challenge(yaml, **files, **{"lists.csv": "list\nq1\nq2\n"})
    packed = tmp_path / "kit.zip"
    assert score("kit", folder, "-o", packed).code == 0
    with zipfile.ZipFile(packed) as archive:
        (name,) = (name for name in archive.namelist() if "sample" in name)
        sample = archive.extract(name, tmp_path)
    assert score("check", packed, sample).code == 0


def test_without_candidates_completeness_cannot_be_asked_for(challenge, score):
    yaml = "truth: truth.csv\nsubmission: {complete: true}\nmetrics: [Tau]\n"
    folder = challenge(yaml, **{"truth.csv": TRUTH, "full.csv": FULL})
    ran = score("check", folder, folder / "full.csv")
    assert ran.code == 2
    assert "submission.complete: complete: true is of ranked lists whose candidates" in ran.err
