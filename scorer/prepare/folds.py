"""Folds: a truth cut into several, each scored as a truth of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from scorer.core.arrays import Mask
from scorer.core.problems import Findings, Problem
from scorer.core.text import join_first, quoted
from scorer.reading.schema import Schema
from scorer.tables.columns import CodedColumn
from scorer.tables.table import Table

Folded = tuple[Table, tuple[str, ...]]  # a fold's truth, and its lists
SHAPES = (Schema(("list", "item", "fold")), Schema(("list", "fold")))


def split(
    truth: Table, folds: Table, lists: Sequence[str], findings: Findings
) -> dict[str, Folded]:
    """The truth of each fold, and its lists, by the folds' names.

    Args:
        lists: the lists that are scored, those without a row in the truth too.
        findings: gets the lists or items that are in no fold, or in two.
    """
    roles = ("list", "item") if "item" in folds.ids else ("list",)
    if missing := [role for role in roles if role not in truth.ids]:
        message = (
            f"the truth has no column {quoted(missing[0])}; give each list one fold: list, fold"
        )
        findings.add(Problem("T201", message))
        return {}
    fold_of: dict[tuple[str, ...], str] = {}
    cells = _row_keys(folds, ("fold",))
    for row, (key, (name,)) in enumerate(zip(_row_keys(folds, roles), cells, strict=True)):
        if fold_of.setdefault(key, name) != name:
            message = (
                f"{_key_words(key)} is in two folds, {quoted(fold_of[key])} and {quoted(name)}"
            )
            findings.add(Problem("T304", message, line=int(folds.line[row]), list=key[0]))
    keys = list(_row_keys(truth, roles))
    expected = keys if "item" in roles else [(name,) for name in lists]
    if without_fold := sorted({key for key in expected if key not in fold_of}):
        what = "lists" if len(roles) == 1 else "rows of the truth"
        names = join_first(["/".join(key) for key in without_fold])
        findings.add(
            Problem(
                "T301",
                f"{len(without_fold):,} {what} are in no fold: {names}",
                list=without_fold[0][0],
            )
        )
        return {}
    row_folds = np.array([fold_of[key] for key in keys])
    by_fold = {}
    for fold in sorted({fold_of[key] for key in expected}, key=lambda name: (len(name), name)):
        part = where(truth, row_folds == fold)
        present = set(part.ids["list"].names)
        by_fold[fold] = part, tuple(n for n in lists if n in present or fold_of.get((n,)) == fold)
    return by_fold


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
    """Deal rows out to `k` parts, as equal as can be, in random order: a mask, (rows,), of each."""
    part = np.empty(rows, dtype=np.int64)
    part[np.random.default_rng(seed).permutation(rows)] = np.arange(rows) % k
    return [part == n for n in range(k)]


def _row_keys(table: Table, roles: Sequence[str]) -> Iterator[tuple[str, ...]]:
    columns = (
        map(table.ids[role].names.__getitem__, table.ids[role].codes.tolist()) for role in roles
    )
    return zip(*columns, strict=True)


def _key_words(key: tuple[str, ...]) -> str:
    return (
        f"item {quoted(key[1])} of list {quoted(key[0])}" if key[1:] else f"list {quoted(key[0])}"
    )
