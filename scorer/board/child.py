"""The child process that alone may read the truth: one evaluation or one check, then it ends.

What reads a stranger's file is confined to that file and the challenge's: it has no store,
no network and no other file, where the system has such protections.

`python -m scorer.board.child` reads as JSON what to do, and answers with JSON.
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

VISITORS = 5  # how nice is what visitors start: a third of the share of pages and entries


def main() -> None:
    """Do the task on standard input, within its limits."""
    task: dict[str, Any] = json.load(sys.stdin)
    memory, seconds, time = (int(task[key]) for key in ("memory", "seconds", "time"))
    _limit("AS", memory, memory)
    _limit("CPU", seconds, seconds + 1)
    signal.alarm(time + 1)  # also where nobody is left who would end it
    if task["do"] in ("check", "kit"):
        _give_way(VISITORS)
    if "read" in task:
        confine(task["read"], task["write"])
    answer = answered(task)
    print(json.dumps(answer))
    sys.exit("error" in answer)


def _limit(what: str, *limits: int) -> None:
    """Set a soft and a hard limit, AS or CPU, within those here, which only root could raise."""
    import resource  # POSIX systems alone have it; `ask_child` says so

    kind = getattr(resource, f"RLIMIT_{what}")
    most = resource.getrlimit(kind)[1]
    soft, hard = limits if most == resource.RLIM_INFINITY else (min(n, most) for n in limits)
    with suppress(ValueError):  # macOS takes no limit of addresses
        resource.setrlimit(kind, (soft, hard))


def _give_way(by: int) -> None:
    """Leave the processors to the server and to evaluations of entries, where they are wanted."""
    os.nice(by)
    with suppress(OSError):  # Linux may share them out by session, whatever is nice within one
        Path("/proc/self/autogroup").write_text(str(by))


def answered(task: dict[str, Any]) -> dict[str, Any]:
    """The answer of a task; `error` says why it failed, and `problems` are the findings."""
    try:
        return _done(task)
    except (ScorerError, MemoryError, OSError) as error:
        problems = [asdict(problem) for problem in getattr(error, "problems", ())]
        return {"error": str(error) or type(error).__name__, "problems": problems}


def _done(task: dict[str, Any]) -> dict[str, Any]:
    if task["do"] in CONFINED:
        return CONFINED[task["do"]](task)
    from scorer.board.children import BoardPlace, ChildLimits, evaluate_in_isolation

    place = BoardPlace(*task["place"])
    with place.open() as board:
        evaluate_in_isolation(board, place, ChildLimits(task["seconds"], task["memory"]))
        match task["do"]:
            case "prepare":
                board.evaluations.ask()
                board.versions.bound(board.versions.in_force())
                return {}
            case "rescore":
                return dict(to_plain(board.rescore(dry_run=task["dry_run"])))
            case "audit":
                return dict(to_plain(board.audit()))
    raise ScorerError(f"no such task: {task['do']}")


def _loaded_challenge(task: dict[str, Any]) -> Challenge:
    from scorer.challenge.load import load

    return load(Path(task["challenge"])).model_copy(update={"id": task["id"]})


def _evaluate(task: dict[str, Any]) -> dict[str, Any]:
    from scorer.board.evaluation import attempt, evaluate_file
    from scorer.scoring.bind import bind
    from scorer.scoring.open import open_challenge

    ready = open_challenge(bind(_loaded_challenge(task), task["allow_plugins"]))
    answers = []
    for file in task["files"]:
        evaluate = partial(evaluate_file, ready, Path(file["path"]), file["name"])
        answers.append(attempt(evaluate).to_json())
    return {"files": answers}


def _check(task: dict[str, Any]) -> dict[str, Any]:
    from scorer.api.check import check
    from scorer.api.submissions import SubmissionFile
    from scorer.reading.formats import find_format
    from scorer.reading.read import line_texts
    from scorer.reports.findings.problems import group_problems

    sent = SubmissionFile(task["name"], Path(task["path"]), label=task["name"])
    challenge = _loaded_challenge(task)
    (scored,) = check(challenge, [sent], allow_plugins=task["allow_plugins"])
    lines = {shown.problem.line for shown in group_problems(scored.findings) if shown.problem.line}
    is_text = find_format(sent.path, challenge.submission.format).read_bytes is None
    return {
        "findings": scored.findings.to_json(),
        "description": scored.description,
        "lines": line_texts(sent.path, lines) if lines and is_text else {},
    }


def _kit(task: dict[str, Any]) -> dict[str, Any]:
    from scorer.api.kit import kit

    packed = kit(_loaded_challenge(task), allow_plugins=task["allow_plugins"])
    Path(task["path"]).write_bytes(packed.data)
    return {}


CONFINED: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "evaluate": _evaluate,
    "check": _check,
    "kit": _kit,
}


if __name__ == "__main__":
    main()
