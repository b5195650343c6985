"""A challenge as a bundle for a platform."""

from __future__ import annotations

from datetime import UTC, datetime

from scorer.api.kit import kit
from scorer.api.lint import lint
from scorer.bridges.base import Bundle, Subject, challenge_files, platforms
from scorer.challenge.model import Challenge
from scorer.core.errors import ChallengeError
from scorer.core.version import __version__
from scorer.prepare.bind import BoundChallenge, prepare
from scorer.prepare.open import public

IMAGE = f"challenge-scorer:{__version__}"


def bundle_for(
    name: str, challenge: Challenge, *, image: str = IMAGE, allow_plugins: bool = False
) -> Bundle:
    """Lint a challenge, and make the bundle of a platform.

    Args:
        name: the platform.
        challenge: with its truth.
        image: a container image with `score`.
        allow_plugins: whether the challenge's own metrics may be run; the bundle allows them, too.

    Raises:
        UnknownName: there is no such platform.
        ChallengeError: `score lint` finds an error in the challenge.
        UsageError: the challenge has files elsewhere, or the platform cannot say what it asks for.
    """
    chosen = platforms().get(name)
    soundness = lint(challenge, allow_plugins=allow_plugins)
    if not soundness.sound:
        raise ChallengeError("the challenge is not sound; `score lint` says why")
    return chosen.function(subject(prepare(challenge, allow_plugins), image))


def subject(prepared: BoundChallenge, image: str = IMAGE) -> Subject:
    """What bundles of a challenge are made of."""
    challenge = prepared.challenge
    measures = sorted(prepared.measures, key=lambda measure: not measure.primary)
    archive = kit(prepared, public(prepared)).data
    return Subject(
        challenge,
        measures,
        challenge_files(challenge),
        archive,
        image,
        datetime.now(UTC),
        prepared,
    )
