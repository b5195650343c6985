"""The public part of a challenge, from its public files and the truth's public columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scorer.challenge.kit_archive import lacks_truth
from scorer.challenge.public import ClassCells, ClassColumn, Domain, IdNames, Public, cell_as_class
from scorer.core.arrays import Mask
from scorer.core.errors import ChallengeError
from scorer.core.problems import Findings
from scorer.core.text import join_first, quoted
from scorer.kinds.base import PublicSources
from scorer.reading.layout import part_of, row_of
from scorer.reading.read import FileTable
from scorer.reading.schema import EXTRA, Schema
from scorer.reading.table import Table, sort_ids
from scorer.scoring.bind import BoundChallenge
from scorer.scoring.kind import LISTS_HELP
from scorer.scoring.lists import find_measured_rows, truth_schemas
from scorer.scoring.rules import Fault, locate_fault
from scorer.scoring.tables import (
    check_key_files,
    raise_errors,
    read_classes,
    read_labels,
    read_table,
)
from scorer.views.images import (
    CLASS,
    FEWEST_PIXELS,
    LARGEST_SHARE,
    box_classes,
    largest_coordinates,
)
from scorer.views.items import ItemsByList


class SubmittedLists(NamedTuple):
    """The lists of the submissions, in a challenge where nothing else names them."""

    values: Mapping[str, frozenset[str]]  # list -> the values that submissions have of it
    tables: Mapping[Path, FileTable] = {}  # of the submissions that were read to find them


def read_public(
    bound: BoundChallenge, truth: Table | None = None, submitted: SubmittedLists | None = None
) -> Public:
    """Return the public part of a challenge, from its public files and the truth's public columns.

    Args:
        bound: The challenge.
        truth: The table of the truth, if it has been read.
        submitted: The lists of the submissions, if nothing else names the lists.

    Raises:
        ChallengeError: A file cannot be read, or is wrong.
    """
    challenge = bound.challenge
    kind = bound.kind
    findings = Findings()
    class_cells = dict.fromkeys(_find_class_cells(bound))
    classes = challenge.classes or read_classes(challenge, findings)
    has_conditions = kind.name == "labels" and any(p.combination.where for p in bound.all_parts)
    looks_at_cells = kind.name == "boxes" or (bool(class_cells) and not classes)

    @cache
    def read_truth() -> Table | None:
        """Return the truth's columns, as far as they are needed; None if they cannot be read."""
        if truth is not None or challenge.truthless:
            return truth
        is_whole = has_conditions or looks_at_cells
        schemas = truth_schemas(bound) if is_whole else kind.public_truth
        return read_table(challenge, challenge.truth, schemas, findings)

    def measured_rows() -> Mask | None:
        table = read_truth() if has_conditions else None
        return None if table is None else find_measured_rows(bound, table)

    public = Public(
        kind.name,
        {},
        called={role: bound.column_of(role) for role in ("list", "item")},
        classes=classes,
        numbers=frozenset(challenge.submission.numbers),
        has_texts=challenge.submission.has_texts,
    )
    public = _add_items(bound, public, findings)
    public = _add_lists(bound, public, read_truth, submitted, findings)
    sources = PublicSources(challenge, bound.shapes, read_truth, measured_rows)
    public = kind.complete_public(public, sources)
    columns = read_truth() if looks_at_cells and not lacks_truth(challenge) else truth
    class_columns = [
        ClassColumn(sent, true, public.classes or _classes_of_truth(columns, true))
        for sent, true in class_cells
    ]
    public = public._replace(
        class_columns=tuple(class_columns),
        boxes_are_shares=_are_shares(bound, columns),
        domains=_find_domains(bound),
    )
    for fault in _find_idle_public_keys(bound, public, bool(class_cells)):
        findings.add(locate_fault(challenge, fault))
    check_key_files(challenge, findings)
    raise_errors(findings)
    return public


def _add_items(bound: BoundChallenge, public: Public, findings: Findings) -> Public:
    """Return the public part with the catalogue, and with candidates if it names their lists."""
    source = bound.challenge.items
    if source is None:
        return public
    schema = Schema(("item",), ("list", *source.further_columns), source.further_columns)
    table = read_table(bound.challenge, source, [schema], findings)
    if table is None:
        return public
    items = IdNames(table.frame["item"].unique(maintain_order=True))
    if "list" not in table:
        return public._replace(items=items)
    compares_orders = bound.kind.name == "grades" and any(
        part.metric.truth_order for part in bound.all_parts
    )
    candidates = ItemsByList.of_columns(table.frame, "item")
    return public._replace(items=items, candidates=candidates, complete=compares_orders)


