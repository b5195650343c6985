"""Open challenges: measures bound, kind decided, files read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import NamedTuple

from scorer.challenge.kit_archive import is_kit, refuse_kit
from scorer.challenge.model import Challenge, Source
from scorer.challenge.public import Domain, IdNames, Public
from scorer.checks.base import TruthRows, examine
from scorer.checks.pairs import find_likelihood_problems
from scorer.core.arrays import Mask
from scorer.core.problems import Findings, Problem, as_truth_problems
from scorer.core.text import display_path, join_first, quoted
from scorer.kinds.base import FilteredTruth, OpenTruth, PublicSources, SideTables
from scorer.metrics.notation import Measure
from scorer.reading.layout import match_wide_columns, part_of, row_of
from scorer.reading.read import read_as_csv
from scorer.reading.schema import Schema
from scorer.reading.table import Table, sort_ids
from scorer.results.columns import NO_COLUMNS, ListColumns
from scorer.scoring.bind import BoundChallenge
from scorer.scoring.board_rules import refuse_flat, refuse_ladder, refuse_ungrouped
from scorer.scoring.class_columns import with_forms_of_answers
from scorer.scoring.classes import classes_in
from scorer.scoring.columns import further_kinds, list_columns
from scorer.scoring.contradictions import contradictory, list_labels
from scorer.scoring.faults import Fault, located, refuse
from scorer.scoring.fingerprint import digests
from scorer.scoring.folds import SHAPES, Folded, split
from scorer.scoring.submission import Plan
from scorer.scoring.tables import raise_fatal, read_keys, read_table, tell_cells
from scorer.scoring.where import counted_rows, picked, truth_shapes
from scorer.scoring.without_truth import found_lists, table_of_lists
from scorer.views.items import ItemsByList
from scorer.views.preferences import Positions
from scorer.views.values import Frames, text_of


def public(prepared: BoundChallenge, truth: Table | None = None) -> Public:
    """The public part of a challenge, from its public files, else from the truth's public columns.

    Where the truth has been read anyway, its public columns are taken from there.

    `ChallengeError` if neither can be read.
    """
    challenge, kind = prepared.challenge, prepared.kind
    findings = Findings()
    called = {role: prepared.called(role) for role in ("list", "item")}
    items: Mapping[str, None] | None = None
    candidates = None
    lists: Mapping[str, None] = {}
    groups: dict[str, str] = {}
    clusters: dict[str, str] = {}
    parts = (part for m in prepared.measures for part in m.all_parts)
    conditional = kind.name == "labels" and any(p.combination.where for p in parts)
    if challenge.items is not None:
        further = challenge.items.further
        shape = Schema(("item",), ("list", *further), further)
        table = read_table(challenge, challenge.items, [shape], findings)
        if table is not None:
            items = IdNames(table.frame["item"].unique(maintain_order=True))
            if "list" in table:
                candidates = ItemsByList.of_columns(table.frame, "item")
    if challenge.lists is not None:
        further = challenge.lists.further
        shape = Schema(("list",), ("group", "cluster", *further), further)
        table = read_table(challenge, challenge.lists, [shape], findings)
        lists = dict.fromkeys(table.frame["list"].to_list()) if table is not None else {}
        if table is not None and "group" in table:
            groups = list_labels(table, "group", display_path(challenge.lists.file), findings)
            called["group"] = table.column_name("group")
        if table is not None and "cluster" in table:
            clusters = list_labels(table, "cluster", display_path(challenge.lists.file), findings)
            called["cluster"] = table.column_name("cluster")

    @cache
    def columns() -> Table | None:
        """The truth's public columns."""
        if truth is not None or challenge.truthless:
            return truth
        shapes = truth_shapes(prepared) if conditional else kind.public_truth
        return read_table(challenge, challenge.truth, shapes, findings)

    def counted() -> Mask | None:
        table = columns() if conditional else None
        return None if table is None else counted_rows(prepared, table)

    if challenge.lists is None and challenge.truthless:
        lists = dict.fromkeys(found_lists(prepared))
    elif challenge.lists is None and (table := columns()) is not None:
        lists = IdNames(sort_ids(table.frame["list"]))
    if not groups and challenge.parted:  # the part that a list is in is its group
        parted = {name: part_of(name) for name in lists}
        groups = {name: part for name, part in parted.items() if part is not None}
        called.setdefault("group", "part")
    if not clusters and "list" in challenge.truth.wide:  # of one row of the file: one unit
        clusters = {name: row_of(name) for name in lists}
        called.setdefault("cluster", called["list"])
    public_part = Public(
        kind.name, lists, items, candidates, called, groups,
        challenge.classes or classes_in(challenge, findings),
        clusters=clusters, numbers=frozenset(challenge.submission.numbers),
        complete=candidates is not None and _compares_orders(prepared),
        texts=challenge.submission.texts,
    )  # fmt: skip
    if lost := public_part.numbers.difference(groups.values()):
        names = join_first(list(dict.fromkeys(groups.values())))
        message = f"no list is in the group {quoted(min(lost))} (groups: {names})"
        findings.add(located(challenge, Fault("submission.numbers", "C121", message)))
    public_part = kind.complete_public(
        public_part, PublicSources(challenge, prepared.shapes, columns, counted)
    )
    public_part = with_forms_of_answers(prepared, public_part, truth, findings)
    public_part = public_part._replace(domains=_domains(prepared))
    if challenge.submission.item_pattern and (items is not None or kind.name == "ratings"):
        message = "the items are public, so that each is looked up: leave the pattern out"
        findings.add(located(challenge, Fault("submission.item_pattern", "C121", message)))
    read_keys(challenge, findings)
    raise_fatal(findings)
    return public_part


