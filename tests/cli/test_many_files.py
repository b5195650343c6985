"""What many files have alike is told once, with the first of them."""

import json
import re

import pytest

GOOD = "list,item\nq1,a\nq1,b\nq2,a\nq2,c\n"
FEWER = "list,item\nq1,a\nq1,b\n"
YAML = "truth: truth.csv\nmetrics: [P@2]\nsubmission: {missing_list: %s}\n"


@pytest.fixture
def many(challenge):
    def made(count, rule="zero", **others):
        files = {f"s{n}.csv": f"{FEWER}q1,i{n}\n" for n in range(count)}
        folder = challenge(YAML % rule, **files, **others)
        return [folder, *(folder / name for name in (*files, *others))]

    return made


@pytest.mark.parametrize("verb", [[], ["check"]])
@pytest.mark.parametrize("rule", ["zero", "error"])
def test_the_same_problem_of_many_files_is_told_once(score, many, verb, rule):
    words = many(6, rule, **{"other.csv": "list,item\nq2,a\nq2,c\n"})
    ran = score(*verb, *words)
    said = ran.out if verb else ran.err
    lines = [line for line in said.splitlines() if "S301] " in line]
    severity = "error" if rule == "error" else "warning"
    assert lines == [f"{severity}[S301] in 7 files: 1 of 2 lists is missing: 'q2', ..."]
    first = ", ".join(str(path) for path in words[1:4])
    assert said.count(f"  in {first} and 4 more (--all)\n") == 1
    assert ran.code == (1 if rule == "error" else 0)


def test_numbers_that_differ_between_files_are_a_range(score, challenge):
    files = {
        f"s{n}.csv": "list,item,score\n" + "".join(f"q1,i{k},{max(k, n)}\n" for k in range(12))
        for n in (7, 8, 9, 10)
    }
    folder = challenge(YAML % "zero", **files)
    said = score("check", folder, *(folder / name for name in files)).out
    assert re.search(r"^warning\[S409\] in 4 files: 6\d to 9\d % of the scores tie", said, re.M)


@pytest.mark.parametrize("verb", [[], ["check"]])
def test_of_few_files_and_with_all_each_is_told(score, many, verb):
    for count, words in ((3, []), (6, ["--all"])):
        ran = score(*verb, *many(count)[: count + 1], *words)
        said = ran.out if verb else ran.err
        assert said.count("S301] ") == count
        assert " files: " not in said.replace("files would", "")


def test_problems_of_a_file_stand_below_its_path_the_cause_first(score, challenge):
    rows = "q0,a,1\nq1,b,1\nq2,a,1\nq2,b,1\n"
    text = (YAML % "zero").replace("{missing", "{length: 2, missing")
    folder = challenge(text, **{"s.csv": f"list,item,score\n{rows}"})
    lines = score(folder, folder / "s.csv").err.splitlines()
    assert lines[0] == f"{folder / 's.csv'}:"
    codes = [re.search(r"^  (?:\S+: )?error\[(\w+)\]", line) for line in lines[1:]]
    assert [code[1] for code in codes if code] == ["S302", "S401", "S401"]
    assert "unknown_list" not in "\n".join(lines)  # a participant cannot write that


def test_programs_are_told_of_each_file(score, many):
    ran = score("check", *many(6), "--format", "json")
    assert [len(each["problems"]) for each in json.loads(ran.out)["submissions"]] == [1] * 6
    assert score("check", *many(6), "--format", "github").out.count("::warning") == 6


def test_the_quiet_are_told_of_errors_of_many_files(score, many):
    assert "S301" not in score(*many(6), "--quiet").err
    assert score(*many(6, "error"), "--quiet").err.count("S301] ") == 1
