"""A comparison as JSON Lines, which `score compare` also reads back."""

from __future__ import annotations

from scorer.reports.base import Options
from scorer.results.comparison import Comparison
from scorer.results.json import to_json


def jsonl(compared: Comparison, options: Options) -> str:
    """One line a list and pair: its preferences."""
    lines = []
    for pair in compared.pairs:
        values = {
            key: preferred.per_list.values.tolist() for key, preferred in pair.preferences.items()
        }
        for n, name in enumerate(compared.lists):
            fields = {key: column[n] for key, column in values.items()}
            line = {"list": name, "a": pair.a, "b": pair.b, "preferences": fields}
            lines.append(to_json(line, indent=None))
    return "".join(f"{line}\n" for line in lines)