def _domains(prepared: BoundChallenge) -> tuple[Domain, ...]:
    """Return which numbers the measures are made for, each column and range once."""
    domains = dict[tuple[str, float, float], Domain]()
    for part in (part for measure in prepared.measures for part in measure.all_parts):
        for role, (low, high) in part.metric.domain(part.params).items():
            domains.setdefault((role, low, high), Domain(role, low, high, part.metric.name))
    return tuple(domains.values())


def _compares_orders(prepared: BoundChallenge) -> bool:
    """Return whether a measure compares the order of a ranked list with the truth's."""
    return prepared.kind.name == "grades" and any(
        part.metric.truth_order for m in prepared.measures for part in m.all_parts
    )


def read_side_tables(prepared: BoundChallenge, public: Public, findings: Findings) -> SideTables:
    """The tables that a truth is opened with: the files beside it that measures look at."""
    challenge = prepared.challenge
    tables = {}
    if challenge.likelihood is not None and _of_preferences(prepared):
        chances = Schema(("list", "better", "worse", "probability"))
        likelihood = read_table(challenge, challenge.likelihood, [chances], findings)
        if likelihood is not None:
            tables["likelihood"] = likelihood
            file_findings = Findings(display_path(challenge.likelihood.file))
            name, word = likelihood.column_name("probability"), public.word("list")
            file_findings.extend(find_likelihood_problems(likelihood.frame, name, word))
            findings.extend(as_truth_problems(file_findings))
    beside, features = _items(prepared, findings)
    if challenge.exclude is not None:
        shape = Schema(("list", "item"))
        if (excluded := read_table(challenge, challenge.exclude, [shape], findings)) is not None:
            beside["exclude"] = excluded
    if challenge.lists is not None and challenge.lists.extra:
        shape = Schema(("list",), ("group", "cluster")).with_columns(challenge.lists.further)
        if (lists_table := read_table(challenge, challenge.lists, [shape], findings)) is not None:
            beside["lists"] = lists_table
            tell_cells(lists_table, challenge.lists, findings)
    if "items" in beside and challenge.items is not None:
        tell_cells(beside["items"], challenge.items, findings)
    metrics = [measure.metric for measure in prepared.measures]
    strict = dict.fromkeys(each.name for each in metrics if each.truth_order == "strict")
    whole = tuple(m.name for m in prepared.measures if not m.parts and not m.metric.soft_truth)
    measure_of_view = {m.metric.view: m.name for m in reversed(prepared.measures)}
    return SideTables(
        public, tables | beside, features,
        tuple(strict),
        measure_of_view, challenge.submission, challenge.separators, further_kinds(challenge),
        whole, tuple(challenge.truth.probability), _of_orders(prepared), challenge.each,
        given_values=prepared.found or {},
    )  # fmt: skip


