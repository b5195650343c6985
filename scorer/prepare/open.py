"""A challenge made ready: measures bound, its kind decided, its files read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from scorer.auditing import Truthful, inspect
from scorer.challenge.model import Challenge, Source
from scorer.challenge.public import Names, Public
from scorer.checks.submission.preferences import improbable
from scorer.compare.base import aggregations, bind, comparisons
from scorer.core.errors import ChallengeError, UnknownName
from scorer.core.problems import Findings, Problem
from scorer.core.registry import Registry, discover, plugin
from scorer.core.text import near, quoted, shown
from scorer.io import polars_table as large
from scorer.io.formats.base import format_of, header, read
from scorer.io.limits import Limits
from scorer.io.polars_chunks import Doubt, worth
from scorer.io.table import Table, Wanted
from scorer.kinds.base import Aids, Answers, Kind, kinds
from scorer.metrics.base import Measure, Metric, NotationError, measure, parse
from scorer.prepare.fingerprint import digests
from scorer.prepare.folds import SHAPES, Folded, split
from scorer.results.scorecard import Rules
from scorer.views.pairwise import Preferred
from scorer.views.positions import Lineup, Positions
from scorer.views.returned import Returned


@cache
def metrics() -> Registry[Metric]:
    """Every metric that is installed; a challenge's own plugins are an overlay of it."""
    return discover("metric", "scorer.metrics", Metric)


@dataclass(frozen=True)
class Prepared:
    """What a challenge settles before any truth or submission is opened."""

    challenge: Challenge
    metrics: Registry[Metric]
    measures: tuple[Measure, ...]
    kind: Kind
    rules: dict[str, Rules]  # measure id -> how lists without a value count
    breakers: tuple[Measure, ...] = ()  # what orders equal ones: measures, or preferences
    rank_by: tuple[Measure, Measure] | None = None  # a preference and its aggregation

    @property
    def views(self) -> frozenset[type]:
        """All that the measures and the leaderboard look at."""
        preferred = self.rank_by or any(m.metric.view is Lineup for m in self.breakers)
        asked = {m.metric.view for m in self.measures}
        return frozenset(asked | {Positions} if preferred else asked)

    @property
    def shapes(self) -> tuple[Wanted, ...]:
        """What a submission may look like: the kind's shapes, with what the measures need."""
        columns = self.challenge.submission.columns
        needed = {role for m in self.measures for role in m.metric.columns}
        return tuple(
            Wanted(
                (*shape.required, *(role for role in shape.optional if role in needed)),
                tuple(role for role in shape.optional if role not in needed),
                columns,
            )
            for shape in self.kind.submission
        )

    @property
    def limits(self) -> Limits:
        """What a submission may cost to read."""
        return Limits(**self.challenge.submission.limits.model_dump())

    def called(self, role: str) -> str:
        """The challenge's own word for a list or an item: its column's name."""
        for columns in (self.challenge.submission.columns, self.challenge.truth.columns):
            if role in columns:
                return columns[role]
        return role


def prepare(challenge: Challenge, allow_plugins: bool = False) -> Prepared:
    """Bind the measures and decide the kind.

    Raises:
        ChallengeError: all that is wrong with them, each at its line.
        PluginError: a plugin cannot be loaded.
    """
    if strayed := challenge.strayed:
        said = "a link leads out of the challenge's folder"
        raise ChallengeError(problems=[Problem("C111", said, path=str(path)) for path in strayed])
    registry = metrics()
    if challenge.plugins and not allow_plugins:
        names = ", ".join(path.name for path in challenge.plugins)
        said = f"this challenge runs code of its own ({names})"
        raise ChallengeError(
            problems=[
                challenge.problem("C116", "plugins", said, help="if you trust it: --allow-plugins")
            ]
        )
    for path in challenge.plugins:
        registry = registry.with_(plugin(path, Metric))
    problems: list[Problem] = []
    measures: list[Measure] = []
    for spec in challenge.metrics:
        try:
            name, _, _ = parse(spec.notation)
            found = registry.get(name)
            bound = measure(found, spec.notation, spec.params, spec.id, spec.primary)
        except UnknownName as error:
            problems.append(challenge.problem("C113", spec.key, str(error)))
        except NotationError as error:
            key = f"{spec.key}.{error.parameter}" if error.parameter else spec.key
            problems.append(challenge.problem("C114", key, str(error)))
        else:
            if any(bound.id == other.id for other in measures):
                said = f"two measures are called {quoted(bound.id)}; give one an id"
                problems.append(challenge.problem("C120", spec.key, said))
            measures.append(bound)
            if challenge.submission.ties == "expected" and not found.expected:
                said = f"{found.name} has no closed form for submission.ties: expected"
                problems.append(challenge.problem("C122", spec.key, said))
            for need in bound.needs:
                if not any(_has(challenge, one) for one in need.split(" or ")):
                    said = f"{bound.name} needs {need}, which this challenge does not have"
                    problems.append(challenge.problem("C121", spec.key, said))
    if problems:
        raise ChallengeError(problems=problems)
    kind, mixed = _kind(challenge, measures)
    rules = {}
    for bound, spec in zip(measures, challenge.metrics, strict=True):
        rules[bound.id], refused = _rules(challenge, bound, spec.key)
        mixed += refused
    breakers, rank_by, unknown = _leaderboard(challenge, measures, kind)
    mixed += unknown
    if mixed:
        raise ChallengeError(problems=mixed)
    if not any(bound.primary for bound in measures):
        measures[0] = replace(measures[0], primary=True)
    return Prepared(challenge, registry, tuple(measures), kind, rules, breakers, rank_by)


