"""What a file may be, and what is said of it before any row is read."""

import gzip
import hashlib
import io
import os
import socket
import stat
import time
import zipfile

import pytest

from scorer.core.problems import Findings
from scorer.reading import read
from scorer.reading.formats import find_format
from scorer.reading.limits import ReadLimits, UnreadableError
from scorer.reading.lines import read_lines
from scorer.reading.open import file_digest
from scorer.reading.read import read_file
from scorer.reading.schema import Schema
from scorer.reading.unpack import read_bytes
from scorer.reading.write import temporary_copy

RANKED = Schema(("list", "item"), ("rank", "score"))
ROWS = b"list,item\nq1,a\nq1,b\n"
LIMITS = ReadLimits()


def found(path, limits=LIMITS):
    findings = Findings()
    table = read_file(path, None, [RANKED], findings, limits).table
    return (None if table is None else table.frame), list(findings)


def refused(path, limits=LIMITS):
    """The one problem of a file that gives no table."""
    table, (problem,) = found(path, limits)
    assert table is None
    return problem


@pytest.fixture
def written(tmp_path):
    def write(data, name="a.csv"):
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return write


def zipped(*names):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, "list,item\n")
    return out.getvalue()


def test_missing(tmp_path):
    (tmp_path / "submission.csv").write_text("x")
    problem = refused(tmp_path / "submision.csv")
    assert problem.code == "S101"
    assert problem.message == "file not found; did you mean 'submission.csv' in the same folder?"
    assert refused(tmp_path / "no" / "a.csv").message == "file not found"
    assert refused(tmp_path / "submission.csv" / "a.csv").message == "file not found"


def test_a_link_is_what_it_leads_to(tmp_path, written):
    good, lost, loop = tmp_path / "good", tmp_path / "lost", tmp_path / "loop"
    good.symlink_to(written(ROWS))
    lost.symlink_to(tmp_path / "nowhere")
    loop.symlink_to(loop)
    assert len(found(good)[0]) == 2
    assert refused(lost).code == refused(loop).code == "S101"


