"""The result of a command, and the options that several commands share.

What a command works with is imported when it works: the help of a command
should not wait for numpy.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Literal, NamedTuple

import typer

from scorer.cli.verbs import MORE
from scorer.core.errors import UsageError
from scorer.core.text import printable, quoted
from scorer.reports.base import (
    DECIMALS,
    Options,
    ReportFormat,
    format_names,
    format_of_path,
    report_format,
)

if TYPE_CHECKING:
    from scorer.api.submissions import SubmissionFile
    from scorer.challenge.model import Challenge
    from scorer.core.problems import Findings
    from scorer.results.report import Scored

# exit codes: a submission is rejected; the challenge is wrong; its metric failed; it is too bad
REJECTED, WRONG, FAILED, BELOW = 1, 2, 4, 5


class Terminal(NamedTuple):
    """Standard input, the terminal and the progress bar of the process; only `cli` makes one."""

    stdin: BinaryIO | None  # None: it is closed
    width: int | None  # None: standard output is no terminal
    colour: bool
    cleanup: ExitStack  # what is undone when the command has ended
    notes: list[str]  # on what the command's words stand for, said before its own
    progress: Callable[[float, int, str], None] | None = None

    def options(
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
        """A page, a catalogue of a line an entry, or prose, in colours where there are any."""
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


class Forms(NamedTuple):
    """The forms of a command's result, and the file of each; of none the only one is for stdout."""

    files: tuple[Path, ...]
    forms: tuple[ReportFormat, ...]

    @property
    def names(self) -> set[str]:
        """The names of the forms."""
        return {form.name for form in self.forms}

    def result(
        self, data: Any, options: Options, notes: Sequence[str] = (), exit_code: int = 0
    ) -> Result:
        """The data in every form."""
        return self.written([form.write(data, options) for form in self.forms], notes, exit_code)

    def written(
        self, texts: Sequence[str], notes: Sequence[str] = (), exit_code: int = 0
    ) -> Result:
        """A text of each form, to where it goes."""
        files = tuple(zip(self.files, texts, strict=True)) if self.files else ()
        return Result("" if files else texts[0], tuple(notes), exit_code, files)


ChallengeWord = Annotated[
    Path,
    typer.Argument(
        metavar="CHALLENGE",
        help="challenge.yaml, the folder that holds it, or a kit; to score, check, compare and "
        "explain also a truth, as a file.",
    ),
]
SubmissionWords = Annotated[
    list[str],
    typer.Argument(
        metavar="SUBMISSION...", help="Files, folders of files, NAME=PATH, or - for standard input."
    ),
]
Plugins = Annotated[
    bool,
    typer.Option("--allow-plugins", help="Run the challenge's own metrics, which are Python code."),
]
AnswersFile = Annotated[
    Path | None,
    typer.Option(
        "--answers",
        metavar="FILE",
        help="What the submissions answer to the challenge's questions: CSV with the column "
        "`name`, and one a question.",
        rich_help_panel=MORE,
    ),
]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="No warnings and no progress.")]
Output = Annotated[
    list[Path] | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write there instead of to stdout, in the form of the file's suffix (.html, .json, "
        ".csv, .md, .tex, ...); repeatable.",
    ),
]
OneOutput = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE", help="Write there instead of to stdout."),
]
Every = Annotated[
    bool,
    typer.Option(
        "--all", help="Every place of a problem; else one in more than three places is told once."
    ),
]
Precision = Annotated[
    int | None,
    typer.Option(
        "--precision",
        metavar="N",
        min=0,
        max=17,
        help="Decimals of values up to 1; larger ones have N + 1 digits. Default: 3, and up to 6 "
        "where neighbours of different rank would look alike. JSON and CSV are exact.",
        rich_help_panel=MORE,
    ),
]
AllRows = Annotated[
    bool, typer.Option("--all-rows", help="All rows on a terminal, not only the first 20.")
]
BoardNotes = Annotated[
    bool,
    typer.Option(
        "--notes",
        help="What the intervals, tests and ranks mean, below the board; on a terminal also the "
        "means by group of all measures.",
    ),
]
Private = Annotated[
    bool,
    typer.Option(
        "--private",
        help="A report for organizers only: with paths, digests of baselines, and warnings that "
        "name items of the truth.",
        rich_help_panel=MORE,
    ),
]
MetricWords = Annotated[
    list[str] | None,
    typer.Option(
        "-m",
        "--metric",
        metavar="M",
        help="Score by this measure instead of the challenge's; repeatable.",
    ),
]


