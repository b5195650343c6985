"""Truths with an answer for each id that is no class or number: texts, masks, boxes, spans, ..

Each is known by what all cells have in common. Where that could be by chance, the guess has a
doubt.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from scorer.core.errors import UsageError
from scorer.core.text import quoted
from scorer.infer.base import Guess, Needs, Preview, are_numbers, fold_name
from scorer.infer.tables import (
    F1_MACRO,
    F1_MICRO,
    AnswerColumns,
    find_key_columns,
    find_label_separator,
)

BOX_WORDS = ["class", "score", "x1", "y1", "x2", "y2"]
BOX_SIZES = range(5, 10)  # words that each thing in a cell may have: its class and numbers
SPREADS = ("confidence", "sigma", "std", "sd", "spread", "uncertainty", "standarddeviation")
LATITUDE = re.compile(r"lat(itude)?", re.I)
LONGITUDE = re.compile(r"(lon|lng)(gitude)?", re.I)
SPAN = re.compile(r"\s*([^\d\s][^\s:,]*[\s:]+)?\d+(\.\d+)?[\s:,]+\d+(\.\d+)?\s*")
SPAN_SEPARATORS = (";", "|")
# What pairs of columns of spans are called, as a part of their names: char_start and char_end.
SPAN_COLUMNS = (
    ("start", "end"),
    ("begin", "end"),
    ("start", "stop"),
    ("start", "length"),
    ("offset", "length"),
)
TEXT_SIGN = re.compile(r"""[\s.,:;!?()"'=/+№]""")
EXACT_MATCH = {"id": "ExactMatch", "metric": "ExactMatch(normalize=plain)"}
EDITS = {
    "id": "EditDistance",
    "metric": "EditDistance(unit=tokens, average=pooled, over=truth)",
}
LEAST_RUN_WORDS = 4  # numbers of a cell that hardly are run lengths by chance


def recognize_spans(truth: Preview, sample: Preview, needs: Needs) -> Guess | None:
    """Return the guess for spans of a text in a cell, such as `PER 0 4;LOC 10 16`.

    A text without spans has an empty cell.
    """
    columns = _find_answers(truth, sample)
    if columns is None or not truth.is_unique(columns.truth_key):
        return None
    cells = [*truth.cells(columns.truth_value), *sample.cells(columns.value)]
    for sign in SPAN_SEPARATORS:
        spans = [span for cell in cells for span in cell.split(sign)]
        if len(spans) > len(cells) and all(map(SPAN.fullmatch, spans)):
            cut = {"item": sign}
            guess = columns.guess("spans of texts in a cell", "item", ("SpanF1",), cells=cut)
            rules = {**guess.submission, "cells": dict(cut), "length": {"min": 0}}
            doubt = (
                f"{quoted(spans[0])} is taken for a span of a text, with where it starts and ends; "
                "of times write EventF1 or EventAP"
            )
            return guess._replace(submission=rules, doubt=doubt)
    return None


def describe_span_columns(truth: Preview) -> str:
    """Return that spans in columns are not scored, and how to write them; "" of other truths."""
    names = {fold_name(name): name for name in truth.names}
    for first, second in SPAN_COLUMNS:
        for word, start in names.items():
            end = names.get(word.replace(first, second))
            if (
                end not in (None, start)
                and _has_only_digits(truth, start)
                and _has_only_digits(truth, end)
            ):
                return (
                    f"{quoted(start)} and {quoted(end)} look like the columns of spans, which are "
                    "not scored in this form: write all spans of a text in one cell, such as "
                    "PER 12 18;LOC 30 35 (docs/find.md)"
                )
    return ""


def _has_only_digits(table: Preview, name: str) -> bool:
    """Return whether every cell of a column is a whole number, and there is one."""
    cells = table.cells(name)
    return bool(cells) and all(map(str.isdigit, cells))


def recognize_masks(truth: Preview, sample: Preview, needs: Needs) -> Guess | None:
    """Return the guess for run lengths of pixels in a cell."""
    columns = _find_answers(truth, sample)
    if columns is None:
        return None
    cells = [*truth.cells(columns.truth_value), *sample.cells(columns.value)]
    long = [cell for cell in cells if len(cell.split()) >= LEAST_RUN_WORDS]
    if len(long) < 2 or not all(map(_are_runs, cells)):
        return None
    guess = columns.guess("masks, as run lengths in a cell", "runs", ("Dice", "IoU"))
    pixels = _most_pixels(truth)
    bounds = {} if pixels is None else {"range": [1, pixels]}
    doubt = "they may be other pairs of numbers than the start and length of runs of pixels"
    return guess._replace(submission={**guess.submission, **bounds}, doubt=doubt)


