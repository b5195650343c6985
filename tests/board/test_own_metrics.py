"""A challenge's own metric that fails on one entry: that evaluation fails, and no other."""

import pytest

from scorer.board.board import Board

PLUGIN = """
import numpy as np
from scorer import Texts, metric

@metric("Length", title="Length", source="own", range=(0, 9))
def length(texts: Texts):
    \"\"\"How long.\"\"\"
    return np.array([float(int(text or "0")) for text in texts.first()])
"""
YAML = "truth: truth.csv\nmetrics: [Length]\nplugins: [plugin.py]\n"


@pytest.mark.slow("evaluates three entries in processes of their own")
def test_an_entry_on_which_it_fails_ends_no_other(tmp_path):
    files = {"challenge.yaml": YAML, "plugin.py": PLUGIN, "truth.csv": "list,item\nq1,3\nq2,4\n"}
    for name, answer in (("first", "4"), ("bad", "abc"), ("last", "5")):
        files[f"{name}.csv"] = f"list,item\nq1,3\nq2,{answer}\n"
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    store = f"sqlite:///{tmp_path / 'store.db'}"
    with Board.open(tmp_path, store, tmp_path / "kept", allow_plugins=True) as board:
        states = {}
        for team in ("first", "bad", "last"):
            (added,) = board.add([tmp_path / f"{team}.csv"], team)
            states[team] = added.status, added.code
        shown = board.board(split="all")
    assert states == {
        "first": ("scored", None),
        "bad": ("failed", "S901"),
        "last": ("scored", None),
    }
    assert {row.name: row.rank for row in shown.report.leaderboard} == {"last": 1, "first": 2}
