"""JSON documents whose plain members are read many at a time, as they are value by value."""

import json
import random
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.bytes.limits import ReadLimits
from scorer.core.problems import Findings
from scorer.formats import documents
from scorer.formats import json as json_format
from scorer.formats.form import FileForm
from scorer.formats.pieces import columns_at
from scorer.formats.read import format_of, read
from scorer.tables.table import Builder, Schema
from tests.rounds import rounds

RANKED = Schema(("list", "item"), ("rank", "score"))
LABELLED = Schema(("list", "label"))
PATHS = (
    (("list", "*"), ("item", "*[].doc.id"), ("score", "*[].p")),
    (("list", "questions[].id"), ("item", "questions[].documents[]")),
    (("list", "questions[].id"), ("item", "questions[].documents[].id")),
    (("list", "*[].id"), ("item", "*[].documents[].id")),
    (("list", "[].q.id"), ("item", "[].*"), ("score", "[].*")),
    (("list", "[].id"), ("item", "[].a.*[]")),
)
BY_VALUE = {"SMALLEST": 1 << 30}
AT_ONCE = [{"SMALLEST": 0, "LEAST": n, "MOST": most} for n, most in ((1 << 16, 1 << 22), (8, 64))]
AT_ONCE.append({"SMALLEST": 0, "LEAST": 60, "MOST": 60})

NAMES = ["q1", "q2", "id", "list", "é\U0001f600", 'a"', "\\", "", " \n"]
SIGNS = [
    *('"', "\\", ",", ":", "[", "]", "{", "}", "\n", "\x01", "\0", "0", "-", ".", "e5", "é", "tru"),
    *("[1]", '"a"', ',"i1":1', "\\u00e9", "\\ud83d", "\\u0000", "\\x", "1 2", "01", " ", ""),
]
SPACES = [(", ", ": "), (",", ":"), (" ,\r\n", "\t: ")]


class Made:
    """A document of a random form, nearly all of it plain."""

    def __init__(self, chance):
        self.chance = chance

    def pick(self, *of):
        return self.chance.choice(of)()

    def mostly(self, usual, odd):
        return (odd if self.chance.random() < 0.03 else usual)()

    def id(self):
        return f"i{self.chance.randrange(30)}"

    def item(self):
        return self.mostly(self.id, lambda: self.pick(self.name, self.number, self.value))

    def name(self):
        return self.chance.choice(NAMES)

    def number(self):
        return self.mostly(
            lambda: self.chance.choice([self.chance.randrange(-9, 99), self.chance.gauss(0, 9)]),
            lambda: self.chance.choice([1e400, 2e30, None, True, "x", "7", -1e-300, [1]]),
        )

    def many(self, of):
        return [of() for _ in range(self.chance.randrange(9))]

    def named(self, of):
        names = [self.mostly(self.id, self.name) for _ in range(self.chance.randrange(9))]
        return {name: of() for name in names}

    def value(self):
        few = self.chance.random() < 0.3
        return self.pick(self.items, self.scores) if few else self.pick(self.name, self.number)

    def items(self):
        return self.many(self.item)

    def scores(self):
        return self.named(self.number)

    def some(self, **members):
        more = {"x": self.value} if self.chance.random() < 0.3 else {}
        made = [(name, make()) for name, make in {**members, **more}.items()]
        self.chance.shuffle(made)
        kept = slice(1 if self.chance.random() < 0.02 else 0, None)
        return dict(made[kept])

    def row(self):
        return self.some(list=self.id, item=self.item, score=self.number, label=self.item)

    def document(self):
        return self.some(id=self.item)

    def question(self):
        of = self.chance.choice([self.document, self.item])
        return self.some(id=self.item, documents=lambda: self.many(of))

    def whole(self):
        forms = [
            lambda: self.named(self.items),
            lambda: self.named(self.scores),
            lambda: self.named(self.item),
            lambda: self.named(
                lambda: self.many(lambda: self.some(doc=self.document, p=self.number))
            ),
            lambda: self.many(self.row),
            lambda: self.some(questions=lambda: self.many(self.question)),
            lambda: self.named(lambda: self.many(self.question)),
            lambda: self.many(lambda: self.some(q=self.document, d1=self.number)),
            lambda: self.many(lambda: self.some(id=self.item, a=lambda: self.named(self.items))),
            self.value,
        ]
        form = self.chance.randrange(len(forms))
        return form, forms[form]()

    def text(self):
        form, whole = self.whole()
        indent = self.chance.choice([None, None, 1])
        ascii, spaces = self.chance.random() < 0.5, self.chance.choice(SPACES)
        text = json.dumps(
            whole, indent=indent, ensure_ascii=ascii, separators=None if indent else spaces
        )
        for _ in range(self.chance.choice([0, 0, 0, 1, 2])):
            at = self.chance.randrange(len(text) + 1)
            sign = self.chance.choice(SIGNS)
            text = text[:at] + sign + text[at + self.chance.randrange(3) :]
        return form, text


