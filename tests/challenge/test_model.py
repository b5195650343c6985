"""challenge.yaml: what it becomes, and what is said of one that is wrong."""

from __future__ import annotations

import json
import os
import pickle
import re
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from rounds import rounds
from tables import rows

from scorer.challenge.leaderboard import RankBy, Tiers
from scorer.challenge.load import load
from scorer.challenge.model import Challenge
from scorer.challenge.schema import schema
from scorer.challenge.submission import FileLayout, Length, Limits, written_keys
from scorer.core.codes import codes
from scorer.core.errors import ChallengeError
from scorer.scoring.rules import Fault, locate_fault

LEAST = "truth: truth.csv\nmetrics: [nDCG@10]\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder called vlnet, which is the current one."""
    (tmp_path / "vlnet").mkdir()
    monkeypatch.chdir(tmp_path / "vlnet")
    return tmp_path / "vlnet"


def challenge(text: str | bytes) -> Challenge:
    Path("challenge.yaml").write_bytes(text.encode() if isinstance(text, str) else text)
    return load(Path("challenge.yaml"))


def problems(text: str | bytes) -> list[str]:
    """`LINE CODE message` of all that is wrong."""
    with pytest.raises(ChallengeError) as caught:
        challenge(text)
    assert {problem.path for problem in caught.value.problems} == {"challenge.yaml"}
    assert "\n" not in "".join(map(str, caught.value.problems))
    return [f"{problem.line} {problem.code} {problem.message}" for problem in caught.value.problems]


def test_two_keys_are_enough(folder):
    made = challenge(LEAST)
    assert (made.id, made.title, made.description) == ("vlnet", "vlnet", "")
    assert (made.path, made.folder) == (Path("challenge.yaml"), folder)
    assert (made.truth.file, made.truth.format, made.truth.columns) == (
        folder / "truth.csv",
        None,
        {},
    )
    assert (made.lists, made.items, made.history, made.likelihood, made.folds) == (None,) * 5
    (spec,) = made.metrics
    assert (spec.notation, spec.params, spec.id, spec.primary, spec.key) == (
        *("nDCG@10", {}, None, True),
        "metrics[0]",
    )
    wanted = made.submission
    assert (wanted.format, wanted.columns, wanted.length, wanted.range) == (None, {}, None, None)
    assert (wanted.missing_list, wanted.unknown_list, wanted.ties) == (None, "error", "item-desc")
    assert wanted.limits == Limits(size=2**30, unpacked=2**32, rows=20_000_000, line=2**20)
    board = made.leaderboard
    assert (board.tie_break, board.rank_by, board.intervals) == ((), "primary", 0.95)
    assert board.tiers == Tiers(alpha=0.05)
    assert (board.seed, board.draws, board.baselines) == (1, 10_000, ())
    assert (made.undefined, made.examples, made.plugins) == (None, (), ())


FULL = """\
scorer: 1
id: 007
title: 2011
description: |
  A *challenge*.
pages: {}
truth:
  file: truth.csv
  format: csv
  columns: {list: triplet, item: lecture, grade: views}
lists: {file: triplets.csv, columns: {list: triplet, group: kind}}
items:
  file: lectures.csv
  columns: {item: lecture, list: triplet, users: seen, features: [year, 7]}
history: {file: train.csv, columns: {list: user, item: lecture}}
likelihood: {file: likelihood.csv}
folds: folds.csv
submission:
  format: lists
  columns: {list: triplet, item: lecture, rank: place}
  length: 10
  range: [1, 5]
  missing_list: error
  unknown_list: ignore
  ties: expected
  limits: {size: 20MB, unpacked: 1.5 GiB, rows: 1000, line: 1024}
metrics:
  - {metric: MARp, cutoffs: [5, 10], at_cutoff: include, id: marp}
  - "nDCG(gain=exp2)@10"
  - metric: nDCG
    gains: {0: 0, 1: 1.5}
    k: ~
    primary: true
undefined: zero
leaderboard:
  tie_break: [nDCG@10, LexiRecall]
  rank_by: {preference: RPP, aggregate: MC4}
  intervals: 0.9
  tiers: {alpha: 0.01}
  seed: 0
  draws: 100
  baselines: [baselines/popular.csv]
  entry: selected
  ladder: 0.01
timezone: Europe/Ljubljana
splits: {public: 0.3, private: rest, seed: 2011, by: group}
phases:
  - id: main
    opens: 2011-04-18T10:00:00+02:00
    closes: 2011-07-08T23:59:59+02:00
    show: public
    quota: {per_day: 5, total: 200, rejected_per_day: 50}
  - {id: final, after: main, show: private, select: 2}
registration: invite
questions:
  method: {type: text, required: true, board: true}
examples:
  - {truth: two.csv, submission: one.csv, expect: {marp: 0.59, nDCG@10: .nan}, tolerance: 1e-3}
  - {submission: one.csv, expect: {marp: 1}}
plugins: [my_metric.py]
exclude: {file: seen.csv, columns: {list: t, item: v}}
votes: {}
kind: grades
grading: {from: 0, to: 1, points: 5}
"""


