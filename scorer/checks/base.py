"""What a check is, what it sees, and how checks run.

A check is a function from the rows of a file to problems. Of a submission it sees the rows, the
public part of the challenge and the rules, but never the truth, so that no message can give an
answer away.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import import_module
from itertools import accumulate, pairwise
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from scorer.challenge.model import Challenge
from scorer.challenge.public import Public
from scorer.challenge.submission import Submission
from scorer.checks.ids import MESSAGES, IdFault, PublicIds, count_rows, has_name
from scorer.core.arrays import Floats, Ints, Mask
from scorer.core.matching import Columns, RowIndex
from scorer.core.plugins import mark, marked_things
from scorer.core.problems import KEPT, Findings, Problem, Severity
from scorer.core.text import format_exact, join_first, printable, quoted
from scorer.reading.table import Table, find_indices

UNREAD = ("S104", "S207", "S208", "S601")  # codes of rows that a reader leaves out
SLICE_ROWS = 1_000_000  # rows whose names are made at once

ITEM_ROLES = ("item", "better", "worse")
ID_ROLES = ("list", *ITEM_ROLES)  # roles of ids whose column in the line is shown

Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class FileRows:
    """The rows of a file, and the public part of the challenge."""

    table: Table
    public: Public

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The rows in the order of their lines: `line`, and a column a role."""
        frame = self.table.frame
        return frame if frame["line"].is_sorted() else frame.sort("line", maintain_order=True)

    @property
    def word(self) -> str:
        """The challenge's word for a list."""
        return self.public.word("list")

    def column_name(self, role: str) -> str:
        """Return what the file calls the column of a role, for messages."""
        return printable(self.table.column_name(role), 60)


@dataclass(frozen=True, eq=False)
class SubmissionRows(FileRows):
    """The rows of a submission, with all that a check may know of the challenge."""

    rules: Submission
    ids: PublicIds
    partial: bool = False  # whether what seems missing may stand in lines that could not be read
    # Whether these are the rows of some lists only, as Spark shares them out. Problems of all lists
    # together are then reported later, from the counts of all buckets.
    is_bucket: bool = False

    @cached_property
    def lists(self) -> pl.DataFrame:
        """The lists that have rows, in the file's order: `list`, first `line`, number of `rows`."""
        runs = self._list_runs
        if not self.has_contiguous_lists:
            return distinct_ids(self.frame, "list")
        starts = runs["len"].cum_sum() - runs["len"]
        lines = self.frame["line"].gather(starts)
        return pl.DataFrame({"list": runs["value"], "line": lines, "rows": runs["len"]})

    @cached_property
    def _list_runs(self) -> pl.DataFrame:
        """The runs of rows with the same list: `len` (rows) and `value` (the list)."""
        return self.frame["list"].rle().struct.unnest()

    @cached_property
    def has_contiguous_lists(self) -> bool:
        """Whether the rows of each list are consecutive."""
        return self._list_runs["value"].n_unique() == self._list_runs.height

    @cached_property
    def list_numbers(self) -> NDArray[np.int32]:
        """The position in `lists` of each row's list; numbers sort faster than names."""
        if not self.has_contiguous_lists:
            return find_indices(self.frame["list"], self.lists["list"]).astype(np.int32)
        sizes = self._list_runs["len"].to_numpy()
        return np.repeat(np.arange(sizes.size, dtype=np.int32), sizes)

    @cached_property
    def continues_list(self) -> Mask:
        """Whether each row but the first is of the list of the row before."""
        continues: Mask = self.list_numbers[1:] == self.list_numbers[:-1]
        return continues

    @cached_property
    def is_regular(self) -> bool:
        """Whether each row can be compared with the row before if they are of one list.

        The rows of each list are consecutive, all lists have names, and all numbers were read.
        """
        has_names = self.named_lists.height == self.lists.height
        return self.has_contiguous_lists and has_names and not self.has_unread_number

    def numbers(self, role: str) -> Floats:
        """Return a column of numbers, in the order of the lines."""
        if self.frame is self.table.frame:
            return self.table.numbers(role)
        return self.frame[role].to_numpy()

    @cached_property
    def public_indices(self) -> Ints:
        """The index of each of `lists` among the challenge's lists; -1 of another list."""
        return find_indices(self.lists["list"], self.ids.lists.series)

    @cached_property
    def is_candidate(self) -> Mapping[str, Mask]:
        """Role of items -> whether the item of each row is a candidate of its list.

        It is empty if no candidates are public.
        """
        if (candidates := self.ids.candidates) is None:
            return {}
        roles = [role for role in ITEM_ROLES if role in self.frame.columns]
        return {role: candidates.contains(self.frame, role) for role in roles}

    def find_other_items(self) -> pl.DataFrame:
        """Return the items of public lists that are no candidates there; see `select_cells`."""
        others = {role: ~is_candidate for role, is_candidate in self.is_candidate.items()}
        if any(is_other.any() for is_other in others.values()):
            is_public = self.ids.lists.contains(self.frame["list"]).to_numpy()
            others = {role: is_other & is_public for role, is_other in others.items()}
        return select_cells(self.frame, others)

    @property
    def joinable_count(self) -> int:
        """How many lists, or rows of ratings or preferences, the join with the truth must find."""
        if self.public.kind in ("ratings", "preferences"):
            return int(np.count_nonzero(np.logical_and.reduce([*self.is_candidate.values()])))
        return int(np.count_nonzero(self.public_indices >= 0))

    @cached_property
    def named_lists(self) -> pl.DataFrame:
        """The rows of `lists` whose list has a name."""
        return self.lists.filter(has_name("list", self.ids.lists))

    @cached_property
    def named(self) -> pl.DataFrame:
        """The rows whose list has a name, with `list_number`, the position in `lists`."""
        # Numbers in other chunks than the frame's would make polars copy all of its texts.
        ends = accumulate(self.frame["list"].chunk_lengths(), initial=0)
        parts = [pl.Series(self.list_numbers[begin:end]) for begin, end in pairwise(ends)]
        numbers = pl.concat(parts, rechunk=False) if parts else pl.Series(self.list_numbers)
        numbered = self.frame.with_columns(list_number=numbers)
        if self.named_lists.height == self.lists.height:
            return numbered
        return numbered.filter(has_name("list", self.ids.lists))

    @cached_property
    def repeated_items(self) -> pl.DataFrame:
        """The rows with an item that an earlier row of their list has; see `repeated_rows`."""
        rows = self.frame.select("line", "list", "item")
        index = self.table.pair_index if self.frame is self.table.frame else None
        repeats = repeated_rows(rows, [pl.Series(self.list_numbers), rows["item"]], index=index)
        return repeats.filter(has_name("list", self.ids.lists))

    @cached_property
    def has_unread_number(self) -> bool:
        """Whether a number of these rows could not be read."""
        return any(numbers.is_nan().any() for numbers in self.frame.select(pl.col(pl.Float64)))

    @property
    def missing_severity(self) -> Severity:
        """The severity of missing lists and predictions."""
        return "error" if self.rules.missing_list in (None, "error") else "warning"

    @property
    def unread_note(self) -> str:
        """What a message on missing lists or predictions ends with."""
        return " (or are in lines that could not be read)" if self.partial else ""


