"""The forms of files in challenge.yaml: what they score, and what is wrong with them."""

import pickle
from textwrap import dedent

import pytest

import scorer
from scorer.challenge.load import load
from scorer.core.errors import ChallengeError


def write(folder, **files):
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(dedent(text))
    return folder


def values(folder, name, measure):
    report = scorer.score(folder, [folder / name])
    [one] = report.submissions
    assert [str(p) for p in one.findings] == []
    return dict(zip(one.card.lists, one.values[measure].per_list.tolist(), strict=True))


def problems(folder, name):
    [one] = scorer.score(folder, [folder / name]).submissions
    return [f"{p.code} {p.line}:{p.column} {p.message}" for p in one.findings]


def test_several_ids_in_a_cell_are_ranked_by_their_order(tmp_path):
    write(
        tmp_path,
        challenge__yaml="""
            truth: {file: truth.csv, cells: {item: ' '}}
            submission:
              header: [session, items]
              columns: {list: session, item: items}
              separator: semicolon
              cells: {item: ','}
            metrics: [RR]
            """,
        truth__csv="list,item\ns1,a b\ns2,c\n",
        good__csv="s1;x,a,b\ns2;c\n",
        bad__csv="s1;x,a,a\ns2;x,cc\ns3;a\n",
    )
    assert values(tmp_path, "good.csv", "RR") == {"s1": 0.5, "s2": 1.0}
    assert problems(tmp_path, "bad.csv") == [
        "S304 1:6 item 'a' is given twice in session 's1' (first on line 1)",
        "S302 3:1 session 's3' is not in this challenge; nearest: 's1'",
    ]


def test_lines_in_the_order_of_the_lists(tmp_path):
    write(
        tmp_path,
        challenge__yaml="""
            truth: truth.csv
            lists: lists.csv
            submission: {header: [item], cells: {item: ' '}, lines: lists}
            metrics: [P@2]
            """,
        truth__csv="list,item\ni1,3\ni2,7\n",
        lists__csv="list\ni2\ni1\n",
        good__csv="7 1\n2 3\n",
        bad__csv="7 1\n",
    )
    assert values(tmp_path, "good.csv", "P@2") == {"i1": 0.5, "i2": 0.5}
    found = problems(tmp_path, "bad.csv")
    assert "S210 1:None 1 line, expected 2: one for each row of 'lists.csv'" in found


def test_a_vector_of_ranks(tmp_path):
    write(
        tmp_path,
        challenge__yaml="""
            truth: truth.csv
            items: {file: items.csv, cells: {item: ' '}}
            submission: {header: [list, rank], separator: whitespace, cells: {rank: ','}}
            metrics: [RR]
            """,
        truth__csv="list,item\nu1,b\nu2,c\n",
        items__csv="list,item\nu1,a b c\nu2,c d\n",
        good__csv="u1 [3,1,2]\nu2 [2,1]\n",
        bad__csv="u1 [3,1]\nu2 [2,2]\n",
    )
    assert values(tmp_path, "good.csv", "RR") == {"u1": 1.0, "u2": 0.5}
    found = problems(tmp_path, "bad.csv")
    assert any(each.startswith("S211 1:4 2 values in 'rank'; list 'u1' has 3") for each in found)
    assert any(each.startswith("S405 2") for each in found)


def test_documents(tmp_path):
    write(
        tmp_path,
        challenge__yaml="""
            truth: {file: truth.json, json: {list: 'questions[].id', item: 'questions[].docs[]'}}
            submission: {json: {list: 'questions[].id', item: 'questions[].docs[]'}}
            metrics: [RR]
            """,
        truth__json='{"questions": [{"id": "q1", "docs": ["a"]}, {"docs": ["b"], "id": "q2"}]}',
        good__json='{"questions": [{"id": "q1", "docs": ["x", "a"]}, {"docs": ["b"], "id": "q2"}]}',
        bad__json='{"questions": [{"id": "q1", "docs": ["x", "a"]},\n{"docs": ["b"], "id": "q3"}]}',
    )
    assert values(tmp_path, "good.json", "RR") == {"q1": 0.5, "q2": 1.0}
    assert problems(tmp_path, "bad.json") == [
        "S301 None:None 1 of 2 lists is missing: 'q2'",
        "S302 2:23 list 'q3' is not in this challenge; nearest: 'q1'",
    ]


