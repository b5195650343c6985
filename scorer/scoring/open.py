"""A challenge opened: its public part, its truth, and the plan by which submissions are scored."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scorer.challenge.kit_archive import is_kit, refuse_kit
from scorer.challenge.model import Source
from scorer.challenge.public import (
    ClassCells,
    ClassColumn,
    Domain,
    IdNames,
    Public,
    one_name,
)
from scorer.checks.base import TruthRows, examine
from scorer.checks.pairs import find_likelihood_problems
from scorer.core.arrays import Mask
from scorer.core.errors import ChallengeError
from scorer.core.problems import Findings, Problem
from scorer.core.text import join_first, quoted
from scorer.kinds.base import FilteredTruth, OpenTruth, PublicSources, SideTables
from scorer.metrics.notation import Measure
from scorer.reading.layout import match_wide_columns, part_of, row_of
from scorer.reading.read import FileTable, read_as_csv
from scorer.reading.schema import EXTRA, Schema
from scorer.reading.table import Table, make_table, sort_ids
from scorer.results.columns import ListColumns
from scorer.scoring.bind import BoundChallenge
from scorer.scoring.fingerprint import digests
from scorer.scoring.kind import LISTS_HELP
from scorer.scoring.lists import (
    add_choices,
    choose,
    filter_truth,
    find_measured_rows,
    read_list_columns,
    truth_schemas,
)
from scorer.scoring.rules import Fault, find_faults_of_truth, locate_fault, refuse
from scorer.scoring.splits import split_truth
from scorer.scoring.submission import Plan
from scorer.scoring.tables import (
    add_problems,
    check_cells,
    check_key_files,
    find_contradictions,
    raise_errors,
    read_classes,
    read_labels,
    read_table,
    require_table,
)
from scorer.views.images import (
    CLASS,
    FEWEST_PIXELS,
    LARGEST_SHARE,
    box_classes,
    largest_coordinates,
)
from scorer.views.items import ItemsByList
from scorer.views.preferences import Positions, Preferred
from scorer.views.recommendations import Returned
from scorer.views.values import Frames, text_of


class SubmittedLists(NamedTuple):
    """The lists of the submissions, in a challenge where nothing else names them."""

    values: Mapping[str, frozenset[str]]  # list -> the values that submissions have of it
    tables: Mapping[Path, FileTable] = {}  # of the submissions that were read to find them


# The public part


@dataclass(eq=False)
class _Truth:
    """The truth's columns, read once and as far as the public part needs them."""

    bound: BoundChallenge
    findings: Findings
    table: Table | None = None  # the whole truth, if it has been read
    whole: bool = False  # whether conditions or cells of classes need more than public columns

    @cached_property
    def columns(self) -> Table | None:
        """The columns; None without a truth, or if it cannot be read."""
        challenge = self.bound.challenge
        if self.table is not None or challenge.truthless:
            return self.table
        schemas = truth_schemas(self.bound) if self.whole else self.bound.kind.public_truth
        return read_table(challenge, challenge.truth, schemas, self.findings)


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
    challenge, kind, findings = bound.challenge, bound.kind, Findings()
    class_cells = dict.fromkeys(_find_class_cells(bound))
    classes = challenge.classes or read_classes(challenge, findings)
    has_conditions = kind.name == "labels" and any(p.combination.where for p in bound.all_parts)
    looks_at_cells = kind.name == "boxes" or (bool(class_cells) and not classes)
    source = _Truth(bound, findings, truth, has_conditions or looks_at_cells)

    def measured_rows() -> Mask | None:
        table = source.columns if has_conditions else None
        return None if table is None else find_measured_rows(bound, table)

    public = Public(
        kind.name,
        {},
        called={role: bound.called(role) for role in ("list", "item")},
        classes=classes,
        numbers=frozenset(challenge.submission.numbers),
        texts=challenge.submission.texts,
    )
    public = _add_items(bound, public, findings)
    public = _add_lists(bound, public, source, submitted, findings)
    sources = PublicSources(challenge, bound.shapes, lambda: source.columns, measured_rows)
    public = kind.complete_public(public, sources)
    columns = source.columns if looks_at_cells and not is_kit(challenge) else truth
    public = public._replace(
        class_columns=tuple(
            ClassColumn(sent, true, public.classes or _classes_of_truth(columns, true))
            for sent, true in class_cells
        ),
        boxes_are_shares=_are_shares(bound, columns),
        domains=_find_domains(bound),
    )
    findings.extend(
        locate_fault(challenge, fault)
        for fault in _find_idle_public_keys(bound, public, bool(class_cells))
    )
    check_key_files(challenge, findings)
    raise_errors(findings)
    return public


