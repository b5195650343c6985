"""The challenge that a truth and a submission make, without a challenge.yaml."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

from scorer.challenge.load import load
from scorer.challenge.model import Challenge
from scorer.challenge.yaml import YAML_SUFFIXES
from scorer.core.errors import ChallengeError, UnknownName, UsageError
from scorer.core.problems import as_truth_problems
from scorer.core.text import display_path
from scorer.infer.answers import unanswered
from scorer.infer.base import Guess, Needs
from scorer.infer.forms import look, looked, refuse_unreadable
from scorer.infer.kinds import KINDS, KNOWN
from scorer.infer.look import Preview
from scorer.metrics.api import Metric
from scorer.metrics.catalogue import metrics as registry
from scorer.metrics.notation import NotationError, parse
from scorer.reading.formats import SUFFIXES, first_lines, matching_lines
from scorer.reading.limits import UnreadableError

THREE_COLUMNS = re.compile(r"[ \t]*\S+[ \t]+\S+[ \t]+[+-]?[0-9]{1,4}(?:\.[0-9]*)?[ \t]*")
MOST_SAMPLES = 20  # submissions that are looked at for one whose names of columns fit
USAGES = {"Public", "Private", "Ignored"}  # words of the column Usage in Kaggle's solutions


def is_truth(path: Path) -> bool:
    """Whether a file is a truth and no challenge.yaml, by its content, or by its suffix."""
    if not os.path.isfile(path) or path.suffix.lower() in YAML_SUFFIXES:
        return False
    content = look(path)
    if content is None:
        _refuse_three_columns(path)
        _refuse_unreadable(path)
    elif content.names and any(kind(content, None, Needs()) for kind in KNOWN):
        return True
    suffixes = {suffix.lower() for suffix in path.suffixes}
    if content is None:  # the suffixes of notes, and of documents as YAML has them, too
        suffixes -= {".txt", ".json"}
    named = any(not suffixes.isdisjoint(own) for own in SUFFIXES.values())
    return named and (content is None or not content.trec)


def _refuse_three_columns(path: Path) -> None:
    """Raise UsageError if a file has TREC's judgments without the column of iterations."""
    if matching_lines(first_lines(path), THREE_COLUMNS):
        raise UsageError(
            f"{display_path(path)}:1: 3 columns; TREC's judgments have four: "
            "topic, iteration, document, grade"
        )


def _refuse_unreadable(path: Path) -> None:
    """Raise ChallengeError if a file can be read neither as a truth nor as a challenge."""
    if path.suffix.lower() == ".zip":  # which may be a kit
        return
    try:
        refuse_unreadable(path)
    except UnreadableError as error:
        problem = replace(error.problem, path=display_path(path))
        raise ChallengeError(problems=as_truth_problems([problem])) from None


def infer(truth: Path, submissions: Sequence[Path], metrics: Sequence[str] = ()) -> Challenge:
    """The challenge that a truth and one of the submissions to it make.

    A submission whose form is not recognised shows nothing: what is wrong with it is said when it
    is read. Without `metrics` the challenge has those that fit.

    Raises:
        UsageError: Columns cannot be told apart, or the only submissions show nothing.
    """
    file = Path(os.path.realpath(truth))
    truth_look = looked(file)
    sample_look = _sample(truth_look, submissions)
    try:
        data, _ = _guessed_data(file, truth_look, sample_look, metrics)
    except UsageError:
        if sample_look is None and submissions:
            looked(submissions[0])  # raises: it would have shown what the truth does not
        raise
    if data["submission"].get("format") == "trec":  # each file says it itself
        del data["submission"]["format"]
    challenge = load(data, file.parent)
    challenge._path = truth  # which messages name
    return challenge


def _sample(truth: Preview, submissions: Sequence[Path]) -> Preview | None:
    """The first submission whose names of columns fit, else the first one of a known form.

    The columns of TREC's runs have no names, so that they are read whatever the others are called.
    """
    first = None
    for n, path in enumerate(submissions):
        content = look(path) if os.path.isfile(path) else None
        if content is not None and not content.trec:
            has_usual_names = content.called("list") and content.called("item")
            if has_usual_names or any(map(truth.like, content.names)):
                return content
        first = first or content
        if first is not None and n >= MOST_SAMPLES:
            break
    return first


def challenge_data(
    truth: Path, sample: Path | None, metrics: Sequence[str] = ()
) -> tuple[dict[str, Any], Guess]:
    """The fields of a guessed challenge.yaml, for `load`, and the guess; see `infer`."""
    return _guessed_data(truth, looked(truth), None if sample is None else looked(sample), metrics)


def _guessed_data(
    truth: Path, truth_look: Preview, sample_look: Preview | None, metrics: Sequence[str]
) -> tuple[dict[str, Any], Guess]:
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
