"""Checks of preferences between items: contradictions, cycles, repetitions."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from scorer.checks.base import (
    Row,
    SubmissionRows,
    check,
    report_rows,
)
from scorer.core.arrays import Ints, Mask
from scorer.core.matching import find_repeats, number_rows
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
    if (candidates := rows.ids.candidates) is None:
        return
    others = rows.find_other_items()
    counts = (others["item"] != "").to_numpy().copy()  # another check reports empty items
    # Polars would take twice the memory to find the distinct rows.
    repeats, _ = find_repeats([others["list"], others["item"]])
    counts[repeats] = False
    has_items = candidates.lists.contains(others["list"]).to_numpy()
    message = "item {item} is in no preference of {word} {list}"
    wrong = others.filter(counts & has_items)
    yield from report_rows(wrong, "S704", message, word=rows.word)
    # Where a list has no items to compare, no preference of it could be right.
    wrong, message = others.filter(counts & ~has_items), f"{message}, which has none"
    yield from report_rows(wrong, "S704", message, "warning", word=rows.word)


def find_contradictions(frame: pl.DataFrame, word: str) -> Iterator[Problem]:
    """Yield the problems of the preferences of a file; `word` is what a list is called."""
    frame = frame.select("line", "list", "better", "worse")
    is_reflexive = frame["better"] == frame["worse"]
    if is_reflexive.any():
        reflexive = frame.filter(is_reflexive).rename({"better": "item"})
        message = "{item} is preferred to itself in {word} {list}"
        yield from report_rows(reflexive, "S701", message, word=word)
        frame = frame.filter(~is_reflexive)

    repeats, first_rows = find_repeats([frame["list"], frame["better"], frame["worse"]])
    message = "{better:bare} > {worse:bare} is given twice in {word} {list} "
    message += "(first on line {first_line})"
    repeated = frame[repeats].with_columns(first_line=frame["line"].gather(first_rows))
    yield from report_rows(repeated, "S705", message, "warning", word=word)

    better, worse = _number_items(frame)
    counts = np.ones(frame.height, dtype=bool)  # the rows that are looked at
    counts[repeats] = False
    first_rows, opposed = _find_opposed(better, worse, counts)
    # The problem is reported at the second of the two, in the order of the file.
    message = "both {worse:bare} > {better:bare} and {better:bare} > {worse:bare} in {word} {list} "
    message += "(lines {first_line} and {line})"
    second = frame[opposed].with_columns(first_line=frame["line"].gather(first_rows))
    yield from report_rows(second, "S702", message, word=word)

    counts[opposed] = counts[first_rows] = False
    for rows in _find_cycles(frame, better, worse, counts):
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


def _number_items(frame: pl.DataFrame) -> tuple[Ints, Ints]:
    """Return the number of each row's better and worse item; an item of a list has one number."""
    items = pl.concat([frame["better"], frame["worse"].alias("better")], rechunk=False)
    lists = pl.concat([frame["list"], frame["list"]], rechunk=False)
    better, worse = np.split(number_rows([lists, items]), 2)
    return better, worse


def _find_opposed(better: Ints, worse: Ints, counts: Mask) -> tuple[Ints, Ints]:
    """Return the first and the second row of each two that prefer opposite items of a pair.

    `better` and `worse` are the items of each row; in rows that `counts` they are different.
    """
    rows = np.flatnonzero(counts)
    low, high = np.minimum(better, worse)[rows], np.maximum(better, worse)[rows]
    second, first = find_repeats([pl.Series(low), pl.Series(high)])
    return rows[first], rows[second]


def _find_cycles(
    frame: pl.DataFrame, better: Ints, worse: Ints, counts: Mask
) -> Iterator[list[Row]]:
    """Yield the rows of a short cycle for each strongly connected component of the preferences.

    A node is an item of a list. `better` and `worse` are each row's nodes; `counts` says which
    rows are looked at.
    """
    if not counts.any():
        return
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows = np.flatnonzero(counts)
    start, end = better[rows], worse[rows]
    size = int(max(start.max(), end.max())) + 1
    graph = coo_array((np.ones(start.size, np.int8), (start, end)), (size, size))
    _, component = connected_components(graph.tocsr(), connection="strong")
    in_cycle = component[start] == component[end]
    cyclic = frame[rows[in_cycle]].with_columns(component=component[start[in_cycle]])
    for part in cyclic.partition_by("component", maintain_order=True):
        yield _shortest_cycle(part.rows(named=True))


def _shortest_cycle(rows: Sequence[Row]) -> list[Row]:
    """Return the shortest cycle through the preferred item of the first row.

    The rows are the preferences inside one strongly connected component.
    """
    leaving = defaultdict[str, list[Row]](list)
    for row in rows:
        leaving[row["better"]].append(row)
    home, row_to = rows[0]["better"], dict[str, Row]()  # item -> the row that reached it first
    waiting = deque([home])
    while home not in row_to:
        for row in leaving[waiting.popleft()]:
            if row["worse"] not in row_to:
                row_to[row["worse"]] = row
                waiting.append(row["worse"])
    cycle = [row_to[home]]
    while cycle[-1]["better"] != home:
        cycle.append(row_to[cycle[-1]["better"]])
    return cycle[::-1]


def find_likelihood_problems(frame: pl.DataFrame, name: str, word: str) -> Iterator[Problem]:
    """Yield the problems of the probabilities of an organizer's `likelihood` file.

    `name` is what the file calls the column of probabilities, `word` what a list is called.
    """
    probability, better, worse = pl.col("probability"), pl.col("better"), pl.col("worse")
    frame = frame.select("line", "list", "better", "worse", "probability")
    message = "{better} is preferred to itself"
    yield from report_rows(frame.filter(better == worse), "S701", message)
    outside = frame.filter(((probability < 0) | (probability > 1)) & ~probability.is_nan())
    message = "{name} {probability} is outside 0 to 1"
    yield from report_rows(outside, "S505", message, name=printable(name, 60))
    low, high = pl.min_horizontal(better, worse), pl.max_horizontal(better, worse)
    # The probability that the lower id is preferred is the same in both directions of a pair.
    upward = pl.when(better == low).then(probability).otherwise(1 - probability)
    frame = frame.with_columns(low=low, high=high, upward=upward).with_columns(
        gap=pl.col("upward").diff().abs().over("list", "low", "high"),
        other_line=pl.col("line").shift().over("list", "low", "high"),
    )
    # More than rounding. The first row of a pair has no gap: null, which a filter drops.
    differs = (pl.col("gap") > 1e-9) & ~pl.col("gap").is_nan()
    message = "{better} and {worse} have two probabilities in {word} {list} "
    message += "(lines {other_line} and {line})"
    yield from report_rows(frame.filter(differs), "T707", message, word=word)