def _add_items(bound: BoundChallenge, public: Public, findings: Findings) -> Public:
    """Return the public part with the catalogue, and with candidates if it names their lists."""
    source = bound.challenge.items
    if source is None:
        return public
    schema = Schema(("item",), ("list", *source.further), source.further)
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
    truth: _Truth,
    submitted: SubmittedLists | None,
    findings: Findings,
) -> Public:
    """Return the public part with the lists, their groups and their clusters."""
    challenge, called = bound.challenge, dict(public.called)
    lists: Mapping[str, None] = {}
    labels: dict[str, dict[str, str]] = {"group": {}, "cluster": {}}
    if (source := challenge.lists) is not None:
        schema = Schema(("list",), ("group", "cluster", *source.further), source.further)
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
    elif (table := truth.columns) is not None:
        lists = IdNames(sort_ids(table.frame["list"]))
    if not labels["group"] and challenge.parted:  # the part that a list is in is its group
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
    in_truth, in_submission = challenge.each
    if bound.kind.name == "boxes" and CLASS in in_truth and CLASS in in_submission:
        sent = ClassCells("boxes", partial(box_classes, parts=in_submission))
        true = ClassCells("boxes", partial(box_classes, parts=in_truth))
        if challenge.truth.box_columns:
            true = ClassCells(f"{EXTRA}{CLASS}]", one_name)
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
    return tuple(sorted({name for text in texts for name in cells.named(text)}))


def _are_shares(bound: BoundChallenge, truth: Table | None) -> bool | None:
    """Return whether the truth's boxes are shares of the image; None if that is not certain."""
    if truth is None or bound.kind.name != "boxes":
        return None
    box_parts = bound.challenge.each[0]
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


# The truth


class OpenedTruth(NamedTuple):
    """The truth, made ready for submissions."""

    truth: OpenTruth
    folds: dict[str, OpenTruth]  # fold -> its own truth
    # fold, or None for the whole truth -> condition -> the truth of the items that it chooses
    picked: dict[str | None, dict[str, FilteredTruth]]
    columns: ListColumns  # groups, weights and conditions of the lists
    warnings: list[Problem]


def open_truth(
    bound: BoundChallenge, public: Public, table: Table, submitted: SubmittedLists | None = None
) -> OpenedTruth:
    """Return the truth in `table`, made ready; `ChallengeError` if it is wrong."""
    challenge, kind, findings = bound.challenge, bound.kind, Findings()
    sides = read_side_tables(bound, public, findings)
    if submitted is not None:
        sides = sides._replace(given_values=submitted.values)
    if kind.name == "labels":
        sides = sides._replace(measured_rows=find_measured_rows(bound, table))
    check_cells(table, challenge.truth, findings)
    problems = Findings()
    problems.extend(_find_empty_lists(table, public))
    examine(TruthRows(table, public, challenge, sides.measured_rows), problems)
    # If submissions name the lists, one that cannot be read says itself why there are none.
    if not len(table) and kind.name != "frames" and submitted is None:
        message = "the truth has no rows" if kind.truth else "there are no lists, and so no values"
        problems.add(Problem("S103", message))
    truth = kind.open(table, sides, problems)
    file = challenge.path if challenge.truthless else challenge.truth.file
    add_problems(findings, file, problems)
    raise_errors(findings)

    def open_part(part: Table, sides: SideTables = sides) -> OpenTruth:
        return kind.open(part, sides, Findings())

    choices = choose(bound, truth.lists, table)
    picked: dict[str | None, dict[str, FilteredTruth]] = {
        None: filter_truth(choices, open_part, truth.lists, table)
    }
    folds = {}
    for name, fold in split_truth(challenge, table, truth.lists).items():
        fold_public = public._replace(lists=dict.fromkeys(fold.lists))
        open_fold = partial(open_part, sides=sides._replace(public=fold_public))
        folds[name] = open_fold(fold.truth)
        lists = folds[name].lists
        fold_choices = choose(bound, lists, fold.truth, is_fold=True)
        picked[name] = filter_truth(fold_choices, open_fold, lists, fold.truth)
    columns = add_choices(read_list_columns(bound, truth.lists, public.groups), choices)
    return OpenedTruth(truth, folds, picked, columns, list(findings))


