"""The commands of a living board, with the JSON that they promise."""

import json
import re
import sqlite3
import zipfile
from contextlib import closing

import pytest

MAIN = """\
truth: truth.csv
metrics: [P@2]
timezone: Europe/Ljubljana
splits: {public: 0.5, private: rest, seed: 424242}
phases:
  - {id: main, opens: 2026-01-01T00:00:00Z, closes: 2026-01-31T23:59:59Z, show: public}
  - {id: final, after: main, show: private}
questions: {method: {required: true, board: true}}
"""
LISTS = [f"q{n}" for n in range(8)]
TRUTH = "list,item,grade\n" + "".join(f"{name},a,1\n{name},b,0\n" for name in LISTS)
NOW, UTC_NOW = "2026-01-05T12:00:00+01:00", "2026-01-05T11:00:00+00:00"


def rows(*items):
    return "list,item\n" + "".join(f"{name},{item}\n" for name in LISTS for item in items)


@pytest.fixture
def folder(challenge):
    return challenge(
        MAIN, **{"truth.csv": TRUTH, "good.csv": rows("a", "b"), "poor.csv": rows("x", "b")}
    )


@pytest.fixture
def add(score, folder):
    def added(file, team, *more, at=NOW):
        words = ("add", folder, folder / file, "--team", team, "--at", at, "--answer", "method=x")
        ran = score(*words, "--format", "json", *more)
        return ran, json.loads(ran.out)["entries"][0] if ran.out else None

    return added


@pytest.mark.slow("keeps and evaluates entries")
def test_data_have_their_keys_in_order_and_an_altered_store_is_told(add, score, folder, tmp_path):
    _, entry = add("poor.csv", "red")
    assert [*entry] == [
        *("entry", "team", "received", "sha256", "status", "code", "message", "problems"),
        *("receipt", "values"),
    ]
    add("good.csv", "blue")
    (event, *_) = score("log", folder, "--format", "json").json()["events"]
    assert [*event] == ["time", "kind", "entry", "team", "status", "by", "reason", "given"]
    chain = tmp_path / "receipts.jsonl"
    assert score("log", folder, "--receipts", "-o", chain).code == 0
    chain.write_text(chain.read_text().replace("red", "pink"))
    assert score("verify", chain, "--format", "json").json(1)["ok"] is False
    with closing(sqlite3.connect(folder / ".scorer" / "board.db")) as database, database:
        database.execute("UPDATE entry SET team = 3 - team")
    ran = score("audit", folder)
    assert (ran.code, ran.out.count("altered: entry ")) == (1, 4)
    assert score("verify", folder).code == 1


@pytest.mark.slow("keeps and evaluates entries")
@pytest.mark.parametrize("has", [True, False])
def test_audits_and_re_scorings_say_which_protection_is_lacking(score, folder, monkeypatch, has):
    monkeypatch.setattr("scorer.board.confine.landlock", lambda: 4)
    monkeypatch.setattr("scorer.board.confine.seccomp", lambda: has)
    note = "note: an evaluation has no file but its own (Landlock); it reaches the network"
    for words in (("audit", folder), ("rescore", folder, "--dry-run")):
        ran = score(*words).assert_exit(0)
        assert (note in ran.err) == (not has)
    assert ("it reaches the network" in score("work", folder, "--once").err) == (not has)


@pytest.mark.slow("keeps and evaluates entries")
def test_the_private_split_does_not_leak(add, score, folder, tmp_path):
    """Nothing that a participant is given holds a private list, its value, or the draw's seed."""
    from scorer.board.board import Board

    (folder / "lists.csv").write_text("list\n" + "".join(f"{name}\n" for name in LISTS))
    (folder / "challenge.yaml").write_text(MAIN + "lists: lists.csv\n")
    with Board.open(folder) as board:
        private = board.versions.splits()["private"]
    # only a private list goes wrong, so that its value differs from that of the public ones
    mixed = rows("a", "b").replace(f"{private[0]},a", f"{private[0]},x")
    (folder / "mixed.csv").write_text(mixed)
    _, entry = add("mixed.csv", "red")
    add("poor.csv", "blue")
    hidden = entry["values"]["private"]["P@2"]
    assert entry["values"]["public"]["P@2"] == 0.5
    shown = []
    for form in ("table", "csv", "markdown", "latex", "html", "github", "json"):
        for more in ([], ["--per-list"]):
            ran = score("board", folder, "--format", form, "--at", NOW, *more)
            shown.append(ran.out + ran.err)
    words = ("add", folder, folder / "good.csv", "--team", "green", "--at", NOW)
    shown.append(score(*words, "--answer", "method=x").out)
    shown.append(score("check", folder, folder / "mixed.csv").out)
    for text in shown:
        assert not any(re.search(rf"\b{name}\b", text) for name in private), text
        assert f"{hidden:.4f}" not in text
        assert repr(hidden) not in text
    kit = tmp_path / "kit.zip"
    assert score("kit", folder, "-o", kit).code == 0
    with zipfile.ZipFile(kit) as packed:
        for name in packed.namelist():
            text = packed.read(name).decode()
            assert "424242" not in text
            assert "splits" not in text
            assert "private: " not in text


@pytest.mark.slow("draws figures three times")
def test_a_paper_of_the_living_board(add, score, folder, tmp_path):
    drawn = tmp_path / "paper"
    score("paper", folder, "-o", drawn).assert_exit(2, err="no living board")
    assert not (folder / ".scorer").exists()
    add("good.csv", "red")
    add("poor.csv", "blue")
    now = ("--figures", "forest,values", "-q")
    score("paper", folder, "-o", drawn, *now).assert_exit(0)
    forest = (drawn / "forest.svg").read_text()
    assert ">red</text>" in forest
    assert ">blue</text>" in forest
    assert "0.500" in forest
    assert r"\newcommand{\bestname}{red}" in (drawn / "numbers.tex").read_text()
    score("paper", folder, "-o", tmp_path / "public", *now, "--split", "public").assert_exit(0)
    assert score("paper", folder, "-o", drawn, "--split", "privat").code == 2
    for words, said in (
        (("-m", "P@1"), "go with submissions"),
        ((folder / "good.csv", "--store", "sqlite:///x"), "either submissions or a store"),
    ):
        score("paper", folder, *words, "-o", drawn).assert_exit(2, err=said)
