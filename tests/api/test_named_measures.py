"""`score compare --measures` takes any name that is one measure's only."""

import pytest

TRUTH = "id,label\n" + "".join(f"{n},{'ab'[n % 2]}\n" for n in range(12))
SENT = "id,label\n" + "".join(f"{n},{'aab'[n % 3]}\n" for n in range(12))


@pytest.fixture
def challenge(tmp_path):
    (tmp_path / "truth.csv").write_text(TRUTH)
    (tmp_path / "a.csv").write_text(SENT)
    (tmp_path / "b.csv").write_text(TRUTH)
    (tmp_path / "challenge.yaml").write_text(
        "truth: {file: truth.csv, columns: {list: id}}\nsubmission: {columns: {list: id}}\n"
        "metrics: [Accuracy, {id: F1 macro, metric: F1(average=macro)},\n"
        "  Precision(average=macro), Precision(average=micro)]\n"
    )
    return tmp_path


@pytest.mark.parametrize("word", ["F1", "f1 MACRO", "f1score", "F1(average=macro)"])
def test_a_name_of_one_measure(challenge, score, word):
    ran = score("compare", challenge, challenge / "a.csv", challenge / "b.csv", "--measures", word)
    ran.assert_exit(0, out="F1 macro")
    assert "Precision" not in ran.out


@pytest.mark.parametrize("word", ["Precision", "F2", "nDCG@10"])
def test_a_name_of_several_or_none(challenge, score, word):
    ran = score("compare", challenge, challenge / "a.csv", challenge / "b.csv", "--measures", word)
    ran.assert_exit(2, err=f"no measure '{word}'; there are 'Accuracy', 'F1 macro', ")


def test_a_measure_alone_is_compared_as_among_all(challenge, score):
    words = ("compare", challenge, challenge / "a.csv", challenge / "b.csv", "--format", "json")
    every, alone = score(*words).json(), score(*words, "--measures", "F1 macro").json()
    assert len(every["pairs"][0]["measures"]) == 4
    (pair,) = alone["pairs"]
    assert list(pair["measures"]) == ["F1 macro"]
    assert pair["measures"]["F1 macro"] == every["pairs"][0]["measures"]["F1 macro"]
