"""The participants' kit: it tells no answer, checks as the organizer does, and is safe to open."""

import io
import json
import os
import struct
import zipfile
from pathlib import Path

import pytest
import yaml

import scorer
from scorer.challenge.kit_archive import open_kit
from scorer.challenge.load import load
from scorer.scoring.bind import bind
from scorer.scoring.public import read_public

ROOT = Path(__file__).parents[2]
TABLE = yaml.safe_load(Path(__file__).with_name("kits.yaml").read_text(encoding="utf-8"))
CHALLENGES, SUBMISSIONS = TABLE["challenges"], TABLE["submissions"]
SCORED = {name: said for name, said in CHALLENGES.items() if "sent" in said} | TABLE["scored"]


@pytest.fixture(params=CHALLENGES)
def folder(request, challenge):
    said = CHALLENGES[request.param]
    return challenge(said["yaml"], **{"truth.csv": said["truth"], **TABLE["files"]})


@pytest.fixture
def kit(folder, tmp_path, score):
    score("kit", folder, "-o", tmp_path / "kit.zip").assert_exit(0)
    return tmp_path / "kit.zip"


def members(kit):
    with zipfile.ZipFile(kit) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.slow("makes kits and scores with them", beyond=2)
def test_same_findings_as_the_organizers(folder, kit, tmp_path, score):
    for n, text in enumerate(SUBMISSIONS):
        mine = tmp_path / f"mine{n}.csv"
        mine.write_text(text)
        ours = score("check", folder, mine, "--format", "json")
        theirs = score("check", kit, mine, "--format", "json")
        assert (theirs.code, theirs.out) == (ours.code, ours.out)


def test_the_public_part_is_the_same(folder, kit):
    with open_kit(kit) as inside:
        mine, theirs = (read_public(bind(load(path))) for path in (folder, inside))
    assert list(theirs.lists) == list(mine.lists)
    assert (theirs.kind, theirs.candidates, theirs.called) == (
        mine.kind,
        mine.candidates,
        mine.called,
    )
    assert theirs.candidates == mine.candidates or mine.kind == "ratings"
    assert theirs.items == mine.items or mine.kind != "grades"


def test_no_answer_is_in_it(kit):
    for name, data in members(kit).items():
        if name != "codes.md":
            assert b"SECRET" not in data
            assert b"4.125" not in data
            assert b"0.777" not in data
    assert yaml.safe_load(members(kit)["challenge.yaml"])["truth"]["file"].startswith(
        "truth-is-not"
    )


def test_the_rules_are_the_same(folder, kit):
    with open_kit(kit) as inside:
        mine, theirs = load(folder), load(inside)
    assert theirs.submission == mine.submission
    assert (theirs.id, theirs.title) == (mine.id, mine.title)
    assert theirs.description == mine.description
    assert theirs.undefined == mine.undefined
    kept = [(m.notation, m.params, m.id) for m in theirs.metrics]
    assert kept == [(m.notation, m.params, m.id) for m in mine.metrics if m.notation != "Novelty@5"]
    board = mine.leaderboard.model_copy(update={"baselines": ()})
    assert theirs.leaderboard == board
    assert (theirs.examples, theirs.plugins, theirs.history) == ((), (), None)


@pytest.mark.slow("makes kits and scores with them", beyond=2)
def test_the_sample_is_valid(folder, kit, tmp_path):
    (name,) = [name for name in members(kit) if name.startswith("sample_submission")]
    sample = tmp_path / name
    sample.write_bytes(members(kit)[name])
    with open_kit(kit) as inside:
        for path in (folder, inside):
            (checked,) = scorer.check(path, [sample])
            assert not checked.findings.fatal


def test_the_same_bytes_every_time(folder, kit, tmp_path, score):
    for path in folder.iterdir():
        os.utime(path, (1, 1))
    assert score("kit", folder, "-o", tmp_path / "again.zip").code == 0
    assert (tmp_path / "again.zip").read_bytes() == kit.read_bytes()


