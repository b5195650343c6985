"""challenge.yaml: what it becomes, and what is said of one that is wrong."""

from __future__ import annotations

import json
import os
import pickle
import re
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from rounds import rounds

from scorer.challenge.forms import Formed, written_keys
from scorer.challenge.given import Length
from scorer.challenge.leaderboard import Tiers
from scorer.challenge.limits import Limits
from scorer.challenge.load import load
from scorer.challenge.model import Challenge
from scorer.challenge.rank_by import RankBy
from scorer.challenge.schema import schema
from scorer.core.codes import codes
from scorer.core.errors import ChallengeError
from scorer.prepare.faults import Fault, located

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
    sizes = Limits(
        size=2**30, unpacked=2**32, rows=50_000_000, line=2**20, ids=20_000_000, ratio=100
    )
    assert wanted.limits == sizes
    board = made.leaderboard
    assert (board.ties, board.tie_break, board.rank_by, board.intervals) == (
        *("shared", ()),
        *("primary", 0.95),
    )
    assert board.tiers == Tiers(test="permutation", alpha=0.05, adjust="max")
    assert (board.seed, board.draws, board.baselines) == (1, 10_000, ())
    assert (made.undefined, made.examples, made.plugins) == (None, (), ())


FULL = """\
scorer: 1
id: 007
title: 2011
description: |
  A *challenge*.
pages: {}
remote_pictures: true
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
  ties: shared
  tie_break: [nDCG@10, LexiRecall]
  rank_by: {preference: RPP, aggregate: MC4}
  intervals: 0.9
  tiers: {test: t, alpha: 0.01, adjust: holm}
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
  method: {type: text, required: true, max: 80, board: true}
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
    assert board.tiers == Tiers(test="t", alpha=0.01, adjust="holm")
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
    assert lines == [28, 31, 32, 30]
    assert (made.line("submission.limits.rows"), made.line("nothing"), made.line("")) == (
        27,
        None,
        None,
    )
    problem = located(made, Fault("metrics[0].cutoffs", "C114", "0 is below 1", "write 1"))
    said = "challenge.yaml:29: error[C114] metrics[0].cutoffs: 0 is below 1"
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
    assert (again.metrics, again.line("metrics[1]")) == (made.metrics, 30)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ["1 C107 the file is empty"]),
        ("# soon\n", ["1 C107 the file is empty"]),
        ("\n- a", ["2 C106 a list where keys are expected"]),
        ("hello", ["1 C106 one text where keys are expected"]),
        ("scorer: 2\ntrth: x", [
            "1 C119 scorer: this scorer reads version 1 of the format, not '2'"]),
        ("scorer: [1]", ["1 C119 scorer: this scorer reads version 1 of the format, not a list"]),
        ("id: x", ["1 C107 'truth' is missing", "1 C107 'metrics' is missing"]),
        ("truth:\nmetrics:\n", ["1 C107 'truth' is missing", "2 C107 'metrics' is missing"]),
        ("truth: t\nmetric: [a]", [
            "1 C107 'metrics' is missing",
            "2 C105 no key 'metric' here; did you mean 'metrics'?"]),
        ("truth: t\nmetrics: []", ["2 C106 metrics: at least one measure is needed"]),
        ("truth: t\nmetrics: nDCG@10", [
            "2 C106 metrics: 'nDCG@10' is not a list; write one in [ ]"]),
        ("truth: t\nmetrics: {nDCG: 10}", [
            "2 C106 metrics: a mapping is not a list; write one in [ ]"]),
        ("truth: t\nmetrics:\n- nDCG: {k: 10}\n-\n- [a]\n- {metric: '', primary: yes}", [
            "3 C107 metrics[0]: 'metric' is missing",
            "4 C107 metrics[1]: 'metric' is missing",
            "5 C106 metrics[2]: a list is not a text",
            "6 C106 metrics[3].metric: an empty text",
            "6 C106 metrics[3].primary: 'yes' is neither true nor false"]),
        ("truth: t\nmetrics:\n- {metric: a, id: 07, primary: true}\n- b\n"
         "- {metric: c, id: '07', primary: true}\n- {metric: d, primary: true}", [
            "5 C106 metrics[2].primary: metrics[0] is primary already",
            "5 C120 metrics[2].id: '07' is the id of metrics[0] already",
            "6 C106 metrics[3].primary: metrics[0] is primary already"]),
        ("truth: t\nmetrics: [AP(rel=2, x=1)@10]", [
            '2 C103 quote this, or YAML cuts it in two: "AP(rel=2, x=1)@10"']),
        ("truth: t\nmetrics:\n- nDCG(gains={0: 0})\nid: [a]", [
            '3 C103 quote this, or YAML cuts it in two: "nDCG(gains={0: 0})"',
            "4 C106 id: a list is not a text"]),
        ("truth: {}\nmetrics: [a]", ["1 C107 truth: 'file' is missing"]),
        ("truth: [t]\nmetrics: [a]", ["1 C106 truth: a list is not a mapping (key: value)"]),
        ("truth:\n  file: t\n  colums: {}\n  columns:\n    itm: x\n    score: y\n    list: [z]\n"
         "metrics: [a]", [
            "3 C105 truth: no key 'colums' here; did you mean 'columns'?",
            "5 C105 truth.columns: no key 'itm' here; did you mean 'item'?",
            "6 C105 truth.columns: no key 'score' here",
            "7 C106 truth.columns.list: a list is not a text"]),
        (LEAST + "items:\n  file: i\n  users: u\n  columns:\n    features: x\n    users: [a]\n", [
            "5 C105 items: 'users' is a column; write it under 'columns'",
            "7 C106 items.columns.features: 'x' is not a list; write one in [ ]",
            "8 C106 items.columns.users: a list is not a text"]),
        (LEAST + "submission: 5\nleaderboard: [1]\nexamples: a\nundefined: no\n<<: {}\n1: 2", [
            "3 C106 submission: '5' is not a mapping (key: value)",
            "4 C106 leaderboard: a list is not a mapping (key: value)",
            "5 C106 examples: 'a' is not a list; write one in [ ]",
            "6 C106 undefined: 'no' is not 'error', 'zero', 'skip' or 'worst'",
            "7 C105 no key '<<' here", "8 C105 no key '1' here"]),
        (LEAST + "submission:\n  lenght: 10\n  length: ten\n  range: [5, 1]\n  missing_list: drop\n"
         "  ties: ''\n  limits:\n    size: 3 apples\n    rows: 1e6\n    line: 0\n    ids: true\n"
         "    ratio: -1\n    unpacked: 99999999 TiB\n", [
            "4 C105 submission: no key 'lenght' here; did you mean 'length'?",
            "5 C106 submission.length: 'ten' is not a whole number",
            "6 C106 submission.range: '5' is not below '1'",
            "7 C106 submission.missing_list: 'drop' is not 'error', 'zero' or 'skip'",
            "8 C106 submission.ties: '' is not "
            "'item-desc', 'item-asc', 'file', 'expected', 'mean-rank' or 'error'",
            "10 C106 submission.limits.size: '3 apples' is not a size, "
            "such as 20MB, 1GiB or a number of bytes",
            "11 C106 submission.limits.rows: '1e6' is not a whole number",
            "12 C106 submission.limits.line: '0' is not a size between 1 byte and 8 EiB",
            "13 C106 submission.limits.ids: 'true' is not a whole number",
            "14 C106 submission.limits.ratio: '-1' is below 1",
            "15 C106 submission.limits.unpacked: "
            "'99999999 TiB' is not a size between 1 byte and 8 EiB"]),
        (LEAST + "submission: {length: {min: 3, max: 2}, range: [.nan, 1]}", [
            "3 C106 submission.length.min: min 3 is above max 2",
            "3 C106 submission.range: '.nan' is not below '1'"]),
        (LEAST + "submission: {length: 0, range: 5}", [
            "3 C106 submission.length: '0' is below 1",
            "3 C106 submission.range: '5' is not a range; write [1, 5]"]),
        (LEAST + "submission:\n  length: {min: -1, max: 1.5}\n  range: [1, x]\n", [
            "4 C106 submission.length.min: '-1' is below 0",
            "4 C106 submission.length.max: '1.5' is not a whole number",
            "5 C106 submission.range[1]: 'x' is not a number"]),
        (LEAST + "leaderboard:\n  ties: dense\n  tie_break: x\n  rank_by: second\n  intervals: 95\n"
         "  tiers: {test: z, alpha: 1}\n  seed: -1\n  draws: 9999999\n", [
            "4 C106 leaderboard.ties: 'dense' is not 'shared'",
            "5 C106 leaderboard.tie_break: 'x' is not a list; write one in [ ]",
            "6 C106 leaderboard.rank_by: 'second' is not 'primary'",
            "7 C106 leaderboard.intervals: '95' is not below 1",
            "8 C106 leaderboard.tiers.test: 'z' is not 'permutation', 'wilcoxon' or 't'",
            "8 C106 leaderboard.tiers.alpha: '1' is not below 1",
            "9 C106 leaderboard.seed: '-1' is below 0",
            "10 C106 leaderboard.draws: '9999999' is above 1000000"]),
        (LEAST + "leaderboard: {intervals: joints, ladder: auot, entry: bets, ties: x}", [
            "3 C106 leaderboard.ties: 'x' is not 'shared'",
            "3 C106 leaderboard.intervals: 'joints' is not 'joint', a level between 0 and 1, true "
            "or false; did you mean 'joint'?",
            "3 C106 leaderboard.entry: 'bets' is not 'best', 'last', 'selected' or 'all'; did you "
            "mean 'best'?",
            "3 C106 leaderboard.ladder: 'auot' is not 'off' or 'auto', or a number; did you mean "
            "'auto'?"]),
        (LEAST + "leaderboard: {rank_by: {preference: RPP, by: x}, intervals: 0, tiers: 5}", [
            "3 C105 leaderboard.rank_by: no key 'by' here",
            "3 C106 leaderboard.intervals: '0' is not above 0",
            "3 C106 leaderboard.tiers: '5' is not a mapping (key: value)",
            "3 C107 leaderboard.rank_by: 'aggregate' is missing"]),
        (LEAST + "examples:\n- {submission: a, expect: {}}\n- {expect: {a: x}}\n"
         "- {submission: a, expect: {b: 1}, tolerance: -1}\n- a", [
            "4 C106 examples[0].expect: at least one is needed",
            "5 C106 examples[1].expect.a: 'x' is not a number",
            "5 C107 examples[1]: 'submission' is missing",
            "6 C106 examples[2].tolerance: '-1' is below 0",
            "7 C106 examples[3]: 'a' is not a mapping (key: value)"]),
        (LEAST + "id: a\nid: b\nseed: 1", [
            "4 C104 key 'id' is given twice (first on line 3)", "5 C105 no key 'seed' here"]),
        (LEAST + 'plugins:\n- ../x.py\n- /etc/passwd\n- C:\\x\n- ""\n'
         '- "\\0"\n- a/..\n- \n- a/../b\n', [
            "4 C111 plugins[0]: '../x.py' leaves the challenge's folder",
            "5 C111 plugins[1]: '/etc/passwd' is not relative to the challenge's folder",
            r"6 C111 plugins[2]: 'C:\x' is not relative to the challenge's folder",
            "7 C106 plugins[3]: '' names no file",
            r"8 C106 plugins[4]: '\x00' cannot be a file's name",
            "9 C106 plugins[5]: 'a/..' names no file",
            "10 C106 plugins[6]: nothing is given"]),
        ("truth: " + "a/" * 500_000 + "\nmetrics: [a]", [
            f"1 C106 truth: '{'a/' * 14}a…{'/a' * 14}/' is too long for a file's name"]),
        (LEAST + "id: \"\\e[31m{said}{0}\"\n\"\\e[31m{x}\": 1\nundefined: '{a}'", [
            r"4 C105 no key '\x1b[31m{x}' here",
            "5 C106 undefined: '{a}' is not 'error', 'zero', 'skip' or 'worst'"]),
        (b"truth: \xff", [
            "1 C102 byte 0xFF is not UTF-8; the file may be Windows-1252, save it as UTF-8"]),
        ("[" * 100_000, ["1 C110 nested more than 50 deep"]),
    ],
)  # fmt: skip
def test_problems(text, said):
    assert problems(text) == said


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
    assert set(items) == {"file", "format", "columns", *written_keys(Formed)}
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


@pytest.mark.slow("reads files of many problems", beyond=1)
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "text",
    [
        LEAST + "".join(f"key{n}: {n}\n" for n in range(4000)),
        "metrics: [" + "[], " * 4000 + "]",
        "metrics: [" + "{metric: a, id: b, primary: true}, " * 1000 + "]",
        "truth: t\nmetrics: &a [a, a, a, a]\nplugins: [" + "*a, " * 1500 + "]",
    ],
    ids=["unknown", "wrong", "twice", "aliases"],
)
def test_many_problems_take_no_time(text):
    begun = time.process_time()
    with pytest.raises(ChallengeError):
        challenge(text)
    assert time.process_time() - begun < 3  # well below 1 s
