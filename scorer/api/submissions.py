"""Submissions as named files and data frames, and the tables that are read from them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from filecmp import cmp
from pathlib import Path

import polars as pl

from scorer.api import data
from scorer.api.folders import list_folder
from scorer.challenge.model import Challenge
from scorer.core.errors import UsageError
from scorer.core.problems import Findings, Problem
from scorer.core.text import display_path, quoted
from scorer.reading.formats import format_suffix
from scorer.reading.frame import LINE, read_frame
from scorer.reading.limits import ReadLimits
from scorer.reading.read import FileTable, find_row_cells
from scorer.reading.repair import FIXED
from scorer.reading.schema import EXTRA, Schema, holds_text
from scorer.reading.table import Table
from scorer.reading.unpack import COMPRESSED_SUFFIXES
from scorer.scoring.bind import BoundChallenge, bind, load_challenge
from scorer.scoring.public import SubmittedLists

NO_FILE = Path()  # the path of data
PART_ROLES = ("system", "run")  # columns that tell the submissions in one table apart
AS_TEXT = f"{EXTRA}number "  # begins the role of a column of numbers that is read as text
MOST_KEPT = 5_000_000  # rows of tables that are kept, of about 50 bytes each


@dataclass(frozen=True, slots=True, eq=False)
class SubmissionFile:
    """A submission and its name: a file, or the rows of a data frame.

    Attributes:
        name: What it is called on a board.
        path: Its file, or the file of the table that it is a part of.
        baseline: Whether it is the challenge's own.
        label: What messages call it; empty for its path.
        frame: Its rows, of data and of a part of a table; None if the file is the submission.
        part: Which part of a table it is, such as `model 'a', seed '1'`; empty for the whole.
        is_named: Whether the user gave the name; otherwise it is the file's.
        problems: Why it cannot be read, if that is known already.
    """

    name: str
    path: Path = NO_FILE
    baseline: bool = False
    label: str = ""
    frame: pl.DataFrame | None = None
    part: str = ""
    is_named: bool = False
    problems: tuple[Problem, ...] = ()

    @property
    def display(self) -> str:
        """The name of the file in messages."""
        return self.label or str(self.path)

    @property
    def description(self) -> str:
        """The file, and which part of it is the submission."""
        return f"{self.display}, {self.part}" if self.part else self.display

    @property
    def source(self) -> Path | pl.DataFrame:
        """What is read: the rows of data, else the file."""
        return self.path if self.frame is None else self.frame

    def label_problems(self, findings: Findings) -> None:
        """Name the file in all findings, and the part of a table in findings without a line."""
        findings.rename_path(self.display)
        if self.part and not self.problems:
            findings.replace(self._with_part)

    def _with_part(self, problem: Problem) -> Problem:
        if problem.line is not None:
            return problem
        return replace(problem, message=f"{problem.message} ({self.part})")


# Data has names; files are named after themselves.
Submissions = Mapping[str, object] | Iterable[SubmissionFile | Path | str]
# Called with the number of submissions that are done, the number of all, and the next one's name.
Progress = Callable[[float, int, str], None]


def submission_name(path: Path) -> str:
    """Return a file's name less one format suffix and one compression suffix.

    A repaired copy is called as its original.

    >>> submission_name(Path("runs/bm25.b0.4.run.gz")), submission_name(Path("a.fixed.csv"))
    ('bm25.b0.4', 'a')
    """
    name = path.name.replace(FIXED, ".")
    for suffix in COMPRESSED_SUFFIXES:
        if name.lower().endswith(suffix):
            name = name[: -len(suffix)]
            break
    suffix = format_suffix(name.lower())
    return name[: len(name) - len(suffix)] or name


def find_originals(path: Path) -> set[Path]:
    """Return the paths that may be the original of a repaired copy; empty for other files."""
    if FIXED not in path.name:
        return set()
    name = path.name.replace(FIXED, ".")
    return {path.with_name(f"{name}{suffix}") for suffix in ("", *COMPRESSED_SUFFIXES)}


def to_challenge(challenge: object) -> Challenge:
    """Return a challenge itself, or the one at a path. Raises `TypeError` for others."""
    if isinstance(challenge, Challenge):
        return challenge
    if data.is_path(challenge):
        return load_challenge(Path(challenge))
    type_name = type(challenge).__name__
    raise TypeError(f"{type_name} is no challenge; a truth needs measures, as in scorer.evaluate")


def bind_challenge(challenge: object, allow_plugins: bool) -> BoundChallenge:
    """Return a challenge with its measures bound."""
    if isinstance(challenge, BoundChallenge):
        return challenge
    return bind(to_challenge(challenge), allow_plugins)


def list_submissions(bound: BoundChallenge, submissions: Submissions) -> list[SubmissionFile]:
    """Return submissions with their names; of a table of several systems each for itself.

    Raises:
        TypeError: They are of another type.
        UsageError: Data makes no table, or a mapping is empty.
    """
    if not isinstance(submissions, Mapping):
        files = list(map(to_submission_file, _list_paths(submissions)))
        if not holds_systems(bound):
            return files
        return [part for file in files for part in split_systems(bound, file)]
    if not submissions:
        raise UsageError("no run is given; write {'name': run}")
    columns = bound.challenge.submission.columns
    schema = data.choose_schema(bound.shapes, columns)
    reshapes = bound.challenge.layout(bound.challenge.submission).reshapes
    files = []
    for name, submission in submissions.items():
        if not isinstance(name, str) or not name:
            raise TypeError(f"{name!r} is no name of a run; write {{'name': run}}")
        if data.is_path(submission):
            files.append(SubmissionFile(name, Path(submission), is_named=True))
            continue
        frame_schema = schema
        if reshapes and data.is_frame(submission):
            # Its columns, such as those of `wide:`, become roles only when the frame is read.
            frame_schema = replace(schema, required=(), optional=schema.roles)
        frame = data.to_frame(submission, frame_schema, f"run {quoted(name)}")
        files.append(SubmissionFile(name, label=name, frame=frame, is_named=True))
    return files


def _list_paths(submissions: object) -> Iterable[object]:
    """Return the submissions of a list, or the files of a folder.

    Raises:
        TypeError: It is a text, a frame or a file.
    """
    if data.is_path(submissions) and Path(submissions).is_dir():
        return list_folder(Path(submissions)).paths
    if data.is_path(submissions) or isinstance(submissions, bytes | SubmissionFile):
        name = submissions.path if isinstance(submissions, SubmissionFile) else submissions
        raise TypeError(f"{quoted(name)} is one submission; write a list: [...]")
    if data.is_frame(submissions) or not isinstance(submissions, Iterable):
        type_name = type(submissions).__name__
        raise TypeError(f"{type_name} is not understood; write {{'name': run}} or a list of paths")
    return submissions


def to_submission_file(submission: object) -> SubmissionFile:
    """Return a file named after itself. Raises `TypeError` if it is not a path."""
    if isinstance(submission, SubmissionFile):
        return submission
    if not data.is_path(submission):
        type_name = type(submission).__name__
        raise TypeError(f"a submission in a list is a path, not {type_name}; write {{'name': run}}")
    path = Path(submission)
    return SubmissionFile(submission_name(path), path)


def list_baselines(bound: BoundChallenge) -> list[SubmissionFile]:
    """Return the challenge's own baselines."""
    return [
        SubmissionFile(submission_name(path), Path(display_path(path)), baseline=True)
        for path in bound.challenge.leaderboard.baselines
    ]


