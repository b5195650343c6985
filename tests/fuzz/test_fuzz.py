"""No input whatsoever gives a traceback, an internal error, or takes more than 2 s a MiB.

A few seconds of it are part of `make test`; `make fuzz` draws anew, again and again for an hour,
these and the properties of other files that say how many `rounds` they take.
FUZZ is how many examples each property is tried on.
"""

import gzip
import io
import json
import time
from contextlib import contextmanager
from pathlib import Path

import corpus
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from rounds import rounds

from scorer.challenge.kit_archive import open_kit
from scorer.challenge.load import load
from scorer.challenge.yaml import read_yaml
from scorer.core.errors import ScorerError
from scorer.core.problems import Findings
from scorer.core.text import LEFT_TO_RIGHT
from scorer.leaderboard.from_jsonl import read as read_back
from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import parse, parse_measure
from scorer.reading.formats import SUFFIXES, load_format
from scorer.reading.limits import ReadLimits
from scorer.reading.read import read_file
from scorer.reading.schema import Schema

pytestmark = pytest.mark.slow("hundreds of spoiled files")

fuzz = rounds(20, print_blob=True, suppress_health_check=list(HealthCheck))
TEXT = [name for name in SUFFIXES if load_format(name).read_bytes is None]
SHAPES = [
    Schema(("list", "item"), ("rank", "score", "tag")),
    Schema(("list", "item", "grade"), ("subtopic",)),
    Schema(("list", "better", "worse")),
    Schema(("list",), ("group",)),
]
CHALLENGES = {
    "grades": (
        "truth: truth.csv\nmetrics: [nDCG@3, AP, RR, 'MARp@1,2', AUC, P@2]\nid: x\n"
        "lists: {file: lists.csv, columns: {group: g}}\n"
        "submission: {length: {min: 1, max: 3}, missing_list: zero, unknown_list: ignore}\n"
        "leaderboard: {tie_break: [LexiRecall], draws: 50, seed: 1}\n",
        "list,item,grade\nq1,a,2\nq1,b,1\nq2,a,1\nq2,c,0\n",
        "list,item,score\nq1,a,3\nq1,b,2\nq2,a,1\nq2,c,1\n",
    ),
    "ratings": (
        "truth: truth.csv\nmetrics: [RMSE, MAE, R2]\nleaderboard: {draws: 50}\n",
        "list,item,rating\nu1,a,4\nu1,b,1\nu2,a,2.5\n",
        "list,item,prediction\nu1,a,3\nu1,b,2\nu2,a,2\n",
    ),
    "preferences": (
        "truth: truth.csv\nmetrics: [EDRC, Tau]\nundefined: skip\nleaderboard: {draws: 50}\n",
        "list,better,worse\nq1,a,b\nq1,b,c\nq2,a,c\n",
        "list,better,worse\nq1,a,b\nq1,b,c\nq2,c,a\n",
    ),
}
SEEDS = {
    "csv": [texts[1] for texts in CHALLENGES.values()] + ['list,item\n"q\n1","a""b"\n\n q , a\t\n'],
    "lists": ["q1: a, b\n# no\nq2: c\n"],
    "trec": ["q1 Q0 a 1 2.5 t\nq1\tQ0  b 2 1e-3 t\n", "q1 0 a 1\nq2 0 b -1\n"],
    "jsonl": ['{"list": "q1", "item": 7, "score": 1e3}\n{"list": "\\u0071", "item": null}\n'],
    "json": [
        '{"q1": {"a": 1, "b": 0.5}, "q2": {"a": -1e3}}\n',
        '{"q1": ["a", "b"], "q2": []}',
        '[{"list": "q1", "item": "a", "grade": 1},\n {"list": "\\u0071", "item": null}]',
    ],
}
WRITTEN = r"""
" "" ' , ; : # \ \u0000 \ud800 | { } [ ] &a *a !!python/x nan inf -1 0 1e308 -1e308 1e999 1_0 null
~ list item score q1 q2 a =1+1 ../ ::error::x 2.0 1.2E+05 9223372036854775808 AUC PAR1 .0 %TAG ? <<:
@5 (rel=2) nDCG true error skip
"""
PARTS = [
    *(part.encode() for part in WRITTEN.split()),
    *(b"\0", b"\n", b"\r", b"\r\n", b"\t", b" ", b"  ", b"\n  ", b"\x1b[31m", b"\xef\xbb\xbf"),
    *(b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xe2\x80\xae", b"\xf0\x9f\x98\x80"),
    *(b"[" * 60, b'{"a":' * 1000, b"- " * 60, b"9" * 400, b"x" * 3000),
    *("\u3164".encode(), "\u0301\u0323".encode() * 40, "\ufdfa".encode() * 40),
]


@st.composite
def spoiled(draw, seeds):
    """A seed after some cuts and insertions, now and then repeated or compressed."""
    seed = draw(st.sampled_from(seeds))
    data = seed.encode() if isinstance(seed, str) else seed
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(data)))
        cut = draw(st.sampled_from([0, 0, 1, 2, 10]))
        part = draw(st.sampled_from(PARTS) | st.binary(max_size=4))
        data = data[:at] + part + data[at + cut :]
    data *= draw(st.sampled_from([1] * 9 + [100]))
    how = draw(st.sampled_from([bytes] * 9 + [gzip.compress]))
    return how(data)


