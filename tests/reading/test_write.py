"""A file is written whole, with the mode it would have anyway, and never over a read-only one."""

import os
import stat
import tempfile
import threading
from pathlib import Path

import pytest

from scorer.core.errors import UsageError
from scorer.reading.write import write_file


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def umask():
    before = os.umask(0o027)
    yield
    os.umask(before)


@pytest.mark.parametrize("before", [None, 0o600, 0o640, 0o666, 0o200])
def test_a_new_file_has_the_systems_mode_and_an_old_one_its_own(tmp_path, umask, before):
    path = tmp_path / "out"
    if before is not None:
        path.write_bytes(b"old")
        path.chmod(before)
    write_file(path, b"new")
    assert mode(path) == (0o640 if before is None else before)
    path.chmod(0o600)  # a file that may only be written is read by root alone
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_the_umask_is_never_touched(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("the umask is the whole process's"))
    write_file(tmp_path / "out", b"x")


@pytest.mark.parametrize("before", [0o444, 0o400, 0o555])
def test_a_read_only_file_is_kept(tmp_path, before):
    path = tmp_path / "out"
    path.write_bytes(b"old")
    path.chmod(before)
    with pytest.raises(UsageError, match="out cannot be written: the file there is read-only"):
        write_file(path, b"new")
    assert (path.read_bytes(), mode(path)) == (b"old", before)
    assert list(tmp_path.iterdir()) == [path]


def test_many_threads_write_one_file_and_leave_nothing_else(tmp_path):
    path = tmp_path / "out"
    texts = [bytes([n]) * 100_000 for n in range(8)]
    threads = [threading.Thread(target=write_file, args=(path, text)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_bytes() in texts
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_in_shared_memory_is_replaced():
    if not os.access("/dev/shm", os.W_OK):
        pytest.skip("there is no shared memory that looks like a folder")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
        path = Path(place, "out")
        path.write_bytes(b"old")
        write_file(path, b"new")
        assert path.read_bytes() == b"new"
