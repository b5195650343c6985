"""What the pages in docs say is what the code does."""

import doctest
import importlib.util
import math
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from conftest import ROOT

from scorer.challenge.load import load
from scorer.core.codes import codes
from scorer.export.bundle import EXPORTERS
from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import parse_measure
from scorer.reports.charts.svg import text_width
from scorer.reports.leaderboard.figures import KINDS

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
sys.path.append(str(DOCS))  # as MkDocs does for a hook
PLACE = importlib.util.spec_from_file_location("docs_generate", DOCS / "generate.py")
generate = importlib.util.module_from_spec(PLACE)
PLACE.loader.exec_module(generate)
drawings = generate.drawings


@pytest.mark.slow("builds the site")
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_the_made_parts_are_up_to_date(path):
    text = path.read_text(encoding="utf-8")
    assert generate.filled_in(text) == text, "run: python docs/generate.py"


def test_every_made_part_stands_in_one_page():
    texts = [path.read_text("utf-8") for path in PAGES]
    kept = [part[2] for text in texts for part in generate.PART.finditer(text)]
    kept = [name for name in kept if name not in generate.PRINTED]
    built = [part[1] for text in texts for part in generate.BUILT.finditer(text)]
    assert sorted(kept + built) == sorted(generate.PARTS)


def test_the_site_has_the_page_of_every_metric_and_code(monkeypatch):
    monkeypatch.setattr(drawings, "family", lambda task: "")
    metrics_page, codes_page = (
        generate.on_page_markdown((DOCS / f"{name}.md").read_text("utf-8"))
        for name in ("metrics", "codes")
    )
    for metric in metrics():
        assert f"]({generate.page_of(metric)})" in metrics_page
    for code in codes():
        assert f"\n### {code}: " in codes_page
        assert f" {{ #{code.lower()} }}\n" in codes_page


@pytest.mark.slow("scores three challenges")
def test_the_gallery_has_every_kind_of_picture_with_its_command(score, tmp_path):
    page = generate.on_page_markdown((DOCS / "reading.md").read_text("utf-8"))
    assert {one.kind for one in drawings.shown()} == {*KINDS}
    images = drawings.files()
    families = sum(map(len, drawings.FAMILIES.values()))
    others = len(generate.elsewhere.TOOLS) + len(generate.elsewhere.PLATFORMS)
    assert len(images) == len(drawings.shown()) + len(drawings.BOARDS) + families + others
    for one in drawings.shown():
        section = page.partition(f"\n### {one.name}\n")[2].partition("\n### ")[0]
        (image,) = re.findall(r"!\[.+\]\((.+)\)", section)
        assert image in images
        assert f"~~~sh\n{one.command}\n~~~" in section
        assert drawings.escaped(one.caption) in section
    words = ["paper", "--figures", one.kind, "-o", tmp_path / "made", *one.command.split()[6:]]
    assert score(*words).code == 0, one.command
    assert [*(tmp_path / "made").glob(f"{one.key}*.svg")]


@pytest.mark.slow("scores six challenges")
def test_the_gallery_shows_six_boards_with_their_commands(score):
    page = generate.on_page_markdown((DOCS / "find.md").read_text("utf-8"))
    assert len(drawings.boards()) == 6
    for board in drawings.boards():
        section = page.partition(f"\n### {board.title}\n")[2].partition("\n### ")[0]
        assert f"]({drawings.FOLDER}/{board.key}.svg)" in section
        assert f"~~~sh\n{board.command}\n~~~" in section
        printed = score(*board.command.split()[1:])
        assert printed.code == 0, board.command
        assert board.figure.title.partition(" ")[0] in printed.out


