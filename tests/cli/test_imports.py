"""What each command may import of the modules that take long to load."""

import subprocess
import sys

import pytest
from conftest import ROOT

from scorer.core.registry import discover
from scorer.metrics.base import Metric

HEAVY = (
    "jinja2",
    "numpy",
    "numpy.ma.core",  # of numpy.ma a command imports what polars asks for, unless there is more
    "pandas",
    "polars",
    "pydantic.main",
    "importlib.metadata",  # where an installed project extends this one
    "rich.table",
    "scipy",
    "selenium",
    "backports.zstd",
)
VLNET = str(ROOT / "challenges/vlnet-2011")
SENT = str(ROOT / "submissions_example/vlnet-2011/good/team_a.lists")
OTHER = str(ROOT / "submissions_example/vlnet-2011/good/perfect.lists")
HIVEMALL = "hivemall-binary"
PLAIN = str(ROOT / "challenges" / HIVEMALL)
RUN = str(next((ROOT / "submissions_example" / HIVEMALL / "good").iterdir()))
TREC = str(ROOT / "challenges/trec")  # its truth is in no order
TREC_RUN = str(next((ROOT / "submissions_example/trec/good").iterdir()))
TITANIC = str(ROOT / "challenges/gallery/titanic")
TITANIC_SENT = str(next((ROOT / "submissions_example/gallery/titanic/good").iterdir()))
SCORES = {"numpy", "pydantic.main"}
HTML = {*SCORES, "jinja2", "numpy.ma.core", "importlib.metadata"}  # with formulas
SCIPY = {"scipy", "numpy.ma.core", "importlib.metadata"}  # the first imports the others


@pytest.mark.slow("starts processes", beyond=2)
@pytest.mark.parametrize(
    ("words", "allowed"),
    [
        (["--version"], set()),
        (["--help"], set()),
        (["rule", "S304"], {"pydantic.main"}),  # typer's own, for the words of a command
        (["schema"], {"pydantic.main"}),
        (["metrics"], SCORES),
        (["metrics", "nDCG"], {*SCORES, "rich.table"}),  # with a worked example
        (["check", VLNET, SENT], SCORES),
        ([PLAIN, RUN], {*SCORES, "rich.table"}),
        ([PLAIN, RUN, "--format", "json"], SCORES),
        ([PLAIN, RUN, "--format", "csv"], SCORES),
        ([TREC, TREC_RUN, "--format", "json"], SCORES),
        ([PLAIN, RUN, "--format", "html"], HTML),
        # two to be told apart: what the lists could detect is asked of scipy
        ([VLNET, SENT, "--format", "json"], {*SCORES, *SCIPY}),
        (["explain", VLNET, SENT, "--list", "s1", "--format", "json"], SCORES),
        (["compare", VLNET, SENT, OTHER, "--format", "jsonl"], {*SCORES, "rich.table", *SCIPY}),
    ],
    ids=lambda value: (
        " ".join(w.rsplit("/", 1)[-1] for w in value) if isinstance(value, list) else ""
    ),
)
def test_a_command_loads_only_what_it_needs(words, allowed):
    assert loaded(words) & {*HEAVY} <= allowed


@pytest.mark.slow("starts processes")
@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ([VLNET, SENT, "--format", "json"], {"marp", "ndcg", "p"}),
        ([TITANIC, TITANIC_SENT, "--format", "json"], {"labels.accuracy"}),
    ],
    ids=["lists", "a table"],
)
def test_only_the_metrics_that_a_challenge_names_are_loaded(words, wanted):
    metrics = set(discover("metric", "scorer.metrics", Metric).origins.values())
    assert metrics & loaded(words) == {f"scorer.metrics.{name}" for name in wanted}


UNWRITTEN = {  # what a challenge of two keys and a file of ranked lists do without
    *(
        f"scorer.challenge.{name}"
        for name in ("given", "grading", "key_files", "phases", "rank_by")
    ),
    *(f"scorer.formats.{name}" for name in ("csv", "json", "jsonl", "documents", "lists")),
    *("numpy.ma", "numpy.random"),
}


@pytest.mark.slow("starts processes")
@pytest.mark.parametrize("verb", [[], ["check"]])
def test_what_is_not_written_is_not_loaded(verb, tmp_path):
    folder = small(tmp_path)
    assert (
        loaded([*verb, f"{folder}/c.yaml", f"{folder}/run", "--format", "json"]) & UNWRITTEN
        == set()
    )


@pytest.mark.slow("starts processes", beyond=1)
@pytest.mark.parametrize(("odd", "polars"), [("", False), ("# one line that is not plain\n", True)])
def test_a_file_of_plain_lines_is_read_without_polars(odd, polars, tmp_path):
    """Some MiB of them are cut in less time than polars takes to be imported."""
    folder = small(tmp_path)
    lines = (f"q{n % 3 * 2} Q0 document-{n} 1 {n} tag\n" for n in range(80_000))
    (folder / "big").write_text("".join([odd, *lines]))
    modules = loaded([f"{folder}/c.yaml", f"{folder}/big", "--format", "json"])
    assert ("polars" in modules) == polars


def small(folder):
    """A challenge of two keys, in TREC's form, and a run."""
    (folder / "c.yaml").write_text(
        "truth: {file: qrels, format: trec}\nmetrics: [nDCG@10, AP]\n"
        "submission: {format: trec, missing_list: zero, unknown_list: ignore}\n"
    )
    (folder / "qrels").write_text("q0 0 d0 1\nq2 0 d1 1\n")
    (folder / "run").write_text("q0 Q0 d0 1 2.0 tag\nq2 Q0 d9 1 1.0 tag\n")
    return folder


@pytest.mark.slow("starts a process")
def test_an_alias_is_found_among_all_of_them():
    assert {"scorer.metrics.ap", "scorer.metrics.gini"} <= loaded(["metrics", "MAP"])


@pytest.mark.slow("scores a large file", beyond=1)
def test_a_large_file_is_scored_without_masked_arrays(challenge):
    """To import them takes longer than to give polars some thousand numbers one by one."""
    lists, items = [f"q{n}" for n in range(60)], [f"item-{n:07}" for n in range(1200)]
    truth = "".join(f"{name},{item},1\n" for name in lists for item in items[::3])
    rows = [
        f"{name},{item},{n // (1 + (name < 'q2'))}.000001\n"
        for name in lists
        for n, item in enumerate(items)
    ]
    folder = challenge(
        "truth: truth.csv\nmetrics: [AP]\n",
        **{
            "truth.csv": f"list,item,grade\n{truth}",
            "sent.csv": "list,item,score\n\n" + "".join(rows),  # a line that is not plain
        },
    )
    modules = loaded([str(folder), str(folder / "sent.csv"), "--format", "json"])
    assert ("polars" in modules, "numpy.ma" in modules) == (True, False)


def loaded(words):
    """The modules that the command of these words has imported when it ends."""
    code = (
        "import sys\n"
        "from scorer.cli.main import run\n"
        f"run({words!r})\n"
        "print(*sys.modules, file=sys.stderr)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(ended.stderr.splitlines()[-1].split())
