"""Texts and points for those of whom no entry counts, too, and points with two digits."""

import csv
import io

import pytest

YAML = """
truth: {file: truth.csv, columns: {list: id, label: y}}
submission: {columns: {list: id, label: y}}
metrics: [Accuracy]
grading: {from: 0, to: 0.7, points: 10}
"""
TRUTH = "id,y\n" + "".join(f"r{n},{'ab'[n % 2]}\n" for n in range(6))
FILES = {
    "anna": TRUTH.replace("r1,b", "r1,a").replace("r3,b", "r3,a"),  # 4 of 6 are right
    "bert": TRUTH.replace("r1,b", "r1,c") + "r9,a\nr9,a\n",
    "carl": TRUTH.replace("r1,b", "r1,a"),
}


@pytest.fixture
def course(challenge, score):
    """A living board with an entry that counts, a rejected and a disqualified one, and none."""
    folder = challenge(YAML, **{"truth.csv": TRUTH})
    for name, text in FILES.items():
        (folder / f"{name}.csv").write_text(text)
        score("add", folder, folder / f"{name}.csv", "--team", name)
    score("team", folder, "add", "dora")
    words = ["--reason", "copied from anna", "--by", "jury"]
    assert score("decide", folder, "disqualify", "3", *words).code == 0
    return folder


def points_of(text):
    return {
        row["id"]: (row["points"], row["feedback"]) for row in csv.DictReader(io.StringIO(text))
    }


@pytest.mark.slow("keeps a board")
def test_each_team_of_a_living_board_gets_a_text(course, score, tmp_path):
    score("feedback", course, "-o", tmp_path / "out").assert_exit(0)
    texts = {path.stem: path.read_text() for path in (tmp_path / "out").glob("*.txt")}
    assert [*sorted(texts)] == ["anna", "bert", "carl", "dora"]
    assert "9.52 of 10 points: Accuracy 0.667, 0.033 from 0.700" in texts["anna"]
    assert "The file was rejected: 3 errors (" in texts["bert"]
    assert "y 'c' is no class of this challenge; nearest: 'a'" in texts["bert"]
    assert "id 'r9' is not in this challenge" in texts["bert"]
    assert texts["bert"].count("Received ") == 1
    assert "No entry counts: entry 3: disqualified" in texts["carl"]
    assert "copied from anna" in texts["carl"]
    assert texts["dora"].splitlines()[-1] == "No entry counts: no entry"


@pytest.mark.slow("keeps a board")
def test_the_gradebook_says_what_is_wrong_in_words(course, score):
    ran = score("board", course, "--format", "grades")
    rows = points_of(ran.out)
    assert rows["anna"][0] == "9.52"  # 10 * (4 / 6) / 0.7
    points, said = rows["bert"]
    assert points == "0"
    assert said.startswith("0 points: the file was rejected: ")
    assert said.endswith("(and 2 more errors)")
    assert "S5" not in said
    assert rows["carl"][1].endswith("copied from anna")
    assert rows["dora"] == ("0", "no entry")


def test_points_of_files_have_two_digits(challenge, score):
    folder = challenge(YAML, **{"truth.csv": TRUTH})
    for name in ("anna", "bert"):
        (folder / f"{name}.csv").write_text(FILES[name])
    ran = score(folder, folder / "anna.csv", folder / "bert.csv", "--format", "grades", "-q")
    rows = points_of(ran.out)
    assert rows["anna"] == (
        "9.52",
        "9.52 of 10 points: Accuracy 0.667, 0.033 from 0.700, that of all points",
    )
    assert rows["bert"][0] == "0"


@pytest.mark.parametrize(("options", "shown"), [((), "0.66667"), (("--precision", "3"), "0.667")])
def test_texts_and_papers_have_the_digits_of_the_board(challenge, score, tmp_path, options, shown):
    yaml = YAML + "leaderboard: {digits: 5}\n"
    folder = challenge(yaml, **{"truth.csv": TRUTH, "anna.csv": FILES["anna"]})
    files = folder, folder / "anna.csv"
    assert f" {shown} " in score(*files, *options).out
    assert f": Accuracy {shown}," in score(*files, "--format", "grades", *options).out
    score("feedback", *files, "-o", tmp_path / "texts", *options).assert_exit(0)
    said = (tmp_path / "texts" / "anna.txt").read_text()
    assert f"points: Accuracy {shown}," in said
    assert f"\nAccuracy: {shown}\n" in said
    score("paper", *files, "-o", tmp_path / "paper", *options).assert_exit(0)
    assert rf"\newcommand{{\bestscore}}{{{shown}}}" in (tmp_path / "paper/numbers.tex").read_text()
