"""Votes on pairs of systems, read from files and checked row by row."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from scorer.challenge.model import Challenge
from scorer.core.errors import SubmissionRejected, UsageError
from scorer.core.problems import Findings, Problem
from scorer.core.text import printable, quoted
from scorer.infer.preview import preview_file
from scorer.reading.formats import HEAD_BYTES
from scorer.reading.frame import read_frame
from scorer.reading.layout import PLAIN, Layout, separator_of
from scorer.reading.limits import UnreadableError
from scorer.reading.read import read_file
from scorer.reading.schema import Schema
from scorer.reading.table import Table, find_indices
from scorer.reading.unpack import read_head
from scorer.results.votes import Ballots
from scorer.scoring.keys import VOTES, find_unused_keys
from scorer.scoring.rules import Fault, refuse

# Role -> usual column names, ignoring case; the first one found is used unless the challenge names
# another.
USUAL = {
    "a": ("a", "model_a", "system_a", "model_1", "left"),
    "b": ("b", "model_b", "system_b", "model_2", "right"),
    "winner": ("winner", "preference", "verdict", "vote"),
    "list": ("list", "prompt", "prompt_id", "question_id", "question", "query", "topic", "id"),
    "judge": ("judge", "judge_id", "annotator", "rater", "user", "worker"),
}
NEEDED = ("a", "b", "winner")
A_WON, TIE, B_WON = 1, 0, -1  # the outcomes of `Ballots`
NO_OUTCOME = 2  # the winner is neither a system's name nor a word
CONTRADICTION = 3  # the winner is a system's name and a word for something else
OUTCOME_OF_WORD = {
    **dict.fromkeys(("tie", "draw", "both", "equal", "="), TIE),
    **dict.fromkeys(("tie (bothbad)", "bothbad", "both_bad"), TIE),
    **dict.fromkeys(("a", "model_a", "system_a", "model_1", "left", "first", ">"), A_WON),
    **dict.fromkeys(("b", "model_b", "system_b", "model_2", "right", "second", "<"), B_WON),
}
UNUSED_COLUMNS = "S205"  # the warning about further columns, which votes may well have


def refuse_keys_without_effect(challenge: Challenge) -> None:
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
        UsageError: There are no files.
    """
    if not sources:
        raise UsageError("there are no files of votes")
    findings = Findings()
    tables: list[Table] = []
    for source in sources:
        reading_findings = Findings(_label(source))
        if isinstance(source, pl.DataFrame):
            schema = _make_schema(source.columns, columns)
            table = read_frame(source, [schema], reading_findings).table
        else:
            schema, layout = _find_schema(source, columns)
            table = read_file(source, None, [schema], reading_findings, layout=layout).table
        if table is not None and not len(table):
            reading_findings.add(Problem("S103", "there are no votes"))
        findings.merge(reading_findings.without((UNUSED_COLUMNS,)))
        if table is not None:
            tables.append(table)
    if not findings.fatal:
        votes = _join_votes(tables)
        for n, (source, table) in enumerate(zip(sources, tables, strict=True)):
            row_findings = Findings(_label(source))
            row_findings.extend(_find_problems(table, votes.filter(pl.col("file") == n)))
            findings.merge(row_findings)
    if findings.fatal:
        raise SubmissionRejected(problems=findings)
    names = [source.name for source in sources if isinstance(source, Path)]
    return _make_ballots(votes, tables, names), findings


def _label(source: Path | pl.DataFrame) -> str:
    """Return what messages call a source."""
    return "the votes" if isinstance(source, pl.DataFrame) else str(source)


def _find_schema(path: Path, columns: Mapping[str, str]) -> tuple[Schema, Layout]:
    """Return the schema (columns by `columns`, else by usual names) and the layout of a file."""
    try:
        start = read_head(path, HEAD_BYTES).decode("utf-8-sig", "ignore").lstrip()
    except (UnreadableError, OSError, ValueError):
        start = ""  # reading the file says why it cannot be read
    if start[:1] in ("{", "["):
        schema = _make_schema(_names_in_object(start), columns)
        if start[0] == "[":  # an array needs paths; JSON Lines do not
            paths = tuple((role, f"[].{schema.column_name(role)}") for role in schema.roles)
            return schema, Layout(json=paths)
        return schema, PLAIN
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
    # Of names that differ by case alone the first one counts, which is the last to be put in.
    column_of_folded = {name.casefold(): name for name in reversed(names)}
    column_of_role = dict(columns)
    for role, aliases in USUAL.items():
        if role in column_of_role:
            continue
        alias = next((alias for alias in aliases if alias in column_of_folded), None)
        if alias is not None and column_of_folded[alias] not in column_of_role.values():
            column_of_role[role] = column_of_folded[alias]
    table_columns = {
        _table_role(role): column_of_role.get(role, role) for role in (*NEEDED, *column_of_role)
    }
    required = tuple(_table_role(role) for role in NEEDED)
    optional = tuple(role for role in table_columns if role not in required)
    return Schema(required, optional, table_columns)


def _table_role(role: str) -> str:
    """Return the role that a table has for a role of votes.

    Votes have no roles in tables but `list`; the others are read as extra columns of texts.
    """
    return role if role == "list" else f"extra[{role}]"


