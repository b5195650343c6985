"""The truth and the organizer's other files: what is wrong with them, as exact findings."""

import pytest

from scorer.api.submissions import loaded
from scorer.core.errors import ChallengeError
from scorer.prepare.bind import prepare
from scorer.prepare.open import opened

GRADES = "truth: truth.csv\nmetrics: [P@2]\n"
LISTS = "lists: lists.csv\n"
ITEMS = "items: items.csv\n"
RATINGS = "truth: truth.csv\nmetrics: [RMSE]\nsubmission: {range: [1, 5]}\n"


def told(folder):
    """All that is said of a challenge's files, errors and warnings."""
    try:
        problems = opened(prepare(loaded(folder))).warnings
    except ChallengeError as error:
        problems = error.problems
    said = []
    for problem in problems:
        warning = "warning " if problem.severity == "warning" else ""
        assert problem.path.endswith(".csv")
        said.append(f"{problem.line or '-'} {warning}{problem.code} {problem.message}")
    return said


TEXTS = (
    "truth: {file: truth.csv, columns: {text: item}}\nsubmission: {columns: {text: item}}\n"
    "metrics: [TokenF1]\n"
)

CASES = {
    "nothing is wrong": (GRADES, "q1,a,1\nq1,b,0\nq2,a,2\n", []),
    "conflicting grades": (
        GRADES,
        "q1,a,1\nq1,b,0\nq1,a,2\nq1,a,1\n",
        [
            "4 T304 item 'a' of list 'q1' is graded 1 and 2 (first on line 2)",
            "5 warning T304 item 'a' of list 'q1' is graded twice, with the same grade "
            "(first on line 2)",
        ],
    ),
    "texts that two people wrote alike": (TEXTS, "q1,an answer,1\nq1,an answer,1\n", []),
    "nothing is relevant": (
        GRADES,
        "q1,a,0\nq2,b,-1\n",
        ["- warning T304 nothing is relevant in any list"],
    ),
    "no rows": (GRADES, "", ["- T103 the truth has no rows"]),
    "ids that are none": (
        GRADES,
        "q1,,1\nq1,nan,1\n,a,1\n",
        [
            "2 T309 empty id: the item has no name in 1 row",
            "3 warning T310 id reads 'nan' in 1 row (item); an id such as \"NA\" became a missing "
            "value on writing",
            "4 T309 empty id: the list has no name in 1 row",
        ],
    ),
    "a list that is not public": (
        GRADES + LISTS,
        "q1,a,1\nq11,a,1\nQ2,a,1\nzebra,b,1\n",
        [
            "3 T302 list 'q11' of the truth is not in the file of lists; nearest: 'q1'",
            "4 T302 list 'Q2' of the truth is not in the file of lists; "
            "list 'Q2' differs from 'q2' only by case",
            "5 T302 list 'zebra' of the truth is not in the file of lists",
        ],
    ),
    "an item that is not public": (
        GRADES + ITEMS,
        "q1,a,1\nq1,7,1\nq2,zebra,1\n",
        [
            "3 T305 item '7' of the truth is not in the catalogue; "
            "id '7' is unknown but '007' exists; leading zeros were lost",
            "4 T305 item 'zebra' of the truth is not in the catalogue",
        ],
    ),
    "numbers": (
        GRADES,
        "q1,a,high\nq1,b,\nq1,c,nan\nq1,d,inf\n",
        [
            "2 T501 grade 'high' is not a number in plain decimal notation",
            "3 T506 grade is empty; every row needs a number",
            "4 T502 grade is 'nan'; every row needs a finite number",
            "5 T503 grade is 'inf'; every row needs a finite number",
        ],
    ),
    "ratings": (
        RATINGS,
        "q1,a,1\nq1,b,6\nq1,a,2\nq1,a,1\n",
        [
            "3 warning T505 rating 6 is outside 1 to 5",
            "4 T507 (q1, a) is rated twice (first on line 2)",
            "5 warning T507 (q1, a) is rated twice (first on line 2)",
        ],
    ),
}


@pytest.mark.parametrize("name", list(CASES))
def test_exactly_these_findings(name, challenge):
    said, rows, expected = CASES[name]
    head = "list,item,rating\n" if said == RATINGS else "list,item,grade\n"
    files = {"truth.csv": head + rows, "lists.csv": "list\nq1\nq2\n", "items.csv": "item\na\n007\n"}
    assert told(challenge(said, **files)) == expected


def test_a_column_that_may_be_the_grade(challenge):
    folder = challenge(GRADES, **{"truth.csv": "list,item,views\nq1,a,1\nq2,a,3\n"})
    assert told(folder) == [
        "1 warning T205 column 'views' is not used; without grades every row has grade 1. "
        "If these are the grades, write truth: {file: truth.csv, columns: {grade: views}}"
    ]


def test_columns_that_are_called_otherwise(challenge, score, tmp_path):
    folder = challenge(GRADES, **{"truth.csv": "userId,movieId,rating\nq1,a,1\n"})
    assert told(folder) == [
        f"1 T201 column '{role}' is missing; found: userId, movieId, rating"
        for role in ("list", "item")
    ]
    ran = score(folder, tmp_path / "none.csv")
    written = "truth: {file: truth.csv, columns: {list: ..., item: ..., grade: ...}}"
    assert f"help: say which is which: {written}" in ran.err


def test_subtopics_part_the_grades_of_an_item(challenge):
    rows = "q1,a,1,s\nq1,a,2,t\nq1,a,3,t\nq1,a,1,s\n"
    folder = challenge(GRADES, **{"truth.csv": "list,item,grade,subtopic\n" + rows})
    assert told(folder) == [
        "4 T304 item 'a' of list 'q1', subtopic 't', is graded 2 and 3 (first on line 3)",
        "5 warning T304 item 'a' of list 'q1', subtopic 's', is graded twice, with the same grade "
        "(first on line 2)",
    ]


def test_the_command_says_so_and_ends_with_2(challenge, score, tmp_path):
    folder = challenge(GRADES, **{"truth.csv": "list,item,grade\nq1,a,1\nq1,a,2\n"})
    (tmp_path / "one.csv").write_text("list,item\nq1,a\n")
    ran = score(folder, tmp_path / "one.csv")
    assert (ran.code, ran.out) == (2, "")
    assert "truth.csv:3: error[T304] item 'a' of list 'q1' is graded 1 and 2" in ran.err


@pytest.mark.parametrize(
    ("items", "more", "code"),
    [
        (("(1)", "(2)", "(3)"), "", "T313"),
        (("'a'", "'b'", "c"), "", "T313"),
        (("(1)", "b", "c"), "", None),  # most are not
        (("\"a'", "b)", "c"), "", None),
        (("(1)", "(2)", "(3)"), "submission: {item_pattern: '.+'}\n", None),
        (("a,b", "c,d", "e,f"), "submission: {cells: {item: ' '}}\n", "T313"),
    ],
)
def test_ids_in_quotes_are_told_before_all_submissions_are_refused(
    items, more, code, challenge, score
):
    rows = "".join(
        f'q{n},"{item.replace(chr(34), 2 * chr(34))}",1\n' for n, item in enumerate(items)
    )
    folder = challenge(
        f"truth: truth.csv\n{more}metrics: [P@1]\n",
        **{"truth.csv": f"list,item,grade\n{rows}", "sub.csv": rows.join(["list,item,rank\n", ""])},
    )
    ran = score(folder, folder / "sub.csv")
    assert (code is None) == (ran.code == 0), ran
    assert code is None or f"error[{code}]" in ran.err
