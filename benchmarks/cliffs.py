"""What an oddity of a file costs: `python benchmarks/cliffs.py`.

Set M's run is written anew with one oddity at a time; what counts is the CPU time of the whole
process over that of the spotless TREC file, run in turn, the median of the pairs.
"""

from __future__ import annotations

import argparse
import gzip
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median

from run import HERE, _machine, _score, measured

BOUNDS = {
    "an ignored topic": 1.2,
    "two run tags": 1.2,
    "CSV": 1.3,
    "one wrong row": 1.3,
    "CRLF": 1.5,
    "a byte-order mark": 1.5,
    "UTF-8 ids": 1.5,
    "an extra column": 1.5,
    "Parquet": 1.5,
    "a quarter of the scores tie": 1.6,
    "all fields quoted": 1.8,
    "10,000 wrong rows": 2.0,
    ".gz": 2.0,
    "a coverage metric beside": 2.0,
    "JSON Lines": 2.5,
}
MEASURES = "nDCG@10, AP, RR, P@10, R@100"


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what oddities of a file cost.")
    parser.add_argument("-d", "--data", type=Path, default=HERE / ".data")
    parser.add_argument("--set", default="M", help="the set whose run is varied (%(default)s)")
    parser.add_argument("--runs", type=int, default=5, help="pairs of processes (%(default)s)")
    parser.add_argument("--only", nargs="*", default=list(BOUNDS), help="some of the oddities")
    parser.add_argument("-o", "--output", type=Path, help="write the table to this file as well")
    options = parser.parse_args()
    command = [sys.executable, HERE / "generate.py", "-d", options.data, options.set]
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
    folder = options.data / "cliffs"
    commands = _variations(options.data / options.set, folder, _score())
    rows = [
        "## What an oddity costs",
        "",
        f"CPU time over that of the spotless TREC file of set {options.set}: the median of "
        f"{options.runs} pairs run in turn (in brackets the least and the greatest).",
        "",
        "| | CPU ratio | bound |",
        "|---|---:|---:|",
    ]
    for name in options.only:
        pairs = []
        for _ in range(options.runs):
            print(name, file=sys.stderr, flush=True)
            base, odd = measured(commands[""]), measured(commands[name])
            if odd.fault and not odd.fault.startswith("exit 1"):
                sys.exit(f"{name}: {odd.fault}")
            pairs.append((base.cpu, odd.cpu))
        ratios = [odd / base for base, odd in pairs]
        rows.append(
            f"| {name} | {median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) "
            f"| {BOUNDS[name]:g} |"
        )
    text = "\n".join([_machine(_score(), []), *rows]) + "\n"
    print(text)
    if options.output:
        options.output.write_text(text)
    return 0


def _variations(source: Path, folder: Path, score: Path) -> dict[str, list[object]]:
    """The command of each variation, its files made; the spotless one's is called ""."""
    import polars as pl

    shutil.rmtree(folder, ignore_errors=True)
    (folder / "truth").mkdir(parents=True)
    plain = (source / "runs/run00.run").read_bytes()
    truth = (source / "truth.qrels").read_bytes()
    lines = plain.splitlines(keepends=True)
    names = ["list", "q0", "item", "rank", "score", "tag"]
    types = dict.fromkeys(names, pl.String) | {"rank": pl.Int64, "score": pl.Float64}
    frame = pl.read_csv(plain, separator=" ", has_header=False, schema=types)
    table = frame.select("list", "item", "score")

    def challenge(name: str, rules: str = "", metrics: str = MEASURES, more: str = "") -> Path:
        here = folder / f"{name}-challenge"
        here.mkdir()
        (here / "challenge.yaml").write_text(
            f"truth: truth.qrels\nsubmission: {{{rules}}}\nmetrics: [{metrics}]\n{more}"
        )
        utf8 = name == "utf8"
        data = truth.replace(b"LA", "é".encode()) if utf8 else truth
        (here / "truth.qrels").write_bytes(data)
        return here

    trec = challenge("trec", "format: trec, unknown_list: ignore")
    csv = challenge("csv")
    items = "items: items.csv\n"
    beside = challenge("coverage", "format: trec", f"{MEASURES}, CatalogueCoverage@10", items)
    judged = pl.read_csv(truth, separator=" ", has_header=False).to_series(2)
    every = pl.concat([frame["item"], judged.cast(pl.String)]).unique(maintain_order=True)
    pl.DataFrame({"item": every}).write_csv(beside / "items.csv")

    def file(name: str, data: bytes) -> Path:
        (folder / name).write_bytes(data)
        return folder / name

    def written(name: str, write: Callable[[Path], object]) -> Path:
        write(folder / name)
        return folder / name

    wrong = list(lines)
    wrong[len(wrong) // 2] = re.sub(rb" \S+ (\S+)\n$", rb" x \1\n", wrong[len(wrong) // 2])
    many = list(lines)
    for n in range(0, len(many), max(len(many) // 10_000, 1)):
        many[n] = re.sub(rb" \S+ (\S+)\n$", rb" x \1\n", many[n])
    tied = [
        re.sub(rb"(\S+) (\S+)\n$", rb"45 \2\n", line) if n % 1000 < 250 else line
        for n, line in enumerate(lines)
    ]
    ignored = [
        *lines[:1000],
        *(b"999 Q0 d%d 1 %d r\n" % (n, -n) for n in range(100)),
        *lines[1000:],
    ]
    tags = [line.replace(b"run00", b"other") if n > len(lines) // 2 else line
            for n, line in enumerate(lines)]  # fmt: skip
    quoted = {"quote_style": "always"}
    runs = {
        "": (trec, file("plain.run", plain)),
        "an ignored topic": (trec, file("ignored.run", b"".join(ignored))),
        "two run tags": (trec, file("tags.run", b"".join(tags))),
        "CSV": (csv, written("plain.csv", table.write_csv)),
        "one wrong row": (trec, file("wrong.run", b"".join(wrong))),
        "CRLF": (trec, file("crlf.run", plain.replace(b"\n", b"\r\n"))),
        "a byte-order mark": (trec, file("bom.run", b"\xef\xbb\xbf" + plain)),
        "UTF-8 ids": (
            challenge("utf8", "format: trec"),
            file("utf8.run", plain.replace(b" LA", " é".encode())),
        ),
        "an extra column": (
            csv,
            written("extra.csv", table.with_columns(note=pl.lit("none")).write_csv),
        ),
        "Parquet": (csv, written("plain.parquet", table.write_parquet)),
        "a quarter of the scores tie": (trec, file("tied.run", b"".join(tied))),
        "all fields quoted": (
            csv,
            written("quoted.csv", lambda path: table.write_csv(path, **quoted)),
        ),
        "10,000 wrong rows": (trec, file("many.run", b"".join(many))),
        ".gz": (trec, file("plain.run.gz", gzip.compress(plain, 6))),
        "a coverage metric beside": (beside, folder / "plain.run"),
        "JSON Lines": (csv, written("plain.jsonl", table.write_ndjson)),
    }
    return {name: [score, where, run, "--format", "json"] for name, (where, run) in runs.items()}


if __name__ == "__main__":
    sys.exit(main())
