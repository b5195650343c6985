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
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# nothing\n", None),
        ("---\n...\n", None),
        ("\ufeffa: 1", {"a": 1}),
        ("%YAML 1.2\n---\na: 1\n", {"a": 1}),
        ("a: 'no'\nb: \"1\"\nc: '~'", {"a": "no", "b": "1", "c": "~"}),
        ("7: a\n~: b\ntrue: c", {"7": "a", "~": "b", "true": "c"}),
        ("a: &x [1, {b: c}]\nd: [*x, *x]", {"a": [1, {"b": "c"}], "d": [[1, {"b": "c"}]] * 2}),
        ("'<<': {a: 1}", {"<<": {"a": 1}}),
        ("m: [P@5, AP(rel=2)@10, 'AP(a=1, b=2)', \"MARp@5,10\"]",
         {"m": ["P@5", "AP(rel=2)@10", "AP(a=1, b=2)", "MARp@5,10"]}),
        ("m:\n- AP(a=1, b=2)\n- MARp@5,10\n- nDCG(gains={0:0,1:3})@5",
         {"m": ["AP(a=1, b=2)", "MARp@5,10", "nDCG(gains={0:0,1:3})@5"]}),
        ("[" * 50 + "]" * 50, eval("[" * 50 + "]" * 50)),
    ],
)  # fmt: skip
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
        ("a: 1\na: 2\n'a': 3\nb: {c: 1, c: 2}", [
            "2:1 C104 key 'a' is given twice (first on line 1)",
            "3:1 C104 key 'a' is given twice (first on line 1)",
            "4:11 C104 key 'c' is given twice (first on line 4)"]),
        ("a: !!str 1\nb: ! c\nd: !x [1]\n", [
            f"{place} C108 a tag ('!...') has no meaning here; write the value alone"
            for place in ("1:4", "2:4", "3:4")]),
        ("a: &c {x: 1}\nb: {<<: *c, y: 2}\nd: {<<: [*c, *c]}\nd: 1", [
            "2:5 C105 merging by << is not supported; write the keys out",
            "3:5 C105 merging by << is not supported; write the keys out",
            "4:1 C104 key 'd' is given twice (first on line 3)"]),
        ("a: *b", ["1:4 C109 alias 'b' names nothing above it"]),
        ("a: &b [*b]", ["1:8 C109 alias 'b' stands inside what it names"]),
        ("? [a]\n: b\nc: d", ["1:3 C103 a key is a text, not a list or a mapping"]),
        ("? {a: b}\n: c\n", ["1:3 C103 a key is a text, not a list or a mapping"]),
        ("a: 1\n---\nb: 1\n", ["2:1 C103 a second document begins here; a challenge is one"]),
        (b"a: 1\nb: \xe9", [
            "2 C102 byte 0xE9 is not UTF-8; the file may be Windows-1252, save it as UTF-8"]),
        ("a: é".encode("utf-16"), [
            "1 C102 byte 0xFF is not UTF-8; the file is UTF-16, save it as UTF-8"]),
        ("a: b\r\nc: \0", ["2 C103 a NUL byte cannot stand in a text file"]),
        ("a: \x1b[1m", [r"1 C103 the character '\x1b' cannot stand in a text file"]),
        ("a: b\nc: d\u2028e", [r"2 C103 the character '\u2028' cannot stand in a text file"]),
        (b"#" * (2**20 + 1), ["1 C110 larger than 1 MiB"]),
        ("[" * 51 + "]" * 51, ["1:51 C110 nested more than 50 deep"]),
        ("[" + "a, " * 10_000 + "]", [
            "1:29999 C110 more than 10,000 values; "
            "write many classes in a file: classes: {file: classes.csv}"]),
        ("a: &a [" + "x, " * 99 + "]\nb: &b [" + "*a, " * 50 + "]\nc: [*b, *b]", [
            "3:5 C109 more than 10,000 values, aliases written out"]),
        ("a: &a " + "[" * 40 + "]" * 40 + "\nb: " + "[" * 12 + "*a" + "]" * 12, [
            "2:16 C109 nested more than 50 deep, aliases written out"]),
        ("m: [AP(rel=2, x=1)@10, P@5]", [f'1:5 C103 {CUT}"AP(rel=2, x=1)@10"']),
        ("m: [AP(rel=2,\n  x=1)@10]", [f'1:5 C103 {CUT}"AP(rel=2, x=1)@10"']),
        ("m: {metric: AP(rel=2, x=1)}", [f'1:13 C103 {CUT}"AP(rel=2, x=1)"']),
        ("m: {AP(rel=2, x=1): 0.5}", [f'1:5 C103 {CUT}"AP(rel=2, x=1)"']),
        ("m: [MARp@5,10]", [f'1:5 C103 {CUT}"MARp@5,10"']),
        ("m: [P@5, nDCG(gains={0: 0})@5]", [f'1:10 C103 {CUT}"nDCG(gains={{0: 0}})@5"']),
        ("m: nDCG(gains={0: 0})@5", [f'1:4 C103 {CUT}"nDCG(gains={{0: 0}})@5"']),
        ("m:\n- nDCG(gains={0: 0})@5", [f'2:3 C103 {CUT}"nDCG(gains={{0: 0}})@5"']),
        ("\ta: b", ["1:1 C103 a tab cannot indent; use blanks"]),
        ("a: @x", ["1:4 C103 '@' cannot begin a value; put the text in quotes"]),
        ("a: %x", ["1:4 C103 '%' cannot begin a value; put the text in quotes"]),
        ("a: [1\nb: 2", ["2:2 C103 a ',' or ']' is missing before this; the '[' is on line 1"]),
        ("a:\n  {b: c", ["2:8 C103 a ',' or '}' is missing before this; the '{' is on line 2"]),
        ("a: 1\nb: 'x\n\nd: e", ["2:4 C103 the quote opened here is never closed"]),
        ("a: b\n c: d", ["2:3 C103 " + COLON]),
        ("a: - b", ["1:4 C103 a list item cannot stand here; begin it on a line of its own"]),
        ("- a\nb: c", ["2:1 C103 " + MISPLACED]),
        ("a:\n  - b\n c\n", ["3:2 C103 " + MISPLACED]),
        ("a: }", ["1:4 C103 a value is missing before '}'"]),
        ("a: [b,", ["1:7 C103 a value is missing before the end of the file"]),
        ("[a]\nb", ["2:1 C103 the file's one value has ended before this"]),
        ("a: 1\nkey\nb: c\n", ["2:1 C103 a ':' is missing after this key"]),
    ],
)  # fmt: skip
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
