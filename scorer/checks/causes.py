"""What a whole file has wrong, told in place of what follows from it: its columns' names, mostly.

Only the public part is looked at, and the file once more where it has errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from scorer.challenge.columns import ROLES
from scorer.challenge.public import Public
from scorer.challenge.submission import Submission
from scorer.checks.ids import Known
from scorer.checks.submission.items import misformed
from scorer.core.ids import IdPattern
from scorer.core.members import members_of
from scorer.core.problems import Findings, Problem
from scorer.core.text import join_first, quoted
from scorer.reading.layout import PLAIN, Layout, separator_of
from scorer.reading.limits import ReadLimits, UnreadableError
from scorer.reading.open import read_head, table_suffix
from scorer.reading.repair import Expected, FindKnownId, cut_rows, numbers_rows
from scorer.reading.schema import Schema

NEAR = 0.01  # of rounded probabilities to 1
LOOKED_AT = 256 * 1024  # bytes of the beginning of a file
CERTAIN = ("S306", "S307", "S312", "S313")  # faults of ids that name the id that was meant
OF_HEADER = ("S201", "S202", "S203", "S204", "S205")


def expected(
    public: Public, rules: Submission, shapes: Sequence[Schema], layout: Layout, path: Path
) -> Expected | None:
    """What the table of a submission should hold; None where it has no header."""
    has_header = not (layout.header or layout.lines or layout.skip or layout.comment)
    if not has_header or layout.separator or layout.parts:
        return None
    called = rules.columns
    usual = {role: role for role in ROLES["submission"] if role not in called.values()}
    named = {role: name for role, name in called.items() if role in ROLES["submission"]}
    further = {
        role: shape.column_name(role) for shape in shapes for role in shape.roles if "[" in role
    }
    known = _known(public)
    meant = {role: _meant(ids) for role, ids in known.items()}
    if "item" not in known and rules.item_pattern:
        meant["item"] = _formed(IdPattern(rules.item_pattern))
    return Expected(
        {**further, **usual, **named},
        "\t" if table_suffix(path) == ".tsv" else ",",
        meant,
        {role: separator_of(word) for role, word in rules.cells.items()},
        [
            [shape.column_name(role) for role in shape.missing_roles(())]
            for shape in (shapes if layout == PLAIN else ())
        ],
    )


def with_cause(
    findings: Findings, path: Path, table: Expected | None, public: Public, limits: ReadLimits
) -> Findings:
    """The findings with one problem for all that follows from wrong names of columns.

    `table` is what the file should hold; None if nothing more can be said.
    """
    if table is None or not findings.counts["S201"]:
        return findings
    try:
        text = read_head(path, LOOKED_AT, limits).decode("utf-8-sig", "replace")
    except UnreadableError:
        return findings
    rows = cut_rows(text, table)
    while numbers_rows(rows, table):
        rows = [row[1:] for row in rows]
    if (problem := _likeliest(rows, table, public)) is not None:
        return _without(findings, OF_HEADER, problem)
    return findings


def _likeliest(rows: Sequence[Sequence[str]], table: Expected, public: Public) -> Problem | None:
    """The problem of a file that has a column of probabilities for each class, and no label."""
    label, header = table.names.get("label", "label"), rows[0] if rows else []
    if len(public.classes) < 2 or label in header:
        return None
    in_list = table.names.get("list", "list")
    others = [set(required) - {in_list} for required in table.required if label not in required]
    if len(others) == len(table.required) or any(other & {*header} for other in others):
        return None
    columns = [
        next((name for name in header if name.casefold().endswith(of.casefold())), None)
        for of in public.classes
    ]
    if None in columns or len(set(columns)) < len(columns):
        columns = _shares_of_one(rows, len(public.classes))
    if not columns:
        return None
    message = (
        f"column {quoted(label)} is missing; the columns {join_first(list(filter(None, columns)))} "
        "seem to be probabilities of its classes"
    )
    help = (
        f"write a column {quoted(label)} with the likeliest class of each row "
        "(in pandas: frame[classes].idxmax(axis=1))"
    )
    return Problem("S201", message, line=1, help=help)


def _shares_of_one(rows: Sequence[Sequence[str]], classes: int) -> list[str | None]:
    """The columns behind the ids, where there is one a class and their cells add up to 1."""
    if any(len(row) != classes + 1 for row in rows) or len(rows) < 2:
        return []
    try:
        shares = [list(map(float, row[1:])) for row in rows[1:]]
    except ValueError:
        return []
    whole = all(min(row) >= 0 and abs(sum(row) - 1) < NEAR for row in shares)
    return [*rows[0][1:]] if whole else []


def _without(findings: Findings, codes: Sequence[str], problem: Problem) -> Findings:
    """The findings with a problem in place of all whose codes begin so."""
    told = Findings(findings.path)
    told.add(problem)
    told.merge(findings.without(codes))
    return told


def _known(public: Public) -> dict[str, Mapping[str, object]]:
    """The public ids and classes, by the role of the column that holds them."""
    items = public.items
    if items is None and public.asked is not None:
        items = dict.fromkeys(members_of(public.asked).first_named())
    known: dict[str, Mapping[str, object]] = {"list": public.lists}
    if items:
        known["item"] = items
    if public.classes and public.separator is None:
        known["label"] = dict.fromkeys(public.classes)
    return known


def _meant(names: Mapping[str, object]) -> FindKnownId:
    """Which of the public ids an unknown one certainly is."""
    known = Known(names)

    def meant(name: str) -> str | None:
        fault = None if name in known else known.fault(name)
        return fault.meant if fault is not None and fault.code in CERTAIN else None

    return meant


def _formed(pattern: IdPattern) -> FindKnownId:
    """Which id of that form another one certainly is."""

    def meant(name: str) -> str | None:
        return None if pattern.fits(name) else misformed(name, pattern).meant

    return meant
