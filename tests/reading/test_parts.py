"""Several files as one submission."""

import gzip
import json
import os
import random
import subprocess
import sys
import zipfile
from pathlib import Path
from textwrap import dedent

import pytest

import scorer
from scorer.api.text import content_of

CHALLENGE = """
    truth: {file: truth.zip, parts: {like: like.csv, reply: reply.csv}}
    submission: {parts: {like: like.csv, reply: reply.csv}}
    metrics: [RR]
    """
TRUTH = {"like.csv": "list,item\nu1,a\nu2,b\n", "reply.csv": "list,item\nu1,c\n"}
GOOD = {"like.csv": "list,item\nu1,a\nu2,x\nu2,b\n", "reply.csv": "list,item\nu1,c\n"}


def pack(path, files, folder=""):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(f"{folder}{name}", data)
    return path


@pytest.fixture
def challenge(tmp_path):
    (tmp_path / "challenge.yaml").write_text(dedent(CHALLENGE))
    pack(tmp_path / "truth.zip", TRUTH)
    return tmp_path


def scored(folder, path):
    [one] = scorer.score(folder, [path]).submissions
    said = [f"{os.path.relpath(p.path, path)} {p.code} {p.line}:{p.column}" for p in one.findings]
    return one, said


@pytest.mark.slow("unpacks large files", beyond=1)
@pytest.mark.parametrize("kind", ["zip", "folder"])
@pytest.mark.parametrize(("most", "fits"), [("1500kB", False), ("3MB", True)])
def test_what_parts_unpack_to_is_counted_together(kind, most, fits, challenge):
    yaml = challenge / "challenge.yaml"
    limits = f"{{unpacked: {most}}}"
    inline = "{like: like.csv, reply: reply.csv}"
    yaml.write_text(
        f"truth: {{file: truth.zip, parts: {inline}}}\n"
        f"submission: {{parts: {inline}, limits: {limits}}}\nmetrics: [RR]\n"
    )
    rows = "".join(f"u1,{n:012d}\n" for n in range(62_500))  # a million bytes
    files = {name: data + rows for name, data in GOOD.items()}
    if kind == "zip":
        path = pack(challenge / "team.zip", files)
    else:
        path = challenge / "team"
        path.mkdir()
        for name, data in files.items():
            (path / name).write_bytes(gzip.compress(data.encode()))
    said = scored(challenge, path)[1]
    assert any(" S104 " in each for each in said) != fits


@pytest.mark.parametrize("kind", ["zip", "nested zip", "folder"])
def test_a_zip_or_a_folder_is_one_submission(kind, challenge):
    path = challenge / "team"
    if kind == "folder":
        path.mkdir()
        for name, data in GOOD.items():
            (path / name).write_text(data)
    else:
        path = pack(challenge / "team.zip", GOOD, "run/" if kind == "nested zip" else "")
    one, said = scored(challenge, path)
    assert said == []
    values = dict(zip(one.card.lists, one.values["RR"].per_list.tolist(), strict=True))
    assert values == {"like/u1": 1.0, "like/u2": 0.5, "reply/u1": 1.0}
    assert one.groups["RR"] == {"like": 0.75, "reply": 1.0}
    assert one.sha256


def test_what_is_wrong_names_the_file_and_its_line(challenge):
    files = {
        "like.csv": "list,item\nu1,a\nu2,x\nu2,b\n",
        "reply.csv": "list,item\nu1,c\nu1,d\nu1,c\nu9,c\n",
    }
    one, said = scored(challenge, pack(challenge / "bad.zip", files))
    assert said == ["reply.csv S304 4:4", "reply.csv S302 5:1"]
    messages = [problem.message for problem in one.findings]
    assert messages[0] == "item 'c' is given twice in list 'reply/u1' (first on line 2)"
    files["reply.csv"] = "list,item\nu1,c,1\n"
    assert scored(challenge, pack(challenge / "bad.zip", files))[1] == [
        ". S301 None:None",
        "reply.csv S207 2:6",
    ]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"like.csv": GOOD["like.csv"], "replys.csv": ""}, "'reply.csv' is missing; found: "),
        ({**GOOD, "old/reply.csv": ""}, "'reply.csv' is in this archive 2 times"),
    ],
)
def test_parts_that_are_missing_or_there_twice(files, message, challenge):
    one, _ = scored(challenge, pack(challenge / "bad.zip", files))
    [problem] = one.findings
    assert problem.code == "S213"
    assert problem.message.startswith(message)


def test_the_parts_of_a_folder_of_many_files_are_found(challenge):
    path = challenge / "team"
    path.mkdir()
    for n in range(1200):
        (path / f"log{n}.txt").touch()
    for name, data in GOOD.items():
        (path / name).write_text(data)
    one, said = scored(challenge, path)
    assert said == []
    assert one.groups["RR"] == {"like": 0.75, "reply": 1.0}
    (path / "reply.csv").unlink()
    one, said = scored(challenge, path)
    assert said == [". S213 None:None"]
    (problem,) = one.findings
    assert problem.message.startswith("'reply.csv' is missing; found: ")


