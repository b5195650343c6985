"""Boards of values that other tools computed, without a challenge.yaml."""

from __future__ import annotations

import csv
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from scorer.api import data
from scorer.api.report import Report
from scorer.api.submissions import Named, Progress, submission_name
from scorer.api.tool_values import BELOW, tool_values
from scorer.api.value_systems import (
    VALUE,
    Said,
    SystemValues,
    is_report,
    systems_in,
    texts_of,
)
from scorer.api.value_tables import NumberTables, number_tables
from scorer.challenge.model import Challenge
from scorer.core.errors import UsageError
from scorer.core.text import join_first, printable, quoted
from scorer.kinds.values import value_shapes
from scorer.prepare.guess.forms import looked
from scorer.prepare.guess.values import (
    ValueColumns,
    in_range,
    named_metric,
    parts_of,
    value_columns,
)

CASE, MEASURE = "case", "measure"  # columns of what is written here
COLUMNS = {"list": CASE, "measure": MEASURE, "value": VALUE}
NULL = re.compile(rb"\bnull\b")
SEPARATORS = bytes.maketrans(b";\t\r", b",,\n")


class GivenTables(NamedTuple):
    """Values as a challenge and its submissions, and what was guessed."""

    challenge: Challenge
    files: list[Named]
    notes: tuple[str, ...]


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

    said = Said(columns or {}, _as_words(values), _as_words(lower), rules)
    with given_values(systems, said) as given:
        return score(given.challenge, given.files, progress=progress)


def _as_words(words: Sequence[str] | str) -> list[str]:
    return [words] if isinstance(words, str) else list(words)


@contextmanager
def given_values(systems: object, said: Said) -> Iterator[GivenTables]:
    """Values as a challenge and its submissions, whose files are there inside the `with`.

    Raises as `values`.
    """
    with tempfile.TemporaryDirectory(prefix="scorer-") as name:
        paths, folder = _paths(systems), Path(name)
        made = (
            _of_tools(folder / "tool", paths, said) or _as_they_are(paths, said) if paths else None
        )
        yield made or _rewritten(folder, paths or systems, said)


def _paths(systems: object) -> list[Named]:
    """The files of systems, each named; none where any is no file."""
    if data.is_path(systems):
        systems = [systems]
    if isinstance(systems, Mapping):
        files = [Named(n, Path(p), is_given=True) for n, p in systems.items() if data.is_path(p)]
        return files if len(files) == len(systems) else []
    if not isinstance(systems, Sequence):
        return []
    paths = [each for each in systems if isinstance(each, Named) or data.is_path(each)]
    if len(paths) < len(systems):
        return []
    return [p if isinstance(p, Named) else Named(submission_name(Path(p)), Path(p)) for p in paths]


def _of_tools(folder: Path, paths: Sequence[Named], said: Said) -> GivenTables | None:
    """The files of an evaluation tool, with its groups; None of others, or where columns are said.

    `UsageError` if only some of the files are of a tool.
    """
    if said.columns:
        return None
    made = tool_values(folder / "tool", paths, said.values, said.lower, said.rules)
    return None if made is None else GivenTables(made[0], made[1], (made[2],))


def _as_they_are(files: Sequence[Named], said: Said) -> GivenTables | None:
    """Files that are read as any submission's are; None where one has to be written anew."""
    if any(not file.path.is_file() or is_report(file.path) for file in files):
        return None
    if any(_has_blanks(file.path.read_bytes()) for file in files):
        return None
    table = looked(files[0].path)
    columns = value_columns(table, said.columns, said.values, files[0].display)
    names = _names_in_rows(files, columns) if columns.measure else columns.values
    submission: dict[str, Any] = {"columns": _roles(columns)}
    submission |= {
        key: table.written[key] for key in ("format", "separator") if key in table.written
    }
    given = {name: {"column": list(parts_of(name, table.names))} for name in names}
    if columns.measure is not None:
        submission["columns"][VALUE] = columns.values[0]
        given = {name: {} for name in names}
    cells = {name: table.cells(name) for name in names if name in table.names}
    challenge = _challenge_of_values(given, submission, said, cells, {})
    return GivenTables(challenge, list(files), (_guess_told(files[0].display, columns, challenge),))