def test_everything_spelt_out(folder):
    made = challenge(FULL)
    assert (made.id, made.title, made.description) == ("007", "2011", "A *challenge*.\n")
    assert made.truth.columns == {"list": "triplet", "item": "lecture", "grade": "views"}
    assert made.items.columns == {"item": "lecture", "list": "triplet"}
    assert (made.items.users, made.items.features) == ("seen", ("year", "7"))
    assert made.items.file == folder / "lectures.csv"
    assert made.folds.file == folder / "folds.csv"
    wanted = made.submission
    assert (wanted.length, wanted.range) == (Length(min=10, max=10), (1.0, 5.0))
    assert (wanted.missing_list, wanted.unknown_list, wanted.ties) == (
        *("error", "ignore"),
        "expected",
    )
    assert wanted.limits == Limits(size=20_000_000, unpacked=3 << 29, rows=1000, line=1024)
    assert [(m.notation, m.params, m.id, m.primary, m.key) for m in made.metrics] == [
        ("MARp", {"cutoffs": [5, 10], "at_cutoff": "include"}, "marp", False, "metrics[0]"),
        ("nDCG(gain=exp2)@10", {}, None, False, "metrics[1]"),
        ("nDCG", {"gains": {"0": 0, "1": 1.5}, "k": None}, None, True, "metrics[2]"),
    ]
    board = made.leaderboard
    assert board.rank_by == RankBy(preference="RPP", aggregate="MC4")
    assert (board.tie_break, board.intervals) == (("nDCG@10", "LexiRecall"), 0.9)
    assert board.tiers == Tiers(alpha=0.01)
    assert board.baselines == (folder / "baselines/popular.csv",)
    first, second = made.examples
    assert (first.truth, first.submission) == (folder / "two.csv", folder / "one.csv")
    assert (first.expect["marp"], first.tolerance) == (0.59, 1e-3)
    assert (second.truth, second.expect, second.tolerance) == (None, {"marp": 1.0}, 1e-9)
    assert made.plugins == (folder / "my_metric.py",)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("text", "intervals", "tiers"),
    [
        ("{intervals: false, tiers: false}", None, None),
        ("{intervals: ~, tiers: }", None, None),
        ("{intervals: true, tiers: true}", 0.95, Tiers()),
        ("{intervals: 0.5, tiers: {alpha: 0.1}}", 0.5, Tiers(alpha=0.1)),
        ("", 0.95, Tiers()),
    ],
)
def test_switches(text, intervals, tiers):
    board = challenge(f"{LEAST}leaderboard: {text}").leaderboard
    assert (board.intervals, board.tiers) == (intervals, tiers)


@pytest.mark.usefixtures("folder")
def test_a_key_without_a_value_is_not_written():
    text = LEAST + "id:\nitems:\nundefined: ~\nsubmission:\n  length:\nplugins: null\n"
    made = challenge(text)
    assert (made.id, made.items, made.undefined, made.submission.length) == ("vlnet", *[None] * 3)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("length", "bounds"),
    [
        ("10", (10, 10)),
        ("{min: 1, max: 10}", (1, 10)),
        ("{max: 3}", (None, 3)),
        ("{}", (None, None)),
    ],
)
def test_length(length, bounds):
    found = challenge(f"{LEAST}submission: {{length: {length}}}").submission.length
    assert (found.min, found.max) == bounds


