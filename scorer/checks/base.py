"""What a check is, what it sees, and how checks run.

A check is a function from the rows of a file to problems. Of a submission it sees the rows, the
public part of the challenge and the rules, but never the truth, so that no message can give an
answer away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import accumulate, pairwise
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
import polars as pl

from scorer.challenge.model import Challenge
from scorer.challenge.public import Public
from scorer.challenge.submission import Submission
from scorer.checks.ids import IdFault, PublicIds, combine_hashes, has_name
from scorer.core.arrays import Mask
from scorer.core.plugins import Registry, mark
from scorer.core.problems import KEPT, Findings, Problem, Severity
from scorer.core.text import printable, quoted
from scorer.reading.table import Table

UNREAD = ("S207", "S208", "S601")  # codes of rows that a reader leaves out
MOST_EXPLAINED = 200_000  # different ids of a column that are explained; others are only counted
SLICE_ROWS = 1_000_000  # rows whose keys are computed at once

ITEM_ROLES = ("item", "better", "worse")
ID_ROLES = ("list", *ITEM_ROLES)  # roles of ids whose column in the line is shown

Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class FileRows:
    """The rows of a file.

    Attributes:
        table: The file.
        public: The public part of the challenge.
    """

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
    """The rows of a submission, with all that a check may know of the challenge.

    Attributes:
        rules: The section `submission` of challenge.yaml.
        ids: Indices of the public ids, which are made once for all submissions.
        partial: Whether lines could not be read, so that what seems missing may stand there.
    """

    rules: Submission
    ids: PublicIds
    partial: bool = False

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
        """The runs of rows with the same list, in order: `len` (rows) and `value` (the list)."""
        return self.frame["list"].rle().struct.unnest()

    @cached_property
    def has_contiguous_lists(self) -> bool:
        """Whether the rows of each list are consecutive."""
        return self._list_runs["value"].n_unique() == self._list_runs.height

    @cached_property
    def list_numbers(self) -> pl.Series:
        """The position in `lists` of each row's list; numbers sort faster than names."""
        names = self.frame["list"]
        if self.has_contiguous_lists:
            numbers, ends = names.rle_id(), accumulate(names.chunk_lengths(), initial=0)
            # Numbers in other chunks than the frame's would make polars copy all of its texts.
            parts = [numbers[begin:end] for begin, end in pairwise(ends)]
            return pl.concat(parts, rechunk=False) if parts else numbers
        positions = self.lists.select("list").with_row_index("number")
        return self.frame.join(positions, on="list", how="left", maintain_order="left")["number"]

    @cached_property
    def named_lists(self) -> pl.DataFrame:
        """The rows of `lists` whose list has a name."""
        return self.lists.filter(has_name("list", self.ids.lists))

    @cached_property
    def named(self) -> pl.DataFrame:
        """The rows whose list has a name, with `list_number`, the position in `lists`."""
        numbered = self.frame.with_columns(list_number=self.list_numbers)
        if self.named_lists.height == self.lists.height:
            return numbered
        return numbered.filter(has_name("list", self.ids.lists))

    @cached_property
    def repeated_items(self) -> pl.DataFrame:
        """The rows with an item that an earlier row of their list has; see `repeated_rows`."""
        rows = self.named.select("line", "list", "item", "list_number")
        return repeated_rows(rows, "list_number", "item").drop("list_number")

    @property
    def keeps_first_repeat(self) -> bool:
        """Whether a list may repeat an item, whose first place counts."""
        is_ordered = self.public.kind == "grades" and "score" not in self.frame.columns
        return is_ordered and self.rules.repeats == "first"

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
    """The rows of a truth, which a check of the truth looks at; only organizers see its problems.

    Attributes:
        challenge: The challenge.
        counted: The rows that a measure counts, shape (rows,); None if all are.
    """

    challenge: Challenge
    counted: Mask | None = None


