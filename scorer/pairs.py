"""Comparisons as text: a table, JSON, JSON Lines, and these read back."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from scorer import __version__
from scorer.challenge import Challenge
from scorer.command import Edge
from scorer.errors import Findings, UsageError, quoted, shown, some
from scorer.judged import Floats
from scorer.output import dumped
from scorer.pairing import Differing, Pair, Pairing, Tally, pairing
from scorer.results import Report
from scorer.streams import Limits, Unreadable, lines, open_bytes

ROWS = 40  # of a picture in the terminal; more lists share rows


def read(path: Path, preferences: list[str] | None = None) -> Pairing | None:
    """The comparison that `jsonl` wrote, without its measures; None for any other file.

    Raises:
        UsageError: it begins like one, but a line is broken or a pair is missing.
    """
    begun, findings = False, Findings(str(path))
    names: dict[str, int] = {}
    lists: dict[str, int] = {}
    cells: dict[str, list[tuple[int, int, int, float]]] = {}
    try:
        with open_bytes(path, Limits()) as stream:
            for number, line in lines(stream, Limits(), findings):
                if not begun and not _begins(line):
                    return None
                begun = True
                if line.strip(" \t"):
                    where = f"{shown(path.name)}:{number}"
                    for key, value in _row(line, where, names, lists):
                        cells.setdefault(key, []).append(value)
    except Unreadable as error:
        findings.add(error.problem)
    if not begun:
        return None
    if findings.fatal:
        raise UsageError(f"{shown(path.name)} cannot be read: {next(iter(findings)).message}")
    if unknown := [name for name in preferences or () if name not in cells]:
        known = some(list(cells), 10)
        raise UsageError(
            f"{shown(path.name)} has no preference {quoted(unknown[0])}; it has {known}"
        )
    order = sorted(range(len(names)), key=list(names).__getitem__)
    cubes = {}
    for key in preferences or cells:
        cube = _cube(cells[key], len(names), len(lists))
        if cube is None:
            said = f"{shown(path.name)}: {quoted(key)} needs one line for each pair and list"
            raise UsageError(said)
        cubes[key] = cube[np.ix_(order, order)]
    return pairing([list(names)[n] for n in order], list(lists), cubes, {})


def _begins(line: str) -> bool:
    """Whether a file's first line is one that `jsonl` wrote."""
    try:
        first = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and {"a", "b", "list", "preferences"} <= first.keys()


def _row(
    line: str, where: str, names: dict[str, int], lists: dict[str, int]
) -> Iterator[tuple[str, tuple[int, int, int, float]]]:
    """Each preference of a line, with the places of its submissions and list, and its value."""
    wrong = f"{where}: not a line of score compare --format jsonl"
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    match row:
        case {"a": str(a), "b": str(b), "list": str(name), "preferences": dict(said)} if a != b:
            one, other = (names.setdefault(each, len(names)) for each in (a, b))
            at = lists.setdefault(name, len(lists))
            for key, value in said.items():
                number = math.nan if value is None else value
                if type(number) not in (int, float) or abs(number) > 1:
                    said = f"{quoted(key)} is {quoted(value)}, expected a number from -1 to 1"
                    raise UsageError(f"{wrong}: {said}")
                yield key, (one, other, at, float(number))
        case _:
            raise UsageError(wrong)


def _cube(rows: list[tuple[int, int, int, float]], names: int, lists: int) -> Floats | None:
    """The values of all pairs on all lists; None unless each is given once."""
    if len(rows) != names * (names - 1) // 2 * lists:
        return None
    cube: Floats = np.full((names, names, lists), np.nan)
    one, other, at, value = (np.array(column) for column in zip(*rows, strict=True))
    given = np.zeros(cube.shape, dtype=bool)
    given[one, other, at] = given[other, one, at] = True
    if np.count_nonzero(given) != 2 * len(rows):
        return None
    cube[one, other, at], cube[other, one, at] = value, 0.0 - value
    cube[range(names), range(names)] = 0.0
    return cube


def as_json(
    challenge: Challenge, report: Report | None, found: Pairing, precision: int, edge: Edge
) -> str:
    """Everything, for programs; numbers are full doubles."""
    said = {
        "scorer": __version__,
        "challenge": {
            "id": challenge.id,
            "title": challenge.title,
            "fingerprint": report.fingerprint if report else None,
        },
        "pairs": [
            {
                "a": pair.a,
                "b": pair.b,
                "preferences": {
                    key: {
                        "mean": _double(each.mean),
                        **_tally(each.tally),
                        "per_list": _each(found.lists, each.per_list),
                    }
                    for key, each in pair.preferences.items()
                },
                "measures": {key: _measure(found, each) for key, each in pair.measures.items()},
            }
            for pair in found.pairs
        ],
        "orders": {
            key: {name: [list(group) for group in groups] for name, groups in orders.items()}
            for key, orders in found.orders.items()
        },
        "cycles": {key: [list(group) for group in groups] for key, groups in found.cycles.items()},
    }
    return dumped(said) + "\n"


def as_jsonl(
    challenge: Challenge, report: Report | None, found: Pairing, precision: int, edge: Edge
) -> str:
    """One line a list and pair, which `score compare` also reads back."""
    lines = [
        dumped(
            {
                "list": name,
                "a": pair.a,
                "b": pair.b,
                "preferences": {
                    key: _double(float(each.per_list[n])) for key, each in pair.preferences.items()
                },
            },
            indent=None,
        )
        for pair in found.pairs
        for n, name in enumerate(found.lists)
    ]
    return "".join(f"{line}\n" for line in lines)


