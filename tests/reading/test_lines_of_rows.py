"""Files whose lines have no ids, with what else a form may have: columns, comments, parts."""

import io
import zipfile

import pytest

TRUTH = "q,x\n1,3\n2,4\n3,5\n"
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
