"""Whether a store was altered: all that can be computed again is compared with what it holds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from scorer import __version__
from scorer.board.evaluation_service import EvaluationService
from scorer.board.files import FileStore, digest_of
from scorer.board.models import Entry, Evaluation, Receipt, Version
from scorer.board.receipts import Record, body_of, describe, find_contradictions
from scorer.board.versions import Versions
from scorer.core.text import join_first, printable


def find_alterations(service: EvaluationService) -> list[str]:
    """Return the differences between a store and what was recorded in it.

    Rows are compared with their receipts, kept files with their digests, the splits and
    fingerprints of versions with what their files make, and means with their scorecards.
    """
    versions, database = service.versions, service.database
    all_versions, receipts = database.versions(), database.receipts()
    entries = database.entries()
    damaged_files = _find_damaged_files(entries, all_versions, service.files)
    intact_versions = [
        version
        for version in all_versions
        if not damaged_files.keys() & set(version.files.values())
    ]
    by_digests = {(version.values, version.fingerprint): version for version in intact_versions}
    mean_faults = list[str]()

    def evaluations() -> Iterator[Evaluation]:
        """Yield all evaluations, and check their means on the way, so that they are read once."""
        for evaluation in database.queue.all():
            if evaluation.status == "scored" and evaluation.summary is not None:
                mean_faults.extend(_find_mean_faults(by_digests, evaluation, service.summary))
            yield evaluation

    records: Iterator[Record] = chain(
        all_versions, database.teams(), database.decisions(), entries, evaluations()
    )
    found = find_contradictions(receipts, records)
    found += damaged_files.values()
    for version in intact_versions:
        found += _find_version_faults(versions, version, _release_of(receipts, version))
    return [*found, *mean_faults]


def _find_damaged_files(
    entries: Iterable[Entry], versions: Sequence[Version], files: FileStore
) -> dict[str, str]:
    """Return SHA-256 -> fault of the kept files that are missing or have other bytes."""
    names: dict[str, str] = {}
    for entry in entries:
        names.setdefault(entry.sha256, f"the file of entry {entry.number}")
    for version in versions:
        for name, sha256 in version.files.items():
            names.setdefault(sha256, f"{printable(name)} of version {version.number}")
    damaged = {}
    for sha256, name in names.items():
        try:
            if digest_of(files.path(sha256))[0] != sha256:
                damaged[sha256] = f"{name} is kept with other bytes than its digest says"
        except OSError:
            damaged[sha256] = f"{name} is not kept any more"
    return damaged


def _release_of(receipts: Sequence[Receipt], version: Version) -> str:
    """Return the release of scorer that made a version; empty if no receipt says it."""
    for receipt in receipts:
        if (receipt.kind, receipt.about) == ("version", str(version.number)):
            return str(body_of(receipt).get("scorer", ""))
    return ""


def _find_version_faults(versions: Versions, version: Version, release: str) -> Iterator[str]:
    """Yield how a version differs from what its own files make now."""
    remade = versions.remade(version)
    if dict(remade.splits) != dict(version.splits):
        moved = [n for n in remade.splits if remade.splits[n] != version.splits.get(n)]
        yield (
            f"{describe(version)}: its splits are not those that its files make, "
            f"which differ for {len(moved):,} lists: {join_first(moved)}"
        )
    if release != __version__:  # each release has fingerprints of its own
        return
    for name in ("fingerprint", "values"):
        if getattr(remade, name) != getattr(version, name):
            yield f"{describe(version)}: its {name} is not what its files make"


def _find_mean_faults(
    versions: Mapping[tuple[str, str], Version],
    evaluation: Evaluation,
    summarize: Callable[[Version, Evaluation], str],
) -> Iterator[str]:
    """Yield a sentence if the kept means of an evaluation are not those of its scorecard.

    Args:
        versions: Digest of values and fingerprint -> version; other means are not checked.
        evaluation: The evaluation.
        summarize: Returns the means of an evaluation under a version.
    """
    try:
        kept = json.loads(evaluation.summary or "")
        version = versions.get((evaluation.values, kept["fingerprint"]))
    except (ValueError, KeyError, TypeError):
        yield f"the means of {describe(evaluation).removeprefix('the ')} cannot be read"
        return
    if version is not None and kept != json.loads(summarize(version, evaluation)):
        yield f"{describe(evaluation)}: its means are not those of its scorecard"
