"""The board as plain files: what visitors may see, and nothing else."""

import csv
import io
import json
import re
import zipfile
from datetime import datetime

import pytest

from scorer.board.board import Board
from scorer.board.publish import public_files
from scorer.core.errors import UnknownName, UsageError

NAMES = ["board.csv", "board.json", "kit.zip", "receipts.jsonl", "index.html"]
YAML = """\
title: A <b>course</b>
description: Rank the four items.
truth: truth.csv
lists: lists.csv
metrics: [nDCG@4, RR]
timezone: Europe/Ljubljana
splits: {public: 0.5, private: rest, seed: 424242}
phases:
  - {id: early, opens: 2026-01-01T00:00:00Z, closes: 2026-01-31T23:59:59Z, show: none}
  - {id: main, opens: 2026-02-01T00:00:00Z, closes: 2026-02-28T23:59:59Z, show: public}
  - {id: final, after: main, show: private}
questions: {method: {board: true}, mail: {}}
leaderboard: {draws: 200, baselines: [poor.csv]}
pages: {rules: rules.md}
"""
LISTS = [f"q{n:02d}" for n in range(12)]
EARLY, MAIN, FINAL = (
    datetime.fromisoformat(f"2026-{month}-05T12:00:00+00:00") for month in ("01", "02", "03")
)


def rows(right):
    """A submission that has the best item first in the lists of which `right` is true."""
    return "list,item,score\n" + "".join(
        f"{name},{item},{4 - at}\n"
        for n, name in enumerate(LISTS)
        for at, item in enumerate("abcd" if right(n) else "dcba")
    )


@pytest.fixture
def folder(challenge, tmp_path):
    truth = "".join(f"{n},a,2\n{n},b,1\n{n},c,0\n" for n in LISTS)
    folder = challenge(
        YAML,
        **{
            "truth.csv": f"list,item,grade\n{truth}",
            "lists.csv": "list\n" + "".join(f"{n}\n" for n in LISTS),
            "poor.csv": rows(lambda n: n == 3),
            "rules.md": "Send one file.",
        },
    )
    sent = {"red": lambda n: n % 3, "blue": lambda n: n != 5, "<i>": lambda n: n < 5}
    with Board.open(folder) as board:
        for name, right in sent.items():
            file = tmp_path / "secret folder" / f"{name[0]}.csv"
            file.parent.mkdir(exist_ok=True)
            file.write_text(rows(right))
            answers = {"method": f"method of {name}", "mail": f"{name}@example.org"}
            board.add([file], name, now=MAIN, answers=answers)
    return folder


@pytest.fixture
def files(folder):
    with Board.open(folder) as board:
        return public_files(board, now=MAIN)


def page_text(page):
    return re.sub(r"<(style|script)>.*?</\1>", "", page.decode(), flags=re.DOTALL)


def test_the_files_are_the_board_that_visitors_see(folder, files):
    assert [*files] == NAMES
    with Board.open(folder) as board:
        live = board.board(split="public", now=MAIN)
    told = json.loads(files["board.json"])
    assert told["split"] == "public"
    wanted = {row.name: (row.rank, row.values["nDCG@4"]) for row in live.report.leaderboard}
    found = {row["name"]: (row["rank"], row["values"]["nDCG@4"]) for row in told["leaderboard"]}
    assert found == {name: (rank, float(f"{value:.4g}")) for name, (rank, value) in wanted.items()}
    table = list(csv.DictReader(io.StringIO(files["board.csv"].decode())))
    assert {row["name"]: float(row["nDCG@4"]) for row in table} == {
        name: value for name, (_, value) in found.items()
    }
    text = page_text(files["index.html"])
    assert "A &lt;b&gt;course&lt;/b&gt;" in text
    assert "Rank the four items." in text
    assert "Send one file." in text
    assert "2026-02-05 13:00" in text  # received, in the challenge's zone
    assert "<i>" not in text
    assert "method of red" in text


