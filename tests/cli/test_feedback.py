"""Texts and points for those of whom no entry counts, too, and points with two digits."""

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
