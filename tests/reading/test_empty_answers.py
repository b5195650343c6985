"""`""` is an answer in a document of one answer a list: that there is none."""

import json

import pytest

MANY = 300


@pytest.fixture
def challenge(tmp_path, monkeypatch):
    """A challenge of answers, every third of which is none; `role` names the text."""
    monkeypatch.chdir(tmp_path)
    names = [f"{n:04d}" for n in range(MANY)]
    lists = "".join(f"{name}\n" for name in names)
    (tmp_path / "lists.csv").write_text(f"q\n{lists}")
    truth = "".join(f"{name},the Nile\n" for n, name in enumerate(names) if n % 3)
    (tmp_path / "truth.csv").write_text(f"q,t\n{truth}")

    def write(role, rules=""):
        (tmp_path / "challenge.yaml").write_text(
            f"truth: {{file: truth.csv, columns: {{list: q, {role}: t}}}}\n"
            "lists: {file: lists.csv, columns: {list: q}}\n"
            f"submission: {{format: json, columns: {{{role}: t}}{rules}}}\n"
            "metrics: [ExactMatch]\n"
        )
        return {name: "Nile" if n % 3 else "" for n, name in enumerate(names)}

    return write


@pytest.mark.slow("reads every format", beyond=1)
@pytest.mark.parametrize("role", ["item", "text"])
@pytest.mark.parametrize("indent", [None, 1])
def test_an_answer_that_is_none_is_right_where_there_is_none(role, indent, challenge, score):
    answers = challenge(role)
    with open("right.json", "w") as file:
        json.dump(answers, file, indent=indent)
    with open("wrong.json", "w") as file:
        json.dump({name: "" if answer else "Nile" for name, answer in answers.items()}, file)
    ran = score(".", "right.json", "wrong.json", "--format", "json")
    means = {row["name"]: row["values"]["ExactMatch"] for row in json.loads(ran.out)["leaderboard"]}
    assert means == {"right": 1.0, "wrong": 0.0}
    assert score("kit", ".", "-o", "kit.zip").code == 0
    for checked in (".", "kit.zip"):
        assert score("check", checked, "right.json").out.startswith("right.json: fine\n")
