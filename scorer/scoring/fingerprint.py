"""Fingerprints of challenges, signatures of values, and digests that a scorecard is kept under."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scorer import __version__
from scorer.challenge.model import KEY, Challenge
from scorer.core.errors import ChallengeError
from scorer.core.problems import Problem, as_truth_problems
from scorer.core.text import display_path
from scorer.metrics.api import Metric
from scorer.metrics.notation import Measure
from scorer.reading.frame import frame_digest
from scorer.reading.limits import UnreadableError
from scorer.reading.open import parts_digest, stored_head
from scorer.results.scorecard import Rules

MOST_KEY = 1 << 16  # bytes of a key that count
COST = 1 << 11  # of scrypt, where there is no key: 2 MiB and some 5 ms a guess
SOURCES = ("truth", "lists", "items", "history", "likelihood", "folds", "exclude")
# What is left out of the sections that values depend on: paths, which say nothing of what a file
# means, and `missing_list`, which the rules of each measure hold as it is settled.
PATHS: dict[str, Any] = {"file": True, "lines": {"file"}, "classes": {"file"}}
LEFT_OUT = {**dict.fromkeys(SOURCES, PATHS), "submission": {**PATHS, "missing_list": True}}


def signature(measure: Measure, rules: Rules, ties: str, lists: int, folds: int = 0) -> str:
    """Return all that makes a number of a submission and a truth: equal ones compute the same.

    Metric, parameters (those too that the challenge settles, as ERR's max_grade), rules, and whose
    code it is: scorer's version and, where the metric is not scorer's own, 12 digits of its file's
    SHA-256. The truth itself is in the challenge's fingerprint.
    """
    counts = {"lists": lists, **({"folds": folds} if folds else {})}
    return measure.signature(**counts, **_circumstances(measure, rules, ties), scorer=__version__)


def _circumstances(measure: Measure, rules: Rules, ties: str) -> dict[str, object]:
    """Return what the values of a measure depend on beside its parameters."""
    fields: dict[str, object] = {"missing": rules.missing}
    if measure.aggregate not in ("pooled", "formula"):  # which have no list without a value
        fields["undefined"] = rules.undefined
    if measure.metric.view.in_order:
        fields["ties"] = ties
    if (code := _digest_code(measure.metric)) is not None:
        fields["code"] = code
    return fields


def _digest_code(metric: Metric) -> str | None:
    """Return the digest of the file that defines a metric; None for a metric of scorer's own."""
    function = inspect.unwrap(metric.function)
    if function.__module__.startswith("scorer."):
        return None
    try:
        return hashlib.sha256(Path(inspect.getfile(function)).read_bytes()).hexdigest()[:12]
    except (OSError, TypeError):
        return "unknown"


def digests(
    challenge: Challenge,
    kind: str,
    measures: Sequence[Measure],
    rules: Mapping[str, Rules],
    positions: bool = False,
) -> dict[str, str]:
    """Return digests of all that a value depends on beside its submission: a scorecard's identity.

    `rules` is of what the file means, not of how it is written: a comment, the description, paths,
    examples and baselines change nothing, `-m` does. Of a plugin, the files that the challenge
    names are looked at, not what they import. What only a board depends on (the leaderboard's
    rules, its seed, titles, which measure is primary) is in `board_digest` alone.

    `truth` may be seen by anyone, and a small truth could be found by trying all there are until
    one has its digest. So it is keyed with the file `.scorer-key` beside the challenge, any secret
    text (`openssl rand -hex 32`). Where there is none, scrypt makes a guess cost some milliseconds
    instead of a microsecond: that slows the search down and ends it nowhere; a truth of some twenty
    yes-or-no answers falls in hours. Nor does a key hide what published values tell of the truth.

    Args:
        challenge: The challenge.
        kind: Its kind.
        measures: Its measures.
        rules: Measure id -> how lists without a value count.
        positions: Whether scorecards hold positions, which preferences that rank need.

    Returns:
        Hexadecimal digests of `rules`, `truth` and `plugins`, scorer's version as `scorer`, and as
        `positions` whether a scorecard holds any; the last two are in no fingerprint.

    Raises:
        ChallengeError: A file or the key cannot be read, or the key is empty.
    """
    ties = challenge.submission.ties
    meaning = {
        "kind": kind,
        "measures": {m.id: m.signature(**_circumstances(m, rules[m.id], ties)) for m in measures},
        "sections": challenge.model_dump(
            mode="json",
            by_alias=True,
            include=set(LEFT_OUT),
            exclude=LEFT_OUT,
            exclude_defaults=True,
        ),
    }
    code = hashlib.sha256()
    for path in challenge.plugins:
        code.update(hashlib.sha256(path.read_bytes()).digest())
    values = _digest(meaning)
    return {
        "rules": values.hex(),
        "truth": _digest_files(challenge, values),
        "plugins": code.hexdigest(),
        "scorer": __version__,
        "positions": "held" if positions else "",
    }


def board_digest(challenge: Challenge, measures: Sequence[Measure]) -> str:
    """Return the digest of what a board depends on beside scorecards: all that orders them."""
    board = challenge.leaderboard.model_dump(
        mode="json", by_alias=True, exclude={"baselines"}, exclude_defaults=True
    )
    order = [
        [m.id, m.primary, *([m.combination.unit] if m.combination.unit != "list" else [])]
        for m in measures
    ]
    return _digest({"measures": order, "leaderboard": board}).hex()


def fingerprint(digests: Mapping[str, str], board: str) -> str:
    """Return a short digest that changes whenever the challenge or its truth does.

    `digests` are the digests of its values; none where the truth was not opened.
    """
    text = "|".join([*(digests.get(name, "") for name in ("rules", "truth", "plugins")), board])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _digest(fields: Mapping[str, object]) -> bytes:
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).digest()


def _digest_files(challenge: Challenge, salt: bytes) -> str:
    """Return the digest of the organizer's files, by the challenge's key or else by scrypt."""
    files = {}
    for name in SOURCES[challenge.truthless :]:
        if (source := getattr(challenge, name)) is not None:
            frame = challenge._frames.get(source.file)  # of a Python session
            parts = tuple(source.parts.values())
            files[name] = _digest_file(source.file, parts) if frame is None else frame_digest(frame)
    files |= {name: _digest_file(keys.file) for name, keys in challenge.key_files.items()}
    content = json.dumps(files).encode()
    key = _read_key(challenge.folder)
    if key is None:
        return hashlib.scrypt(content, salt=salt, n=COST, r=8, p=1, dklen=32).hex()
    return hashlib.blake2b(content, key=key, digest_size=32).hexdigest()


def _digest_file(path: Path, parts: Sequence[str] = ()) -> str:
    try:
        return parts_digest(path, parts)
    except UnreadableError as error:
        raise _refused(path, error.problem) from None


def _refused(path: Path, problem: Problem) -> ChallengeError:
    found = Problem(problem.code, problem.message, path=display_path(path))
    return ChallengeError(problems=as_truth_problems([found]))


def has_key(challenge: Challenge) -> bool:
    """Return whether the challenge has a key of its own."""
    return (challenge.folder / KEY).exists()


def _read_key(folder: Path) -> bytes | None:
    """Return the digest of the challenge's key; None without a key."""
    path = folder / KEY
    if not os.path.lexists(path):
        return None
    try:
        text = stored_head(path, MOST_KEY).strip()
    except UnreadableError as error:
        raise _refused(path, error.problem) from None
    if not text:
        raise _refused(path, Problem("T102", "the key is empty"))
    return hashlib.sha256(text).digest()
