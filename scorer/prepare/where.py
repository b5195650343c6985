"""The lists, or rows of a table, of which the condition of a measure is true."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from scorer.bytes.limits import ReadLimits
from scorer.challenge.forms import cut_of
from scorer.challenge.model import Challenge, Described
from scorer.core.arrays import Ints, Mask
from scorer.core.condition import Condition, parse
from scorer.core.errors import ChallengeError
from scorer.core.grammar import GrammarError
from scorer.core.problems import Findings, Problem, of_organizer
from scorer.core.text import display_path, nearest, quoted
from scorer.formats.read import format_of, header, read
from scorer.kinds.labels import LIKELY
from scorer.prepare.bind import BoundChallenge, written_so
from scorer.prepare.faults import Fault, refuse
from scorer.tables.table import EXTRA, NUMBER, Schema, Table


class _Column(NamedTuple):
    """A column at the rows of the truth."""

    names: Sequence[str]
    codes: Ints  # (rows,)


def truth_shapes(prepared: BoundChallenge) -> list[Schema]:
    """The shapes that the truth may have, with its further columns and those of conditions."""
    source = prepared.challenge.truth
    shapes = written_so(prepared.kind.truth, source.texts)
    if source.probability:  # a column for each class
        likely = {f"{LIKELY}[{n}]": name for n, name in enumerate(source.probability.values())}
        shapes = [Schema(("list", *likely), ("weight",), likely)]
    if source.box_columns:  # a row for each box
        parts = {
            f"{EXTRA if part == 'class' else NUMBER}{part}]": column
            for part, column in source.box_columns.items()
        }
        shapes = [Schema(("list", *parts), (), parts)]
    known = {*source.columns, *source.columns.values(), *source.extra}
    known |= {role for shape in shapes for role in shape.roles}
    named = [name for name in _names(prepared) if name not in known]
    words = _header(source) if named else frozenset()
    asked = {f"{EXTRA}{name}]": name for name in named if name in words}
    return [prepared.whole(shape.with_columns(source.further, asked)) for shape in shapes]


def _header(source: Described) -> frozenset[str]:
    format = format_of(source.file, source.format, form=cut_of(source))
    return frozenset(header(source.file, format, ReadLimits()))


def chosen(prepared: BoundChallenge, lists: Sequence[str], truth: Table) -> dict[str, Mask]:
    """The lists of which each condition of a measure is true, by its text: shape (lists,).

    `ChallengeError` if a column is not there or holds no numbers, a list is half chosen, or none
    is.
    """
    challenge, keys = prepared.challenge, _keyed(prepared)
    if not keys:
        return {}
    place = {name: n for n, name in enumerate(lists)}
    rows = _list_places(truth, place)
    columns = _of_truth(truth, _names(prepared)) | _of_lists_file(challenge, lists, rows, keys)
    masks = {}
    for text, key in keys.items():
        condition = parse(text)
        refuse(challenge, _unknown_names(challenge, condition, columns, key))
        try:
            true = condition.true(columns)
            masks[text] = _true_of_lists(true[rows >= 0], rows[rows >= 0], lists)
        except GrammarError as error:
            refuse(challenge, [Fault(key, "C125", str(error))])
        if not masks[text].any():
            refuse(challenge, [Fault(key, "C125", f"true of no list: {text}")])
    return masks


def _keyed(prepared: BoundChallenge) -> dict[str, str]:
    """Each condition with the key of the first measure that has it."""
    keys: dict[str, str] = {}
    for spec, measure in zip(prepared.challenge.metrics, prepared.measures, strict=True):
        for part in measure.all_parts:
            if (where := part.combination.where) is not None:
                keys.setdefault(where, f"{spec.key}.where")
    return keys


def _names(prepared: BoundChallenge) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for text in _keyed(prepared) for name in parse(text).names))


def _of_truth(truth: Table, names: Sequence[str]) -> dict[str, _Column]:
    """The columns of these names, by their roles or their own names, at the rows of the truth."""
    called = {truth.called(role): role for role in (*truth.ids, *truth.numbers)}
    columns = {}
    for name in names:
        roles = (name, called.get(name), f"{EXTRA}{name}]", f"{NUMBER}{name}]")
        role = next((r for r in roles if r and (r in truth.ids or r in truth.numbers)), "")
        if role in truth.ids:
            columns[name] = _Column(truth.ids[role].names, np.asarray(truth.ids[role].codes))
        elif role:
            numbers, codes = np.unique(truth.numbers[role], return_inverse=True)
            columns[name] = _Column([f"{n:.17g}" for n in numbers.tolist()], codes.reshape(-1))
    return columns


def _of_lists_file(
    challenge: Challenge, lists: Sequence[str], rows: Ints, keys: Mapping[str, str]
) -> dict[str, _Column]:
    """The columns of the lists' file that conditions name, at the rows of the truth."""
    source = challenge.lists
    if source is None:
        return {}
    words = _header(source) - {source.columns.get("list", "list")}
    called = {word: word for word in words} | {
        role: word for role, word in source.columns.items() if word in words
    }
    names = {name for text in keys for name in parse(text).names}
    used = {name: word for name, word in called.items() if name in names}
    if not used:
        return {}
    table = _text_columns(challenge, source, used)
    row_of = np.full(len(lists) + 1, -1, dtype=np.int64)
    places = _list_places(table, {name: n for n, name in enumerate(lists)})
    row_of[places] = np.where(places >= 0, np.arange(len(table)), -1)
    if (lacking := row_of[:-1] < 0).any():
        name, path = lists[int(np.argmax(lacking))], display_path(source.file)
        message = f"{quoted(name)} of the truth is not in the file of lists"
        raise ChallengeError(problems=[Problem("T301", message, path=path, list=name)])
    ids = {name: table.ids[f"{EXTRA}{name}]"] for name in used}
    return {
        name: _Column(column.names, np.asarray(column.codes)[row_of[rows]])
        for name, column in ids.items()
    }


