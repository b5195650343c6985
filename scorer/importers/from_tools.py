"""The challenge that files of evaluation tools make: cases, their groups, and a file a system."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from scorer.core.errors import ChallengeError, UsageError
from scorer.core.problems import Problem
from scorer.core.text import display_path, join_first, printable, quoted
from scorer.importers.base import Case, Tool, ToolFile, tools
from scorer.infer.directions import Better, better_by_name
from scorer.reading.write import csv_text

LISTS = "cases.csv"
SUBMISSIONS = "systems"
MOST_FILES = 100_000
UNFIT = re.compile(r"[^\w.@+=,-]+")  # in the name of a file
LONGEST = 150  # characters of such a name
NO_NAMES: Mapping[Path, str] = {}
SCORE = "score"  # where tasks have no value in common
SHARE = "share"  # the column of cases whose number is the weight of their group


@dataclass(frozen=True)
class FoundCases:
    """The cases of one tool's files."""

    tool: Tool
    systems: Mapping[str, Mapping[str, Mapping[str, float]]]  # system -> case -> value -> number
    groups: Mapping[str, tuple[str, ...]]  # case -> the groups it is in, the outermost first
    values: tuple[str, ...]  # that every case has
    directions: Mapping[str, Better] = field(default_factory=dict)  # of values
    # File -> why it cannot be read.
    refused: Mapping[Path, tuple[Problem, ...]] = field(default_factory=dict)


def tool_of(path: Path) -> Tool | None:
    """The tool that wrote a file, by its first bytes; None of any other.

    `UsageError` if it is an archive that the tool itself writes as JSON.
    """
    if not os.path.isfile(path):
        return None
    if path.suffix == ".eval":
        convert = "inspect log convert --to json --output-dir DIR LOGS"
        raise UsageError(f"{display_path(path)}: Inspect's logs are read as JSON: {convert}")
    head = ToolFile(path).head
    return next((each for each in tools() if head and each.finds(head)), None)


def tool_files(paths: Sequence[Path]) -> list[tuple[Path, Tool]]:
    """The files of tools among these, and in folders among these, with their tools."""
    return [(path, tool) for path in _walked(paths) if (tool := tool_of(path)) is not None]


def _walked(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            inside = (Path(at) / name for at, _, names in os.walk(path) for name in sorted(names))
            files = sorted(islice(inside, MOST_FILES + 1))
            if len(files) > MOST_FILES:
                raise UsageError(f"{printable(path)} has more than {MOST_FILES:,} files")
            yield from files
        else:
            yield path


def cases_of(
    files: Sequence[tuple[Path, Tool]], named: Mapping[Path, str] = NO_NAMES
) -> FoundCases:
    """The cases of files of one tool; `named` are the systems of files that do not name theirs.

    `ChallengeError` if every file is wrong, `UsageError` if they do not go together.
    """
    names = list(dict.fromkeys(tool.name for _, tool in files))
    if len(names) > 1:
        raise UsageError(f"files of several tools make no board: {join_first(names)}")
    tool = files[0][1]
    systems: dict[str, dict[str, Mapping[str, float]]] = {}
    groups: dict[str, tuple[str, ...]] = {}
    source: dict[tuple[str, str], Path] = {}
    refused: dict[Path, tuple[Problem, ...]] = {}
    for path, _ in files:
        try:
            cases = list(tool.function(ToolFile(path)))
        except ChallengeError as error:
            refused[path] = tuple(error.problems)
            continue
        for each in cases:
            case = each._replace(system=named.get(path, each.system))
            if (case.system, case.case) in source:
                _refuse_twice(case, source[case.system, case.case], path)
            source[case.system, case.case] = path
            if case.values:  # without any it is missing
                systems.setdefault(case.system, {})[case.case] = case.values
            groups.setdefault(case.case, case.groups)
    if not systems and refused:
        raise ChallengeError(problems=[p for problems in refused.values() for p in problems])
    if not systems:
        raise UsageError(f"{display_path(files[0][0])}: {tool.name} has no cases here")
    return _with_common(FoundCases(tool, systems, groups, (), refused=refused))


def _refuse_twice(case: Case, first: Path, second: Path) -> None:
    where = f"{display_path(second)}: case {quoted(case.case)} of {quoted(case.system)}"
    there = "there twice" if first == second else f"in {display_path(first)}, too"
    raise UsageError(f"{where} is {there}")


def _with_common(found: FoundCases) -> FoundCases:
    """With the values that all cases have; where there are none, the first of each as `score`."""
    every = [values for cases in found.systems.values() for values in cases.values()]
    counts = Counter(name for values in every for name in values)
    common = tuple(name for name, count in counts.items() if count == len(every))
    if common:
        return replace(found, values=common, directions=_directions(found.tool, common))
    scored = {
        system: {case: {SCORE: next(iter(values.values()))} for case, values in cases.items()}
        for system, cases in found.systems.items()
    }
    return replace(found, systems=scored, values=(SCORE,), directions={SCORE: "higher"})


def _directions(tool: Tool, names: Sequence[str]) -> dict[str, Better]:
    """Name of a value -> which direction is better, as the tool or else the name says."""
    named = {name: "lower" if name in tool.lower else better_by_name(name) for name in names}
    return {name: better or "higher" for name, better in named.items()}


def challenge_files(found: FoundCases) -> dict[str, bytes]:
    """A challenge.yaml, the cases with their groups, and the values of each system."""
    import yaml

    from scorer.challenge.model import FILE

    data = values_challenge(found)
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, default_flow_style=None)
    files = {FILE: f"scorer: 1\n{text}".encode(), LISTS: _case_table(found)}
    for system, name in file_names(list(found.systems)).items():
        files[f"{SUBMISSIONS}/{name}.csv"] = _system_table(found, system)
    return files


