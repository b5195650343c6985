"""What two files show of the challenge that they make, and a board without any challenge.yaml."""

import gzip
import json
import zipfile
from pathlib import Path

import pytest
import yaml
from conftest import ROOT

from scorer.prepare.guess.challenge import challenge_data, is_truth
from scorer.prepare.guess.forms import is_qrels

QRELS = "1 0 d1 1\n1 0 d2 0\n2 0 d1 2\n2 0 d3 -1\n"
RUN = "1 Q0 d1 1 2.5 t\n1 Q0 d2 2 1.5 t\n2 Q0 d3 1 2 t\n2 Q0 d1 2 1 t\n"
TREC = ROOT / "challenges/trec"
SENT = ROOT / "submissions_example/trec/good"


def files(folder, **contents):
    made = []
    for name, text in contents.items():
        path = folder / name.replace("__", ".")
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        made.append(path)
    return made


def notation(measure):
    """A measure of a challenge as it is written, without its short name."""
    return measure if isinstance(measure, str) or "score" in measure else measure["metric"]


@pytest.mark.parametrize(
    ("name", "text", "qrels", "truth"),
    [
        ("q.txt", QRELS, True, True),
        ("q", QRELS.replace(" ", "\t"), True, True),
        ("q.txt", "# a comment\n\n" + QRELS, True, True),
        ("q.txt.gz", gzip.compress(QRELS.encode(), mtime=0), True, True),
        ("q.txt", QRELS * 5000, True, True),
        ("q.txt", RUN, False, False),
        ("q.txt", QRELS + "1 0 d9 x\n", False, False),
        ("q.txt", "1 0 d1 0.5\n", False, False),
        ("t.csv", "list,item,grade\n1,a,1\n", False, True),
        ("t.csv", "User ID,movieId,rating\n1,a,1\n", False, True),
        ("t.csv", "list,better,worse\n1,a,b\n", False, True),
        ("t.tsv", "query\tdoc\tlabel\n1\ta\t1\n", False, True),
        ("t.jsonl", '{"list": "1", "item": "a"}\n', False, True),
        ("t.jsonl", '{"list": ' + "[" * 100_000 + "\n", False, False),
        ("t.csv", "a,b,c\n1,a,1\n", False, True),
        ("t", "a,b,c\n1,a,1\n", False, False),
        ("t", "id,label\n1,a\n", False, True),
        ("challenge.yaml", QRELS, True, False),
        ("c.txt", "truth: truth.csv\nmetrics: [P@1]\n", False, False),
        ("c.txt", "", False, False),
        ("c.txt", "\xff\xfe1 0 d1 1\n".encode("latin-1"), False, False),
    ],
)
def test_a_truth_is_known_by_its_content(tmp_path, name, text, qrels, truth):
    (path,) = files(tmp_path, **{name.replace(".", "__"): text})
    assert (is_qrels(path), is_truth(path)) == (qrels, truth)


def test_nothing_and_folders_are_no_truths(tmp_path):
    assert not is_truth(tmp_path)
    assert not is_truth(tmp_path / "nowhere.csv")


@pytest.mark.parametrize(
    ("truth", "sample", "data"),
    [
        ("list,item,grade\n1,a,1\n", None, {
            "truth": {"file": "t.csv"}, "submission": {}, "metrics": ["nDCG@10", "P@5"]}),
        ("userId,movieId,rating\n1,a,4.5\n", "userId,movieId,score\n1,a,0.2\n", {
            "truth": {"file": "t.csv", "columns": {
                "list": "userId", "item": "movieId", "grade": "rating"}},
            "submission": {"columns": {"list": "userId", "item": "movieId"}},
            "metrics": ["nDCG@10", "P@5"]}),
        ("userId,movieId,rating\n1,a,4.5\n", "userId,movieId,pred\n1,a,4.2\n", {
            "truth": {"file": "t.csv", "columns": {"list": "userId", "item": "movieId"}},
            "submission": {"columns": {
                "list": "userId", "item": "movieId", "prediction": "pred"}},
            "metrics": ["RMSE", "MAE"]}),
        ("userId,movieId,rating\n1,a,4.5\n", "userId,movieId,rating\n1,a,4.2\n", {
            "truth": {"file": "t.csv", "columns": {"list": "userId", "item": "movieId"}},
            "submission": {"columns": {
                "list": "userId", "item": "movieId", "prediction": "rating"}},
            "metrics": ["RMSE", "MAE"]}),
        ("kunde,ware,wert\n1,a,2\n", "kunde,ware,punkte\n1,a,0.2\n", {
            "truth": {"file": "t.csv", "columns": {
                "list": "kunde", "item": "ware", "grade": "wert"}},
            "submission": {"columns": {"list": "kunde", "item": "ware", "score": "punkte"}},
            "metrics": ["nDCG@10", "P@5"]}),
        ("user,item\n1,a\n", "item,user,Rank\na,1,1\n", {
            "truth": {"file": "t.csv", "columns": {"list": "user"}},
            "submission": {"columns": {"list": "user", "rank": "Rank"}},
            "metrics": ["nDCG@10", "P@5"]}),
        ("query,better,worse\n1,a,b\n", "query,better,worse\n1,a,b\n", {
            "truth": {"file": "t.csv", "columns": {"list": "query"}},
            "submission": {"columns": {"list": "query"}}, "metrics": ["EDRC"]}),
    ],
)  # fmt: skip
def test_columns_go_by_their_names_then_by_what_both_files_have(tmp_path, truth, sample, data):
    (path,) = files(tmp_path, t__csv=truth)
    sent = files(tmp_path, s__csv=sample)[0] if sample else None
    assert challenge_data(path, sent)[0] == {"id": "t"} | data


