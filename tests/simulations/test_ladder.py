"""What the Ladder buys against an adaptive attack on the public split (Blum and Hardt, 2015).

The attack: send random guesses, keep those that the board says are better than chance, and send
their majority vote. It learns the public lists' answers from the board alone, and nothing else.
"""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from scorer.board.selection import Candidate, rungs
from scorer.store.records import Entry

pytestmark = pytest.mark.slow("a simulation")

START = datetime(2026, 1, 1, tzinfo=UTC)
PUBLIC, PRIVATE, SENT = 100, 400, 200


def entry(number):
    received = START + timedelta(minutes=number)
    return Entry(number, 1, received, "", "", 0, "main")


def candidate(number, values):
    """An entry with these values of lists."""
    return Candidate(entry(number), values.mean(), 0.0, lambda: values)


def attack(seed, ladder):
    """The shown and the true value of what the attacker sends last."""
    generator = np.random.default_rng(seed)
    truth = generator.choice([-1, 1], PUBLIC + PRIVATE)
    candidates, votes, shown_before = [], np.zeros(truth.size), None

    def sent(guess, number):
        per_list = (guess[:PUBLIC] == truth[:PUBLIC]).astype(float)
        candidates.append(candidate(number, per_list))
        if ladder == "off":
            return per_list.mean()
        return candidates[rungs(candidates, "higher", ladder)[number]].value

    for number in range(SENT):
        guess = generator.choice([-1, 1], truth.size)
        shown = sent(guess, number)
        better = shown > 0.5 if ladder == "off" else shown != shown_before
        votes += guess if better else -guess if ladder == "off" else 0
        shown_before = shown
    final = np.where(votes >= 0, 1, -1)
    shown = sent(final, SENT)
    return shown, (final[PUBLIC:] == truth[PUBLIC:]).mean()


def test_the_ladder_shows_an_attacker_much_less_than_a_plain_board(average):
    plain = np.array([attack(seed, "off") for seed in range(20)])
    laddered = np.array([attack(seed, "auto") for seed in range(20)])
    # what is true of both: nothing was learnt
    assert abs(plain[:, 1].mean() - 0.5) < 0.02
    assert abs(laddered[:, 1].mean() - 0.5) < 0.02
    inflated = [each[:, 0].mean() - 0.5 for each in (plain, laddered)]
    for of, values, most in (("a plain board", plain, None), ("`ladder: auto`", laddered, 0.65)):
        what = f"what an attacker of {SENT} entries is shown for .5"
        average(what, of, PUBLIC, values[:, 0], most=most)
    assert inflated[0] > 0.25
    assert inflated[1] < 0.5 * inflated[0]


def test_the_ladder_reduces_luck_and_does_not_remove_it(average):
    """The best of 200 entries that are all right in half of the lists."""
    shown = {"off": [], "auto": []}
    for seed in range(20):
        right = np.random.default_rng(seed).random((SENT, PUBLIC)) < 0.5
        values = right.astype(float)
        entries = list(map(candidate, range(len(values)), values))
        shown["off"].append(values.mean(axis=1).max())
        steps = rungs(entries, "higher", "auto").values()
        shown["auto"].append(max(entries[step].value for step in steps))
    for ladder, of in (("off", "a plain board"), ("auto", "`ladder: auto`")):
        what = f"what the best of {SENT} entries of .5 is shown"
        average(what, of, PUBLIC, shown[ladder])
    assert 0.5 < np.mean(shown["auto"]) < np.mean(shown["off"])


def test_an_honest_improvement_moves_the_ladder():
    generator = np.random.default_rng(1)
    moved = 0
    for _ in range(50):
        base = generator.normal(0.5, 0.2, PUBLIC)
        better = base + generator.normal(0.05, 0.1, PUBLIC)
        pair = [candidate(n, values) for n, values in enumerate((base, better))]
        moved += rungs(pair, "higher", "auto")[1]
    assert moved >= 48
