"""Folds: a truth cut into several, each scored as a truth of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from scorer.core.arrays import Mask
from scorer.core.problems import Findings, Problem
from scorer.core.text import join_first, quoted
from scorer.io.table import CodedColumn, Schema, Table

Folded = tuple[Table, tuple[str, ...]]  # a fold's truth, and its lists
SHAPES = (Schema(("list", "item", "fold")), Schema(("list", "fold")))


def split(truth: Table, folds: Table, lists: Sequence[str], told: Findings) -> dict[str, Folded]:
    """The truth of each fold, and its lists, by the folds' names.

    Args:
        truth: the whole truth, whose lists are all in `lists`.
        folds: a fold for each list, or for each item of each list.
        lists: the lists that are scored, those without a row in the truth too.
        told: is told of lists or items that are in no fold, or in two.
    """
    roles = ("list", "item") if "item" in folds.ids else ("list",)
    if missing := [role for role in roles if role not in truth.ids]:
        message = (
            f"the truth has no column {quoted(missing[0])}; give each list one fold: list, fold"
        )
        told.add(Problem("T201", message))
        return {}
    of: dict[tuple[str, ...], str] = {}
    cells = _keys(folds, ("fold",))
    for row, (key, (name,)) in enumerate(zip(_keys(folds, roles), cells, strict=True)):
        if of.setdefault(key, name) != name:
            message = f"{_key(key)} is in two folds, {quoted(of[key])} and {quoted(name)}"
            told.add(Problem("T304", message, line=int(folds.line[row]), list=key[0]))
    keys = list(_keys(truth, roles))
    wanted = keys if "item" in roles else [(name,) for name in lists]
    if lost := sorted({key for key in wanted if key not in of}):
        what = "lists" if len(roles) == 1 else "rows of the truth"
        names = join_first(["/".join(key) for key in lost])
        told.add(Problem("T301", f"{len(lost):,} {what} are in no fold: {names}", list=lost[0][0]))
        return {}
    mine = np.array([of[key] for key in keys])
    found = {}
    for fold in sorted({of[key] for key in wanted}, key=lambda name: (len(name), name)):
        part = where(truth, mine == fold)
        given = set(part.ids["list"].names)
        found[fold] = part, tuple(n for n in lists if n in given or of.get((n,)) == fold)
    return found


def where(table: Table, keep: Mask) -> Table:
    """Only the rows where `keep` holds, and only their ids."""
    ids = {}
    for role, column in table.ids.items():
        used, codes = np.unique(column.codes[keep], return_inverse=True)
        ids[role] = CodedColumn(
            codes.astype(np.int64), tuple(column.names[n] for n in used.tolist())
        )
    numbers = {role: values[keep] for role, values in table.numbers.items()}
    return replace(table, ids=ids, numbers=numbers, line=table.line[keep])


def parts(rows: int, k: int, seed: int) -> Sequence[Mask]:
    """Which of so many things are in each of `k` parts, as equal in size as can be."""
    part = np.empty(rows, dtype=np.int64)
    part[np.random.default_rng(seed).permutation(rows)] = np.arange(rows) % k
    return [part == n for n in range(k)]


def _keys(table: Table, roles: Sequence[str]) -> Iterator[tuple[str, ...]]:
    columns = (
        map(table.ids[role].names.__getitem__, table.ids[role].codes.tolist()) for role in roles
    )
    return zip(*columns, strict=True)


def _key(key: tuple[str, ...]) -> str:
    return (
        f"item {quoted(key[1])} of list {quoted(key[0])}" if key[1:] else f"list {quoted(key[0])}"
    )