@pytest.mark.slow("scores three challenges")
def test_the_pictures_of_the_site_are_small_and_stay_inside():
    page = generate.metric_index()
    for path, svg in drawings.files().items():
        assert len(svg) < 40_000, path
        assert "prefers-color-scheme: dark" in svg
        wide = float(re.search(r'viewBox="0 0 ([\d.]+)', svg)[1])
        for x, anchor, text in re.findall(r'<text x="([\d.-]+)"[^>]*?(middle|end|)">(.*?)<', svg):
            wide_text = text_width(text)
            left = float(x) - {"middle": wide_text / 2, "end": wide_text, "": 0}[anchor]
            assert -1 <= left <= wide, (path, text)
    for makes in drawings.FAMILIES.values():
        assert all(f"]({drawings.FOLDER}/{make.__name__}.svg)" in page for make in makes)


def test_lines_of_a_family_are_the_definitions():
    ranks = [*drawings.RANKS]
    lines = drawings.counted()
    assert lines["DCG, nDCG"] == pytest.approx([1 / math.log2(n + 1) for n in ranks])
    assert lines["RR, AP, ERR"] == pytest.approx([1 / n for n in ranks])
    assert lines["RBP(p=0.8)"] == pytest.approx([0.8 ** (n - 1) for n in ranks])
    assert lines["P@10"] == pytest.approx([float(n <= 10) for n in ranks])


@pytest.mark.slow("runs five commands")
def test_the_commands_for_the_paper(score, tmp_path, monkeypatch):
    for part in ("course-2026", "iris"):
        for folder in ("challenges", "submissions_example"):
            shutil.copytree(ROOT / folder / part, tmp_path / folder / part)
    monkeypatch.chdir(tmp_path)
    for block in blocks("reading.md", "sh"):
        run(score, block)
    (code,) = blocks("reading.md", "python")
    exec(code, {})
    assert "forest.svg" in os.listdir()
    page = (DOCS / "reading.md").read_text("utf-8").partition("\n## For the paper\n")[2]
    assert {*re.findall(r'figure\("([a-z-]+)"', page)} <= {*KINDS}
    macros = (tmp_path / "paper/numbers.tex").read_text("utf-8")
    for name in re.findall(r"`\\([a-z]+)`", page):
        assert f"{{\\{name}}}" in macros
    for row in re.findall(r"^\| (`.+?) \|", page, re.MULTILINE):
        names = [name for name in re.findall(r"`([^`]+)`", row) if not name.startswith("pip ")]
        assert all((tmp_path / "paper" / name).exists() for name in names)