TruthWord = Annotated[
    Path | None,
    typer.Option(
        "--truth",
        metavar="FILE",
        help="Use this truth instead of the challenge's.",
        rich_help_panel=MORE,
    ),
]


def challenge_of(
    path: Path,
    terminal: Terminal,
    metrics: list[str] | None = None,
    truth: Path | None = None,
    submissions: Sequence[str] | None = None,
    measured: bool = True,
) -> tuple[Challenge, tuple[str, ...]]:
    """The challenge with what the command's words replace, and what that leaves out of it.

    Args:
        path: the challenge's file, its folder, or a kit, which is unpacked until the command ends.
        submissions: the words that name submissions, if a truth can take the challenge's place.
        measured: whether the command needs measures, which a truth does not say.
    """
    from scorer.challenge.kit_archive import open_kit
    from scorer.scoring.bind import load_challenge

    notes: tuple[str, ...] = ()
    if submissions is not None and is_truth_file(path):
        from scorer.infer.challenge import infer_from_submissions

        if measured and not metrics:
            word = printable(path)
            raise UsageError(f"{word} is a truth; say what to measure, such as -m nDCG@10")
        challenge = infer_from_submissions(path, _submission_paths(submissions), metrics or ())
    else:
        challenge = load_challenge(terminal.cleanup.enter_context(open_kit(path)))
    if truth is not None:
        challenge = challenge.with_truth(truth)
    if metrics and not all(metrics):
        raise UsageError("-m needs a measure, such as nDCG@10")
    if odd := next((word for word in metrics or () if not word.isprintable()), None):
        raise UsageError(f"-m {quoted(odd)} is no measure; write one such as nDCG@10")
    if metrics:
        challenge = challenge.with_metrics(metrics)
        from scorer.scoring.bind import unknown_tie_breakers

        tie_break = challenge.leaderboard.tie_break
        lost = unknown_tie_breakers(challenge) if tie_break else ()
        notes = tuple(
            f"warning: leaderboard.tie_break names {quoted(name)}, which -m leaves out"
            for name in lost
        )
        remaining = tuple(name for name in tie_break if name not in lost)
        board = challenge.leaderboard.model_copy(update={"tie_break": remaining})
        challenge = challenge.model_copy(update={"leaderboard": board})
    return challenge, notes


def is_truth_file(path: Path) -> bool:
    """Whether a file is a truth; the code that guesses is imported for neither folder nor YAML."""
    from scorer.challenge.yaml import YAML_SUFFIXES

    # what no file can be called is none either
    if not os.path.isfile(path) or path.suffix.lower() in YAML_SUFFIXES:
        return False
    from scorer.infer.challenge import is_truth

    return is_truth(path)


def _submission_paths(words: Sequence[str]) -> list[Path]:
    """Return the paths of the words that name submissions, with the files of folders."""
    from scorer.api.folders import list_folder

    paths = (Path(word if os.path.exists(word) else word.partition("=")[2]) for word in words)
    files = (list_folder(path).paths if os.path.isdir(path) else [path] for path in paths)
    return [path for of_word in files for path in of_word if os.path.isfile(path)]


def submissions_of(
    words: list[str], terminal: Terminal, challenge: Challenge
) -> list[SubmissionFile]:
    """The files that the command's words name; what a pipe holds is put in a temporary file.

    Of a folder all files are taken that can be submissions; a note names the others.

    `UsageError` if standard input is named twice or closed, or a folder has no files.
    """
    from scorer.api.folders import list_folder
    from scorer.api.submissions import SubmissionFile, submission_name
    from scorer.reading.open import is_open_pipe
    from scorer.reading.write import temporary_copy

    if words.count("-") > 1:
        raise UsageError("standard input can be read once; '-' is given twice")
    most = challenge.submission.limits.size
    submissions = []
    for word in words:
        if os.path.isdir(word) and not _is_submission_in_parts(word, challenge):
            folder = list_folder(word)
            submissions += [SubmissionFile(submission_name(path), path) for path in folder.paths]
            if omitted := folder.describe_omitted(word):
                terminal.notes.append(f"note: {omitted}")
            continue
        name, equals, path = word.partition("=")
        if not (equals and name) or os.path.exists(word):
            name, path = "", word
        if path == "-":
            if terminal.stdin is None:
                raise UsageError("standard input is closed; '-' cannot be read")
            file = terminal.cleanup.enter_context(temporary_copy(terminal.stdin, most))
            submissions.append(SubmissionFile(name or "stdin", file, label="stdin"))
        elif is_open_pipe(path):
            with open(path, "rb") as pipe:
                file = terminal.cleanup.enter_context(temporary_copy(pipe, most))
            submissions.append(
                SubmissionFile(name or submission_name(Path(path)), file, label=path)
            )
        else:
            submissions.append(SubmissionFile(name or submission_name(Path(path)), Path(path)))
    return _without_copies(submissions, terminal)


