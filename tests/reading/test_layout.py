"""Files that are not plain: the same columns, lines and findings, whichever way reads them."""

import random
from pathlib import Path

import pytest

from scorer.core.problems import Findings
from scorer.reading.formats import find_format
from scorer.reading.layout import (
    Layout,
    RowKeysFile,
    WideColumns,
    locate_in_cell,
    match_wide_columns,
    split_cell,
)
from scorer.reading.limits import ReadLimits
from scorer.reading.read import find_columns, read_file
from scorer.reading.schema import Schema

RANKED = Schema(("list", "item"), ("rank", "score"))
RATED = Schema(("list", "item", "prediction"))
TARGETS = Schema(("list", "prediction"))


def reading(folder, data, layout, schema=RANKED, name="file.csv", format=None, clean=True):
    """The rows with their lines, the empty lists, and what is said."""
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    findings = Findings()
    found = find_format(path, format, layout)
    if not clean:
        found = found._replace(read_clean=None)
    table = read_file(path, found, [schema], findings, ReadLimits(), layout).table
    said = [f"{p.code} {p.line}:{p.column} {p.message}" for p in findings]
    if table is None:
        return None, said
    return (table.frame.rows(), tuple(table.empty_lists.items())), said


@pytest.fixture(params=["clean", "careful"])
def way(request):
    """Either way to read a file."""
    return request.param == "clean"


def keys(folder, rows, columns=(("list", "list"),)):
    path = Path(folder) / "keys.csv"
    path.write_text(rows)
    return RowKeysFile(path, None, columns)


@pytest.mark.parametrize("mark", [" ", ",", ";", "|"])
def test_cells_of_several_ids_are_rows_in_their_order(mark, way, tmp_path):
    cell = mark.join(["b", "a", "c"])
    quote = '"' if mark == "," else ""
    data = f"list,item\nu1,{quote}{cell}{quote}\nu2,x\n"
    found, said = reading(tmp_path, data, Layout(cells=(("item", mark),)), clean=way)
    rows = [(2, "u1", "b"), (2, "u1", "a"), (2, "u1", "c"), (3, "u2", "x")]
    assert (found, said) == ((rows, ()), [])


def test_the_last_column_takes_the_rest_where_its_ids_are_parted_like_columns(way, tmp_path):
    form = Layout(header=("list", "item"), comment=("team_info",), cells=(("item", ","),))
    data = "team_info,main,me,me@example.org\np1, t3, t1\np2,t2\n"
    found, said = reading(tmp_path, data, form, clean=way)
    assert (found, said) == (([(2, "p1", "t3"), (2, "p1", "t1"), (3, "p2", "t2")], ()), [])


def test_an_empty_cell_is_an_empty_list(way, tmp_path):
    found, said = reading(
        tmp_path, "list,item\nu1,\nu2,x y\n", Layout(cells=(("item", " "),)), clean=way
    )
    assert (found, said) == (([(3, "u2", "x"), (3, "u2", "y")], (("u1", 2),)), [])


def test_a_list_on_two_lines_is_told(way, tmp_path):
    data = "list,item\n" + "".join(f"u{n},a b c d e f g h\n" for n in range(20)) + "u3,z\n"
    _, said = reading(tmp_path, data, Layout(cells=(("item", " "),)), clean=way)
    assert len(said) == 1
    assert said[0].startswith("S303 22:None list")
    assert "first on line 5" in said[0]


def test_items_and_scores_in_cells_of_one_length(way, tmp_path):
    form = Layout(cells=(("item", " "), ("score", " ")))
    data = "list,item,score\nu1,a b,0.5 0.25\nu2,c,1 2\nu3,d e,1 x\n"
    found, said = reading(tmp_path, data, form, clean=way)
    assert [row for row in found[0] if row[1] == "u1"] == [
        (2, "u1", "a", 0.5),
        (2, "u1", "b", 0.25),
    ]
    assert said == [
        "S211 3:4 1 in 'item' and 2 in 'score'; each item has one of each",
        "S501 4:10 score 'x' is not a number in plain decimal notation",
    ]


