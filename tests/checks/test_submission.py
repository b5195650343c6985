"""Every check: inputs with all that is found in them; and that no check ever sees an answer."""

import inspect
import re
import time
from dataclasses import fields
from pathlib import Path

import polars as pl
import pytest
import yaml
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds

import scorer
from scorer.challenge.public import Public
from scorer.challenge.submission import Submission
from scorer.checks import ids
from scorer.checks.base import Check, SubmissionRows, examine, find_checks, problem_per_row
from scorer.checks.ids import INVISIBLE, SUGGESTIONS, IdIndex, PublicIds
from scorer.core.codes import codes
from scorer.core.plugins import find_marked
from scorer.core.problems import KEPT, Findings, Problem
from scorer.kinds import KINDS
from scorer.reading.schema import holds_text
from scorer.reading.table import make_table

HERE = Path(__file__).parent
LISTS = "list\n007\nq1\nq2\n"
ITEMS = "item\na\nb\nc\n0042\n123456789012\n"
TRUTHS = {
    "grades": "list,item,grade\n007,a,1\nq1,b,2\nq2,secret,1\n",
    "ratings": "list,item,rating\nq1,a,1\nq1,b,2\n007,a,5\n007,0042,4\n",
    "preferences": "list,better,worse\nq1,A,B\nq1,C,D\n007,A,B\n",
    "labels": "list,label\n007,setosa\nq1,virginica\nq2,setosa\n",
}
METRIC = {"grades": "P@2", "ratings": "RMSE", "preferences": "EDRC", "labels": "Accuracy"}
PAIRS = {  # what the ratings ask for, and the preferences are about
    "ratings": "list,item\n007,0042\n007,a\nq1,a\nq1,b\n",
    "preferences": "list,item\nq1,A\nq1,B\nq1,C\nq1,D\n007,A\n007,B\n",
}


def cases():
    for page in (HERE / f"{kind}.yaml" for kind in TRUTHS):
        for case in yaml.safe_load(page.read_text(encoding="utf-8")):
            yield pytest.param(page.stem, case, id=f"{page.stem}: {case['name']}")


def folder_of(tmp_path, kind, case):
    """A challenge of that kind, and the submission of the case."""
    lists = "list\n007\nq1\n" if kind in PAIRS else LISTS
    metrics = case.get("metrics", [case.get("metric", METRIC[kind])])
    said = {"truth": "truth.csv", "metrics": metrics, "lists": "lists.csv"}
    said["submission"] = case.get("rules", {})
    if kind == "labels":
        said["submission"] = {"classes": ["setosa", "virginica"], **said["submission"]}
        if "target" in case:
            said["truth"] = {"file": "truth.csv", "columns": {"target": case["target"]}}
    elif kind != "grades" or case.get("items"):
        said["items"] = "items.csv"
        (tmp_path / "items.csv").write_text(case.get("catalogue", PAIRS.get(kind, ITEMS)))
    if kind == "preferences":
        columns = {"better": "better", "worse": "worse"}  # say the kind where the truth is missing
        said["truth"] = {"file": "truth.csv", "columns": columns}
    (tmp_path / "challenge.yaml").write_text(yaml.safe_dump(said))
    (tmp_path / "lists.csv").write_text(lists)
    (tmp_path / "truth.csv").write_text(case.get("truth", TRUTHS[kind]))
    mine = tmp_path / case.get("file", "mine.csv")
    mine.write_text(case["submission"], encoding="utf-8")
    return mine


def findings(folder, mine):
    (checked,) = scorer.check(folder, [mine])
    said = []
    for problem in checked.findings:
        warning = "warning " if problem.severity == "warning" else ""
        said.append(f"{problem.line or '-'} {warning}{problem.code} {problem.message}")
    return said


@pytest.mark.slow("checks a file a row, twice", beyond=8)
@pytest.mark.parametrize(("kind", "case"), list(cases()))
def test_exactly_these_findings_with_the_truth_and_without(kind, case, tmp_path, request):
    mine = folder_of(tmp_path, kind, case)
    assert findings(tmp_path, mine) == case.get("problems", [])
    (tmp_path / "truth.csv").unlink()
    request.getfixturevalue("few_hashes")
    assert findings(tmp_path, mine) == case.get("problems", [])


def test_no_finding_tells_of_an_item_that_only_the_truth_knows(tmp_path):
    mine = folder_of(tmp_path, "grades", {"submission": "list,item\nq1,secre\nq2,secret\n007,a\n"})
    with_truth = findings(tmp_path, mine)
    (tmp_path / "truth.csv").write_text("list,item,grade\nq1,other,7\n")
    assert findings(tmp_path, mine) == with_truth == []