def _are_runs(cell: str) -> bool:
    """Return whether a cell has the start and length of runs that neither overlap nor touch.

    >>> [_are_runs(cell) for cell in ("1 2 5 1", "-", "1 5 3 1", "1 2 3", "a 1")]
    [True, True, False, False, False]
    """
    words = [] if cell == "-" else cell.split()
    if len(words) % 2 or not all(word.isdigit() for word in words):
        return False
    numbers = list(map(int, words))
    runs = list(zip(numbers[::2], numbers[1::2], strict=True))
    return 0 not in numbers and all(
        start + length <= next_start for (start, length), (next_start, _) in pairwise(runs)
    )


def _most_pixels(truth: Preview) -> int | None:
    """Return how many pixels the largest image has, if columns have its height and width."""
    names = [
        next((n for n in truth.names if word in fold_name(n) and truth.is_numeric(n)), None)
        for word in ("height", "width")
    ]
    sides = [list(map(float, truth.cells(name))) for name in names if name is not None]
    if len(sides) < 2:
        return None
    return max(int(height * width) for height, width in zip(*sides, strict=False))


def recognize_boxes(truth: Preview, sample: Preview, needs: Needs) -> Guess | None:
    """Return the guess for boxes in a cell: a class and a score with the corners of each.

    Raises:
        UsageError: The sample has boxes or the like, and what the truth has is not known.
    """
    if "header" in sample.layout:
        return None
    sizes = {name: _words_per_box(sample.cells(name)) for name in sample.names}
    found = [(name, size) for name, size in sizes.items() if size is not None]
    if not found:
        return None
    name, size = found[0]
    columns = _find_answers(truth, sample)
    true_size = None if columns is None else _words_per_box(truth.cells(columns.truth_value))
    if columns is None or not size == true_size == len(BOX_WORDS):
        raise UsageError(
            f"the cells of {quoted(name)} have {size} words for each thing, such as boxes; what "
            "these words are, and where the truth has the same, has to be written by hand "
            "(docs/tables.md), or a metric of Kaggle's form reads both files (docs/own-metric.md)"
        )
    measures = ("BoxAP(iou=0.5)", "BoxAP")
    guess = columns.guess("boxes in a cell", "boxes", measures, each=list(BOX_WORDS))
    rules = {**guess.submission, "each": list(BOX_WORDS)}
    doubt = "the four numbers of a box may be x y w h in place of x1 y1 x2 y2"
    return guess._replace(submission=rules, doubt=doubt)


def _words_per_box(cells: Sequence[str]) -> int | None:
    """Return how many words each thing in a cell has: one of a class, and numbers; None if none.

    >>> _words_per_box(["cat 0.9 0 0 1 1", "dog 0.5 0 0 2 2 cat 1 1 1 3 3"])
    6
    """
    rows = [cell.split() for cell in cells]
    for size in BOX_SIZES:
        if not rows or any(len(row) % size for row in rows):
            continue
        boxes = [row[at : at + size] for row in rows for at in range(0, len(row), size)]
        places = [[_is_number(box[n]) for box in boxes] for n in range(size)]
        classes = [n for n, numbers in enumerate(places) if not any(numbers)]
        if not all(all(numbers) for n, numbers in enumerate(places) if n not in classes):
            continue
        has_decimals = any("." in word for box in boxes for word in box)
        if len(classes) == 1 or (not classes and has_decimals and size == len(BOX_WORDS)):
            return size
    return None


