"""Files cut into small pieces by polars give what the careful parser gives of the whole."""

import gc
import gzip
import hashlib
import json
import threading
import weakref
from itertools import pairwise
from pathlib import Path

import corpus
import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from rounds import rounds

from scorer.bytes.limits import ReadLimits
from scorer.core.problems import Findings
from scorer.formats import cut, jsonl
from scorer.formats.base import formats
from scorer.formats.blocks import Block
from scorer.formats.pieces import columns_at, pieces
from scorer.formats.read import format_of, read
from scorer.tables.table import Schema

CASES = Path(__file__).with_name("cases")
TEXT = [format.name for format in formats() if not format.binary]
SHAPES = {
    "run": Schema(("list", "item"), ("rank", "score", "tag")),
    "truth": Schema(("list", "item"), ("grade", "subtopic")),
    "ratings": Schema(("list", "item", "prediction")),
    "pairs": Schema(("list", "better", "worse")),
    "lists": Schema(("list",), ("group",)),
}
properties = rounds(25, suppress_health_check=[HealthCheck.function_scoped_fixture])


def content(table):
    """Everything in a table: its rows with their lines."""
    if table is None:
        return None
    columns = {role: column.texts(np.arange(len(table))) for role, column in table.ids.items()}
    columns |= {role: column.tolist() for role, column in table.numbers.items()}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return repr(list(zip(table.line.tolist(), rows, strict=True))), table.facts, table.wanted


def whole(path, format, shapes, limits=ReadLimits()):  # noqa: B008
    findings = Findings("file")
    table = read(path, format, shapes, findings, limits)
    return content(table), list(findings), findings.counts


def agree(path, format, shapes, patch, sizes=(1, 64), limits=ReadLimits()):  # noqa: B008
    """The careful parser, plain lines at once and small pieces are told apart by nothing."""
    patch.setattr(cut, "SMALLEST", 1 << 22)
    patch.setattr(cut, "SMALL", 1 << 22)
    patch.setattr(cut, "PLAINER", 0)
    expected = whole(path, format, shapes, limits)
    patch.setattr(cut, "PLAINER", 1)
    for size in (1 << 22, *sizes):
        patch.setattr(cut, "SMALLEST", size)
        if size in sizes:
            patch.setattr(cut, "PIECE", size)
            patch.setattr(cut, "HEAD", size)
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


@pytest.mark.slow("reads many files in pieces of every size", beyond=2)
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


@pytest.mark.slow("reads many files in pieces of every size", beyond=2)
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
    alike = st.lists(good.map(json.dumps) | line, min_size=2, max_size=10)
    values = [
        '"a"',
        '"é"',
        '""',
        '"\\n"',
        '"a,b"',
        "7",
        "-0.5e3",
        "01",
        ".5",
        " 1",
        "null",
        '"1.0"',
    ]
    some = st.sampled_from(values)
    written = st.builds(
        '{{"{}": {}, "{}": {}}}'.format, st.just(keys[0]), some, st.just(keys[1]), some
    )
    good_start = st.just(f'{{"{keys[0]}": "a", "{keys[1]}": 7}}')
    template = st.tuples(good_start, st.lists(good_start | written | line, max_size=12)).map(
        lambda parts: [parts[0], *parts[1]]
    )
    return (st.lists(line, max_size=10) | alike | template).map("\n".join)


lists = st.lists(
    st.tuples(
        st.sampled_from(["q1", "q2", "q1 ", "", "#x", "é", '"', "n1", "n2", "n3", "n4"]),
        st.sampled_from([":", ":", ": ", "", "::"]),
        st.lists(st.sampled_from(["a", " b", "c ", "", "x y", "é"]), max_size=4).map(",".join),
        ends,
    ).map("".join),
    max_size=10,
).map("".join)


