"""Boards of values that other tools computed, without a challenge.yaml."""

from __future__ import annotations

import csv
import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from pydantic import ValidationError

from scorer.api import data
from scorer.api.arrays import is_array
from scorer.api.report import Report
from scorer.api.submissions import Named, Progress, submission_name
from scorer.bytes.limits import ReadLimits
from scorer.challenge.model import Challenge
from scorer.core.errors import ChallengeError, UsageError
from scorer.core.problems import Findings
from scorer.core.text import join_first, printable, quoted
from scorer.formats.read import format_of, read
from scorer.prepare.guess.forms import looked
from scorer.prepare.guess.look import Preview
from scorer.prepare.guess.values import (
    ValueColumns,
    in_range,
    named_metric,
    parts_of,
    value_columns,
)
from scorer.tables.table import Schema

CASE, MEASURE, VALUE = "case", "measure", "value"  # columns of what is written here
BLANK = re.compile(rb"[,;\t] *(?=[,;\t\r\n]|$)|\bnull\b")  # an empty cell, most likely
BELOW = ("undefined", "leaderboard", "title")  # rules that stand beside `submission:`

Rows = list[tuple[str, str, str]]  # case, name of the value, value as text


class Said(NamedTuple):
    """What is said of tables of values, beside what their columns tell."""

    columns: Mapping[str, str] = {}  # role (case, system, measure) -> column
    values: Sequence[str] = ()  # columns of values; none: all of numbers
    lower: Sequence[str] = ()  # the values of which lower is better
    rules: Mapping[str, Any] = {}  # of `submission:`, with `BELOW`


class Given(NamedTuple):
    """Values as a challenge and its submissions, and what was guessed."""

    challenge: Challenge
    files: list[Named]
    notes: tuple[str, ...]


class _System(NamedTuple):
    """What is known of one system: rows of values."""

    name: str
    rows: Rows
    label: str
    baseline: bool = False
    told: str = ""  # what its columns were taken for
    metrics: Mapping[str, str] = {}  # name of a value -> the metric that it is of, where known
    lower: frozenset[str] = frozenset()  # the values of which lower is better, where known


def values(
    systems: object,
    *,
    lower: Sequence[str] | str = (),
    columns: Mapping[str, str] | None = None,
    values: Sequence[str] | str = (),
    progress: Progress | None = None,
    **rules: Any,
) -> Report:
    """Rank systems by values of each case that were computed elsewhere.

    Args:
        systems: name -> values: a dict `{case: value}` or `{case: {name: value}}`, a data frame, an
            array with a value a case, or a path; or one frame, or path, with a column of systems;
            or a list of paths, each a system named after its file.
        lower: the values of which lower is better.
        columns: what tables call their columns: `{"system": "model", "case": "id"}`; by default
            they are guessed by their names and cells.
        values: the columns of values, the first ranks; by default all of numbers. Of `part/whole`
            a board has the sum of the parts over that of the wholes.
        progress: called before each system is read.
        rules: as of a challenge's `submission:` (`missing_list="skip"`), with `undefined`,
            `leaderboard` and `title`.

    Returns:
        The report: means, values of cases, standings, and its text in every form.

    Raises:
        UsageError: a table has no column of cases, or of numbers, or a rule is none.
        TypeError: data is of a kind that is not understood.

    >>> report = values({"a": {"x": 0.5, "y": 1.0}, "b": {"x": 0.25, "y": 0.5}})
    >>> report.mean("a"), [row.name for row in report.standings]
    (0.75, ['a', 'b'])
    """
    from scorer.api.score import score

    said = Said(columns or {}, _texts(values), _texts(lower), rules)
    with given_values(systems, said) as given:
        return score(given.challenge, given.files, progress=progress)


def _texts(words: Sequence[str] | str) -> list[str]:
    return [words] if isinstance(words, str) else list(words)


