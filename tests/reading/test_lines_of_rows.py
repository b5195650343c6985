"""Files whose lines have no ids, with what else a form may have: columns, comments, parts."""

import io
import zipfile

import pytest

TRUTH = "q,x\n1,3\n2,4\n3,5\n"
PLAIN = "3\n4\n5\n"
RULES = "{{format: csv, header: [p], columns: {{prediction: p}}, lines: lists{}}}"


def zipped(**files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"{name}.txt", text)
    return out.getvalue()


def numbers(challenge, more, **files):
    yaml = (
        "truth: {file: t.csv, columns: {list: q, target: x}}\n"
        "lists: {file: l.csv, columns: {list: q}}\n"
        f"submission: {RULES.format(more)}\nmetrics: [MAE]\n"
    )
    return challenge(yaml, **{"t.csv": TRUTH, "l.csv": "q\n1\n2\n3\n"} | files)


@pytest.mark.slow("reads large files", beyond=4)
@pytest.mark.parametrize("comment", ["", ', comment: "#"'])
@pytest.mark.parametrize(
    ("text", "told"),
    [
        (PLAIN, ""),
        ("3\n\n4\n5\n\n", ""),
        ("\r\n3\r\n\r\n4\r\n5\r\n", ""),
        ("3\n\n4\n\n", "error[S210] 2 lines, expected 3"),
        ("3\n\n4\n\n5\n6\n", "a line too many"),
        ("# a\n3\n# b\n4\n\n5\n# c\n", "#"),
        ("# a\n3\n# b\n4\n", "# 2 lines, expected 3"),
        ("3\n4\n# b\n5\n6\n", "# a line too many"),
    ],
)
def test_comments_and_blank_lines_are_of_no_row(score, challenge, text, told, comment):
    folder = numbers(challenge, comment, **{"mine.txt": text})
    ran = score(folder, folder / "mine.txt")
    if told.startswith("#") and not comment:
        assert ran.code == 1
        return
    assert ran.code == (1 if told.strip("# ") else 0), ran
    assert told.strip("# ") in ran.err
    assert told.strip("# ") or "0.000" in ran.out


@pytest.mark.slow("reads large files")
def test_the_same_in_a_large_file(score, challenge):
    rows = range(30_000)
    files = {
        "t.csv": "q,x\n" + "".join(f"{n},{n}\n" for n in rows),
        "l.csv": "q\n" + "".join(f"{n}\n" for n in rows),
        "mine.txt": "".join(f"{n}\n" + "# x\n\n" * (n % 7 == 0) for n in rows),
    }
    folder = numbers(challenge, ', comment: "#"', **files)
    score(folder, folder / "mine.txt").assert_exit(0, out="0.000")


@pytest.mark.parametrize(("b", "code"), [("4\n5\n", 0), ("4\n\n5\n", 0), ("4\n", 1)])
def test_a_part_has_the_lines_of_its_own_lists(score, challenge, b, code):
    lists = "q\na/1\nb/1\nb/2\n"
    yaml = (
        "truth: {file: t.zip, format: csv, header: [x], columns: {target: x},"
        " parts: {a: a.txt, b: b.txt}, lines: lists}\n"
        "lists: {file: l.csv, columns: {list: q}}\n"
        f"submission: {RULES.format(', parts: {a: a.txt, b: b.txt}')}\nmetrics: [MAE]\n"
    )
    files = {"t.zip": zipped(a="3\n", b="4\n5\n"), "l.csv": lists, "mine.zip": zipped(a="3\n", b=b)}
    folder = challenge(yaml, **files)
    ran = score(folder, folder / "mine.zip").assert_exit(code)
    assert "1 line, expected 2" in ran.err if code else "0.000" in ran.out


def test_further_columns_stand_in_lines(score, challenge):
    yaml = (
        "truth: {file: t.csv, columns: {list: s, item: token, extra: [tag]}}\n"
        "submission: {format: csv, header: [tag], columns: {extra: [tag]},"
        " lines: {file: tokens.csv, columns: {list: s, item: token}}}\nmetrics: [ChunkF1]\n"
    )
    truth = "s,token,tag\n1,t1,B-PER\n1,t2,O\n2,t1,O\n2,t2,B-LOC\n"
    files = {"t.csv": truth, "tokens.csv": "s,token\n1,t1\n1,t2\n2,t1\n2,t2\n"}
    folder = challenge(yaml, **files, **{"mine.txt": "B-PER\nO\n\nO\nB-PER\n"})
    score(folder, folder / "mine.txt", "--precision", "2").assert_exit(0, out="0.50")


TEXTS = ["", "a, b", '"', 'she said "x", twice', '"all of it"', "", '"He" said']


def texts(challenge, more="", **files):
    """A challenge whose truths are TEXTS, and whose submissions have one a line."""
    rows = "".join('{}\t"{}"\n'.format(n, text.replace('"', '""')) for n, text in enumerate(TEXTS))
    yaml = (
        "truth: {file: t.tsv, columns: {list: q, text: x}}\n"
        "lists: {file: l.csv, columns: {list: q}}\n"
        f"submission: {{format: csv, columns: {{text: x}}, lines: lists{more}}}\n"
        "metrics: ['ExactMatch(normalize=plain)']\n"
    )
    lists = "q\n" + "".join(f"{n}\n" for n in range(len(TEXTS)))
    return challenge(yaml, **{"t.tsv": f"q\tx\n{rows}", "l.csv": lists}, **files)


@pytest.mark.parametrize(
    ("more", "text"),
    [
        (", header: [x]", "\n".join(TEXTS) + "\n"),
        (", header: [x]", "\r\n".join(TEXTS)),
        (", header: [x]", "\n".join(TEXTS) + "\n\n \n"),  # nothing stands behind the last row
        (", header: [x], separator: tab", "\n".join(TEXTS)),
        (", header: [x], comment: '#'", "# mine\n" + "\n# so far\n".join(TEXTS)),
        (", header: [x], skip: 1", "these are mine\n" + "\n".join(TEXTS)),
        (", separator: none", "x\n" + "\n".join(TEXTS)),
    ],
)
def test_a_line_of_text_is_a_text_with_its_quotes_and_an_empty_one_an_empty_text(
    score, challenge, more, text
):
    folder = texts(challenge, more, **{"mine.txt": text})
    ran = score(folder, folder / "mine.txt", "--format", "csv", "-q")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[1].startswith("1,mine,1.0,7,")


def test_lines_of_text_that_are_too_many_or_too_few_are_counted_with_empty_ones(score, challenge):
    folder = texts(challenge, ", header: [x]", **{"few.txt": "\na\n\n", "many.txt": "\n" * 9 + "a"})
    ran = score(folder, folder / "few.txt", "-q")
    assert (ran.code, "few.txt:3: error[S210] 3 lines, expected 7" in ran.told) == (1, True)
    ran = score(folder, folder / "many.txt", "-q")
    assert (ran.code, "many.txt:10: error[S210] a line too many" in ran.told) == (1, True)
