"""The columns of the lists' file that measures ask for: groups and weights of lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from scorer.challenge.model import Challenge
from scorer.core.errors import ChallengeError
from scorer.core.problems import Findings, Problem, of_organizer
from scorer.core.text import display_path, join_first, nearest, quoted
from scorer.io.formats.base import format_of, read
from scorer.io.limits import Limits
from scorer.io.table import Schema, Table
from scorer.prepare.bind import BoundChallenge
from scorer.results.columns import ListColumns
from scorer.results.groups import keys_of


def list_columns(
    prepared: BoundChallenge, lists: Sequence[str], known: Mapping[str, str] | None = None
) -> ListColumns:
    """The groups and weights of the truth's lists, as far as measures ask for them.

    Args:
        prepared: the challenge.
        lists: the truth's.
        known: the public group of each list, which figures of all lists are told.

    Raises:
        ChallengeError: the lists' file cannot be read, leaves a list out, names one in two groups,
            has a weight below 0, or groups of several weights; a measure is about no group.
    """
    measures = [each for m in prepared.measures for each in m.all_parts]
    names = dict.fromkeys(name for m in measures for name in m.combination.names)
    numbers = dict.fromkeys(name for m in measures for name in m.combination.numbers)
    told = {}
    if known and "group" not in names and any(m.metric.figure is not None for m in measures):
        told = {"group": {name: known.get(name, "") for name in lists}}
    if not names and not numbers:
        return ListColumns.of(lists, told, {})
    challenge, findings = prepared.challenge, Findings()
    if challenge.lists is None:  # lists of several files: each is a group
        parts = {name: name.partition("/")[0] for name in lists}
        found = ListColumns.of(lists, dict.fromkeys(names, parts), {})
        findings.extend(_unknown(prepared, found))
        if findings.fatal:
            raise ChallengeError(problems=findings)
        return found
    path = display_path(challenge.lists.file)
    groups = {name: _texts(challenge, name, lists, path, findings) for name in names}
    weights = {name: _weights(challenge, name, lists, path, findings) for name in numbers}
    if findings.fatal:
        raise ChallengeError(problems=findings)
    found = ListColumns.of(lists, told | groups, weights)
    findings.extend(_unknown(prepared, found))
    findings.extend(_uneven(prepared, found, path))
    if findings.fatal:
        raise ChallengeError(problems=findings)
    return found


def _read(challenge: Challenge, role: str, name: str, findings: Findings) -> Table | None:
    source = challenge.lists
    assert source is not None
    told = Findings(display_path(source.file))
    columns = dict(source.columns) if name == "group" else {**source.columns, role: name}
    shape = Schema(("list", role), (), columns)
    format = format_of(source.file, source.format, form=challenge.form(source))
    table = read(source.file, format, [shape], told, Limits())
    errors = [problem for problem in told if problem.severity == "error"]
    findings.extend(of_organizer(errors))  # what the columns are for, each measure says itself
    return table


def _texts(
    challenge: Challenge, name: str, lists: Sequence[str], path: str, findings: Findings
) -> dict[str, str]:
    """The group of each list, which is in one only."""
    table, found = _read(challenge, "group", name, findings), dict[str, str]()
    if table is None:
        return found
    for row, line in enumerate(table.line.tolist()):
        each, group = table.ids["list"].text(row), table.ids["group"].text(row)
        if found.setdefault(each, group) != group:
            message = f"{quoted(each)} is in two groups of {name}, {quoted(found[each])} and "
            message += quoted(group)
            findings.add(Problem("T304", message, path=path, line=line, list=each))
    _left_out(found, name, lists, path, findings)
    return found


def _weights(
    challenge: Challenge, name: str, lists: Sequence[str], path: str, findings: Findings
) -> dict[str, float]:
    table, found = _read(challenge, "weight", name, findings), dict[str, float]()
    if table is None:
        return found
    numbers = table.numbers["weight"].tolist()
    for row, (line, number) in enumerate(zip(table.line.tolist(), numbers, strict=True)):
        each = table.ids["list"].text(row)
        if number != number or number < 0:
            what = "is no number" if number != number else f"is {number:g}, below 0"
            message = f"{name} of {quoted(each)} {what}; it is a weight"
            findings.add(Problem("T505", message, path=path, line=line, list=each))
        elif found.setdefault(each, number) != number:
            message = f"{quoted(each)} has two weights {name}, {found[each]:g} and {number:g}"
            findings.add(Problem("T304", message, path=path, line=line, list=each))
    _left_out(found, name, lists, path, findings)
    return found


def _left_out(
    found: Mapping[str, object], name: str, lists: Sequence[str], path: str, findings: Findings
) -> None:
    if left := [each for each in lists if each not in found]:
        message = f"{len(left):,} of {len(lists):,} lists have no {name}: {join_first(left)}"
        findings.add(Problem("T301", message, path=path))


def _unknown(prepared: BoundChallenge, columns: ListColumns) -> list[Problem]:
    """Measures that are about a group which no list is in."""
    made = []
    for n, spec in enumerate(prepared.challenge.metrics):
        group = prepared.measures[n].combination.group
        if group is None or group in (names := columns.groups["group"].names):
            continue
        near = nearest(group, names)
        hint = f"; did you mean {quoted(near)}?" if near else f" (groups: {join_first(names)})"
        message = f"no list is in the group {quoted(group)}{hint}"
        made.append(prepared.challenge.problem("C121", f"{spec.key}.group", message))
    return made


def _uneven(prepared: BoundChallenge, columns: ListColumns, path: str) -> list[Problem]:
    """Weights of groups that are not the same for all lists of a group."""
    made = []
    for measure in prepared.measures:
        how = measure.combination
        for depth, name in enumerate(how.weights):
            if name is None or name not in columns.weights:
                continue
            keys, weights = keys_of(columns, how)[:, : len(how.groups) - depth], columns.weights
            _, group = np.unique(keys, axis=0, return_inverse=True)
            least = np.full(group.max() + 1, np.inf)
            most = -least
            np.minimum.at(least, group.reshape(-1), weights[name])
            np.maximum.at(most, group.reshape(-1), weights[name])
            if (least != most).any():
                at = int(np.flatnonzero(least[group.reshape(-1)] != most[group.reshape(-1)])[0])
                kind = columns.groups[how.groups[depth]]
                called = quoted(kind.names[kind.codes[at]])
                message = (
                    f"{name} is the weight of a group in {measure.id}, and lists of {called} have "
                    "several"
                )
                made.append(Problem("T304", message, path=path))
    return made