def test_links_of_the_page_lead_to_files_beside_it_and_parts_of_it(files):
    text = page_text(files["index.html"])
    links = re.findall(r'(?:href|src)="([^"]*)"', text)
    assert {*NAMES} - {"index.html"} <= {*links}
    for link in links:
        assert link in files or f'id="{link.removeprefix("#")}"' in text, link


def test_nothing_hidden_is_in_any_file(folder, files):
    with Board.open(folder) as board:
        hidden = board.board(split="private", now=MAIN).report
        shown = board.board(split="public", now=MAIN).report
    with zipfile.ZipFile(io.BytesIO(files["kit.zip"])) as kit:
        unpacked = {f"kit/{name}": kit.read(name) for name in kit.namelist()}
    texts = {name: data for name, data in {**files, **unpacked}.items() if name != "kit.zip"}
    for name, data in texts.items():
        text = data.decode()
        assert "424242" not in text, name
        assert "secret folder" not in text, name
        assert "example.org" not in text, name
        assert "q00,a,2" not in text, name

    def values(report):
        return {f"{value:.4g}" for row in report.leaderboard for value in row.values.values()}

    private_values = values(hidden) - values(shown) - {"1"}
    assert len(private_values) > 2
    for name in ("board.csv", "board.json", "index.html"):
        text = files[name].decode()
        assert not re.search(r"\bq\d\d\b", text)  # no list, nor which split it is in
        assert not [value for value in private_values if value in text], name


def test_a_split_is_written_from_its_phase_on(folder):
    with Board.open(folder) as board:
        with pytest.raises(UsageError, match=r"may not see this board now \(show: none\)"):
            public_files(board, now=EARLY)
        with pytest.raises(UsageError, match=r"may not see this board now \(show: public\)"):
            public_files(board, split="private", now=MAIN)
        with pytest.raises(UsageError, match="may not see this board"):
            public_files(board, split="all", now=FINAL)
        with pytest.raises(UnknownName, match="no split is called 'publik'"):
            public_files(board, split="publik", now=MAIN)
        assert json.loads(public_files(board, now=FINAL)["board.json"])["split"] == "private"
        earlier = public_files(board, split="public", now=FINAL)
        assert json.loads(earlier["board.json"])["split"] == "public"


def test_a_board_without_entries_has_its_page(folder):
    (folder / ".scorer").rename(folder / "old")
    with Board.open(folder) as board:
        files = public_files(board, now=MAIN)
    assert [row["name"] for row in json.loads(files["board.json"])["leaderboard"]] == ["poor"]
    assert "baseline" in page_text(files["index.html"])


def test_the_command_writes_a_folder_again_and_leaves_other_files_alone(folder, score, tmp_path):
    site = tmp_path / "site"
    ran = score("board", folder, "-o", f"{site}/", "--at", MAIN.isoformat()).assert_exit(0)
    assert ran.out == ""
    assert f"{site}/: 5 files, which visitors may see" in ran.err
    assert {path.name for path in site.iterdir()} == {*NAMES}
    (site / "CNAME").write_text("board.example.org")
    first = (site / "board.json").read_text()
    ran = score("board", folder, "-o", site, "--at", FINAL.isoformat())  # the folder is there
    assert ran.code == 0, ran
    assert (site / "board.json").read_text() != first
    assert {path.name for path in site.iterdir()} == {*NAMES, "CNAME"}
    score("verify", site / "receipts.jsonl").assert_exit(0, out="everything is consistent")
    (tmp_path / "mine.csv").write_text(rows(lambda n: True))
    assert score("check", site / "kit.zip", tmp_path / "mine.csv").code == 0


def test_no_file_of_the_challenge_is_written_over(folder, score):
    (folder / "truth.csv").rename(folder / "board.csv")
    path = folder / "challenge.yaml"
    path.write_text(path.read_text().replace("truth: truth.csv", "truth: board.csv"))
    before = (folder / "board.csv").read_text()
    ran = score("board", folder, "-o", folder, "--at", MAIN.isoformat())
    assert (ran.code, "is read here" in ran.err) == (2, True), ran
    assert (folder / "board.csv").read_text() == before
    assert not (folder / "index.html").exists()
