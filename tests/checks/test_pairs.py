"""What a file of preferences is told, with the public part of the truth only."""

from __future__ import annotations

import polars as pl
import pytest

import scorer
from scorer.checks.pairs import find_contradictions

TRUTH = "list,better,worse\nl,A,B\nl,C,D\nm,A,B\n"
CHALLENGE = "truth: truth.csv\nmetrics: [EDRC]\n"


def told(folder, submission, challenge=CHALLENGE, **files):
    (folder / "challenge.yaml").write_text(challenge)
    (folder / "truth.csv").write_text(TRUTH)
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text)
    (folder / "mine.csv").write_text(submission)
    (checked,) = scorer.check(folder, [folder / "mine.csv"])
    return [(p.line, p.code, p.severity, p.message) for p in checked.findings]


M = "m,A,B\n"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            ["l,A,B", "l,A,B"],
            [(3, "S705", "warning", "A > B is given twice in list 'l' (first on line 2)")],
        ),
        (["l,A,A"], [(2, "S701", "error", "'A' is preferred to itself in list 'l'")]),
        (["l,A,Z", "l,Z,B"], [(2, "S704", "error", "item 'Z' is in no preference of list 'l'")]),
        (
            ["l,A,B", "l,C,D", "l,B,A"],
            [(4, "S702", "error", "both A > B and B > A in list 'l' (lines 2 and 4)")],
        ),
        (
            ["l,C,A", "l,D,A", "l,A,B", "l,B,C"],
            [
                (
                    5,
                    "S703",
                    "error",
                    "the preferences of list 'l' form a cycle: C > A > B > C (lines 2, 4 and 5)",
                )
            ],
        ),
        (["l,A,B", "l,B,C", "l,C,D", "l,A,D"], []),
    ],
)
def test_each_fault(tmp_path, rows, expected):
    body = "".join(f"{row}\n" for row in rows)
    assert told(tmp_path, f"list,better,worse\n{body}{M}") == expected


def test_a_cycle_in_each_list_and_the_shortest_of_a_knot(tmp_path):
    (tmp_path / "truth.csv").write_text("")
    rows = "l,A,B\nl,B,C\nl,C,D\nl,D,A\nl,C,A\nm,A,B\nm,B,C\nm,C,A\n"
    items = "list,item\n" + "".join(f"{n},{item}\n" for n in "lm" for item in "ABCD")
    challenge = f"{CHALLENGE}items: items.csv\n"
    found = told(tmp_path, f"list,better,worse\n{rows}", challenge, items=items)
    assert [(line, code) for line, code, *_ in found] == [(6, "S703"), (9, "S703")]
    assert "A > B > C > A (lines 2, 3 and 6)" in found[0][3]


def test_a_long_cycle_is_cut(tmp_path):
    size = 100
    items = "list,item\n" + "".join(f"{n},i{k}\n" for n in "lm" for k in range(size))
    rows = "".join(f"l,i{k},i{(k + 1) % size}\n" for k in range(size))
    challenge = f"{CHALLENGE}items: items.csv\n"
    ((line, code, _, message),) = told(
        tmp_path, f"list,better,worse\n{rows}m,i1,i2\n", challenge, items=items
    )
    assert (line, code) == (101, "S703")
    assert message.endswith(
        "cycle: i0 > i1 > i2 > i3 > i4 > i5 > … > i99 > i0 (100 lines, up to 101)"
    )


def test_ranked_lists_answer_too(tmp_path):
    assert told(tmp_path, "list,item,rank\nl,A,1\nl,D,2\nm,B,1\n") == []
    found = told(tmp_path, "list,item,rank\nl,A,1\nl,Z,2\nm,B,1\n")
    assert [(line, code) for line, code, *_ in found] == [(3, "S704")]
    found = told(tmp_path, "list,item,rank\nl,A,1\nl,A,2\nm,B,1\n")
    assert [(line, code) for line, code, *_ in found] == [(3, "S304")]


def test_neither_direction_nor_pairs_of_the_truth_matter(tmp_path):
    """A check knows which items a list has, and nothing else of its truth."""
    first = told(tmp_path, f"list,better,worse\nl,B,A\nl,D,A\nl,Z,A\n{M}")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "challenge.yaml").write_text(CHALLENGE)
    (tmp_path / "other" / "truth.csv").write_text("list,better,worse\nl,D,A\nl,B,C\nm,B,A\n")
    (second,) = scorer.check(tmp_path / "other", [tmp_path / "mine.csv"])
    assert [(p.line, p.code, p.severity, p.message) for p in second.findings] == first


def test_the_truth_may_be_missing_where_lists_and_items_are_public(tmp_path):
    challenge = (
        "truth: {file: secret.csv, columns: {better: better, worse: worse}}\nmetrics: [EDRC]\n"
        "lists: lists.csv\nitems: items.csv\n"
    )
    files = {"lists": "list\nl\nm\n", "items": "list,item\nl,A\nl,B\nm,A\nm,B\n"}
    found = told(tmp_path, f"list,better,worse\nl,A,C\n{M}", challenge, **files)
    assert [(line, code) for line, code, *_ in found] == [(2, "S704")]


def test_pairs_of_different_lists_make_no_cycle():
    def found(*pairs):
        columns = zip(("list", "better", "worse"), zip(*pairs, strict=True), strict=True)
        frame = pl.DataFrame({"line": range(2, len(pairs) + 2)} | dict(columns))
        return [(problem.code, problem.list) for problem in find_contradictions(frame, "list")]

    assert found("lab", "lbc", "mca") == []
    assert found("lab", "lbc", "lca", "mca") == [("S703", "l")]
