"""The JSON Schema of challenge.yaml."""

from __future__ import annotations

from typing import Any

from scorer.challenge.columns import ROLES, column_schema
from scorer.challenge.model import FILE, Challenge


def schema() -> dict[str, Any]:
    """The JSON Schema of challenge.yaml, for editors."""
    document = Challenge.model_json_schema()
    parts = document["$defs"]
    source = parts.pop("Source")
    del parts["Submission"]["properties"]["extra"]  # written among the columns
    del parts["Items"], parts["Described"]
    for section in ROLES.keys() & document["properties"].keys() - {"submission"}:
        columns = source["properties"]["columns"] | column_schema(section)
        full = source | {"properties": source["properties"] | {"columns": columns}}
        description = document["properties"][section]["description"]
        document["properties"][section] = {
            "description": description,
            "anyOf": [{"type": "string"}, full],
        }
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **document, "title": FILE}
