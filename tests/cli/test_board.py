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
def test_the_other_commands_say_what_they_promise(add, score, folder, tmp_path):
    _, entry = add("poor.csv", "red")
    assert [*entry] == [
        *("entry", "team", "received", "sha256", "status", "code", "message", "problems"),
        *("receipt", "values"),
    ]
    add("good.csv", "blue")

    def fields(*words):
        return score(*words, "--format", "json").json()

    assert fields("why", folder, "red", "--at", NOW)["rank"] == 2
    events = fields("log", folder)["events"]
    assert {event["kind"] for event in events} == {"entry", "team", "version"}
    assert [*events[0]] == ["time", "kind", "entry", "team", "status", "by", "reason", "given"]
    made = fields("decide", folder, "disqualify", "1", "--reason", "copied", "--by", "anna")
    assert (made["act"], made["entry"], made["by"]) == ("disqualify", 1, "anna")
    team = fields("team", folder, "add", "green")
    assert team["team"] == "green"
    assert len(team["token"]) >= 22
    assert [each["team"] for each in fields("team", folder, "list")["teams"]] == [
        *("red", "blue", "green")
    ]
    ended = {"schema": "team/1", "team": "green", "revoked": 1}
    assert fields("team", folder, "revoke", "green") == ended
    fields("team", folder, "token", "--organizer", "--label", "anna")
    (line,) = fields("team", folder, "list", "--organizer")["tokens"]
    assert (line["number"], line["label"], line["used"]) == (2, "anna", None)
    audit = fields("audit", folder, "--at", NOW)
    kinds = ["altered", "teams", "duplicates", "near_duplicates", "probing"]
    assert [*audit] == ["schema", "scorer", "challenge", *kinds]
    (folder / "truth.csv").write_text(TRUTH.replace("q0,a,1", "q0,a,0"))
    dry = fields("rescore", folder, "--dry-run")
    assert (dry["applied"], dry["lists_changed"]) == (False, 1)
    assert {"split": "all", "team": "blue", "rank": [1, 1], "value": [0.5, 0.4375]} in dry["moves"]
    assert fields("rescore", folder)["applied"]
    chain = tmp_path / "receipts.jsonl"
    assert score("log", folder, "--receipts", "-o", chain).code == 0
    acts = len(chain.read_text().splitlines())
    whole = {"schema": "verification/1", "ok": True, "checked": acts, "problems": []}
    told = "with a time that the organizer gave (--at), 2: entry 1, entry 2"
    assert fields("verify", chain) == whole | {"notes": [f"{chain}: {told}"]}
    assert fields("verify", folder) == whole | {"notes": []}
    chain.write_text(chain.read_text().replace("red", "pink"))
    ran = score("verify", chain, "--format", "json")
    assert (ran.code, json.loads(ran.out)["ok"]) == (1, False)
    assert score("work", folder, "--once").out == "0 evaluated\n"
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


def test_a_changed_file_is_noticed_and_the_version_in_force_goes_on(add, score, folder):
    add("good.csv", "red")
    (folder / "truth.csv").write_text(TRUTH.replace(",1\n", ",0\n"))
    ran = score("board", folder, "--at", NOW)
    assert "warning: truth.csv changed since version 1 came into force" in ran.err
    assert "0.500" in ran.out
    ran, entry = add("poor.csv", "blue")
    assert entry["values"]["all"] == {"P@2": 0.0}


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
