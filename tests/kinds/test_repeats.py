"""Items that a list names again: refused, or slots without an item."""

import json

import pytest

YAML = (
    "truth: {{file: truth.csv, columns: {{list: image, item: hotel}}}}\n"
    "submission: {{columns: {{list: image, item: hotels}}, cells: {{item: ' '}}, {rules}}}\n"
    "metrics: [{measures}]\n"
)
TRUTH = "image,hotel\nx,A\ny,B\n"


@pytest.fixture
def values(challenge, score, tmp_path):
    def run(sent, rules="repeats: first", measures="RR@5, P@5, Recall@3", yaml=YAML, name="s.csv"):
        text = yaml.format(rules=rules, measures=measures)
        folder, file = challenge(text, **{"truth.csv": TRUTH}), tmp_path / name
        file.write_text(sent)
        ran = score(folder, file, "--format", "json", "-q")
        if not ran.out:
            return ran.err
        (submission,) = json.loads(ran.out)["submissions"]
        if not submission["valid"]:
            return [problem["code"] for problem in submission["problems"]]
        return [value["mean"] for value in submission["values"].values()]

    return run


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        ("A A A A A", [1, 0.2, 1]),  # a hit again counts nothing
        ("C C A D E", [1 / 3, 0.2, 1]),  # and keeps its slot
        ("C C C A D", [1 / 4, 0.2, 0]),
        ("C D E F A", [1 / 5, 0.2, 0]),
    ],
)
def test_the_first_counts_and_others_keep_their_slots(values, x, expected):
    empty_y = [value / 2 for value in expected]
    assert values(f"image,hotels\nx,{x}\ny,D D D D D\n") == pytest.approx(empty_y)


def test_without_the_rule_they_are_refused(values):
    sent = "image,hotels\nx,A A\ny,B C\n"
    assert set(values(sent, rules="repeats: error")) == {"S304"}
    assert set(values(sent, rules="length: 2")) == {"S304"}
    assert values(sent, rules="repeats: first, length: 2") == [1, 0.2, 1]
    assert values(sent, rules="repeats: first, length: 3") == ["S401", "S401"]


def test_no_gain_by_naming_an_item_again(values):
    honest = values("image,hotels\nx,C A\ny,D E\n")
    again = values("image,hotels\nx,C A A A A\ny,D E E D D\n")
    assert again == honest


LONG = (
    "truth: {{file: truth.csv, columns: {{list: image, item: hotel}}}}\n"
    "submission: {{columns: {{list: image, item: hotel}}, {rules}}}\n"
    "metrics: [{measures}]\n"
)


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ("image,hotel,rank\nx,A,3\nx,C,1\nx,A,2\ny,B,1\n", [0.75]),  # the best rank
        ("image,hotel\nx,C\ny,B\nx,C\nx,A\n", [2 / 3]),  # rows of a list apart
        ("image,hotel,score\nx,A,3\nx,A,2\ny,B,1\n", ["S304"]),  # scores say one thing each
    ],
)
def test_rows_go_by_rank_or_order(values, sent, expected):
    assert values(sent, measures="RR", yaml=LONG) == pytest.approx(expected)


def test_it_is_a_rule_of_ranked_lists(values):
    yaml = LONG.replace("item: hotel", "label: hotel")
    assert "C122" in values("image,hotel\nx,A\ny,B\n", measures="Accuracy", yaml=yaml)
