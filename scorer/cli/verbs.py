"""The command line: a group of verbs, each imported when it is called.

A command line whose first word is no verb, such as `score CHALLENGE SUBMISSION...`, calls the
command `score` of the group.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from inspect import get_annotations
from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command, get_install_completion_arguments

from scorer.cli.process import reserve_stdout
from scorer.core.errors import UsageError
from scorer.core.text import nearest, quoted

PROGRAM = "score"
DEFAULT = "score"  # the command of a command line without a verb
WORDS = "CHALLENGE SUBMISSION..."  # that it takes
HELP = ("-h", "--help")
MORE = "More options"  # the heading of options that few need, which help lists last
MAIN = {  # heading -> verb -> what it does: the verbs that `score --help` lists
    "Prepare and compare": {
        "init": "write a challenge to start from; --from TRUTH SAMPLE guesses it",
        "lint": "is the challenge itself sound?",
        "kit": "what participants get",
        "check": "only the checks, blind to the answers",
        "compare": "submissions compared list by list",
        "explain": "the worst lists, or a value step by step",
    },
    "Run a living board": {
        "add": "check files, record them as entries, evaluate them",
        "board": "the living leaderboard, in every form of a report, or as a website",
        "team": "teams, and tokens of teams and organizers",
        "log": "entries, decisions, versions and teams in the order of time",
        "serve": "the web page and the API of living boards",
        "submit": "a participant's way in: checks with the kit, uploads, waits, shows",
    },
    "Publish": {
        "paper": "figures, tables, methods, BibTeX for a paper",
        "export": "a challenge as a bundle for another platform",
    },
}
OTHERS = {  # the verbs that only `score help --all` lists, in the same form
    "Study and rank": {
        "study": "how far does the board depend on what was decided?",
        "values": "rank systems by values that other tools computed, without a challenge",
        "votes": "rank systems by votes on pairs of them",
    },
    "More of a living board": {
        "why": "why a team stands where it stands",
        "decide": "disqualify, restore, select, ..",
        "rescore": "evaluate all entries under the files as they are now",
        "audit": "copies, near-copies and probing; for organizers",
        "seal": "commit to truth and rules before the start",
        "reveal": "open what was sealed, for anybody to verify",
        "verify": "receipts, a revealed folder, a store: does all of it fit together?",
        "store": "back up a store, move it, copy entries' files",
        "feedback": "a text for each student, and the gradebook",
        "work": "evaluate what waits, on any machine that reaches the store",
    },
    "Look up": {
        "help": "the commands, or what a metric, problem code, key or command means",
        "about": "what the challenge says of itself, such as its rules and data",
        "metrics": "the catalogue, or one metric's page",
        "rule": "the problem codes, or one code's page",
        "schema": "the JSON Schema of challenge.yaml, or of a result",
    },
}
SUMMARIES = {
    verb: summary for members in (MAIN | OTHERS).values() for verb, summary in members.items()
}
MODULES = {  # module of cli.commands -> its commands
    "score": ("score", "check", "explain"),
    "compare": ("compare", "values", "votes", "study"),
    "organize": ("init", "lint", "kit", "export", "paper"),
    "living": ("add", "team", "board", "why", "feedback"),
    "upkeep": ("decide", "log", "rescore", "audit", "seal", "reveal", "verify", "store"),
    "serving": ("serve", "work", "submit"),
    "lookup": ("help", "about", "metrics", "rule", "schema"),
}
FIRST_STEPS = ("init", "lint", "check", "compare", "explain")  # named by `score` without words

# In the text of help: headings, and the options and verbs at the begin of its rows.
HEADING = re.compile(r"^[A-Z][A-Za-z ]*:", re.M)
OPTION_OR_VERB = re.compile(r"(?<=^  )(?:--?[a-z][\w-]*(?:, --[\w-]+)?|[a-z]+(?=  ))", re.M)
VERB_LIKE = re.compile(r"\w[\w-]*")  # a word with neither a suffix nor a slash, as paths have
SYNONYMS = {"power": "lint"}  # words that people try -> the verb that does it
COPIES = "score store files CHALLENGE --entries 3,9 -o DIR copies their files"
INSTEAD = {  # (verb, option that it does not have) -> what to use
    ("board", "--as-of"): "--at shows the board of any time",
    ("check", "--statistics"): "what a file looks like is always said",
    ("compare", "--entries"): COPIES,
    ("explain", "--entries"): COPIES,
    ("study", "--entries"): COPIES,
}


class Verb(TyperCommand):
    """A verb; while it runs, output of other code goes to stderr."""

    def invoke(self, ctx: Any) -> Any:
        """Run it, and clean up when it has ended."""
        with reserve_stdout(), ctx.obj.cleanup:
            return super().invoke(ctx)

    def get_help(self, ctx: Any) -> str:
        """Return its help, in colours where the terminal has them."""
        text = super().get_help(ctx)
        return colour_help(text) if getattr(ctx.obj, "colour", False) else text

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words of the usage line; an argument that may be left out is in brackets."""
        words = ["[OPTIONS]"]
        for argument in self._arguments():
            word = str(argument.metavar)
            words.append(word if argument.required or "[" in word else f"[{word}]")
        return words

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write its arguments and options, those that few need under a heading of their own."""
        sections: dict[str, list[tuple[str, str]]] = {
            "Arguments": [(str(a.metavar), a.help or "") for a in self._arguments()],
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


class DefaultCommand(Verb):
    """The command without a verb, whose help lists the verbs too."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the verbs of MAIN, and where to find more, below the options."""
        lines = [*overview(MAIN), *LAST_LINES]
        # \b: no line of a paragraph is filled
        self.epilog = "\b\n" + "\n".join(lines).replace("\n\n", "\n\n\b\n")
        super().format_epilog(ctx, formatter)


