"""The formats of reports: syntaxes that every subject has, and formats of one subject.

A subject (a leaderboard, a comparison, findings, an explanation, soundness, a study, a board
of votes) has a folder that says what there is to write: `document`, its blocks, and `rows`, a table
of exact values. JSON is the result itself. A module of `write` is a syntax of one of the three for
all subjects.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple

from scorer.core.errors import UnknownName, UsageError
from scorer.core.text import printable

DECIMALS = 3  # of values from 0 to 1; larger ones have one significant digit more
MAX_PROBLEMS = 50  # of a file, in a text whose length is limited
ALIASES = {"table": "text"}  # other names of syntaxes
# Suffixes of files that are not the name of their format.
SUFFIXES = {"md": "markdown", "tex": "latex", "htm": "html", "txt": "text"}


class Syntax(NamedTuple):
    """How the module of a syntax writes a subject; its function has the name of the module.

    Attributes:
        takes: What the function writes: a `Document`, `ExactRows`, or the result itself.
        page: Whether it has room for everything.
        standalone: Whether its text is read without the command's other output.
        problems: Whether a board in it has the problems of files.
    """

    takes: Literal["document", "rows", "data"]
    page: bool = False
    standalone: bool = True
    problems: bool = True


class OwnFormat(NamedTuple):
    """A format of one subject; its function has the name of the format.

    Attributes:
        module: The module below this package.
        paths: Whether it needs the paths of files, for marks at their lines.
        public: Whether it holds only what may be published, even with --private: platforms do.
        listed: Whether a command's help names it. Formats that only bundles use are not listed.
    """

    module: str
    paths: bool = False
    public: bool = False
    listed: bool = True


SYNTAXES: dict[str, Syntax] = {
    "csv": Syntax("rows"),
    "html": Syntax("document", page=True),
    "json": Syntax("data"),
    "latex": Syntax("document", problems=False),
    "markdown": Syntax("document"),
    "text": Syntax("document", standalone=False, problems=False),
}

PLATFORM = OwnFormat("leaderboard.platforms", public=True, listed=False)

# The formats of each subject beside the syntaxes; a subject's folder has its name.
SUBJECTS: dict[str, dict[str, OwnFormat]] = {
    "leaderboard": {
        "classroom": PLATFORM,
        "codabench": PLATFORM,
        "evalai": PLATFORM,
        "github": OwnFormat("leaderboard.github", paths=True),
        "grades": OwnFormat("leaderboard.feedback", public=True, listed=False),
        "gradescope": PLATFORM,
        "grand-challenge": PLATFORM,
        "tira": PLATFORM,
    },
    "comparison": {"jsonl": OwnFormat("comparison.rows")},
    "findings": {
        "github": OwnFormat("findings.lines"),
        "lines": OwnFormat("findings.lines", listed=False),
    },
    "explanation": {},
    "soundness": {},
    "study": {},
    "votes": {},
}


class Options(NamedTuple):
    """How a text is to look; nothing here changes a value."""

    precision: int = DECIMALS
    distinct: bool = True  # more decimals where rows of different rank would show equal values
    per_list: bool = False
    notes: bool = False  # a board with all remarks on its numbers, and all means by group
    all_rows: bool = False  # a board on a terminal with all of its rows
    width: int | None = None  # of a terminal; None: nothing is cut, as in a file
    colour: bool = False
    every: bool = False  # all places of a problem, all pairs, all notes: --all
    quiet: bool = False  # no warnings
    private: bool = False  # with what only organizers may read
    page: bool = False  # with everything that a page has room for; a syntax sets it
    standalone: bool = True  # read without the command's other output; a syntax sets it
    problems: bool = True  # a board has the problems of its files; a syntax sets it
    max_problems: int = MAX_PROBLEMS  # of a file, in a text whose length is limited

    @property
    def links(self) -> bool:
        """Whether names are links to files of this machine: only on a terminal."""
        return self.colour and self.width is not None


class ReportFormat(NamedTuple):
    """A format of a subject. The modules that it needs are imported when it writes."""

    subject: str
    name: str

    @property
    def public(self) -> bool:
        """Whether it holds only what may be published, whatever the options are."""
        own = SUBJECTS[self.subject].get(self.name)
        return own is not None and own.public

    def write(self, data: Any, options: Options) -> str:
        """Return the text of a result; without `private`, of what may be published of it."""
        own = SUBJECTS[self.subject].get(self.name)
        if (self.public or not options.private) and hasattr(data, "published"):
            paths = own is not None and own.paths
            data = data.published(paths or options.links)
        if own is not None:
            return _call_writer(own.module, self.name, data, options)
        syntax = SYNTAXES[self.name]
        options = options._replace(
            page=syntax.page, standalone=syntax.standalone, problems=syntax.problems
        )
        if syntax.takes == "data":
            data = data.with_lists() if options.per_list and hasattr(data, "with_lists") else data
        else:
            module = import_module(f"{__package__}.{self.subject}.{syntax.takes}")
            data = getattr(module, syntax.takes)(data, options)
        return _call_writer(f"write.{self.name}", self.name, data, options)


def _call_writer(module: str, name: str, data: Any, options: Options) -> str:
    """Return what the function of a format in a module writes."""
    write = getattr(import_module(f"{__package__}.{module}"), name.replace("-", "_"))
    return str(write(data, options))


def report_formats(subject: str) -> list[ReportFormat]:
    """Return the formats of a subject, in the order of their names."""
    return [ReportFormat(subject, name) for name in sorted({*SYNTAXES, *SUBJECTS[subject]})]


def report_format(subject: str, name: str) -> ReportFormat:
    """Return the format of that name, whatever its case; or raise `UnknownName`."""
    folded = name.casefold()
    wanted = ReportFormat(subject, ALIASES.get(folded, folded))
    formats = report_formats(subject)
    if wanted not in formats:
        names = [*(each.name for each in formats), *ALIASES]
        raise UnknownName(f"{subject} format", name, names)
    return wanted


def format_names(subject: str) -> str:
    """Return the names of a subject's formats, for a command's help."""
    unlisted = {name for name, own in SUBJECTS[subject].items() if not own.listed}
    return ", ".join(each.name for each in report_formats(subject) if each.name not in unlisted)


def format_of_path(subject: str, path: Path) -> ReportFormat | None:
    """Return the format of a subject that a file's suffix names; None if it names no format.

    Raises:
        UsageError: It names a format that only other subjects have.
    """
    suffix = path.suffix.lower().removeprefix(".")
    name = SUFFIXES.get(suffix, suffix)
    named = ReportFormat(subject, name)
    if named in report_formats(subject):
        return named
    if any(ReportFormat(other, name) in report_formats(other) for other in SUBJECTS):
        message = f"{printable(path)}: a {subject} is not written as {name}; there are"
        raise UsageError(f"{message} {format_names(subject)}")
    return None


class ExactRows(NamedTuple):
    """A table of exact values for programs: numbers as they are, None and NaN for no value."""

    head: list[str]
    rows: list[list[Any]]
