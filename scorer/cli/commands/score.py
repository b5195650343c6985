"""The commands that read submissions alone: score, check and explain."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scorer.cli.options import (
    BELOW,
    AllRows,
    AnswersFile,
    BoardNotes,
    ChallengeWord,
    Every,
    Forms,
    MetricWords,
    Output,
    Plugins,
    Precision,
    Private,
    Quiet,
    Result,
    SubmissionWords,
    Terminal,
    TruthWord,
    causes,
    challenge_of,
    chosen_forms,
    exit_code,
    form_option,
    problems,
    problems_of,
    refuse_overwrite,
    submissions_of,
)
from scorer.cli.verbs import MORE
from scorer.core.errors import UnknownName, UsageError
from scorer.core.text import format_distinct, printable, quoted
from scorer.reports.base import MAX_PROBLEMS

if TYPE_CHECKING:
    from scorer.api.fix import CopyTarget
    from scorer.api.submissions import SubmissionFile
    from scorer.challenge.model import Challenge
    from scorer.metrics.notation import Measure
    from scorer.reports.base import Options
    from scorer.results.report import Report, Scored


SPARK = "spark"  # the other engine


def score(
    context: typer.Context,
    challenge: ChallengeWord,
    submissions: SubmissionWords,
    format: Annotated[str | None, form_option("leaderboard", "the report is")] = None,
    output: Output = None,
    per_list: Annotated[
        bool,
        typer.Option(
            "--per-list",
            help="The value of every list, too; not for publication while the challenge runs.",
        ),
    ] = False,
    metric: MetricWords = None,
    truth: TruthWord = None,
    precision: Precision = None,
    all_rows: AllRows = False,
    with_notes: BoardNotes = False,
    first: Annotated[
        int | None,
        typer.Option(
            "--top", metavar="N", min=1, help="Show the first N ranks only.", rich_help_panel=MORE
        ),
    ] = None,
    split: Annotated[
        list[str] | None,
        typer.Option(
            "--split",
            metavar="S",
            help="The board of this split of the challenge's, or of `all`; repeatable. Default: "
            "all lists together, and a section a split.",
        ),
    ] = None,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-under",
            metavar="MEASURE=VALUE",
            help="Exit with 5 when a submission is worse than that; may be given several times. "
            "The exit code 1 of a rejected submission takes precedence.",
            rich_help_panel=MORE,
        ),
    ] = None,
    answers: AnswersFile = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            metavar="N",
            min=1,
            help="How many processes read and score the files. Default: one a core for large "
            "files, else one, whose threads share small files.",
            rich_help_panel=MORE,
        ),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            metavar="spark",
            help="Have Apache Spark read and score the submissions: CSV, JSON Lines, TREC or "
            "Parquet, at any path or URL that its session knows.",
            rich_help_panel=MORE,
        ),
    ] = None,
    allow_plugins: Plugins = False,
    private: Private = False,
    every: Every = False,
    quiet: Quiet = False,
) -> Result:
    """Check, score and rank submissions. Nothing is written but the report."""
    from scorer.api.score import score as run
    from scorer.api.text import content_of
    from scorer.leaderboard.board import first_ranks
    from scorer.reports.github import annotation
    from scorer.scoring.bind import bind
    from scorer.scoring.keys import VOTES
    from scorer.scoring.run import default_jobs

    terminal: Terminal = context.obj
    forms = chosen_forms("leaderboard", format, output, "table")
    settled, notes = challenge_of(challenge, terminal, metric, truth, submissions)
    if settled.kind == VOTES:
        of_submissions = {
            "--per-list": per_list,
            "-m": metric,
            "--truth": truth,
            "--top": first,
            "--split": split,
            "--fail-under": fail_under,
            "--engine": engine,
        }
        if odd := next((option for option, value in of_submissions.items() if value), None):
            raise UsageError(f"{odd} means nothing for votes, which are no submissions")
        forms = chosen_forms("votes", format, output, "text")
        voted = submissions_of(submissions, terminal, settled)
        refuse_overwrite(output, settled, challenge, *(file.path for file in voted))
        return _voted(settled, voted, forms, terminal.options(output, every=every, quiet=quiet))
    prepared = bind(settled, allow_plugins)
    floors = _floors(fail_under or (), prepared.measures)
    read = [] if answers is None else [answers]
    if engine is not None:
        if engine != SPARK:
            raise UnknownName("engine", engine, [SPARK])
        if jobs is not None:
            raise UsageError("--jobs is of files that are read here; Spark has its own settings")
        from scorer.spark import score_paths

        refuse_overwrite(output, settled, challenge, *read, *map(Path, submissions))
        scored = score_paths(prepared, submissions, split or (), answers)
    else:
        files = submissions_of(submissions, terminal, settled)
        refuse_overwrite(output, settled, challenge, *read, *(file.path for file in files))
        scored = run(
            prepared,
            files,
            progress=None if quiet else terminal.progress,
            splits=split or (),
            answers=answers,
            jobs=jobs or default_jobs([file.path for file in files], prepared.measures),
        )
    report = content_of(scored)
    options = terminal.options(
        output,
        precision,
        per_list=per_list,
        notes=with_notes,
        all_rows=all_rows,
        every=every,
        quiet=quiet,
        private=private,
    )
    lines = [*([] if quiet else [*notes, *map(str, report.notes)])]
    github = forms.names == {"github"}
    # what a baseline is warned of, the organizer meant
    told = () if github else report.submissions
    lines += problems_of([(each.findings, quiet or each.baseline) for each in told], every)
    failed = _failed(report, floors)
    lines += [annotation("error", message) if github else f"error: {message}" for message in failed]
    lines += causes(report.submissions)
    code = exit_code(report.submissions) or (BELOW if failed else 0)
    sent = [scored for scored in report.submissions if not scored.baseline]
    if sent and not any(scored.valid for scored in sent) and not output and forms.names == {"text"}:
        return Result("", tuple(lines), exit_code=code)  # a board of baselines would hide the error
    if first is not None:
        report = first_ranks(report, first)
    return forms.result(report, options, lines, code)


def _voted(
    settled: Challenge, files: Sequence[SubmissionFile], forms: Forms, options: Options
) -> Result:
    """The board of votes, which are no submissions."""
    from scorer.api.text import content_of
    from scorer.api.votes import rank_votes

    board = rank_votes(settled, [file.path for file in files])
    notes = problems(board.problems, options.quiet, options.every)
    return forms.result(content_of(board), options, notes)


def _floors(words: Sequence[str], measures: Sequence[Measure]) -> dict[str, float]:
    """Measure id -> the value that no submission may be worse than.

    `UsageError` if a word is not MEASURE=VALUE, or the challenge has no such measure.
    """
    from scorer.metrics.notation import find_measure
    from scorer.reading.numbers import parse_number

    floors = {}
    for word in words:
        name, equals, value = word.rpartition("=")
        least, fault, _ = parse_number(value)
        if not equals or fault:
            raise UsageError(f"--fail-under {quoted(word)}: write MEASURE=VALUE, such as P@5=0.4")
        measure = find_measure(measures, name)
        if measure is None:
            raise UnknownName("measure of this challenge", name, [m.id for m in measures])
        floors[measure.id] = least
    return floors


def _failed(report: Report, floors: Mapping[str, float]) -> list[str]:
    """Messages about submissions below a floor, or without a value; baselines are exempt."""
    from scorer.core.arrays import round_for_ranks

    lines = []
    for measure in report.measures:
        if (floor := floors.get(measure.id)) is None:
            continue
        for scored in report.submissions:
            if scored.baseline or not scored.valid:
                continue
            mean = scored.values[measure.id].mean
            reached, asked = round_for_ranks([mean, floor]).tolist()
            fine = reached >= asked if measure.metric.better == "higher" else reached <= asked
            if not fine:
                side = "below" if measure.metric.better == "higher" else "above"
                values = f", {side} ".join(format_distinct(mean, floor))
                value = "undefined" if math.isnan(mean) else values
                lines.append(
                    f"{printable(scored.name)}: {printable(measure.id)} is {value} (--fail-under)"
                )
    return lines


def check(
    context: typer.Context,
    challenge: ChallengeWord,
    submissions: SubmissionWords,
    format: Annotated[str | None, form_option("findings", "the findings are")] = None,
    output: Output = None,
    fix: Annotated[
        bool,
        typer.Option(
            "--fix",
            help="Write a repaired copy of each file that then is fine: NAME.fixed.EXT, -o FILE, "
            "or in a folder -o DIR, with the files that are fine beside them: "
            "the encoding; in CSV also lines before the header, separators, quotes round lines, "
            "blanks, headers that are repeated, an index column, the capitals of the header, "
            "decimal commas and other marks in numbers, ids and classes of which it is certain "
            "what was meant (1.0, lost zeros, case), duplicate rows, ranks that start at 0.",
        ),
    ] = False,
    most: Annotated[
        int,
        typer.Option("--max", metavar="N", min=1, help="Problems a file of --format lines."),
    ] = MAX_PROBLEMS,
    allow_plugins: Plugins = False,
    every: Every = False,
    quiet: Quiet = False,
) -> Result:
    """Check submissions without scoring them; works without the truth where lists are public."""
    from scorer.api.check import check as run
    from scorer.api.fix import Repairs
    from scorer.challenge.load import own_file_problem
    from scorer.results.findings import CheckedFiles

    terminal: Terminal = context.obj
    reports = None if fix else output
    forms = chosen_forms("findings", format, reports, "text")
    settled, notes = challenge_of(challenge, terminal, submissions=submissions, measured=False)
    files = submissions_of(submissions, terminal, settled)
    refuse_overwrite(reports, settled, challenge, *(file.path for file in files))
    if fix and any(word == "-" or word.endswith("=-") for word in submissions) and not output:
        raise UsageError("--fix of standard input needs a place for the copy: -o FILE")

    def checked_of(files: list[SubmissionFile]) -> list[Scored]:
        return run(
            settled,
            files,
            allow_plugins=allow_plugins,
            progress=None if quiet else terminal.progress,
        )

    originals = checked_of(files)
    bad = sum(scored.findings.fatal for scored in originals)
    lines = [*notes]
    checked = originals
    parted = len(originals) != len(files)  # tables of several systems, or runs
    if parted and fix:
        raise UsageError("--fix repairs files of one submission, no table of several")
    if fix or (bad and len(files) > 1 and not quiet and not parted):
        fixing = Repairs(settled, files, originals, checked_of, allow_plugins)
        if fix:
            checked = fixing.write(_copy_paths(files, output, settled, challenge))
            lines += fixing.notes
            bad = sum(scored.findings.fatal for scored in checked)
        else:
            of_challenge = [own_file_problem(settled, file.path) is not None for file in files]
            lines += _wrong_files(of_challenge, len(fixing.repairable))
    options = terminal.options(reports, every=every, quiet=quiet)._replace(max_problems=most)
    if not options.colour:  # nothing is cut or folded
        options = options._replace(width=None)
    shown = not reports and terminal.width is not None and forms.names == {"text"}
    excerpts = _excerpts(settled, files, checked, every) if shown and not parted else {}
    content = CheckedFiles.of(settled, checked, excerpts)
    return forms.result(content, options, lines, 1 if bad else 0)


def _excerpts(
    challenge: Challenge, files: list[SubmissionFile], checked: list[Scored], every: bool
) -> dict[str, dict[int, str]]:
    """The lines with problems that are shown, of each file of text that is still the same."""
    from scorer.reading.formats import find_format
    from scorer.reading.read import line_texts
    from scorer.reports.findings.problems import group_problems

    excerpts = {}
    for file, scored in zip(files, checked, strict=True):
        lines = (shown.problem.line for shown in group_problems(scored.findings, every))
        wanted = {line for line in lines if line is not None}
        if not wanted or scored.path != file.display or not file.path.is_file():
            continue
        if find_format(file.path, challenge.submission.format).read_bytes is None:
            excerpts[scored.path] = line_texts(file.path, wanted)
    return excerpts


def _copy_paths(
    files: list[SubmissionFile], output: list[Path] | None, settled: Challenge, challenge: Path
) -> CopyTarget:
    """Where repaired copies go, by `-o`: a file, or a folder, which has no suffix and may be made.

    `UsageError` if `-o` is given twice, is one file for many, or a folder with other files.
    """
    from scorer.api.fix import CopyTarget

    if not output:
        return CopyTarget()
    if len(output) > 1:
        raise UsageError("--fix takes one -o: a file, or a folder")
    (place,) = output
    if not os.path.isdir(place):
        refuse_overwrite(output, settled, challenge, *(file.path for file in files))
    single = len(files) == 1 and (place.suffix or not files[0].path.suffix)
    if single and not os.path.isdir(place):
        return CopyTarget(file=place)
    if not os.path.isdir(place) and (place.suffix or os.path.lexists(place)):
        raise UsageError(f"{printable(place)} is no folder, which --fix of several needs: -o DIR")
    if os.path.isdir(place) and os.listdir(place):
        raise UsageError(f"{printable(place)} is not empty; --fix overwrites nothing (-o DIR)")
    return CopyTarget(folder=place)


def _wrong_files(own: Sequence[bool], repairable: int) -> Iterator[str]:
    """Yield how many files are the challenge's `own`, and how many --fix would repair."""
    if count := sum(own):
        are = "file is" if count == 1 else "files are"
        yield f"{count:,} {are} the challenge's, and not checked"
    if repairable:
        yield f"--fix would repair {repairable:,} of the files"


