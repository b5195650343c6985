"""A server of Spark Connect: all that a session of this machine does."""

import shutil
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("pyspark", reason="pyspark is missing: pip install challenge-scorer[spark]")
pytestmark = pytest.mark.skipif(shutil.which("java") is None, reason="Java is missing")

# in a process of its own, since one has either sessions of Connect or others
PROGRAM = textwrap.dedent("""
    import json, sys, warnings
    from pathlib import Path

    import polars as pl

    import scorer, scorer.spark
    from scorer.engines.spark import whole
    from scorer.engines.spark.session import session_of

    session = session_of({"spark.remote": "local[2]"})
    assert "connect" in type(session).__module__
    folder = Path(sys.argv[1])

    def said(report):
        return json.loads(report.render("json", per_list=True))

    expected = scorer.score(folder, [folder / "a.csv", folder / "bad.csv"])
    rows = [tuple(row) for row in pl.read_csv(folder / "a.csv").rows()]
    known = session.createDataFrame(pl.read_csv(folder / "a.csv").to_arrow())
    known.createOrReplaceTempView("runs")
    truth = session.read.csv(str(folder / "truth.csv"), header=True)
    truth.createOrReplaceTempView("truths")
    listed = session.createDataFrame(rows, "list string, item string, score int")
    runs = {"known": known, "listed": listed, "table": "runs", "url": f"file://{folder}/a.csv"}
    wrong = {"twice": known.unionAll(known.limit(2)), "lost": str(folder / "lost.csv")}
    wrong["column"] = known.select("nothing")  # which the server finds when it is asked
    for most, true in ((whole.MOST_BYTES, truth), (-1, "truths")):
        whole.MOST_BYTES = most
        files = scorer.score(folder, [folder / "a.csv", folder / "bad.csv"], engine="spark")
        assert said(files) == said(expected)
        report = scorer.spark.evaluate(session, folder, {**runs, **wrong}, true)
        for name in runs:
            assert report.per_list(name, "AP") == expected.per_list("a", "AP"), (name, most)
        found = scorer.spark.findings(session, report).where("severity = 'error'").collect()
        codes = {(row["name"], row["code"]) for row in found}
        assert codes == {("twice", "S304"), ("lost", "S101"), ("column", "S101")}
    values = scorer.spark.values(session, folder, "runs", truth).where("measure = 'AP'").collect()
    assert {row["list"]: row["value"] for row in values} == expected.per_list("a", "AP")
""")


@pytest.mark.slow("starts a server of Spark Connect")
def test_files_frames_truths_values_and_findings_by_connect(tmp_path):
    lists = [f"u{n}" for n in range(30)]
    (tmp_path / "challenge.yaml").write_text("truth: truth.csv\nmetrics: [AP, nDCG@3]\n")
    truth = "".join(f"{name},i{k},{k % 3}\n" for name in lists for k in range(5))
    (tmp_path / "truth.csv").write_text("list,item,grade\n" + truth)
    rows = "".join(
        f"{name},i{k},{(7 * k + n) % 6}\n" for n, name in enumerate(lists) for k in range(6)
    )
    (tmp_path / "a.csv").write_text("list,item,score\n" + rows)
    (tmp_path / "bad.csv").write_text("list,item,score\n" + rows + "u1,i9,x\nu99,i1,1\n")
    words = [sys.executable, "-W", "ignore", "-c", PROGRAM, tmp_path]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=900)
    assert ran.returncode == 0, ran.stdout + ran.stderr