def _add_lists(
    bound: BoundChallenge,
    public: Public,
    read_truth: Callable[[], Table | None],
    submitted: SubmittedLists | None,
    findings: Findings,
) -> Public:
    """Return the public part with the lists, their groups and their clusters."""
    challenge = bound.challenge
    called = dict(public.called)
    lists: Mapping[str, None] = {}
    labels: dict[str, dict[str, str]] = {"group": {}, "cluster": {}}
    if (source := challenge.lists) is not None:
        schema = Schema(
            ("list",), ("group", "cluster", *source.further_columns), source.further_columns
        )
        table = read_table(challenge, source, [schema], findings)
        if table is not None:
            lists = dict.fromkeys(table.frame["list"].to_list())
            for role in (role for role in labels if role in table):
                labels[role] = read_labels(table, role, source.file, findings)
                called[role] = table.column_name(role)
    elif challenge.truthless:
        if submitted is None:
            message = "nothing names the lists; a file of lists does, or submissions scored "
            fault = Fault("lists", "C121", f"{message}together", LISTS_HELP)
            raise ChallengeError(problems=[locate_fault(challenge, fault)])
        lists = dict.fromkeys(sorted(submitted.values))
    elif (table := read_truth()) is not None:
        lists = IdNames(sort_ids(table.frame["list"]))
    if not labels["group"] and challenge.has_parts:  # the part that a list is in is its group
        parts = {name: part_of(name) for name in lists}
        labels["group"] = {name: part for name, part in parts.items() if part is not None}
        called.setdefault("group", "part")
    if not labels["cluster"] and "list" in challenge.truth.wide:  # a row of the file is one unit
        labels["cluster"] = {name: row_of(name) for name in lists}
        called.setdefault("cluster", called["list"])
    return public._replace(
        lists=lists, called=called, groups=labels["group"], clusters=labels["cluster"]
    )


def _find_class_cells(bound: BoundChallenge) -> Iterator[tuple[ClassCells, ClassCells]]:
    """Yield where a submission and the truth name classes, once for each measure that looks."""
    challenge = bound.challenge
    in_truth, in_submission = challenge.box_parts
    if bound.kind.name == "boxes" and CLASS in in_truth and CLASS in in_submission:
        sent = ClassCells("boxes", partial(box_classes, parts=in_submission))
        true = ClassCells("boxes", partial(box_classes, parts=in_truth))
        if challenge.truth.box_columns:
            true = ClassCells(f"{EXTRA}{CLASS}]", cell_as_class)
        yield sent, true
    for part in bound.all_parts:
        if (cells := part.metric.class_cells(part.params)) is not None:
            true, sent = cells
            yield sent, true


def _classes_of_truth(truth: Table | None, cells: ClassCells) -> tuple[str, ...]:
    """Return the classes that the truth's cells name, in alphabetical order."""
    if truth is None or cells.role not in truth:
        return ()
    texts = truth.frame[cells.role].unique().to_list()
    return tuple(sorted({name for text in texts for name in cells.find_classes(text)}))


def _are_shares(bound: BoundChallenge, truth: Table | None) -> bool | None:
    """Return whether the truth's boxes are shares of the image; None if that is not certain."""
    if truth is None or bound.kind.name != "boxes":
        return None
    box_parts = bound.challenge.box_parts[0]
    largest = float(np.nanmax([-math.inf, *largest_coordinates(truth.frame, box_parts)]))
    if LARGEST_SHARE < largest < FEWEST_PIXELS or largest <= 0:
        return None
    return largest <= LARGEST_SHARE


def _find_domains(bound: BoundChallenge) -> tuple[Domain, ...]:
    """Return which numbers the measures are made for, each column and range once."""
    domains = dict[tuple[str, float, float], Domain]()
    for part in bound.all_parts:
        for role, (low, high) in part.metric.domain(part.params).items():
            domains.setdefault((role, low, high), Domain(role, low, high, part.metric.name))
    return tuple(domains.values())


def _find_idle_public_keys(
    bound: BoundChallenge, public: Public, has_class_cells: bool
) -> Iterator[Fault]:
    """Yield keys of submissions that have no effect, by the public files."""
    rules = bound.challenge.submission
    if unknown := public.numbers.difference(public.groups.values()):
        names = join_first(list(dict.fromkeys(public.groups.values())))
        message = f"no list is in the group {quoted(min(unknown))} (groups: {names})"
        yield Fault("submission.numbers", "C121", message)
    if rules.classes and not has_class_cells and public.kind != "labels":
        message = "no cell of a submission names a class"
        yield Fault("submission.classes", "C122", message, "leave it out")
    if rules.item_pattern and (public.items is not None or public.kind == "ratings"):
        message = "the items are public, so that each is looked up: leave the pattern out"
        yield Fault("submission.item_pattern", "C121", message)
