"""Truths with a column for each target, and samples that have the same ones, or ranks."""

from __future__ import annotations

import re
from typing import Any

from scorer.infer.base import Guess, Needs, Preview, columns_section
from scorer.infer.pairs import RANKING

FEWEST = 3  # columns of numbers that are targets though no number counts them


def wide(truth: Preview, sample: Preview | None, needs: Needs) -> Guess | None:
    """A row for each id, with numbers in columns that both files have: days, or targets."""
    if sample is None or truth.is_trec or {"header", "json"} & truth.layout.keys():
        return None
    key = next((name for name in sample.names if name in truth.names), None)
    if key is None or not truth.is_unique(key) or not sample.is_unique(key):
        return None
    sent = list(sample.names_except(key))
    if len(sent) < 2 or not set(sent) < {*truth.names}:
        return None
    if not all(look.is_numeric(name) for look in (truth, sample) for name in sent):
        return None
    begins = common_beginning(sent)
    if begins is not None and needs.allow("ratings"):
        truths: dict[str, Any] = {"columns": {"list": key, "rating": "rating"}}
        what = f"a table of numbers, in columns {begins}1 and so on"
        pattern = f"{begins}*"
        return Guess(
            what,
            truths | {"wide": {"item": pattern}},
            columns_section({"list": key}) | {"wide": {"item": pattern}},
            ("RMSE", "MAE"),
        )
    if len(sent) < FEWEST or not needs.allow("labels"):
        return None
    all_columns = len(truth.names) == len(sample.names)
    return Guess(
        f"a table of numbers, in {len(sent)} columns",
        {
            "columns": {"list": key, "target": "target"},
            "wide": {"list": "*" if all_columns else sent},
        },
        {"columns": {"list": key}, "wide": {"list": "*"}},
        ("RMSE", "MAE"),
    )


def ranks(truth: Preview, sample: Preview | None, needs: Needs) -> Guess | None:
    """Pairs, and a sample with a column for each rank: item_1, item_2 and so on."""
    if sample is None or truth.is_trec or not needs.allow("grades") or "header" in sample.layout:
        return None
    key = sample.find_role("list") or sample.names[0]
    sent = list(sample.names_except(key))
    begins = common_beginning(sent)
    first = truth.find_name(key) or truth.find_role("list")
    if begins is None or first is None or not sample.is_unique(key):
        return None
    item = truth.find_role("item", (first,)) or next(iter(truth.names_except(first)), None)
    if item is None or truth.find_name(sent[0]) is not None:
        return None
    items = set(truth.cells(item))
    if not any(items & set(sample.cells(name)) for name in sent):
        return None
    submission = columns_section({"list": key}) | {"wide": {"rank": f"{begins}*"}}
    what = "ranked lists, a column for each rank"
    return Guess(what, columns_section({"list": first, "item": item}), submission, RANKING)


def common_beginning(names: list[str]) -> str | None:
    """How columns begin that are called alike, with 1, 2, 3 behind it.

    >>> common_beginning(["F1", "F2", "F3"]), common_beginning(["F1", "G2"])
    ('F', None)
    """
    matches = [re.fullmatch(r"(.*?)([0-9]+)", name) for name in names]
    if len(names) < 2 or not all(matches):
        return None
    parts = [(match[1], int(match[2])) for match in matches if match]
    begins, numbers = {begin for begin, _ in parts}, sorted(number for _, number in parts)
    if len(begins) > 1 or numbers != list(range(1, len(parts) + 1)):
        return None
    return begins.pop() or None