def _of_orders(prepared: BoundChallenge) -> bool:
    parts = (part for m in prepared.measures for part in m.all_parts if not part.parts)
    return all(part.metric.truth_order for part in parts)


def _bare_lists(truth: Table, public: Public) -> Iterator[Problem]:
    """The lists of the truth that have an empty cell, and stand in no file of lists."""
    lines = truth.empty_lists
    if bare := [name for name in lines if name not in public.lists]:
        many = (
            "a row has an empty cell" if len(bare) == 1 else f"{len(bare):,} rows have empty cells"
        )
        what = f"{many}, so that nothing is asked there: {public.word('list')} {join_first(bare)}"
        help = "submissions that answer get S302; a file of `lists` that names them asks for them"
        yield Problem("T301", what, "warning", line=lines[bare[0]], list=bare[0], help=help)


class Opened(NamedTuple):
    """The open truth."""

    truth: OpenTruth
    folds: dict[str, OpenTruth]  # fold -> its own truth
    picked: dict[
        str | None, dict[str, FilteredTruth]
    ]  # fold -> condition -> the items that it chooses
    warnings: list[Problem]


def answers(prepared: BoundChallenge, public: Public, table: Table) -> Opened:
    """The open truth in `table`; `ChallengeError` if it is wrong."""
    challenge, kind = prepared.challenge, prepared.kind
    findings = Findings()
    side_tables = read_side_tables(prepared, public, findings)
    if kind.name == "labels":
        side_tables = side_tables._replace(measured_rows=counted_rows(prepared, table))
    tell_cells(table, challenge.truth, findings)
    named = challenge.path if challenge.truthless else challenge.truth.file
    truth_findings = Findings(display_path(named))
    truth_findings.extend(_bare_lists(table, public))
    examine(TruthRows(table, public, challenge, side_tables.measured_rows), truth_findings)
    # Where submissions name the lists, one that cannot be read tells itself why there are none.
    if not len(table) and kind.name != "frames" and prepared.found is None:
        message = "the truth has no rows" if kind.truth else "there are no lists, and so no values"
        truth_findings.add(Problem("S103", message))
    ready = kind.open(table, side_tables, truth_findings)
    findings.extend(as_truth_problems(truth_findings))
    raise_fatal(findings)

    def opens(aids: SideTables) -> Callable[[Table], OpenTruth]:
        return lambda part: kind.open(part, aids, Findings())

    choices: dict[str | None, dict[str, FilteredTruth]] = {}
    choices[None] = picked(prepared, opens(side_tables), ready.lists, table)
    folds = {}
    if challenge.folds is not None:
        for name, (part, lists) in _folds(
            challenge, challenge.folds, table, ready.lists, findings
        ).items():
            fold_public = public._replace(lists=dict.fromkeys(lists))
            fold_opens = opens(side_tables._replace(public=fold_public))
            folds[name] = fold_opens(part)
            choices[name] = picked(prepared, fold_opens, folds[name].lists, part, fold=True)
    return Opened(ready, folds, choices, list(findings))


