"""Boards of values that are drawn, by the package's own functions."""

from pathlib import Path

import polars as pl

import scorer


def board(folder, values, metrics, leaderboard, groups=None):
    """The report of systems that are called s0, s1, ... in the order of their rows.

    Args:
        folder: an empty one, for the file of the cases.
        values: name -> (systems, cases); a pair of these is a part and a whole, whose sums are
            divided.
        metrics: as in challenge.yaml.
        leaderboard: its rules.
        groups: the group of each case.
    """
    columns, declared = {}, {}
    for name, given in values.items():
        pair = isinstance(given, tuple)
        parts = {f"{name} {n}": part for n, part in enumerate(given)} if pair else {name: given}
        declared[name] = {"column": [*parts]} if pair else {}
        columns |= parts
    systems, cases = next(iter(columns.values())).shape
    names = [f"c{n}" for n in range(cases)]
    challenge = {
        "kind": "values",
        "submission": {"columns": {"list": "case"}, "values": declared},
        "metrics": metrics,
        "leaderboard": leaderboard,
    }
    if groups is not None:
        lines = [f"{name},g{group}\n" for name, group in zip(names, groups, strict=True)]
        Path(folder, "cases.csv").write_text("case,group\n" + "".join(lines))
        challenge["lists"] = {"file": "cases.csv", "columns": {"list": "case", "group": "group"}}
    sent = {
        f"s{system}": pl.DataFrame(
            {"case": names} | {name: numbers[system] for name, numbers in columns.items()}
        )
        for system in range(systems)
    }
    return scorer.score(scorer.load(challenge, folder=folder), sent)
