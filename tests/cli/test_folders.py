"""Folders that `folds` and `init` make: whole or not there, whenever the command ends."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scorer.core.errors import UsageError
from scorer.reading.write import write_folder

COMMAND = str(Path(sys.executable).parent / "score")
FOLDS = 60
FILES = {"1/truth.csv": b"x", "1/train.csv": b"y", "folds.csv": b"z"}


def entries(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.mark.parametrize("place", ["made", "above/and/below", "empty", "."])
def test_a_folder_is_made_or_filled(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir(mode=0o700)
    here = tmp_path / "empty" if place == "." else tmp_path
    monkeypatch.chdir(here)
    write_folder(Path(place), FILES)
    assert entries(here / place) == ["1", "1/train.csv", "1/truth.csv", "folds.csv"]
    assert (here / place / "1" / "truth.csv").read_bytes() == b"x"
    assert not list(tmp_path.rglob(".*"))
    assert (tmp_path / "empty").stat().st_mode & 0o777 == 0o700


def taken(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    (tmp_path / "file").touch()
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")


@pytest.mark.parametrize("place", ["full", "file", "dangling", "file/below", "a\0b", "x" * 300])
def test_a_place_that_is_taken_or_none_is_refused(place, tmp_path):
    taken(tmp_path)
    before = entries(tmp_path)
    with pytest.raises(UsageError):
        write_folder(tmp_path / place, FILES)
    assert entries(tmp_path) == before


@pytest.mark.parametrize("place", ["new", "above/below", "empty"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", ["write_bytes", "rename"])
def test_what_fails_leaves_nothing(place, error, step, tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    own, calls = getattr(Path, step), []

    def failing(path, *words):
        calls.append(path)
        if len(calls) == (1 if step == "rename" and place != "empty" else 2):
            raise error
        return own(path, *words)

    monkeypatch.setattr(Path, step, failing)
    with pytest.raises((UsageError, KeyboardInterrupt)):
        write_folder(tmp_path / place, FILES)
    assert entries(tmp_path) == ["empty"]


@pytest.mark.slow("starts processes")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_whenever_folds_is_ended_its_folder_is_whole_or_not_there(number, tmp_path):
    """Most of the time goes into reading; the moments after the first sign of writing count."""
    rows = "".join(f"u{n % 997},i{n},1\n" for n in range(3000))
    (tmp_path / "all.csv").write_text(f"list,item,rating\n{rows}")
    chance, cut, n = random.Random(int(number)), 0, 0
    while n < 3 or (not cut and n < 30):  # on a busy machine many an end comes too late
        target = tmp_path / f"made{n}"
        process = subprocess.Popen(
            [COMMAND, "folds", "all.csv", "-o", target.name, "-k", f"{FOLDS}"],
            cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            # below nohup it would be ignored
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
        )  # fmt: skip
        end = time.monotonic() + 30
        while process.poll() is None and not list(tmp_path.glob(f".made{n}.*")):
            assert time.monotonic() < end
        time.sleep(chance.uniform(0, 0.005) * (n % 3))  # also at once
        process.send_signal(number)
        process.wait(timeout=30)
        assert not target.exists() or len(entries(target)) == 3 * FOLDS + 1
        cut, n = cut + (not target.exists()), n + 1
        if number != signal.SIGKILL:  # which nobody can answer
            assert not list(tmp_path.glob(".made*"))
    assert cut
    again = subprocess.run(
        [COMMAND, "folds", "all.csv", "-o", "made0" if not (tmp_path / "made0").exists() else "z"],
        cwd=tmp_path, stdout=subprocess.DEVNULL, check=True, env=os.environ,
    )  # fmt: skip
    assert again.returncode == 0