def values_challenge(found: FoundCases) -> dict[str, Any]:
    """What its challenge.yaml says."""
    levels = _group_levels(found)
    columns = {"list": "case"} | ({"group": levels[0]} if levels else {})
    lists = {"file": LISTS, "columns": columns}
    submission: dict[str, Any] = {"columns": {"list": "case"}}
    if found.tool.missing:
        submission["missing_list"] = found.tool.missing
    submission["values"] = {name: _declared_value(found, name) for name in found.values}
    inner, outer = found.tool.average, found.tool.within
    grouped_by = inner if inner in levels else outer if outer in levels else None
    over = {"average": grouped_by} if grouped_by else {}
    if _has_shares(found):
        over["weights"] = SHARE
    return {
        "title": f"Values of {found.tool.name}",
        "kind": "values",
        "lists": lists,
        "submission": submission,
        "metrics": [{"id": name, "metric": name, **over} for name in found.values],
    }


def _has_shares(found: FoundCases) -> bool:
    """Return whether groups whose means make the whole are weighted within others."""
    return {found.tool.average, found.tool.within} <= {*_group_levels(found)}


def _shares(found: FoundCases) -> dict[str, float]:
    """Return the weight of each case's group, which is 1 over the number of those around it."""
    inner, outer = map(found.tool.groups.index, (found.tool.average, found.tool.within))
    inside = Counter(
        groups[: outer + 1] for groups in {g[: inner + 1] for g in found.groups.values()}
    )
    return {case: 1 / inside[groups[: outer + 1]] for case, groups in found.groups.items()}


def _group_levels(found: FoundCases) -> list[str]:
    """The levels of groups that part the cases at all, and that none above parts alike."""
    deep = max((len(groups) for groups in found.groups.values()), default=0)
    kept = list[str]()
    before: dict[str, tuple[str, ...]] = dict.fromkeys(found.groups, ())
    for n, name in enumerate(found.tool.groups[:deep]):
        parts = {case: groups[: n + 1] for case, groups in found.groups.items()}
        if len(set(parts.values())) > max(len(set(before.values())), 1):
            kept.append(name)
            before = parts
    return kept


def _declared_value(found: FoundCases, name: str) -> dict[str, Any]:
    """How a value is declared: its direction, and its range where all lie in 0 to 1."""
    if found.directions[name] == "lower":
        return {"better": "lower"}
    every = (values[name] for cases in found.systems.values() for values in cases.values())
    return {"range": [0, 1]} if all(0 <= value <= 1 for value in every) else {}


def file_names(systems: Sequence[str]) -> dict[str, str]:
    """A name for the file of each system, such as `org_model` of `org/model`."""
    names = dict[str, str]()
    taken = set[str]()
    for system in systems:
        plain = UNFIT.sub("_", system).strip("._")[:LONGEST] or "system"
        name, n = plain, 1
        while name.casefold() in taken:
            n += 1
            name = f"{plain}_{n}"
        taken.add(name.casefold())
        names[system] = name
    return names


def _case_table(found: FoundCases) -> bytes:
    levels = _group_levels(found)
    at = [found.tool.groups.index(level) for level in levels]
    rows = [[case, *(groups[n] for n in at)] for case, groups in sorted(found.groups.items())]
    head = ["case", *levels]
    if _has_shares(found):
        shares = _shares(found)
        head, rows = [*head, SHARE], [[*row, repr(shares[row[0]])] for row in rows]
    return csv_text([head, *rows]).encode()


def _system_table(found: FoundCases, system: str) -> bytes:
    cases = found.systems[system].items()
    rows = ([case, *(repr(values[name]) for name in found.values)] for case, values in cases)
    return csv_text([["case", *found.values], *rows]).encode()


def what_was_found(found: FoundCases) -> str:
    """A sentence on what was found."""
    cases, systems = len(found.groups), len(found.systems)
    first = found.values[0]
    return (
        f"taken for files of {found.tool.name}: {systems:,} system{'s' * (systems > 1)}, "
        f"{cases:,} case{'s' * (cases > 1)}, ranked by {printable(first)}, "
        f"{found.directions[first]} is better\n"
    )
