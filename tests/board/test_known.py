"""Only the news of entries are read; what is shown is drawn anew only for other files."""

from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from scorer.board import snapshot
from scorer.board.board import Board
from scorer.board.known import Records
from scorer.store.records import Entry

DAY = datetime(2026, 3, 1, tzinfo=UTC)


def entry(number):
    return Entry(number, 1, DAY, f"sha{number}", f"{number}.csv", 1, "main")


class Rows:
    """Rows of entries and evaluations, and the files that were asked for last."""

    def __init__(self):
        self.sent, self.states, self.asked = list[Entry](), dict[str, str](), None
        self.evaluations = self

    def entries(self, after=0):
        return [each for each in self.sent if each.number > after]

    def counts(self, name):
        return (len(self.sent),)

    def results(self, values, files):
        self.asked = set(files)
        return [
            SimpleNamespace(sha256=sha256, status=status, summary=f"summary of {sha256}")
            for sha256, status in self.states.items()
            if sha256 in files
        ]


def test_only_news_of_entries_are_read():
    rows, made = Rows(), []
    baseline = replace(entry(0), sha256="base", team=None)

    def means(sha256, summary):
        made.append((sha256, summary))
        return {"all": {"P@5": 0.5}}

    records = Records(rows, "v", [baseline], means)
    rows.sent = [entry(1), entry(2), entry(3)]
    rows.states = {"sha1": "scored", "sha2": "pending", "base": "scored"}
    first = records.read()
    assert [each.number for each in first.entries] == [1, 2, 3, 0]
    assert first.statuses == rows.states
    rows.states |= {"sha2": "rejected", "sha3": "failed"}
    rows.sent.append(entry(4))
    second = records.read()
    assert rows.asked == {"sha2", "sha3", "sha4"}
    assert second.statuses == rows.states
    assert len(first.entries) == 4  # what was read before stays as it was
    assert first.statuses["sha2"] == "pending"
    rows.states |= {"sha3": "pending", "sha4": "scored"}  # a failure is tried again
    assert records.read().statuses == rows.states
    assert records.means["sha4"] is records.means["sha4"]
    assert made == [("sha4", "summary of sha4")]
    del rows.sent[0]
    assert [each.number for each in records.read().entries] == [2, 3, 4, 0]


@pytest.mark.slow("evaluates entries")
def test_an_open_board_is_what_a_new_one_is_and_draws_for_files_that_count_alone(
    life, store, monkeypatch
):
    drawn = []
    certainty = snapshot.certain

    def counted(*args):
        drawn.append(args)
        return certainty(*args)

    monkeypatch.setattr(snapshot, "certain", counted)
    life.rules(
        "splits: {public: 0.5, private: rest, seed: 1}\nphases: [{id: main, show: public}]\n"
    )

    def same(board):
        own, before = board.board(now=DAY), len(drawn)
        with Board.open(life.folder, store) as fresh:
            other = fresh.board(now=DAY)
        del drawn[before:]
        assert other.rows == own.rows
        assert other.report.standings == own.report.standings
        assert other.report.certainty.p.tobytes() == own.report.certainty.p.tobytes()
        assert other.report.notes == own.report.notes

    with life.open(store) as board:
        for team, noise in (("red", 0.5), ("blue", 1.0), ("green", 2.0)):
            board.add([life.sent(team, noise)], team, now=DAY)
        same(board)
        assert len(drawn) == 1
        board.add([life.sent("worse", 9.0)], "red", now=DAY)
        board.decide("rename", "blue", "a new name", name="indigo", now=DAY)
        board.decide("rename", "indigo", "the old name", name="blue", now=DAY)
        same(board)
        assert len(drawn) == 1
        board.add([life.sent("better", 0.1)], "green", now=DAY)
        same(board)
        board.decide("disqualify", 2, "two accounts", by="anna", now=DAY)
        same(board)
        board.decide("rename", "red", "a new name", name="scarlet", now=DAY)
        same(board)
        assert len(drawn) == 4
