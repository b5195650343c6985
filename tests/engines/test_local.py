"""A file says the same whether it is read at once or in pieces."""

import gc
import gzip
import hashlib
import os
import threading
import tracemalloc

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from rounds import rounds

import scorer
from scorer.bytes import memory
from scorer.bytes.limits import ReadLimits
from scorer.challenge.public import Public
from scorer.challenge.submission import Submission
from scorer.core.problems import Findings
from scorer.engines import local as engine
from scorer.engines.local import local, scored
from scorer.formats import cut as reading
from scorer.kinds.base import SideTables, kinds
from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import parse_measure
from scorer.scoring.lists import Plan
from scorer.tables.columns import CodedColumn
from scorer.tables.table import Schema, Table
from scorer.views.hits import Judged
from scorer.views.positions import Positions

LISTS, ITEMS = ("q1", "q2", "q3"), ("a", "b", "c", "d", "e", "f")
SHAPE = Schema(("list", "item"), ("rank", "score", "tag"))
MEASURES = tuple(
    parse_measure(metrics().get(notation.partition("@")[0]), notation)
    for notation in ("nDCG@3", "AP", "P@2", "RR")
)


def plan(**rules):
    """A challenge of three lists."""
    rows = [(n, i, g) for n in range(3) for i, g in ((0, 2.0), (2, 1.0), (3 + n, 0.0))]
    lists, items, grades = (np.array(column) for column in zip(*rows, strict=True))
    ids = {"list": CodedColumn(lists, LISTS), "item": CodedColumn(items, ITEMS)}
    truth = Table(ids, {"grade": grades.astype(float)}, np.arange(len(rows)), SHAPE)
    items = rules.pop("items", None)
    public = Public("grades", dict.fromkeys(LISTS), items)
    opened = kinds().get("grades").open(truth, SideTables(public), Findings())
    views = frozenset({Judged, Positions})
    return Plan(public, Submission(**rules), (SHAPE,), ReadLimits(), MEASURES, views, opened)


def told(outcome):
    """All that an outcome says."""
    card = outcome.card
    data = card and {
        "lists": card.lists,
        "answered": card.answered.tolist(),
        **{name: values.tobytes() for name, values in card.values.items()},
        "positions": card.positions.position.tolist(),
    }
    return list(outcome.findings), outcome.findings.counts, outcome.sha256, data


def in_pieces(monkeypatch, piece):
    for name, value in (("SMALLEST", 0), ("PIECE", piece), ("HEAD", piece)):
        monkeypatch.setattr(reading, name, value)


scores = st.sampled_from(["3", "2.5", "2.5", "1e-3", "-1", "0", "7", "nan", "x", "1_0", ""])
good = st.sampled_from(["3", "2.5", "1e-3", "-1", "0", "7"])
odd = st.sampled_from(["q1", "q4", '"q1"', " q1", "", "#q1", "nan", "é", "Q1", "q2.0"])


@st.composite
def files(draw):
    """A file in one of its forms, mostly right, with the oddities that files have."""
    form = draw(st.sampled_from(["csv", "trec"]))
    strange = draw(st.booleans())
    names = draw(st.permutations([*LISTS, "q4"] if draw(st.booleans()) else LISTS))
    items = st.sampled_from([*ITEMS, "é", "x y"] if strange and form == "csv" else ITEMS)
    rows = []
    for name in names:
        for item in draw(st.lists(items, min_size=1, max_size=6, unique=not strange)):
            rows.append([name, item, draw(scores if strange else good)])
    if draw(st.booleans()):
        rows = draw(st.permutations(rows))
    if strange and draw(st.booleans()):
        rows[draw(st.integers(0, len(rows) - 1))][0] = draw(odd)
    mark = draw(st.sampled_from([" ", "\t", "  "])) if form == "trec" else ","
    head = draw(st.sampled_from(["score", "rank", "rank,score"])) if form == "csv" else "score"
    lines = [f"list,item,{head}"] if form == "csv" else []
    places = {}
    for name, item, score in rows:
        places[name] = places.get(name, 0) + 1
        number = str(places[name]) if head == "rank" and not strange else score
        number = f"{places[name]},{score}" if head == "rank,score" else number
        cells = [name, item, number] if form == "csv" else [name, "Q0", item, "1", score, "t"]
        lines.append(mark.join(cells))
    if strange and draw(st.booleans()):
        lines.insert(
            draw(st.integers(0, len(lines))), draw(st.sampled_from(["", "x", "# c", "a,b,c,d"]))
        )
    end = draw(st.sampled_from(["\n", "\r\n"])) if strange else "\n"
    data = (end.join(lines) + draw(st.sampled_from(["", end]))).encode()
    return form, draw(st.sampled_from([bytes, gzip.compress]))(data)


