"""What many files have alike is told once, with the first of them."""

import json

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
    assert [line.partition(".csv")[0][-2:] for line in lines] == ["s0", "er"]  # not q2 for q1
    first = ", ".join(str(path) for path in words[2:5])
    assert said.count(f"  the same in 5 more files: {first}, ... (--all)\n") == 1
    assert ran.code == (1 if rule == "error" else 0)


@pytest.mark.parametrize("verb", [[], ["check"]])
def test_of_few_files_and_with_all_each_is_told(score, many, verb):
    for count, words in ((3, []), (6, ["--all"])):
        ran = score(*verb, *many(count)[: count + 1], *words)
        said = ran.out if verb else ran.err
        assert said.count("S301] ") == count
        assert "the same in" not in said


def test_programs_are_told_of_each_file(score, many):
    ran = score("check", *many(6), "--format", "json")
    assert [len(each["problems"]) for each in json.loads(ran.out)["submissions"]] == [1] * 6
    assert score("check", *many(6), "--format", "github").out.count("::warning") == 6


def test_the_quiet_are_told_of_errors_of_many_files(score, many):
    assert "S301" not in score(*many(6), "--quiet").err
    assert score(*many(6, "error"), "--quiet").err.count("S301] ") == 1
