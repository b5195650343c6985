"""Texts as answers: no rule for ids is about them."""

import json

import polars as pl
import pytest

YAML = (
    "truth: {file: truth.csv, columns: {list: id, text: answer}}\n"
    "submission: {columns: {list: id, text: answer}}\n"
    "metrics: [ExactMatch(normalize=plain)]\n"
)
ODD = ["", " ", " a ", "a, b", "1 5 1 5", "nan", "3.0", 'say "hi"', "two\nlines", "[1, 2]", "№ ü"]


def csv_of(texts):
    cells = (f'"{text}"'.replace('"hi"', '""hi""') for text in texts)
    return "id,answer\n" + "".join(f"q{n},{cell}\n" for n, cell in enumerate(cells))


@pytest.fixture
def exact(challenge, score, tmp_path):
    """The value of a submission, or what is told of it."""

    def run(truth, name, data, yaml=YAML):
        folder, sent = challenge(yaml, **{"truth.csv": truth}), tmp_path / name
        sent.write_bytes(data if isinstance(data, bytes) else data.encode())
        ran = score(folder, sent, "--format", "json", "-q")
        assert ran.out, ran
        (submission,) = json.loads(ran.out)["submissions"]
        if not submission["valid"]:
            return [problem["code"] for problem in submission["problems"]]
        assert submission["problems"] == [], submission
        (value,) = submission["values"].values()
        return value["mean"]

    return run


def parquet_of(texts):
    import io

    data = io.BytesIO()
    ids = [f"q{n}" for n in range(len(texts))]
    pl.DataFrame({"id": ids, "answer": texts}).write_parquet(data)
    return data.getvalue()


def jsonl_of(texts):
    rows = ({"id": f"q{n}", "answer": text} for n, text in enumerate(texts))
    return "".join(f"{json.dumps(row)}\n" for row in rows)


@pytest.mark.parametrize(
    ("name", "written"),
    [("sub.csv", csv_of), ("sub.parquet", parquet_of), ("sub.jsonl", jsonl_of)],
)
def test_any_text_is_an_answer_in_every_format(exact, name, written):
    assert exact(csv_of(ODD), name, written(ODD)) == 1
    others = [text + "." for text in ODD]
    assert exact(csv_of(ODD), name, written(others)) == 0


@pytest.mark.parametrize(
    ("cell", "value"),
    [("d", 1), ("d ", 0), (" d", 0), ('"d"', 1), ('"d "', 0), ("", 0), ("D", 0)],
)
def test_blanks_at_the_ends_count(exact, cell, value):
    assert exact("id,answer\nq,d\n", "sub.csv", f"id,answer\nq,{cell}\n") == value
    assert exact("id,answer\nq,d\n", "sub.csv", f"id , answer\n q ,{cell}\n") == value


@pytest.mark.parametrize(
    ("sent", "codes"),
    [
        ("id,answer\nq1,a\nq1,b\nq2,c\n", ["S402"]),  # one text a list
        ("id,answer\nq1,a\n", ["S301"]),
        ("id,answer\nq1,a\nq2,b\nq3,c\n", ["S302"]),
        ("id,reply\nq1,a\nq2,b\n", ["S201"]),
        ("id,answer\nq1,a,b\nq2,b\n", ["S301", "S207"]),
    ],
)
def test_rows_are_checked_all_the_same(exact, sent, codes):
    assert exact("id,answer\nq1,a\nq2,b\n", "sub.csv", sent) == codes


def test_the_truth_accepts_several_texts(exact):
    truth = "id,answer\nq1,a\nq1,\nq2,b\n"
    assert exact(truth, "sub.csv", "id,answer\nq1,\nq2,a\n") == 0.5


def test_measures_of_classes_take_labels(challenge, score):
    folder = challenge(YAML.replace("ExactMatch(normalize=plain)", "Accuracy"))
    ran = score("lint", folder)
    assert ran.code == 2
    assert "Accuracy looks at labels, whose truth has no text" in ran.err


def test_a_kit_knows_texts(challenge, score, tmp_path):
    folder, kit = challenge(YAML, **{"truth.csv": csv_of(ODD)}), tmp_path / "kit.zip"
    assert score("kit", folder, "-o", kit).code == 0
    for texts, code in ((ODD, 0), (ODD[:-1], 1)):
        sent = tmp_path / "sub.csv"
        sent.write_text(csv_of(texts))
        assert score("check", kit, sent).code == code