@contextmanager
def given_values(systems: object, said: Said) -> Iterator[Given]:
    """Values as a challenge and its submissions, whose files are there inside the `with`.

    Raises as `values`.
    """
    with tempfile.TemporaryDirectory(prefix="scorer-") as name:
        paths = _paths(systems)
        plain = None if not paths else _as_they_are(paths, said)
        yield plain or _rewritten(Path(name), paths or systems, said)


def _paths(systems: object) -> list[Named]:
    """The files of systems, each named; none where any is no file."""
    if data.is_path(systems):
        systems = [systems]
    if isinstance(systems, Mapping):
        files = [Named(n, Path(p)) for n, p in systems.items() if data.is_path(p)]
        return files if len(files) == len(systems) else []
    if not isinstance(systems, Sequence):
        return []
    paths = [each for each in systems if isinstance(each, Named) or data.is_path(each)]
    if len(paths) < len(systems):
        return []
    return [p if isinstance(p, Named) else Named(submission_name(Path(p)), Path(p)) for p in paths]


def _as_they_are(files: Sequence[Named], said: Said) -> Given | None:
    """Files that are read as any submission's are; None where one has to be written anew."""
    if any(not file.path.is_file() or _is_report(file.path) for file in files):
        return None
    if any(BLANK.search(file.path.read_bytes()) for file in files):
        return None
    table = looked(files[0].path)
    columns = value_columns(table, said.columns, said.values, files[0].display)
    names = _measures(files, columns) if columns.measure else columns.values
    submission: dict[str, Any] = {"columns": _roles(columns)}
    submission |= {
        key: table.written[key] for key in ("format", "separator") if key in table.written
    }
    given = {name: {"column": list(parts_of(name, table.names))} for name in names}
    if columns.measure is not None:
        submission["columns"][VALUE] = columns.values[0]
        given = {name: {} for name in names}
    cells = {name: table.cells(name) for name in names if name in table.names}
    challenge = _challenge(given, submission, said, cells, {})
    return Given(challenge, list(files), (_told(files[0].display, columns, challenge),))


def _roles(columns: ValueColumns) -> dict[str, str]:
    roles = {"list": columns.case, "system": columns.system, "measure": columns.measure}
    return {role: name for role, name in roles.items() if name is not None}


def _measures(files: Sequence[Named], columns: ValueColumns) -> list[str]:
    """The names of values in the rows of files, in the order of their first appearance."""
    assert columns.measure is not None
    names = dict[str, None]()
    for file in files:
        names |= dict.fromkeys(row[0] for row in _texts_of(file.path, {MEASURE: columns.measure}))
    return list(names)


def _told(where: str, columns: ValueColumns, challenge: Challenge) -> str:
    """What was guessed of a table, and which direction of its values is better."""
    given = challenge.submission.given
    lower = [name for name, value in given.items() if value.better == "lower"]
    ranked = quoted(next(iter(given)))
    by = f"ranked by {ranked}, {'lower' if ranked in map(quoted, lower) else 'higher'} is better"
    return f"{printable(where)}: {columns.told}; {by}"


def _challenge(
    given: Mapping[str, Mapping[str, Any]],
    submission: Mapping[str, Any],
    said: Said,
    cells: Mapping[str, Sequence[str]],
    metrics: Mapping[str, str],
) -> Challenge:
    """The challenge of these values, some cells of which are known; `UsageError` if a rule is none.

    What is called as a metric has its direction and, where it lies there, its range.
    """
    if unknown := [name for name in said.lower if name not in given]:
        known = ", ".join(map(quoted, given))
        raise UsageError(f"lower: no value is called {quoted(unknown[0])} (there are {known})")
    rules = dict(said.rules)
    beside = {key: rules.pop(key) for key in BELOW if key in rules}
    directed = {
        name: {**value, **_of_metric(metrics.get(name, name), cells.get(name, ()))}
        for name, value in given.items()
    }
    for name in said.lower:
        directed[name]["better"] = "lower"
    try:
        return Challenge.model_validate(
            {
                "id": "values", "title": "values", "kind": "values", **beside,
                "submission": {**submission, **rules, "values": directed},
            }
        )  # fmt: skip
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(map(str, fault["loc"])).removeprefix("submission.")
        raise UsageError(f"{place}: {fault['msg']}") from None


