"""What YAML files mean, and what is said of those that mean nothing."""

from __future__ import annotations

import json
import math
import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds
from tables import rows

from scorer.challenge import yaml as documents
from scorer.challenge.yaml import read_yaml, resolve_scalar
from scorer.core.problems import Findings


def read(text: str | bytes) -> tuple[object, list[str]]:
    """The plain value, and each problem as `LINE[:COLUMN] CODE message`."""
    found = Findings()
    value = read_yaml(text.encode() if isinstance(text, str) else text, found)
    said = [
        f"{p.line}{f':{p.column}' if p.column else ''} {p.code} {p.message}" for p in list(found)
    ]
    return None if value is None else value.resolve(()), said


@pytest.fixture(params=["CSafeLoader", "SafeLoader"])
def _parser(request, monkeypatch):
    """Both of PyYAML's parsers: the messages may not depend on which is installed."""
    if not hasattr(yaml, request.param):
        pytest.skip("PyYAML was built without libyaml")
    monkeypatch.setattr(documents, "LOADER", getattr(yaml, request.param))


@pytest.mark.parametrize(
    ("text", "value"),
    [  # YAML 1.2.2, section 10.3.2, and what YAML 1.1 reads otherwise
        *((word, None) for word in ("", "~", "null", "Null", "NULL")),
        *((word, True) for word in ("true", "True", "TRUE")),
        *((word, False) for word in ("false", "False", "FALSE")),
        *((word, word) for word in ("no", "on", "yes", "y", "off", "nULL", "1:30", "12:30:45")),
        *((word, word) for word in ("1_000", "0b1", "2011-01-01", "<<", "=", "-0x1F", "1e", ".")),
        *((word, word) for word in (".INf", "+.nan", "nan", "inf", "٣", "１", "0x", "0o8", "- 1")),
        *(("0", 0), ("-0", 0), ("+12", 12), ("007", 7), ("0o17", 15), ("0x1F", 31), ("010", 10)),
        *(("1e-6", 1e-6), ("1.", 1.0), (".5", 0.5), ("-1.5E+3", -1500.0), ("+.5", 0.5)),
        *((".inf", math.inf), ("-.INF", -math.inf), ("1e999", math.inf), ("9" * 5000, math.inf)),
    ],
)
def test_core_schema(text, value):
    found = resolve_scalar(text)
    assert (found, type(found)) == (value, type(value))


def test_not_a_number():
    assert all(math.isnan(resolve_scalar(word)) for word in (".nan", ".NaN", ".NAN"))


@pytest.mark.usefixtures("_parser")
def test_scalars_keep_their_source_and_place():
    text = "a: 007\n\nb: [2011, 'x',\n  1.0]\r\nc: é é\rd: |\n  t\n&e e: ~\nf: *e\n"
    made = read_yaml(text.encode(), Findings())
    assert made.data == {
        "a": "007", "b": ["2011", "x", "1.0"], "c": "é é", "d": "t\n", "e": None, "f": "e",
    }  # fmt: skip
    assert made.places == {
        (): (1, 1), ("a",): (1, 1), ("b",): (3, 1), ("b", 0): (3, 5), ("b", 1): (3, 11),
        ("b", 2): (4, 3), ("c",): (5, 1), ("d",): (6, 1), ("e",): (8, 1), ("f",): (9, 1),
    }  # fmt: skip
    assert made.quoted == {("b", 1), ("d",)}


@pytest.mark.usefixtures("_parser")
def test_an_alias_has_the_places_of_what_it_names():
    made = read_yaml(b"a: &x {b: ['1', 2]}\nc: *x\nd:\n- *x\n", Findings())
    assert made.data["c"] == made.data["d"][0] == {"b": ["1", "2"]}
    value = {"b": ["1", 2]}
    assert made.resolve(()) == {"a": value, "c": value, "d": [value]}
    assert [made.places[path] for path in (("c",), ("c", "b"), ("c", "b", 1))] == [
        (2, 1), (1, 8), (1, 17),
    ]  # fmt: skip
    assert made.line(("d", 0, "b", 0)) == 1


@pytest.mark.parametrize(
    ("text", "path", "reached"),
    [
        ("a:\n  - b:\n      c: 1\n", ("a", 0, "b", "c"), (4, 3)),
        ("a:\n  - b:\n      c: 1\n", ("a", 0, "b", "x"), (3, 2)),
        ("a:\n  - b\n  - c\n", ("a", 1), (2, 3)),
        ("a:\n  - b\n  - c\n", ("a", 2), (1, 1)),
        ("\n\na: 1\n", ("b",), (0, 3)),
        ("a: 1\n", ("a", "b"), (1, 1)),
    ],
)
def test_reach(text, path, reached):
    made = read_yaml(text.encode(), Findings())
    assert (made.reach(path)[0], made.line(path)) == reached


@pytest.mark.usefixtures("_parser")
@pytest.mark.parametrize(("text", "value"), [*rows(__file__, "good"), ("\ufeffa: 1", {"a": 1})])
def test_good(text, value):
    assert read(text) == (value, [])


CUT = "quote this, or YAML cuts it in two: "
COLON = "a ':' cannot stand here; quote the text or correct the indentation"
MISPLACED = "this fits no key or item above it; look at the indentation"


