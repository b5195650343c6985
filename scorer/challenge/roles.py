"""The columns of each section, by their roles, and further ones that metrics know by name."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator

from scorer.challenge.types import Name, Names, as_tuple, field_error, quote_value
from scorer.core.text import printable
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
SPECIAL_ROLES = frozenset().union(*FIELD_ROLES.values())


def _check_texts(values: Any) -> Any:
    for n, value in enumerate(values):
        if not isinstance(value, str):
            raise field_error(f"{quote_value(value)} is not a text", "C106", n)
    return values


def _by_name(value: Any) -> Any:
    """Return the kinds of further columns by their names; names in a list mean text columns."""
    return (
        value if isinstance(value, dict) else dict.fromkeys(_check_texts(as_tuple(value)), "text")
    )


def _by_class(value: Any) -> Any:
    """Return columns of probabilities by their classes; a single column has the class ''."""
    if isinstance(value, list | tuple):
        return {name: name for name in _check_texts(value)}
    return value if isinstance(value, dict) else {"": value}


def _check_part(columns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the column of a value, or the columns of its part and its whole."""
    if len(columns) not in (1, 2):
        raise field_error("a value is one column, or two: [part, whole]")
    return columns


def check_label(value: Any) -> Any:
    """Return columns, whose labels are in one."""
    if isinstance(value, dict) and isinstance(names := value.get("label"), list):
        several = printable(", ".join(str(name) for name in names), 60)
        message = (
            f"label names one column; where each class has its own, write probability: [{several}]"
        )
        raise field_error(message, "C106", "label")
    return value


Extra = Annotated[
    dict[Name, Literal["text", "number", "classes"]],
    BeforeValidator(_by_name, Names | dict[str, Literal["text", "number", "classes"]]),
]
ClassColumns = Annotated[dict[str, Name], BeforeValidator(_by_class, Names | dict[str, Name])]
ValueColumns = Annotated[Names, AfterValidator(_check_part)]


def extra_roles(extra: Mapping[str, str]) -> dict[str, str]:
    """Return the role of each further column, and what it is called."""
    return {f"{NUMBER if kind == 'number' else EXTRA}{name}]": name for name, kind in extra.items()}
