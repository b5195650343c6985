"""Truths whose rows are pairs of a list and an item: ranked lists, ratings, preferences, TREC."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from scorer.infer.base import Guess, Needs, Preview, columns_section, find_name, fold_name

PREFERRED = ("better", "worse")
BETWEEN_IDS = (" ", ",", ";", "|")  # of several ids in a cell
RANKING = ("nDCG@10", "P@5")
RATINGS = ("RMSE", "MAE")
NUMBERS = ("grade", "rating", "score", "rank", "prediction")  # roles of columns without items
SUBTOPICS = ("alpha_nDCG@20", "ERR_IA@20", "StRecall@20")


def recognize_qrels(truth: Preview, sample: Preview, needs: Needs) -> Guess | None:
    """Return the guess for TREC's qrels; with runs, or lists in any other form."""
    if "grade" not in truth.names:
        return None
    rules: dict[str, Any] = {"missing_list": "zero"}
    if sample.names and not sample.is_trec:
        rules |= _submission_columns(sample, {"list": None, "item": None}, ("score", "rank"))
    if len(set(truth.cells("Q0"))) > 1:
        return Guess("TREC's qrels with subtopics", {}, rules, SUBTOPICS)
    return Guess("TREC's qrels", {}, rules, ("AP", *RANKING))


def recognize_preferences(truth: Preview, sample: Preview, needs: Needs) -> Guess | None:
    """Return the guess for rows of a list, and the better and the worse of two of its items."""
    names = {role: find_name([role], truth.names) for role in PREFERRED}
    if None in names.values():
        return None
    others = [name for name in truth.names if fold_name(name) not in PREFERRED]
    list_name = truth.find_role("list") or next(iter(others), None)
    if list_name is None:
        return None
    roles = {"list": list_name, **names}
    in_sample = {role: name for role, name in roles.items() if name in sample.names}
    return Guess("preferences", columns_section(roles), columns_section(in_sample), ("EDRC",))


class ItemCells(NamedTuple):
    """The columns of a table with a row for each list, whose items are in one cell."""

    list_name: str
    item_name: str
    separator: str
    longest: int  # items in a cell, at most

    def section(self) -> dict[str, Any]:
        """Return the keys of a section of challenge.yaml that say so."""
        columns = columns_section({"list": self.list_name, "item": self.item_name})
        return columns | {"cells": {"item": self.separator}}


def recognize_item_cells(truth: Preview, sample: Preview, needs: Needs) -> Guess | None:
    """Return the guess for all items of a list in one cell, as in Kaggle's contests by MAP.

    The truth may have a row for each item all the same, or most often one item in a cell.
    """
    in_truth = _find_item_cells(truth)
    in_sample = _find_item_cells(sample) if sample.names else in_truth
    if in_sample is None:
        return None
    if in_truth is None:
        in_truth = _find_item_cells(truth, in_sample)
    pairs = recognize_pairs(truth, Preview(()), needs) if in_truth is None else None
    if in_truth is None and pairs is None:
        return None
    truth_keys = in_truth.section() if in_truth is not None else pairs.truth if pairs else {}
    cutoff = in_sample.longest
    mean_ap = {"id": f"MAP@{cutoff}", "metric": f"AP(denominator=capped)@{cutoff}"}
    description = "ranked lists, all items in a cell"
    return Guess(description, truth_keys, in_sample.section(), (mean_ap, f"nDCG@{cutoff}"))


def _find_item_cells(table: Preview, like: ItemCells | None = None) -> ItemCells | None:
    """Return the columns of lists and items; None unless exactly one column has several ids.

    `like` are the columns of the sample; the truth has the same if a cell has several ids.
    """
    list_name = table.find_role("list") or table.names[0]
    if not table.is_unique(list_name):
        return None
    others = table.names_except(list_name)
    if like is None:
        separators = {name: _find_separator(table.cells(name)) for name in others}
    else:
        separators = {name: like.separator for name in others if name == like.item_name}
    found = {name: mark for name, mark in separators.items() if mark is not None}
    if len(found) != 1:
        return None
    ((item_name, separator),) = found.items()
    longest = max((len(cell.split(separator)) for cell in table.cells(item_name)), default=0)
    if longest < 2:
        return None
    return ItemCells(list_name, item_name, separator, longest)


def _find_separator(cells: Sequence[str]) -> str | None:
    """Return the separator of several ids in most cells; ids have digits, and no dots."""
    for mark in BETWEEN_IDS:
        parts = [cell.split(mark) for cell in cells]
        texts = [text.strip() for row in parts for text in row]
        ids = [text for text in texts if any(map(str.isdigit, text))]
        words = set(texts).difference(ids)  # such as None
        has_several = 2 * sum(len(row) > 1 for row in parts) > len(parts)
        if has_several and len(words) < 2 and not any("." in text for text in ids):
            return mark
    return None


def recognize_rank_columns(truth: Preview, sample: Preview, needs: Needs) -> Guess | None:
    """Return the guess for pairs, and a sample with a column for each rank: item_1, item_2, .."""
    if "header" in sample.layout:
        return None
    key = sample.find_role("list") or sample.names[0]
    rank_names = sample.names_except(key)
    prefix = find_numbered_prefix(rank_names)
    list_name = truth.find_name(key) or truth.find_role("list")
    if prefix is None or list_name is None or not sample.is_unique(key):
        return None
    others = truth.names_except(list_name)
    item_name = truth.find_role("item", (list_name,)) or next(iter(others), None)
    if item_name is None or truth.find_name(rank_names[0]) is not None:
        return None
    items = set(truth.cells(item_name))
    if not any(items.intersection(sample.cells(name)) for name in rank_names):
        return None
    truth_keys = columns_section({"list": list_name, "item": item_name})
    sample_keys = columns_section({"list": key}) | {"wide": {"rank": f"{prefix}*"}}
    return Guess("ranked lists, a column for each rank", truth_keys, sample_keys, RANKING)


