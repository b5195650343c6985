"""The labels of a file of classes."""

from __future__ import annotations

from scorer.challenge.model import Challenge
from scorer.challenge.public import ClassNames
from scorer.challenge.submission import layout_of
from scorer.core.problems import Findings, Problem, as_truth_problems
from scorer.core.text import display_path, printable, quoted
from scorer.reading.limits import ReadLimits
from scorer.reading.read import header_words, read_file
from scorer.reading.schema import Schema

MOST_CLASSES = 10_000_000


def classes_in(challenge: Challenge, findings: Findings) -> tuple[str, ...]:
    """The labels of `submission.classes: {file: ..}`, in its order; none where there is no file."""
    source = challenge.submission.classes
    if isinstance(source, tuple):
        return ()
    file_findings = Findings(display_path(source.file))
    limits = ReadLimits(rows=MOST_CLASSES)
    layout = layout_of(source)
    words = header_words(source.file, source.format, layout)
    columns = dict(source.columns)
    if not columns and len(words) == 1:
        columns = {"label": next(iter(words))}
    schema = Schema(("label",), (), columns)
    table = read_file(source.file, source.format, [schema], file_findings, limits, layout).table
    names: tuple[str, ...] = ()
    if table is not None:
        labels, word = table.frame["label"], printable(table.column_name("label"), 60)
        lines, repeats = table.frame["line"], ~labels.is_first_distinct()
        if repeats.any():
            row, times = int(repeats.arg_max() or 0), int(repeats.sum())
            message = f"{word} {quoted(labels[row])} stands twice"
            file_findings.add(Problem("S304", message, line=lines[row], times=times))
        names = ClassNames(labels.to_list())
        if "" in names.places:
            line = lines[names.places[""]]
            file_findings.add(Problem("S522", f"{word} is empty", line=line))
        if len(names) < 2:
            file_findings.add(Problem("S103", "there are fewer than two classes"))
    findings.extend(as_truth_problems(file_findings))
    return names
