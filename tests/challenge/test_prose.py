"""Descriptions and pages: texts in files of their own."""

import pytest
from tables import rows

from scorer.challenge.load import load
from scorer.challenge.model import MOST_PROSE
from scorer.core.errors import ChallengeError

BASE = "truth: truth.csv\nmetrics: [P@1]\n"
FILES = {"description.md": "\ufeffWhat *is* it?\n", "rules.md": "# Fair play\n\nBe fair.\n"}


def test_texts_come_from_files(challenge):
    folder = challenge(f"{BASE}description: description.md\npages: {{rules: rules.md}}\n", **FILES)
    made = load(folder)
    assert made.description == "What *is* it?\n"
    assert made.pages == {"rules": FILES["rules.md"]}
    assert [path.name for path in made.prose] == ["description.md", "rules.md"]
    assert set(made.prose) <= set(made.files)
    assert load({"truth": "truth.csv", "metrics": ["P@1"], "description": "rules.md"}, folder).prose


@pytest.mark.parametrize("text", ["see description.md", "a.md b.md", "description.txt", "2011"])
def test_a_text_is_a_text(challenge, text):
    made = load(challenge(f"{BASE}description: {text}\n", **FILES))
    assert (made.description, made.prose) == (text, ())


@pytest.mark.parametrize(
    ("lines", "code", "message"), rows(__file__, "what_cannot_be_read_is_told_at_its_line")
)
def test_what_cannot_be_read_is_told_at_its_line(challenge, lines, code, message):
    folder = challenge(f"{BASE}{lines}\n", **FILES, **{"big.md": "a" * (MOST_PROSE + 1)})
    (folder / "latin.md").write_bytes(b"a\ncaf\xe9\n")
    (folder / "folder.md").mkdir()
    with pytest.raises(ChallengeError) as caught:
        load(folder)
    assert [problem.code for problem in caught.value.problems] == [code]
    assert message in str(caught.value)


def test_a_long_description_in_place(challenge):
    with pytest.raises(ChallengeError, match=r"C126.*more than 100,000 bytes"):
        load(challenge(f"{BASE}description: {'a' * (MOST_PROSE + 1)}\n"))


def test_no_page_is_the_truth(challenge, score):
    folder = challenge(
        "truth: {file: truth.md, format: csv}\nmetrics: [P@1]\npages: {data: truth.md}\n",
        **{"truth.md": "list,item\nq1,a\n", "s.csv": "list,item\nq1,a\n"},
    )
    score(folder, folder / "s.csv").assert_exit(2, err="C124")


def test_the_terminal_prints_them(challenge, score):
    folder = challenge(f"title: T\n{BASE}description: description.md\npages: {{rules: rules.md}}\n",
                       **FILES)  # fmt: skip
    assert score("about", folder).out == "T\n\nWhat is it?\n\nFair play\n\nBe fair.\n"
    assert score("about", folder, "rules").out == "T\nFair play\n\nBe fair.\n"
    score("about", folder, "rulse").assert_exit(2, err="did you mean 'rules'?")


def test_a_report_and_a_kit_have_them(challenge, score, tmp_path):
    folder = challenge(
        f"{BASE}description: 'Read [this](rules.md).'\npages: {{rules: rules.md}}\n",
        **FILES, **{"s.csv": "list,item\nq1,a\nq2,a\n"},
    )  # fmt: skip
    page = score(folder, folder / "s.csv", "--format", "html").out
    assert '<a href="#page-rules">this</a>' in page
    assert '<h2 id="page-rules-title">Fair play</h2>' in page
    assert "img-src data:;" in page
    assert score("kit", folder, "-o", tmp_path / "kit.zip").code == 0
    theirs, mine = score("about", tmp_path / "kit.zip").out, score("about", folder).out
    assert theirs == mine
    assert "Be fair." in theirs
