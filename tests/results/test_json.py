"""Results as data: one golden file a result, a JSON Schema of each, one set of rules."""

import json
import math
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from approximate import approximately
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds

from scorer import __version__
from scorer.core.problems import Findings, Problem
from scorer.results.json import (
    RESULTS,
    Internal,
    Numbers,
    ShownFindings,
    optional,
    schema,
    to_json,
    to_plain,
)

GOLDEN = Path(__file__).parents[1] / "golden"
SENT = ["submissions/alpha.csv", "submissions/beta.csv"]
COMMANDS = {
    "report": [".", *SENT, "submissions/broken.csv"],
    "findings": ["check", ".", "submissions/broken.csv", "submissions/delta.csv"],
    "comparison": ["compare", ".", *SENT],
    "explanation": ["explain", ".", SENT[0], "--list", "t01"],
    "soundness": ["lint", "."],
    "study": ["study", ".", *SENT, "submissions/gamma.csv", "submissions/delta.csv"],
    "votes": ["votes", "votes.csv", "--draws", "200"],
    "catalogue": ["metrics", "P"],
    "audit": ["audit", ".", "--at", "2026-01-03T00:00:00Z"],
    "log": ["log", ".", "--team", "red"],
    "rescoring": ["rescore", ".", "--dry-run"],
    "entry": ["add", ".", *SENT, "--team", "green", "--at", "2026-01-03T00:00:00Z"],
    "decision": [
        "decide",
        ".",
        "disqualify",
        "1",
        "--reason",
        "a test",
        "--at",
        "2026-01-03T00:00:00Z",
    ],
    "team": ["team", ".", "list"],
    "standing": ["why", ".", "red", "--at", "2026-01-03T00:00:00Z"],
    "verification": ["verify", "."],
}
# of a board with two entries
LIVING = ("audit", "log", "rescoring", "entry", "decision", "team", "standing", "verification")
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool,
         "number": (int, float), "null": type(None)}  # fmt: skip


@pytest.mark.slow("writes reports of every kind", beyond=2)
@pytest.mark.parametrize("name", list(RESULTS))
def test_a_result_is_what_it_was_and_keeps_to_its_schema(score, monkeypatch, tmp_path, name):
    monkeypatch.chdir(GOLDEN / "board")
    if name in LIVING:
        two_entries(score, monkeypatch, tmp_path)
    text = score(*COMMANDS[name], "--format", "json").out
    said = json.loads(re.sub('"receipt": "[0-9a-f]{64}"', '"receipt": "drawn with a salt"', text))
    described = score("schema", name).json()
    assert said["schema"].startswith(f"{name}/")
    assert described == schema(name)
    assert list(faults(said, described, described.get("$defs", {}))) == []
    if name != "report":  # whose golden file is that of the board
        golden = golden_of(name)
        assert said == approximately(golden)
        assert list(said) == list(golden)


def two_entries(score, monkeypatch, tmp_path):
    """A living board of the challenge, with two entries."""
    monkeypatch.setenv("SCORER_STORE", f"sqlite:///{tmp_path / 'board.db'}")
    monkeypatch.setenv("SCORER_FILES", str(tmp_path / "files"))
    for day, team in enumerate(("red", "blue"), start=1):
        sent = tmp_path / f"{team}.csv"
        sent.write_text(Path(SENT[0]).read_text() + "\n" * day)  # a copy in other bytes
        moment = f"2026-01-0{day}T00:00:00Z"
        assert score("add", ".", sent, "--team", team, "--at", moment).code == 0


@pytest.mark.slow("fills a board")
def test_a_living_board_keeps_to_the_schema_of_a_report(score, monkeypatch, tmp_path):
    monkeypatch.chdir(GOLDEN / "board")
    two_entries(score, monkeypatch, tmp_path)
    said = score("board", ".", "--format", "json").json()
    described = schema("report")
    assert list(faults(said, described, described.get("$defs", {}))) == []
    assert [*said][-4:] == ["notes", "scope", "split", "phase"]
    keys = ["entry", "team", "received", "entries", "answers"]
    assert [[*row][-5:] for row in said["leaderboard"]] == [keys] * len(said["leaderboard"])
    assert list(faults(said | {"split": 1}, described, described.get("$defs", {})))


def test_tokens_keep_to_the_schema_of_a_team(score, monkeypatch, tmp_path):
    monkeypatch.chdir(GOLDEN / "board")
    monkeypatch.setenv("SCORER_STORE", f"sqlite:///{tmp_path / 'board.db'}")
    monkeypatch.setenv("SCORER_FILES", str(tmp_path / "files"))
    described = schema("team")
    for *words, keys in (
        ("add", "green", ["schema", "team", "token"]),
        ("token", "--organizer", "--label", "anna", ["schema", "team", "token"]),
        ("list", ["schema", "teams"]),
        ("list", "green", ["schema", "team", "tokens"]),
        ("list", "--organizer", ["schema", "team", "tokens"]),
        ("revoke", "green", ["schema", "team", "revoked"]),
    ):
        said = score("team", ".", *words, "--format", "json").json()
        assert list(said) == keys
        assert list(faults(said, described, described["$defs"])) == []
    assert list(faults({"schema": "team/1", "revoked": "x"}, described, described["$defs"]))


