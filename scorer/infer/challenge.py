"""The challenge that a truth and a sample submission make, as data for `load`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from scorer.challenge.load import load
from scorer.challenge.model import Challenge
from scorer.challenge.yaml import YAML_SUFFIXES
from scorer.core.errors import ChallengeError, UnknownName, UsageError
from scorer.core.problems import Findings, as_truth_problems
from scorer.core.text import display_path, join_first
from scorer.infer import answers, ranked, tables
from scorer.infer.answers import describe_span_columns
from scorer.infer.base import Guess, Needs, Preview
from scorer.infer.preview import preview_file, preview_table, refuse_blank
from scorer.metrics.api import Metric
from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import NotationError, parse
from scorer.reading.formats import SUFFIXES, first_lines, matching_lines
from scorer.reading.limits import UnreadableError
from scorer.reading.read import read_file
from scorer.reading.schema import Schema

ANY, WITHOUT_MEASURES = "any", "without measures"  # in place of a kind of challenges


class Kind(NamedTuple):
    """A kind of truths and samples.

    Attributes:
        recognize: Returns the guess for a truth, a sample and what measures need; None if they are
            of another kind. Without a sample it gets a preview without columns.
        kind: The kind of challenges that given measures must be for; or ANY, or WITHOUT_MEASURES
            if none may be given.
        needs_sample: Whether a truth alone does not show the kind.
    """

    recognize: Callable[[Preview, Preview, Needs], Guess | None]
    kind: str
    needs_sample: bool = True

    def guess(self, truth: Preview, sample: Preview, needs: Needs) -> Guess | None:
        """Return the guess; None if the truth and the sample are not of this kind."""
        if needs.kinds and self.kind != ANY and self.kind not in needs.kinds:
            return None
        if self.needs_sample and not sample.names:
            return None
        return self.recognize(truth, sample, needs)


# The first that fits wins, so that rarer kinds come first.
NAMED_KINDS = (
    Kind(ranked.recognize_preferences, "preferences", needs_sample=False),
    Kind(answers.recognize_boxes, WITHOUT_MEASURES),
    Kind(answers.recognize_masks, WITHOUT_MEASURES),
    Kind(answers.recognize_spans, "grades"),
    Kind(tables.recognize_class_columns, "labels"),
    Kind(answers.recognize_several_labels, "labels"),
    Kind(answers.recognize_texts, "grades"),
    Kind(answers.recognize_spread, WITHOUT_MEASURES),
    Kind(answers.recognize_points, WITHOUT_MEASURES),
    Kind(ranked.recognize_item_cells, "grades", needs_sample=False),
    Kind(ranked.recognize_named_pairs, ANY, needs_sample=False),
    Kind(ranked.recognize_rank_columns, "grades"),
    Kind(tables.recognize_number_columns, ANY),
    Kind(tables.recognize_table, "labels", needs_sample=False),
)
# The last one goes by the order of columns, where their names say nothing.
KINDS = (*NAMED_KINDS, Kind(ranked.recognize_pairs, ANY, needs_sample=False))
QRELS = (Kind(ranked.recognize_qrels, ANY, needs_sample=False),)
NO_SAMPLE = Preview(())
THREE_COLUMNS = re.compile(r"[ \t]*\S+[ \t]+\S+[ \t]+[+-]?[0-9]{1,4}(?:\.[0-9]*)?[ \t]*")
LISTS = "lists.csv"  # what the file of all lists is called, if one is needed
ANSWER_ROLES = ("label", "target", "text", "item")
MOST_SAMPLES = 20  # submissions that are looked at for one whose names of columns fit
USAGES = {"Public", "Private", "Ignored"}  # words of the column Usage in Kaggle's solutions
IGNORED = "rows called Ignored are a split of their own, and count among all rows"


class Inferred(NamedTuple):
    """A challenge that fits a truth and a sample.

    Attributes:
        data: The challenge as `load` takes it; it has no `truth.file` if the truth is a frame.
        description: What truth and sample were taken for, as the end of a sentence.
        doubt: What may be otherwise, as a clause; empty if nothing is known that may be.
    """

    data: dict[str, Any]
    description: str
    doubt: str


def infer(
    truth: Path | pl.DataFrame,
    sample: Path | pl.DataFrame | None = None,
    measures: Sequence[str] = (),
) -> Inferred:
    """Return the challenge that fits a truth and a sample, each a file or a frame.

    Without `measures` the challenge has some that fit.

    Raises:
        UsageError: A file has no known form, or its columns do not show what they are.
    """
    truth_preview = preview_table(truth)
    sample_preview = NO_SAMPLE if sample is None else preview_table(sample)
    return _infer_challenge(truth, truth_preview, sample_preview, measures)


def infer_from_submissions(
    truth: Path, submissions: Sequence[Path], measures: Sequence[str] = ()
) -> Challenge:
    """Return the challenge that fits a truth and the first of its submissions with a known form.

    Submissions of unknown form are passed over: reading them gives their problems.

    Raises:
        UsageError: As `infer`; also if the truth does not suffice, and no submission helps.
    """
    file = Path(os.path.realpath(truth))
    truth_preview = preview_table(file)
    sample_preview = _preview_sample(truth_preview, submissions, find_needs(measures))
    try:
        data = _infer_challenge(file, truth_preview, sample_preview or NO_SAMPLE, measures).data
    except UsageError:
        if sample_preview is None and submissions:
            preview_table(submissions[0])  # raises, as it might have told what the truth does not
        raise
    if data["submission"].get("format") == "trec":  # each file says it itself
        del data["submission"]["format"]
    data = {"id": file.name.split(".")[0] or "challenge", **data}
    challenge = load(data, file.parent)
    if (lists := find_lists(data, file)) is not None:
        columns = {"list": lists.columns[0]}
        data["lists"] = {"file": LISTS, "format": "parquet", "columns": columns}
        challenge = load(data, file.parent)
        challenge._frames[file.with_name(LISTS)] = lists
    challenge._path = truth  # which messages name
    return challenge


def find_lists(data: Mapping[str, Any], truth: Path) -> pl.DataFrame | None:
    """Return a column with all lists of a truth, if an empty cell is an answer and it has one.

    None of other truths, whose rows name all lists that have an answer.
    """
    if data["submission"].get("length") != {"min": 0}:
        return None
    section = {key: value for key, value in data["truth"].items() if key != "cells"}
    challenge = load({**data, "truth": section}, truth.parent)
    schema = Schema(("list",), ("item",), section["columns"])
    layout = challenge.layout(challenge.truth)
    table = read_file(truth, challenge.truth.format, [schema], Findings(), layout=layout).table
    if table is None or not (table.frame["item"].str.strip_chars() == "").any():
        return None
    lists = table.frame.select(pl.col("list").unique(maintain_order=True))
    return lists.rename({"list": section["columns"]["list"]})


def _preview_sample(truth: Preview, submissions: Sequence[Path], needs: Needs) -> Preview | None:
    """Return a preview of the submission whose names of columns fit best, else of the first.

    Best is the truth's own column of answers, then a usual name or any of the truth; of equals the
    first. The columns of TREC's runs have no names: they are read whatever the others are called.
    """
    first = similar = None
    for n, path in enumerate(submissions):
        preview = preview_file(path) if os.path.isfile(path) else None
        if preview is not None and not preview.is_trec:
            has_usual_names = preview.find_role("list") and preview.find_role("item")
            if has_usual_names or any(map(truth.find_name, preview.names)):
                if "probability" in needs.columns or _has_answers(truth, preview, needs):
                    return preview
                similar = similar or preview
        first = first or preview
        if first is not None and n >= MOST_SAMPLES:
            break
    return similar or first


def _has_answers(truth: Preview, sample: Preview, needs: Needs) -> bool:
    """Return whether a sample has a column that is called as the truth's answers."""
    if (guess := _guess(truth, sample, needs, KINDS)) is None:
        return False
    columns = guess.truth.get("columns", {})
    names = [columns.get(role, role) for role in ANSWER_ROLES if columns.get("list") != role]
    return any(name in truth.names and sample.find_name(name) for name in names)