def test_an_answer_is_a_text_by_the_id_of_its_question(tmp_path):
    write(
        tmp_path,
        challenge__yaml="""
            truth: {file: truth.json, format: json}
            submission: {format: json}
            metrics: [ExactMatch]
            """,
        truth__json='{"q1": ["Nile", "the river Nile"], "q2": ["Po"], "q3": ["q3"]}',
        good__json='{"q1": "The Nile!", "q2": "Rhine", "q3": "q2"}',
        bad__json='{"q1": "Nile",\n"q2": {"x": [1]}, "q3": "a"}',
        more__json='{"q1": "Nile",\n"q2": "Po", "q4": "a"}',
    )
    assert values(tmp_path, "good.json", "ExactMatch") == {"q1": 1.0, "q2": 0.0, "q3": 0.0}
    assert problems(tmp_path, "bad.json") == ["S207 2:7 an object where the item is expected"]
    assert problems(tmp_path, "more.json") == [
        "S301 None:None 1 of 3 lists is missing: 'q3'",
        "S302 2:13 list 'q4' is not in this challenge; nearest: 'q1'",
    ]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("separator: tabs", "'tabs' separates nothing; write one character"),
        ("cells: {itme: ' '}", "no key 'itme' here; did you mean 'item'?"),
        ("wide: {items: 'F*'}", "no key 'items' here; did you mean 'item'?"),
        ("wide: {item: 'F*', rank: 'G*'}", "columns can be named by one role only"),
        ("header: [a, a]", "a column is named twice in header"),
        ("lines: lists", "the challenge has no lists, whose rows the lines would be of"),
        ("cells: {rank: ','}", "cells without item hold a value for each candidate"),
        ("{cells: {item: ','}, wide: {item: 'F*'}}", "cells and wide cannot both say"),
        ("lines: {file: a.csv, colums: {}}", "no key 'colums' here; did you mean 'columns'?"),
        ("lines: {file: a.csv, columns: {user: b}}", "no key 'user' here"),
        ("json: {lst: 'a[]'}", "no key 'lst' here; did you mean 'list'?"),
        ("json: {list: 'a..b', item: 'a[]'}", "'a..b' is no path"),
        ("json: {list: 'a[].id', item: 'b[].id'}", "the path of 'item' does not lead through"),
        ("skip: -1", "'-1' is below 0"),
    ],
)
def test_what_is_wrong_with_a_form(written, message, tmp_path):
    body = f"submission: {written if written.startswith('{') else f'{{{written}}}'}"
    write(tmp_path, challenge__yaml=f"truth: truth.csv\nmetrics: [RR]\n{body}\n")
    with pytest.raises(ChallengeError) as caught:
        load(tmp_path)
    [problem] = caught.value.problems
    assert message in problem.message
    assert problem.line == 3


def test_the_truth_is_no_file_of_lines(tmp_path):
    write(
        tmp_path,
        challenge__yaml="""
            truth: truth.csv
            submission: {header: [prediction], lines: {file: truth.csv, columns: {list: list}}}
            metrics: [MAE]
            """,
        truth__csv="list,item,rating\na,b,1\n",
        good__csv="1\n",
    )
    with pytest.raises(ChallengeError) as caught:
        scorer.score(tmp_path, [tmp_path / "good.csv"])
    assert [p.code for p in caught.value.problems] == ["C124"]


def test_the_form_is_part_of_what_a_value_depends_on(tmp_path):
    write(tmp_path, truth__csv="list,item\na,b\n", keys__csv="list\na\n")

    def digests(form):
        write(tmp_path, challenge__yaml=f"truth: truth.csv\nmetrics: [RR]\nsubmission: {form}\n")
        bound = scorer.scoring.bind.bind(load(tmp_path))
        return scorer.scoring.open.open_challenge(bound).digests

    plain, cells = digests("{}"), digests("{cells: {item: ' '}}")
    lines = digests("{header: [item], lines: keys.csv}")
    assert len({plain["rules"], cells["rules"], lines["rules"]}) == 3
    assert plain["truth"] != lines["truth"]
    before = lines["truth"]
    write(tmp_path, keys__csv="list\na\na\n")
    assert digests("{header: [item], lines: keys.csv}")["truth"] != before


def test_a_plan_with_a_layout_pickles(tmp_path):
    write(
        tmp_path,
        challenge__yaml="""
            truth: truth.csv
            submission: {header: [item], cells: {item: ' '}, lines: keys.csv}
            metrics: [RR]
            """,
        truth__csv="list,item\na,b\n",
        keys__csv="list\na\n",
    )
    plan = scorer.scoring.open.open_challenge(scorer.scoring.bind.bind(load(tmp_path))).plan
    assert plan.layout.cells
    assert pickle.loads(pickle.dumps(plan)).layout == plan.layout
