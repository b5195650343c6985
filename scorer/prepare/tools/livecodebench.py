"""LiveCodeBench's `*_eval_all.json`: a problem with each of its graded solutions."""

from __future__ import annotations

from collections.abc import Iterator

from scorer.prepare.tools.base import Case, ToolFile, keys, tool


@tool("LiveCodeBench", keys("question_id", "contest_date", "difficulty"),
      groups=("difficulty", "platform"))  # fmt: skip
def livecodebench(file: ToolFile) -> Iterator[Case]:
    """A case a problem: pass@1, the share of its solutions that are right."""
    if not isinstance(file.document, list):
        file.wrong("this is no list of problems")
    system = file.above()
    for n, problem in enumerate(file.document, start=1):
        name = file.member(problem, "question_id", str, f"problem {n:,}")
        graded = file.member(problem, "graded_list", list, f"problem {name!r}")
        if not graded or not all(isinstance(each, bool) for each in graded):
            file.wrong(f"'graded_list' of problem {name!r} is no list of true and false")
        groups = str(problem.get("difficulty")), str(problem.get("platform"))
        yield Case(system, name, {"pass@1": sum(graded) / len(graded)}, groups)
