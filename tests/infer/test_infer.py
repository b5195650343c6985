"""What two files show of the challenge that they make, and a board without any challenge.yaml."""

import gzip
import json
import zipfile
from pathlib import Path

import pytest
import yaml
from conftest import ROOT

HERE = Path(__file__).parent
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


def cases(page):
    return [
        pytest.param(case, id=case.get("name", case.get("file")))
        for case in yaml.safe_load((HERE / page).read_text(encoding="utf-8"))
    ]


@pytest.mark.slow("writes, scores and lints a challenge a row", beyond=8)
@pytest.mark.parametrize("case", cases("guesses.yaml"))
def test_init_from_files(score, tmp_path, monkeypatch, case):
    monkeypatch.chdir(tmp_path)
    for name, text in case["files"].items():
        Path(name).write_text(text)
    ran = score("init", "--from", *case["files"], "made")
    if "refused" in case:
        assert (ran.code, ran.out, ran.err.splitlines()) == (2, "", case["refused"])
        assert not Path("made").exists()
        return
    assert (ran.code, ran.err.splitlines()) == (0, case.get("warns", []))
    said, command = ran.out.split("\n\nscore it:")
    assert said.splitlines()[1:] == case["says"]
    made = yaml.safe_load(Path("made/challenge.yaml").read_text())
    assert made == {"scorer": 1} | case["challenge"]
    if "values" in case:
        measures = ["-m", case["measure"]] if "measure" in case else []
        (row,) = score(*command.split()[1:], *measures, "--format", "json").json()["leaderboard"]
        assert (row["rank"], row["values"]) == (1, pytest.approx(case["values"], rel=1e-12))
        score("lint", "made").assert_exit(0)


def is_truth(score, path, sample):
    """Whether a file is taken for a truth, of which it is asked what to measure."""
    ran = score(path, sample).assert_exit(2)
    return f"{path} is a truth; say what to measure" in ran.err


@pytest.mark.parametrize("case", cases("truths.yaml"))
def test_a_truth_is_known_by_its_content(score, tmp_path, monkeypatch, case):
    monkeypatch.chdir(tmp_path)
    Path(case["file"]).write_text(case["text"])
    Path("s.csv").write_text("list,item\n1,d1\n")
    assert is_truth(score, case["file"], "s.csv") == case["is_truth"]