def separate_baselines(
    bound: BoundChallenge, files: Sequence[SubmissionFile]
) -> tuple[list[SubmissionFile], list[SubmissionFile]]:
    """Return the files that are no baseline of the challenge, and the baselines, by their names.

    A file with the name of a baseline and other content is no baseline.
    """
    baseline_paths = {baseline.name: baseline.path for baseline in list_baselines(bound)}
    others = list[SubmissionFile]()
    same = list[SubmissionFile]()
    for file in files:
        path = baseline_paths.get(file.name)
        if file.frame is None and path is not None and _have_same_bytes(file.path, path):
            same.append(file)
        else:
            others.append(file)
    return others, same


def _have_same_bytes(first: Path, second: Path) -> bool:
    try:
        return first.samefile(second) or cmp(first, second, shallow=False)
    except (OSError, ValueError):  # one does not exist: reading it will say so
        return False


def refuse_equal_names(files: Sequence[SubmissionFile]) -> None:
    """Raise UsageError if two submissions have one name."""
    by_name: dict[str, SubmissionFile] = {}
    for file in files:
        if (other := by_name.setdefault(file.name, file)) is not file:
            raise UsageError(
                f"two submissions are called {quoted(file.name)}: "
                f"{other.display} and {file.display}; "
                "name one of them: NAME=PATH"
            )


def read_submission(
    bound: BoundChallenge,
    file: SubmissionFile,
    findings: Findings,
    schemas: Sequence[Schema] | None = None,
) -> FileTable:
    """Return the table of a submission, with all its columns or the columns of some schemas."""
    if file.frame is None:
        return bound.read(file.path, findings, shapes=schemas)
    layout = bound.challenge.layout(bound.challenge.submission)
    return read_frame(file.frame, schemas or bound.shapes, findings, bound.limits, layout)


# The lists of a challenge that declares none are the lists of its submissions


def find_submitted_lists(
    bound: BoundChallenge, files: Iterable[SubmissionFile]
) -> SubmittedLists | None:
    """Return the lists of these submissions; None if the challenge has other lists.

    Submissions that cannot be read have none.
    """
    challenge = bound.challenge
    if not challenge.truthless or challenge.lists is not None:
        return None
    columns = challenge.submission.columns
    roles = ("list", "measure") if "measure" in columns else ("list",)
    kept: dict[Path, FileTable] = {}
    keys = [
        table.frame.select(roles).unique()
        for file in files
        if (table := _read_and_keep(bound, file, kept, Schema(roles, (), columns))) is not None
    ]
    lists: dict[str, frozenset[str]] = {}
    if keys:
        for name, *values in pl.concat(keys).unique().rows():
            lists[name] = lists.get(name, frozenset()).union(values)
    return SubmittedLists(lists, kept)


