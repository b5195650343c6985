"""Challenges of every kind with a submission each: its values, its problems, or why not.

cases.yaml, and refused.yaml for challenges that are refused, have groups of cases that have most of
a challenge in common. A case can replace keys of the challenge, or leave them out (null), and
files; the submission is sub.csv. It has one of:

values: The mean of each measure, or `*` for the mean of the first; the submission is valid.
codes: The codes of the submission's errors.
problems: All of its problems, as "severity code line: message"; with or without values.
errors: Beginnings of some of its errors, as "line code message".
refused: What is said of the challenge, with exit code 2.
"""

import json
from pathlib import Path

import pytest
import yaml

GROUPS = [
    group
    for page in ("cases.yaml", "refused.yaml")
    for group in yaml.safe_load(Path(__file__).with_name(page).read_text(encoding="utf-8"))
]
CASES = {
    case["name"]: case
    | {part: group.get(part, {}) | case.get(part, {}) for part in ("challenge", "files")}
    for group in GROUPS
    for case in group["cases"]
}


def test_each_case_has_a_name_of_its_own():
    assert len(CASES) == sum(len(group["cases"]) for group in GROUPS)


@pytest.mark.parametrize("name", CASES)
def test_cases(challenge, score, name):
    case = CASES[name]
    # A key a line, since some messages have a line of the challenge.
    keys = (f"{key}: {json.dumps(x)}\n" for key, x in case["challenge"].items() if x is not None)
    folder = challenge("".join(keys), **case["files"])
    ran = score(folder, folder / "sub.csv", "--format", "json", "-q")
    assert "Traceback" not in ran.err
    if "refused" in case:
        assert ran.code == 2, ran
        assert all(words in ran.err for words in case["refused"]), ran.err
        return
    (submission,) = json.loads(ran.out)["submissions"]
    problems = submission["problems"]
    errors = [p for p in problems if p["severity"] == "error"]
    if "problems" in case:
        texts = [f"{p['severity']} {p['code']} {p['line']}: {p['message']}" for p in problems]
        assert texts == case["problems"]
    if "values" not in case:
        assert (ran.code, submission["valid"]) == (1, False), ran
        texts = [f"{p['line']} {p['code']} {p['message']}" for p in errors]
        assert [p["code"] for p in errors] == case.get("codes", [p["code"] for p in errors]), texts
        for words in case.get("errors", ()):
            assert any(text.startswith(words) for text in texts), texts
        return
    assert (ran.code, errors) == (0, []), ran
    means = {name: value["mean"] for name, value in submission["values"].items()}
    for name, mean in case["values"].items():
        found = means[name] if name != "*" else next(iter(means.values()))
        assert found == (None if mean is None else pytest.approx(mean, rel=1e-9, abs=1e-11))
