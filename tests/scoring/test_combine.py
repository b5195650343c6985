"""What measures say of lists, groups and other measures: every mistake at its line."""

import re

import pytest

from scorer.api.explain import explain
from scorer.api.kit import kit
from scorer.api.lint import lint
from scorer.challenge.load import load
from scorer.scoring.bind import bind
from scorer.scoring.open import open_challenge

HEAD = """\
truth: truth.csv
lists: {file: lists.csv, columns: {group: kind}}
submission: {missing_list: zero}
metrics:
"""
FINE = """\
  - {id: a, metric: R@2, group: x}
  - {id: b, metric: R@2, group: y}
"""
LISTS = "list,kind,domain,weight\nq1,x,u,1\nq2,x,v,2\nq3,y,u,2\nq4,y,u,2\n"
TRUTH = "list,item\nq1,d1\nq2,d1\nq2,d2\nq3,d3\nq4,d4\n"
RUN = "list,item,rank\nq1,d1,1\nq2,d2,1\nq3,d1,1\nq3,d3,2\nq4,d1,1\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "truth.csv").write_text(TRUTH)
    (tmp_path / "lists.csv").write_text(LISTS)
    (tmp_path / "run.csv").write_text(RUN)
    return tmp_path


def made(folder, measures, head=HEAD):
    path = folder / "challenge.yaml"
    path.write_text(head + measures)
    return open_challenge(bind(load(path)))


def test_weights_of_groups_are_those_of_their_lists(folder):
    (folder / "lists.csv").write_text(LISTS.replace("q2,x,v,2", "q2,x,v,1"))
    ready = made(folder, "  - {metric: R@2, average: [group], weights: weight}\n")
    assert ready.measures[0].id == "R@2 [group: by weight]"


def test_scores_of_scores(folder):
    measures = '  - {id: t, score: "100*s"}\n  - {id: s, score: "(a+b)/2"}\n' + FINE
    ready = made(folder, measures)
    assert [m.id for m in ready.measures] == ["t", "s", "a", "b"]
    assert ready.measures[0].range == (0, 100)
    assert ready.measures[0].metric.better == "higher"


def test_direction_is_derived_or_stated(folder):
    more = '  - {id: s, score: "1 - a"}\n  - {id: d, score: "a - b", better: lower}\n'
    ready = made(folder, FINE + more)
    assert [m.metric.better for m in ready.measures] == ["higher", "higher", "lower", "lower"]


SCORE = '  - {id: s, score: "0.25*a + 0.75*b", primary: true}\n'


def test_a_measure_asked_for_brings_its_parts(folder):
    path = folder / "challenge.yaml"
    path.write_text(HEAD + FINE + SCORE)
    asked = bind(load(path).with_metrics(["s"]))
    assert [m.id for m in asked.measures] == ["s", "a", "b"]
    assert asked.measures[0].primary


def test_explain_puts_the_values_in(folder):
    path = folder / "challenge.yaml"
    path.write_text(HEAD + FINE + SCORE)
    found = explain(path, folder / "run.csv", "q2")
    (score,) = (each for each in found.measures if each.measure.id == "s")
    *_, last = score.steps
    assert last.write_numbers("{:g}".format) == "0.25*0.75 + 0.75*0.5"  # (1 + 1/2) / 2; (1 + 0) / 2
    assert last.value == 0.25 * 0.75 + 0.75 * 0.5
    other = next(each for each in found.measures if each.measure.id == "b")
    assert "another group" in " ".join(other.notes)


def test_explain_names_the_groups(folder):
    path = folder / "challenge.yaml"
    path.write_text(HEAD + "  - {id: g, metric: R@2, average: group, aggregate: sum}\n")
    (found,) = explain(path, folder / "run.csv", "q2").measures
    assert found.counts_as == 0.5
    assert "x 0.75, y 0.5" in " ".join(found.notes)
    assert "1.25" in " ".join(found.notes)


@pytest.mark.slow("lints a challenge")
def test_lint_finds_the_ceiling(folder):
    path = folder / "challenge.yaml"
    path.write_text(
        HEAD + FINE + SCORE + "  - {id: g, metric: R@2, average: group, aggregate: sum}\n"
    )
    found = lint(load(path))
    perfect = {each.id: each.canaries["perfect"] for each in found.measures}
    assert (perfect["s"], perfect["g"]) == (1, 2)
    assert not [remark for remark in found.remarks if remark.severity == "error"]


def test_the_kit_keeps_what_it_can_compute(folder):
    path = folder / "challenge.yaml"
    path.write_text(
        HEAD + FINE + SCORE
        + "  - {id: w, metric: R@2, weights: weight}\n  - {id: t, score: 'w + a'}\n"
    )  # fmt: skip
    prepared = bind(load(path))
    packed = kit(prepared)
    assert packed.omitted_measures == ("w", "t")


def test_ids_that_are_no_words_stand_in_quotes(folder):
    score = """  - {id: s, score: "0.5*'R@2 [group]' + 0.5*P@1"}\n"""
    ready = made(folder, "  - {metric: R@2, average: group}\n  - P@1\n" + score)
    assert [part.id for part in ready.measures[2].parts] == ["R@2 [group]", "P@1"]
    assert re.search(r"R@2 \[group\]:\(R\|k:2", ready.measures[2].signature())


def test_a_measure_is_asked_for_by_the_heading_of_its_column(challenge, score):
    rows = "list,item\n" + "".join(f"q{n},a\n" for n in range(4))
    groups = "list,group\nq0,x\nq1,x\nq2,x\nq3,y\n"
    sent = "list,item,rank\nq0,a,1\nq1,b,1\nq2,b,1\nq3,a,1\n"
    files = {"truth.csv": rows, "lists.csv": groups, "one.csv": sent}
    yaml = "truth: truth.csv\nlists: lists.csv\nmetrics: [RR, {metric: P@1, average: group}]\n"
    folder = challenge(yaml, **files)
    ran = score(folder, folder / "one.csv", "-m", "P@1 [group]", "--format", "csv").assert_exit(0)
    assert ran.out.splitlines()[0].startswith("rank,name,P@1 [group],")
    assert ran.out.splitlines()[1].startswith("1,one,0.6666666666666")
    folder = challenge(yaml.replace("[RR,", "[P@2,"), **files)
    ran = score(folder, folder / "one.csv", "-m", "P@1 [group]")
    ran.assert_exit(2, err="write an id at it, and -m ID")


@pytest.mark.parametrize(
    ("formula", "told"),
    [("log(mae)", True), ("1 / mae", True), ("log(max(mae, 0.000000001))", False)],
)
def test_lint_tells_a_formula_without_a_value_for_the_perfect_file(challenge, score, formula, told):
    yaml = (
        "truth: {file: truth.csv, columns: {list: id, target: y}}\n"
        "submission: {columns: {list: id, prediction: y}}\n"
        f'metrics: [{{id: score, score: "{formula}"}}, {{id: mae, metric: MAE}}]\n'
    )
    ran = score("lint", challenge(yaml, **{"truth.csv": "id,y\n1,1\n2,2\n3,5\n"}))
    out = " ".join(ran.out.split())
    assert ("score has no value even for a perfect submission; it would rank last" in out) == told
    assert ("log(max(mae, 0.000000001))" in out) >= told
    assert ran.code == (2 if told else 0)
