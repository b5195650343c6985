"""The form of a file that is not plain: what its rows and cells stand for, as data.

A plain file has a header and a row for each item. Every other form becomes the same columns,
with the same lines, by one step between the cells that a format cuts and the table:

    cells of a line -> keys of its line -> a row for each wide column -> a row for each id of a cell
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from scorer.core.text import join_first, nearest, printable, quoted
from scorer.tables.schema import TEXT, Schema

WHITESPACE = "whitespace"
NO_SEPARATOR = "none"  # a line is one cell
WRITTEN = {"tab": "\t", "blank": " ", "comma": ",", "semicolon": ";", "bar": "|"}
MOST_PARTS = 30  # so that the number of any line has 31 bits
PART = "/"  # between the part that a list is in, and its name
# of these, the first that a shape has is what wide columns hold
VALUE_ROLES = (
    *("prediction", "label", "probability[0]", "score", "grade", "rating", "target", "rank"),
)
BRACKETS = {"[": "]", "(": ")"}
BEFORE_EACH = "\0"  # of several texts, none of which holds it: files with it are refused


class Keys(NamedTuple):
    """A public file whose rows say, in their order, what lines or values without ids are about."""

    file: Path
    format: str | None = None
    columns: tuple[tuple[str, str], ...] = ()
    form: FileForm | None = None
    part: str = ""  # whose lists alone are meant, where lists are named by parts


class KeyTable(NamedTuple):
    """The ids of lines, or values, that have none: of each row the list and, if any, the item."""

    lists: Sequence[str]
    items: Sequence[str] | None
    name: str  # of the file

    def of_part(self, part: str) -> KeyTable:
        """The rows of the lists of a part, called as in its file; all where none is of a part."""
        if not part or not any(PART in name for name in self.lists):
            return self
        rows = [n for n, name in enumerate(self.lists) if part_of(name) == part]
        items = None if self.items is None else [self.items[n] for n in rows]
        return KeyTable([row_of(self.lists[n]) for n in rows], items, self.name)

    @property
    def by_list(self) -> Mapping[str, list[str]]:
        """The items of each list, in their order."""
        items_by_list: dict[str, list[str]] = {}
        for name, item in zip(self.lists, self.items or (), strict=True):
            items_by_list.setdefault(name, []).append(item)
        return items_by_list


class FileForm(NamedTuple):
    """How a file is written, where it is not plain. Hashable, and pickles."""

    header: tuple[str, ...] = ()  # the columns of a file that does not name them
    separator: str = ""  # one character, `whitespace` or `none`; empty: as the file's name has it
    skip: int = 0  # lines before anything else
    comment: tuple[str, ...] = ()  # lines that begin so are no rows
    cells: tuple[tuple[str, str], ...] = ()  # role, and what separates several of them in a cell
    wide: tuple[str, tuple[str, ...]] | None = None  # a role, and the columns that are named by it
    lines: Keys | None = None
    candidates: Keys | None = None  # the items of each list, for cells that hold values of them
    json: tuple[tuple[str, str], ...] = ()
    parts: tuple[tuple[str, str], ...] = ()  # the name of a part, and its file
    known: tuple[str, ...] = ()  # what wide columns are about, where all of that is known

    @property
    def reshapes(self) -> bool:
        """Whether rows are made otherwise than a line each."""
        return bool(self.skip or self.comment or self.cells or self.wide or self.lines)

    @property
    def vector(self) -> bool:
        """Whether cells hold values, one for each candidate of their list in its order."""
        roles = [role for role, _ in self.cells]
        return bool(roles) and not any(role in TEXT for role in roles)


PLAIN = FileForm()


@dataclass(frozen=True, slots=True)
class CutSchema(Schema):
    """The columns as they stand in the file, from which those of `outer` are made."""

    outer: Schema = field(default_factory=lambda: Schema(()))
    wide: tuple[str, ...] = ()  # of each wide column what its name says
    value: str = ""  # the role of what wide columns hold


class NoColumns(Exception):
    """A file has no column that the form asks for; the message says which."""


def separator_of(word: str) -> str:
    """The character that a separator's name stands for."""
    return WRITTEN.get(word, word)