@pytest.mark.parametrize(
    "change", [{"more": 1}, {"lists": "many"}, {"measures": [{}]}, {"kind": None}]
)
def test_a_schema_tells_what_is_no_result(change):
    described = schema("soundness")
    said = golden_of("soundness")
    assert list(faults(said, described, described.get("$defs", {}))) == []
    assert list(faults(said | change, described, described.get("$defs", {})))


def test_a_result_that_is_none_is_an_error(score):
    score("schema", "reprot").assert_exit(2, err="did you mean 'report'")


def test_no_number_is_null():
    record = {"a": (1.0, math.nan, math.inf), "b": np.array([[0.5, math.nan]])}
    assert to_plain(record) == {"a": [1.0, None, None], "b": [[0.5, None]]}
    assert json.loads(to_json(record))["a"] == [1.0, None, None]


TEXTS = st.sampled_from(["", 'a": [', ",\n {", "é"])
NESTED = st.recursive(
    st.none() | st.booleans() | TEXTS | st.integers(-5, 5) | st.floats(allow_nan=False, width=32),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
)


@rounds(300)
@given(NESTED.filter(lambda data: "inf" not in repr(data)))
def test_json_holds_the_data(data):
    assert json.loads(to_json(data)) == data
    assert to_plain(data) == data


def test_json_is_laid_out_as_python_does():
    data = {"a": [1, None, [], {}, {"b": ["é", True]}], "": {"c": "x"}}
    assert to_json(data) == json.dumps(data, ensure_ascii=False, indent=1)


def test_a_matrix_is_written_as_its_lists():
    numbers = np.array([[1e-9, 0.5], [math.nan, -math.inf], [-0.0, 1e22]])
    record = {"a": numbers, "b": numbers > 0, "c": np.empty((0, 2)), "d": np.arange(3)}
    rows = [[1e-9, 0.5], [None, None], [0.0, 1e22]]
    positive = [[True, True], [False, False], [False, True]]
    assert json.loads(to_json(record)) == {"a": rows, "b": positive, "c": [], "d": [0, 1, 2]}
    assert "-0" not in to_json(numbers[2])


@dataclass(frozen=True)
class Sample:
    """A result with a field of each sort."""

    values: Numbers
    findings: ShownFindings
    from_: str
    own: Internal[object]
    later: int = optional()


def test_internal_and_absent_fields_are_not_in_the_json(monkeypatch):
    problem = Problem("S101", "no", path="/home/a", line=2, cause="the truth is 1")
    findings = Findings()
    findings.add(problem)
    sample = Sample(np.array([1.0, math.nan]), findings, "x", own=object())
    plain = to_plain(sample)
    assert list(plain) == ["values", "findings", "from"]
    assert plain["values"] == [1.0, None]
    assert [row["code"] for row in plain["findings"]] == ["S101"]
    assert "the truth" not in to_json(sample)
    assert "/home/a" not in to_json(sample)
    assert to_plain(replace(sample, later=3))["later"] == 3

    monkeypatch.setitem(RESULTS, "sample", f"{__name__}:Sample")
    described = schema("sample")
    assert described["required"] == ["values", "findings", "from"]
    assert list(described["properties"]) == ["values", "findings", "from", "later"]
    assert list(faults(plain, described, described["$defs"])) == []


def golden_of(name):
    """A golden file, of this version."""
    text = (GOLDEN / "results" / f"{name}.json").read_text()
    return json.loads(text.replace("VERSION", __version__))


def faults(value, described, parts):
    """The faults of a value by its JSON Schema, for the words of it that are used here."""
    if "$ref" in described:
        described = parts[described["$ref"].rpartition("/")[2]]
    if "anyOf" in described:
        yield from min((list(faults(value, each, parts)) for each in described["anyOf"]), key=len)
    elif "type" in described and not isinstance(value, TYPES[described["type"]]):
        yield f"{value!r} is no {described['type']}"
    elif isinstance(value, dict) and "properties" in described:
        yield from described["required"] - value.keys()
        yield from value.keys() - described["properties"].keys()
        for key in value.keys() & described["properties"].keys():
            yield from faults(value[key], described["properties"][key], parts)
    elif isinstance(value, dict) and isinstance(described.get("additionalProperties"), dict):
        for each in value.values():
            yield from faults(each, described["additionalProperties"], parts)
    elif isinstance(value, list):
        first = described.get("prefixItems", [])
        for n, each in enumerate(value):
            kind = first[n] if n < len(first) else described.get("items", {})
            yield from faults(each, kind, parts)
