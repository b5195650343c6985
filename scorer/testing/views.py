"""What metrics look at, made from a few lists as they would be written by hand.

Lists are called 0, 1, 2, and so on.

>>> judged_view((["b", "x", "a"], {"a": 2, "b": 1})).hits.grade
array([1., 2.])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import polars as pl

from scorer.core.arrays import Floats
from scorer.views.columns import Column, Extras, NamedColumns
from scorer.views.diverse import Diverse, Subtopics
from scorer.views.images import (
    CLASS,
    CORNERS,
    SCORE,
    Boxes,
    BoxTable,
    MaskRuns,
    Masks,
    boxes_of,
    runs_of,
)
from scorer.views.preferences import (
    PairLayout,
    Positions,
    PositionTable,
    Preferred,
    StatedPairs,
    TruePreferences,
)
from scorer.views.ranked import Hits, Judged, Ties
from scorer.views.recommendations import Catalogue, Returned, Scored
from scorer.views.rows import Labelled, Targets
from scorer.views.texts import Texts

Grades = Mapping[str, float]  # item -> its grade
Columns = Mapping[str, Sequence[Any]]  # name of a further column -> its cells


def judged_view(
    *lists: tuple[Sequence[str | Sequence[str]], Grades], ties: Ties = "item-desc"
) -> Judged:
    """Return the view of returned items, and the grades of the truth, of each list.

    An inner sequence holds items of equal score; `ties` is item-desc, expected or mean-rank.

    >>> judged_view((["b", ["a", "c"]], {"a": 2, "c": 1})).hits.rank     # c before a
    array([2, 3])
    """
    # A row of `hits` and `ideal` holds the first six fields of `Hits`.
    hits, ideal, returned = [], [], []
    for n, (groups, truth) in enumerate(lists):
        best_first = _best_first(truth)
        places = {item: place for place, item in enumerate(best_first, start=1)}
        ideal += [(n, places[x], truth[x], places[x], places[x] - 1, 1) for x in best_first]
        above = 0
        for group in groups:
            tied = sorted([group] if isinstance(group, str) else group, reverse=True)
            hits += [
                (n, rank, truth[item], places[item], above, len(tied))
                for rank, item in enumerate(tied, start=above + 1)
                if item in truth
            ]
            above += len(tied)
        returned.append(above)
    return Judged(
        _make_hits(hits, len(lists), ties),
        _make_hits(ideal, len(lists), "item-desc"),
        np.array(returned, dtype=np.int64),
        _names(len(lists)),
    )


def diverse_view(*lists: tuple[Sequence[str], Mapping[str, Grades]]) -> Diverse:
    """Return the view of returned items, and of `{item: {subtopic: grade}}`, of each list."""
    judged = judged_view(
        *((items, {x: max(g.values()) for x, g in truth.items()}) for items, truth in lists)
    )
    subtopics = sorted({s for _, truth in lists for grades in truth.values() for s in grades})
    places = {name: n for n, name in enumerate(subtopics)}
    ordered = [
        (item, grades)
        for _, truth in lists
        for item, grades in sorted(truth.items(), key=lambda pair: -max(pair[1].values()))
    ]
    names = sorted({item for item, _ in ordered})
    by_item = Subtopics(
        np.array([len(grades) for _, grades in ordered], dtype=np.int64),
        np.array([places[s] for _, grades in ordered for s in grades], dtype=np.int64),
        np.array([g for _, grades in ordered for g in grades.values()], dtype=np.float64),
        np.array([names.index(item) for item, _ in ordered], dtype=np.int64),
    )
    return Diverse(judged, by_item)


def returned_view(
    *lists: tuple[Sequence[str], Grades],
    users: Mapping[str, float] | None = None,
    features: Mapping[str, Sequence[float]] | None = None,
    history: Sequence[Sequence[str]] = (),
) -> Returned:
    """Return the view of all returned items, and the grades of the truth, of each list.

    Args:
        lists: The returned items and `{item: grade}` of each list.
        users: The number of past users of each item.
        features: The features of each item. The catalogue has the items of users and features.
        history: The items that each list has known, all of the catalogue.
    """
    users, features = users or {}, features or {}
    names = pl.Series(sorted({*users, *features}), dtype=pl.String)
    width = max(map(len, features.values()), default=0)
    table = np.array([features.get(name, [0.0] * width) for name in names], np.float64)
    counts = np.array([users.get(name, 0.0) for name in names], np.float64)
    catalogue = Catalogue(names, counts, table.reshape(len(names), width))
    sizes = [len(items) for items, _ in lists]
    rows = [(item, truth.get(item, np.nan)) for items, truth in lists for item in items]
    known = [item for items in history for item in items]
    return Returned(
        in_list=np.repeat(np.arange(len(lists)), sizes),
        rank=np.array([rank for size in sizes for rank in range(1, size + 1)], dtype=np.int64),
        item=catalogue.codes(pl.Series([item for item, _ in rows], dtype=pl.String)),
        grade=np.array([grade for _, grade in rows], dtype=np.float64),
        score=np.full(len(rows), np.nan),
        catalogue=catalogue,
        past_list=np.repeat(np.arange(len(history)), [len(items) for items in history]),
        past_item=catalogue.codes(pl.Series(known, dtype=pl.String)),
        names=_names(len(lists)),
    )


def scored_view(
    *lists: tuple[Mapping[str, float], Grades],
    item: Mapping[str, Mapping[str, Any]] | None = None,
) -> Scored:
    """Return the view of `{item: score}`, and of `{item: grade}`, of each list.

    `item` has further columns of items: column -> item -> number, numbers, or text.
    """

    def columns_of(items: Sequence[str]) -> Extras:
        columns = {
            name: _make_column([*cells.values()])[[[*cells].index(x) for x in items]]
            for name, cells in (item or {}).items()
        }
        return Extras(item=NamedColumns(columns, "item"))

    pairs = [(_best_first(scores), truth) for scores, truth in lists]
    returned, judged = returned_view(*pairs), judged_view(*pairs)
    shared = {field.name: getattr(returned, field.name) for field in fields(Returned)}
    rows = [(x, scores[x]) for scores, _ in lists for x in _best_first(scores)]
    shared["score"] = np.array([score for _, score in rows], dtype=np.float64)
    shared["extras"] = columns_of([x for x, _ in rows])
    ideal = [x for _, truth in lists for x in _best_first(truth)]
    return Scored(**shared, judged=replace(judged, extras=columns_of(ideal)))


def texts_view(*lists: tuple[str | Mapping[str, float] | None, Sequence[str]]) -> Texts:
    """Return the view of each list's returned texts, and of the texts that the truth accepts.

    Returned is a text, or text -> score, the first at rank 1; None is no answer.
    """
    scores = [{sent: np.nan} if isinstance(sent, str) else sent or {} for sent, _ in lists]
    texts = [text for sent in scores for text in sent]
    accepted = [list(dict.fromkeys(texts)) for _, texts in lists]
    truth_text = [text for texts in accepted for text in texts]
    numbers = np.arange(len(lists))
    return Texts(
        names=_names(len(lists)),
        in_list=np.repeat(numbers, list(map(len, scores))),
        rank=np.array([n for sent in scores for n, _ in enumerate(sent, start=1)], np.int64),
        text=texts,
        score=np.array([score for sent in scores for score in sent.values()], np.float64),
        truth_list=np.repeat(numbers, list(map(len, accepted))),
        truth_text=truth_text,
        grade=np.ones(len(truth_text)),
    )


def labelled_view(
    truth: Sequence[str],
    label: Sequence[str] | Mapping[str, Sequence[float]],
    weight: Floats | None = None,
    **columns: Columns,
) -> Labelled:
    """Return the view of the rows of a table: true classes, and predicted ones or probabilities.

    `columns` are further ones, by section: `submission={"delay": [1, 2]}`.

    >>> labelled_view(["a", "b"], ["a", "a"]).truth
    array([0, 1])
    """
    label_code, probability = None, None
    if isinstance(label, Mapping):
        classes = tuple(sorted(label))
        probability = np.array([label[name] for name in classes], dtype=np.float64).T
    else:
        classes = tuple(sorted({*truth, *label}))
        label_code = np.array([classes.index(name) for name in label], dtype=np.int64)
    return Labelled(
        _names(len(truth)),
        np.ones(len(truth), dtype=bool),
        weight,
        classes,
        np.array([classes.index(name) for name in truth], dtype=np.int64),
        label_code,
        probability,
        extras=further_columns(**columns),
    )


def ratings_view(*lists: tuple[Sequence[float], Sequence[float]], **columns: Columns) -> Targets:
    """Return the view of true ratings and predicted ones of each list.

    `columns` are further ones, by section: `submission={"low": [2, 1]}`.
    """
    return Targets(
        _names(len(lists)),
        np.ones(len(lists), dtype=bool),
        None,
        np.array([number for true, _ in lists for number in true], dtype=np.float64),
        np.array([number for _, sent in lists for number in sent], dtype=np.float64),
        rated_list=np.repeat(np.arange(len(lists)), [len(true) for true, _ in lists]),
        extras=further_columns(**columns),
    )


def targets_view(
    target: Sequence[float],
    prediction: Sequence[float],
    weight: Floats | None = None,
    **columns: Columns,
) -> Targets:
    """Return the view of the rows of a table: true numbers and predicted ones.

    `columns` are further ones, by section: `submission={"spread": [1, 2]}`.
    """
    lists = (([true], [number]) for true, number in zip(target, prediction, strict=True))
    return replace(ratings_view(*lists, **columns), weight=weight, rated_list=None)


def preferred_view(*lists: tuple[str, str]) -> Preferred:
    """Return the view of the preferences of truth and submission, as `"A>B B>C"`, of each list."""
    in_list: list[int] = []
    lines: list[list[tuple[int, int]]] = [[], []]
    for n, texts in enumerate(lists):
        pairs = [[word.split(">") for word in text.split()] for text in texts]
        items = sorted({item for pair in pairs[0] for item in pair})
        row = {item: len(in_list) + place for place, item in enumerate(items)}
        in_list += [n] * len(items)
        for side, stated in zip(lines, pairs, strict=True):
            side += [(row[a], row[b]) for a, b in stated if a in row and b in row]
    layout = PairLayout.of(np.array(in_list, np.int64), _names(len(lists)))
    truth, submission = (StatedPairs(*np.array(s, np.int64).reshape(-1, 2).T) for s in lines)
    return Preferred(TruePreferences.of(layout, truth), submission)


def position_table(truth: Grades, *submissions: Sequence[str]) -> PositionTable:
    """Return the positions of one list, by its truth and the items that submissions return."""
    views = (judged_view((items, truth)) for items in submissions)
    return PositionTable.of([Positions.of(view) for view in views])


def boxes_view(
    *lists: tuple[str, str],
    parts: Sequence[str] = (CLASS, SCORE, *CORNERS),
    true_parts: Sequence[str] = (),
) -> Boxes:
    """Return the view of the submitted and the true cell of each list.

    `parts` are a submitted box's; `true_parts` are by default the same without score.
    """
    true_parts = true_parts or tuple(part for part in parts if part != SCORE)
    submitted = [boxes_of(cell, parts) for cell, _ in lists]
    true = [boxes_of(cell, true_parts) for _, cell in lists]
    classes = tuple(sorted({box.name for cell in true for box in cell}))
    return Boxes(
        _names(len(lists)),
        classes,
        BoxTable.of(true, classes),
        BoxTable.of(submitted, classes),
    )


def masks_view(*lists: tuple[str, str]) -> Masks:
    """Return the view of the submitted and the true cell of each list."""
    submitted, true = (MaskRuns.of([runs_of(pair[n]) for pair in lists]) for n in (0, 1))
    return Masks(_names(len(lists)), true, submitted)


def further_columns(**sections: Columns) -> Extras:
    """Return the further columns of some sections.

    >>> further_columns(submission={"low": [2, 1]}).submission
    {'low': array([2., 1.])}
    """
    columns_by_section = {}
    for section, columns in sections.items():
        arrays = {name: _make_column(cells) for name, cells in columns.items()}
        columns_by_section[section] = NamedColumns(arrays, section)
    return Extras(**columns_by_section)


def _make_hits(rows: Sequence[tuple[float, ...]], lists: int, ties: Ties) -> Hits:
    """Return the hits whose first six fields are given, one row a hit."""
    columns = np.array(rows, dtype=np.float64).reshape(-1, 6).T
    in_list, rank, place, tie_start, tied = columns[[0, 1, 3, 4, 5]].astype(np.int64)
    grade, spread, middle = columns[2], ties == "expected", ties == "mean-rank"
    return Hits(in_list, rank, grade, place, tie_start, tied, lists, spread, middle)


def _make_column(cells: Sequence[Any]) -> Column:
    """Return texts, numbers, or rows of numbers as an array."""
    return np.array(cells, object if any(isinstance(cell, str) for cell in cells) else np.float64)


def _best_first(values: Mapping[str, float]) -> list[str]:
    """Return the items in the order of their values, the highest first."""
    return sorted(values, key=values.__getitem__, reverse=True)


def _names(lists: int) -> tuple[str, ...]:
    """Return the names of so many lists."""
    return tuple(map(str, range(lists)))