def _of_metric(name: str, cells: Sequence[str]) -> dict[str, Any]:
    """The direction and the range of a value, some cells of which are known, as of a metric."""
    metric = named_metric(name)
    if metric is None:
        return {}
    fits = metric.range != (None, None) and in_range(cells, metric.range)
    return {"better": metric.better, **({"range": list(metric.range)} if fits else {})}


# What is written anew: reports, folders, tables with empty cells, data of a Python session


def _rewritten(folder: Path, systems: object, said: Said) -> Given:
    """Values in rows of a file for each system, which has rows of the values that it has alone."""
    parts = list(_systems(systems, said))
    if not parts:
        raise UsageError("no system is given")
    names = dict.fromkeys(name for part in parts for _, name, cell in part.rows if cell.strip())
    cells = {n: [row[2] for part in parts for row in part.rows if row[1] == n] for n in names}
    chosen = [name for name in said.values if name in names] or list(names)
    metrics = {name: metric for part in parts for name, metric in part.metrics.items()}
    lower = frozenset[str]().union(*(part.lower for part in parts)).intersection(chosen)
    said = said._replace(lower=[*said.lower, *sorted(lower)])
    columns = {"list": CASE, "measure": MEASURE, "value": VALUE}
    challenge = _challenge(
        {name: {} for name in chosen}, {"columns": columns}, said, cells, metrics
    )
    files = []
    for n, part in enumerate(parts):
        path = folder / f"{n}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow((CASE, MEASURE, VALUE))
            writer.writerows(row for row in part.rows if row[1] in chosen and row[2].strip())
        files.append(Named(part.name, path, part.baseline, part.label, "csv"))
    return Given(challenge, files, (*dict.fromkeys(_notes(parts)),))


def _notes(parts: Sequence[_System]) -> Iterator[str]:
    """What columns were taken for, and the cases that no system has a value of."""
    yield from (part.told for part in parts if part.told)
    cases = dict.fromkeys(case for part in parts for case, _, _ in part.rows)
    valued = {case for part in parts for case, _, cell in part.rows if cell.strip()}
    if bare := [case for case in cases if case not in valued]:
        are = "case is" if len(bare) == 1 else "cases are"
        yield f"{len(bare):,} {are} left out, of which no system has a value: {join_first(bare)}"


def _systems(systems: object, said: Said) -> Iterator[_System]:
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


def _of_data(name: str, values: Any, said: Said) -> Iterator[_System]:
    label = f"system {quoted(name)}"
    if data.is_path(values):
        yield from _of_file(Named(name, Path(values)), said)
    elif isinstance(values, Mapping):
        yield _System(name, list(_of_dict(values, said, label)), label)
    elif is_array(values):
        index: Any = getattr(values, "index", None)
        numbers = np.asarray(values)
        if numbers.ndim != 1:
            raise UsageError(f"{label} has {numbers.ndim} dimensions; give a value a case")
        # of a list it is a method
        cases = range(len(numbers)) if index is None or callable(index) else index
        pairs = zip(map(str, cases), numbers.tolist(), strict=True)
        only = said.values[0] if said.values else VALUE
        yield _System(name, [(case, only, _number(value)) for case, value in pairs], label)
    elif data.is_frame(values):
        yield from _of_table(_frame_rows(values, label), said, name, label)
    else:
        raise TypeError(f"{label} is {type(values).__name__}; give {{case: value}} or an array")