def test_no_regular_file(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    assert refused(tmp_path / "fifo").message == "this is not a regular file, not a file to be read"
    assert refused(tmp_path).message == "this is a folder, not a file to be read"
    assert {refused(tmp_path / name).code for name in ("/dev/zero", "/dev/stdin/x", "a\0b")} == {
        "S101"
    }
    assert refused(tmp_path / ("x" * 5000)).code == "S101"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        assert refused(tmp_path / "s").code == "S101"
    with pytest.raises(UnreadableError):
        file_digest(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything: run it as another user")
def test_no_permission(written):
    path = written(ROWS)
    path.chmod(0)
    assert refused(path).message == "the file cannot be read: Permission denied"


@pytest.mark.parametrize("data", [b"", gzip.compress(b"", mtime=0)])
def test_empty(data, written):
    assert refused(written(data)).code == "S102"


@pytest.mark.parametrize("data", [b"\xef\xbb\xbf", b"\n", b" \r\n\t\n"])
def test_as_good_as_empty(data, written):
    assert refused(written(data)).code == "S102"


def test_too_large(written):
    problem = refused(written(ROWS * 2000), ReadLimits(size=20_000))
    assert (problem.code, problem.message) == (
        "S104",
        "the file is larger than is accepted here (40 kB, at most 20 kB)",
    )


def test_bombs(written):
    rows = b"list,item\n" + (b"q1," + b"a" * 1000 + b"\n") * 20_000
    path = written(gzip.compress(rows))
    assert refused(path, ReadLimits(unpacked=10**6)).message.endswith("1 MB")
    path = written(gzip.compress(b"list,item\n" + b"q,i\n" * 5_000_000))
    assert refused(path).message.startswith("the file unpacks to more than is accepted here, 1")


def test_a_bomb_of_zeros_is_refused_in_bounded_time(written):
    out = io.BytesIO()
    with gzip.open(out, "wb", compresslevel=1) as stream:
        for _ in range(64):
            stream.write(bytes(1 << 20))
    start = time.process_time()
    table, problems = found(written(out.getvalue()))
    assert table is None
    assert {problem.code for problem in problems} <= {"S102", "S104", "S106", "S109"}
    assert time.process_time() - start < 3


ONE_LINE = (b"list,item\n", b"0" * (1 << 20))
NEWLINES = (b"list,item\n", b"\n" * (1 << 20))
DOCUMENT = (b'{"q1": [', b'"a",' * (1 << 18))


@pytest.mark.parametrize(
    ("begin", "block", "name", "code", "most"),
    [
        (*ONE_LINE, "a.csv.gz", "S109", 3),
        (*ONE_LINE, "a.csv.zip", "S109", 3),
        (*ONE_LINE, "a.run.gz", "S109", 3),
        (*NEWLINES, "a.csv.zip", "S104", 3),
        (*NEWLINES, "a.json.gz", "S104", 3),
        (*DOCUMENT, "a.json.gz", "S104", 6),
        (*DOCUMENT, "a.json", "S104", 6),
    ],
)
def test_what_is_refused_anyway_is_not_unpacked(
    begin, block, name, code, most, written, monkeypatch
):
    """Of 12 MiB, at most `most` MiB are read."""
    monkeypatch.setattr("scorer.reading.limits.MOST_LINES", 1 << 20)
    for module in ("read", "json"):  # a character may have four bytes
        monkeypatch.setattr(f"scorer.reading.{module}.MOST_DOCUMENT", 1 << 20)
    data, out, seen = begin + 12 * block, io.BytesIO(), []
    if name.endswith(".zip"):
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.csv", data)
        data = out.getvalue()
    path = written(gzip.compress(data, 1) if name.endswith(".gz") else data, name)

    def parse(data, *others):
        seen.append(len(data))
        return parse_table(data, *others)

    parse_table = read._parse_table
    monkeypatch.setattr(read, "_parse_table", parse)
    findings, format = Findings(), "json" if name.startswith("a.json") else None
    assert read_file(path, format, [RANKED], findings, ReadLimits(rows=1000)).table is None
    assert [problem.code for problem in findings] == [code]
    assert seen[0] <= most << 20


def test_the_digest_is_of_the_whole_file_where_the_rest_is_not_read(written, monkeypatch):
    monkeypatch.setattr("scorer.reading.read.MOST_DOCUMENT", 1 << 10)
    monkeypatch.setattr("scorer.reading.json.MOST_DOCUMENT", 1 << 10)
    for path, format in (
        (written(b'{"q1": [' + b'"a",' * 100_000, "a.json"), "json"),
        (written(gzip.compress(b"list,item\n" + bytes(1 << 24)), "a.csv.gz"), "csv"),
    ):
        digest = read_file(path, format, [RANKED], Findings()).sha256
        assert digest == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("kept", [9, 12, -1, -4, -8])
def test_truncated(kept, written):
    data = gzip.compress(os.urandom(3000).hex().encode())[:kept]
    problem = refused(written(data))
    assert (problem.code, problem.message) == ("S108", "the compressed data ends early")


def test_damaged(written):
    data = bytearray(gzip.compress(b"list,item\n" + bytes(range(48, 91)) * 200))
    data[len(data) // 2] ^= 0xFF
    assert refused(written(data)).code == "S108"
    assert refused(written(gzip.compress(ROWS) + b"garbage")).code == "S108"


def test_members_one_after_the_other(written):
    data = b"".join(gzip.compress(ROWS[n : n + 1]) for n in range(len(ROWS)))
    table, problems = found(written(data))
    assert (len(table), problems) == (2, [])


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (zipped("a.csv", "b.csv"), "this is a ZIP archive"),
        (b'{\n "cells": [\n  {"cell_type": "code"', "this is a Jupyter notebook"),
        (zipped("[Content_Types].xml", "xl/workbook.xml"), "this is an Excel workbook"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(50), "this is an Excel workbook"),
        (b"\n <!DOCTYPE html><html>", "this is an HTML page"),
        (b"\xef\xbb\xbf<html>", "this is an HTML page"),
        (b"\x80\x04\x95\x10\0\0", "this is a pickle, which is never opened"),
        (b"version https://git-lfs.github.com/spec/v1\noid", "this is a Git LFS pointer"),
        (b"PAR1" + bytes(50), "this is a Parquet file"),
        (b"%PDF-1.7", "this is a PDF"),
        (b"BZh91AY", "this is a bzip2 file"),
        (bytes(257) + b"ustar\0", "this is a tar archive"),
        (b"\x93NUMPY\x01\0", "this is a NumPy array"),
    ],
)
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_no_table(data, what, compress, written):
    problem = refused(written(compress(data)))
    assert (problem.code, problem.message[: len(what)]) == ("S107", what)
    assert problem.help


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_utf_16(encoding, written):
    problem = refused(written(ROWS.decode().encode(encoding)))
    assert (problem.code, problem.line, problem.column) == ("S105", 1, 1)
    assert f"looks like {encoding[:6].upper()}" in problem.message


def test_windows_1252(written):
    _, problems = found(written("list,item\nx,é\nq,a\nq€,éé\n".encode("cp1252")))
    assert [(p.code, p.line, p.column) for p in problems] == [("S105", 2, 3), ("S105", 4, 2)]
    assert problems[0].message == "byte 0xE9 is not UTF-8; the file looks like Windows-1252"


def test_neither_utf_8_nor_windows_1252(written):
    _, (problem,) = found(written(b"list,item\n\xc3\xa9\x81,a\n"))
    assert (problem.message, problem.column) == ("byte 0x81 is not UTF-8", 2)


def test_nul(written):
    _, problems = found(written("list,item\r\né\0,\0\n".encode() + b"\xe9,\0\n"))
    assert [(p.code, p.line, p.column) for p in problems] == [
        ("S106", 2, 2),
        ("S105", 3, 1),
        ("S106", 3, 3),
    ]


@pytest.mark.parametrize(("end", "long"), [(b"\n", 1), (b"\r\n", 1), (b"", 1), (b"\n", 10**6)])
def test_a_line_too_long(end, long, written):
    limits = ReadLimits(line=100)
    fits = b"list,item\nq," + b"x" * 98 + end
    assert found(written(fits), limits)[1] == []
    problem = refused(written(b"list,item\nq," + b"x" * (98 + long) + end), limits)
    assert (problem.code, problem.line) == ("S109", 2)


def test_lines_are_numbered_with_blank_ones():
    texts = [f"{n}" * (n % 50) for n in range(20_000)]
    lines = read_lines("\r\n".join(texts).encode(), Findings(), LIMITS)
    assert lines.rows() == list(enumerate(texts, 1))


def test_a_temporary_copy_has_no_name(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with temporary_copy(io.BytesIO(ROWS), 10**6) as path:
        assert len(found(path)[0]) == len(found(path)[0]) == 2
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert list(tmp_path.iterdir()) == []  # it has no name
    assert not path.exists()
    with temporary_copy(io.BytesIO(bytes(10**6)), 1000) as path:
        assert path.stat().st_size == 1001
        assert refused(path, ReadLimits(size=1000)).code == "S104"


@pytest.mark.parametrize(
    ("entries", "name"),
    [
        ({"mine.csv": ROWS}, "mine.csv.zip"),
        ({"mine.csv": ROWS}, "mine.zip"),
        ({"folder/": b"", "folder/mine.csv": ROWS}, "mine.zip"),
        ({"mine.csv": ROWS, "__MACOSX/._mine.csv": b"x", ".DS_Store": b"y"}, "mine.zip"),
    ],
)
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_zip_archive_of_one_file(entries, name, method, written):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for entry, data in entries.items():
            archive.writestr(entry, data)
    path = written(out.getvalue(), name)
    table, problems = found(path)
    expected, _ = found(written(ROWS))
    assert not problems
    assert table.equals(expected)
    stored = read_bytes(path, LIMITS)
    assert stored.digest() == hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_file_in_a_zip_archive_says_its_format(written):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mine.jsonl", '{"list": "q", "item": "a"}\n')
    path = written(out.getvalue(), "mine.zip")
    assert find_format(path, None).name == "jsonl"
    assert find_format(written(ROWS, "other.zip"), None).name == "csv"


def _broken_zips():
    good = zipped("mine.csv")
    yield pytest.param(good[:-30], "S108", id="no directory")
    yield pytest.param(good.replace(b"list,item", b"LIST,item"), "S108", id="checksum")
    entry = good.index(b"PK\x01\x02")
    yield pytest.param(good[: entry + 10] + b"c" + good[entry + 11 :], "S108", id="unknown packing")
    yield pytest.param(
        good[:-12] + b"\xff\xff\xff\xff" + good[-8:], "S107", id="directory beyond measure"
    )
    nested = io.BytesIO()
    with zipfile.ZipFile(nested, "w") as archive:
        archive.writestr("inner.zip", good)
    yield pytest.param(nested.getvalue(), "S107", id="an archive in it")


@pytest.mark.parametrize(("data", "code"), list(_broken_zips()))
def test_zip_archives_that_cannot_be_read(data, code, written):
    assert refused(written(data, "mine.zip")).code == code


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("parts", [False, True])
def test_what_unpacks_without_a_bound_is_never_unpacked(method, parts, written, monkeypatch):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr("mine.csv", ROWS)
    path = written(out.getvalue(), "mine.zip")
    for name in ("bz2.BZ2Decompressor", "LZMADecompressor"):
        monkeypatch.delattr(f"zipfile.{name}")
    with pytest.raises(UnreadableError) as caught:
        read_bytes(path, LIMITS, part="mine.csv" if parts else None)
    assert caught.value.problem.code == "S108"


@pytest.mark.slow("reads large files")
def test_a_zip_bomb_is_refused(written):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mine.csv", b"list,item\n" + b"q,a\n" * 8_000_000)
    assert refused(written(out.getvalue(), "mine.zip")).code == "S104"