def _find_empty_lists(truth: Table, public: Public) -> Iterator[Problem]:
    """Yield a warning on the lists of the truth that have an empty cell, and are not public."""
    lines = truth.empty_lists
    if names := [name for name in lines if name not in public.lists]:
        count = len(names)
        what = "a row has an empty cell" if count == 1 else f"{count:,} rows have empty cells"
        word = public.word("list")
        message = f"{what}, so that nothing is asked there: {word} {join_first(names)}"
        help = "submissions that answer get S302; a file of `lists` that names them asks for them"
        yield Problem("T301", message, "warning", line=lines[names[0]], list=names[0], help=help)


def read_side_tables(bound: BoundChallenge, public: Public, findings: Findings) -> SideTables:
    """Return the files beside the truth that measures look at, and what measures ask of it."""
    challenge, metrics = bound.challenge, [measure.metric for measure in bound.measures]
    sections = {
        "truth": challenge.truth,
        "lists": challenge.lists,
        "items": challenge.items,
        "submission": challenge.submission,
    }
    features: dict[str, str] = {}  # role -> the name of its column
    if (items := challenge.items) is not None and _uses_items(bound):
        features = {f"features[{n}]": name for n, name in enumerate(items.features)}
    simple = [part for part in bound.all_parts if not part.parts]
    return SideTables(
        public,
        _read_side_files(bound, public, features, findings),
        tuple(features),
        strict=tuple(dict.fromkeys(m.name for m in metrics if m.truth_order == "strict")),
        views={m.metric.view: m.name for m in reversed(bound.measures)},
        rules=challenge.submission,
        separators=challenge.separators,
        extra={name: s.extra for name, s in sections.items() if s is not None and s.extra},
        single_class_metrics=tuple(
            m.name for m in bound.measures if not m.parts and not m.metric.soft_truth
        ),
        class_columns=tuple(challenge.truth.probability),
        truth_is_order=all(part.metric.truth_order for part in simple),
        box_parts=challenge.each,
    )


def _uses_items(bound: BoundChallenge) -> bool:
    """Return whether a measure looks at the tables of items and history."""
    items = bound.challenge.items
    return Returned in bound.views or (items is not None and bool(items.extra))


def _read_side_files(
    bound: BoundChallenge, public: Public, features: Mapping[str, str], findings: Findings
) -> dict[str, Table]:
    """Return the tables of the files beside the truth, by their sections of challenge.yaml."""
    challenge = bound.challenge
    tables: dict[str, Table] = {}

    def read(name: str, source: Source, schema: Schema) -> Table | None:
        if (table := read_table(challenge, source, [schema], findings)) is not None:
            tables[name] = table
        return table

    if (source := challenge.likelihood) is not None and Preferred in bound.views:
        schema = Schema(("list", "better", "worse", "probability"))
        if (table := read("likelihood", source, schema)) is not None:
            name, word = table.column_name("probability"), public.word("list")
            problems = find_likelihood_problems(table.frame, name, word)
            add_problems(findings, source.file, problems)
    if (items := challenge.items) is not None and _uses_items(bound):
        columns = {**features, **({} if items.users is None else {"users": items.users})}
        schema = Schema(("item", *columns), (), columns).with_columns(items.further)
        table = read("items", items, schema) if columns or items.further else None
        if table is not None:
            add_problems(findings, items.file, find_contradictions(table))
            check_cells(table, items, findings)
    if challenge.history is not None and _uses_items(bound):
        read("history", challenge.history, Schema(("list", "item")))
    if challenge.exclude is not None:
        read("exclude", challenge.exclude, Schema(("list", "item")))
    if (lists := challenge.lists) is not None and lists.extra:
        schema = Schema(("list",), ("group", "cluster")).with_columns(lists.further)
        if (table := read("lists", lists, schema)) is not None:
            check_cells(table, lists, findings)
    return tables


# The challenge