@pytest.mark.slow("makes kits and scores with them", beyond=1)
@pytest.mark.parametrize("name", SCORED)
def test_with_the_truth_the_values_are_the_challenges(name, challenge, tmp_path, score):
    text, truth, sent = (SCORED[name][part] for part in ("yaml", "truth", "sent"))
    files = {"truth.csv": truth, "SECRETbaseline.csv": sent, **TABLE["files"]}
    folder = challenge(text.replace(", Novelty@5", ""), **files)
    kit = tmp_path / "kit.zip"
    assert score("kit", folder, "-o", kit).code == 0
    other = tmp_path / "truth2.csv"
    other.write_text(truth)
    mine, worse = tmp_path / "mine.csv", tmp_path / "worse.csv"
    mine.write_text(sent)
    worse.write_text("\n".join(sent.split("\n")[:1] + sent.split("\n")[1:-1][::-1]) + "\n")
    first = sent.split("\n")[1].split(",")[0]
    for words in (
        ["--format", "json", "--per-list"],
        ["--format", "csv"],
        ["compare", "--format", "json"],
        ["explain", "--list", first, "--format", "json"],
    ):
        verb = words[:1] if words[0][0] != "-" else []
        files = [mine] if verb == ["explain"] else [mine, worse]
        rest = words[len(verb) :]
        told = []
        for place in (folder, kit):
            ran = score(*verb, place, *files, "--truth", other, *rest).assert_exit(0)
            told.append(numbers(ran.out))
        assert told[0] == told[1]
        assert told[0]


def numbers(text):
    """What of a report is of the submissions: no fingerprint, no baseline."""
    if not text.startswith("{"):
        return [line for line in text.splitlines() if "SECRET" not in line]
    said = json.loads(text)
    for key in ("challenge", "scorer"):
        said.pop(key, None)
    for key in ("submissions", "leaderboard"):
        if key in said:
            said[key] = [each for each in said[key] if "SECRET" not in each["name"]]
            for each in said[key]:
                each.pop("ranks", None)  # of which baselines take no part
    return said


def test_the_readme_tells_all_that_a_participant_needs(folder, kit):
    inside = members(kit)
    text = inside["README.md"].decode()
    assert "pip install challenge-scorer" in text
    assert "once published" in text
    assert "score check kit.zip SUBMISSION" in text
    assert "A file may have up to 1 GiB, " in text
    assert "\n\n\n" not in text
    for other in ("lists.csv", "items.csv", "classes.csv"):
        assert (f"\n- {other}: the " in text) == (other in inside)
    (name,) = [name for name in inside if name.startswith("sample_submission")]
    if not name.endswith(".parquet"):
        lines = inside[name].decode().splitlines()[: 4 if name.endswith(".csv") else 3]
        assert "".join(f"    {line}\n" for line in lines) in text
    for measure in load(folder).metrics:
        assert f"- {measure.id or measure.notation}: " in text


def test_the_order_of_the_truth_is_not_told(challenge, score, tmp_path):
    rows = ["q2,b,4", "q1,b,5", "q1,a,1"]
    made = []
    for order in (rows, rows[::-1]):
        text = "list,item,rating\n" + "\n".join(order) + "\n"
        folder = challenge("truth: truth.csv\nmetrics: [RMSE]\n", **{"truth.csv": text})
        assert score("kit", folder, "-o", tmp_path / "kit.zip").code == 0
        made.append((tmp_path / "kit.zip").read_bytes())
    assert made[0] == made[1]


