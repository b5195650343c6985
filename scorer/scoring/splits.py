"""Splits and folds: named parts of the lists, and scorecards of one part."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from scorer.challenge.model import Challenge
from scorer.challenge.phases import EVERYTHING, RESERVED_SPLITS, REST, Splits
from scorer.core.arrays import Ints, Mask
from scorer.core.errors import ChallengeError
from scorer.core.problems import Findings, Problem
from scorer.core.text import join_first, quoted
from scorer.reading.schema import Schema
from scorer.reading.table import Table
from scorer.results.report import Scope
from scorer.results.scorecard import Scorecard
from scorer.scoring.rules import Fault, refuse
from scorer.scoring.tables import add_problems, raise_errors, read_plain_table, require_table


def draw_splits(
    splits: Splits, lists: Sequence[str], groups: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the split of each list.

    Units (lists, or whole groups of lists with `by: group`) are put in the order of a hash of seed
    and name and dealt to the splits by their shares. Equal shares in the same order, seed and names
    give the same splits everywhere, whatever the order of the lists; the order in which the shares
    are written counts, but that the rest is always dealt last.

    Args:
        splits: The names of the splits, with their shares and the seed.
        lists: The names of the lists.
        groups: list -> group, for `by: group`; a list without a group is its own.
    """
    members: dict[str, list[str]] = {}
    for name in sorted(lists):
        unit = (groups or {}).get(name, name) if splits.by == "group" else name
        members.setdefault(unit, []).append(name)
    units = sorted(
        members, key=lambda unit: hashlib.sha256(f"{splits.seed}:{unit}".encode()).digest()
    )
    names = sorted(splits.shares, key=lambda name: splits.shares[name] == REST)  # the rest is last
    shares = [float(splits.shares[name]) for name in names if splits.shares[name] != REST]
    ends = np.cumsum(shares) * len(lists)
    if len(shares) == len(names):
        ends[-1] = len(lists)  # the shares' sum may be 0.9999
    split_of: dict[str, str] = {}
    dealt_lists = 0
    for unit in units:
        # A unit goes where its middle falls; behind all ends is the rest.
        index = int(np.searchsorted(ends, dealt_lists + len(members[unit]) / 2))
        split_of |= dict.fromkeys(members[unit], names[min(index, len(names) - 1)])
        dealt_lists += len(members[unit])
    return split_of


def read_splits(path: Path, lists: Sequence[str], list_column: str = "list") -> dict[str, str]:
    """Return the split of each list, from a file of list,split; or of Kaggle's, such as id,Usage.

    `ChallengeError` if it cannot be read, puts a list into two splits, names one that is not there,
    or leaves one out.

    Args:
        path: The file.
        lists: The names of the lists.
        list_column: What the column of lists is called in a file of Kaggle's.
    """
    findings = Findings()
    # The role of folds serves for splits.
    schema = Schema(("list", "fold"), (), {"fold": "split"})
    kaggle = Schema(("list", "fold"), (), {"list": list_column, "fold": "Usage"}, uses_all=True)
    table = read_plain_table(path, [schema, kaggle], findings)
    if table is None:
        raise ChallengeError(problems=findings)
    add_problems(findings, path, _find_split_problems(table, set(lists)))
    firsts = table.frame.unique("list", keep="first", maintain_order=True)
    split_of: dict[str, str] = dict(firsts.select("list", "fold").iter_rows())
    if not findings.fatal and (missing := [name for name in lists if name not in split_of]):
        message = f"{len(missing):,} lists are in no split: {join_first(missing)}"
        add_problems(findings, path, [Problem("T301", message)])
    raise_errors(findings)
    return split_of


def _find_split_problems(table: Table, lists: Set[str]) -> Iterator[Problem]:
    """Yield a list that is in two splits or not in the truth, and a name that no split can have."""
    first_split = pl.col("fold").first().over("list")
    rows = table.frame.select("line", "list", split="fold", first_split=first_split)
    for row in rows.iter_rows(named=True):
        line = row["line"]
        name = row["list"]
        split = row["split"]
        if split != row["first_split"]:
            yield Problem("T304", f"list {quoted(name)} is in two splits", line=line)
        elif name not in lists:
            yield Problem("T302", f"list {quoted(name)} is not in the truth", line=line)
        elif split in RESERVED_SPLITS or not split:
            yield Problem("T304", f"a split cannot be called {quoted(split)}", line=line)


def assign_splits(
    challenge: Challenge, lists: Sequence[str], groups: Mapping[str, str]
) -> dict[str, str]:
    """Return the split of each list, drawn or read; none without splits.

    `ChallengeError` if it cannot be read, or a phase shows a split that no list is in (such a board
    would silently show all lists).
    """
    splits = challenge.splits
    if splits is None:
        return {}
    if splits.file is None:
        return draw_splits(splits, lists, groups)
    list_column = challenge.truth.columns.get("list", "list")
    split_of = read_splits(splits.file, lists, list_column)
    names = {*RESERVED_SPLITS, *split_of.values()}
    refuse(
        challenge,
        (
            Fault(
                f"phases[{n}].show",
                "C106",
                f"phase {quoted(phase.id)} shows {quoted(phase.show)}, which is no split",
            )
            for n, phase in enumerate(challenge.phases)
            if phase.show not in names
        ),
    )
    return split_of


class TruthFold(NamedTuple):
    """A part of the truth that is scored as a truth of its own."""

    truth: Table
    lists: tuple[str, ...]


