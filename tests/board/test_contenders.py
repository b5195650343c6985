"""Boards of the entries that may stand there are those of all entries; no others are read."""

import json
import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest

from scorer.board.fields.board import fields
from scorer.board.why import counting, why_ranked
from scorer.core.errors import UsageError
from scorer.reports.base import Options
from scorer.reports.codec import dumped, to_fields
from scorer.reports.pictures.svg import standalone
from scorer.results.scorecard import Scorecard
from scorer.store import schema
from scorer.store.database import Draft
from scorer.store.leading import Leading, Pool
from scorer.store.tables import Tables
from scorer.web import pictures
from scorer.web.access import NOBODY, Viewer
from scorer.web.site import Site

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
    "last": "splits: {public: 0.5, private: rest, seed: 1}\n",
    "lower": "",
}
BOARD = {
    "tracks": "{draws: 500, tracks: [{id: shut, answer: {data: closed}}]}",
    "ladder": "{draws: 500, ladder: 0.01}",
    "quoted": "{draws: 500, baselines: [sent0.csv]}",
    "last": "{draws: 500, entry: last}",
}
LOWER = "Clicks(page=1), P@5"


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
    path.write_text(text.replace("nDCG@10, P@5", LOWER) if request.param == "lower" else text)
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


def picture(snapshot, live, now):
    figure = pictures.over_time(snapshot, live, now, {}, UTC, 17)
    return figure and (figure.numbers, standalone(figure, 720))


@pytest.mark.slow("evaluates entries")
def test_a_board_of_contenders_is_the_board_of_all_entries(board, monkeypatch):
    monkeypatch.setattr(pictures, "MOST_ENTRIES", 7)
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
        part = bare(version, now, points=7, **asked)
        whole = board.snapshot(version)
        live = whole.order(now, **asked)
        assert told(part.order(now, **asked)) == told(live), (now, asked)
        if rule is None:
            assert picture(part, live, now) == picture(whole, live, now), (now, asked)
        fewer += len(part.entries) < len(whole.entries) / 2
    assert fewer
    own = bare(version, START, only=[2, 3])
    assert [each.number for each in own.entries] == [2, 3]
    for team in ("red", "blue", "green", "grey"):
        moment, known, whole = START + timedelta(days=9), board.team(team), board.snapshot()
        assert board.why(team, now=moment) == why_ranked(whole, known, moment)
        for split in (None, "all"):
            own = counting(board.evaluations.own(known.id), known.id, moment, split)
            assert own == counting(whole, known.id, moment, split)


@pytest.mark.slow("evaluates entries", beyond=1)
def test_entries_are_placed_once_and_the_best_are_found_by_their_places(life, store):
    with life.open(store) as board:
        board.add([life.sent(str(n), n) for n in range(4)], "red", now=START)
        board.add([life.sent("other", 1)], "blue", now=START)
        sent, version = board.entries(), board.version()
        means = (0.5, 0.7, 0.7, 0.7 + 1e-12, None)
        for entry, mean in zip(sent, means, strict=True):
            measures = {"nDCG@10": mean, "P@5": 0.5}
            summary = {"fingerprint": version.fingerprint, "means": {"all": measures}}
            forget(board, entry.sha256, json.dumps(summary))
        leading, late = board._database.leading(version), START + timedelta(days=1)
        assert len(leading.unplaced()) == 5
        board.evaluations.contending(version, late)
        assert leading.unplaced() == []

        def best(out=(), most=1, teams_out=(), now=late):
            return sorted(leading.best(Pool(now, out, teams_out), "all", most))

        assert best() == [4, 5]  # a difference in a last digit is one
        assert best([4]) == [2, 5]  # of equal ones the earlier
        assert best([2, 4], 2) == [1, 3, 5]
        assert best(teams_out=[sent[-1].team]) == [4]
        assert best(most=5) == [1, 2, 3, 4, 5]
        assert best(now=START - timedelta(1)) == []
        assert leading.counts(late, "all") == {sent[0].team: 4, sent[-1].team: 1}
        assert sorted(leading.advances(Pool(late), "all")) == [1, 2, 4]
        assert sorted(leading.advances(Pool(late, [1]), "all")) == [2, 4]
        assert sorted(leading.last_placed(Pool(late, [3]), "all", 2)) == [2, 4]
        again = Draft(sent[-1].team, late, sent[1].sha256, "again.csv", 1, None, "", {})
        board._database.record(again, version.values, lambda *_: None, "blue", "", True)
        assert [file.sha256 for file in leading.unplaced()] == [sent[1].sha256]
        board.evaluations.contending(version, late)
        assert best() == [4, 6]
        state(board, sent[3].sha256, "pending")  # by somebody else than scorer
        assert best() == [2, 6]


