"""Backups and moved boards are the same board, or nothing is done."""

import shutil
from datetime import UTC, datetime

import pytest

from scorer.board import database as database
from scorer.board.backup import back_up, move
from scorer.board.board import Board
from scorer.board.integrity import find_alterations
from scorer.core.errors import UsageError

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
    database = board.database
    rows = [
        *database.versions(), *database.teams(), *database.entries(), *database.decisions(),
        *database.receipts(), *database.tokens(), *database.queue.all(),
    ]  # fmt: skip
    report = board.board(split="private", now=DAY).report
    return (
        rows,
        [(s.rank, s.name, dict(s.values)) for s in report.leaderboard],
        find_alterations(board.evaluations),
    )


@pytest.fixture(scope="module")
def saved(tmp_path_factory, new_life):
    """A backup, and how its board looks."""
    life = new_life(tmp_path_factory.mktemp("saved") / "life", RULES, lists=6)
    with life.open() as board:
        looked = filled(board, life)
        assert back_up(board, life.folder.parent / "backup").entries == 3
    return life.folder.parent / "backup", looked


def test_a_copy_of_a_backup_is_the_board_again(saved, tmp_path):
    backup, looked = saved
    shutil.copytree(backup, tmp_path / "life")
    with Board.open(tmp_path / "life") as board:
        assert looks(board) == looked
        assert looked[2] == []
        board.reveal(tmp_path / "open", early=True)  # with the salt of the seal
        board.add([backup.parent / "s0.csv"], "blue", now=DAY)
        assert find_alterations(board.evaluations) == []
    with Board.open(tmp_path / "life") as board:
        assert len(board.entries()) == 4


def test_a_board_on_either_database_is_backed_up(life, store, tmp_path):
    life.rules(RULES)
    with life.open(store) as board:
        looked = filled(board, life)
        copied = back_up(board, tmp_path / "backups" / "life")
        assert (copied.entries, copied.missing) == (3, ())
        with pytest.raises(UsageError, match="exists already"):
            back_up(board, tmp_path / "backups" / "life")
    for path in (tmp_path / "backups" / "life").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path
    with Board.open(tmp_path / "backups" / "life") as board:
        assert looks(board) == looked


def test_a_store_without_its_files_says_what_is_missing(saved, tmp_path):
    shutil.copytree(saved[0], tmp_path / "life")
    shutil.rmtree(tmp_path / "life" / ".scorer" / "files")
    (tmp_path / "life" / "truth.csv").write_text("list,item,grade\nq00,d0,1\n")
    with Board.open(tmp_path / "life") as board:
        altered = board.audit(now=DAY).altered
        assert "the file of entry 1 is not kept any more" in altered
        assert "truth.csv of version 1 is not kept any more" in altered
        copied = back_up(board, tmp_path / "rest")
        assert (copied.entries, len(copied.missing)) == (3, 5)


@pytest.mark.slow("a server of PostgreSQL")
def test_a_board_moves_to_postgresql_and_back(life, postgresql_store):
    life.rules(RULES)
    with life.open() as board:
        looked = filled(board, life)
        with life.open(), pytest.raises(UsageError, match="another process has the store open"):
            move(board, postgresql_store)
        assert move(board, postgresql_store).entries == 3
    with pytest.raises(UsageError, match=r"moved to postgresql.*--store"):
        life.open()
    beside = f"sqlite:///{life.folder / '.scorer' / 'board.db'}"
    with life.open(postgresql_store) as board:
        assert looks(board) == looked
        with pytest.raises(UsageError, match="already"):
            move(board, postgresql_store)
        move(board, beside)
    with life.open() as board:
        assert looks(board) == looked
        with pytest.raises(UsageError, match="there is a board in that store already"):
            move(board, postgresql_store)
        assert looks(board) == looked


def test_a_copy_with_other_rows_than_the_store_is_no_copy(saved, tmp_path, monkeypatch):
    """Rows that get lost on the way, and receipts that change, are noticed; nothing is there."""
    shutil.copytree(saved[0], tmp_path / "life")
    target = f"sqlite:///{tmp_path / 'other.db'}"
    with Board.open(tmp_path / "life") as board:
        for count, chain in ((2, saved[0]), (None, "x")):
            with monkeypatch.context() as patch:
                if count is not None:
                    counts = iter([{}, {"entry": 3}, {"entry": count}])
                    patch.setattr(database, "_count_rows", lambda _, counts=counts: next(counts))
                else:
                    chains = iter([["a", "b"], ["a", chain]])
                    patch.setattr(database, "_digests", lambda _, chains=chains: next(chains))
                with pytest.raises(UsageError, match="the copy differs from the store"):
                    move(board, target)
        assert move(board, target).entries == 3
