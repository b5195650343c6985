"""Checks of tables of classes: one label or several for each row, or probabilities."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from scorer.checks.base import CountedProblem, FoundProblem, SubmissionRows, check, report_ids
from scorer.checks.ids import MISSING, MOST_EXPLAINED, IdFault, IdIndex
from scorer.checks.numbers import count_wrong_rows, has_number_label, is_number
from scorer.checks.texts import describe_meaning, find_unknown_names
from scorer.core.arrays import Floats, Mask
from scorer.core.problems import Problem, Severity
from scorer.core.text import describe_range, join_first, quoted
from scorer.reading.layout import split_cell

SUM_TOLERANCE = 1e-6  # of the sum of a row's probabilities, which may be rounded
ROUNDING = 1e-9  # of adding floats up


def is_beyond_rounding(total: Floats) -> Mask:
    """Return which sums of probabilities are further from 1 than rounding explains.

    A sum of NaN is not: it has a problem of its own.
    """
    beyond: Mask = np.abs(total - 1) > SUM_TOLERANCE + ROUNDING
    return beyond


def find_flag(label: str, classes: Collection[str]) -> str | None:
    """Return the class that means the same if 1 is true and 0 false, or None.

    >>> find_flag("1", ["True", "False"]), find_flag("true", ["0", "1"]), find_flag("2", ["True"])
    ('True', '1', None)
    """
    others = {"1": "true", "0": "false", "true": "1", "false": "0"}
    other = others.get(label.casefold())
    return next((name for name in classes if name.casefold() == other), None)


@check("S521", "S522", "S523", kinds=("labels",))
def unknown_label(rows: SubmissionRows) -> Iterator[FoundProblem]:
    """Every label is a class of the challenge."""
    public, frame, word = rows.public, rows.frame, rows.column_name("label")
    if "label" not in frame.columns or not public.classes:
        return
    if public.numbers:
        frame = frame.filter(~has_number_label(public))
    index = IdIndex(dict.fromkeys(public.classes))

    def split_unknown(cell: str) -> list[str]:
        """Return the first label of a cell that is no class."""
        labels = split_cell(cell, public.separator, are_names=True)
        return [label for label in labels if label not in index.names][:1]

    # A cell that is a class as a whole need not be split.
    rest = frame.filter(~index.contains(frame["label"]))
    split = None if public.separator is None else split_unknown
    labels = find_unknown_names(rest, "label", split, index)
    if labels.is_empty():
        return
    first, count = labels.row(0, named=True), int(labels["rows"].sum())
    if not all(map(is_number, public.classes)) and all(map(is_number, frame["label"].unique())):
        message = f"{word} holds numbers, such as {quoted(first['name'])}, where a class is "
        message += f"expected: {join_first(public.classes)}"
        help = "write the names of the classes (LabelEncoder: inverse_transform)"
        meant = find_flag(first["name"], public.classes)
        help = help if meant is None else f"write {meant} for {first['name']}"
        yield Problem("S523", message, line=first["line"], help=help)
        return
    explained = {name: index.explain(name) for name in labels["name"].head(MOST_EXPLAINED)}
    # If all labels are misspelt in the same way, they have one problem together.
    codes = {fault.code if fault and fault.public_id else "" for fault in explained.values()}
    fault = explained[first["name"]]
    if fault is not None and labels.height > 1 and len(codes) == 1 and codes != {""}:
        message = f"{count:,} cells of {word} are no class of this challenge, in {labels.height:,} "
        message += f"spellings: {fault.message}"
        yield Problem("S521", message, line=first["line"], list=first["list"])
        return
    help = "predict a class for each of these rows (in pandas: fillna with one)"
    # By default pandas reads a class called `None` or `NA` as missing, and writes an empty cell.
    if any(name.casefold() in MISSING for name in public.classes):
        help = "read and write labels as text (in pandas: dtype=str, keep_default_na=False)"
    suggest = index.make_suggester()
    faults = dict[str, IdFault]()
    for label, fault in explained.items():
        if label.strip() and label.casefold() not in MISSING:
            hint, what = describe_meaning(fault, label), quoted(label)
            meant = find_flag(label, public.classes)
            hint = hint or (suggest(label) if meant is None else f"; write {meant}")
            faults[label] = IdFault(
                "S521", f"{word} {what} is no class of this challenge", hint=hint
            )
        else:
            what = f"reads {quoted(label)}" if label.strip() else "is empty"
            faults[label] = IdFault("S522", f"{word} {what}; every row needs a class", help=help)
    yield from report_ids(labels, "name", faults)


@check("S524", "S525", kinds=("labels",))
def wrong_probability(rows: SubmissionRows) -> Iterator[CountedProblem]:
    """Probabilities lie in 0 to 1, and sum to 1 in each row."""
    frame = rows.frame
    roles = [role for role in frame.columns if role.startswith("probability[")]
    if not roles or frame.is_empty():
        return
    table = frame.select(roles).to_numpy()
    is_outside = (table < 0) | (table > 1)
    is_wrong = np.asarray(is_outside.any(axis=1))
    if is_wrong.any():
        row = int(np.argmax(is_wrong))
        column = int(np.argmax(is_outside[row]))
        what = f"{rows.column_name(roles[column])} {describe_range(table[row, column], 0, 1)}"
        is_percent = np.nanmin(table) >= 0 and np.nanmax(table) <= 100
        help = "percent? divide by 100" if is_percent else None
        yield count_wrong_rows(rows, is_wrong, "S524", what, help=help)
        return  # Wrong sums follow from this
    # A row that may have several labels has a probability of each, with any sum.
    if len(roles) == 1 or rows.public.separator is not None:
        return
    total = table.sum(axis=1)
    is_wrong = is_beyond_rounding(total)
    severity: Severity
    for severity, mask in (("error", is_wrong & (total <= 0)), ("warning", is_wrong & (total > 0))):
        if mask.any():
            row = int(np.argmax(mask))
            place = f"{rows.word} {quoted(frame['list'][row])}"
            what = f"the probabilities of {place} sum to {total[row]:.9g}, not to 1"
            what += ", and are divided by their sum" if severity == "warning" else ""
            help = "write probabilities that sum to 1"
            yield count_wrong_rows(rows, mask, "S525", what, severity, help)
