"""The program of a child process: it does one task, such as an evaluation, and ends.

`python -m scorer.board.worker_process` reads the task from standard input and writes its answer
to standard output, both as JSON; `isolation` starts it. A child that reads a stranger's file is
confined to that file and the challenge's files: where the system has such protections, it has no
store, no network and no other file.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scorer.board.confine import confine
from scorer.core.errors import ScorerError
from scorer.results.json import to_plain

if TYPE_CHECKING:
    from scorer.challenge.model import Challenge

# Added to the niceness of tasks that visitors start: they get a third of the CPU time that pages
# and evaluations of entries get.
VISITOR_NICENESS = 5


def main() -> None:
    """Do the task on standard input, within its limits."""
    task: dict[str, Any] = json.load(sys.stdin)
    memory, seconds, time = (int(task[key]) for key in ("memory", "seconds", "time"))
    _limit("AS", memory, memory)
    _limit("CPU", seconds, seconds + 1)
    signal.alarm(time + 1)  # the parent ends a slow child, but the parent may have been killed
    if task["do"] in ("check", "kit"):
        _lower_priority(VISITOR_NICENESS)
    if "read" in task:
        confine(task["read"], task["write"])
    answer = run_task(task)
    print(json.dumps(answer))
    sys.exit("error" in answer)


def _limit(kind: str, soft: int, hard: int) -> None:
    """Set the limits of this process for AS (memory) or CPU (seconds).

    A limit that is set already is never raised, which only root could do.
    """
    import resource  # only POSIX systems have it; `require_limits` has refused others

    resource_kind = getattr(resource, f"RLIMIT_{kind}")
    present = resource.getrlimit(resource_kind)[1]
    if present != resource.RLIM_INFINITY:
        soft, hard = min(soft, present), min(hard, present)
    with suppress(ValueError):  # macOS takes no limit of AS
        resource.setrlimit(resource_kind, (soft, hard))


def _lower_priority(niceness: int) -> None:
    """Let the server and evaluations of entries have the processors before this process."""
    os.nice(niceness)
    with suppress(OSError):  # Linux may share CPU time between sessions, where `nice` has no effect
        Path("/proc/self/autogroup").write_text(str(niceness))


def run_task(task: dict[str, Any]) -> dict[str, Any]:
    """Do a task, and return its answer: if it failed, the keys `error` and `problems`."""
    try:
        if task["do"] in CONFINED_TASKS:
            return CONFINED_TASKS[task["do"]](task)
        return _run_with_store(task)
    except (ScorerError, MemoryError, OSError) as error:
        problems = [asdict(problem) for problem in getattr(error, "problems", ())]
        return {"error": str(error) or type(error).__name__, "problems": problems}


def _run_with_store(task: dict[str, Any]) -> dict[str, Any]:
    """Do a task that needs the board; other confined processes read the files of its entries."""
    from scorer.board.isolation import BoardPlace, ChildLimits, evaluate_in_isolation

    place = BoardPlace(*task["place"])
    with place.open() as board:
        evaluate_in_isolation(board, place, ChildLimits(task["seconds"], task["memory"]))
        match task["do"]:
            case "prepare":
                board.evaluations.enqueue_missing()
                board.versions.bound(board.versions.in_force())
                return {}
            case "rescore":
                return dict(to_plain(board.rescore(dry_run=task["dry_run"])))
            case "audit":
                return dict(to_plain(board.audit()))
    raise ScorerError(f"no such task: {task['do']}")


def _load_challenge(task: dict[str, Any]) -> Challenge:
    """Load the challenge under the board's id: without `id:`, a copy's id would be its folder's."""
    from scorer.challenge.load import load

    return load(Path(task["challenge"])).model_copy(update={"id": task["id"]})


def _evaluate(task: dict[str, Any]) -> dict[str, Any]:
    """Return the results of the task's files, in their order."""
    from scorer.board.file_evaluation import attempt, evaluate_file
    from scorer.scoring.bind import bind
    from scorer.scoring.open import open_challenge

    opened = open_challenge(bind(_load_challenge(task), task["allow_plugins"]))
    answers = []
    for file in task["files"]:
        evaluate = partial(evaluate_file, opened, Path(file["path"]), file["name"])
        answers.append(attempt(evaluate).to_json())
    return {"files": answers}


def _check(task: dict[str, Any]) -> dict[str, Any]:
    """Return the findings of the blind checks, and the text of each line that has a problem."""
    from scorer.api.check import check
    from scorer.api.submissions import SubmissionFile
    from scorer.reading.formats import find_format
    from scorer.reading.read import line_texts
    from scorer.reports.findings.problems import group_problems

    file = SubmissionFile(task["name"], Path(task["path"]), label=task["name"])
    challenge = _load_challenge(task)
    (checked,) = check(challenge, [file], allow_plugins=task["allow_plugins"])
    groups = group_problems(checked.findings)
    lines = {group.problem.line for group in groups if group.problem.line}
    is_text = find_format(file.path, challenge.submission.format).read_bytes is None
    return {
        "findings": checked.findings.to_json(),
        "description": checked.description,
        "lines": line_texts(file.path, lines) if lines and is_text else {},
    }


def _write_kit(task: dict[str, Any]) -> dict[str, Any]:
    """Write the participants' kit to the task's path."""
    from scorer.api.kit import kit

    packed = kit(_load_challenge(task), allow_plugins=task["allow_plugins"])
    Path(task["path"]).write_bytes(packed.data)
    return {}


# The tasks of children that are confined: they read strangers' files, or are visitors' requests.
CONFINED_TASKS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "evaluate": _evaluate,
    "check": _check,
    "kit": _write_kit,
}


if __name__ == "__main__":
    main()
