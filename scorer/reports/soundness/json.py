"""What lint found as JSON."""

from __future__ import annotations

import math
from typing import Any

from scorer.core.version import __version__
from scorer.results.soundness import POWER, Lint, Remark


def data(lint: Lint) -> dict[str, Any]:
    """For programs: full doubles, no value as null."""
    challenge = lint.challenge
    return {
        "scorer": __version__,
        "challenge": {
            "id": challenge.id,
            "title": challenge.title,
            "fingerprint": lint.fingerprint,
        },
        "sound": lint.sound,
        "kind": lint.kind,
        "lists": lint.lists,
        "random": {"draws": lint.draws, "seed": challenge.leaderboard.seed, "from": lint.drawn},
        "measures": [
            {
                "id": m.id,
                "primary": m.primary,
                "range": m.metric.range,
                "canaries": {name: _double(mean) for name, mean in lint.found[m.id].items()},
                "random": {
                    "mean": _double(lint.chance[m.id].mean),
                    "deviation": _double(lint.chance[m.id].deviation),
                    "low": _double(lint.chance[m.id].low),
                    "high": _double(lint.chance[m.id].high),
                },
            }
            for m in lint.measures
        ],
        "detectable": {
            "difference": _double(lint.detectable.difference),
            "deviation": _double(lint.detectable.deviation),
            "alpha": lint.detectable.alpha,
            "power": POWER,
            "basis": lint.detectable.basis,
        },
        "examples": [_remark(each) for each in lint.examples],
        "problems": [
            {"code": p.code, "severity": p.severity, "line": p.line, "message": p.message}
            for p in lint.problems
        ],
        "remarks": [_remark(each) for each in lint.remarks],
    }


def _remark(remark: Remark) -> dict[str, str]:
    return {"severity": remark.severity, "message": remark.text}


def _double(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value
