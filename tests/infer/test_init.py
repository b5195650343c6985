"""`scorer.init`, and the lines of a term that `score init --term` writes."""

import re
from pathlib import Path

import pytest
import yaml

import scorer

TRUTH = "id,label\n1,a\n2,b\n3,a\n4,b\n5,a\n6,b\n7,a\n8,b\n9,a\n10,b\n11,a\n12,b\n"
SOLUTION = "id,label,Usage\n1,a,Public\n2,b,Private\n3,a,Private\n4,b,Public\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {"t.csv": TRUTH, "s.csv": TRUTH, "solution.csv": SOLUTION}.items():
        Path(name).write_text(text)
    return tmp_path


def uncomment(text):
    """Take away the first "# " of each line of the term, which begins after the last key."""
    head, _, term = text.partition("\n\n# # A term")
    return f"{head}\n{re.sub('^# ', '', '# # A term' + term, flags=re.M)}"


@pytest.mark.parametrize(("truth", "show"), [("t.csv", "public"), ("solution.csv", "Public")])
def test_a_term_is_refused_at_each_missing_date_until_it_has_one(score, folder, truth, show):
    score("init", "--from", truth, "s.csv", "plain")
    score("init", "--from", truth, "s.csv", "made", "--term").assert_exit(0)
    path = folder / "made/challenge.yaml"
    text = path.read_text("utf-8")
    plain = (folder / "plain/challenge.yaml").read_text("utf-8")
    assert text.startswith(plain)
    assert all(line[:1] in ("", "#") for line in text.removeprefix(plain).split("\n"))
    assert "splits" in yaml.safe_load(plain) or re.search(r"^# splits: .*seed: \d+", text, re.M)
    assert score("made", "made/s.csv").out == score("plain", "plain/s.csv").out.replace(
        "plain", "made"
    )

    path.write_text(uncomment(text))
    lines = path.read_text("utf-8").split("\n")
    form = "2026-05-31T23:59+02:00"  # as the lines say
    assert f"A time is written as {form}." in text
    for key, value in (
        ("    opens: DATE", form),
        ("    closes: DATE", form.replace("20", "21", 1)),
    ):
        line = lines.index(key) + 1
        says = (
            f"challenge.yaml:{line}: error[C106] phases[0].{key.strip(': DATE')}: 'DATE' is no time"
        )
        score("check", "made", "s.csv").assert_exit(2, err=says)
        lines[line - 1] = key.replace("DATE", value)
        path.write_text("\n".join(lines))
    line = next(n for n, line in enumerate(lines, start=1) if line.startswith("grading:"))
    no_start = (
        f"challenge.yaml:{line}: error[C106] grading.from: 'NUMBER' is neither a number nor the "
        "name of a baseline"
    )
    no_end = f"challenge.yaml:{line}: error[C106] grading.to: 'NUMBER' is not a number"
    score("check", "made", "s.csv").assert_exit(2, err=[no_start, no_end])
    text = "\n".join(lines).replace("to: NUMBER", "to: 1")
    path.write_text(text)
    score("made", "made/s.csv").assert_exit(2, err=no_start)
    path.write_text(text.replace("from: NUMBER", "from: forest"))
    score("made", "made/s.csv").assert_exit(0)
    path.write_text(text.replace("from: NUMBER", "from: 0.5"))
    challenge = scorer.load(path)
    assert [phase.show for phase in challenge.phases] == [
        show,
        {"public": "private"}.get(show, "Private"),
    ]
    assert challenge.phases[0].quota.per_day == 3
    assert challenge.grading.points == 10


def test_the_seed_of_splits_is_drawn_each_time(folder):
    for name in ("a", "b"):
        scorer.init(name, "t.csv", "s.csv", term=True)
    texts = [Path(name, "challenge.yaml").read_text("utf-8") for name in ("a", "b")]
    assert texts[0] != texts[1]


def test_init_in_python_does_what_the_command_does(score, folder):
    new = scorer.init("a", "t.csv", "s.csv")
    ran = score("init", "--from", "t.csv", "s.csv", "b").assert_exit(0)
    assert ran.out == f"{new}\n".replace("made a", "made b").replace(" a a/", " b b/")
    assert new.files == ("challenge.yaml", "t.csv", "s.csv", "challenge.schema.json")
    assert {path.name for path in new.folder.iterdir()} == {*new.files}
    assert repr(new) == f"<NewChallenge a: {', '.join(new.files)}>"
    assert new.description == "a table of classes, ranked by Accuracy"
    assert (new.doubt, new.problems) == ("", ())
    assert scorer.score(new.folder, [new.submission]).mean("s") == 1.0
    assert scorer.init("c").files == (
        "challenge.yaml",
        "submission.csv",
        "truth.csv",
        "challenge.schema.json",
    )
    assert scorer.init("d", kind="trec").submission == Path("d/submission.run")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"truth": "t.csv", "kind": "trec"}, "from a truth, from results, or from a kind"),
        ({"sample": "s.csv"}, "a sample needs the truth that it answers"),
        ({"term": True}, "the lines of a term are written from a truth"),
        ({"truth": "nowhere.csv"}, "nowhere.csv is no file"),
        ({"results": ["nowhere"]}, "nowhere is no file or folder"),
        ({"results": ["t.csv"]}, "t.csv: no results of a tool that is known"),
        ({"kind": "rankin"}, "did you mean 'ranking'?"),
    ],
)
def test_what_init_cannot_do_leaves_nothing(folder, words, says):
    with pytest.raises(scorer.UsageError, match=re.escape(says)):
        scorer.init("made", **words)
    assert not Path("made").exists()


def test_texts_without_spans_are_named_by_a_file_of_lists(score, folder):
    Path("t.csv").write_text("text,spans\nt1,PER 0 4;LOC 10 16\nt2,ORG 3 9\nt3,\n")
    Path("s.csv").write_text("text,spans\nt1,PER 0 4;LOC 10 16\nt2,ORG 3 9\nt3,PER 0 4\n")
    new = scorer.init("made", "t.csv", "s.csv")
    assert "lists.csv has each text, also those without an answer" in new.notes
    assert Path("made/lists.csv").read_text("utf-8") == "text\nt1\nt2\nt3\n"
    assert "unknown_list" not in Path("made/challenge.yaml").read_text("utf-8")
    Path("right.csv").write_bytes(Path("t.csv").read_bytes())
    means = [scorer.score("made", [path]).mean(path[:-4]) for path in ("right.csv", "s.csv")]
    assert means == [1.0, pytest.approx(6 / 7)]  # a span too many, of a text without any
    ran = score("t.csv", "right.csv", "s.csv", "-m", "SpanF1", "--format", "json")
    values = [row["values"]["SpanF1"] for row in ran.json()["leaderboard"]]
    assert values == means
