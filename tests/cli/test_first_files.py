"""Files on the first paths: the form by -o, folders in every form, folders that are repaired."""

import polars as pl
import pytest

TRUTH = "id,label\n01,a\n02,b\n03,a\n"
FILES = {
    "anna.csv": "id;label\n01;a\n02;b\n03;b\n",  # repairable
    "ben.csv": "",
    "dora.csv": TRUTH,
    "eva.csv": "id,label\n01,a\n02,z\n",  # wrong beyond repair
}


@pytest.fixture
def folder(tmp_path, monkeypatch, score):
    """A challenge `c` and the folder `subs`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "truth.csv").write_text(TRUTH)
    assert score("init", "--from", "truth.csv", "c").code == 0
    (tmp_path / "subs").mkdir()
    for name, text in FILES.items():
        (tmp_path / "subs" / name).write_text(text)
    pl.DataFrame({"id": ["01", "02", "03"], "label": ["a", "b", "a"]}).write_parquet(
        "subs/cem.parquet"
    )
    return tmp_path


def names(path):
    return sorted(each.name for each in path.iterdir())


@pytest.mark.slow("checks and repairs folders")
def test_a_summary_says_what_fix_would_repair(folder, score):
    ran = score("check", "c", "subs").assert_exit(1)
    assert ran.err == "--fix would repair 1 of the files\n"
    assert names(folder / "subs") == sorted([*FILES, "cem.parquet"])
    assert "would repair" not in score("check", "c", "subs/dora.csv", "subs/cem.parquet").err


@pytest.mark.slow("checks and repairs folders")
def test_fix_goes_on_past_hopeless_files(folder, score):
    ran = score("check", "c", "subs", "--fix").assert_exit(1)
    assert ran.err.splitlines() == [
        "subs/anna.csv: repaired copy in subs/anna.fixed.csv",
        "  column separator ';' replaced by ','",
        "subs/ben.csv cannot be repaired: the file is empty (0 bytes)",
        "subs/cem.parquet: fine, nothing to repair",
        "subs/dora.csv: fine, nothing to repair",
        "subs/eva.csv: cannot be repaired safely: 2 errors (S301, S521)",
    ]
    assert "anna" not in ran.out
    assert "2 of 5 files would be rejected" in ran.out
    copy = score("check", "c", "subs/anna.fixed.csv").assert_exit(0)
    assert "subs/anna.fixed.csv: fine\n" in copy.out


@pytest.mark.slow("checks and repairs folders", beyond=1)
@pytest.mark.parametrize("words", [["subs"], ["subs/anna.csv", "subs/anna.fixed.csv"]])
def test_a_copy_beside_its_original_is_no_submission(words, folder, score):
    score("check", "c", "subs", "--fix")
    ran = score("check", "c", *words)
    assert "anna.fixed" not in ran.out
    assert "note: subs/anna.fixed.csv is left out, a repaired copy" in ran.err


@pytest.mark.slow("checks and repairs folders")
def test_a_copy_alone_has_the_name_of_its_original(folder, score):
    score("check", "c", "subs", "--fix")
    assert "  anna  " in score("c", "subs/anna.fixed.csv").out


@pytest.mark.slow("checks and repairs folders")
def test_fix_into_a_folder_makes_one_that_can_be_scored(folder, score):
    ran = score("check", "c", "subs", "--fix", "-o", "fixed")
    assert ran.code == 1  # two files are wrong
    assert names(folder / "fixed") == ["anna.csv", "cem.parquet", "dora.csv"]
    assert (folder / "fixed/anna.csv").read_text() == "id,label\n01,a\n02,b\n03,b\n"
    assert score("check", "c", "fixed").code == 0
    again = score("check", "c", "subs", "--fix", "-o", "fixed")
    assert (again.code, again.err) == (
        2,
        "error: fixed is not empty; --fix overwrites nothing (-o DIR)\n",
    )


@pytest.mark.parametrize(
    ("place", "there"), [("one", "one/anna.csv"), ("one/", "one/anna.csv"), ("b.csv", "b.csv")]
)
def test_fix_of_a_file_goes_into_a_folder_or_a_file(place, there, folder, score):
    assert score("check", "c", "subs/anna.csv", "--fix", "-o", place).code == 0
    assert (folder / there).read_text().startswith("id,label\n")


@pytest.mark.slow("checks and repairs folders", beyond=1)
@pytest.mark.parametrize("words", [["-o", "a.csv", "-o", "b.csv"], ["-o", "truth.csv"]])
def test_fix_takes_one_place_that_is_not_taken(words, folder, score):
    assert score("check", "c", "subs", "--fix", *words).code == 2


def test_several_forms_of_one_run(folder, score):
    ran = score("c", "subs/dora.csv", "-o", "b.html", "-o", "b.json", "-o", "b.csv")
    assert (ran.code, ran.out) == (0, "")
    begins = {"b.html": "<!doctype html>", "b.json": "{", "b.csv": "rank,"}
    for name, begin in begins.items():
        assert (folder / name).read_text().startswith(begin), name


BOARD = {"b.html": "<!doctype", "b.csv": "rank,", "b.md": "#", "b.tex": "%", "b.json": "{"}


def test_a_living_board_goes_by_the_suffix(folder, score):
    assert score("add", "c", "subs/dora.csv", "--team", "anna", "-q").code == 0
    assert score("board", "c", *(word for name in BOARD for word in ("-o", name))).code == 0
    for name, begin in BOARD.items():
        assert (folder / name).read_text().startswith(begin), name
    assert score("log", "c", "-o", "log.json").code == 0
    assert (folder / "log.json").read_text().startswith("{")
    assert score("log", "c", "-o", "log.html").code == 2
    assert score("board", "c", "-o", "c/truth.csv").code == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "b.jsonl"], "a leaderboard is not written as jsonl"),
        (["-o", "b.csv", "-o", "b.csv"], "-o b.csv is given twice"),
        (["-o", "b.csv", "-o", "c"], "this is a folder"),
    ],
)
def test_a_place_of_no_use_is_refused(words, message, folder, score):
    score("c", "subs/dora.csv", *words).assert_exit(2, err=message)
    assert not (folder / "b.csv").exists()


def test_a_folder_of_trec_runs_is_its_files(folder, score):
    (folder / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n2 0 c 1\n")
    (folder / "runs").mkdir()
    for name in "xy":
        (folder / f"runs/{name}.txt").write_text("1 Q0 a 1 2.0 x\n1 Q0 b 2 1.0 x\n2 Q0 c 1 1.0 x\n")
    ran = score("qrels.txt", "runs", "-m", "AP")
    assert (ran.code, ran.out) == (
        0,
        score("qrels.txt", "runs/x.txt", "runs/y.txt", "-m", "AP").out,
    )


@pytest.mark.parametrize("header", ["id,p", "id,a,b"])
def test_an_odd_first_file_does_not_reject_the_others(folder, score, header):
    """Without a challenge a file with the truth's own column of answers says what columns are."""
    (folder / "classes.csv").write_text("id,class\nx,a\ny,b\n")
    (folder / "good.csv").write_text("id,class\nx,a\ny,a\n")
    cells = ",0.5" * header.count(",")
    (folder / "odd.csv").write_text(f"{header}\nx{cells}\ny{cells}\n")
    ran = score("classes.csv", "odd.csv", "good.csv", "-m", "Accuracy")
    assert "good      0.500" in ran.out
    assert "1 file was rejected: odd." in ran.out
