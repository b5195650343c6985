"""Inputs of every text format with all that is found in them, read in both ways.

A page of cases/ is of the format whose name it has, but for layouts.yaml, whose files are CSV or
say what they are. A cell that holds no number is `null` in `rows`; no `rows` at all: there is no
table.
"""

import gzip
from pathlib import Path

import pytest
import yaml
from problems import written

from scorer.core.codes import codes
from scorer.core.problems import Findings
from scorer.reading.formats import find_format
from scorer.reading.layout import Layout, RowKeysFile, WideColumns
from scorer.reading.limits import ReadLimits
from scorer.reading.read import read_file
from scorer.reading.schema import Schema

CASES = Path(__file__).with_name("cases")
RANKED = Schema(("list", "item"), ("rank", "score", "tag"))


def cases():
    for page in sorted(CASES.glob("*.yaml")):
        for case in yaml.safe_load(page.read_text(encoding="utf-8")):
            format = "csv" if page.stem == "layouts" else page.stem
            yield pytest.param(format, case, id=f"{page.stem}: {case['name']}")


def schemas_of(case):
    columns = case.get("columns", {})
    shapes = [case[key] for key in ("wants", "or") if key in case]
    shapes = shapes or [(RANKED.required, RANKED.optional)]
    return [Schema(tuple(required), tuple(optional), columns) for required, optional in shapes]


def layout_of(case, folder):
    """The layout that a case declares, as a challenge would."""
    said = dict(case.get("layout", {}))
    for key in ("header", "comment"):
        said[key] = tuple(said.get(key, ()))
    for key in ("cells", "json"):
        said[key] = tuple(said.get(key, {}).items())
    if "wide" in said:
        ((role, patterns),) = said["wide"].items()
        said["wide"] = WideColumns(role, tuple(patterns))
    for key in {"lines", "candidates"} & said.keys():
        path = folder / "keys.csv"
        path.write_text(said[key]["file"])
        said[key] = RowKeysFile(path, None, tuple(said[key]["columns"].items()))
    return Layout(**said)


def write_case(case, folder, format):
    path = folder / case.get("file", f"table.{format}")
    data = case["text"].encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def read_case(format, case, folder, careful=False):
    """The table of a case, or None, and what is found."""
    path, findings, layout = write_case(case, folder, format), Findings(), layout_of(case, folder)
    name = case.get("format", None if "layout" in case and "file" in case else format)
    way = find_format(path, name, layout)
    if careful:
        way = way._replace(read_clean=None)
    table = read_file(path, way, schemas_of(case), findings, ReadLimits(), layout).table
    return table, findings


@pytest.mark.parametrize(("format", "case"), list(cases()))
def test_rows_and_problems_of(format, case, tmp_path):
    table, findings = read_case(format, case, tmp_path)
    assert sorted(written(findings)) == sorted(case.get("problems", []))
    messages = "\n".join(problem.message for problem in findings)
    for words in case.get("says", ()):
        assert words in messages
    if "rows" in case:
        rows = None if table is None else table.frame.drop("line").rows()
        assert case["rows"] == (
            rows and [[None if cell != cell else cell for cell in row] for row in rows]
        )
    if "lines" in case:
        assert table.frame["line"].to_list() == case["lines"]
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
    found = []
    for careful in (False, True):
        table, findings = read_case(format, case, tmp_path, careful)
        rows = None if table is None else repr((table.frame.rows(), table.empty_lists))
        found.append((rows, list(findings)))
    assert found[0] == found[1]
