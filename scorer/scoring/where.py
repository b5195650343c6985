"""The lists, rows of a table or items of which the condition of a measure is true."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

import numpy as np
import polars as pl

from scorer.challenge.model import Challenge, DescribedSource
from scorer.challenge.submission import layout_of
from scorer.core.arrays import Ints, Mask
from scorer.core.errors import ChallengeError
from scorer.core.expressions import Condition, ExpressionError, parse_condition
from scorer.core.problems import Findings, Problem, as_truth_problems
from scorer.core.text import display_path, nearest, quoted
from scorer.kinds.base import LIKELY, FilteredTruth, OpenTruth
from scorer.reading.read import header_words, read_file
from scorer.reading.schema import EXTRA, NUMBER, Schema, holds_text
from scorer.reading.table import Table, find_places
from scorer.scoring.bind import BoundChallenge, written_so
from scorer.scoring.faults import Fault, refuse
from scorer.views.join import among_lists


def truth_shapes(prepared: BoundChallenge) -> list[Schema]:
    """The shapes that the truth may have, with its further columns and those of conditions."""
    source = prepared.challenge.truth
    shapes = written_so(prepared.kind.truth, source.texts)
    if source.probability:  # a column for each class
        likely = {f"{LIKELY}[{n}]": name for n, name in enumerate(source.probability.values())}
        shapes = [Schema(("list", *likely), ("weight",), likely)]
    if source.box_columns:  # a row for each box
        parts = {
            f"{EXTRA if part == 'class' else NUMBER}{part}]": column
            for part, column in source.box_columns.items()
        }
        shapes = [Schema(("list", *parts), (), parts)]
    known = {*source.columns, *source.columns.values(), *source.extra}
    known |= {role for shape in shapes for role in shape.roles}
    named = [name for name in _names(prepared) if name not in known]
    words = _header(source) if named else frozenset()
    asked = {f"{EXTRA}{name}]": name for name in named if name in words}
    further = source.further
    if group := source.columns.get("group"):
        further = {**further, "group": group}
    return [prepared.as_measured(shape.with_columns(further, asked)) for shape in shapes]


def _header(source: DescribedSource) -> frozenset[str]:
    return header_words(source.file, source.format, layout_of(source))


class Chosen(NamedTuple):
    """What a condition of a measure is true of."""

    lists: Mask  # (lists,); of items, where it is true of any
    rows: Mask | None = None  # (rows,) of the truth, where it chooses items
    items: frozenset[str] | None = None  # of the items' file, if it names no other columns


def chosen(
    prepared: BoundChallenge, lists: Sequence[str], truth: Table, fold: bool = False
) -> dict[str, Chosen]:
    """What each condition of a measure is true of, by its text.

    `ChallengeError` if a column is not there or holds no numbers, a list is half chosen where
    lists have no items to choose, or nothing is, unless these are the lists of a fold.
    """
    challenge, keys = prepared.challenge, _keyed(prepared)
    if not keys:
        return {}
    rows = _list_places(truth, lists)
    columns = _of_truth(truth, _names(prepared)) | _of_lists_file(challenge, lists, rows, keys)
    catalogue = _of_items_file(prepared, set(_names(prepared)) - set(columns))
    columns |= _at_items(catalogue, truth)
    choices = {}
    for text, key in keys.items():
        condition = parse_condition(text)
        refuse(challenge, _unknown_names(challenge, condition, columns, key))
        try:
            true = condition.mask(columns)
            choices[text] = _choice(prepared, condition, true, rows, lists, catalogue)
        except ExpressionError as error:
            refuse(challenge, [Fault(key, "C125", str(error))])
        if not fold and not choices[text].lists.any():
            refuse(challenge, [Fault(key, "C125", f"true of no list: {text}")])
    return choices


def counted_rows(prepared: BoundChallenge, truth: Table) -> Mask | None:
    """The rows of a table that some measure looks at; None where one of them looks at all rows."""
    parts = [part for m in prepared.measures for part in m.all_parts if not part.parts]
    if any(part.combination.where is None for part in parts):
        return None
    lists = truth.frame["list"].unique().sort().to_list()
    choices = chosen(prepared, lists, truth, fold=True).values()
    inside: Mask = np.logical_or.reduce([choice.lists for choice in choices])
    return inside[_list_places(truth, lists)]


def picked(
    prepared: BoundChallenge,
    open_: Callable[[Table], OpenTruth],
    lists: Sequence[str],
    truth: Table,
    fold: bool = False,
) -> dict[str, FilteredTruth]:
    """The items of each condition that chooses items, by its text.

    `open_` makes a truth of some rows ready; `lists` are those of the truth.
    """
    return {
        text: FilteredTruth(
            open_(truth.with_frame(truth.frame.filter(choice.rows))),
            among_lists(truth.frame.filter(~choice.rows), lists),
            choice.items,
        )
        for text, choice in chosen(prepared, lists, truth, fold).items()
        if choice.rows is not None
    }


def _choice(
    prepared: BoundChallenge,
    condition: Condition,
    true: Mask,
    rows: Ints,
    lists: Sequence[str],
    catalogue: Table | None,
) -> Chosen:
    """Lists, or items where it names a column of items or is true of some of a list's alone."""
    inside = rows >= 0
    count = np.bincount(rows[inside], true[inside], minlength=len(lists))
    half = (count > 0) & (count < np.bincount(rows[inside], minlength=len(lists)))
    further = [name for name in condition.names if catalogue and f"{EXTRA}{name}]" in catalogue]
    named = {} if catalogue is None else _of_truth(catalogue, further)
    if not named and not half.any():
        return Chosen(count > 0)
    if prepared.kind.name not in ("grades", "ratings"):
        name = lists[int(np.argmax(half))]
        raise ExpressionError(
            f"true of some rows of {quoted(name)} only, and a list counts whole or not at all"
        )
    items = None
    if catalogue is not None and len(named) == len(condition.names):
        items = frozenset(catalogue.frame["item"].filter(condition.mask(named)))
    return Chosen(count > 0, true, items)


