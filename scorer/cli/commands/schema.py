"""`score schema`: the JSON Schema of challenge.yaml."""

from __future__ import annotations

from scorer.cli.options import Result


def schema() -> Result:
    """Print the JSON Schema of challenge.yaml, for editors that complete it."""
    import json

    from scorer.challenge.schema import schema as described

    return Result(json.dumps(described(), indent=1, ensure_ascii=False) + "\n")
