"""Votes on pairs of systems, read from files and checked row by row."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from scorer.challenge.model import Challenge
from scorer.core.errors import SubmissionRejected
from scorer.core.problems import Findings, Problem
from scorer.core.text import printable, quoted
from scorer.infer.preview import preview_file
from scorer.reading.formats import HEAD_BYTES
from scorer.reading.frame import read_frame
from scorer.reading.layout import PLAIN, Layout, separator_of
from scorer.reading.limits import UnreadableError
from scorer.reading.read import read_file
from scorer.reading.schema import Schema
from scorer.reading.table import Table, find_places
from scorer.reading.unpack import read_head
from scorer.results.votes import Ballots
from scorer.scoring.keys import VOTES, find_unused_keys
from scorer.scoring.rules import Fault, refuse

# Role -> what its column is called where nobody says it, in any case; the first that is there.
USUAL = {
    "a": ("a", "model_a", "system_a", "model_1", "left"),
    "b": ("b", "model_b", "system_b", "model_2", "right"),
    "winner": ("winner", "preference", "verdict", "vote"),
    "list": ("list", "prompt", "prompt_id", "question_id", "question", "query", "topic", "id"),
    "judge": ("judge", "judge_id", "annotator", "rater", "user", "worker"),
}
NEEDED = ("a", "b", "winner")
UNKNOWN, UNCLEAR = 2, 3  # outcomes beside 1 (a won), 0 (a tie) and -1 (b won)
WORDS = {
    **dict.fromkeys(("tie", "draw", "both", "equal", "="), 0),
    **dict.fromkeys(("tie (bothbad)", "bothbad", "both_bad"), 0),
    **dict.fromkeys(("a", "model_a", "system_a", "model_1", "left", "first", ">"), 1),
    **dict.fromkeys(("b", "model_b", "system_b", "model_2", "right", "second", "<"), -1),
}


def refuse_other_rules(challenge: Challenge) -> None:
    """Raise `ChallengeError` if keys of challenge.yaml mean nothing for votes."""
    message = f"votes have no such column; they have {', '.join(USUAL)}"
    of_groups = "score the votes of each group by themselves, as files of their own"
    faults = [
        Fault(f"votes.{role}", "C105", message, of_groups if role == "group" else None)
        for role in challenge.votes
        if role not in USUAL
    ]
    refuse(challenge, [*faults, *find_unused_keys(challenge, VOTES)])


def read_votes(
    sources: Sequence[Path | pl.DataFrame], columns: Mapping[str, str]
) -> tuple[Ballots, Findings]:
    """Return the votes of all files together, and warnings about them.

    Args:
        sources: The files, or data frames.
        columns: Role -> the name of its column, where it is not a usual one.

    Raises:
        SubmissionRejected: A file cannot be read, or a row is no vote.
    """
    findings, tables = Findings(), list[Table]()
    for source in sources:
        in_file = Findings(_label(source))
        if isinstance(source, pl.DataFrame):
            table = read_frame(source, [_make_schema(source.columns, columns)], in_file).table
        else:
            schema, layout = _find_schema(source, columns)
            table = read_file(source, None, [schema], in_file, layout=layout).table
        if table is not None and not len(table):
            in_file.add(Problem("S103", "there are no votes"))
        findings.merge(in_file.without(("S205",)))  # further columns may stand beside
        if table is not None:
            tables.append(table)
    if not findings.fatal:
        votes = _join_votes(tables)
        for n, (source, table) in enumerate(zip(sources, tables, strict=True)):
            in_file = Findings(_label(source))
            in_file.extend(_find_problems(table, votes.filter(pl.col("file") == n)))
            findings.merge(in_file)
    if findings.fatal:
        raise SubmissionRejected(problems=findings)
    names = [source.name for source in sources if isinstance(source, Path)]
    return _make_ballots(votes, tables, names), findings


def _label(source: Path | pl.DataFrame) -> str:
    """Return what messages call a source."""
    return "the votes" if isinstance(source, pl.DataFrame) else str(source)


def _find_schema(path: Path, columns: Mapping[str, str]) -> tuple[Schema, Layout]:
    """Return the columns that a file has to have, the named ones or usual ones; and its layout."""
    try:
        start = read_head(path, HEAD_BYTES).decode("utf-8-sig", "ignore").lstrip()
    except (UnreadableError, OSError, ValueError):
        start = ""  # why it cannot be read, reading it says
    if start[:1] in ("{", "["):
        schema = _make_schema(_names_in_object(start), columns)
        paths = ((role, f"[].{schema.column_name(role)}") for role in schema.roles)
        return schema, Layout(json=tuple(paths)) if start[0] == "[" else PLAIN
    preview = preview_file(path) if path.is_file() else None
    separator = str(preview.layout.get("separator", "")) if preview else ""
    schema = _make_schema(preview.names if preview else (), columns)
    return schema, Layout(separator=separator_of(separator))


def _names_in_object(text: str) -> tuple[str, ...]:
    """Return the names in the first object of a JSON text; none if its end is not there."""
    try:
        first, _ = json.JSONDecoder().raw_decode(text, max(text.find("{"), 0))
    except (ValueError, RecursionError):
        return ()
    return tuple(first) if isinstance(first, dict) else ()


def _make_schema(names: Sequence[str], columns: Mapping[str, str]) -> Schema:
    """Return the schema of a file whose columns have these names."""
    by_case = {name.casefold(): name for name in reversed(names)}
    found = dict(columns)
    for role, usual in USUAL.items():
        name = next((by_case[name] for name in usual if name in by_case), None)
        if role not in found and name is not None and name not in found.values():
            found[role] = name
    roles = {_role(role): found.get(role, role) for role in (*NEEDED, *found)}
    needed = tuple(map(_role, NEEDED))
    return Schema(needed, tuple(role for role in roles if role not in needed), roles)


def _role(role: str) -> str:
    """Return the role of a table's column: the systems, the winner and the judge are texts."""
    return role if role == "list" else f"extra[{role}]"


