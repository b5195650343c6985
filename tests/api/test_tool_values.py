"""Files of evaluation tools as values: named systems, chosen values, rules."""

import pytest

from scorer.api.submissions import Named
from scorer.api.tool_values import tool_values
from scorer.core.errors import UsageError

RUN = (
    '<testsuite><testcase classname="t.a" name="x" time="1"/>'
    '<testcase classname="t.b" name="y" time="2">{}</testcase></testsuite>'
)


@pytest.fixture
def runs(tmp_path):
    """Two systems whose files have one name, and a table of other values."""
    for name, inside in (("old", "<failure/>"), ("new", "<error/>")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "junit.xml").write_text(RUN.format(inside))
    (tmp_path / "table.csv").write_text("case,dice\na,1\n")
    (tmp_path / "many.csv").write_text("alg_name,case,value\nA,1,2\nB,1,3\n")
    return tmp_path


def of(runs, *names, **said):
    files = [Named(name, runs / path) for name, path in (each.split("=") for each in names)]
    return tool_values(runs / "made", files, **said)


def test_a_name_stands_for_a_file_that_has_none(runs):
    challenge, systems, note = of(runs, "A=old/junit.xml", "B=new/junit.xml")
    assert [each.name for each in systems] == ["A", "B"]
    assert [path.name for path in sorted((runs / "made/systems").iterdir())] == ["A.csv", "B.csv"]
    assert {name: value.better for name, value in challenge.submission.given.items()} == {
        "passed": "higher", "seconds": "lower"
    }  # fmt: skip
    assert note == "taken for files of JUnit XML: 2 systems, 2 cases, ranked by passed"


def test_values_are_chosen_and_rules_kept(runs):
    rules = {"missing_list": "zero", "title": "Runs", "leaderboard": {"draws": 50}}
    challenge, _, _ = of(runs, "A=old/junit.xml", values=["seconds"], rules=rules)
    assert list(challenge.submission.given) == ["seconds"]
    assert (challenge.submission.missing_list, challenge.title) == ("zero", "Runs")
    assert challenge.leaderboard.draws == 50
    assert (runs / "made/systems/A.csv").read_text() == "case,seconds\nt.a::x,1.0\nt.b::y,2.0\n"


@pytest.mark.slow("scores two boards")
def test_score_values_reads_them(runs, score):
    said = score("values", f"A={runs}/old/junit.xml", f"B={runs}/new/junit.xml", "--format", "csv")
    assert said.code == 0, said
    assert "taken for files of JUnit XML: 2 systems, 2 cases, ranked by passed" in said.err
    assert [line.split(",")[:3] for line in said.out.splitlines()[1:]] == [
        ["1", "A", "0.5"], ["1", "B", "0.5"]
    ]  # fmt: skip
    columns = score("values", runs / "many.csv", "--system", "alg_name", "--format", "csv")
    assert "taken for files of" not in columns.err  # what is said of columns is of a table


def test_other_files_are_not_taken(runs):
    assert of(runs, "table=table.csv") is None


@pytest.mark.parametrize(
    ("names", "said", "told"),
    [
        (["A=old/junit.xml", "table=table.csv"], {}, "table.csv'?: no results of a tool that is"),
        (["old=old", "new=new"], {}, "case 't.a::x' of 'junit' is in .*old/junit.xml, too"),
        (["A=old"], {"values": ["pased"]}, "called 'pased'; did you mean 'passed'?"),
        (["A=old"], {"lower": ["cost"]}, "called 'cost' .there are 'passed', 'seconds'."),
    ],
)
def test_what_does_not_go_together_is_refused(runs, names, said, told):
    with pytest.raises(UsageError, match=told):
        of(runs, *names, **said)
