"""The values of each system, as data frames of texts: of files, frames and data of a session."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from scorer.api import data
from scorer.api.arrays import is_array
from scorer.api.folders import list_folder
from scorer.api.submissions import SubmissionFile, problems_of_parts
from scorer.core.errors import ChallengeError, UsageError
from scorer.core.problems import Findings, Problem
from scorer.core.text import printable, quoted
from scorer.infer.base import Preview
from scorer.infer.directions import Better
from scorer.infer.preview import preview_file, preview_frame
from scorer.infer.values import ValueColumns, find_run_column, find_value_columns
from scorer.reading.frame import LINE
from scorer.reading.limits import DEFAULT_LIMITS
from scorer.reading.read import read_file
from scorer.reading.schema import EXTRA, Schema
from scorer.reading.table import Table

# The columns of the frames.
CASE = "case"
MEASURE = "measure"
VALUE = "value"


class ValueOptions(NamedTuple):
    """What the user says about values; the rest is inferred from their columns.

    Attributes:
        columns: role (system, run, case, measure) -> column.
        values: Columns of values, the first ranks; empty: every column of numbers.
        lower: The values that are better if lower.
        higher: The values that are better if higher.
        rules: The keys of a challenge's `submission:`, and `undefined`, `leaderboard` and `title`.
    """

    columns: Mapping[str, str] = {}
    values: Sequence[str] = ()
    lower: Sequence[str] = ()
    higher: Sequence[str] = ()
    rules: Mapping[str, Any] = {}


class SystemValues(NamedTuple):
    """The values of one system, or why they cannot be read.

    Attributes:
        name: The name of the system.
        frame: A row for each value, with the columns CASE, MEASURE (the name of the value), VALUE
            (a text, or a number) and, if it is of a file, LINE.
        label: Its file or table in messages.
        baseline: Whether it is a baseline of the challenge that a report is of.
        part: Which part of a table it is.
        description: What the columns of that table were taken for.
        metrics: Name of a value -> the metric that it is of, if that is known.
        directions: Name of a value -> which direction is better, if that is known.
        problems: Why it cannot be read.
    """

    name: str
    frame: pl.DataFrame
    label: str
    baseline: bool = False
    part: str = ""
    description: str = ""
    metrics: Mapping[str, str] = {}
    directions: Mapping[str, Better] = {}
    problems: tuple[Problem, ...] = ()


REPORT_MARK = b'"report/'  # the schema of a report, which is its first key
REPORT_HEAD = 200  # bytes in which it stands
NO_VALUES = pl.DataFrame(schema=dict.fromkeys((CASE, MEASURE, VALUE), pl.String))


def read_systems(systems: object, options: ValueOptions) -> Iterator[SystemValues]:
    """Yield the systems of files, of a frame, or of data by their names.

    Raises:
        TypeError: Data is of another kind.
        UsageError: A table has no column of cases or of numbers, or no file can be read.
    """
    if data.is_frame(systems):
        yield from _split_frame(systems, options, "", "the table")
    elif isinstance(systems, Mapping):
        for name, values in systems.items():
            yield from _read_data(str(name), values, options)
    elif isinstance(systems, Sequence) and all(isinstance(f, SubmissionFile) for f in systems):
        yield from _read_files(systems, options)
    else:
        message = "give {name: values}, a data frame with a column of systems, or paths"
        raise TypeError(f"{type(systems).__name__} is not understood; {message}")


def _read_data(name: str, values: Any, options: ValueOptions) -> Iterator[SystemValues]:
    label = f"system {quoted(name)}"
    measure = options.values[0] if options.values else VALUE
    if data.is_path(values):
        yield from _read_files([SubmissionFile(name, Path(values))], options)
    elif isinstance(values, Mapping):
        frame, problems = _read_dict(values, measure)
        yield SystemValues(name, frame, label, problems=problems)
    elif is_array(values):
        numbers = np.asarray(values)
        if numbers.ndim != 1:
            raise UsageError(f"{label} has {numbers.ndim} dimensions; give a value a case")
        index: Any = getattr(values, "index", None)  # of a list a method
        cases = range(len(numbers)) if index is None or callable(index) else index
        yield SystemValues(name, _make_frame(list(cases), measure, numbers.tolist()), label)
    elif data.is_frame(values):
        yield from _split_frame(values, options, name, label)
    else:
        raise TypeError(f"{label} is {type(values).__name__}; give {{case: value}} or an array")


def _read_dict(values: Mapping[Any, Any], measure: str) -> tuple[pl.DataFrame, tuple[Problem, ...]]:
    """Return the numbers of `{case: value}` or `{case: {name: value}}`, and problems of others."""
    rows = list[tuple[Any, str, Any]]()
    problems = list[Problem]()
    for case, value in values.items():
        of_case = value if isinstance(value, Mapping) else {measure: value}
        for name, each in of_case.items():
            if isinstance(each, str | bytes) or not np.isscalar(each):
                what = f"{printable(repr(each), 60)} of case {quoted(str(case))}"
                problems.append(Problem("S501", f"{what} is not a number", list=str(case)))
            else:
                rows.append((case, str(name), each))
    cases, measures, numbers = zip(*rows, strict=True) if rows else ((), (), ())
    return _make_frame(cases, list(measures), numbers), tuple(problems)


def _make_frame(
    cases: Sequence[Any], measures: Sequence[str] | str, values: Sequence[Any]
) -> pl.DataFrame:
    """Return a frame of values; those that are no numbers are texts for the reader to refuse."""
    column = pl.Series(VALUE, [], dtype=pl.String)
    if set(map(type, values)) <= {float, int, bool}:
        with suppress(OverflowError):  # of an int beyond the range of floats
            column = pl.Series(VALUE, list(map(float, values)), dtype=pl.Float64)
    if len(column) < len(values):
        texts = [str(int(v)) if isinstance(v, bool | int) else str(v) for v in values]
        column = pl.Series(VALUE, texts, dtype=pl.String)
    names = pl.Series([measures] if isinstance(measures, str) else measures, dtype=pl.String)
    return pl.DataFrame(
        {
            CASE: pl.Series(list(map(str, cases)), dtype=pl.String),
            MEASURE: names.new_from_index(0, len(column)) if isinstance(measures, str) else names,
            VALUE: column,
        }
    )


def _split_frame(
    frame: Any, options: ValueOptions, name: str, where: str
) -> Iterator[SystemValues]:
    """Yield the systems of a data frame, whose cells are taken as texts."""
    rows = data.read_polars(frame, where)
    rows = rows.select(column for column in rows.columns if not column.startswith(data.INDEX))
    preview = preview_frame(rows)
    texts = rows.select(pl.all().cast(pl.String).fill_null("")).with_row_index(LINE, offset=1)
    yield from _split_table(texts, _find_columns(texts, preview, options, where), name, where)


def _read_files(files: Sequence[SubmissionFile], options: ValueOptions) -> Iterator[SystemValues]:
    """Yield the systems of files; a file that cannot be read is a system with its problems.

    Raises `UsageError` if no file is a table with the columns.
    """
    errors = list[UsageError]()
    for file in files:
        try:
            yield from list(_read_file(file, options))
        except ChallengeError as error:
            problems = tuple(error.problems)
            yield SystemValues(file.name, NO_VALUES, file.display, problems=problems)
        except UsageError as error:
            errors.append(error)
            if len(errors) == len(files):
                raise errors[0] from None
            problems = (Problem("S201", str(error)),)
            yield SystemValues(file.name, NO_VALUES, file.display, problems=problems)


def _read_file(file: SubmissionFile, options: ValueOptions) -> Iterator[SystemValues]:
    """Yield the systems of a file or a report, or the one system of a folder of files."""
    if file.path.is_dir():
        parts = [
            part
            for path in list_folder(file.path).paths
            for part in _read_file(SubmissionFile(file.name, path), options)
        ]
        rows = pl.concat([part.frame.drop(LINE, strict=False) for part in parts])
        yield SystemValues(file.name, rows, file.display, description=parts[0].description)
        return
    if is_report(file.path):
        yield from _read_report(file)
        return
    # A file without a table is read with a column that it lacks: the error says why.
    preview = preview_file(file.path) or Preview((CASE,))
    findings = Findings(file.display)
    table = _read_columns(file.path, preview.names, preview.layout, findings)
    if not len(table):
        raise ChallengeError(problems=[*findings, Problem("S103", "the file has no rows")])
    roles = dict(zip(preview.names, table.frame.columns[1:], strict=True))
    rows = table.frame.rename({"line": LINE, **{role: name for name, role in roles.items()}})
    if not preview.rows:  # of Parquet it has none
        preview = preview_frame(rows.drop(LINE))
    columns = _find_columns(rows, preview, options, file.display)
    keys = [roles[name] for name in _key_columns(columns)]
    texts = [*_key_columns(columns), columns.case]
    texts += [] if columns.measure is None else [columns.measure]
    problems = problems_of_parts(file.path, table, keys, texts, findings, DEFAULT_LIMITS)
    if problems is None:
        raise ChallengeError(problems=findings)
    yield from _split_table(rows, columns, file.name, file.display, problems)


def read_texts(path: Path, columns: Sequence[str]) -> pl.DataFrame:
    """Return some columns of a file as texts. Raises `ChallengeError` if it cannot be read."""
    frame = _read_columns(path, columns, {}, Findings(str(path))).frame.drop("line")
    return frame.rename(dict(zip(frame.columns, columns, strict=True)))


def _read_columns(
    path: Path, columns: Sequence[str], layout: Mapping[str, Any], findings: Findings
) -> Table:
    """Return some columns of a file as texts, whose roles are `extra[n]` in their order.

    Raises `ChallengeError` if it cannot be read.
    """
    roles = {f"{EXTRA}{n}]": column for n, column in enumerate(columns)}
    schema = Schema(tuple(roles), (), roles)
    table = read_file(path, layout.get("format"), [schema], findings).table
    if table is None:
        raise ChallengeError(problems=[p for p in findings if p.severity == "error"])
    return table.with_frame(table.frame.select("line", *roles))


def _find_columns(
    rows: pl.DataFrame, preview: Preview, options: ValueOptions, where: str
) -> ValueColumns:
    """Return which column of a table is which, given all its rows."""
    columns = find_value_columns(preview, options.columns, options.values, where)
    if quotients := [value for value in columns.values if value not in preview.names]:
        message = f"{quotients[0]} is a quotient of sums, which are read of files"
        raise UsageError(f"{where}: {message} that have a column for each and no empty cell")
    if not columns.run_names:
        return columns
    keys = rows.select(*columns.keys, *columns.run_names)
    return find_run_column(columns, keys, where)


def _key_columns(columns: ValueColumns) -> list[str]:
    """Return the columns whose cells tell systems and runs apart."""
    return [column for column in (columns.system, columns.run) if column is not None]


def _split_table(
    rows: pl.DataFrame,
    columns: ValueColumns,
    name: str,
    where: str,
    problems: Mapping[tuple[str, ...], Sequence[Problem]] = {},
) -> Iterator[SystemValues]:
    """Yield the systems of a table; without a column of systems, the one called `name`.

    Args:
        rows: LINE and the table's columns, all of texts.
        problems: The cells of the columns of systems and runs -> the problems of these rows.
    """
    names = _key_columns(columns)
    keys = {f"{LINE} {name}": pl.col(name) for name in names}  # beside CASE, MEASURE and VALUE
    values = pl.concat(
        rows.select(
            LINE,
            pl.col(columns.case).alias(CASE),
            (pl.lit(value) if columns.measure is None else pl.col(columns.measure)).alias(MEASURE),
            pl.col(value).alias(VALUE),
            **keys,
        )
        for value in columns.values
    ).sort(LINE, maintain_order=True)
    groups = values.group_by(list(keys), maintain_order=True) if keys else [((), values)]
    for key, group in groups:
        cells = tuple(map(str, key))
        system = name if columns.system is None else cells[0] or name  # an empty cell is no name
        yield SystemValues(
            system if columns.run is None else f"{system}#{cells[-1]}",
            group.select(CASE, MEASURE, VALUE, LINE),
            where,
            part=", ".join(f"{n} {quoted(cell)}" for n, cell in zip(names, cells, strict=True)),
            description=columns.description,
            problems=tuple(problems.get(cells, ())),
        )


def is_report(path: Path) -> bool:
    """Return whether a file is a board that `score --format json` wrote."""
    if path.suffix.lower() != ".json":
        return False
    try:
        with path.open("rb") as file:
            return REPORT_MARK in file.read(REPORT_HEAD)
    except OSError:
        return False


def _read_report(file: SubmissionFile) -> Iterator[SystemValues]:
    """Yield each submission of a report, with its value of each list by each measure."""
    try:
        report = json.loads(file.path.read_text(encoding="utf-8"))
    except ValueError:
        problem = Problem("S107", "this report is not JSON; write it again", path=file.display)
        raise ChallengeError(problems=[problem]) from None
    metrics = {measure["id"]: measure["metric"] for measure in report["measures"]}
    directions = {measure["id"]: measure["better"] for measure in report["measures"]}
    for each in report["submissions"]:
        rows = [
            (case, name, number)
            for name, value in (each.get("values") or {}).items()
            for case, number in (value.get("per_list") or {}).items()
            if number is not None
        ]
        if rows:
            yield SystemValues(
                each["name"],
                _make_frame(*map(list, zip(*rows, strict=True))),
                f"{file.display}, {quoted(each['name'])}",
                each["baseline"],
                metrics=metrics,
                directions=directions,
            )
        elif each["valid"]:
            message = "it has no value of each list; score --per-list --format json writes them"
            raise UsageError(f"{file.display}: {message}")
