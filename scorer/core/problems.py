"""Problems of files, each with its place."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Literal, NamedTuple

from scorer.core.text import printable

Severity = Literal["error", "warning"]
SHOWN_PLACES = 3  # a problem with more places is shown at its first one alone
KEPT = 10_000  # how many places of one code are ever kept, so that memory stays bounded
LONGEST_ID = 1_000  # characters of an id that a problem keeps; a cell can have megabytes
LOCATED = 1_000  # how many places of one code are given a column by reading the file again


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in one file: what, where, and what would help."""

    code: str
    message: str
    severity: Severity = "error"
    path: str | None = None
    line: int | None = None  # physical line of the decompressed file, from 1
    column: int | None = None  # character in that line, from 1
    list: str | None = None
    item: str | None = None
    help: str | None = None
    times: int = 1  # how many places the problem stands for ("18 rows")
    # The role of the wrong cell, by which `Findings.locate` finds its column. Its text is in `list`
    # for the role "list", else in `item`.
    role: str | None = field(default=None, compare=False, repr=False)
    # Why a metric failed, for the organizer alone: it may show the truth.
    cause: str | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Cut ids after LONGEST_ID characters."""
        for name in ("list", "item"):
            text = getattr(self, name)
            if text is not None and len(text) > LONGEST_ID:
                object.__setattr__(self, name, f"{text[: LONGEST_ID - 1]}…")

    def __str__(self) -> str:
        """Return `PATH:LINE:COL: severity[CODE] what`, as compilers and editors write it."""
        place = [printable(self.path) if self.path else None, self.line, self.column]
        where = "".join(f"{part}:" for part in place if part is not None)
        return f"{where} {self.severity}[{self.code}] {self.message}".lstrip()


class ProblemCell(NamedTuple):
    """The cell that a problem is about."""

    line: int  # on which its row begins
    role: str
    text: str


def as_truth_problems(problems: Iterable[Problem]) -> list[Problem]:
    """Return problems as an organizer's file has them: S304 of a submission is T304 of a truth."""
    return [replace(p, code=f"T{p.code[1:]}") if p.code[0] == "S" else p for p in problems]


