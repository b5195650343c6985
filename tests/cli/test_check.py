"""`score check`: its formats, what it repairs, and how it ends."""

import gzip
import json
import re

import pytest

PUBLIC = "truth: truth.csv\nmetrics: [P@2]\nlists: lists.csv\n"
LISTS = {"lists.csv": "list\nq1\nq2\n"}
FINE = "mine.csv: fine\n  2 of 2 lists; 1 item a list, 2 different\n"
BAD = "list,item,rank\nq1,a,1\nq1,a,2\nq2,b,0\n"


@pytest.fixture
def folder(challenge, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = challenge(PUBLIC, **LISTS)
    (made / "truth.csv").unlink()  # every test here is blind
    return made


def submission(tmp_path, text, name="mine.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return name


def test_text(folder, tmp_path, score):
    ran = score("check", folder, submission(tmp_path, BAD)).assert_exit(1)
    assert ran.out.splitlines() == [
        "mine.csv: would be rejected: 2 errors (S304, S406)",
        "  3:4: error[S304] item 'a' is given twice in list 'q1' (first on line 2)",
        "  4: error[S406] ranks start at 0 in list 'q2'; they start at 1",
        "  2 of 2 lists; 1 to 2 items a list, 2 different",
    ]


def test_fine(folder, tmp_path, score):
    mine = submission(tmp_path, "list,item\nq1,a\nq2,b\n")
    ran = score("check", folder, mine)
    assert (ran.code, ran.out, ran.err) == (0, FINE, "")
    ran = score("check", folder, mine, "--quiet")
    assert (ran.code, ran.out, ran.err) == (0, "", "")


def test_warnings_do_not_reject(folder, tmp_path, score):
    mine = submission(tmp_path, "list,item\nq1,a\nq1,b\nq2,a\nq2,b\n")
    score("check", folder, mine).assert_exit(0, out="mine.csv: fine: 1 warning (S410)\n")
    assert score("check", folder, mine, "-q").out == ""


def test_a_problem_in_many_places_is_told_once_or_all(folder, tmp_path, score):
    rows = "".join(f"q1,a,{n}\n" for n in range(1, 13))
    mine = submission(tmp_path, f"list,item,rank\n{rows}q2,b,1\n")
    said = score("check", folder, mine).out.splitlines()
    assert sum("[S304]" in line for line in said) == 1
    assert "    and 10 more of S304, on lines 4, 5, 6, ... (--all)" in said
    said = score("check", folder, mine, "--all").out.splitlines()
    assert sum("[S304]" in line for line in said) == 11


def test_many_submissions_and_one_that_is_missing(folder, tmp_path, score):
    submission(tmp_path, "list,item\nq1,a\nq2,b\n", "one.csv")
    ran = score("check", folder, "one.csv", "tow.csv")
    ran.assert_exit(1, out=["one.csv: fine\n", "tow.csv: would be rejected", "  error[S101]"])


def test_json(folder, tmp_path, score):
    ran = score("check", folder, submission(tmp_path, BAD), "--format", "json")
    said = json.loads(ran.out)
    (mine,) = said["submissions"]
    assert (ran.code, said["challenge"]["id"], mine["valid"]) == (1, "challenge", False)
    assert mine["counts"] == {"S304": 1, "S406": 1}
    assert mine["problems"][0] == {
        "code": "S304",
        "severity": "error",
        "line": 3,
        "column": 4,
        "list": "q1",
        "item": "a",
        "message": "item 'a' is given twice in list 'q1' (first on line 2)",
        "help": None,
    }


def test_output_goes_to_a_file(folder, tmp_path, score):
    mine = submission(tmp_path, BAD)
    ran = score("check", folder, mine, "--format=json", "-o", "found.json")
    assert (ran.code, ran.out) == (1, "")
    assert json.loads((tmp_path / "found.json").read_text())["submissions"]


def test_github_escapes_what_its_commands_mean(folder, tmp_path, score):
    name = "50%,a:b.csv"
    submission(tmp_path, "list,item\nq1,a\nq2,b\nq1,a\n", name)
    ran = score("check", folder, name, "--format", "github")
    assert ran.out == (
        "::error file=50%25%2Ca%3Ab.csv,line=4,col=4,title=S304::"
        "item 'a' is given twice in list 'q1' (first on line 2)\n"
    )


def test_no_text_of_a_file_starts_a_github_command(folder, tmp_path, score):
    evil = submission(tmp_path, 'list,item\n"q1\n::stop-commands::x",a\nq1,a\nq2,b\n')
    ran = score("check", folder, evil, "--format", "github").assert_exit(1)
    assert all(re.match(r"::(error|warning) ", line) for line in ran.out.splitlines())


BLANKS = "blanks and invisible characters around 1 values removed"
MENDED = "list,item,rank\nq1,a,1\nq2,é,1\n"


@pytest.mark.parametrize(
    ("data", "changes"),
    [
        (MENDED.encode("cp1252"), ["encoding: Windows-1252 converted to UTF-8"]),
        (MENDED.encode("utf-16"), ["encoding: UTF-16 converted to UTF-8"]),
        (MENDED.replace(",", ";").encode(), ["column separator ';' replaced by ','"]),
        (MENDED.replace(",", "\t").encode(), ["column separator '\\t' replaced by ','"]),
        (MENDED.replace("q1", "\u200bq1\u00a0").encode(), [BLANKS]),
        (MENDED.replace("q1", "q1\x1b").encode(), [BLANKS]),
        (
            "list,item,rank\nq1,a,1\nlist,item,rank\n\ufefflist,item,rank\nq2,é,1\n".encode(),
            [BLANKS, "2 repeated headers removed"],
        ),
        ('"list,item,rank"\n"q1,""a"",1"\n"q2,é,1"\n'.encode(), ["quotes round 3 lines removed"]),
        ('list,item,rank\nq1,a,1\n"q2,é,1"\n'.encode(), ["quotes round 1 line removed"]),
        (",list,item,rank\n0,q1,a,1\n1,q2,é,1\n".encode(), ["index column '' removed"]),
        (
            "\ufeff;list;item;rank\r\n0; q1 ;a;1\r\n1;q2\u00a0;é;1\r\n".encode("cp1252", "ignore"),
            None,
        ),
    ],
)
def test_fix_repairs_how_a_table_is_written(data, changes, folder, tmp_path, score):
    mine = submission(tmp_path, data)
    ran = score("check", folder, mine, "--fix").assert_exit(0)
    assert (tmp_path / "mine.fixed.csv").read_text(encoding="utf-8") == MENDED
    assert (tmp_path / mine).read_bytes() == data
    assert "mine.fixed.csv: fine" in ran.out
    said = ran.err.splitlines()
    assert said[0] == "mine.csv: repaired copy in mine.fixed.csv"
    assert changes is None or [line.strip() for line in said[1:]] == changes


def test_fix_never_overwrites(folder, tmp_path, score):
    mine = submission(tmp_path, MENDED.encode("cp1252"))
    (tmp_path / "mine.fixed.csv").write_text("mine")
    score("check", folder, mine, "--fix").assert_exit(2, err="exists already")
    assert (tmp_path / "mine.fixed.csv").read_text() == "mine"
    assert score("check", folder, mine, "--fix", "-o", "other.csv").code == 0
    assert (tmp_path / "other.csv").read_text() == MENDED


def test_fix_leaves_what_it_would_have_to_guess(folder, tmp_path, score):
    ran = score("check", folder, submission(tmp_path, BAD), "--fix")
    ran.assert_exit(1, err="cannot be repaired safely: ")
    assert not (tmp_path / "mine.fixed.csv").exists()
    assert "[S304]" in ran.out


def test_fix_keeps_cells_that_hold_separators_and_line_breaks(folder, tmp_path, score):
    mine = submission(tmp_path, 'list;item\nq1;"a,""b""\nc"\nq2;b\n')
    assert score("check", folder, mine, "--fix").code == 0
    assert (tmp_path / "mine.fixed.csv").read_text() == 'list,item\nq1,"a,""b""\nc"\nq2,b\n'


def test_fix_of_an_index_that_is_a_column_of_values_leaves_it(folder, tmp_path, score):
    mine = submission(tmp_path, ",list,item\n7,q1,a\n9,q2,b\n")
    assert score("check", folder, mine, "--fix").code == 1
    assert not (tmp_path / "mine.fixed.csv").exists()


def test_fix_of_a_compressed_file_is_unpacked(folder, tmp_path, score):
    mine = submission(tmp_path, gzip.compress(MENDED.encode("cp1252")), "mine.csv.gz")
    assert score("check", folder, mine, "--fix").code == 0
    assert (tmp_path / "mine.fixed.csv").read_text() == MENDED


def test_fix_needs_a_place_and_a_file(folder, tmp_path, score):
    assert score("check", folder, "-", "--fix", stdin=b"list,item\n").code == 2
    absent = score("check", folder, "absent.csv", "--fix")
    assert (absent.code, absent.err) == (1, "absent.csv cannot be repaired: file not found\n")
    submission(tmp_path, MENDED)
    submission(tmp_path, MENDED, "two.csv")
    assert score("check", folder, "mine.csv", "two.csv", "--fix", "-o", "x.csv").code == 2


def test_without_public_lists_the_truth_is_needed(challenge, tmp_path, score):
    folder = challenge()
    submission(tmp_path, "list,item\nq1,a\nq2,b\n")
    assert score("check", folder, tmp_path / "mine.csv").code == 0
    (folder / "truth.csv").unlink()
    score("check", folder, tmp_path / "mine.csv").assert_exit(2, err="error[T101] file not found")


CATALOGUED = (
    "truth: truth.csv\nlists: lists.csv\nitems: items.csv\nmetrics: [P@1]\n"
    "submission: {columns: {list: user}}\n"
)
CATALOGUED_FILES = {
    "truth.csv": "list,item\n1,7\n",
    "lists.csv": "list\n1\n2\n",
    "items.csv": "item\n7\n08\nA\n",
}


@pytest.mark.parametrize(
    ("text", "mended", "changes"),
    [
        (
            "user,item\n1.0,7.0\n2.0,8.0\n",
            "user,item\n1,7\n2,08\n",
            [
                "2 ids of 'user' replaced by the challenge's ('1.0' is '1')",
                "2 ids of 'item' replaced by the challenge's ('7.0' is '7')",
            ],
        ),
        (
            "user,item\n1,a\n2,8\n",
            "user,item\n1,A\n2,08\n",
            ["2 ids of 'item' replaced by the challenge's ('a' is 'A')"],
        ),
        (
            "User,ITEM,Score\n1,7,1\n2,A,2\n",
            "user,item,score\n1,7,1\n2,A,2\n",
            [
                "column 'User' renamed to 'user'",
                "column 'ITEM' renamed to 'item'",
                "column 'Score' renamed to 'score'",
            ],
        ),
        (
            "user,item\n1,7\n1,7\n2,A\nuser,item\n2,A\n",
            "user,item\n1,7\n2,A\n",
            ["1 repeated header removed", "2 duplicate rows removed"],
        ),
        (
            "user,item,rank\n1,7,0\n1,A,1\n2,A,0\n",
            "user,item,rank\n1,7,1\n1,A,2\n2,A,1\n",
            ["ranks now start at 1 instead of 0"],
        ),
        (
            "user;item;score\n1;7;1,250\n2;A;-3,5\n",
            "user,item,score\n1,7,1.250\n2,A,-3.5\n",
            [
                "column separator ';' replaced by ','",
                "decimal commas in 2 values of 'score' replaced by points",
            ],
        ),
        (
            'user,item,score\n1,7,"1,25"\n2,A,"1,250"\n',
            "user,item,score\n1,7,1.25\n2,A,1.250\n",
            ["decimal commas in 2 values of 'score' replaced by points"],
        ),
        (
            "sep=;\nuser;item\n1;7\n2;A\n",
            "user,item\n1,7\n2,A\n",
            ["1 line before the header removed", "column separator ';' replaced by ','"],
        ),
        (
            "user;item;score\n1;7;2.000\n2;A;3\n",
            "user,item,score\n1,7,2.000\n2,A,3\n",
            [
                "column separator ';' replaced by ','",
                "'2.000' of 'score' is left, which is 2; is its point between thousands?",
            ],
        ),
        (
            "# made by x\n#\nuser,item\n1,7\n2,A\n",
            "user,item\n1,7\n2,A\n",
            ["2 lines before the header removed"],
        ),
    ],
)
def test_fix_repairs_what_the_messages_know(text, mended, changes, challenge, tmp_path, score):
    folder = challenge(CATALOGUED, **CATALOGUED_FILES)
    path = tmp_path / "mine.csv"
    path.write_text(text)
    assert score("check", folder, path).code == 1
    ran = score("check", folder, path, "--fix").assert_exit(0)
    assert (tmp_path / "mine.fixed.csv").read_text() == mended
    assert [line.strip() for line in ran.err.splitlines()[1:]] == changes
    assert path.read_text() == text


@pytest.mark.parametrize(
    "text",
    [
        "User,item\n1,7\n2,unknown\n",  # one problem is certain, the other is not
        "user,item\n1,7\n1,7.0\n2,A\n",  # the repaired id is there already, in another row
        'user,item,score\n1,7,"1,250"\n2,A,"2,500"\n',  # perhaps thousands
        "user;item;score\n1;7;0,5\n2;A;2.000\n",  # points between thousands
        "user,item,score\n1,7,0,5\n2,A,2.000\n",  # so do these
        "user,item,rank\n1,7,0\n2,A,1\n",  # one list counts from 0
    ],
)
def test_fix_leaves_no_copy_that_fails(text, challenge, tmp_path, score):
    folder = challenge(CATALOGUED, **CATALOGUED_FILES)
    (tmp_path / "mine.csv").write_text(text)
    ran = score("check", folder, tmp_path / "mine.csv", "--fix").assert_exit(1, out="mine.csv")
    assert "fixed" not in ran.out
    assert not (tmp_path / "mine.fixed.csv").exists()


def test_help_lists_what_fix_repairs(score):
    words = " ".join(score("check", "--help").out.split())
    for repair in (
        "encoding",
        "separators",
        "decimal commas",
        "capitals",
        "duplicate rows",
        "start at 0",
    ):
        assert repair in words


def test_a_wrong_id_has_its_column(folder, tmp_path, score):
    """In a file that is read in one go, and with a row that says nothing of an id."""
    rows = 'list,item,rank\n"q1", a,1\nq1, a,2\nq9,b,1\nq2,a,0\n'
    ran = score("check", folder, submission(tmp_path, rows), "--format", "json")
    (mine,) = json.loads(ran.out)["submissions"]
    places = {each["code"]: (each["line"], each["column"]) for each in mine["problems"]}
    assert places["S304"] == (3, 5)
    assert places["S302"] == (4, 1)
    assert places["S406"] == (5, None)


def test_a_file_of_the_challenge_is_no_wrong_submission(score, tmp_path):
    rows = "".join(f"{n},{'ab'[n % 2]}\n" for n in range(4))
    for name, text in (("truth", rows), ("fine", rows), ("bad", rows + "9,a\n")):
        (tmp_path / f"{name}.csv").write_text(f"id,label\n{text}")
    (tmp_path / "challenge.yaml").write_text(
        "truth: {file: truth.csv, columns: {list: id}}\n"
        "submission: {columns: {list: id}}\nmetrics: [Accuracy]\n"
    )
    files = [tmp_path / f"{name}.csv" for name in ("truth", "fine", "bad")]
    ran = score("check", tmp_path, *files)
    assert ran.code == 1
    assert ran.err == "1 file is the challenge's, and not checked\n"


@pytest.mark.parametrize(
    ("submission", "text"),
    [
        # numbers that could be probabilities, ranks or scores, were they not unused
        ("columns: {list: id, label: label}", "id,label,confidence\n1,a,0.5\n2,b,0.7\n3,a,0.9\n"),
        ("columns: {list: id, label: label}", "id,label,Probability\n1,a,0.5\n2,b,0.7\n3,a,1\n"),
        ("columns: {list: id, label: label}", "id,label,x\n1,a,50 %\n2,b,70 %\n3,a,9 %\n"),
        ("columns: {list: id, label: label}", 'id,label,x\n1,a,"0,5"\n2,b,"0,7"\n3,a,"1,5"\n'),
        ("columns: {list: id, label: label}", "x,id,label\nb,1,a\na,2,b\nb,3,a\n"),
    ],
)
def test_fix_leaves_unused_columns_of_a_fine_file(submission, text, challenge, tmp_path, score):
    yaml = (
        "truth: {file: truth.csv, columns: {list: id, label: label}}\n"
        f"submission: {{{submission}}}\nmetrics: [Accuracy]\n"
    )
    folder = challenge(yaml, **{"truth.csv": "id,label\n1,a\n2,b\n3,a\n"})
    (tmp_path / "s.csv").write_text(text)
    ran = score("check", folder, tmp_path / "s.csv", "--fix")
    ran.assert_exit(0, err="fine, nothing to repair")
    assert not (tmp_path / "s.fixed.csv").exists()
    assert "S201" not in ran.out


def test_fix_leaves_unused_columns_of_a_ranking(folder, tmp_path, score):
    fine = "list,item,score,Rank\nq1,a,2,1\nq1,b,1,2\nq2,a,1,1\nq2,c,.5,2\n"
    (tmp_path / "s.csv").write_text(fine)
    assert "fine, nothing to repair" in score("check", folder, tmp_path / "s.csv", "--fix").err
    (tmp_path / "s.csv").write_text(fine.replace("score", "Score"))
    ran = score("check", folder, tmp_path / "s.csv", "--fix")
    assert "column 'Score' renamed to 'score'" in ran.err


def test_several_files_end_with_a_line_of_all(folder, tmp_path, score):
    good = [submission(tmp_path, "list,item\nq1,a\nq2,b\n", f"{name}.csv") for name in "ab"]
    assert score("check", folder, *good).out.splitlines()[-1] == "no problems: every file is fine"
    assert score("check", folder, *good, "--quiet").out == ""
    said = score("check", folder, *good, submission(tmp_path, BAD)).out
    assert "\n2 errors: 1 of 3 files would be rejected; score rule S" in said
