"""The Markov chain MC4."""

from typing import Annotated

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.preferences.base import Order, aggregation, majority, ordered

Jump = Annotated[
    float,
    Field(gt=0, le=1, description="The chance of a step to just any submission, above 0 up to 1."),
]


@aggregation(
    "MC4",
    title="Markov chain MC4",
    source="Dwork, Kumar, Naor and Sivakumar, WWW 2001, doi:10.1145/371920.372165",
)
def mc4(preferences: Floats, *, jump: Jump = 0.05) -> Order:
    """How often one stands at a submission who always moves on to what most lists prefer.

    From a submission one draws another, all alike, and moves there if more
    lists rank it above than below; else one stays. With the chance `jump` one
    moves there without asking, so that every submission can be reached and the
    share of time at each has one value; it is solved for, and shares within 1e-9
    tie. A list ranks the submissions by the sum of their preferences in it, and
    equal sums tie.

    pref_eval does not jump and stops after ten steps, wherever the shares are by
    then; it orders equal ones, in lists as well, by name, the later in the
    alphabet first. There identical submissions do not tie.

    Of two submissions most lists prefer the first. One leaves it by a jump only,
    .05 / 2, and the second by a jump or the move, .05 / 2 + .95 / 2 = .5:

    >>> preferred = np.array([[0, 1], [-1, 0]])[:, :, None]
    >>> mc4(preferred)                           # .5 / .525 and .025 / .525
    Order(groups=((0,), (1,)), scores=array([0.95238095, 0.04761905]))
    """
    beaten = majority(preferences).T  # by the column's submission
    count = len(beaten)
    moves = beaten / count
    np.fill_diagonal(moves, 1 - moves.sum(axis=1))
    # shares = (1 - jump) moves' shares + jump / count, which add up to 1 by themselves
    chain = np.eye(count) - (1 - jump) * moves.T
    return ordered(np.linalg.solve(chain, np.full(count, jump / count)), within=1e-9)