def _read_and_keep(
    bound: BoundChallenge, file: SubmissionFile, kept: dict[Path, FileTable], keys: Schema
) -> Table | None:
    """Return the table of a submission, or None if it cannot be read.

    If it has problems, the table has the columns of `keys` alone, so that a wrong number does not
    hide a list. The table of a file without problems is kept, so that it is not read again.

    Args:
        bound: The challenge.
        file: The submission.
        kept: path -> table, to which the table is added.
        keys: The columns that name lists and values.
    """
    findings = Findings()
    if file.problems or file.frame is not None:
        return read_submission(bound, file, findings, [keys]).table
    content = read_submission(bound, file, findings)
    if content.table is None or len(findings):
        return read_submission(bound, file, Findings(), [keys]).table
    kept_rows = sum(len(other.table or ()) for other in kept.values())
    if kept_rows + len(content.table) <= MOST_KEPT:
        kept[file.path] = content
    return content.table


# Tables of several submissions


def holds_systems(bound: BoundChallenge) -> bool:
    """Return whether a table may hold several submissions."""
    return any(role in schema.required for schema in bound.shapes for role in PART_ROLES)


def split_systems(
    bound: BoundChallenge, file: SubmissionFile, part_roles: Sequence[str] = PART_ROLES
) -> list[SubmissionFile]:
    """Return the submissions in a table of several systems or runs, each named by its cells.

    A run of a system is called `system#run`; if no column names the system, the file does. A
    submission with a row that cannot be read has its problems. If the table cannot be read at all,
    the file is returned with its problems.

    Args:
        bound: The challenge.
        file: The table.
        part_roles: The roles of the columns that may tell submissions apart.
    """
    findings = Findings()
    schemas = [_as_texts(schema) for schema in bound.shapes]
    table = read_submission(bound, file, findings, schemas).table
    if table is None:
        return [replace(file, problems=tuple(findings))]
    roles = [role for role in part_roles if role in table]
    if not len(table) or not roles:
        return [file]
    names = {role: table.column_name(role) for role in table.frame.columns if role != "line"}
    used = [name for role, name in names.items() if not role.startswith(AS_TEXT)]
    problems = problems_of_parts(file.path, table, roles, used, findings, bound.limits)
    if problems is None:
        return [replace(file, problems=tuple(findings))]
    frame = table.frame.rename({"line": LINE, **names})
    by = [names[role] for role in roles]
    parts = []
    for key, rows in frame.group_by(by, maintain_order=True):
        cells = dict(zip(roles, map(str, key), strict=True))
        system = cells.get("system") or file.name  # an empty cell is no name
        parts.append(
            replace(
                file,
                name=f"{system}#{cells['run']}" if "run" in cells else system,
                label=file.display,
                frame=rows,
                part=", ".join(f"{names[role]} {quoted(cell)}" for role, cell in cells.items()),
                problems=tuple(problems.get(tuple(cells.values()), ())),
            )
        )
    return parts


def _as_texts(schema: Schema) -> Schema:
    """Return a schema whose numbers are read as texts, so that a wrong one is its system's own."""

    def to_text(role: str) -> str:
        return role if holds_text(role) else f"{AS_TEXT}{role}]"

    return replace(
        schema,
        required=tuple(map(to_text, schema.required)),
        optional=tuple(map(to_text, schema.optional)),
        columns={to_text(role): schema.column_name(role) for role in schema.roles},
    )


def problems_of_parts(
    path: Path,
    table: Table,
    roles: Sequence[str],
    used: Collection[str],
    findings: Findings,
    limits: ReadLimits,
) -> dict[tuple[str, ...], list[Problem]] | None:
    """Return part of a table -> the problems of its rows that could not be read.

    A part is named by its cells in `roles`. The result is None if it is not certain to which part
    a row belongs: no readable row has its cells, or a column that may hold numbers stands before
    them, in which a decimal comma shifts the cells that follow.

    Args:
        path: The file.
        table: Its rows that could be read.
        roles: The columns that tell the parts of the table apart.
        used: The names of the columns of text that are used; others may hold numbers.
        findings: What was found when the table was read.
        limits: The limits for reading the rows again.
    """
    problems = [problem for problem in findings if problem.severity == "error"]
    if not problems:
        return {}
    if not roles:
        return {(): problems}
    lines = [problem.line for problem in problems if problem.line is not None]
    last = max(table.header.index(table.column_name(role)) for role in roles)
    if (
        table.find_cells is None
        or len(lines) < findings.errors  # of some the line is not known
        or not set(used).issuperset(table.header[:last])
    ):
        return None
    cells = find_row_cells(path, table.find_cells, lines, roles, limits)
    parts = set(table.frame.select(roles).unique().rows())
    of_parts: dict[tuple[str, ...], list[Problem]] = {}
    for line, problem in zip(lines, problems, strict=True):
        part = tuple(cells[line].get(role, "") for role in roles)
        if part not in parts:
            return None
        of_parts.setdefault(part, []).append(problem)
    return of_parts