@pytest.mark.parametrize(
    ("truth", "sample", "measure", "mean"),
    [
        ("list,item,grade\n1,a,1\n1,b,0\n", "list,item,score\n1,b,1\n1,a,2\n", "RR", 1.0),
        ("userId,movieId,rating\n1,a,1\n1,b,0\n", "userId,movieId,p\n1,b,2\n1,a,1\n", "RR", 0.5),
        ("userId,movieId,rating\n1,a,1\n1,b,3\n", "userId,movieId,p\n1,b,2\n1,a,1\n", "MAE", 0.5),
        ("user,item\n1,a\n2,b\n", "user,item,rank\n1,a,1\n2,x,1\n2,b,2\n", "RR", 0.75),
        ("list,better,worse\n1,a,b\n", "list,better,worse\n1,a,b\n", "EDRC", 1.0),
    ],
)
def test_a_truth_a_submission_and_a_measure_make_a_board(
    score, tmp_path, truth, sample, measure, mean
):
    files(tmp_path, t__csv=truth, s__csv=sample)
    ran = score(tmp_path / "t.csv", tmp_path / "s.csv", "-m", measure, "--format", "json")
    assert ran.code == 0, ran
    (row,) = json.loads(ran.out)["leaderboard"]
    assert list(row["values"].values()) == [mean]
    assert score("check", tmp_path / "t.csv", tmp_path / "s.csv").code == 0


def test_qrels_and_runs_need_no_challenge(score, tmp_path):
    files(tmp_path, qrels__txt=(TREC / "qrels.txt").read_text())
    runs = sorted(SENT.iterdir())
    words = ["-m", "AP", "-m", "nDCG@10"]
    direct = json.loads(score(tmp_path / "qrels.txt", *runs, *words, "--format", "json").out)
    whole = json.loads(score(TREC, *runs, *words, "--format", "json").out)
    values = [[(row["name"], row["values"]) for row in each["leaderboard"]]
              for each in (direct, whole)]  # fmt: skip
    assert values[0] == values[1]
    ran = score("compare", tmp_path / "qrels.txt", *runs[:2], "-m", "AP")
    assert ran.code == 0, ran
    ran = score("explain", tmp_path / "qrels.txt", runs[0], "--list", "301", "-m", "AP")
    assert ran.code == 0, ran
    assert "topic" in ran.out


@pytest.mark.parametrize("verb", [[], ["compare"]])
def test_what_to_measure_must_be_said(score, tmp_path, verb):
    files(tmp_path, qrels__txt=QRELS, a__run=RUN, b__run=RUN)
    ran = score(*verb, tmp_path / "qrels.txt", tmp_path / "a.run", tmp_path / "b.run")
    assert (ran.code, ran.out) == (2, "")
    assert "qrels.txt is a truth; say what to measure, such as -m nDCG@10" in ran.err


def test_a_wrong_measure_is_told_as_ever(score, tmp_path):
    files(tmp_path, qrels__txt=QRELS, a__run=RUN)
    ran = score(tmp_path / "qrels.txt", tmp_path / "a.run", "-m", "nDGC@1")
    assert ran.code == 2
    assert "did you mean 'nDCG'?" in ran.err
    assert "challenge.yaml" not in ran.err


def test_qrels_in_a_challenge_are_known_by_their_content(score, challenge):
    folder = challenge("truth: qrels.txt\nmetrics: [AP]\n", **{"qrels.txt": QRELS, "a.run": RUN})
    ran = score(folder, folder / "a.run", "--format", "json")
    assert ran.code == 0, ran
    assert json.loads(ran.out)["leaderboard"][0]["values"] == {"AP": 0.75}


@pytest.mark.parametrize(
    ("rules", "code", "severity"),
    [("", 0, "warning"), ("submission: {unknown_list: error}\n", 1, "error"),
     ("submission: {format: csv}\n", 1, None)],
)  # fmt: skip
def test_topics_beyond_the_qrels_are_ignored_unless_the_challenge_says_otherwise(
    score, challenge, rules, code, severity
):
    folder = challenge(f"truth: qrels.txt\nmetrics: [AP]\n{rules}", **{"qrels.txt": QRELS})
    (folder / "a.run").write_text(RUN + "501 Q0 d1 1 1 t\n502 Q0 d1 1 1 t\n")
    ran = score("check", folder, folder / "a.run", "--format", "json")
    assert ran.code == code, ran
    found = json.loads(ran.out)["submissions"][0]["problems"]
    if severity:
        assert {p["severity"] for p in found if p["code"] == "S302"} == {severity}
        assert all("topic" in p["message"] for p in found)


def test_a_kit_ignores_what_its_challenge_ignores(score, challenge, tmp_path):
    folder = challenge("truth: qrels.txt\nmetrics: [AP]\n", **{"qrels.txt": QRELS})
    (folder / "a.run").write_text(RUN + "501 Q0 d1 1 1 t\n")
    assert score("kit", folder, "-o", tmp_path / "kit.zip").code == 0
    ours, theirs = (score("check", each, folder / "a.run").out for each in
                    (folder, tmp_path / "kit.zip"))  # fmt: skip
    assert ours == theirs
    assert "S302" in ours


