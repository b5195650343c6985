"""`score folds FILE -o DIR`: splits for cross-validation."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from scorer.cli.options import Result, problems
from scorer.core.arrays import Mask
from scorer.core.errors import ChallengeError, UsageError
from scorer.core.problems import Findings, as_truth_problems
from scorer.core.text import printable, quoted
from scorer.prepare.folds import parts
from scorer.reading.schema import Schema, holds_text
from scorer.reading.table import Table

NAMED = ("list", "item", "rating", "grade")


class By(StrEnum):
    """What is dealt out to the folds."""

    row = "row"
    list = "list"


def folds(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Ratings, grades or interactions: list, item, rating."),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="A new or empty folder.")
    ],
    k: Annotated[int, typer.Option("-k", min=2, help="Number of folds.")] = 5,
    by: Annotated[
        By, typer.Option("--by", help="Split by single rows, or by whole lists.")
    ] = By.row,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the random split.")] = 1,
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column", metavar="ROLE=NAME", help="The name of the file's list or item column."
        ),
    ] = None,
) -> Result:
    """Split a file into k pairs of truth and training part, and note the fold of each row."""
    from scorer.reading.write import write_folder

    table, notes = _read(file, _role_columns(column or []))
    masks = _masks(table, k, by, seed)
    contents: dict[str, str] = {}
    for n, mask in enumerate(masks, start=1):
        contents[f"{n}/truth.csv"] = _csv(table.with_frame(table.frame.filter(mask)))
        contents[f"{n}/train.csv"] = _csv(table.with_frame(table.frame.filter(~mask)))
    contents["folds.csv"] = _folds(table, masks, by)
    write_folder(output, {name: text.encode() for name, text in contents.items()})
    counts = "".join(
        f"{n}: {mask.sum():,} of {mask.size:,} rows\n" for n, mask in enumerate(masks, 1)
    )
    return Result(
        f"made {printable(output)}: 1 to {k}, each with truth.csv and train.csv; folds.csv\n"
        f"{counts}\n"
        "in challenge.yaml, with the whole file as truth:  folds: {file: folds.csv}\n",
        notes,
    )


def _role_columns(words: Sequence[str]) -> dict[str, str]:
    """Role -> column name, from `ROLE=NAME` words."""
    columns = {}
    for word in words:
        role, equals, name = word.partition("=")
        if not equals or role not in NAMED:
            raise UsageError(
                f"--column {quoted(word)}: write one of {', '.join(NAMED)}, = and a name"
            )
        columns[role] = name
    return columns


def _read(file: Path, columns: dict[str, str]) -> tuple[Table, tuple[str, ...]]:
    """The file's rows, and the warnings about it."""
    from scorer.reading.read import read_file

    findings = Findings(str(file))
    values = [role for role in columns if role not in ("list", "item")] or ["grade", "rating"]
    with_values = [Schema(("list", "item", role), (), columns) for role in values]
    without_values = Schema(("list", "item"), (), columns)  # interactions
    shapes = [*with_values, *([] if set(values) & set(columns) else [without_values])]
    table = read_file(file, None, shapes, findings).table
    of_challenge = Findings(str(file))
    of_challenge.extend(as_truth_problems(findings))
    if table is None or of_challenge.fatal:
        raise ChallengeError(problems=of_challenge)
    return table, tuple(problems(of_challenge))


def _masks(table: Table, k: int, by: By, seed: int) -> list[Mask]:
    """Which rows are in each fold: whatever their order in the file, and a pair's rows together."""
    roles = ["list", "item"] if by is By.row else ["list"]
    distinct = table.frame.select(roles).unique().sort(roles).with_row_index("number")
    if distinct.height < k:
        what = "lists" if by is By.list else "rows"
        raise UsageError(f"{distinct.height:,} {what} cannot make {k:,} folds; write a smaller -k")
    numbered = table.frame.join(distinct, on=roles, how="left", maintain_order="left")
    number = numbered["number"].to_numpy()
    return [part[number] for part in parts(distinct.height, k, seed)]


def _csv(table: Table) -> str:
    """The rows as CSV, under the names that the file has for its columns."""
    roles = [role for role in NAMED if role in table]
    columns = [
        table.frame[role].to_list()
        if holds_text(role)
        else [repr(value).removesuffix(".0") for value in table.frame[role].to_list()]
        for role in roles
    ]
    return _csv_text([table.column_name(role) for role in roles], columns)


def _folds(table: Table, masks: Sequence[Mask], by: By) -> str:
    """The fold of each list, or of each of its items."""
    roles = ("list", "item") if by is By.row else ("list",)
    fold = np.argmax(masks, axis=0) + 1
    columns = [table.frame[role].to_list() for role in roles]
    rows = sorted(set(zip(*columns, map(str, fold.tolist()), strict=True)))
    return _csv_text([*roles, "fold"], list(zip(*rows, strict=True)))


def _csv_text(head: Sequence[str], columns: Sequence[Sequence[str]]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerows([head, *zip(*columns, strict=True)])
    return buffer.getvalue()
