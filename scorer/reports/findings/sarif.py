"""Problems as SARIF, which code scanners exchange."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

from scorer.core.codes import codes
from scorer.core.problems import Problem
from scorer.core.version import __version__
from scorer.reports.base import Options, form
from scorer.reports.codec import dumped
from scorer.reports.findings.problems import CheckedFile

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


@form("findings", "sarif")
def sarif(checked: CheckedFile, options: Options) -> str:
    """SARIF 2.1.0: a rule for each code that was found, a result for each problem."""
    reported = sorted({code for scored in checked.submissions for code in scored.findings.counts})
    index = {code: n for n, code in enumerate(reported)}
    results = [
        _result(problem, scored.path, index)
        for scored in checked.submissions
        for problem in scored.findings
    ]
    driver = {
        "name": "scorer",
        "semanticVersion": __version__.replace(".dev", "-dev."),  # as semver.org has it
        "rules": [_rule(code) for code in reported],
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return dumped({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}) + "\n"


def _rule(code: str) -> dict[str, Any]:
    page = codes().get(code)
    if page is None:
        return {"id": code}
    return {
        "id": code,
        "shortDescription": {"text": page.title},
        "fullDescription": {"text": page.meaning.strip()},
        "help": {"text": page.fix.strip()},
        "defaultConfiguration": {"level": page.severity},
    }


def _result(problem: Problem, path: str, index: dict[str, int]) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(problem.path or path)}}
    if problem.line is not None:
        place["region"] = {"startLine": problem.line}
        if problem.column is not None:
            place["region"]["startColumn"] = problem.column
    hint = f" ({problem.help})" if problem.help else ""
    return {
        "ruleId": problem.code,
        "ruleIndex": index[problem.code],
        "level": problem.severity,
        "message": {"text": problem.message + hint},
        "locations": [{"physicalLocation": place}],
    }


def _uri(path: str) -> str:
    """A path as SARIF wants it: a URI, relative where the path is."""
    where = Path(path)
    return where.as_uri() if where.is_absolute() else quote(os.fsencode(where.as_posix()))
