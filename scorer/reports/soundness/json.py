"""The findings of lint as JSON."""

from __future__ import annotations

from math import isfinite
from typing import Any

from scorer.reports.base import LINTED, Options, form
from scorer.reports.syntax.json import dumped, head, number_or_null, problem
from scorer.results.soundness import POWER, Lint, Remark


@form("soundness", "json")
def json(lint: Lint, options: Options) -> str:
    """For programs: full doubles, no value as null."""
    return dumped(_data(lint)) + "\n"


def _data(lint: Lint) -> dict[str, Any]:
    challenge = lint.challenge
    return {
        **head(challenge, lint.fingerprint, LINTED),
        "sound": lint.sound,
        "kind": lint.kind,
        "lists": lint.lists,
        "random": {"draws": lint.draws, "seed": challenge.leaderboard.seed, "from": lint.drawn},
        "measures": [
            {
                "id": m.id,
                "primary": m.primary,
                "range": m.metric.range,
                "canaries": {
                    name: None if mean is None else number_or_null(mean)
                    for name, mean in lint.probed[m.id].items()
                },
                "random": {
                    "mean": number_or_null(lint.chance[m.id].mean),
                    "deviation": number_or_null(lint.chance[m.id].deviation),
                    "low": number_or_null(lint.chance[m.id].low),
                    "high": number_or_null(lint.chance[m.id].high),
                },
            }
            for m in lint.measures
        ],
        "detectable": {
            "difference": (
                lint.detectable.difference if isfinite(lint.detectable.difference) else None
            ),
            "deviation": number_or_null(lint.detectable.deviation),
            "alpha": lint.detectable.alpha,
            "power": POWER,
            "basis": lint.detectable.basis,
            "test": lint.detectable.test,
            "adjust": lint.detectable.adjust,
            "over": lint.detectable.over,
            "lists": lint.detectable.lists,
            "units": lint.detectable.units,
            "among": [
                {"submissions": count, "difference": least if isfinite(least) else None}
                for count, least in lint.detectable.among
            ],
        },
        "examples": [_remark(remark) for remark in lint.examples],
        "problems": [problem(finding) for finding in lint.problems],
        "remarks": [_remark(remark) for remark in lint.remarks],
    }


def _remark(remark: Remark) -> dict[str, str]:
    return {"severity": remark.severity, "message": remark.text}
