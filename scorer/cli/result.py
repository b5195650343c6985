"""The terminal of a command, its result, and how a report becomes text in the formats asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, NamedTuple

from scorer.core.errors import UsageError
from scorer.core.problems import Findings
from scorer.core.text import printable
from scorer.reports.base import DECIMALS, Options, ReportFormat, format_of_path, report_format

if TYPE_CHECKING:  # all take long to import, and the help of a command needs none
    from scorer.api.submissions import SubmissionFile
    from scorer.challenge.model import Challenge
    from scorer.results.report import Scored

# exit codes: a submission is rejected; the challenge is wrong, or a rule refused an entry; the
# challenge's own metric failed; a submission is worse than --fail-under or --fail-if-worse allow
REJECTED, WRONG, REFUSED, FAILED, BELOW = 1, 2, 3, 4, 5


class Terminal(NamedTuple):
    """Standard input, the terminal and the progress bar of the process; only `cli` makes one."""

    stdin: BinaryIO | None  # None: it is closed
    width: int | None  # None: standard output is no terminal
    colour: bool
    cleanup: ExitStack  # what is undone when the command has ended
    notes: list[str]  # on what the command's words stand for, said before its own
    progress: Callable[[float, int, str], None] | None = None

    def read_challenge(
        self,
        path: Path,
        metrics: Sequence[str] | None = None,
        truth: Path | None = None,
        submissions: Sequence[str] | None = None,
        measured: bool = True,
    ) -> tuple[Challenge, tuple[str, ...]]:
        """Return what `scorer.api.inputs.read_challenge` does; a kit is removed at the end."""
        from scorer.api.inputs import read_challenge

        return read_challenge(path, self.cleanup, metrics, truth, submissions, measured)

    def find_submissions(self, words: Sequence[str], challenge: Challenge) -> list[SubmissionFile]:
        """Return the files that words name; what is left out is said before the command's notes."""
        from scorer.api.inputs import find_submissions

        found = find_submissions(words, challenge, self.stdin, self.cleanup)
        self.notes.extend(found.notes)
        return found.files

    def look(
        self, files: Sequence[Path] | None, precision: int | None = None, **rest: bool
    ) -> Options:
        """Return how a text is to look there, or in files, which have neither width nor colour.

        A precision that is given rules all values; else there are more decimals where
        neighbours of different rank would print alike.
        """
        options = Options(DECIMALS if precision is None else precision, precision is None, **rest)
        if files:
            return options
        return options._replace(width=self.width, colour=self.colour)

    @property
    def example_width(self) -> int | None:
        """The columns of an example in a page, which is indented; None: as many as it needs."""
        return None if self.width is None else max(self.width - 4, 20)

    def page(self, text: str, look: Literal["page", "catalogue", "prose"] = "page") -> str:
        """Return a page, a catalogue of a line an entry, or prose, in colours if it has them."""
        if not self.colour:
            return text
        from scorer.reports.terminal import TEXT_PATTERNS
        from scorer.reports.write.text import TextWriter

        writer = TextWriter(self.width, True)
        writer.write_text(text, TEXT_PATTERNS[look])
        return writer.text


class Result(NamedTuple):
    """The result of a command: text for stdout or files, notes for stderr, and the exit code."""

    text: str | bytes = ""
    notes: tuple[str, ...] = ()
    exit_code: int = 0
    files: tuple[tuple[Path, str | bytes], ...] = ()  # with any, nothing goes to stdout
    written: tuple[str, ...] = ()  # notes about the files, said once they are there


class Formats(NamedTuple):
    """The formats of a command's result, and the file of each; without files one, for stdout."""

    files: tuple[Path, ...]
    report_formats: tuple[ReportFormat, ...]

    @property
    def names(self) -> set[str]:
        """The names of the formats."""
        return {format.name for format in self.report_formats}

    def result(
        self, data: Any, options: Options, notes: Sequence[str] = (), exit_code: int = 0
    ) -> Result:
        """Return the result with the data in every format."""
        texts = [format.write(data, options) for format in self.report_formats]
        return self.written(texts, notes, exit_code)

    def written(
        self, texts: Sequence[str], notes: Sequence[str] = (), exit_code: int = 0
    ) -> Result:
        """Return the result with a text of each format."""
        files = tuple(zip(self.files, texts, strict=True)) if self.files else ()
        return Result("" if files else texts[0], tuple(notes), exit_code, files)


