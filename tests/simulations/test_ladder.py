"""What the Ladder buys against an adaptive attack on the public split (Blum and Hardt, 2015).

The attack: send random guesses, keep those that the board says are better than chance, and send
their majority vote. It learns the public lists' answers from the board alone, and nothing else.
"""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

import scorer

pytestmark = pytest.mark.slow("a simulation")

START = datetime(2026, 1, 1, tzinfo=UTC)
PUBLIC, PRIVATE, SENT = 100, 400, 200
SEEDS = range(6)
CHALLENGE = """\
truth: {file: truth.csv, columns: {list: id, label: answer}}
submission: {columns: {list: id, label: answer}}
metrics: [Accuracy]
splits: {file: splits.csv}
leaderboard: {ladder: auto, intervals: false, tiers: false}
phases: [{id: main, opens: 2026-01-01T00:00:00+00:00, show: public}]
"""


def write_answers(path, answers):
    lines = [f"r{n},{'yes' if answer > 0 else 'no'}\n" for n, answer in enumerate(answers)]
    path.write_text("id,answer\n" + "".join(lines))
    return path


class PlainBoard:
    """Shows the value of each entry on the public lists."""

    def __init__(self, truth):
        self.truth = truth

    def send(self, answers):
        """The value that is shown after an entry with these answers."""
        return (answers[:PUBLIC] == self.truth[:PUBLIC]).mean()


class LadderBoard:
    """A living board that shows only what is an improvement; an entry a minute, of one team."""

    def __init__(self, truth, folder):
        self.folder, self.time = folder, START
        folder.mkdir()
        (folder / "challenge.yaml").write_text(CHALLENGE)
        write_answers(folder / "truth.csv", truth)
        splits = ["public"] * PUBLIC + ["private"] * PRIVATE
        lines = [f"r{n},{split}\n" for n, split in enumerate(splits)]
        (folder / "splits.csv").write_text("list,split\n" + "".join(lines))

    def __enter__(self):
        self.board = scorer.Board.open(self.folder)
        return self

    def __exit__(self, *error):
        self.board.close()

    def add(self, answers):
        self.time += timedelta(minutes=1)
        path = write_answers(self.folder / "sent.csv", answers)
        (added,) = self.board.add([path], "red", now=self.time)
        # the majority of the votes of a single guess is that guess, which is no new entry
        assert added.status == "scored" or added.code == "S803"

    def shown(self):
        (standing,) = self.board.board(now=self.time).report.leaderboard
        return standing.values["Accuracy"]

    def send(self, answers):
        """The value that is shown after an entry with these answers."""
        self.add(answers)
        return self.shown()


def attack(generator, truth, board):
    """The shown and the true value of what the attacker sends last."""
    votes, before, plain = np.zeros(truth.size), None, isinstance(board, PlainBoard)
    for _ in range(SENT):
        guess = generator.choice([-1, 1], truth.size)
        shown = board.send(guess)
        better = shown > 0.5 if plain else shown != before
        votes += guess if better else -guess if plain else 0
        before = shown
    final = np.where(votes >= 0, 1, -1)
    return board.send(final), (final[PUBLIC:] == truth[PUBLIC:]).mean()


def test_the_ladder_shows_an_attacker_much_less_than_a_plain_board(average, tmp_path):
    plain, laddered = [], []
    for seed in SEEDS:
        truth = np.random.default_rng(seed).choice([-1, 1], PUBLIC + PRIVATE)
        plain.append(attack(np.random.default_rng([seed, 1]), truth, PlainBoard(truth)))
        with LadderBoard(truth, tmp_path / f"{seed}") as board:
            laddered.append(attack(np.random.default_rng([seed, 1]), truth, board))
    plain, laddered = np.array(plain), np.array(laddered)
    # what is true of both: nothing was learnt
    assert abs(plain[:, 1].mean() - 0.5) < 0.04
    assert abs(laddered[:, 1].mean() - 0.5) < 0.04
    inflated = [each[:, 0].mean() - 0.5 for each in (plain, laddered)]
    for of, values, most in (("a plain board", plain, None), ("`ladder: auto`", laddered, 0.65)):
        what = f"what an attacker of {SENT} entries is shown for .5"
        average(what, of, PUBLIC, values[:, 0], most=most)
    assert inflated[0] > 0.25
    assert inflated[1] < 0.5 * inflated[0]


def test_the_ladder_reduces_luck_and_does_not_remove_it(average, tmp_path):
    """The best of 200 entries that are all right in half of the lists."""
    shown = {"off": [], "auto": []}
    for seed in SEEDS:
        generator = np.random.default_rng(seed)
        truth = generator.choice([-1, 1], PUBLIC + PRIVATE)
        plain = PlainBoard(truth)
        guesses = generator.choice([-1, 1], (SENT, truth.size))
        shown["off"].append(max(map(plain.send, guesses)))
        with LadderBoard(truth, tmp_path / f"{seed}") as board:
            for guess in guesses:
                board.add(guess)
            shown["auto"].append(board.shown())
    for ladder, of in (("off", "a plain board"), ("auto", "`ladder: auto`")):
        what = f"what the best of {SENT} entries of .5 is shown"
        average(what, of, PUBLIC, shown[ladder])
    assert 0.5 < np.mean(shown["auto"]) < np.mean(shown["off"])


def test_an_honest_improvement_moves_the_ladder(tmp_path):
    """Teams that are right in six of ten rows, and then in three more of ten."""
    moved = 0
    for seed in range(20):
        generator = np.random.default_rng(seed)
        truth = generator.choice([-1, 1], PUBLIC + PRIVATE)
        base = np.where(generator.random(truth.size) < 0.6, truth, -truth)
        better = np.where(generator.random(truth.size) < 0.75, truth, base)
        with LadderBoard(truth, tmp_path / f"{seed}") as board:
            first, second = board.send(base), board.send(better)
        moved += second > first
        assert second in (first, PlainBoard(truth).send(better))
    assert moved >= 19
