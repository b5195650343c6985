"""The keys of challenge.yaml as its schema describes them: a row a key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from scorer.challenge.schema import schema
from scorer.challenge.types import LARGEST

Field = Mapping[str, Any]  # of a JSON Schema


class KeyRow(NamedTuple):
    """A key of challenge.yaml with its description."""

    path: str  # such as metrics[].where
    section: str  # the path of the mapping that it stands in
    about: str
    value: str  # which values it takes, in words
    default: str  # in Markdown; empty for none

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.removeprefix(self.section).lstrip(".")


def list_keys() -> Iterator[KeyRow]:
    """Yield a row for each key, followed by the rows of the keys in it."""
    document = schema()
    return _list_keys("", document, document["$defs"])


def find_keys(word: str) -> list[KeyRow]:
    """Return the rows of a key: by its path, with or without `[]`, else by its last word."""
    word = word.replace("[]", "")
    rows = [(row.path.replace("[]", ""), row) for row in list_keys()]
    found = [row for path, row in rows if path == word]
    return found or [row for path, row in rows if path.endswith(f".{word}")]


def _list_keys(section: str, node: Field, defs: Field) -> Iterator[KeyRow]:
    """Yield the rows of the keys of a mapping.

    Args:
        section: The path of the mapping.
        node: Its schema.
        defs: Name -> the schema that a `$ref` to it means.
    """
    for key, field in node["properties"].items():
        if key == "$schema":
            continue
        path = f"{section}.{key}" if section else key
        is_required = key in node.get("required", ())
        yield KeyRow(
            path=path,
            section=section,
            about=field.get("description", ""),
            value=_describe_values(field, defs),
            default="must be given" if is_required else _describe_default(field),
        )
        for mapping_path, mapping in _find_mappings(field, defs, path):
            yield from _list_keys(mapping_path, mapping, defs)


def _find_mappings(field: Field, defs: Field, path: str) -> Iterator[tuple[str, Field]]:
    """Yield the path and the schema of each mapping with fixed keys in the values of a field."""
    field = _resolve_reference(field, defs)
    if "properties" in field:
        yield path, field
        return
    for alternative in _alternatives(field):
        yield from _find_mappings(alternative, defs, path)
    if isinstance(field.get("items"), dict):
        yield from _find_mappings(field["items"], defs, f"{path}[]")
    if isinstance(field.get("additionalProperties"), dict) and field.get("type") == "object":
        yield from _find_mappings(field["additionalProperties"], defs, f"{path}.NAME")


def _resolve_reference(field: Field, defs: Field) -> Field:
    reference = field.get("$ref")
    return defs[reference.rpartition("/")[2]] if reference else field


def _alternatives(field: Field) -> tuple[Field, ...]:
    return (*field.get("anyOf", ()), *field.get("oneOf", ()))


def _describe_values(field: Field, defs: Field) -> str:
    """Return the values that a field may have, in words."""
    field = _resolve_reference(field, defs)
    alternatives = _alternatives(field)
    if alternatives and "properties" not in field:
        words = [
            _describe_values(alternative, defs)
            for alternative in alternatives
            if alternative.get("type") != "null"
        ]
        return " or ".join(dict.fromkeys(words))
    if "const" in field:
        return f"`{_yaml(field['const'])}`"
    if "enum" in field:
        return ", ".join(f"`{_yaml(value)}`" for value in field["enum"])
    kind = field.get("type")
    if field.get("format") == "path":
        return "a path"
    if isinstance(kind, list):  # a text, for which YAML may have read a number
        return "text"
    if kind == "array":
        items = field.get("items")
        return (
            f"a list of: {_describe_values(items, defs)}" if isinstance(items, dict) else "a list"
        )
    if kind == "object":
        return "a mapping"
    if kind == "string":
        return "text"
    if kind in ("integer", "number"):
        return ("a whole number" if kind == "integer" else "a number") + _describe_bounds(field)
    return "yes or no: `true`, `false`" if kind == "boolean" else "any value"


def _describe_bounds(field: Field) -> str:
    """Return the bounds of a number, each with a blank before it."""
    bounds = {
        "from": field.get("minimum"),
        "to": field.get("le", field.get("maximum")),  # pydantic writes `le` beside a validator
        "above": field.get("exclusiveMinimum"),
        "below": field.get("exclusiveMaximum"),
    }
    return "".join(
        f" {word} {bound}"
        for word, bound in bounds.items()
        if bound is not None and not (word == "to" and bound >= LARGEST)
    )


def _describe_default(field: Field) -> str:
    """Return the default of a field as code; empty without one, and for a section."""
    value = field.get("default")
    if value in (None, {}, [], "") or (isinstance(value, dict) and len(value) > 1):
        return ""
    return f"`{_yaml(value)}`"


def _yaml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_yaml(part)}" for key, part in value.items()) + "}"
    return str(value)