@dataclass(frozen=True, eq=False)
class TruthRows(FileRows):
    """The rows of a truth, for checks whose problems only organizers see."""

    challenge: Challenge
    counted: Mask | None = None  # the rows that a measure counts, shape (rows,); None if all are


@dataclass(frozen=True)
class CountedProblem:
    """A problem of all rows together, whose message says how many of them are wrong.

    Spark adds up the counts over buckets of lists, and makes one problem of them.

    Attributes:
        first: The problem of the first wrong row or list. Its message is a template: see `message`.
        count: How many rows or lists are wrong.
        words: Field of the template -> text. Texts of a file belong here, since they may have
            braces.
        total: How many rows or lists there are.
        alone: The template if one is wrong; empty if it is the same.
        shares: The share of the total that is a problem: at least the first, below the second.
        key: What tells it from other problems of the same code, severity and role.
    """

    first: Problem
    count: int
    words: Mapping[str, str] = field(default_factory=dict)
    total: int = 1
    alone: str = ""
    shares: tuple[float, float] = (0, math.inf)
    key: str = ""

    @property
    def problem(self) -> Problem | None:
        """The problem if these are the counts of all rows; None if they make none."""
        least, below = self.shares
        is_problem = self.count > 0 and least * self.total <= self.count < below * self.total
        return replace(self.first, message=self.message) if is_problem else None

    @property
    def message(self) -> str:
        """What is wrong, with the counts."""
        message = self.alone if self.alone and self.count == 1 else self.first.message
        return message.format(
            count=self.count,
            total=self.total,
            percent=100 * self.count / self.total,
            are=is_or_are(self.count),
            rows=f"{self.count:,} row{'s' if self.count > 1 else ''}",
            several=count_rows(self.count),
            **self.words,
        )


