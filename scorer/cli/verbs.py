"""The verbs as one group of commands, each imported when it is asked for, and the form without.

`score CHALLENGE SUBMISSION...` is the command `score` of the group, which stands for every command
line whose first word is no verb.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from inspect import get_annotations
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command, get_install_completion_arguments

from scorer.cli import commands
from scorer.cli.process import lone_stdout
from scorer.core.errors import UsageError
from scorer.core.text import nearest, quoted

FIRST = PROGRAM = "score"  # the form without a verb
HELP = ("-h", "--help")
MORE = "More options"  # the panel of options that few need, listed after the others
MAIN = {  # the commands that `score --help` lists, by heading
    "Prepare and compare": ("init", "lint", "kit", "check", "compare", "explain"),
    "Run a living board": ("add", "board", "team", "log", "serve", "submit"),
    "Publish": ("paper", "export"),
}
OTHERS = {  # those that `score help --all` lists too
    "Study and rank": ("study", "values", "votes"),
    "More of a living board": (
        "why",
        "decide",
        "rescore",
        "audit",
        "seal",
        "reveal",
        "verify",
        "store",
        "feedback",
        "work",
    ),
    "Look up": ("help", "about", "metrics", "rule", "schema"),
}
FIRST_STEPS = ("init", "lint", "check", "compare", "explain")  # what bare `score` names

HEADING = re.compile(r"^[A-Z][A-Za-z ]*:", re.M)
TYPED = re.compile(r"(?<=^  )(?:--?[a-z][\w-]*(?:, --[\w-]+)?|[a-z]+(?=  ))", re.M)
WORD = re.compile(r"\w[\w-]*")  # what is written as a verb is, and as no path with a suffix
MEANT = {"power": "lint"}  # words that are tried for a command
COPIES = "score store files CHALLENGE --entries 3,9 -o DIR copies their files"
INSTEAD = {  # (command, option that is tried) -> what does it
    ("board", "--as-of"): "--at shows the board of any time",
    ("check", "--statistics"): "what a file looks like is always said",
    ("compare", "--entries"): COPIES,
    ("explain", "--entries"): COPIES,
    ("study", "--entries"): COPIES,
}


class Verb(TyperCommand):
    """A verb, during which what others print stays out of the result."""

    def invoke(self, ctx: Any) -> Any:
        """Run it, and undo what is to be undone when it has ended."""
        with lone_stdout(), ctx.obj.cleanup:
            return super().invoke(ctx)

    def get_help(self, ctx: Any) -> str:
        """Return its help, in colours where the terminal has them."""
        text = super().get_help(ctx)
        return colour_help(text) if getattr(ctx.obj, "colour", False) else text

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words of the usage line: the arguments as they are called in the help."""
        return ["[OPTIONS]", *(str(each.metavar) for each in self._arguments())]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write its arguments and options, those that few need under a heading of their own."""
        sections: dict[str, list[tuple[str, str]]] = {
            "Arguments": [(str(each.metavar), each.help or "") for each in self._arguments()],
            "Options": [],
            MORE: [],
        }
        for option in self.get_params(ctx):
            if row := isinstance(option, TyperOption) and option.get_help_record(ctx):
                sections[option.rich_help_panel or "Options"].append(row)
        for heading, rows in sections.items():
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)

    def _arguments(self) -> list[TyperArgument]:
        return [each for each in self.params if isinstance(each, TyperArgument)]


class First(Verb):
    """The first form, whose help names the verbs too."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Append the overview of the verbs, made only for this."""
        lines = [*overview(MAIN), *LAST_LINES]
        # \b: no line of a paragraph is filled
        self.epilog = "\b\n" + "\n".join(lines).replace("\n\n", "\n\n\b\n")
        super().format_epilog(ctx, formatter)


