"""JSON documents: rows with the lines and characters of their values."""

import json
import random
import time

import pytest

from scorer.core.problems import Findings
from scorer.reading import json as json_format
from scorer.reading.layout import Layout
from scorer.reading.limits import ReadLimits
from scorer.reading.read import find_columns, read_file
from scorer.reading.schema import Schema

RANKED = Schema(("list", "item"), ("rank", "score"))


def reading(folder, text, paths=(), schema=RANKED):
    path = folder / "file.json"
    path.write_text(text)
    findings = Findings()
    layout = Layout(json=paths)
    table = read_file(path, "json", [schema], findings, ReadLimits(), layout).table
    said = [f"{p.code} {p.line}:{p.column} {p.message}" for p in findings]
    if table is None:
        return None, said
    return (table.frame.rows(), tuple(table.empty_lists.items())), said


@pytest.mark.parametrize("indent", [None, 1])
def test_each_cell_is_found_where_it_stands(indent, tmp_path):
    chance, unused = random.Random(1), [1, "x", [], {}, [[1], {"a": [2]}], {"b": {"c": "[{,:"}}]
    paths = (("list", "q[].id"), ("item", "q[].docs[].doc.id"), ("score", "q[].docs[].score"))
    path = tmp_path / "x.json"

    def members(**known):
        pairs = [*known.items(), *((f"x{n}", value) for n, value in enumerate(unused))]
        return dict(chance.sample(pairs, len(pairs)))

    for _ in range(30):
        docs = ([chance.randrange(10**6) for _ in range(chance.randrange(4))] for _ in range(3))
        questions = [
            members(
                id=f"q{n}", docs=[members(doc=members(id=f"é{d}"), score=str(d)) for d in numbers]
            )
            for n, numbers in enumerate(docs)
        ]
        path.write_text(json.dumps(members(q=questions), indent=indent), encoding="utf-8")
        lines = path.read_text(encoding="utf-8").split("\n")
        table = read_file(
            path, "json", [RANKED], Findings(), ReadLimits(), Layout(json=paths)
        ).table
        for row in table.frame.rows(named=True):
            score = f'"{row["item"][1:]}"'
            for role, text in (("item", json.dumps(row["item"])), ("score", score)):
                cells = table.find_cells(lines, row["line"], role)
                place = next(cell for cell in cells if json.dumps(cell.text) == text)
                assert lines[place.line - 1].startswith(text, place.column - 1)
            assert lines[row["line"] - 1].find(score) >= 0


def test_where_an_id_stands(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"q1": ["a",\n  "b"], "q2": ["b"]}')
    table = read_file(path, "json", [RANKED], Findings(), ReadLimits()).table
    cells = [(1, "item", "a"), (2, "item", "b"), (2, "list", "q1"), (2, "list", "q2")]
    assert find_columns(path, table.find_cells, cells, ReadLimits()) == [9, 3, None, 9]


@pytest.mark.parametrize(
    "text",
    [
        '{"s1": [' + "1," * 50_000 + "1]}",
        '{"s1": {' + ",".join(f'"{n}": 1' for n in range(50_000)) + "}}",
        '{"s1": [{"a": [' + "0," * 50_000 + "0]}]}",
        '{"x": [' + "0," * 50_000 + '0], "s1": [1]}',
    ],
    ids=["items", "scores", "deep", "unused"],
)
def test_documents_of_many_values_are_refused(text, tmp_path, monkeypatch):
    monkeypatch.setattr(json_format, "MOST_VALUES", 50_000)
    said = "S104 None:None more than 50,000 names and values in one document"
    assert reading(tmp_path, text)[1] == [said]


def test_marks_inside_texts_are_no_values(tmp_path, monkeypatch):
    monkeypatch.setattr(json_format, "MOST_VALUES", 10)
    text = '{"q:1": [\n"a' + ",[{:" * 5 + '", "b\\","]}'
    assert len(reading(tmp_path, text)[0][0]) == 2
    assert reading(tmp_path, text + ",,,,,,,,")[1][0].startswith("S104")


def test_a_document_has_a_hundred_levels(tmp_path):
    path = ("list", "*"), ("item", "*.id")
    deep = '{"q1": {"id": "a", "x": ' + "[" * 98 + "]" * 98 + "}}"
    assert [row[1:3] for row in reading(tmp_path, deep, path)[0][0]] == [("q1", "a")]
    said = "S207 1:123 the values are nested too deeply"
    assert reading(tmp_path, deep.replace("[]", "[[]]"), path) == (None, [said])


def test_a_document_that_is_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(json_format, "MOST_DOCUMENT", 20)
    assert reading(tmp_path, '{"q1": ["a", "b", "c"]}')[1][0].startswith("S104")


def test_problems_of_a_long_line_are_placed_in_linear_time(tmp_path):
    text = '{"q": {' + ",".join(f'"i{n}": "x"' for n in range(20_000)) + "}}"
    start = time.process_time()
    _, said = reading(tmp_path, text)
    assert len(said) == 10_000
    assert time.process_time() - start < 5


def test_the_lines_of_a_document_of_very_many(tmp_path):
    text = '{"q1": ["a"],' + "\n" * 20_000 + '"q2": ["b",\n"c"]}'
    found, said = reading(tmp_path, text)
    assert ([row[:3] for row in found[0]], said) == (
        [(1, "q1", "a"), (20_001, "q2", "b"), (20_002, "q2", "c")],
        [],
    )