def test_of_preferences_only_the_items_of_each_list_are_public(tmp_path):
    (tmp_path / "challenge.yaml").write_text("truth: truth.csv\nmetrics: [EDRC]\n")
    (tmp_path / "mine.csv").write_text("list,better,worse\nl,B,A\nl,D,A\nl,Z,A\nm,A,B\n")
    found = []
    for pairs in ("l,A,B\nl,C,D\nm,A,B\n", "l,D,A\nl,B,C\nm,B,A\n"):
        (tmp_path / "truth.csv").write_text(f"list,better,worse\n{pairs}")
        found.append(findings(tmp_path, tmp_path / "mine.csv"))
    assert found == [["4 S704 item 'Z' is in no preference of list 'l'"]] * 2


def test_preferences_of_a_list_without_items_to_compare_are_said_to_count_for_nothing(tmp_path):
    (tmp_path / "challenge.yaml").write_text(
        "truth: truth.csv\nitems: items.csv\nlists: lists.csv\nmetrics: [EDRC]\n"
    )
    (tmp_path / "truth.csv").write_text("list,better,worse\nl,A,B\n")
    (tmp_path / "items.csv").write_text("list,item\nl,A\nl,B\n")
    (tmp_path / "lists.csv").write_text("list\nl\nm\n")
    (tmp_path / "mine.csv").write_text("list,better,worse\nl,A,B\nm,A,B\n")
    assert findings(tmp_path, tmp_path / "mine.csv") == [
        "3 warning S704 item 'A' is in no preference of list 'm', which has none",
        "3 warning S704 item 'B' is in no preference of list 'm', which has none",
    ]


def test_a_check_is_handed_nothing_but_the_public_part():
    handed = [field.name for field in fields(SubmissionRows)]
    assert handed == ["table", "public", "rules", "ids", "partial", "is_bucket"]
    assert set(Public._fields) == {
        *("kind", "lists", "items", "candidates", "called", "groups"),
        *("classes", "separator", "clusters", "numbers", "complete", "has_texts"),
        "class_columns",  # their classes are as public as labels
        "domains",  # of the measures, which are public
        "boxes_are_shares",  # how the boxes of the truth are written, not where they are
    }
    for check in find_marked("scorer.checks", Check):
        if check.of == "truth":
            continue
        (rows,) = inspect.signature(check.examine).parameters.values()
        assert rows.annotation == "SubmissionRows"
        source = Path(inspect.getfile(check.examine)).read_text()
        imported = set(re.findall(r"^from scorer\.([.\w]+)", source, re.MULTILINE))
        assert imported <= {
            *("challenge.public", "challenge.submission"),  # the rules are public
            *("checks.base", "checks.ids", "checks.numbers", "checks.texts"),
            *("core.arrays", "core.ids", "core.matching", "core.problems", "core.text"),
            *("reading.layout", "reading.numbers", "reading.schema", "reading.table"),
            "views.images",  # how cells of masks and boxes are read
        }


def test_each_check_is_found_for_its_kinds():
    for check in find_marked("scorer.checks", Check):
        for kind in check.kinds or KINDS:
            assert check in find_checks(check.of, kind), "see MODULES in checks/base.py"


@pytest.mark.parametrize("kind", ["grades", "ratings"])
def test_without_public_files_only_public_columns_are_read(kind, tmp_path, monkeypatch):
    from scorer.challenge.load import load
    from scorer.scoring import tables
    from scorer.scoring.bind import bind
    from scorer.scoring.open import open_challenge

    said = {"truth": "truth.csv", "metrics": [METRIC[kind]]}
    (tmp_path / "challenge.yaml").write_text(yaml.safe_dump(said))
    (tmp_path / "truth.csv").write_text(TRUTHS[kind])
    read, seen = tables.read_file, []

    def watched(path, format, schemas, *others, **named):
        found = read(path, format, schemas, *others, **named)
        seen.append({*found.table.frame.columns} - {"line"})
        return found

    monkeypatch.setattr(tables, "read_file", watched)
    prepared = bind(load(tmp_path))
    assert open_challenge(prepared, with_truth=False).truth is None
    assert seen == [{"list"} if kind == "grades" else {"list", "item"}]


def test_every_code_that_is_raised_has_a_page():
    raised = set()
    for source in ROOT.joinpath("scorer").rglob("*.py"):
        raised |= set(re.findall(r'"([SCTV]\d{3})"', source.read_text(encoding="utf-8")))
    assert sorted(raised - set(codes())) == []


def test_every_page_of_a_submission_is_tested():
    named = "".join(
        page.read_text(encoding="utf-8", errors="replace")
        for suffix in ("py", "yaml")
        for page in ROOT.joinpath("tests").rglob(f"*.{suffix}")
    )
    tested = set(re.findall(r"[SCTV]\d{3}", named))
    assert sorted(code for code in codes() if code[0] in "SV" and code not in tested) == []