def _of_items_file(prepared: BoundChallenge, names: Set[str]) -> Table | None:
    """The columns of the items' file that conditions name and that nothing else has."""
    source = prepared.challenge.items
    if source is None or prepared.kind.name not in ("grades", "ratings"):
        return None
    used = {name: name for name in names & _header(source)}
    return _text_columns(prepared.challenge, source, used, "item") if used else None


def _at_items(catalogue: Table | None, truth: Table) -> dict[str, pl.Series]:
    """The columns of the items' file at the rows of the truth; '' where it lacks the item."""
    if catalogue is None or "item" not in truth:
        return {}
    described = catalogue.frame.unique("item", keep="last")
    at_rows = truth.frame.select("item").join(
        described, on="item", how="left", maintain_order="left"
    )
    return {
        role[len(EXTRA) : -1]: at_rows[role].fill_null("")
        for role in described.columns
        if role.startswith(EXTRA)
    }


def _keyed(prepared: BoundChallenge) -> dict[str, str]:
    """Each condition with the key of the first measure that has it."""
    keys: dict[str, str] = {}
    for spec, measure in zip(prepared.challenge.metrics, prepared.measures, strict=True):
        for part in measure.all_parts:
            if (where := part.combination.where) is not None:
                keys.setdefault(where, f"{spec.key}.where")
    return keys


def _names(prepared: BoundChallenge) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(name for text in _keyed(prepared) for name in parse_condition(text).names)
    )


def _of_truth(truth: Table, names: Sequence[str]) -> dict[str, pl.Series]:
    """The columns of these names, by their roles or their own names, at the rows of the truth."""
    called = {truth.column_name(role): role for role in truth.frame.columns[1:]}
    columns = {}
    for name in names:
        roles = (name, called.get(name), f"{EXTRA}{name}]", f"{NUMBER}{name}]")
        role = next((r for r in roles if r and r != "line" and r in truth), "")
        if holds_text(role):
            columns[name] = truth.frame[role]
        elif role:
            texts = [f"{number:.17g}" for number in truth.frame[role].to_list()]
            columns[name] = pl.Series(texts, dtype=pl.String)
    return columns


def _of_lists_file(
    challenge: Challenge, lists: Sequence[str], rows: Ints, keys: Mapping[str, str]
) -> dict[str, pl.Series]:
    """The columns of the lists' file that conditions name, at the rows of the truth."""
    source = challenge.lists
    if source is None:
        return {}
    words = _header(source) - {source.columns.get("list", "list")}
    called = {word: word for word in words} | {
        role: word for role, word in source.columns.items() if word in words
    }
    names = {name for text in keys for name in parse_condition(text).names}
    used = {name: word for name, word in called.items() if name in names}
    if not used:
        return {}
    table = _text_columns(challenge, source, used)
    row_of = np.full(len(lists) + 1, -1, dtype=np.int64)
    places = _list_places(table, lists)
    row_of[places] = np.where(places >= 0, np.arange(len(table)), -1)
    if (lacking := row_of[:-1] < 0).any():
        name, path = lists[int(np.argmax(lacking))], display_path(source.file)
        message = f"{quoted(name)} of the truth is not in the file of lists"
        raise ChallengeError(problems=[Problem("T301", message, path=path, list=name)])
    at_rows = table.frame[row_of[rows]]
    return {name: at_rows[f"{EXTRA}{name}]"] for name in used}


def _unknown_names(
    challenge: Challenge, condition: Condition, columns: Mapping[str, pl.Series], key: str
) -> Iterator[Fault]:
    """Names of a condition that are no columns."""
    for name in condition.names:
        if name not in columns:
            files = (challenge.truth, challenge.lists, challenge.items)
            sources = [source for source in files if source]
            words = [word for source in sources for word in (*_header(source), *source.columns)]
            suggestion = nearest(name, words)
            hint = f"; did you mean {quoted(suggestion)}?" if suggestion else ""
            message = f"neither the truth nor lists or items have a column {quoted(name)}{hint}"
            yield Fault(key, "C125", message)


def _text_columns(
    challenge: Challenge, source: DescribedSource, called: Mapping[str, str], of: str = "list"
) -> Table:
    """The columns of a file as texts, each as `extra[NAME]`, beside the ids of `of`."""
    roles = {f"{EXTRA}{name}]": word for name, word in called.items()}
    shape = Schema((of, *roles), (), {**source.columns, **roles})
    findings = Findings(display_path(source.file))
    layout = challenge.layout(source)
    table = read_file(source.file, source.format, [shape], findings, layout=layout).table
    if table is None or findings.fatal:
        raise ChallengeError(problems=as_truth_problems(findings))
    return table


def _list_places(table: Table, lists: Sequence[str]) -> Ints:
    """The place of each row's list; -1 where there is none such."""
    return find_places(table.frame["list"], lists)