def choose_formats(
    subject: str, name: str | None, files: Sequence[Path] | None, default: str
) -> Formats:
    """Return the formats in which a subject is written: by name, else by the suffix of each file.

    `UnknownName` if there is no such format, `UsageError` if a suffix is of other subjects only.
    """
    places = tuple(files or ())
    if name is not None:
        return Formats(places, (report_format(subject, name),) * max(len(places), 1))
    found = [format_of_path(subject, place) for place in places] or [None]
    return Formats(places, tuple(format or report_format(subject, default) for format in found))


def refuse_overwrite(output: Sequence[Path] | None, challenge: Challenge, *read: Path) -> None:
    """Refuse, by `UsageError`, to write over a file of the challenge or one read, or one twice."""
    from scorer.challenge.model import KEY

    inputs = (*challenge.files, challenge.folder / KEY, *read)
    for n, file in enumerate(output or ()):
        if os.path.isdir(file):
            raise UsageError(f"{printable(file)} cannot be written: this is a folder")
        if file in list(output or ())[:n]:
            raise UsageError(f"-o {printable(file)} is given twice")
        refuse_to_overwrite_inputs(file, inputs)
        if file.name == KEY:
            raise UsageError(
                f"{printable(file)} cannot be written: {KEY} is the challenge's secret"
            )


def refuse_to_overwrite_inputs(file: Path, inputs: Iterable[Path]) -> None:
    """Raise `UsageError` if a file that is to be written is one of those that are read."""
    for path in inputs:
        with suppress(OSError, ValueError):  # one of them is not there
            if os.path.samefile(path, file):
                raise UsageError(f"{printable(file)} is read here; -o needs a file of its own")


def prepare_folder(
    folder: Path, contents: Mapping[str, str | bytes], challenge: Challenge, *read: Path
) -> tuple[tuple[Path, str | bytes], ...]:
    """Make a folder; return the path and the content of each file that is to be written there.

    `UsageError` if it cannot be made, or a file would be written over one that is read.
    """
    from scorer.reading.write import make_folder

    files = tuple((folder / name, content) for name, content in contents.items())
    refuse_overwrite([path for path, _ in files], challenge, *read)
    make_folder(folder)
    return files


def exit_code_of(submissions: Sequence[Scored]) -> int:
    """Return the exit code by the outcomes of submissions.

    1 where a submission is rejected; 2 where a baseline is, and 4 where a metric failed on one,
    both of which are the organizer's.
    """
    if any(failure_lines(submissions)):
        return FAILED
    if any(scored.baseline and not scored.valid for scored in submissions):
        return WRONG
    return 0 if all(scored.valid for scored in submissions) else REJECTED


def failure_lines(submissions: Sequence[Scored]) -> Iterator[str]:
    """Yield why metrics of the challenge's own failed, file by file; for the organizer."""
    for scored in submissions:
        for problem in scored.findings:
            if problem.cause is not None:
                yield f"error: {printable(scored.path)}: {printable(problem.cause)}"


def problem_lines(files: Iterable[Findings], quiet: bool = False, every: bool = False) -> list[str]:
    """Return the problems of files as lines, a problem of many files once; `quiet`: errors alone.

    `every`: at all places.
    """
    return _format_problems([(findings, quiet) for findings in files], every)


def report_problem_lines(
    submissions: Iterable[Scored], quiet: bool = False, every: bool = False
) -> list[str]:
    """Return the problems of a report's submissions as lines; of baselines the errors alone.

    What a baseline is warned of, the organizer meant.
    """
    files = [(scored.findings, quiet or scored.baseline) for scored in submissions]
    return _format_problems(files, every)


def _format_problems(files: Sequence[tuple[Findings, bool]], every: bool) -> list[str]:
    """Return the problems of files as lines; True: of a file the errors alone."""
    from scorer.reports.findings.problems import errors_of, format_files

    shown = [errors_of(findings) if errors_only else findings for findings, errors_only in files]
    return format_files(shown, every)
