"""`score figures`: files of pictures, with captions, the same bytes each time."""

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from scorer.api.figures import KINDS, Drawing, converts, millimetres_of
from scorer.api.score import score as scored
from scorer.core.errors import UnknownName, UsageError

ROOT = Path(__file__).parents[2]
COURSE = ROOT / "challenges/course-2026"
GOOD = ROOT / "submissions_example/course-2026/good"
IRIS = ROOT / "challenges/iris"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def course():
    return scored(COURSE, sorted(GOOD.iterdir())[:4])


@pytest.mark.slow("draws pictures")
def test_files_and_captions(score, tmp_path):
    made = tmp_path / "new" / "folder"
    ran = score("figures", COURSE, GOOD, "-o", made, "--kind", "forest,ranks", "--width", "84mm")
    assert ran.code == 0, ran.err
    forms = ("svg", "pdf", "png", "txt") if converts() else ("svg", "txt")
    assert {path.name for path in made.iterdir()} == {
        f"{key}.{form}" for key in ("forest", "ranks") for form in forms
    }
    root = ElementTree.parse(made / "forest.svg").getroot()
    assert root.get("width") == "84mm"
    assert (made / "forest.txt").read_text().startswith("nDCG@10 of each submission, with its")
    if converts():
        assert (made / "forest.pdf").read_bytes().startswith(b"%PDF")
        assert (made / "forest.png").read_bytes().startswith(b"\x89PNG")
    again = tmp_path / "again"
    assert score("figures", COURSE, GOOD, "-o", again, "--kind", "forest,ranks",
                 "--width", "84mm").code == 0  # fmt: skip
    for path in made.iterdir():
        assert path.read_bytes() == (again / path.name).read_bytes(), path.name


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--kind", "forrest"], "did you mean 'forest'?"),
        (["--width", "wide"], "write one such as 84mm"),
        (["--width", "1mm"], "from 60mm to 1000mm"),
        (["--kind", "curves"], "no curves: it takes a measure of labels"),
    ],
)
def test_what_cannot_be_drawn_is_refused(score, tmp_path, words, said):
    ran = score("figures", COURSE, sorted(GOOD.iterdir())[0], "-o", tmp_path / "x", *words)
    assert ran.code == 2
    assert said in ran.err
    assert not (tmp_path / "x").exists()


def test_a_report_draws_itself_in_a_notebook(course, tmp_path):
    drawing = course.figure("forest", "RR", width="84mm")
    assert isinstance(drawing, Drawing)
    assert drawing._repr_svg_() == drawing.svg()
    assert "RR of each submission" in drawing.title
    drawing.write(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text() == drawing.svg()
    with pytest.raises(UnknownName):
        course.figure("pie")
    with pytest.raises(UsageError, match="written as svg, pdf, png"):
        drawing.write(tmp_path / "a.doc")
    with pytest.raises(UsageError, match="it takes groups"):
        course.figure("groups")


@pytest.mark.parametrize("kind", ["values", "lists", "head-to-head", "power"])
@pytest.mark.parametrize("width", ["84mm", "174mm"])
def test_every_kind_is_well_formed_and_stays_inside(course, kind, width):
    root = ElementTree.fromstring(course.figure(kind, width=width).svg())
    wide, tall = map(float, root.get("viewBox").split()[2:])
    for text in root.iter(f"{SVG}text"):
        assert 0 <= float(text.get("x")) <= wide
        assert 0 <= float(text.get("y")) <= tall


def test_values_show_each_list_or_say_that_they_do_not(course):
    svg = course.figure("values").svg()
    assert svg.count('class="quarter"') == len(course.standings)
    dots = [path for path in svg.split("<path ") if 'class="points"' in path]
    assert [path.count("h0") for path in dots] == [len(course.lists)] * len(course.standings)


def test_curves_of_labels(score, tmp_path):
    files = sorted((ROOT / "submissions_example/iris").rglob("*.csv"))
    ran = score("figures", IRIS, *files[:1], "-o", tmp_path, "--kind", "curves", "-q")
    assert (tmp_path / "confusion-1.svg").exists(), ran.err
    assert "Confusion matrix" in (tmp_path / "confusion-1.txt").read_text()


@pytest.mark.slow("draws pictures")
def test_a_board_that_is_not_drawn_imports_no_picture():
    code = (
        "import sys; from scorer.cli.main import run; "
        f"run(['{COURSE}', '{sorted(GOOD.iterdir())[0]}']); "
        "print([m for m in sys.modules if 'pictures' in m or 'vl_convert' in m])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"


def test_kinds_are_the_ones_of_the_help(score):
    said = " ".join(score("figures", "--help").out.split()).replace("- ", "-")
    assert ", ".join(KINDS) in said


def test_widths():
    assert millimetres_of("3.5 in") == pytest.approx(88.9)
    for wrong in ("84", "mm", "-5mm", "1e3mm", "0mm", ""):
        with pytest.raises(UsageError):
            millimetres_of(wrong)
