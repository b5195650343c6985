"""A challenge's own metrics, and those of installed projects."""

import py_compile
import subprocess
import sys

import pytest

HEAD = "from scorer import Cutoff, Judged, Ranked, Floats, metric\nimport numpy as np\n"
ONE = (
    HEAD
    + """
@metric("Firsts", title="Grade at rank one", source="this test", range=(0, None))
def firsts(ranked: Ranked, *, k: Cutoff = 1) -> float:
    \"\"\"The first grades.\"\"\"
    return float(np.nansum(ranked.grades[:k]))
"""
)
MANY = (
    HEAD
    + """
@metric("Met", title="How many judged items were met", source="this test", range=(0, None))
def met(judged: Judged) -> Floats:
    \"\"\"Hits.\"\"\"
    return judged.hits.total()
"""
)
SUBMISSION = "list,item,score\nq1,a,3\nq1,x,2\nq2,c,2\nq2,a,1\n"


def challenge_with(challenge, plugin, metrics):
    yaml = f"truth: truth.csv\nmetrics: {metrics}\nplugins: [own.py]\n"
    return challenge(yaml, **{"own.py": plugin, "sub.csv": SUBMISSION})


def means(score, folder):
    """The means of a submission by an own metric."""
    ran = score(folder, folder / "sub.csv", "--format", "json", "--allow-plugins")
    return [*ran.means().values()]


@pytest.mark.parametrize(
    ("plugin", "metrics", "mean"),
    [
        (ONE, "[Firsts]", 1.0),
        (ONE, '["Firsts@2"]', 1.5),
        (MANY, "[Met]", 1.5),
        (ONE.replace('"Firsts"', '"nDCG"'), '["nDCG@2"]', 1.5),  # not ours of that name
        (ONE.replace('"Firsts"', '"MAP"'), "[MAP]", 1.0),  # which is an alias of ours
        (ONE.replace("range=(0, None)", 'range=(0, None), aliases=("P",)'), '["P@2"]', 1.5),
        (ONE.replace('"Firsts"', '"MAE"'), "[MAE]", 1.0),  # ours is of other kinds
    ],
)
def test_both_kinds_of_author(challenge, score, plugin, metrics, mean):
    assert means(score, challenge_with(challenge, plugin, metrics)) == [mean]


def test_a_plugin_is_run_only_when_allowed(challenge, score):
    folder = challenge_with(challenge, "raise SystemExit('ran')", "[P@1]")
    score(folder, folder / "sub.csv").assert_exit(2, err=["C116", "own.py", "--allow-plugins"])


@pytest.mark.parametrize(
    ("plugin", "said"),
    [
        (ONE.replace("return float", "1 / 0; return float"), "Firsts failed on list 'q1': ZeroDiv"),
        (
            ONE.replace("return float", "return 'x' or float"),
            "Firsts failed on list 'q1': it gave str",
        ),
        (ONE.replace("return float", "return -1.0 * float"), "its range is 0 to ∞"),
        (MANY.replace("judged.hits.total()", "np.zeros(7)"), "Met gave (7,); one number a list"),
        (MANY.replace("judged.hits.total()", "None"), "Met gave NoneType"),
        (
            ONE
            + MANY.replace('"Met"', '"Other"').replace('"this test"', '"", aliases=("Firsts",)'),
            "two metrics are called 'Firsts': in own.py and in own.py",
        ),
        (ONE.replace("range", 'aggregate="pooled", range'), "is pooling='default', or 'always'"),
        (ONE.replace("range", 'pooling="yes", range'), "Firsts: pooling is one of 'by result'"),
        (ONE.replace("range", "polled=True, range"), "unexpected keyword argument 'polled'"),
        (ONE.replace("ranked: Ranked", "ranked"), "needs the type of what it looks at"),
        (ONE.replace("ranked: Ranked", "ranked: 'Rankd'"), "NameError: name 'Rankd' is not"),
        ("import nowhere_to_be_found", "own.py' cannot be loaded: ModuleNotFoundError"),
        ("x = 1", "own.py' defines no metric"),
    ],
)
def test_a_plugin_at_fault_is_named(challenge, score, plugin, said):
    metric = "nDCG" if "nDCG" in plugin else "Met" if "Met" in plugin else "Firsts"
    folder = challenge_with(challenge, plugin, f"[{metric}]")
    ran = score(folder, folder / "sub.csv", "--allow-plugins").assert_exit(4, err=said)
    assert "Traceback" not in ran.err
    assert len(ran.err.splitlines()) <= 2


