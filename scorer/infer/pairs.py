"""Truths whose rows are pairs of a list and an item: ranked lists, ratings, preferences, TREC."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scorer.infer.base import Guess, Needs, Preview, columns_section, fold_name

PREFERRED = ("better", "worse")
BETWEEN = (" ", ",", ";", "|")  # of several ids in a cell
RANKING = ("nDCG@10", "P@5")
OF_NUMBERS = ("grade", "rating", "score", "rank", "prediction")  # no column of items
SUBTOPICS = ("alpha_nDCG@20", "ERR_IA@20", "StRecall@20")


def trec(truth: Preview, sample: Preview | None, needs: Needs) -> Guess | None:
    """TREC's qrels; runs, or lists in any other form."""
    if not truth.is_trec or "grade" not in truth.names:
        return None
    rules: dict[str, Any] = {"missing_list": "zero"}
    if sample is not None and not sample.is_trec:
        rules |= _submitted(sample, {"list": None, "item": None}, ("score", "rank"))
    if len({row[1] for row in truth.rows if len(row) > 1}) > 1:
        return Guess("TREC's qrels with subtopics", {}, rules, SUBTOPICS)
    return Guess("TREC's qrels", {}, rules, ("AP", *RANKING))


def preferences(truth: Preview, sample: Preview | None, needs: Needs) -> Guess | None:
    """Preferences: a list, the better and the worse of two of its items."""
    by_folded_name = {fold_name(name): name for name in reversed(truth.names)}
    if not set(PREFERRED) <= by_folded_name.keys() or not needs.allow("preferences"):
        return None
    first = truth.find_role("list")
    first = first or next((n for n in truth.names if fold_name(n) not in PREFERRED), None)
    if first is None:
        return None
    roles = {"list": first} | {role: by_folded_name[role] for role in PREFERRED}
    sample_names = sample.names if sample else ()
    sent = {role: name for role, name in roles.items() if name in sample_names}
    return Guess("preferences", columns_section(roles), columns_section(sent), ("EDRC",))


def cells(truth: Preview, sample: Preview | None, needs: Needs) -> Guess | None:
    """A row for each list, with all its items in one cell, as Kaggle's contests by MAP have it.

    The truth may have a row for each item all the same.
    """
    if truth.is_trec or not needs.allow("grades"):
        return None
    sections: list[dict[str, Any]] = []
    most = 0
    for look in (truth, *([sample] if sample is not None else [])):
        key = look.find_role("list") or look.names[0]
        item_columns = [
            (name, mark) for name in look.names_except(key) if (mark := _between(look, name))
        ]
        if look is truth and sample is not None and not item_columns:  # most may have one item
            shared = [
                (name, _between(sample, name))
                for name in look.names_except(key)
                if name in sample.names
            ]
            item_columns = [
                (name, mark)
                for name, mark in shared
                if mark and any(mark in cell for cell in look.cells(name))
            ]
        if len(item_columns) == 1 and look.is_unique(key):
            ((item, mark),) = item_columns
            most = max(len(cell.split(mark)) for cell in look.cells(item))
            sections.append(
                columns_section({"list": key, "item": item}) | {"cells": {"item": mark}}
            )
        elif look is truth and sample is not None and (long := unnamed(truth, None, needs)):
            sections.append(dict(long.truth))
        else:
            return None
    metrics = (f"AP(denominator=capped)@{most}", f"nDCG@{most}")
    return Guess("ranked lists, all items in a cell", sections[0], sections[-1], metrics)


def _between(look: Preview, name: str) -> str | None:
    """The separator of several ids in the cells of a column; ids have digits, and no dots."""
    values = look.cells(name)
    for mark in BETWEEN:
        parts = [cell.split(mark) for cell in values]
        ids = [part.strip() for row in parts for part in row]
        several = 2 * sum(len(row) > 1 for row in parts) > len(parts)
        numbered = [text for text in ids if any(map(str.isdigit, text))]
        words = {text for text in ids if text not in numbered}  # such as None
        if several and len(words) < 2 and not any("." in text for text in numbered):
            return mark
    return None