def cut_schema(form: FileForm, shape: Schema, names: Sequence[str] | None) -> Schema:
    """The columns that a file must have so that a shape can be made of it.

    `names` is None where columns have none; `NoColumns` if none is a name of wide columns.
    """
    if not (form.cells or form.wide or form.lines):
        return shape
    implied = set()  # roles that stand in no column
    if form.lines is not None:
        implied |= {"list", "item"} if dict(form.lines.columns).get("item") else {"list"}
    if form.vector:
        implied.add("item")
    several = [role for role, _ in form.cells]
    labels: tuple[str, ...] = ()
    value, columns = "", dict(shape.columns)
    wide: list[str] = []
    if form.wide is not None:
        role, patterns = form.wide
        value = wide_value(role, shape)
        implied |= {role, value} if role != "list" else {value}
        other_columns = {shape.called(r) for r in shape.roles if r not in implied}
        wide_columns = list(matched(patterns, names or (), other_columns))
        if not wide_columns:
            asked_names = ", ".join(map(quoted, patterns))
            have = printable(", ".join((names or ())[:12]), 300)
            similar = nearest(patterns[0].replace("*", ""), list(names or ()))
            hint = f"; {quoted(similar)}?" if similar else ""
            raise NoColumns(f"no column is called {asked_names}; found: {have}{hint}")
        if role == "rank" and (
            bad := next(
                (n for n, label in wide_columns if not re.fullmatch("[0-9]{1,9}", label)), None
            )
        ):
            raise NoColumns(f"the name of column {quoted(bad)} says no rank")
        labels = tuple(label for _, label in wide_columns)
        _refuse_others(form.known, wide_columns, patterns)
        wide = [f"{value}[{n}]" for n in range(len(wide_columns))]
        columns |= {r: name for r, (name, _) in zip(wide, wide_columns, strict=True)}
    lone = {"score", "rank"} - set(several) if "item" in several else set()

    def cut(roles: Sequence[str]) -> list[str]:
        cut_roles = []
        for role in roles:
            if role in implied or (role in lone and role not in shape.required):
                continue
            if role in several:
                columns[f"cell[{role}]"] = shape.called(role)
                columns.pop(role, None)
                role = f"cell[{role}]"
            cut_roles.append(role)
        return cut_roles

    required = cut(shape.required)
    optional = cut(shape.optional)
    required += [f"cell[{r}]" for r in several if f"cell[{r}]" in optional]
    optional = [role for role in optional if role not in required]
    if form.wide is not None and f"cell[{value}]" in (*required, *optional):
        raise NoColumns(f"wide columns hold {quoted(value)}, which no cell can hold beside them")
    roles = (*required, *wide), tuple(optional)
    return CutSchema(*roles, columns, shape.every, shape, labels, value)


def wide_value(role: str, shape: Schema) -> str:
    """The role of what the columns hold that are named by another role."""
    if role == "rank":
        return "item"
    named = [r for r in shape.columns if r in VALUE_ROLES and r in shape.roles]
    needed = [r for r in VALUE_ROLES if r in shape.required]
    free = [r for r in VALUE_ROLES if r in shape.roles]
    if role == "list" and not (named or needed) and "item" in shape.required:
        return "item"
    # where only the pairs are asked for, of public candidates, what the cells hold is not kept
    return next(iter([*named, *needed, *free]), "rating" if role == "item" else "item")


def _refuse_others(
    known: Sequence[str], columns: Sequence[tuple[str, str]], patterns: Sequence[str]
) -> None:
    """Refuse wide columns, by `NoColumns`, that are not all of those that are known."""
    given = {label: name for name, label in columns}
    single = patterns[0] if len(patterns) == 1 else "*"
    missing = [single.replace("*", label) for label in known if label not in given]
    strange = [name for label, name in given.items() if label not in set(known)] * bool(known)
    if missing:
        one, named = len(missing) == 1, join_first(missing, 3)
        meant = ((name, nearest(name, strange)) for name in missing)
        hints = [f"; rename {quoted(old)} to {quoted(new)}?" for new, old in meant if old]
        found = f"; in place found: {join_first(strange, 3)}" if strange and not hints else ""
        what = f"column {named} is" if one else f"{len(missing):,} columns are"
        which = "" if one else f": {named}"
        raise NoColumns(f"{what} missing{which}{found}{''.join(hints[:3])}")
    if strange:
        message = f"no column of this challenge is called {join_first(strange, 3)}"
        raise NoColumns(f"{message}; it has {join_first(list(known))}")