class CountedProblem(NamedTuple):
    """A problem of all rows together, which depends on counts, such as that of the wrong rows.

    Spark adds up the counts of each key over buckets of lists, and makes one problem of them.

    Attributes:
        key: The code of the problem, and what tells it from others of this code.
        counts: The arguments of `describe`: how many rows or lists there are of each sort.
        describe: Returns the problem, or None if the counts make none. Spark pickles it.
    """

    key: tuple[str, ...]
    counts: Mapping[str, int]
    describe: Callable[..., Problem | None]

    @property
    def problem(self) -> Problem | None:
        """The problem if these are the counts of all rows."""
        return self.describe(**self.counts)


Found = Problem | CountedProblem
Examine = TypeVar("Examine", bound=Callable[..., Iterable[Found]])
File = Literal["submission", "truth"]


class Check(NamedTuple):
    """A rule for files, as the decorator `check` makes it.

    Attributes:
        name: The name of its function; checks run in the order of their names.
        codes: The codes of the problems that it reports.
        examine: Yields the problems, some of them counted, of a `SubmissionRows` or a `TruthRows`.
        kinds: The kinds of challenges that it is for; None for all.
        of: The file that it looks at.
        aliases: None; `Registry` asks for them.
    """

    name: str
    codes: tuple[str, ...]
    examine: Callable[[Any], Iterable[Found]]
    kinds: frozenset[str] | None
    of: File
    aliases: tuple[str, ...] = ()

    def fits(self, kind: str) -> bool:
        """Return whether it is for challenges of a kind."""
        return self.kinds is None or kind in self.kinds


def check(
    *codes: str, kinds: Collection[str] | None = None, of: File = "submission"
) -> Callable[[Examine], Examine]:
    """Return a decorator that registers a function from rows to problems as a check.

    Args:
        codes: The codes of the problems that the function yields.
        kinds: The kinds of challenges that the check is for; by default all.
        of: Whether the function is given a `SubmissionRows` or a `TruthRows`.
    """
    all_kinds = None if kinds is None else frozenset(kinds)

    def decorate(examine: Examine) -> Examine:
        return mark(examine, Check(examine.__name__, codes, examine, all_kinds, of))

    return decorate


@cache
def checks(of: File = "submission") -> tuple[Check, ...]:
    """Return the checks of a file: ours, and those that installed projects name.

    Entry points are `scorer.checks` for submissions and `scorer.audits` for truths.
    """
    group = "scorer.checks" if of == "submission" else "scorer.audits"
    return tuple(each for each in Registry("check", __package__, Check, group) if each.of == of)


def examine(
    rows: SubmissionRows | TruthRows, findings: Findings, codes: Collection[str] | None = None
) -> list[CountedProblem]:
    """Run the checks that are for the challenge's kind, and add the problems to `findings`.

    Args:
        rows: The rows of a file.
        findings: What the reader of the file found.
        codes: Only checks that report one of these codes are run; None: all checks.

    Returns:
        The counted problems, which are among the findings, too.
    """
    counted = list[CountedProblem]()
    for each in checks("submission" if isinstance(rows, SubmissionRows) else "truth"):
        is_wanted = codes is None or not set(codes).isdisjoint(each.codes)
        if not is_wanted or not each.fits(rows.public.kind):
            continue
        for found in each.examine(rows):
            if isinstance(found, CountedProblem):
                counted.append(found)
            if problem := found.problem if isinstance(found, CountedProblem) else found:
                findings.add(problem)
    return counted


def is_partial(findings: Findings) -> bool:
    """Return whether the reader of a submission left rows out."""
    return any(findings.counts[code] for code in UNREAD)


def is_or_are(count: int) -> str:
    """Return the verb for so many things."""
    return "is" if count == 1 else "are"


