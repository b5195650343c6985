"""The layout of a file that is not plain: what its rows and cells mean, as data.

A plain file has a header and a row for each item. Of the cells of any other file, `reshape` makes
the same columns, with the same line numbers, in three steps, each where the layout asks for it:

    add the ids of each line -> a row for each wide column -> a row for each value in a cell
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from scorer.core.text import join_first, nearest, printable, quoted, suggest_renaming
from scorer.reading.limits import UnreadableError
from scorer.reading.schema import Schema, holds_text

WHITESPACE = "whitespace"
NO_SEPARATOR = "none"  # a line is one cell
SEPARATORS = {"tab": "\t", "blank": " ", "comma": ",", "semicolon": ";", "bar": "|"}
MOST_PARTS = 30  # times LINES_OF_PART is below 2**31: no line has a larger number
PART_MARK = "/"  # between the part that a list is in, and its name
# The role of the cells in wide columns is the first of these that a schema has.
VALUE_ROLES = (
    *("prediction", "label", "probability[0]", "score", "grade", "rating", "target", "rank"),
)
STEP = re.compile(r"\[\]|\*|[^.\[\]*]+")  # of a path in a JSON document
EACH = ("[]", "*")  # the steps to all elements of an array, and to all members of an object
Steps = tuple[str, ...]
BRACKETS = {"[": "]", "(": ")"}
ONE_LISTED = re.compile(r"[+-]?[0-9.]+|'.*'|\".*\"", re.DOTALL)  # in brackets, no name's own
BEFORE_EACH = "\0"  # text of `join_cells`; no text holds it: files with a NUL are refused


class RowKeysFile(NamedTuple):
    """A public file whose rows name, in order, the ids of lines or values that have none."""

    file: Path
    format: str | None = None
    columns: tuple[tuple[str, str], ...] = ()  # role, and what the file calls it
    layout: Layout | None = None
    part: str = ""  # only its lists count, if the lists are in parts


class RowKeys(NamedTuple):
    """The lists and the items that the rows of a public file name, in order."""

    lists: Sequence[str]
    items: Sequence[str] | None  # None if the file has no items
    file_name: str

    def of_part(self, part: str) -> RowKeys:
        """Return the rows of lists in a part, named without it; all rows if none is in a part."""
        if not part or not any(PART_MARK in name for name in self.lists):
            return self
        rows = [n for n, name in enumerate(self.lists) if part_of(name) == part]
        items = None if self.items is None else [self.items[n] for n in rows]
        return RowKeys([row_of(self.lists[n]) for n in rows], items, self.file_name)

    @property
    def by_list(self) -> Mapping[str, list[str]]:
        """The items of each list, in their order."""
        items_by_list: dict[str, list[str]] = {}
        for name, item in zip(self.lists, self.items or (), strict=True):
            items_by_list.setdefault(name, []).append(item)
        return items_by_list


class WideColumns(NamedTuple):
    """The columns of a table that has one for each item, rank or part."""

    role: str  # whose cells are in the names of the columns
    patterns: tuple[str, ...]  # of these names; `*` stands for the cell


class Part(NamedTuple):
    """A part of a submission of several files."""

    name: str
    file: str


class Layout(NamedTuple):
    """How a file is written. Hashable, and pickles.

    Attributes:
        header: The names of the columns of a file that does not name them.
        separator: One character, `whitespace` or `none`; empty if the file's name says it.
        skip: How many lines stand before anything else.
        comment: What the lines begin with that are no rows.
        cells: The roles whose cells hold several values, and what separates these.
        wide: The columns that are named by the cells of a role.
        lines: The file whose rows the lines follow.
        candidates: The file with the items of each list, for cells that hold a value of each.
        json: The roles, and the paths to their cells in a JSON document.
        known: All labels that the wide columns must have; empty if any will do.
    """

    header: tuple[str, ...] = ()
    separator: str = ""
    skip: int = 0
    comment: tuple[str, ...] = ()
    cells: tuple[tuple[str, str], ...] = ()
    wide: WideColumns | None = None
    lines: RowKeysFile | None = None
    candidates: RowKeysFile | None = None
    json: tuple[tuple[str, str], ...] = ()
    parts: tuple[Part, ...] = ()
    known: tuple[str, ...] = ()

    @property
    def reshapes(self) -> bool:
        """Whether a line of the file is not always one row."""
        return bool(self.skip or self.comment or self.cells or self.wide or self.lines)

    @property
    def is_vector(self) -> bool:
        """Whether cells hold values, one for each candidate of their list in its order."""
        roles = [role for role, _ in self.cells]
        return bool(roles) and not any(map(holds_text, roles))


PLAIN = Layout()


@dataclass(frozen=True, slots=True)
class FileSchema(Schema):
    """The columns of a file that is not plain, from which `reshape` makes rows.

    Attributes:
        row_schema: The schema of the rows.
        labels: What the name of each wide column says: its item, rank or part.
        value: The role of the cells in the wide columns, `value[n]` in column n.
    """

    row_schema: Schema = field(default_factory=lambda: Schema(()))
    labels: tuple[str, ...] = ()
    value: str = ""


def separator_of(word: str) -> str:
    """Return the character of a separator's name; any other word as it is."""
    return SEPARATORS.get(word, word)


