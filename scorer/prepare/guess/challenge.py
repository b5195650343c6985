"""The challenge that a truth and a submission make, without a challenge.yaml."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import reduce
from pathlib import Path
from typing import Any

from scorer.challenge.load import load
from scorer.challenge.model import Challenge
from scorer.challenge.yaml import YAML_SUFFIXES
from scorer.core.errors import UnknownName, UsageError
from scorer.core.text import display_path
from scorer.metrics.api import Metric
from scorer.metrics.catalogue import metrics as registry
from scorer.metrics.notation import NotationError, parse
from scorer.prepare.guess.answers import unanswered
from scorer.prepare.guess.base import Guess, Needs
from scorer.prepare.guess.forms import look, looked
from scorer.prepare.guess.kinds import KINDS, KNOWN
from scorer.reading.formats import first_lines, formats

THREE_COLUMNS = re.compile(r"[ \t]*\S+[ \t]+\S+[ \t]+[+-]?[0-9]{1,4}(?:\.[0-9]*)?[ \t]*")
USAGES = {"Public", "Private", "Ignored"}  # words of the column Usage in Kaggle's solutions


def is_truth(path: Path) -> bool:
    """Whether a file is a truth and no challenge.yaml, by its content, or by its suffix."""
    if not os.path.isfile(path) or path.suffix.lower() in YAML_SUFFIXES:
        return False
    content = look(path)
    if content is None:
        _refuse_three_columns(path)
        return False
    if content.names and any(kind(content, None, Needs()) for kind in KNOWN):
        return True
    suffixes = {suffix.lower() for suffix in path.suffixes}
    named = any(not suffixes.isdisjoint(reader.suffixes) for reader in formats().values())
    return named and not content.trec


def _refuse_three_columns(path: Path) -> None:
    """Raise UsageError if a file has TREC's judgments without the column of iterations."""
    lines = first_lines(path)
    if lines and all(THREE_COLUMNS.fullmatch(line) for line in lines):
        raise UsageError(
            f"{display_path(path)}:1: 3 columns; TREC's judgments have four: "
            "topic, iteration, document, grade"
        )


def infer(truth: Path, sample: Path | None, metrics: Sequence[str] = ()) -> Challenge:
    """The challenge that a truth and a sample submission make.

    Without `metrics` it has those that fit. `UsageError` if columns cannot be told apart.
    """
    file = Path(os.path.realpath(truth))
    data, _ = challenge_data(file, sample, metrics)
    if data["submission"].get("format") == "trec":  # each file says it itself
        del data["submission"]["format"]
    challenge = load(data, file.parent)
    challenge._path = truth  # which messages name
    return challenge


def challenge_data(
    truth: Path, sample: Path | None, metrics: Sequence[str] = ()
) -> tuple[dict[str, Any], Guess]:
    """The fields of a guessed challenge.yaml, for `load`, and the guess; see `infer`."""
    truth_look, sample_look = looked(truth), None if sample is None else looked(sample)
    if not truth_look.names:  # as of a damaged Parquet file
        raise UsageError(f"{display_path(truth)}: no columns can be read")
    sample_look = sample_look if sample_look is not None and sample_look.names else None
    needs = needs_of(metrics)
    guess = next(
        (fitting for kind in KINDS if (fitting := kind(truth_look, sample_look, needs))), None
    )
    if guess is None:
        where = display_path(truth)
        message = f"{where}: its columns ({', '.join(truth_look.names[:12])}) show no answers"
        asked = "" if sample_look is None else f"; {unanswered(truth_look, sample_look)}"
        raise UsageError(f"{message}{asked}")
    if "rank_gaps" in guess.submission:
        unsure = "whole numbers that ascend, with gaps, are taken for ranks; they may be scores"
        guess = guess._replace(unsure=unsure)
    form = {} if sample_look is None else sample_look.written
    data = {
        "id": truth.name.split(".")[0] or "challenge",
        "truth": {"file": truth.name, **_named({**truth_look.written, **guess.truth})},
        "submission": _named({**form, **guess.submission}),
        "metrics": list(metrics or shortly(guess.metrics)),
    }
    if "Usage" in truth_look.names and (words := {*truth_look.cells("Usage")}) <= USAGES and words:
        data["splits"] = {"file": truth.name}
        if "Ignored" in words and not guess.unsure:
            unsure = "rows called Ignored are a split of their own, and count among all rows"
            guess = guess._replace(unsure=unsure)
    return data, guess


def shortly(measures: Sequence[str | Mapping[str, str]]) -> list[str | dict[str, str]]:
    """Guessed measures under short names, where their notations are long.

    >>> shortly(["AP(denominator=capped)@10", "nDCG@10"])
    [{'id': 'MAP@10', 'metric': 'AP(denominator=capped)@10'}, 'nDCG@10']
    """
    short = [_shortly(measure) for measure in measures]
    ids = [measure if isinstance(measure, str) else measure["id"] for measure in short]
    return [
        made if ids.count(key) == 1 else dict(given) if not isinstance(given, str) else given
        for made, key, given in zip(short, ids, measures, strict=True)
    ]


def _shortly(measure: str | Mapping[str, str]) -> str | dict[str, str]:
    if not isinstance(measure, str):
        return dict(measure)
    name, params, at = parse(measure)
    if not params:
        return measure
    short = f"{name} {params['average']}" if [*params] == ["average"] else name
    short = "MAP" if (name, params) == ("AP", {"denominator": "capped"}) else short
    return {"id": short if at is None else f"{short}@{at}", "metric": measure}


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


def needs_of(notations: Sequence[str], own: Sequence[Metric] = ()) -> Needs:
    """The kinds and columns that measures need; wrong notations are left to binding."""
    candidates: list[Sequence[Metric]] = [[metric] for metric in own]
    for notation in notations:
        with suppress(UnknownName, NotationError):
            candidates.append(registry().find_all(parse(notation)[0], every=True))
    if not candidates:
        return Needs()
    fits = (
        frozenset(name for metric in choices for name in metric.kinds) for choices in candidates
    )
    kinds = reduce(frozenset.__and__, fits)
    tabled = (metric for choices in candidates for metric in choices if "labels" in metric.kinds)
    needed = {role for metric in tabled for role in metric.columns}
    return Needs(kinds, frozenset(needed))