@pytest.mark.slow("starts processes")
@rounds(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    file=files(),
    ties=st.sampled_from(["item-desc", "item-asc", "file", "expected", "error"]),
    length=st.sampled_from([None, {"min": 1, "max": 6}, {"min": 2, "max": 3}]),
    unknown=st.sampled_from(["error", "ignore"]),
    missing=st.sampled_from(["error", "zero"]),
    items=st.sampled_from([None, dict.fromkeys(ITEMS), dict.fromkeys(ITEMS[:4])]),
    piece=st.sampled_from([7, 40, 100]),
)
def test_pieces_say_what_the_whole_says(
    tmp_path, file, ties, length, unknown, missing, items, piece
):
    form, data = file
    path = tmp_path / "submission"
    path.write_bytes(data)
    made = plan(
        format=form, ties=ties, length=length, unknown_list=unknown, missing_list=missing,
        items=items,
    )  # fmt: skip
    whole = told(scored(made, path))
    assert whole[2] == hashlib.sha256(data).hexdigest()
    with pytest.MonkeyPatch.context() as monkeypatch:
        in_pieces(monkeypatch, piece)
        assert told(scored(made, path)) == whole


def test_a_submission_that_wants_too_much_memory_is_refused_alone(tmp_path, monkeypatch):
    paths = []
    for name in ("one", "two", "three"):
        (path := tmp_path / f"{name}.run").write_text("q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\n")
        paths.append(path)
    real = engine.score_with_views

    def hungry(made, table, *others):
        if table.ids["list"].text(0) == "q2":
            raise MemoryError
        return real(made, table, *others)

    monkeypatch.setattr(engine, "score_with_views", hungry)
    paths[1].write_text("q2 Q0 a 1 3 t\n")
    found = list(local(plan(format="trec", missing_list="zero"), paths))
    assert [one.card is not None for one in found] == [True, False, True]
    assert [problem.code for problem in found[1].findings] == ["S104"]


CHECK = '''
import multiprocessing
import os
from pathlib import Path
from scorer.checks.base import check
from scorer.core.problems import Problem


@check("X001")
def always(submitted):
    """Nothing is ever right."""
    Path(os.environ["RAN"], "copy" if multiprocessing.parent_process() else "first").touch()
    for name in submitted.lists.names:
        yield Problem("X001", f"never {name}", list=name)
'''


@pytest.fixture
def installed_plugin(tmp_path, installed, challenge):
    """A project with one entry point, on the path of the installed command."""

    def make(group, name, source):
        site = tmp_path / "site"
        (site / "mine-1.dist-info").mkdir(parents=True)
        (site / "mine-1.dist-info/METADATA").write_text(
            "Metadata-Version: 2.1\nName: mine\nVersion: 1\n"
        )
        (site / "mine-1.dist-info/entry_points.txt").write_text(
            f"[{group}]\n{name} = mine_{name}\n"
        )
        (site / f"mine_{name}.py").write_text(source)
        return {"PYTHONPATH": str(site)}

    return make


