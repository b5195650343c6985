"""The upkeep of a store: what is kept of files, and copies of them."""

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, event

from scorer.api.submissions import SubmissionFile
from scorer.board import files
from scorer.board.backup import copy_entry_files
from scorer.board.board import Board
from scorer.board.integrity import find_alterations
from scorer.board.listing import EntryFilter, Page
from scorer.core.errors import ScorerError, UsageError

DAY = datetime(2026, 1, 5, 12, tzinfo=UTC)
RULES = (
    "registration: {registration}\nphases: [{{id: main, opens: 2026-01-01T00:00:00+00:00, "
    "closes: 2026-02-01T00:00:00+00:00, quota: {{per_day: 1}}}}]\n"
    "questions: {{method: {{type: text, required: true}}}}\n"
)


def kept(folder):
    return {path.name for path in (folder / ".scorer" / "files").glob("*/*")}


@pytest.mark.parametrize(
    ("team", "now", "answers", "code"),
    [
        ("red", DAY, {"method": "x"}, "S802"),
        ("red", DAY + timedelta(days=40), {"method": "x"}, "S801"),
        ("red", DAY + timedelta(days=1), {}, "S805"),
        ("blue", DAY, {"method": "x"}, "S804"),
    ],
)
def test_a_refused_file_is_not_kept(life, team, now, answers, code):
    life.rules(RULES.format(registration="invite"))
    with life.open() as board:
        board.add_team("red", now=DAY)
        (first,) = board.add([life.sent("a", 1.0)], "red", now=DAY, answers={"method": "x"})
        before = kept(life.folder)
        (refused,) = board.add([life.sent("b", 1.0)], team, now=now, answers=answers)
        assert (refused.status, refused.code) == ("refused", code)
        assert kept(life.folder) == before
        assert first.sha256 in before
        assert [entry.number for entry in board.entries()] == [1]
        assert board.receipts().count('"entry":') == 1


def test_who_opens_the_store_keeps_others_from_moving_it(life, store):
    with life.open(store) as board:
        board.database.require_exclusive()
        with life.open(store) as other:
            other.entries()
            with pytest.raises(UsageError, match="another process has the store open"):
                board.database.require_exclusive()
        board.database.require_exclusive()
        (added,) = board.add([life.sent("b", 1.0)], "red")
        assert (added.status, find_alterations(board.evaluations)) == ("scored", [])


def test_an_entry_takes_at_most_six_transactions(life, score):
    score("add", life.folder, life.sent("a", 1.0), "--team", "red")
    score("board", life.folder)
    begun = []

    def note(connection):
        begun.append(connection)

    event.listen(Engine, "begin", note)
    try:
        assert score("add", life.folder, life.sent("b", 2.0), "--team", "red").code == 0
        assert len(begun) <= 6
        begun.clear()
        assert score("add", life.folder, life.sent("c", 2.0), "--team", "blue").code == 0
        assert len(begun) <= 6
    finally:
        event.remove(Engine, "begin", note)


def test_a_transaction_within_another_is_a_part_of_it(life, store):
    def names(board):
        return [team.name for team in board.database.teams()]

    def fail(board):
        with board.database.write():
            board.add_team("blue")
            assert names(board) == ["red", "blue"]
            raise ZeroDivisionError

    with life.open(store) as board:
        with board.database.read():
            assert names(board) == []
            board.database.add_team("red", DAY)  # by a transaction of its own
            assert names(board) == []  # as it was when this one began
        with pytest.raises(ZeroDivisionError):
            fail(board)
        assert names(board) == ["red"]
        with pytest.raises(UsageError, match="cannot be a name"):
            board.add_team("green", label="")
        board.add_team("yellow")
        assert [*board.teams.by_name()] == ["red", "yellow"]  # nothing is kept of what was undone


def test_a_store_of_an_earlier_commit_is_refused_with_what_to_do(life, score):
    with life.open() as board:
        board.add_team("red")
    with closing(sqlite3.connect(life.folder / ".scorer" / "board.db")) as database, database:
        database.execute("UPDATE alembic_version SET version_num = '0007'")
    ran = score("board", life.folder)
    assert ran.code == 2
    assert "made before the first release" in ran.err
    assert "Name a new store" in ran.err


def test_files_of_entries_are_copied_or_none_is(life, tmp_path):
    taken, target = tmp_path / "taken", tmp_path / "new" / "files"
    taken.mkdir()
    (taken / "x").touch()
    with life.open() as board:
        a, b = life.sent("a", 1.0), life.sent("b", 1.0)
        board.add([a], "../red")
        board.add([SubmissionFile("b", b.rename(b.with_name("b.fixed.csv")))], "blue: two")
        for numbers, folder, message in (
            ([1, 9], target, "no entry is called '9'"),
            ([1], taken, "exists and is not an empty folder"),
        ):
            with pytest.raises(ScorerError, match=message):
                copy_entry_files(board, numbers, folder)
        assert not target.parent.exists()
        assert copy_entry_files(board, [2, 1, 2], target) == 2
        copies = {path.name: path.read_bytes() for path in target.iterdir()}
        assert copies == {
            "1-_red.csv": a.read_bytes(), "2-blue__two.csv": (tmp_path / "b.fixed.csv").read_bytes()
        }  # fmt: skip
        board.files.path(board.ledger.get(1).sha256).unlink()
        with pytest.raises(UsageError, match="the file of entry 1 is not kept any more"):
            copy_entry_files(board, [2, 1], tmp_path / "rest")
        assert not (tmp_path / "rest").exists()


