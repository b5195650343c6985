"""The benchmark makes the same sets each time, and reckons rightly; each finds what it imports."""

import ast
import importlib.util
import math
import sys
from dataclasses import replace

import pytest
from conftest import ROOT

from scorer.board.integrity import find_alterations


def load(name):
    spec = importlib.util.spec_from_file_location(f"benchmarks_{name}", ROOT / f"benchmarks/{name}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for their module
    spec.loader.exec_module(module)
    return module


generate, driver = load("generate.py"), load("run.py")
pairs = load("peers/pairs.py")
SPECS = {
    "tiny": generate.SETS["tiny"],
    "two runs": generate.Spec(4, length=40, judged=20, runs=2),
    "shuffled": generate.Spec(4, length=40, judged=20, shuffled=True),
    "long": generate.Spec(20, length=10, judged=5, long=True),
}


def files(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow("makes sets of files", beyond=1)
@pytest.mark.parametrize("name", SPECS)
def test_a_set_is_the_same_each_time_and_scores(name, tmp_path, score):
    for data in ("one", "two"):
        assert generate.make(name, SPECS[name], tmp_path / data)
    folder = tmp_path / "one" / name
    assert files(folder) == files(tmp_path / "two" / name)
    ran = score(folder, *sorted((folder / "runs").iterdir()), "--format", "json")
    assert ran.code == 0, ran
    assert not SPECS[name].long or not ran.err, ran
    means = driver.means_of_ours(ran.out)
    assert len(means) == 5 * SPECS[name].runs
    assert all(0 < mean <= 1 for mean in means.values())


@pytest.mark.slow("makes sets of files")
def test_a_set_is_made_again_only_when_it_would_be_another(tmp_path):
    spec = SPECS["two runs"]
    made = [generate.make("a", each, tmp_path) for each in (spec, spec, replace(spec, runs=1))]
    assert made == [True, False, True]
    assert generate.make("a", replace(spec, runs=1), tmp_path, seed=2)


@pytest.mark.slow("makes sets of files")
def test_shuffling_changes_the_order_only(tmp_path):
    for shuffled in (False, True):
        generate.make(str(shuffled), replace(SPECS["shuffled"], shuffled=shuffled), tmp_path)
    plain, mixed = (files(tmp_path / str(each))["run00.run"] for each in (False, True))
    assert plain != mixed
    assert sorted(plain.splitlines()) == sorted(mixed.splitlines())


@pytest.mark.slow("makes sets of files")
def test_blocks_do_not_show(tmp_path, monkeypatch):
    """Rows made in pieces are the lists in order, each with its own items."""
    monkeypatch.setattr(generate, "BLOCK", 80)
    generate.make("a", SPECS["two runs"], tmp_path)
    lines = files(tmp_path / "a")["run01.run"].decode().splitlines()
    rows = [line.split() for line in lines if not line.startswith(generate.UNJUDGED)]
    assert [row[3] for row in rows] == [str(rank) for rank in range(1, 41)] * 4
    assert len({(row[0], row[2]) for row in rows}) == 160
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)


@pytest.mark.slow("makes sets of files")
def test_the_pairs_agree_with_compare(tmp_path, score, monkeypatch, capfdbinary):
    generate.make("a", replace(SPECS["two runs"], runs=3), tmp_path)
    runs = sorted((tmp_path / "a/runs").iterdir())
    ran = score("compare", tmp_path / "a", *runs, "-p", "RPP", "-m", "RR", "--format", "json")
    assert ran.code == 0, ran
    words = ["pairs.py", str(tmp_path / "a/truth.qrels"), *map(str, runs)]
    monkeypatch.setattr(sys, "argv", words)
    pairs.main()
    theirs = driver.means_of_theirs(capfdbinary.readouterr().out.decode())
    assert driver.greatest_difference(driver.means_of_ours(ran.out), theirs) < 1e-12


def test_ratios_are_medians_of_pairs_not_ratios_of_medians():
    def ran(wall):
        return driver.Ran(wall, cpu=wall / 2, peak=100)

    found = driver.ratios([(ran(1), ran(2)), (ran(2), ran(20)), (ran(10), ran(40))])
    assert (found.wall, found.least, found.most) == (4, 2, 10)  # the medians' ratio is 10
    assert (found.cpu, found.peak) == (4, 1)


def test_means_apart():
    one = {("a", "AP"): 0.5, ("a", "RR"): 1.0}
    assert driver.greatest_difference(one, one) == 0
    assert driver.greatest_difference(one, {**one, ("a", "AP"): 0.25}) == 0.25
    assert driver.greatest_difference(one, {("a", "AP"): 0.5}) == math.inf
    assert driver.greatest_difference({}, {}) == math.inf
    assert math.isnan(driver.greatest_difference(one, {**one, ("a", "AP"): math.nan}))


def test_a_process_is_measured():
    ran = driver.measured([sys.executable, "-c", "print('x' * 3); bytearray(50_000_000)"])
    assert (ran.out, ran.fault) == ("xxx\n", None)
    assert ran.wall >= 0
    assert ran.peak > 50_000_000


def test_a_process_that_fails_or_takes_too_long_says_so():
    ran = driver.measured([sys.executable, "-c", "raise SystemExit('no')"])
    assert ran.fault == "exit 1: no"
    ran = driver.measured([sys.executable, "-c", "import time; time.sleep(60)"], limit=0.2)
    assert ran.late
    assert ran.wall < 30
    assert ran.fault == "over the limit of 0.2 s"


def test_a_process_on_a_terminal():
    code = "import sys; print(sys.stderr.isatty()); sys.stderr.write('bar' * 9999)"
    assert driver.measured([sys.executable, "-c", code], terminal=True).out == "True\n"


SCRIPTS = sorted((ROOT / "benchmarks").rglob("*.py"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_benchmark_finds_what_it_imports_of_scorer(path):
    taken = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.ImportFrom)]
    for statement in taken:
        if (statement.module or "").startswith("scorer"):
            module = importlib.import_module(statement.module)
            for alias in statement.names:
                if not hasattr(module, alias.name):  # a module that nothing has imported yet
                    importlib.import_module(f"{statement.module}.{alias.name}")


@pytest.mark.slow("a board of forty entries")
def test_the_board_of_a_benchmark_is_whole(tmp_path):
    board = load("board.py")
    folder = tmp_path / "c"
    folder.mkdir()
    board.challenge(folder)
    board.filled(folder, 40, teams=4)
    with board.Board.open(folder) as filled:
        assert set(filled.ledger.statuses().values()) == {"scored"}
        assert len(filled.entries()) == 40
        assert find_alterations(filled.evaluations) == []


def test_growth_is_told_for_ten_times_the_entries():
    rows = [{"a page": 2.0, "a list": 1.0}, {"a page": 2.0, "a list": 100.0}]
    *_, page, lists = load("board.py").table([100, 10_000], rows).splitlines()
    assert page == "| a page | 2.0 | 2.0 | 1.00 |"
    assert lists == "| a list | 1.0 | 100.0 | 10.00 |"


def test_sections_of_other_programs_stay_in_the_file_of_results(tmp_path):
    path = tmp_path / "results.md"
    path.write_text("# Measured\n\nold\n\n## Sets\n\nold\n\n## Serving\n\ntheirs\n")
    driver._write(["# Measured\n", "## Sets\n\nnew\n"], path)
    driver._write(["# Measured\n", "## Sets\n\nnewer\n"], path)
    assert path.read_text() == "# Measured\n\n## Sets\n\nnewer\n\n## Serving\n\ntheirs\n"


def test_rows_of_sets_have_a_cell_for_each_heading():
    head, line = driver.SETS_HEAD.splitlines()[-2:]
    run = driver.Ran(1.0, 1.0, 2.0**20, fault="exit 4")
    row = driver._row("tiny", "score", driver._peak([run]), *[""] * 4, "")
    assert head.count("|") == line.count("|") == row.count("|")
