"""A kit's sample submission, drawn at random from the public part of a challenge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

from scorer.challenge.public import Public
from scorer.challenge.roles import extra_roles
from scorer.challenge.submission import Length, Submission
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
BOX = {  # part of a box -> its value
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
    """Return a valid submission made without the truth, the same for the same challenge.

    None if its columns are not declared, or no id or text of the required form can be made.
    """
    rules = bound.challenge.submission
    if bound.kind.name == "frames":  # Only a metric's own code knows which columns it reads.
        return None
    rows = list(_draw_rows(bound, public, Random(bound.challenge.leaderboard.seed)))
    if rules.item_pattern is not None and not rows:
        return None
    if rules.has_texts:
        text = next(iter(TextPattern(rules.text_pattern or ".*").filter(TEXTS)), None)
        if text is None:
            return None
        rows = [{"list": name, "text": text} for name in public.lists]
    # The schema also has the columns that other keys than `columns` name, such as `values`.
    is_table = bound.kind.sample is not None or bound.kind.name == "labels"
    columns: Mapping[str, str] = bound.shapes[0].columns if is_table else rules.columns
    if rules.extra:
        extra_columns = extra_roles(rules.extra)
        rows = [row | dict.fromkeys(extra_columns, 1) for row in rows]  # 1 is a text and a number
        columns = {**columns, **extra_columns}
    format_name = _format_name(rules)
    suffix = next(iter(SUFFIXES[format_name]), f".{format_name}")
    if rules.parts:
        suffix = ".zip"
    elif rules.separator == "tab":
        suffix = ".tsv"
    layout = bound.challenge.layout(rules)
    key_files = {"lines": layout.lines, "candidates": layout.candidates}
    keys = {name: read_row_keys(file) for name, file in key_files.items() if file is not None}
    data = write_sample(rows, columns, layout, load_format(format_name).write, keys)
    return Sample(f"sample_submission{suffix}", data, rows)


def _format_name(rules: Submission) -> str:
    return rules.format or ("json" if rules.document else "csv")


def _draw_rows(bound: BoundChallenge, public: Public, rng: Random) -> Iterator[Row]:
    """Yield the rows of a submission by the challenge's kind."""
    rules = bound.challenge.submission
    kind = bound.kind.name
    if bound.kind.sample is not None:
        yield from bound.kind.sample(rules, public, rng)
    elif kind == "labels":
        yield from _draw_answers(bound, public, rng)
    elif kind in ("masks", "boxes"):
        cell = {"runs": "1 3"} if kind == "masks" else {"boxes": _box(public, rules.each or ())}
        yield from ({"list": name, **cell} for name in sorted(public.lists))
    elif kind == "ratings":
        for name, candidates in sorted((public.candidates or {}).items()):
            for item in sorted(candidates):
                yield {"list": name, "item": item, "prediction": _draw_number(rules, rng)}
    elif kind == "preferences" and _asks_for_pairs(rules):
        for name, items in _draw_orders(bound, public, rng):
            for better, worse in pairwise(items):
                yield {"list": name, "better": better, "worse": worse}
    else:
        roles = {*rules.columns, *rules.cells, *rules.document, *rules.header}
        by_score = "score" in roles and "rank" not in roles
        for name, items in _draw_orders(bound, public, rng):
            for rank, item in enumerate(items, start=1):
                order = {"score": len(items) - rank + 1} if by_score else {"rank": rank}
                yield {"list": name, "item": item, **order}


def _asks_for_pairs(rules: Submission) -> bool:
    """Return whether a submission of preferences has pairs rather than ranked items."""
    ranked = "item" in rules.columns and "better" not in rules.columns
    return _format_name(rules) not in ("lists", "trec") and not ranked


def _draw_number(rules: Submission, rng: Random) -> float:
    """Return a number within the range of the challenge, by default 0 to 1."""
    low, high = rules.range or (0.0, 1.0)
    # Rounding to thousandths may step outside a narrow range.
    return min(max(round(rng.uniform(low, high), 3), low), high)


def _box(public: Public, parts: Sequence[str]) -> str:
    """Return a box, with its parts in the order of the challenge."""
    classes = [name for column in public.class_columns for name in column.classes]
    values = {"class": next(iter(classes), "thing"), **BOX}
    return " ".join(values[part] for part in parts)


def _draw_answers(bound: BoundChallenge, public: Public, rng: Random) -> Iterator[Row]:
    """Yield a class, its probabilities or a number for each row of a table."""
    rules = bound.challenge.submission
    others = {"list", *extra_roles(rules.extra)}
    roles = [role for role in bound.shapes[0].required if role not in others]
    for name in public.lists:
        if roles == ["label"]:
            label: object = rng.choice(public.classes)
            if public.groups.get(name) in public.numbers:  # groups whose label is a number
                label = _draw_number(rules, rng)
            yield {"list": name, "label": label}
        elif roles in (["prediction"], ["score"]):
            yield {"list": name, roles[0]: _draw_number(rules, rng)}
        else:
            # Probabilities of all classes sum to 1; a single one may be any.
            cuts = sorted(rng.randint(0, 1000) for _ in roles[1:])
            ends = [0, *cuts, 1000 if len(roles) > 1 else rng.randint(0, 1000)]
            shares = [(high - low) / 1000 for low, high in pairwise(ends)]
            yield {"list": name, **dict(zip(roles, shares, strict=True))}


def _draw_orders(
    bound: BoundChallenge, public: Public, rng: Random
) -> Iterator[tuple[str, list[str]]]:
    """Yield each list with items in a random order, as many as are allowed, or else DEPTH."""
    rules = bound.challenge.submission
    length = rules.length or Length()
    depth = length.max or max(length.min or 0, DEPTH)
    items = list(public.items or example_ids(rules.item_pattern, depth))
    # A cell with one value for each candidate needs all, and so do preferences without a length.
    is_vector = bound.challenge.layout(rules).is_vector
    ranks_all = public.kind == "preferences" and rules.length is None
    needs_all = is_vector or public.complete or ranks_all
    for name in public.lists:
        if public.candidates is not None:
            items = sorted(public.candidates.get(name, ()))
        if items:
            count = len(items) if needs_all else min(depth, len(items))
            yield name, rng.sample(items, count)
