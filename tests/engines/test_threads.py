"""However many threads read a file, its report has the same bytes."""

import dataclasses
import json
import os
import sys
import threading
from pathlib import Path

import pytest
from wholes import CASES, every_plan, same

from scorer.core.threads import VARIABLE
from scorer.engines.local import scored
from scorer.engines.processes import shared
from scorer.formats import csv
from scorer.formats import cut as reading

COUNTS = "1", "2", "4"
ROWS = "".join(f"q{n // 8},{'abcdefgh'[n % 8]},{n % 5}\n" for n in range(72))
AGAIN = ROWS + "q1,a,3\n"  # a list comes again, far below
LATE = ROWS[: 60 * 6] + "q8,a\n" + ROWS[60 * 6 :]
MIXED = "".join(sorted(ROWS.splitlines(keepends=True), key=lambda row: row[::-1]))  # by scores
FILES = {
    "whole": ROWS,
    "lists that are scattered": MIXED,
    "scattered, and lists and items twice": MIXED.replace("b,", "c,").replace("q4", "x4"),
    "scattered, with more errors than are accepted": MIXED.replace("g,", "a,").replace("f,", "b,"),
    "a list that comes again": AGAIN,
    "a short row": LATE,
    "a row that is no text": LATE.replace("q8,a\n", "q8,\0,1\n"),
    "unknown lists and items": ROWS.replace("q3", "x3").replace("c,", "y,"),
    "more errors than are accepted": ROWS.replace("q5", "").replace("q6", "").replace("q8,", ","),
    "too many errors, and a list that comes again": AGAIN.replace("q5", "").replace("q6", ""),
    "a long line": LATE.replace("q8,a\n", "q8," + 3000 * "a" + ",1\n"),
}


@pytest.fixture(scope="module")
def plans(tmp_path_factory):
    return every_plan(tmp_path_factory)


@pytest.fixture
def small(monkeypatch):
    """Pieces and blocks of some rows."""
    for name, value in (("SMALLEST", 0), ("PIECE", 60), ("HEAD", 60)):
        monkeypatch.setattr(reading, name, value)
    monkeypatch.setattr(csv, "SAMPLE", 2)


def by_threads(plan, path, monkeypatch):
    """The outcome with each number of threads."""
    outcomes, before = [], set(threading.enumerate())
    for count in COUNTS:
        monkeypatch.setenv(VARIABLE, count)
        outcomes.append(scored(plan, path))
        assert set(threading.enumerate()) <= before
    return outcomes


@pytest.mark.slow("each faulty file by three numbers of threads", beyond=1)
@pytest.mark.parametrize("errors", [3, 10_000])
@pytest.mark.parametrize("name", FILES)
def test_faulty_files_say_the_same(name, errors, plans, small, tmp_path, monkeypatch):
    plan, path = plans["grades"], tmp_path / "mine.csv"
    plan = dataclasses.replace(plan, limits=plan.limits._replace(errors=errors, line=2000))
    path.write_text("list,item,score\n" + FILES[name])
    first, *others = by_threads(plan, path, monkeypatch)
    assert [str(problem) for problem in first.findings] or FILES[name] in (ROWS, MIXED)
    for other in others:
        assert list(other.findings) == list(first.findings)
        assert other.sha256 == first.sha256
        same(other, first)


@pytest.mark.slow("every kind of challenge and file", beyond=1)
@pytest.mark.parametrize(
    ("kind", "sent"), CASES, ids=lambda value: value if isinstance(value, str) else value[0]
)
def test_every_kind_says_the_same(kind, sent, plans, small, tmp_path, monkeypatch):
    path = tmp_path / "mine.csv"
    path.write_text(sent[1])
    first, *others = by_threads(plans[kind], path, monkeypatch)
    for other in others:
        assert other.sha256 == first.sha256
        same(other, first)


def assert_nothing_is_left(error, plan, path, monkeypatch, rows=ROWS):
    """The error ends the file as it should, whatever the threads, of which none is left."""
    path.write_text("list,item,score\n" + rows)
    before = set(threading.enumerate())
    for count in COUNTS:
        monkeypatch.setenv(VARIABLE, count)
        if error is KeyboardInterrupt:
            with pytest.raises(KeyboardInterrupt):
                scored(plan, path)
        else:
            (problem,) = scored(plan, path).findings
            assert (problem.code, "memory" in problem.message) == ("S104", True)
        assert set(threading.enumerate()) <= before


@pytest.mark.slow("reads large files often", beyond=1)
@pytest.mark.parametrize("place", ["read", "cut"])
@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
def test_no_thread_is_left_when_reading_ends_early(
    error, place, plans, small, tmp_path, monkeypatch
):
    """As where one thread does all: what was scored before it is forgotten."""
    own, first = {"read": reading.Block, "cut": csv.Csv.plain}[place], 30

    def made(data, line, *others):
        if line >= first:
            raise error
        return own(data, line, *others)

    def plain(reader, block, notes):
        if block.first >= first:
            raise error
        return own(reader, block, notes)

    if place == "read":
        monkeypatch.setattr(reading, "Block", made)
    else:
        monkeypatch.setattr(csv.Csv, "plain", plain)
    assert_nothing_is_left(error, plans["grades"], tmp_path / "mine.csv", monkeypatch)


@pytest.mark.slow("three runs of the command")
def test_a_report_has_the_same_bytes(challenge, score, small, tmp_path, monkeypatch):
    truth = "list,item,grade\n" + "".join(f"q{n},{i},{n % 3}\n" for n in range(9) for i in "ace")
    folder = challenge("truth: truth.csv\nmetrics: [nDCG@3, AP, P@2]\n", **{"truth.csv": truth})
    path = tmp_path / "mine.csv"
    path.write_text("list,item,score\n" + ROWS)
    reports = []
    for count in COUNTS:
        monkeypatch.setenv(VARIABLE, count)
        reports.append(score(folder / "challenge.yaml", path, "--format", "json").out)
    assert json.loads(reports[0])["leaderboard"]
    assert reports[1:] == reports[:1] * 2


@pytest.mark.slow("starts processes")
@pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux alone")
def test_a_copy_of_the_process_has_one_thread(monkeypatch):
    monkeypatch.setenv(VARIABLE, "4")
    paths = [Path(name) for name in "abc"]
    assert list(shared(lambda path: os.environ[VARIABLE], paths)) == ["1"] * 3
    assert os.environ[VARIABLE] == "4"
