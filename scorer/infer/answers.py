"""Truths of one answer for each id that is no class, number or list: columns of classes, texts, ..

Each of these is known by what all cells have in common; where that could be by chance, the guess
says of what it is not sure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from scorer.core.errors import UsageError
from scorer.core.text import quoted
from scorer.infer.base import Guess, Needs, Preview, fold_name
from scorer.infer.tables import SEPARATORS, key_columns

BOX_CELLS = ("class", "score", "x1", "y1", "x2", "y2")
SPREADS = ("confidence", "sigma", "std", "sd", "spread", "uncertainty", "standarddeviation")
SIZES = ("height", "width")
LATITUDE, LONGITUDE = re.compile(r"lat(itude)?", re.I), re.compile(r"(lon|lng)(gitude)?", re.I)
TEXTUAL = re.compile(r"""[\s.,:;!?()"'=/+№]""")
ROUNDED = 0.01  # how far the sum of a row's probabilities may be from 1
MANY = 4  # numbers of a cell that hardly are run lengths by chance


class AnswerColumns(NamedTuple):
    """The columns of ids and answers in the truth and in the sample."""

    truth_key: str
    truth_value: str
    key: str
    value: str


def columns_of_classes(truth: Preview, sample: Preview | None, needs: Needs) -> Guess | None:
    """A column for each class in both files: 0 and 1, shares or votes, and probabilities."""
    if sample is None or truth.is_trec or not needs.allow("labels"):
        return None
    if (keys := key_columns(truth, sample)) is None or "header" in truth.layout:
        return None
    names = list(sample.names_except(*keys[1:]))
    if len(names) < 2 or not set(names) <= {*truth.names}:
        return None
    if not all(look.is_numeric(name) for look in (truth, sample) for name in names):
        return None
    true, sent = (_number_rows(look, names) for look in (truth, sample))
    if not all(cell.is_integer() and cell >= 0 for row in true for cell in row):
        return None
    if not all(0 <= cell <= 1 for row in sent for cell in row):
        return None
    whole = all(abs(sum(row) - 1) < ROUNDED for row in sent)
    binary = {cell for row in true for cell in row} <= {0, 1}
    if not binary and not whole:
        return None
    columns = {"list": keys[0], "probability": names}
    submission = {"columns": {"list": keys[1], "probability": names}}
    what = f"a table of {len(names)} classes, a column for each"
    if not binary:
        what += ", with shares or votes in the truth"
        return Guess(what, {"columns": columns}, submission, ("KL", "LogLoss"))
    if whole and all(sum(row) == 1 for row in true):
        return Guess(what, {"columns": columns}, submission, ("LogLoss", "Accuracy"))
    sign = next((s for s in SEPARATORS if not any(s in name for name in names)), "|")
    truths = {"columns": columns, "multilabel": sign}
    return Guess(f"{what}, of which a row may have several", truths, submission, ("AUROC",))


def masks(truth: Preview, sample: Preview | None, needs: Needs) -> Guess | None:
    """Run lengths of pixels in a cell."""
    found = None if needs.kinds else _one_column(truth, sample)
    if found is None or sample is None:
        return None
    cells = [*truth.cells(found.truth_value), *sample.cells(found.value)]
    long = [cell for cell in cells if len(cell.split()) >= MANY]
    if len(long) < 2 or not all(map(_is_runs, cells)):
        return None
    sent: dict[str, Any] = {"columns": {"list": found.key, "runs": found.value}}
    if (pixels := _pixels(truth)) is not None:
        sent["range"] = [1, pixels]
    unsure = "they may be other pairs of numbers than the start and length of runs of pixels"
    truths = {"columns": {"list": found.truth_key, "runs": found.truth_value}}
    return Guess("masks, as run lengths in a cell", truths, sent, ("Dice", "IoU"), unsure)


def boxes(truth: Preview, sample: Preview | None, needs: Needs) -> Guess | None:
    """Boxes in a cell, a class and a score with the corners of each.

    `UsageError` where the sample has boxes, and what the truth has is not known.
    """
    if sample is None or needs.kinds or truth.is_trec or "header" in sample.layout:
        return None
    name = next((n for n in sample.names if (_box_size(sample.cells(n)) or 0) > MANY), None)
    if name is None:
        return None
    size, found = _box_size(sample.cells(name)), _one_column(truth, sample)
    if size != len(BOX_CELLS) or found is None or _box_size(truth.cells(found.truth_value)) != size:
        raise UsageError(
            f"the cells of {quoted(name)} have {size} words for each thing, such as boxes; what "
            "these words are, and where the truth has the same, has to be written by hand "
            "(docs/images.md), or a metric of Kaggle's form reads both files (docs/kaggle.md)"
        )
    each = list(BOX_CELLS)
    truths = {"columns": {"list": found.truth_key, "boxes": found.truth_value}, "each": each}
    sent = {"columns": {"list": found.key, "boxes": found.value}, "each": each}
    unsure = "the four numbers of a box may be x y w h in place of x1 y1 x2 y2"
    return Guess("boxes in a cell", truths, sent, ("BoxAP(iou=0.5)", "BoxAP"), unsure)


