"""`score lint CHALLENGE`: is the challenge itself sound?"""

from __future__ import annotations

import math

from scorer.command import ChallengeWord, Plugins, Result, challenge_of, problems
from scorer.errors import shown


def lint(challenge: ChallengeWord, allow_plugins: Plugins = False) -> Result:
    """Run the challenge's examples: golden cases that its measures must reproduce."""
    from scorer import pipeline

    settled, _ = challenge_of(challenge)
    said: list[str] = []
    failed = 0
    for n, example in enumerate(settled.examples):
        where = f"examples[{n}] ({shown(example.submission.name)})"
        against = settled if example.truth is None else settled.with_truth(example.truth)
        board = against.leaderboard.model_copy(update={"baselines": ()})
        against = against.model_copy(update={"leaderboard": board})
        report = pipeline.score(against, [example.submission], allow_plugins=allow_plugins)
        (scored,) = report.submissions
        said += [f"{where}: {line}" for line in problems(scored.findings)]
        for measure, expected in example.expect.items():
            if measure not in scored.values:
                failed += 1
                known = ", ".join(m.id for m in report.measures)
                said.append(f"{where}: {measure}: no such value (measures: {known})")
                continue
            got = scored.values[measure].mean
            close = math.isclose(got, expected, rel_tol=0, abs_tol=example.tolerance)
            failed += not close
            state = "holds" if close else f"FAILS: expected {expected!r}"
            said.append(f"{where}: {measure} = {got!r} {state}")
    if not settled.examples:
        said.append("no examples: a golden case in `examples:` would guard the numbers")
    said.append(f"{len(settled.examples)} examples, {failed} failed")
    return Result("".join(f"{line}\n" for line in said), exit_code=2 if failed else 0)