@pytest.mark.slow("works an example out of every metric")
@pytest.mark.parametrize("metric", [*metrics()], ids=generate.page_of)
def test_the_page_of_a_metric(metric):
    page = generate.metric_page(metric)
    assert "<math" in page
    assert "~~~bibtex\n@" in page
    assert metric.title in page
    assert all(f"| `{name}` |" in page for name in metric.parameters.model_fields)
    (asked,) = yaml.safe_load(generate.snippet(metric))["metrics"]
    params = {} if isinstance(asked, str) else dict(asked)
    notation = params.pop("metric", asked)
    assert parse_measure(metric, notation, params).metric is metric


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    text = re.sub(r"(```|~~~).*?\1", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for link in re.findall(r"\]\(((?!http|#)[^)#]+)", text):
        assert (path.parent / link).exists(), link


def test_the_first_page_leads_to_every_page_for_users():
    first = (DOCS / "index.md").read_text("utf-8")
    told = set(re.findall(r"\]\(([a-z-]+\.md)", first))
    ours = {"index.md", "architecture.md"}  # the last is for contributors
    assert {path.name for path in DOCS.glob("*.md")} - told == ours
    site = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert "plugins: [search, offline]" in site
    assert "use_directory_urls: false" in site


def test_every_key_of_challenge_yaml_is_told():
    page = (DOCS / "challenge.md").read_text(encoding="utf-8")
    for section, key in [
        ("submission.limits", "unpacked"),
        ("phases[].quota", "per_day"),
        ("questions.NAME", "board"),
        ("leaderboard.tiers", "alpha"),
        ("truth.columns", "subtopic"),
    ]:
        assert re.search(rf"\n\| `{key}` \| [^|]*`{re.escape(section)}`", page), (section, key)


@pytest.mark.parametrize("key", generate.COMMON_KEYS)
def test_the_example_of_a_key_is_read(key, tmp_path):
    example = generate.COMMON_KEYS[key]
    (tmp_path / "description.md").write_text("A text.")
    least = {"truth": "truth: truth.csv\n", "metrics": "metrics: [P@1]\n"}
    rest = "".join(text for name, text in least.items() if not example.startswith(f"{name}:"))
    made = load(f"{example}\n{rest}", tmp_path)
    assert made.line(key.partition("[")[0]) == 1


def blocks(name, kind):
    return re.findall(rf"```{kind}\n(.*?)```", (DOCS / name).read_text("utf-8"), re.DOTALL)


@pytest.mark.slow("exports a bundle", beyond=2)
@pytest.mark.parametrize("platform", generate.elsewhere.PLATFORMS)
def test_the_commands_of_a_platform(platform, score, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "challenges/course-2026", "challenges/course-2026")
    good = Path("submissions_example/course-2026/good")
    good.mkdir(parents=True)
    shutil.copy(ROOT / good / "aurora-1.csv", good)
    (block,) = (
        text for text in blocks("platforms.md", "sh") if f"score export {platform} " in text
    )
    run(score, block)


def test_the_page_of_platforms_has_each():
    platforms = generate.elsewhere.PLATFORMS
    assert {*platforms} == {*EXPORTERS}
    page = (DOCS / "platforms.md").read_text("utf-8")
    assert all(f"\n## {title}\n" in page for title in platforms.values())


@pytest.mark.slow("reads results of nine tools")
def test_the_commands_for_results_of_tools(score, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, _, *commands = blocks("inputs.md", "sh")
    assert len(commands) == len(generate.elsewhere.TOOLS)
    for tool, command in zip(generate.elsewhere.TOOLS, commands, strict=True):
        generate.elsewhere.write_results(tool, tmp_path / "results")
        assert command == f"score values results/{tool}\n"
        ran = score(*command.split()[1:])
        ran.assert_exit(0, err=f"taken for files of {generate.elsewhere.TOOLS[tool][0]}: 3 systems")


@pytest.mark.slow("runs the commands of the page")
def test_the_tutorial_as_it_stands(score, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = ("truth.csv", "sample.csv", "books/users.csv", "books/books.csv", "bad.csv")
    csv = dict(zip(names, blocks("tutorial.md", "csv"), strict=True))
    for name in ("truth.csv", "sample.csv", "bad.csv"):
        (tmp_path / name).write_text(csv[name])
    first, *further = blocks("tutorial.md", "sh")
    assert len(further) == 3
    run(score, first)
    (challenge,) = blocks("tutorial.md", "yaml")
    (tmp_path / "books/challenge.yaml").write_text(challenge)
    for name in ("books/users.csv", "books/books.csv"):
        (tmp_path / name).write_text(csv[name])
    for block in further:
        run(score, block)
    (shown,) = (text for text in blocks("tutorial.md", "text") if text.startswith("$ score check"))
    ran = score("check", "kit.zip", "bad.csv").assert_exit(1)
    assert shown.partition("\n")[2] == ran.out


@pytest.mark.slow("scores thirteen submissions")
def test_the_examples_of_the_python_page(tmp_path, monkeypatch):
    for folder in ("challenges", "submissions_example"):
        shutil.copytree(ROOT / folder / "course-2026", tmp_path / folder / "course-2026")
    monkeypatch.chdir(tmp_path)
    session = "\n".join(blocks("python.md", "pycon"))
    assert session.count(">>> ") > 25
    examples = doctest.DocTestParser().get_doctest(session, {}, "python.md", None, None)
    assert doctest.DocTestRunner().run(examples).failed == 0
    assert "<html" in (tmp_path / "board.html").read_text("utf-8")


def run(score, block):
    for line in block.splitlines():
        ran = score(*line.split()[1:])
        assert ran.code == 0, (line, ran)


@pytest.mark.slow("runs the commands of the page")
def test_the_commands_of_workflows(score, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    steps = [
        step
        for text in blocks("participate.md", "yaml")
        for job in yaml.safe_load(text).get("jobs", {}).values()
        for step in job["steps"]
    ]
    check, board = (step["run"] for step in steps if step.get("run", "").startswith("score"))
    shutil.copytree(ROOT / "challenges/course-2026", tmp_path / "private/challenge")
    shutil.copytree(ROOT / "submissions_example/course-2026/good", tmp_path / "submissions")
    (tmp_path / "site").mkdir()
    assert score("kit", "private/challenge", "-o", "kit.zip").code == 0
    for words in (check.split()[1:], board.partition("||")[0].split()[1:]):
        assert score(*words).code == 0, words
    assert "eclipse" in (tmp_path / "site/index.html").read_text()
    shutil.copy(ROOT / "submissions_example/course-2026/bad/twice.csv", tmp_path / "submissions")
    score(*check.split()[1:]).assert_exit(1, out="::error file=submissions/twice.csv,line=")


def test_the_action_and_hooks_are_there():
    texts = [yaml.safe_load(text) for text in blocks("participate.md", "yaml")]
    (action,) = (
        step["with"]
        for text in texts
        for job in text.get("jobs", {}).values()
        for step in job["steps"]
        if "scorer" in step.get("uses", "")
    )
    assert (
        action.keys() <= yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["inputs"].keys()
    )
    hooks = [
        hook["id"] for text in texts for repo in text.get("repos", ()) for hook in repo["hooks"]
    ]
    known = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert hooks == [hook["id"] for hook in known]


@pytest.mark.slow("builds the site")
def test_the_site_builds(tmp_path):
    pytest.importorskip("material", reason="mkdocs-material is missing: make docs installs it")
    site = tmp_path / "site"
    words = [sys.executable, "-m", "mkdocs", "build", "-q", "--strict", "-d", str(site)]
    ended = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert {f"{path.stem}.html" for path in PAGES} <= {path.name for path in site.rglob("*.html")}
    assert not list(site.glob("*.py"))


OWN = [*PAGES, *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md"))]


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.name)
def test_every_file_of_the_code_that_a_page_names_is_there(path):
    """As `reading/read.py` or `scoring/submission.py:score_table`."""
    text = path.read_text(encoding="utf-8")
    named = re.findall(r"`(?:scorer/)?([a-z_]+(?:/[a-z_]+)*\.py)(?::(\w+))?(?:[:.]\w+)*`", text)
    for name, thing in named:
        source = next((p for p in (ROOT / "scorer" / name, ROOT / name) if p.exists()), None)
        if "/" in name and "hitshare" not in name:  # the example that a reader adds
            assert source is not None, name
            found = re.search(rf"^(def|class|async def) {thing}\b", source.read_text("utf-8"), re.M)
            assert not thing or found, f"{name} has no {thing}"


def test_the_picture_of_the_floors_is_the_contract():
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    picture = page.partition("<!-- floors -->")[2].partition("<!-- end -->")[0]
    facts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = (
        c for c in facts["tool"]["importlinter"]["contracts"] if "scorer" in c.get("containers", ())
    )
    floors = [set(re.findall(r"\w+", layer)) for layer in contract["layers"] if layer != "__main__"]
    rooms = set().union(*floors)
    lines = [line[25:64].split() for line in picture.splitlines()]
    drawn = [{word for word in line if word in rooms} for line in lines]
    assert [floor for floor in drawn if floor] == floors


def test_init_says_of_each_kind_what_it_is_about(score):
    kinds = score("init").out.partition("\n\n")[0].splitlines()
    assert len(kinds) >= 7
    assert not [line for line in kinds if line.endswith("scorer: 1")]
