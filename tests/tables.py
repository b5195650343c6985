"""Tables of cases that stand in YAML files: `test_NAME.yaml` has those of `test_NAME.py`."""

from pathlib import Path

import yaml


def rows(test, name):
    """The rows of a table in the YAML file beside a test's file."""
    text = Path(test).with_suffix(".yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text)[name]
