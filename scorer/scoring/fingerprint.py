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
# Keys of the sections below that are not digested: paths, since another path does not change what a
# file means, and `missing_list`, since the rules of each measure hold its final value.
PATHS: dict[str, Any] = {"file": True, "lines": {"file"}, "classes": {"file"}}
LEFT_OUT = {**dict.fromkeys(SOURCES, PATHS), "submission": {**PATHS, "missing_list": True}}


def signature(measure: Measure, rules: Rules, ties: str, lists: int, folds: int = 0) -> str:
    """Return a text that says how a value is computed; measures with equal ones compute the same.

    It has the metric, its parameters (also the ones that the truth determines, such as ERR's
    max_grade), the rules, and the code: scorer's version and, if the metric is not scorer's own, 12
    digits of its file's SHA-256. The truth itself is in the challenge's fingerprint.
    """
    counts = {"lists": lists, **({"folds": folds} if folds else {})}
    return measure.signature(**counts, **_rule_fields(measure, rules, ties), scorer=__version__)


def _rule_fields(measure: Measure, rules: Rules, ties: str) -> dict[str, object]:
    """Return the rules and the code on which a measure's values depend, apart from parameters."""
    fields: dict[str, object] = {"missing": rules.missing}
    if measure.aggregate not in ("pooled", "formula"):  # Others have values of single lists.
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
    """Return digests of all that values depend on, apart from the submission.

    They identify a scorecard.

    `rules` digests what challenge.yaml means for values. A comment, the description, a path, an
    example or a baseline does not change it; `-m` does. `plugins` digests the files that the
    challenge names, but not the modules that these import. `board_digest` alone has what only the
    board depends on: the rules and the seed of the leaderboard, titles, the primary measure.

    Anyone may see `truth`, and could find a small truth by trying all possible ones until the
    digest is the same. So it is keyed with the file `.scorer-key` beside the challenge, any secret
    text (`openssl rand -hex 32`). Without a key, scrypt makes a guess cost some milliseconds
    instead of a microsecond. This slows the search, but does not prevent it: a truth of some twenty
    yes-or-no answers is found in hours. A key does not hide what published values reveal either.

    Args:
        challenge: The challenge.
        kind: Its kind.
        measures: Its measures.
        rules: Measure id -> how lists without a value count.
        positions: Whether scorecards hold the positions of items, from which preferences among
            ranked lists are computed.

    Returns:
        Hexadecimal digests of `rules`, `truth` and `plugins`, scorer's version as `scorer`, and as
        `positions` whether a scorecard holds any; the last two are in no fingerprint.

    Raises:
        ChallengeError: A file or the key cannot be read, or the key is empty.
    """
    ties = challenge.submission.ties
    meaning = {
        "kind": kind,
        "measures": {m.id: m.signature(**_rule_fields(m, rules[m.id], ties)) for m in measures},
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
    rules_digest = _digest(meaning)
    return {
        "rules": rules_digest.hex(),
        "truth": _digest_files(challenge, rules_digest),
        "plugins": code.hexdigest(),
        "scorer": __version__,
        "positions": "held" if positions else "",
    }


def board_digest(challenge: Challenge, measures: Sequence[Measure]) -> str:
    """Return the digest of all that orders a board, apart from its scorecards."""
    board = challenge.leaderboard.model_dump(
        mode="json", by_alias=True, exclude={"baselines"}, exclude_defaults=True
    )
    order = [[m.id, m.primary] for m in measures]
    for fields, measure in zip(order, measures, strict=True):
        if measure.combination.unit != "list":  # Defaults are left out here, too.
            fields.append(measure.combination.unit)
    return _digest({"measures": order, "leaderboard": board}).hex()


def fingerprint(value_digests: Mapping[str, str], board: str) -> str:
    """Return a short digest that changes whenever the challenge or its truth does.

    Args:
        value_digests: What `digests` returns; empty if the truth was not opened.
        board: What `board_digest` returns.
    """
    parts = [value_digests.get(name, "") for name in ("rules", "truth", "plugins")]
    text = "|".join([*parts, board])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _digest(fields: Mapping[str, object]) -> bytes:
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).digest()


def _digest_files(challenge: Challenge, salt: bytes) -> str:
    """Return the digest of the organizer's files, by the challenge's key or else by scrypt."""
    files = {}
    for name in SOURCES:
        if name == "truth" and challenge.truthless:
            continue
        if (source := getattr(challenge, name)) is not None:
            frame = challenge._frames.get(source.file)  # A data frame in place of the file.
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
        raise _truth_error(path, error.problem) from None


def _truth_error(path: Path, problem: Problem) -> ChallengeError:
    located = Problem(problem.code, problem.message, path=display_path(path))
    return ChallengeError(problems=as_truth_problems([located]))


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
        raise _truth_error(path, error.problem) from None
    if not text:
        raise _truth_error(path, Problem("T102", "the key is empty"))
    return hashlib.sha256(text).digest()