@contextmanager
def in_time(size):
    """At most 2 s of CPU a MiB, whatever else the machine does; and no waiting for long."""
    start, begun = time.process_time(), time.perf_counter()
    yield
    assert time.process_time() - start < 2 + 2 * size / 2**20
    assert time.perf_counter() - begun < 60


def answered(function):
    """What a function gives, or None where it says to a person why it gives nothing."""
    try:
        return function()
    except ScorerError as error:
        said = str(error)
    assert said
    assert all(line.isprintable() for line in said.split("\n"))
    return None


@fuzz
@given(data=st.data())
@pytest.mark.parametrize("format", TEXT)
def test_readers(format, data, tmp_path):
    sent = data.draw(spoiled(SEEDS[format]) | st.binary(max_size=300))
    path = tmp_path / "file"
    path.write_bytes(sent)
    for shape in SHAPES:
        findings = Findings()
        with in_time(len(sent)):
            table = read_file(path, format, [shape], findings, ReadLimits()).table
        assert table is not None or findings.fatal
        for problem in findings:
            assert "\n" not in str(problem)
            assert str(problem).isprintable()


def parquet():
    import polars

    frame = polars.DataFrame({"list": ["q1", "q2"], "item": ["a", "b"], "score": [1.0, 2.0]})
    out = io.BytesIO()
    frame.with_columns(polars.col("list").cast(polars.Categorical)).write_parquet(out)
    return out.getvalue()


@fuzz
@given(sent=spoiled([parquet(), corpus.TABLES["list.parquet"]()]))
def test_parquet(sent, tmp_path):
    path = tmp_path / "file.parquet"
    path.write_bytes(sent)
    findings = Findings()
    with in_time(len(sent)):
        table = read_file(path, "parquet", [SHAPES[0]], findings, ReadLimits()).table
    assert table is not None or findings.fatal
    assert all(str(problem).isprintable() for problem in findings)


@fuzz
@given(sent=spoiled([text for text, _, _ in CHALLENGES.values()]) | st.binary(max_size=300))
def test_the_challenge_loader(sent, tmp_path):
    path = tmp_path / "challenge.yaml"
    path.write_bytes(sent)
    with in_time(len(sent)):
        read_yaml(sent, Findings())
        challenge = answered(lambda: load(path))
    if challenge is not None:
        assert all(file.is_relative_to(tmp_path.resolve()) for file in challenge.files)


NOTATIONS = ["nDCG@10", "AP(rel=2)@100", "MARp@5,10", "nDCG(gains={0: 0, 1: 3})@5", "RBP(p=0.8)"]
SIGNS = st.sampled_from(
    [*"()[]{}@,=:.\"'-+ 0159eE_", "rel", "k", "nDCG", "P", "inf", "9" * 30, "é"]
)


@fuzz
@given(text=st.lists(SIGNS, max_size=20).map("".join) | st.text(max_size=20), data=st.data())
def test_the_notation_parser(text, data):
    notation = data.draw(st.sampled_from(NOTATIONS))
    at = data.draw(st.integers(0, len(notation)))
    for each in (text, notation[:at] + text, notation[:at] + text + notation[at:]):
        with in_time(0):
            bound = answered(lambda: parse_measure(metrics().get(parse(each)[0]), each, {}))  # noqa: B023
        if bound is not None:
            again = parse_measure(bound.metric, bound.name, {})
            assert (again.name, again.params) == (bound.name, bound.params)


COMPARED = "".join(
    json.dumps({"list": name, "a": a, "b": b, "preferences": {"RPP": 0.5, "LexiRecall": None}})
    + "\n"
    for name in ("q1", "q2")
    for a, b in ("xy", "xz", "yz")
)


