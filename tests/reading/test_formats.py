"""Every format: what is found in a file, and the laws that hold for all."""

import csv
import gzip
import json
import struct
import time as clock
from datetime import date, datetime, time, timedelta
from typing import get_args

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from problems import written
from rounds import rounds

from scorer.challenge.types import FormatName
from scorer.core.problems import Findings
from scorer.reading.formats import SUFFIXES
from scorer.reading.limits import ReadLimits
from scorer.reading.numbers import DECIMAL, parse_number
from scorer.reading.read import read_file
from scorer.reading.schema import Schema
from scorer.reading.table import Table

RANKED = Schema(("list", "item"), ("rank", "score", "tag"))
FORMATS = [*SUFFIXES]
quick = rounds(25, suppress_health_check=[HealthCheck.function_scoped_fixture])
each = rounds(8, suppress_health_check=[HealthCheck.function_scoped_fixture])  # a process


def rows(table):
    return [list(row) for row in table.frame.drop("line").iter_rows()]


def lines(table):
    return table.frame["line"].to_list()


def reading(path, name=None, schemas=(RANKED,), limits=ReadLimits()):  # noqa: B008
    findings = Findings()
    return read_file(path, name, schemas, findings, limits).table, findings


def test_a_challenge_may_name_each_format():
    assert sorted(get_args(FormatName)) == FORMATS


def test_lines_are_known(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b'\xef\xbb\xbflist,item\r\n\r\n"q\r\n1",a\r\nq2,b')
    table, findings = reading(path)
    assert (lines(table), rows(table), len(findings)) == ([3, 5], [["q\n1", "a"], ["q2", "b"]], 0)


def test_a_run_is_recognised_below_blank_lines(tmp_path):
    path = tmp_path / "run"
    path.write_text("\n" * 300 + "q1 Q0 a 1 2.5 mine\n")
    table, findings = reading(path)
    assert (lines(table), len(findings)) == ([301], 0)


def test_a_key_of_very_many_is_given_twice(tmp_path):
    path = tmp_path / "a.jsonl"
    keys = ", ".join(f'"key {n}": 1' for n in range(50_000))
    path.write_text(f'{{"list": "q1", "item": "a", {keys}, "key 49999": 2}}\n')
    start = clock.process_time()
    _, findings = reading(path)
    assert clock.process_time() - start < 5
    [problem] = findings
    column = len(f'{{"list": "q1", "item": "a", {keys}, ') + 1
    assert (problem.code, problem.line, problem.column) == ("S207", 1, column)


def test_a_field_may_be_as_long_as_a_line_and_csv_is_left_as_it_was(tmp_path):
    before = csv.field_size_limit()
    path, long = tmp_path / "a.csv", "x" * (before + 1)
    path.write_text(f'list,item\n"{long}",{long}\n')
    table, findings = reading(path)
    assert (rows(table), len(findings)) == ([[long, long]], 0)
    table, findings = reading(path, limits=ReadLimits(line=before))
    assert (table, written(findings), csv.field_size_limit()) == (None, ["S109 2"], before)