class Verbs(TyperGroup):
    """The group; its verbs are the modules of a folder."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The verbs, none of them imported."""
        return list(names())

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | None:
        """One verb, imported now."""
        return command(cmd_name) if cmd_name in (FIRST, *names()) else None

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the verb first; without one, that of the first form."""
        options = {option for parameter in self.params for option in parameter.opts}
        if not ctx.resilient_parsing and not args:
            text = "\n".join([*ALONE, *_rows(FIRST_STEPS), "", HINT])
            typer.echo(colour_help(text) if ctx.obj.colour else text)
            ctx.exit(0)
        if args and args[0] not in options:
            args = _ordered(args)
        if args and args[0] == FIRST:
            ctx.info_name = None  # the first form is called as the program is
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """The verbs, and what the first form takes."""
        first = command(FIRST)
        with first.make_context(FIRST, [], parent=ctx, resilient_parsing=True) as inner:
            return [
                *super().shell_complete(ctx, incomplete),
                *first.shell_complete(inner, incomplete),
            ]


def verbs(completing: bool) -> Verbs:
    """The whole command line; with the options of completion by the shell where it completes."""
    return Verbs(
        name=PROGRAM,
        params=list(get_install_completion_arguments()) if completing else [],
        rich_markup_mode=None,
        context_settings={"help_option_names": list(HELP)},
        add_help_option=False,
    )


@cache
def names() -> tuple[str, ...]:
    """The verbs."""
    modules = (module.name for module in iter_modules(commands.__path__))
    return tuple(name for name in modules if name != FIRST)


@cache
def command(verb: str) -> TyperCommand:
    """One verb as a command; no other is imported."""
    function = getattr(import_module(f"{commands.__name__}.{verb}"), verb)
    function.__annotations__ = get_annotations(function, eval_str=True)  # typer would do so twice
    app = typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # so that help does not wait for rich
    )
    app.command(name=verb, cls=First if verb == FIRST else Verb)(function)
    return get_command(app)  # type: ignore[return-value]


def _ordered(words: list[str]) -> list[str]:
    """The words with their verb first; `UsageError` if the first word is no verb, and no file.

    What is written as a path is one, unless it is nearly a verb: reading it says that it is not
    there.
    """
    at = _after_options(words) if words[0].startswith("-") else 0
    word = words[at] if at < len(words) and not words[at].startswith("-") else ""
    if word in names():
        return [word, *words[:at], *words[at + 1 :]]
    if word and not os.path.lexists(word):
        suggestion = MEANT.get(word) or nearest(word, names())
        if suggestion is not None or WORD.fullmatch(word):
            hint = f"did you mean {suggestion}?" if suggestion else _similar_file(word)
            raise UsageError(f"no command and no file is called {quoted(word)}; {hint}")
    return [FIRST, *words]


def _similar_file(word: str) -> str:
    """What to do where a word is no verb and no file, and is near to no verb."""
    with suppress(OSError):  # the current folder may be gone
        if similar := nearest(word, os.listdir()):
            return f"did you mean {quoted(similar)}?"
    return "score --help lists the commands"


def _after_options(words: list[str]) -> int:
    """Where the first word stands that is neither an option nor an option's value."""
    takes = {
        name
        for parameter in command(FIRST).params
        if not getattr(parameter, "is_flag", False)
        for name in parameter.opts
    }
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] not in ("-", "--"):
        at += 2 if words[at] in takes else 1
    return at


ALONE = [
    f"Usage: {PROGRAM} CHALLENGE SUBMISSION...",
    "",
    "  Check, score and rank submissions: score challenge.yaml submission.csv",
    "",
    "First commands:",
]
HINT = "score --help: all options and commands; score help NAME: a metric, code or key"
LAST_LINES = [
    "score COMMAND --help has a command's options; score help --all lists every",
    "command; score help NAME explains a metric, a problem code, or a key.",
    "score --version; --debug shows where an error came from; --color auto, always",
    "or never; --install-completion, --show-completion: completion by the shell",
]


def overview(groups: Mapping[str, Sequence[str]]) -> list[str]:
    """Return lines that list the verbs by group, each with what it does."""
    lines = list[str]()
    for group, members in groups.items():
        lines += [f"{group}:", *_rows(members), ""]
    return lines


def _rows(members: Sequence[str]) -> list[str]:
    """A line for each verb: its name, and what it does."""
    width = max(map(len, members))
    return [f"  {verb:{width}}  {_summary(verb)}" for verb in members]


def _summary(verb: str) -> str:
    """What a verb does: the first line of its module, which is read and not imported."""
    with Path(commands.__path__[0], f"{verb}.py").open(encoding="utf-8") as source:
        page = source.readline().strip().strip('"')  # parsing whole modules takes long
    return page.replace("`", "").partition(": ")[2].removesuffix(".")


def colour_help(text: str) -> str:
    """Return a help text with its headings, and the words that are typed, in colours."""
    text = HEADING.sub(lambda found: typer.style(found[0], fg="green", bold=True), text)
    return TYPED.sub(lambda found: typer.style(found[0], fg="cyan", bold=True), text)
