"""Checks of preferences between items: contradictions, cycles, repetitions."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from scorer.checks.base import Row, SubmissionRows, check, repeated_rows, report_rows
from scorer.core.arrays import Ints
from scorer.core.problems import Problem
from scorer.core.text import printable, quoted

LONGEST_CYCLE = 8  # items of a cycle that are all named


@check("S701", "S702", "S703", "S705", kinds=("preferences",))
def contradictions(rows: SubmissionRows) -> Iterator[Problem]:
    """Nothing is preferred to itself, not even by way of other items."""
    if "better" in rows.frame.columns:
        yield from find_contradictions(rows.frame, rows.word)


@check("S704", kinds=("preferences",))
def item_without_preference(rows: SubmissionRows) -> Iterator[Problem]:
    """Every item is in one of the preferences that the truth has of its list."""
    candidates, frame = rows.ids.candidates, rows.frame
    if candidates is None:
        return
    frame = frame.filter(candidates.lists.contains(frame["list"]))
    roles = ("better", "worse") if "better" in frame.columns else ("item",)
    unknown = pl.concat(
        frame.filter(~candidates.contains(frame, role)).select(
            "line", "list", item=role, role=pl.lit(role)
        )
        for role in roles
    )
    # Another check reports empty items.
    unknown = unknown.filter(pl.col("item") != "").sort("line", maintain_order=True)
    unknown = unknown.unique(["list", "item"], keep="first", maintain_order=True)
    message = "item {item} is in no preference of {word} {list}"
    for role in roles:
        of_role = unknown.filter(pl.col("role") == role)
        yield from report_rows(of_role, "S704", message, role=role, word=rows.word)


def find_contradictions(frame: pl.DataFrame, word: str) -> Iterator[Problem]:
    """Yield the problems of the preferences of a file, a participant's or the organizer's.

    Args:
        frame: `line`, `list`, `better` and `worse`, in the order of the lines.
        word: What the challenge calls a list.
    """
    key = ["list", "better", "worse"]
    better, worse = pl.col("better"), pl.col("worse")
    frame = frame.select("line", *key)
    reflexive = frame.filter(better == worse).rename({"better": "item"})
    message = "{item} is preferred to itself in {word} {list}"
    yield from report_rows(reflexive, "S701", message, word=word)

    frame = frame.filter(better != worse)
    repeats = repeated_rows(frame, *key)
    message = "{better:bare} > {worse:bare} is given twice in {word} {list} "
    message += "(first on line {first_line})"
    yield from report_rows(repeats, "S705", message, "warning", word=word)

    frame = frame.unique(key, keep="first", maintain_order=True)
    reverse = frame.rename({"better": "worse", "worse": "better", "line": "first_line"})
    opposed = frame.join(reverse, on=key, maintain_order="left")
    # The problem is reported at the second of the two, in the order of the file.
    pair = pl.struct(
        "list", low=pl.min_horizontal(better, worse), high=pl.max_horizontal(better, worse)
    )
    message = "both {worse:bare} > {better:bare} and {better:bare} > {worse:bare} in {word} {list} "
    message += "(lines {first_line} and {line})"
    second = opposed.filter(~pair.is_first_distinct())
    yield from report_rows(second, "S702", message, word=word)

    frame = frame.join(opposed, on=key, how="anti", maintain_order="left")
    for rows in _find_cycles(frame):
        name, lines = rows[0]["list"], sorted(row["line"] for row in rows)
        items = [printable(row["better"], 60) for row in (*rows, rows[0])]
        where = f"lines {', '.join(map(str, lines[:-1]))} and {lines[-1]}"
        if len(rows) > LONGEST_CYCLE:
            # The first items stay, the last one, and the first again, which ends the cycle.
            items[LONGEST_CYCLE - 2 : -2] = ["…"]
            where = f"{len(lines):,} lines, up to {lines[-1]}"
        message = f"the preferences of {word} {quoted(name)} form a cycle: "
        message += f"{' > '.join(items)} ({where})"
        yield Problem("S703", message, line=lines[-1], list=name)


def _find_cycles(frame: pl.DataFrame) -> Iterator[Sequence[Row]]:
    """Yield the rows of a short cycle for each strongly connected component of the preferences."""
    if frame.is_empty():
        return
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    # A node is an item of a list.
    ends = [frame.select("list", item=role) for role in ("better", "worse")]
    nodes = pl.concat(ends).select(pl.struct("list", "item").rank("dense") - 1).to_series()
    start, end = nodes.to_numpy().astype(np.int64).reshape(2, -1)
    size = int(max(start.max(), end.max())) + 1
    graph = coo_array((np.ones(start.size, np.int8), (start, end)), (size, size))
    count, component = connected_components(graph.tocsr(), connection="strong")
    if count == size:
        return  # Each item is a component of its own
    rows_of = dict[int, list[int]]()
    for row in np.flatnonzero(component[start] == component[end]).tolist():
        rows_of.setdefault(int(component[start[row]]), []).append(row)
    for rows in rows_of.values():
        yield [frame.row(row, named=True) for row in _shortest_cycle(rows, start, end)]


def _shortest_cycle(rows: Sequence[int], start: Ints, end: Ints) -> list[int]:
    """Return the shortest cycle through the first of the preferences in some rows.

    Args:
        rows: The rows of the preferences inside one strongly connected component.
        start: The node of the preferred item of each row, shape (preferences,).
        end: The node of the other item.
    """
    leaving = dict[int, list[int]]()
    for row in rows:
        leaving.setdefault(int(start[row]), []).append(row)
    home = int(start[rows[0]])
    row_to = dict[int, int]()  # node -> the row by which it was reached first
    waiting = deque([home])
    while home not in row_to:
        for row in leaving[waiting.popleft()]:
            if (node := int(end[row])) not in row_to:
                row_to[node] = row
                waiting.append(node)
    cycle = [row_to[home]]
    while (node := int(start[cycle[-1]])) != home:
        cycle.append(row_to[node])
    return cycle[::-1]


def find_likelihood_problems(frame: pl.DataFrame, name: str, word: str) -> Iterator[Problem]:
    """Yield the problems of the probabilities of an organizer's `likelihood` file.

    Args:
        frame: `line`, `list`, `better`, `worse` and `probability`, in the order of the lines.
        name: What the file calls the column of probabilities.
        word: What the challenge calls a list.
    """
    probability, better, worse = pl.col("probability"), pl.col("better"), pl.col("worse")
    frame = frame.select("line", "list", "better", "worse", "probability")
    message = "{better} is preferred to itself"
    yield from report_rows(frame.filter(better == worse), "S701", message)
    outside = frame.filter(((probability < 0) | (probability > 1)) & ~probability.is_nan())
    message = "{name} {probability:g} is outside 0 to 1"
    yield from report_rows(outside, "S505", message, name=printable(name, 60))
    low, high = pl.min_horizontal(better, worse), pl.max_horizontal(better, worse)
    # The probability that the lower id is preferred is the same in both directions of a pair.
    upward = pl.when(better == low).then(probability).otherwise(1 - probability)
    frame = frame.with_columns(low=low, high=high, upward=upward).with_columns(
        gap=pl.col("upward").diff().abs().over("list", "low", "high"),
        other_line=pl.col("line").shift().over("list", "low", "high"),
    )
    differs = (pl.col("gap") > 1e-9) & ~pl.col("gap").is_nan()  # not rounding; null in a first row
    message = "{better} and {worse} have two probabilities in {word} {list} "
    message += "(lines {other_line} and {line})"
    yield from report_rows(frame.filter(differs), "T707", message, word=word)
