"""Groups that the truth says: boards have them, and participants never."""

import zipfile

import pytest

ROWS = [(f"{n:02d}", "ab"[n % 2], "head" if n % 4 else "tail") for n in range(40)]
PRIVATE = "truth: {file: truth.csv, columns: {list: id, label: label, group: half}}\n"
PUBLIC = """truth: {file: truth.csv, columns: {list: id, label: label}}
lists: {file: lists.csv, columns: {list: id, group: half}}
"""
REST = """submission: {columns: {list: id, label: label}}
metrics:
  - Accuracy
  - {metric: Accuracy, average: group, id: even}
  - {metric: Accuracy, group: head, id: heads}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [",".join(row) for row in ROWS]
    (tmp_path / "truth.csv").write_text("\n".join(["id,label,half", *lines]))
    lines = [f"{name},{half}" for name, _, half in ROWS]
    (tmp_path / "lists.csv").write_text("\n".join(["id,half", *lines]))
    lines = [f"{name},{'a' if n % 3 else label}" for n, (name, label, _) in enumerate(ROWS)]
    (tmp_path / "mine.csv").write_text("\n".join(["id,label", *lines]))
    (tmp_path / "private.yaml").write_text(PRIVATE + REST)
    (tmp_path / "public.yaml").write_text(PUBLIC + REST)
    return tmp_path


def test_values_are_those_of_public_groups(folder, score):
    private, public = (
        score(f"{name}.yaml", "mine.csv", "--format", "json").json()["leaderboard"]
        for name in ("private", "public")
    )
    assert private[0]["values"] == public[0]["values"]
    assert private[0]["values"].keys() == {"Accuracy", "even", "heads"}
    assert len(set(private[0]["values"].values())) == 3


def test_nothing_that_participants_get_says_them(folder, score):
    fine = "mine.csv: fine\n  40 of 40 ids; label: 'a' 82.5%, 'b' 17.5%\n"
    assert score("check", "private.yaml", "mine.csv").out == fine
    assert score("kit", "private.yaml", "-o", "kit.zip").code == 0
    with zipfile.ZipFile("kit.zip") as kit:
        files = {name: kit.read(name).decode() for name in kit.namelist()}
    assert files["lists.csv"].splitlines() == ["list", *(name for name, _, _ in ROWS)]
    assert not any("tail" in text for name, text in files.items() if name != "codes.md")
    assert score("check", "kit.zip", "mine.csv").out == fine


@pytest.mark.parametrize(("name", "warned"), [("private", False), ("public", True)])
def test_lint_warns_of_groups_that_are_published(name, warned, folder, score):
    said = " ".join(score("lint", f"{name}.yaml").out.split())
    message = "warning: participants see which half each of the ids is in; if only the answers say"
    assert (message in said) == warned


def test_a_list_in_two_groups_and_groups_twice_are_told(folder, score):
    text = (folder / "truth.csv").read_text()
    (folder / "truth.csv").write_text(f"{text}\n00,a,head\n")
    assert "T304" in score("private.yaml", "mine.csv").err
    (folder / "truth.csv").write_text(text)
    both = PUBLIC.replace("label: label", "label: label, group: half") + REST
    (folder / "both.yaml").write_text(both)
    score("both.yaml", "mine.csv").assert_exit(2, err="the lists have public groups")


def test_groups_of_ranked_lists(folder, score):
    (folder / "truth.csv").write_text("q,d,kind\n1,a,x\n1,b,x\n2,a,y\n")
    (folder / "run.csv").write_text("q,d\n1,b\n1,a\n2,c\n2,a\n")
    (folder / "ranks.yaml").write_text(
        "truth: {file: truth.csv, columns: {list: q, item: d, group: kind}}\n"
        "submission: {columns: {list: q, item: d}}\n"
        "metrics: [AP, {metric: AP, group: y, id: of y}]\n"
    )
    (row,) = score("ranks.yaml", "run.csv", "--format", "json").json()["leaderboard"]
    assert row["values"] == {"AP": 0.75, "of y": 0.5}


@pytest.mark.parametrize("name", ["private", "public"])
def test_a_measure_is_of_a_group_that_lists_are_in(name, folder, score):
    yaml = (folder / f"{name}.yaml").read_text().replace("group: head,", "group: haed,")
    (folder / "other.yaml").write_text(yaml)
    message = "metrics[2].group: no list is in the group 'haed'; did you mean 'head'?"
    score("other.yaml", "mine.csv").assert_exit(2, err=message)
