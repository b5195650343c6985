"""Boards of the entries that may stand there are those of all entries; no others are read."""

import json
import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest

from scorer.board.fields.board import fields
from scorer.reports.base import Options
from scorer.reports.codec import dumped, to_fields
from scorer.results.scorecard import Scorecard
from scorer.store import schema
from scorer.store.database import Draft
from scorer.store.leading import Pool
from scorer.store.tables import Tables

START = datetime(2026, 3, 1, tzinfo=UTC)
TEAMS = ("red", "blue", "green", "grey", "none")
QUESTIONS = "questions: {data: {choices: [open, closed], board: true}}\n"
CASES = {
    "splits": """
splits: {public: 0.5, private: rest, seed: 1}
phases:
  - {id: main, show: public, closes: 2026-03-02T00:00:00+00:00}
  - {id: final, after: main, show: private, select: 2}
""",
    "tracks": QUESTIONS + "splits: {public: 0.5, private: rest, seed: 1}\n",
    "ladder": "splits: {public: 0.5, private: rest, seed: 1}\nphases: [{id: main, show: public}]\n",
    "quoted": "baselines: [sent0.csv]\n",
}
BOARD = {
    "tracks": "{draws: 500, tracks: [{id: shut, answer: {data: closed}}]}",
    "ladder": "{draws: 500, ladder: 0.01}",
    "quoted": "{draws: 500, baselines: [sent0.csv]}",
}


def filled(board, files, entries, seed):
    """A store in which some files are sent again and again, and decided on."""
    chance, version = random.Random(seed), board.version()
    for n, path in enumerate(files):
        board.add([path], "red", now=START + timedelta(minutes=n))
    board.add_team("none", now=START)
    for team in ("blue", "green", "grey"):
        board.add_team(team, now=START)
    board.add([files[1]], "the baseline", baseline=True, now=START)
    sent, teams = board.entries(), {name: team.id for name, team in board.teams().items()}
    for _ in range(entries):
        like = chance.choice(sent)
        team = chance.choice(["red", "blue", "green"])
        answers = {"data": chance.choice(["open", "closed"])} if chance.random() < 0.8 else {}
        time = START + timedelta(minutes=chance.randrange(3000))
        draft = Draft(teams[team], time, like.sha256, like.file, like.size, "main", "", answers)
        fingerprint = version.fingerprint
        board._database.record(draft, version.values, lambda *_: None, team, fingerprint, True)
    for _ in range(entries):
        act = chance.choice(["disqualify", "withdraw", "select", "select", "restore"])
        number = chance.randrange(1, len(board.entries()) + 1)
        team = board.entry(number).team if act == "select" else None
        time = START + timedelta(minutes=chance.randrange(3000))
        board._database.decide(act, time, "so", team=team, entry=number)
    board._database.decide("disqualify", START, "two accounts", team=teams["green"])
    board._database.decide("restore", START + timedelta(days=1), "no", team=teams["green"])


@pytest.fixture(params=CASES)
def board(life, store, request):
    life.rules(CASES[request.param] if request.param != "quoted" else "")
    path = life.folder / "challenge.yaml"
    text = path.read_text().replace("{draws: 500}", BOARD.get(request.param, "{draws: 500}"))
    path.write_text(text)
    files = [life.sent(f"sent{n}", noise) for n, noise in enumerate((0.5, 0.9, 0.9, 2.0))]
    files[2].write_text(files[1].read_text() + "\n")  # of equal values
    (life.folder / "sent0.csv").write_bytes(files[0].read_bytes())
    bad = life.folder.parent / "bad.csv"
    bad.write_text("list,item,score\nq00,d1,x\n")
    with life.open(store) as board:
        filled(board, [*files, bad], 40, request.param)
        board.evaluations.finish_pending()
        yield board


def forget(board, sha256, summary):
    """Put another summary in the place of an evaluation's."""
    table = schema.evaluation
    with board._database._engine.execution_options(writes=True).begin() as connection:
        change = table.update().where(table.c.sha256 == sha256)
        connection.execute(change.values(summary=summary))


def told(live):
    return dumped(to_fields(fields(live, Options()))), live.rows, live.absent, live.tracks


