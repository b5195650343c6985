"""The keys of challenge.yaml as its schema describes them: a row a key."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from scorer.challenge.schema import schema

Field = Mapping[str, Any]  # of a JSON Schema
LONG = 2**63 - 1  # a bound that says nothing


class KeyRow(NamedTuple):
    """What is to be said of a key."""

    path: str  # such as metrics[].where
    section: str  # the path of the mapping that it stands in
    about: str
    value: str  # which values it takes, in words
    default: str

    @property
    def name(self) -> str:
        """Its last word."""
        return self.path.removeprefix(self.section).lstrip(".")


def list_keys() -> Iterator[KeyRow]:
    """Yield a row for each key, followed by the rows of the keys in it."""
    document = schema()
    return _list_keys("", document, document["$defs"])


def find_keys(word: str) -> list[KeyRow]:
    """Return the rows of a key: by its path, with or without `[]`, else by its last word."""
    word = word.replace("[]", "")
    rows = [(re.sub(r"\[\]", "", row.path), row) for row in list_keys()]
    found = [row for path, row in rows if path == word]
    return found or [row for path, row in rows if path.endswith(f".{word}")]


def _list_keys(section: str, node: Field, defs: Field) -> Iterator[KeyRow]:
    for key, field in node["properties"].items():
        if key == "$schema":
            continue
        path = f"{section}.{key}" if section else key
        default = "must be given" if key in node.get("required", ()) else _default(field)
        yield KeyRow(path, section, field.get("description", ""), _value(field, defs), default)
        for end, inner in _mappings(field, defs):
            yield from _list_keys(f"{path}{end}", inner, defs)


def _mappings(field: Field, defs: Field, end: str = "") -> Iterator[tuple[str, Field]]:
    """The mappings with known keys that a value may be, and what follows its key's name."""
    field = _resolved(field, defs)
    if "properties" in field:
        yield end, field
        return
    for way in (*field.get("anyOf", ()), *field.get("oneOf", ())):
        yield from _mappings(way, defs, end)
    if isinstance(field.get("items"), dict):
        yield from _mappings(field["items"], defs, f"{end}[]")
    if isinstance(field.get("additionalProperties"), dict) and field.get("type") == "object":
        yield from _mappings(field["additionalProperties"], defs, f"{end}.NAME")


def _resolved(field: Field, defs: Field) -> Field:
    reference = field.get("$ref")
    return defs[reference.rpartition("/")[2]] if reference else field


def _value(field: Field, defs: Field) -> str:
    """The values that a field may have, in words."""
    field = _resolved(field, defs)
    ways = (*field.get("anyOf", ()), *field.get("oneOf", ()))
    if ways and "properties" not in field:
        words = [_value(way, defs) for way in ways if way.get("type") != "null"]
        return " or ".join(dict.fromkeys(words))
    if "const" in field:
        return f"`{_yaml(field['const'])}`"
    if "enum" in field:
        return ", ".join(f"`{_yaml(value)}`" for value in field["enum"])
    kind = field.get("type")
    if field.get("format") == "path":
        return "a path"
    if isinstance(kind, list):
        return "text"
    if kind == "array":
        items = field.get("items")
        return f"a list of: {_value(items, defs)}" if isinstance(items, dict) else "a list"
    if kind == "object":
        return "a mapping"
    if kind == "string":
        return "text"
    if kind in ("integer", "number"):
        return ("a whole number" if kind == "integer" else "a number") + _bounds(field)
    return "yes or no: `true`, `false`" if kind == "boolean" else "any value"


def _bounds(field: Field) -> str:
    low, high = field.get("minimum"), field.get("le", field.get("maximum"))
    above, below = field.get("exclusiveMinimum"), field.get("exclusiveMaximum")
    if high is not None and high >= LONG:
        high = None
    parts = [f"from {low}"] * (low is not None) + [f"to {high}"] * (high is not None)
    parts += [f"above {above}"] * (above is not None) + [f"below {below}"] * (below is not None)
    return "".join(f" {part}" for part in parts)


def _default(field: Field) -> str:
    value = field.get("default")
    simple = value is not None and value not in ({}, [], "")
    if isinstance(value, dict) and len(value) > 1:
        return ""
    return f"`{_yaml(value)}`" if simple else ""


def _yaml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_yaml(part)}" for key, part in value.items()) + "}"
    return str(value)
