"""The challenge that a truth and a submission make, without a challenge.yaml."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import reduce
from pathlib import Path
from typing import Any

from scorer.challenge.load import load
from scorer.challenge.model import Challenge
from scorer.core.errors import UnknownName, UsageError
from scorer.core.text import display_path
from scorer.io.formats.base import formats
from scorer.metrics.base import metrics as registry
from scorer.metrics.notation import NotationError, parse
from scorer.prepare.guess.base import Asked, Guess
from scorer.prepare.guess.forms import look, looked
from scorer.prepare.guess.kinds import KINDS, KNOWN

YAML = (".yaml", ".yml")


def is_truth(path: Path) -> bool:
    """Whether a file is a truth and no challenge.yaml, by its content, or by its suffix."""
    if not os.path.isfile(path) or path.suffix.lower() in YAML:
        return False
    found = look(path)
    if found is None:
        return False
    if found.names and any(kind(found, None, Asked()) for kind in KNOWN):
        return True
    suffixes = {suffix.lower() for suffix in path.suffixes}
    named = any(not suffixes.isdisjoint(known.suffixes) for known in formats())
    return named and not found.trec


def infer(truth: Path, sample: Path | None, metrics: Sequence[str] = ()) -> Challenge:
    """The challenge that a truth and a submission make.

    Args:
        truth: the truth's file.
        sample: a submission, which shows what submissions call their columns.
        metrics: notations; none: those that fit what the truth holds.

    Raises:
        UsageError: the truth's columns cannot be told apart.
    """
    file = Path(os.path.realpath(truth))
    data, _ = challenge_data(file, sample, metrics)
    challenge = load(data, file.parent)
    challenge._path = truth  # which messages name
    return challenge


def challenge_data(
    truth: Path, sample: Path | None, metrics: Sequence[str] = ()
) -> tuple[dict[str, Any], Guess]:
    """What challenge.yaml would say, for `load`, and what that is taken from.

    Args:
        truth: the truth's file.
        sample: a submission, which shows what submissions call their columns.
        metrics: notations; none: those that fit what the truth holds.

    Raises:
        UsageError: the columns cannot be told apart.
    """
    seen, sent = looked(truth), None if sample is None else looked(sample)
    if not seen.names:  # as of a damaged Parquet file
        raise UsageError(f"{display_path(truth)}: no columns can be read")
    sent = sent if sent is not None and sent.names else None
    asked = asked_by(metrics)
    guess = next((found for kind in KINDS if (found := kind(seen, sent, asked))), None)
    if guess is None:
        where = display_path(truth)
        raise UsageError(f"{where}: its columns ({', '.join(seen.names[:12])}) show no answers")
    form = {} if sent is None else sent.written
    data = {
        "id": truth.name.split(".")[0] or "challenge",
        "truth": {"file": truth.name, **_named({**seen.written, **guess.truth})},
        "submission": _named({**form, **guess.submission}),
        "metrics": list(metrics or guess.metrics),
    }
    return data, guess


def _named(section: dict[str, Any]) -> dict[str, Any]:
    """A section whose columns have no names of their own: they are called as their roles."""
    columns = section.get("columns", {})
    if "header" not in section or "probability" in columns:
        return section
    roles = {name: role for role, name in columns.items()}
    header = [roles.get(name, name) for name in section["header"]]
    if len(set(header)) < len(header):
        return section
    return {k: v for k, v in section.items() if k != "columns"} | {"header": header}


def asked_by(notations: Sequence[str]) -> Asked:
    """What measures look at.

    Args:
        notations: of the measures; what is none is told of when they are bound.
    """
    found = []
    for notation in notations:
        with suppress(UnknownName, NotationError):
            found.append(registry().named(parse(notation)[0], every=True))
    if not found:
        return Asked()
    fits = (frozenset(name for one in each for name in one.kinds) for each in found)
    kinds = reduce(frozenset.__and__, fits)
    tabled = (one for each in found for one in each if "labels" in one.kinds)
    needed = {role for one in tabled for role in one.columns}
    return Asked(kinds, frozenset(needed))