def find_numbered_prefix(names: Sequence[str]) -> str | None:
    """Return what stands before the number in names that are numbered from 1; None of others.

    >>> find_numbered_prefix(["F1", "F2", "F3"]), find_numbered_prefix(["F1", "G2"])
    ('F', None)
    """
    matches = [match for name in names if (match := re.fullmatch(r"(.*?)([0-9]+)", name))]
    prefixes = {match[1] for match in matches}
    numbers = sorted(int(match[2]) for match in matches)
    if len(names) < 2 or len(prefixes) > 1 or numbers != list(range(1, len(names) + 1)):
        return None
    return prefixes.pop() or None


def recognize_named_pairs(truth: Preview, sample: Preview, needs: Needs) -> Guess | None:
    """Return the guess for columns with usual names of lists and items, as user and movie."""
    tables = [truth, sample] if sample.names else [truth]
    if not all(table.find_role("list") and table.find_role("item") for table in tables):
        return None
    if sample.names and all(map(_has_answers, tables)):
        return None
    return recognize_pairs(truth, sample, needs)


def _has_answers(table: Preview) -> bool:
    """Return whether a file without a header has an id a line, and few different answers."""
    if "header" not in table.layout or len(table.names) != 2 or "cells" in table.layout:
        return False
    key, answer = table.names
    return table.is_unique(key) and 2 * len(set(table.cells(answer))) <= len(table.rows)


def recognize_pairs(truth: Preview, sample: Preview, needs: Needs) -> Guess | None:
    """Return the guess for lists and items by what both files have, then by their place."""
    shared = [] if sample.is_trec else [name for name in truth.names if name in sample.names]
    if len(shared) == 1 and len(sample.names) == 2:
        is_table = truth.is_unique(shared[0]) and sample.is_unique(shared[0])
        if is_table:  # whose answers the truth lacks
            return None
    list_name = truth.find_role("list") or (shared or truth.names)[0]
    others = [name for name in (*shared, *truth.names) if name != list_name]
    numbers = {truth.find_role(role, (list_name,)) for role in NUMBERS}
    candidates = [name for name in others if name not in numbers] or others
    item_name = truth.find_role("item", (list_name,)) or next(iter(candidates), None)
    if item_name is None:
        return None
    taken = (list_name, item_name)
    value = truth.find_role("grade", taken) or truth.find_role("rating", taken)
    if value is None:
        numeric = (name for name in truth.names_except(*taken) if truth.is_numeric(name))
        value = next(numeric, None)
    roles = {"list": list_name, "item": item_name}
    if value is not None and _are_predicted(value, truth, sample, taken, needs):
        sample_keys = _submission_columns(sample, roles, ("prediction",), value)
        return Guess("ratings", columns_section(roles | {"rating": value}), sample_keys, RATINGS)
    if not needs.allow("grades"):
        return None
    truth_keys = columns_section(roles if value is None else roles | {"grade": value})
    sample_keys = _submission_columns(sample, roles, ("score", "rank"), value)
    return Guess("ranked lists", truth_keys, sample_keys, RANKING)


def _are_predicted(
    value: str, truth: Preview, sample: Preview, taken: Sequence[str], needs: Needs
) -> bool:
    """Return whether submissions predict the truth's numbers, rather than order the items."""
    if needs.allow("ratings") != needs.allow("grades"):
        return needs.allow("ratings")
    if not sample.names or not needs.allow("ratings"):
        return False
    if sample.find_role("prediction", taken) is not None:
        return True
    if "header" in sample.layout:  # no column has a name
        pairs = {row[:2] for row in truth.rows}
        return all(row[:2] in pairs for row in sample.rows)
    return value in sample.names and sample.find_role("score", taken) is None


def _submission_columns(
    sample: Preview,
    roles: Mapping[str, str | None],
    number_roles: Sequence[str],
    value: str | None = None,
) -> dict[str, Any]:
    """Return `columns:` of a submission.

    Args:
        sample: The sample; if it has no columns, they are called as in the truth.
        roles: What the truth calls lists and items.
        number_roles: Roles that a column of numbers may have.
        value: What the truth calls its numbers.
    """
    if not sample.names:
        return columns_section(roles)
    columns: dict[str, str] = {}
    for role, name in roles.items():
        same = name if name in sample.names else sample.find_role(role, columns.values())
        if column := same or next(iter(sample.names_except(*columns.values())), None):
            columns[role] = column
    taken = [*columns.values()]
    others = sample.names_except(*taken)
    found = {role: sample.find_role(role, taken) for role in number_roles}
    numeric = [name for name in others if sample.is_numeric(name)]
    if usual := {role: name for role, name in found.items() if name is not None}:
        role, name = next(iter(usual.items()))
        columns[role] = name
    elif "rank" in number_roles and (ranks := _find_ranks(sample, others, taken)):
        columns["rank"] = ranks
    elif numeric:
        columns[number_roles[0]] = value if value is not None and value in numeric else numeric[0]
    return columns_section(columns)


def _find_ranks(sample: Preview, names: Sequence[str], taken: Sequence[str]) -> str | None:
    """Return the column that counts up in each list, if lists and items are known."""
    if len(taken) < 2:
        return None
    return next((name for name in names if sample.counts_up(name, taken[0])), None)