@pytest.mark.slow("reads large files", beyond=2)
@pytest.mark.usefixtures("_parser")
@pytest.mark.parametrize(
    ("text", "problems"),
    [
        *rows(__file__, "bad"),
        (
            b"a: 1\nb: \xe9",
            ["2 C102 byte 0xE9 is not UTF-8; the file may be Windows-1252, save it as UTF-8"],
        ),
        (
            "a: é".encode("utf-16"),
            ["1 C102 byte 0xFF is not UTF-8; the file is UTF-16, save it as UTF-8"],
        ),
        ("a: b\r\nc: \0", ["2 C103 a NUL byte cannot stand in a text file"]),
        ("a: \x1b[1m", [r"1 C103 the character '\x1b' cannot stand in a text file"]),
        ("a: b\nc: d\u2028e", [r"2 C103 the character '\u2028' cannot stand in a text file"]),
        (b"#" * (2**20 + 1), ["1 C110 larger than 1 MiB"]),
        (
            "[" + "a, " * 10_000 + "]",
            [
                "1:29999 C110 more than 10,000 values; "
                "write many classes in a file: classes: {file: classes.csv}"
            ],
        ),
        (
            "a: &a [" + "x, " * 99 + "]\nb: &b [" + "*a, " * 50 + "]\nc: [*b, *b]",
            ["3:5 C109 more than 10,000 values, aliases written out"],
        ),
    ],
)
def test_bad(text, problems):
    assert read(text)[1] == problems


def test_escapes_that_are_no_character(monkeypatch):
    for loader in ("CSafeLoader", "SafeLoader"):
        monkeypatch.setattr(documents, "LOADER", getattr(yaml, loader, yaml.SafeLoader))
        value, (problem,) = read('a: "\\UFFFFFFFF"')
        assert value is None
        assert problem.split()[1] == "C103"


def test_reading_goes_on_where_it_can():
    value, problems = read("a: !x 1\na: 2\nb: *c\nd: 5\n")
    assert value == {"a": "1", "b": None, "d": 5}
    assert [problem.split()[1] for problem in problems] == ["C108", "C104", "C109"]


LAUGHS = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{b}: &{b} [{','.join(['*' + a] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
JUNK = [
    *("[" * 100_000, "{" * 100_000, "- " * 500_000, "? " * 500_000, "a: " * 300_000, LAUGHS),
    *("'" * 1_000_001, '"a\\n' * 200_000, "&a " * 300_000, "*a " * 300_000, "a: b\n" * 200_000),
    *("[" + "\n" * 1_000_000, "!" * 1_000_000, "[" + "a, " * 300_000, "%TAG !a! b\n" * 90_000),
    *("a(" * 300_000 + ": b: c", "a()" * 300_000 + "]: :", "[a@1" + ",1" * 500_000, "\r" * 999_999),
    *("[0x" + "f" * 1_000_000, "9" * 1_000_000, "a" * 1_000_000 + ": b: c", "\n" * 999_999 + "\1"),
    *("[" + "b@1,2(" * 170_000, "a: |\n" + " \n" * 500_000, "--- " * 260_000, "\u2028" * 300_000),
]


@pytest.mark.slow("reads many random files", beyond=2)
@pytest.mark.parametrize("text", JUNK, ids=lambda text: repr(text[:8]))
def test_junk_takes_no_time(text):
    begun = time.process_time()  # whatever else the machine does
    read_yaml(text.encode(), Findings())
    assert time.process_time() - begun < 2  # about 0.2 s at most


TOKENS = st.sampled_from(
    [*"-?:,[]{}&*!|>'\"%@` \n\t#ab0", ": ", "- ", "\n  ", "---", "&a ", "*a", "a: ", "P(", ")@5"]
)


@rounds(200)
@given(st.one_of(st.binary(), st.lists(TOKENS).map(lambda parts: "".join(parts).encode())))
def test_any_bytes_give_a_value_or_a_problem(data):
    found = Findings()
    assert (read_yaml(data, found) is not None) or found.fatal
    assert all(problem.line and "\n" not in problem.message for problem in found)


@pytest.mark.slow("reads large files", beyond=1)
@pytest.mark.parametrize("words", [("ranking",), ("--from", "c/truth.csv", "c/sub.csv")])
def test_editors_find_the_schema_of_what_init_wrote(words, tmp_path, monkeypatch, score):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c").mkdir()
    (tmp_path / "c/truth.csv").write_text("id,label\n1,a\n2,b\n")
    (tmp_path / "c/sub.csv").write_text("id,label\n1,a\n2,a\n")
    for folder in ("made", "c")[: len(words)]:  # in the folder of the files, too
        assert score("init", *words, folder).code == 0
        first = (tmp_path / folder / "challenge.yaml").read_text().splitlines()[0]
        name = first.removeprefix("# yaml-language-server: $schema=")
        assert name != first
        schema = json.loads((tmp_path / folder / name).read_text())
        assert schema == score("schema").json()
        assert schema["$id"] == "urn:challenge-scorer:challenge.yaml"
    assert score("schema", "report").json()["$id"] == "urn:challenge-scorer:report"