def _without_copies(submissions: list[SubmissionFile], terminal: Terminal) -> list[SubmissionFile]:
    """The submissions without repaired copies of files that are among them, which are noted."""
    from scorer.api.submissions import find_originals

    paths = {submission.path for submission in submissions}
    kept = [each for each in submissions if paths.isdisjoint(find_originals(each.path))]
    for each in submissions:
        if each not in kept:
            terminal.notes.append(
                f"note: {printable(each.path)} is left out, a repaired copy of a file beside it; "
                "score check --fix -o DIR makes a folder with repaired files alone"
            )
    return kept


def _is_submission_in_parts(folder: str, challenge: Challenge) -> bool:
    """Whether a folder is one submission: it holds a part of one."""
    files = challenge.submission.parts.values()
    return any(os.path.exists(os.path.join(folder, file)) for file in files)


def refuse_overwrite(output: Sequence[Path] | None, challenge: Challenge, *read: Path) -> None:
    """Refuse, by `UsageError`, to write over a file of the challenge or one read, or one twice."""
    for n, file in enumerate(output or ()):
        if os.path.isdir(file):
            raise UsageError(f"{printable(file)} cannot be written: this is a folder")
        if file in list(output or ())[:n]:
            raise UsageError(f"-o {printable(file)} is given twice")
        _refuse_to_overwrite(file, challenge, read)


def _refuse_to_overwrite(file: Path, challenge: Challenge, read: Sequence[Path]) -> None:
    from scorer.challenge.model import KEY

    for path in (*challenge.files, challenge.folder / KEY, *read):
        with suppress(OSError, ValueError):  # one of them is not there
            if os.path.samefile(path, file):
                raise UsageError(f"{printable(file)} is read here; -o needs a file of its own")
    if file.name == KEY:
        raise UsageError(f"{printable(file)} cannot be written: {KEY} is the challenge's secret")


def form_option(subject: str, what: str = "it is") -> Any:
    """The option that names the form in which a subject is written."""
    words = f"How {what} written: {format_names(subject)}; default: by the suffix of -o."
    return typer.Option("--format", metavar="FORMAT", help=words)


def chosen_forms(
    subject: str, name: str | None, files: Sequence[Path] | None, default: str
) -> Forms:
    """The forms in which a subject is written: by name, else by the suffix of each file.

    `UnknownName` if there is no such form, `UsageError` if a suffix is of other subjects only.
    """
    places = tuple(files or ())
    if name is not None:
        return Forms(places, (report_format(subject, name),) * max(len(places), 1))
    named = [format_of_path(subject, place) for place in places] or [None]
    return Forms(places, tuple(form or report_format(subject, default) for form in named))


def exit_code(submissions: Sequence[Scored]) -> int:
    """1 where a submission is rejected; 2 where a baseline is; 4 where a metric failed on one.

    The latter two are the organizer's.
    """
    if any(causes(submissions)):
        return FAILED
    if any(scored.baseline and not scored.valid for scored in submissions):
        return WRONG
    return 0 if all(scored.valid for scored in submissions) else REJECTED


def causes(submissions: Sequence[Scored]) -> Iterator[str]:
    """Why metrics of the challenge's own failed, file by file; for the organizer."""
    for scored in submissions:
        for problem in scored.findings:
            if problem.cause is not None:
                yield f"error: {printable(scored.path)}: {printable(problem.cause)}"


def problems(findings: Findings, quiet: bool = False, every: bool = False) -> list[str]:
    """A file's problems as lines; with `every` at all of their places, with `quiet` errors only."""
    return problems_of([(findings, quiet)], every)


def problems_of(files: Iterable[tuple[Findings, bool]], every: bool = False) -> list[str]:
    """Return the problems of files as lines, a problem of many files once; True: errors only."""
    from scorer.reports.findings.problems import errors_of, format_files

    found = [errors_of(findings) if quiet else findings for findings, quiet in files]
    return format_files(found, every)