@pytest.mark.parametrize("page", list(codes().values()), ids=lambda page: page.code)
def test_pages_are_whole(page):
    assert page.title
    assert page.meaning.strip()[-1] in ".?"
    assert page.fix.strip()
    assert f"[{page.code}]" in page.example
    assert page.severity in ("error", "warning")


def table(roles, rows):
    columns = zip(*rows, strict=True) if rows else ((),) * len(roles)
    return make_table(dict(zip(roles, columns, strict=True)), lines=range(2, len(rows) + 2))


def examined(made, public, **rules):
    found = Findings()
    examine(SubmissionRows(made, public, Submission(**rules), PublicIds(public)), found)
    return found


MANY = 60_000
HOSTILE = {
    "unknown": (("list", "item", "rank"), [(f"x{n}", f"y{n}", 0) for n in range(MANY)]),
    "alike": (("list", "item", "rank"), [("1", "1", 1)] * MANY),
    "gaps": (("list", "item", "rank"), [(f"{n:05}", "1", 7) for n in range(MANY)]),
    "unseen": (("list", "item"), [(f"é{n}\u200b", f"ü{n}\u200b") for n in range(MANY)]),
    "ties": (("list", "item", "score"), [(f"{n % 9:05}", f"{n}", 1) for n in range(MANY)]),
    "decimals": (("list", "item"), [(f"{n:05}.0", f"{n}.0") for n in range(MANY)]),
}


@pytest.mark.slow("reads large files", beyond=1)
@pytest.mark.parametrize("name", list(HOSTILE))
def test_whatever_is_wrong_is_told_in_time(name):
    public = Public(
        "grades",
        dict.fromkeys(f"{n:05}" for n in range(20_000)),
        dict.fromkeys(f"{n}" for n in range(20_000)),
    )
    rows = table(*HOSTILE[name])
    start = time.process_time()
    told = examined(rows, public, length={"min": 2, "max": 3}, ties="error")
    assert time.process_time() - start < 3  # about 0.5 s; machines are slow and busy
    assert told.fatal
    assert max(told.counts.values()) > KEPT
    assert len(told) <= KEPT * len(told.counts)


def test_places_beyond_what_is_kept_are_counted():
    told, rows = Findings(), pl.DataFrame({"line": range(KEPT + 5)})
    told.extend(problem_per_row(rows, lambda row: Problem("S304", "", line=row["line"])))
    assert (len(told), told.counts["S304"]) == (KEPT, KEPT + 5)


def test_an_error_counts_even_where_it_is_not_kept():
    told = Findings(most=2)
    told.extend(Problem("S312", "", severity) for severity in ("warning", "warning", "error"))
    assert (len(told), told.counts["S312"], told.fatal) == (2, 3, True)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("20000", "2000"),  # one too many
        ("200", "2000"),  # one too few
        ("2001", "2000"),
        ("0200", "2000"),  # two that changed places
        ("topic-17", "topic_17"),
        ("topic", None),
        ("x" * 1000, None),
        ("", None),
    ],
)
def test_nearest_of_many(name, near):
    known = ["2000", "topic_17", *(f"{n}9999" for n in range(10_000, 11_000))]
    assert IdIndex(dict.fromkeys(known)).nearest(name) == near


def test_suggestions_are_made_for_the_first_only():
    suggest = IdIndex({"2000": None}).make_suggester()
    said = [suggest("20000") for _ in range(SUGGESTIONS + 1)]
    assert said[-2:] == ["; nearest: '2000'", ""]


def test_a_measure_that_has_no_value_where_each_list_needs_one(challenge, tmp_path, score):
    folder = challenge("truth: truth.csv\nmetrics: [Rho]\nundefined: error\n")
    (tmp_path / "one.csv").write_text("list,item\nq1,a\nq2,a\nq2,c\n")
    ran = score(folder, tmp_path / "one.csv")
    ran.assert_exit(1, err="error[S511] Rho is undefined for list 'q1'")


def test_no_code_has_two_pages():
    found = [
        code
        for folder in ("core/pages", "checks")
        for page in ROOT.joinpath("scorer", folder).rglob("*.yaml")
        for code in re.findall(r"^([A-Z]\d{3}):", page.read_text(), re.MULTILINE)
    ]
    assert sorted(found) == sorted(set(found)) == list(codes())


