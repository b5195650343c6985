"""What an audit, a verification and a reveal tell of a store that somebody wrote to."""

import json
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime

import pytest
from sqlalchemy import event

from scorer.board.board import Board
from scorer.board.integrity import find_alterations
from scorer.board.models import Entry, Evaluation, Receipt
from scorer.board.receipts import RECEIPTS
from scorer.board.verification import verify
from scorer.core.errors import UsageError

DAY = datetime(2026, 1, 5, 12, tzinfo=UTC)
RULES = "splits: {public: 0.5, private: rest, seed: 2011}\n"


@pytest.fixture(scope="module")
def base(tmp_path_factory, new_life):
    """A sealed challenge of six lists with four entries, a rejected one and a decision."""
    life = new_life(tmp_path_factory.mktemp("base") / "life", RULES, lists=6)
    with life.open() as board:
        board.seal(now=DAY)
        for n, team in enumerate(("red", "blue", "green", "red")):
            board.add([life.sent(f"s{n}", 1.0)], team, now=DAY, answers={})
        board.add([life.sent("short", 1.0, lists=life.lists[:1])], "blue", now=DAY)
        board.decide("disqualify", 3, "three accounts", by="anna", now=DAY)
        board.decide("rename", "green", "asked for it", name="emerald", now=DAY)
        board.board(now=DAY)
        assert find_alterations(board.evaluations) == []
    return life.folder


@pytest.fixture
def folder(base, tmp_path):
    return shutil.copytree(base, tmp_path / "life")


def sql(*statements):
    def act(folder):
        with closing(sqlite3.connect(folder / ".scorer" / "board.db")) as database, database:
            for statement in statements:
                assert database.execute(statement).rowcount > 0, statement

    return act


def changed_means(folder):
    with closing(sqlite3.connect(folder / ".scorer" / "board.db")) as database, database:
        (text,) = database.execute(f"SELECT summary FROM evaluation {OF_3}").fetchone()
        fields = json.loads(text)
        fields["means"]["public"]["nDCG@10"] = 0.9999
        database.execute(f"UPDATE evaluation SET summary = ? {OF_3}", [json.dumps(fields)])


def other_bytes(folder):
    kept_file(folder, 3).write_text("list,item,score\n")


def no_file(folder):
    kept_file(folder, 3).unlink()


def kept_file(folder, number):
    with closing(sqlite3.connect(folder / ".scorer" / "board.db")) as database, database:
        query = "SELECT sha256 FROM entry WHERE number = ?"
        (sha256,) = database.execute(query, [number]).fetchone()
    return folder / ".scorer" / "files" / sha256[:2] / sha256


OF_3 = "WHERE sha256 = (SELECT sha256 FROM entry WHERE number = 3)"
EXCHANGED = "replace(replace(replace(splits, '\"public\"', 'x'), '\"private\"', '\"public\"'), 'x',"
TAMPERINGS = {
    "time": (sql("UPDATE entry SET received = '2026-10-02 00:00:00.0' WHERE number = 3"),
             "entry 3 is not what its receipt says (received)"),
    "no time": (sql("UPDATE entry SET received = 'soon' WHERE number = 3"), "where one belongs"),
    "team": (sql("UPDATE entry SET team = 1 WHERE number = 3"), "it was sent by 'green'"),
    "teams exchanged": (sql("UPDATE entry SET team = 3 - team WHERE team < 3"),
                        "it was sent by 'red'"),
    "digest": (sql("UPDATE entry SET sha256 = (SELECT sha256 FROM entry WHERE number = 2) "
                   "WHERE number = 3"), "entry 3 is not what its receipt says (sha256)"),
    "answers": (sql("UPDATE entry SET answers = '{\"a\": \"b\"}' WHERE number = 3"),
                "entry 3 is not what its receipt says"),
    "phase": (sql("UPDATE entry SET phase = 'x' WHERE number = 3"), "entry 3 is not what"),
    "entry": (sql("DELETE FROM entry WHERE number = 3"), "entry 3 was removed"),
    "receipt": (sql("DELETE FROM receipt WHERE entry = 3"), "entry 3 has no receipt"),
    "entry and receipt": (sql("DELETE FROM receipt WHERE entry = 3",
                              "DELETE FROM entry WHERE number = 3"), "does not follow the one"),
    "body": (sql("UPDATE receipt SET body = replace(body, 'green', 'red') WHERE entry = 3"),
             "the receipt of entry 3 was altered"),
    "no body": (sql("UPDATE receipt SET body = '{' WHERE entry = 3"), "entry 3 was altered"),
    "means": (changed_means, "its means are not those of its scorecard"),
    "no means": (sql(f"UPDATE evaluation SET summary = '{{' {OF_3}"), "cannot be read"),
    "scorecard": (sql("UPDATE evaluation SET (card, summary) = (SELECT card, summary FROM "
                      "evaluation WHERE sha256 = (SELECT sha256 FROM entry WHERE number = 2)) "
                      + OF_3), "the evaluation of file"),
    "status": (sql(f"UPDATE evaluation SET status = 'rejected' {OF_3}"), "the evaluation of file"),
    "failure": (sql(f"UPDATE evaluation SET status = 'failed' {OF_3}"), "the evaluation of file"),
    "evaluation": (sql(f"DELETE FROM evaluation {OF_3}"), "was removed"),
    "file": (other_bytes, "the file of entry 3 is kept with other bytes"),
    "no file": (no_file, "the file of entry 3 is not kept"),
    "decision": (sql("DELETE FROM decision WHERE act = 'disqualify'"), "decision 1 was removed"),
    "reason": (sql("UPDATE decision SET reason = 'none' WHERE number = 1"), "decision 1 is not"),
    "another decision": (sql("INSERT INTO decision (number, time, act, entry, reason, late) "
                             "VALUES (3, '2026-01-06T00:00:00.000000+00:00', 'disqualify',"
                             " 1, 'x', 0)"), "decision 3 has no receipt"),
    "name": (sql("UPDATE team SET name = 'x' WHERE id = 1"), "team 1 is not what"),
    "fingerprint": (sql("UPDATE version SET fingerprint = '0000000000000000'"),
                    "its fingerprint is not what its files make"),
    "terms": (sql("UPDATE version SET facts = replace(facts, 'q01', 'q99')"), "version 1 is not"),
    "splits": (sql(f"UPDATE version SET splits = {EXCHANGED} '\"private\"')"),
               "its splits are not those that its files make"),
}  # fmt: skip