def _unknown_names(
    challenge: Challenge, condition: Condition, columns: Mapping[str, _Column], key: str
) -> Iterator[Fault]:
    """Names of a condition that are no columns."""
    for name in condition.names:
        if name not in columns:
            sources = [source for source in (challenge.truth, challenge.lists) if source]
            words = [word for source in sources for word in (*_header(source), *source.columns)]
            suggestion = nearest(name, words)
            hint = f"; did you mean {quoted(suggestion)}?" if suggestion else ""
            message = f"neither the truth nor the lists have a column {quoted(name)}{hint}"
            yield Fault(key, "C125", message)


def _text_columns(challenge: Challenge, source: Described, called: Mapping[str, str]) -> Table:
    """The columns of a file as texts, each as `extra[NAME]`."""
    roles = {f"{EXTRA}{name}]": word for name, word in called.items()}
    shape = Schema(("list", *roles), (), {**source.columns, **roles})
    format = format_of(source.file, source.format, form=challenge.form(source))
    findings = Findings(display_path(source.file))
    table = read(source.file, format, [shape], findings, ReadLimits())
    if table is None or findings.fatal:
        raise ChallengeError(problems=of_organizer(findings))
    return table


def _list_places(table: Table, place: Mapping[str, int]) -> Ints:
    """The place of each row's list; -1 where there is none such."""
    ids = table.ids["list"]
    places = np.array([place.get(name, -1) for name in ids.names], dtype=np.int64)
    return places[np.asarray(ids.codes)]


def _true_of_lists(mask: Mask, rows: Ints, lists: Sequence[str]) -> Mask:
    """Whether it is true of each list; `GrammarError` if of some rows of a list only."""
    true = np.bincount(rows, mask, minlength=len(lists))
    sizes = np.bincount(rows, minlength=len(lists))
    if (half := (true > 0) & (true < sizes)).any():
        name = lists[int(np.argmax(half))]
        raise GrammarError(
            f"true of some rows of {quoted(name)} only, and a list counts whole or not at all"
        )
    return true > 0
