"""Boards of values that other tools computed, without a challenge.yaml."""

from __future__ import annotations

import csv
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from pydantic import ValidationError

from scorer.api import data
from scorer.api.report import Report
from scorer.api.submissions import Progress, SubmissionFile, submission_name
from scorer.api.systems import TablePart
from scorer.api.tool_values import BELOW, tool_values
from scorer.api.value_systems import (
    CASE,
    VALUE,
    SystemValues,
    ValueOptions,
    is_report,
    read_texts,
    systems_in,
)
from scorer.api.value_tables import NumberTables, number_tables
from scorer.challenge.model import Challenge
from scorer.core.errors import ChallengeError, UsageError
from scorer.core.text import join_first, printable, quoted
from scorer.infer.base import Preview
from scorer.infer.directions import (
    Better,
    choose_ranking_value,
    find_directions,
    named_metric,
)
from scorer.infer.preview import preview_file
from scorer.infer.values import (
    ValueColumns,
    find_run_column,
    find_value_columns,
    in_range,
    parts_of,
)
from scorer.kinds.values import value_shapes
from scorer.scoring.bind import bind

MEASURE = "measure"  # a column of what is written here, beside CASE and VALUE
COLUMNS = {"list": CASE, "measure": MEASURE, "value": VALUE}
TITLE = "values"  # of a board without another
NULL = re.compile(rb"\bnull\b")
SEPARATORS = bytes.maketrans(b";\t\r", b",,\n")


class ValueTables(NamedTuple):
    """Values as a challenge and its submissions, and what was guessed."""

    challenge: Challenge
    files: list[SubmissionFile]
    notes: tuple[str, ...]