def file_schema(layout: Layout, schema: Schema, names: Sequence[str]) -> Schema:
    """Return the columns that a file must have so that rows of a schema can be made of it.

    Raises:
        UnreadableError: None of `names` is a wide column, or one is not known.
    """
    if not (layout.cells or layout.wide or layout.lines):
        return schema
    several = [role for role, _ in layout.cells]
    columnless = {"item"} if layout.is_vector else set[str]()
    if layout.lines is not None:  # whose file has the ids
        columnless |= {"list", "item"} if "item" in dict(layout.lines.columns) else {"list"}
    columns, value = dict(schema.columns), ""
    labels: tuple[str, ...] = ()
    if layout.wide is not None:
        role, _ = layout.wide
        value = wide_value(role, schema)
        columnless |= {value} if role == "list" else {role, value}  # lists keep their column
        others = {schema.column_name(each) for each in schema.roles if each not in columnless}
        wide_columns = _find_wide_columns(layout, names, others)
        labels = tuple(wide_columns)
        columns |= {f"{value}[{n}]": name for n, name in enumerate(wide_columns.values())}
    # A cell of several items has no single score or rank beside it, unless the schema asks for it.
    unlikely = {"score", "rank"} - set(several) if "item" in several else set()
    required, optional = list[str](), list[str]()
    for role in schema.roles:
        is_required = role in schema.required or role in several
        if role in columnless or (role in unlikely and not is_required):
            continue
        if role in several:
            columns[f"cell[{role}]"] = columns.pop(role, role)
            role = f"cell[{role}]"
        (required if is_required else optional).append(role)
    if labels and f"cell[{value}]" in required:
        message = f"wide columns hold {quoted(value)}, which no cell can hold beside them"
        raise UnreadableError("S201", message)
    required += [f"{value}[{n}]" for n in range(len(labels))]
    return FileSchema(
        tuple(required),
        tuple(optional),
        columns,
        schema.uses_all,
        schema.items_are_texts,
        schema,
        labels,
        value,
    )


def wide_value(role: str, schema: Schema) -> str:
    """Return the role of the cells in wide columns, whose names hold the cells of `role`."""
    if role == "rank":
        return "item"
    named = [each for each in schema.columns if each in VALUE_ROLES and each in schema.roles]
    needed = [each for each in VALUE_ROLES if each in schema.required]
    free = [each for each in VALUE_ROLES if each in schema.roles]
    if role == "list" and not (named or needed) and "item" in schema.required:
        return "item"
    # Where a schema has lists and items alone, `reshape` drops the ratings.
    return next(iter([*named, *needed, *free]), "rating" if role == "item" else "item")