FoundProblem = Problem | CountedProblem
Examine = TypeVar("Examine", bound=Callable[..., Iterable[FoundProblem]])
File = Literal["submission", "truth"]


class Check(NamedTuple):
    """A rule for files, as the decorator `check` makes it."""

    name: str  # checks run in the order of their names
    codes: tuple[str, ...]
    examine: Callable[[Any], Iterable[FoundProblem]]
    kinds: Collection[str] | None  # None: all
    of: File


def check(
    *codes: str, kinds: Collection[str] | None = None, of: File = "submission"
) -> Callable[[Examine], Examine]:
    """Return a decorator that registers a function from rows to problems as a check.

    It yields problems of some codes, for some kinds of challenges (by default all), and is given
    a `SubmissionRows` or, `of` the truth, a `TruthRows`.
    """

    def decorate(examine: Examine) -> Examine:
        return mark(examine, Check(examine.__name__, codes, examine, kinds, of))

    return decorate


# The modules with checks of a file: those of all kinds of challenges, and those of one kind alone.
SHARED_MODULES: Mapping[File, tuple[str, ...]] = {
    "submission": ("numbers", "ranked", "texts"),
    "truth": ("truth",),
}
MODULES = {
    "boxes": ("regions",),
    "labels": ("classes",),
    "masks": ("regions",),
    "preferences": ("pairs",),
    "values": ("values",),
}


@cache
def find_checks(of: File, kind: str) -> tuple[Check, ...]:
    """Return the checks of a file of a kind of challenge, in the order of their names."""
    modules = (*SHARED_MODULES[of], *MODULES.get(kind, ()))
    found = [
        check
        for module in modules
        for check in marked_things(import_module(f"{__package__}.{module}"), Check)
        if check.of == of and (check.kinds is None or kind in check.kinds)
    ]
    return tuple(sorted(found, key=lambda check: check.name))


def examine(
    rows: SubmissionRows | TruthRows, findings: Findings, codes: Collection[str] | None = None
) -> list[CountedProblem]:
    """Add the problems of all checks for the challenge's kind, and return the counted ones.

    If `codes` are given, only checks that report one of them are run. Counted problems of a bucket
    are not added: their counts have to be summed over all buckets first.
    """
    counted = list[CountedProblem]()
    adds_counted = not (isinstance(rows, SubmissionRows) and rows.is_bucket)
    of: File = "submission" if isinstance(rows, SubmissionRows) else "truth"
    for check in find_checks(of, rows.public.kind):
        if codes is not None and set(codes).isdisjoint(check.codes):
            continue
        for found in check.examine(rows):
            if isinstance(found, Problem):
                findings.add(found)
                continue
            counted.append(found)
            if adds_counted and (problem := found.problem):
                findings.add(problem)
    return counted


def is_partial(findings: Findings) -> bool:
    """Return whether the reader of a submission left rows out."""
    return any(findings.counts[code] for code in UNREAD)


def is_or_are(count: float) -> str:
    """Return the verb for so many things."""
    return "is" if count == 1 else "are"


def distinct_ids(
    rows: pl.DataFrame,
    role: str,
    first: Sequence[str] = ("line", "list"),
    count: pl.Expr | None = None,
) -> pl.DataFrame:
    """Return each id of a column once, in the order of the file.

    The columns are the ids, `rows` (how many have it, or else `count`), and the columns `first` of
    the first row.
    """
    numbered = rows.lazy().with_row_index("row").group_by(role)
    groups = numbered.agg(pl.col("row").min(), rows=pl.len() if count is None else count)
    # A streaming query takes half the time and memory of one that maintains the order.
    found = groups.collect(engine="streaming").sort("row")
    rest = rows.select(name for name in first if name != role)
    return found.drop("row").hstack(rest[found["row"]])


def select_cells(rows: pl.DataFrame, masks: Mapping[str, Mask]) -> pl.DataFrame:
    """Return the cells for which the mask of their column holds, in the order of the lines.

    The columns are `line`, `list`, `item` (the cell) and `role` (its column). There is at least
    one mask.
    """
    kind = pl.Enum(list(masks))  # a number a row takes a quarter of a text's memory
    cells = [
        rows.select("line", "list", item=role).filter(mask).with_columns(role=pl.lit(role, kind))
        for role, mask in masks.items()
    ]
    return pl.concat(cells).sort("line", maintain_order=True)