def distinct_ids(rows: pl.DataFrame, role: str) -> pl.DataFrame:
    """Return each id of a column once, in the order of the file.

    Args:
        rows: In the order of their lines.
        role: The column.

    Returns:
        The column itself, `line` (of the first row), `rows` (how many there are) and, if the
        column is not `list`, `list` (of the first row).
    """
    numbered = rows.lazy().select(role).with_row_index("row")
    groups = numbered.group_by(role).agg(pl.col("row").min(), rows=pl.len())
    # A streaming query takes half the time and memory of one that maintains the order.
    found = groups.collect(engine="streaming").sort("row")
    first = rows.select("line", *([] if role == "list" else ["list"]))[found["row"]]
    return found.drop("row").hstack(first)


def is_repeated(numbers: pl.Series) -> pl.Series | None:
    """Return whether each number occurs at least twice; None if none does.

    The numbers are sorted, since a hash table of them would take three times the memory.
    """
    ordered = numbers.sort().to_numpy()
    repeated = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    return numbers.is_in(pl.Series(repeated).implode()) if repeated.size else None


def repeated_rows(rows: pl.DataFrame, *roles: str, first: str = "list") -> pl.DataFrame:
    """Return the rows that repeat some columns of an earlier row.

    Args:
        rows: In the order of their lines.
        roles: The columns that are compared.
        first: A further column of the earliest row that is wanted.

    Returns:
        The rows, with two columns of the earliest row that they repeat: `first_line`, and
        `first_list` or another such name of the column `first`.
    """
    # In slices, since computing a key takes several times its memory.
    parts = rows.iter_slices(SLICE_ROWS) if len(rows) > SLICE_ROWS else [rows]
    key = pl.concat([part.select(combine_hashes(*roles)) for part in parts]).to_series()
    if (mask := is_repeated(key)) is None:
        return rows.clear().with_columns(pl.col("line", first).name.prefix("first_"))
    rows = rows.filter(mask)
    return rows.with_columns(
        pl.col("line", first).first().over(roles).name.prefix("first_")
    ).filter(~pl.struct(roles).is_first_distinct())


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
        code: The code of the problem.
        message: The message, with `{item}` for a row's cell of that column. A text is quoted;
            `{item:bare}` only makes it safe to print.
        severity: The severity of the problem.
        role: The role of the cell that is wrong, to find its place in the line.
        words: Further words of the message.
    """

    def describe(row: Row) -> Problem:
        texts = {name: _Cell(cell) for name, cell in row.items() if isinstance(cell, str)}
        name, item = row.get("list"), row.get("item")
        text = message.format(**(row | texts), **words)
        return Problem(code, text, severity, line=row["line"], list=name, item=item, role=role)

    return problem_per_row(rows, describe)


class _Cell(str):
    """A text of a file, which a message quotes, or only makes safe to print (`bare`)."""

    def __format__(self, spec: str) -> str:
        return printable(str(self), 60) if spec == "bare" else quoted(str(self))


def report_ids(
    ids: pl.DataFrame,
    role: str,
    faults: Mapping[str, IdFault],
    word: str = "",
    errors: Collection[str] | None = None,
) -> Iterator[Problem]:
    """Yield a problem for each id: of each code the first `KEPT`, and one for all others.

    Args:
        ids: As `distinct_ids` returns them.
        role: The column of the ids.
        faults: What is wrong with each of the first `MOST_EXPLAINED` ids.
        word: The challenge's word for such an id.
        errors: The codes of errors, all others being warnings; None if all are errors.
    """
    counts, last, code = Counter[str](), dict[str, Problem](), ""
    for row in ids.head(MOST_EXPLAINED).iter_rows(named=True):
        name, fault = row[role], faults[row[role]]
        code = fault.code
        counts[code] += 1
        if counts[code] <= KEPT:
            last[code] = Problem(
                code,
                fault.describe(word, row["rows"]),
                "error" if errors is None or code in errors else "warning",
                line=row["line"],
                list=row["list"],
                item=name if role in ITEM_ROLES else None,
                help=fault.help,
                role=role if role in ID_ROLES else None,
            )
            yield last[code]
    counts[code] += max(ids.height - MOST_EXPLAINED, 0)  # as if of the last code
    for code, problem in last.items():
        if counts[code] > KEPT:
            yield replace(problem, times=counts[code] - KEPT)
