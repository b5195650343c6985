"""The one cause of a file with many faults is said once, and repaired where it is certain."""

import json
import re
from pathlib import Path

import pytest
import yaml

DATA = yaml.safe_load(Path(__file__).with_name("causes.yaml").read_text(encoding="utf-8"))
CASES = {
    case["name"].replace("INDEX", name): yaml.safe_load(json.dumps(case).replace("INDEX", name))
    for case in DATA["cases"]
    for name in case.get("names", ["INDEX"])
}


@pytest.fixture(scope="module")
def challenges(tmp_path_factory):
    """A folder with a challenge of each name."""
    folder = tmp_path_factory.mktemp("challenges")
    for name, files in DATA["challenges"].items():
        (folder / name).mkdir()
        for path, text in files.items():
            (folder / name / path).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def places(challenges, score):
    """The folder of a challenge, and the kit of it, which has no truth."""

    def places(name):
        kit = challenges / name / "kit.zip"
        if not kit.exists():
            assert score("kit", challenges / name, "-o", kit).code == 0
        return challenges / name, kit

    return places


def repair_of(case):
    """All that --fix says."""
    if "repairs" in case:
        fine = ["copy.csv: fine", "sent.csv: repaired copy in copy.csv"]
        return fine + [f"  {change}" for change in case["repairs"]]
    _, _, errors = case["says"][0].partition("would be rejected: ")
    return case.get("repair", [*case["says"], f"sent.csv: cannot be repaired safely: {errors}"])


def without_descriptions(text):
    """The lines of a text but those that say what a file looks like."""
    return [line for line in text.splitlines() if not re.match(r"  [0-9]+ of [0-9]+ ", line)]


@pytest.mark.slow("checks and repairs a file a row", beyond=8)
@pytest.mark.parametrize("name", CASES)
def test_the_cause_is_said_and_repaired(score, tmp_path, monkeypatch, places, name):
    case, sent, copy = CASES[name], tmp_path / "sent.csv", tmp_path / "copy.csv"
    monkeypatch.chdir(tmp_path)
    sent.write_text(case["file"], encoding="utf-8")
    for place in places(case["of"]):
        ran = score("check", place, "sent.csv")
        assert (ran.code, ran.err) == (0 if case.get("accepted") else 1, "")
        assert without_descriptions(ran.told) == case["says"]
        ran = score("check", place, "--fix", "sent.csv", "-o", "copy.csv")
        assert without_descriptions(ran.told) == repair_of(case)
        assert ran.code == (0 if "copy" in case else 1)
        assert copy.exists() == ("copy" in case)
        if copy.exists():
            assert copy.read_text(encoding="utf-8") == case["copy"]
            copy.unlink()


def test_all_places_are_said_on_request(score, tmp_path, monkeypatch, places):
    monkeypatch.chdir(tmp_path)
    case = CASES["many places are said once"]
    Path("sent.csv").write_text(case["file"], encoding="utf-8")
    folder, _ = places(case["of"])
    assert score("check", folder, "--all", "sent.csv").out.count("error[") == 5


def test_a_terminal_has_the_line_with_a_caret(score, tmp_path, monkeypatch, terminal, places):
    terminal(100)
    monkeypatch.chdir(tmp_path)
    Path("sent.csv").write_text("id,price\n1,abc\n2,1517.25\n", encoding="utf-8")
    folder, _ = places("prices")
    assert "  2 | 1,abc\n    |   ^^^\n" in score("check", folder, "sent.csv").told