def _folds(
    challenge: Challenge, source: Source, truth: Table, lists: Sequence[str], findings: Findings
) -> dict[str, Folded]:
    table = read_table(challenge, source, SHAPES, findings)
    raise_fatal(findings)
    assert table is not None
    folds = split(truth, table, lists, file_findings := Findings(display_path(source.file)))
    findings.extend(file_findings)
    raise_fatal(findings)
    return folds


@dataclass(eq=False)
class OpenChallenge:
    """A challenge ready to check submissions, and to score them where its truth was opened."""

    bound: BoundChallenge
    public: Public
    truth: OpenTruth | None  # None: only checks
    measures: tuple[Measure, ...]  # settled by the truth
    digests: dict[str, str]  # of all that a value depends on beside its submission
    views: frozenset[type]  # all that is asked of a meeting
    warnings: tuple[Problem, ...] = ()
    folds: Mapping[str, OpenTruth] = field(default_factory=dict)  # fold -> its own truth
    columns: ListColumns = NO_COLUMNS  # of the truth's lists, where measures need them
    solution: str = ""  # the truth as CSV, where measures read frames
    labels: tuple[str, ...] = ()  # what the wide columns of a submission are about
    picked: Mapping[str | None, Mapping[str, FilteredTruth]] = field(
        default_factory=dict
    )  # as of `Plan`

    def reading(self, format: str) -> OpenChallenge:
        """The challenge for submissions in another format."""
        challenge = self.bound.challenge
        rules = challenge.submission.model_copy(update={"format": format})
        prepared = self.bound._replace(challenge=challenge.model_copy(update={"submission": rules}))
        return replace(self, bound=prepared)

    @cached_property
    def plan(self) -> Plan:
        """The plan by which submissions are scored."""
        prepared, rules = self.bound, self.bound.challenge.submission
        return Plan(
            self.public,
            rules,
            prepared.shapes,
            prepared.limits,
            prepared.challenge.layout(rules)._replace(known=self.labels),
            {} if self.truth is None else {None: self.truth} | dict(self.folds),
            self.measures,
            self.views,
            self.digests,
            self.columns,
            self.solution,
            self.picked,
        )


def open_challenge(
    bound: BoundChallenge, *, with_truth: bool = True, views: frozenset[type] = frozenset()
) -> OpenChallenge:
    """Read the challenge's files; `ChallengeError` if one cannot be read, or is wrong.

    Without its truth it can only check submissions; `views` are opened besides those of the
    measures.
    """
    prepared = bound
    if not with_truth:
        public_part = public(prepared)
        read_whole = prepared.views & {Frames}  # of which a check is that they can be
        labels = wide_labels(prepared, public_part)
        return OpenChallenge(
            prepared, public_part, None, prepared.measures, {}, read_whole, labels=labels
        )
    refuse_kit(prepared.challenge)
    findings = Findings()
    challenge = prepared.challenge
    if challenge.truthless:
        public_part = public(prepared)
        truth = table_of_lists(public_part)
    else:
        read = read_table(challenge, challenge.truth, truth_shapes(prepared), findings)
        raise_fatal(findings)
        assert read is not None
        truth = read
        public_part = _with_private_groups(prepared, public(prepared, truth), truth)
    ready, folds, choices, warnings = answers(prepared, public_part, truth)
    warnings = [*findings, *warnings]
    measures = tuple(bound.resolve(ready.constants) for bound in prepared.measures)
    refuse_flat(challenge, measures)
    refuse_ladder(challenge, measures)
    refuse_ungrouped(challenge, public_part.groups)
    wanted_views, kind = prepared.views | views, prepared.kind.name
    placed = Positions in wanted_views
    identity = digests(challenge, kind, prepared.measures, prepared.rules, placed)
    columns = list_columns(prepared, ready.lists, truth, public_part.groups)
    return OpenChallenge(
        prepared,
        public_part,
        ready,
        measures,
        identity,
        wanted_views,
        tuple(warnings),
        folds,
        columns,
        solution=_solution(prepared, truth) if Frames in wanted_views else "",
        labels=wide_labels(prepared, public_part, truth),
        picked=choices,
    )


