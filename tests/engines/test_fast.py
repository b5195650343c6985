"""The fast pass and the thorough pass are one: whatever the first vouches for, the second agrees.

What the first cannot vouch for it leaves to the second, so the two can differ
only where the fast pass speaks: these tests run both on the same bytes.
"""

import gzip
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scorer.challenge.model import Submission
from scorer.challenge.public import Public
from scorer.checks.base import Submitted, examine
from scorer.core.problems import Findings
from scorer.engines import fast
from scorer.io import polars_chunks as cutting
from scorer.io import polars_table as large
from scorer.io.formats.base import formats, read
from scorer.io.limits import Limits
from scorer.io.table import CodedColumn, Schema, Table
from scorer.views.join import Truth, judge

WANTED = [Schema(("list", "item"), ("rank", "score", "tag"))]
LISTS = ("q1", "q2", "q3")
ITEMS = ("a", "b", "c", "d", "e", "f")
FIELDS = ("judged", "returned")


def truth():
    rows = [(n, i, g) for n in range(3) for i, g in ((0, 2.0), (2, 1.0), (3 + n, 0.0))]
    lists, items, grades = (np.array(column) for column in zip(*rows, strict=True))
    return Truth.of(
        Table(
            {"list": CodedColumn(lists, LISTS), "item": CodedColumn(items, ITEMS)},
            {"grade": grades.astype(float)},
            np.arange(len(rows)),
            WANTED[0],
        )
    )


TRUTH = truth()


def both(path, form, ties="item-desc", length=None, items=None, pieces=None):
    """What the fast pass saw, or None in doubt; and the findings and hits of the thorough one."""
    rules = Submission(ties=ties, length=length)
    public = Public("grades", dict.fromkeys(LISTS), items)
    known = formats().get(form)
    asked = fast.Asked(
        public, TRUTH, ties, length and length["min"], length and length["max"], Limits()
    )
    try:
        seen = fast.quick(path, known, WANTED, asked)
    except cutting.Doubt:
        seen = None
    findings = Findings()
    table = read(path, known, WANTED, findings, Limits())
    if table is not None:
        examine(Submitted(table, public, rules), findings)
    return seen, list(findings), None if table is None else judge(table, TRUTH, ties)[0]


def agree(seen, findings, judged):
    if seen is None:
        return
    assert findings == []
    for name in ("in_list", "rank", "grade", "place", "before", "tied"):
        np.testing.assert_array_equal(getattr(seen.judged.hits, name), getattr(judged.hits, name))
    np.testing.assert_array_equal(seen.judged.returned, judged.returned)


scores = st.sampled_from(["3", "2.5", "2.5", "1e-3", "-1", "0", "7", "nan", "x", "1_0", ""])
good = st.sampled_from(["3", "2.5", "1e-3", "-1", "0", "7"])
odd = st.sampled_from(["q1", "q4", '"q1"', " q1", "", "#q1", "nan", "é"])


@st.composite
def files(draw):
    """A file in one of its forms, mostly right, with the oddities that files have."""
    form = draw(st.sampled_from(["csv", "trec"]))
    strange = draw(st.booleans())
    names = draw(st.permutations(LISTS))
    rows = []
    for name in names:
        for item in draw(
            st.lists(st.sampled_from(ITEMS), min_size=1, max_size=6, unique=not strange)
        ):
            rows.append([name, item, draw(scores if strange else good)])
    if draw(st.booleans()):
        rows = draw(st.permutations(rows))
    if strange and draw(st.booleans()):
        rows[draw(st.integers(0, len(rows) - 1))][0] = draw(odd)
    mark = draw(st.sampled_from([" ", "\t", "  "])) if form == "trec" else ","
    head = draw(st.sampled_from(["score", "rank"])) if form == "csv" else "score"
    lines = [f"list,item,{head}"] if form == "csv" else []
    places = {}
    for name, item, score in rows:
        places[name] = places.get(name, 0) + 1
        number = str(places[name]) if head == "rank" and not strange else score
        cells = [name, item, number] if form == "csv" else [name, "Q0", item, "1", score, "t"]
        lines.append(mark.join(cells))
    if strange and draw(st.booleans()):
        lines.insert(
            draw(st.integers(0, len(lines))), draw(st.sampled_from(["", "x", "# c", "a,b,c,d"]))
        )
    end = draw(st.sampled_from(["\n", "\r\n"])) if strange else "\n"
    text = end.join(lines) + draw(st.sampled_from(["", end]))
    pack = draw(st.sampled_from([bytes, gzip.compress, zstandard.compress]))
    return form, pack(text.encode())


