"""Whether a store holds what was recorded: all that can be made again is made again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain as joined

from scorer import __version__
from scorer.board.evaluation_service import EvaluationService
from scorer.board.files import FileStore, digest_of
from scorer.board.models import Entry, Evaluation, Receipt, Version
from scorer.board.receipts import body_of, describe, find_contradictions
from scorer.board.versions import Versions
from scorer.core.text import join_first, printable


def find_alterations(of_board: EvaluationService) -> list[str]:
    """Return the differences between a store and its records, receipts and files.

    Rows are held against their receipts, kept files against their digests, splits and fingerprints
    of versions against their files, means against their scorecards.
    """
    versions, database, files = of_board.versions, of_board.database, of_board.files
    all_versions, receipts = database.versions(), database.receipts()
    entries = database.entries()
    damaged = _find_damaged(entries, all_versions, files)
    whole = [v for v in all_versions if not damaged.keys() & set(v.files.values())]
    known = {(v.values, v.fingerprint): v for v in whole}
    mean_faults = list[str]()

    def evaluations() -> Iterator[Evaluation]:
        """Yield all evaluations, and collect the faults of their means on the way: one reading."""
        for evaluation in database.queue.all():
            if evaluation.status == "scored" and evaluation.summary is not None:
                mean_faults.extend(_mean_faults(known, evaluation, of_board.summary))
            yield evaluation

    acts = database.teams(), database.decisions()
    found = find_contradictions(receipts, joined(all_versions, *acts, entries, evaluations()))
    found += damaged.values()
    for version in whole:
        found += _version_faults(versions, version, _release(receipts, version))
    return [*found, *mean_faults]


def _find_damaged(
    entries: Iterable[Entry], versions: Sequence[Version], files: FileStore
) -> dict[str, str]:
    """SHA-256 of each kept file that is missing or has other bytes -> the fault."""
    owners: dict[str, str] = {}
    for entry in entries:
        owners.setdefault(entry.sha256, f"the file of entry {entry.number}")
    for version in versions:
        for name, sha256 in version.files.items():
            owners.setdefault(sha256, f"{printable(name)} of version {version.number}")
    wrong = {}
    for sha256, owner in owners.items():
        try:
            if digest_of(files.path(sha256))[0] != sha256:
                wrong[sha256] = f"{owner} is kept with other bytes than its digest says"
        except OSError:
            wrong[sha256] = f"{owner} is not kept any more"
    return wrong


def _release(receipts: Sequence[Receipt], version: Version) -> str:
    """The release of scorer that made a version; empty where the chain does not say it."""
    for link in receipts:
        if (link.kind, link.about) == ("version", str(version.number)):
            return str(body_of(link).get("scorer", ""))
    return ""


def _version_faults(versions: Versions, version: Version, release: str) -> Iterator[str]:
    """How a version differs from the one that its files make."""
    again = versions.remade(version)
    if dict(again.splits) != dict(version.splits):
        moved = [n for n in again.splits if again.splits[n] != version.splits.get(n)]
        yield (
            f"{describe(version)}: its splits are not those that its files make, "
            f"which differ for {len(moved):,} lists: {join_first(moved)}"
        )
    if release != __version__:  # another one has fingerprints of its own
        return
    for name in ("fingerprint", "values"):
        if getattr(again, name) != getattr(version, name):
            yield f"{describe(version)}: its {name} is not what its files make"


def _mean_faults(
    known: Mapping[tuple[str, str], Version],
    evaluation: Evaluation,
    summary: Callable[[Version, Evaluation], str],
) -> Iterator[str]:
    """Kept means that differ from the means of the scorecard, except means of no version."""
    try:
        kept = json.loads(evaluation.summary or "")
        version = known.get((evaluation.values, kept["fingerprint"]))
    except (ValueError, KeyError, TypeError):
        yield f"the means of {describe(evaluation)[4:]} cannot be read"
        return
    if version is not None and kept != json.loads(summary(version, evaluation)):
        yield f"{describe(evaluation)}: its means are not those of its scorecard"