@pytest.mark.slow("reads many files in pieces of every size", beyond=2)
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
        "json": objects(shape).map(lambda text: f"[{','.join(text.splitlines())}]"),
    }[format]
    sent = data.draw(written).encode("utf-8", "surrogatepass")
    if data.draw(st.booleans()):
        sent = sent.removesuffix(b"\n")
    if data.draw(st.sampled_from([False] * 9 + [True])):
        sent = b"\xef\xbb\xbf" + sent.replace("é".encode(), b"\xe9")
    path = tmp_path / "file"
    path.write_bytes(sent)
    patch.setattr(jsonl, "SAMPLE", 1)
    patch.setattr(jsonl, "BATCH_ROWS", 2)
    agree(path, formats().get(format), [shape], patch, (1, 7, 50, 300))


@pytest.mark.parametrize("size", [1, 1 << 22])
@pytest.mark.parametrize(
    ("name", "written", "expected"),
    [
        ("a.csv", 'list,item\nq1, a\n\n"q\n2","b"\nqé,c\n', [5, 1, None, 4]),
        ("a.run", "q1 Q0 a 1 2 t\n  q2\tQ0  b 2 1 t\n", [7, 3, 10]),
        ("a.lists", "q1: x,  a\n q2 :b\n", [9, 2, 6]),
        ("a.jsonl", '{"list": "q1", "item": "a"}\n', [24]),
    ],
)
def test_where_cells_stand(name, written, expected, size, tmp_path, patch):
    patch.setattr(cut, "SMALLEST", size)
    patch.setattr(cut, "PIECE", size)
    path = tmp_path / name
    path.write_text(written)
    shape, format = SHAPES["run"], format_of(path, None)
    cells = {
        "a.csv": [(2, "item", "a"), (2, "list", "q1"), (4, "item", "b"), (6, "item", "c")],
        "a.run": [(1, "item", "a"), (2, "list", "q2"), (2, "item", "b")],
        "a.lists": [(1, "item", "a"), (2, "list", "q2"), (2, "item", "b")],
        "a.jsonl": [(1, "item", "a")],
    }[name]
    assert columns_at(path, format, [shape], ReadLimits(), cells[::-1]) == expected[::-1]
    with pieces(path, format, [shape], ReadLimits(), Findings()) as tables:
        list(tables)
    if size > 1:  # a file of one block is not read again
        path.unlink()
    assert columns_at(path, format, [shape], ReadLimits(), cells, tables.index) == expected


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a.csv", "list,item\nq1,a\n"),
        ("a.run", "q1 Q0 a 1 2 t\n"),
        ("a.lists", "q1: a\n"),
        ("a.jsonl", '{"list": "q1", "item": "a"}\n'),
    ],
)
def test_a_block_that_was_kept_is_gone_with_its_tables(name, written, tmp_path):
    path = tmp_path / name
    path.write_text(written)
    gc.collect()
    gc.disable()  # as good as in a command, whose threshold is high
    try:
        with pieces(path, format_of(path, None), [SHAPES["run"]], ReadLimits(), Findings()) as read:
            list(read)
        assert read.index.columns is not None
        kept = weakref.ref(read.index)
        del read
        assert kept() is None
        assert not [each for each in gc.get_objects() if isinstance(each, Block)]
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("name", "head", "row"),
    [
        ("a.csv", "\ufefflist,item,score\r\n", "q{0},d{0},1\r\n"),
        ("a.csv", '"list","item"\n', 'q{0},"d\n{0}"\n'),
        ("a.run", "# a comment\n", "q{0} Q0 d{0} 1 2 t\n"),
        ("a.run.gz", "", "q{0} Q0 d{0} 1 2 t\n"),
        ("a.lists", "", "q{0}: d{0}, e\n"),
    ],
)
def test_blocks_between_places_are_not_read_again(name, head, row, tmp_path, patch):
    patch.setattr(cut, "SMALLEST", 200)
    patch.setattr(cut, "PIECE", 200)
    path, shape = tmp_path / name, SHAPES["run"]
    format, packed = format_of(path, None), name.endswith(".gz")
    written = (head + "".join(row.format(n) for n in range(1000))).encode()
    path.write_bytes(gzip.compress(written) if packed else written)
    with pieces(path, format, [shape], ReadLimits(), Findings()) as tables:
        rows = [(int(t.line[0]), t.ids["item"].text(0)) for t in tables if len(t)]
    cells = [(line, "item", item) for line, item in rows[:2] + rows[20:21] + rows[-3::2]]
    expected = columns_at(path, format, [shape], ReadLimits(), cells)
    begins = tables.index.begins
    assert len(begins) > 30
    if not packed:  # where what stands between is broken, but not what is read
        at = sorted(begins)
        used = {max(n for n in at if n <= line) for line, *_ in cells}
        broken = bytearray(written)
        for first, beyond in pairwise(at):
            if first not in used:
                broken[begins[first] : begins[beyond]] = b"\n" * (begins[beyond] - begins[first])
        path.write_bytes(broken)
        assert columns_at(path, format, [shape], ReadLimits(), cells) != expected
    assert None not in expected or "\n{0}" in row
    assert columns_at(path, format, [shape], ReadLimits(), cells, tables.index) == expected


