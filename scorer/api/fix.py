"""Repair submissions' files where what was meant is certain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scorer.api.submissions import Named
from scorer.challenge.columns import ROLES
from scorer.challenge.model import Challenge
from scorer.checks.ids import Known
from scorer.checks.submission.items import misformed
from scorer.core.errors import UsageError
from scorer.core.id_pattern import IdPattern
from scorer.core.members import members_of
from scorer.core.text import printable
from scorer.formats.form import separator_of
from scorer.formats.read import COMPRESSED, format_of
from scorer.formats.repair import Expected, Meant, Repaired, repair
from scorer.prepare.bind import prepare
from scorer.prepare.open import public

CERTAIN = ("S306", "S307", "S312", "S313")  # faults of ids that name the id that was meant


def fix(
    challenge: Challenge, files: Iterable[Named], *, allow_plugins: bool = False
) -> list[Repaired]:
    """The repaired bytes of each file, with what is changed in them; nothing is written.

    Args:
        challenge: whose submissions they are; its answers stay closed.
        files: the files to repair.
        allow_plugins: whether the challenge's own code may be run.

    Raises:
        ChallengeError: the challenge itself is wrong.
        UsageError: a file cannot be read, is too large, or is binary.
    """
    public_part = public(prepare(challenge, allow_plugins))
    items = public_part.items
    if items is None and public_part.asked is not None:
        items = dict.fromkeys(members_of(public_part.asked).first_named())
    meant = {"list": _meant(public_part.lists)} | ({"item": _meant(items)} if items else {})
    if not items and challenge.submission.item_pattern:
        meant |= {"item": _formed(IdPattern(challenge.submission.item_pattern))}
    inner = {role: separator_of(word) for role, word in challenge.submission.cells.items()}
    called = challenge.submission.columns
    usual = {role: role for role in ROLES["submission"] if role not in called.values()}
    names = usual | {role: name for role, name in called.items() if role in ROLES["submission"]}
    repaired, rules = [], challenge.submission
    for file in files:
        format = format_of(file.path, rules.format, form=challenge.form(rules))
        if rules.parts:
            message = "has several files; repair each of them alone"
            raise UsageError(f"{printable(file.display)} {message}")
        if format.binary:
            raise UsageError(f"{printable(file.display)} is binary; only text can be repaired")
        suffixes = [
            suffix.lower() for suffix in file.path.suffixes if suffix.lower() not in COMPRESSED
        ]
        separator = "\t" if suffixes[-1:] == [".tsv"] else ","
        expected = Expected(names, separator, meant, inner)
        # where the file has no header, or lines that are no rows, only its encoding is certain
        headed = not (rules.header or rules.lines or rules.skip or rules.comment or rules.separator)
        repaired.append(repair(file.path, format.name == "csv" and headed, expected))
    return repaired


def _formed(pattern: IdPattern) -> Meant:
    """Which id of that form another one certainly is."""

    def meant(name: str) -> str | None:
        return None if pattern.fits(name) else misformed(name, pattern).meant

    return meant


def _meant(ids: Mapping[str, object]) -> Meant:
    """Which of the public ids an unknown one certainly is."""
    known_ids = Known(ids)

    def meant(name: str) -> str | None:
        fault = None if name in known_ids else known_ids.fault(name)
        return fault.meant if fault is not None and fault.code in CERTAIN else None

    return meant