NASTY = ["007", "q1", "q2", "7", "7.0", "Q1", " q1", "q\u200b1", "", "nan", "NA", "a", "b", "0042"]
NASTY += ["42", "1E+11", "1.5e+300", "é", "e\u0301", "\u202e", "x" * 200, "=1+1", "[b]"]
NUMBERS = st.sampled_from([0, 1, 2, 3, 2.5, -1, 1e300, 2**60, float("nan")])
SHAPES = [
    ("grades", ("list", "item")),
    ("grades", ("list", "item", "rank")),
    ("grades", ("list", "item", "score")),
    ("grades", ("list", "item", "rank", "score")),
    ("ratings", ("list", "item", "prediction")),
    ("preferences", ("list", "better", "worse")),
    ("preferences", ("list", "item", "rank")),
]


@rounds(100)
@given(data=st.data())
def test_no_table_whatsoever_makes_a_check_fail(data):
    kind, roles = data.draw(st.sampled_from(SHAPES))
    cell = {True: st.sampled_from(NASTY), False: NUMBERS}
    row = st.tuples(*(cell[holds_text(role)] for role in roles))
    rows = data.draw(st.lists(row, max_size=12))
    names = data.draw(st.lists(st.sampled_from(NASTY), max_size=4))
    items = data.draw(st.none() | st.lists(st.sampled_from(NASTY), max_size=4))
    public = Public(
        kind,
        dict.fromkeys(names),
        None if items is None else dict.fromkeys(items),
        data.draw(st.none() | st.just({name: frozenset(items or ()) for name in names})),
    )
    told = examined(
        table(roles, rows),
        public,
        length=data.draw(st.sampled_from([None, {"min": 0, "max": 2}, {"min": 2, "max": 2}])),
        **data.draw(st.sampled_from([{}, {"range": [1, 5]}])),
        ties=data.draw(st.sampled_from(["item-desc", "error"])),
        missing_list=data.draw(st.sampled_from([None, "zero"])),
        unknown_list=data.draw(st.sampled_from(["error", "ignore"])),
    )
    for problem in told:
        assert problem.code in codes()
        assert problem.line is None or 2 <= problem.line <= len(rows) + 1
        assert str(problem).isprintable()
        # one problem an id: the first of each list id, whatever its code
    lists = [p for p in told if p.code in ("S302", *(f"S3{n:02}" for n in range(6, 13)))]
    whole = [p.list for p in lists if p.item is None and p.code != "S311"]
    assert len(whole) == len(set(whole))


def wrong_ids(lists, items, lines=None, rule="error"):
    """What is said of rows of these lists and items, in a challenge of q1, q2, a and b."""
    lines = lines or range(2, len(lists) + 2)
    table = make_table({"list": lists, "item": items}, lines=lines)
    public = Public("grades", dict.fromkeys(["q1", "q2"]), dict.fromkeys("ab"))
    return examined(table, public, unknown_list=rule, missing_list="skip")


def test_an_id_is_told_once_at_its_first_row_with_the_number_of_its_rows():
    findings = wrong_ids(["q1", "q1", "q2", "q2"], ["x", "a", "x", "y"], lines=[9, 3, 2, 5])
    told = [(each.line, each.list, each.item) for each in findings if each.code == "S305"]
    assert told == [(2, "q2", "x"), (5, "q2", "y")]
    assert "'x' is not in the catalogue (2 rows)" in next(iter(findings)).message


@pytest.mark.parametrize("most", [ids.MOST_EXPLAINED, KEPT + 20])
def test_of_very_many_ids_the_first_are_told_and_all_are_counted(most, monkeypatch):
    monkeypatch.setattr(ids, "MOST_EXPLAINED", most)
    many = KEPT + 50
    findings = wrong_ids(["q1"] * many, [f"x{n}" for n in range(many)])
    told = [each for each in findings if each.code == "S305"]
    assert [each.item for each in told] == [f"x{n}" for n in range(KEPT)]
    assert findings.counts["S305"] == many
    lists = wrong_ids([f"u{n}" for n in range(many)] + ["q1"], ["a"] * (many + 1))
    assert lists.counts["S302"] == many


def test_ignored_lists_are_one_warning_and_faults_are_told_however_many_there_are():
    many = KEPT + 50
    lists, items = [f"u{n}" for n in range(many)], [f"x{n}" for n in range(many)]
    findings = wrong_ids([*lists, "q1"], [*items, "A"], rule="ignore")
    (ignored,) = [each for each in findings if each.code == "S302"]
    assert f"{many:,} lists are not in this challenge, and are ignored: 'u0'" in ignored.message
    assert ignored.severity == "warning"
    (fault,) = [each for each in findings if each.code == "S312"]
    assert "'A' differs from 'a' only by" in fault.message


def test_blanks_are_what_is_looked_for():
    """What `fold_id` leaves out of an ASCII id is what cannot be seen."""
    assert set(INVISIBLE) == {*range(33), 127}