FORMS = {3: PATHS[:1], 5: PATHS[1:3], 6: PATHS[3:4], 7: PATHS[4:5], 8: PATHS[5:]}


def reading(path, json, shape, sizes):
    findings = Findings()
    with patch.multiple(documents, **sizes):
        format = format_of(path, "json", form=FileForm(json=json))
        table = read(path, format, [shape], findings, ReadLimits())
        found, cells = None, []
        if table is not None:
            columns = [
                table.ids[role].texts(np.arange(len(table)))
                if role in table.ids
                else table.numbers[role].tolist()
                for role in shape.roles
                if role in table.ids or role in table.numbers
            ]
            found = list(zip(table.line.tolist(), *columns, strict=True))
            lines = table.line.tolist()
            for role in set(table.ids):
                ids = table.ids[role].texts(np.arange(len(table)))
                cells += [(line, role, text) for line, text in zip(lines, ids, strict=True)]
            cells = list(dict.fromkeys(cells))
        places = columns_at(path, format, [shape], ReadLimits(), cells)
    empty = table.facts["empty"] if table is not None else ()
    told = [str(p) for p in findings]
    # before an end, the faults of the rows of whole batches have been told, which differ in size
    return repr((found, empty)), places, told if found is not None else told[-1:]


@rounds(400)
@given(seed=st.integers(0, 2**32))
def test_members_at_once_are_as_value_by_value(tmp_path_factory, seed):
    chance = random.Random(seed)
    form, text = Made(chance).text()
    json = chance.choice(FORMS.get(form, ((),)))
    shape = chance.choice([RANKED, RANKED, LABELLED])
    path = tmp_path_factory.getbasetemp() / "plain.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    slowly = reading(path, json, shape, BY_VALUE)
    for sizes in AT_ONCE:
        assert reading(path, json, shape, sizes) == slowly


@pytest.mark.parametrize(
    ("json", "text"),
    [
        ((), '{"q1": ["a", 1.0], "q2": ["é"]}'),
        ((), '{"q1": {"a": 1, "b\\n": -2.5e3}, "q2": {}}'),
        ((), '{"q1": "a", "q2": 7}'),
        ((), '[{"list": "q1", "item": "a", "score": 1}, {"score": 2, "list": "q1", "item": 7}]'),
        (PATHS[2], '{"questions": [{"documents": [{"id": 1, "x": [{}]}], "id": "q1"}]}'),
        (PATHS[0], '{"q1": [{"doc": {"x": {}, "id": "a"}, "p": 1}], "q2": []}'),
    ],
)
def test_plain_members_are_read_at_once(tmp_path, json, text):
    path = tmp_path / "plain.json"
    path.write_text(text)
    slowly = reading(path, json, RANKED, BY_VALUE)
    with patch.object(Builder, "row", side_effect=AssertionError):
        assert reading(path, json, RANKED, AT_ONCE[0]) == slowly


def test_the_name_of_a_list_is_looked_for_once_and_not_in_each_of_its_rows(tmp_path, monkeypatch):
    rows_with, seen = json_format._rows_with, []
    monkeypatch.setattr(
        json_format, "_rows_with",
        lambda *words: (seen.append(row) or row for row in rows_with(*words)),
    )  # fmt: skip
    path = tmp_path / "plain.json"
    path.write_text(json.dumps({name: [f"i{n}" for n in range(3000)] for name in ("q1", "q2")}))
    cells = [(1, "list", "q2"), (1, "list", "q1"), (1, "item", "nowhere")]
    with patch.multiple(documents, **AT_ONCE[0]):
        assert columns_at(path, format_of(path, "json"), [RANKED], ReadLimits(), cells) == [
            path.read_text().index('"q2"') + 1, 2, None,
        ]  # fmt: skip
    assert len(seen) == 2


def test_a_cell_far_from_the_beginning_has_a_line_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(json_format, "LOCATED", 1000)
    path = tmp_path / "plain.json"
    path.write_text("{" + ",\n".join(f'"q{n}": ["i1"]' for n in range(3000)) + "}")
    cells = [(n + 1, "list", f"q{n}") for n in (1, 2999)]
    with patch.multiple(documents, **BY_VALUE):
        found = columns_at(path, format_of(path, "json"), [RANKED], ReadLimits(), cells)
    assert found == [1, None]