def values(
    systems: object,
    *,
    lower: Sequence[str] | str = (),
    higher: Sequence[str] | str = (),
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
        higher: those of which higher is better; by default names tell: of losses, errors, times
            and distances lower is better, of others higher.
        columns: what tables call their columns: `{"system": "model", "case": "id"}`, also `run`
            and `measure`; by default they are guessed by their names and cells.
        values: the columns of values, the first ranks; by default all of numbers. Of `part/whole`
            a board has the sum of the parts over that of the wholes.
        progress: called before each system is read.
        rules: as of a challenge's `submission:` (`missing_list="skip"`), with `undefined`,
            `leaderboard` and `title`.

    Returns:
        The report: means, values of cases, standings, and its text in every form. Without a title,
        its first line says what columns were taken for, and which direction is better.

    Raises:
        UsageError: a table has no column of cases, or of numbers, two readings of it are plausible,
            or a rule is none.
        TypeError: data is of a kind that is not understood.

    >>> report = values({"a": {"x": 0.5, "y": 1.0}, "b": {"x": 0.25, "y": 0.5}})
    >>> report.mean("a"), [row.name for row in report.leaderboard]
    (0.75, ['a', 'b'])
    """
    from scorer.api.score import score

    said = ValueOptions(columns or {}, as_list(values), as_list(lower), as_list(higher), rules)
    with read_values(systems, said) as given:
        challenge = given.challenge
        if challenge.title == TITLE and given.notes:
            challenge = challenge.model_copy(update={"title": given.notes[0]})
        return score(challenge, given.files, progress=progress)


def as_list(words: Sequence[str] | str) -> list[str]:
    """Return one name as a list of it; several as they are."""
    return [words] if isinstance(words, str) else list(words)


@contextmanager
def read_values(systems: object, said: ValueOptions) -> Iterator[ValueTables]:
    """Values as a challenge and its submissions, whose files are there inside the `with`.

    Raises as `values`.
    """
    with tempfile.TemporaryDirectory(prefix="scorer-") as name:
        paths, folder = _paths(systems), Path(name)
        made = (
            _of_tools(folder / "tool", paths, said) or _as_they_are(paths, said) if paths else None
        )
        yield made or _rewritten(folder, paths or systems, said)


def _paths(systems: object) -> list[SubmissionFile]:
    """The files of systems, each named; none where any is no file."""
    if data.is_path(systems):
        systems = [systems]
    if isinstance(systems, Mapping):
        files = [
            SubmissionFile(n, Path(p), is_given=True) for n, p in systems.items() if data.is_path(p)
        ]
        return files if len(files) == len(systems) else []
    if not isinstance(systems, Sequence):
        return []
    paths = [each for each in systems if isinstance(each, SubmissionFile) or data.is_path(each)]
    if len(paths) < len(systems):
        return []
    return [
        p if isinstance(p, SubmissionFile) else SubmissionFile(submission_name(Path(p)), Path(p))
        for p in paths
    ]


def _of_tools(
    folder: Path, paths: Sequence[SubmissionFile], said: ValueOptions
) -> ValueTables | None:
    """The files of an evaluation tool, with its groups; None of others, or where columns are said.

    `UsageError` if only some of the files are of a tool.
    """
    if said.columns:
        return None
    made = tool_values(folder / "tool", paths, said)
    return None if made is None else ValueTables(made[0], made[1], (made[2],))


def _as_they_are(files: Sequence[SubmissionFile], said: ValueOptions) -> ValueTables | None:
    """Files that are read as any submission's are; None where one has to be written anew."""
    if any(not file.path.is_file() or is_report(file.path) for file in files):
        return None
    if any(_has_blanks(file.path.read_bytes()) for file in files):
        return None
    if (first := _first_table(files, said)) is None:
        return None
    file, table, columns = first
    if columns.run_names:
        columns = find_run_column(columns, _read_keys(files, columns), file.display)
    names = _names_in_rows(files, columns) if columns.measure else columns.values
    submission: dict[str, Any] = {"columns": _roles(columns)}
    submission |= {key: table.layout[key] for key in ("format", "separator") if key in table.layout}
    given = {name: {"column": list(parts_of(name, table.names))} for name in names}
    if columns.measure is not None:
        submission["columns"][VALUE] = columns.values[0]
        given = {name: {} for name in names}
    cells = {name: table.cells(name) for name in names if name in table.names}
    challenge = _challenge_of_values(given, submission, said, cells)
    note = f"{printable(file.display)}: {columns.told}; {_tell_ranking(challenge)}"
    return ValueTables(challenge, list(files), (note,) if table.rows else ())


def _first_table(
    files: Sequence[SubmissionFile], said: ValueOptions
) -> tuple[SubmissionFile, Preview, ValueColumns] | None:
    """The first file that has a table, by which all are read, and its columns.

    Where none has, reading them tells what is wrong. None where no row is seen, as of Parquet.
    `UsageError` if the columns of no file are known.
    """
    first_error: UsageError | None = None
    for file in files:
        if (table := preview_file(file.path)) is None:
            continue
        if not table.rows:
            return None
        try:
            columns = find_value_columns(table, said.columns, said.values, file.display)
            return file, table, columns
        except UsageError as error:
            first_error = first_error or error
    if first_error is not None:
        raise first_error
    case, value = said.columns.get("case", CASE), tuple(said.values) or (VALUE,)
    return files[0], Preview((case, *value)), ValueColumns(case, value)


def _read_keys(files: Sequence[SubmissionFile], columns: ValueColumns) -> pl.DataFrame:
    """The cells that tell the rows of all files apart; a file without a column of systems is one.

    A file that cannot be read has none, as reading it will tell.
    """
    names = [*columns.keys, *columns.run_names]
    of_file = [] if columns.system else ["file"]
    frames = [pl.DataFrame(schema=dict.fromkeys([*names, *of_file], pl.String))]
    for file in files:
        with suppress(ChallengeError):
            own = [pl.lit(file.name).alias(name) for name in of_file]
            frames.append(read_texts(file.path, names).with_columns(own))
    return pl.concat(frames)


def _has_blanks(data: bytes) -> bool:
    """Whether a cell of a file is empty, most likely."""
    if b"null" in data and NULL.search(data):
        return True
    cells = data.translate(SEPARATORS, b" ")
    return b",," in cells or b",\n" in cells or cells.endswith(b",")


def _roles(columns: ValueColumns) -> dict[str, str]:
    roles = {
        "list": columns.case,
        "system": columns.system,
        "run": columns.run,
        "measure": columns.measure,
    }
    return {role: name for role, name in roles.items() if name is not None}


def _names_in_rows(files: Sequence[SubmissionFile], columns: ValueColumns) -> list[str]:
    """The names of values in the rows of files, in the order of their first appearance."""
    assert columns.measure is not None
    names = dict[str, None]()
    for file in files:
        with suppress(ChallengeError):  # reading it again tells what is wrong
            names |= dict.fromkeys(read_texts(file.path, [columns.measure])[columns.measure])
    return list(names)


def _tell_ranking(challenge: Challenge) -> str:
    """Which value ranks, and which direction of the values is better."""
    better = {name: value.better for name, value in challenge.submission.given.items()}
    ranked, *others = better
    lower = [name for name in others if better[name] == "lower"]
    told = f"ranked by {quoted(ranked)}, {better[ranked]} is better"
    return f"{told}; lower is better of {join_first(lower, 8)}" if lower else told


def _challenge_of_values(
    given: Mapping[str, Mapping[str, Any]],
    submission: Mapping[str, Any],
    said: ValueOptions,
    cells: Mapping[str, Sequence[str]],
    metrics: Mapping[str, str] = {},
    directions: Mapping[str, Better] = {},
) -> Challenge:
    """The challenge of these values, some cells of which are known.

    What is called as a metric has its range, where its cells lie there.

    Args:
        metrics: name of a value -> the metric that it is of, where that is known.
        directions: name of a value -> which direction is better, where that is known.

    Raises:
        UsageError: A rule is none; or which value ranks, or which direction is better, is unclear.
    """
    if not said.values and not metrics:
        choose_ranking_value([*given])
    directions = find_directions([*given], said.lower, said.higher, directions)
    rules = dict(said.rules)
    beside = {key: rules.pop(key) for key in BELOW if key in rules}
    declared = {
        name: {
            **value,
            **_range_of_metric(metrics.get(name, name), cells.get(name, ())),
            "better": directions[name],
        }
        for name, value in given.items()
    }
    try:
        challenge = Challenge.model_validate(
            {
                "id": "values",
                "title": TITLE,
                "kind": "values",
                **beside,
                "submission": {**submission, **rules, "values": declared},
            }
        )
        bind(challenge)  # raises an error of rules that do not go together
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(map(str, fault["loc"])).removeprefix("submission.")
        raise UsageError(f"{place}: {fault['msg']}") from None
    except ChallengeError as error:  # which speaks of keys of a challenge.yaml, of which is none
        messages = [problem.message.removeprefix("submission.") for problem in error.problems]
        raise UsageError("\n".join(messages)) from None
    return challenge


def _range_of_metric(name: str, cells: Sequence[str]) -> dict[str, Any]:
    """The range of a value, some cells of which are known, as of the metric that it is called."""
    metric = named_metric(name)
    if metric is None or metric.range == (None, None) or not in_range(cells, metric.range):
        return {}
    return {"range": list(metric.range)}


# What is written anew: reports, folders, tables with empty cells, data of a Python session


def _rewritten(folder: Path, systems: object, said: ValueOptions) -> ValueTables:
    """Values in rows of a file for each system, which has rows of the values that it has alone.

    Of numbers of the same cases there are tables instead of files.
    """
    if "limits" not in said.rules and (tables := number_tables(systems)) is not None:
        return _of_numbers(tables, said)
    parts = list(systems_in(systems, said))
    if not parts:
        raise UsageError("no system is given")
    rows = [row for part in parts for row in part.rows]
    names = dict.fromkeys(row.name for row in rows if row.cell.strip())
    cells = {name: [row.cell for row in rows if row.name == name] for name in names}
    chosen = [name for name in said.values if name in names] or list(names) or [VALUE]
    metrics = {name: metric for part in parts for name, metric in part.metrics.items()}
    directions = {name: better for part in parts for name, better in part.directions.items()}
    challenge = _challenge_of_values(
        {name: {} for name in chosen}, {"columns": COLUMNS}, said, cells, metrics, directions
    )
    files = []
    for n, part in enumerate(parts):
        path = folder / f"{n}.csv"
        kept = [row for row in part.rows if row.name in chosen and row.cell.strip()]
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow((CASE, MEASURE, VALUE))
            writer.writerows(row[:3] for row in kept)
        of_table = all(row.line for row in kept)
        lines = TablePart(part.called, [1, *(row.line for row in kept)]) if of_table else None
        named = SubmissionFile(part.name, path, part.baseline, part.label, "csv", lines)
        files.append(named._replace(refused=part.refused))
    return ValueTables(challenge, files, (*_notes(parts, challenge),))


def _of_numbers(tables: NumberTables, said: ValueOptions) -> ValueTables:
    """The one value of each system, in a table of rows as a file would have them."""
    only = said.values[0] if said.values else VALUE
    cells = {only: list(map(str, tables.ends))}
    challenge = _challenge_of_values({only: {}}, {"columns": COLUMNS}, said, cells)
    shape = value_shapes(challenge.submission, frozenset())[0]
    files = [
        SubmissionFile(name, Path(VALUE), label=f"system {quoted(name)}", format="csv", table=table)
        for name, table in zip(tables.numbers, tables.tables(shape, only), strict=True)
    ]
    return ValueTables(challenge, files, ())


def _notes(parts: Sequence[SystemValues], challenge: Challenge) -> Iterator[str]:
    """What columns were taken for, and the cases that no system has a value of."""
    tables: dict[str, dict[str, None]] = {}
    for part in parts:
        if part.told:
            tables.setdefault(part.told, {})[part.label] = None
    ranking = _tell_ranking(challenge)
    for told, (first, *others) in tables.items():
        more = f" and {len(others):,} more" if others else ""
        yield f"{printable(first)}{more}: {told}; {ranking}"
    if not tables and [*challenge.submission.given] != [VALUE]:
        yield ranking
    rows = [row for part in parts for row in part.rows]
    cases = dict.fromkeys(row.case for row in rows)
    valued = {row.case for row in rows if row.cell.strip()}
    if bare := [case for case in cases if case not in valued]:
        are = "case is" if len(bare) == 1 else "cases are"
        yield f"{len(bare):,} {are} left out, of which no system has a value: {join_first(bare)}"