@pytest.mark.slow("writes, lints and scores a challenge a row", beyond=1)
@pytest.mark.parametrize(
    ("truth", "sample"),
    [
        (("truth.csv", "userId,movieId,rating\n1,a,4\n1,b,2\n"),
         ("s.csv", "userId,movieId,score\n1,a,0.2\n1,b,0.1\n")),
        (("truth.csv", "userId,movieId,rating\n1,a,4\n1,b,2\n"),
         ("s.csv", "userId,movieId,prediction\n1,a,4.2\n1,b,1\n")),
        (("qrels.txt", QRELS), ("my.txt", RUN)),
        (("qrels.txt", QRELS), ("my.run", RUN)),
        (("t.csv", "list,better,worse\n1,a,b\n"), ("s.csv", "list,better,worse\n1,a,b\n")),
    ],
)  # fmt: skip
def test_init_writes_the_challenge_that_fits(score, tmp_path, truth, sample):
    for name, text in (truth, sample):
        (tmp_path / name).write_text(text)
    ran = score("init", "--from", tmp_path / truth[0], tmp_path / sample[0], tmp_path / "made")
    assert ran.code == 0, ran
    command = ran.out.split("score it:")[1].split()
    scored = score(*command[1:])
    assert scored.code == 0, (scored, (tmp_path / "made/challenge.yaml").read_text())
    assert "S205" not in scored.err
    assert "T205" not in scored.err
    assert score("init", "--from", tmp_path / truth[0], tmp_path / "made").code == 2  # not empty


@pytest.mark.parametrize(
    ("files", "expected", "sent"),
    [
        (
            {
                "t.json": '{"questions": [{"id": "q1", "documents": ["u1"], "snippets": []}]}',
                "s.json": '{"questions": [{"id": "q1", "documents": ["u2"], "snippets": []}]}',
            },
            {"json": {"list": "questions[].id", "item": "questions[].documents[]"}},
            "0.0000",
        ),
    ],
    ids=["an empty array beside"],
)
def test_init_reads_files_as_they_come(score, tmp_path, files, expected, sent):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    ran = score("init", "--from", *(tmp_path / name for name in files), tmp_path / "made")
    assert ran.code == 0, ran
    written = yaml.safe_load((tmp_path / "made/challenge.yaml").read_text())
    assert expected.items() <= written["truth"].items()
    board = score(tmp_path / "made", tmp_path / list(files)[1])
    assert board.code == 0, board
    assert sent in board.out


@pytest.mark.slow("writes, lints and scores a challenge a row")
def test_a_row_of_the_truth_with_an_empty_cell_is_told(score, tmp_path):
    yaml_text = """
truth: {file: t.csv, columns: {list: id, item: clicks}, cells: {item: " "}}
submission: {columns: {list: id, item: clicks}, cells: {item: " "}}
metrics: [AP@3]
"""
    (tmp_path / "challenge.yaml").write_text(yaml_text)
    (tmp_path / "t.csv").write_text("id,clicks\n1,a b\n2,\n")
    ran = score("lint", tmp_path)
    assert (
        "T301] a row has an empty cell, so that nothing is asked there: id '2'" in ran.out + ran.err
    )
    (tmp_path / "l.csv").write_text("id\n1\n2\n")
    (tmp_path / "challenge.yaml").write_text(
        yaml_text + "lists: {file: l.csv, columns: {list: id}}\n"
    )
    ran = score("lint", tmp_path)
    assert "T301" not in ran.out + ran.err


