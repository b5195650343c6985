"""Files cut into small pieces by polars give what the careful parser gives of the whole."""

import gzip
import json
from pathlib import Path

import corpus
import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scorer.core.problems import Findings
from scorer.io import text
from scorer.io.formats.base import format_of, formats, read
from scorer.io.limits import Limits
from scorer.io.table import Schema

CASES = Path(__file__).with_name("formats")
TEXT = [format.name for format in formats() if not format.binary]
SHAPES = {
    "run": Schema(("list", "item"), ("rank", "score", "tag")),
    "truth": Schema(("list", "item"), ("grade", "subtopic")),
    "ratings": Schema(("list", "item", "prediction")),
    "pairs": Schema(("list", "better", "worse")),
    "lists": Schema(("list",), ("group",)),
}
properties = settings(
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def content(table):
    """Everything in a table: its rows with their lines."""
    if table is None:
        return None
    columns = {role: column.texts(np.arange(len(table))) for role, column in table.ids.items()}
    columns |= {role: column.tolist() for role, column in table.numbers.items()}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return repr(list(zip(table.line.tolist(), rows, strict=True))), table.facts, table.wanted


def whole(path, format, shapes, limits=Limits()):  # noqa: B008
    findings = Findings("file")
    table = read(path, format, shapes, findings, limits)
    return content(table), list(findings), findings.counts


def agree(path, format, shapes, patch, sizes=(1, 64), limits=Limits()):  # noqa: B008
    """The careful parser and small pieces are told apart by nothing."""
    patch.setattr(text, "SMALLEST", 1 << 22)
    expected = whole(path, format, shapes, limits)
    for size in sizes:
        patch.setattr(text, "SMALLEST", size)
        patch.setattr(text, "PIECE", size)
        patch.setattr(text, "HEAD", size)
        found = whole(path, format, shapes, limits)
        for one, other in zip(found, expected, strict=True):
            assert one == other, (size, path.read_bytes()[:2000])
    return expected


@pytest.fixture
def patch():
    with pytest.MonkeyPatch.context() as monkeypatch:
        yield monkeypatch


def cases():
    for page in sorted(CASES.glob("*.yaml")):
        for case in yaml.safe_load(page.read_text(encoding="utf-8")):
            yield pytest.param(page.stem, case, id=f"{page.stem}: {case['name']}")


@pytest.mark.parametrize(("format", "case"), list(cases()))
def test_every_case_of_every_format(format, case, tmp_path, patch):
    path = tmp_path / case.get("file", f"table.{format}")
    data = case["text"].encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    wanted = [
        Schema(tuple(r), tuple(o), case.get("columns", {}))
        for r, o in (case[key] for key in ("wants", "or") if key in case)
    ] or [Schema(("list", "item"), ("rank", "score", "tag"), case.get("columns", {}))]
    agree(path, format_of(path, format), wanted, patch, (1, 16, 64))


@pytest.mark.parametrize("name", corpus.TABLES)
def test_every_hostile_table(name, tmp_path, patch):
    path = tmp_path / name
    path.write_bytes(corpus.TABLES[name]())
    for format in {format_of(path, None).name, "csv"} & set(TEXT):
        agree(path, formats().get(format), [SHAPES["run"]], patch, (100_000,))


HEADS = {
    "run": "list,item,score\n",
    "truth": "list,item,grade\n",
    "ratings": "list,item,prediction\n",
    "pairs": "list,better,worse\n",
    "lists": "list,group\n",
}
SIGNS = [
    *("a", "b", "q1", "007", "é", "1", "0.5", "-1e3", "x", "nan", "", " ", "\t", "#", "Q0", "0"),
    *('"', '"a"', '"a,b"', '"a""b"', '"a\nb"', '""', '" a"', "\r", "\0", "\ud7ff", "1e999", "3,5"),
]
cells = st.sampled_from(SIGNS)
ends = st.sampled_from(["\n"] * 9 + ["\r\n", "\r\r\n", "\n\n", "\n \n", "\n#c\n", " \n", "\n "])


def rows(separator, width):
    """Lines most of which have the right number of plain fields."""
    good = st.lists(st.sampled_from(["a", "q1", "7", "0.5"]), min_size=width, max_size=width)
    bad = st.lists(cells, min_size=max(width - 2, 0), max_size=width + 2)
    one = st.one_of(good, good, bad).map(separator.join)
    return st.lists(st.tuples(one, ends), max_size=12).map(
        lambda lines: "".join(text + end for text, end in lines)
    )


def objects(shape):
    keys = [*shape.required, *shape.optional, "x"]
    values = st.sampled_from(["a", 'q"1', "é", 7, 1.0, 1e300, None, [1], True, "\0", "\\"])
    good = st.fixed_dictionaries({role: st.sampled_from(["a", 7, 0.5]) for role in keys[:3]})
    bad = st.dictionaries(st.sampled_from(keys), values, max_size=4)
    line = st.one_of(good, good, good, bad).map(json.dumps) | st.sampled_from(
        ['{"list": 01}', "{}", "[1]", "", " ", '{"list":"a","list":"b"}', "x", '{"a": }']
    )
    return st.lists(line, max_size=10).map("\n".join)


lists = st.lists(
    st.tuples(
        st.sampled_from(["q1", "q2", "q1 ", "", "#x", "é", '"', "n1", "n2", "n3", "n4"]),
        st.sampled_from([":", ":", ": ", "", "::"]),
        st.lists(st.sampled_from(["a", " b", "c ", "", "x y", "é"]), max_size=4).map(",".join),
        ends,
    ).map("".join),
    max_size=10,
).map("".join)


@properties
@given(data=st.data())
@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("format", TEXT)
def test_random_files(format, kind, data, tmp_path, patch):
    shape = SHAPES[kind]
    width = {"run": 6, "truth": 4}.get(kind, 3)
    written = {
        "csv": st.builds(
            "{}{}".format, st.sampled_from([HEADS[kind]] * 5 + ["", "\n"]), rows(",", width // 2)
        ),
        "trec": rows(" ", width) | rows("\t", width),
        "jsonl": objects(shape),
        "lists": lists,
    }[format]
    sent = data.draw(written).encode("utf-8", "surrogatepass")
    if data.draw(st.booleans()):
        sent = sent.removesuffix(b"\n")
    if data.draw(st.sampled_from([False] * 9 + [True])):
        sent = b"\xef\xbb\xbf" + sent.replace("é".encode(), b"\xe9")
    path = tmp_path / "file"
    path.write_bytes(sent)
    agree(path, formats().get(format), [shape], patch, (1, 7, 50))
