"""Values in files of evaluation tools, as a challenge and a file for each system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from scorer.api.submissions import SubmissionFile
from scorer.api.value_systems import ValueOptions
from scorer.challenge.load import load
from scorer.challenge.model import Challenge
from scorer.core.errors import UsageError
from scorer.core.problems import Problem
from scorer.core.text import display_path, join_first, nearest, quoted
from scorer.importers.base import Tool
from scorer.importers.from_tools import (
    SUBMISSIONS,
    FoundCases,
    cases_of,
    challenge_files,
    file_names,
    tool_files,
    values_challenge,
    what_was_found,
)
from scorer.infer.directions import find_directions
from scorer.reading.write import write_folder

BELOW = ("undefined", "leaderboard", "title")  # rules that stand beside `submission:`


def tool_values(
    folder: Path, files: Sequence[SubmissionFile], said: ValueOptions
) -> tuple[Challenge, list[SubmissionFile], str] | None:
    """The challenge of what a tool measured, its systems, and what was found; None of other files.

    Args:
        folder: where both are written; nothing is there yet.
        files: files and folders; a name that was given is the system of all in it.
        said: its values are kept, and the first ranks; none: all. It says of which values lower or
            higher is better, where it is not as the tool has it.

    Raises:
        ChallengeError: every file is wrong.
        UsageError: there is no such value, or files do not go together: fewer than half are of one
            tool. Where more are, the others are refused.
    """
    by_file = [(file, tool_files([file.path])) for file in files]
    if not any(found for _, found in by_file):
        return None
    by_file, strange = _of_most_files(by_file)
    if unknown := [file.display for file, found in by_file if not found]:
        raise UsageError(f"{join_first(unknown)}: no results of a tool that is known")
    named = {path: file.name for file, found in by_file if file.is_given for path, _ in found}
    found = cases_of([each for _, found in by_file for each in found], named)
    found = _chosen(found, said)
    data = values_challenge(found)
    for key, rule in said.rules.items():
        (data if key in BELOW else data["submission"])[key] = rule
    write_folder(folder, challenge_files(found))
    names = file_names(list(found.systems))
    systems = [
        SubmissionFile(system, folder / SUBMISSIONS / f"{name}.csv", label=system)
        for system, name in names.items()
    ]
    systems += [
        SubmissionFile(display_path(path), path, refused=problems)
        for path, problems in found.refused.items()
    ]
    message = f"this is no file of {found.tool.name}, as most of the others are"
    systems += [file._replace(refused=(Problem("T107", message),)) for file in strange]
    return load({"id": "values", **data}, folder), systems, what_was_found(found).strip()


FoundFiles = list[
    tuple[SubmissionFile, list[tuple[Path, Tool]]]
]  # each with the files of tools in it


def _of_most_files(by_file: FoundFiles) -> tuple[FoundFiles, list[SubmissionFile]]:
    """Return the files of the tool that wrote most of them, and the others.

    All of them, and none, where no tool wrote more than half of them.
    """
    tools_of = [{tool.name for _, tool in found} for _, found in by_file]
    for names in tools_of:
        if len(names) == 1 and 2 * tools_of.count(names) > len(by_file):
            pairs = list(zip(by_file, tools_of, strict=True))
            others = [file for (file, _), own in pairs if own != names]
            return [each for each, own in pairs if own == names], others
    return by_file, []


def _chosen(found: FoundCases, said: ValueOptions) -> FoundCases:
    """The cases with the values alone that are said, and which direction of them is better."""
    for name in (*said.values, *said.lower, *said.higher):
        if name not in found.values:
            close = nearest(name, found.values)
            hint = f"; did you mean {quoted(close)}?" if close else ""
            raise UsageError(
                f"no value of all cases is called {quoted(name)}{hint} "
                f"(there are {join_first(found.values)})"
            )
    directions = find_directions(found.values, said.lower, said.higher, found.directions)
    return replace(found, values=tuple(said.values) or found.values, directions=directions)