@dataclass(eq=False)
class OpenChallenge:
    """A challenge ready to check submissions, and to score them if its truth was opened."""

    bound: BoundChallenge
    public: Public
    truth: OpenTruth | None  # None: it only checks
    plan: Plan  # by which submissions are scored
    warnings: tuple[Problem, ...] = ()
    tables: Mapping[Path, FileTable] = field(default_factory=dict)  # of submissions that were read

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, with the parameters that the truth settles."""
        return self.plan.measures

    @property
    def digests(self) -> Mapping[str, str]:
        """The digests of all that a value depends on beside its submission."""
        return self.plan.digests

    @property
    def views(self) -> frozenset[type]:
        """The types that submissions are joined as."""
        return self.plan.views


def open_challenge(
    bound: BoundChallenge,
    *,
    with_truth: bool = True,
    views: frozenset[type] = frozenset(),
    submitted: SubmittedLists | None = None,
) -> OpenChallenge:
    """Return a challenge with its files read.

    Args:
        bound: The challenge.
        with_truth: Whether the truth is opened; without it submissions can only be checked.
        views: The views that are needed besides those of the measures.
        submitted: The lists of the submissions, if nothing else names the lists.

    Raises:
        ChallengeError: A file cannot be read, or is wrong.
    """
    challenge, findings = bound.challenge, Findings()
    tables = submitted.tables if submitted else {}
    if not with_truth:
        public = read_public(bound, submitted=submitted)
        checked = bound.views & {Frames}  # of which a check is that they can be read
        plan = replace(_start_plan(bound, public, None), measures=bound.measures, views=checked)
        return OpenChallenge(bound, public, None, plan, tables=tables)
    refuse_kit(challenge)
    if challenge.truthless:
        public = read_public(bound, submitted=submitted)
        schema = Schema(("list",), (), {"list": public.called["list"]})
        table = make_table({"list": list(public.lists)}, schema)
    else:
        table = require_table(challenge, challenge.truth, truth_schemas(bound), findings)
        public = _add_private_groups(bound, read_public(bound, table), table)
    opened = open_truth(bound, public, table, submitted)
    measures = tuple(measure.resolve(opened.truth.constants) for measure in bound.measures)
    refuse(challenge, find_faults_of_truth(challenge, measures, public.groups))
    views = views | bound.views
    has_positions = Positions in views
    plan = replace(
        _start_plan(bound, public, table),
        truths={None: opened.truth} | opened.folds,
        measures=measures,
        views=views,
        digests=digests(challenge, bound.kind.name, bound.measures, bound.rules, has_positions),
        columns=opened.columns,
        solution=_write_solution(bound, table) if Frames in views else "",
        picked=opened.picked,
    )
    warnings = (*findings, *opened.warnings)
    return OpenChallenge(bound, public, opened.truth, plan, warnings, tables)


def _start_plan(bound: BoundChallenge, public: Public, truth: Table | None) -> Plan:
    """Return what checks need of the plan."""
    rules, labels = bound.challenge.submission, wide_labels(bound, public, truth)
    layout = bound.challenge.layout(rules)._replace(known=labels)
    return Plan(public, rules, bound.shapes, bound.limits, layout)


def _add_private_groups(bound: BoundChallenge, public: Public, truth: Table) -> Public:
    """Return the public part with groups that the truth alone says: never for a check or a kit."""
    if "group" not in truth:
        return public
    challenge, findings = bound.challenge, Findings()
    if public.groups:
        message = "the lists have public groups; those of the truth would be others"
        findings.add(locate_fault(challenge, Fault("truth.columns.group", "C121", message)))
    groups = read_labels(truth, "group", challenge.truth.file, findings)
    raise_errors(findings)
    called = {**public.called, "group": truth.column_name("group")}
    return public._replace(groups=groups, called=called)


def wide_labels(
    bound: BoundChallenge, public: Public, truth: Table | None = None
) -> tuple[str, ...]:
    """Return what the wide columns of a submission are about, as far as it has to have them all.

    The lists' columns are public with the lists. Which items they are the catalogue says where the
    truth is wide by items, too, and without a catalogue the truth's header.
    """
    challenge, rules = bound.challenge, bound.challenge.submission
    role = next(iter(rules.wide), "")
    if rules.missing_list in ("zero", "skip") or rules.unknown_list == "ignore":
        return ()
    if role == "list":
        return tuple(dict.fromkeys(filter(None, map(part_of, public.lists))))
    source = challenge.truth
    if role != "item" or role not in source.wide or public.candidates is not None:
        return ()
    if public.items is not None:
        return tuple(public.items)
    if truth is None and not is_kit(challenge):
        truth = read_table(challenge, source, bound.kind.public_truth, Findings())
    names = () if truth is None else truth.header
    others = {source.columns.get(each, each) for each in ("list", "weight", *source.extra)}
    return tuple(label for _, label in match_wide_columns(source.wide[role], names, others))


def _write_solution(bound: BoundChallenge, truth: Table) -> str:
    """Return the truth as CSV: its file, else a table of its columns that have roles.

    `ChallengeError` if it is no CSV, and no other columns are known.
    """
    challenge, source = bound.challenge, bound.challenge.truth
    text = read_as_csv(source.file, source.format, challenge.layout(source))
    if text is None and bound.kind.name == "frames":
        message = "Kaggle's metrics read CSV, with a header"
        refuse(challenge, [Fault("truth.file", "C115", message)])
    return text_of(truth) if text is None else text