def matched(
    patterns: Sequence[str], names: Sequence[str], others: set[str]
) -> Iterator[tuple[str, str]]:
    """The columns that the patterns name, in the order of the file, with what `*` stands for.

    >>> list(matched(["F*"], ["id", "F1", "F2", "G"], {"id"}))
    [('F1', '1'), ('F2', '2')]
    """
    for name in names:
        for pattern in patterns if name not in others else ():
            before, star, after = pattern.partition("*")
            if pattern == name:
                yield name, name
                break
            label = name[len(before) : len(name) - len(after)]
            if star and label and name == f"{before}{label}{after}":
                yield name, label
                break


def outer_roles(form: FileForm, cut: CutSchema, roles: Sequence[str]) -> tuple[str, ...]:
    """The roles of the rows that are made of a record, in the order of the shape."""
    outer = {*roles, *map(whole_role, roles)}  # a further column is as it is called
    if form.lines is not None:
        outer |= {"list", "item"} if dict(form.lines.columns).get("item") else {"list"}
    if form.vector:
        outer.add("item")
    if form.wide is not None:
        outer |= {form.wide[0], cut.value}
    return tuple(role for role in cut.outer.roles if role in outer)


def whole_role(role: str) -> str:
    """The role of what a cell holds several of.

    >>> whole_role("cell[item]"), whole_role("score[3]")
    ('item', 'score')
    """
    name, _, inside = role.partition("[")
    return inside.removesuffix("]") if name == "cell" else name


def bare(cell: str) -> str:
    """A cell without the brackets round all of it."""
    cell = cell.strip()
    if cell[:1] in BRACKETS and cell.endswith(BRACKETS[cell[0]]):
        return cell[1:-1].strip()
    return cell


def several(cell: str, separator: str) -> list[str]:
    """The several values of a cell, in their order; none of an empty one.

    >>> several("[3, 1]", ","), several(" a  b ", " "), several("", ";"), several("a,,b", ",")
    (['3', '1'], ['a', 'b'], [], ['a', '', 'b'])
    """
    if cell.startswith(BEFORE_EACH):
        return cell[1:].split(BEFORE_EACH)
    whole = bare(cell)
    if not whole:
        return []
    if separator in (" ", WHITESPACE):
        return whole.split()
    parts = [part.strip() for part in whole.split(separator)]
    quotes = whole is not cell and all(
        len(part) > 1 and part[0] == part[-1] and part[0] in "'\"" for part in parts
    )
    return [part[1:-1] for part in parts] if quotes else parts


def one_cell(texts: Iterable[str]) -> str:
    """A cell of several texts, which may hold any separator.

    >>> several(one_cell(["a b", ""]), " "), several(one_cell([]), " ")
    (['a b', ''], [])
    """
    return "".join(BEFORE_EACH + text for text in texts)


def offset(cell: str, separator: str, n: int) -> int:
    """At which character of a cell the n-th of several begins, both from 0."""
    start = len(cell) - len(cell.lstrip())
    if bare(cell) != cell.strip():
        start += 1
    pattern = r"\S+" if separator in (" ", WHITESPACE) else f"[^{re.escape(separator)}]*"
    at = start
    for k in range(n + 1):
        if separator in (" ", WHITESPACE):
            match = re.compile(pattern).search(cell, at)
            if match is None:
                return start
            begin, at = match.start(), match.end()
        else:
            end = cell.find(separator, at)
            begin = at
            at = len(cell) if end < 0 else end + len(separator)
        if k == n:
            blank = len(cell[begin:at]) - len(cell[begin:at].lstrip())
            return begin + blank
    return start


def joined_name(part: str, name: str) -> str:
    """The name of a list that is in a part."""
    return f"{part}{PART}{name}"


def part_of(name: str) -> str | None:
    """Which part a list is in, by its name."""
    part, mark, _ = name.partition(PART)
    return part if mark else None


def row_of(name: str) -> str:
    """The name of a list inside its part.

    >>> row_of("like/u1"), row_of("u1")
    ('u1', 'u1')
    """
    part, mark, row = name.partition(PART)
    return row if mark else part
