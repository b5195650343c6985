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
from scorer.challenge.submission import TextLayout
from scorer.core.errors import ChallengeError
from scorer.core.problems import Problem, as_truth_problems
from scorer.core.text import display_path
from scorer.metrics.api import Metric
from scorer.metrics.notation import Measure
from scorer.reading.limits import UnreadableError
from scorer.reading.open import parts_digest, stored_head
from scorer.results.scorecard import Rules

MOST_KEY = 1 << 16  # bytes of it that count
BESIDE = ("lists", "items", "history", "likelihood", "folds", "exclude")
UNSAID = {"file", "lines"}  # paths, which say nothing of a file's meaning
COST = 1 << 11  # of scrypt, where there is no key: 2 MiB and some 5 ms a guess


def signature(measure: Measure, rules: Rules, ties: str, lists: int, folds: int = 0) -> str:
    """All that makes a number of a submission and a truth: equal ones compute the same.

    Metric, parameters (those too that the challenge settles, as ERR's max_grade),
    rules, and whose code it is: scorer's version and, where the metric is not
    scorer's own, 12 digits of its file's SHA-256. The truth itself is in the
    challenge's fingerprint.
    """
    fields: dict[str, object] = {"lists": lists}
    if folds:
        fields["folds"] = folds
    fields |= _circumstances(measure, rules, ties)
    return measure.signature(**fields, scorer=__version__)


def _circumstances(measure: Measure, rules: Rules, ties: str) -> dict[str, object]:
    fields: dict[str, object] = {"missing": rules.missing}
    if measure.aggregate not in (
        "pooled",
        "formula",
    ):  # a figure has no list that could be undefined
        fields["undefined"] = rules.undefined
    if measure.metric.view.in_order:
        fields["ties"] = ties
    if (code := _code(measure.metric)) is not None:
        fields["code"] = code
    return fields


def digests(
    challenge: Challenge,
    kind: str,
    measures: Sequence[Measure],
    rules: Mapping[str, Rules],
    positions: bool = False,
) -> dict[str, str]:
    """Digests of all that a value depends on, beside its submission: a scorecard's identity.

    `rules` is of what the file means, not of how it is written: a comment, the
    description, paths, examples and baselines change nothing, `-m` does. Of a
    plugin, the files that the challenge names are looked at, not what they import.
    What only a board depends on (the leaderboard's rules, its seed, titles, which
    measure is primary) is in none of them; `board_digest` has it.

    `truth` may be seen by anyone, and a small truth could be found by trying
    all there are until one has its digest. So it is keyed with the file
    `.scorer-key` beside the challenge, any secret text (`openssl rand -hex 32`).
    Where there is none, scrypt makes a guess cost some milliseconds instead of
    a microsecond: that slows the search down and ends it nowhere; a truth of
    some twenty yes-or-no answers falls in hours. Nor does a key hide what
    published values tell of the truth.

    Args:
        rules: measure id -> how lists without a value count.
        positions: whether scorecards hold positions, which preferences that rank need.

    Returns:
        Hexadecimal digests of `rules`, `truth` and `plugins`, scorer's version as `scorer`, and as
        `positions` whether a scorecard holds any; the last two are in no fingerprint.

    Raises:
        ChallengeError: a file or the key cannot be read, or the key is empty.
    """
    code = hashlib.sha256()
    for path in challenge.plugins:
        code.update(hashlib.sha256(path.read_bytes()).digest())
    values = _digest(_values(challenge, kind, measures, rules))
    files = {
        name: _file_digest(source.file, tuple(getattr(source, "parts", {}).values()))
        for name in _sources(challenge)
        if (source := getattr(challenge, name)) is not None
    }
    files |= {name: _file_digest(keys.file) for name, keys in challenge.key_files.items()}
    content, key = json.dumps(files).encode(), _key(challenge.folder)
    truth = (
        hashlib.scrypt(content, salt=values, n=COST, r=8, p=1, dklen=32)
        if key is None
        else hashlib.blake2b(content, key=key, digest_size=32).digest()
    )
    return {
        "rules": values.hex(),
        "truth": truth.hex(),
        "plugins": code.hexdigest(),
        "scorer": __version__,
        "positions": "held" if positions else "",
    }


