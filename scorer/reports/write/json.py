"""JSON: everything that is known, for programs."""

from __future__ import annotations

from typing import Any

from scorer.reports.base import Options
from scorer.results.json import to_json


def json(record: Any, options: Options) -> str:
    """Full doubles, keys in a fixed order, no value as null."""
    return to_json(record) + "\n"