def test_packed_long_and_foreign_files_are_truths_or_not(score, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("s.csv").write_text("list,item\n1,d1\n")
    Path("q.txt.gz").write_bytes(gzip.compress(QRELS.encode(), mtime=0))
    Path("long.txt").write_text(QRELS * 5000)
    Path("deep.jsonl").write_text('{"list": ' + "[" * 100_000 + "\n")
    Path("c.txt").write_bytes(b"\xff\xfe1 0 d1 1\n")
    found = {
        path: is_truth(score, path, "s.csv")
        for path in ("q.txt.gz", "long.txt", "deep.jsonl", "c.txt", ".", "nowhere.csv")
    }
    assert [path for path in found if found[path]] == ["q.txt.gz", "long.txt", "deep.jsonl"]


def table(*rows):
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


SOLUTION = "id,species,Usage\n1,a,Public\n2,b,Private\n3,a,Private\n4,b,Public\n"
SPECIES = "id,species\n1,a\n2,b\n3,b\n4,b\n"


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
    (row,) = ran.json()["leaderboard"]
    assert list(row["values"].values()) == [mean]
    assert score("check", tmp_path / "t.csv", tmp_path / "s.csv").code == 0


def test_qrels_and_runs_need_no_challenge(score, tmp_path):
    files(tmp_path, qrels__txt=(TREC / "qrels.txt").read_text())
    runs = sorted(SENT.iterdir())
    words = ["-m", "AP", "-m", "nDCG@10"]
    direct = score(tmp_path / "qrels.txt", *runs, *words, "--format", "json").json()
    whole = score(TREC, *runs, *words, "--format", "json").json()
    values = [[(row["name"], row["values"]) for row in each["leaderboard"]]
              for each in (direct, whole)]  # fmt: skip
    assert values[0] == values[1]
    score("compare", tmp_path / "qrels.txt", *runs[:2], "-m", "AP").assert_exit(0)
    ran = score("explain", tmp_path / "qrels.txt", runs[0], "--list", "301", "-m", "AP")
    ran.assert_exit(0, out="topic")


@pytest.mark.parametrize("verb", [[], ["compare"]])
def test_what_to_measure_must_be_said(score, tmp_path, verb):
    files(tmp_path, qrels__txt=QRELS, a__run=RUN, b__run=RUN)
    ran = score(*verb, tmp_path / "qrels.txt", tmp_path / "a.run", tmp_path / "b.run")
    assert (ran.code, ran.out) == (2, "")
    assert "qrels.txt is a truth; say what to measure, such as -m nDCG@10" in ran.err


def test_a_wrong_measure_is_told_as_ever(score, tmp_path):
    files(tmp_path, qrels__txt=QRELS, a__run=RUN)
    ran = score(tmp_path / "qrels.txt", tmp_path / "a.run", "-m", "nDGC@1")
    ran.assert_exit(2, err="did you mean 'nDCG'?")
    assert "challenge.yaml" not in ran.err


def test_qrels_in_a_challenge_are_known_by_their_content(score, challenge):
    folder = challenge("truth: qrels.txt\nmetrics: [AP]\n", **{"qrels.txt": QRELS, "a.run": RUN})
    ran = score(folder, folder / "a.run", "--format", "json")
    assert ran.json()["leaderboard"][0]["values"] == {"AP": 0.75}


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
    ran.assert_exit(0, out=": challenge.yaml, challenge.schema.json\n")
    made = {"challenge.yaml", "challenge.schema.json"}
    assert {path.name for path in tmp_path.iterdir()} == {"truth.csv", "s.csv"} | made
    assert score(tmp_path, tmp_path / "s.csv").code == 0
    before = (tmp_path / "challenge.yaml").read_bytes()
    ran = score("init", "--from", tmp_path / "truth.csv", tmp_path)
    ran.assert_exit(2, err="challenge.yaml exists already")
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
    ran = score("init").assert_exit(0)
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
    ran = score("init", kind, tmp_path / "made").assert_exit(0)
    command = ran.out.split("score it:")[1].split()
    assert command[0] == "score"
    ran = score(*command[1:]).assert_exit(0)
    assert "warning" not in ran.err
    assert "T301" not in ran.out + ran.err
    assert score("init", tmp_path / "made").code == 2  # nothing is overwritten
    assert score("lint", tmp_path / "made").code == 0


@pytest.mark.parametrize(
    ("measure", "best"),
    [("RMSE", 0.0), ("F1(average=macro)", 1.0), ("Accuracy", 1.0), ("MAE", 0.0)],
)
def test_the_measures_say_whether_whole_numbers_are_classes(score, tmp_path, measure, best):
    rows = table(("id", "stars"), *((n, n % 5) for n in range(40)))
    files(tmp_path, truth__csv=rows, sub__csv=rows)
    ran = score(tmp_path / "truth.csv", tmp_path / "sub.csv", "-m", measure, "--format", "json")
    (value,) = ran.json()["leaderboard"][0]["values"].values()
    assert value == best


def test_a_zip_of_tables_that_differ_is_not_guessed(score, tmp_path):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("a.csv", "id,label\n1,x\n")
        archive.writestr("b.csv", "id,target\n1,0.5\n")
    ran = score("init", "--from", tmp_path / "t.zip", tmp_path / "made")
    assert (ran.code, ran.out) == (2, "")
    assert "t.zip: this is a ZIP archive of 2 files, not a table" in ran.err


def test_usage_of_a_kaggle_solution_parts_the_rows(tmp_path, score):
    files(tmp_path, solution__csv=SOLUTION, sample__csv=SPECIES)
    ran = score(
        "init", "--from", tmp_path / "solution.csv", tmp_path / "sample.csv", tmp_path / "c"
    )
    ran.assert_exit(0, out="column Usage parts the rows into splits")
    made = yaml.safe_load((tmp_path / "c/challenge.yaml").read_text())
    assert made["splits"] == {"file": "solution.csv"}
    ran = score(tmp_path / "c", tmp_path / "sample.csv", "--format", "json")
    assert ran.err == ""  # the column is used
    splits = {board["scope"]["split"]: board for board in json.loads(ran.out)["splits"]}
    assert splits.keys() == {"Public", "Private"}
