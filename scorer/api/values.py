"""Boards of values that other tools computed, without a challenge.yaml."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from scorer.api import data
from scorer.api.evaluate import BESIDE, FRAME, SESSION, as_session_error
from scorer.api.report import Report
from scorer.api.score import score
from scorer.api.submissions import Progress, SubmissionFile, submission_name
from scorer.api.value_tables import (
    CASE,
    MEASURE,
    VALUE,
    SystemValues,
    ValueOptions,
    is_report,
    read_systems,
    read_texts,
)
from scorer.challenge.load import load
from scorer.challenge.model import Challenge
from scorer.core.errors import ChallengeError, UsageError
from scorer.core.problems import Problem
from scorer.core.text import display_path, join_first, printable, quoted, suggest
from scorer.importers.results import FoundFile, Results, find_files, read_results
from scorer.infer.base import Preview
from scorer.infer.directions import (
    Better,
    find_directions,
    named_metric,
    refuse_unclear_ranking,
)
from scorer.infer.preview import preview_file
from scorer.infer.values import (
    ValueColumns,
    are_in_range,
    find_run_column,
    find_value_columns,
    split_quotient,
)
from scorer.scoring.bind import bind

TITLE = "values"  # of a board without another
NULL = re.compile(rb"\bnull\b")
SEPARATORS = bytes.maketrans(b";\t\r", b",,\n")


class ValueTables(NamedTuple):
    """Values as a challenge and its submissions.

    Attributes:
        notes: What columns were taken for, and which values are left out.
    """

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
        lower: the values that are better if lower.
        higher: the values that are better if higher; by default, names decide: losses, errors,
            times and distances are better if lower, other values if higher.
        columns: what tables call their columns: `{"system": "model", "case": "id"}`, also `run`
            and `measure`; by default they are guessed by their names and cells.
        values: the columns of values, the first ranks; by default every column of numbers. For
            `part/whole` a board has the sum of the parts divided by the sum of the wholes.
        progress: called before each system is read.
        rules: keys of a challenge's `submission:` (`missing_list="skip"`), and `undefined`,
            `leaderboard` and `title`.

    Returns:
        The report: means, values of cases, standings, and its text in every form. Without a title,
        its first line says what columns were taken for, and which direction is better.

    Raises:
        UsageError: a table has no column of cases, or of numbers, two readings of it are plausible,
            or a rule is not valid.
        TypeError: data is of a kind that is not understood.

    >>> report = values({"a": {"x": 0.5, "y": 1.0}, "b": {"x": 0.25, "y": 0.5}})
    >>> report.mean("a"), [row.name for row in report.leaderboard]
    (0.75, ['a', 'b'])
    """
    options = ValueOptions(columns or {}, as_list(values), as_list(lower), as_list(higher), rules)
    tables = read_values(systems, options)
    challenge = tables.challenge
    if challenge.title == TITLE and tables.notes:
        challenge = challenge.model_copy(update={"title": tables.notes[0]})
    return score(challenge, tables.files, progress=progress)


def as_list(words: Sequence[str] | str) -> list[str]:
    """Return one name as a list of it; several as they are."""
    return [words] if isinstance(words, str) else list(words)


def read_values(systems: object, options: ValueOptions) -> ValueTables:
    """Return values as a challenge and its submissions. Raises as `values`."""
    paths = _list_paths(systems)
    tables = None
    if paths:
        tables = _read_tools(paths, options) or _use_files(paths, options)
    return tables or _make_tables(paths or systems, options)