def public(prepared: Prepared, truth: Table | None = None) -> Public:
    """What participants may know, from the public files, else from the truth's public columns.

    Where the truth has been read anyway, its public columns are taken from there.

    Raises:
        ChallengeError: neither can be read.
    """
    challenge, kind = prepared.challenge, prepared.kind
    findings = Findings()
    called = {role: prepared.called(role) for role in ("list", "item")}
    items = candidates = None
    lists: Mapping[str, None] = {}
    groups: dict[str, str] = {}
    if challenge.items is not None:
        table = _table(challenge.items, [Wanted(("item",), ("list",))], findings)
        if table is not None:
            items = dict.fromkeys(table.ids["item"].names)
            if "list" in table.ids:
                candidates = _by_list(table, "item")
    if challenge.lists is not None:
        table = _table(challenge.lists, [Wanted(("list",), ("group",))], findings)
        lists = dict.fromkeys(table.ids["list"].names) if table is not None else {}
        if table is not None and "group" in table.ids:
            groups = _groups(table, str(challenge.lists.file), findings)
            called["group"] = table.called("group")
    bare = kind.name != "grades" and candidates is None
    asked = None
    if challenge.lists is None or bare:
        table = truth or _table(challenge.truth, kind.known, findings)
        if table is not None and challenge.lists is None:
            lists = Names(sorted(table.ids["list"].names))
        if table is not None and bare:
            roles = ("item",) if kind.name == "ratings" else ("better", "worse")
            candidates = _by_list(table, *roles)
    if kind.name == "ratings":
        named = candidates or {}
        asked = {(name, item): None for name in lists for item in sorted(named.get(name, ()))}
        candidates = None if bare else candidates
    _raise(findings)
    return Public(kind.name, lists, items, candidates, asked, called, groups)


def answers(
    prepared: Prepared, public: Public, table: Table
) -> tuple[Answers, dict[str, Answers], list[Problem]]:
    """The truth in `table`, and each of its folds, made ready, with the warnings about it.

    Raises:
        ChallengeError: it cannot be read, or is wrong.
    """
    challenge, kind = prepared.challenge, prepared.kind
    findings = Findings()
    tables = {}
    if challenge.likelihood is not None and Preferred in prepared.views:
        chances = Wanted(("list", "better", "worse", "probability"))
        likelihood = _table(challenge.likelihood, [chances], findings)
        if likelihood is not None:
            tables["likelihood"] = likelihood
            told = Findings(near(challenge.likelihood.file))
            told.extend(improbable(likelihood, public.word("list")))
            findings.extend(_organizers(told))
    beside, features = _items(prepared, findings)
    strict = dict.fromkeys(m.metric.name for m in prepared.measures if m.metric.strict_order)
    aids = Aids(public, tables | beside, features, tuple(strict))
    told = Findings(near(challenge.truth.file))
    inspect(Truthful(table, public, challenge), told)
    ready = kind.open(table, aids, told)
    findings.extend(_organizers(told))
    _raise(findings)
    folds = {}
    if challenge.folds is not None:
        for name, (part, lists) in _folds(challenge.folds, table, ready.lists, findings).items():
            own = replace(public, lists=dict.fromkeys(lists))
            folds[name] = kind.open(part, replace(aids, public=own), Findings())
    return ready, folds, list(findings)


def _folds(
    source: Source, truth: Table, lists: Sequence[str], findings: Findings
) -> dict[str, Folded]:
    table = _table(source, SHAPES, findings)
    _raise(findings)
    assert table is not None
    found = split(truth, table, lists, told := Findings(near(source.file)))
    findings.extend(told)
    _raise(findings)
    return found


