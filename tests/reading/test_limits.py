"""Limits on what is read."""

import polars as pl
import pytest
from problems import written

from scorer.core.problems import Findings
from scorer.reading.layout import Layout, WideColumns
from scorer.reading.limits import ReadLimits, accept_rows
from scorer.reading.read import read_file
from scorer.reading.schema import Schema


def test_rows_beyond_32_bits_are_counted():
    lines, counts = pl.Series([1, 2]), pl.Series([2**31, 2**31], dtype=pl.UInt32)
    findings = Findings()
    assert accept_rows(lines, ReadLimits(), findings, counts) == 0
    (problem,) = findings
    assert (problem.line, problem.message[:25]) == (1, "more than 20,000,000 rows")
    assert accept_rows(lines, ReadLimits(rows=2**32), findings, counts) == 2
    assert len(findings) == 1


PLAIN, WIDE = Layout(), Layout(wide=WideColumns("item", ("*",)))
SCORED = Schema(("list", "item"), ("score",))


@pytest.mark.parametrize(
    ("name", "text", "layout", "problems", "rows"),
    [
        ("a.csv", "list,item,score\na,b,x\na,c,1\na,d,y\n", PLAIN, ["S104 4", "S501 2:5"], 2),
        ("a.csv", 'list,item,score\n"a",b,x\na,c,1\na,d,y\n', PLAIN, ["S104 4", "S501 2:7"], 2),
        ("a.jsonl", '{"list": 1, "item": 2, "score": "x"}\n' * 3, PLAIN,
         ["S104 3", "S501 1:33", "S501 2:33"], 2),
        ("a.run", "1 0 a 1 x t\n1 0 b 1 1 t\n1 0 c 1 y t\n", PLAIN, ["S104 3", "S501 1:9"], 2),
        ("a.csv", "list,i,j\na,x,2\nb,1,y\n", WIDE, ["S104 3", "S501 2:3"], 2),
        ("a.csv", "list,item,score\na,b,x\nb,c d,1 2\n",
         Layout(cells=(("item", " "), ("score", " "))), ["S104 3", "S501 2:5"], 1),
        ("a.lists", "1: a\n2 b\n3: b, c\n", PLAIN, ["S104 3", "S207 2"], 1),
    ],
)  # fmt: skip
def test_what_is_wrong_in_the_accepted_rows_is_told_beside_too_many(
    name, text, layout, problems, rows, tmp_path
):
    (tmp_path / name).write_text(text)
    findings = Findings()
    table = read_file(tmp_path / name, None, [SCORED], findings, ReadLimits(rows=2), layout).table
    assert (sorted(written(findings)), len(table)) == (problems, rows)


def test_what_is_wrong_in_the_accepted_rows_of_a_parquet_file_is_told_beside_too_many(tmp_path):
    path, findings = tmp_path / "a.parquet", Findings()
    scores = [1.0, None, None]
    pl.DataFrame({"list": ["a"] * 3, "item": list("bcd"), "score": scores}).write_parquet(path)
    table = read_file(path, None, [SCORED], findings, ReadLimits(rows=2)).table
    assert (sorted(written(findings)), len(table)) == (["S104", "S506 2"], 2)


def test_what_is_checked_is_told_beside_too_many_rows(score, challenge):
    rules = "truth: t.csv\nmetrics: [P@1]\nsubmission: {limits: {rows: 2}}\n"
    sent = "list,item\nq1,a\nq9,a\nq2,a\n"
    folder = challenge(rules, **{"t.csv": "list,item\nq1,a\nq2,a\n", "mine.csv": sent})
    ran = score("check", folder, folder / "mine.csv").assert_exit(1)
    for words in (
        "mine.csv:4: error[S104] more than 2 rows, which is what is accepted here",
        "mine.csv:3:1: error[S302] list 'q9' is not in this challenge",
        "error[S301] 1 of 2 lists is missing: 'q2' (or are in lines that could not be read)",
    ):
        assert words in ran.told