def test_init_beside_the_truth_writes_only_the_challenge(score, tmp_path):
    (tmp_path / "truth.csv").write_text("user,item\n1,a\n")
    (tmp_path / "s.csv").write_text("user,item,rank\n1,a,1\n")
    ran = score("init", "--from", tmp_path / "truth.csv", tmp_path / "s.csv", tmp_path)
    assert ran.code == 0, ran
    made = {"challenge.yaml", "challenge.schema.json"}
    assert {path.name for path in tmp_path.iterdir()} == {"truth.csv", "s.csv"} | made
    assert score(tmp_path, tmp_path / "s.csv").code == 0
    before = (tmp_path / "challenge.yaml").read_bytes()
    ran = score("init", "--from", tmp_path / "truth.csv", tmp_path)
    assert ran.code == 2
    assert "challenge.yaml exists already" in ran.err
    assert (tmp_path / "challenge.yaml").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--from", "nowhere.csv", "x"], "nowhere.csv is no file"),
        (["--from", "bad.csv", "x"], "no header is seen"),
        (["--from", "same/t.csv", "t.csv", "x"], "two of the files are called 't.csv'"),
        (["--from", "t.csv"], "score init --from TRUTH [SAMPLE] DIR"),
        (["--from", "t.csv", "a", "b", "c", "d"], "score init --from TRUTH [SAMPLE] DIR"),
        (["--from", "wrong.csv", "x"], "T501"),
    ],
)
def test_init_from_what_does_not_fit_leaves_nothing(score, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    Path("same").mkdir()
    for name, text in {"bad.csv": "one\n", "t.csv": "list,item\n1,a\n", "same/t.csv": "x,y\n",
                       "wrong.csv": "list,item,grade\n1,a,x\n"}.items():  # fmt: skip
        Path(name).write_text(text)
    ran = score("init", *words)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert not Path("x").exists()


def test_init_lists_its_kinds_and_a_mistyped_kind_is_no_folder(score, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = score("init")
    assert ran.code == 0
    for kind in ("ranking", "recommendation", "trec", "ratings", "preferences"):
        assert f"\n{kind} " in f"\n{ran.out}"
    for words in (["rating"], ["recomendation"], ["ranking"], ["rankin", "x"]):
        ran = score("init", *words)
        assert (ran.code, ran.out) == (2, ""), words
    assert list(tmp_path.iterdir()) == []
    assert score("init", "mine").code == 0


@pytest.mark.slow("writes challenges and scores with them", beyond=1)
@pytest.mark.parametrize(
    "kind", sorted(p.name for p in (ROOT / "scorer/challenge/templates").iterdir()
                   if p.is_dir() and not p.name.startswith("_")),
)  # fmt: skip
def test_every_kind_is_sound_and_scores(score, tmp_path, kind):
    ran = score("init", kind, tmp_path / "made")
    assert ran.code == 0
    command = ran.out.split("score it:")[1].split()
    assert score(*command[1:]).code == 0
    assert score("lint", tmp_path / "made").code == 0


def table(*rows):
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


IRIS = [(n, ("setosa", "versicolor", "virginica")[n % 3]) for n in range(12)]
SHARES = [(n, *((0.8, 0.1, 0.1) if n % 2 else (0.1, 0.8, 0.1))) for n in range(12)]
ZERO_ONE = [(n, int(n % 3 == 0)) for n in range(40)]
PRICES = [(n, 100 + n * 7.5) for n in range(40)]


@pytest.mark.slow("writes challenges and scores with them", beyond=1)
@pytest.mark.parametrize(
    ("truth", "sample", "columns", "sent", "metric"),
    [
        # classes that are words
        (table(("id", "species"), *IRIS), table(("id", "species"), *IRIS),
         {"list": "id", "label": "species"}, {"list": "id", "label": "species"}, "Accuracy"),
        # as they are called in train.csv, among features; the sample says which column it is
        (table(("PassengerId", "Age", "Survived"), *((n, 20 + n, v) for n, v in ZERO_ONE)),
         table(("PassengerId", "Survived"), *((n, 0) for n, _ in ZERO_ONE)),
         {"list": "PassengerId", "label": "Survived"},
         {"list": "PassengerId", "label": "Survived"}, "Accuracy"),
        # the same with probabilities of the class 1
        (table(("id", "target"), *ZERO_ONE),
         table(("id", "target"), *((n, 0.5) for n, _ in ZERO_ONE)),
         {"list": "id", "label": "target"}, {"list": "id", "probability": "target"}, "AUROC"),
        (table(("id", "spam"), *((n, ("no", "yes")[v]) for n, v in ZERO_ONE)),
         table(("id", "p"), *((n, 0) for n, _ in ZERO_ONE)),
         {"list": "id", "label": "spam"}, {"list": "id", "probability": {"yes": "p"}}, "AUROC"),
        # a probability of each class
        (table(("id", "species"), *IRIS),
         table(("id", "setosa", "versicolor", "virginica"), *SHARES),
         {"list": "id", "label": "species"},
         {"list": "id", "probability": ["setosa", "versicolor", "virginica"]}, "LogLoss"),
        (table(("id", "species"), *IRIS),
         table(("id", "p_setosa", "p_versicolor", "p_virginica"), *SHARES),
         {"list": "id", "label": "species"},
         {"list": "id", "probability": {"setosa": "p_setosa", "versicolor": "p_versicolor",
                                        "virginica": "p_virginica"}}, "LogLoss"),
        (table(("id", "digit"), *((n, n % 3) for n in range(12))),
         table(("id", "0", "1", "2"), *SHARES),
         {"list": "id", "label": "digit"},
         {"list": "id", "probability": ["0", "1", "2"]}, "LogLoss"),
        # numbers
        (table(("Id", "SalePrice"), *PRICES),
         table(("Id", "SalePrice"), *((n, 0) for n, _ in PRICES)),
         {"list": "Id", "target": "SalePrice"}, {"list": "Id", "prediction": "SalePrice"}, "RMSE"),
        (table(("Id", "SalePrice"), *PRICES), table(("id", "prediction"), *PRICES),
         {"list": "Id", "target": "SalePrice"}, {"list": "id", "prediction": "prediction"}, "RMSE"),
        # whole numbers: few are classes, many are numbers
        (table(("row_id", "stars"), *((n, n % 5) for n in range(40))),
         table(("row_id", "stars"), *((n, 3) for n in range(40))),
         {"list": "row_id", "label": "stars"}, {"list": "row_id", "label": "stars"}, "Accuracy"),
        (table(("row_id", "count"), *((n, n * n) for n in range(40))),
         table(("row_id", "count"), *((n, 3) for n in range(40))),
         {"list": "row_id", "target": "count"}, {"list": "row_id", "prediction": "count"}, "RMSE"),
        # without a sample
        (table(("id", "label"), *IRIS), None,
         {"list": "id", "label": "label"}, {"list": "id", "label": "label"}, "Accuracy"),
        (table(("id", "price"), *PRICES), None,
         {"list": "id", "target": "price"}, {"list": "id", "prediction": "price"}, "RMSE"),
        # a user is a row where there are no items
        (table(("user", "gender"), *((n, "fmx"[n % 3]) for n in range(9))),
         table(("user", "gender"), *((n, "f") for n in range(9))),
         {"list": "user", "label": "gender"}, {"list": "user", "label": "gender"}, "Accuracy"),
    ],
)  # fmt: skip
def test_init_writes_the_table_that_fits_which_scores_and_is_sound(
    score, tmp_path, truth, sample, columns, sent, metric
):
    files(tmp_path, solution__csv=truth, sample_submission__csv=sample or "")
    named = [tmp_path / "sample_submission.csv"] if sample else []
    ran = score("init", "--from", tmp_path / "solution.csv", *named, tmp_path / "made")
    assert (ran.code, ran.err) == (0, ""), ran
    assert f"ranked by {metric}" in ran.out
    data, _ = challenge_data(tmp_path / "solution.csv", named[0] if named else None)
    assert data["truth"]["columns"] == columns
    assert data["submission"]["columns"] == sent
    if sample:
        scored = score(*ran.out.split("score it:")[1].split()[1:], "--format", "json")
        assert scored.code == 0, scored
        assert json.loads(scored.out)["leaderboard"][0]["rank"] == 1
    linted = score("lint", tmp_path / "made")
    assert linted.code == 0, linted
    assert "T205" not in linted.out + linted.err or len(columns) < 2 or "Age" in truth


@pytest.mark.parametrize(
    ("measure", "column"),
    [("RMSE", "target"), ("F1(average=macro)", "label"), ("Accuracy", "label"), ("MAE", "target")],
)
def test_the_measures_say_whether_whole_numbers_are_classes(score, tmp_path, measure, column):
    rows = table(("id", "stars"), *((n, n % 5) for n in range(40)))
    files(tmp_path, truth__csv=rows, sub__csv=rows)
    data, _ = challenge_data(tmp_path / "truth.csv", tmp_path / "sub.csv", [measure])
    assert column in data["truth"]["columns"]
    ran = score(tmp_path / "truth.csv", tmp_path / "sub.csv", "-m", measure, "--format", "json")
    assert ran.code == 0, ran
    (value,) = json.loads(ran.out)["leaderboard"][0]["values"].values()
    assert value == (0.0 if column == "target" else 1.0)


def test_init_from_a_table_without_answers_says_so(score, tmp_path):
    files(tmp_path, test__csv=table(("id", "a", "b"), (1, 2, 3), (2, 5, 6)),
          sub__csv=table(("id", "target"), (1, 0), (2, 0)))  # fmt: skip
    ran = score("init", "--from", tmp_path / "test.csv", tmp_path / "sub.csv", tmp_path / "made")
    assert (ran.code, ran.out) == (2, "")
    assert "test.csv: its columns (id, a, b) show no answers" in ran.err
    assert not (tmp_path / "made").exists()


def test_init_says_what_is_wrong_with_the_sample(score, tmp_path):
    files(tmp_path, train__csv=table(("id", "target"), *PRICES),
          sub__csv=table(("id", "target"), *((n + 1000, 0) for n, _ in PRICES)))  # fmt: skip
    ran = score("init", "--from", tmp_path / "train.csv", tmp_path / "sub.csv", tmp_path / "made")
    assert ran.code == 0
    assert "no id of this file is in" in ran.err
    assert "sub.csv would be rejected" in ran.err


@pytest.mark.slow("writes, lints and scores a challenge a row", beyond=2)
@pytest.mark.parametrize(
    ("truth", "sample", "value"),
    [
        (("t.lists", "s1: a, b\ns2: c, d\n"), ("s.lists", "s1: a, c\ns2: c, d\n"), 0.75),
        (("t.txt", "s1: a, b\ns2: c, d\n"), ("s.txt", "s1: a, c\ns2: c, d\n"), 0.75),
        (("t.jsonl", '{"user": "1", "item": "a"}\n'),
         ("s.jsonl", '{"user": "1", "item": "a", "score": 1}\n'), 1.0),
        (("t.json", '{"user": "1", "item": "a"}\n'), ("s.csv", "user,item\n1,a\n"), 1.0),
        (("t.tsv", "user\titem\n1\ta\n"), ("s.tsv", "user\titem\n1\ta\n"), 1.0),
        (("qrels.txt", QRELS), ("s.csv", "query,doc,score\n1,d1,3\n2,d1,1\n"), 1.0),
        # other separators, no header, several ids in a cell
        (("t.csv", "user;item\n1;a\n"), ("s.csv", "user;item;score\n1;a;2\n"), 1.0),
        (("t.txt", "user\titem\n1\ta\n"), ("s.csv", "user|item\n1|a\n"), 1.0),
        (("t.csv", "1,10\n1,11\n2,20\n"), ("s.csv", "1,10\n1,3\n2,20\n"), 0.75),
        (("u.data", "1\t10\t3\t881250949\n2\t20\t5\t881250950\n"),
         ("s.csv", "1,10,0.5\n2,3,0.1\n"), 0.5),
        (("t.csv", "user,item,grade\n1,a1,1\n1,a2,1\n2,a3,2\n"),
         ("s.csv", 'user,items\n1,"a1 a9"\n2,"a3 a1"\n'), 0.75),
        (("t.csv", 'user,items\n1,"2 3"\n2,"4 5"\n3,7\n'),
         ("s.csv", 'user,items\n1,"2 9"\n2,"5 4"\n3,"1 7"\n'), 0.5),
        (("t.csv", "customer_id;articles\n1;2,3\n2;4,5\n"),
         ("s.csv", 'customer_id,prediction\n1,"2,9"\n2,"5,4"\n'), 0.75),
    ],
)  # fmt: skip
def test_other_forms_are_known_by_their_content(score, tmp_path, truth, sample, value):
    for name, text in (truth, sample):
        (tmp_path / name).write_text(text)
    made = tmp_path / "made"
    ran = score("init", "--from", tmp_path / truth[0], tmp_path / sample[0], made)
    assert (ran.code, ran.err) == (0, ""), ran
    ran = score(made, made / sample[0], "-m", "Rprec", "--format", "json")
    assert ran.code == 0, ran
    assert list(json.loads(ran.out)["leaderboard"][0]["values"].values()) == [value]


DAYS = table(("id", "F1", "F2"), ("a", 1.5, 2), ("b", 3, 0.5))
TARGETS = table(("id", "clear", "fun", "long"), (1, 0.5, 0.2, 1), (2, 0.1, 0.9, 0), (3, 0, 1, 0.3))
BOUGHT = table(("user", "item"), ("u", "i1"), ("u", "i2"), ("v", "i3"))
BEST = table(("user", "best_1", "best_2"), ("u", "i1", "i9"), ("v", "i2", "i3"))


@pytest.mark.parametrize(
    ("truth", "sample", "section", "wide", "measure"),
    [
        (DAYS, DAYS, "truth", {"item": "F*"}, "RMSE"),
        (TARGETS, TARGETS, "truth", {"list": "*"}, "RMSE"),
        (BOUGHT, BEST, "submission", {"rank": "best_*"}, "nDCG@10"),
    ],
)
def test_columns_that_are_targets_days_or_ranks(
    score, tmp_path, truth, sample, section, wide, measure
):
    files(tmp_path, t__csv=truth, s__csv=sample)
    ran = score("init", "--from", tmp_path / "t.csv", tmp_path / "s.csv", tmp_path / "made")
    assert (ran.code, ran.err) == (0, ""), ran
    assert f"ranked by {measure}" in ran.out
    data, _ = challenge_data(tmp_path / "t.csv", tmp_path / "s.csv")
    assert data[section]["wide"] == wide
    ran = score(tmp_path / "made", tmp_path / "s.csv", "-m", measure, "--format", "json")
    assert ran.code == 0, ran
    assert json.loads(ran.out)["submissions"][0]["values"][measure]["lists"]


@pytest.mark.parametrize(
    ("truth", "sample"),
    [
        # features of numbers that a sample does not answer
        (table(("id", "F1", "F2", "target"), (1, 2.5, 3, 7.5), (2, 1, 4, 3)),
         table(("id", "target"), (1, 0.5), (2, 1.5))),
        # ids of another sort at every place
        (BOUGHT, table(("user", "item", "rank"), ("u", "i1", 1), ("v", "i3", 1))),
    ],
)  # fmt: skip
def test_columns_that_are_neither(tmp_path, truth, sample):
    made = files(tmp_path, t__csv=truth, s__csv=sample)
    data, _ = challenge_data(*made)
    assert "wide" not in data["truth"]
    assert "wide" not in data["submission"]


@pytest.mark.parametrize(
    ("sample", "column"),
    [
        ("q1\td1\t1\nq1\td2\t2\nq2\td3\t1\n", "rank"),
        ("q1\td1\t0\nq1\td2\t1\nq2\td3\t0\n", "score"),  # from zero: no ranks
        ("q1\td1\t7\nq1\td2\t5.5\nq2\td3\t1\n", "score"),
    ],
)
def test_a_column_without_a_name_that_counts_is_of_ranks(tmp_path, sample, column):
    made = files(tmp_path, qrels__txt="q1\t0\td1\t1\nq2\t0\td3\t1\n", s__tsv=sample)
    data, _ = challenge_data(*made)
    assert data["submission"]["header"] == ["list", "item", column]


def test_one_note_before_lines_of_ids_is_a_comment_and_more_are_not_guessed(tmp_path):
    lines = "1, a1, a2, a3\n2, a3, a1, a2\n3, a2, a3, a1\n"
    truth, one, two = files(
        tmp_path, t__csv="pid,uri\n1,a1\n2,a2\n3,a3\n", s__csv=f"team,x,y\n{lines}",
        u__csv=f"team,x\nrun,5\n{lines}",
    )  # fmt: skip
    data, _ = challenge_data(truth, one)
    assert data["submission"]["comment"] == ["team"]
    assert "comment" not in challenge_data(truth, two)[0]["submission"]


def test_a_zip_of_tables_that_differ_is_not_guessed(score, tmp_path):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("a.csv", "id,label\n1,x\n")
        archive.writestr("b.csv", "id,target\n1,0.5\n")
    ran = score("init", "--from", tmp_path / "t.zip", tmp_path / "made")
    assert (ran.code, ran.out) == (2, "")
    assert "t.zip: no header is seen" in ran.err


def test_lines_without_ids_are_not_guessed(score, tmp_path):
    numbers = "".join(f"{n / 4}\n" for n in range(12))
    (tmp_path / "t.csv").write_text(numbers)
    (tmp_path / "s.txt").write_text(numbers)
    paths = [tmp_path / file for file in ("t.csv", "s.txt")]
    ran = score("init", "--from", *paths, tmp_path / "made")
    assert ran.code == 2
    assert (
        "if its lines have no ids, write lines: lists, and as lists: the file whose rows" in ran.err
    )
    assert not (tmp_path / "made").exists()
    ran = score("init", "--from", *paths, tmp_path / "t.csv", tmp_path / "made")  # a third file
    assert ran.code == 2
    assert "score init --from TRUTH [SAMPLE] DIR" in ran.err


CLASSES = "id,cat,dog\na,0.5,0.5\nb,0.9,0.1\nc,0.2,0.8\n"
ANSWERS = {
    "one of several columns": (
        "id,cat,dog\na,1,0\nb,1,0\nc,0,1\n", CLASSES,
        {"probability": ["cat", "dog"]}, "LogLoss", "",
    ),
    "several of several columns": (
        "id,cat,dog\na,1,1\nb,0,0\nc,0,1\n", CLASSES,
        {"probability": ["cat", "dog"]}, "AUROC", "",
    ),
    "votes": (
        "id,cat,dog\na,3,1\nb,2,0\nc,0,7\n", CLASSES,
        {"probability": ["cat", "dog"]}, "KL", "",
    ),
    "numbers in columns": (
        "id,cat,dog,cow\na,3,1,2.5\nb,2,0,1\nc,0,7,2\n",
        "id,cat,dog,cow\na,0.5,0.5,3\nb,0.9,0.1,2\nc,0.2,0.8,1\n",
        {"target": "target"}, "RMSE", "",
    ),
    "texts": (
        "id,text\na,the Nile\nb,Po\nc,\"Rhine, lower\"\n", "id,text\na,Nile\nb,\nc,x y\n",
        {"text": "text"}, "ExactMatch(normalize=plain)", "texts are taken for texts",
    ),
    "classes of two words": (
        "id,text\na,the Nile\nb,the Nile\nc,the Po\nd,the Po\n",
        "id,text\na,the Nile\nb,the Po\nc,the Po\nd,the Po\n",
        {"label": "text"}, "Accuracy", "",
    ),
    "sequences": (
        "id,seq\na,3 3 8\nb,1 2\nc,7\n", "id,seq\na,3 8\nb,1 2\nc,7 7\n",
        {"text": "seq"}, "EditDistance(unit=tokens, average=pooled, over=truth)", "sequence",
    ),
    "labels of words": (
        "id,tags\na,rust scab\nb,scab\nc,rust\nd,rust scab\n",
        "id,tags\na,rust\nb,scab rust\nc,rust\nd,scab\n",
        {"label": "tags"}, "F1(average=micro)", "",
    ),
    "labels of numbers": (
        "id,tags\na,1 13\nb,13\nc,1 7\nd,1 7 13\n", "id,tags\na,1\nb,13 7\nc,1 7\nd,1\n",
        {"label": "tags"}, "F1(average=micro)", "they may be ranked ids",
    ),
    "codes of classes": (
        "id,code\na,1000016\nb,1000016\nc,1000055\nd,1000055\n",
        "id,code\na,1000016\nb,1000055\nc,1000055\nd,1000055\n",
        {"label": "code"}, "Accuracy", "codes of classes",
    ),
    "a number with its spread": (
        "id,fvc\na,2034.5\nb,1500\nc,1700\n",
        "id,fvc,Confidence\na,2000,70\nb,1600,80.5\nc,1700,100\n",
        {"target": "fvc"}, "LaplaceLogLikelihood(spread=Confidence)", "standard deviation",
    ),
    "points on the globe": (
        "trip,time,Lat,Lon\nt,1,37.4,-122.0\nt,2,37.5,-122.1\n",
        "trip,time,Lat,Lon\nt,1,37.41,-122.0\nt,2,37.5,-122.2\n",
        {"rating": "Lat"}, "Haversine(longitude=Lon)", "",
    ),
    "masks": (
        "id,rle,height,width\na,1 2 5 1,4,4\nb,-,4,4\nc,2 1 9 3 14 1,4,4\n",
        "id,rle\na,1 2 6 1\nb,3 1\nc,\n",
        {"runs": "rle"}, "Dice", "start and length of runs",
    ),
    "boxes": (
        "id,found\na,cat 1 0 0 1 1\nb,dog 1 0 0 2 2 cat 1 1 1 3 3\n",
        "id,found\na,cat 0.9 0 0 1 1\nb,\n",
        {"boxes": "found"}, "BoxAP(iou=0.5)", "x y w h",
    ),
    "ids that are sentences, beside columns that repeat the truth's": (
        "Insult,Date,Comment\n1,d1,\"you, there\"\n0,d2,ok\n1,d1,no\n",
        "Insult,Date,Comment\n0.5,d1,\"you, there\"\n0.1,d2,ok\n0.9,d1,no\n",
        {"label": "Insult"}, "AUROC", "",
    ),
}  # fmt: skip


@pytest.mark.slow("writes, lints and scores a challenge a row", beyond=2)
@pytest.mark.parametrize("name", ANSWERS)
def test_answers_of_another_sort_are_known(score, tmp_path, name):
    truth, sample, answer, measure, unsure = ANSWERS[name]
    files(tmp_path, truth__csv=truth, sub__csv=sample)
    ran = score("init", "--from", tmp_path / "truth.csv", tmp_path / "sub.csv", tmp_path / "made")
    assert ran.code == 0, ran
    assert "rejected" not in ran.err, ran
    written = yaml.safe_load((tmp_path / "made" / "challenge.yaml").read_text())
    columns = written["truth"].get("columns", {})
    assert {role: columns.get(role, role) for role in answer} == answer, written
    assert notation(written["metrics"][0]) == measure
    assert ("not sure:" in ran.out) == bool(unsure)
    assert unsure in ran.out
    assert score(tmp_path / "made", tmp_path / "made" / "sub.csv").code == 0


@pytest.mark.parametrize(
    ("truth", "sample", "told"),
    [
        ("id,words,toxic,male\na,x,0.1,1\nb,y,0.9,0\n", "id,prediction\na,0.5\nb,0.1\n",
         "which of its columns has the answers ('words', 'toxic', 'male') is not known"),
        ("id,x,y\na,1,2\nb,3,4\n", "id,cells\na,car 0.9 1 2 3 4 5\nb,bus 0.1 1 2 3 4 5\n",
         "the cells of 'cells' have 7 words for each thing, such as boxes"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_asked(score, tmp_path, truth, sample, told):
    files(tmp_path, truth__csv=truth, sub__csv=sample)
    ran = score("init", "--from", tmp_path / "truth.csv", tmp_path / "sub.csv", tmp_path / "made")
    assert ran.code == 2
    assert told in ran.err, ran
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(("third", "role"), [("3", "rank"), ("5", "rank"), ("0", "score")])
def test_ranks_with_gaps_are_no_scores(score, tmp_path, third, role):
    run = f"1\ta\t1\n1\tx\t2\n1\ty\t{third}\n2\tb\t1\n2\tx\t2\n"
    files(tmp_path, qrels__tsv="1 0 a 1\n2 0 b 1\n", run__tsv=run)
    ran = score("init", "--from", tmp_path / "qrels.tsv", tmp_path / "run.tsv", tmp_path / "made")
    assert ran.code == 0, ran
    written = yaml.safe_load((tmp_path / "made" / "challenge.yaml").read_text())
    assert written["submission"]["header"] == ["list", "item", role]
    assert ("not sure:" in ran.out) == (third == "5")


SOLUTION = "id,species,Usage\n1,a,Public\n2,b,Private\n3,a,Private\n4,b,Public\n"
SPECIES = "id,species\n1,a\n2,b\n3,b\n4,b\n"


def test_usage_of_a_kaggle_solution_parts_the_rows(tmp_path, score):
    files(tmp_path, solution__csv=SOLUTION, sample__csv=SPECIES)
    ran = score(
        "init", "--from", tmp_path / "solution.csv", tmp_path / "sample.csv", tmp_path / "c"
    )
    assert ran.code == 0, ran.err
    assert "column Usage parts the rows into splits" in ran.out
    made = yaml.safe_load((tmp_path / "c/challenge.yaml").read_text())
    assert made["splits"] == {"file": "solution.csv"}
    ran = score(tmp_path / "c", tmp_path / "sample.csv", "--format", "json")
    assert ran.err == ""  # the column is used
    splits = {board["scope"]["split"]: board for board in json.loads(ran.out)["splits"]}
    assert splits.keys() == {"Public", "Private"}


@pytest.mark.parametrize(
    ("usage", "split"),
    [
        (("Public", "Private", "Ignored", "Public"), True),
        (("train", "test", "train", "test"), False),
        (("", "", "", ""), False),
    ],
)
def test_only_kaggles_words_part_the_rows(tmp_path, usage, split):
    rows = "".join(f"{n},{'ab'[n % 2]},{word}\n" for n, word in enumerate(usage))
    files(tmp_path, solution__csv=f"id,species,Usage\n{rows}", sample__csv=SPECIES)
    data, guess = challenge_data(tmp_path / "solution.csv", tmp_path / "sample.csv")
    assert ("splits" in data) is split
    assert ("Ignored" in guess.unsure) is ("Ignored" in usage)


MAP = {"id": "MAP@3", "metric": "AP(denominator=capped)@3"}
F1 = {"id": "F1 macro", "metric": "F1(average=macro)"}


@pytest.mark.parametrize(
    ("truth", "sample", "metrics"),
    [
        ("user,prediction\nu1,a1 a2 a3\nu2,a2 a4\nu3,a5\n",
         "user,prediction\nu1,a1 a2 a3\nu2,a2 a3\nu3,a1 a5\n", [MAP, "nDCG@3"]),
        ("id,species\n1,a\n2,b\n3,a\n4,b\n", SPECIES, ["Accuracy", F1]),
        ("id,price\n1,2.5\n2,3.5\n3,1\n4,9\n", "id,price\n1,2\n2,3.25\n3,1\n4,8\n",
         ["RMSE", "MAE", "R2"]),
    ],
)  # fmt: skip
def test_measures_have_short_names(tmp_path, truth, sample, metrics):
    files(tmp_path, truth__csv=truth, sample__csv=sample)
    data, _ = challenge_data(tmp_path / "truth.csv", tmp_path / "sample.csv")
    assert data["metrics"] == metrics
