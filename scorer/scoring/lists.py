"""The columns of lists that measures ask for: groups, weights, and conditions on lists or items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from scorer.challenge.model import Challenge, Source
from scorer.core.arrays import Floats, Mask
from scorer.core.errors import ChallengeError
from scorer.core.expressions import Condition, ExpressionError, parse_condition
from scorer.core.problems import Findings, Problem
from scorer.core.text import display_path, format_exact, join_first, quoted, suggest
from scorer.kinds.base import PROBABILITY, FilteredTruth, OpenTruth
from scorer.reading.schema import EXTRA, NUMBER, Schema, holds_text
from scorer.reading.table import Table, find_indices
from scorer.results.scorecard import CHOSEN, NO_COLUMNS, WHERE, Groups, ListColumns
from scorer.scoring.bind import BoundChallenge
from scorer.scoring.rules import Fault, locate_fault, refuse
from scorer.scoring.tables import raise_errors, read_header, read_table, require_table
from scorer.views.join import among_lists


def truth_schemas(bound: BoundChallenge) -> list[Schema]:
    """Return the schemas that the truth may have, with further columns that conditions name."""
    source = bound.challenge.truth
    schemas = [s for s in bound.kind.truth if ("text" in s.roles) == source.has_texts]
    if source.probability:  # a column for each class
        likely = {f"{PROBABILITY}[{n}]": name for n, name in enumerate(source.probability.values())}
        schemas = [Schema(("list", *likely), ("weight",), likely)]
    if source.box_columns:  # a row for each box
        parts = {
            f"{EXTRA if part == 'class' else NUMBER}{part}]": column
            for part, column in source.box_columns.items()
        }
        schemas = [Schema(("list", *parts), (), parts)]
    known = {*source.columns, *source.columns.values(), *source.extra}
    known |= {role for schema in schemas for role in schema.roles}
    conditions = map(parse_condition, _condition_keys(bound))
    unknown = [name for each in conditions for name in each.names if name not in known]
    header = read_header(bound.challenge, source) if unknown else frozenset()
    of_conditions = {f"{EXTRA}{name}]": name for name in unknown if name in header}
    further = source.further_columns
    if group := source.columns.get("group"):
        further = {**further, "group": group}
    return [
        bound.with_measure_needs(schema.with_columns(further, of_conditions)) for schema in schemas
    ]


# Groups and weights


def read_list_columns(
    bound: BoundChallenge, lists: Sequence[str], group_of: Mapping[str, str]
) -> ListColumns:
    """Return the groups and weights of lists that the measures ask for.

    Args:
        bound: The challenge.
        lists: The names of the truth's lists.
        group_of: list -> its group, public or of the truth.

    Raises:
        ChallengeError: The lists' file cannot be read, leaves a list out, names one in two groups,
            has a weight below 0, or groups of several weights; or a measure is about no group.
    """
    challenge = bound.challenge
    findings = Findings()
    names = list(dict.fromkeys(name for m in bound.all_parts for name in m.combination.names))
    weights = list(dict.fromkeys(name for m in bound.all_parts for name in m.combination.numbers))
    groups: dict[str, Groups] = {}
    if "group" in names and "group" in challenge.truth.columns:
        names.remove("group")
        cells = pl.Series([group_of.get(name) for name in lists], dtype=pl.String)
        groups["group"] = _encode_groups(cells.fill_null(""))
        path = display_path(challenge.truth.file)
        findings.extend(_find_lists_without("group", lists, cells, path))
    if challenge.lists is None:  # the truth has several files, each of which is a group
        parts = pl.Series([name.partition("/")[0] for name in lists], dtype=pl.String)
        columns = ListColumns({**groups, **dict.fromkeys(names, _encode_groups(parts))})
    else:
        columns = _read_columns_of_file(challenge, challenge.lists, names, weights, lists, findings)
        columns = columns._replace(groups={**groups, **columns.groups})
    raise_errors(findings)
    findings.extend(_find_unknown_groups(bound, columns))
    findings.extend(_find_uneven_weights(bound, columns))
    raise_errors(findings)
    return columns


def _read_columns_of_file(
    challenge: Challenge,
    source: Source,
    names: Sequence[str],
    weights: Sequence[str],
    lists: Sequence[str],
    findings: Findings,
) -> ListColumns:
    """Return the groups and weights of lists in columns of the lists' file."""
    groups: dict[str, Groups] = {}
    numbers: dict[str, Floats] = {}
    if not names and not weights:
        return NO_COLUMNS
    column_names = {"group": source.columns.get("group", "group")}  # others are called as here
    roles = {f"{EXTRA}{name}]": column_names.get(name, name) for name in names}
    roles |= {f"{NUMBER}{name}]": name for name in weights}
    in_file = Findings()
    table = read_table(challenge, source, [Schema(("list", *roles), (), roles)], in_file)
    # Its warnings, such as of unused columns, are given when the public part is read.
    findings.extend(problem for problem in in_file if problem.severity == "error")
    if table is None:
        return NO_COLUMNS
    path = display_path(source.file)
    for name in names:
        rows = table.frame.select("line", "list", value=f"{EXTRA}{name}]")
        findings.extend(_find_second_values(rows, f"is in two groups of {name},", quoted, path))
        cells = _first_values(rows, lists)
        findings.extend(_find_lists_without(name, lists, cells, path))
        groups[name] = _encode_groups(cells.fill_null(""), rows["value"])
    for name in weights:
        rows = table.frame.select("line", "list", value=f"{NUMBER}{name}]")
        for line, list_name, weight in rows.filter(pl.col("value") < 0).iter_rows():
            found = f"{name} of {quoted(list_name)} is {format_exact(weight)}"
            message = f"{found}, below 0; it is a weight"
            findings.add(Problem("T505", message, path=path, line=line, list=list_name))
        rows = rows.filter(pl.col("value") >= 0)
        findings.extend(_find_second_values(rows, f"has two weights {name},", format_exact, path))
        cells = _first_values(rows, lists)
        findings.extend(_find_lists_without(name, lists, cells, path))
        numbers[name] = cells.to_numpy()
    return ListColumns(groups, numbers)