def explain(
    context: typer.Context,
    challenge: ChallengeWord,
    submission: Annotated[
        str, typer.Argument(metavar="SUBMISSION", help="A file, or NAME=PATH, or -.")
    ],
    name: Annotated[
        str | None,
        typer.Option(
            "--list",
            metavar="ID",
            help="The list (query, user, ..) to work out; else the worst ones are told.",
        ),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(
            "--split",
            metavar="S",
            help="The worst of this split of the challenge's. Default: of all lists.",
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--metric",
            metavar="M",
            help="The measure to explain; repeatable. Default: the primary one.",
        ),
    ] = None,
    format: Annotated[str | None, form_option("explanation")] = None,
    output: Output = None,
    truth: TruthWord = None,
    precision: Precision = 4,
    allow_plugins: Plugins = False,
    quiet: Quiet = False,
) -> Result:
    """The worst lists or rows and what they cost, or one's value step by step. For organizers."""
    from scorer.api.explain import explain as run
    from scorer.api.text import content_of

    terminal: Terminal = context.obj
    forms = chosen_forms("explanation", format, output, "text")
    settled, _ = challenge_of(challenge, terminal, metric, truth, [submission])
    files = submissions_of([submission], terminal, settled)
    if len(files) != 1:
        several = f"{quoted(submission)} holds {len(files):,} submissions; explain takes one"
        raise UsageError(several)
    (file,) = files
    refuse_overwrite(output, settled, challenge, file.path)
    explanation = content_of(run(settled, file, name, split=split, allow_plugins=allow_plugins))
    if not metric:
        primary = tuple(
            explained for explained in explanation.measures if explained.measure.primary
        )
        explanation = replace(explanation, measures=primary)
    messages = tuple(problems(explanation.findings, quiet))
    if not explanation.measures:
        return Result("", messages, 1)
    options = terminal.options(output, precision)
    return forms.result(explanation, options, messages)
