"""Submissions whose items the truth does not name are told to the organizer, and to nobody else."""

import pytest

import scorer

ITEMS = [f"{n}" for n in range(1, 301)]
TRUTH = "list,item\n" + "".join(f"u{n % 30},{item}\n" for n, item in enumerate(ITEMS))
YAML = "truth: truth.csv\nmetrics: [nDCG@10, P@5]\n"


def run(items):
    return "list,item\n" + "".join(f"u{n % 30},{item}\n" for n, item in enumerate(items))


@pytest.mark.slow("lints many challenges", beyond=1)
@pytest.mark.parametrize(
    ("items", "said"),
    [
        ([f"{item}.0" for item in ITEMS], "no item of 'mine' occurs in the truth; ids look like"),
        ([f"{item}.0" for item in ITEMS[:-1]] + ["1"],
         "1 of 300 items of 'mine' occurs in the truth; ids look like decimals ('1.0')"),
        ([f"m{item}" for item in ITEMS], "no item of 'mine' occurs in the truth"),
        ([f"{item}\u200b" for item in ITEMS], "ids differ by case, blanks or normalisation"),
        (ITEMS[1:] + ITEMS[:1], None),  # every id is known, and in a wrong list
        (ITEMS, None),
    ],
)  # fmt: skip
def test_items_that_are_not_in_the_truth(challenge, tmp_path, score, items, said):
    folder = challenge(YAML, **{"truth.csv": TRUTH})
    path = tmp_path / "mine.csv"
    path.write_text(run(items))
    ran = score(folder, path).assert_exit(0)
    assert ("T311" in ran.err) == (said is not None)
    assert said is None or f"mine.csv: warning[T311] {said}" in ran.err or said in ran.err
    for form in ("table", "html", "json", "csv", "markdown"):  # what may be published
        assert "in the truth" not in score(folder, path, "--format", form).out
    assert "T311" not in (checked := score("check", folder, path)).out + checked.err
    assert score(folder, path, "-q").err == ""


@pytest.mark.slow("reads large files")
def test_a_large_truth_and_a_large_file(challenge, tmp_path):
    rows = "".join(f"u{n % 500},item-number-{n}\n" for n in range(60_000))
    folder = challenge("truth: truth.csv\nmetrics: [P@5]\n", **{"truth.csv": "list,item\n" + rows})
    path = tmp_path / "mine.csv"
    path.write_text("list,item\n" + rows.replace("-number-", "-nr-"))
    (note,) = scorer.score(folder, [path]).notes
    assert (note.code, note.message) == ("T311", "no item of 'mine' occurs in the truth")
    path.write_text("list,item\n" + rows)
    assert scorer.score(folder, [path]).notes == ()


def test_data_is_told_by_its_name():
    truth = {"q": {"1": 1, "2": 1}}
    (note,) = scorer.evaluate(truth, {"mine": {"q": ["1.0", "2.0"]}}, ["AP"]).notes
    assert str(note) == (
        "mine: warning[T311] no item of 'mine' occurs in the truth; ids look like decimals ('1.0')"
    )


def test_texts_need_not_be_those_of_the_truth(challenge):
    folder = challenge(
        "truth: {file: truth.csv, columns: {text: text}}\nmetrics: [BLEU, TokenJaccard]\n"
        "submission: {columns: {text: text}}\n",
        **{"truth.csv": "list,text\n1,the cat sat\n2,a dog ran\n",
           "mine.csv": "list,text\n1,the cat sits\n2,the dog ran\n"},
    )  # fmt: skip
    assert scorer.score(folder, [folder / "mine.csv"]).notes == ()