def _encode_groups(cells: pl.Series, all_cells: pl.Series | None = None) -> Groups:
    """Return the groups of lists from the cell of each.

    `all_cells`, if given, also has the groups of lists that are not among these.
    """
    names = (cells if all_cells is None else all_cells).unique().sort()
    return Groups(tuple(names), find_indices(cells, names))


def _first_values(rows: pl.DataFrame, lists: Sequence[str]) -> pl.Series:
    """Return the first `value` of the rows of each list, (lists,); null for a list without rows."""
    wanted = pl.DataFrame({"list": lists}, schema={"list": pl.String})
    firsts = rows.select("list", "value").unique("list", keep="first")
    return wanted.join(firsts, on="list", how="left", maintain_order="left")["value"]


def _find_second_values(
    rows: pl.DataFrame, what: str, write: Callable[[Any], str], path: str
) -> Iterator[Problem]:
    """Yield the rows whose value differs from the first value of their list."""
    pairs = rows.with_columns(first=pl.col("value").first().over("list"))
    pairs = pairs.filter(pl.col("value") != pl.col("first"))
    for line, name, value, first in pairs.iter_rows():
        message = f"{quoted(name)} {what} {write(first)} and {write(value)}"
        yield Problem("T304", message, path=path, line=line, list=name)


def _find_lists_without(
    name: str, lists: Sequence[str], cells: pl.Series, path: str
) -> Iterator[Problem]:
    """Yield how many lists have no value in the column of that name."""
    if cells.null_count():
        lacking = pl.Series(lists, dtype=pl.String).filter(cells.is_null()).to_list()
        message = f"{len(lacking):,} of {len(lists):,} lists have no {name}: {join_first(lacking)}"
        yield Problem("T301", message, path=path)


def _find_unknown_groups(bound: BoundChallenge, columns: ListColumns) -> Iterator[Problem]:
    """Yield measures that are about a group which no list is in."""
    for spec, measure in zip(bound.challenge.metrics, bound.measures, strict=True):
        group = measure.combination.group
        if group is None or group in (names := columns.groups["group"].names):
            continue
        hint = suggest(group, names, f" (groups: {join_first(names)})")
        fault = Fault(f"{spec.key}.group", "C121", f"no list is in the group {quoted(group)}{hint}")
        yield locate_fault(bound.challenge, fault)


def _find_uneven_weights(bound: BoundChallenge, columns: ListColumns) -> Iterator[Problem]:
    """Yield weights of groups that are not the same for all lists of a group."""
    for measure in bound.measures:
        grouped_by = measure.combination.grouped_by
        name = measure.combination.group_weights
        if grouped_by is None or name is None or name not in columns.weights:
            continue
        names, codes = columns.groups[grouped_by]
        frame = pl.DataFrame({"group": codes, "weight": columns.weights[name]})
        counts = frame.group_by("group").agg(pl.col("weight").n_unique()).sort("group")
        uneven = set(counts.filter(pl.col("weight") > 1)["group"])
        first = next((names[code] for code in codes.tolist() if code in uneven), None)
        if first is not None and bound.challenge.lists is not None:
            message = f"{name} is the weight of a group in {measure.id}, and lists of "
            message += f"{quoted(first)} have several"
            yield Problem("T304", message, path=display_path(bound.challenge.lists.file))


