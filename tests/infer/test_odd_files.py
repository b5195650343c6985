"""Truths and submissions without a challenge.yaml that are wrong in some place.

Most of its lines say what a file is, and its reader says what is wrong in it and where, whether it
stands alone or beside others.
"""

import gzip
import json

import pytest
from tables import rows

QRELS = "".join(f"{topic} 0 d{n} {n % 3}\n" for topic in ("051", "052") for n in range(3))
RUN = "".join(f"{t} Q0 d{n} {n + 1} {9 - n}.5 r\n" for t in ("051", "052") for n in range(3))
TABLE = "topic,doc,grade\n051,d1,1\n052,d2,2\n"
SENT = "topic,doc,score\n051,d1,0.5\n052,d1,0.25\n052,d2,0.75\n"
OBJECTS = "".join(f'{{"list": "q{n}", "item": "d", "grade": 1}}\n' for n in range(4))
LISTS = "q1: a, b\nq2: a, c\nq3: b, c\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path.name


@pytest.mark.parametrize(
    ("file", "content", "says"),
    [
        *rows(__file__, "what_is_wrong_with_a_truth_is_said_where_it_stands"),
        ("q.txt", f"{QRELS}051 0 d\xe9 1\n".encode("latin-1"), "q.txt:7:8: error[T105] byte 0xE9"),
        (
            "q.txt.gz",
            gzip.compress(QRELS.encode(), mtime=0)[:-9],
            "q.txt.gz: error[T108] the compressed",
        ),
        ("q.txt", QRELS.encode("utf-16"), "q.txt:1:1: error[T105] byte 0xFF is not UTF-8"),
    ],
    ids=[f"odd truth {n}" for n in range(17)],
)
def test_what_is_wrong_with_a_truth_is_said_where_it_stands(score, folder, file, content, says):
    write(folder / "run.txt", RUN)
    ran = score(write(folder / file, content), "run.txt", "-m", "AP")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines()[0].removeprefix("error: ").startswith(says)


ODD_RUNS = {
    "empty": ("", "S102"),
    "blank": ("\n\n", "S102"),
    "in UTF-16": (RUN.encode("utf-16"), "S105"),
    "in UTF-16 without a mark": (RUN.encode("utf-16-le"), "S105"),
    "in Windows-1252": (RUN.replace("d2", "d\xe9").encode("latin-1"), "S105"),
    "a page": ("<!DOCTYPE html>\n<html>\n", "S107"),
    "a pointer": ("version https://git-lfs.github.com/spec/v1\noid sha256:aa\n", "S107"),
    "a pickle": (b"\x80\x04\x95abc", "S107"),
    "cut off while it was compressed": (gzip.compress(RUN.encode(), mtime=0)[:-9], "S108"),
    "cut off while it was written": (RUN[:-9], "S601"),
    "with a word for a score": (RUN.replace("8.5", "abc", 1), "S501"),
    "with a header": (f"topic Q0 doc rank score tag\n{RUN}", "S501"),
    "with a short line": (f"051 Q0 d9\n{RUN}", "S601"),
    "a letter": ("Dear all,\nhere is my run.\nBest\n", "S201"),
}


def outcomes(score, truth, *files):
    ran = score(truth, *files, "-m", "AP", "--format", "json", "-q")
    return ran.code, {each["name"]: each for each in json.loads(ran.out)["submissions"]}


@pytest.mark.parametrize("odd", ODD_RUNS)
@pytest.mark.parametrize("form", ["trec", "csv"])
def test_a_run_has_the_same_problems_alone_as_beside_others(score, folder, form, odd):
    content, code = ODD_RUNS[odd]
    truth, good = ("q.txt", QRELS), ("good.txt", RUN)
    if form == "csv":
        truth, good = ("q.csv", TABLE), ("good.csv", SENT)
    for file in (truth, good):
        write(folder / file[0], file[1])
    file = write(folder / "odd.txt", content)
    alone = outcomes(score, truth[0], file)
    before = outcomes(score, truth[0], file, good[0])
    after = outcomes(score, truth[0], good[0], file)
    assert [code for code, _ in (alone, before, after)] == [1, 1, 1]
    found = [each["odd"]["problems"] for _, each in (alone, before, after)]
    assert found[0] == found[1] == found[2]
    if form == "trec":
        assert code in {problem["code"] for problem in found[0]}
    assert before[1]["good"]["valid"]
    assert after[1]["good"]["valid"]
    assert before[1]["good"]["values"] == after[1]["good"]["values"]


def test_files_with_columns_of_the_truth_count_whatever_stands_before_them(score, folder):
    write(folder / "q.csv", TABLE)
    write(folder / "good.csv", SENT)
    write(folder / "other.csv", "a,b,c\n1,2,3\n2,3,4\n")
    for files in (["other.csv", "good.csv"], ["good.csv", "other.csv"]):
        code, found = outcomes(score, "q.csv", *files)
        assert (code, found["good"]["valid"], found["other"]["valid"]) == (1, True, False)
