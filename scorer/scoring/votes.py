"""Votes on pairs of systems, read from files and checked row by row."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from scorer.challenge.model import Challenge
from scorer.core.arrays import Ints
from scorer.core.errors import SubmissionRejected
from scorer.core.problems import Findings, Problem
from scorer.core.text import printable, quoted
from scorer.infer.preview import preview_file
from scorer.reading.formats import HEAD_BYTES
from scorer.reading.layout import PLAIN, Layout, separator_of
from scorer.reading.limits import UnreadableError
from scorer.reading.read import read_file
from scorer.reading.schema import Schema
from scorer.reading.table import Table, find_places
from scorer.reading.unpack import read_head
from scorer.results.votes import Ballots
from scorer.scoring.keys import VOTES, find_unused_keys
from scorer.scoring.rules import Fault, refuse

# role -> what its column is called where nobody says it, without case; the first that is there
USUAL = {
    "a": ("a", "model_a", "system_a", "model_1", "left"),
    "b": ("b", "model_b", "system_b", "model_2", "right"),
    "winner": ("winner", "preference", "verdict", "vote"),
    "list": ("list", "prompt", "prompt_id", "question_id", "question", "query", "topic", "id"),
    "judge": ("judge", "judge_id", "annotator", "rater", "user", "worker"),
}
NEEDED = ("a", "b", "winner")
TIES = {"tie", "draw", "both", "equal", "tie (bothbad)", "bothbad", "both_bad", "="}
SIDES = {
    1: {"a", "model_a", "system_a", "model_1", "left", "first", ">"},
    -1: {"b", "model_b", "system_b", "model_2", "right", "second", "<"},
}
UNKNOWN, UNCLEAR = 2, 3  # beside 1, 0 and -1


def read_votes(paths: Sequence[Path], columns: Mapping[str, str]) -> tuple[Ballots, Findings]:
    """The votes of all files together, and warnings about them.

    Args:
        paths: the files.
        columns: role -> the name of its column, where it is not a usual one.

    Raises:
        SubmissionRejected: a file cannot be read, or a row is no vote.
    """
    whole, parts = Findings(), list[tuple[Path, Table, Findings]]()
    for path in paths:
        findings = Findings(str(path))
        schema, layout = _vote_schema_and_layout(path, columns)
        table = read_file(path, None, [schema], findings, layout=layout).table
        if table is not None and not len(table):
            findings.add(Problem("S103", "there are no votes"))
        findings = findings.without(("S205",))  # what was asked and answered may stand beside
        if table is not None and not findings.fatal:
            parts.append((path, table, findings))
        whole.merge(findings)
    if not whole.fatal:
        ballots = _ballots([table for _, table, _ in parts], [path.name for path in paths])
        before = _first_cast(ballots)
        for (path, table, _), rows in zip(parts, _row_slices(parts), strict=True):
            found = Findings(str(path))
            found.extend(_problems(table, ballots, rows, before))
            whole.merge(found)
        if not whole.fatal:
            return ballots, whole
    raise SubmissionRejected(problems=whole)


def refuse_other_rules(challenge: Challenge) -> None:
    """Refuse, by `ChallengeError`, keys of challenge.yaml that mean nothing for votes."""
    message = f"votes have no such column; they have {', '.join(USUAL)}"
    parted = "score the votes of each group by themselves, as files of their own"
    faults = [
        Fault(f"votes.{role}", "C105", message, parted if role == "group" else None)
        for role in challenge.votes
        if role not in USUAL
    ]
    faults += find_unused_keys(challenge, VOTES)
    refuse(challenge, faults)


def _vote_schema_and_layout(path: Path, columns: Mapping[str, str]) -> tuple[Schema, Layout]:
    """The columns that a file has to have, the named ones, else usual ones; and its layout."""
    start = _beginning(path)
    if start[:1] in ("{", "["):
        schema = _schema(_names_in_object(start), columns)
        paths = ((role, f"[].{schema.column_name(role)}") for role in schema.roles)
        return schema, Layout(json=tuple(paths)) if start[0] == "[" else PLAIN
    seen = preview_file(path) if path.is_file() else None
    separator = str(seen.layout.get("separator", "")) if seen else ""
    names = seen.names if seen else ()
    return _schema(names, columns), Layout(separator=separator_of(separator))


def _beginning(path: Path) -> str:
    """The first text of a file; none where it cannot be read, which reading it tells."""
    try:
        head = read_head(path, HEAD_BYTES)
        return head.decode("utf-8-sig", "ignore").lstrip()
    except (UnreadableError, OSError, ValueError):
        return ""


def _names_in_object(text: str) -> tuple[str, ...]:
    """The names in the first object of a JSON text; none where it is not whole."""
    try:
        first, _ = json.JSONDecoder().raw_decode(text, max(text.find("{"), 0))
    except (ValueError, RecursionError):
        return ()
    return tuple(first) if isinstance(first, dict) else ()


def _schema(names: Sequence[str], columns: Mapping[str, str]) -> Schema:
    folded = {name.casefold(): name for name in reversed(names)}
    found = dict(columns)
    for role, usual in USUAL.items():
        name = next((folded[name] for name in usual if name in folded), None)
        if role not in found and name is not None and name not in found.values():
            found[role] = name
    called = {_role(role): found.get(role, role) for role in (*NEEDED, *found)}
    return Schema(
        tuple(map(_role, NEEDED)),
        tuple(role for role in called if role[6:-1] not in NEEDED),
        called,
    )


def _role(role: str) -> str:
    return role if role == "list" else f"extra[{role}]"


def _row_slices(parts: Sequence[tuple[Path, Table, Findings]]) -> Iterator[slice]:
    start = 0
    for _, table, _ in parts:
        yield slice(start, start + len(table))
        start += len(table)


def _coded(tables: Sequence[Table], *roles: str) -> tuple[list[Ints], tuple[str, ...]]:
    """Columns of all tables as codes into the names of all, in order; missing cells are -1."""
    roles = tuple(map(_role, roles))
    frames = [table.frame for table in tables]
    columns = [
        pl.concat(
            frame.select(role)
            if role in frame
            else pl.DataFrame({role: [None] * frame.height}, schema={role: pl.String})
            for frame in frames
        )
        for role in roles
    ]
    names = pl.concat(column.to_series().rename("name") for column in columns)
    names = names.drop_nulls().unique().sort()
    return [find_places(each.to_series(), names) for each in columns], tuple(names)


def _ballots(tables: Sequence[Table], files: Sequence[str]) -> Ballots:
    """The votes; an outcome that is none is `UNKNOWN` or `UNCLEAR`."""
    (a, b), systems = _coded(tables, "a", "b")
    (winner,), words = _coded(tables, "winner")
    (judge,), judges = _coded(tables, "judge")
    prompt, prompts = _prompts(tables)
    first = tables[0]
    roles = [role for role in USUAL if _role(role) in first]
    return Ballots(
        systems, a, b, _outcomes(winner, words, a, b, systems), prompt, prompts,
        np.maximum(judge, 0), judges, all("list" in table for table in tables),
        tuple((role, first.column_name(_role(role))) for role in roles), tuple(files),
    )  # fmt: skip


def _prompts(tables: Sequence[Table]) -> tuple[Ints, int]:
    """The prompt of each vote, and how many there are; a row without one is one of its own."""
    (prompt,), names = _coded(tables, "list")
    alone = prompt < 0
    own = len(names) + np.cumsum(alone) - 1
    return np.where(alone, own, prompt), len(names) + int(alone.sum())


def _outcomes(winner: Ints, words: Sequence[str], a: Ints, b: Ints, systems: Sequence[str]) -> Ints:
    """1 where a won, -1 where b did, 0 of a tie: by the names of systems, else by usual words."""
    place = {name: n for n, name in enumerate(systems)}
    named = np.array([place.get(word, -1) for word in words], dtype=np.int64)[winner]
    worded = np.array([_worded(word) for word in words], dtype=np.int64)[winner]
    by_name = np.where(named == a, 1, np.where(named == b, -1, UNKNOWN))
    both = (by_name != UNKNOWN) & (worded != UNKNOWN) & (by_name != worded)
    return np.where(both, UNCLEAR, np.where(by_name != UNKNOWN, by_name, worded))


def _worded(word: str) -> int:
    folded = word.strip().casefold()
    if folded in TIES:
        return 0
    return next((side for side, names in SIDES.items() if folded in names), UNKNOWN)


def _problems(table: Table, ballots: Ballots, rows: slice, before: Ints) -> Iterator[Problem]:
    """What is wrong with the rows of one file; `before` are the first votes like them of all."""
    a, b, outcome, earlier = (
        each[rows] for each in (ballots.a, ballots.b, ballots.outcome, before)
    )

    def told(code: str, row: int, message: str) -> Problem:
        prompt = table.frame["list"][row] if "list" in table else None
        return Problem(code, message, line=table.frame["line"][row], list=prompt)

    def name(system: Ints, row: int) -> str:
        return quoted(ballots.systems[system[row]])

    whole = np.ones(len(table), dtype=bool)
    for role in table.frame.columns[1:]:
        empty = (table.frame[role].str.strip_chars() == "").to_numpy()
        whole &= ~empty
        for row in np.flatnonzero(empty).tolist():
            yield told("V105", row, f"{printable(table.column_name(role), 60)} is empty")
    for row in np.flatnonzero(whole & (a == b)).tolist():
        yield told("V101", row, f"{name(a, row)} stands against itself")
    winner = table.frame[_role("winner")]
    for row in np.flatnonzero(whole & (outcome >= UNKNOWN)).tolist():
        sides = f"{name(a, row)} and {name(b, row)}"
        what = f"is none of {sides}, a, b or tie"
        if outcome[row] == UNCLEAR:
            what = f"is the name of one of {sides} and stands for the other"
        called = printable(table.column_name(_role("winner")), 60)
        yield told("V102", row, f"{called} {quoted(winner[row])} {what}")
    lines = table.frame["line"]
    again = earlier < np.arange(rows.start, rows.stop)
    for row in np.flatnonzero(whole & again & (a != b)).tolist():
        who, first = quoted(ballots.judges[ballots.judge[rows][row]]), earlier[row] - rows.start
        where = f" in line {lines[int(first)]:,}" if first >= 0 else ""
        pair = f"{name(a, row)} before {name(b, row)}"
        yield told("V103", row, f"{who} voted on this prompt, {pair}, already{where}")


def _first_cast(ballots: Ballots) -> Ints:
    """The first vote of the same judge, prompt and pair in the same order; itself for most."""
    votes = np.arange(ballots.a.size)
    if not ballots.judges or not ballots.named:
        return votes
    pair = ballots.a * len(ballots.systems) + ballots.b
    pair = np.unique(pair, return_inverse=True)[1] * np.int64(len(ballots.judges)) + ballots.judge
    cast = np.unique(pair, return_inverse=True)[1] * np.int64(ballots.prompts) + ballots.prompt
    _, first, code = np.unique(cast, return_index=True, return_inverse=True)
    return np.asarray(first[code])
