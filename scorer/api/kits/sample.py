"""A kit's sample submission, drawn at random from what is public."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from scorer.challenge.public import Public
from scorer.challenge.roles import extra_roles
from scorer.core.ids import TextPattern, example_ids
from scorer.reading.formats import SUFFIXES, load_format
from scorer.reading.read import read_row_keys
from scorer.reading.samples import write_sample
from scorer.scoring.bind import BoundChallenge

# of which one fits most patterns
TEXTS = (
    "a text",
    "text",
    "TEXT",
    "a",
    "A",
    "1",
    "1 2",
    "1 2 3",
    "1 2 3 4",
    "0.5",
    "1,2",
    "1.5 2.5",
    "",
)
DEPTH = 10  # items of a sample's list where any number is allowed
Rows = list[dict[str, Any]]


def sample(prepared: BoundChallenge, public: Public) -> tuple[str, bytes] | None:
    """A valid submission that knows nothing of the truth: drawn at random from what is public.

    None of files whose columns nobody declares.
    """
    rules, kind = prepared.challenge.submission, prepared.kind.name
    if kind == "frames":
        return None
    form = rules.format or ("json" if rules.document else "csv")
    chance = random.Random(prepared.challenge.leaderboard.seed)
    rows: Rows = []
    called: Mapping[str, str] = rules.columns
    if prepared.kind.sample is not None:
        rows = list(prepared.kind.sample(rules, public, chance))
        called = prepared.shapes[0].columns
    elif kind == "labels":
        rows, called = _guesses(prepared, public, chance), prepared.shapes[0].columns
    elif kind in ("masks", "boxes"):
        mask = {"runs": "1 3"}
        cell = mask if kind == "masks" else {"boxes": _box(rules.each or (), public)}
        rows = [{"list": name, **cell} for name in sorted(public.lists)]
    elif kind == "ratings":
        low, high = rules.range or (0.0, 1.0)
        for name, items in sorted((public.candidates or {}).items()):
            for item in sorted(items):
                guess = min(max(round(chance.uniform(low, high), 3), low), high)
                rows.append({"list": name, "item": item, "prediction": guess})
    elif kind == "preferences" and form not in ("lists", "trec") and not _ranks(rules.columns):
        rows = [
            {"list": name, "better": better, "worse": worse}
            for name, items in _choice(prepared, public, chance)
            for better, worse in pairwise(items)
        ]
    else:
        named = {*rules.columns, *rules.cells, *rules.document, *rules.header}
        key = "score" if {"score"} == {"score", "rank"} & named else "rank"
        rows = [
            {"list": name, "item": item, key: n if key == "rank" else len(items) - n + 1}
            for name, items in _choice(prepared, public, chance)
            for n, item in enumerate(items, start=1)
        ]
    if rules.item_pattern is not None and not rows:  # no id of that form could be made
        return None
    if rules.texts:
        text = _fitting(rules.text_pattern)
        if text is None:
            return None
        rows = [{"list": name, "text": text} for name in public.lists]
    if rules.extra:
        further = extra_roles(rules.extra)
        rows = [row | dict.fromkeys(further, 1) for row in rows]
        called = {**called, **further}
    format = load_format(form)
    suffix = next(iter(SUFFIXES[form]), f".{form}")
    suffix = ".zip" if rules.parts else ".tsv" if rules.separator == "tab" else suffix
    written = prepared.challenge.layout(rules)
    keyed = {"lines": written.lines, "candidates": written.candidates}
    tables = {name: read_row_keys(keys) for name, keys in keyed.items() if keys is not None}
    return f"sample_submission{suffix}", write_sample(rows, called, written, format.write, tables)


def _box(each: tuple[str, ...], public: Public) -> str:
    """A box in the parts that the challenge says."""
    classes = [name for column in public.class_columns for name in column.classes]
    words = {"class": next(iter(classes), "thing"), "score": "0.5"}
    corners = {"x1": "1", "y1": "1", "x2": "9", "y2": "9", "x": "1", "y": "1", "w": "8", "h": "8"}
    return " ".join((words | corners)[part] for part in each)


def _guesses(prepared: BoundChallenge, public: Public, chance: random.Random) -> Rows:
    """A class, its probabilities or a number for each row, by lot."""
    further = {"list", *extra_roles(prepared.challenge.submission.extra)}
    roles = [role for role in prepared.shapes[0].required if role not in further]
    low, high = prepared.challenge.submission.range or (0.0, 1.0)
    rows: Rows = []
    for name in public.lists:
        row: dict[str, Any] = {"list": name}
        if roles == ["label"]:
            row["label"] = chance.choice(public.classes)
            if public.groups.get(name) in public.numbers:
                row["label"] = min(max(round(chance.uniform(low, high), 3), low), high)
        elif roles in (["prediction"], ["score"]):
            row[roles[0]] = min(max(round(chance.uniform(low, high), 3), low), high)
        else:
            # thousandths that sum to a thousand
            cuts = sorted(chance.randint(0, 1000) for _ in roles[1:])
            ends = [0, *cuts, 1000 if len(roles) > 1 else chance.randint(0, 1000)]
            row |= {r: (b - a) / 1000 for r, a, b in zip(roles, ends, ends[1:], strict=False)}
        rows.append(row)
    return rows


def _ranks(columns: Mapping[str, str]) -> bool:
    return "item" in columns and "better" not in columns


def _fitting(pattern: str | None) -> str | None:
    """A text that fits a pattern, if any of a few does."""
    return next(iter(TextPattern(pattern or ".*").filter(TEXTS)), None)


def _choice(
    prepared: BoundChallenge, public: Public, chance: random.Random
) -> Iterator[tuple[str, list[str]]]:
    """For each list as many items as it may have, in an order by lot."""
    length = prepared.challenge.submission.length
    depth = (length.max or max(length.min or 0, DEPTH)) if length else DEPTH
    pattern = prepared.challenge.submission.item_pattern
    everything = list(public.items or example_ids(pattern, depth))
    for name in public.lists:
        items = everything
        if public.candidates is not None:
            items = sorted(public.candidates.get(name, ()))
        if items:
            # of preferences all items, since each must be placed
            vector = prepared.challenge.layout(prepared.challenge.submission).is_vector
            every = vector or public.complete or (public.kind == "preferences" and not length)
            most = len(items) if every else depth
            yield name, chance.sample(items, min(most, len(items)))
