"""Rows in no order, in memory or on disk, say to the bit what the whole says, of every kind."""

import dataclasses
import errno
import tempfile

import numpy as np
import pytest
from held import held_bytes
from rounds import ASKED
from wholes import CASES, TAGGED, every_plan, same

from scorer.challenge.load import load
from scorer.checks import rows as rows_of_checks
from scorer.checks import tally
from scorer.checks.submission import duplicate_item
from scorer.core.problems import Problem
from scorer.engines import gather, kept, local
from scorer.engines.kept import GroupedRows
from scorer.engines.local import scored
from scorer.formats import csv
from scorer.formats import cut as reading
from scorer.prepare.bind import prepare
from scorer.prepare.open import opened
from scorer.tables.columns import CodedColumn
from scorer.tables.spill import Spill
from scorer.tables.table import Schema, Table

ORDERS = 1 if ASKED is None else 4  # of the rows of each file


@pytest.fixture(scope="module")
def plans(tmp_path_factory):
    return every_plan(tmp_path_factory)


@pytest.fixture(scope="module")
def mine(tmp_path_factory):
    """The one place of all files, which their findings name."""
    return tmp_path_factory.mktemp("sent") / "mine.csv"


@pytest.fixture(scope="module")
def said():
    """What the whole says of each file in each order, however it is then taken in pieces."""
    return {}


@pytest.fixture
def blocks(monkeypatch):
    """In small pieces and blocks; the blocks that were gathered."""
    for name, value in (("SMALLEST", 0), ("PIECE", 60), ("HEAD", 60)):
        monkeypatch.setattr(reading, name, value)
    monkeypatch.setattr(csv, "SAMPLE", 2)  # rows by which a file's columns are told
    monkeypatch.setattr(gather, "GATHERED", 7)
    monkeypatch.setattr(gather, "MOST_PARTS", 3)
    made, block = [], GroupedRows._block

    def counted(rows, n, *words):
        made.append(n)
        return block(rows, n, *words)

    monkeypatch.setattr(GroupedRows, "_block", counted)
    return made


@pytest.fixture
def aside(monkeypatch):
    """The tables that were taken back from disk."""
    taken, tables = [], Spill.tables
    monkeypatch.setattr(
        Spill, "tables", lambda spill: (taken.append(table) or table for table in tables(spill))
    )
    return taken


def shuffled(content, seed):
    """The rows in another order; with an empty line here and there."""
    head, *rows = content.splitlines(keepends=True)
    rng = np.random.default_rng(seed)
    rows = [rows[n] + "\n" * int(rng.integers(5) == 0) for n in rng.permutation(len(rows))]
    return head + "".join(rows)


@pytest.mark.slow("reads large or many files", beyond=1)
@pytest.mark.parametrize(
    ("kind", "sent"), CASES, ids=lambda value: value if isinstance(value, str) else value[0]
)
@pytest.mark.parametrize("most", [kept.MEMORY, 1000, 0])
def test_scattered_rows_say_what_the_whole_says(
    plans, said, kind, sent, most, blocks, aside, mine, monkeypatch
):
    monkeypatch.setattr(kept, "MEMORY", most)
    for order in range(ORDERS):
        mine.write_text(shuffled(sent[1], order))
        if (kind, sent, order) not in said:
            with monkeypatch.context() as whole:
                whole.setattr(reading, "SMALLEST", 1 << 20)
                whole.setattr(reading, "SMALL", 1 << 20)
                said[kind, sent, order] = scored(plans[kind], mine)
        expected = said[kind, sent, order]
        assert not blocks
        assert not aside
        found = scored(plans[kind], mine)
        assert found.sha256 == expected.sha256
        same(found, expected)
        if len(sent[1]) > 100:
            assert blocks
            assert aside or most
        blocks.clear()
        aside.clear()