def split_truth(
    challenge: Challenge, truth: Table, lists: Sequence[str]
) -> dict[str | None, TruthFold]:
    """Return the whole truth, by None, and its folds by their names, if there is a file of folds.

    Args:
        challenge: The challenge.
        truth: The table of the truth.
        lists: The lists that are scored, also those without a row in the truth.

    Raises:
        ChallengeError: The file cannot be read, or lists or items are in no fold, or in two.
    """
    findings = Findings()
    source = challenge.folds
    by_fold: dict[str | None, TruthFold] = {None: TruthFold(truth, tuple(lists))}
    if source is None:
        return by_fold
    schemas = [Schema(("list", "item", "fold")), Schema(("list", "fold"))]
    table = require_table(challenge, source, schemas, findings)
    by_item = "item" in table
    roles = ["list", "item"] if by_item else ["list"]
    if missing := [role for role in roles if role not in truth]:
        message = (
            f"the truth has no column {quoted(missing[0])}; give each list one fold: list, fold"
        )
        add_problems(findings, source.file, [Problem("T201", message)])
        raise_errors(findings)
    folds = table.frame.unique(roles, keep="first").select(*roles, "fold")
    keys_of_rows = truth.frame.select(roles)
    fold_of_row = keys_of_rows.join(folds, on=roles, how="left", maintain_order="left")
    if by_item:  # each row of the truth has a fold
        fold_of_key = fold_of_row
    else:  # each list that is scored has one, also a list without a row
        names = pl.DataFrame({"list": lists}, schema={"list": pl.String})
        fold_of_key = names.join(folds, on="list", how="left", maintain_order="left")
    add_problems(findings, source.file, _find_fold_problems(table, fold_of_key, roles))
    raise_errors(findings)
    # Fold 10 comes behind fold 9.
    for fold in sorted(fold_of_key["fold"].unique(), key=lambda name: (len(name), name)):
        part = truth.with_frame(truth.frame.filter(fold_of_row["fold"] == fold))
        keys_of_fold = fold_of_key.filter(pl.col("fold") == fold)
        members = {*part.frame["list"], *keys_of_fold["list"]}
        by_fold[fold] = TruthFold(part, tuple(name for name in lists if name in members))
    return by_fold


def _find_fold_problems(
    folds: Table, fold_of_key: pl.DataFrame, roles: Sequence[str]
) -> Iterator[Problem]:
    """Yield problems of keys, cells of `roles`, in two folds, and of `fold_of_key` in no fold."""
    first_fold = pl.col("fold").first().over(roles)
    rows = folds.frame.select("line", "fold", *roles, first_fold=first_fold)
    wrong_rows = rows.filter(pl.col("fold") != pl.col("first_fold"))
    for row in wrong_rows.iter_rows(named=True):
        name = f"list {quoted(row['list'])}"
        if "item" in row:
            name = f"item {quoted(row['item'])} of {name}"
        message = f"{name} is in two folds, {quoted(row['first_fold'])} and {quoted(row['fold'])}"
        yield Problem("T304", message, line=row["line"], list=row["list"])
    has_no_fold = pl.col("fold").is_null()
    without = fold_of_key.filter(has_no_fold).select(roles).unique().sort(roles).rows()
    if without:
        what = "lists" if len(roles) == 1 else "rows of the truth"
        names = join_first(["/".join(key) for key in without])
        message = f"{len(without):,} {what} are in no fold: {names}"
        yield Problem("T301", message, list=without[0][0])


def masks_of(lists: Sequence[str], split_of: Mapping[str, str]) -> dict[str, Mask]:
    """Return split -> which lists it has; `all` is the first."""
    # The public split is first.
    names = sorted(set(split_of.values()), key=lambda name: (name != "public", name))
    masks = {EVERYTHING: np.ones(len(lists), dtype=bool)}
    for name in names:
        masks[name] = np.array([split_of.get(list_name) == name for list_name in lists], dtype=bool)
    return masks


def scope_of(challenge: Challenge, splits: Mapping[str, Mask], split: str | None) -> Scope:
    """Return the scope of a board of one split, or of all lists.

    `splits` is what `masks_of` returns: split -> which lists it has, with `all` among them.
    """
    sizes = {name: int(mask.sum()) for name, mask in splits.items() if name != EVERYTHING}
    total = splits[EVERYTHING].size
    if split is None or split == EVERYTHING:
        return Scope(split=None, lists=total, of=total, others=sizes)
    final = challenge.phases[-1].show if challenge.phases else None  # the last phase decides
    others = {name: size for name, size in sizes.items() if name != split}
    return Scope(
        split=split,
        lists=sizes[split],
        of=total,
        others=others,
        final=final if final in others else None,
    )


def restrict_card(card: Scorecard, keep: Mask) -> Scorecard:
    """Return a scorecard of some of its lists, as if the truth had only these."""
    if keep.all():
        return card
    new_number: Ints = np.cumsum(keep) - 1  # of each list that is kept
    positions = card.positions
    if positions is not None:
        hit_rows = keep[positions.in_list]
        truth_rows = keep[positions.truth_list]
        positions = replace(
            positions,
            in_list=new_number[positions.in_list[hit_rows]],
            position=positions.position[hit_rows],
            grade=positions.grade[hit_rows],
            truth_list=new_number[positions.truth_list[truth_rows]],
            truth_grade=positions.truth_grade[truth_rows],
            lists=int(keep.sum()),
        )
    return card._replace(
        lists=tuple(name for name, kept in zip(card.lists, keep, strict=True) if kept),
        answered=card.answered[keep],
        values={name: values[keep] for name, values in card.values.items()},
        figures={name: figure.subset(keep) for name, figure in card.figures.items()},
        positions=positions,
        columns=card.columns.at(keep),
    )