@pytest.mark.parametrize(
    ("separator", "line"),
    [("tab", "u1\t a\t1"), ("whitespace", " u1  a\t1"), ("semicolon", "u1;a;1"), ("|", "u1|a|1")],
)
def test_columns_without_a_header(separator, line, way, tmp_path):
    form = Layout(header=("list", "item", "score"), separator=separator, skip=1)
    found, said = reading(tmp_path, f"# me\n{line}\n\n{line.replace('a', 'b')}\n", form, clean=way)
    assert (found, said) == (([(2, "u1", "a", 1.0), (4, "u1", "b", 1.0)], ()), [])


def test_a_header_where_none_belongs_is_told(tmp_path):
    form = Layout(header=("list", "item"))
    found, said = reading(tmp_path, "list,item\nu1,a\n", form)
    assert found is None
    assert said == ["S212 1:None the first line names the columns (list,item); it has none here"]


@pytest.mark.parametrize("separator", ["", "whitespace", "tab"])
def test_fields_too_few_and_too_many_have_their_line(separator, way, tmp_path):
    form = Layout(header=("list", "item", "score"), separator=separator)
    mark = {"": ",", "whitespace": "  ", "tab": "\t"}[separator]
    lines = ["u1|a|1", "u1|b", "u1|c|3|4", "u1|d|x"]
    _, said = reading(tmp_path, "\n".join(lines).replace("|", mark) + "\n", form, clean=way)
    assert [each.split(" ")[:2] for each in said] == [
        ["S207", "2:None"],
        ["S207", f"3:{5 + 3 * len(mark)}"],
        ["S501", f"4:{4 + 2 * len(mark)}"],
    ]


def test_comments_and_skipped_lines_keep_the_numbers_of_lines(way, tmp_path):
    data = "#1\n#2\nlist,item,score\nu1,a,1\n# u1,b,2\nu1,c,x\n"
    found, said = reading(tmp_path, data, Layout(skip=1, comment=("#",)), clean=way)
    assert [row[:3] for row in found[0]] == [(4, "u1", "a"), (6, "u1", "c")]
    assert said == ["S501 6:6 score 'x' is not a number in plain decimal notation"]


def test_comments_in_a_trec_run(way, tmp_path):
    data = "<SYSDESC>bm25, stemmed</SYSDESC>\nq1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\n"
    form = Layout(comment=("<SYSDESC>",))
    found, said = reading(tmp_path, data, form, name="x.run", format="trec", clean=way)
    assert [row[:3] for row in found[0]] == [(2, "q1", "d1"), (3, "q1", "d2")]
    assert said == []


def test_lines_in_the_order_of_a_file(way, tmp_path):
    form = Layout(header=("prediction",), lines=keys(tmp_path, "list\nb\na\nc\n"))
    found, said = reading(tmp_path, "1\n2.5\nx\n", form, TARGETS, clean=way)
    assert [row[:2] for row in found[0]] == [(1, "b"), (2, "a"), (3, "c")]
    assert found[0][1][2] == 2.5
    assert said == ["S501 3:1 prediction 'x' is not a number in plain decimal notation"]


def test_lines_of_pairs(way, tmp_path):
    both = (("list", "movie"), ("item", "user"))
    form = Layout(header=("prediction",), lines=keys(tmp_path, "movie,user\nm1,u2\nm1,u1\n", both))
    found, said = reading(tmp_path, "3.5\n4\n", form, RATED, clean=way)
    assert (found, said) == (([(1, "m1", "u2", 3.5), (2, "m1", "u1", 4.0)], ()), [])


def test_five_numbers_a_line(way, tmp_path):
    form = Layout(
        header=("item",), cells=(("item", " "),), lines=keys(tmp_path, "list\ni1\ni2\ni3\n")
    )
    found, said = reading(tmp_path, "3 1 2\n\n9 8\n", form, clean=way)
    rows = [(1, "i1", "3"), (1, "i1", "1"), (1, "i1", "2"), (3, "i3", "9"), (3, "i3", "8")]
    assert (found, said) == ((rows, (("i2", 2),)), [])


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("1\n", "S210 1:None 1 line, expected 2: one for each row of 'keys.csv'"),
        (
            "1\n2\n3\n",
            "S210 3:None a line too many; the file has one for each of the 2 rows of 'keys.csv'",
        ),
    ],
)
def test_too_few_and_too_many_lines(data, expected, way, tmp_path):
    form = Layout(header=("prediction",), lines=keys(tmp_path, "list\na\nb\n"))
    assert reading(tmp_path, data, form, TARGETS, clean=way)[1] == [expected]


