"""The labels of a file of classes."""

from __future__ import annotations

import numpy as np

from scorer.challenge.forms import layout_of
from scorer.challenge.model import Challenge
from scorer.challenge.public import ClassNames
from scorer.core.problems import Findings, Problem, as_truth_problems
from scorer.core.text import display_path, printable, quoted
from scorer.reading.limits import ReadLimits
from scorer.reading.read import header_words
from scorer.reading.schema import Schema
from scorer.tables.frame import read_columns

MOST_CLASSES = 10_000_000


def classes_in(challenge: Challenge, findings: Findings) -> tuple[str, ...]:
    """The labels of `submission.classes: {file: ..}`, in its order; none where there is no file."""
    source = challenge.submission.classes
    if isinstance(source, tuple):
        return ()
    file_findings = Findings(display_path(source.file))
    limits = ReadLimits(rows=MOST_CLASSES)
    layout = layout_of(source)
    words = header_words(source.file, source.format, limits, layout)
    columns = dict(source.columns)
    if not columns and len(words) == 1:
        columns = {"label": next(iter(words))}
    schema = Schema(("label",), (), columns)
    table = read_columns(source.file, source.format, [schema], file_findings, limits, layout)
    names: tuple[str, ...] = ()
    if table is not None:
        column = table.ids["label"]
        rows, word = np.asarray(column.codes), printable(table.called("label"), 60)
        first = np.unique(rows, return_index=True)[1]
        again = np.ones(rows.size, dtype=bool)
        again[first] = False
        for row in np.flatnonzero(again)[:1].tolist():
            message = f"{word} {quoted(column.text(row))} stands twice"
            problem = Problem("S304", message, line=int(table.line[row]), times=int(again.sum()))
            file_findings.add(problem)
        names = ClassNames(np.array(column.names, dtype=object)[rows].tolist())
        if "" in names.places:
            line = int(table.line[names.places[""]])
            file_findings.add(Problem("S522", f"{word} is empty", line=line))
        if len(names) < 2:
            file_findings.add(Problem("S103", "there are fewer than two classes"))
    findings.extend(as_truth_problems(file_findings))
    return names
