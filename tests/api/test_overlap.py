"""Submissions whose items the truth does not name are told to the organizer, and to nobody else."""

import pytest

import scorer


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
