"""Whether a challenge can be answered."""

from __future__ import annotations

from scorer.core.errors import ChallengeError
from scorer.prepare.open import OpenChallenge


def answerable(ready: OpenChallenge) -> OpenChallenge:
    """The challenge itself, where a submission can have a value for each list.

    `ChallengeError` if for some list none can, where a list without a value is an error.
    """
    if all(rules.undefined != "error" for rules in ready.prepared.rules.values()):
        return ready
    from scorer.prepare.probes import unanswerable  # which few challenges need

    if problems := tuple(unanswerable(ready)):
        raise ChallengeError(problems=problems)
    return ready
