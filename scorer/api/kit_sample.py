"""A kit's sample submission, drawn at random from what is public."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

from scorer.challenge.public import Public
from scorer.challenge.roles import extra_roles
from scorer.challenge.submission import Submission
from scorer.core.ids import TextPattern, example_ids
from scorer.reading.formats import SUFFIXES, load_format
from scorer.reading.read import read_row_keys
from scorer.reading.samples import write_sample
from scorer.scoring.bind import BoundChallenge

# Most patterns of texts fit one of these.
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
BOX = {
    "x1": "1",
    "y1": "1",
    "x2": "9",
    "y2": "9",
    "x": "1",
    "y": "1",
    "w": "8",
    "h": "8",
    "score": "0.5",
}
Row = dict[str, Any]  # role -> cell


class Sample(NamedTuple):
    """A sample submission: the name of its file, its bytes, and the rows that it was made of."""

    name: str
    data: bytes
    rows: Sequence[Row]


def write_sample_submission(bound: BoundChallenge, public: Public) -> Sample | None:
    """Return a valid submission that knows nothing of the truth, the same for the same challenge.

    None if its columns are not declared, or no id or text of the required form can be made.
    """
    rules = bound.challenge.submission
    if bound.kind.name == "frames":
        return None
    rows = list(_draw_rows(bound, public, Random(bound.challenge.leaderboard.seed)))
    if rules.item_pattern is not None and not rows:
        return None
    if rules.texts:
        text = next(iter(TextPattern(rules.text_pattern or ".*").filter(TEXTS)), None)
        if text is None:
            return None
        rows = [{"list": name, "text": text} for name in public.lists]
    is_table = bound.kind.sample is not None or bound.kind.name == "labels"
    columns: Mapping[str, str] = bound.shapes[0].columns if is_table else rules.columns
    if rules.extra:
        further = extra_roles(rules.extra)
        rows = [row | dict.fromkeys(further, 1) for row in rows]
        columns = {**columns, **further}
    form = _format_name(rules)
    suffix = next(iter(SUFFIXES[form]), f".{form}")
    if rules.parts:
        suffix = ".zip"
    elif rules.separator == "tab":
        suffix = ".tsv"
    layout = bound.challenge.layout(rules)
    keys = {"lines": layout.lines, "candidates": layout.candidates}
    tables = {name: read_row_keys(key) for name, key in keys.items() if key is not None}
    data = write_sample(rows, columns, layout, load_format(form).write, tables)
    return Sample(f"sample_submission{suffix}", data, rows)


def _format_name(rules: Submission) -> str:
    return rules.format or ("json" if rules.document else "csv")


def _draw_rows(bound: BoundChallenge, public: Public, chance: Random) -> Iterator[Row]:
    """Yield the rows of a submission by the challenge's kind."""
    rules = bound.challenge.submission
    kind = bound.kind.name
    if bound.kind.sample is not None:
        yield from bound.kind.sample(rules, public, chance)
    elif kind == "labels":
        yield from _draw_answers(bound, public, chance)
    elif kind in ("masks", "boxes"):
        cell = {"runs": "1 3"} if kind == "masks" else {"boxes": _box(rules.each or (), public)}
        yield from ({"list": name, **cell} for name in sorted(public.lists))
    elif kind == "ratings":
        for name, candidates in sorted((public.candidates or {}).items()):
            for item in sorted(candidates):
                yield {"list": name, "item": item, "prediction": _draw_number(rules, chance)}
    elif kind == "preferences" and _asks_for_pairs(rules):
        for name, items in _draw_orders(bound, public, chance):
            for better, worse in pairwise(items):
                yield {"list": name, "better": better, "worse": worse}
    else:
        named = {*rules.columns, *rules.cells, *rules.document, *rules.header}
        by_score = "score" in named and "rank" not in named
        for name, items in _draw_orders(bound, public, chance):
            for rank, item in enumerate(items, start=1):
                order = {"score": len(items) - rank + 1} if by_score else {"rank": rank}
                yield {"list": name, "item": item, **order}


def _asks_for_pairs(rules: Submission) -> bool:
    """Return whether a submission of preferences has pairs, no ranked items."""
    ranked = "item" in rules.columns and "better" not in rules.columns
    return _format_name(rules) not in ("lists", "trec") and not ranked


def _draw_number(rules: Submission, chance: Random) -> float:
    """Return a number within the range of the challenge, rounded to thousandths if it may be."""
    low, high = rules.range or (0.0, 1.0)
    return min(max(round(chance.uniform(low, high), 3), low), high)


def _box(each: Sequence[str], public: Public) -> str:
    """Return a box made of the parts that the challenge says."""
    classes = [name for column in public.class_columns for name in column.classes]
    parts = {"class": next(iter(classes), "thing"), **BOX}
    return " ".join(parts[part] for part in each)


def _draw_answers(bound: BoundChallenge, public: Public, chance: Random) -> Iterator[Row]:
    """Yield a class, its probabilities or a number for each row of a table."""
    rules = bound.challenge.submission
    others = {"list", *extra_roles(rules.extra)}
    roles = [role for role in bound.shapes[0].required if role not in others]
    for name in public.lists:
        if roles == ["label"]:
            label: object = chance.choice(public.classes)
            if public.groups.get(name) in public.numbers:
                label = _draw_number(rules, chance)
            yield {"list": name, "label": label}
        elif roles in (["prediction"], ["score"]):
            yield {"list": name, roles[0]: _draw_number(rules, chance)}
        else:
            # Thousandths that sum to a thousand; a single probability may be any.
            cuts = sorted(chance.randint(0, 1000) for _ in roles[1:])
            ends = [0, *cuts, 1000 if len(roles) > 1 else chance.randint(0, 1000)]
            shares = [(high - low) / 1000 for low, high in pairwise(ends)]
            yield {"list": name, **dict(zip(roles, shares, strict=True))}


def _draw_orders(
    bound: BoundChallenge, public: Public, chance: Random
) -> Iterator[tuple[str, list[str]]]:
    """Yield each list with as many items as it may have, in a random order."""
    rules = bound.challenge.submission
    length = rules.length
    depth = (length.max or max(length.min or 0, DEPTH)) if length else DEPTH
    items = list(public.items or example_ids(rules.item_pattern, depth))
    is_vector = bound.challenge.layout(rules).is_vector
    # Of preferences all items are needed, since each must be placed.
    needs_all = is_vector or public.complete or (public.kind == "preferences" and not length)
    for name in public.lists:
        if public.candidates is not None:
            items = sorted(public.candidates.get(name, ()))
        if items:
            most = len(items) if needs_all else min(depth, len(items))
            yield name, chance.sample(items, most)