@dataclass(frozen=True)
class Opened:
    """A challenge ready to check submissions, and to score them where its truth was opened."""

    prepared: Prepared
    public: Public
    answers: Answers | None  # None: only checks
    measures: tuple[Measure, ...]  # settled by the truth
    digests: dict[str, str]
    views: frozenset[type]  # all that is asked of a meeting
    warnings: tuple[Problem, ...] = ()
    folds: Mapping[str, Answers] = field(default_factory=dict)  # fold -> its own truth


def opened(prepared: Prepared, blind: bool = False, views: frozenset[type] = frozenset()) -> Opened:
    """Read what submissions are met with; `blind` leaves the answers closed.

    `views` are asked for beside those that the measures look at.

    Raises:
        ChallengeError: a file of the challenge cannot be read, or is wrong.
    """
    if blind:
        known = public(prepared)
        return Opened(prepared, known, None, prepared.measures, {}, frozenset())
    findings = Findings()
    truth = _table(prepared.challenge.truth, prepared.kind.truth, findings)
    _raise(findings)
    assert truth is not None
    known = public(prepared, truth)
    ready, folds, warnings = answers(prepared, known, truth)
    warnings = [*findings, *warnings]
    measures = tuple(bound.settled(ready.constants) for bound in prepared.measures)
    asked = prepared.views | views
    told = digests(prepared.challenge, prepared.kind.name, prepared.measures, prepared.rules)
    return Opened(prepared, known, ready, measures, told, asked, tuple(warnings), folds)


def _table(source: Source, shapes: Sequence[Wanted], findings: Findings) -> Table | None:
    """One of the organizer's files; what is wrong with it are T codes."""
    told = Findings(near(source.file))
    wanted = [replace(shape, columns=source.columns) for shape in shapes]
    format = format_of(source.file, source.format)
    if worth(source.file):
        with suppress(Doubt):
            return large.table(source.file, format, wanted, Limits())
    table = read(source.file, format, wanted, told, Limits())
    findings.extend(_organizers(told))
    return table


def _organizers(findings: Findings) -> list[Problem]:
    """The same findings of an organizer's file: S304 of a submission is T304 of a truth."""
    return [replace(p, code=f"T{p.code[1:]}") if p.code[0] == "S" else p for p in findings]


def _raise(findings: Findings) -> None:
    if findings.fatal:
        raise ChallengeError(problems=findings)


def _items(prepared: Prepared, findings: Findings) -> tuple[dict[str, Table], tuple[str, ...]]:
    """What is known of the items and of the past, where a measure asks: tables, and features."""
    challenge = prepared.challenge
    found: dict[str, Table] = {}
    features: tuple[str, ...] = ()
    if Returned not in prepared.views:
        return found, features
    if (source := challenge.items) is not None:
        called = {f"features[{n}]": name for n, name in enumerate(source.features)}
        features = tuple(called)
        if source.users is not None:
            called["users"] = source.users
        named = source.model_copy(update={"columns": {**source.columns, **called}})
        items = _table(named, [Wanted(("item", *called))], findings)
        if items is not None:
            found["items"] = items
            told = Findings(near(source.file))
            told.extend(_contradictory(items))
            findings.extend(_organizers(told))
    if challenge.history is not None:
        history = _table(challenge.history, [Wanted(("list", "item"))], findings)
        if history is not None:
            found["history"] = history
    return found, features


def _contradictory(items: Table) -> Iterator[Problem]:
    """Items that are described twice, and not alike; counts below 0."""
    item, first = items.ids["item"], dict[int, int]()
    for row, code in enumerate(item.codes.tolist()):
        other, name = first.setdefault(code, row), item.names[code]
        line = int(items.line[row])
        for role, numbers in items.numbers.items():
            said = f"{shown(items.called(role), 60)} of item {quoted(name)} is {numbers[row]:.12g}"
            if role == "users" and numbers[row] < 0:
                yield Problem("S505", f"{said}, below 0", line=line, item=name)
            if numbers[row] != numbers[other] and not np.isnan(numbers[[row, other]]).any():
                said += f" here and {numbers[other]:.12g} on line {items.line[other]:,}"
                yield Problem("S304", said, line=line, item=name)


def _groups(table: Table, path: str, findings: Findings) -> dict[str, str]:
    """The group of each list; a list can be in one only."""
    found: dict[str, str] = {}
    for row, line in enumerate(table.line.tolist()):
        name, group = table.ids["list"].text(row), table.ids["group"].text(row)
        if found.setdefault(name, group) != group:
            said = f"{quoted(name)} is in two groups, {quoted(found[name])} and {quoted(group)}"
            findings.add(Problem("T304", said, path=path, line=line, list=name))
    return found


