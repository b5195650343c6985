"""A challenge opened: its truth, and the plan by which submissions are scored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from scorer.challenge.kit_archive import lacks_truth, refuse_without_truth
from scorer.challenge.model import Source
from scorer.challenge.public import Public
from scorer.checks.base import TruthRows, examine
from scorer.checks.pairs import find_likelihood_problems
from scorer.core.problems import Findings, Problem
from scorer.core.text import join_first
from scorer.kinds.base import FilteredTruth, OpenTruth, SideTables
from scorer.metrics.notation import Measure
from scorer.reading.layout import match_wide_columns, part_of
from scorer.reading.read import FileTable, read_as_csv
from scorer.reading.schema import Schema
from scorer.reading.table import Table, make_table
from scorer.results.scorecard import ListColumns
from scorer.scoring.bind import BoundChallenge
from scorer.scoring.fingerprint import digests
from scorer.scoring.lists import (
    add_choices,
    choose,
    filter_truth,
    find_measured_rows,
    read_list_columns,
    truth_schemas,
)
from scorer.scoring.public import SubmittedLists, read_public
from scorer.scoring.rules import Fault, find_faults_of_truth, locate_fault, refuse
from scorer.scoring.splits import split_truth
from scorer.scoring.submission import Fold, Plan
from scorer.scoring.tables import (
    add_problems,
    check_cells,
    find_contradictions,
    raise_errors,
    read_labels,
    read_table,
    require_table,
)
from scorer.views.preferences import Positions, Preferred
from scorer.views.recommendations import Returned
from scorer.views.values import Frames, text_of

# The truth


class FoldTruths(NamedTuple):
    """The whole truth, whose fold is None, and the truth of each fold, ready for submissions."""

    truths: dict[Fold, OpenTruth]
    picked: dict[Fold, dict[str, FilteredTruth]]  # fold -> condition -> the items that it chooses
    columns: ListColumns  # groups, weights and conditions of the lists
    warnings: list[Problem]


def open_truth(
    bound: BoundChallenge, public: Public, table: Table, submitted: SubmittedLists | None = None
) -> FoldTruths:
    """Return the truth in `table`, ready for submissions; `ChallengeError` if it is wrong."""
    challenge = bound.challenge
    kind = bound.kind
    findings = Findings()
    sides = read_side_tables(bound, public, findings)
    if submitted is not None:
        sides = sides._replace(given_values=submitted.values)
    if kind.name == "labels":
        sides = sides._replace(measured_rows=find_measured_rows(bound, table))
    check_cells(table, challenge.truth, findings)
    problems = Findings()
    problems.extend(_find_empty_lists(table, public))
    examine(TruthRows(table, public, challenge, sides.measured_rows), problems)
    # If submissions name the lists, there are none if no submission can be read: their own problems
    # say why.
    if not len(table) and kind.name != "frames" and submitted is None:
        message = "the truth has no rows" if kind.truth else "there are no lists, and so no values"
        problems.add(Problem("S103", message))
    truth = kind.open(table, sides, problems)
    file = challenge.path if challenge.truthless else challenge.truth.file
    add_problems(findings, file, problems)
    raise_errors(findings)

    truths: dict[Fold, OpenTruth] = {None: truth}
    picked = dict[Fold, dict[str, FilteredTruth]]()
    columns = read_list_columns(bound, truth.lists, public.groups)
    for fold, (rows, lists) in split_truth(challenge, table, truth.lists).items():
        if fold is not None:
            sides = sides._replace(public=public._replace(lists=dict.fromkeys(lists)))
            truths[fold] = _open_rows(bound, sides, rows)
        choices = choose(bound, truths[fold].lists, rows, is_fold=fold is not None)
        open_rows = partial(_open_rows, bound, sides)
        picked[fold] = filter_truth(choices, open_rows, truths[fold].lists, rows)
        if fold is None:
            columns = add_choices(columns, choices)
    return FoldTruths(truths, picked, columns, list(findings))


def _open_rows(bound: BoundChallenge, sides: SideTables, rows: Table) -> OpenTruth:
    """Return the truth of some rows, ready for submissions."""
    return bound.kind.open(rows, sides, Findings())


def _find_empty_lists(truth: Table, public: Public) -> Iterator[Problem]:
    """Yield a warning on the lists that no public file names, and whose cells are empty."""
    lines = truth.empty_lists
    if names := [name for name in lines if name not in public.lists]:
        count = len(names)
        what = "a row has an empty cell" if count == 1 else f"{count:,} rows have empty cells"
        word = public.word("list")
        message = f"{what}, so that nothing is asked there: {word} {join_first(names)}"
        help = "submissions that answer get S302; a file of `lists` that names them asks for them"
        yield Problem("T301", message, "warning", line=lines[names[0]], list=names[0], help=help)


def read_side_tables(bound: BoundChallenge, public: Public, findings: Findings) -> SideTables:
    """Return the tables that measures use besides the truth, and what they require of the truth."""
    challenge = bound.challenge
    metrics = [measure.metric for measure in bound.measures]
    sections = {
        "truth": challenge.truth,
        "lists": challenge.lists,
        "items": challenge.items,
        "submission": challenge.submission,
    }
    features: dict[str, str] = {}  # role -> the name of its column
    if (items := challenge.items) is not None and _uses_items(bound):
        features = {f"features[{n}]": name for n, name in enumerate(items.features)}
    single_measures = [part for part in bound.all_parts if not part.parts]
    return SideTables(
        public,
        _read_side_files(bound, public, features, findings),
        tuple(features),
        strict=tuple(dict.fromkeys(m.name for m in metrics if m.truth_order == "strict")),
        # Of the metrics with one view, the first is named.
        views={m.metric.view: m.name for m in reversed(bound.measures)},
        rules=challenge.submission,
        separators=challenge.separators,
        extra={name: s.extra for name, s in sections.items() if s is not None and s.extra},
        single_class_metrics=tuple(
            m.name for m in bound.measures if not m.parts and not m.metric.soft_truth
        ),
        class_columns=tuple(challenge.truth.probability),
        truth_is_order=all(part.metric.truth_order for part in single_measures),
        box_parts=challenge.box_parts,
    )


def _uses_items(bound: BoundChallenge) -> bool:
    """Return whether the tables of items and history are needed, by a view or as extra columns."""
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
            name = table.column_name("probability")
            word = public.word("list")
            problems = find_likelihood_problems(table.frame, name, word)
            add_problems(findings, source.file, problems)
    if (items := challenge.items) is not None and _uses_items(bound):
        columns = {**features, **({} if items.users is None else {"users": items.users})}
        schema = Schema(("item", *columns), (), columns).with_columns(items.further_columns)
        table = read("items", items, schema) if columns or items.further_columns else None
        if table is not None:
            add_problems(findings, items.file, find_contradictions(table))
            check_cells(table, items, findings)
    if challenge.history is not None and _uses_items(bound):
        read("history", challenge.history, Schema(("list", "item")))
    if challenge.exclude is not None:
        read("exclude", challenge.exclude, Schema(("list", "item")))
    if (lists := challenge.lists) is not None and lists.extra:
        schema = Schema(("list",), ("group", "cluster")).with_columns(lists.further_columns)
        if (table := read("lists", lists, schema)) is not None:
            check_cells(table, lists, findings)
    return tables


# The challenge


@dataclass(eq=False)
class OpenChallenge:
    """A challenge ready to check submissions, and to score them if its truth was opened."""

    bound: BoundChallenge
    public: Public
    truth: OpenTruth | None  # None: submissions can only be checked
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
        """The views that are made of each submission, joined with the truth."""
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
        views: Views that are needed besides the measures' own.
        submitted: The lists of the submissions, if nothing else names the lists.

    Raises:
        ChallengeError: A file cannot be read, or is wrong.
    """
    challenge = bound.challenge
    findings = Findings()
    tables = submitted.tables if submitted else {}
    if not with_truth:
        public = read_public(bound, submitted=submitted)
        checked = bound.views & {Frames}  # A check reads these, to see whether a metric could.
        plan = replace(_start_plan(bound, public, None), measures=bound.measures, views=checked)
        return OpenChallenge(bound, public, None, plan, tables=tables)
    refuse_without_truth(challenge)
    if challenge.truthless:
        public = read_public(bound, submitted=submitted)
        schema = Schema(("list",), (), {"list": public.called["list"]})
        table = make_table({"list": list(public.lists)}, schema)
    else:
        table = require_table(challenge, challenge.truth, truth_schemas(bound), findings)
        public = _add_private_groups(bound, read_public(bound, table), table)
    opened = open_truth(bound, public, table, submitted)
    truth = opened.truths[None]
    measures = tuple(measure.resolve(truth.constants) for measure in bound.measures)
    refuse(challenge, find_faults_of_truth(challenge, measures, public.groups))
    views = views | bound.views
    has_positions = Positions in views
    plan = replace(
        _start_plan(bound, public, table),
        truths=opened.truths,
        measures=measures,
        views=views,
        digests=digests(
            challenge, bound.kind.name, bound.measures, bound.undefined_rules, has_positions
        ),
        columns=opened.columns,
        solution=_write_solution(bound, table) if Frames in views else "",
        filtered_truths=opened.picked,
    )
    warnings = (*findings, *opened.warnings)
    return OpenChallenge(bound, public, truth, plan, warnings, tables)


