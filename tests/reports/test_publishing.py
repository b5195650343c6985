"""What may be published: nothing of the truth, of baselines' files, of the machine."""

import hashlib
import json
import re

import pytest

from scorer.reports.base import report_formats
from scorer.results.explanation import EXPLAINED
from scorer.results.json import LINTED, PRIVATE

PLATFORMS = {each.name for each in report_formats("leaderboard") if each.public} - {"grades"}
BOARDS = sorted({each.name for each in report_formats("leaderboard")} - PLATFORMS - {"grades"})
COMPARISONS = sorted({each.name for each in report_formats("comparison")} - {"jsonl"})


@pytest.fixture
def folder(challenge):
    """A truth with rows given twice, an oracle as baseline, submissions that differ."""
    truth = [f"q{q},truth-item-{q},7" for q in range(8)]
    rows = [f"q{q},made-{q},1" for q in range(8)]
    files = {
        "truth.csv": "\n".join(["list,item,grade", *truth, *truth, *rows]),
        "oracle.csv": "\n".join(["list,item,odd", *(f"q{q},truth-item-{q},x" for q in range(8))]),
        "good.csv": "\n".join(
            ["list,item", *(f"q{q},{'truth-item' if q % 3 else 'made'}-{q}" for q in range(8))]
        ),
        "fair.csv": "\n".join(["list,item", *(f"q{q},made-{q}" for q in range(8))]),
        "bad.csv": "list,item\nq0,a\nq0,a\n",
    }
    yaml = (
        "title: One\ntruth: truth.csv\nmetrics: [ERR@5, nDCG@5]\n"
        "leaderboard: {baselines: [oracle.csv]}\n"
    )
    return challenge(yaml, **files)


def board(score, folder, form, *words):
    sent = [folder / name for name in ("good.csv", "fair.csv", "bad.csv")]
    return score(folder, *sent, "--format", form, *words)


def compared(score, folder, form, *words):
    return score("compare", folder, folder / "good.csv", folder / "fair.csv", "--format", form,
                 *words)  # fmt: skip


def secrets(folder):
    return {
        "the digest of a baseline": hashlib.sha256(
            (folder / "oracle.csv").read_bytes()
        ).hexdigest(),
        "an item of the truth": "truth-item-",
        "the folder": str(folder),
        "the highest grade": "max_grade:7",
    }


@pytest.mark.slow("writes a report a row", beyond=2)
@pytest.mark.parametrize("form", BOARDS)
def test_a_report_holds_nothing_secret(score, folder, form):
    ran = board(score, folder, form)
    assert ran.code == 1, ran
    found = {what for what, text in secrets(folder).items() if text in ran.out}
    # a mark at a line of a file needs the path by which the run was given it
    assert found <= ({"the folder"} if form == "github" else set())
    assert PRIVATE not in ran.out
    if form == "github":
        assert str(folder / "oracle.csv") not in ran.out
    else:  # what is wrong is still said to organizers, on stderr
        assert "T304" in ran.err


@pytest.mark.parametrize("form", COMPARISONS)
def test_a_comparison_holds_nothing_secret(score, folder, form):
    ran = compared(score, folder, form)
    assert ran.code == 0, ran
    assert [what for what, text in secrets(folder).items() if text in ran.out] == []
    assert PRIVATE not in ran.out


def test_warnings_about_the_challenge_are_counted(score, folder):
    told = json.loads(board(score, folder, "json").out)
    assert [(each["code"], each["message"]) for each in told["notes"]] == [
        ("T304", "in 8 places; score lint shows them")
    ]
    assert all(each["item"] is None and each["list"] is None for each in told["notes"])
    page = board(score, folder, "html").out
    assert "warning[T304] in 8 places; score lint shows them" in page


def test_json_keeps_its_keys(score, folder):
    told = json.loads(board(score, folder, "json").out)
    assert list(told)[:3] == ["schema", "scorer", "challenge"]
    by_name = {each["name"]: each for each in told["submissions"]}
    assert {each["path"] for each in by_name.values()} == {
        "good.csv", "fair.csv", "bad.csv", "oracle.csv",
    }  # fmt: skip
    good = (folder / "good.csv").read_bytes()
    assert by_name["good"]["sha256"] == hashlib.sha256(good).hexdigest()
    assert by_name["oracle"]["sha256"] is None
    (err, ndcg) = told["measures"]
    assert err["params"]["max_grade"] is None
    assert "|max_grade:truth|" in err["signature"]
    assert "max_grade" not in ndcg["signature"]


def test_a_grade_that_the_challenge_says_is_said(score, folder):
    told = json.loads(board(score, folder, "json", "-m", "ERR(max_grade=9)@5").out)
    assert told["measures"][0]["params"]["max_grade"] == 9
    assert "|max_grade:9|" in told["measures"][0]["signature"]


OF_THE_TRUTH = ["ERR", "nERR@3", "iRBU", "SDCG@2", "BPM@3", "INST", "INSQ", "NERR8@2"]


