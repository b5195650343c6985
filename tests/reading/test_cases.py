"""Inputs of every text format with all that is found in them, read in both ways."""

import gzip
from pathlib import Path

import pytest
import yaml
from problems import written

from scorer.core.codes import codes
from scorer.core.problems import Findings
from scorer.reading.formats import find_format
from scorer.reading.limits import ReadLimits
from scorer.reading.read import read_file
from scorer.reading.schema import Schema

CASES = Path(__file__).with_name("cases")
RANKED = Schema(("list", "item"), ("rank", "score", "tag"))


def cases():
    for page in sorted(CASES.glob("*.yaml")):
        for case in yaml.safe_load(page.read_text(encoding="utf-8")):
            yield pytest.param(page.stem, case, id=f"{page.stem}: {case['name']}")


def schemas_of(case):
    columns = case.get("columns", {})
    shapes = [case[key] for key in ("wants", "or") if key in case]
    shapes = shapes or [(RANKED.required, RANKED.optional)]
    return [Schema(tuple(required), tuple(optional), columns) for required, optional in shapes]


def write_case(case, folder, format):
    path = folder / case.get("file", f"table.{format}")
    data = case["text"].encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.mark.parametrize(("format", "case"), list(cases()))
def test_rows_and_problems_of(format, case, tmp_path):
    path, findings = write_case(case, tmp_path, format), Findings()
    table = read_file(
        path, find_format(path, format), schemas_of(case), findings, ReadLimits()
    ).table
    assert sorted(written(findings)) == sorted(case.get("problems", []))
    messages = "\n".join(problem.message for problem in findings)
    for words in case.get("says", ()):
        assert words in messages
    if "rows" in case:
        assert [list(row) for row in table.frame.drop("line").iter_rows()] == case["rows"]
    if "empty" in case:
        assert list(table.empty_lists.items()) == [tuple(entry) for entry in case["empty"]]


def test_every_code_that_is_found_has_its_page():
    said = [p for case in cases() for p in case.values[1].get("problems", ())]
    assert {problem.removeprefix("warning ")[:4] for problem in said} <= set(codes())
    only_warnings = {"S205", "S602"}
    assert {p[8:12] for p in said if p.startswith("warning ")} == {*only_warnings, "S504", "S601"}
    assert {codes()[code].severity for code in only_warnings} == {"warning"}


@pytest.mark.parametrize(("format", "case"), list(cases()))
def test_the_careful_way_gives_what_the_fast_one_gives(format, case, tmp_path):
    path = write_case(case, tmp_path, format)
    found = []
    fast = find_format(path, format)
    for way in (fast, fast._replace(read_clean=None)):
        findings = Findings()
        table = read_file(path, way, schemas_of(case), findings, ReadLimits()).table
        found.append((None if table is None else repr(table.frame.rows()), list(findings)))
    assert found[0] == found[1]