def _infer_challenge(
    source: Path | pl.DataFrame, truth: Preview, sample: Preview, measures: Sequence[str]
) -> Inferred:
    where = display_path(source) if isinstance(source, Path) else "the truth"
    if not truth.names:  # such as a damaged Parquet file
        raise UsageError(f"{where}: no columns can be read")
    guess = _guess(truth, sample, find_needs(measures), KINDS)
    if guess is None:
        raise UsageError(f"{where}: {_describe_unknown(truth, sample)}")
    file = {"file": source.name} if isinstance(source, Path) else {}
    data = {
        "truth": {**file, **_name_columns({**truth.layout, **guess.truth})},
        "submission": _name_columns({**sample.layout, **guess.submission}),
        "metrics": list(measures or map(copy, guess.measures)),
    }
    usages = {*truth.cells("Usage")} if "Usage" in truth.names else set[str]()
    doubts = [describe_span_columns(truth), guess.doubt]
    if file and usages and usages <= USAGES:
        data["splits"] = dict(file)
        doubts += [IGNORED] if "Ignored" in usages else []
    return Inferred(data, guess.description, "; ".join(filter(None, doubts)))


def _guess(truth: Preview, sample: Preview, needs: Needs, kinds: Sequence[Kind]) -> Guess | None:
    """Return the guess of the first kind that fits; None without."""
    guesses = (kind.guess(truth, sample, needs) for kind in (QRELS if truth.is_trec else kinds))
    return next((guess for guess in guesses if guess is not None), None)


