"""Backups, restored and moved boards are the same board, or nothing is done."""

import json
import shutil
from datetime import UTC, datetime

import pytest

from scorer.board.backup import described, folder_of
from scorer.board.board import Board
from scorer.core.errors import UsageError
from scorer.store.copying import digests, standing

DAY = datetime(2026, 1, 5, 12, tzinfo=UTC)
RULES = "splits: {public: 0.5, private: rest, seed: 2011}\n"


def filled(board, life):
    """A board with all kinds of rows; gives how it looks."""
    board.seal(now=DAY)
    for n, team in enumerate(("red", "blue")):
        board.add([life.sent(f"s{n}", 1.0)], team, now=DAY)
    board.add([life.sent("short", 1.0, lists=["no"])], "blue", now=DAY)
    board.decide("disqualify", 1, "copied", by="anna", now=DAY)
    board.new_token("red", now=DAY)
    return looks(board)


def looks(board):
    with standing(board._database._engine) as connection:
        rows = digests(connection, board.challenge.id)
    report = board.board(split="private", now=DAY).report
    return rows, [(s.rank, s.name, dict(s.values)) for s in report.standings], board.altered()


@pytest.fixture(scope="module")
def saved(tmp_path_factory, new_life):
    """A backup, and how its board looks."""
    life = new_life(tmp_path_factory.mktemp("saved") / "life", RULES, lists=6)
    with life.open() as board:
        looked = filled(board, life)
        assert board.store.backup(life.folder.parent / "backup").entries == 3
    return life.folder.parent / "backup", looked


def test_a_backup_is_restored_to_either_database(saved, tmp_path, store):
    backup, looked = saved
    folder_of(backup, tmp_path / "life")
    with Board.open(tmp_path / "life", store) as board:
        assert board.store.restore(backup).missing == ()
        assert looks(board) == looked
        assert looked[2] == []
        with pytest.raises(UsageError, match="a board life in that store already"):
            board.store.restore(backup)
        board.reveal(tmp_path / "open", early=True)  # with the salt of the seal
        assert board.store.backup(tmp_path / "again").files == len(described(backup)["files"])


def removed(backup):
    next((backup / "files").glob("*/*")).unlink()


def emptied(name):
    return lambda backup: (backup / name).write_bytes(b"")


def leads_out(backup):
    fields = json.loads((backup / "backup.json").read_text())
    fields["files"]["../backup/board.db"] = fields["files"]["board.db"]
    (backup / "backup.json").write_text(json.dumps(fields))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (removed, "missing or altered"),
        (emptied("board.db"), "'board.db' of the backup: missing or altered"),
        (emptied("secrets/seal.salt"), "seal.salt"),
        (emptied("backup.json"), "is no backup"),
        (leads_out, "missing or altered"),
    ],
)
def test_an_altered_backup_is_refused(saved, tmp_path, change, words):
    backup = shutil.copytree(saved[0], tmp_path / "backup")
    change(backup)
    with pytest.raises(UsageError, match=words):
        folder_of(backup, tmp_path / "life")
    assert not (tmp_path / "life").exists()


def test_a_backup_is_of_its_challenge(saved, tmp_path):
    with pytest.raises(UsageError, match="of challenge life, not of other"):
        folder_of(saved[0], tmp_path / "other")
    assert not (tmp_path / "other").exists()
    shutil.copytree(saved[0] / "challenge", tmp_path / "third")
    with Board.open(tmp_path / "third") as board:
        with pytest.raises(UsageError, match="not of third"):
            board.store.restore(saved[0])
        with pytest.raises(UsageError, match="exists already"):
            board.store.backup(saved[0])


def test_a_store_without_its_files_says_what_is_missing(saved, tmp_path):
    folder_of(saved[0], tmp_path / "life")
    with Board.open(tmp_path / "life") as board:
        board.store.restore(saved[0])
    shutil.rmtree(tmp_path / "life" / ".scorer" / "files")
    (tmp_path / "life" / "truth.csv").write_text("list,item,grade\nq00,d0,1\n")
    with Board.open(tmp_path / "life") as board:
        altered = board.audit(now=DAY).altered
        assert "the file of entry 1 is not kept any more" in altered
        assert "truth.csv of version 1 is not kept any more" in altered
        copied = board.store.backup(tmp_path / "rest")
        assert (copied.entries, len(copied.missing)) == (3, 5)


@pytest.mark.slow("a server of PostgreSQL")
def test_a_board_moves_to_postgresql_and_back(life, postgresql_store):
    life.rules(RULES)
    with life.open() as board:
        looked = filled(board, life)
        with life.open(), pytest.raises(UsageError, match="another process has the store open"):
            board.store.move(postgresql_store)
        assert board.store.move(postgresql_store).entries == 3
    with pytest.raises(UsageError, match=r"moved to postgresql.*--store"):
        life.open()
    beside = f"sqlite:///{life.folder / '.scorer' / 'board.db'}"
    with life.open(postgresql_store) as board:
        assert looks(board) == looked
        with pytest.raises(UsageError, match="already"):
            board.store.move(postgresql_store)
        board.store.move(beside)
    with life.open() as board:
        assert looks(board) == looked
        with pytest.raises(UsageError, match="a board life in that store already"):
            board.store.move(postgresql_store)
        assert looks(board) == looked
