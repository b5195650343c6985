"""`explain` without a list: what costs most, against values worked out by hand."""

import numpy as np
import pytest


def told(score, folder, file, *words):
    ran = score("explain", folder, folder / file, "--format", "json", *words)
    (measure,) = ran.json()["measures"]
    steps = measure["steps"]
    return steps[0].get("rows", []), steps[-1]["text"], measure["value"]


@pytest.fixture
def ranked(challenge):
    """P@1 of 15 lists: 12 of them 0; one is not answered."""
    truth = "list,item,grade\n" + "".join(f"q{n:02},a,1\n" for n in range(15))
    mine = "list,item\n" + "".join(f"q{n:02},{'ab'[n % 5 > 0]}\n" for n in range(14))
    yaml = "truth: truth.csv\nmetrics: [P@1]\nsubmission: {missing_list: zero}\n"
    return challenge(yaml, **{"truth.csv": truth, "mine.csv": mine})


def test_lists_with_values(score, ranked):
    rows, words, value = told(score, ranked, "mine.csv")
    assert value == 3 / 15
    assert [row[0] for row in rows] == [f"q{n:02}" for n in range(14) if n % 5][:10]
    assert {tuple(row[1:3]) for row in rows} == {(0.0, 3 / 14)}
    assert rows[0][3] == pytest.approx(3 / 14 - 3 / 15)
    assert words.startswith("12 lists have the value of the last one.")


def test_rows_of_a_figure_and_of_errors(score, challenge):
    target, predicted = np.arange(12.0), np.arange(12.0)
    predicted[[3, 7]] += [5, -2]
    truth = "list,target\n" + "".join(f"r{n},{t}\n" for n, t in enumerate(target))
    mine = "list,prediction\n" + "".join(f"r{n},{p}\n" for n, p in enumerate(predicted))
    files = {
        "truth.csv": truth,
        "mine.csv": mine,
        "right.csv": truth.replace("target", "prediction"),
    }
    folder = challenge("truth: truth.csv\nmetrics: [RMSE]\n", **files)
    rows, _, value = told(score, folder, "mine.csv")
    assert [row[0] for row in rows] == ["r3", "r7"]  # without another one it is worse
    assert rows[0][1:3] == pytest.approx([np.sqrt(4 / 11), value - np.sqrt(4 / 11)])
    rows, words, _ = told(score, folder, "right.csv")
    assert (rows, words) == (
        [],
        "None of the lists costs anything: without any, the value is no better.",
    )


CLASSES = {
    "truth.csv": "id,y\n1,a\n2,a\n3,b\n4,c\n",
    "mine.csv": "id,y\n1,a\n2,b\n3,b\n4,a\n",
}


def test_a_classification_begins_with_its_confusion_matrix(score, challenge):
    yaml = (
        "truth: {file: truth.csv, columns: {list: id, label: y}}\n"
        "submission: {columns: {list: id, label: y}}\nmetrics: [Accuracy]\n"
    )
    folder = challenge(yaml, **CLASSES)
    found = score("explain", folder, folder / "mine.csv", "--format", "json").json()
    assert found["confusion"]["rows"] == [["a", 1, 1, 0], ["b", 0, 1, 0], ["c", 1, 0, 0]]
    assert found["confusion"]["columns"][1:] == ["a", "b", "c"]
    lines = score("explain", folder, folder / "mine.csv").out.splitlines()
    assert lines.index("Confusion matrix") < next(
        n for n, x in enumerate(lines) if "cost most" in x
    )
    one = score("explain", folder, folder / "mine.csv", "--list", "1", "--format", "json").json()
    assert "confusion" not in one


def test_a_file_that_cannot_be_scored_tells_why(score, ranked):
    (ranked / "bad.csv").write_text("list\nq00\n")
    score("explain", ranked, ranked / "bad.csv").assert_exit(1, err="S201")
