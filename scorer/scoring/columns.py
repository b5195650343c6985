"""The columns of the lists' file that measures ask for: groups and weights of lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from scorer.challenge.model import Challenge
from scorer.core.errors import ChallengeError
from scorer.core.problems import Findings, Problem, as_truth_problems
from scorer.core.text import display_path, format_exact, join_first, nearest, quoted
from scorer.reading.read import read_file
from scorer.reading.schema import Schema
from scorer.reading.table import Table
from scorer.results.columns import ListColumns
from scorer.scoring.bind import BoundChallenge
from scorer.scoring.faults import Fault, located
from scorer.scoring.where import chosen


def list_columns(
    prepared: BoundChallenge,
    lists: Sequence[str],
    truth: Table,
    group_of: Mapping[str, str] | None = None,
) -> ListColumns:
    """The groups and weights of the truth's lists, as far as measures ask for them.

    Args:
        truth: its table, with the columns of conditions.
        group_of: the public group of each list, for figures of all lists.

    Raises:
        ChallengeError: the lists' file cannot be read, leaves a list out, names one in two groups,
            has a weight below 0, or groups of several weights; a measure is about no group, or a
            condition about no column.
    """
    columns = _of_measures(prepared, lists, group_of)
    choices = chosen(prepared, lists, truth)
    return columns.choosing({text: choice.lists for text, choice in choices.items()})


def _of_measures(
    prepared: BoundChallenge, lists: Sequence[str], group_of: Mapping[str, str] | None
) -> ListColumns:
    measures = [part for m in prepared.measures for part in m.all_parts]
    names = dict.fromkeys(name for m in measures for name in m.combination.names)
    numbers = dict.fromkeys(name for m in measures for name in m.combination.numbers)
    public_groups = {}
    challenge, findings = prepared.challenge, Findings()
    private = "group" in challenge.truth.columns and names.pop("group", "") is None
    asked = private
    if group_of and asked:
        public_groups = {"group": {name: group_of.get(name, "") for name in lists}}
    if private:
        path = display_path(challenge.truth.file)
        _tell_lacking(group_of or {}, "group", lists, path, findings)
    if not names and not numbers:
        if findings.fatal:
            raise ChallengeError(problems=findings)
        return ListColumns.of(lists, public_groups, {})
    if challenge.lists is None:  # lists of several files: each is a group
        parts = {name: name.partition("/")[0] for name in lists}
        columns = ListColumns.of(lists, dict.fromkeys(names, parts), {})
        findings.extend(_unknown_groups(prepared, columns))
        if findings.fatal:
            raise ChallengeError(problems=findings)
        return columns
    path = display_path(challenge.lists.file)
    groups = {name: _list_groups(challenge, name, lists, path, findings) for name in names}
    weights = {name: _weights(challenge, name, lists, path, findings) for name in numbers}
    if findings.fatal:
        raise ChallengeError(problems=findings)
    columns = ListColumns.of(lists, public_groups | groups, weights)
    findings.extend(_unknown_groups(prepared, columns))
    findings.extend(_uneven_weights(prepared, columns, path))
    if findings.fatal:
        raise ChallengeError(problems=findings)
    return columns


def _read(challenge: Challenge, role: str, name: str, findings: Findings) -> Table | None:
    source = challenge.lists
    assert source is not None
    file_findings = Findings(display_path(source.file))
    columns = dict(source.columns) if name == "group" else {**source.columns, role: name}
    shape = Schema(("list", role), (), columns)
    layout = challenge.layout(source)
    table = read_file(source.file, source.format, [shape], file_findings, layout=layout).table
    errors = [problem for problem in file_findings if problem.severity == "error"]
    findings.extend(as_truth_problems(errors))  # what the columns are for, each measure says itself
    return table


def _list_groups(
    challenge: Challenge, name: str, lists: Sequence[str], path: str, findings: Findings
) -> dict[str, str]:
    """The group of each list, which is in one only."""
    table, group_of = _read(challenge, "group", name, findings), dict[str, str]()
    if table is None:
        return group_of
    for line, list_name, group in table.frame.select("line", "list", "group").iter_rows():
        if group_of.setdefault(list_name, group) != group:
            pair = f"{quoted(group_of[list_name])} and {quoted(group)}"
            message = f"{quoted(list_name)} is in two groups of {name}, {pair}"
            findings.add(Problem("T304", message, path=path, line=line, list=list_name))
    _tell_lacking(group_of, name, lists, path, findings)
    return group_of


def _weights(
    challenge: Challenge, name: str, lists: Sequence[str], path: str, findings: Findings
) -> dict[str, float]:
    table, weight_of = _read(challenge, "weight", name, findings), dict[str, float]()
    if table is None:
        return weight_of
    for line, list_name, number in table.frame.select("line", "list", "weight").iter_rows():
        if number != number or number < 0:
            what = "is no number" if number != number else f"is {format_exact(number)}, below 0"
            message = f"{name} of {quoted(list_name)} {what}; it is a weight"
            findings.add(Problem("T505", message, path=path, line=line, list=list_name))
        elif weight_of.setdefault(list_name, number) != number:
            pair = f"{format_exact(weight_of[list_name])} and {format_exact(number)}"
            message = f"{quoted(list_name)} has two weights {name}, {pair}"
            findings.add(Problem("T304", message, path=path, line=line, list=list_name))
    _tell_lacking(weight_of, name, lists, path, findings)
    return weight_of


def _tell_lacking(
    values: Mapping[str, object], name: str, lists: Sequence[str], path: str, findings: Findings
) -> None:
    if lacking := [list_name for list_name in lists if list_name not in values]:
        message = f"{len(lacking):,} of {len(lists):,} lists have no {name}: {join_first(lacking)}"
        findings.add(Problem("T301", message, path=path))


def _unknown_groups(prepared: BoundChallenge, columns: ListColumns) -> list[Problem]:
    """Measures that are about a group which no list is in."""
    problems = []
    for n, spec in enumerate(prepared.challenge.metrics):
        group = prepared.measures[n].combination.group
        if group is None or group in (names := columns.groups["group"].names):
            continue
        suggestion = nearest(group, names)
        hint = (
            f"; did you mean {quoted(suggestion)}?"
            if suggestion
            else f" (groups: {join_first(names)})"
        )
        message = f"no list is in the group {quoted(group)}{hint}"
        problems.append(located(prepared.challenge, Fault(f"{spec.key}.group", "C121", message)))
    return problems


def _uneven_weights(prepared: BoundChallenge, columns: ListColumns, path: str) -> list[Problem]:
    """Weights of groups that are not the same for all lists of a group."""
    problems = []
    for measure in prepared.measures:
        grouped_by, name = measure.combination.grouped_by, measure.combination.group_weights
        if grouped_by is None or name is None or name not in columns.weights:
            continue
        groups = columns.groups[grouped_by]
        least = np.full(len(groups.names), np.inf)
        most = -least
        np.minimum.at(least, groups.codes, columns.weights[name])
        np.maximum.at(most, groups.codes, columns.weights[name])
        uneven = np.flatnonzero(least[groups.codes] != most[groups.codes])
        if uneven.size:
            called = quoted(groups.names[groups.codes[uneven[0]]])
            message = (
                f"{name} is the weight of a group in {measure.id}, and lists of {called} have "
                "several"
            )
            problems.append(Problem("T304", message, path=path))
    return problems


def further_kinds(challenge: Challenge) -> dict[str, dict[str, str]]:
    """The kinds of the further columns of each section that has any."""
    sections = {"truth": challenge.truth, "lists": challenge.lists, "items": challenge.items}
    extras = {name: source.extra for name, source in sections.items() if source is not None}
    extras["submission"] = challenge.submission.extra
    return {name: extra for name, extra in extras.items() if extra}
