"""Values in files of evaluation tools, as a challenge and a file for each system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from scorer.api.submissions import Named
from scorer.challenge.load import load
from scorer.challenge.model import Challenge
from scorer.core.errors import UsageError
from scorer.core.text import join_first, nearest, quoted
from scorer.prepare.from_tools import (
    SUBMISSIONS,
    FoundCases,
    cases_of,
    challenge_files,
    file_names,
    tool_files,
    values_challenge,
    what_was_found,
)
from scorer.reading.write import write_folder

BELOW = ("undefined", "leaderboard", "title")  # rules that stand beside `submission:`


def tool_values(
    folder: Path,
    files: Sequence[Named],
    values: Sequence[str] = (),
    lower: Sequence[str] = (),
    rules: Mapping[str, Any] | None = None,
) -> tuple[Challenge, list[Named], str] | None:
    """The challenge of what a tool measured, its systems, and what was found; None of other files.

    Args:
        folder: where both are written; nothing is there yet.
        files: files and folders; a name that was given is the system of all in it.
        values: the values that are kept, the first ranks; none: all.
        lower: the values of which lower is better, beside those that the tool has.
        rules: as of `submission:`, with `undefined`, `leaderboard` and `title`.

    Raises:
        ChallengeError: a file is wrong.
        UsageError: files do not go together, or there is no such value.
    """
    by_file = [(file, tool_files([file.path])) for file in files]
    if not any(found for _, found in by_file):
        return None
    if strange := [file.display for file, found in by_file if not found]:
        raise UsageError(f"{join_first(strange)}: no results of a tool that is known")
    named = {path: file.name for file, found in by_file if file.is_given for path, _ in found}
    found = cases_of([each for _, found in by_file for each in found], named)
    found = _chosen(found, values, lower)
    data = values_challenge(found)
    for key, rule in (rules or {}).items():
        (data if key in BELOW else data["submission"])[key] = rule
    write_folder(folder, challenge_files(found))
    names = file_names(list(found.systems))
    systems = [
        Named(system, folder / SUBMISSIONS / f"{name}.csv", label=system)
        for system, name in names.items()
    ]
    return load({"id": "values", **data}, folder), systems, what_was_found(found).strip()


def _chosen(found: FoundCases, values: Sequence[str], lower: Sequence[str]) -> FoundCases:
    """The cases with these values alone, and which of them are better where they are lower."""
    for name in (*values, *lower):
        if name not in found.values:
            close = nearest(name, found.values)
            hint = f"; did you mean {quoted(close)}?" if close else ""
            raise UsageError(
                f"no value of all cases is called {quoted(name)}{hint} "
                f"(there are {join_first(found.values)})"
            )
    tool = replace(found.tool, lower=found.tool.lower | {*lower})
    return replace(found, tool=tool, values=tuple(values) or found.values)