def _find_wide_columns(layout: Layout, names: Sequence[str], others: set[str]) -> dict[str, str]:
    """Return label -> name of the wide columns of a file."""
    assert layout.wide is not None
    role, patterns = layout.wide
    found = {label: name for name, label in match_wide_columns(patterns, names, others)}
    if not found:
        similar = nearest(patterns[0].replace("*", ""), names)
        hint = f"; {quoted(similar)}?" if similar else ""
        have = printable(", ".join(names[:12]), 300)
        message = f"no column is called {', '.join(map(quoted, patterns))}; found: {have}{hint}"
        raise UnreadableError("S201", message)
    for label, name in found.items():
        if role == "rank" and not re.fullmatch("[0-9]{1,9}", label):
            raise UnreadableError("S201", f"the name of column {quoted(name)} says no rank")
    if layout.known:
        _check_wide_columns(layout.known, found, patterns)
    return found


def _check_wide_columns(
    known: Sequence[str], columns: Mapping[str, str], patterns: Sequence[str]
) -> None:
    """Raise UnreadableError if wide columns, label -> name, have other labels than known."""
    pattern = patterns[0] if len(patterns) == 1 else "*"
    missing = [pattern.replace("*", label) for label in known if label not in columns]
    strange = [name for label, name in columns.items() if label not in set(known)]
    if missing:
        message = f"{len(missing):,} columns are missing: {join_first(missing, 3)}"
        if len(missing) == 1:
            message = f"column {quoted(missing[0])} is missing"
        similar = {name: old for name in missing if (old := nearest(name, strange))}
        hint = suggest_renaming(similar)
        if strange and not similar:
            hint = f"; in place found: {join_first(strange, 3)}"
        raise UnreadableError("S201", message + hint)
    if strange:
        message = f"no column of this challenge is called {join_first(strange, 3)}"
        raise UnreadableError("S201", f"{message}; it has {join_first(list(known))}")