def _join_votes(tables: Sequence[Table]) -> pl.DataFrame:
    """Return the votes of all files: `file`, `line`, the columns of `USUAL`, and what follows.

    `row` numbers the votes of all files. `is_complete` is whether no cell is empty, `outcome` who
    won, and `first` and `first_line` the first vote of the same judge on the same prompt and pair
    in the same order. A column that a file does not have is null.
    """
    frames = [
        table.frame.select(
            pl.lit(n).alias("file"),
            "line",
            *(
                pl.col(_role(role)).alias(role)
                if _role(role) in table
                else pl.lit(None, pl.String).alias(role)
                for role in USUAL
            ),
            is_complete=pl.all_horizontal(pl.col(pl.String).str.strip_chars() != ""),
        )
        for n, table in enumerate(tables)
    ]
    votes = pl.concat(frames).with_row_index("row")
    word = pl.col("winner").str.strip_chars().str.to_lowercase()
    by_word = word.replace_strict(WORDS, default=UNKNOWN, return_dtype=pl.Int64)
    by_name = (
        pl.when(pl.col("winner") == pl.col("a"))
        .then(1)
        .when(pl.col("winner") == pl.col("b"))
        .then(-1)
        .otherwise(UNKNOWN)
    )
    differ = (by_name != UNKNOWN) & (by_word != UNKNOWN) & (by_name != by_word)
    votes = votes.with_columns(
        outcome=pl.when(differ)
        .then(UNCLEAR)
        .when(by_name != UNKNOWN)
        .then(by_name)
        .otherwise(by_word)
        .cast(pl.Int64)
    )
    same = ["judge", "list", "a", "b"]
    if votes["list"].null_count():  # where some prompts have no name, others may be theirs, too
        same = ["row"]
    return votes.with_columns(
        first=pl.col("row").first().over(same), first_line=pl.col("line").first().over(same)
    )


def _find_problems(table: Table, votes: pl.DataFrame) -> Iterator[Problem]:
    """Yield the problems of the rows of one file."""
    for role in table.frame.columns[1:]:
        empty = table.frame.filter(pl.col(role).str.strip_chars() == "")
        lists = empty["list"].to_list() if "list" in table else [None] * empty.height
        for line, name in zip(empty["line"], lists, strict=True):
            word = printable(table.column_name(role), 60)
            yield Problem("V105", f"{word} is empty", line=line, list=name)
    complete = votes.filter("is_complete")
    itself = pl.col("a") == pl.col("b")
    for row in complete.filter(itself).iter_rows(named=True):
        message = f"{quoted(row['a'])} stands against itself"
        yield Problem("V101", message, line=row["line"], list=row["list"])
    word = printable(table.column_name(_role("winner")), 60)
    for row in complete.filter(pl.col("outcome") >= UNKNOWN).iter_rows(named=True):
        sides = f"{quoted(row['a'])} and {quoted(row['b'])}"
        what = f"is none of {sides}, a, b or tie"
        if row["outcome"] == UNCLEAR:
            what = f"is the name of one of {sides} and stands for the other"
        message = f"{word} {quoted(row['winner'])} {what}"
        yield Problem("V102", message, line=row["line"], list=row["list"])
    is_first = pl.col("first") == pl.col("row")
    by_judge = pl.col("judge").is_not_null()
    for row in complete.filter(by_judge & ~is_first & ~itself).iter_rows(named=True):
        pair = f"{quoted(row['a'])} before {quoted(row['b'])}"
        where = f" in line {row['first_line']:,}" if row["first"] >= votes["row"][0] else ""
        message = f"{quoted(row['judge'])} voted on this prompt, {pair}, already{where}"
        yield Problem("V103", message, line=row["line"], list=row["list"])


def _make_ballots(votes: pl.DataFrame, tables: Sequence[Table], files: Sequence[str]) -> Ballots:
    """Return the votes by numbers of systems, prompts and judges."""
    systems = pl.concat([votes["a"], votes["b"].rename("a")]).unique().sort()
    judges = votes["judge"].drop_nulls().unique().sort()
    prompts = votes["list"].drop_nulls().unique().sort()
    prompt = find_places(votes["list"], prompts)
    alone = prompt < 0  # a vote without a prompt is on one of its own
    prompt = np.where(alone, len(prompts) + np.cumsum(alone) - 1, prompt)
    first = tables[0]
    return Ballots(
        tuple(systems),
        find_places(votes["a"], systems),
        find_places(votes["b"], systems),
        votes["outcome"].to_numpy(),
        prompt,
        len(prompts) + int(alone.sum()),
        np.maximum(find_places(votes["judge"], judges), 0),
        tuple(judges),
        all("list" in table for table in tables),
        tuple((role, first.column_name(_role(role))) for role in USUAL if _role(role) in first),
        tuple(files),
    )