def test_a_kit_that_unpacks_without_a_bound_is_never_unpacked(tmp_path, score, monkeypatch):
    with zipfile.ZipFile(tmp_path / "kit.zip", "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("challenge.yaml", "truth: truth.csv\nmetrics: [nDCG]\n")
    monkeypatch.delattr("zipfile.bz2.BZ2Decompressor")
    (tmp_path / "a.csv").write_text("list,item\n")
    score("check", tmp_path / "kit.zip", tmp_path / "a.csv").assert_exit(2, err="T107")


def zipped(**files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return data.getvalue()


def encrypted():
    data = bytearray(zipped(**{"challenge.yaml": "x"}))
    at = data.index(b"PK\x01\x02") + 8
    data[at : at + 2] = struct.pack("<H", 1)
    return bytes(data)


def damaged():
    data = bytearray(zipped(**{"challenge.yaml": "truth: x.csv\n" * 50}))
    data[45:60] = b"\xff" * 15
    return bytes(data)


def twice():
    data = zipped(**{"challenge.yaml": "a", "challenge.yamm": "b"})
    return data.replace(b"challenge.yamm", b"challenge.yaml")


EVIL = {
    "slip": (lambda: zipped(**{"challenge.yaml": "", "../evil": "x"}), "T107"),
    "absolute": (lambda: zipped(**{"challenge.yaml": "", "/tmp/evil": "x"}), "T107"),
    "backslash": (lambda: zipped(**{"challenge.yaml": "", "..\\evil": "x"}), "T107"),
    "drive": (lambda: zipped(**{"challenge.yaml": "", "C:evil": "x"}), "T107"),
    "folder": (lambda: zipped(**{"a/challenge.yaml": ""}), "T107"),
    "hidden": (lambda: zipped(**{"challenge.yaml": "", ".bashrc": "x"}), "T107"),
    "no challenge": (lambda: zipped(**{"notes.txt": ""}), "T107"),
    "same but for case": (lambda: zipped(**{"challenge.yaml": "", "Challenge.yaml": ""}), "T107"),
    "twice": (twice, "T107"),
    "encrypted": (encrypted, "T107"),
    "many files": (lambda: zipped(**{f"{n}.csv": "" for n in range(101)}), "T107"),
    "bomb": (lambda: zipped(**{"challenge.yaml": "", "items.csv": b"\0" * (32 << 20)}), "T104"),
    "damaged": (damaged, "T108"),
    "a comment at the end": (lambda: zipped(**{"challenge.yaml": ""}) + b"x", "T107"),
}


@pytest.mark.parametrize("name", list(EVIL))
def test_what_is_no_kit_is_refused_and_leaves_nothing(name, tmp_path, monkeypatch, score):
    make, code = EVIL[name]
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    (tmp_path / "kit.zip").write_bytes(make())
    (tmp_path / "one.csv").write_text(SUBMISSIONS[0])
    ran = score("check", tmp_path / "kit.zip", tmp_path / "one.csv")
    ran.assert_exit(2, err=f"kit.zip: error[{code}]")
    left = [path for path in (tmp_path / "temporary").rglob("*") if path.is_file()]
    assert all(path.name == "challenge.yaml" for path in left)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kit.zip", "one.csv", "temporary"]


def test_the_size_that_a_member_claims_is_not_believed(tmp_path, score):
    data = bytearray(zipped(**{"challenge.yaml": b"#" * (20 << 20)}))
    at = data.index(b"PK\x01\x02") + 24
    data[at : at + 4] = struct.pack("<I", 10)
    (tmp_path / "kit.zip").write_bytes(bytes(data))
    (tmp_path / "one.csv").write_text(SUBMISSIONS[0])
    score("check", tmp_path / "kit.zip", tmp_path / "one.csv").assert_exit(2, err="error[T108]")


def test_a_kit_whose_list_of_files_is_too_large_is_refused_for_that(tmp_path, score):
    (tmp_path / "kit.zip").write_bytes(
        zipped(**{"challenge.yaml": "", "x" * 40_000: "", "y" * 40_000: ""})
    )
    (tmp_path / "one.csv").write_text(SUBMISSIONS[0])
    ran = score("check", tmp_path / "kit.zip", tmp_path / "one.csv")
    ran.assert_exit(2, err="error[T107] the list of a kit's files takes at most 64 KiB")


def test_why_a_kit_cannot_be_unpacked_is_said_though_the_error_has_no_number(
    tmp_path, score, monkeypatch
):
    def fail(*_):
        raise OSError("the disk is gone")

    monkeypatch.setattr("shutil.copyfileobj", fail)
    (tmp_path / "kit.zip").write_bytes(zipped(**{"challenge.yaml": ""}))
    (tmp_path / "one.csv").write_text(SUBMISSIONS[0])
    ran = score("check", tmp_path / "kit.zip", tmp_path / "one.csv")
    ran.assert_exit(2, err="error[T101] it cannot be unpacked: the disk is gone")


@pytest.mark.slow("makes kits and scores with them")
def test_the_installed_command_leaves_no_folder_behind(challenge, tmp_path, installed):
    folder = challenge()
    (tmp_path / "one.csv").write_text(SUBMISSIONS[0])
    (tmp_path / "temporary").mkdir()
    assert installed("kit", folder, "-o", tmp_path / "kit.zip").code == 0
    place = {"TMPDIR": str(tmp_path / "temporary")}
    installed("check", tmp_path / "kit.zip", tmp_path / "one.csv", **place).assert_exit(0)
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.slow("makes kits and scores with them")
def test_the_kit_of_a_real_challenge(tmp_path, score):
    kit = tmp_path / "kit.zip"
    assert score("kit", ROOT / "challenges/vlnet-2011", "-o", kit).code == 0
    for mine in sorted((ROOT / "submissions_example/vlnet-2011").rglob("*.*")):
        ours = score("check", ROOT / "challenges/vlnet-2011", mine)
        assert score("check", kit, mine).out == ours.out
