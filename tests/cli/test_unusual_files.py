"""Files as tools write them that a page of commands/ cannot hold."""

import pytest


@pytest.mark.parametrize("comma_at", [0, 1, 30])
def test_a_comma_in_an_id_of_a_run(tmp_path, score, comma_at):
    names = [f"Report,_{n}" if n == comma_at else f"Page_{n}" for n in range(60)]
    qrels = "".join(f"{n} 0 {name} 1\n" for n, name in enumerate(names))
    (tmp_path / "qrels.txt").write_text(qrels)
    (tmp_path / "other.txt").write_text(qrels.replace(",", "_"))
    run = tmp_path / "run.txt"
    run.write_text("".join(f"{n} Q0 {name} 1 2.5 tag\n" for n, name in enumerate(names)))
    for truth, value in (("qrels.txt", 1.0), ("other.txt", pytest.approx(59 / 60))):
        ran = score(tmp_path / truth, run, "-m", "AP", "-q", "--format", "json")
        assert ran.means() == {"AP": value}


def test_a_workbook_of_one_sheet_is_converted(challenge, score, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    workbook = openpyxl.Workbook()
    for row in (["id", "label"], [1, "a"], [2, "b"], [3, "a"]):
        workbook.active.append(row)
    workbook.save(tmp_path / "s.xlsx")
    columns = "columns: {list: id, label: label}"
    folder = challenge(
        f"truth: {{file: truth.csv, {columns}}}\nsubmission: {{{columns}}}\nmetrics: [Accuracy]\n",
        **{"truth.csv": "id,label\n1,a\n2,b\n3,a\n"},
    )
    score("check", folder, tmp_path / "s.xlsx", "--fix").assert_exit(0)
    assert (tmp_path / "s.fixed.csv").read_bytes() == b"id,label\n1,a\n2,b\n3,a\n"
