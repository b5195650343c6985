"""Rows in no order, kept as hashes, say to the bit what the whole says, of every kind."""

import numpy as np
import pytest
from wholes import CASES, every_plan, same

from scorer.engines import gather
from scorer.engines.kept import Kept
from scorer.engines.local import scored
from scorer.io import text as reading
from scorer.io.formats import csv


@pytest.fixture(scope="module")
def plans(tmp_path_factory):
    return every_plan(tmp_path_factory)


@pytest.fixture
def blocks(monkeypatch):
    """In small pieces and blocks; the blocks that were gathered."""
    for name, value in (("SMALLEST", 0), ("PIECE", 60), ("HEAD", 60)):
        monkeypatch.setattr(reading, name, value)
    monkeypatch.setattr(csv, "SAMPLE", 2)  # rows by which a file's columns are told
    monkeypatch.setattr(gather, "GATHERED", 7)
    monkeypatch.setattr(gather, "MOST_PARTS", 3)
    made, block = [], Kept.block

    def counted(kept, n, *words):
        made.append(n)
        return block(kept, n, *words)

    monkeypatch.setattr(Kept, "block", counted)
    return made


def shuffled(content, seed):
    """The rows in another order; with an empty line here and there."""
    head, *rows = content.splitlines(keepends=True)
    rng = np.random.default_rng(seed)
    rows = [rows[n] + "\n" * int(rng.integers(5) == 0) for n in rng.permutation(len(rows))]
    return head + "".join(rows)


@pytest.mark.parametrize(
    ("kind", "sent"), CASES, ids=lambda value: value if isinstance(value, str) else value[0]
)
@pytest.mark.parametrize(("held", "asked"), [(1_000_000, 1_000_000), (0, 20)])
def test_scattered_rows_say_what_the_whole_says(
    plans, kind, sent, held, asked, blocks, tmp_path, monkeypatch
):
    monkeypatch.setattr(gather, "HELD", held)
    monkeypatch.setattr(gather, "ASKED", asked)
    path = tmp_path / "mine.csv"
    for seed in range(4):
        path.write_text(shuffled(sent[1], seed))
        with monkeypatch.context() as whole:
            whole.setattr(reading, "SMALLEST", 1 << 20)
            expected = scored(plans[kind], path)
        assert not blocks
        found = scored(plans[kind], path)
        assert found.sha256 == expected.sha256
        same(found, expected)
        if len(sent[1]) > 100:  # of further columns of a submission the texts are needed
            assert bool(blocks) is (kind != "further")
        blocks.clear()