@fuzz
@given(sent=spoiled([COMPARED]))
def test_comparisons_that_are_read_back(sent, tmp_path, score):
    path = tmp_path / "pairs.jsonl"
    path.write_bytes(sent)
    with in_time(len(sent)):
        found = answered(lambda: read_back(path))
    assert found is None or len(found.names) > 1


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    made = {}
    for kind, (text, truth, sent) in CHALLENGES.items():
        folder = made[kind] = tmp_path_factory.mktemp(kind)
        (folder / "challenge.yaml").write_text(text)
        (folder / "truth.csv").write_text(truth)
        (folder / "sent.csv").write_text(sent)
        (folder / "lists.csv").write_text("list,g\nq1,x\nq2,y\n")
    return made


@pytest.fixture(scope="session")
def kit(folders):
    from scorer.api.kit import kit
    from scorer.scoring.bind import bind

    prepared = bind(load(folders["grades"]))
    return kit(prepared)[0]


def loaded(path):
    with open_kit(path) as inside:
        return load(inside)


@fuzz
@given(data=st.data())
def test_kits(data, kit, tmp_path, monkeypatch):
    sent = data.draw(spoiled([kit]))
    (tmp_path / "temporary").mkdir(exist_ok=True)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    path = tmp_path / "kit.zip"
    path.write_bytes(sent)
    with in_time(len(sent)):
        answered(lambda: loaded(path))
    assert {each.name for each in tmp_path.iterdir()} == {"kit.zip", "temporary"}


VERBS = [
    [],
    ["--format", "json", "--per-list"],
    ["--format", "html"],
    ["check", "--format", "json", "--all"],
    ["compare"],
    ["compare", "--format", "json"],
    ["compare", "--format", "html"],
    ["explain", "--list", "q1"],
]


def ran(score, words, size):
    with in_time(size):
        ended = score(*words)
    assert ended.code in (0, 1, 2, 5), ended
    assert "Traceback" not in ended.err
    assert all(c in ("\n", LEFT_TO_RIGHT) or c.isprintable() for c in ended.out + ended.err), ended


@fuzz
@given(data=st.data())
@pytest.mark.parametrize("kind", CHALLENGES)
def test_the_whole_command_on_any_submission(kind, data, folders, score, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_bytes(data.draw(spoiled([CHALLENGES[kind][2]])))
    other, verb = folders[kind] / "sent.csv", data.draw(st.sampled_from(VERBS))
    files = [path] if verb[:1] == ["explain"] else [path, other]
    ran(score, [*verb, folders[kind], *files], path.stat().st_size)


@fuzz
@given(data=st.data())
@pytest.mark.parametrize("kind", CHALLENGES)
def test_the_whole_command_on_any_challenge(kind, data, score, tmp_path):
    text, truth, sent = CHALLENGES[kind]
    which = data.draw(st.sampled_from(["challenge.yaml", "truth.csv", "lists.csv"]))
    files = {"challenge.yaml": text, "truth.csv": truth, "lists.csv": "list,g\nq1,x\nq2,y\n"}
    size = 0
    for name, inside in files.items():
        spoilt = data.draw(spoiled([inside])) if name == which else inside.encode()
        size += len(spoilt)
        (tmp_path / name).write_bytes(spoilt)
    (tmp_path / "mine.csv").write_text(sent)
    verb = data.draw(st.sampled_from([*VERBS, ["lint"], ["kit", "-o", tmp_path / "kit.zip"]]))
    files = [] if verb[:1] in (["lint"], ["kit"]) else [tmp_path / "mine.csv"]
    ran(score, [*verb, tmp_path, *files], size)


WORDS = """
check compare explain lint rule metrics folds schema score -- --format json --format=csv -q -m P@2
--list q1 --all - x=y --help --version --debug --precision 3 --per-list --truth -p RPP
challenge.yaml sent.csv truth.csv . a=sent.csv --fail-under P@2=0.1 --allow-plugins -k --seed
--column
"""
ODD = ["", "\x1b[31m", "\udcff", "x" * 300]


@fuzz
@given(words=st.lists(st.sampled_from([*WORDS.split(), *ODD]), max_size=8))
def test_any_words(words, folders, score, monkeypatch):
    monkeypatch.chdir(folders["grades"])
    ended = score(*words)
    assert ended.code in (0, 1, 2, 5), ended
    assert "Traceback" not in ended.err or "--debug" in words
    assert "internal error" not in ended.err
    assert {path.name for path in Path().iterdir()} <= {
        *("challenge.yaml", "truth.csv", "sent.csv", "lists.csv"),
    }