@settings(
    derandomize=True,
    deadline=None,
    max_examples=300,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    file=files(),
    ties=st.sampled_from(["item-desc", "item-asc", "file", "expected", "error"]),
    length=st.sampled_from([None, {"min": 1, "max": 6}, {"min": 2, "max": 3}]),
    catalogue=st.sampled_from([None, dict.fromkeys(ITEMS), dict.fromkeys(ITEMS[:4])]),
    piece=st.sampled_from([7, 40, 10_000]),
)
def test_the_two_passes_are_one(tmp_path, monkeypatch, file, ties, length, catalogue, piece):
    monkeypatch.setattr(cutting, "PIECE", piece)
    monkeypatch.setattr(cutting, "FIRST", piece)
    form, data = file
    path = tmp_path / "submission"
    path.write_bytes(data)
    agree(*both(path, form, ties, length, catalogue))


MORE = "".join(f"q3 Q0 y{n} 3 {-n} t\n" for n in range(30))
PLAIN = "q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq2 Q0 c 1 3 t\nq3 Q0 x 1 5 t\nq3 Q0 a 2 4 t\n"


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("trec", PLAIN),
        ("trec", PLAIN.replace(" ", "\t")),
        ("trec", PLAIN.rstrip("\n")),
        ("trec", "".join(reversed(PLAIN.splitlines(keepends=True)))),
        ("trec", PLAIN.replace("b 2 2", "b 2 3") + MORE),
        ("trec", "".join(reversed((PLAIN.replace("b 2 2", "b 2 3") + MORE).splitlines(True)))),
        ("csv", "list,item,score\nq1,a,1\nq1,b,2\nq2,a,1\nq3,c,1\n"),
        ("csv", "item,rank,list\na,1,q1\nb,1,q2\nb,2,q1\nc,1,q3\n"),
        ("csv", "list,item\nq1,a\nq1,c\nq2,c\nq3,d\n"),
    ],
)
def test_the_fast_pass_vouches_for_what_is_plain(tmp_path, pack, form, text):
    path = tmp_path / "submission"
    path.write_bytes(pack(text.encode()))
    seen, findings, judged = both(path, form)
    assert seen is not None
    assert len(seen.sha256) == 64
    agree(seen, findings, judged)


@pytest.mark.parametrize(
    "text",
    [
        "",
        PLAIN.replace("b 2 2", "a 2 2"),  # twice
        PLAIN.replace("q2", "q4"),  # unknown
        PLAIN.replace("q2 Q0 c 1 3 t\n", ""),  # missing
        PLAIN.replace(" 3 t", " nan t"),
        PLAIN.replace(" 3 t", " 1e999 t"),
        PLAIN.replace(" 3 t", " 0x3 t"),
        PLAIN.replace("5 t", "5"),
        PLAIN.replace("5 t", "5 t more"),
        PLAIN.replace("5 t", "5 u"),  # two tags
        PLAIN.replace("q1 Q0 a", "q1  Q0 a"),
        PLAIN.replace(" x ", " \x1b "),
        PLAIN.replace(" x ", " é "),
        PLAIN.replace(" x ", " nan "),
        PLAIN + "\n",
        "# a comment\n" + PLAIN,
        PLAIN.replace("\n", "\r\n"),
        "\ufeff" + PLAIN,
        PLAIN.replace("b 2 2", "b 2 3").replace("4 t", "5 t"),  # most scores tie
        "q1 Q0 a 1 3 t\nq2 Q0 a 1 3 t\nq3 Q0 a 1 3 t\n",  # a constant model
    ],
)
def test_the_fast_pass_leaves_the_rest_to_the_thorough_one(tmp_path, text):
    path = tmp_path / "submission"
    path.write_bytes(text.encode())
    assert both(path, "trec")[0] is None