def _with_private_groups(prepared: BoundChallenge, public: Public, truth: Table) -> Public:
    """What is public, and the groups that the truth alone says: never for a check or a kit."""
    if "group" not in truth:
        return public
    challenge, findings = prepared.challenge, Findings()
    if public.groups:
        message = "the lists have public groups; those of the truth would be others"
        findings.add(located(challenge, Fault("truth.columns.group", "C121", message)))
    groups = list_labels(truth, "group", display_path(challenge.truth.file), findings)
    raise_fatal(findings)
    called = {**public.called, "group": truth.column_name("group")}
    return public._replace(groups=groups, called=called)


def wide_labels(
    prepared: BoundChallenge, public: Public, truth: Table | None = None
) -> tuple[str, ...]:
    """What the wide columns of a submission are about, as far as it has to have them all.

    The lists' columns are public with the lists; which items they are the catalogue says where the
    truth is wide by items, too, and without one its header.
    """
    challenge, rules = prepared.challenge, prepared.challenge.submission
    role = next(iter(rules.wide), "")
    if rules.missing_list in ("zero", "skip") or rules.unknown_list == "ignore":
        return ()
    if role == "list":
        return tuple(dict.fromkeys(filter(None, map(part_of, public.lists))))
    if role != "item" or role not in challenge.truth.wide or public.candidates is not None:
        return ()
    if public.items is not None:
        return tuple(public.items)
    source, kind = challenge.truth, prepared.kind
    if truth is None and not is_kit(challenge):
        truth = read_table(challenge, source, kind.public_truth, Findings())
    names = () if truth is None else truth.header
    others = {source.columns.get(each, each) for each in ("list", "weight", *source.extra)}
    return tuple(label for _, label in match_wide_columns(source.wide[role], names, others))


def _solution(prepared: BoundChallenge, truth: Table) -> str:
    """The truth as CSV: its file, else a table of its columns that have roles.

    `ChallengeError` if it is no CSV, and no other columns are known.
    """
    challenge = prepared.challenge
    source = challenge.truth
    text = read_as_csv(source.file, source.format, challenge.layout(source))
    if text is None and prepared.kind.name == "frames":
        message = "Kaggle's metrics read CSV, with a header"
        refuse(challenge, [Fault("truth.file", "C115", message)])
    return text_of(truth) if text is None else text


def _of_preferences(prepared: BoundChallenge) -> bool:
    from scorer.views.preferences import Preferred  # which few challenges need

    return Preferred in prepared.views


def _items(
    prepared: BoundChallenge, findings: Findings
) -> tuple[dict[str, Table], tuple[str, ...]]:
    """The tables of items and history, and the features, where a measure needs them."""
    challenge = prepared.challenge
    tables: dict[str, Table] = {}
    features: tuple[str, ...] = ()
    source = challenge.items
    if source is None and challenge.history is None:
        return tables, features
    from scorer.views.recommendations import Returned  # which few challenges need

    if Returned not in prepared.views and not (source is not None and source.extra):
        return tables, features
    if source is not None and (source.features or source.users is not None or source.further):
        called = {f"features[{n}]": name for n, name in enumerate(source.features)}
        features = tuple(called)
        if source.users is not None:
            called["users"] = source.users
        widened = source.model_copy(update={"columns": {**source.columns, **called}})
        items = read_table(
            challenge, widened, [Schema(("item", *called)).with_columns(source.further)], findings
        )
        if items is not None:
            tables["items"] = items
            file_findings = Findings(display_path(source.file))
            file_findings.extend(contradictory(items))
            findings.extend(as_truth_problems(file_findings))
    if challenge.history is not None:
        pairs = [Schema(("list", "item"))]
        if (history := read_table(challenge, challenge.history, pairs, findings)) is not None:
            tables["history"] = history
    return tables, features
