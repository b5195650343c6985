"""`score help [NAME]`: the commands, or what a metric, problem code, key or command means."""

from __future__ import annotations

import re
from textwrap import fill
from typing import Annotated

import typer

from scorer.cli.options import Result, Terminal
from scorer.cli.verbs import MAIN, OTHERS, colour_help, command, names, overview
from scorer.core.errors import UnknownName

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
    pages = [*_command_pages(context, word), *_code_pages(terminal, word)]
    pages += _key_pages(terminal, word)
    return Result("\n".join(pages or [_metric_page(terminal, word)]))


def _command_pages(context: typer.Context, word: str) -> list[str]:
    """The help of the command of that name, if there is one."""
    if word not in names():
        return []
    found = command(word)
    with found.make_context(word, [], parent=context.parent, resilient_parsing=True) as inner:
        return [found.get_help(inner) + "\n"]


def _code_pages(terminal: Terminal, word: str) -> list[str]:
    """The page of the problem code, if the word is written as one."""
    if not CODE.fullmatch(word):
        return []
    from scorer.core.codes import code

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
            *names(),
            *(row.path for row in list_keys()),
            *(metric.name for metric in metrics()),
        ]
        raise UnknownName("command, key, problem code or metric", word, known) from error