# Conditions


class Choice(NamedTuple):
    """The lists that a condition of a measure (`where:`) chooses, or the items."""

    lists: Mask  # (lists,); of a condition on items, the lists with an item that it chooses
    rows: Mask | None = None  # (rows,) of the truth; None if it chooses whole lists
    items: frozenset[str] | None = None  # chosen in the items' file, if that decides alone


def choose(
    bound: BoundChallenge, lists: Sequence[str], truth: Table, is_fold: bool = False
) -> dict[str, Choice]:
    """Return the lists, or the items, that each condition of a measure chooses.

    Args:
        bound: The challenge.
        lists: The names of the truth's lists.
        truth: The table of the truth, with the columns of conditions.
        is_fold: Whether the lists are a fold, in which a condition may choose nothing.

    Returns:
        Text of a condition -> its choice.

    Raises:
        ChallengeError: A column is not there or holds no numbers, a list is chosen in part where
            lists have no items to choose, or no list is.
    """
    keys = _condition_keys(bound)
    challenge = bound.challenge
    if not keys:
        return {}
    conditions = {text: parse_condition(text) for text in keys}
    names = dict.fromkeys(name for condition in conditions.values() for name in condition.names)
    cells = {name: each for name in names if (each := _cells_of_truth(truth, name)) is not None}
    cells |= _cells_of_lists(challenge, names, lists, truth)
    catalogue = _read_catalogue(bound, set(names) - set(cells))
    if catalogue is not None and "item" in truth:
        described = _describe_rows(truth.frame, catalogue.frame, "item")
        cells |= {role[len(EXTRA) : -1]: described[role] for role in catalogue.schema.required[1:]}
    choices = {}
    for text, condition in conditions.items():
        key = keys[text]
        refuse(challenge, _find_unknown_names(challenge, condition, cells, key))
        try:
            true = condition.mask(cells)
            choices[text] = _choose_by(bound, condition, true, truth, lists, catalogue)
        except ExpressionError as error:
            refuse(challenge, [Fault(key, "C125", str(error))])
        if not is_fold and not choices[text].lists.any():
            refuse(challenge, [Fault(key, "C125", f"true of no list: {text}")])
    return choices


def filter_truth(
    choices: Mapping[str, Choice],
    open_table: Callable[[Table], OpenTruth],
    lists: Sequence[str],
    truth: Table,
) -> dict[str, FilteredTruth]:
    """Return the truth of the items of each condition that chooses items, by its text.

    Args:
        choices: What each condition is true of.
        open_table: Makes a truth of some rows ready.
        lists: The names of the truth's lists.
        truth: The table of the truth.
    """
    return {
        text: FilteredTruth(
            open_table(truth.with_frame(truth.frame.filter(choice.rows))),
            among_lists(truth.frame.filter(~choice.rows), lists),
            choice.items,
        )
        for text, choice in choices.items()
        if choice.rows is not None
    }


def add_choices(columns: ListColumns, choices: Mapping[str, Choice]) -> ListColumns:
    """Return the columns of lists with one for each condition."""
    groups = {
        WHERE + text: Groups(CHOSEN, choice.lists.astype(int)) for text, choice in choices.items()
    }
    return columns._replace(groups={**columns.groups, **groups})


def find_measured_rows(bound: BoundChallenge, truth: Table) -> Mask | None:
    """Return the rows of a table that a measure looks at; None where one looks at all rows."""
    if any(part.combination.where is None for part in bound.all_parts if not part.parts):
        return None
    lists = truth.frame["list"].unique().sort()
    choices = choose(bound, lists.to_list(), truth, is_fold=True).values()
    inside: Mask = np.logical_or.reduce([choice.lists for choice in choices])
    return inside[find_indices(truth.frame["list"], lists)]


def _condition_keys(bound: BoundChallenge) -> dict[str, str]:
    """Return the text of each condition -> the key of the first measure that has it."""
    keys: dict[str, str] = {}
    for spec, measure in zip(bound.challenge.metrics, bound.measures, strict=True):
        for part in measure.all_parts:
            if (text := part.combination.where) is not None:
                keys.setdefault(text, f"{spec.key}.where")
    return keys


