"""The report as JSON: full doubles, keys in a fixed order, no value as null."""

from __future__ import annotations

from typing import Any

from scorer.core.arrays import Floats
from scorer.metrics.base import Measure
from scorer.reports.base import PRIVATE, Options, form
from scorer.reports.leaderboard.cells import gap
from scorer.reports.syntax.json import dumped, each_list, head, number_or_null, problem
from scorer.results.report import Certainty, Report, Scored, Value


@form("leaderboard", "json")
def json(report: Report, options: Options) -> str:
    """Everything that is known, for programs."""
    fields = {
        **head(report.challenge, report.fingerprint, PRIVATE if options.private else None),
        "measures": [
            {
                "id": measure.id,
                "metric": measure.metric.name,
                "params": measure.params,
                "better": measure.metric.better,
                "aggregate": measure.aggregate,
                **{k: v for k, v in measure.combination.facts().items() if k != "aggregate"},
                **({"parts": [part.id for part in measure.parts]} if measure.parts else {}),
                "primary": measure.primary,
                "signature": report.signatures[measure.id],
            }
            for measure in report.measures
        ],
        "submissions": [_submission(scored, report, options) for scored in report.submissions],
        "leaderboard": [
            {
                "rank": standing.rank,
                "name": standing.name,
                "values": {key: number_or_null(value) for key, value in standing.values.items()},
                "tier": standing.tier,
                "ranks": standing.ranks,
                "interval": standing.interval,
                "best": standing.best,
                "fewer_lists": standing.fewer,
                **({} if standing.points is None else {"points": standing.points}),
            }
            for standing in report.standings
        ],
        "ranked_by": _ranked_by(report),
        "certainty": _certainty(report.certainty, report),
        "no_certainty": report.uncertain or None,
        "cycles": report.cycles,
        "groups": report.groups,
        **({"omitted": report.omitted} if report.omitted else {}),
        "notes": [problem(note) for note in report.notes],
    }
    return dumped(fields) + "\n"


def _submission(scored: Scored, report: Report, options: Options) -> dict[str, Any]:
    return {
        "name": scored.name,
        "path": scored.path,
        "sha256": scored.sha256,
        "valid": scored.valid,
        "baseline": scored.baseline,
        "problems": [problem(finding) for finding in scored.findings],
        "values": {
            measure.id: {
                **_value(scored.values[measure.id], report.lists, options.per_list),
                **_groups(scored, measure, report),
            }
            for measure in report.measures
        }
        if scored.valid
        else None,
    }


def _ranked_by(report: Report) -> dict[str, Any]:
    if (by := report.ranked_by) is not None:
        return {
            "measures": by.measures,
            "aggregate": by.aggregate.name,
            "tie_break": by.tie_break,
        }
    if report.rank_by is None:
        return {"measure": report.primary.id}
    preference, aggregate = report.rank_by
    return {"preference": preference.name, "aggregate": aggregate.name}


def _groups(scored: Scored, measure: Measure, report: Report) -> dict[str, Any]:
    if not report.groups:
        return {}
    means = {group: number_or_null(mean) for group, mean in scored.groups[measure.id].items()}
    return {"groups": means, "gap": number_or_null(gap(scored, measure))}


def _certainty(certainty: Certainty | None, report: Report) -> dict[str, Any] | None:
    if certainty is None:
        return None
    return {
        "measure": report.primary.id,
        "names": certainty.names,
        "difference": _rows(certainty.difference),
        "p": _rows(certainty.p),
        "lists": certainty.lists,
        "detectable": number_or_null(certainty.detectable),
        "how": certainty.how._asdict(),
        "signature": certainty.how.signature,
        "common_lists": certainty.common.tolist(),
        "pairs": certainty.pairs,
        "least_p": certainty.least,
        "fewest_lists": certainty.fewest,
        "baselines": [
            {
                "name": baseline.name,
                "difference": [number_or_null(value) for value in baseline.difference.tolist()],
                "p": [number_or_null(value) for value in baseline.p.tolist()],
                "lists": baseline.lists.tolist(),
            }
            for baseline in certainty.against
        ],
        "fewer_lists": [
            {**row._asdict(), "here": number_or_null(row.here), "rest": number_or_null(row.rest)}
            for row in certainty.fewer
        ],
        "rank_shares": None if certainty.ranks is None else _rows(certainty.ranks),
        "shake_up": None if certainty.shake_up is None else certainty.shake_up._asdict(),
    }


def _rows(matrix: Floats) -> list[list[float | None]]:
    return [[number_or_null(value) for value in row] for row in matrix.tolist()]


def _value(value: Value, lists: tuple[str, ...], per_list: bool) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "mean": number_or_null(value.mean),
        "lists": value.lists,
        "missing": value.missing,
        "undefined": value.undefined,
    }
    if value.folds is not None:
        fields["folds"] = {fold: number_or_null(mean) for fold, mean in value.folds.items()}
        fields["deviation"] = None if value.deviation is None else number_or_null(value.deviation)
    if per_list:
        fields["per_list"] = None if value.per_list is None else each_list(lists, value.per_list)
    return fields
