"""What a command is, and the words that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from scorer.challenge import Challenge, load
from scorer.errors import Findings, UsageError, quoted
from scorer.kits import unpacked
from scorer.pipeline import Named, submission_name
from scorer.reporting import told
from scorer.streams import Limits


@dataclass(frozen=True, slots=True)
class Edge:
    """What the process has around it; only `cli` makes one."""

    stdin: BinaryIO
    width: int
    colour: bool
    progress: Callable[[int, int, str], None] | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What a command gives: text for stdout or a file, notes for stderr, and how it ended."""

    text: str | bytes = ""
    notes: tuple[str, ...] = ()
    exit_code: int = 0
    output: Path | None = None


ChallengeWord = Annotated[
    Path,
    typer.Argument(metavar="CHALLENGE", help="challenge.yaml, the folder that holds it, or a kit."),
]
SubmissionWords = Annotated[
    list[str],
    typer.Argument(metavar="SUBMISSION...", help="Files, or NAME=PATH, or - for standard input."),
]
Plugins = Annotated[
    bool,
    typer.Option("--allow-plugins", help="Run the challenge's own metrics, which are its code."),
]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="No warnings and no progress.")]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE", help="Write there instead of to stdout."),
]
Every = Annotated[bool, typer.Option("--all", help="Every place of a problem, not only five.")]
MetricWords = Annotated[
    list[str] | None,
    typer.Option(
        "-m", "--metric", metavar="M", help="Score by this instead; may be given several times."
    ),
]
TruthWord = Annotated[
    Path | None,
    typer.Option("--truth", metavar="FILE", help="Use this truth instead of the challenge's."),
]


def challenge_of(
    path: Path, metrics: list[str] | None = None, truth: Path | None = None
) -> tuple[Challenge, tuple[str, ...]]:
    """The challenge with what the command's words replace, and what that leaves out of it."""
    challenge = load(unpacked(path))
    notes: tuple[str, ...] = ()
    if truth is not None:
        challenge = challenge.with_truth(truth)
    if metrics:
        challenge = challenge.with_metrics(metrics)
        kept = {spec.id or spec.notation for spec in challenge.metrics}
        dropped = [name for name in challenge.leaderboard.tie_break if name not in kept]
        if dropped:
            board = challenge.leaderboard.model_copy(
                update={"tie_break": tuple(n for n in challenge.leaderboard.tie_break if n in kept)}
            )
            challenge = challenge.model_copy(update={"leaderboard": board})
            notes = tuple(
                f"warning: leaderboard.tie_break names {quoted(name)}, which -m leaves out"
                for name in dropped
            )
    return challenge, notes


def submissions_of(words: list[str], edge: Edge, challenge: Challenge) -> list[Named]:
    """The files that the command's words name; standard input is put in a temporary file."""
    if words.count("-") > 1:
        raise UsageError("standard input can be read once; '-' is given twice")
    found = []
    for word in words:
        name, equals, path = word.partition("=")
        if word == "-" or (equals and path == "-"):
            from scorer.streams import spool

            spooled = spool(edge.stdin, Limits(**challenge.submission.limits.model_dump()))
            found.append(Named(name if equals else "stdin", spooled))
        elif Path(word).exists() or not equals or not name:
            found.append(Named(submission_name(Path(word)), Path(word)))
        else:
            found.append(Named(name, Path(path)))
    return found


def problems(findings: Findings, quiet: bool = False, every: bool = False) -> list[str]:
    """A file's problems as lines; when quiet, only its errors."""
    if not quiet:
        return told(findings, every)
    errors = Findings(findings.path)
    errors.extend(problem for problem in findings if problem.severity == "error")
    return told(errors, every)