def _of_dict(values: Mapping[Any, Any], said: Said, label: str) -> Iterator[tuple[str, str, str]]:
    only = said.values[0] if said.values else VALUE
    for case, value in values.items():
        if isinstance(value, Mapping):
            yield from ((str(case), str(name), _number(each)) for name, each in value.items())
        elif isinstance(value, str | bytes) or not np.isscalar(value):
            message = f"{label}, case {quoted(str(case))}: {printable(repr(value), 60)}"
            raise TypeError(f"{message} is not a number")
        else:
            yield str(case), only, _number(value)


def _number(value: Any) -> str:
    """A number as the readers take it; what is none is theirs to refuse."""
    return str(int(value)) if isinstance(value, bool | int) else str(value)


def _frame_rows(frame: Any, what: str) -> Preview:
    """A data frame as a table of text, whole."""
    made = data.as_polars(frame, what)
    made = made.select([name for name in made.columns if not name.startswith(data.INDEX)])
    rows = [
        tuple("" if cell is None else _number(cell) for cell in row) for row in made.iter_rows()
    ]
    return Preview(tuple(made.columns), tuple(rows))


def _of_file(file: Named, said: Said) -> Iterator[_System]:
    """The systems of a file, of a folder whose files are of one, or of a report of `score`."""
    if file.path.is_dir():
        inside = sorted(p for p in file.path.iterdir() if p.is_file() and p.name[0] != ".")
        if not inside:
            raise UsageError(f"{file.display} is a folder without files")
        parts = [part for p in inside for part in _of_file(Named(file.name, p), said)]
        rows = [row for part in parts for row in part.rows]
        yield _System(file.name, rows, file.display, told=parts[0].told)
    elif _is_report(file.path):
        yield from _of_report(file)
    else:
        table = looked(file.path)
        columns = dict(zip(map(str, range(len(table.names))), table.names, strict=True))
        cells = tuple(_texts_of(file.path, columns, table.written))
        yield from _of_table(table._replace(rows=cells), said, file.name, file.display)


def _texts_of(
    path: Path, columns: Mapping[str, str], written: Mapping[str, Any] = {}
) -> Iterator[tuple[str, ...]]:
    """The cells of some columns of a file, row by row."""
    roles = {f"extra[{name}]": column for name, column in columns.items()}
    findings, format = Findings(str(path)), format_of(path, written.get("format"))
    table = read(path, format, [Schema(tuple(roles), (), roles)], findings, ReadLimits())
    if table is None:
        raise ChallengeError(problems=[p for p in findings if p.severity == "error"])
    every = np.arange(len(table))
    texts = [table.ids[role].texts(every) for role in roles]
    return zip(*texts, strict=True)


def _of_table(table: Preview, said: Said, name: str, where: str) -> Iterator[_System]:
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
        yield _System(system, rows, label, told=told)


def _is_report(path: Path) -> bool:
    """Whether a file is a board that `score --format json` wrote."""
    if path.suffix.lower() != ".json":
        return False
    try:
        with path.open("rb") as file:
            return b'"report/' in file.read(200)
    except OSError:
        return False


def _of_report(file: Named) -> Iterator[_System]:
    """The values of lists in a report, by submission; of measures that are means of these."""
    report = json.loads(file.path.read_text(encoding="utf-8"))
    metrics = {measure["id"]: measure["metric"] for measure in report["measures"]}
    lower = frozenset(m["id"] for m in report["measures"] if m["better"] == "lower")
    for each in report["submissions"]:
        rows = [
            (case, name, _number(number))
            for name, value in (each.get("values") or {}).items()
            for case, number in (value.get("per_list") or {}).items()
            if number is not None
        ]
        if rows:
            label = f"{file.display}, {quoted(each['name'])}"
            yield _System(each["name"], rows, label, each["baseline"], "", metrics, lower)
        elif each["valid"]:
            message = "it has no value of each list; score --per-list --format json writes them"
            raise UsageError(f"{file.display}: {message}")
