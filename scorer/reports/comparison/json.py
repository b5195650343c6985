"""A comparison as JSON: full doubles, keys in a fixed order, no value as null."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from scorer.reports.base import PRIVATE, Options, form
from scorer.reports.comparison.cells import Compared
from scorer.reports.syntax.json import dumped, each_list, head, number_or_null
from scorer.results.comparison import Differing, Pairing, Tally
from scorer.results.report import Report


@form("comparison", "json")
def json(compared: Compared, options: Options) -> str:
    """Everything, for programs."""
    report, pairing = compared.report, compared.pairing
    rules = compared.challenge.leaderboard
    fields = {
        **head(
            compared.challenge,
            report.fingerprint if report else None,
            PRIVATE if options.private else None,
        ),
        **({"submissions": _files(report)} if options.private and report else {}),
        "pairs": [
            {
                "a": pair.a,
                "b": pair.b,
                "preferences": {
                    key: {
                        "mean": number_or_null(preferred.mean),
                        **_tally(preferred.tally),
                        "per_list": each_list(pairing.lists, preferred.per_list),
                    }
                    for key, preferred in pair.preferences.items()
                },
                "measures": {
                    key: _measure(pairing, differing) for key, differing in pair.measures.items()
                },
            }
            for pair in pairing.pairs
        ],
        "orders": {
            key: {name: [list(group) for group in groups] for name, groups in orders.items()}
            for key, orders in pairing.orders.items()
        },
        "tests": {
            key: {**asdict(test), "lists": list(test.lists)} for key, test in pairing.tests.items()
        },
        "how": {
            "alpha": rules.tiers.alpha if rules.tiers else None,
            "level": rules.intervals,
            "resamples": rules.draws,
            "seed": rules.seed,
            "margin": pairing.margin,
        },
        "untested": dict(pairing.untested),
        "cycles": {
            key: [list(group) for group in groups] for key, groups in pairing.cycles.items()
        },
    }
    return dumped(fields) + "\n"


def _files(report: Report) -> list[dict[str, Any]]:
    return [
        {
            "name": scored.name,
            "path": scored.path,
            "sha256": scored.sha256,
            "baseline": scored.baseline,
        }
        for scored in report.submissions
    ]


def _tally(tally: Tally) -> dict[str, int]:
    return {"wins": tally.wins, "ties": tally.ties, "losses": tally.losses}


def _measure(pairing: Pairing, differing: Differing) -> dict[str, Any]:
    index = {name: n for n, name in enumerate(pairing.lists)}
    interval, together, equivalent = differing.interval, differing.together, differing.equivalent
    return {
        "difference": number_or_null(differing.difference),
        **_tally(differing.tally),
        "interval": None if interval is None else [number_or_null(end) for end in interval],
        "effect_size": number_or_null(differing.effect),
        "p": number_or_null(differing.p),
        "lists": differing.lists,
        "interval_of_all": None if together is None else [number_or_null(end) for end in together],
        "equivalence_p": None if equivalent is None else number_or_null(equivalent),
        "most": [{"list": name, "difference": float(differing.per_list[index[name]])}
                 for name in differing.most],
    }  # fmt: skip