def test_wide_columns_become_items(way, tmp_path):
    form = Layout(wide=WideColumns("item", ("F*",)))
    found, said = reading(tmp_path, "list,F1,F2\nu1,1,2\nu2,3,x\n", form, RATED, clean=way)
    assert [row[:3] for row in found[0]] == [
        (2, "u1", "1"), (2, "u1", "2"), (3, "u2", "1"), (3, "u2", "2"),
    ]  # fmt: skip
    assert [row[3] for row in found[0]][:3] == [1, 2, 3]
    assert said == ["S501 3:6 F2 'x' is not a number in plain decimal notation"]


def test_wide_columns_become_ranks(way, tmp_path):
    form = Layout(wide=WideColumns("rank", ("best_*",)))
    found, said = reading(tmp_path, "list,best_1,best_2\nu1,b,a\nu2,c,\n", form, clean=way)
    rows = [(2, "u1", "b", 1.0), (2, "u1", "a", 2.0), (3, "u2", "c", 1.0)]
    assert (found, said) == ((rows, ()), [])


def test_wide_columns_become_parts_of_the_list(way, tmp_path):
    form = Layout(wide=WideColumns("list", ("like", "reply")))
    found, said = reading(tmp_path, "list,like,reply\nu1,.5,.25\n", form, TARGETS, clean=way)
    assert (found, said) == (([(2, "like/u1", 0.5), (2, "reply/u1", 0.25)], ()), [])


@pytest.mark.parametrize(
    ("wide", "data", "message"),
    [
        (("item", ("G*",)), "list,F1\nu,1\n", "no column is called 'G*'; found: list, F1"),
        (("rank", ("F*",)), "list,Fa\nu,1\n", "the name of column 'Fa' says no rank"),
    ],
)
def test_wide_columns_that_are_not_there(wide, data, message, tmp_path):
    found, said = reading(tmp_path, data, Layout(wide=WideColumns(*wide)), RANKED)
    assert found is None
    assert said == [f"S201 1:None {message}"]


def test_a_vector_of_ranks_over_the_candidates(way, tmp_path):
    both = (("list", "list"), ("item", "item"))
    candidates = keys(tmp_path, "list,item\nu1,a\nu1,b\nu1,c\nu2,x\n", both)
    columns = {"header": ("list", "rank"), "separator": "whitespace", "cells": (("rank", ","),)}
    form = Layout(**columns, candidates=candidates)
    found, said = reading(tmp_path, "u1 [2,3,1]\nu2 [1]\n", form, clean=way)
    rows = [(1, "u1", "a", 2), (1, "u1", "b", 3), (1, "u1", "c", 1), (2, "u2", "x", 1)]
    assert (found, said) == ((rows, ()), [])
    found, said = reading(tmp_path, "u1 [2,1]\nu2 [x]\n", form, clean=way)
    assert said == [
        "S211 1:4 2 values in 'rank'; list 'u1' has 3 candidates, which have one each",
        "S501 2:5 rank 'x' is not a number in plain decimal notation",
    ]


def test_where_an_id_stands_in_its_cell(tmp_path):
    path, layout = tmp_path / "x.csv", Layout(cells=(("item", ","),))
    path.write_text('list,item\nu1,"a, bb,c"\n')
    table = read_file(path, None, [RANKED], Findings(), ReadLimits(), layout).table
    cells = [(2, "item", "bb"), (2, "item", "c"), (2, "list", "u1")]
    assert find_columns(path, table.find_cells, cells, ReadLimits(), layout) == [8, 11, 1]


ARRAYS = Layout(cells=(("item", " "), ("score", " ")))


