"""A comparison as JSON Lines, which `score compare` also reads back."""

from __future__ import annotations

from scorer.reports.base import Options, form
from scorer.reports.comparison.cells import Compared
from scorer.reports.syntax.json import dumped, known


@form("comparison", "jsonl")
def jsonl(compared: Compared, options: Options) -> str:
    """One line a list and pair: its preferences."""
    written = []
    for pair in compared.pairing.pairs:
        values = {key: each.per_list.tolist() for key, each in pair.preferences.items()}
        for n, name in enumerate(compared.pairing.lists):
            fields = {key: known(column[n]) for key, column in values.items()}
            line = {"list": name, "a": pair.a, "b": pair.b, "preferences": fields}
            written.append(dumped(line, indent=None))
    return "".join(f"{line}\n" for line in written)
