"""A challenge as a bundle for a platform."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from scorer import __version__
from scorer.api.kit import kit
from scorer.api.lint import lint
from scorer.api.submissions import to_challenge
from scorer.challenge.model import Challenge
from scorer.core.errors import ChallengeError, UnknownName
from scorer.export.base import Bundle, ExportContext, Exporter, read_challenge_files
from scorer.export.codabench import export_codabench
from scorer.export.evalai import export_evalai
from scorer.export.github_classroom import export_github_classroom
from scorer.export.gradescope import export_gradescope
from scorer.export.grand_challenge import export_grand_challenge
from scorer.export.tira import export_tira
from scorer.scoring.bind import BoundChallenge, bind

# The container image that bundles name unless another one is given; `make image` builds it.
IMAGE = f"challenge-scorer:{__version__}"

Platform = Literal[
    "codabench", "evalai", "github-classroom", "gradescope", "grand-challenge", "tira"
]
EXPORTERS: dict[Platform, Exporter] = {
    "codabench": export_codabench,
    "evalai": export_evalai,
    "github-classroom": export_github_classroom,
    "gradescope": export_gradescope,
    "grand-challenge": export_grand_challenge,
    "tira": export_tira,
}


def export_bundle(
    platform: Platform,
    challenge: Challenge | Path | str,
    *,
    image: str | None = None,
    allow_plugins: bool = False,
) -> Bundle:
    """Lint a challenge, and return its bundle for a platform: `.write("bundle.zip")` saves it.

    The bundle holds the answers: it is for organizers only.

    Args:
        platform: codabench, evalai, github-classroom, gradescope, grand-challenge or tira.
        challenge: A loaded challenge, or the path of its challenge.yaml or folder.
        image: The name of a container image that has `score`.
        allow_plugins: Whether the challenge's own metrics may be run; the bundle then allows
            them, too.

    Raises:
        UnknownName: There is no such platform.
        ChallengeError: `score lint` finds an error in the challenge.
        UsageError: The challenge has files outside of its folder.
    """
    exporter = EXPORTERS.get(platform)
    if exporter is None:
        raise UnknownName("platform", platform, tuple(EXPORTERS))
    loaded = to_challenge(challenge)
    if not lint(loaded, allow_plugins=allow_plugins).sound:
        raise ChallengeError("the challenge is not sound; `score lint` says why")
    return exporter(make_context(bind(loaded, allow_plugins), image or IMAGE))


def make_context(bound: BoundChallenge, image: str = IMAGE) -> ExportContext:
    """Return the challenge, its files and its kit, as all exporters need them."""
    return ExportContext(
        challenge=bound.challenge,
        measures=sorted(bound.measures, key=lambda measure: not measure.primary),
        files=read_challenge_files(bound.challenge),
        kit=kit(bound).data,
        image=image,
        now=datetime.now(UTC).replace(microsecond=0),
    )
