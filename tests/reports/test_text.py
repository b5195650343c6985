"""Rows of plain tables, which are written without rich, are those that rich would draw."""

import random

import pytest

from scorer.reports.document import Cell, Column, Row, Table
from scorer.reports.write import text

KINDS = ("rank", "text", "name", "number", "interval", "sign", "long")
HEADS = ("a", "time of day", "nDCG@10(x=1)", "日本")
PIECES = (
    *["a", "é", "日", "-", "[b]", "👩\u200d👩\u200d👧"],
    *("", "b ", "  x", "\t", "e\u0301", "long words here", "\u200b", "1.5 "),
)


def table(chance):
    def word():
        return "".join(chance.choice(PIECES) for _ in range(chance.randrange(5)))

    kinds = [chance.choice(KINDS) for _ in range(chance.randrange(1, 6))]
    kinds = ["text" if k == "name" in kinds[:n] else k for n, k in enumerate(kinds)]
    columns = [
        Column(
            chance.choice(HEADS),
            kind,
            cut=chance.choice([8, 1000]),
            priority=chance.choice([0, 0, 0, 1, 2]),
        )
        for kind in kinds
    ]
    rows = [Row([Cell(word()) for _ in columns]) for _ in range(chance.randrange(8))]
    return Table("", columns, rows)


@pytest.mark.parametrize("width", [None, 20, 80, 120])
def test_rows_are_written_as_rich_draws_them(width, monkeypatch):
    chance, written = random.Random(f"{width}"), 0
    write_plain_rows = text.TextWriter._write_plain_rows

    def counted(self, fitted, start):
        nonlocal written
        written += bool(fitted.columns and fitted.columns[0].cells[start:])
        write_plain_rows(self, fitted, start)

    monkeypatch.setattr(text.TextWriter, "_write_plain_rows", counted)
    for _ in range(20):
        drawn, found = table(chance), []
        for by_rich in (text.ROWS_BY_RICH, 1_000):
            with monkeypatch.context() as patched:
                patched.setattr(text, "ROWS_BY_RICH", by_rich)
                writer = text.TextWriter(width)
                writer.write_table(drawn)
                found.append(writer.text)
        assert found[0] == found[1]
    assert written