def texts(truth: Preview, sample: Preview | None, needs: Needs) -> Guess | None:
    """A text for each id: most differ, and they have blanks and signs, or words come again."""
    if sample is None or not needs.allow("grades") or needs.kinds == {"labels"}:
        return None
    found = _one_column(truth, sample)
    if found is None or fold_name(found.value) != fold_name(found.truth_value):
        return None
    cells = truth.cells(found.truth_value)
    roles = (("list", found.truth_key), ("text", found.truth_value))
    sections = {"columns": dict(roles)}, {"columns": {"list": found.key, "text": found.value}}
    words = [cell.split() for cell in cells]
    if len({cell for row in words for cell in row if not cell.isdigit()}) < 2:  # such as None
        again = any(len(row) > len(set(row)) for row in words)
        unsure = "words are taken for a sequence, since one comes again in a cell; they may be ids"
        measure = "EditDistance(unit=tokens, average=pooled, over=truth)"
        what = "sequences of words in a cell"
        return Guess(what, *sections, (measure,), unsure) if again else None
    signed = sum(TEXTUAL.search(cell) is not None for cell in cells)
    if (
        2 * len(set(cells)) <= len(cells)
        or 3 * signed < len(cells)
        or truth.is_numeric(roles[1][1])
    ):
        return None
    if _label_sign(cells) is not None or _are_ids(cells):
        return None
    unsure = "texts are taken for texts, since most differ; few that come again would be classes"
    measures = ("ExactMatch(normalize=plain)", "EditDistance")
    return Guess("texts", *sections, measures, unsure)


def _are_ids(cells: Sequence[str]) -> bool:
    """Whether every word of every cell has a digit and no dot: ids, and no text."""
    words = [word for cell in cells for word in cell.split()]
    return all(any(map(str.isdigit, word)) and "." not in word for word in words)


def several_labels(truth: Preview, sample: Preview | None, needs: Needs) -> Guess | None:
    """Several labels in a cell, in an order that says nothing: few, and none twice."""
    found = _one_column(truth, sample) if needs.allow("labels") else None
    if found is None or sample is None or not truth.is_unique(found.truth_key):
        return None
    cells = truth.cells(found.truth_value)
    if (sign := _label_sign(cells)) is None:
        return None
    rows = [cell.split(sign) for cell in cells]
    unsure = ""
    if all(part.strip().isdigit() for row in rows for part in row):
        counts = {len(cell.split(sign)) for cell in sample.cells(found.value)}
        if len(counts) < 2 or any(_as_integers(row) != sorted(_as_integers(row)) for row in rows):
            return None  # as many for each list, or an order: ranked ids
        unsure = "numbers in a cell are taken for labels, since they ascend; they may be ranked ids"
    truths = {"columns": {"list": found.truth_key, "label": found.truth_value}, "multilabel": sign}
    sent = {"columns": {"list": found.key, "label": found.value}}
    what = "a table of rows with several labels each"
    return Guess(what, truths, sent, ("F1(average=micro)", "F1(average=macro)"), unsure)


def spread(truth: Preview, sample: Preview | None, needs: Needs) -> Guess | None:
    """A number for each id, which a submission gives with how far it may be off."""
    if sample is None or needs.kinds or (keys := key_columns(truth, sample)) is None:
        return None
    sent = list(sample.names_except(*keys[1:]))
    spreads = [name for name in sent if fold_name(name) in SPREADS]
    values = [name for name in sent if name not in spreads]
    if not len(spreads) == len(values) == 1 or (value := truth.find_name(values[0])) is None:
        return None
    if not truth.is_numeric(value) or not all(map(sample.is_numeric, sent)):
        return None
    columns = {"list": keys[1], "prediction": values[0], "extra": {spreads[0]: "number"}}
    measure = f"LaplaceLogLikelihood(spread={spreads[0]})"
    truths = {"columns": {"list": keys[0], "target": value}}
    unsure = f"{quoted(spreads[0])} is taken for the standard deviation of a prediction"
    return Guess("numbers with their spread", truths, {"columns": columns}, (measure,), unsure)


def points(truth: Preview, sample: Preview | None, needs: Needs) -> Guess | None:
    """Points on the globe, a latitude and a longitude, for each id or for pairs of ids."""
    if sample is None or needs.kinds or truth.is_trec:
        return None
    sides = [_coordinates(look) for look in (truth, sample)]
    if None in sides or sides[0] != sides[1] or sides[0] is None:
        return None
    latitude, longitude = sides[0]
    ids = [name for name in sample.names_except(*sides[0]) if name in truth.names]
    if not 1 <= len(ids) <= 2:
        return None
    roles, extra = dict(zip(("list", "item"), ids, strict=False)), {longitude: "number"}
    answer = "rating" if len(ids) == 2 else "target"
    truths = {"columns": roles | {answer: latitude, "extra": extra}}
    sent = {"columns": roles | {"prediction": latitude, "extra": extra}}
    measure = f"Haversine(longitude={longitude})"
    return Guess("points on the globe", truths, sent, (measure,))


