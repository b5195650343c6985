"""Figures of a report: what a notebook shows, and what stays inside its edges."""

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from scorer.api.figures import Drawing, parse_width
from scorer.api.score import score as scored
from scorer.api.text import content_of
from scorer.core.errors import UnknownName, UsageError

ROOT = Path(__file__).parents[2]
COURSE = ROOT / "challenges/course-2026"
GOOD = ROOT / "submissions_example/course-2026/good"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def course():
    return scored(COURSE, sorted(GOOD.iterdir())[:4])


def test_a_report_draws_itself_in_a_notebook(course, tmp_path):
    drawing = course.plot("RR", width="84mm")
    assert isinstance(drawing, Drawing)
    assert drawing._repr_svg_() == drawing.svg()
    assert "RR of each submission" in drawing.title
    drawing.write(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text() == drawing.svg()
    with pytest.raises(UnknownName):
        course.plot(kind="pie")
    with pytest.raises(UsageError, match="written as svg, pdf, png"):
        drawing.write(tmp_path / "a.doc")
    with pytest.raises(UsageError, match="it takes a Pareto front"):
        course.plot(kind="pareto")


@pytest.mark.parametrize("kind", ["values", "lists", "differences"])
@pytest.mark.parametrize("width", ["84mm", "174mm"])
def test_every_kind_is_well_formed_and_stays_inside(course, kind, width):
    root = ElementTree.fromstring(course.plot(kind=kind, width=width).svg())
    wide, tall = map(float, root.get("viewBox").split()[2:])
    for text in root.iter(f"{SVG}text"):
        assert 0 <= float(text.get("x")) <= wide
        assert 0 <= float(text.get("y")) <= tall


def test_values_show_each_list_or_say_that_they_do_not(course):
    svg = course.plot(kind="values").svg()
    assert svg.count('class="quarter"') == len(course.leaderboard)
    dots = [path for path in svg.split("<path ") if 'class="points"' in path]
    assert [path.count("h0") for path in dots] == [len(content_of(course).lists)] * len(
        course.leaderboard
    )


@pytest.mark.slow("draws pictures")
def test_a_board_that_is_not_drawn_imports_no_picture():
    code = (
        "import sys; from scorer.cli.main import run; "
        f"run(['{COURSE}', '{sorted(GOOD.iterdir())[0]}']); "
        "print([m for m in sys.modules if 'pictures' in m or 'vl_convert' in m])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"


def test_widths():
    assert parse_width("3.5 in") == pytest.approx(88.9)
    for wrong in ("84", "mm", "-5mm", "1e3mm", "0mm", ""):
        with pytest.raises(UsageError):
            parse_width(wrong)
