"""The JSON Schema of challenge.yaml."""

from __future__ import annotations

import json
from typing import Any

from scorer.challenge.model import FILE, Challenge
from scorer.challenge.roles import ROLES, column_schema

SCHEMA_FILE = "challenge.schema.json"  # beside a challenge.yaml that `score init` made
LINE = f"# yaml-language-server: $schema={SCHEMA_FILE}\n"  # by which editors find it


def schema() -> dict[str, Any]:
    """The JSON Schema of challenge.yaml, for editors."""
    document = Challenge.model_json_schema()
    parts = document["$defs"]
    source = parts.pop("Source")
    del parts["Submission"]["properties"]["extra"]  # written among the columns
    del parts["Items"], parts["DescribedSource"]
    for section in ROLES.keys() & document["properties"].keys() - {"submission"}:
        columns = source["properties"]["columns"] | column_schema(section)
        full = source | {"properties": source["properties"] | {"columns": columns}}
        description = document["properties"][section]["description"]
        document["properties"][section] = {
            "description": description,
            "anyOf": [{"type": "string"}, full],
        }
    document["anyOf"] = [{"required": ["truth", "metrics"]}, {"required": ["kind"]}]
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {**head, "$id": f"urn:challenge-scorer:{FILE}", **document, "title": FILE}


def for_editors() -> dict[str, bytes]:
    """The schema as the file that `LINE` names."""
    return {SCHEMA_FILE: json.dumps(schema(), separators=(",", ":")).encode()}