def _start_plan(bound: BoundChallenge, public: Public, truth: Table | None) -> Plan:
    """Return a plan with all that a check needs, and without what only scoring needs."""
    rules = bound.challenge.submission
    labels = wide_labels(bound, public, truth)
    layout = bound.challenge.layout(rules)._replace(known=labels)
    return Plan(public, rules, bound.shapes, bound.limits, layout)


def _add_private_groups(bound: BoundChallenge, public: Public, truth: Table) -> Public:
    """Return the public part with the truth's groups, which neither a check nor a kit may have."""
    if "group" not in truth:
        return public
    challenge = bound.challenge
    findings = Findings()
    if public.groups:
        message = "the lists have public groups already, so the truth cannot have others"
        findings.add(locate_fault(challenge, Fault("truth.columns.group", "C121", message)))
    groups = read_labels(truth, "group", challenge.truth.file, findings)
    raise_errors(findings)
    called = {**public.called, "group": truth.column_name("group")}
    return public._replace(groups=groups, called=called)


def wide_labels(
    bound: BoundChallenge, public: Public, truth: Table | None = None
) -> tuple[str, ...]:
    """Return the lists or items of the wide columns that each submission must have.

    Empty if it need not have all. Lists are public. Items are required only if the truth is wide by
    items, too: they are all of the public items or, without these, all in the truth's header.
    """
    challenge = bound.challenge
    rules = bound.challenge.submission
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
    if truth is None and not lacks_truth(challenge):
        truth = read_table(challenge, source, bound.kind.public_truth, Findings())
    names = () if truth is None else truth.header
    others = {source.columns.get(key, key) for key in ("list", "weight", *source.extra)}
    return tuple(label for _, label in match_wide_columns(source.wide[role], names, others))


def _write_solution(bound: BoundChallenge, truth: Table) -> str:
    """Return the truth as CSV: its file if that is CSV, else its columns that have roles.

    Raises:
        ChallengeError: The file is no CSV, and the kind does not know its columns.
    """
    challenge = bound.challenge
    source = bound.challenge.truth
    text = read_as_csv(source.file, source.format, challenge.layout(source))
    if text is None and bound.kind.name == "frames":
        message = "Kaggle's metrics read CSV, with a header"
        refuse(challenge, [Fault("truth.file", "C115", message)])
    return text_of(truth) if text is None else text
