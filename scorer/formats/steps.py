"""The steps to the cells of a JSON document: names, each element (`[]`), each member (`*`)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from scorer.tables.schema import TEXT

STEP = re.compile(r"\[\]|\*|[^.\[\]*]+")
EACH = ("[]", "*")
NAMES = ("list", "item", "better", "worse")  # roles that a member's name can say
Steps = tuple[str, ...]


def steps(path: str) -> Steps:
    """The steps of a path.

    >>> steps("questions[].documents[]"), steps("*[]"), steps("[].id")
    (('questions', '[]', 'documents', '[]'), ('*', '[]'), ('[]', 'id'))
    """
    return tuple(STEP.findall(path))


def is_path(path: str) -> bool:
    """Whether a text is a path: names with dots between, `[]` each element, `*` each member.

    >>> is_path("questions[].id"), is_path("a..b"), is_path("[0].id")
    (True, False, False)
    """
    name = r"(?:\*|[^.\[\]*]+)"
    return re.fullmatch(rf"(?:{name}|(?:\[\])+)(?:\[\]|\.{name})*", path) is not None


def through(path: Steps) -> Steps:
    """The steps to the first of several elements or members; none where there are none."""
    return path[: next((n for n, step in enumerate(path) if step in EACH), -1) + 1]


def depth(path: Steps) -> int:
    """Through how many levels of several elements or members a path leads."""
    return sum(step in EACH for step in path)


def astray(paths: Mapping[str, Steps]) -> str | None:
    """The role whose path leads through other elements than the deepest path; None: none does."""

    def last(path: Steps) -> Steps:
        return path[: max((n for n, step in enumerate(path) if step in EACH), default=-1) + 1]

    deepest = max(map(last, paths.values()), key=len)
    lost = (role for role, path in paths.items() if deepest[: len(last(path))] != last(path))
    return next((role for role in lost), None) or next(
        (role for role, path in paths.items() if not last(path)), None
    )


class PathLevel(NamedTuple):
    """What the paths want of the members of an array or object.

    Attributes:
        opening: its bracket.
        named: the role of which the members' names are the cells, if any.
        here: the names that lead from a member to the cell of each other role.
        head: those that lead from a member to the array or object of its rows, and its bracket;
            None where each member is a row.
        below: what is wanted of the members of that one.
    """

    opening: str
    named: str | None
    here: Mapping[str, Steps]
    head: tuple[Steps, str] | None = None
    below: PathLevel | None = None


def level_of(paths: Mapping[str, Steps], outer: Collection[str] = ()) -> PathLevel | None:
    """What paths want of the members of a value; None where more than two levels have several.

    `outer` are the roles whose cells the values above have given.
    """
    if any(role not in TEXT for role in outer):
        return None
    opening = "[" if next(iter(paths.values()))[0] == "[]" else "{"
    named = next((role for role in NAMES if paths.get(role) == ("*",)), None)
    rest = {role: path[1:] for role, path in paths.items() if role != named}
    deeper = {role: path for role, path in rest.items() if through(path)}
    here = {role: path for role, path in rest.items() if role not in deeper}
    if not deeper:
        return PathLevel(opening, named, here)
    head = through(next(iter(deeper.values())))
    below = level_of({role: path[len(head) - 1 :] for role, path in deeper.items()})
    if below is None or below.head is not None or "list" in outer:
        return None
    return PathLevel(opening, named, here, (head[:-1], "[" if head[-1] == "[]" else "{"), below)
