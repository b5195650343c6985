"""Output forms, and the data that several of them share.

Every subject (a leaderboard, a comparison, findings, an explanation, soundness) has a folder of
forms, one file each; an installed project adds more by an entry point of the subject's group.

Stability: plugin.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, NamedTuple, TypeVar

from scorer.core.registry import Registry, discover, load_one, mark

# subject -> its group of entry points; a subject's folder has its name
GROUPS = {
    "leaderboard": "scorer.reports",
    "comparison": "scorer.compared",
    "findings": "scorer.findings",
    "explanation": "scorer.explanation",
    "soundness": "scorer.soundness",
}
PRIVATE = "Not for publication: this report was made with --private, for organizers only."
EXPLAINED = "Not for publication: this shows items of the truth, for organizers only."
LINTED = "Not for publication: this was made from the truth, for organizers only."
SHARED = {"cells", "curves", "power"}  # modules beside the forms, which define none


class Options(NamedTuple):
    """How a text is to look; nothing here changes a value."""

    precision: int = 4
    per_list: bool = False
    width: int | None = None  # of a terminal; None: nothing is cut, as in a file
    colour: bool = False
    every: bool = False  # all places of a problem, not only the first; all pairs
    quiet: bool = False  # no warnings
    private: bool = False  # with what only organizers may read


Write = Callable[[Any, Options], str]


F = TypeVar("F", bound=Write)


class Form(NamedTuple):
    """A way to write a subject as text."""

    name: str
    function: Write
    aliases: tuple[str, ...] = ()
    paths: bool = False  # whether it needs the paths of files, for marks at their lines

    def write(self, data: Any, options: Options) -> str:
        """The text of `data`; unless it is private, of what may be published of it."""
        if not options.private and hasattr(data, "published"):
            data = data.published(self.paths)
        return self.function(data, options)


# a type for each subject, so that one file can define forms of several
TYPES: dict[str, type[Form]] = {subject: type(subject, (Form,), {}) for subject in GROUPS}


def form(subject: str, name: str, *, paths: bool = False) -> Callable[[F], F]:
    r"""Make a function from a subject's data to text the form of that name.

    Args:
        subject: what is written: leaderboard, comparison, findings, explanation, soundness.
        name: of the form.
        paths: whether it needs the paths of files; else it gets their names only.

    >>> @form("leaderboard", "names")
    ... def names(report, options):
    ...     return "".join(f"{standing.name}\n" for standing in report.standings)
    """
    return lambda function: mark(function, TYPES[subject](name, function, paths=paths))


@cache
def forms(subject: str) -> Registry[Form]:
    """Every form of a subject: those in its folder and the installed ones."""
    package = f"{__package__}.{subject}"
    return discover(f"{subject} format", package, TYPES[subject], GROUPS[subject])


def form_of(subject: str, name: str) -> Form:
    """The form of that name. Raises `UnknownName`."""
    package = f"{__package__}.{subject}"
    return load_one(package, TYPES[subject], name) or forms(subject).get(name)


def form_names(subject: str) -> str:
    """The names of a subject's own forms for a command's help; none of them is loaded."""
    folder = Path(__file__).parent / subject
    names = (module.name for module in iter_modules([str(folder)]))
    return ", ".join(name for name in names if name not in SHARED)


class TableData(NamedTuple):
    """A further table; each row begins with what it is about. Texts are not escaped yet."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
