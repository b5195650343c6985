"""What a whole file has wrong, told in place of what follows from it: its columns' names, mostly.

Only the public part is looked at, and the file once more where it has errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from scorer.bytes.files import at_most, open_bytes
from scorer.bytes.limits import ReadLimits, Unreadable
from scorer.challenge.columns import ROLES
from scorer.challenge.public import Public
from scorer.challenge.submission import Submission
from scorer.checks.ids import Known
from scorer.checks.submission.items import misformed
from scorer.core.id_pattern import IdPattern
from scorer.core.members import members_of
from scorer.core.problems import Findings, Problem
from scorer.core.text import join_first, printable, quoted
from scorer.formats.arrange import Arranged, Fits, arrangement
from scorer.formats.form import PLAIN, FileForm, separator_of
from scorer.formats.header import lacking
from scorer.formats.read import COMPRESSED
from scorer.formats.repair import Expected, Meant, cut_rows, numbers_rows
from scorer.tables.marked import is_number
from scorer.tables.schema import TEXT, Schema

RANGED = ("prediction", "score")  # the roles that submission.range is of
NEAR = 0.01  # of rounded probabilities to 1
LOOKED_AT = 256 * 1024  # bytes of the beginning of a file
CERTAIN = ("S306", "S307", "S312", "S313")  # faults of ids that name the id that was meant
OF_HEADER = ("S201", "S202", "S203", "S204", "S205")
OF_ROWS = ("S3", "S4", "S5")  # how codes of rows begin


def expected(
    public: Public, rules: Submission, shapes: Sequence[Schema], form: FileForm, path: Path
) -> Expected | None:
    """What the table of a submission should hold; None where it has no header."""
    if form.header or form.lines or form.skip or form.comment or form.separator or form.parts:
        return None
    called = rules.columns
    usual = {role: role for role in ROLES["submission"] if role not in called.values()}
    named = {role: name for role, name in called.items() if role in ROLES["submission"]}
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in COMPRESSED]
    further = {role: shape.called(role) for shape in shapes for role in shape.roles if "[" in role}
    known = _known(public)
    meant = {role: _meant(ids) for role, ids in known.items()}
    if "item" not in known and rules.item_pattern:
        meant["item"] = _formed(IdPattern(rules.item_pattern))
    return Expected(
        {**further, **usual, **named},
        "\t" if suffixes[-1:] == [".tsv"] else ",",
        meant,
        {role: separator_of(word) for role, word in rules.cells.items()},
        [
            {shape.called(role): _fit(role, known) for role in lacking(shape, ())}
            for shape in (shapes if form == PLAIN else ())
        ],
        _ranges(rules, shapes),
    )


def _ranges(rules: Submission, shapes: Sequence[Schema]) -> dict[str, tuple[float, float]]:
    """By the name of a column of numbers, what they lie between, where that is known."""
    columns = {role: shape.called(role) for shape in shapes for role in shape.roles}
    ranges = {name: (0.0, 1.0) for role, name in columns.items() if role.startswith("probability")}
    if rules.range is not None:
        ranges |= {name: rules.range for role, name in columns.items() if role in RANGED}
    return ranges


def with_cause(
    findings: Findings, path: Path, table: Expected | None, public: Public, limits: ReadLimits
) -> Findings:
    """The findings with one problem for all that follows from wrong names of columns.

    `table` is what the file should hold; None if nothing more can be said.
    """
    if table is None or not any(findings.counts[code] for code in (*OF_HEADER, "S311")):
        return findings
    try:
        with open_bytes(path, limits) as stream:
            text = at_most(stream, LOOKED_AT).decode("utf-8-sig", "replace")
    except Unreadable:
        return findings
    rows = cut_rows(text, table)
    while numbers_rows(rows, table):
        rows = [row[1:] for row in rows]
    if (found := arrangement(rows, table.fits)) is not None:
        return _instead(findings, found, rows, table.separator)
    if (problem := _likeliest(rows, table, public)) is not None:
        return _without(findings, OF_HEADER, problem)
    return findings


def _instead(
    findings: Findings, found: Arranged, rows: Sequence[Sequence[str]], separator: str
) -> Findings:
    """One problem that says how the columns are to be called."""
    header, right = rows[0], found.names
    line = next((problem.line for problem in findings if problem.line), 1)
    if found.kind == "missing":
        message = (
            f"no header; the first line looks like data ({printable(separator.join(header), 60)})"
        )
        hint = f"begin the file with the names of its columns: {printable(separator.join(right))}"
        return _without(findings, OF_HEADER, Problem("S202", message, line=1, help=hint))
    pairs = [(old, new) for old, new in zip(header, right, strict=True) if old != new]
    if found.kind == "renamed":
        missing = ", ".join(quoted(new) for _, new in pairs)
        columns = f"column {missing} is" if len(pairs) == 1 else f"columns {missing} are"
        renamed = " and ".join(
            f"{quoted(old)} to {quoted(new)}" if len(pairs) > 1 else quoted(old)
            for old, new in pairs
        )
        message = f"{columns} missing; found: {printable(', '.join(header))}; rename {renamed}?"
        return _without(findings, OF_HEADER, Problem("S201", message, line=line))
    swapped = " and ".join(quoted(old) for old, _ in pairs)
    cells = ", ".join(
        f"{quoted(cell)} belongs to {quoted(new)}"
        for cell, old, new in zip(rows[1], header, right, strict=True)
        if old != new
    )
    message = f"columns {swapped} are swapped: in the first row {cells}"
    hint = f"name the columns {printable(separator.join(right))}"
    return _without(findings, (*OF_HEADER, *OF_ROWS), Problem("S214", message, line=1, help=hint))


def _likeliest(rows: Sequence[Sequence[str]], table: Expected, public: Public) -> Problem | None:
    """The problem of a file that has a column of probabilities for each class, and no label."""
    label, header = table.names.get("label", "label"), rows[0] if rows else []
    if len(public.classes) < 2 or label in header or not any(label in fits for fits in table.fits):
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


def _meant(names: Mapping[str, object]) -> Meant:
    """Which of the public ids an unknown one certainly is."""
    known = Known(names)

    def meant(name: str) -> str | None:
        fault = None if name in known else known.fault(name)
        return fault.meant if fault is not None and fault.code in CERTAIN else None

    return meant


def _formed(pattern: IdPattern) -> Meant:
    """Which id of that form another one certainly is."""

    def meant(name: str) -> str | None:
        return None if pattern.fits(name) else misformed(name, pattern).meant

    return meant


def _fit(role: str, known: Mapping[str, Mapping[str, object]]) -> Fits:
    """Whether a text can be a cell of a column of that role."""
    if role not in TEXT:
        return is_number
    names = known.get(role)
    if names is None:
        return bool
    meant = _meant(names)
    return lambda cell: cell in names or meant(cell) is not None