@pytest.mark.parametrize(
    "key", ["average: g", "aggregate: median", "weights: w", "where: g == 'x'"]
)
def test_measures_of_the_highest_grade_combine_without_telling_it(challenge, score, key):
    metrics = "".join(f"- {{metric: {name}, {key}}}\n" for name in OF_THE_TRUTH)
    declared = "- {metric: ERR@9, max_grade: 8, average: g}\n"
    formula = "- ERR@1\n- {id: formula, score: ERR@1 + 1}\n"
    folder = challenge(
        f"truth: truth.csv\nlists: lists.csv\nmetrics:\n{metrics}{declared}{formula}",
        **{
            "truth.csv": "list,item,grade\nq1,a,7\nq2,b,1\nq3,c,1\n",
            "lists.csv": "list,g,w\nq1,x,1\nq2,x,2\nq3,y,1\n",
            "run.csv": "list,item\nq1,a\nq2,b\nq3,d\n",
        },
    )
    told = score(folder, folder / "run.csv", "--format", "json").json()
    *hidden, of_eight, _, composed = told["measures"]
    assert [each["params"]["max_grade"] for each in hidden] == [None] * len(OF_THE_TRUTH)
    assert of_eight["params"]["max_grade"] == 8
    assert "|max_grade:8|" in of_eight["signature"]
    assert "|max_grade:truth|" in composed["signature"]
    assert "max_grade:7" not in json.dumps(told)
    if key == "average: g":  # 127/128 and 1/128 in one group, 0 in the other
        assert told["submissions"][0]["values"]["ERR [g]"]["mean"] == 0.25


@pytest.mark.slow("writes a report a row", beyond=1)
@pytest.mark.parametrize("precision", [0, 2, 4])
def test_a_page_holds_no_digit_that_it_does_not_show(score, folder, precision):
    for ran in (
        board(score, folder, "html", "--precision", precision),
        compared(score, folder, "html", "--precision", precision),
    ):
        numbers = re.findall(r'data-sort="[+-]?\d+\.(\d+)"', ran.out)
        assert numbers or precision == 0
        # an effect size has two decimals, a p-value four, whatever the others have
        assert max(map(len, numbers), default=0) <= max(precision, 4)
        if precision == 2 and ran.out.count("Leaderboard"):
            assert {len(each) for each in numbers} == {2}


@pytest.mark.slow("writes a report a row", beyond=2)
@pytest.mark.parametrize("form", sorted(PLATFORMS))
@pytest.mark.parametrize("words", [(), ("--private",)])
def test_a_platform_is_told_nothing_secret(score, folder, form, words):
    for name in ("good.csv", "bad.csv"):
        ran = score(folder, folder / name, "--format", form, *words).assert_exit(name == "bad.csv")
        assert [what for what, text in secrets(folder).items() if text in ran.out] == []


@pytest.mark.slow("writes a report a row", beyond=2)
@pytest.mark.parametrize("form", BOARDS)
def test_a_private_report_says_so_first(score, folder, form):
    ran = board(score, folder, form, "--private")
    shown = ran.out
    if form == "csv":
        assert "private_path" in shown.splitlines()[0]
    elif form == "html":
        assert 0 < shown.index(PRIVATE) < shown.index("<nav")
    elif form == "github":
        assert PRIVATE in shown.splitlines()[-1]
    else:
        assert PRIVATE in shown.splitlines()[0 if form != "json" else 1]


def test_a_private_report_holds_what_organizers_need(score, folder):
    told = json.loads(board(score, folder, "json", "--private").out)
    by_name = {each["name"]: each for each in told["submissions"]}
    oracle = secrets(folder)["the digest of a baseline"]
    assert by_name["oracle"]["sha256"] == oracle
    assert by_name["bad"]["path"] == str(folder / "bad.csv")
    assert next(each["item"] for each in told["notes"]) == "truth-item-0"
    assert "|max_grade:7|" in told["measures"][0]["signature"]
    page = board(score, folder, "html", "--private").out
    for what in secrets(folder).values():
        assert what in page
    files = json.loads(compared(score, folder, "json", "--private").out)["submissions"]
    assert [each["path"] for each in files][:2] == [
        str(folder / "good.csv"),
        str(folder / "fair.csv"),
    ]
    rows = board(score, folder, "csv", "--private").out
    assert oracle in rows
    assert str(folder / "bad.csv") in rows


def told_first(form, text, notice):
    """Whether a text begins with a notice that it is private."""
    if form == "csv":
        return text.startswith("private_")
    if form == "html":
        return 0 < text.index(notice) < text.index("<nav")
    return notice in "\n".join(text.splitlines()[:2])


@pytest.mark.parametrize("form", sorted(each.name for each in report_formats("explanation")))
def test_an_explanation_says_that_it_is_for_organizers(score, folder, form):
    ran = score("explain", folder, folder / "good.csv", "--list", "q0", "--format", form)
    assert ran.code == 0, ran
    assert told_first(form, ran.out, EXPLAINED)


@pytest.mark.slow("writes reports of every kind", beyond=1)
@pytest.mark.parametrize("form", sorted(each.name for each in report_formats("soundness")))
def test_lint_says_that_it_is_for_organizers(score, folder, form):
    ran = score("lint", folder, "--format", form)
    assert told_first(form, ran.out, LINTED)


def test_a_kit_explains_nothing(score, folder, tmp_path):
    kit = tmp_path / "kit.zip"
    assert score("kit", folder, "-o", kit).code == 0
    ran = score("explain", kit, folder / "good.csv", "--list", "q0").assert_exit(2)
    assert not ran.out


def test_the_signature_of_ranks_hides_what_those_of_its_measures_hide(challenge, score):
    files = {
        "truth.csv": "list,item,grade\nq1,a,7\nq1,b,2\n",
        "x.csv": "list,item,score\nq1,a,2\n",
        "y.csv": "list,item,score\nq1,b,2\n",
    }
    rank_by = "{measures: [ERR, P@2], aggregate: WinRate, each: list}"
    yaml = f"truth: truth.csv\nmetrics: [ERR, P@2]\nleaderboard: {{rank_by: {rank_by}}}\n"
    folder = challenge(yaml, **files)
    ran = score(folder, folder / "x.csv", folder / "y.csv", "--format", "json")
    assert "|max_grade:truth|" in json.loads(ran.out)["measures"][0]["signature"]
    assert "max_grade:7" not in ran.out