def test_one_file_is_no_submission_of_several(challenge):
    (challenge / "a.csv").write_text("list,item\nu1,a\n")
    one, _ = scored(challenge, challenge / "a.csv")
    assert [p.message for p in one.findings] == [
        "this is no ZIP archive or folder with 'like.csv', 'reply.csv'"
    ]


@pytest.mark.slow("unpacks large files")
def test_a_bomb_is_refused_whichever_part_it_is_in(challenge):
    bomb = {**GOOD, "reply.csv": "list,item\nu1,c\n" + "\n" * 40_000_000}
    one, _ = scored(challenge, pack(challenge / "bomb.zip", bomb))
    assert {p.code for p in one.findings} == {"S104"}


@pytest.mark.slow("unpacks large files")
def test_a_zip_of_one_large_file_is_read(tmp_path):
    (tmp_path / "challenge.yaml").write_text("truth: truth.csv\nmetrics: [RR]\n")
    (tmp_path / "truth.csv").write_text("list,item\nq1,a\n")
    draw = random.Random(1)
    rows = "".join(f"q1,{draw.getrandbits(64):x}\n" for _ in range(900_000))
    path = pack(tmp_path / "run.zip", {"run.csv": f"list,item\nq1,a\n{rows}"})
    [one] = scorer.score(tmp_path, [path]).submissions
    assert [p.code for p in one.findings] == []


@pytest.mark.slow("unpacks large files")
def test_a_folder_on_the_command_line(challenge):
    (challenge / "team").mkdir()
    for name, data in GOOD.items():
        (challenge / "team" / name).write_text(data)
    command = [Path(sys.executable).parent / "score", challenge, challenge / "team"]
    done = subprocess.run([*command, "--format", "json"], capture_output=True, check=True)
    [one] = json.loads(done.stdout)["submissions"]
    assert (one["name"], one["valid"]) == ("team", True)
    assert one["values"]["RR"]["mean"] == pytest.approx(5 / 6)


@pytest.mark.slow("unpacks large files")
def test_parts_are_groups_without_a_file_of_lists(challenge):
    yaml = dedent(CHALLENGE).replace(
        "[RR]", "[{id: forums, metric: RR, average: group}, {id: likes, metric: RR, group: like}]"
    )
    (challenge / "challenge.yaml").write_text(yaml)
    path = pack(challenge / "team.zip", GOOD)
    command = [Path(sys.executable).parent / "score", challenge, path, "--format", "json"]
    for asked in ([], ["-m", "likes"], ["-m", "forums"]):
        done = subprocess.run([*command, *asked], capture_output=True, check=True)
        [one] = json.loads(done.stdout)["submissions"]
        found = {name: each["mean"] for name, each in one["values"].items()}
        wanted = {"forums": (0.75 + 1) / 2, "likes": 0.75}
        assert found == {name: wanted[name] for name in asked[1:] or wanted}


def as_folder(challenge):
    (challenge / "challenge.yaml").write_text(dedent(CHALLENGE).replace("truth.zip", "answers"))
    (challenge / "answers").mkdir()
    for name, data in TRUTH.items():
        (challenge / "answers" / name).write_text(data)


def test_a_folder_is_a_truth(challenge):
    path = pack(challenge / "team.zip", GOOD)
    first = scorer.score(challenge, [path])
    as_folder(challenge)
    again = scorer.score(challenge, [path])
    [one], [other] = first.submissions, again.submissions
    assert one.values["RR"].per_list.tolist() == other.values["RR"].per_list.tolist()
    marks = [content_of(again).challenge.fingerprint]
    for name in TRUTH:  # each file of the folder counts
        text = (challenge / "answers" / name).read_text()
        (challenge / "answers" / name).write_text(text + "u9,z\n")
        marks.append(content_of(scorer.score(challenge, [path])).challenge.fingerprint)
    (challenge / "answers" / "notes.txt").write_text("not a part")
    marks.append(content_of(scorer.score(challenge, [path])).challenge.fingerprint)
    assert len(set(marks)) == 3
    assert marks[-1] == marks[-2]


@pytest.mark.slow("unpacks large files")
def test_a_folder_of_the_truth_that_lacks_a_part(challenge):
    as_folder(challenge)
    (challenge / "answers" / "reply.csv").unlink()
    path = pack(challenge / "team.zip", GOOD)
    command = [Path(sys.executable).parent / "score", challenge, path]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "answers" in done.stderr
    assert "'reply.csv' is missing; found: 'like.csv'" in done.stderr


def test_the_folder_of_the_truth_is_no_submission(challenge):
    as_folder(challenge)
    one, said = scored(challenge, challenge / "answers")
    assert said == [". S101 None:None"]
    assert not one.valid
