"""What may be read as a submission: no file of the challenge, and no link that leads astray."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SECRET = "my-secret-key-0123456789"
YAML = (
    "truth: truth.csv\nlists: lists.csv\nmetrics: [nDCG@2]\n"
    "leaderboard: {baselines: [base.csv]}\nexamples: [{submission: one.csv, expect: {nDCG@2: 0}}]\n"
)
GOOD = "list,item\nq1,a\nq2,a\n"


@pytest.fixture
def folder(challenge, tmp_path, monkeypatch):
    made = challenge(
        YAML,
        **{
            ".scorer-key": SECRET,
            "lists.csv": "list\nq1\nq2\n",
            "base.csv": GOOD,
            "one.csv": GOOD,
            "other.csv": GOOD,
        },
    )
    monkeypatch.chdir(tmp_path)
    (tmp_path / "subs").mkdir()
    (tmp_path / "subs" / "good.csv").write_text(GOOD)
    return made


def linked(tmp_path, kind, target):
    evil = tmp_path / "subs" / "evil.csv"
    if kind == "hard":
        os.link(target, evil)
    elif kind == "folder":
        (tmp_path / "subs" / "team").symlink_to(target.parent, target_is_directory=True)
        return tmp_path / "subs" / "team" / target.name
    elif kind == "relative":
        evil.symlink_to(os.path.relpath(target, evil.parent))
    elif kind == "twice":
        (tmp_path / "subs" / "step.csv").symlink_to(target)
        evil.symlink_to("step.csv")
    else:
        evil.symlink_to(target)
    return evil


def verdict(ran):
    return {each["name"]: each["valid"] for each in json.loads(ran.out)["submissions"]}


@pytest.mark.slow("starts processes", beyond=2)
@pytest.mark.parametrize("kind", ["soft", "hard", "relative", "twice", "folder"])
@pytest.mark.parametrize("name", ["truth.csv", ".scorer-key", "lists.csv", "challenge.yaml"])
def test_no_file_of_the_challenge_is_a_submission(kind, name, folder, tmp_path, score):
    evil = linked(tmp_path, kind, folder / name)
    ran = score(folder, f"evil={evil}", "subs/good.csv", "--format", "json").assert_exit(1)
    assert verdict(ran) == {"evil": False, "good": True, "base": True}
    for words in (
        [folder, evil],
        ["check", folder, evil],
        ["check", folder, evil, "--fix", "-o", tmp_path / "fixed"],
        ["explain", folder, evil, "--list", "q1"],
        ["compare", folder, f"evil={evil}", "subs/good.csv", "other=subs/good.csv"],
    ):
        ran = score(*words)
        assert "error[S101] this is a file of the challenge" in ran.out + ran.err
        assert SECRET not in ran.out + ran.err
        assert not (tmp_path / "fixed").exists()


@pytest.mark.parametrize("kind", ["soft", "relative", "twice", "folder"])
def test_a_link_out_of_its_folder_is_refused(kind, folder, tmp_path, score):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "token.csv").write_text("password: hunter2\n")
    evil = linked(tmp_path, kind, tmp_path / "home" / "token.csv")
    for path in (evil, evil.relative_to(tmp_path)):
        ran = score("check", folder, path)
        ran.assert_exit(1, out=["S101", "a link that leads out of its folder"])
        assert "hunter2" not in ran.out + ran.err


@pytest.mark.parametrize("path", ["/proc/self/environ", "//proc/self/environ", "/sys/kernel/notes"])
@pytest.mark.parametrize("through", [True, False])
def test_files_of_the_system_are_refused(path, through, folder, tmp_path, score, monkeypatch):
    evil = path
    if through:
        evil = tmp_path / "subs" / "env.csv"
        evil.symlink_to(path)
    score("check", folder, evil).assert_exit(1, out="error[S101] this is a file of the system")


@pytest.mark.slow("starts processes")
def test_links_that_stay_where_they_are_and_streams_are_fine(folder, tmp_path, installed):
    (tmp_path / "subs" / "latest.csv").symlink_to("good.csv")
    (tmp_path / "subs" / "old").mkdir()
    (tmp_path / "subs" / "old" / "deep.csv").write_text(GOOD)
    (tmp_path / "subs" / "down.csv").symlink_to("old/deep.csv")
    (tmp_path / "alias").symlink_to(tmp_path / "subs", target_is_directory=True)
    (folder / "inside.csv").symlink_to("other.csv")
    for name in ("subs/latest.csv", "subs/down.csv", "alias/latest.csv", "challenge/inside.csv",
                 "challenge/other.csv", "challenge/base.csv", "challenge/one.csv"):  # fmt: skip
        assert installed("check", folder, tmp_path / name).code == 0, name


@pytest.mark.parametrize("folder_of_descriptors", ["/dev/fd", "/proc/self/fd"])
def test_what_a_pipe_holds_is_read_once(folder_of_descriptors, folder, score):
    """As the shell's <(command) gives it."""
    for word, name in (("{}", None), ("mine={}", "mine")):
        reading, writing = os.pipe()
        with os.fdopen(writing, "w") as pipe:
            pipe.write(GOOD)
        path = f"{folder_of_descriptors}/{reading}"
        try:
            ran = score(folder, word.format(path), "--format", "json")
        finally:
            os.close(reading)
        assert ran.code == 0
        assert verdict(ran) == {name or str(reading): True, "base": True}


def test_a_pipe_with_a_name_is_not_waited_for(folder, tmp_path, score):
    os.mkfifo(tmp_path / "pipe.csv")
    score("check", folder, tmp_path / "pipe.csv").assert_exit(1, out="not a regular file")


@pytest.mark.slow("starts a process")
def test_standard_input_by_its_name(folder, tmp_path, installed):
    with open(tmp_path / "subs" / "good.csv", "rb") as good:
        ended = subprocess.run(
            [Path(sys.executable).parent / "score", "check", folder, "/dev/stdin"],
            stdin=good,
            capture_output=True,
            timeout=60,
            check=False,
        )
    assert ended.returncode == 0, ended


@pytest.mark.parametrize(
    ("header", "shown"),
    [
        ("root:x:0:0:root:/root:/bin/bash", False),
        ("TOKEN=hunter2", False),
        ("-----BEGIN OPENSSH PRIVATE KEY----- b3BlbnNzaC1rZXktdjEAAAAA", False),
        ("user,movie", True),
        ("user,Größe (m)", True),
    ],
)
def test_a_header_that_fits_nothing_is_quoted_where_it_looks_like_one(
    header, shown, folder, tmp_path, score
):
    path = tmp_path / "subs" / "other.csv"
    path.write_text(f"{header}\nx,y\n")
    ran = score("check", folder, path).assert_exit(1)
    assert (header.replace(",", ", ") in ran.out) == shown, ran
