"""The commands of an organizer before and after a challenge: init, lint, kit, export, paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from scorer.api.text import content_of
from scorer.cli import options
from scorer.cli.board import ReportArguments, make_report
from scorer.cli.options import format_option
from scorer.cli.result import (
    WRONG,
    Result,
    Terminal,
    choose_formats,
    prepare_folder,
    refuse_overwrite,
)
from scorer.core.errors import UsageError
from scorer.core.text import nearest, printable, quoted

FORM = "score init [KIND] DIR, or score init --from TRUTH [SAMPLE] DIR"
RESULTS_FORM = "score init --from RESULTS... DIR"


def init(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[KIND] DIR",
            help="A kind of challenge (default: ranking; none and no folder: the list of them) "
            "and a folder. With --from: a sample submission and a folder; or further results of a "
            "tool.",
        ),
    ] = None,
    truth: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="TRUTH",
            help="Write the challenge that fits this truth, or results of an evaluation tool.",
        ),
    ] = None,
    term: Annotated[
        bool,
        typer.Option(
            "--term",
            help="With --from TRUTH: write splits, phases, a quota and grading, too, as lines "
            "that begin with #.",
        ),
    ] = False,
) -> Result:
    """Make a folder with a challenge that scores at once, to be changed into your own."""
    from scorer.api import init as api
    from scorer.importers.results import find_tool

    words = words or []
    if truth is not None and (truth.is_dir() or find_tool(truth) is not None):
        if not words:
            raise UsageError(RESULTS_FORM)
        made = api.init(words[-1], results=[truth, *words[:-1]], term=term)
    elif truth is not None:
        if not 1 <= len(words) <= 2:
            raise UsageError(FORM)
        sample = words[0] if len(words) == 2 else None
        made = api.init(words[-1], truth, sample, term=term)
    elif not words:
        templates = api.describe_templates()
        width = max(map(len, templates))
        lines = [f"{name:{width}}  {about}\n" for name, about in templates.items()]
        return Result(f"{''.join(lines)}\nmake one:  score init KIND DIR\n")
    else:
        if len(words) > 2:
            raise UsageError(FORM)
        # `init` refuses a word that is no template.
        kind: Any = words[0] if len(words) == 2 else None
        if kind is None:
            _refuse_kind_as_folder(words[0], list(api.describe_templates()))
        made = api.init(words[-1], kind=kind, term=term)
    return Result(f"{made}\n", made.problems)


def _refuse_kind_as_folder(folder: str, kinds: list[str]) -> None:
    """Raise UsageError if the only word is a kind of challenge, or nearly one."""
    if (kind := nearest(folder, kinds)) is None:
        return
    nearly = "" if folder == kind else "nearly "
    raise UsageError(
        f"{quoted(folder)} is {nearly}a kind of challenge; write score init {kind} DIR, or "
        f"./{folder} for that folder"
    )


def lint(
    context: typer.Context,
    path: options.Challenge,
    format: Annotated[str | None, format_option("soundness")] = None,
    output: options.Output = None,
    every: Annotated[
        bool,
        typer.Option(
            "--all", help="Notes, values of made submissions, and how differences are detected."
        ),
    ] = False,
    allow_plugins: options.AllowPlugins = False,
) -> Result:
    """Try a challenge out: its examples, and submissions made from its truth.

    A perfect submission, its reverse, and random ones show each measure's ceiling and chance
    level, and whether the rules can be exploited. For organizers: it reads the truth.
    """
    from scorer.api.lint import lint as lint_challenge

    formats = choose_formats("soundness", format, output, "text")
    terminal: Terminal = context.obj
    challenge, _ = terminal.read_challenge(path)
    refuse_overwrite(output, challenge, path)
    soundness = lint_challenge(challenge, allow_plugins=allow_plugins)
    look = terminal.look(output, every=every)
    return formats.result(content_of(soundness), look, exit_code=0 if soundness.sound else WRONG)


def kit(
    context: typer.Context,
    path: options.Challenge,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="The kit's file.")
    ] = Path("kit.zip"),
    allow_plugins: options.AllowPlugins = False,
) -> Result:
    """Pack what participants need to check their submissions, and none of the answers."""
    from scorer.api.kit import kit as pack_kit

    terminal: Terminal = context.obj
    challenge, notes = terminal.read_challenge(path)
    refuse_overwrite([output], challenge, path)
    packed = pack_kit(challenge, allow_plugins=allow_plugins)
    name = printable(output)
    lines = [f"{name}: {len(packed.data):,} bytes; score check {name} SUBMISSION"]
    lines += map(printable, packed.columns)
    lines += [
        f"left out, since the kit cannot compute it: {printable(measure)}"
        for measure in packed.omitted_measures
    ]
    lines += [f"left out: {part}" for part in packed.omitted_parts]
    return Result(packed.data, notes, files=((output, packed.data),), written=tuple(lines))


def export(
    context: typer.Context,
    platform: Annotated[
        str,
        typer.Argument(
            metavar="PLATFORM",
            help="codabench, evalai, github-classroom, gradescope, grand-challenge, tira.",
        ),
    ],
    path: options.Challenge,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="OUT", help="A new folder, or a file.zip."),
    ],
    image: Annotated[
        str | None,
        typer.Option("--image", metavar="NAME", help="A container image with `score`."),
    ] = None,
    allow_plugins: options.AllowPlugins = False,
) -> Result:
    """Make a bundle that runs `score` on a platform. It holds the answers: for organizers only.

    The challenge is linted first. The command says what the platform does not have of what the
    challenge asks for, and what to do with the bundle.
    """
    from scorer.export.bundle import export_bundle

    terminal: Terminal = context.obj
    challenge, notes = terminal.read_challenge(path)
    bundle = export_bundle(cast(Any, platform), challenge, image=image, allow_plugins=allow_plugins)
    lines = [f"{printable(output)}: {len(bundle.files):,} files for {platform}"]
    lines += [f"not supported: {printable(sentence)}" for sentence in bundle.unsupported]
    lines += [f"next: {step}" for step in bundle.next_steps]
    if output.suffix == ".zip":
        data = bundle.to_zip()
        return Result(data, notes, files=((output, data),), written=tuple(lines))
    bundle.write(output)
    return Result(notes=(*notes, *lines))


def paper(
    context: typer.Context,
    path: options.Challenge,
    output: options.OutputFolder,
    submissions: options.SubmissionsOrBoard = None,
    figures: Annotated[
        str | None,
        typer.Option(
            "--figures",
            metavar="A,B",
            help="These figures only: forest, pairs, pareto, values, lists, differences, "
            "curves. Default: forest, pairs and pareto, as far as the board has them.",
        ),
    ] = None,
    width: Annotated[
        str,
        typer.Option("--width", metavar="W", help="How wide figures are: 84mm, 17cm, 3.3in."),
    ] = "120mm",
    metric: options.Metrics = None,
    truth: options.Truth = None,
    split: options.Split = None,
    answers: options.AnswersFile = None,
    store: options.Store = None,
    files_at: options.Files = None,
    precision: options.Precision = None,
    allow_plugins: options.AllowPlugins = False,
    quiet: options.Quiet = False,
) -> Result:
    r"""Write a main.tex with the board, its figures, methods, references and macros.

    numbers.tex has macros such as \bestscore. Figures are SVG, and in main.tex as PDF where
    vl-convert-python is installed (challenge-scorer[figures]). For organizers: values of lists are
    drawn.
    """
    from scorer.api import paper as api
    from scorer.api.figures import MISSING_CONVERTER, has_converter, parse_width

    kinds = api.parse_figures(figures)
    parse_width(width)  # before the submissions are scored
    arguments = ReportArguments(
        submissions or (), store, files_at, split, metric, truth, answers=answers
    )
    scored = make_report(path, arguments, context.obj, allow_plugins, quiet)
    written = api.paper(scored.report, kinds, width=width, precision=precision)
    files = prepare_folder(output, written.files, scored.challenge, *scored.read)
    lines = [*scored.lines]
    if figures:
        lines += [f"note: no {kind}: it takes {needs}" for kind, needs in written.missing.items()]
    lines += [] if has_converter() else [f"note: {MISSING_CONVERTER}"]
    main = printable(output / "main.tex")
    return Result("", tuple(lines), scored.exit_code, files, (main,))
