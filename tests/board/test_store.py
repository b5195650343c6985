"""The upkeep of a store: files that nothing names are not kept, or removed."""

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from scorer.board.board import Board
from scorer.core.errors import UsageError
from scorer.store.records import Extract, Wanted

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


def orphans(life):
    """Files that no entry names: a whole one, and one that was never finished."""
    folder = life.folder / ".scorer" / "files" / "ab"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("ab" + "0" * 62, ".new-x"):
        (folder / name).write_bytes(b"12345")


def test_what_nothing_names_is_removed_while_nobody_else_has_the_store(life, store):
    with life.open(store) as board:
        board.add([life.sent("a", 1.0)], "red")
        before = kept(life.folder)
        assert board.store.gc() == []  # entries and versions name all
        orphans(life)
        would = board.store.gc(dry_run=True)
        assert [file.path for file in would] == ["ab/.new-x", f"ab/ab{'0' * 62}"]
        assert len(kept(life.folder)) == len(before) + 2
        with life.open(store) as other:
            other.teams()
            with pytest.raises(UsageError, match="another process has the store open"):
                board.store.gc()
        assert len(kept(life.folder)) == len(before) + 2
        assert board.store.gc() == would
        assert kept(life.folder) == before
        (added,) = board.add([life.sent("b", 1.0)], "red")
        assert (added.status, board.altered()) == ("scored", [])


def test_who_opens_the_store_meanwhile_waits(life, monkeypatch):
    with life.open() as board:
        board.add([life.sent("a", 1.0)], "red")
        look = (
            "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0)"
            ".execute('SELECT number FROM entry')"
        )
        path = life.folder / ".scorer" / "board.db"
        with board._database.alone():
            ran = subprocess.run([sys.executable, "-c", look, path], capture_output=True)
        assert b"database is locked" in ran.stderr
        subprocess.run([sys.executable, "-c", look, path], check=True)


def test_files_at_a_chosen_place_may_be_of_other_boards(life, tmp_path):
    life.open().close()
    with Board.open(life.folder, files=str(tmp_path / "shared")) as board:
        board.add([life.sent("a", 1.0)], "red")
        with pytest.raises(UsageError, match="--unshared"):
            board.store.gc()
        assert board.store.gc(dry_run=True) == board.store.gc(unshared=True) == []


def test_files_are_kept_in_a_folder(life):
    with pytest.raises(UsageError, match="files are kept in a folder, which 's3://bucket' is not"):
        Board.open(life.folder, files="s3://bucket")


def test_a_list_of_entries_is_a_part_of_them_with_their_outcomes(life, store):
    with life.open(store) as board:
        for n, team in enumerate(("red", "blue", "red", "red")):
            now = DAY + timedelta(hours=(3, 1, 2, 4)[n])
            board.add([life.sent(f"s{n}", 1.0)], team, now=now, evaluate=n < 2)
        board.add([life.sent("short", 1.0, lists=["no"])], "blue", now=DAY)
        board.work(most=1)
        red = board.team("red").id

        def numbers(most=None, skip=0, order="number", **wanted):
            found = board.ledger.outcomes(Wanted(**wanted), Extract(most, skip, order))
            assert found == [(board.entry(e.number), board.outcome(e.number)) for e, _ in found]
            assert most or len(found) == board.ledger.listing().count(Wanted(**wanted))
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


@pytest.mark.parametrize(("most", "skip"), [(1, 0), (3, 2), (100, 0), (4, 9), (2, 20)])
@pytest.mark.parametrize("team", [None, "red"])
def test_a_part_of_the_log_is_the_latest_of_the_whole(shown, most, skip, team):
    whole = shown.log(team)
    assert shown.log(team, most, skip) == whole[: max(len(whole) - skip, 0)][-most:]


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
        assert list(board.teams()) == ["red"]


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
            assert list(board.teams()) == [f"of {name[:50]}"]
            assert len(board.entries()) == 1
            assert board.altered() == []