def test_problems_name_list_and_item(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("list,item,score\nq1,a,x\n")
    (problem,) = reading(path)[1]
    assert (problem.list, problem.item) == ("q1", "a")


@pytest.mark.slow("reads many or large files")
def test_findings_are_counted_when_there_are_too_many(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("list,item,score\n" + "q1,a,x\n" * 10_050 + "q\n" * 10_050 + 'q,"a\n' * 10_050)
    _, findings = reading(path)
    assert findings.counts == {"S501": 10_050, "S207": 10_050, "S208": 10_050}
    assert len(findings) == 30_000


@pytest.mark.parametrize(
    ("name", "text", "limits", "expected"),
    [
        ("a.csv", "list,item\na,b\na,c\n", ReadLimits(rows=1), "S104 3"),
        ("a.csv", 'list,item\na,"b\n' + "x\n" * 10_001 + '"\n', ReadLimits(), "S208 2:3"),
        ("a.csv", 'list,item\na,"' + "xxxxxxxxx\n" * 20 + '"\n', ReadLimits(line=50), "S208 2:3"),
        ("a.run", "1 0 a 1 1 t\n1 0 b 1 1 t\n", ReadLimits(rows=1), "S104 2"),
        ("a.lists", "1: a\n2: b, c\n", ReadLimits(rows=2), "S104 2"),
        ("a.jsonl", '{"list": 1, "item": 2}\n' * 2, ReadLimits(rows=1), "S104 2"),
        ("a.jsonl", '{"a":' * 10_000, ReadLimits(), "S207 1:1"),
        ("a.jsonl", "[" * 100_000, ReadLimits(), "S207 1:1"),
    ],
)
def test_limits(name, text, limits, expected, tmp_path):
    path = tmp_path / name
    path.write_text(text)
    assert expected in written(reading(path, limits=limits)[1])


def test_a_decimal_is_found_in_linear_time():
    assert parse_number("1" * 10**6 + "x").code == "S501"
    assert not DECIMAL.fullmatch("1" * 10**6 + "." + "1" * 10**6 + "e")


def parquet(path, data, **options):
    pl.DataFrame(data, **options).write_parquet(path)
    return path


def test_parquet_ids_become_text_and_cells_have_lines(tmp_path):
    path = parquet(
        tmp_path / "a.parquet",
        {
            "list": [7, 7, 8, None],
            "item": [1.0, 2.5, 3.0, 4.0],
            "score": [1.5, None, float("nan"), float("inf")],
            "notes": [[1], [2], [3], [4]],
        },
    )
    table, findings = reading(path)
    assert written(findings) == ["warning S205", "S506 2", "S502 3", "S503 4"]
    assert table.frame["list"].to_list() == ["7", "7", "8", ""]
    assert table.frame["item"].to_list() == ["1.0", "2.5", "3.0", "4.0"]
    assert lines(table) == [1, 2, 3, 4]
    assert table.frame["score"][0] == 1.5


@pytest.mark.slow("reads many or large files", beyond=1)
@pytest.mark.parametrize(
    ("data", "problems"),
    [
        ({"list": ["a"], "item": [[1]]}, ["S207"]),
        ({"list": ["a"], "item": [b"\xff"]}, ["S207"]),
        ({"list": ["a"], "itme": ["b"]}, ["S201"]),
        ({"list": ["a"], "item": ["b"], "score": ["0.5"]}, []),
        ({"list": ["a"], "item": ["b"], "pred": [0.5]}, ["S201", "warning S205"]),
        ({"list": ["a"], "item": ["b"], "note": ["x"]}, ["warning S205"]),
        ({"list": ["a"], "item": ["b"], "score": ["x"]}, ["S501 1"]),
        ({"list": ["a"], "item": ["b"], "score": [None]}, ["S506 1"]),
        ({"list": [True], "item": [False]}, []),
        *(
            ({"list": ["a"], "item": ["b"], "score": [value]}, ["S207"])
            for value in (True, date(2026, 1, 2), datetime(2026, 1, 2), time(1), timedelta(1))
        ),
        ({"list": ["a"], "item": [timedelta(1)]}, ["S207"]),
        ({"list": ["a", "a"], "item": ["b", "x" * 1001]}, ["S109 2"]),
        ({"list": ["a"] * 101, "item": ["b"] * 101}, ["S104"]),
        ({"list": [], "item": []}, []),
    ],
)
def test_parquet_problems(data, problems, tmp_path):
    limits = ReadLimits(rows=100, line=1000)
    assert written(reading(parquet(tmp_path / "a.parquet", data), limits=limits)[1]) == problems


MOMENTS = ["2026-01-02 03:04:05.000000", "2026-01-02 02:04:05.000000+00:00", "2026-01-02"]


@pytest.mark.slow("reads many or large files")
def test_moments_that_are_ids_are_given_in_utc_whatever_unit_they_are_written_in(tmp_path):
    moment = datetime(2026, 1, 2, 3, 4, 5)
    for unit in ("ms", "us", "ns"):
        plain = pl.Series([moment], dtype=pl.Datetime(unit))
        zoned = pl.Series([moment], dtype=pl.Datetime(unit)).dt.replace_time_zone("Europe/Berlin")
        for column, text in zip((plain, zoned, plain.dt.date()), MOMENTS, strict=True):
            rows = {"list": ["a"], "item": column}
            table, _ = reading(parquet(tmp_path / "a.parquet", rows))
            assert table.frame["item"].to_list() == [text], unit


@pytest.mark.slow("reads many or large files")
def test_parquet_that_unpacks_to_too_much(tmp_path):
    path = parquet(tmp_path / "a.parquet", {"list": ["x" * 1000] * 40_000, "item": "b"})
    assert written(reading(path)[1]) == ["S104"]


@pytest.mark.slow("reads many or large files")
def test_parquet_that_says_itself_that_it_is_too_large(tmp_path):
    data = {"list": ["x" * 900_000] * 40, "item": "b", "notes": "c"}
    path = tmp_path / "a.parquet"
    pl.DataFrame(data).with_columns(
        pl.col("list") + pl.int_range(40).cast(pl.String)
    ).write_parquet(path, compression="zstd", statistics=False)
    table, findings = reading(path)
    assert (table, written(findings)) == (None, ["S104", "warning S205"])


def test_parquet_compressed_once_more(tmp_path):
    plain = parquet(tmp_path / "a.parquet", {"list": ["q"], "item": ["a"]})
    packed = tmp_path / "a.parquet.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    table, findings = reading(packed)
    assert (rows(table), written(findings)) == ([["q", "a"]], [])


@pytest.mark.slow("damages a file at many places", beyond=1)
@pytest.mark.parametrize("data", [b"PAR1", b"PAR1" + b"x" * 100, b"PAR1" * 10, b"PAR1\0\0\0\0PAR1"])
def test_damaged_parquet(data, tmp_path):
    path = tmp_path / "a.parquet"
    path.write_bytes(data)
    assert written(reading(path)[1]) == ["S108"]


@pytest.mark.slow("damages a file at many places", beyond=1)
@pytest.mark.parametrize(
    "footer",
    [  # in Thrift's compact protocol
        b"\x19\xf7" + b"\xff" * 8 + b"\x7f\0",  # a list of 2**60 doubles
        b"\x19\xfc" + b"\xff\xff\xff\x07" + b"\0" * 100,  # one of empty structs
    ],
)
def test_a_footer_that_promises_everything_is_damage(footer, tmp_path):
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1" + footer + struct.pack("<I", len(footer)) + b"PAR1")
    start = clock.process_time()
    assert written(reading(path)[1]) == ["S108"]
    assert clock.process_time() - start < 2


@pytest.mark.slow("reads many or large files")
def test_categories_are_measured_before_they_become_text(tmp_path):
    """A file of some kB whose 20,000 cells are 2 GB as text."""
    texts = [f"{n}" * 100_000 for n in range(10)]
    cells = pl.Series(texts).gather(np.arange(20_000) % 10).cast(pl.Categorical)
    path = tmp_path / "a.parquet"
    pl.DataFrame({"list": cells.to_physical(), "item": cells}).write_parquet(path)
    assert path.stat().st_size < 100_000
    table, findings = reading(path)
    assert (table, written(findings)) == (None, ["S104"])
    few = pl.DataFrame({"list": ["q", "q"], "item": cells[:2]})
    few.write_parquet(path)
    assert rows(reading(path)[0]) == [["q", texts[0]], ["q", texts[1]]]


def test_text_as_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    path.write_text("list,item\n")
    assert written(reading(path)[1]) == ["S107"]


# Laws

line_like = st.text(alphabet=st.sampled_from('abq109.,;:"\t \r\n#{}[]-eéx\0'), max_size=200)
json_like = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=5,
)
object_like = st.lists(
    st.dictionaries(st.sampled_from(["list", "item", "score", "x"]), json_like), max_size=4
).map(lambda rows: "\n".join(map(json.dumps, rows)))
headed = line_like.map(lambda text: "list,item,score\n" + text)
any_bytes = st.binary(max_size=200) | (line_like | object_like | headed).map(str.encode)


@quick
@given(data=any_bytes, squeezed=st.booleans(), cut=st.integers(0, 20))
@pytest.mark.parametrize("format", FORMATS)
def test_any_bytes_give_a_table_or_problems(format, data, squeezed, cut, tmp_path):
    path = tmp_path / "file"
    if squeezed:
        data = gzip.compress(data)
        data = data[: len(data) - cut]
    path.write_bytes(data)
    for schema in (RANKED, Schema(("list", "item"), ("grade", "subtopic"))):
        table, findings = reading(path, format, (schema,))
        assert table is not None or findings.fatal
        if table is not None:
            numbers = table.frame.select(pl.selectors.float())
            assert findings.fatal or all(column.is_finite().all() for column in numbers)
            assert not any(column.null_count() for column in table.frame)


ids = st.text(
    alphabet=st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from(' ,"\t'),
    min_size=1,
    max_size=6,
)
plain = st.text(alphabet="abcé019._-", min_size=1, max_size=5)
numbers = st.floats(allow_nan=False, allow_infinity=False)


def quoted(cell):
    return '"' + cell.replace('"', '""') + '"'


def same(table: Table, expected) -> bool:
    return rows(table) == [[*row] for row in expected]


@quick
@given(table=st.lists(st.tuples(ids, ids, numbers), max_size=8))
def test_a_table_is_the_same_however_it_is_written(table, tmp_path):
    lines = ["list,item,score"]
    lines += [f"{quoted(a)},{quoted(b)},{c!r}" for a, b, c in table]
    text = "\n".join(lines) + "\n"
    texts = {
        "a.csv": text.encode(),
        "bom.csv": b"\xef\xbb\xbf" + text.encode(),
        "crlf.csv": text.replace("\n", "\r\n").encode(),
        "blank.csv": text.replace("\n", "\n\n \t\n").encode(),
        "short.csv": text.removesuffix("\n").encode(),
        "spaced.csv": "\n".join(line.replace('","', '",  "') for line in lines).encode()
        if not any('"' in a + b or "," in a + b for a, b, _ in table)
        else text.encode(),
        "a.csv.gz": gzip.compress(text[:9].encode()) + gzip.compress(text[9:].encode()),
        "a.tsv": "\n".join(
            ["list\titem\tscore", *(f"{quoted(a)}\t{quoted(b)}\t{c!r}" for a, b, c in table)]
        ).encode(),
    }
    if table:
        texts["a.jsonl"] = "".join(
            json.dumps({"score": c, "list": a, "item": b}) + "\n" for a, b, c in table
        ).encode()
    for name, data in texts.items():
        (tmp_path / name).write_bytes(data)
    for name in texts:
        found, findings = reading(tmp_path / name)
        assert written(findings) == [], name
        assert same(found, table), name


@quick
@given(table=st.lists(st.tuples(plain, plain, numbers), min_size=1, max_size=8))
def test_plain_ids_need_no_quotes(table, tmp_path):
    (tmp_path / "a.csv").write_text(
        "list,item,score\n" + "".join(f"{a} ,\t{b}, {c!r}\n" for a, b, c in table), encoding="utf-8"
    )
    (tmp_path / "a.run").write_text(
        "".join(f"{a}\tQ0  {b} 1 {c!r} tag\n" for a, b, c in table), encoding="utf-8"
    )
    for name in ("a.csv", "a.run"):
        found, findings = reading(tmp_path / name)
        assert written(findings) == []
        ranked = [(a, b, 1.0, c) for a, b, c in table]
        assert same(found, table if name == "a.csv" else ranked)


@pytest.mark.slow("reads many or large files")
@each
@given(table=st.lists(st.tuples(ids, ids, numbers), max_size=8))
def test_a_table_is_the_same_in_parquet(table, tmp_path):
    path = parquet(
        tmp_path / "a.parquet",
        table,
        schema=["list", "item", "score"],
        orient="row",
        schema_overrides={"list": pl.String, "item": pl.String, "score": pl.Float64},
    )
    found, findings = reading(path)
    assert written(findings) == []
    assert same(found, table)