def repeated_rows(
    rows: pl.DataFrame, keys: Columns, first: str = "list", index: RowIndex | None = None
) -> pl.DataFrame:
    """Return the rows whose keys an earlier row has, too, in the file's order.

    Two columns are added: the `first_line` with these keys, and its `first_list` or another such
    name of the column `first`. The index of the keys is made if it is not given.
    """
    repeats, first_rows = (index or RowIndex.of(keys)).find_repeats(keys)
    if not repeats.size:
        rows = rows.clear()  # polars copies whole columns to take no rows from them
    first_cells = rows.select(pl.col("line", first).name.prefix("first_"))
    return rows[repeats].hstack(first_cells[first_rows])


def problem_per_row(rows: pl.DataFrame, describe: Callable[[Row], Problem]) -> Iterator[Problem]:
    """Yield a problem for each of the first `KEPT` rows, and one for all further rows."""
    for row in rows.head(KEPT).iter_rows(named=True):
        yield describe(row)
    if rows.height > KEPT:
        yield replace(describe(rows.row(KEPT, named=True)), times=rows.height - KEPT)


def report_rows(
    rows: pl.DataFrame,
    code: str,
    message: str,
    severity: Severity = "error",
    role: str | None = None,
    **words: str,
) -> Iterator[Problem]:
    """Yield a problem for each row, as `problem_per_row`.

    Args:
        rows: `line`, and `list` and `item` if the problem is about them.
        message: The message, with `{item}` for a row's cell of that column. A text is quoted;
            `{item:bare}` only makes it safe to print. Of a list of texts the first are quoted. A
            number is exact; `{grade:g}` and its like round it.
        role: The role of the wrong cell, to find its place in the line; by default that in the
            column `role`.
    """

    def describe(row: Row) -> Problem:
        texts = {name: _Cell(cell) for name, cell in row.items() if isinstance(cell, str)}
        lists = {name: join_first(cell) for name, cell in row.items() if isinstance(cell, list)}
        numbers = {name: _Number(cell) for name, cell in row.items() if isinstance(cell, float)}
        return Problem(
            code,
            message.format(**(row | texts | lists | numbers), **words),
            severity,
            line=row["line"],
            list=row.get("list"),
            item=row.get("item"),
            role=role or row.get("role"),
        )

    return problem_per_row(rows, describe)


class _Cell(str):
    """A text of a file, which a message quotes, or only makes safe to print (`bare`)."""

    def __format__(self, spec: str) -> str:
        return printable(str(self), 60) if spec == "bare" else quoted(str(self))


class _Number(float):
    """A number of a file, which a message shows exactly unless it asks for a rounded one."""

    def __format__(self, spec: str) -> str:
        return float.__format__(self, spec) if spec else format_exact(self)


def report_ids(
    ids: pl.DataFrame,
    role: str,
    faults: Mapping[str, IdFault],
    word: str = "",
    errors: Collection[str] | None = None,
) -> Iterator[FoundProblem]:
    """Yield a problem for each of the first `KEPT` ids of a code, and one for its other ids.

    Args:
        ids: As `distinct_ids` returns them.
        faults: What is wrong with the first ids; the others are only counted.
        word: The challenge's word for such an id.
        errors: The codes of errors, all others being warnings; None if all are errors.
    """

    def severity(code: str) -> Severity:
        return "error" if errors is None or code in errors else "warning"

    counts = Counter[str]()
    code = ""
    for row in ids.head(len(faults)).iter_rows(named=True):
        fault = faults[row[role]]
        code = fault.code
        counts[code] += 1
        if counts[code] <= KEPT:
            yield count_id(row, role, fault, word, severity(code))
    # Ids beyond the faults are not looked at; they count as the last one.
    counts[code] += max(ids.height - len(faults), 0)
    for code, count in counts.items():
        if count > KEPT:
            yield Problem(code, f"{count - KEPT:,} further ids", severity(code), times=count - KEPT)


def count_id(
    row: Row, role: str, fault: IdFault, word: str, severity: Severity = "error"
) -> CountedProblem:
    """Return the problem of an id in a row of `distinct_ids`."""
    first = Problem(
        fault.code,
        MESSAGES.get(fault.code, "{what}{hint}"),
        severity,
        line=row["line"],
        list=row["list"],
        item=row[role] if role in ITEM_ROLES else None,
        help=fault.help,
        role=role if role in ID_ROLES else None,
    )
    words = {"what": fault.message, "hint": fault.hint, "word": word}
    return CountedProblem(first, row["rows"], words, key=row[role])
