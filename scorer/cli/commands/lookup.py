"""The commands that look something up: help, about, metrics, rule and schema."""

from __future__ import annotations

import json
import re
from textwrap import fill
from typing import Annotated

import typer

from scorer.cli import options
from scorer.cli.board import format_json
from scorer.cli.options import Form
from scorer.cli.result import Result, Terminal
from scorer.cli.verbs import (
    DEFAULT,
    HELP,
    MAIN,
    OTHERS,
    PROGRAM,
    SUMMARIES,
    colour_help,
    command,
    overview,
)
from scorer.core.codes import code, codes
from scorer.core.errors import UnknownName, UsageError

WIDTH = 78  # columns of a text, as of the help of commands
CODE = re.compile(r"[a-zA-Z][0-9]{3}")


def help(
    context: typer.Context,
    name: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]",
            help="A command; a metric, also by its name in another tool, such as roc_auc_score; a "
            "problem code, such as S304; a key of challenge.yaml, such as leaderboard.tie_break.",
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="List every command.")] = False,
) -> Result:
    """Explain a metric, a problem code, a key of challenge.yaml or a command; or list commands."""
    terminal: Terminal = context.obj
    if not name:
        text = "\n".join(overview(MAIN | OTHERS if every else MAIN))
        return Result(colour_help(text) if terminal.colour else text)
    word = " ".join(name)
    pages = [*_command_pages(terminal, word), *_code_pages(terminal, word)]
    pages += _key_pages(terminal, word)
    return Result("\n".join(pages or [_metric_page(terminal, word)]))


def _command_pages(terminal: Terminal, word: str) -> list[str]:
    """The help of the command of that name, if there is one."""
    if word not in (DEFAULT, *SUMMARIES):
        return []
    found = command(word)
    called = PROGRAM if word == DEFAULT else f"{PROGRAM} {word}"
    with found.make_context(
        called, [], resilient_parsing=True, obj=terminal, help_option_names=[*HELP]
    ) as context:
        return [found.get_help(context) + "\n"]


def _code_pages(terminal: Terminal, word: str) -> list[str]:
    """The page of the problem code, if the word is written as one."""
    if not CODE.fullmatch(word):
        return []
    return [terminal.page(code(word.upper()).text)]


def _key_pages(terminal: Terminal, word: str) -> list[str]:
    """The page of each key of challenge.yaml that has the name."""
    from scorer.challenge.keys import find_keys

    pages = []
    for row in find_keys(word):
        texts = [f"{row.path}: a key of challenge.yaml", row.about, f"Value: {row.value}"]
        if row.default:
            texts.append(f"Default: {row.default}")
        pages.append(terminal.page("\n\n".join(fill(text, WIDTH) for text in texts) + "\n"))
    return pages


def _metric_page(terminal: Terminal, word: str) -> str:
    """The page of the metrics that the word finds.

    Raises:
        UnknownName: No command, key, problem code or metric has the name.
    """
    from scorer.api.example import describe_metric
    from scorer.challenge.keys import list_keys
    from scorer.metrics.catalogue import metrics

    try:
        return terminal.page(describe_metric(word, width=terminal.example_width).text)
    except UnknownName as error:
        known = [
            *SUMMARIES,
            *(row.path for row in list_keys()),
            *(metric.name for metric in metrics()),
        ]
        raise UnknownName("command, key, problem code or metric", word, known) from error


def about(
    context: typer.Context,
    path: options.Challenge,
    page: Annotated[
        str | None, typer.Argument(metavar="[PAGE]", help="One of its pages, such as rules.")
    ] = None,
) -> Result:
    """Print the description of a challenge and its pages, or one of them."""
    from scorer.api.about import describe_challenge

    terminal: Terminal = context.obj
    challenge, notes = terminal.read_challenge(path)
    return Result(describe_challenge(challenge, page, terminal.look(None)), notes)


def metrics(
    context: typer.Context,
    name: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]",
            help="A metric: nDCG, nDCG(gain=exp2)@10, by a name elsewhere, such as roc_auc_score, "
            "or by words, such as hit rate.",
        ),
    ] = None,
    format: options.Format = Form.text,
) -> Result:
    """List the metrics, or print the page of one."""
    words = " ".join(name or ())
    if format is Form.json:
        from scorer.api.catalogue import list_metrics

        return Result(format_json(list_metrics(words)))
    if not name:
        from scorer.metrics import catalogue

        return Result(context.obj.page(catalogue.overview(catalogue.metrics()), "catalogue"))
    from scorer.api.example import describe_metric  # which scores, as the overview does not

    return Result(context.obj.page(describe_metric(words, width=context.obj.example_width).text))


def rule(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="[CODE]", help="A problem code, such as S304.")
    ] = None,
) -> Result:
    """List the problem codes, or print the page of one."""
    if name is None:
        lines = [f"{entry.code}  {entry.severity:7}  {entry.title}" for entry in codes().values()]
        return Result(context.obj.page("\n".join(lines) + "\n", "catalogue"))
    return Result(context.obj.page(code(name).text))


def schema(
    result: Annotated[
        str | None,
        typer.Argument(
            metavar="RESULT",
            help="What --format json writes: report, findings, comparison, explanation, "
            "soundness, study, votes, catalogue, audit, log, rescoring, entry, decision, team, "
            "standing, verification. Default: challenge.yaml.",
        ),
    ] = None,
) -> Result:
    """Print the JSON Schema of challenge.yaml, for editors that complete it, or of a result."""
    if result is None:
        from scorer.challenge.schema import schema as schema_of_challenge

        document = schema_of_challenge()
    else:
        from scorer.results import json as results

        if result not in results.RESULTS:
            unknown = UnknownName("result", result, list(results.RESULTS))
            raise UsageError(f"{unknown} (results: {', '.join(results.RESULTS)})")
        document = results.schema(result)
    return Result(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
