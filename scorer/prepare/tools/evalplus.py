"""EvalPlus' `eval_results.json`: HumanEval+ and MBPP+, with several solutions of a problem."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scorer.prepare.tools.base import Case, ToolFile, averaged_repeats, keys, tool


@tool("EvalPlus", keys("eval", "base_status"), groups=("dataset",))
def evalplus(file: ToolFile) -> Iterator[Case]:
    """A case a problem: the share of its solutions that pass the base tests, and all (plus)."""
    yield from averaged_repeats(_solutions(file))


def _solutions(file: ToolFile) -> Iterator[Case]:
    system = file.stem.removesuffix("eval_results").rstrip("_.") or file.above()
    for problem, solutions in file.member(file.document, "eval", dict).items():
        if not isinstance(solutions, list):
            file.wrong(f"{problem!r} is no list of solutions")
        for solution in solutions:
            base = file.member(solution, "base_status", str, problem) == "pass"
            values: dict[str, Any] = {"base": float(base)}
            if solution.get("plus_status") is not None:
                values["plus"] = float(base and solution["plus_status"] == "pass")
            yield Case(system, problem, values, (problem.rpartition("/")[0] or problem,))