def state(board, sha256, status):
    table = schema.evaluation
    with board._database._engine.execution_options(writes=True).begin() as connection:
        connection.execute(table.update().where(table.c.sha256 == sha256).values(status=status))


@pytest.mark.slow("evaluates entries", beyond=1)
def test_a_store_that_can_only_be_read_has_the_same_board(life, monkeypatch):
    with life.open() as board:
        board.add([life.sent(str(n), n) for n in range(3)], "red", now=START)
        version, late = board.version(), START + timedelta(days=1)

        def refuse(*args):
            raise UsageError("the store cannot be written")

        monkeypatch.setattr(Leading, "place", refuse)
        part = board.evaluations.contending(version, late)
        assert len(part.entries) == 3
        monkeypatch.undo()
        fewer = board.evaluations.contending(version, late)
        assert told(part.order(late)) == told(fewer.order(late))


@pytest.fixture
def read(monkeypatch):
    """What is read: statements, rows and scorecards."""
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
    return read


def arriving(board, life, numbers):
    """Record entries of three teams, one after the other; gives the number of each."""
    version, teams = board.version(), [board._teams.add(name, START) for name in TEAMS[:3]]
    board.add([life.sent("a", 1)], "red", now=START)
    like = next(iter(board._database.evaluations.all()))
    for n in range(numbers):
        sha256, received = f"{n:064x}", START + timedelta(minutes=n + 1)
        draft = Draft(teams[n % 3].id, received, sha256, "f", 1, "main", "", {})
        fingerprint = version.fingerprint
        board._database.record(draft, version.values, lambda *_: None, "", fingerprint, 1)
        means = {"all": {"nDCG@10": n * 37 % 61 / 61, "P@5": 0.5}}
        summary = json.dumps({"fingerprint": fingerprint, "means": means})
        board._database.evaluations.finish(replace(like, sha256=sha256, summary=summary))
        yield n


@pytest.mark.slow("keeps entries", beyond=1)
@pytest.mark.parametrize("rule", ["best", "last", "selected"])
def test_a_board_reads_what_it_shows_however_many_entries_there_are(life, read, rule):
    seen, late = [], START + timedelta(days=1)
    with life.open() as board:
        for n in arriving(board, life, 60):
            if n in (29, 59):
                with life.open() as fresh:
                    fresh.board(now=late, rule=rule)  # all have places, now
                with life.open() as fresh:
                    read.clear()
                    live = fresh.board(now=late, rule=rule)
                    assert len(live.rows) == 3
                    seen.append(read.copy())
    assert seen[0]["cards"] == seen[1]["cards"] == 3
    assert seen[0]["statements"] == seen[1]["statements"]
    assert seen[1]["rows"] <= 40  # of each team the first, the latest and the best entry


@pytest.mark.slow("keeps entries", beyond=1)
@pytest.mark.parametrize("rule", ["best", "selected"])
def test_a_page_reads_what_it_shows_however_many_entries_there_are(life, read, rule):
    path = life.folder / "challenge.yaml"
    path.write_text(path.read_text().replace("{draws: 500}", f"{{draws: 500, entry: {rule}}}"))
    seen = {"first": [], "after an entry": []}
    with life.open() as board:
        serving = Site(life.folder, clock=lambda: START + timedelta(days=1))
        for n in arriving(board, life, 61):
            if n in (29, 30, 59, 60):
                serving.look()
                read.clear()
                page = serving.ready_board("all", NOBODY)
                seen["after an entry"].append(read.copy())
                assert len(page.live.rows) == 3
            if n in (30, 60):
                site = Site(life.folder, clock=serving.clock)
                read.clear()
                assert site.ready_board("all", NOBODY).live.rows == page.live.rows
                seen["first"].append(read.copy())
                site.board.close()
        serving.board.close()
    _, few, _, many = seen["after an entry"]
    for one, other in (few, many), seen["first"]:
        assert one["statements"] == other["statements"]
        assert other["rows"] <= one["rows"] + 10 <= 60  # of 30 entries some were the best so far
    assert few["cards"] + many["cards"] <= 2


@pytest.mark.slow("keeps entries", beyond=1)
def test_other_pages_read_the_entries_of_their_team_alone(life, read):
    seen, organizer = [], Viewer(organizer=True)
    with life.open() as board:
        for n in arriving(board, life, 60):
            if n in (29, 59):
                site = Site(life.folder, clock=lambda: START + timedelta(days=1))
                site.ready_board("all", organizer)
                read.clear()
                entry = board.entry(2)
                assert site.counting(entry, organizer)[0].why
                assert site.why(organizer, "red").rank is not None
                assert len(site.only(2, 3).entries) == 2
                seen.append(read.copy())
                site.board.close()
    assert seen[0]["statements"] == seen[1]["statements"]
    assert seen[1]["rows"] - seen[0]["rows"] <= 4 * 10 + 5  # twice entries and results of a team
