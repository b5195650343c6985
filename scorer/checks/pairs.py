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
    is_repeated,
    repeated_rows,
    report_rows,
)
from scorer.checks.ids import combine_hashes
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
    roles = ("better", "worse") if "better" in rows.frame.columns else ("item",)
    # Other checks report unknown lists and empty items.
    cells = rows.frame.select("line", "list", *roles)
    cells = cells.filter(candidates.lists.contains(cells["list"]))
    others = candidates.find_others(cells, *roles).filter(pl.col("item") != "")
    others = others.filter(combine_hashes("list", "item").is_first_distinct())
    message = "item {item} is in no preference of {word} {list}"
    yield from report_rows(others, "S704", message, word=rows.word)


def find_contradictions(frame: pl.DataFrame, word: str) -> Iterator[Problem]:
    """Yield the problems of the preferences of a file; `word` is what a list is called."""
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

    pairs = _hash_pairs(frame)
    if not repeats.is_empty():
        pairs = pairs.unique(["low", "high", "is_upward"], keep="first", maintain_order=True)
    opposed = pairs.filter(is_repeated(pairs.select(combine_hashes("low", "high")).to_series()))
    # The problem is reported at the second of the two, in the order of the file.
    first_row = pl.col("row").first().over("low", "high")
    second = opposed.with_columns(first_row=first_row).filter(pl.col("row") > pl.col("first_row"))
    first_line = frame["line"].gather(second["first_row"])
    message = "both {worse:bare} > {better:bare} and {better:bare} > {worse:bare} in {word} {list} "
    message += "(lines {first_line} and {line})"
    second_rows = frame[second["row"]].with_columns(first_line=first_line)
    yield from report_rows(second_rows, "S702", message, word=word)

    pairs = pairs.join(opposed, on="row", how="anti", maintain_order="left")
    for rows in _find_cycles(frame, pairs):
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


def _hash_pairs(frame: pl.DataFrame) -> pl.DataFrame:
    """Return numbers in place of the items of preferences, which take less memory and time.

    The columns are `row`; `low` and `high`, hashes of 64 bits of the list and either item; and
    `is_upward`, whether the item with the higher one is preferred. Of 10 million items the chance
    that any two share a hash is below 1 in 100,000.
    """
    better, worse = (
        frame.select(combine_hashes("list", role)).to_series() for role in ("better", "worse")
    )
    return (
        pl.DataFrame({"low": better, "high": worse})
        .select(
            low=pl.min_horizontal("low", "high"),
            high=pl.max_horizontal("low", "high"),
            is_upward=better > worse,
        )
        .with_row_index("row")
    )


def _find_cycles(frame: pl.DataFrame, pairs: pl.DataFrame) -> Iterator[list[Row]]:
    """Yield the rows of a short cycle for each strongly connected component of the preferences.

    `pairs` are those of `_hash_pairs` that count, of the rows of `frame`. A node is an item of a
    list.
    """
    if pairs.is_empty():
        return
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    nodes = pl.concat([pairs["low"], pairs["high"]]).rank("dense") - 1
    low, high = nodes.to_numpy().astype(np.int64).reshape(2, -1)
    is_upward = pairs["is_upward"].to_numpy()
    start, end = np.where(is_upward, high, low), np.where(is_upward, low, high)
    size = int(max(start.max(), end.max())) + 1
    graph = coo_array((np.ones(start.size, np.int8), (start, end)), (size, size))
    _, component = connected_components(graph.tocsr(), connection="strong")
    in_cycle = component[start] == component[end]
    cyclic = frame[pairs["row"].filter(in_cycle)].with_columns(component=component[start[in_cycle]])
    for rows in cyclic.partition_by("component", maintain_order=True):
        yield _shortest_cycle(rows.rows(named=True))


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
