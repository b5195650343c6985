"""A comparison as JSON: full doubles, keys in a fixed order, no value as null."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from scorer.reports.base import PRIVATE, Options, form
from scorer.reports.comparison.cells import Compared
from scorer.reports.syntax.json import dumped, each_list, head, known
from scorer.results.comparison import Differing, Pairing, Tally
from scorer.results.report import Report


@form("comparison", "json")
def json(compared: Compared, options: Options) -> str:
    """Everything, for programs."""
    report, found = compared.report, compared.pairing
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
                        "mean": known(each.mean),
                        **_tally(each.tally),
                        "per_list": each_list(found.lists, each.per_list),
                    }
                    for key, each in pair.preferences.items()
                },
                "measures": {key: _measure(found, each) for key, each in pair.measures.items()},
            }
            for pair in found.pairs
        ],
        "orders": {
            key: {name: [list(group) for group in groups] for name, groups in orders.items()}
            for key, orders in found.orders.items()
        },
        "tests": {
            key: {**asdict(test), "lists": list(test.lists)} for key, test in found.tests.items()
        },
        "how": {
            "alpha": rules.tiers.alpha if rules.tiers else None,
            "level": rules.intervals,
            "resamples": rules.draws,
            "seed": rules.seed,
            "margin": found.margin,
        },
        "untested": dict(found.untested),
        "cycles": {key: [list(group) for group in groups] for key, groups in found.cycles.items()},
    }
    return dumped(fields) + "\n"


def _files(report: Report) -> list[dict[str, Any]]:
    return [
        {"name": each.name, "path": each.path, "sha256": each.sha256, "baseline": each.baseline}
        for each in report.submissions
    ]


def _tally(tally: Tally) -> dict[str, int]:
    return {"wins": tally.wins, "ties": tally.ties, "losses": tally.losses}


def _measure(found: Pairing, each: Differing) -> dict[str, Any]:
    index = {name: n for n, name in enumerate(found.lists)}
    return {
        "difference": known(each.difference),
        **_tally(each.tally),
        "interval": None if each.interval is None else [known(end) for end in each.interval],
        "effect_size": known(each.effect),
        "p": known(each.p),
        "lists": each.lists,
        "interval_of_all": None if each.together is None else [known(e) for e in each.together],
        "equivalence_p": None if each.equivalent is None else known(each.equivalent),
        "most": [{"list": name, "difference": float(each.per_list[index[name]])}
                 for name in each.most],
    }  # fmt: skip