def test_a_new_store_gets_its_first_version_from_whoever_reads_it_first(life, tmp_path):
    for n, read in enumerate(
        (
            lambda board: board.evaluations.finish_pending(),
            lambda board: board.evaluations.read_state(),
            lambda board: board.evaluations.team_state(None),
            lambda board: board.ledger.outcomes(EntryFilter(), Page()),
        )
    ):
        with life.open(f"sqlite:///{tmp_path / f'new-{n}.db'}") as board:
            read(board)
            assert [version.number for version in board.database.versions()] == [1]


def test_while_a_file_is_copied_others_write(life, store, monkeypatch):
    with life.open(store) as board, life.open(store) as other:
        board.versions.in_force()
        copy = files._copy

        def slow_copy(*words):
            monkeypatch.setattr(files, "_copy", copy)
            other.add([life.sent("b", 1.0)], "blue", now=DAY)
            copy(*words)

        monkeypatch.setattr(files, "_copy", slow_copy)
        (added,) = board.add([life.sent("a", 1.0)], "red", now=DAY)
        assert (added.entry, added.status) == (2, "scored")
        assert find_alterations(board.evaluations) == []


def test_a_file_that_is_refused_after_it_was_copied_is_not_kept(life, store, monkeypatch):
    life.rules("phases: [{id: main, quota: {total: 1}}]\n")
    with life.open(store) as board, life.open(store) as other:
        board.versions.in_force()
        copy = files._copy

        def slow_copy(*words):
            monkeypatch.setattr(files, "_copy", copy)
            other.add([life.sent("b", 1.0)], "red", now=DAY)
            copy(*words)

        monkeypatch.setattr(files, "_copy", slow_copy)
        (refused,) = board.add([life.sent("a", 1.0)], "red", now=DAY)
        assert (refused.entry, refused.code) == (None, "S802")
        assert refused.sha256 not in kept(life.folder)
        assert not any(name.startswith(".new-") for name in kept(life.folder))


def test_files_are_kept_in_a_folder(life):
    with pytest.raises(UsageError, match="files are kept in a folder, which 's3://bucket' is not"):
        Board.open(life.folder, files="s3://bucket")


def test_a_list_of_entries_is_a_part_of_them_with_their_outcomes(life, store, work):
    with life.open(store) as board:
        for n, team in enumerate(("red", "blue", "red", "red")):
            now = DAY + timedelta(hours=(3, 1, 2, 4)[n])
            board.add([life.sent(f"s{n}", 1.0)], team, now=now, evaluate=n < 2)
        board.add([life.sent("short", 1.0, lists=["no"])], "blue", now=DAY)
        work(board, 1)
        red = board.teams.get("red").id

        def numbers(most=None, skip=0, order="number", **wanted):
            found = board.ledger.outcomes(EntryFilter(**wanted), Page(most, skip, order))
            assert found == [
                (board.ledger.get(e.number), board.ledger.outcome(e.number)) for e, _ in found
            ]
            assert most or len(found) == board.ledger.listing().count(EntryFilter(**wanted))
            return [added.entry for _, added in found]

        assert numbers() == [1, 2, 3, 4, 5]
        assert numbers(2, 1, "latest") == [1, 3]
        assert numbers(order="latest") == [4, 1, 3, 2, 5]
        assert numbers(team=red) == [1, 3, 4]
        assert numbers(status="pending") == [4]
        assert numbers(status="scored", team=red) == [1, 3]
        assert numbers(status="rejected", team=red) == []
        assert board.ledger.listing().by_status() == {"scored": 3, "rejected": 1, "pending": 1}
        assert sorted(board.ledger.listing().by_team().values()) == [2, 3]


@pytest.mark.parametrize("most", [1, 3, 100])
@pytest.mark.parametrize("team", [None, "red"])
def test_a_part_of_the_log_is_the_latest_of_the_whole(shown, most, team):
    assert shown.log(team, most) == shown.log(team)[-most:]


@pytest.fixture(scope="module")
def shown(tmp_path_factory, new_life):
    life = new_life(tmp_path_factory.mktemp("log") / "life", "", lists=6)
    with life.open() as board:
        for n, team in enumerate(("red", "blue", "red", "red")):
            now = DAY + timedelta(hours=(3, 1, 2, 4)[n])
            board.add([life.sent(f"s{n}", 1.0)], team, now=now)
        board.add([life.sent("base", 1.0)], "base", now=DAY, baseline=True)
        for n in (2, 1, 5):
            board.decide("disqualify", n, "copied", by="anna", now=DAY + timedelta(hours=5 + n))
        yield board


def test_a_store_is_of_one_challenge(life, new_life, tmp_path):
    shared = f"sqlite:///{tmp_path / 'store.db'}"
    with life.open(shared) as board:
        board.add_team("red")
    other = new_life(tmp_path / "other", "", lists=3)
    with pytest.raises(UsageError, match="this store is of challenge 'life', not of 'other'"):
        other.open(shared)
    with life.open(shared) as board:
        assert list(board.teams.by_name()) == ["red"]


@pytest.mark.slow("a server of PostgreSQL")
@pytest.mark.parametrize("id", ["other", 'a "b" 100%:x', "public", "é" * 60, "é" * 61])
def test_boards_of_one_postgresql_database_have_schemas_of_their_own(
    life, new_life, tmp_path, postgresql_store, id
):
    folders = {"life": life, id: new_life(tmp_path / "more", f"id: {json.dumps(id)}\n", lists=3)}
    for name, each in folders.items():
        with each.open(postgresql_store) as board:
            assert board.challenge.id == name
            board.add_team(f"of {name[:50]}")
            (added,) = board.add([each.sent("a", 1.0, each.lists)], f"of {name[:50]}")
            assert added.entry == 1
    for name, each in folders.items():
        with each.open(postgresql_store) as board:
            assert list(board.teams.by_name()) == [f"of {name[:50]}"]
            assert len(board.entries()) == 1
            assert find_alterations(board.evaluations) == []