TABLE = (
    HEAD
    + """
from scorer import Ratio, Targets
@metric("Mine", title="x", source="x", range=(0, None), better="lower", columns=("prediction",))
def mine(view: Targets) -> Ratio:
    \"\"\"Errors over targets.\"\"\"
    return Ratio(view.total(np.abs(view.error)), view.total(view.target))
"""
)


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [("", (1 / 2 + 3 / 4) / 2), ("pooling='always', ", 4 / 6), ("pooling='default', ", 4 / 6)],
)
def test_a_ratio_of_the_rows_of_a_table_is_pooled_where_it_says_so(
    challenge, score, pooling, expected
):
    folder = challenge_with(challenge, TABLE.replace("range", f"{pooling}range"), "[Mine]")
    (folder / "truth.csv").write_text("list,target\na,2\nb,4\n")
    (folder / "sub.csv").write_text("list,prediction\na,1\nb,1\n")
    assert means(score, folder) == [pytest.approx(expected)]
    (folder / "challenge.yaml").write_text(
        "truth: truth.csv\nmetrics: ['Mine(average=pooled)']\nplugins: [own.py]\n"
    )
    ran = score(folder, folder / "sub.csv", "--allow-plugins")
    assert "Mine has no parameter 'average' (it has none)" in ran.err


@pytest.mark.slow("installs a package")
def test_the_file_runs_and_not_a_cache_beside_it(challenge, tmp_path, installed):
    folder = challenge_with(challenge, ONE, "[Firsts]")
    other = tmp_path / "other.py"
    other.write_text(ONE.replace("np.nansum(ranked.grades[:k])", "99"))
    cache = folder / "__pycache__" / f"own.{sys.implementation.cache_tag}.pyc"
    py_compile.compile(
        str(other), cache, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )
    before = sorted(folder.rglob("*"))
    assert means(installed, folder) == [1.0]
    assert sorted(folder.rglob("*")) == before  # and no cache is written


def test_a_plugin_changes_nothing_for_other_challenges(challenge, score):
    folder = challenge_with(challenge, ONE, "[Firsts]")
    assert score(folder, folder / "sub.csv", "--allow-plugins").code == 0
    (folder / "challenge.yaml").write_text("truth: truth.csv\nmetrics: [Firsts]\n")
    score(folder, folder / "sub.csv").assert_exit(2, err="C113")


def test_a_name_of_ours_that_a_plugin_takes_is_noted(challenge, score):
    folder = challenge_with(challenge, ONE.replace('"Firsts"', '"nDCG"'), "[nDCG, AP]")
    ran = score("lint", folder, "--allow-plugins", "--all")
    assert "nDCG is the one of own.py, in place of scorer's own" in " ".join(ran.out.split())
    assert "AP is the one" not in ran.out


def test_ours_answers_to_its_other_names_where_a_plugin_takes_one(challenge, score):
    folder = challenge_with(challenge, ONE.replace('"Firsts"', '"MAP"'), "[MAP, AP]")
    assert means(score, folder) == [1.0, 0.5]


def install(folder, code, group="scorer.metrics"):
    """A project whose only module is an entry point of the group, as installers lay it down."""
    (folder / "acme.py").write_text(code)
    facts = folder / "acme-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(f"[{group}]\nfirsts = acme\n")


@pytest.mark.slow("starts processes")
@pytest.mark.parametrize(
    ("code", "metric", "exit_code", "said"),
    [
        (ONE, "firsts", 0, "Grade at rank one"),
        (
            ONE.replace('"Firsts"', '"nDCG"'),
            "nDCG",
            4,
            "two metrics are called 'nDCG': in scorer.metrics.gains and in acme",
        ),
        ("import nowhere_to_be_found", "nDCG", 4, "'firsts' (acme)"),
    ],
)
def test_an_installed_project_adds_metrics_and_takes_no_name(
    tmp_path, code, metric, exit_code, said
):
    install(tmp_path, code)
    program = f"from scorer.cli.main import run; exit(run(['metrics', '{metric}']))"
    ended = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == exit_code
    assert said in ended.stdout + ended.stderr


@pytest.mark.parametrize("group", ["scorer.checks", "scorer.audits", "scorer.formats"])
def test_an_installed_check_or_format_is_ignored_and_lint_says_so(
    challenge, score, tmp_path, monkeypatch, group
):
    folder = challenge("truth: truth.csv\nmetrics: [P@1]\n", **{"sub.csv": SUBMISSION})
    assert "is ignored" not in score("lint", folder, "--all").out
    install(tmp_path, "raise SystemExit('ran')", group)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert score(folder, folder / "sub.csv").code == 0
    ran = score("lint", folder, "--all").assert_exit(0)
    assert (
        f"the installed plugin firsts (acme) of {group} is ignored: "
        "installed projects add metrics alone"
    ) in " ".join(ran.out.split())
