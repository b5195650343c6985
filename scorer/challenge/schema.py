"""The JSON Schema of challenge.yaml."""

from __future__ import annotations

import json
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from scorer.challenge.model import CHALLENGE_FILE, Challenge
from scorer.challenge.roles import COLUMNS, ROLES, SPECIAL_ROLES

SCHEMA_FILE = "challenge.schema.json"  # beside a challenge.yaml that `score init` made
LINE = f"# yaml-language-server: $schema={SCHEMA_FILE}\n"  # by which editors find it
# An editor reads 2011 as a number; the loader reads it as a text if a text is expected.
TEXT = ["string", "number", "boolean"]
UNWRITTEN = ("params", "key")  # of a measure, in no file


class _ChallengeSchema(GenerateJsonSchema):
    """JSON Schema in which a text may look like a number, or like true."""

    def str_schema(self, schema: core_schema.StringSchema) -> JsonSchemaValue:
        return super().str_schema(schema) | {"type": TEXT}


def schema() -> dict[str, Any]:
    """Return the JSON Schema of challenge.yaml, for editors."""
    document = Challenge.model_json_schema(schema_generator=_ChallengeSchema)
    parts = document["$defs"]
    sections = document["properties"]
    _write_measure(parts["MeasureSpec"])
    sections["metrics"]["items"] = {"anyOf": [{"type": "string"}, sections["metrics"]["items"]]}
    _write_columns(parts["Submission"], "submission")
    for name in ROLES.keys() & sections.keys() - {"submission"}:
        section = sections[name]
        ways = section.get("anyOf", [section])  # or nothing is written
        text, full = parts[ways[0]["$ref"].rpartition("/")[2]]["anyOf"]
        full = full | {"properties": dict(full["properties"])}  # each has columns of its own
        _write_columns(full, name)
        sections[name] = {"description": section["description"], "anyOf": [text, full]}
    for name in ("Source", "Truth"):
        del parts[name]
    length = parts["Submission"]["properties"]["length"]
    length["anyOf"].insert(0, {"type": "integer", "minimum": 1})
    document["anyOf"] = [{"required": ["truth", "metrics"]}, {"required": ["kind"]}]
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {
        **head,
        "$id": f"urn:challenge-scorer:{CHALLENGE_FILE}",
        **document,
        "title": CHALLENGE_FILE,
    }


def _write_measure(part: dict[str, Any]) -> None:
    """Change the schema of a measure to the file's form: parameters and keys in one mapping."""
    keys = {key: part["properties"][key] for key in part["properties"] if key not in UNWRITTEN}
    part["properties"] = {"metric": keys.pop("notation")} | keys
    del part["required"]
    part["anyOf"] = [{"required": [key]} for key in ("metric", "kaggle", "score")]
    words = "a parameter of the metric, such as k or cutoffs"
    part["additionalProperties"] = {"description": words}


def _write_columns(part: dict[str, Any], section: str) -> None:
    """Put the columns of a section in the place of any; those with a field of their own too."""
    keys = part["properties"]
    columns = {
        role: keys.pop(role, {"type": TEXT}) | {"description": COLUMNS[role]}
        for role in ROLES[section]
    }
    for role in SPECIAL_ROLES:
        keys.pop(role, None)
    keys["columns"] = {
        "description": keys["columns"]["description"],
        "type": "object",
        "properties": columns,
        "additionalProperties": False,
    }


def for_editors() -> dict[str, bytes]:
    """Return the schema as the file that `LINE` names."""
    return {SCHEMA_FILE: json.dumps(schema(), separators=(",", ":")).encode()}
