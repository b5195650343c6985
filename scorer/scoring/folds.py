"""Folds: a truth cut into several, each scored as a truth of its own."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from scorer.core.problems import Findings, Problem
from scorer.core.text import join_first, quoted
from scorer.reading.schema import Schema
from scorer.reading.table import Table

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
    roles = ("list", "item") if "item" in folds else ("list",)
    if missing := [role for role in roles if role not in truth]:
        message = (
            f"the truth has no column {quoted(missing[0])}; give each list one fold: list, fold"
        )
        findings.add(Problem("T201", message))
        return {}
    fold_of: dict[tuple[str, ...], str] = {}
    for line, name, *key in folds.frame.select("line", "fold", *roles).iter_rows():
        if fold_of.setdefault(tuple(key), name) != name:
            first = fold_of[tuple(key)]
            message = f"{_key_words(key)} is in two folds, {quoted(first)} and {quoted(name)}"
            findings.add(Problem("T304", message, line=line, list=key[0]))
    keys: list[tuple[str, ...]] = truth.frame.select(roles).rows()
    expected = keys if "item" in roles else [(name,) for name in lists]
    if without_fold := sorted({key for key in expected if key not in fold_of}):
        what = "lists" if len(roles) == 1 else "rows of the truth"
        names = join_first(["/".join(key) for key in without_fold])
        message = f"{len(without_fold):,} {what} are in no fold: {names}"
        findings.add(Problem("T301", message, list=without_fold[0][0]))
        return {}
    row_folds = pl.Series([fold_of[key] for key in keys], dtype=pl.String)
    by_fold = {}
    for fold in sorted({fold_of[key] for key in expected}, key=lambda name: (len(name), name)):
        part = truth.with_frame(truth.frame.filter(row_folds == fold))
        present = set(part.frame["list"])
        by_fold[fold] = part, tuple(n for n in lists if n in present or fold_of.get((n,)) == fold)
    return by_fold


def _key_words(key: Sequence[str]) -> str:
    return (
        f"item {quoted(key[1])} of list {quoted(key[0])}" if key[1:] else f"list {quoted(key[0])}"
    )