def _by_list(table: Table, *roles: str) -> dict[str, frozenset[str]]:
    """The items of each list, from columns that name them."""
    lists = table.ids["list"]
    found: dict[str, set[str]] = {name: set() for name in lists.names}
    for items in (table.ids[role] for role in roles):
        for code, item in zip(lists.codes.tolist(), items.codes.tolist(), strict=True):
            found[lists.names[code]].add(items.names[item])
    return {name: frozenset(names) for name, names in found.items()}


def _kind(challenge: Challenge, measures: Sequence[Measure]) -> tuple[Kind, list[Problem]]:
    """The one kind that all metrics fit, or the first two that do not go together."""
    fits = frozenset(known.name for known in kinds())
    for n, bound in enumerate(measures):
        if not fits & bound.metric.kinds:
            first = next(m for m in measures if not m.metric.kinds & bound.metric.kinds)
            said = (
                f"{first.metric.name} looks at {_or(first.metric.kinds)} and "
                f"{bound.metric.name} at {_or(bound.metric.kinds)}; one challenge has one kind"
            )
            key = f"metrics[{n}]"
            return kinds().get(min(fits)), [challenge.problem("C115", key, said)]
        fits &= bound.metric.kinds
    if len(fits) > 1:
        fits &= {"preferences"} if _of_pairs(challenge) else {"grades"}
    return kinds().get(min(fits)), []


def _of_pairs(challenge: Challenge) -> bool:
    """Whether the truth prefers items to each other: as declared, else as its header says."""
    source, pair = challenge.truth, {"better", "worse"}
    if pair & {*source.columns, *challenge.submission.columns}:
        return True
    if {"item", "grade"} & set(source.columns):
        return False
    return pair <= header(source.file, format_of(source.file, source.format), Limits())


def _leaderboard(
    challenge: Challenge, measures: Sequence[Measure], kind: Kind
) -> tuple[tuple[Measure, ...], tuple[Measure, Measure] | None, list[Problem]]:
    """What the leaderboard's rules name: measures of the challenge, preferences, an aggregation."""
    board, problems = challenge.leaderboard, list[Problem]()
    own = {name.casefold(): m for m in reversed(measures) for name in (m.name, m.id)}

    def found(key: str, name: str, registry: Registry[Any]) -> Measure | None:
        try:
            bound = bind(registry, name)
        except (UnknownName, NotationError) as error:
            known = ", ".join(m.id for m in measures) if key.startswith("leaderboard.tie") else ""
            hint = f"it can be a measure of this challenge ({known}) or a preference; " * bool(
                known
            )
            problems.append(challenge.problem("C117", key, f"{hint}{error}"))
            return None
        if kind.name != "grades":
            said = f"{bound.name} compares ranked lists, and this challenge has {kind.name}"
            problems.append(challenge.problem("C115", key, said))
        return bound

    breakers = [
        own.get(name.casefold()) or found(f"leaderboard.tie_break[{n}]", name, comparisons())
        for n, name in enumerate(board.tie_break)
    ]
    rank_by = None
    if board.rank_by != "primary":
        where = "leaderboard.rank_by"
        preference = found(f"{where}.preference", board.rank_by.preference, comparisons())
        aggregate = found(f"{where}.aggregate", board.rank_by.aggregate, aggregations())
        if preference and aggregate:
            rank_by = (preference, aggregate)
    return tuple(each for each in breakers if each), rank_by, problems


def _has(challenge: Challenge, need: str) -> bool:
    """Whether the challenge declares a file, or a column of one: `items`, `items.users`."""
    found: object = challenge
    for step in need.split("."):
        found = getattr(found, step, None)
    return found not in (None, ())


def _or(names: frozenset[str]) -> str:
    return " or ".join(sorted(names))


def _rules(challenge: Challenge, bound: Measure, key: str) -> tuple[Rules, list[Problem]]:
    """How lists without a value count for this measure; a written `zero` must make sense."""
    lower = bound.metric.better == "lower"
    refused = []
    for said, where in (
        (challenge.undefined, "undefined"),
        (challenge.submission.missing_list, "submission.missing_list"),
    ):
        # a whole-challenge figure such as Gini has no lists to be zero
        if said == "zero" and lower and bound.metric.aggregate != "pooled":
            what = f"zero would be a perfect {bound.metric.name}; write skip or error"
            refused.append(challenge.problem("C118", where, what))
    undefined = challenge.undefined or ("error" if lower else "zero")
    return Rules(challenge.submission.missing_list or "error", undefined), refused