def match_wide_columns(
    patterns: Sequence[str], names: Sequence[str], others: set[str]
) -> Iterator[tuple[str, str]]:
    """Yield the name and the label, for which `*` stands, of each column that fits a pattern.

    >>> list(match_wide_columns(["F*"], ["id", "F1", "F2", "G"], {"id"}))
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


def base_role(role: str) -> str:
    """Return a role without its brackets; of a cell of several values, the role of these.

    >>> base_role("cell[item]"), base_role("score[3]")
    ('item', 'score')
    """
    name, _, inside = role.partition("[")
    return inside.removesuffix("]") if name == "cell" else name


def locate_in_cell(cell: str, separator: str) -> list[tuple[str, int]]:
    """Return the several values of a cell, in their order, and where each begins, from 0.

    >>> locate_in_cell("[a, 'b',c]", ","), locate_in_cell(" a  b", " ")
    ([('a', 1), ("'b'", 4), ('c', 8)], [('a', 1), ('b', 4)])
    """
    start, inner = len(cell) - len(cell.lstrip()), cell.strip()
    is_bracketed = _is_in_brackets(inner)
    if is_bracketed:
        inside = inner[1:-1]
        start, inner = start + 1 + len(inside) - len(inside.lstrip()), inside.strip()
    if separator in (" ", WHITESPACE):
        return [(match[0], start + match.start()) for match in re.finditer(r"\S+", inner)]
    values = []
    for part in inner.split(separator) if inner else ():
        values.append((part.strip(), start + len(part) - len(part.lstrip())))
        start += len(part) + len(separator)
    if is_bracketed and all(len(v) > 1 and v[0] == v[-1] and v[0] in "'\"" for v, _ in values):
        return [(value[1:-1], at) for value, at in values]
    return values


def _is_in_brackets(cell: str) -> bool:
    """Return whether brackets are round a whole cell.

    >>> [_is_in_brackets(cell) for cell in ("[a]", "(a|b)", "[]", "[a]|[b]", "a")]
    [True, True, True, False, False]
    """
    if cell[:1] not in BRACKETS or not cell.endswith(BRACKETS[cell[0]]):
        return False
    depth = 0
    for place, character in enumerate(cell, 1):
        depth += (character == cell[0]) - (character == BRACKETS[cell[0]])
        if depth == 0 and place < len(cell):  # the first bracket is closed before the end
            return False
    return True


def split_cell(cell: str, separator: str | None, *, are_names: bool = False) -> list[str]:
    """Return the several values of a cell, in their order; none of an empty one.

    Args:
        cell: The cell, as it is or as a program prints a list, in brackets.
        separator: What separates the values; None if a cell is one value.
        are_names: Whether values may have brackets of their own, as the class [CLS] has: those
            round a single value are its own then, unless it is in quotes or a number.

    >>> split_cell("[3, 1]", ","), split_cell(" a  b ", " "), split_cell("a,,b", ",")
    (['3', '1'], ['a', 'b'], ['a', '', 'b'])
    >>> split_cell("[a]", ","), split_cell("[a]", ",", are_names=True)
    (['a'], ['[a]'])
    """
    if separator is None:
        return [cell]
    if cell.startswith(BEFORE_EACH):
        return cell[1:].split(BEFORE_EACH)
    values = [value for value, _ in locate_in_cell(cell, separator)]
    bare = cell.strip()
    if are_names and len(values) == 1 and _is_in_brackets(bare):
        return values if ONE_LISTED.fullmatch(bare[1:-1].strip()) else [bare]
    return values


def join_cells(texts: Iterable[str]) -> str:
    """Return a cell of several texts, which may hold any separator.

    >>> split_cell(join_cells(["a b", ""]), " "), split_cell(join_cells([]), " ")
    (['a b', ''], [])
    """
    return "".join(BEFORE_EACH + text for text in texts)


def part_of(name: str) -> str | None:
    """Return the part that the name of a list begins with; None if it is in none."""
    part, mark, _ = name.partition(PART_MARK)
    return part if mark else None


def row_of(name: str) -> str:
    """Return the name of a list without its part; as it is if it is in none.

    >>> row_of("like/u1"), row_of("u1")
    ('u1', 'u1')
    """
    part, mark, row = name.partition(PART_MARK)
    return row if mark else part


def parse_path(path: str) -> Steps:
    """Return the steps to the cells of a document: names, each element, each member.

    >>> parse_path("questions[].documents[]"), parse_path("*[]"), parse_path("[].id")
    (('questions', '[]', 'documents', '[]'), ('*', '[]'), ('[]', 'id'))
    """
    return tuple(STEP.findall(path))


def is_path(path: str) -> bool:
    """Return whether a text is a path: names with dots between, `[]` and `*` for each one.

    >>> is_path("questions[].id"), is_path("a..b"), is_path("[0].id")
    (True, False, False)
    """
    name = r"(?:\*|[^.\[\]*]+)"
    return re.fullmatch(rf"(?:{name}|(?:\[\])+)(?:\[\]|\.{name})*", path) is not None


def container_path(path: Steps) -> Steps:
    """Return the steps of a path up to its first `[]` or `*`, included; () without one."""
    return path[: next((n for n, step in enumerate(path) if step in EACH), -1) + 1]


def find_diverging_role(paths: Mapping[str, Steps]) -> str | None:
    """Return a role whose last `[]` or `*` is missing, or is not on the deepest path, if any."""
    containers = {
        role: path[: max((n for n, step in enumerate(path) if step in EACH), default=-1) + 1]
        for role, path in paths.items()
    }
    deepest = max(containers.values(), key=len)
    for role, steps in containers.items():
        if deepest[: len(steps)] != steps:
            return role
    return next((role for role, steps in containers.items() if not steps), None)
