"""Texts as answers: no rule for ids is about them."""

import json
import zipfile

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


@pytest.mark.slow("reads every format", beyond=1)
@pytest.mark.parametrize(
    ("name", "written"), [("sub.csv", csv_of), ("sub.parquet", parquet_of), ("sub.jsonl", jsonl_of)]
)
def test_any_text_is_an_answer_in_every_format(exact, name, written):
    assert exact(csv_of(ODD), name, written(ODD)) == 1
    others = [text + "." for text in ODD]
    assert exact(csv_of(ODD), name, written(others)) == 0


NUMBERS = YAML.replace(
    "text: answer}}\nmetrics",
    """text: answer}, text_pattern: '[0-9]+( [0-9]+)*'}
metrics""",
)
TRUTH = "id,answer\n1,1 2\n2,3 4\n3,5\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("3 4", None),
        ("0", None),
        ("abc", "answer 'abc' does not match [0-9]+( [0-9]+)*"),
        ("3 abc 4", "answer '3 abc 4' does not match"),
        ("3 4 ", "answer '3 4 ' does not match"),
        ('"3\n4"', r"answer '3\n4' does not match"),
        ('""', "answer '' does not match"),
    ],
)
def test_a_text_looks_as_its_pattern_says(challenge, score, tmp_path, text, problem):
    folder, sent = challenge(NUMBERS, **{"truth.csv": TRUTH}), tmp_path / "sent.csv"
    sent.write_text(TRUTH.replace("3 4", text))
    assert score("kit", folder, "-o", tmp_path / "kit.zip").code == 0
    for checker in (folder, tmp_path / "kit.zip"):
        ran = score("check", checker, sent)
        if problem is None:
            assert ran.code == 0, ran
        else:
            assert ran.code == 1
            assert f"sent.csv:3: error[S313] {problem}" in ran.told
    with zipfile.ZipFile(tmp_path / "kit.zip") as packed:
        assert "`[0-9]+( [0-9]+)*`" in packed.read("README.md").decode()
        (tmp_path / "sample.csv").write_bytes(packed.read("sample_submission.csv"))
    assert score("check", folder, tmp_path / "sample.csv").code == 0


def test_a_kit_has_no_sample_where_no_text_is_known_that_fits(challenge, score, tmp_path):
    yaml = NUMBERS.replace("[0-9]+( [0-9]+)*", "Q[0-9]{7}")
    folder = challenge(yaml, **{"truth.csv": TRUTH})
    assert score("kit", folder, "-o", tmp_path / "kit.zip").code == 0
    with zipfile.ZipFile(tmp_path / "kit.zip") as packed:
        assert "sample_submission.csv" not in packed.namelist()


def test_messages_name_the_column_of_texts(challenge, score, tmp_path):
    folder, sent = challenge(YAML, **{"truth.csv": TRUTH}), tmp_path / "sent.csv"
    sent.write_text("id,answer\n1,1 2\n2,abc\n2,abc\n1,7\n")
    out = score("check", folder, sent).out
    assert "error[S301] 1 of 3 ids is missing: '3'" in out
    assert "error[S402] id '1' has 2 texts in column 'answer', at most 1 is allowed" in out
    assert "error[S304] answer 'abc' is given twice in id '2' (first on line 3)" in out


def test_what_is_written_for_columns_and_many_classes(challenge, score):
    folder = challenge(
        "truth: {file: truth.csv, columns: {list: id, label: [cat, dog]}}\nmetrics: [Accuracy]\n"
    )
    said = "truth.columns.label: label names one column; where each class has its own, write "
    assert f"{said}probability: [cat, dog]" in score("check", folder, folder / "truth.csv").err
    many = ", ".join(f"c{n}" for n in range(10_000))
    folder = challenge(f"truth: truth.csv\nsubmission: {{classes: [{many}]}}\n")
    err = score("check", folder, folder / "truth.csv").err
    assert "more than 10,000 values; write many classes in a file: classes: {file:" in err