def _coordinates(look: Preview) -> tuple[str, str] | None:
    """The columns of latitude and longitude."""
    found = [
        next((name for name in look.names if pattern.match(name) and look.is_numeric(name)), None)
        for pattern in (LATITUDE, LONGITUDE)
    ]
    latitude, longitude = found
    return None if latitude is None or longitude is None else (latitude, longitude)


def _one_column(truth: Preview, sample: Preview | None) -> AnswerColumns | None:
    """The columns of ids and answers where a sample has one answer for each id."""
    if sample is None or truth.is_trec or {"header", "json"} & {*truth.layout, *sample.layout}:
        return None
    keys = key_columns(truth, sample)
    if keys is None:  # of one id the truth may accept several answers
        own = sample.names[0]
        key = truth.find_name(own) if sample.is_unique(own) else None
        keys = None if key is None else (key, own)
    if keys is None or len(sample.names) != 2:
        return None
    (value,) = sample.names_except(*keys[1:])
    true = truth.find_name(value)
    if true is None:
        others = [name for name in truth.names_except(*keys[:1]) if not truth.is_numeric(name)]
        true = others[0] if len(others) == 1 else None
    return None if true is None else AnswerColumns(keys[0], true, keys[1], value)


def _number_rows(look: Preview, names: Sequence[str]) -> list[list[float]]:
    """The numbers of some columns, row by row."""
    return [list(map(float, row)) for row in zip(*map(look.cells, names), strict=False)]


def _as_integers(parts: Sequence[str]) -> list[int]:
    return [int(part) for part in parts]


def _is_runs(cell: str) -> bool:
    """Whether a cell has the start and length of runs that neither overlap nor touch.

    >>> [_is_runs(cell) for cell in ("1 2 5 1", "-", "1 5 3 1", "1 2 3", "a 1")]
    [True, True, False, False, False]
    """
    words = [] if cell == "-" else cell.split()
    if len(words) % 2 or not all(word.isdigit() for word in words):
        return False
    starts, lengths = _as_integers(words[::2]), _as_integers(words[1::2])
    if 0 in (*starts, *lengths):
        return False
    return all(a + n <= b for (a, b), n in zip(pairwise(starts), lengths, strict=False))


def _pixels(truth: Preview) -> int | None:
    """How many pixels the largest image has, where columns say it."""
    sizes = [
        next(
            (name for name in truth.names if size in fold_name(name) and truth.is_numeric(name)),
            None,
        )
        for size in SIZES
    ]
    rows = [truth.cells(name) for name in sizes if name is not None]
    if len(rows) < len(SIZES):
        return None
    return max(int(float(height) * float(width)) for height, width in zip(*rows, strict=False))


def _box_size(cells: Sequence[str]) -> int | None:
    """How many words each thing in a cell has: one of a class, and numbers; None if it varies.

    >>> _box_size(["cat 0.9 0 0 1 1", "dog 0.5 0 0 2 2 cat 1 1 1 3 3"]), _box_size(["a b", "c"])
    (6, None)
    """
    rows = [cell.split() for cell in cells]
    counts = {len(row) for row in rows}
    if not rows or max(counts) < 5:
        return None
    for size in range(5, 10):
        if any(count % size for count in counts):
            continue
        parts = [row[at : at + size] for row in rows for at in range(0, len(row), size)]
        numbers = [[_is_number(part[n]) for part in parts] for n in range(size)]
        words = [n for n in range(size) if not any(numbers[n])]
        decimals = any("." in word for part in parts for word in part)
        if all(all(column) for n, column in enumerate(numbers) if n not in words) and (
            len(words) == 1 or (not words and decimals and size == len(BOX_CELLS))
        ):
            return size
    return None


def _is_number(word: str) -> bool:
    return re.fullmatch(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?", word) is not None


def _label_sign(cells: Sequence[str]) -> str | None:
    """What parts labels in a cell: few labels that come again in other cells, none twice in one."""
    for sign in SEPARATORS:
        rows = [[part.strip() for part in cell.split(sign)] for cell in cells]
        labels = {part for row in rows for part in row}
        several = sum(len(row) > 1 for row in rows)
        fit = all(len(row) == len(set(row)) and all(row) for row in rows)
        if (
            fit
            and several > 1
            and 2 * len(labels) <= sum(map(len, rows))
            and len(labels) <= len({*cells})
        ):
            return sign
    return None
