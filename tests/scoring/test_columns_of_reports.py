"""No report has two columns of one name."""

import csv
import io

import pytest

TABLE = "id,y\n1,a\n2,b\n3,a\n4,b\n"
COLUMNS = "{list: id, label: y}"
HEAD = f"truth: {{file: truth.csv, columns: {COLUMNS}}}\nsubmission: {{columns: {COLUMNS}}}\n"


@pytest.mark.parametrize("name", ["rank", "name", "lists", "low", "tier", "better", "split"])
def test_a_measure_is_not_called_as_a_column_of_reports(name, challenge, score):
    yaml = f"{HEAD}metrics: [Accuracy, {{id: {name}, metric: MCC}}]\n"
    ran = score(challenge(yaml, **{"truth.csv": TABLE, "s.csv": TABLE}), "s.csv")
    ran.assert_exit(2, err=f"[C120] metrics[1]: '{name}' is a column of every report")


@pytest.mark.parametrize(
    ("question", "owner"), [("Accuracy", "a measure"), ("rank", "a column of every report")]
)
def test_a_question_is_not_called_as_another_column(question, owner, challenge, score):
    yaml = f"{HEAD}metrics: [Accuracy]\nquestions: {{{question}: {{required: false}}}}\n"
    ran = score(challenge(yaml, **{"truth.csv": TABLE, "s.csv": TABLE}), "s.csv")
    ran.assert_exit(2, err=f"'{question}' is {owner}, too")


def test_each_column_of_a_board_has_its_own_name(challenge, score):
    yaml = f"{HEAD}metrics: [Accuracy, MCC]\nsplits: {{public: 0.5, private: rest, seed: 1}}\n"
    folder = challenge(yaml, **{"truth.csv": TABLE, "s.csv": TABLE})
    ran = score(folder, folder / "s.csv", "--format", "csv")
    head = next(csv.reader(io.StringIO(ran.out)))
    assert len(set(head)) == len(head)
