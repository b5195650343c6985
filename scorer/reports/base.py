"""Output forms: the syntaxes that every subject has, and forms of a subject's own.

A subject (a leaderboard, a comparison, findings, an explanation, soundness, power, a study, a board
of votes) has a folder that tells what there is to write: `document`, its blocks, `rows`, a table
of exact values, and `fields`, all of it for programs. A file of `write` is a syntax of one of the
three for all subjects; another module of a subject's folder is a form of its own. An installed
project adds forms by an entry point of the subject's group.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from scorer.core.errors import UsageError
from scorer.core.registry import Registry, discover, load_one, mark, modules_in
from scorer.core.text import printable

# subject -> its group of entry points; a subject's folder has its name
GROUPS = {
    "leaderboard": "scorer.reports",
    "comparison": "scorer.compared",
    "findings": "scorer.findings",
    "explanation": "scorer.explanation",
    "soundness": "scorer.soundness",
    "power": "scorer.power",
    "study": "scorer.study",
    "votes": "scorer.votes",
}
PRIVATE = "Not for publication: this report was made with --private, for organizers only."
EXPLAINED = "Not for publication: this shows items of the truth, for organizers only."
LINTED = "Not for publication: this was made from the truth, for organizers only."
PLATFORMS = "platforms"  # the folder of their result files, of subjects that have any
# modules that are no forms
SHARED = {
    "answers",
    "cells",
    "curves",
    "diagnosis",
    "document",
    "feedback",
    "fields",
    "front",
    "method",
    "page",
    "problems",
    "prose",
    "remarks",
    "rows",
    "sent",
    "told",
    PLATFORMS,
}
MOST = 50  # problems of a file that a bounded text tells
ALIASES = {"table": "text"}  # of syntaxes
# what suffixes mean that are not called as their form
SUFFIXES = {"md": "markdown", "tex": "latex", "htm": "html", "txt": "text"}


class Options(NamedTuple):
    """How a text is to look; nothing here changes a value."""

    precision: int = 4
    per_list: bool = False
    width: int | None = None  # of a terminal; None: nothing is cut, as in a file
    colour: bool = False
    every: bool = False  # all places of a problem, not only the first; all pairs
    quiet: bool = False  # no warnings
    private: bool = False  # with what only organizers may read
    page: bool = False  # with everything that a page has room for; a syntax sets it
    alone: bool = True  # read without the command's other output; a syntax sets it
    problems: bool = True  # a board tells its files' problems; a syntax sets it
    most: int = MOST  # problems that a bounded text tells of a file
    ascii: bool = False  # signs of ASCII alone, where the terminal's encoding has no others

    @property
    def links(self) -> bool:
        """Whether names are links to files of this machine: on a terminal alone."""
        return self.colour and self.width is not None


WRITE = f"{__package__}.write"
WriteReport = Callable[[Any, Options], str]
F = TypeVar("F", bound=WriteReport)


class ReportForm(NamedTuple):
    """A way to write a subject as text."""

    name: str
    function: WriteReport
    aliases: tuple[str, ...] = ()
    paths: bool = False  # whether it needs the paths of files, for marks at their lines
    public: bool = False  # whether it only ever holds what may be published

    def write(self, data: Any, options: Options) -> str:
        """The text of `data`; unless it is private, of what may be published of it."""
        if (self.public or not options.private) and hasattr(data, "published"):
            data = data.published(self.paths or options.links)
        return self.function(data, options)


# a type for each subject, so that one file can define forms of several
TYPES: dict[str, type[ReportForm]] = {
    subject: type(subject, (ReportForm,), {}) for subject in GROUPS
}


def form(subject: str, name: str, *, paths: bool = False, public: bool = False) -> Callable[[F], F]:
    r"""Make a function from a subject's data to text the form of that name.

    Args:
        subject: what is written: leaderboard, comparison, findings, explanation, soundness, power,
            study, votes.
        paths: whether it needs the paths of files; else it gets their names only.
        public: whether it holds no more with --private, as what goes to other platforms.

    >>> @form("leaderboard", "names")
    ... def names(report, options):
    ...     return "".join(f"{standing.name}\n" for standing in report.standings)
    """
    return lambda function: mark(
        function, TYPES[subject](name, function, paths=paths, public=public)
    )


class Syntax(NamedTuple):
    """A way to write every subject."""

    name: str
    function: WriteReport
    aliases: tuple[str, ...]
    takes: Literal["document", "rows", "fields"]
    page: bool
    alone: bool
    problems: bool

    def form(self, subject: str) -> ReportForm:
        """The form of a subject in this syntax."""

        def write(data: Any, options: Options) -> str:
            options = options._replace(page=self.page, alone=self.alone, problems=self.problems)
            made = getattr(import_module(f"{__package__}.{subject}.{self.takes}"), self.takes)
            return self.function(made(data, options), options)

        return TYPES[subject](self.name, write, self.aliases)


def syntax(
    name: str,
    *aliases: str,
    takes: Literal["document", "rows", "fields"] = "document",
    page: bool = False,
    alone: bool = True,
    problems: bool = True,
) -> Callable[[F], F]:
    """Make a function the syntax of that name.

    Args:
        takes: what the function writes: a `Document`, `ExactRows`, or a record of fields.
        page: whether it has room for everything.
        alone: whether its text is read without the command's other output.
        problems: whether a board in it tells the problems of files.
    """
    made = Syntax(name, lambda data, options: "", aliases, takes, page, alone, problems)
    return lambda function: mark(function, made._replace(function=function))


@cache
def forms(subject: str) -> Registry[ReportForm]:
    """Every form of a subject: its syntaxes, those in its folder, and the installed ones."""
    own = discover(f"{subject} format", f"{__package__}.{subject}", TYPES[subject], GROUPS[subject])
    syntaxes = discover("syntax", WRITE, Syntax)
    return own.with_((each.form(subject), syntaxes.origin(each) or "") for each in syntaxes)


def form_of(subject: str, name: str) -> ReportForm:
    """The form of that name. Raises `UnknownName`."""
    if own := load_one(f"{__package__}.{subject}", TYPES[subject], name):
        return own
    written = load_one(WRITE, Syntax, ALIASES.get(name, name))
    return written.form(subject) if written else forms(subject).get(name)


@cache
def form_names(subject: str) -> str:
    """The names of a subject's forms for a command's help; none of them is loaded."""
    here = Path(__file__).parent
    folders = [here / "write", here / subject, here / subject / PLATFORMS]
    names = {name.replace("_", "-") for name in modules_in(map(str, folders))}
    return ", ".join(sorted(names - SHARED))


def form_at(subject: str, path: Path) -> ReportForm | None:
    """The form that a file's suffix means; None where it means none of any subject's.

    `UsageError` if it means a form that this subject does not have.
    """
    suffix = path.suffix.lower().removeprefix(".")
    name = SUFFIXES.get(suffix, suffix)
    if name in (names := form_names(subject).split(", ")):
        return form_of(subject, name)
    if any(name in form_names(other).split(", ") for other in GROUPS):
        message = f"{printable(path)}: a {subject} is not written as {name}; there are"
        raise UsageError(f"{message} {', '.join(names)}")
    return None


class ExactRows(NamedTuple):
    """A table of exact values for programs: numbers as they are, None and NaN for no value."""

    head: list[str]
    rows: list[list[Any]]