def _list_paths(systems: object) -> list[SubmissionFile]:
    """Return the files of systems, each named; none if any is no file."""
    if data.is_path(systems):
        systems = [systems]
    if isinstance(systems, Mapping):
        files = [
            SubmissionFile(n, Path(p), is_named=True) for n, p in systems.items() if data.is_path(p)
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


def _read_tools(files: Sequence[SubmissionFile], options: ValueOptions) -> ValueTables | None:
    """Return the files of an evaluation tool; None of others, or if columns are said.

    Files and folders whose name somebody gave hold one system of this name.

    Raises:
        ChallengeError: Every file is wrong.
        UsageError: There is no such value, or files do not go together: fewer than half are of one
            tool. If more are, the others are refused.
    """
    by_file = [(file, find_files([file.path])) for file in files] if not options.columns else []
    if not any(found for _, found in by_file):
        return None
    by_file, strange = _separate_most(by_file)
    if unknown := [file.display for file, found in by_file if not found]:
        raise UsageError(f"{join_first(unknown)}: no results of a tool that is known")
    names = {path: file.name for file, found in by_file if file.is_named for path, _ in found}
    results = read_results([each for _, found in by_file for each in found], names)
    results = _choose_values(results, options)
    fields = {"id": "values", **results.challenge()}
    fields["lists"] = {**fields["lists"], **FRAME}
    for key, rule in options.rules.items():
        (fields if key in BESIDE else fields["submission"])[key] = rule
    challenge = load(fields, SESSION)
    assert challenge.lists is not None
    challenge._frames[challenge.lists.file] = results.case_table().cast(pl.String)
    systems = [
        SubmissionFile(system, label=system, frame=table.cast(pl.String))
        for system, table in results.system_tables().items()
    ]
    systems += [
        SubmissionFile(display_path(path), path, problems=problems)
        for path, problems in results.refused.items()
    ]
    message = f"this is no file of {results.tool.name}, as most of the others are"
    systems += [replace(file, problems=(Problem("T107", message),)) for file in strange]
    return ValueTables(challenge, systems, (f"taken for {results.describe()}",))


ToolFiles = list[tuple[SubmissionFile, list[FoundFile]]]  # each with the files in it


def _separate_most(by_file: ToolFiles) -> tuple[ToolFiles, list[SubmissionFile]]:
    """Return the files of the tool that wrote most of them, and the others.

    All of them, and none, if no tool wrote more than half of them.
    """
    tools_of = [{file.tool.name for file in found} for _, found in by_file]
    for names in tools_of:
        if len(names) == 1 and 2 * tools_of.count(names) > len(by_file):
            pairs = list(zip(by_file, tools_of, strict=True))
            others = [file for (file, _), own in pairs if own != names]
            return [each for each, own in pairs if own == names], others
    return by_file, []


def _choose_values(results: Results, options: ValueOptions) -> Results:
    """Return the results with the values that are said, and which direction of them is better."""
    names = results.measures
    for name in (*options.values, *options.lower, *options.higher):
        if name not in names:
            hint = suggest(name, names)
            raise UsageError(
                f"no value of all cases is called {quoted(name)}{hint} "
                f"(there are {join_first(names)})"
            )
    directions = find_directions(names, options.lower, options.higher, results.directions)
    return replace(results, measures=tuple(options.values) or names, directions=directions)


def _use_files(files: Sequence[SubmissionFile], options: ValueOptions) -> ValueTables | None:
    """Return files that are read as any submission's are; None if one cannot be."""
    if any(not file.path.is_file() or is_report(file.path) for file in files):
        return None
    if any(_has_blanks(file.path.read_bytes()) for file in files):
        return None
    if (first := _first_table(files, options)) is None:
        return None
    file, table, columns = first
    if columns.run_names:
        columns = find_run_column(columns, _read_keys(files, columns), file.display)
    names = _names_in_rows(files, columns) if columns.measure else columns.values
    submission: dict[str, Any] = {"columns": _roles(columns)}
    submission |= {key: table.layout[key] for key in ("format", "separator") if key in table.layout}
    given = {name: {"column": list(split_quotient(name, table.names))} for name in names}
    if columns.measure is not None:
        submission["columns"][VALUE] = columns.values[0]
        given = {name: {} for name in names}
    cells = {name: table.cells(name) for name in names if name in table.names}
    challenge = _challenge_of_values(given, submission, options, cells)
    source = f"{printable(file.display)}: " if len(files) > 1 else ""
    note = f"{source}{columns.description}; {_describe_ranking(challenge)}"
    return ValueTables(challenge, list(files), (note,) if table.rows else ())


def _first_table(
    files: Sequence[SubmissionFile], options: ValueOptions
) -> tuple[SubmissionFile, Preview, ValueColumns] | None:
    """Return the first file with a table, by which all are read, a preview of it, and its columns.

    If no file has a table, it is the first file with the usual columns: reading it will say why.
    None if the preview has no rows, as for Parquet. `UsageError` if no file's columns are known.
    """
    first_error: UsageError | None = None
    for file in files:
        if (table := preview_file(file.path)) is None:
            continue
        if not table.rows:
            return None
        try:
            columns = find_value_columns(table, options.columns, options.values, file.display)
            return file, table, columns
        except UsageError as error:
            first_error = first_error or error
    if first_error is not None:
        raise first_error
    case = options.columns.get("case", CASE)
    value = tuple(options.values) or (VALUE,)
    return files[0], Preview((case, *value)), ValueColumns(case, value)


def _read_keys(files: Sequence[SubmissionFile], columns: ValueColumns) -> pl.DataFrame:
    """Return the cells that identify the rows of all files: systems or files, cases and runs.

    A file that cannot be read is left out: reading it later gives its problems.
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
        with suppress(ChallengeError):  # reading it again reports the problem
            names |= dict.fromkeys(read_texts(file.path, [columns.measure])[columns.measure])
    return list(names)


def _describe_ranking(challenge: Challenge) -> str:
    """Which value ranks, and which direction of the values is better."""
    better = {name: value.better for name, value in challenge.submission.all_values.items()}
    ranked, *others = better
    lower = [name for name in others if better[name] == "lower"]
    ranking = f"ranked by {quoted(ranked)}, {better[ranked]} is better"
    return f"{ranking}; lower is better of {join_first(lower, 8)}" if lower else ranking


def _challenge_of_values(
    given: Mapping[str, Mapping[str, Any]],
    submission: Mapping[str, Any],
    options: ValueOptions,
    cells: Mapping[str, Sequence[str]],
    metrics: Mapping[str, str] = {},
    directions: Mapping[str, Better] = {},
) -> Challenge:
    """Return the challenge of these values, from some of their cells.

    A value with the name of a metric gets the metric's range, if its cells are within it.

    Args:
        metrics: name of a value -> its metric, if known.
        directions: name of a value -> which direction is better, if known.

    Raises:
        UsageError: A rule is not valid, or it is unclear which value ranks or which direction is
            better.
    """
    if not options.values and not metrics:
        refuse_unclear_ranking([*given])
    directions = find_directions([*given], options.lower, options.higher, directions)
    rules = dict(options.rules)
    beside = {key: rules.pop(key) for key in BESIDE if key in rules}
    declared = {
        name: {
            **value,
            **_range_of_metric(metrics.get(name, name), cells.get(name, ())),
            "better": directions[name],
        }
        for name, value in given.items()
    }
    fields = {
        "id": "values",
        "title": TITLE,
        "kind": "values",
        **beside,
        "submission": {**submission, **rules, "values": declared},
    }
    try:
        challenge = load(fields, SESSION)
        bind(challenge)  # raises an error of rules that do not go together
    except ChallengeError as error:
        raise as_session_error(error) from None
    return challenge


def _range_of_metric(name: str, cells: Sequence[str]) -> dict[str, Any]:
    """Return the range of the metric that a value is named after, if some cells are within it."""
    metric = named_metric(name)
    if metric is None or metric.range == (None, None) or not are_in_range(cells, metric.range):
        return {}
    return {"range": list(metric.range)}


# Reports, folders, tables with empty cells, data of a Python session


def _make_tables(systems: object, options: ValueOptions) -> ValueTables:
    """Return the values of each system in rows, which it has of the values that it has alone."""
    parts = list(read_systems(systems, options))
    if not parts:
        raise UsageError("no system is given")
    frames = [_drop_blanks(part.frame) for part in parts]
    cells: dict[str, list[str]] = {}
    for frame in frames:
        for (name,), rows in frame.group_by(MEASURE, maintain_order=True):
            cells.setdefault(str(name), []).extend(_sample_cells(rows[VALUE]))
    chosen = [name for name in options.values if name in cells] or list(cells) or [VALUE]
    metrics = {name: metric for part in parts for name, metric in part.metrics.items()}
    directions = {name: better for part in parts for name, better in part.directions.items()}
    columns = {"list": CASE, "measure": MEASURE, "value": VALUE}
    challenge = _challenge_of_values(
        {name: {} for name in chosen}, {"columns": columns}, options, cells, metrics, directions
    )
    files = [
        SubmissionFile(
            part.name,
            baseline=part.baseline,
            label=part.label,
            frame=frame.filter(pl.col(MEASURE).is_in(chosen)),
            part=part.part,
            problems=part.problems,
        )
        for part, frame in zip(parts, frames, strict=True)
    ]
    return ValueTables(challenge, files, tuple(_note_columns(parts, frames, challenge)))


def _drop_blanks(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows whose value is not empty: a case without a value is missing."""
    if frame[VALUE].dtype != pl.String:
        return frame
    return frame.filter(pl.col(VALUE).str.contains(r"\S"))


def _sample_cells(values: pl.Series) -> list[str]:
    """Return texts that show in which range values lie: the ends of numbers, else all."""
    if values.dtype == pl.String:
        return values.to_list()
    return [str(values.min()), str(values.max())]


def _note_columns(
    parts: Sequence[SystemValues], frames: Sequence[pl.DataFrame], challenge: Challenge
) -> Iterator[str]:
    """Yield what columns were taken for, and the cases that no system has a value of.

    Args:
        frames: The rows with a value of each part.
    """
    tables: dict[str, dict[str, None]] = {}
    for part in parts:
        if part.description:
            tables.setdefault(part.description, {})[part.label] = None
    ranking = _describe_ranking(challenge)
    for description, (first, *others) in tables.items():
        more = f" and {len(others):,} more" if others else ""
        yield f"{printable(first)}{more}: {description}; {ranking}"
    if not tables and [*challenge.submission.all_values] != [VALUE]:
        yield ranking
    cases = pl.concat(part.frame[CASE] for part in parts).unique(maintain_order=True)
    valued = pl.concat(frame[CASE] for frame in frames)
    bare = cases.filter(~cases.is_in(valued.implode())).to_list()
    if bare:
        are = "case is" if len(bare) == 1 else "cases are"
        yield f"{len(bare):,} {are} left out, of which no system has a value: {join_first(bare)}"