def test_folder_stands_for_its_challenge(folder):
    challenge(LEAST)
    made = load(folder)
    assert (made.path, made.folder) == (folder / "challenge.yaml", folder)


@pytest.mark.usefixtures("folder")
def test_line_and_problem():
    made = challenge(FULL)
    lines = [
        made.line(key) for key in ("metrics", "metrics[2]", "metrics[2].gains", "metrics[1].k")
    ]
    assert lines == [27, 30, 31, 29]
    assert (made.line("submission.limits.rows"), made.line("nothing"), made.line("")) == (
        26,
        None,
        None,
    )
    problem = locate_fault(made, Fault("metrics[0].cutoffs", "C114", "0 is below 1", "write 1"))
    said = "challenge.yaml:28: error[C114] metrics[0].cutoffs: 0 is below 1"
    assert (str(problem), problem.help) == (said, "write 1")


@pytest.mark.usefixtures("folder")
def test_with_metrics():
    made = challenge(FULL).with_metrics(["P@5", "marp"])
    assert [(m.notation, m.params.get("cutoffs"), m.primary) for m in made.metrics] == [
        ("P@5", None, True),
        ("MARp", [5, 10], False),
    ]
    assert made.line(made.metrics[0].key) is None


def test_with_truth(folder, tmp_path):
    made = challenge(FULL)
    outside = tmp_path / "secret.csv"
    assert made.with_truth(outside).truth == made.truth.model_copy(update={"file": outside})
    assert made.with_truth(Path("../x.jsonl")).truth.file == folder.parent / "x.jsonl"
    assert made.with_truth(Path("../x.jsonl")).truth.format is None
    assert made.truth.file == folder / "truth.csv"


@pytest.mark.usefixtures("folder")
def test_pickled_whole():
    made = challenge(FULL)
    again = pickle.loads(pickle.dumps(made))
    assert (again.metrics, again.line("metrics[1]")) == (made.metrics, 29)


FAULTS = yaml.safe_load(Path(__file__).with_name("faults.yaml").read_text(encoding="utf-8"))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("case", FAULTS, ids=lambda case: ascii(case["text"])[:40])
def test_problems(case):
    assert problems(case["text"]) == case["says"]


@pytest.mark.usefixtures("folder")
def test_problems_of_odd_files():
    long = f"'{'a/' * 14}a…{'/a' * 14}/'"
    assert problems("truth: " + "a/" * 500_000 + "\nmetrics: [a]") == [
        f"1 C106 truth: {long} is too long for a file's name"
    ]
    assert problems(b"truth: \xff") == [
        "1 C102 byte 0xFF is not UTF-8; the file may be Windows-1252, save it as UTF-8"
    ]
    assert problems("[" * 100_000) == ["1 C110 nested more than 50 deep"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("written", "said", "help"), rows(__file__, "what_there_is_no_more_says_what_to_write_instead")
)
def test_what_there_is_no_more_says_what_to_write_instead(written, said, help):
    with pytest.raises(ChallengeError) as caught:
        challenge(f"{LEAST}{written}\n")
    (problem,) = caught.value.problems
    assert problem.line == LEAST.count("\n") + 1
    assert problem.message.startswith(said)
    assert help in problem.help


@pytest.mark.usefixtures("folder")
def test_what_would_help():
    with pytest.raises(ChallengeError) as caught:
        challenge("truth: {file: t, sep: ;}\nmetrics: [{name: a}]")
    assert [problem.help for problem in caught.value.problems] == [
        "known here: file, format, columns, multilabel, each, header, separator, skip, comment, "
        "cells, wide, lines, json, parts",
        "write nDCG@10, or {metric: nDCG, k: 10}",
    ]