@dataclass
class Findings:
    """The problems of a file: the first ones of each code, and how many there are."""

    path: str | None = None  # of the file, for problems without a path
    most: int = KEPT  # problems of one code that are kept; more are only counted
    counts: Counter[str] = field(default_factory=Counter)  # all problems of each code
    fatal: bool = False  # whether any is an error, so that the file cannot be scored
    _problems: list[Problem] = field(default_factory=list)

    def add(self, problem: Problem) -> None:
        """Keep a problem, and count it as one; or count its `times` if `most` of its code are kept.

        A check gives all places beyond those kept as one last problem, whose `times` says how many
        they are. A kept problem counts as one, whatever its `times`: `merge` and `tally` take what
        is counted beyond the kept problems for problems that are not kept.
        """
        self.fatal |= problem.severity == "error"
        if self.counts[problem.code] >= self.most:
            self.counts[problem.code] += problem.times
            return
        self.counts[problem.code] += 1
        if problem.path is None and self.path is not None:
            problem = replace(problem, path=self.path)
        self._problems.append(problem)

    def count_if_full(self, code: str) -> bool:
        """Count a problem of a code if no more of them are kept; return whether it was counted.

        Readers ask this before they make a problem, since a file may have one in each line.
        """
        if self.counts[code] < self.most:
            return False
        self.counts[code] += 1
        return True

    def extend(self, problems: Iterable[Problem]) -> None:
        """Add several problems."""
        for problem in problems:
            self.add(problem)

    def merge(self, other: Findings) -> None:
        """Add other findings, also those that were only counted."""
        self.extend(other._problems)
        # What `other` has only counted: its counts, less the problems that it keeps.
        self.counts.update(other.counts - Counter(problem.code for problem in other._problems))
        self.fatal |= other.fatal

    def locate(self, find_columns: Callable[[Sequence[ProblemCell]], Sequence[int | None]]) -> None:
        """Set the columns of problems that are about a cell.

        Args:
            find_columns: Returns at which character of its line each cell begins, from 1. It is
                called once, for at most LOCATED cells of a code.
        """
        places, cells, located = list[int](), list[ProblemCell](), Counter[str]()
        for n, problem in enumerate(self._problems):
            text = problem.list if problem.role == "list" else problem.item
            if problem.role is None or problem.line is None or text is None:
                continue
            if problem.column is None and located[problem.code] < LOCATED:
                located[problem.code] += 1
                places.append(n)
                cells.append(ProblemCell(problem.line, problem.role, text))
        for n, column in zip(places, find_columns(cells) if cells else (), strict=True):
            self._problems[n] = replace(self._problems[n], column=column)

    def replace(self, change: Callable[[Problem], Problem]) -> None:
        """Replace each problem by the one that `change` returns."""
        self._problems = [change(problem) for problem in self._problems]

    def rename_path(self, path: str) -> None:
        """Change the path of the file, and of the files in it if it is an archive."""
        before, self.path = self.path or "", path

        def rename(problem: Problem) -> Problem:
            own = problem.path or ""
            # Neither the file itself, nor a file in it.
            if own != before and not (before and own.startswith(f"{before}/")):
                return problem
            return replace(problem, path=path + own[len(before) :])

        self.replace(rename)

    def copy(self) -> Findings:
        """Return a copy, which can be changed."""
        return replace(self, counts=self.counts.copy(), _problems=list(self._problems))

    def with_path(self, path: str) -> Findings:
        """Return a copy in which all problems have this path."""
        copied = self.copy()
        copied.path = path
        copied.replace(lambda problem: replace(problem, path=path))
        return copied

    def without(self, codes: Sequence[str]) -> Findings:
        """Return a copy without the problems whose codes begin with one of `codes`."""
        remaining = Findings(self.path, self.most)
        remaining.extend(p for p in self._problems if not p.code.startswith(tuple(codes)))
        # `extend` has counted the kept problems alone.
        others = {code: n for code, n in self.counts.items() if not code.startswith(tuple(codes))}
        return replace(remaining, counts=Counter(others))

    def summarize(self, path: str | None, hint: str) -> Findings:
        """Return one problem for each code, which says how many there are and shows no cell."""
        summary = replace(self.copy(), path=path, _problems=[])
        # Reversed, so that the severity of the first problem of a code is the one that stays.
        severities = {problem.code: problem.severity for problem in reversed(self._problems)}
        for code, severity in severities.items():
            places = f"{self.counts[code]:,} place{'s' * (self.counts[code] != 1)}"
            summary._problems.append(Problem(code, f"in {places}; {hint}", severity, path))
        return summary

    def tally(self, severity: Severity) -> dict[str, int]:
        """Return how many problems of a severity there are of each code, in the order of codes.

        Problems that were only counted are taken for errors if a kept one of their code is one.
        """
        counts = Counter(problem.code for problem in self._problems if problem.severity == severity)
        kept = Counter(problem.code for problem in self._problems)
        errors = {problem.code for problem in self._problems if problem.severity == "error"}
        for code in counts:
            if severity == "error" or code not in errors:
                counts[code] += self.counts[code] - kept[code]
        return dict(sorted(counts.items()))

    @property
    def errors(self) -> int:
        """How many errors there are."""
        return sum(self.tally("error").values())

    def to_json(self) -> str:
        """Return JSON for `from_json`, without roles and the causes that only organizers see.

        Its key `kept` has `most`, and its key `errors` has `fatal`, which is no number.
        """
        problems = [
            {
                key: value
                for key, value in asdict(problem).items()
                if value is not None and key not in ("role", "cause")
            }
            for problem in self._problems
        ]
        fields = {"path": self.path, "kept": self.most, "counts": self.counts, "errors": self.fatal}
        return json.dumps({**fields, "problems": problems})

    @classmethod
    def from_json(cls, text: str) -> Findings:
        """Return the findings that `to_json` wrote; `ValueError` if the text is something else."""
        try:
            fields = json.loads(text)
            problems = [Problem(**problem) for problem in fields["problems"]]
            counts = Counter(fields["counts"])
            return cls(fields["path"], fields["kept"], counts, fields["errors"], problems)
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"these are no findings: {error!r}") from error

    def __iter__(self) -> Iterator[Problem]:
        """Yield the kept problems by line and column; problems of the whole file come first."""
        return iter(sorted(self._problems, key=lambda p: (p.line or 0, p.column or 0, p.code)))

    def __len__(self) -> int:
        return len(self._problems)
