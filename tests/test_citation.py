"""CITATION.cff says what the rest of the repository says."""

import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parent.parent


def test_the_citation_agrees_with_the_project():
    said = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert {"cff-version", "message", "title", "authors"} <= set(
        said
    )  # what version 1.2.0 asks for
    assert said["cff-version"] == "1.2.0"
    assert said["type"] == "software"
    assert said["license"] == project["license"]
    assert said["abstract"] == project["description"]
    assert all(set(author) == {"name"} for author in said["authors"])  # an entity, no person
    assert said["authors"][0]["name"].lower() in (ROOT / "LICENSE").read_text().lower()
