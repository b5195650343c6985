"""The values of each system: of files, of data frames, and of other data of a session."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from scorer.api import data
from scorer.api.arrays import is_array
from scorer.api.submissions import Named
from scorer.core.errors import ChallengeError, UsageError
from scorer.core.problems import Findings
from scorer.core.text import printable, quoted
from scorer.prepare.guess.forms import looked
from scorer.prepare.guess.look import Preview
from scorer.prepare.guess.values import value_columns
from scorer.reading.read import read_file
from scorer.reading.schema import Schema

VALUE = "value"  # what data without names has
Rows = list[tuple[str, str, str]]  # case, name of the value, value as text


class Said(NamedTuple):
    """What is said of tables of values, beside what their columns tell."""

    columns: Mapping[str, str] = {}  # role (case, system, measure) -> column
    values: Sequence[str] = ()  # columns of values; none: all of numbers
    lower: Sequence[str] = ()  # the values of which lower is better
    rules: Mapping[str, Any] = {}  # of `submission:`, with `BELOW`


class SystemValues(NamedTuple):
    """What is known of one system: rows of values."""

    name: str
    rows: Rows
    label: str
    baseline: bool = False
    told: str = ""  # what its columns were taken for
    metrics: Mapping[str, str] = {}  # name of a value -> the metric that it is of, where known
    lower: frozenset[str] = frozenset()  # the values of which lower is better, where known


def systems_in(systems: object, said: Said) -> Iterator[SystemValues]:
    """The systems of files, of a frame, or of data by their names."""
    if data.is_frame(systems):
        yield from _of_table(_frame_rows(systems, "the table"), said, "", "the table")
    elif isinstance(systems, Mapping):
        for name, values in systems.items():
            yield from _of_data(str(name), values, said)
    elif isinstance(systems, Sequence) and all(isinstance(each, Named) for each in systems):
        for file in systems:
            yield from _of_file(file, said)
    else:
        message = "give {name: values}, a data frame with a column of systems, or paths"
        raise TypeError(f"{type(systems).__name__} is not understood; {message}")


def _of_data(name: str, values: Any, said: Said) -> Iterator[SystemValues]:
    label = f"system {quoted(name)}"
    if data.is_path(values):
        yield from _of_file(Named(name, Path(values)), said)
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
        yield SystemValues(name, [(case, only, _cell_of(value)) for case, value in pairs], label)
    elif data.is_frame(values):
        yield from _of_table(_frame_rows(values, label), said, name, label)
    else:
        raise TypeError(f"{label} is {type(values).__name__}; give {{case: value}} or an array")


def _of_dict(values: Mapping[Any, Any], said: Said, label: str) -> Iterator[tuple[str, str, str]]:
    only = said.values[0] if said.values else VALUE
    for case, value in values.items():
        if isinstance(value, Mapping):
            yield from ((str(case), str(name), _cell_of(each)) for name, each in value.items())
        elif isinstance(value, str | bytes) or not np.isscalar(value):
            message = f"{label}, case {quoted(str(case))}: {printable(repr(value), 60)}"
            raise TypeError(f"{message} is not a number")
        else:
            yield str(case), only, _cell_of(value)


def _cell_of(value: Any) -> str:
    """A number as the readers take it; what is none is theirs to refuse."""
    return str(int(value)) if isinstance(value, bool | int) else str(value)


def _frame_rows(frame: Any, what: str) -> Preview:
    """A data frame as a table of text, whole."""
    made = data.as_polars(frame, what)
    made = made.select([name for name in made.columns if not name.startswith(data.INDEX)])
    rows = [
        tuple("" if cell is None else _cell_of(cell) for cell in row) for row in made.iter_rows()
    ]
    return Preview(tuple(made.columns), tuple(rows))


def _of_file(file: Named, said: Said) -> Iterator[SystemValues]:
    """The systems of a file, of a folder whose files are of one, or of a report of `score`."""
    if file.path.is_dir():
        inside = sorted(p for p in file.path.iterdir() if p.is_file() and p.name[0] != ".")
        if not inside:
            raise UsageError(f"{file.display} is a folder without files")
        parts = [part for p in inside for part in _of_file(Named(file.name, p), said)]
        rows = [row for part in parts for row in part.rows]
        yield SystemValues(file.name, rows, file.display, told=parts[0].told)
    elif is_report(file.path):
        yield from _of_report(file)
    else:
        table = looked(file.path)
        columns = dict(zip(map(str, range(len(table.names))), table.names, strict=True))
        cells = tuple(texts_of(file.path, columns, table.written))
        yield from _of_table(table._replace(rows=cells), said, file.name, file.display)


def texts_of(
    path: Path, columns: Mapping[str, str], written: Mapping[str, Any] = {}
) -> Iterator[tuple[str, ...]]:
    """The cells of some columns of a file, row by row."""
    roles = {f"extra[{name}]": column for name, column in columns.items()}
    findings, schema = Findings(str(path)), Schema(tuple(roles), (), roles)
    table = read_file(path, written.get("format"), [schema], findings).table
    if table is None:
        raise ChallengeError(problems=[p for p in findings if p.severity == "error"])
    texts = [table.frame[role].to_list() for role in roles]
    return zip(*texts, strict=True)


def _of_table(table: Preview, said: Said, name: str, where: str) -> Iterator[SystemValues]:
    """The systems of a whole table; of one without a column of them a system of that name."""
    columns = value_columns(table, said.columns, said.values, where)
    if quotients := [value for value in columns.values if value not in table.names]:
        message = f"{quotients[0]} is a quotient of sums, which are read of files"
        raise UsageError(f"{where}: {message} that have a column for each and no empty cell")
    at = {column: n for n, column in enumerate(table.names)}
    by_system: dict[str, Rows] = {}
    for row in table.rows:
        system = name if columns.system is None else row[at[columns.system]]
        rows = by_system.setdefault(system, [])
        for value in columns.values:
            called = value if columns.measure is None else row[at[columns.measure]]
            rows.append((row[at[columns.case]], called, row[at[value]]))
    told = f"{printable(where)}: {columns.told}"
    for system, rows in by_system.items():
        label = where if len(by_system) == 1 else f"{where}, {quoted(system)}"
        yield SystemValues(system, rows, label, told=told)


def is_report(path: Path) -> bool:
    """Whether a file is a board that `score --format json` wrote."""
    if path.suffix.lower() != ".json":
        return False
    try:
        with path.open("rb") as file:
            return b'"report/' in file.read(200)
    except OSError:
        return False


def _of_report(file: Named) -> Iterator[SystemValues]:
    """The values of lists in a report, by submission; of measures that are means of these."""
    report = json.loads(file.path.read_text(encoding="utf-8"))
    metrics = {measure["id"]: measure["metric"] for measure in report["measures"]}
    lower = frozenset(m["id"] for m in report["measures"] if m["better"] == "lower")
    for each in report["submissions"]:
        rows = [
            (case, name, _cell_of(number))
            for name, value in (each.get("values") or {}).items()
            for case, number in (value.get("per_list") or {}).items()
            if number is not None
        ]
        if rows:
            label = f"{file.display}, {quoted(each['name'])}"
            yield SystemValues(each["name"], rows, label, each["baseline"], "", metrics, lower)
        elif each["valid"]:
            message = "it has no value of each list; score --per-list --format json writes them"
            raise UsageError(f"{file.display}: {message}")
