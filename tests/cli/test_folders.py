"""Folders that commands make: whole or not there, whenever the command ends."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scorer.core.errors import UsageError
from scorer.reading.write import write_folder

FOLDERS = 60
WRITE = f"""
import sys
from pathlib import Path
from scorer.reading.write import write_folder
names = [f"{{n}}/{{name}}.csv" for n in range({FOLDERS}) for name in ("truth", "train")]
write_folder(Path(sys.argv[1]), dict.fromkeys(names, b"list,item" * 1000))
"""
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
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_whenever_a_process_ends_its_folder_is_whole_or_not_there(number, tmp_path):
    chance, cut, n = random.Random(int(number)), 0, 0
    while n < 3 or (not cut and n < 30):  # on a busy machine many an end comes too late
        target = tmp_path / f"made{n}"
        process = subprocess.Popen(
            [sys.executable, "-c", WRITE, target.name], cwd=tmp_path, stderr=subprocess.DEVNULL
        )
        end = time.monotonic() + 30
        while process.poll() is None and not list(tmp_path.glob(f".made{n}.*")):
            assert time.monotonic() < end
        time.sleep(chance.uniform(0, 0.005) * (n % 3))  # also at once
        process.send_signal(number)
        process.wait(timeout=30)
        assert not target.exists() or len(entries(target)) == 3 * FOLDERS
        cut, n = cut + (not target.exists()), n + 1
        if number != signal.SIGKILL:  # which nobody can answer
            assert not list(tmp_path.glob(".made*"))
    assert cut
    again = "made0" if not (tmp_path / "made0").exists() else "z"
    subprocess.run([sys.executable, "-c", WRITE, again], cwd=tmp_path, check=True)
    assert len(entries(tmp_path / again)) == 3 * FOLDERS