def _describe_unknown(truth: Preview, sample: Preview) -> str:
    """Return that the columns show no answers, and how to say which of them has the answers."""
    message = f"its columns ({', '.join(truth.names[:12])}) show no answers"
    if not sample.names:
        return message
    candidates = truth.names_except(*sample.names)
    return (
        f"{message}; which of its columns has the answers ({join_first(candidates)}) is not known: "
        "in a challenge.yaml, truth: {columns: {list: ID, label: COLUMN}}, or target for numbers"
    )


def _name_columns(section: dict[str, Any]) -> dict[str, Any]:
    """Return a section; columns that have no names in the file are called as their roles."""
    columns = section.get("columns", {})
    if "header" not in section or "probability" in columns:
        return section
    roles = {name: role for role, name in columns.items()}
    header = [roles.get(name, name) for name in section["header"]]
    if len(set(header)) < len(header):
        return section
    return {key: value for key, value in section.items() if key != "columns"} | {"header": header}


def find_needs(notations: Sequence[str], own_metrics: Sequence[Metric] = ()) -> Needs:
    """Return what measures need, by their notations; an unknown metric needs nothing."""
    choices: list[Sequence[Metric]] = [[metric] for metric in own_metrics]
    for notation in notations:
        with suppress(UnknownName, NotationError):
            choices.append(metrics().find_all(parse(notation).name, every=True))
    if not choices:
        return Needs()
    kinds = [frozenset(kind for metric in named for kind in metric.kinds) for named in choices]
    of_tables = (metric for named in choices for metric in named if "labels" in metric.kinds)
    columns = {role for metric in of_tables for role in metric.columns}
    return Needs(frozenset.intersection(*kinds), frozenset(columns))


def is_truth(path: Path) -> bool:
    """Return whether a file is a truth and no challenge.yaml, by its content, or by its suffix.

    Raises:
        UsageError: It is nearly TREC's qrels, with a column missing.
        ChallengeError: It can be read neither as a truth nor as a challenge.
    """
    if not os.path.isfile(path) or path.suffix.lower() in YAML_SUFFIXES:
        return False
    preview = preview_file(path)
    if preview is None:
        _refuse_odd_file(path)
    elif preview.names and _guess(preview, NO_SAMPLE, Needs(), NAMED_KINDS):
        return True
    suffixes = {suffix.lower() for suffix in path.suffixes}
    if preview is None:  # the suffixes of notes, and of documents that YAML has, too
        suffixes -= {".txt", ".json"}
    is_table = any(not suffixes.isdisjoint(of_format) for of_format in SUFFIXES.values())
    return is_table and (preview is None or not preview.is_trec)


def _refuse_odd_file(path: Path) -> None:
    """Raise an error if a file is nearly TREC's qrels; or blank or no text, unless it may be a kit.

    Raises:
        UsageError: It has TREC's judgments without the column of iterations.
        ChallengeError: It is blank or no text.
    """
    if matching_lines(first_lines(path), THREE_COLUMNS):
        raise UsageError(
            f"{display_path(path)}:1: 3 columns; TREC's judgments have four: "
            "topic, iteration, document, grade"
        )
    try:
        refuse_blank(path)
    except UnreadableError as error:
        if path.suffix.lower() != ".zip":
            problem = replace(error.problem, path=display_path(path))
            raise ChallengeError(problems=as_truth_problems([problem])) from None