def test_symbolic_links_do_not_lead_outside(folder, tmp_path):
    (tmp_path / "secret.csv").touch()
    (folder / "data").mkdir()
    (folder / "truth.csv").symlink_to(tmp_path / "secret.csv")
    (folder / "up").symlink_to("..")
    (folder / "here.csv").symlink_to("data/truth.csv")
    (folder / "loop").symlink_to("loop")
    assert problems(LEAST) == ["1 C111 truth: 'truth.csv' leaves the challenge's folder"]
    assert problems("truth: up/x\nmetrics: [a]") == [
        "1 C111 truth: 'up/x' leaves the challenge's folder"
    ]
    assert challenge("truth: here.csv\nmetrics: [a]").truth.file == folder / "data/truth.csv"
    assert challenge("truth: loop\nmetrics: [a]").truth.file == folder / "loop"


def test_a_challenge_reached_by_a_link_has_its_real_folder(folder, tmp_path):
    challenge(LEAST)
    (tmp_path / "alias").symlink_to(folder)
    assert load(tmp_path / "alias").truth.file == folder / "truth.csv"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("chalenge.yaml", "not found; did you mean 'challenge.yaml' in the same folder?"),
        ("other/x", "not found"),
        ("empty", "not found"),
        ("pipe", "not a regular file"),
        ("a\0b", "not a file's name"),
        ("a" * 5000, "File name too long"),
        ("challenge.yaml/x", "Not a directory"),
    ],
)
def test_unreadable(folder, name, said):
    challenge(LEAST)
    (folder / "empty").mkdir()
    os.mkfifo(folder / "pipe")
    with pytest.raises(ChallengeError) as caught:
        load(Path(name))
    (problem,) = caught.value.problems
    assert (problem.code, problem.message) == ("C101", said)


@pytest.mark.usefixtures("folder")
def test_all_codes_have_pages():
    ours = {name: page for name, page in codes().items() if name.startswith("C")}
    assert list(ours) == [f"C{number}" for number in (*range(101, 123), 124, 125, 126)]
    assert all(f": error[{name}] " in page.example for name, page in ours.items())


def described(part, path="$"):
    """Each key of a JSON Schema that an editor would offer without a word about it."""
    for key, value in part.get("properties", {}).items():
        if "description" not in value:
            yield f"{path}.{key}"
    for key, value in part.items():
        for n, one in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(one, dict):
                yield from described(one, f"{path}.{key}[{n}]")


def test_schema():
    made = schema()
    assert list(described(made)) == []
    assert made["anyOf"] == [{"required": ["truth", "metrics"]}, {"required": ["kind"]}]
    assert set(made["properties"]) == {*re.findall(r"^(\w+):", FULL, re.MULTILINE)}
    assert {"type": "string"} in made["properties"]["metrics"]["items"]["anyOf"]
    assert made["properties"]["metrics"]["minItems"] == 1
    assert made["$defs"]["Leaderboard"]["properties"]["seed"]["minimum"] == 0
    items = made["properties"]["items"]["anyOf"][1]["properties"]
    assert set(items) == {"file", "format", "columns", *written_keys(FileLayout)}
    assert set(items["columns"]["properties"]) == {"item", "list", "users", "features", "extra"}
    assert all(ref in made["$defs"] for ref in re.findall(r"#/\$defs/(\w+)", json.dumps(made)))


KEYS = st.sampled_from([*Challenge.model_fields, "file", "columns", "metric", "<<", "users", ""])
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), KEYS,
    st.sampled_from(["truth.csv", "../x", "primary", "nDCG@10", "error", "1GiB"]),
)  # fmt: skip
TREES = st.recursive(
    LEAVES, lambda some: st.lists(some, max_size=3) | st.dictionaries(KEYS, some, max_size=4)
)
DOCUMENTS = st.one_of(
    st.binary(),
    st.text().map(str.encode),
    # JSON, which is YAML but for lone surrogates and for how it writes infinity
    st.dictionaries(KEYS, TREES).map(lambda tree: json.dumps({"truth": "t", **tree}).encode()),
)


@pytest.mark.slow("reads many random files")
@rounds(200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(DOCUMENTS)
def test_any_bytes_give_a_challenge_or_an_error(folder, data):
    with suppress(ChallengeError):
        assert challenge(data).metrics
