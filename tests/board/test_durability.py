"""Acknowledged means durable: killed at any moment, with a full disk, with many writers at once."""

import multiprocessing
import os
import random
import resource
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rounds import ASKED

from scorer import board as board_package
from scorer.board import connection
from scorer.board.database import Database
from scorer.board.integrity import find_alterations
from scorer.core.errors import UsageError

KILLS = 200  # on each database
# Nothing is copied from this process, whose other threads may hold a lock.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["__main__", "scorer.board.board", "scorer.scoring.submission"])
NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)


@pytest.fixture
def small(life, store):
    """A board with few lists, so that adding takes a few hundredths of a second."""
    life.lists = life.lists[:3]
    life.grade = {key: grade for key, grade in life.grade.items() if key[0] in life.lists}
    life.write_truth()
    with life.open(store) as board:
        board.versions.in_force()
    life.store = store
    return life


def started(act, *words):
    """Run `act(told, *words)` in a process; gives it, and where what `told` sends arrives."""
    reader, told = PROCESSES.Pipe(duplex=False)
    process = PROCESSES.Process(target=act, args=(told, *words))
    process.start()
    told.close()
    return process, reader


def heard(reader):
    """All that was told before the other end was closed."""
    texts = []
    with reader, suppress(EOFError):
        while True:
            texts.append(reader.recv())
    return texts


def add(told, life, paths, team):
    with life.open(life.store) as board:
        for path in paths:
            (added,) = board.add([path], team, now=NOW)
            told.send((added.entry, added.sha256, added.receipt))


def add_to_a_full_disk(told, life, path):
    limit = path.stat().st_size // 2
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    try:
        with life.open(life.store) as board:
            told.send(board.add([path], "red", now=NOW)[0].entry)
    except UsageError:
        told.send("refused")


@pytest.mark.slow("hundreds of processes")
def test_a_killed_process_loses_no_acknowledged_entry(small, verify_text):
    chance = random.Random(1 if ASKED is None else None)
    files = [small.sent(f"k{n}", 1.0) for n in range(KILLS)]
    acknowledged, lasts = [], 0.1

    for n, path in enumerate(files):
        began = time.monotonic()
        child, reader = started(add, small, [path], f"team{n}")
        if n >= 3:  # the first few say how long it takes
            select.select([reader], [], [], chance.uniform(0, lasts))
            child.kill()
        told = heard(reader)
        acknowledged += told
        child.join()
        if n < 3:
            lasts = time.monotonic() - began
        else:  # whatever the machine does meanwhile, half of the kills come too late
            lasts *= 0.95 if told else 1.05
    with small.open(small.store) as board:
        entries = {entry.number: entry for entry in board.entries()}
        assert [*entries] == [*range(1, len(entries) + 1)]
        assert len({number for number, _, _ in acknowledged}) == len(acknowledged)
        chain = board.receipts()
        for number, sha256, receipt in acknowledged:
            assert entries[number].sha256 == sha256
            assert receipt in chain
        assert verify_text(chain)[1] == []
        assert chain.count('"entry":') == len(entries)
        board.evaluations.finish_pending()
        assert set(board.ledger.statuses().values()) == {"scored"}
        assert len(board.board(now=NOW).report.leaderboard) == len(entries)
        passing = list((small.folder / ".scorer").rglob(".new-*"))
        assert len(passing) <= KILLS - len(acknowledged), "only a kill leaves a passing file"
    assert 3 < len(acknowledged) < KILLS, "the kills fell before and after the acknowledgement"


@pytest.mark.slow("hundreds of processes")
def test_a_full_disk_refuses_and_keeps_what_was_acknowledged(small, verify_text):
    files = [small.sent(f"f{n}", 1.0) for n in range(4)]
    with small.open(small.store) as board:
        kept = [board.add([path], "red", now=NOW)[0].entry for path in files[:2]]

    child, reader = started(add_to_a_full_disk, small, files[2])
    assert heard(reader) == ["refused"]
    child.join()
    assert child.exitcode == 0
    with small.open(small.store) as board:
        assert [entry.number for entry in board.entries()] == kept
        (added,) = board.add([files[3]], "red", now=NOW)
        assert (added.entry, added.status) == (3, "scored")
        assert verify_text(board.receipts())[1] == []
        assert find_alterations(board.evaluations) == []