def test_hashes_that_begin_alike_are_told_apart():
    hashes = np.array([5, 6, 9, 5], dtype=np.uint64)  # alike in all but their lowest bits
    sizes, starts = np.array([3, 1]), np.array([0, 3])
    run, place = np.array([0, 0, 0, 1]), np.array([0, 1, 2, 0])
    packed, width, bits = fast._packed(hashes, sizes, run, place)
    assert fast._alike(packed >> np.uint64(width), packed, hashes, starts, width, bits) == 3
    twice = np.array([5, 9, 5, 5], dtype=np.uint64)
    packed, width, bits = fast._packed(twice, sizes, run, place)
    with pytest.raises(cutting.Doubt):
        fast._alike(packed >> np.uint64(width), packed, twice, starts, width, bits)


def test_a_table_is_the_thorough_readers(tmp_path):
    path = tmp_path / "truth.csv"
    path.write_text("item,list,grade\na,q1,1\nb,q1,0.5\na,q2,-1\n")
    wanted = [Schema(("list", "item"), ("grade", "subtopic"))]
    known = formats().get("csv")
    mine = large.table(path, known, wanted, Limits())
    theirs = read(path, known, wanted, findings := Findings(), Limits())
    assert not list(findings)
    for role, ids in theirs.ids.items():
        np.testing.assert_array_equal(mine.ids[role].codes, ids.codes)
        assert tuple(mine.ids[role].names) == tuple(ids.names)
    np.testing.assert_array_equal(mine.numbers["grade"], theirs.numbers["grade"])
    np.testing.assert_array_equal(mine.line, theirs.line)
    path.write_text("item,list,grade,notes\na,q1,1,x\n")
    with pytest.raises(cutting.Doubt):
        large.table(path, known, wanted, Limits())


def test_small_files_are_not_worth_it(tmp_path):
    path = tmp_path / "small"
    path.write_bytes(b"x" * 100)
    assert not cutting.worth(path)
    assert not cutting.worth(Path("nowhere"))
    path.write_bytes(b"x" * cutting.SMALLEST)
    assert cutting.worth(path)


@pytest.mark.parametrize("written", ["error", "zero", "skip"])
@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.replace("q2 Q0 c 1 3 t\n", ""),
        PLAIN.replace("q2", "q4"),
        PLAIN.replace("b 2 2", "b 2 3") + MORE,
        "".join(reversed((PLAIN + MORE).splitlines(keepends=True))),
        "",
    ],
)
@pytest.mark.parametrize("command", ["score", "check"])
def test_a_command_says_the_same_by_either_pass(
    challenge, score, monkeypatch, text, written, command
):
    folder = challenge(
        "truth: {file: truth.qrels}\nmetrics: [nDCG@2, AP]\nleaderboard: {draws: 200}\n"
        f"submission: {{format: trec, missing_list: {written}}}\n",
        **{"truth.qrels": "q1 0 a 1\nq2 0 c 2\nq3 0 a 1\nq3 0 b 0\n", "run.txt": text},
    )
    words = [folder, folder / "run.txt", "--format", "json"]
    said = []
    for smallest in (0, 10**9):
        monkeypatch.setattr(cutting, "SMALLEST", smallest)
        ran = score(*(["check"] if command == "check" else []), *words)
        said.append((ran.code, ran.out, ran.err))
    assert said[0] == said[1]
