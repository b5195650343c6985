"""What a TREC run says of itself in the comments of ir_metadata, on a board of files."""

import csv
import json

import pytest

from scorer.api.ir_metadata import LONGEST
from scorer.reports.leaderboard.remarks import SELVES

RUN = "q1 Q0 a 1 2.0 t\nq1 Q0 b 2 1.0 t\n"
SAID = "tag: dense\nactor:\n  name: Ada\n  mail: ada@example.org\n  team: <b>blue\n" \
       "method:\n  automatic: true\n  retrieval:\n  - name: bm25\n    k1: 1.2\n"  # fmt: skip


# each level merges the one before nine times: YAML 1.1 would write out hundreds of millions
MERGED = "a: &a {k: 1}\n" + "".join(
    f"{now}: &{now}\n  <<: [{', '.join([f'*{before}'] * 9)}]\n"
    for before, now in zip("abcdefgh", "bcdefghi", strict=True)
)


def run(said, end="# ir_metadata.end\n"):
    lines = "".join(f"# {line}\n" for line in said.splitlines())
    return f"# ir_metadata.start\n{lines}{end}{RUN}"


@pytest.fixture
def trec(challenge, score):
    folder = challenge("truth: truth.qrels\nmetrics: [P@2]\nsubmission: {format: trec}\n",
                       **{"truth.qrels": "q1 0 a 1\n"})  # fmt: skip

    def scored(text, *words):
        (folder / "one.run").write_bytes(text if isinstance(text, bytes) else text.encode())
        return score(folder, folder / "one.run", *words)

    return scored


def test_a_board_shows_tag_actor_and_method(trec, tmp_path):
    told = json.loads(trec(run(SAID), "--format", "json").out)
    assert told["submissions"][0]["ir_metadata"] == {
        "tag": "dense",
        "actor": "name: Ada, team: <b>blue",
        "method": "automatic: True, retrieval: name: bm25, k1: 1.2",
    }
    page = tmp_path / "page.html"
    assert trec(run(SAID), "-o", page).code == 0
    text = page.read_text()
    assert "ir_metadata" in text
    assert "&lt;b&gt;blue" in text
    assert "<b>blue" not in text
    assert "ada@example.org" not in text
    ran = trec(RUN, "--format", "json")
    assert "ir_metadata" not in ran.out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (run("tag: x\na: ["), "one.run:3: warning[S112]"),
        (run("- a\n- b"), "it has no keys"),
        (run("[" * 3000), "nested more than 50 deep"),
        (run("x: !!python/object/apply:os.system [ls]"), "a tag ('!...') has no meaning here"),
        (run(MERGED), "more than 10,000 values, aliases written out"),
        (run("tag: \x00"), "cannot be read"),
    ],
)
def test_a_header_that_cannot_be_read_is_one_warning_at_most(text, said, trec):
    ran = trec(text)
    if "\x00" in text:  # which no run may have
        assert ran.code == 1
        return
    assert ran.code == 0, ran
    assert ran.err.count("S112") == 1
    assert said in ran.err


def test_a_header_is_cut(trec):
    wide = "".join(f"  k{n}: {'x' * 90}\n" for n in range(50))
    deep = "tag: a\nmethod:\n" + wide
    told = json.loads(trec(run(deep), "--format", "json").out)["submissions"][0]["ir_metadata"]
    assert len(told["method"]) == LONGEST


def test_of_many_the_best_are_told_and_a_table_has_all(challenge, score):
    folder = challenge("truth: truth.qrels\nmetrics: [P@2]\nsubmission: {format: trec}\n",
                       **{"truth.qrels": "q1 0 a 1\n"})  # fmt: skip
    runs = []
    for n in range(SELVES + 2):
        runs.append(folder / f"r{n:02d}.run")
        runs[-1].write_text(run(f"tag: '=t{n}'\n") if n else RUN)
    text = score(folder, *runs).out
    assert text.count("says of itself (ir_metadata)") == SELVES
    assert "So do 1 more" in text
    head, *rows = csv.reader(score(folder, *runs, "--format", "csv").out.splitlines())
    place = head.index("ir_metadata tag")
    assert sorted(row[place].lstrip("'") for row in rows) == ["", *sorted(
        f"=t{n}" for n in range(1, SELVES + 2)
    )]  # fmt: skip
    assert not any(row[place].startswith("=") for row in rows)


def test_a_run_without_comments_is_not_opened_again_for_them(trec, monkeypatch):
    opened = []
    monkeypatch.setattr("scorer.api.ir_metadata._commented_head", lambda *a: opened.append(a))
    assert trec(RUN).code == 0
    assert not opened
    assert trec(run(SAID)).code == 0
    assert opened