@pytest.mark.parametrize(
    ("name", "written", "told"),
    [  # what the reader of large files once let pass
        ("a.run", "q1  d1 1 5.0 t\n", ["S601"]),
        ("a.run", "q1 Q0 d1  5.0 t\n", ["S601"]),
        ("a.tsv", "list,item,score\nq1,a,1\n", ["S206"]),
    ],
)
def test_small_and_large_files_are_read_alike(name, written, told, tmp_path, patch):
    path = tmp_path / name
    path.write_text(written * (1 if name == "a.tsv" else 30))
    for size in (10, 1 << 22):
        patch.setattr(cut, "SMALLEST", size)
        _, findings, _ = whole(path, format_of(path, None), [SHAPES["run"]])
        assert sorted({p.code for p in findings if p.severity == "error"}) == told


PLAIN_RUN = "q1 Q0 a 1 2.0 x\nq1 Q0 b 2 1e-3 y\n"


@pytest.mark.parametrize(
    ("name", "written", "plain"),
    [
        ("a.run", PLAIN_RUN, True),
        ("a.run", PLAIN_RUN.removesuffix("\n"), True),
        ("a.run", PLAIN_RUN.replace("\n", "\r\n"), True),
        ("a.run", PLAIN_RUN.replace(" ", "\t"), True),
        ("a.run", PLAIN_RUN.replace(" Q0", "\tQ0"), False),
        ("a.run", PLAIN_RUN.replace(" Q0", "  Q0"), False),
        ("a.run", PLAIN_RUN.replace("q1 Q0 b", "#1 Q0 b"), False),
        ("a.run", PLAIN_RUN.replace(" x", ""), False),
        ("a.run", PLAIN_RUN.replace(" a ", ' "a" '), False),
        ("a.run", PLAIN_RUN.replace(" a ", " é "), True),
        ("a.run", PLAIN_RUN.replace("2.0", "nan"), False),
        ("a.run", PLAIN_RUN + "\n", False),
        ("a.csv", "list,item,score\nq1,a,1\nq1,b c,2\n", True),
        ("a.csv", "list,item,score\nq1,a,1\nq1,b ,2\n", False),
        ("a.csv", "list,item,score\nq1,a,1\nq1,b,2,\n", False),
        ("a.csv", 'list,item,score\nq1,"a",1\n', False),
        ("a.tsv", "list\titem\tscore\nq1\ta\t1\n", True),
    ],
)
def test_a_file_of_plain_lines_alone_is_cut_at_once(name, written, plain, tmp_path, patch):
    path = tmp_path / name
    path.write_bytes(written.encode())
    parsed = list[object]()
    patch.setattr(cut.Builder, "row", lambda *row: parsed.append(row))
    read(path, format_of(path, None), [SHAPES["run"]], Findings(), ReadLimits())
    assert (not parsed) == plain


