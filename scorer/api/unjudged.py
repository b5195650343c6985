"""What unjudged items leave possible of the official board, for a study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scorer.api.submissions import Named, outcomes_of, settled_files, terms_of
from scorer.core.errors import ChallengeError
from scorer.leaderboard.board import ranked
from scorer.leaderboard.repeats import with_repeats
from scorer.prepare.answerable import answerable
from scorer.prepare.bind import BoundChallenge, prepare
from scorer.prepare.open import opened
from scorer.results.study import Possible
from scorer.scoring.bounds import bounded


def unjudged(
    plain: BoundChallenge, files: Sequence[Named], allow_plugins: bool
) -> Iterator[Possible]:
    """Each submission's bounds by the official measure, in the order of their ranks.

    Nothing where no bounds are known, or all items are judged. The files are read once more.
    """
    primary = next(measure for measure in plain.measures if measure.primary)
    by_others = plain.rank_by is not None or plain.ranked_by is not None
    if by_others or plain.kind.name != "grades" or not bounded(primary):
        return
    challenge = plain.challenge.model_copy(update={"bounds": True})
    try:
        ready = answerable(opened(prepare(challenge, allow_plugins)))
    except ChallengeError:  # ties, folds, or too many grades stand against it
        return
    terms = terms_of(ready)
    scored = with_repeats(settled_files(terms, files, outcomes_of(ready, files, None)))
    found = {each.name: each.values[primary.id] for each in scored if each.valid}
    bounds = {name: value.bounds for name, value in found.items() if value.bounds is not None}
    if all(each.judged == 1 for each in bounds.values()):
        return
    for row in ranked(terms, scored).standings:
        if (ends := bounds.get(row.name)) is not None:
            ranks = row.possible or (0, 0)
            yield Possible(row.name, found[row.name].mean, *ends, *ranks)
