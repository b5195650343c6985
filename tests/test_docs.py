"""What the pages in docs say is what the code does."""

import importlib.util
import re

import pytest
from conftest import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
PLACE = importlib.util.spec_from_file_location("docs_generate", DOCS / "generate.py")
generate = importlib.util.module_from_spec(PLACE)
PLACE.loader.exec_module(generate)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_the_made_parts_are_up_to_date(path):
    text = path.read_text(encoding="utf-8")
    assert generate.made(text) == text, "run: python docs/generate.py"


def test_every_made_part_stands_in_one_page():
    found = [part[2] for path in PAGES for part in generate.PART.finditer(path.read_text("utf-8"))]
    assert sorted(found) == sorted(generate.PARTS)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    text = re.sub(r"(```|~~~).*?\1", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for link in re.findall(r"\]\(((?!http|#)[^)#]+)", text):
        assert (DOCS / link).exists(), link


def test_every_key_of_challenge_yaml_is_told():
    page = (DOCS / "challenge.md").read_text(encoding="utf-8")
    for heading, key in [
        ("submission.limits", "unpacked"),
        ("phases[].quota", "per_day"),
        ("questions.NAME", "board"),
        ("leaderboard.tiers", "alpha"),
        ("truth.columns", "grade"),
    ]:
        section = page.partition(f"## `{heading}`\n")[2].partition("\n## ")[0]
        assert f"\n| `{key}` |" in section, (heading, key)