@pytest.mark.slow("evaluates entries")
def test_a_board_of_contenders_is_the_board_of_all_entries(board):
    version, bare = board.version(), board.evaluations.contending
    for sha256, summary in zip(
        [each.sha256 for each in board.entries()][:3:2],
        (None, '{"fingerprint": "of another", "means": {"all": {"nDCG@10": Infinity}}}'),
        strict=True,
    ):
        forget(board, sha256, summary)
    times = [START - timedelta(1), *(START + timedelta(minutes=n) for n in (3, 900, 2000, 9000))]
    phases = [None, *(phase.id for phase in board.in_force.phases)]
    rules, fewer = (None, "best", "last", "selected", "all"), 0
    splits = [None, *board.snapshot().splits]
    for now, split, phase, rule in product(times, splits, phases, rules):
        asked = {"split": split, "phase": phase, "rule": rule}
        part = bare(version, now, **asked)
        whole = board.snapshot(version)
        assert told(part.order(now, **asked)) == told(whole.order(now, **asked)), (now, asked)
        fewer += len(part.entries) < len(whole.entries) / 2
    assert fewer
    own = bare(version, START, only=[2, 3])
    assert [each.number for each in own.entries] == [2, 3]
    for team in ("red", "blue", "green", "grey"):
        moment = START + timedelta(days=9)
        assert board.why(team, now=moment).lines


@pytest.mark.slow("evaluates entries", beyond=1)
def test_what_may_be_the_best_is_found_in_summaries_and_what_is_not_known_beside_it(life, store):
    with life.open(store) as board:
        board.add([life.sent(str(n), n) for n in range(4)], "red", now=START)
        board.add([life.sent("other", 1)], "blue", now=START)
        sent, version = board.entries(), board.version()
        means = (0.5, 0.7, 0.7 - 1e-12, 0.6, None)
        for entry, mean in zip(sent, means, strict=True):
            measures = {"nDCG@10": mean, 'with "quotes"': 0.5}
            summary = {"fingerprint": version.fingerprint, "means": {"all": measures}}
            forget(board, entry.sha256, json.dumps(summary))
        leading, late = board._database.leading(version), START + timedelta(days=1)

        def best(out=(), measure="nDCG@10", most=1, lower=False, teams_out=()):
            pool = Pool(late, out, teams_out)
            return sorted(leading.best(pool, "all", measure, most, lower))

        assert best() == [2, 3, 5]  # the values may differ in a last digit
        assert best(lower=True) == [1, 5]
        assert best([2, 3]) == [4, 5]
        assert best([2], most=2) == [3, 4, 5]
        assert best(teams_out=[sent[-1].team]) == [2, 3]
        assert best(most=5) == best(measure="of none") == [1, 2, 3, 4, 5]
        assert best(measure='with "quotes"') == [1, 2, 3, 4, 5]
        forget(board, sent[0].sha256, None)
        assert best() == [1, 2, 3, 5]


@pytest.mark.slow("keeps entries", beyond=1)
@pytest.mark.parametrize("rule", ["best", "last", "selected"])
def test_a_board_reads_what_it_shows_however_many_entries_there_are(life, monkeypatch, rule):
    read = Counter()
    rows_of, of_bytes = Tables.rows, Scorecard.from_bytes

    def rows(*args):
        found = rows_of(*args)
        read["statements"] += 1
        read["rows"] += len(found)
        return found

    def cards(*args):
        read["cards"] += 1
        return of_bytes(*args)

    monkeypatch.setattr(Tables, "rows", rows)
    monkeypatch.setattr(Scorecard, "from_bytes", cards)
    with life.open() as board:
        version, teams = board.version(), [board._teams.add(name, START) for name in TEAMS[:3]]
        board.add([life.sent("a", 1)], "red", now=START)
        seen = []
        like = next(iter(board._database.evaluations.all()))
        for n in range(60):
            sha256, received = f"{n:064x}", START + timedelta(minutes=n + 1)
            draft = Draft(teams[n % 3].id, received, sha256, "f", 1, "main", "", {})
            fingerprint = version.fingerprint
            board._database.record(draft, version.values, lambda *_: None, "", fingerprint, 1)
            means = {"all": {"nDCG@10": n * 37 % 61 / 61, "P@5": 0.5}}
            board._database.evaluations.finish(
                replace(
                    like,
                    sha256=sha256,
                    summary=json.dumps({"fingerprint": fingerprint, "means": means}),
                )
            )
            if n in (29, 59):
                with life.open() as fresh:
                    read.clear()
                    live = fresh.board(now=START + timedelta(days=1), rule=rule)
                    assert len(live.rows) == 3
                    seen.append(read.copy())
        assert seen[0]["cards"] == seen[1]["cards"] == 3
    assert seen[0]["statements"] == seen[1]["statements"]
    assert seen[1]["rows"] <= 40  # of each team the first, the latest and the best entry
