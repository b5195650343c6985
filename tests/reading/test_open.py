"""Every file that was sent is opened by descriptor: no link leads out of what was sent."""

import os
from pathlib import Path

import pytest

from scorer.reading import open as opening
from scorer.reading.limits import UnreadableError
from scorer.reading.open import open_file

SECRET = "my-secret-key-0123456789"
YAML = (
    "id: p\n"
    "truth: {file: truth, parts: {one: one.csv, two: two.csv}, columns: {list: id}}\n"
    "submission: {parts: {one: one.csv, two: two.csv}, columns: {list: id}}\n"
    "metrics: [Accuracy]\n"
)
TRUTH = "id,label\nr1,yes\nr2,no\n"


@pytest.fixture
def org(challenge):
    folder = challenge(YAML, **{".scorer-key": SECRET})
    (folder / "truth").mkdir()
    for name in ("one.csv", "two.csv"):
        (folder / "truth" / name).write_text(TRUTH)
    return folder


@pytest.fixture
def sent(tmp_path):
    folder = tmp_path / "sent"
    folder.mkdir()
    (folder / "two.csv").write_text(TRUTH)
    (folder / "real.csv").write_text(TRUTH)
    return folder


def refused(path, protected=(), part=None):
    with pytest.raises(UnreadableError) as caught, open_file(path, protected, part):
        pass
    assert caught.value.problem.code == "S101"
    return caught.value.problem.message


@pytest.mark.parametrize("link", [Path.symlink_to, Path.hardlink_to])
@pytest.mark.parametrize("target", ["truth/one.csv", ".scorer-key", "challenge.yaml"])
def test_a_part_that_is_a_file_of_the_challenge(link, target, org, sent, score):
    link(sent / "one.csv", org / target)
    for words in ([org, sent], ["check", org, sent], ["explain", org, sent, "--list", "one/r1"]):
        ran = score(*words)
        assert ran.code in (1, 2)
        assert SECRET not in ran.out + ran.err
        assert "S101" in ran.out + ran.err
        assert "1.000" not in ran.out


@pytest.mark.parametrize(
    "target", ["real.csv", "../home.csv", "/proc/self/environ", "/dev/null", "two.csv", "nowhere"]
)
def test_a_part_that_is_a_link(target, org, sent, score):
    (sent.parent / "home.csv").write_text(f"{SECRET}\n")
    (sent / "one.csv").symlink_to(target)
    ran = score("check", org, sent).assert_exit(1, out="error[S101] 'one.csv' is a link")
    assert SECRET not in ran.out + ran.err


def test_a_part_that_has_another_name(org, sent, score):
    os.link(sent / "real.csv", sent / "one.csv")
    score("check", org, sent).assert_exit(1, out="error[S101] 'one.csv' is a hard link")
    (sent / "real.csv").unlink()
    assert score("check", org, sent).code == 0


def test_a_folder_that_is_a_link_to_the_truth(org, sent, score):
    (sent.parent / "mine").symlink_to(org / "truth", target_is_directory=True)
    for path in (sent.parent / "mine", org / "truth"):
        score("check", org, path).assert_exit(1, out="error[S101] this is a file of the challenge")


def test_the_secrets_of_the_store(org, sent, score):
    (org / ".scorer").mkdir()
    (org / ".scorer" / "session.key").write_text(f"{SECRET}\n")
    (org / ".scorer" / "session.key").chmod(0o600)
    os.link(org / ".scorer" / "session.key", sent / "one.csv")
    ran = score("check", org, sent)
    assert "this is a file of the challenge" in ran.out
    assert SECRET not in ran.out


def test_what_was_opened_is_what_was_looked_at(sent, monkeypatch):
    """Whatever takes the file's place after the look, it is not read."""
    path, other = sent / "two.csv", sent / "real.csv"
    look = opening._refuse_escaping_links

    def swapped(absolute, target):
        look(absolute, target)
        path.unlink()
        path.symlink_to(other)

    monkeypatch.setattr(opening, "_refuse_escaping_links", swapped)
    message = refused(path)
    assert "replaced" in message or "cannot be read" in message


def test_a_folder_that_becomes_a_link_after_the_look(sent, monkeypatch, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "two.csv").write_text(SECRET)
    look = opening._refuse_escaping_links

    def swapped(absolute, target):
        look(absolute, target)
        sent.rename(tmp_path / "gone")
        sent.symlink_to(tmp_path / "home", target_is_directory=True)

    monkeypatch.setattr(opening, "_refuse_escaping_links", swapped)
    assert "replaced" in refused(sent / "two.csv")


def test_a_file_that_is_scored_here_is_opened_once(challenge, score, tmp_path, monkeypatch):
    names, system_open = [], os.open

    def counting(name, *words, **more):
        names.append(os.path.basename(name))
        return system_open(name, *words, **more)

    (tmp_path / "only.csv").write_text("list,item,score\nq1,a,2\nq2,a,1\n")
    monkeypatch.setattr(os, "open", counting)
    assert score(challenge(), tmp_path / "only.csv").code == 0
    assert names.count("only.csv") == 1


def test_plain_files_and_links_that_stay_are_opened(sent):
    (sent / "latest.csv").symlink_to("real.csv")
    for path, part in ((sent / "latest.csv", None), (sent, "two.csv"), (sent / "two.csv", None)):
        with open_file(path, (), part) as file:
            assert file.read().decode() == TRUTH
    assert "folder" in refused(sent)
    assert "did you mean 'two.csv'" in refused(sent / "tow.csv")
