"""Files as tools and people write them: each is read as it was meant, or the cause is named."""

import json
import math

import pytest


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write files into the current folder."""
    monkeypatch.chdir(tmp_path)

    def write(**files):
        for name, text in files.items():
            (tmp_path / name.replace("__", ".")).write_bytes(text.encode())

    return write


@pytest.fixture
def value_of(score):
    """The value of the one measure of one submission, of several files if there are more."""

    def value_of(*words):
        ran = score(*words, "-q", "--format", "json")
        assert ran.code in (0, 1), ran
        values = {}
        for each in json.loads(ran.out)["submissions"]:
            if each["valid"]:
                (value,) = each["values"].values()
                values[each["name"]] = value["mean"]
            else:
                values[each["name"]] = [problem["code"] for problem in each["problems"]]
        return values

    return value_of


# BEIR's own table of judgments: its grades are called score, as a run's scores are
BEIR = "query-id\tcorpus-id\tscore\nq1\ta\t1\nq1\tb\t2\nq2\td\t1\n"
BEIR_TREC = "q1 Q0 a 1 3 x\nq1 Q0 b 2 2 x\nq1 Q0 c 3 1 x\nq2 Q0 b 1 2 x\nq2 Q0 d 2 1 x\n"
BEIR_CSV = "query-id,corpus-id,score\nq1,a,3\nq1,b,2\nq1,c,1\nq2,b,2\nq2,d,1\n"
OF_Q1 = (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3))
OF_Q2 = 1 / math.log2(3)


@pytest.mark.parametrize(
    ("truth", "run"),
    [
        ("beir.tsv", "run.txt"),
        ("beir.tsv", "run.csv"),
        ("underscore.tsv", "run.txt"),
        ("underscore.tsv", "run.csv"),
    ],
)
def test_grades_that_are_called_score(write, value_of, truth, run):
    write(
        beir__tsv=BEIR,
        underscore__tsv=BEIR.replace("-", "_"),
        run__txt=BEIR_TREC,
        run__csv=BEIR_CSV,
    )
    values = value_of(truth, run, "-m", "nDCG@10")
    assert values == {"run": pytest.approx((OF_Q1 + OF_Q2) / 2, rel=1e-12)}


def test_init_names_the_columns_of_grades_that_are_called_score(write, score, value_of, tmp_path):
    write(beir__tsv=BEIR, run__txt=BEIR_TREC)
    assert score("init", "--from", "beir.tsv", "run.txt", "made").code == 0
    written = (tmp_path / "made" / "challenge.yaml").read_text()
    assert "columns: {list: query-id, item: corpus-id, grade: score}" in written
    values = value_of("made", "run.txt", "-m", "nDCG@10")
    assert values == {"run": pytest.approx((OF_Q1 + OF_Q2) / 2, rel=1e-12)}


# the same verdicts whichever file stands first on the command line
QRELS = "1 0 a 1\n1 0 b 0\n"
GOOD = "1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n"
OTHERS = {
    "comma": ("1 Q0 b 1 2,5 x\n1 Q0 a 2 1,5 x\n", ["S504", "S504"]),
    "nan": ("1 Q0 a 1 nan x\n1 Q0 b 2 0.2 x\n", ["S502"]),
    "empty": ("", ["S102"]),
    "blanks": ("  1 Q0 b 1 2 x\n  1 Q0 a 2 1 x\n", 0.5),
    "tag": ("1 Q0 b 1 2 my run\n1 Q0 a 2 1 my run\n", 0.5),
    "anserini": ("1 Q0 a 1 2 bm25(k1=0.9,b=0.4)\n1 Q0 b 2 1 bm25(k1=0.9,b=0.4)\n", 1.0),
}


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("name", OTHERS)
def test_the_order_of_the_files_changes_no_verdict(write, value_of, name, first):
    text, verdict = OTHERS[name]
    write(qrels__txt=QRELS, good__txt=GOOD, **{f"{name}__txt": text})
    files = [f"{name}.txt", "good.txt"] if first else ["good.txt", f"{name}.txt"]
    assert value_of("qrels.txt", *files, "-m", "RR") == {"good": 1.0, name: verdict}


@pytest.mark.parametrize("comma_at", [0, 1, 30])
def test_a_comma_in_an_id_of_a_run(write, value_of, comma_at):
    names = [f"Report,_{n}" if n == comma_at else f"Page_{n}" for n in range(60)]
    qrels = "".join(f"{n} 0 {name} 1\n" for n, name in enumerate(names))
    run = "".join(f"{n} Q0 {name} 1 2.5 tag\n" for n, name in enumerate(names))
    write(qrels__txt=qrels, other__txt=qrels.replace(",", "_"), run__txt=run)
    assert value_of("qrels.txt", "run.txt", "-m", "AP") == {"run": 1.0}
    assert value_of("other.txt", "run.txt", "-m", "AP") == {"run": pytest.approx(59 / 60)}


RUN = "q1 Q0 a 1 3.0{tag}\nq1 Q0 b 2 2.0{tag}\nq2 Q0 c 1 1.0{tag}\n"


@pytest.mark.parametrize("tag", [" ours", " my run", "\tSTANDARD more junk at the end", " x y z"])
def test_a_run_is_read_by_its_first_six_fields(write, score, value_of, tag):
    write(qrels="q1 0 a 1\nq1 0 b 0\nq2 0 c 1\n", tag__run=RUN.format(tag=tag))
    write(plain__run=RUN.format(tag=" ours"))
    assert value_of("qrels", "tag.run", "-m", "AP") == {"tag": 1.0}
    assert score("init", "--from", "qrels", "plain.run", "made").code == 0
    assert value_of("made", "tag.run", "-m", "AP") == {"tag": 1.0}


@pytest.mark.parametrize("end", [" ", " more junk", "\tfuture\tx"])
def test_further_fields_of_some_lines_are_ignored(write, value_of, end):
    lines = RUN.format(tag=" ours").splitlines()
    write(qrels="q1 0 a 1\nq1 0 b 0\nq2 0 c 1\n", some__run="\n".join([lines[0] + end, *lines[1:]]))
    assert value_of("qrels", "some.run", "-m", "AP") == {"some": 1.0}


@pytest.fixture
def classes(write, score):
    """A folder `made` with a challenge of three rows with classes."""
    write(truth__csv="id,label\n1,a\n2,b\n3,a\n", sample__csv="id,label\n1,a\n2,a\n3,a\n")
    assert score("init", "--from", "truth.csv", "sample.csv", "made").code == 0


@pytest.mark.parametrize("empty", [",\n,\n", ",\n", ",,\n", " , \n", ",\n" * 50])
def test_rows_without_any_cell_are_no_rows(classes, write, score, value_of, tmp_path, empty):
    width = empty.split("\n")[0].count(",")
    rows = [["id", "label", "note"], ["1", "a", ""], ["2", "b", ""], ["3", "a", ""]]
    text = "".join(f"{','.join(row[: width + 1])}\n" for row in rows)
    write(s__csv=text + empty)
    assert value_of("made", "s.csv", "-m", "Accuracy") == {"s": 1.0}
    ran = score("check", "made", "s.csv").assert_exit(0)
    assert "S522" not in ran.out
    assert "S309" not in ran.out
    ran = score("check", "made", "s.csv", "--fix")
    assert "duplicate" not in ran.err


def test_a_repaired_file_has_no_rows_without_any_cell(classes, write, score, tmp_path):
    write(s__csv="id;label\n1;a\n2;b\n3;a\n;\n;\n")
    ran = score("check", "made", "s.csv", "--fix").assert_exit(0)
    assert "duplicate" not in ran.err
    assert (tmp_path / "s.fixed.csv").read_bytes() == b"id,label\n1,a\n2,b\n3,a\n"


def test_lines_that_end_in_cr_alone_are_converted(classes, write, score, tmp_path):
    write(mac__csv="id,label\r1,a\r2,b\r3,a\r")
    score("check", "made", "mac.csv", "--fix").assert_exit(0)
    assert (tmp_path / "mac.fixed.csv").read_bytes() == b"id,label\n1,a\n2,b\n3,a\n"


def test_a_workbook_of_one_sheet_is_converted(classes, score, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    workbook = openpyxl.Workbook()
    for row in (["id", "label"], [1, "a"], [2, "b"], [3, "a"]):
        workbook.active.append(row)
    workbook.save(tmp_path / "s.xlsx")
    score("check", "made", "s.xlsx", "--fix").assert_exit(0)
    assert (tmp_path / "s.fixed.csv").read_bytes() == b"id,label\n1,a\n2,b\n3,a\n"


RUN_OF_GRADES = (
    "q1 Q0 c 1 1.5 x\nq1 Q0 a 2 1.0 x\nq1 Q0 b 3 0.0 x\n"
    "q2 Q0 a 1 1.5 x\nq2 Q0 c 2 0.5 x\nq2 Q0 b 3 0.2 x\n"
)


def test_whole_grades_with_a_point(write, value_of):
    write(
        point__txt="q1 0 a 1.0\nq1 0 b 2.0\n", run__txt=RUN_OF_GRADES[: RUN_OF_GRADES.index("q2")]
    )
    expected = (1 / math.log2(3) + 1) / (2 + 1 / math.log2(3))
    assert value_of("point.txt", "run.txt", "-m", "nDCG") == {"run": pytest.approx(expected)}


def test_grades_that_are_not_whole(write, value_of):
    grades = "q1 0 a 0.2\nq1 0 b 1.5\nq1 0 c 0\nq2 0 b 2.5\nq2 0 c 1\n"
    write(qrels__txt=grades, run__txt=RUN_OF_GRADES)
    third = 1 / math.log2(3)
    of_lists = [(0.2 * third + 1.5 / 2) / (1.5 + 0.2 * third), (third + 2.5 / 2) / (2.5 + third)]
    expected = sum(of_lists) / 2  # 0.5698, as of the same grades in a CSV
    assert value_of("qrels.txt", "run.txt", "-m", "nDCG") == {
        "run": pytest.approx(expected, rel=1e-12)
    }


def test_judgments_of_three_columns_say_which_is_missing(write, score):
    write(three__txt="q1 a 1\nq1 b 2\n", run__txt=RUN_OF_GRADES)
    ran = score("three.txt", "run.txt", "-m", "nDCG").assert_exit(2)
    assert "C106" not in ran.err
    assert "3 columns" in ran.err
    assert "topic, iteration, document, grade" in ran.err
