"""The file of a submission: read, checked and scored."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from scorer.checks.causes import expected_table, replace_by_cause
from scorer.core.problems import Findings, Problem
from scorer.reading.parts import locate_by_part
from scorer.reading.read import find_columns, read_text
from scorer.results.scorecard import Outcome
from scorer.scoring.lists import Plan, score_table
from scorer.views.frames import CSV, Frames


def score_submission(plan: Plan, path: Path) -> Outcome:
    """Return the problems of a submission, and its scorecard if it has no error."""
    try:
        return name_cause(plan, path, _score(plan, path))
    except MemoryError:
        findings = Findings(str(path))
        findings.add(Problem("S104", "there is not enough memory to read this file"))
        return Outcome(findings, None, None)


def name_cause(plan: Plan, path: Path, outcome: Outcome) -> Outcome:
    """Return the outcome of a file, with one cause for all errors that follow from it."""
    if not outcome.findings.fatal or plan.format(path).name != "csv":
        return outcome
    table = expected_table(plan.public, plan.rules, plan.shapes, plan.layout, path)
    findings = replace_by_cause(outcome.findings, path, table, plan.public, plan.limits)
    return outcome._replace(findings=findings)


def _score(plan: Plan, path: Path) -> Outcome:
    findings = Findings(str(path))
    table, sha256 = plan.read(path, findings)
    outcome = Outcome(findings, sha256, None)
    if table is not None:
        find_cells = table.find_cells
        if Frames in plan.views:
            text = read_text(path, plan.rules.format, plan.limits, plan.layout)
            if text is None and plan.public.kind == "frames":
                message = "Kaggle's metrics read CSV, with a header"
                help = "write the file with to_csv(index=False)"
                findings.add(Problem("S107", message, help=help))
                return outcome
            table = replace(table, facts={**table.facts, **({CSV: text} if text else {})})
            plan = plan.unscored if findings.fatal else plan
        outcome = score_table(plan, table, findings, sha256)
        findings.locate(
            lambda cells: find_columns(path, find_cells, cells, plan.limits, plan.layout)
        )
    locate_by_part(findings, plan.layout.parts)
    return outcome
