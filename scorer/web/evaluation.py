"""The child process that alone may read the truth: one evaluation or one check, then it ends.

`python -m scorer.web.evaluation JSON` with what to do; answers with JSON on standard output.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from typing import Any

from scorer.core.errors import ScorerError


def main() -> None:
    """Do what the argument asks for, within its limits."""
    task: dict[str, Any] = json.loads(sys.argv[1])
    memory, seconds = int(task["memory"]), int(task["seconds"])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    try:
        answer = _done(task)
    except (ScorerError, MemoryError, OSError) as error:
        print(json.dumps({"error": str(error) or type(error).__name__}))
        sys.exit(1)
    print(json.dumps(answer))


def _done(task: dict[str, Any]) -> dict[str, Any]:
    from scorer.api.board import Board

    challenge = Path(task["challenge"])
    with Board.open(
        challenge, task["store"], task["files"], allow_plugins=task["allow_plugins"]
    ) as board:
        match task["do"]:
            case "prepare":
                board.ask()
                return {}
            case "evaluate":
                board.evaluate(task["sha256"])
                return {}
            case "check":
                from scorer.api.check import check
                from scorer.api.submissions import Named

                sent = Named(task["name"], Path(task["path"]), shown=task["name"])
                (scored,) = check(board.in_force, [sent], allow_plugins=task["allow_plugins"])
                return {"findings": scored.findings.to_json()}
            case "rescore":
                found = board.rescore(dry_run=task["dry_run"])
                return {**found._asdict(), "moves": [move._asdict() for move in found.moves]}
            case "audit":
                audited = board.audit()
                return {
                    "duplicates": [list(group) for group in audited.duplicates],
                    "near_duplicates": [each._asdict() for each in audited.near_duplicates],
                    "probing": [each._asdict() for each in audited.probing],
                    "shake_up": [each._asdict() for each in audited.shake_up],
                }
            case "kit":
                from scorer.api.kit import kit
                from scorer.prepare.bind import prepare
                from scorer.prepare.open import public

                bound = prepare(board.in_force, task["allow_plugins"])
                Path(task["path"]).write_bytes(kit(bound, public(bound)).data)
                return {}
    raise ScorerError(f"no such task: {task['do']}")


if __name__ == "__main__":
    main()
