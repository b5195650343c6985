"""Replaces many errors of a file by their one cause, such as renamed columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from scorer.challenge.public import Public
from scorer.challenge.roles import ROLES
from scorer.challenge.submission import Submission
from scorer.checks.ids import IdIndex, PublicIds, misformed_id
from scorer.core.ids import TextPattern
from scorer.core.problems import Findings, Problem
from scorer.core.text import join_first, quoted
from scorer.reading.layout import PLAIN, Layout, separator_of
from scorer.reading.limits import ReadLimits, UnreadableError
from scorer.reading.repair import Expected, FindKnownIds, cut_rows, has_index_column
from scorer.reading.schema import Schema
from scorer.reading.unpack import read_head, table_suffix

TOLERANCE = 0.01  # of the sum of probabilities, which may be rounded to two places
HEAD_BYTES = 256 * 1024  # at the beginning of a file, in which the cause is looked for
HEADER_CODES = ("S201", "S202", "S203", "S204", "S205")


def expected_table(
    public: Public, rules: Submission, schemas: Sequence[Schema], layout: Layout, path: Path
) -> Expected | None:
    """Return what the table of a submission should hold; None unless it is a plain table."""
    begins_with_header = not (layout.header or layout.lines or layout.skip or layout.comment)
    if not begins_with_header or layout.separator or layout.parts:
        return None
    columns, roles = rules.columns, ROLES["submission"]
    # `ROLES` lacks the roles that only this challenge has, such as `probability[cat]`.
    names = {
        role: schema.column_name(role) for schema in schemas for role in schema.roles if "[" in role
    }
    names |= {role: role for role in roles if role not in columns.values()}
    names |= {role: name for role, name in columns.items() if role in roles}
    # Without names given, all roles that a schema requires are missing. The header of a file with
    # several values in a cell, or with wide columns, need not have the roles of its rows.
    required = [
        [schema.column_name(role) for role in schema.missing_roles(names=())]
        for schema in (schemas if layout == PLAIN else ())
    ]
    cells = {role: separator_of(word) for role, word in rules.cells.items()}
    separator = "\t" if table_suffix(path) == ".tsv" else ","
    return Expected(names, separator, dict(_repairs(public, rules)), cells, required)


def _repairs(public: Public, rules: Submission) -> Iterator[tuple[str, FindKnownIds]]:
    """Yield each role of public ids, with a function that finds which ids were meant."""
    yield "list", partial(_find_public, IdIndex(public.lists))
    # Ratings without a catalogue have the items of their candidates, as `PublicIds` finds them.
    items = PublicIds(public).items if public.items is None else IdIndex(public.items)
    if items is not None and items.names:
        yield "item", partial(_find_public, items)
    elif rules.item_pattern:
        yield "item", partial(_find_matching, TextPattern(rules.item_pattern))
    if public.classes and public.separator is None:
        yield "label", partial(_find_public, IdIndex(dict.fromkeys(public.classes)))


def _find_public(index: IdIndex, ids: Sequence[str]) -> dict[str, str]:
    """Return unknown id -> public id, for each of `ids` that certainly means a public one."""
    faults = {each: index.explain(each) for each in ids if each not in index.names}
    return {each: fault.public_id for each, fault in faults.items() if fault and fault.public_id}


def _find_matching(form: TextPattern, ids: Sequence[str]) -> dict[str, str]:
    """Return wrong id -> id in the challenge's pattern, for each of `ids` that means just one."""
    matching = set(form.filter(ids))
    meant = {each: misformed_id(each, form).public_id for each in ids if each not in matching}
    return {each: right for each, right in meant.items() if right is not None}


def replace_by_cause(
    findings: Findings, path: Path, table: Expected | None, public: Public, limits: ReadLimits
) -> Findings:
    """Return the findings; all faults of the header are replaced by their cause, if it is found.

    `table` is what the file should hold; None if nothing more can be said of it.
    """
    if table is None or not findings.counts["S201"]:
        return findings
    try:
        text = read_head(path, HEAD_BYTES, limits).decode("utf-8-sig", "replace")
    except UnreadableError:
        return findings
    rows = cut_rows(text, table)
    # A frame that is read back with its index and written again has one index column more.
    while has_index_column(rows, table):
        rows = [row[1:] for row in rows]
    if (problem := _probabilities_in_place_of_label(rows, table, public)) is None:
        return findings
    replaced = Findings(findings.path)
    replaced.add(problem)
    replaced.merge(findings.without(HEADER_CODES))
    return replaced


def _probabilities_in_place_of_label(
    rows: Sequence[Sequence[str]], table: Expected, public: Public
) -> Problem | None:
    """Return the problem of a file that has a column of probabilities a class, and no label."""
    label, header = table.names.get("label", "label"), rows[0] if rows else []
    if len(public.classes) < 2 or label in header:
        return None
    in_list = table.names.get("list", "list")
    others = [set(required) - {in_list} for required in table.required if label not in required]
    if len(others) == len(table.required) or any(other & {*header} for other in others):
        return None  # No shape has a label, or the file has columns of a shape without one
    columns = [
        next((name for name in header if name.casefold().endswith(each.casefold())), "")
        for each in public.classes
    ]
    if "" in columns or len(set(columns)) < len(columns):
        columns = _columns_of_shares(rows, len(public.classes))
    if not columns:
        return None
    message = f"column {quoted(label)} is missing; the columns {join_first(columns)} "
    message += "seem to be probabilities of its classes"
    help = f"write a column {quoted(label)} with the likeliest class of each row "
    help += "(in pandas: frame[classes].idxmax(axis=1))"
    return Problem("S201", message, line=1, help=help)


def _columns_of_shares(rows: Sequence[Sequence[str]], classes: int) -> list[str]:
    """Return all columns but the first, if each class has one and the cells of a row sum to 1."""
    if any(len(row) != classes + 1 for row in rows) or len(rows) < 2:
        return []
    try:
        shares = [list(map(float, row[1:])) for row in rows[1:]]
    except ValueError:
        return []
    add_up = all(min(row) >= 0 and abs(sum(row) - 1) < TOLERANCE for row in shares)
    return [*rows[0][1:]] if add_up else []