def test_arrays_of_json_lines_are_cells(way, tmp_path):
    good = [
        '{"list": "u1", "item": ["a b", "c"], "score": [2, 1.5]}',
        '{"list": "u2", "item": ["d"], "score": [1e0]}',
        '{"list": "u3", "item": [], "score": []}',
        '{"list": "u4", "item": "x y", "score": "2 1"}',
    ]
    (rows, empty), said = reading(tmp_path, "\n".join(good), ARRAYS, name="a.jsonl", clean=way)
    assert (empty, said) == ((("u3", 3),), [])
    assert rows == [
        *((1, "u1", "a b", 2.0), (1, "u1", "c", 1.5), (2, "u2", "d", 1.0)),
        *((4, "u4", "x", 2.0), (4, "u4", "y", 1.0)),
    ]
    wrong = [
        *good[:1],
        '{"list": "v1", "item": ["a",  "b"], "score": [2, "x"]}',
        '{"list": "v2", "item": ["a", ["b"]], "score": [2]}',
        '{"list": "v3", "item": ["a"], "score": [2, 1]}',
        '{"list": ["v4"], "item": ["a"], "score": [2]}',
    ]
    _, said = reading(tmp_path, "\n".join(wrong), ARRAYS, name="a.jsonl", clean=way)
    assert said == [
        "S501 2:50 score 'x' is not a number in plain decimal notation",
        "S207 3:24 the value of 'item' is neither text nor a number",
        "S211 4:24 1 in 'item' and 2 in 'score'; each item has one of each",
        "S207 5:10 the value of 'list' is neither text nor a number",
    ]


@pytest.mark.slow("reads many files")
def test_both_ways_agree_on_odd_files(tmp_path):
    forms = [
        Layout(cells=(("item", " "),)),
        Layout(cells=(("item", ","),), separator=";"),
        Layout(header=("list", "item"), separator="whitespace", cells=(("item", ","),)),
        Layout(header=("list", "item"), cells=(("item", ","),), comment=("#", "//")),
        Layout(cells=(("item", " "), ("score", " "))),
        Layout(wide=WideColumns("rank", ("item*", "score"))),
    ]
    draw = random.Random(7)
    signs = ["b1", "//", *"ac ,;\t[]'\"#é\r1-"]
    for form in forms:
        for _ in range(60):
            lines = [f"u{n}," + "".join(draw.choices(signs, k=8)) for n in range(12)]
            head = "" if form.header else "list,item,score\n".replace(",", form.separator or ",")
            data = head + "\n".join(lines) + draw.choice(["", "\n"])
            careful = reading(tmp_path, data, form, clean=False)
            assert repr(reading(tmp_path, data, form)) == repr(careful), (form, data)


@pytest.mark.parametrize("separator", [" ", ",", "|", "whitespace"])
def test_columns_are_split_as_cells_are(separator, tmp_path):
    draw = random.Random(11)
    signs = ["a", "1", "b.2", " ", "  ", "[", "]", "(", ")", "'", ",", "|", "\u00a0"]
    cells = ["".join(draw.choices(signs, k=draw.randrange(9))).strip() for _ in range(3000)]
    cells += ["[]", "[CLS]", "[3]", "['a']", "[a]|[b]", "(a)|(b)", "(a|b)", "[a, b]", "((1 2))"]
    rows = "".join(f"u{n}\t{cell}\n" for n, cell in enumerate(cells))
    form = Layout(cells=(("item", separator),))
    (found, _), said = reading(tmp_path, f"list\titem\n{rows}", form, name="a.tsv")
    by_list = {f"u{n}": split_cell(cell, separator) for n, cell in enumerate(cells)}
    assert [row[1:] for row in found] == [
        (u, item) for u, items in by_list.items() for item in items
    ]
    assert said == []


def test_what_a_cell_holds():
    assert split_cell("[CLS]|[SEP]", "|") == ["[CLS]", "[SEP]"]
    assert split_cell("(a)", ",") == split_cell("['a']", ",") == split_cell("[a]", ",") == ["a"]
    assert split_cell("[3]", ",", are_names=True) == ["3"]
    assert split_cell("['a']", "|", are_names=True) == ["a"]
    assert split_cell("[a| b]", "|", are_names=True) == ["a", "b"]
    assert split_cell("[CLS]", "|", are_names=True) == ["[CLS]"]
    assert split_cell(" (mild) ", "|", are_names=True) == ["(mild)"]
    assert split_cell(" ", ",") == split_cell("[]", " ") == []
    assert split_cell("a, b", None) == ["a, b"]
    assert split_cell("['a', 'b c']", ",") == ["a", "b c"]
    assert split_cell(" [1 2] ", " ") == ["1", "2"]
    assert locate_in_cell("[a, bb,c]", ",") == [("a", 1), ("bb", 4), ("c", 7)]
    assert list(match_wide_columns(["F*_x"], ["F1_x", "F_x", "list"], {"list"})) == [("F1_x", "1")]