def test_bytes_are_hashed_as_they_are_read(tmp_path):
    """And what is refused for its size is not read to its end."""
    rows = "list,item\n" + "".join(f"q{n},a\n" for n in range(400_000))
    for name, data in {"a.csv": rows.encode(), "a.csv.gz": gzip.compress(rows.encode())}.items():
        path, shares = tmp_path / name, []
        path.write_bytes(data)
        for shape in (SHAPES["run"], Schema(("list", "missing"))):
            sha256 = hashlib.sha256()
            with pieces(
                path, format_of(path, None), [shape], ReadLimits(), Findings(),
                sha256=sha256, tick=shares.append,
            ) as found:  # fmt: skip
                count = sum(map(len, found))
            assert (count, found.whole) == (
                (400_000, True) if "item" in shape.required else (0, False)
            )
            assert found.hashed
            assert sha256.digest() == hashlib.sha256(data).digest()
        assert shares[-1] == 1
    with path.open("r+b") as file:
        file.truncate(5 << 30)
    sha256 = hashlib.sha256()
    with pieces(
        path, format_of(path, None), [shape], ReadLimits(), f := Findings(), sha256=sha256
    ) as found:
        assert list(found) == []
    assert ([p.code for p in f], found.hashed) == (["S104"], False)
    assert sha256.digest() == hashlib.sha256().digest()


def test_a_file_that_grows_is_not_read_for_ever(tmp_path, patch):
    patch.setattr(cut, "SMALLEST", 100_000)
    patch.setattr(cut, "PIECE", 100_000)
    path = tmp_path / "a.csv"
    path.write_text("list,item\n" + "q,a\n" * 500_000)
    limits = ReadLimits(size=path.stat().st_size + 10_000)
    with pieces(path, format_of(path, None), [SHAPES["run"]], limits, f := Findings()) as found:
        next(found)
        with path.open("a") as file:
            file.write("q,a\n" * 2_000_000)
        assert sum(map(len, found)) < 600_000
    assert ([p.code for p in f], found.whole) == (["S104"], False)


def test_nothing_is_left_behind_when_reading_stops_early(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("list,item\n" + "q,a\n" * 3_000_000)
    before = threading.active_count()
    with pieces(path, format_of(path, None), [SHAPES["run"]], ReadLimits(), Findings()) as found:
        next(found)
        assert threading.active_count() > before
    assert threading.active_count() == before


def test_ids_are_counted_over_pieces(tmp_path, patch):
    patch.setattr(cut, "SMALLEST", 50)
    patch.setattr(cut, "PIECE", 50)
    path = tmp_path / "a.csv"
    path.write_text("list,item\n" + "".join(f"q,a{n % 30}\n" for n in range(200)))
    for most, codes in ((30, []), (29, ["S104"]), (5, ["S104"])):
        found = whole(path, format_of(path, None), [SHAPES["run"]], ReadLimits(ids=most))
        assert [p.code for p in found[1]] == codes


@pytest.mark.parametrize(
    ("large", "small", "asks"), [(400, 50, 1), (199, 50, 0), (400, 5, 0), (400, 200, 0)]
)
def test_polars_reads_what_comes_before_a_file_that_needs_it(
    large, small, asks, tmp_path, monkeypatch
):
    asked = []
    monkeypatch.setattr(cut, "ask_for_polars", lambda: asked.append(1))
    monkeypatch.setattr(cut, "SMALLEST", 100)
    monkeypatch.setattr(cut, "SMALL", 10)
    for name, size in (("sent", large), ("truth", small)):
        (tmp_path / name).write_bytes(bytes(size))
    cut.ready_to_read_before(tmp_path / "sent", tmp_path / "truth")
    cut.ready_to_read_before(tmp_path / "none", tmp_path / "truth")
    assert len(asked) == asks


def test_without_memory_for_polars_the_file_that_needs_it_is_at_fault(tmp_path, monkeypatch):
    def refuse():
        raise MemoryError

    monkeypatch.setattr(cut, "ask_for_polars", refuse)
    monkeypatch.setattr(cut, "SMALLEST", 1)
    monkeypatch.setattr(cut, "SMALL", 0)
    (tmp_path / "sent").write_text("many")
    (tmp_path / "truth").write_text("1")
    cut.ready_to_read_before(tmp_path / "sent", tmp_path / "truth")