@pytest.mark.slow("keeps and evaluates entries", beyond=1)
@pytest.mark.parametrize("name", TAMPERINGS)
def test_what_was_altered_is_told(folder, name):
    act, words = TAMPERINGS[name]
    act(folder)
    with Board.open(folder) as board:
        try:
            altered = find_alterations(board.evaluations)
        except UsageError as error:
            altered = [str(error)]
        assert any(words in fault for fault in altered), altered
        if name == "no time":
            return
        assert board.audit().altered == altered
        with pytest.raises(UsageError, match="nothing is revealed, the store was altered"):
            board.reveal(folder.parent / "open", early=True)
        assert not (folder.parent / "open").exists()


def test_an_audit_reads_receipts_and_evaluations_once(folder):
    read = Counter()
    with Board.open(folder) as board:
        sent = len(board.receipts().splitlines())
        for model in (Receipt, Entry, Evaluation):
            event.listen(model, "load", lambda record, _: read.update([type(record)]))
        assert find_alterations(board.evaluations) == []
    assert read == {Receipt: sent, Entry: 5, Evaluation: 5}


def test_an_altered_store_can_be_revealed_and_the_folder_says_so(folder):
    sql("UPDATE entry SET team = 1 WHERE number = 3")(folder)
    with Board.open(folder) as board:
        board.reveal(folder.parent / "open", altered=True, early=True)
    _, problems, _ = verify([folder.parent / "open"])
    assert any("it was sent by 'green'" in problem for problem in problems)


def test_the_newest_act_removed_with_its_receipt_is_told_by_copies_alone(folder):
    """As docs/run.md says: no chain shows that its end was cut off."""
    with Board.open(folder) as board:
        before = board.receipts().splitlines()
    sql("DELETE FROM decision WHERE number = 2",
        "DELETE FROM receipt WHERE kind = 'decision' AND about = '2'")(folder)  # fmt: skip
    with Board.open(folder) as board:
        assert find_alterations(board.evaluations) == []
        after = board.receipts().splitlines()
    assert after == before[:-1]
    kept, chain = folder.parent / "kept.jsonl", folder.parent / RECEIPTS
    kept.write_text(before[-1])
    chain.write_text("\n".join(after))
    assert any("is not in the chain" in problem for problem in verify([chain, kept])[1])
    chain.write_text("\n".join(before))
    assert verify([chain, kept])[1] == []
    assert verify([kept])[1] == []


def test_an_evaluation_that_is_lost_is_made_again_and_fits_its_receipt(folder):
    sql(f"DELETE FROM evaluation {OF_3}")(folder)
    with Board.open(folder) as board:
        board.evaluations.finish_pending()
        assert find_alterations(board.evaluations) == []


def test_a_number_is_never_given_out_again(folder):
    sql("DELETE FROM entry WHERE number = 5", "DELETE FROM decision WHERE number = 2")(folder)
    with Board.open(folder) as board:
        assert board.decide("restore", 3, "a mistake").number == 3
        path = folder.parent / "again.csv"
        path.write_text("list,item,score\n")
        assert board.add([path], "red", now=DAY)[0].entry == 6


def test_the_public_chain_tells_no_reason_no_digest_and_no_choice(folder, verify_text):
    with Board.open(folder) as board:
        chain = board.receipts()
        version = board.versions.in_force()
    assert "three accounts" not in chain
    assert "disqualify" not in chain
    assert not any(digest in chain for digest in version.files.values())
    assert verify_text(chain)[:2] == (len(chain.splitlines()), [])