def _is_number(word: str) -> bool:
    return re.fullmatch(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?", word) is not None


def recognize_texts(truth: Preview, sample: Preview, needs: Needs) -> Guess | None:
    """Return the guess for a text for each id: most differ, and have blanks and signs.

    Or for a sequence of numbers or of the same word: some come again in a cell.
    """
    columns = _find_answers(truth, sample)
    if columns is None or fold_name(columns.value) != fold_name(columns.truth_value):
        return None
    cells = truth.cells(columns.truth_value)
    rows = [cell.split() for cell in cells]
    words = {word for row in rows for word in row if not word.isdigit()}
    if len(words) < 2:  # such as None
        if all(len(row) == len(set(row)) for row in rows):
            return None
        guess = columns.guess("sequences of words in a cell", "text", (EDITS,))
        doubt = "words are taken for a sequence, since one comes again in a cell; they may be ids"
        return guess._replace(doubt=doubt)
    with_signs = sum(TEXT_SIGN.search(cell) is not None for cell in cells)
    if 2 * len(set(cells)) <= len(cells) or 3 * with_signs < len(cells) or are_numbers(cells):
        return None
    if find_label_separator(cells) is not None or _are_ids(rows):
        return None
    measures = (EXACT_MATCH, "EditDistance")
    doubt = (
        "the answers are taken for free texts, because most of them differ; if they are classes, "
        "write label in place of text, and Accuracy as a metric"
    )
    return columns.guess("texts", "text", measures)._replace(doubt=doubt)


def _are_ids(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether every word has a digit and no dot."""
    words = [word for row in rows for word in row]
    return all(any(map(str.isdigit, word)) and "." not in word for word in words)


def recognize_several_labels(truth: Preview, sample: Preview, needs: Needs) -> Guess | None:
    """Return the guess for several labels in a cell: few, none twice in a cell, in no order."""
    columns = _find_answers(truth, sample)
    if columns is None or not truth.is_unique(columns.truth_key):
        return None
    cells = truth.cells(columns.truth_value)
    if (sign := find_label_separator(cells)) is None:
        return None
    rows = [cell.split(sign) for cell in cells]
    doubt = ""
    if all(label.strip().isdigit() for row in rows for label in row):
        numbers = [list(map(int, row)) for row in rows]
        lengths = {len(cell.split(sign)) for cell in sample.cells(columns.value)}
        if len(lengths) < 2 or any(row != sorted(row) for row in numbers):
            return None  # as many for each list, or an order: ranked ids
        doubt = "numbers in a cell are taken for labels, since they ascend; they may be ranked ids"
    description = "a table of rows with several labels each"
    return columns.guess(description, "label", (F1_MICRO, F1_MACRO), multilabel=sign)._replace(
        doubt=doubt
    )


def recognize_spread(truth: Preview, sample: Preview, needs: Needs) -> Guess | None:
    """Return the guess for a number for each id, submitted with how far it may be off."""
    if (key := find_key_columns(truth, sample)) is None:
        return None
    names = sample.names_except(key.sample)
    spreads = [name for name in names if fold_name(name) in SPREADS]
    values = [name for name in names if name not in spreads]
    if not len(spreads) == len(values) == 1 or (target := truth.find_name(values[0])) is None:
        return None
    if not truth.is_numeric(target) or not all(map(sample.is_numeric, names)):
        return None
    (spread,) = spreads
    (value,) = values
    truth_keys = {"columns": {"list": key.truth, "target": target}}
    extra = {spread: "number"}
    sample_keys = {"columns": {"list": key.sample, "prediction": value, "extra": extra}}
    likelihood = "LaplaceLogLikelihood"
    measure = {"id": likelihood, "metric": f"{likelihood}(spread={spread})"}
    doubt = f"{quoted(spread)} is taken for the standard deviation of a prediction"
    return Guess("numbers with their spread", truth_keys, sample_keys, (measure,), doubt)


def recognize_points(truth: Preview, sample: Preview, needs: Needs) -> Guess | None:
    """Return the guess for points on the globe, a latitude and a longitude, of ids or of pairs."""
    truth_keys = _find_coordinates(truth)
    sample_keys = _find_coordinates(sample)
    if sample_keys is None or truth_keys != sample_keys:
        return None
    latitude, longitude = sample_keys
    ids = [name for name in sample.names_except(*sample_keys) if name in truth.names]
    if not 1 <= len(ids) <= 2:
        return None
    keys = dict(zip(("list", "item"), ids, strict=False))
    extra = {longitude: "number"}
    answer = "rating" if len(ids) == 2 else "target"
    return Guess(
        "points on the globe",
        {"columns": {**keys, answer: latitude, "extra": extra}},
        {"columns": {**keys, "prediction": latitude, "extra": extra}},
        ({"id": "Haversine", "metric": f"Haversine(longitude={longitude})"},),
    )


def _find_coordinates(table: Preview) -> tuple[str, str] | None:
    """Return the columns of latitude and longitude."""
    numeric = [name for name in table.names if table.is_numeric(name)]
    latitude = next(filter(LATITUDE.match, numeric), None)
    longitude = next(filter(LONGITUDE.match, numeric), None)
    return None if latitude is None or longitude is None else (latitude, longitude)


def _find_answers(truth: Preview, sample: Preview) -> AnswerColumns | None:
    """Return the columns of ids and answers, if a sample has one answer for each id.

    The truth may accept several answers, in several rows.
    """
    if len(sample.names) != 2 or {"header", "json"} & {*truth.layout, *sample.layout}:
        return None
    key = find_key_columns(truth, sample)
    sample_key = sample.names[0] if key is None else key.sample
    truth_key = truth.find_name(sample_key) if key is None else key.truth
    if truth_key is None or (key is None and not sample.is_unique(sample_key)):
        return None
    (value,) = sample.names_except(sample_key)
    truth_value = truth.find_name(value)
    if truth_value is None:
        others = [name for name in truth.names_except(truth_key) if not truth.is_numeric(name)]
        truth_value = others[0] if len(others) == 1 else None
    return None if truth_value is None else AnswerColumns(truth_key, truth_value, sample_key, value)