def test_rows_with_many_numbers_or_texts_are_put_aside(request):
    """They take no memory but for the lists that are worked on."""
    rng = np.random.default_rng(1)
    lists, notes = [f"q{n}" for n in range(1000)], [f"a note of some length {n}" for n in range(99)]
    spill = Spill()
    request.addfinalizer(spill.close)
    for start in range(0, 200_000, 50_000):
        columns = {
            "list": CodedColumn(rng.integers(0, 1000, 50_000), lists),
            "extra[note]": CodedColumn(rng.integers(0, 99, 50_000), notes),
        }
        numbers = {role: rng.normal(0, 1, 50_000) for role in ("prediction", "low", "high")}
        line = np.arange(50_000) + start
        spill.add(Table(columns, numbers, line, Schema(("list", "extra[note]"))))
    assert held_bytes(spill) < 1000
    tables = list(spill.tables())
    assert len(tables) == 64
    assert max(map(len, tables)) < 2 * 200_000 / 64
    assert sorted(np.concatenate([table.line for table in tables])) == list(range(200_000))
    assert len({name for table in tables for name in table.ids["list"].names}) == 1000
    assert sum(len(table.ids["list"].names) for table in tables) == 1000  # whole lists


def test_lists_without_items_stay_with_rows_that_are_put_aside(request):
    spill = Spill()
    request.addfinalizer(spill.close)
    ids = {role: CodedColumn(np.arange(2), ("q1", "q2")) for role in ("list", "item")}
    for line in (2, 4):
        facts = {"empty": [("q7", line)]}
        spill.add(Table(ids, {}, np.arange(line, line + 2), Schema(("list", "item")), facts))
    first, *others = spill.tables()
    assert list(first.facts["empty"]) == [("q7", 2), ("q7", 4)]
    assert [list(table.facts["empty"]) for table in others] == [[]]


@pytest.mark.slow("reads large or many files", beyond=1)
@pytest.mark.parametrize(("most", "refused"), [(100, False), (99, True)])
@pytest.mark.parametrize("which", ["all", "lists that the challenge lacks"])
def test_a_list_of_more_rows_than_are_accepted_ends_it(
    which, most, refused, plans, blocks, tmp_path, monkeypatch
):
    plan, path = plans["grades"], tmp_path / "mine.csv"
    if which == "all":
        monkeypatch.setattr(kept, "MEMORY", 0)
    rules = plan.rules.model_copy(update={"unknown_list": "ignore", "missing_list": "skip"})
    rows = [f"{'xq'[n % 2]}{n % 2 and n % 7},i{n},{n}\n" for n in range(200)]
    path.write_text("list,item,score\n" + "".join(rows))
    limits = plan.limits._replace(list=most)
    plan = dataclasses.replace(plan, limits=limits, rules=rules, measures=())
    outcome = scored(plan, path)
    assert ["more than 99 rows in one list"] * refused == [
        each.message for each in outcome.findings if each.code == "S104"
    ]


def full(**named):
    return open("/dev/full", "w+b", buffering=0)


def none(**named):
    raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")


@pytest.mark.parametrize(
    ("made", "why"),
    [(full, "No space left on device"), (none, "No usable temporary directory found")],
)
def test_a_temporary_file_that_cannot_be_filled_is_told(
    made, why, plans, blocks, tmp_path, monkeypatch
):
    monkeypatch.setattr(tempfile, "TemporaryFile", made)
    monkeypatch.setattr(kept, "MEMORY", 0)
    path = tmp_path / "mine.csv"
    path.write_text(shuffled(TAGGED["good"], 1))
    outcome = scored(plans["further"], path)
    (problem,) = outcome.findings
    assert problem.code == "S104"
    assert problem.message == f"a temporary file cannot be filled ({why})"
    assert outcome.card is None


@pytest.mark.slow("reads large files")
def test_no_temporary_file_is_made_without_rows_that_are_put_aside(
    plans, blocks, tmp_path, monkeypatch
):
    monkeypatch.setattr(tempfile, "TemporaryFile", none)
    plan, path = plans["grades"], tmp_path / "mine.csv"
    rules = plan.rules.model_copy(update={"unknown_list": "ignore", "missing_list": "skip"})
    plan = dataclasses.replace(plan, rules=rules, measures=())
    rows = [f"q{n % 9},i{n},{n}\n" for n in range(200)]
    for others in ("", "x,i0,1\n"):
        path.write_text("list,item,score\n" + "".join(rows) + others)
        blocks.clear()
        assert scored(plan, path).findings.counts["S104"] == bool(others)
        assert bool(blocks) is not bool(others)