def named(truth: Preview, sample: Preview | None, needs: Needs) -> Guess | None:
    """Lists and items whose columns have usual names, such as user and movie, in both files."""
    for look in (truth, sample):
        if look is not None and not (look.find_role("list") and look.find_role("item")):
            return None
    if sample is not None and _answered(truth) and _answered(sample):
        return None
    return unnamed(truth, sample, needs)


def _answered(look: Preview) -> bool:
    """Whether a file without a header has an id a line, and few answers that come again."""
    if "header" not in look.layout or len(look.names) != 2 or "cells" in look.layout:
        return False
    key, answer = look.names
    return look.is_unique(key) and 2 * len(set(look.cells(answer))) <= len(look.rows)


def unnamed(truth: Preview, sample: Preview | None, needs: Needs) -> Guess | None:
    """Lists and items by what both files have, then by their place."""
    if truth.is_trec:
        return None
    has_names = sample is not None and not sample.is_trec
    shared = [name for name in truth.names if sample and has_names and name in sample.names]
    if (
        sample is not None
        and len(shared) == 1
        and len(sample.names) == 2
        and (truth.is_unique(shared[0]) and sample.is_unique(shared[0]))
    ):
        return None  # a row for each id, whose answers the truth lacks
    first = truth.find_role("list") or (shared or list(truth.names))[0]
    others = [name for name in (*shared, *truth.names) if name != first]
    of_numbers = {truth.find_role(role, (first,)) for role in OF_NUMBERS}
    no_numbers = (name for name in others if name not in of_numbers)
    item = truth.find_role("item", (first,)) or next(no_numbers, None) or next(iter(others), None)
    if item is None:
        return None
    taken = (first, item)
    value = truth.find_role("grade", taken) or truth.find_role("rating", taken)
    value = value or next(
        (name for name in truth.names_except(*taken) if truth.is_numeric(name)), None
    )
    roles = {"list": first, "item": item}
    if value is not None and _rates(value, truth, sample, taken, needs):
        rated = columns_section(roles | {"rating": value})
        sent = (
            _submitted(sample, roles, ("prediction",), value) if sample else columns_section(roles)
        )
        return Guess("ratings", rated, sent, ("RMSE", "MAE"))
    if not needs.allow("grades"):
        return None
    graded = columns_section(roles | ({} if value is None else {"grade": value}))
    sent = _submitted(sample, roles, ("score", "rank"), value) if sample else columns_section(roles)
    return Guess("ranked lists", graded, sent, RANKING)


def _rates(
    value: str, truth: Preview, sample: Preview | None, taken: Sequence[str], needs: Needs
) -> bool:
    """Whether submissions predict the truth's numbers, rather than order the items."""
    if needs.allow("ratings") != needs.allow("grades"):
        return needs.allow("ratings")
    if sample is None or not needs.allow("ratings"):
        return False
    if sample.find_role("prediction", taken) is not None:
        return True
    if "header" in sample.layout:  # there are no names to tell by
        asked_for = {row[:2] for row in truth.rows}
        return all(row[:2] in asked_for for row in sample.rows)
    return value in sample.names and sample.find_role("score", taken) is None


def _submitted(
    sent: Preview, roles: Mapping[str, str | None], numbers: Sequence[str], value: str | None = None
) -> dict[str, Any]:
    """The `columns:` of a submission; `roles` is what the truth calls list and item."""
    columns: dict[str, str] = {}
    for role, name in roles.items():
        column = name if name in sent.names else sent.find_role(role, columns.values())
        if column := column or next(iter(sent.names_except(*columns.values())), None):
            columns[role] = column
    taken = tuple(columns.values())
    number_column = next(
        ((role, name) for role in numbers if (name := sent.find_role(role, taken))), None
    )
    if number_column is None and "rank" in numbers and len(taken) > 1:
        ranks = (name for name in sent.names_except(*taken) if sent.counts_up(name, taken[0]))
        number_column = next((("rank", name) for name in ranks), None)
    if number_column is None and (
        numeric := [
            candidate for candidate in sent.names_except(*taken) if sent.is_numeric(candidate)
        ]
    ):
        number_column = numbers[0], value if value in numeric else numeric[0]
    columns |= {number_column[0]: number_column[1]} if number_column else {}
    return columns_section(columns)
