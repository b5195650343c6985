"""Files that are not plain: the same columns, lines and findings, whichever way reads them."""

import random

import pytest

from scorer.core.problems import Findings
from scorer.reading.formats import find_format
from scorer.reading.layout import (
    Layout,
    WideColumns,
    locate_in_cell,
    match_wide_columns,
    split_cell,
)
from scorer.reading.limits import ReadLimits
from scorer.reading.read import find_columns, read_file
from scorer.reading.schema import Schema

RANKED = Schema(("list", "item"), ("rank", "score"))


def reading(folder, data, layout, name="file.csv", clean=True):
    """The rows with their lines, the empty lists, and what is said."""
    path = folder / name
    path.write_bytes(data.encode())
    findings = Findings()
    found = find_format(path, None, layout)
    if not clean:
        found = found._replace(read_clean=None)
    table = read_file(path, found, [RANKED], findings, ReadLimits(), layout).table
    said = [f"{p.code} {p.line}:{p.column} {p.message}" for p in findings]
    if table is None:
        return None, said
    return (table.frame.rows(), tuple(table.empty_lists.items())), said


def test_where_an_id_stands_in_its_cell(tmp_path):
    path, layout = tmp_path / "x.csv", Layout(cells=(("item", ","),))
    path.write_text('list,item\nu1,"a, bb,c"\n')
    table = read_file(path, None, [RANKED], Findings(), ReadLimits(), layout).table
    cells = [(2, "item", "bb"), (2, "item", "c"), (2, "list", "u1")]
    assert find_columns(path, table.find_cells, cells, ReadLimits(), layout) == [8, 11, 1]


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
