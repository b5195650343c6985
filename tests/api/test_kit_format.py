"""A kit's sample in an installed format is written by that format, or not at all."""

import subprocess
import sys
import zipfile

import pytest

FORMAT = """
import polars as pl

from scorer.reading.formats import format
from scorer.reading.table import Cells


def write_bars(rows, columns):
    return "".join(f"{row['list']}|{row['item']}\\n" for row in rows).encode()


@format("bars", ".bars"WRITE)
def read_bars(lines, request):
    cells = pl.col("text").str.split("|").list
    frame = lines.select("line", cells.get(0).alias("list"), cells.get(1).alias("item"))
    return Cells(frame, request.schemas[0])
"""
YAML = "truth: truth.csv\nsubmission: {format: bars}\nmetrics: [RR]\n"


@pytest.mark.slow("installs a package for a process")
@pytest.mark.parametrize("writes", [True, False])
def test_an_installed_format_writes_the_sample(challenge, tmp_path, writes):
    installed = tmp_path / "site"
    (installed / "bars-1.0.dist-info").mkdir(parents=True)
    facts = installed / "bars-1.0.dist-info"
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: bars\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[scorer.formats]\nbars = bars_format\n")
    code = FORMAT.replace("WRITE", ", write=write_bars" if writes else "")
    (installed / "bars_format.py").write_text(code)
    folder, kit = challenge(YAML), tmp_path / "kit.zip"

    def run(*words):
        command = f"from scorer.cli.main import run; exit(run({[str(word) for word in words]!r}))"
        return subprocess.run(
            [sys.executable, "-c", command],
            env={"PYTHONPATH": str(installed), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
        )

    ended = run("kit", folder, "-o", kit)
    assert ended.returncode == 0, ended
    with zipfile.ZipFile(kit) as archive:
        names = [name for name in archive.namelist() if name.startswith("sample")]
        readme = archive.read("README.md").decode()
        assert names == (["sample_submission.bars"] if writes else [])
        if writes:
            (tmp_path / "sample.bars").write_bytes(archive.read(names[0]))
    assert ("sample_submission.bars: a valid submission" in readme) == writes
    assert ("A file in the format bars." in readme) == (not writes)
    if writes:
        for where in (folder, kit):
            ended = run("check", where, tmp_path / "sample.bars")
            assert ended.returncode == 0, ended
        assert run(folder, tmp_path / "sample.bars").returncode == 0
