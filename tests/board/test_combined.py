"""Formulas, groups and ranks by several measures on a board that lives."""

from datetime import UTC, datetime, timedelta

import pytest

import scorer
from scorer.api.text import content_of

RULES = """\
truth: truth.csv
lists: {file: lists.csv, columns: {group: kind}}
submission: {missing_list: zero, unknown_list: ignore}
undefined: zero
"""
LIVE = "splits: {public: 0.3, private: rest, seed: 2011}\n"
BY_SCORE = """\
metrics:
  - {id: score, score: "0.25*x + 0.75*y"}
  - {id: x, metric: R@3, denominator: capped, average: pooled, group: x}
  - {id: y, metric: nDCG@10, group: y}
  - {id: g, metric: R@3, average: [pooled, group], aggregate: power(-5)}
  - {id: m, metric: AP, aggregate: median}
leaderboard: {draws: 300}
"""
BY_RANKS = """\
metrics: [P@1, "P@12"]
leaderboard:
  draws: 100
  rank_by: {measures: [P@1, P@12], aggregate: Borda, tie_break: [first_places, earliest]}
"""
DAY = datetime(2026, 1, 5, 12, tzinfo=UTC)


def written(life, more, folder=None, lists=None):
    folder, lists = folder or life.folder, lists or life.lists
    folder.mkdir(exist_ok=True)
    (folder / "challenge.yaml").write_text(RULES + more)
    rows = [f"{name},{'xy'[int(name[1:]) % 2]}" for name in lists]
    (folder / "lists.csv").write_text("\n".join(["list,kind", *rows, ""]))
    grades = [f"{n},{d},{g}" for (n, d), g in life.grade.items() if n in lists]
    (folder / "truth.csv").write_text("\n".join(["list,item,grade", *grades, ""]))
    return folder


@pytest.mark.slow("keeps and evaluates entries")
@pytest.mark.parametrize("split", ["public", "private"])
def test_a_formula_on_a_split_is_that_of_a_truth_of_its_lists(life, split):
    written(life, LIVE + BY_SCORE)
    sent = {name: life.sent(name, noise) for name, noise in (("a", 2), ("b", 1), ("c", 0.6))}
    with life.open() as board:
        for team, path in sent.items():
            board.add([path], team, now=DAY)
        live = board.board(split=split, now=DAY + timedelta(days=1))
        lists = board.versions.splits()[split]
    small = written(life, BY_SCORE, life.folder.parent / "small", lists)
    offline = scorer.score(small, sent)
    assert live.report.leaderboard == offline.leaderboard
    assert all(row.interval is not None and row.tier is not None for row in offline.leaderboard)
    assert live.report.certainty.how == content_of(offline).certainty.how


def test_the_earlier_entry_parts_equal_ranks(life):
    written(life, BY_RANKS)
    sent = {name: life.sent(name, noise) for name, noise in (("a", 1), ("b", 1), ("c", 9))}
    for name in "ab":  # alike but for what no measure sees
        text = (sent["a"]).read_text()
        sent[name].write_text(text if name == "a" else text + "q99,d1,0\n")
    with life.open() as board:
        for n, team in enumerate("cba"):
            board.add([sent[team]], team, now=DAY + timedelta(days=n))
        live = board.board(now=DAY + timedelta(days=9))
        why = board.why("b", now=DAY + timedelta(days=9))
    assert [(row.rank, row.name) for row in live.report.leaderboard] == [
        (1, "b"),
        (2, "a"),
        (3, "c"),
    ]
    assert any("Borda of the ranks by P@1, P@12" in line for line in why.lines)