def as_table(
    challenge: Challenge, report: Report | None, found: Pairing, precision: int, edge: Edge
) -> str:
    """For people: differences and preferences of every pair, then the orders."""
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        width=edge.width,
        force_terminal=edge.colour,
        no_color=not edge.colour,
        legacy_windows=False,
        emoji=False,
    )

    def say(text: str, style: str = "") -> None:
        console.print(Text(text, style=style))

    say(shown(challenge.title), "bold")
    if report is not None and any(pair.measures for pair in found.pairs):
        for measure in report.measures:
            if measure.id in found.pairs[0].measures:
                say(f"\n{shown(measure.id)}: a less b, its interval, wins-ties-losses of a", "bold")
                console.print(_differences(found, measure.id, precision))
    if found.pairs and found.pairs[0].preferences:
        say("\npreferences: mean (above 0: a is preferred), wins-ties-losses of a", "bold")
        console.print(_preferences(found, precision))
        say("\norders, best first; = are tied", "bold")
        console.print(_orders(found))
        for key, groups in found.cycles.items():
            for group in groups:
                names = ", ".join(map(shown, group))
                say(f"{shown(key)} contradicts itself among {names}: no order serves all lists")
    if report is not None and len(found.names) == 2 and found.pairs[0].measures:
        say("")
        _picture(say, found, found.pairs[0], report, precision)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


def _differences(found: Pairing, key: str, precision: int) -> Table:
    view = _plain("a", "b", "difference", "interval", "w-t-l", "effect", "p")
    for pair in found.pairs:
        each = pair.measures[key]
        interval = "-"
        if each.interval is not None:
            low, high = (_number(end, precision, "+") for end in each.interval)
            interval = f"[{low}, {high}]"
        view.add_row(
            *_names(pair),
            _number(each.difference, precision, "+"),
            interval,
            _wtl(each.tally),
            _number(each.effect, 2, "+"),
            f"{each.p:.4f}",
        )
    return view


def _preferences(found: Pairing, precision: int) -> Table:
    view = _plain("a", "b", "preference", "mean", "w-t-l")
    view.columns[2].justify = "left"
    for pair in found.pairs:
        for key, each in pair.preferences.items():
            mean = _number(each.mean, precision, "+")
            view.add_row(*_names(pair), Text(shown(key)), mean, _wtl(each.tally))
    return view


def _orders(found: Pairing) -> Table:
    """An order a row, with the aggregations that make it."""
    view = _plain("preference", "aggregation", "order")
    view.columns[2].justify = "left"
    for key, orders in found.orders.items():
        by: dict[str, list[str]] = {}
        for name, groups in orders.items():
            order = " > ".join(" = ".join(map(shown, group)) for group in groups)
            by.setdefault(order, []).append(name)
        for order, names in by.items():
            view.add_row(Text(shown(key)), Text(", ".join(names)), Text(order))
    return view


def _picture(
    say: Callable[[str], None], found: Pairing, pair: Pair, report: Report, precision: int
) -> None:
    """Each list's difference as a bar, greatest first; many lists share rows."""
    key = report.primary.id if report.primary.id in pair.measures else next(iter(pair.measures))
    difference = pair.measures[key].per_list
    kept = np.flatnonzero(~np.isnan(difference))
    order = kept[np.argsort(-difference[kept], kind="stable")]
    groups = np.array_split(order, min(ROWS, order.size)) if order.size else []
    most = float(np.abs(difference[kept]).max(initial=0.0))
    per_row = "" if len(groups) == order.size else ", the mean of several lists a row"
    say(f"{shown(key)} list by list, {shown(pair.a)} less {shown(pair.b)}{per_row}")
    for group in groups:
        value = float(difference[group].mean())
        name = shown(found.lists[group[0]], 18) + ("" if group.size == 1 else " ..")
        left = _bar(-value / most if most and value < 0 else 0.0)[::-1]
        right = _bar(value / most if most and value > 0 else 0.0)
        say(f"{name:>21} {left:>20}|{right:<20} {_number(value, precision, '+')}")


def _bar(share: float) -> str:
    return "#" * round(20 * share)


def _names(pair: Pair) -> tuple[Text, Text]:
    return Text(shown(pair.a, 40)), Text(shown(pair.b, 40))


def _plain(*columns: str) -> Table:
    view = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for n, name in enumerate(columns):
        view.add_column(
            Text(name), justify="left" if n < 2 else "right", overflow="fold", no_wrap=False
        )
    return view


def _wtl(tally: Tally) -> str:
    return f"{tally.wins}-{tally.ties}-{tally.losses}"


def _number(value: float, precision: int, sign: str = "") -> str:
    return "-" if math.isnan(value) else f"{value:{sign}.{precision}f}"


def _tally(tally: Tally) -> dict[str, int]:
    return {"wins": tally.wins, "ties": tally.ties, "losses": tally.losses}


def _measure(found: Pairing, each: Differing) -> dict[str, Any]:
    index = {name: n for n, name in enumerate(found.lists)}
    return {
        "difference": _double(each.difference),
        **_tally(each.tally),
        "interval": None if each.interval is None else [_double(end) for end in each.interval],
        "effect_size": _double(each.effect),
        "p": each.p,
        "most": [{"list": name, "difference": float(each.per_list[index[name]])}
                 for name in each.most],
    }  # fmt: skip


def _each(lists: tuple[str, ...], values: Floats) -> dict[str, float | None]:
    return {name: _double(value) for name, value in zip(lists, values.tolist(), strict=True)}


def _double(value: float) -> float | None:
    return None if math.isnan(value) else value


WRITERS: dict[str, Callable[[Challenge, Report | None, Pairing, int, Edge], str]] = {
    "table": as_table,
    "json": as_json,
    "jsonl": as_jsonl,
}
