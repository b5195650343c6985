"""challenge.yaml as data.

Binds no metric and no plugin: a measure is still its notation here. What the
file says is checked once, as a whole; every problem names its line and the
path of its key. The models are the documentation too: `schema` hands their
descriptions to editors.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path, PureWindowsPath
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    PrivateAttr,
    Tag,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError

from scorer.documents import MOST_BYTES, Value, document
from scorer.errors import ChallengeError, Findings, Problem, nearest, quoted

VERSION = 1
FILE = "challenge.yaml"

COLUMNS = {
    "list": "what is scored one by one: a query, a user",
    "item": "what a list ranks or rates",
    "grade": "how relevant the item is; without it every row has grade 1",
    "subtopic": "which aspect of the list the grade is for",
    "rating": "the true rating",
    "better": "the item that is preferred",
    "worse": "the item that the other is preferred to",
    "probability": "how likely the preference is",
    "rank": "place in the list, from 1",
    "score": "the number to order items by, highest first",
    "prediction": "the predicted rating",
    "low": "lower end of the prediction's interval",
    "high": "upper end of the prediction's interval",
    "group": "the slice that the list belongs to",
    "fold": "the fold that the row belongs to",
    "users": "how many past users know the item",
    "features": "what the item is described by: several columns",
}
ROLES = {
    "truth": ("list", "item", "grade", "subtopic", "rating", "better", "worse"),
    "lists": ("list", "group"),
    "items": ("item", "list", "users", "features"),
    "history": ("list", "item"),
    "likelihood": ("list", "better", "worse", "probability"),
    "folds": ("list", "item", "fold"),
    "submission": (
        *("list", "item", "rank", "score", "prediction", "low", "high", "better", "worse"),
    ),
}
UNITS = {"": 1, "k": 1000, "m": 1000**2, "g": 1000**3, "t": 1000**4}
UNITS |= {"ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40}
SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,9})?) ?([kmgt]?i?)b?", re.IGNORECASE)
MOST = 2**63 - 1

# pydantic's kinds of error, in our words.
WORDS = {
    "literal_error": "{said} is none of {expected}",
    "greater_than": "{said} is not above {gt}",
    "greater_than_equal": "{said} is below {ge}",
    "less_than": "{said} is not below {lt}",
    "less_than_equal": "{said} is above {le}",
    "too_short": "at least one is needed",
    "string_too_short": "an empty text",
    "tuple_type": "{said} is not a list; write one in [ ]",
    "dict_type": "{said} is not a mapping (key: value)",
    "model_type": "{said} is not a mapping (key: value)",
}


def _wrong(message: str, code: str = "C106") -> PydanticCustomError:
    return PydanticCustomError(code, "{message}", {"message": message})  # type: ignore[arg-type]


def _said(value: Any) -> str:
    """A value as it was written, for a sentence."""
    if isinstance(value, Value):
        return quoted(value.text)
    kinds = {dict: "a mapping", list: "a list", tuple: "a list"}
    return kinds.get(type(value)) or quoted(value)


def _text(value: Any) -> Any:
    if isinstance(value, Value) and value.data is not None:
        return value.text
    if isinstance(value, str):
        return value
    raise _wrong("nothing is given" if isinstance(value, Value) else f"{_said(value)} is no text")


def _bare(value: Any) -> Any:
    return value.data if isinstance(value, Value) else value


def _number(value: Any) -> Any:
    number = _bare(value)
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise _wrong(f"{_said(value)} is not a number")
    return float(number)


def _whole(value: Any) -> Any:
    number = _bare(value)
    if isinstance(number, bool) or not isinstance(number, int):
        raise _wrong(f"{_said(value)} is not a whole number")
    if number > MOST:
        raise _wrong(f"{_said(value)} is too large")
    return number


def _flag(value: Any) -> Any:
    if not isinstance(_bare(value), bool):
        raise _wrong(f"{_said(value)} is neither true nor false")
    return _bare(value)


def _size(value: Any) -> Any:
    match = SIZE.fullmatch(str(_text(value) if isinstance(value, Value) else value))
    if not match:
        raise _wrong(f"{_said(value)} is not a size, such as 20MB, 1GiB or a number of bytes")
    size = int(float(match[1]) * UNITS[match[2].lower()])
    if not 0 < size <= MOST:
        raise _wrong(f"{_said(value)} is not a size between 1 byte and 8 EiB")
    return size


def _range(value: Any) -> Any:
    if not isinstance(value, list) or len(value) != 2:
        raise _wrong(f"{_said(value)} is not a range; write [1, 5]")
    low, high = map(_number, value)
    if not low < high:
        raise _wrong(f"{_said(value[0])} is not below {_said(value[1])}")
    return low, high


def _switch(on: Any) -> Callable[[Any], Any]:
    """For what `false` or nothing turns off and `true` turns on as it is by default."""
    return lambda value: (
        {True: on, False: None, None: None}.get(flag := _bare(value), value)
        if (flag := _bare(value)) is None or isinstance(flag, bool)
        else value
    )


def _inside(value: Any, info: ValidationInfo) -> Any:
    """A path from the challenge's folder that stays in it, made absolute."""
    folder = (info.context or {}).get("folder")
    if folder is None:
        return value
    name = _text(value)
    if PureWindowsPath(name).anchor:
        raise _wrong(f"{quoted(name)} is not relative to the challenge's folder", "C111")
    try:
        path = Path(os.path.realpath(folder / name))
    except (ValueError, OSError):
        raise _wrong(f"{quoted(name)} cannot be a file's name") from None
    if path == folder:
        raise _wrong(f"{quoted(name)} names no file")
    if not path.is_relative_to(folder):
        raise _wrong(f"{quoted(name)} leaves the challenge's folder", "C111")
    return path
