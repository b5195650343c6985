"""No report has two columns of one name."""

import csv
import io

TABLE = "id,y\n1,a\n2,b\n3,a\n4,b\n"
COLUMNS = "{list: id, label: y}"
HEAD = f"truth: {{file: truth.csv, columns: {COLUMNS}}}\nsubmission: {{columns: {COLUMNS}}}\n"


def test_each_column_of_a_board_has_its_own_name(challenge, score):
    yaml = f"{HEAD}metrics: [Accuracy, MCC]\nsplits: {{public: 0.5, private: rest, seed: 1}}\n"
    folder = challenge(yaml, **{"truth.csv": TABLE, "s.csv": TABLE})
    ran = score(folder, folder / "s.csv", "--format", "csv")
    head = next(csv.reader(io.StringIO(ran.out)))
    assert len(set(head)) == len(head)