WRITERS, EACH = 8, 4


@pytest.mark.slow("hundreds of processes")
def test_eight_writers_at_once_get_different_numbers(small, verify_text):
    files = [[small.sent(f"w{n}-{m}", 1.0) for m in range(EACH)] for n in range(WRITERS)]

    children = [started(add, small, files[n], f"team{n}") for n in range(WRITERS)]
    numbers = [number for _, reader in children for number, _, _ in heard(reader)]
    for child, _ in children:
        child.join()
    assert [child.exitcode for child, _ in children] == [0] * WRITERS
    assert sorted(numbers) == [*range(1, WRITERS * EACH + 1)]
    with small.open(small.store) as board:
        assert set(board.ledger.statuses().values()) == {"scored"}
        assert verify_text(board.receipts())[1] == []
        assert find_alterations(board.evaluations) == []
        assert len(board.teams.by_name()) == WRITERS


def test_a_workers_death_costs_time_only(small, work):
    with small.open(small.store) as board:
        board.add([small.sent("a", 1.0)], "red", now=NOW, evaluate=False)
        version = board.versions.in_force()
        sha256 = board.ledger.get(1).sha256
        moment = datetime.now(UTC)
        assert board.database.queue.claim(version.values, "gone", moment, 0.05) == sha256
        assert board.database.queue.claim(version.values, "next", moment, 60) is None
        time.sleep(0.06)
        assert work(board) == 1
        assert board.ledger.outcome(1).status == "scored"


def test_workers_that_die_over_a_file_again_and_again_make_it_a_failure(small, work):
    with small.open(small.store) as board:
        board.add([small.sent("a", 1.0)], "red", now=NOW, evaluate=False)
        values = board.versions.in_force().values
        for _ in range(4):
            board.database.queue.claim(values, "dies", datetime.now(UTC), -1)
        work(board)
        assert board.ledger.outcome(1).code == "S901"


NEXT_REVISION = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = "0011", "0010"


def upgrade():
    op.add_column("team", sa.Column("motto", sa.Text))
"""


@pytest.mark.slow("migrates stores")
def test_an_older_store_is_migrated_after_a_copy_and_a_newer_one_is_refused(
    small, tmp_path, monkeypatch
):
    if not small.store.startswith("sqlite"):
        pytest.skip("a PostgreSQL store is copied with pg_dump")
    path = small.store.removeprefix("sqlite:///")
    with small.open(small.store) as board:
        board.add_team("of before", now=NOW)
    migrations = tmp_path / "migrations"
    shutil.copytree(Path(board_package.__file__).parent / "migrations", migrations)
    (migrations / "versions" / "r0011_motto.py").write_text(NEXT_REVISION)
    monkeypatch.setattr(connection, "MIGRATIONS", str(migrations))
    monkeypatch.setattr(connection, "REVISION", "0011")
    with small.open(small.store) as board:
        assert [*board.teams.by_name()] == ["of before"]
        # another process that comes and goes does not take the files away that this one writes
        look = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('SELECT * FROM entry')"
        subprocess.run([sys.executable, "-c", look, path], check=True)
        assert os.path.exists(f"{path}-wal")
        board.add_team("of today", now=NOW)
        with closing(sqlite3.connect(path)) as database:
            assert ("of today", None) in database.execute("SELECT name, motto FROM team").fetchall()
    with closing(sqlite3.connect(f"{path}.0010.backup")) as database:
        assert database.execute("SELECT name FROM team").fetchall() == [("of before",)]
        assert database.execute("SELECT * FROM alembic_version").fetchall() == [("0010",)]
    monkeypatch.undo()
    with pytest.raises(UsageError, match="made by a newer scorer"):
        Database.open(small.store, "life")


def test_migrations_make_the_tables_of_the_schema(store):
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    from scorer.board.models import Base

    database = Database.open(store, "b")
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
    database.close()


def test_a_store_that_cannot_be_reached_is_told_plainly(life):
    with pytest.raises(UsageError, match="cannot be opened"):
        life.open("sqlite:////nowhere/at/all.db")
    with pytest.raises(UsageError, match="cannot be opened"):
        life.open("postgresql+psycopg://nobody@127.0.0.1:1/none")
