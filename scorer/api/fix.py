"""Repair submissions' files where what was meant is certain."""

from __future__ import annotations

from collections.abc import Iterable

from scorer.api.submissions import SubmissionFile
from scorer.challenge.model import Challenge
from scorer.challenge.public import Public
from scorer.checks.causes import expected_table
from scorer.core.errors import UsageError
from scorer.core.text import printable
from scorer.reading.formats import find_format
from scorer.reading.repair import Repaired, repair
from scorer.scoring.bind import BoundChallenge, bind
from scorer.scoring.public import read_public


def fix(
    challenge: Challenge, files: Iterable[SubmissionFile], *, allow_plugins: bool = False
) -> list[Repaired]:
    """The repaired bytes of each file, with what is changed in them; nothing is written.

    Args:
        challenge: whose submissions they are; its answers stay closed.
        files: the files to repair.
        allow_plugins: whether the challenge's own code may be run.

    Returns:
        Of each file its repair; of one that cannot be read, is too large or binary, why not.

    Raises:
        ChallengeError: the challenge itself is wrong.
    """
    prepared = bind(challenge, allow_plugins)
    public_part = read_public(prepared)

    def repaired(file: SubmissionFile) -> Repaired:
        try:
            return _repaired(prepared, public_part, file)
        except UsageError as error:
            return Repaired(b"", (), str(error))

    return list(map(repaired, files))


def _repaired(prepared: BoundChallenge, public_part: Public, file: SubmissionFile) -> Repaired:
    """The repair of a file. Raises `UsageError` where there can be none."""
    rules = prepared.challenge.submission
    if rules.parts:
        message = "has several files; repair each of them alone"
        raise UsageError(f"{printable(file.display)} {message}")
    layout = prepared.challenge.layout(rules)
    format = find_format(file.path, rules.format, layout)
    if format.read_bytes is not None:
        raise UsageError(f"{printable(file.display)} is binary; only text can be repaired")
    # where the file has no header, or lines that are no rows, only its encoding is certain
    table = expected_table(public_part, rules, prepared.shapes, layout, file.path)
    return repair(file.path, table if format.name == "csv" else None)