@pytest.mark.slow("starts processes", beyond=1)
@pytest.mark.parametrize("rows", [300, 440_000])
@pytest.mark.parametrize("copies", [1, 2])
def test_an_installed_check_runs_on_every_file(
    installed, installed_plugin, challenge, tmp_path, rows, copies
):
    (ran_in := tmp_path / "ran_in").mkdir()
    variables = {**installed_plugin("scorer.checks", "always", CHECK), "RAN": str(ran_in)}
    folder = challenge(
        "truth: {file: truth.qrels}\nmetrics: [P@2]\nsubmission: {format: trec}\n",
        **{"truth.qrels": "".join(f"q{n} 0 d1 1\n" for n in range(rows // 100))},
    )
    text = "".join(f"q{n // 100} Q0 d{n % 100} 1 {-n} some-run\n" for n in range(rows))
    paths = []
    for n in range(copies):
        (path := tmp_path / f"{n}.run").write_text(text)
        paths.append(path)
        assert (path.stat().st_size > 10_000_000) is (rows > 300)
    ran = installed("check", folder, *paths, **variables)
    assert ran.code == 1, ran
    assert ran.err.count("X001") + ran.out.count("X001") >= copies
    for n in (0, rows // 100 - 1):
        assert f"never q{n}" in ran.out + ran.err or rows > 300
    shared = copies > 1 and rows > 300 and len(os.sched_getaffinity(0)) > 1
    assert [path.name for path in ran_in.iterdir()] == ["copy" if shared else "first"]


ODD = ['"q1","i\n5",1', "q1,i1", "q1,é,3", '"q1","i77",1', "q1,i0,x", '"q1","unclosed,1']


@pytest.mark.slow("starts processes", beyond=1)
@pytest.mark.parametrize("odd", ODD)
def test_no_thread_outlives_a_file_however_it_ends(odd, challenge, monkeypatch):
    monkeypatch.setattr(reading, "SMALLEST", 500)
    monkeypatch.setattr(reading, "PIECE", 2000)
    names = [f"q{n}" for n in range(10)]
    truth = "".join(f"{name},i{n},{n % 3}\n" for name in names for n in range(10))
    folder = challenge(**{"truth.csv": "list,item,grade\n" + truth})
    lines = [f"{name},i{n},{n}" for n in range(40) for name in names]  # no list stands together
    (folder / "mine.csv").write_text("\n".join(["list,item,score", *lines[:-3], odd, *lines[-3:]]))
    before = threading.active_count()
    gc.disable()  # nothing is left for it to end
    try:
        for _ in range(3):
            scorer.score(folder, [folder / "mine.csv"])
            assert threading.active_count() == before
    finally:
        gc.enable()


@pytest.mark.parametrize("scattered", [False, True])
def test_more_errors_than_are_accepted_come_with_the_first_of_them(
    scattered, challenge, monkeypatch
):
    monkeypatch.setattr(reading, "SMALLEST", 200)
    monkeypatch.setattr(reading, "PIECE", 1000)
    rules = "submission: {limits: {errors: 100}, missing_list: zero}\n"
    folder = challenge("truth: truth.csv\nmetrics: [P@2]\n" + rules)
    names = [f"q{n}" for n in (1, 2)]
    lines = [f"{name},{item},1" for name in names for item in range(200) for _ in range(2)]
    order = np.random.default_rng(1).permutation(len(lines)) if scattered else range(len(lines))
    rows = [lines[n] for n in order]
    (folder / "mine.csv").write_text("\n".join(["list,item,score", *rows]) + "\n")
    (mine,) = scorer.score(folder, [folder / "mine.csv"]).submissions
    assert not mine.valid
    codes = [each.code for each in mine.findings]
    assert codes.count("S104") == 1
    assert 100 < codes.count("S304") <= 400


LONG = 200_000  # rows of one list
FORMS = {
    "csv": ("list,item,score\n", "q1,x{},{}\n"),
    "csv.gz": ("list,item,score\n", "q1,x{},{}\n"),
    "jsonl.gz": ("", '{{"list": "q1", "item": "x{}", "score": {}}}\n'),
}


@pytest.mark.slow("scores a list of many rows", beyond=1)
@pytest.mark.parametrize("form", FORMS)
def test_a_long_list_takes_few_bytes_a_row(form, tmp_path, monkeypatch):
    """In arrays, the worst row first, read in pieces; texts take polars 16 a row beside them."""
    monkeypatch.setattr(memory, "ROOM", 0)  # which is asked for, and not used
    for name, value in (("SMALLEST", 0), ("PIECE", 1 << 18)):
        monkeypatch.setattr(reading, name, value)
    head, row = FORMS[form]
    data = (head + "".join(row.format(n, n) for n in range(LONG))).encode()
    path = tmp_path / f"run.{form}"
    path.write_bytes(gzip.compress(data, 1) if form.endswith("gz") else data)
    made = plan(missing_list="zero")
    scored(made, path)  # else modules are imported while bytes are counted
    tracemalloc.start()
    outcome = scored(made, path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert outcome.card is not None
    assert peak < 76 * LONG, peak / LONG
