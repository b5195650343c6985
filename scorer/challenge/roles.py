"""The columns of each section, by their roles, and further ones that metrics know by name."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import WithJsonSchema

from scorer.challenge.types import SCALAR, Before, Name, as_text, as_written, wrong
from scorer.core.text import nearest, printable, quoted
from scorer.reading.schema import EXTRA, NUMBER

COLUMNS = {
    "list": "what is scored one by one: a query, a user",
    "item": "what a list ranks or rates",
    "text": "in place of an item a text, which no rule for ids is about: it may be empty, and "
    "blanks at its ends count",
    "grade": "how relevant the item is; without it every row has grade 1",
    "subtopic": "which aspect of the list the grade is for",
    "rating": "the true rating",
    "better": "the item that is preferred",
    "worse": "the item that the other is preferred to",
    "label": "the class; with `multilabel`, several of them",
    "target": "the true number",
    "runs": "a mask in a cell: runs of pixels, `start length start length ..`, counted from 1",
    "boxes": "the boxes, or points, of an image in a cell; `each` says what one is made of",
    "weight": "how much the row counts; default: all alike",
    "probability": "how likely the preference, or a class, is; of classes a column for each: "
    "[setosa, virginica] or {setosa: p1, virginica: p2}; a single one is the positive class's; "
    "of a truth 1 where a row is of the class, its share, or its votes",
    "rank": "place in the list, from 1",
    "score": "the number to order items by, highest first; of classes any number that is higher "
    "the likelier the positive one is, for AUROC and AveragePrecision",
    "prediction": "the predicted rating, or number",
    "low": "lower end of the prediction's interval",
    "high": "upper end of the prediction's interval",
    "value": "what another tool computed for the list; [part, whole] where a board has the sum of "
    "the parts over that of the wholes",
    "measure": "which of `values` the row has, where each is a row of its own",
    "system": "what was evaluated, where one table has several: each is a submission",
    "run": "the run of a system, such as its seed, where one table has several",
    "group": "the slice that the list belongs to; private in a truth, public in lists",
    "cluster": "what dependent lists share, such as a user or a document",
    "fold": "the fold that the row belongs to",
    "users": "how many past users know the item",
    "features": "what the item is described by: several columns",
    "extra": "further columns that metrics know by name: [phase], which are text, or "
    "{degree: number, genres: classes}",
}


ROLES = {
    "truth": (
        *("list", "item", "text", "grade", "subtopic", "rating", "better", "worse"),
        *("label", "target", "weight", "probability", "runs", "boxes", "group", "extra"),
    ),
    "lists": ("list", "group", "cluster", "extra"),
    "items": ("item", "list", "users", "features", "extra"),
    "history": ("list", "item"),
    "exclude": ("list", "item"),
    "likelihood": ("list", "better", "worse", "probability"),
    "folds": ("list", "item", "fold"),
    "submission": (
        *("list", "item", "text", "rank", "score", "prediction", "low", "high", "better", "worse"),
        *("label", "probability", "runs", "boxes", "value", "measure", "system"),
        *("run", "extra"),
    ),
}


# columns with a field of their own, since they are more than a name
FIELD_ROLES = {
    "truth": ("probability", "extra"),
    "lists": ("extra",),
    "items": ("users", "features", "extra"),
    "submission": ("probability", "value", "extra"),
}


EXTRA_KINDS = ("text", "number", "classes")  # of further columns


def _extra(value: Any) -> Any:
    """Further columns, name -> kind; those of a list are text."""
    if isinstance(value, list | tuple):
        return {as_text(name, n): "text" for n, name in enumerate(value)}
    if not isinstance(value, dict):
        return {as_text(value): "text"}
    for name, kind in value.items():
        if as_text(kind, name) not in EXTRA_KINDS:
            similar = nearest(as_text(kind), EXTRA_KINDS)
            hint = f"; did you mean {quoted(similar)}?" if similar else ""
            choices = f"{', '.join(EXTRA_KINDS[:-1])} or {EXTRA_KINDS[-1]}"
            message = f"{quoted(name)} cannot be {as_written(kind)}; it can be {choices}{hint}"
            raise wrong(message, "C106", name)
    return {name: as_text(kind) for name, kind in value.items()}


Extra = Annotated[dict[Name, str], Before(_extra)]


def extra_roles(extra: Mapping[str, str]) -> dict[str, str]:
    """The role of each further column, and what it is called."""
    return {f"{NUMBER if kind == 'number' else EXTRA}{name}]": name for name, kind in extra.items()}


def by_class(value: Any) -> Any:
    """Columns of probabilities by their classes; a single column has the class ''."""
    if isinstance(value, list):
        names = [as_text(name, n) for n, name in enumerate(value)]
        return dict(zip(names, names, strict=True))
    return value if isinstance(value, dict) else {"": as_text(value)}


def one_label(value: Any) -> Any:
    """Columns, whose labels are in one."""
    if isinstance(value, dict) and isinstance(names := value.get("label"), list):
        several = printable(", ".join(as_written(name).strip("'") for name in names), 60)
        message = (
            f"label names one column; where each class has its own, write probability: [{several}]"
        )
        raise wrong(message, "C106", "label")
    return value


def _part_of_whole(value: Any) -> Any:
    """One column, or those of a part and a whole."""
    columns = value if isinstance(value, list | tuple) else (value,)
    if len(columns) not in (1, 2):
        raise wrong("a value is one column, or two: [part, whole]")
    return columns


ValueColumns = Annotated[
    tuple[Name, ...],
    Before(_part_of_whole),
    WithJsonSchema(
        {"anyOf": [SCALAR, {"type": "array", "items": SCALAR, "minItems": 2, "maxItems": 2}]}
    ),
]


def column_schema(section: str) -> dict[str, Any]:
    """The JSON Schema of a section's columns."""
    names = {role: SCALAR | {"description": COLUMNS[role]} for role in ROLES[section]}
    if "features" in names:
        names["features"] |= {"type": "array", "items": SCALAR}
    if "extra" in names:
        kinds = {"type": "object", "additionalProperties": {"enum": [*EXTRA_KINDS]}}
        texts = {"type": "array", "items": SCALAR}
        names["extra"] = {"anyOf": [texts, kinds], "description": COLUMNS["extra"]}
    if "probability" in FIELD_ROLES.get(section, ()):
        many = ({"type": "array", "items": SCALAR}, {"type": "object"})
        names["probability"] = {"anyOf": [SCALAR, *many], "description": COLUMNS["probability"]}
    if "value" in FIELD_ROLES.get(section, ()):
        pair = {"type": "array", "items": SCALAR, "minItems": 2, "maxItems": 2}
        names["value"] = {"anyOf": [SCALAR, pair], "description": COLUMNS["value"]}
    return {"type": "object", "properties": names, "additionalProperties": False}
