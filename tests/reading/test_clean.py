"""The fast way: what polars cuts in one pass is what the formats' own readers cut, or nothing."""

import random

import numpy as np
import pytest

from scorer.core.problems import Findings
from scorer.reading import lines
from scorer.reading.formats import find_format
from scorer.reading.limits import ReadLimits
from scorer.reading.lines import StoredLines, read_lines
from scorer.reading.read import read_file
from scorer.reading.schema import Schema

RANKED = Schema(("list", "item"), ("rank", "score"))
JUDGED = Schema(("list", "item"), ("grade", "subtopic"))
RUN = b"".join(b"q%d Q0 d%d %d %d t\n" % (n // 3, n, n % 3, 9 - n) for n in range(6))
QRELS = b"".join(b"q%d\t0\td%d\t%d\n" % (n // 3, n, n % 3) for n in range(6))
CSV = b"list,note,item,score,end\n" + b"".join(b"q%d,n,d%d,%d,e\n" % (n, n, n) for n in range(6))
FILES = {"a.run": (RUN, RANKED), "a.qrels": (QRELS, JUDGED), "a.csv": (CSV, RANKED)}
ODD = [b" ", b"\t", b",", b"\n", b"\r", b"\r\n", b"#", b'"', b"x", b"1", b"\0", b"\xef\xbb\xbf",
       b"\xe9", "é".encode(), b"e999", b"-", b"nan", b" t2", b",,", b"\xc2\xa0"]  # fmt: skip


def read_twice(folder, name, data, limits=ReadLimits()):  # noqa: B008
    """What both ways give of a file, and whether the fast one took it."""
    path, found, taken = folder / name, [], []
    path.write_bytes(data)
    fast = find_format(path, None)

    def read_clean(data, request):
        cells = fast.read_clean(data, request)
        taken.append(cells is not None)
        return cells

    for format in (fast._replace(read_clean=read_clean), fast._replace(read_clean=None)):
        findings = Findings()
        table, digest = read_file(path, format, [FILES[name][1]], findings, limits)
        rows = None if table is None else repr(table.frame.rows(named=True))
        found.append((rows, list(findings), digest))
    return found, taken == [True]


@pytest.mark.parametrize("name", FILES)
def test_a_file_without_a_fault_takes_the_fast_way(name, tmp_path):
    for data in (FILES[name][0], FILES[name][0].replace(b"\n", b"\r\n")):
        (fast, careful), is_clean = read_twice(tmp_path, name, data)
        assert is_clean
        assert fast == careful


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        # Of these, only the fields that no role reads differ.
        ("a.run", b"q0 Q0 d1", b"q0 Q0 x d1"),
        ("a.run", b"q0 Q0 d1", b"q0  Q0 d1"),
        ("a.run", b"q0 Q0 d1 1 8 t", b"q0  d1 1 8 t"),
        ("a.run", b"q0 Q0 d1 1 8 t", b"q0 Q0 d1 1 8"),
        ("a.run", b"q0 Q0 d1 1 8 t\nq0", b"q0 Q0 d1 1 8 t more\nq0"),
        ("a.run", b"q0 Q0 d1", b"# Q0 d1"),
        ("a.qrels", b"q0\t0\td1", b"q0\t\td1"),
        ("a.csv", b"q1,n,d1,1,e", b"q1,n,d1,1"),
        ("a.csv", b"q1,n,d1,1,e", b"q1,n,d1,1,e,e"),
        ("a.csv", b"q1,n,d1,1,e", b"q1,n\xe9,d1,1,e"),
        # A field too many on one line and one too few on another: as many separators as it should.
        ("a.csv", b"q1,n,d1,1,e\nq2,n,d2,2,e", b"q1,n,d1,1,e,e\nq2,n,d2,2"),
        ("a.run", b"q0 Q0 d1 1 8 t\nq0 Q0 d2 2 7 t", b"q0 Q0 d1 1 8 t t\nq0 Q0 d2 2 7"),
    ],
)
def test_a_row_of_another_form_is_never_clean(name, old, new, tmp_path):
    data = FILES[name][0]
    assert old in data
    (fast, careful), is_clean = read_twice(tmp_path, name, data.replace(old, new))
    assert not is_clean
    assert fast == careful


@pytest.mark.parametrize("name", FILES)
def test_both_ways_give_the_same_of_spoilt_files(name, tmp_path):
    chance, clean = random.Random(name), 0
    for _ in range(80):
        data = bytearray(FILES[name][0])
        for _ in range(chance.choice([1, 1, 2, 3])):
            at = chance.randrange(len(data) + 1)
            data[at : at + chance.choice([0, 0, 1, 2])] = chance.choice(ODD)
        limits = ReadLimits(line=chance.choice([16, 30, 10**6]), rows=chance.choice([6, 100]))
        (fast, careful), is_clean = read_twice(tmp_path, name, bytes(data), limits)
        assert fast == careful, bytes(data)
        clean += is_clean
    assert clean > 5


def test_stored_lines_are_those_of_the_frame_of_lines(monkeypatch):
    monkeypatch.setattr(lines, "BLOCK", 7)  # so that lines begin and end in all places of a block
    chance = np.random.default_rng(1)
    for _ in range(200):
        data = bytes(chance.choice(list(b"ab\n\n\xe9"), chance.integers(60)).tolist())
        texts = read_lines(data, Findings())["text"].to_list()
        stored, later = StoredLines(data), StoredLines(data, skipped=3)
        order = chance.permutation(len(texts)).tolist()
        assert [stored[n] for n in order] == [texts[n] for n in order]
        assert [later[n + 3] for n in order] == [texts[n] for n in order]
        assert (len(stored), len(later)) == (len(texts), 3 + len(texts))