class Verbs(TyperGroup):
    """The group of all verbs; a verb is imported when it is looked up."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the verbs, of which none is imported."""
        return list(SUMMARIES)

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | None:
        """Return a command, which is imported now; None if there is none of that name."""
        return command(cmd_name) if cmd_name in (DEFAULT, *SUMMARIES) else None

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words with the verb first; without any words, say the first steps and exit."""
        options = {option for parameter in self.params for option in parameter.opts}
        if not ctx.resilient_parsing and not args:
            text = "\n".join([*INTRODUCTION, *_rows(FIRST_STEPS), "", HINT])
            typer.echo(colour_help(text) if ctx.obj.colour else text)
            ctx.exit(0)
        if args and args[0] not in options:
            args = _with_verb_first(args)
        if args and args[0] == DEFAULT:
            ctx.info_name = None  # else messages would call it "score score"
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Return the verbs, and the options and paths of the command without a verb."""
        default = command(DEFAULT)
        with default.make_context(DEFAULT, [], parent=ctx, resilient_parsing=True) as inner:
            return [
                *super().shell_complete(ctx, incomplete),
                *default.shell_complete(inner, incomplete),
            ]


def verbs(completing: bool) -> Verbs:
    """Return the whole command line; if the shell completes, with the options for that."""
    return Verbs(
        name=PROGRAM,
        params=list(get_install_completion_arguments()) if completing else [],
        rich_markup_mode=None,
        context_settings={"help_option_names": list(HELP)},
        add_help_option=False,
    )


@cache
def command(verb: str) -> TyperCommand:
    """Return a verb, or the command without one; only its module is imported."""
    module = next(name for name, members in MODULES.items() if verb in members)
    function = getattr(import_module(f"scorer.cli.commands.{module}"), verb)
    function.__annotations__ = get_annotations(function, eval_str=True)  # typer would do so twice
    app = typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # so that help does not wait for rich
    )
    app.command(name=verb, cls=DefaultCommand if verb == DEFAULT else Verb)(function)
    return get_command(app)  # type: ignore[return-value]


def _with_verb_first(words: list[str]) -> list[str]:
    """Return the words with the verb at the front, or with `score` if there is none.

    `UsageError` if the first word is neither a verb nor a file. A word that is written as a path
    and is no file is passed on where more words follow: reading it says that it is not there.
    """
    at = _first_argument(words) if words[0].startswith("-") else 0
    word = words[at] if at < len(words) and not words[at].startswith("-") else ""
    if word in SUMMARIES:
        return [word, *words[:at], *words[at + 1 :]]
    if word and not os.path.lexists(word):
        suggestion = SYNONYMS.get(word) or nearest(word, SUMMARIES)
        if suggestion is not None or VERB_LIKE.fullmatch(word):
            hint = f"did you mean {suggestion}?" if suggestion else _similar_file(word)
            raise UsageError(f"no command and no file is called {quoted(word)}; {hint}")
        if words == [word]:
            raise UsageError(f"no file is called {quoted(word)}; write {PROGRAM} {WORDS}")
    return [DEFAULT, *words]


def _similar_file(word: str) -> str:
    """Return a hint on a word that is no verb and no file: a file with a similar name, or help."""
    with suppress(OSError):  # the current folder may be gone
        if similar := nearest(word, os.listdir()):
            return f"did you mean {quoted(similar)}?"
    return "score --help lists the commands"


def _first_argument(words: list[str]) -> int:
    """Return the index of the first word that is neither an option nor the value of one."""
    with_value = {
        name
        for parameter in command(DEFAULT).params
        if not getattr(parameter, "is_flag", False)
        for name in parameter.opts
    }
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] not in ("-", "--"):
        at += 2 if words[at] in with_value else 1
    return at


INTRODUCTION = [
    f"Usage: {PROGRAM} {WORDS}",
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


def overview(groups: Mapping[str, Iterable[str]]) -> list[str]:
    """Return lines that list the verbs by group, each with what it does."""
    lines = list[str]()
    for group, members in groups.items():
        lines += [f"{group}:", *_rows(members), ""]
    return lines


def _rows(members: Iterable[str]) -> list[str]:
    """Return a line for each verb: its name, and what it does."""
    width = max(map(len, members))
    return [f"  {verb:{width}}  {SUMMARIES[verb]}" for verb in members]


def colour_help(text: str) -> str:
    """Return a help text with its headings, and the words that are typed, in colours."""
    text = HEADING.sub(lambda found: typer.style(found[0], fg="green", bold=True), text)
    return OPTION_OR_VERB.sub(lambda found: typer.style(found[0], fg="cyan", bold=True), text)