def _has_blanks(data: bytes) -> bool:
    """Whether a cell of a file is empty, most likely."""
    if b"null" in data and NULL.search(data):
        return True
    cells = data.translate(SEPARATORS, b" ")
    return b",," in cells or b",\n" in cells or cells.endswith(b",")


def _roles(columns: ValueColumns) -> dict[str, str]:
    roles = {"list": columns.case, "system": columns.system, "measure": columns.measure}
    return {role: name for role, name in roles.items() if name is not None}


def _names_in_rows(files: Sequence[Named], columns: ValueColumns) -> list[str]:
    """The names of values in the rows of files, in the order of their first appearance."""
    assert columns.measure is not None
    names = dict[str, None]()
    for file in files:
        names |= dict.fromkeys(row[0] for row in texts_of(file.path, {MEASURE: columns.measure}))
    return list(names)


def _guess_told(where: str, columns: ValueColumns, challenge: Challenge) -> str:
    """What was guessed of a table, and which direction of its values is better."""
    given = challenge.submission.given
    lower = [name for name, value in given.items() if value.better == "lower"]
    ranked = quoted(next(iter(given)))
    by = f"ranked by {ranked}, {'lower' if ranked in map(quoted, lower) else 'higher'} is better"
    return f"{printable(where)}: {columns.told}; {by}"


def _challenge_of_values(
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


def _rewritten(folder: Path, systems: object, said: Said) -> GivenTables:
    """Values in rows of a file for each system, which has rows of the values that it has alone.

    Of numbers of the same cases there are tables instead of files.
    """
    if "limits" not in said.rules and (tables := number_tables(systems)) is not None:
        return _of_numbers(tables, said)
    parts = list(systems_in(systems, said))
    if not parts:
        raise UsageError("no system is given")
    names = dict.fromkeys(name for part in parts for _, name, cell in part.rows if cell.strip())
    cells = {n: [row[2] for part in parts for row in part.rows if row[1] == n] for n in names}
    chosen = [name for name in said.values if name in names] or list(names)
    metrics = {name: metric for part in parts for name, metric in part.metrics.items()}
    lower = frozenset[str]().union(*(part.lower for part in parts)).intersection(chosen)
    said = said._replace(lower=[*said.lower, *sorted(lower)])
    challenge = _challenge_of_values(
        {name: {} for name in chosen}, {"columns": COLUMNS}, said, cells, metrics
    )
    files = []
    for n, part in enumerate(parts):
        path = folder / f"{n}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow((CASE, MEASURE, VALUE))
            writer.writerows(row for row in part.rows if row[1] in chosen and row[2].strip())
        files.append(Named(part.name, path, part.baseline, part.label, "csv"))
    return GivenTables(challenge, files, (*dict.fromkeys(_notes(parts)),))


def _of_numbers(tables: NumberTables, said: Said) -> GivenTables:
    """The one value of each system, in a table of rows as a file would have them."""
    only = said.values[0] if said.values else VALUE
    cells = {only: list(map(str, tables.ends))}
    challenge = _challenge_of_values({only: {}}, {"columns": COLUMNS}, said, cells, {})
    shape = value_shapes(challenge.submission, frozenset())[0]
    files = [
        Named(name, Path(VALUE), label=f"system {quoted(name)}", format="csv", table=table)
        for name, table in zip(tables.numbers, tables.tables(shape, only), strict=True)
    ]
    return GivenTables(challenge, files, ())


def _notes(parts: Sequence[SystemValues]) -> Iterator[str]:
    """What columns were taken for, and the cases that no system has a value of."""
    yield from (part.told for part in parts if part.told)
    cases = dict.fromkeys(case for part in parts for case, _, _ in part.rows)
    valued = {case for part in parts for case, _, cell in part.rows if cell.strip()}
    if bare := [case for case in cases if case not in valued]:
        are = "case is" if len(bare) == 1 else "cases are"
        yield f"{len(bare):,} {are} left out, of which no system has a value: {join_first(bare)}"
