"""The walk of docs/tables.md, typed as it stands."""

import re

import pytest
from conftest import ROOT

PAGE = (ROOT / "docs" / "tables.md").read_text(encoding="utf-8").partition("\n## Images\n")[0]
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", PAGE, re.DOTALL)
TRUTH, ANNA = (text for kind, text in BLOCKS if not kind and text.startswith("id,species"))
YAMLS = [text for kind, text in BLOCKS if kind == "yaml"]
BEN = ANNA.replace("2,setosa", "2,versicolor").replace("6,versicolor", "6,setosa")
CARL = "id,species\n1,Setosa\n2,setosa\n3,versicolor\n4,versicolor\n"
CARL += "5,virginca\n6,virginica\n7,virginica\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "irises").mkdir()
    for name, text in {
        "irises/truth.csv": TRUTH,
        "irises/challenge.yaml": YAMLS[0],
        "anna.csv": ANNA,
        "ben.csv": BEN,
        "carl.csv": CARL,
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_from_two_files_to_a_board(folder, score):
    ran = score("irises", "anna.csv", "ben.csv").assert_exit(0)
    assert re.search(r"^1 \(1-2\) +anna +0\.875 ", ran.out, re.MULTILINE), ran.out
    assert " rows" in ran.out
    assert score("irises", "anna.csv", "ben.csv", "-o", "board.html").code == 0
    assert (folder / "board.html").read_text().count("<h2")
    words = ("explain", "irises", "ben.csv", "--list", "6", "-m", "F1(average=macro)")
    for command in (words, ("compare", "irises", "anna.csv", "ben.csv"), ("lint", "irises")):
        score(*command).assert_exit(0)


def test_a_wrong_file_is_told_as_printed(folder, score):
    (shown,) = (text for _, text in BLOCKS if text.startswith("$ score check"))
    ran = score("check", "irises", "carl.csv")
    assert (ran.out + ran.err).splitlines() == shown.splitlines()[1:]


@pytest.mark.slow("runs the commands of the page", beyond=2)
@pytest.mark.parametrize("made", YAMLS[1:], ids=range(len(YAMLS) - 1))
def test_the_other_forms_are_read(folder, score, made):
    numbers = "target" in made
    said = made if numbers else re.sub(r"submission:.*", made, YAMLS[0], flags=re.DOTALL)
    (folder / "irises" / "challenge.yaml").write_text(said)
    if numbers:
        (folder / "irises" / "truth.csv").write_text(
            "id,price,time,event\n1,10,1,1\n2,20,2,0\n3,30,3,1\n"
        )
    score("lint", "irises").assert_exit(0, out="Sound: ")