def _cells_of_truth(table: Table, name: str) -> pl.Series | None:
    """Return a column as texts, by its role or its name in the file; None without such a column."""
    role_of = {table.column_name(role): role for role in table.frame.columns[1:]}
    roles = (name, role_of.get(name), f"{EXTRA}{name}]", f"{NUMBER}{name}]")
    role = next((each for each in roles if each in table and each != "line"), None)
    if role is None:
        return None
    column = table.frame[role]
    if holds_text(role):
        return column
    return pl.Series([f"{number:.17g}" for number in column.to_list()], dtype=pl.String)


def _cells_of_lists(
    challenge: Challenge, names: Iterable[str], lists: Sequence[str], truth: Table
) -> dict[str, pl.Series]:
    """Return the columns of the lists' file with these names, at the rows of the truth."""
    source = challenge.lists
    if source is None:
        return {}
    header = read_header(challenge, source) - {source.columns.get("list", "list")}
    columns = {column: column for column in header}
    columns |= {role: column for role, column in source.columns.items() if column in header}
    if not (used := {name: columns[name] for name in names if name in columns}):
        return {}
    table = _read_texts(challenge, source, "list", used)
    known = set(table.frame["list"])
    if (lacking := next((name for name in lists if name not in known), None)) is not None:
        message = f"{quoted(lacking)} of the truth is not in the file of lists"
        path = display_path(source.file)
        raise ChallengeError(problems=[Problem("T301", message, path=path, list=lacking)])
    described = _describe_rows(truth.frame, table.frame, "list")
    return {name: described[f"{EXTRA}{name}]"] for name in used}


def _read_catalogue(bound: BoundChallenge, names: Set[str]) -> Table | None:
    """Return the columns of the items' file with these names; None if it lacks all of them."""
    source = bound.challenge.items
    if source is None or bound.kind.name not in ("grades", "ratings"):
        return None
    used = {name: name for name in names & read_header(bound.challenge, source)}
    return _read_texts(bound.challenge, source, "item", used) if used else None


def _read_texts(
    challenge: Challenge, source: Source, id_role: str, columns: Mapping[str, str]
) -> Table:
    """Return columns of a file as texts, with the roles `extra[NAME]`.

    `columns` has for each name what the file calls the column.
    """
    roles = {f"{EXTRA}{name}]": column for name, column in columns.items()}
    return require_table(challenge, source, [Schema((id_role, *roles), (), roles)], Findings())


def _describe_rows(rows: pl.DataFrame, descriptions: pl.DataFrame, role: str) -> pl.DataFrame:
    """Return, for each row, the last description of its list or item (`role`); '' without one."""
    last = descriptions.drop("line").unique(role, keep="last")
    return rows.select(role).join(last, on=role, how="left", maintain_order="left").fill_null("")


def _choose_by(
    bound: BoundChallenge,
    condition: Condition,
    true: Mask,
    truth: Table,
    lists: Sequence[str],
    catalogue: Table | None,
) -> Choice:
    """Return the choice of a condition that is `true` of some rows of the truth.

    It chooses items if it names a column of the items' file, or is true of some items of a list
    and not of all; else it chooses lists.
    """
    in_list = find_indices(truth.frame["list"], lists)
    has_list = in_list >= 0
    size = np.bincount(in_list[has_list], minlength=len(lists))
    count = np.bincount(in_list[has_list], true[has_list], minlength=len(lists))
    is_partial = (count > 0) & (count < size)
    item_cells = {
        name: cells
        for name in condition.names
        if catalogue is not None and f"{EXTRA}{name}]" in catalogue
        if (cells := _cells_of_truth(catalogue, name)) is not None
    }
    if not item_cells and not is_partial.any():
        return Choice(count > 0)
    if bound.kind.name not in ("grades", "ratings"):
        name = lists[int(np.argmax(is_partial))]
        raise ExpressionError(
            f"true of some rows of {quoted(name)} only, and a list counts whole or not at all"
        )
    items = None
    if catalogue is not None and len(item_cells) == len(condition.names):
        items = frozenset(catalogue.frame["item"].filter(condition.mask(item_cells)))
    return Choice(count > 0, true, items)


def _find_unknown_names(
    challenge: Challenge, condition: Condition, columns: Mapping[str, pl.Series], key: str
) -> Iterator[Fault]:
    """Yield the names of a condition that are no columns."""
    sources = [each for each in (challenge.truth, challenge.lists, challenge.items) if each]
    for name in condition.names:
        if name not in columns:
            known = [
                word for each in sources for word in (*read_header(challenge, each), *each.columns)
            ]
            message = "neither the truth nor lists or items have a column "
            yield Fault(key, "C125", f"{message}{quoted(name)}{suggest(name, known)}")
