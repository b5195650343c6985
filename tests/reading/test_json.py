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
LABELLED = Schema(("list", "label"))
BIOASQ = (("list", "questions[].id"), ("item", "questions[].documents[]"))


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


def test_items_of_nested_arrays(tmp_path):
    text = """{"questions": [
        {"id": "q1", "documents": ["d2",
            "d1"], "body": {"more": [1]}},
        {"documents": [], "id": "q2"},
        {"documents": ["d3"], "id": "q3"}], "tag": "me"}
    """
    found, said = reading(tmp_path, text, BIOASQ)
    rows = [(2, "q1", "d2"), (3, "q1", "d1"), (5, "q3", "d3")]
    assert (found, said) == ((rows, (("q2", 4),)), [])


@pytest.mark.parametrize(
    ("text", "shape", "rows"),
    [
        ('{"u1": ["b", 7], "u2": ["c"]}', RANKED, [("u1", "b"), ("u1", "7"), ("u2", "c")]),
        ('{"q": {"d1": 0.5, "d2": 2e1}}', RANKED, [("q", "d1", 0.5), ("q", "d2", 20.0)]),
        ('{"7": "yes", "8": "no"}', LABELLED, [("7", "yes"), ("8", "no")]),
        ('[{"label": true, "list": 1, "x": []}]', LABELLED, [("1", "true")]),
    ],
)
def test_documents_of_a_plain_form(text, shape, rows, tmp_path):
    found, said = reading(tmp_path, text, schema=shape)
    assert ([row[1:] for row in found[0]], said) == (rows, [])


def test_objects_with_several_cells(tmp_path):
    paths = (("list", "*"), ("item", "*[].doc.id"), ("score", "*[].p"))
    text = '{"q1": [{"doc": {"id": "a"}, "p": 1},\n {"p": "x", "doc": {"id": "b"}}]}'
    found, said = reading(tmp_path, text, paths)
    assert [row[:3] for row in found[0]] == [(1, "q1", "a"), (2, "q1", "b")]
    assert said == ["S501 2:8 score 'x' is not a number in plain decimal notation"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"question": []}', "S207 1:1 no 'questions' here; found: 'question'; rename 'question'?"),
        ('{"questions": {}}', "S207 1:15 expected an array here"),
        ('{"questions": [{"id": 1}]}', "S207 1:16 'documents' is missing here"),
        (
            '{"questions": [\n{"id": [1], "documents": []}]}',
            "S207 2:8 an array where the list is expected",
        ),
        ('{"questions": [{"id": 1, "id": 2}]}', "S207 1:26 the key 'id' is given twice"),
        ('{"questions": [[1 2]]}', "S207 1:19 not JSON: expected a comma or ]"),
        ('{"questions": [', "S207 1:15 not JSON: it ends early"),
        ("[" * 500, "S207 1:1 expected an object with 'questions'"),
        ('{"questions": ' + "[" * 500, "S207 1:114 the values are nested too deeply"),
        ('{"questions": [{"id": NaN}]}', "S207 1:23 not JSON: 'N' is no value"),
        ('{"questions": [{"id": -Infinity}]}', "S207 1:23 not JSON: '-' is no value"),
        ('{"questions": [{"id": 01}]}', "S207 1:24 not JSON: expected a comma or }"),
        ('{"questions": [{"id": 1,}]}', "S207 1:25 not JSON: expected a key in quotes"),
        ('{"questions": [{"id" 1}]}', "S207 1:22 not JSON: expected a colon after the key"),
        ('{"questions": []} []', "S207 1:19 not JSON: something follows the document"),
        ('{"questions": [], "x": "a\tb"}', "S207 1:26 not JSON: invalid control character at"),
        ('{"questions": [], "x": ["", "\\q"]}', "S207 1:30 not JSON: invalid \\escape"),
        ('{"x": [1, "\\ud83d"]}', "S207 1:11 a text holds a NUL, or half a character"),
        ('{"x": {"\\u0000": 1}}', "S207 1:8 a text holds a NUL, or half a character"),
        ("  ", "S102 None:None the file holds nothing but blank lines"),
    ],
)
def test_documents_that_are_not_what_they_should_be(text, said, tmp_path):
    found, told = reading(tmp_path, text, BIOASQ)
    assert (found, told) == (None, [said])


@pytest.mark.parametrize(
    ("early", "said"),
    [
        ('{"id": 2, "documents": ["a", ["b"]]}', "3:30 an array where the item is expected"),
        ('{"id": {}, "documents": ["a"]}', "3:8 an object where the list is expected"),
        ('{"documents": ["a"]}', "3:1 'id' is missing here"),
        ("7", "3:1 expected an object with 'id'"),
    ],
)
def test_the_first_fault_is_told_wherever_it_is(early, said, tmp_path):
    """Rows are found column by column, and level by level."""
    good, late = '{"id": 1, "documents": ["a"]}', '{"id": [], "documents": {}}'
    text = f'{{"questions": [\n{good},\n{early},\n{late},\n7]}}'
    assert reading(tmp_path, text, BIOASQ) == (None, [f"S207 {said}"])


def test_escapes_that_look_like_half_characters(tmp_path):
    text = '{"q": ["\\ud83d\\ude00", "\\\\ud83d", "\\\\u0000"]}'
    found, said = reading(tmp_path, text)
    assert ([row[2] for row in found[0]], said) == (["\U0001f600", "\\ud83d", "\\u0000"], [])


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


def test_a_list_that_is_given_twice(tmp_path):
    text = '{"questions": [{"id": 1, "documents": ["a", "b"]},\n{"id": 1, "documents": ["c"]}]}'
    found, said = reading(tmp_path, text, BIOASQ)
    assert [row[2] for row in found[0]] == ["a", "b"]
    assert said == ["S303 2:8 list '1' appears in two separate places (first on line 1)"]


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