def test_lists_without_items_stay_with_the_rows(plans):
    rows, line = GroupedRows(plans["grades"], 2, Spill()), 2
    for names, empty in ((("q1", "q2", "q1"), [("q7", 9)]), (("q2", "q1"), [("q0", 9)])):
        ids = {role: CodedColumn(np.arange(len(names)), names) for role in ("list", "item")}
        lines = np.arange(line, line + len(names))
        rows.add(Table(ids, {}, lines, Schema(("list", "item")), {"empty": tuple(empty)}))
        line += len(names)
    tables = list(rows.tables())
    assert [list(table.facts["empty"]) for table in tables] == [[("q7", 9), ("q0", 9)], [], []]
    assert [table.line.tolist() for table in tables] == [[], [2, 4, 6], [3, 5]]


@pytest.mark.slow("reads large or many files")
@pytest.mark.parametrize("most", [0, kept.MEMORY])
def test_too_many_errors_end_it_before_all_ids_are_read(
    most, plans, blocks, aside, tmp_path, monkeypatch
):
    """Those that a list has twice: their ids are read a part of the lists at a time."""
    monkeypatch.setattr(kept, "MEMORY", most)
    path, plan = tmp_path / "mine.csv", plans["grades"]
    rows = [f"q{n % 9},i{n // 18},{n}\n" for n in np.random.default_rng(1).permutation(1800)]
    path.write_text("list,item,score\n" + "".join(rows))
    limits = plan.limits._replace(errors=100)
    found = scored(dataclasses.replace(plan, limits=limits), path)
    assert found.findings.counts["S104"] == 1
    assert 0 < len(set(blocks)) < max(blocks) + 500 // 7


@pytest.mark.slow("reads large or many files")
@pytest.mark.parametrize("most", [0, kept.MEMORY])
def test_of_many_errors_those_are_made_that_can_be_reported(
    most, plans, blocks, aside, tmp_path, monkeypatch
):
    """Each block of lists has a hundred errors; ten of all are reported."""
    monkeypatch.setattr(kept, "MEMORY", most)
    path, made = tmp_path / "mine.csv", []
    rows = [f"q{n % 9},i{n // 18},{n}\n" for n in np.random.default_rng(1).permutation(9000)]
    path.write_text("list,item,score\n" + "".join(rows))
    for module in (rows_of_checks, tally):
        monkeypatch.setattr(module, "KEPT", 10)
    monkeypatch.setattr(gather, "GATHERED", 200)

    def counted(*words, **named):
        made.append(named["line"])
        return Problem(*words, **named)

    monkeypatch.setattr(duplicate_item, "Problem", counted)
    with monkeypatch.context() as whole:
        whole.setattr(reading, "SMALLEST", 1 << 20)
        whole.setattr(reading, "SMALL", 1 << 20)
        expected = scored(plans["folds"], path)
    assert len(made) == 10
    assert not blocks
    same(scored(plans["folds"], path), expected)
    assert sum(each.times for each in expected.findings if each.code == "S304") == 4500
    assert blocks
    assert 20 <= len(made) < 100


@pytest.mark.slow("reads large or many files")
@pytest.mark.parametrize("step", [1, 7])  # in the truth's order, and in another
def test_ids_of_rows_with_labels_stay_where_polars_has_them(step, blocks, tmp_path):
    """As Python's texts, and in a dictionary, they took 150 bytes each."""
    names = [f"n{n:04}" for n in range(1000)]
    (tmp_path / "truth.csv").write_text("list,label\n" + "".join(f"{n},a\n{n}x,b\n" for n in names))
    (tmp_path / "challenge.yaml").write_text("truth: truth.csv\nmetrics: [Accuracy]\n")
    plan = opened(prepare(load(tmp_path))).plan
    order = [names[n * step % 1000] for n in range(1000)]
    (tmp_path / "mine.csv").write_text(
        "list,label\n" + "".join(f"{n},a\n{n}x,{'ab'[int(n[1:]) % 2]}\n" for n in order)
    )
    outcome = scored(plan, tmp_path / "mine.csv")
    assert outcome.card.values["Accuracy"].mean() == 0.75
    assert "_index" not in vars(plan.known.lists)


def test_a_file_that_lost_its_rows_while_it_was_read_is_refused(plans, blocks, tmp_path):
    """It is read once more where lists are seen to be scattered after some were scored."""
    path = tmp_path / "mine.csv"
    path.write_text("list,item,score\n")
    outcome = local._scored(plans["grades"], path, lambda share: None, scattered=True)
    assert [(each.code, each.message) for each in outcome.findings] == [
        ("S101", "the file changed while it was read")
    ]
    assert outcome.card is None
