"""Files whose lines have no ids: the n-th one is of the n-th row of a public file of lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from scorer.bytes.files import open_bytes
from scorer.bytes.limits import ReadLimits, Unreadable
from scorer.core.errors import UsageError
from scorer.core.text import display_path, printable
from scorer.prepare.guess.base import Guess
from scorer.prepare.guess.forms import look
from scorer.prepare.guess.look import Preview, first_lines, renamed
from scorer.prepare.guess.pairs import RANKING
from scorer.prepare.guess.tables import CLASSES, NUMBERS
from scorer.tables.table import DECIMAL

PAIRS = "pairs"
BETWEEN_IDS = (" ", ",", ";", "|")  # between several ids of a line
LINE_KINDS = {
    "number": ("a table of numbers", "target", "prediction", NUMBERS),
    "class": ("a table of classes", "label", "label", CLASSES),
    "items": ("ranked lists", "item", "item", RANKING),
}


class Side(NamedTuple):
    """The values of a truth or a sample, as far as they were read.

    Attributes:
        values: some of what it says of lists: a number, a class, or several ids.
        mark: what parts several ids of a line; PAIRS where they have a row each; empty where a list
            has one value.
        written: keys of challenge.yaml, without the role of the values.
        name: what the column of values is called; empty where it has no name.
    """

    values: Sequence[str]
    mark: str
    written: Mapping[str, Any]
    name: str

    @property
    def kind(self) -> str:
        """The kind of its values: number, class or items."""
        if self.mark:
            return "items"
        return "number" if all(DECIMAL.fullmatch(value) for value in self.values) else "class"


def in_order(truth: Path, sample: Path, lists: Path) -> tuple[dict[str, Any], Guess]:
    """The fields of a guessed challenge.yaml where a file at least has lines without ids.

    `UsageError` if it is no such file, or the lines are not as many as its rows.
    """
    lists_table = _lists_table(lists, (truth, sample))
    key = next(
        (name for name in lists_table.names if lists_table.distinct(name)), lists_table.names[0]
    )
    rows = _count(lists) - ("header" not in lists_table.written)
    sides = [_side(path, lists, lists_table, key, rows) for path in (truth, sample)]
    truth_side, sample_side = sides
    kind = sample_side.kind if sample_side.kind == "items" else truth_side.kind
    what, role, sent, metrics = LINE_KINDS[kind]
    guess = Guess(
        f"{what}, a line for each row of {printable(lists.name)}",
        _section(truth_side, role), _section(sample_side, sent), metrics,
    )  # fmt: skip
    data = {
        "id": truth.name.split(".")[0] or "challenge",
        "truth": {"file": truth.name, **guess.truth},
        "lists": {"file": lists.name, **lists_table.written, **renamed({"list": key})},
        "submission": dict(guess.submission),
        "metrics": list(metrics),
    }
    return data, guess


def _section(side: Side, role: str) -> dict[str, Any]:
    """The keys of a file whose values have that role."""
    section = {key: value for key, value in side.written.items() if key != "columns"}
    if "lines" in section and not side.name:
        section = {"header": [role], **section}
    columns = {**side.written.get("columns", {}), **({role: side.name} if side.name else {})}
    section |= renamed(columns)
    if side.mark in BETWEEN_IDS:
        section["cells"] = {role: side.mark}
    return section


def _side(path: Path, lists: Path, lists_table: Preview, key: str, rows: int) -> Side:
    """A file with ids of the lists, or with a line for each of their rows."""
    file_look = look(path)
    list_column = None if file_look is None else file_look.like(key)
    if (
        file_look is not None
        and list_column is not None
        and {*file_look.cells(list_column)} & {*lists_table.cells(key)}
    ):
        others = list(file_look.others((list_column,)))
        if not others:
            raise UsageError(f"{display_path(path)}: it has ids, and no answers")
        value = file_look.called("label", (list_column,)) or others[-1]
        cells = file_look.cells(value)
        mark = "" if file_look.distinct(list_column) else PAIRS
        return Side(cells, mark, {**file_look.written, "columns": {"list": list_column}}, value)
    lines, count = first_lines(path), _count(path)
    if count not in (rows, rows + 1):
        raise UsageError(
            f"{display_path(path)}: it has {count:,} lines, and {display_path(lists)} {rows:,} "
            "rows; without ids, the lines are in the order of the rows"
        )
    head = lines[0].strip() if count > rows else ""
    values = [line.strip() for line in lines[1 if head else 0 :]]
    mark = next((m for m in BETWEEN_IDS if sum(m in line for line in values) > len(values) / 2), "")
    return Side(values, mark, {"lines": "lists"}, head)


def _headed_table(path: Path) -> Preview:
    """A table with a header, of one column, too."""
    file_look = look(path)
    if file_look is not None and file_look.names and "header" not in file_look.written:
        return file_look
    lines = first_lines(path)
    if len(lines) < 2:
        raise UsageError(f"{display_path(path)}: no header and rows of lists are seen")
    return Preview((lines[0].strip(),), tuple((line.strip(),) for line in lines[1:]))


def _lists_table(path: Path, beside: Sequence[Path]) -> Preview:
    """The lists, with a header or without: where another file has the first line as an id."""
    table = _headed_table(path)
    if len(table.names) == 1:
        first = table.names[0]
        for content in filter(None, map(look, beside)):
            if name := next((n for n in content.names if first in content.cells(n)), None):
                return Preview((name,), ((first,), *table.rows), {"header": [name]})
    return table


def _count(path: Path) -> int:
    """How many lines a text file has."""
    try:
        with open_bytes(path, ReadLimits()) as stream:
            count, last = 0, b"\n"
            while piece := stream.read(1 << 20):
                count, last = count + piece.count(b"\n"), piece[-1:]
    except (Unreadable, OSError) as error:
        raise UsageError(f"{display_path(path)}: {error}") from None
    return count + (last != b"\n")
