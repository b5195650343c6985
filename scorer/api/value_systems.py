"""The values of each system: of files, of data frames, and of other data of a session."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from scorer.api import data
from scorer.api.arrays import is_array
from scorer.api.submissions import SubmissionFile
from scorer.api.systems import problems_of_parts
from scorer.core.errors import ChallengeError, UsageError
from scorer.core.problems import Findings, Problem
from scorer.core.text import printable, quoted
from scorer.infer.base import Preview
from scorer.infer.directions import Better
from scorer.infer.preview import preview_file
from scorer.infer.values import find_run_column, find_value_columns
from scorer.reading.limits import DEFAULT_LIMITS
from scorer.reading.read import read_file
from scorer.reading.schema import EXTRA, Schema
from scorer.reading.table import Table

CASE = "case"
VALUE = "value"  # what data without names has


class ValueRow(NamedTuple):
    """One value of a system."""

    case: str
    name: str
    cell: str  # the value as text
    line: int = 0  # of its table; 0: it is of no table, or of one of several


class ValueOptions(NamedTuple):
    """What is said of tables of values, beside what their columns tell."""

    columns: Mapping[str, str] = {}  # role (system, run, case, measure) -> column
    values: Sequence[str] = ()  # columns of values; none: all of numbers
    lower: Sequence[str] = ()  # the values of which lower is better
    higher: Sequence[str] = ()  # the values of which higher is better
    rules: Mapping[str, Any] = {}  # of `submission:`, with `BELOW`


class SystemValues(NamedTuple):
    """What is known of one system: rows of values."""

    name: str
    rows: Sequence[ValueRow]
    label: str  # its file or table in messages
    baseline: bool = False
    called: str = ""  # which part of a table it is
    told: str = ""  # what the columns of that table were taken for
    metrics: Mapping[str, str] = {}  # name of a value -> the metric that it is of, where known
    directions: Mapping[str, Better] = {}  # of values, where known
    refused: tuple[Problem, ...] = ()  # why its file cannot be read


def systems_in(systems: object, said: ValueOptions) -> Iterator[SystemValues]:
    """The systems of files, of a frame, or of data by their names."""
    if data.is_frame(systems):
        yield from _of_frame(systems, said, "", "the table")
    elif isinstance(systems, Mapping):
        for name, values in systems.items():
            yield from _of_data(str(name), values, said)
    elif isinstance(systems, Sequence) and all(
        isinstance(each, SubmissionFile) for each in systems
    ):
        yield from _of_files(systems, said)
    else:
        message = "give {name: values}, a data frame with a column of systems, or paths"
        raise TypeError(f"{type(systems).__name__} is not understood; {message}")


def _of_data(name: str, values: Any, said: ValueOptions) -> Iterator[SystemValues]:
    label = f"system {quoted(name)}"
    if data.is_path(values):
        yield from _of_files([SubmissionFile(name, Path(values))], said)
    elif isinstance(values, Mapping):
        yield SystemValues(name, list(_of_dict(values, said, label)), label)
    elif is_array(values):
        index: Any = getattr(values, "index", None)
        numbers = np.asarray(values)
        if numbers.ndim != 1:
            raise UsageError(f"{label} has {numbers.ndim} dimensions; give a value a case")
        # of a list it is a method
        cases = range(len(numbers)) if index is None or callable(index) else index
        pairs = zip(map(str, cases), numbers.tolist(), strict=True)
        only = said.values[0] if said.values else VALUE
        rows = [ValueRow(case, only, _cell_of(value)) for case, value in pairs]
        yield SystemValues(name, rows, label)
    elif data.is_frame(values):
        yield from _of_frame(values, said, name, label)
    else:
        raise TypeError(f"{label} is {type(values).__name__}; give {{case: value}} or an array")


def _of_dict(values: Mapping[Any, Any], said: ValueOptions, label: str) -> Iterator[ValueRow]:
    only = said.values[0] if said.values else VALUE
    for case, value in values.items():
        if isinstance(value, Mapping):
            yield from (
                ValueRow(str(case), str(name), _cell_of(each)) for name, each in value.items()
            )
        elif isinstance(value, str | bytes) or not np.isscalar(value):
            message = f"{label}, case {quoted(str(case))}: {printable(repr(value), 60)}"
            raise TypeError(f"{message} is not a number")
        else:
            yield ValueRow(str(case), only, _cell_of(value))


def _cell_of(value: Any) -> str:
    """A number as the readers take it; what is none is theirs to refuse."""
    return str(int(value)) if isinstance(value, bool | int) else str(value)


def _of_frame(frame: Any, said: ValueOptions, name: str, where: str) -> Iterator[SystemValues]:
    """The systems of a data frame, whose cells are taken as text, and whose rows count from 1."""
    made = data.as_polars(frame, where)
    made = made.select([name for name in made.columns if not name.startswith(data.INDEX)])
    rows = [
        tuple("" if cell is None else _cell_of(cell) for cell in row) for row in made.iter_rows()
    ]
    table = Preview(tuple(made.columns), tuple(rows))
    yield from _of_table(table, range(1, len(rows) + 1), said, name, where)


def _of_files(files: Sequence[SubmissionFile], said: ValueOptions) -> Iterator[SystemValues]:
    """The systems of files; one that cannot be read is refused, and the others stand."""
    errors = list[UsageError]()
    for file in files:
        try:
            yield from list(_of_file(file, said))
        except ChallengeError as error:
            yield SystemValues(file.name, (), file.display, refused=tuple(error.problems))
        except UsageError as error:
            errors.append(error)
            if len(errors) == len(files):
                raise errors[0] from None
            problem = Problem("S201", str(error))
            yield SystemValues(file.name, (), file.display, refused=(problem,))


def _of_file(file: SubmissionFile, said: ValueOptions) -> Iterator[SystemValues]:
    """The systems of a file, of a folder whose files are of one, or of a report of `score`."""
    if file.path.is_dir():
        inside = sorted(p for p in file.path.iterdir() if p.is_file() and p.name[0] != ".")
        if not inside:
            raise UsageError(f"{file.display} is a folder without files")
        parts = [part for p in inside for part in _of_file(SubmissionFile(file.name, p), said)]
        rows = [row._replace(line=0) for part in parts for row in part.rows]
        yield SystemValues(file.name, rows, file.display, told=parts[0].told)
    elif is_report(file.path):
        yield from _of_report(file)
    else:
        # A file that shows no table is read with a column that it lacks, which tells why.
        preview = preview_file(file.path) or Preview((CASE,))
        findings = Findings(file.display)
        table = _read_table(file.path, preview.names, preview.layout, findings)
        if not len(table):
            raise ChallengeError(problems=[*findings, Problem("S103", "the file has no rows")])
        roles = dict(zip(preview.names, table.frame.columns[1:], strict=True))

        def find_faults(
            parts: Sequence[str], used: Sequence[str]
        ) -> Mapping[tuple[str, ...], Sequence[Problem]]:
            of_roles = [roles[name] for name in parts]
            faults = problems_of_parts(file.path, table, of_roles, used, findings, DEFAULT_LIMITS)
            if faults is None:
                raise ChallengeError(problems=findings)
            return faults

        preview = preview._replace(rows=tuple(table.frame.drop("line").rows()))
        lines = table.frame["line"].to_list()
        yield from _of_table(preview, lines, said, file.name, file.display, find_faults)


def read_texts(path: Path, columns: Sequence[str]) -> pl.DataFrame:
    """Return some columns of a file as text. Raises `ChallengeError` if it cannot be read."""
    table = _read_table(path, columns, {}, Findings(str(path)))
    return table.frame.drop("line").rename(dict(zip(table.frame.columns[1:], columns, strict=True)))


def _read_table(
    path: Path, columns: Sequence[str], written: Mapping[str, Any], findings: Findings
) -> Table:
    """Return some columns of a file as text, in their order, after adding to the findings.

    Raises `ChallengeError` if the file cannot be read.
    """
    roles = {f"{EXTRA}{n}]": column for n, column in enumerate(columns)}
    schema = Schema(tuple(roles), (), roles)
    table = read_file(path, written.get("format"), [schema], findings).table
    if table is None:
        raise ChallengeError(problems=[p for p in findings if p.severity == "error"])
    return table.with_frame(table.frame.select("line", *roles))


# (columns of systems and runs, columns of text) -> the cells of the first in rows that were left
# out -> what is wrong with these rows.
FindFaults = Callable[[Sequence[str], Sequence[str]], Mapping[tuple[str, ...], Sequence[Problem]]]


def _of_table(
    table: Preview,
    lines: Sequence[int],
    said: ValueOptions,
    name: str,
    where: str,
    find_faults: FindFaults = lambda parts, used: {},
) -> Iterator[SystemValues]:
    """The systems of a whole table; of one without a column of them a system of that name."""
    columns = find_value_columns(table, said.columns, said.values, where)
    if quotients := [value for value in columns.values if value not in table.names]:
        message = f"{quotients[0]} is a quotient of sums, which are read of files"
        raise UsageError(f"{where}: {message} that have a column for each and no empty cell")
    at = {column: n for n, column in enumerate(table.names)}
    if columns.run_names:
        frame = pl.DataFrame(table.rows, table.names, orient="row")
        columns = find_run_column(columns, frame[[*columns.keys, *columns.run_names]], where)
    names = [column for column in (columns.system, columns.run) if column is not None]
    texts = [column for column in (*names, columns.case, columns.measure) if column is not None]
    faults = find_faults(names, texts)
    by_system: dict[tuple[str, ...], list[ValueRow]] = {}
    for line, row in zip(lines, table.rows, strict=True):
        rows = by_system.setdefault(tuple(row[at[column]] for column in names), [])
        for value in columns.values:
            called = value if columns.measure is None else row[at[columns.measure]]
            rows.append(ValueRow(row[at[columns.case]], called, row[at[value]], line))
    for parts, rows in by_system.items():
        system = name if columns.system is None else parts[0] or name  # an empty cell is no name
        system += "" if columns.run is None else f"#{parts[-1]}"
        called = ", ".join(f"{n} {quoted(part)}" for n, part in zip(names, parts, strict=True))
        refused = tuple(faults.get(parts, ()))
        yield SystemValues(system, rows, where, called=called, told=columns.told, refused=refused)


def is_report(path: Path) -> bool:
    """Whether a file is a board that `score --format json` wrote."""
    if path.suffix.lower() != ".json":
        return False
    try:
        with path.open("rb") as file:
            return b'"report/' in file.read(200)
    except OSError:
        return False


def _of_report(file: SubmissionFile) -> Iterator[SystemValues]:
    """The values of lists in a report, by submission; of measures that are means of these."""
    try:
        report = json.loads(file.path.read_text(encoding="utf-8"))
    except ValueError:
        problem = Problem("S107", "this report is not JSON; write it again", path=file.display)
        raise ChallengeError(problems=[problem]) from None
    metrics = {measure["id"]: measure["metric"] for measure in report["measures"]}
    directions = {measure["id"]: measure["better"] for measure in report["measures"]}
    for each in report["submissions"]:
        rows = [
            ValueRow(case, name, _cell_of(number))
            for name, value in (each.get("values") or {}).items()
            for case, number in (value.get("per_list") or {}).items()
            if number is not None
        ]
        if rows:
            label = f"{file.display}, {quoted(each['name'])}"
            yield SystemValues(
                each["name"],
                rows,
                label,
                each["baseline"],
                metrics=metrics,
                directions=directions,
            )
        elif each["valid"]:
            message = "it has no value of each list; score --per-list --format json writes them"
            raise UsageError(f"{file.display}: {message}")
