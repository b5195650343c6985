"""The cases in the files of one tool, and the challenge of values that they make."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import yaml

from scorer.challenge.model import CHALLENGE_FILE
from scorer.core.errors import ChallengeError, UsageError
from scorer.core.problems import Problem
from scorer.core.text import display_path, join_first, printable, quoted
from scorer.importers import helm, inspect_ai, lm_eval, mteb, swebench
from scorer.importers.base import BEFORE_FILTER, Case, Tool, ToolFile
from scorer.infer.directions import Better, better_by_name

TOOLS = (helm.TOOL, inspect_ai.TOOL, lm_eval.TOOL, mteb.TOOL, swebench.TOOL)
CASES_FILE = "cases.csv"
SYSTEMS_FOLDER = "systems"
MOST_FILES = 100_000  # in a folder
SCORE = "score"  # the measure where cases have none in common: the first one of each
SHARE = "share"  # the column of cases with the weight of their group
UNSAFE = re.compile(r"[^\w.@+=,-]+")  # characters that a file is not called by
LONGEST_NAME = 150  # characters of a file's name
KEYS = ("system", "case")
NO_NAMES: Mapping[Path, str] = {}


class FoundFile(NamedTuple):
    """A file, and the tool that wrote it."""

    path: Path
    tool: Tool


@dataclass(frozen=True, eq=False)
class Results:
    """The values of systems that a tool measured.

    Attributes:
        frame: `system`, `case`, `measure` and `value`, of the measures that all cases have.
        cases: `case`, and a column for each of the tool's groups; sorted by case.
        measures: The names of the measures; the first one ranks.
        directions: Measure -> which values are better.
        refused: File -> why it cannot be read.
    """

    tool: Tool
    frame: pl.DataFrame
    cases: pl.DataFrame
    measures: tuple[str, ...]
    directions: Mapping[str, Better]
    refused: Mapping[Path, tuple[Problem, ...]]

    @property
    def systems(self) -> list[str]:
        """The names of the systems, in the order of the files."""
        return self.frame["system"].unique(maintain_order=True).to_list()

    def describe(self) -> str:
        """Return what was found, as the end of a sentence."""
        systems = len(self.systems)
        cases = self.cases.height
        first = self.measures[0]
        return (
            f"files of {self.tool.name}: {systems:,} system{'s' * (systems > 1)}, "
            f"{cases:,} case{'s' * (cases > 1)}, ranked by {printable(first)}, "
            f"{self.directions[first]} is better"
        )

    @property
    def levels(self) -> list[str]:
        """The groups that cut the cases further than the groups around them do."""
        levels = list[str]()
        parts = 1
        for n, name in enumerate(self.tool.groups, start=1):
            count = self.cases.select(pl.struct(self.tool.groups[:n]).n_unique()).item()
            if count > parts:
                levels.append(name)
                parts = count
        return levels

    @property
    def has_shares(self) -> bool:
        """Whether the groups whose means count are weighted within other groups."""
        return {self.tool.average, self.tool.within} <= {*self.levels}

    def case_table(self) -> pl.DataFrame:
        """Return `case`, its groups, and the weight of its group: 1 over how many are around it."""
        if not self.has_shares:
            return self.cases.select("case", *self.levels)
        groups = self.tool.groups
        inner = groups[: groups.index(self.tool.average) + 1]
        outer = groups[: groups.index(self.tool.within) + 1]
        share = 1 / pl.struct(inner).n_unique().over(outer)
        return self.cases.select("case", *self.levels, share.alias(SHARE))

    def system_tables(self) -> dict[str, pl.DataFrame]:
        """Return system -> `case`, and a column for each measure."""
        parts = self.frame.partition_by("system", maintain_order=True, as_dict=True)
        return {
            str(system): rows.pivot("measure", index="case", values="value").select(
                "case", *self.measures
            )
            for (system,), rows in parts.items()
        }

    def challenge(self) -> dict[str, Any]:
        """Return the challenge as data for `load`."""
        levels = self.levels
        grouped_by = next((g for g in (self.tool.average, self.tool.within) if g in levels), None)
        combination = {"average": grouped_by} if grouped_by else {}
        if self.has_shares:
            combination["weights"] = SHARE
        rules = {"missing_list": self.tool.missing} if self.tool.missing else {}
        group = {"group": levels[0]} if levels else {}
        return {
            "title": f"Values of {self.tool.name}",
            "kind": "values",
            "lists": {"file": CASES_FILE, "columns": {"list": "case", **group}},
            "submission": {
                "columns": {"list": "case"},
                **rules,
                "values": {name: self._declare(name) for name in self.measures},
            },
            "metrics": [{"id": name, "metric": name, **combination} for name in self.measures],
        }

    def _declare(self, measure: str) -> dict[str, Any]:
        """Return how a value is declared: its direction, or its range if all lie in 0 to 1."""
        if self.directions[measure] == "lower":
            return {"better": "lower"}
        values = self.frame.filter(pl.col("measure") == measure)["value"]
        return {"range": [0, 1]} if values.is_between(0, 1).all() else {}

    def files(self) -> dict[str, bytes]:
        """Return a challenge.yaml, the cases with their groups, and the values of each system."""
        text = yaml.safe_dump(
            self.challenge(), sort_keys=False, allow_unicode=True, default_flow_style=None
        )
        names = name_files(self.systems)
        tables = {f"{SYSTEMS_FOLDER}/{names[s]}.csv": t for s, t in self.system_tables().items()}
        tables = {CASES_FILE: self.case_table(), **tables}
        csv_files = {name: table.write_csv().encode() for name, table in tables.items()}
        return {CHALLENGE_FILE: f"scorer: 1\n{text}".encode(), **csv_files}


def find_tool(path: Path) -> Tool | None:
    """Return the tool that wrote a file, by its first bytes; None of any other file."""
    if not os.path.isfile(path):  # `Path.is_file` raises if a name is too long
        return None
    file = ToolFile(path)
    return next((tool for tool in TOOLS if tool.wrote(file)), None)


def find_files(paths: Sequence[Path]) -> list[FoundFile]:
    """Return the files of tools among these paths, and in folders among them."""
    found = ((path, find_tool(path)) for path in _walk(paths))
    return [FoundFile(path, tool) for path, tool in found if tool is not None]


def _walk(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        inside = (Path(at) / name for at, _, names in os.walk(path) for name in names)
        files = list(islice(inside, MOST_FILES + 1))
        if len(files) > MOST_FILES:
            raise UsageError(f"{printable(path)} has more than {MOST_FILES:,} files")
        yield from sorted(files)


def read_results(files: Sequence[FoundFile], names: Mapping[Path, str] = NO_NAMES) -> Results:
    """Return the cases of files of one tool; a file that cannot be read is refused.

    Args:
        files: The files.
        names: File -> the system that its cases are of, in place of the one that it says.

    Raises:
        ChallengeError: Every file is refused.
        UsageError: The files are of several tools, or hold no case.
    """
    tool_names = list(dict.fromkeys(file.tool.name for file in files))
    if len(tool_names) > 1:
        raise UsageError(f"files of several tools make no board: {join_first(tool_names)}")
    tool = files[0].tool
    cases: dict[tuple[str, str], Case] = {}
    sources: dict[tuple[str, str], Path] = {}
    refused: dict[Path, tuple[Problem, ...]] = {}
    for path, _ in files:
        try:
            own = _read_cases(ToolFile(path), tool, names.get(path), sources)
        except ChallengeError as error:
            refused[path] = tuple(error.problems)
            continue
        cases |= own
        sources |= dict.fromkeys(own, path)
    rows = [
        (case.system, case.case, measure, value)
        for case in cases.values()
        for measure, value in case.values.items()
    ]
    if not rows and refused:
        raise ChallengeError(problems=[problem for found in refused.values() for problem in found])
    if not rows:
        raise UsageError(f"{display_path(files[0].path)}: {tool.name} has no cases here")
    schema = {"system": pl.String, "case": pl.String, "measure": pl.String, "value": pl.Float64}
    frame = _with_common_measures(pl.DataFrame(rows, schema, orient="row"))
    measures = frame["measure"].unique(maintain_order=True).to_list()
    groups = {case.case: (case.case, *case.groups) for case in reversed(cases.values())}
    case_frame = pl.DataFrame(list(groups.values()), ["case", *tool.groups], orient="row")
    directions = {name: _direction(tool, name) for name in measures}
    return Results(tool, frame, case_frame.sort("case"), tuple(measures), directions, refused)


def _read_cases(
    file: ToolFile, tool: Tool, name: str | None, sources: Mapping[tuple[str, str], Path]
) -> dict[tuple[str, str], Case]:
    """Return (system, case) -> the case in a file.

    Raises:
        ChallengeError: The file is wrong, or a system has one of its cases already.
    """
    cases: dict[tuple[str, str], Case] = {}
    for each in tool.read(file):
        case = each if name is None else each._replace(system=name)
        key = case.system, case.case
        if key in cases or key in sources:
            source = f"in {display_path(sources[key])}, too" if key in sources else "there twice"
            file.refuse(f"case {quoted(case.case)} of {quoted(case.system)} is {source}")
        cases[key] = case
    return cases


def _with_common_measures(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of measures that all cases have; without any, the first of each as score."""
    count = frame.select(pl.struct(KEYS).n_unique()).item()
    common = frame.filter(pl.len().over("measure") == count)
    if len(common):
        return common
    first = frame.unique(KEYS, keep="first", maintain_order=True)
    return first.with_columns(measure=pl.lit(SCORE))


def _direction(tool: Tool, measure: str) -> Better:
    """Return which values of a measure are better, as the tool or else the name says."""
    if measure == SCORE:
        return "higher"
    metric = measure.partition(BEFORE_FILTER)[0]
    return "lower" if metric in tool.lower else better_by_name(metric) or "higher"


def name_files(systems: Sequence[str]) -> dict[str, str]:
    """Return system -> the name of its file, such as `org_model` of `org/model`."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for system in systems:
        safe_name = UNSAFE.sub("_", system).strip("._")[:LONGEST_NAME] or "system"
        name = safe_name
        n = 1
        while name.casefold() in taken:
            n += 1
            name = f"{safe_name}_{n}"
        taken.add(name.casefold())
        names[system] = name
    return names