def board_digest(challenge: Challenge, measures: Sequence[Measure]) -> str:
    """The digest of what a board depends on beside its scorecards: all that orders them."""
    return _digest(
        {
            "measures": [
                [m.id, m.primary, *([m.combination.unit] if m.combination.unit != "list" else [])]
                for m in measures
            ],
            "leaderboard": _written(challenge, {"leaderboard": {"baselines"}})["leaderboard"],
        }
    ).hex()


def fingerprint(digests: Mapping[str, str], board: str) -> str:
    """A short digest that changes whenever the challenge or its truth does.

    `digests` are those of its values; none where the truth was not opened.
    """
    text = "|".join([*(digests.get(name, "") for name in ("rules", "truth", "plugins")), board])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def keyed(challenge: Challenge) -> bool:
    """Whether the challenge has a key of its own."""
    return (challenge.folder / KEY).exists()


def _values(
    challenge: Challenge, kind: str, measures: Sequence[Measure], rules: Mapping[str, Rules]
) -> dict[str, object]:
    """The rules of reading and scoring as they are settled, defaults left out, written or not."""
    ties = challenge.submission.ties
    present = [name for name in _sources(challenge) if getattr(challenge, name) is not None]
    sources = _written(
        challenge, {**dict.fromkeys(present, UNSAID), "submission": {"missing_list", *UNSAID}}
    )
    if isinstance(classes := sources["submission"].get("classes"), dict):
        classes.pop("file")
    values: dict[str, object] = {
        "kind": kind,
        "measures": {m.id: m.signature(**_circumstances(m, rules[m.id], ties)) for m in measures},
        "submission": sources.pop("submission"),
        "files": sources,
    }
    if lines := _lines(challenge):
        values["lines"] = lines
    return values


def _sources(challenge: Challenge) -> tuple[str, ...]:
    return BESIDE if challenge.truthless else ("truth", *BESIDE)


def _written(challenge: Challenge, sections: Mapping[str, set[str]]) -> dict[str, Any]:
    """What sections say beside their defaults, without the keys that are left out.

    The challenge is asked as a whole, which pydantic has prepared already.
    """
    fields = challenge.model_dump(
        mode="json",
        by_alias=True,
        include=set(sections),
        exclude=dict(sections),
        exclude_defaults=True,
    )
    return {name: fields.get(name, {}) for name in sections}


def _lines(challenge: Challenge) -> dict[str, object]:
    """The `lines:` of each section, without paths."""
    lines_by_section: dict[str, object] = {}
    for name in ("truth", "submission", "lists", "items"):
        section = getattr(challenge, name)
        lines = None if section is None else section.lines
        if isinstance(lines, TextLayout):
            lines_by_section[name] = lines.model_dump(
                mode="json", exclude={"file"}, exclude_defaults=True
            )
        elif lines is not None:
            lines_by_section[name] = lines
    return lines_by_section


def _digest(fields: Mapping[str, object]) -> bytes:
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).digest()


def _code(metric: Metric) -> str | None:
    """The digest of the file that defines a metric; None for scorer's own, which have a version.

    Scorer's own functions are recognized by their module, as in the registry.
    """
    function = inspect.unwrap(metric.function)
    if function.__module__.startswith("scorer."):
        return None
    try:
        return hashlib.sha256(Path(inspect.getfile(function)).read_bytes()).hexdigest()[:12]
    except (OSError, TypeError):
        return "unknown"


def _file_digest(path: Path, parts: Sequence[str] = ()) -> str:
    try:
        return parts_digest(path, parts)
    except UnreadableError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: UnreadableError) -> ChallengeError:
    problem = error.problem
    return ChallengeError(
        problems=as_truth_problems(
            [Problem(problem.code, problem.message, path=display_path(path))]
        )
    )


def _key(folder: Path) -> bytes | None:
    path = folder / KEY
    if not os.path.lexists(path):
        return None
    try:
        text = stored_head(path, MOST_KEY).strip()
    except UnreadableError as error:
        raise _unreadable(path, error) from None
    if not text:
        raise ChallengeError(
            problems=[Problem("T102", "the key is empty", path=display_path(path))]
        )
    return hashlib.sha256(text).digest()