def _join_votes(tables: Sequence[Table]) -> pl.DataFrame:
    """Return the votes of all files together.

    The columns are:
        row: The number of the vote, counted through all files.
        file: The number of its file.
        line: Its line in the file.
        a, b, winner, list, judge: The cells, without blanks around them; null where the file does
            not have the column.
        is_complete: Whether no cell is empty.
        outcome: Who won; NO_OUTCOME or CONTRADICTION where the winner does not say it.
        word_outcome: Who won by the winner as a word, such as `a` or `tie`, else NO_OUTCOME.
        first_row: The row of the first vote of the same judge on the same prompt and pair, in the
            same order.
        first_line: The line of that vote.
    """
    frames = [_select_votes(table, n) for n, table in enumerate(tables)]
    votes = pl.concat(frames).with_row_index("row")
    by_word = (
        pl.col("winner")
        .str.to_lowercase()
        .replace_strict(OUTCOME_OF_WORD, default=NO_OUTCOME, return_dtype=pl.Int64)
    )
    by_name = (
        pl.when(pl.col("winner") == pl.col("a"))
        .then(A_WON)
        .when(pl.col("winner") == pl.col("b"))
        .then(B_WON)
        .otherwise(NO_OUTCOME)
    )
    differ = (by_name != NO_OUTCOME) & (by_word != NO_OUTCOME) & (by_name != by_word)
    votes = votes.with_columns(
        word_outcome=by_word,
        outcome=pl.when(differ)
        .then(CONTRADICTION)
        .when(by_name != NO_OUTCOME)
        .then(by_name)
        .otherwise(by_word)
        .cast(pl.Int64),
    )
    same = ["judge", "list", "a", "b"]
    if votes["list"].null_count():  # prompts without names cannot be compared: no vote is a repeat
        same = ["row"]
    return votes.with_columns(
        first_row=pl.col("row").first().over(same), first_line=pl.col("line").first().over(same)
    )


def _select_votes(table: Table, file_number: int) -> pl.DataFrame:
    """Return the votes of one file, with the columns of `_join_votes` that its cells make."""
    cells = [
        pl.col(_table_role(role)).str.strip_chars().alias(role)
        if _table_role(role) in table
        else pl.lit(None, pl.String).alias(role)
        for role in USUAL
    ]
    is_complete = pl.all_horizontal(pl.col(pl.String).str.strip_chars() != "")
    file = pl.lit(file_number).alias("file")
    return table.frame.select(file, "line", *cells, is_complete=is_complete)


def _find_problems(table: Table, votes: pl.DataFrame) -> Iterator[Problem]:
    """Yield the problems of the rows of one file."""
    for role in table.frame.columns:
        if role == "line":
            continue
        empty = table.frame.filter(pl.col(role).str.strip_chars() == "")
        prompts = empty["list"].to_list() if "list" in table else [None] * empty.height
        for line, prompt in zip(empty["line"], prompts, strict=True):
            column = printable(table.column_name(role), 60)
            yield Problem("V105", f"{column} is empty", line=line, list=prompt)
    complete = votes.filter("is_complete")
    is_against_itself = pl.col("a") == pl.col("b")
    for row in complete.filter(is_against_itself).iter_rows(named=True):
        message = f"{quoted(row['a'])} stands against itself"
        yield Problem("V101", message, line=row["line"], list=row["list"])
    column = printable(table.column_name(_table_role("winner")), 60)
    is_no_outcome = pl.col("outcome").is_in([NO_OUTCOME, CONTRADICTION])
    for row in complete.filter(is_no_outcome).iter_rows(named=True):
        message = f"{column} {quoted(row['winner'])} {_describe_wrong_winner(row)}"
        yield Problem("V102", message, line=row["line"], list=row["list"])
    is_repeat = pl.col("judge").is_not_null() & (pl.col("first_row") != pl.col("row"))
    for row in complete.filter(is_repeat & ~is_against_itself).iter_rows(named=True):
        pair = f"{quoted(row['a'])} before {quoted(row['b'])}"
        is_same_file = row["first_row"] >= votes["row"][0]
        where = f" in line {row['first_line']:,}" if is_same_file else ""
        message = f"{quoted(row['judge'])} voted on this prompt, {pair}, already{where}"
        yield Problem("V103", message, line=row["line"], list=row["list"])


def _describe_wrong_winner(row: Mapping[str, Any]) -> str:
    """Return why the winner of a row of `_join_votes` has no outcome."""
    pair = f"{quoted(row['a'])} and {quoted(row['b'])}"
    if row["outcome"] == NO_OUTCOME:
        return f"is none of {pair}, a, b or tie"
    meaning = "a tie" if row["word_outcome"] == TIE else "the other"
    return f"is the name of one of {pair} and stands for {meaning}"


def _make_ballots(votes: pl.DataFrame, tables: Sequence[Table], files: Sequence[str]) -> Ballots:
    """Return the votes by numbers of systems and prompts."""
    systems = pl.concat([votes["a"], votes["b"].rename("a")]).unique().sort()
    prompt_names = votes["list"].drop_nulls().unique().sort()
    prompt_of_vote = find_indices(votes["list"], prompt_names)
    alone = prompt_of_vote < 0  # a vote without a prompt is on one of its own
    own_prompt = len(prompt_names) + np.cumsum(alone) - 1
    first_table = tables[0]
    return Ballots(
        systems=tuple(systems),
        a=find_indices(votes["a"], systems),
        b=find_indices(votes["b"], systems),
        outcome=votes["outcome"].to_numpy(),
        prompt=np.where(alone, own_prompt, prompt_of_vote),
        prompts=len(prompt_names) + int(alone.sum()),
        named=all("list" in table for table in tables),
        columns=tuple(
            (role, first_table.column_name(_table_role(role)))
            for role in USUAL
            if _table_role(role) in first_table
        ),
        files=tuple(files),
    )
