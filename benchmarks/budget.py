"""What a submission can cost, whatever it holds: CPU time and memory of `score` on hostile files.

    python benchmarks/budget.py --mib 256 --output benchmarks/budget.md

Each file is as large as asked for, unpacked, and made to cost much in one way; one thread scores
it, as in the children of a board. A row says how the command ended, its CPU time (of all its
processes), that time for a file of a GiB beyond the time of a small file, and the most memory that
any one process held. A file that is refused at a count (S104) costs no more when it is larger:
reading ends at the same place. Neither does one that names each list of its challenge once, as
none can be larger. The budget: 60 s of CPU for a GiB, and 3.5 GiB, as 20 million rows may take
3.2 GB. A whole JSON document has 60 MiB, a little less than is accepted.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import os
import platform
import random
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

SCORE = Path(sys.executable).parent / "score"
MIB, GIB = 1 << 20, 1 << 30
LISTS, ITEMS = 1000, 30_000
KNOWN = 300_000  # lists of the challenges of which a document names each
DEEP = 20_000  # items of each list of a JSON document
MEMORY, SECONDS = 3.5 * GIB, 60  # the budget
BOMB_MEMORY, BOMB_SECONDS = 1.4 * GIB, 20  # the budget of a bomb
DOCUMENT = 60 * MIB  # of a whole JSON document; 64 MiB are accepted
HEAD = "list,item,score\n"
MARKS = "\u0301\u0323"


CELLS = ("many ids in a cell", "several ids in a cell")  # whose challenge says so
PREFERENCES = ("preferences", "preferences of unknown lists")
CLASSES = ("labels that are no class", "labels of unknown lists")
DELIMITED = ("challenge", "cells", "preferences", "classes")  # challenges of CSV files


def rows(row: Callable[[int], str], head: str = HEAD) -> Iterator[bytes]:
    """The header, then rows without end, a thousand at a time."""
    yield head.encode()
    for start in itertools.count(step=1000):
        yield "".join(map(row, range(start, start + 1000))).encode()


def shuffled(n: int) -> int:
    """A number that looks random, different for each `n` below 2 ** 32."""
    return (n * 2654435761) % 2**32


class Document(NamedTuple):
    """A JSON document of as many members as there is room for, which is read to its end."""

    start: str
    member: Callable[[int], str]
    end: str
    most: int = sys.maxsize  # members

    def parts(self, size: int) -> Iterator[bytes]:
        """The whole document, ten members at a time."""
        text = self.start
        for start in range(0, self.most, 10):
            yield text.encode()
            size -= len(text)
            text = ",\n" * (start > 0) + ",\n".join(map(self.member, range(start, start + 10)))
            if len(text) > size:
                break
        yield self.end.encode()


def items(of: range, text: str = "i{}") -> str:
    """Some items as an array."""
    return json.dumps([text.format(n) for n in of])


def scores(n: int) -> str:
    """A list of items with scores."""
    return f'"q{n}": {json.dumps({f"i{k}": k for k in range(DEEP)})}'


def question(n: int) -> str:
    """A list of an object with more in it than is read."""
    documents = [{"id": f"i{k}", "text": 'A "text"', "at": [k, 0.5]} for k in range(DEEP // 4)]
    return json.dumps({"type": "list", "documents": documents, "id": f"q{n}"})


DOCUMENTS = {
    "items": Document("{", lambda n: f'"q{n}": {items(range(DEEP))}', "}"),
    "ten items a list": Document("{", lambda n: f'"q{n}": {items(range(10))}', "}", KNOWN),
    "one list": Document('{"q1": [', '"x{}"'.format, "]}", 4_000_000),
    "one list of scores": Document('{"q1": {', lambda n: f'"x{n}": {n}', "}}", 4_000_000),
    "lists of 5 MiB": Document("{", lambda n: f'"q{n}": {items(range(500_000), "x{}")}', "}"),
    "scores": Document("{", scores, "}"),
    "numbers": Document("{", lambda n: f'"q{n}": {n % 10}', "}", KNOWN),
    "objects": Document(
        "[",
        lambda n: f'{{"list": "q{n // DEEP}", "item": "i{n % DEEP}", "score": {-n % DEEP}}}',
        "]",
    ),
    "pretty": Document("{", lambda n: f'"q{n}": {json.dumps(INDENTED, indent=2)}', "}"),
    "escapes": Document(
        "{", lambda n: f'"q{n}": {items(range(DEEP))[:-1]}, {items(range(60), "é{}")[1:]}', "}"
    ),
    "paths": Document('{"questions": [', question, "]}"),
}
INDENTED = [f"i{k}" for k in range(DEEP)]
PATHS = "paths"  # whose challenge has `json:`
NAMED = {"ten items a list": "many", "numbers": "labels"}  # whose challenges have their lists


CASES: dict[str, tuple[str, Callable[[], Iterator[bytes]]]] = {
    "clean, scattered lists": (
        "csv",
        lambda: rows(lambda n: f"q{n // 500 % LISTS},i{n % 500 + n // 500_000 * 500},{-n % 500}\n"),
    ),
    "clean, whole lists": (
        "csv",
        lambda: rows(lambda n: f"q{n // ITEMS % LISTS},i{n % ITEMS},1\n"),
    ),
    "many ids in a cell": ("csv", lambda: rows(
        lambda n: f"q{n % LISTS},{' '.join(f'i{k}' for k in range(ITEMS))}\n", "list,item\n"
    )),
    "several ids in a cell": ("csv", lambda: rows(
        lambda n: f"q{n % LISTS},{' '.join(f'i{n % 100 * 100 + k}' for k in range(20))}\n",
        "list,item\n",
    )),
    "line ends in quotes": ("csv", lambda: rows(
        lambda n: f'"q{n // ITEMS % LISTS}","i{n % ITEMS}",1,"a\nb"\n', "list,item,score,note\n"
    )),
    "one list": ("csv", lambda: rows(lambda n: f"q1,x{n},{shuffled(n)}\n")),
    "one list of equal scores": ("csv", lambda: rows(lambda n: f"q1,x{shuffled(n)},1\n")),
    "scattered lists": ("csv", lambda: rows(lambda n: f"q{shuffled(n) % LISTS},x{n},{n}\n")),
    "unknown lists": ("csv", lambda: rows(lambda n: f"u{n},i1,1\n")),
    "unknown lists, scattered": ("csv", lambda: rows(lambda n: f"u{shuffled(n)},i1,1\n")),
    "the same item again": ("csv", lambda: rows(lambda n: "q1,i1,1\n")),
    "ids beyond ASCII": ("csv", lambda: rows(lambda n: f"ｑ{n},ｉ{n},1\n")),
    "ids with signs": ("csv", lambda: rows(lambda n: f"q-{n},i-{n},1\n")),
    "combining marks": ("csv", lambda: rows(lambda n: f"q{MARKS * 30}{n},i1,1\n")),
    "long runs of marks": ("csv", lambda: rows(lambda n: f"q{MARKS * 50_000}{n},i1,1\n")),
    "ligatures": ("csv", lambda: rows(lambda n: f"{chr(0xFDFA) * 20}{n},i1,1\n")),
    "wrong numbers": ("csv", lambda: rows(lambda n: f"q{n % LISTS},i{n},x\n")),
    "short rows": ("csv", lambda: rows(lambda n: "q1\n")),
    "blank lines": ("csv", lambda: rows(lambda n: "\n")),
    "blank lines alone": ("csv", lambda: rows(lambda n: "\n", "")),
    "wide rows": ("csv", lambda: rows(
        lambda n: f"q{n % LISTS},i{n},1{',x' * 60}\n",
        f"list,item,score,{','.join(f'c{n}' for n in range(60))}\n",
    )),
    "long cells": ("csv", lambda: rows(lambda n: f"q{n % LISTS},{'x' * 100_000}{n},1\n")),
    "quotes": ("csv", lambda: rows(lambda n: f'"q{n % LISTS}","i""\n{n}",1\n')),
    "decimal ids": ("csv", lambda: rows(lambda n: f"q{n % LISTS},{n}.0,1\n")),
    "preferences": ("csv", lambda: rows(
        lambda n: f"q{n % LISTS},x{n},y{n}\n", "list,better,worse\n"
    )),
    "preferences of unknown lists": ("csv", lambda: rows(
        lambda n: f"u{n},a,b\n", "list,better,worse\n"
    )),
    "labels that are no class": ("csv", lambda: rows(
        lambda n: f"q{n % KNOWN},x{n}\n", "list,label\n"
    )),
    "labels of unknown lists": ("csv", lambda: rows(lambda n: f"u{n},1\n", "list,label\n")),
    "JSON Lines": ("jsonl", lambda: rows(
        lambda n: f'{{"list": "q{n // 500 % LISTS}", "item": "x{n}", "score": {n}}}\n', ""
    )),
    "JSON Lines, new keys": ("jsonl", lambda: rows(
        lambda n: f'{{"list": "q1", "item": "i{n}", "k{n}": 1}}\n', ""
    )),
    "JSON Lines, escapes": ("jsonl", lambda: rows(
        lambda n: f'{{"list": "\\u0071{n // ITEMS % LISTS}", "item": "i{n % ITEMS}"}}\n', ""
    )),
    "JSON, one document": ("json", lambda: rows(
        lambda n: f'"q{n}": {{"i{n % ITEMS}": 1, "i1": 2}},\n', "{\n"
    )),
    "JSON, one list": ("json", lambda: rows(lambda n: "1,\n", '{"q1": [')),
    "JSON, one list, .gz": ("json.gz", lambda: rows(lambda n: "1,\n", '{"q1": [')),
    "JSON, arrays": ("json", lambda: rows(lambda n: "[],\n", '{"q1": [')),
    "JSON, blank lines": ("json", lambda: rows(lambda n: "\n", '{"q1": {}')),
    "JSON, an error at the end": ("json", lambda: rows(
        lambda n: f'"q{n}": {items(range(DEEP))},\n', "{"
    )),
    "JSON, escapes": ("json", lambda: rows(
        lambda n: f'"q{n}": {items(range(DEEP), "é{}")},\n', "{"
    )),
    "JSON, odd members": ("json", lambda: rows(
        lambda n: f'"q{n}": ["i{n}", null{", 1" * 5000}],\n', "{"
    )),
    "JSON, numbers in quotes": ("json", lambda: rows(lambda n: f'"i{n}": "{n}",\n', '{"q1": {')),
    "JSON, empty lists": ("json", lambda: rows(lambda n: f'"q{n}": [],\n', "{")),
    "JSON, escaped names": ("json", lambda: rows(lambda n: f'"\\u0071{n}": ["i1"],\n', "{")),
    "JSON, values not wanted": ("json", lambda: rows(lambda n: "1,\n", '[{"list": "q1", "x": [')),
    **{f"JSON, {name}, whole": ("json", lambda: iter(())) for name in DOCUMENTS},
    "JSON, brackets": ("json", lambda: rows(lambda n: "[" * 40 + "],[" * 9 + "\n", "[")),
    "TREC": ("run", lambda: rows(lambda n: f"q{n // 500 % LISTS} Q0 x{n} 1 {-n} t\n", "")),
    "TREC, a tag a row": ("run", lambda: rows(lambda n: f"q1 Q0 x{n} {n + 1} {-n} t{n}\n", "")),
    "lists": ("lists", lambda: rows(
        lambda n: f"u{n}: {', '.join(f'x{n}{k}' for k in range(20))}\n", ""
    )),
    "lists of nothing": ("lists", lambda: rows(
        lambda n: f"q{n % LISTS}:{',' * 100_000}\n", ""
    )),
    "unknown lists, .gz": ("csv.gz", lambda: rows(lambda n: f"u{n},i1,1\n")),
    "the same row, .gz": ("csv.gz", lambda: rows(lambda n: "q1,i1,1\n")),
    "Parquet, unknown lists": ("parquet", lambda: iter(())),
    "Parquet, categories": ("parquet", lambda: iter(())),
    "bomb: a line of 400 MiB, .gz": ("csv.gz", lambda: itertools.chain(
        [HEAD.encode()], itertools.repeat(b"0" * MIB, 400)
    )),
    "bomb: 5 GiB of blank lines, .zip": ("csv.zip", lambda: itertools.chain(
        [HEAD.encode()], itertools.repeat(b"\n" * MIB, 5 * 1024)
    )),
    "bomb: 1 GiB of NUL": ("csv", lambda: iter(())),
    "bomb: Parquet, 30 MiB of text in 200,000 rows": ("parquet", lambda: iter(())),
}  # fmt: skip


def case_file(folder: Path, name: str, size: int) -> Path:
    """The file of a case, made by a process of its own.

    Linux counts the memory of the process that starts another one towards the other's peak, so
    this one must stay small.

    Args:
        folder: where the file is written.
        name: of the case.
        size: bytes, unpacked.
    """
    path = folder / f"case.{CASES[name][0]}"
    words = [sys.executable, __file__, "--case", name, "--make", path, "--mib", str(size // MIB)]
    subprocess.run(words, check=True)
    return path


def make(path: Path, name: str, size: int) -> None:
    """Write the file of a case.

    Args:
        path: the file.
        name: of the case.
        size: bytes, unpacked.
    """
    suffix, parts = CASES[name]
    if name.endswith(", whole"):
        with path.open("wb") as file:
            file.writelines(DOCUMENTS[name.split(", ")[1]].parts(min(size, DOCUMENT)))
        return
    if name.startswith("bomb"):
        make_bomb(path, name)
        return
    if suffix == "parquet":
        parquet(path, name, size)
        return
    with gzip.open(path, "wb", 1) if suffix.endswith(".gz") else path.open("wb") as file:
        remaining = size
        for part in parts():
            if len(part) > remaining:
                file.write(part[: part.rfind(b"\n", 0, remaining) + 1])
                break
            remaining -= file.write(part)


def make_bomb(path: Path, name: str) -> None:
    """Write the file of a case whose size does not depend on the options."""
    suffix, parts = CASES[name]
    if suffix == "parquet":
        import polars

        text = polars.Series("item", ["x" * (30 * MIB)], polars.Categorical)
        frame = polars.DataFrame({"item": text.new_from_index(0, 200_000)})
        frame.with_columns(list=polars.lit("q1"), score=polars.lit(1.0)).write_parquet(path)
    elif suffix == "csv":
        with path.open("wb") as file:
            file.truncate(GIB)  # sparse: it takes no room on the disk
    elif suffix.endswith("gz"):
        with gzip.open(path, "wb", 1) as file:
            file.writelines(parts())
    else:
        with (
            zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
            archive.open("case.csv", "w", force_zip64=True) as file,
        ):
            file.writelines(parts())


def parquet(path: Path, name: str, size: int) -> None:
    """Write a case of Parquet.

    Args:
        path: the file.
        name: of the case.
        size: bytes that the rows would take as text.
    """
    import polars

    if name.endswith("categories"):
        texts = [f"{n}" * 100_000 for n in range(10)]
        count = max(size // 100_000, 10)
        frame = polars.DataFrame({"list": list(itertools.islice(itertools.cycle(texts), count))})
        frame = frame.cast({"list": polars.Categorical})
    else:
        count = size // 16
        frame = polars.DataFrame({"list": [f"u{shuffled(n)}" for n in range(count)]})
    frame.with_columns(item=polars.lit("i1"), score=polars.lit(1.0)).write_parquet(path)


def measured(folder: Path, path: Path, kind: str) -> tuple[str, float, int]:
    """Run `score` on a file.

    Args:
        folder: of the challenges.
        path: the file.
        kind: of the challenge, as `kind_of` has it.

    Returns:
        How it ended, its CPU time in seconds, and its peak memory in bytes.
    """
    files = [folder / f"{kind}.yaml", path, good(folder, kind)]
    words = [
        SCORE,
        *files,
        "--format",
        "json",
        "--jobs",
        "1",
    ]  # it is measured
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(words, stdout=out, stderr=err)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        output, errors = out.read(), err.read().decode(errors="replace")
    ended = f"exit {process.returncode}"
    if output:
        case, other = json.loads(output)["submissions"]
        codes = dict.fromkeys(p["code"] for p in case["problems"] if p["severity"] == "error")
        ended = "scored" if case["valid"] else ", ".join(codes)
        ended += "" if other["valid"] else "; the other was NOT scored"
    elif match := re.search(r"\[([A-Z][0-9]{3})\]", errors):
        ended += f" {match[1]}"
    return ended, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def good(folder: Path, kind: str) -> Path:
    """The good submission of a kind of challenge; the folder is its place."""
    return folder / f"{kind}.{'csv' if kind in DELIMITED else 'json'}"


def kind_of(name: str) -> str:
    """The challenge of a case, as `challenge` writes them.

    Args:
        name: of the case.
    """
    document = name.removeprefix("JSON, ").removesuffix(", whole")
    if name in CELLS:
        return "cells"
    if name in PREFERENCES:
        return "preferences"
    if name in CLASSES:
        return "classes"
    if document == PATHS:
        return "paths"
    if not CASES[name][0].startswith("json") or "Lines" in name:
        return "challenge"
    return NAMED.get(document, "document") if name.endswith(", whole") else "document"


def challenge(folder: Path) -> None:
    """A challenge of a thousand lists, with a catalogue; ones of many; and good submissions."""
    chance = random.Random(1)
    names = [f"i{n}" for n in range(ITEMS)]
    truth, good = ["list,item,grade"], ["list,item,score"]
    for n in range(LISTS):
        judged = chance.sample(names, 10)
        truth += [f"q{n},{item},{chance.randint(0, 3)}" for item in judged]
        good += [f"q{n},{item},{k}" for k, item in enumerate(judged)]
    (folder / "truth.csv").write_text("\n".join(truth) + "\n")
    (folder / "challenge.csv").write_text("\n".join(good) + "\n")
    (folder / "items.csv").write_text("item\n" + "\n".join(names) + "\n")
    (folder / "cells.csv").write_text(
        "list,item\n" + "".join(f"q{n},{names[n]} {names[n + 1]}\n" for n in range(LISTS))
    )
    (folder / "document.json").write_text(json.dumps({f"q{n}": [names[n]] for n in range(LISTS)}))
    (folder / "paths.json").write_text(f'{{"questions": [{question(1)}]}}')
    kinds = {"challenge": "", "cells": ", cells: {item: ' '}", "document": ", format: json"}
    kinds[PATHS] = ", json: {list: 'questions[].id', item: 'questions[].documents[].id'}"
    catalogue = "items: items.csv\n"
    for name, more in kinds.items():
        (folder / f"{name}.yaml").write_text(
            f"truth: truth.csv\n{'' if 'json' in more else catalogue}metrics: [nDCG@10, AP]\n"
            f"submission: {{missing_list: zero{more}}}\n"
            "leaderboard: {intervals: false, tiers: false}\n"
        )
    rest = "submission: {missing_list: zero}\nleaderboard: {intervals: false, tiers: false}\n"
    tables = {
        "preferences": ("list,better,worse", "q{},a,b", LISTS, "EDRC"),
        "classes": ("list,label", "q{},1", KNOWN, "Accuracy"),
    }
    for name, (head, row, lists, metric) in tables.items():
        rows = "".join(f"{row.format(n)}\n" for n in range(lists))
        (folder / f"{name}.truth.csv").write_text(f"{head}\n{rows}")
        (folder / f"{name}.csv").write_text(f"{head}\n{row.format(0)}\n")
        (folder / f"{name}.yaml").write_text(
            f"truth: {name}.truth.csv\nmetrics: [{metric}]\n{rest}"
        )
    wide = {"many": ("list,item,grade", "i1,1", "nDCG@10, AP", '["i1"]')}
    wide["labels"] = ("list,label", "{}", "Accuracy", "1")
    for name, (head, cells, metrics, answer) in wide.items():
        rows = "".join(f"q{n},{cells.format(n % 10)}\n" for n in range(KNOWN))
        (folder / f"{name}.truth.csv").write_text(f"{head}\n{rows}")
        (folder / f"{name}.json").write_text(f'{{"q1": {answer}}}')
        (folder / f"{name}.yaml").write_text(
            f"truth: {name}.truth.csv\nmetrics: [{metrics}]\n"
            "submission: {format: json, missing_list: zero}\n"
            "leaderboard: {intervals: false, tiers: false}\n"
        )


def main() -> int:
    """Measure the cases, print a row each, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mib", type=int, default=64, help="size of each file, unpacked")
    parser.add_argument("--case", action="append", choices=list(CASES), help="only this one")
    parser.add_argument("--output", type=Path, help="the table, as Markdown")
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        make(options.make, options.case[0], options.mib * MIB)
        return 0
    size, over, begun = options.mib * MIB, list[str](), dict[str, float]()
    lines = [
        "# What a submission can cost",
        "",
        f"`python benchmarks/budget.py --mib {options.mib}` on Python {platform.python_version()}, "
        f"{os.cpu_count()} cores: files of {options.mib} MiB, unpacked, each dear in one way.",
        f"The budget is {MEMORY / GIB} GiB of memory, and {SECONDS} s of CPU for a GiB, beyond "
        "the time of a small file; a file "
        "that is refused at a count (S104), or that names each list of its challenge, costs no "
        "more when it is larger. "
        f"Bombs may cost {BOMB_MEMORY / GIB} GiB and {BOMB_SECONDS} s of CPU, whatever their size.",
        "",
        "| file | ended | CPU, s | CPU, s a GiB | memory, MiB |",
        "|---|---|---:|---:|---:|",
    ]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        challenge(folder)
        for name in options.case or CASES:
            path = case_file(folder, name, size)
            kind = kind_of(name)
            ended, seconds, memory = measured(folder, path, kind)
            if kind not in begun:
                begun[kind] = measured(folder, good(folder, kind), kind)[1]
            whole = path.stat().st_size if name.endswith(", whole") else size
            path.unlink()
            ends_early = kind in NAMED.values() and whole < 0.9 * size
            is_bomb = name.startswith("bomb")
            no_more = ended.startswith("S104") or ends_early or is_bomb
            cost = seconds if no_more else (seconds - begun[kind]) * GIB / whole
            limits = (BOMB_SECONDS, BOMB_MEMORY) if is_bomb else (SECONDS, MEMORY)
            if cost > limits[0] or memory > limits[1]:
                over.append(name)
            row = f"| {name} | {ended} | {seconds:.1f} | {cost:.0f} | {memory / MIB:,.0f} |"
            print(row, flush=True)
            lines.append(row)
    lines += ["", f"Over the budget: {', '.join(over) if over else 'none'}."]
    print(lines[-1])
    if options.output:
        options.output.write_text("\n".join(lines) + "\n")
    return bool(over)


if __name__ == "__main__":
    sys.exit(main())
