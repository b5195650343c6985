"""The installed `score` and its peers, side by side: `python benchmarks/run.py --sets S M`.

Whole processes, from files to printed means. Ours and a peer's run in turn (A B A B ...),
so that what else the machine does meets both; what counts is the median of the ratios
of such pairs, not their seconds. Of small sets instructions are counted as well, which a busy
machine does not change. See README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median

# No numpy or polars here: Linux counts the memory of the process that starts another one
# towards the other's peak, so this one must stay small.

HERE = Path(__file__).parent
LIMIT = 600.0  # seconds a process may take
TOLERANCE = 1e-6
ROUNDS = {"tiny": 11, "S": 9, "M": 5, "M-shuffled": 5, "L": 3, "R": 3, "MANY": 3, "PREF": 3}
START_ROUNDS, PROGRESS_ROUNDS = 11, 5
LONGEST = ("L", "R", "MANY", "M-shuffled", "M")  # sets on which a progress bar may show
IMPORTS = "import typer, pydantic, yaml, numpy"
MIB = 1024**2

Means = Mapping[tuple[str, ...], float]  # (run, measure), or (run, run), -> mean


@dataclass(frozen=True)
class Peer:
    """Another scorer."""

    name: str
    script: str
    package: str | None = None  # on PyPI
    tolerance: float = TOLERANCE
    same_ties: bool = True  # whether it orders equal scores as trec_eval does


PAIRS = Peer("pairs", "pairs.py")
PEERS = (
    Peer("pytrec_eval", "with_pytrec_eval.py", "pytrec_eval-terrier"),
    Peer("ir_measures", "with_ir_measures.py", "ir_measures"),
    Peer("ranx", "with_ranx.py", "ranx", same_ties=False),
    Peer("trec_eval", "with_trec_eval.sh", tolerance=5.1e-5),  # it prints four decimals
    PAIRS,
)
EARLIER = Peer("earlier score", "")
OWN = ("Start-up", "Sets", "Linearity", "Progress bar")  # sections of the output
REFERENCES = re.compile(r"I\s+refs:\s+([\d,]+)")


def main() -> int:
    options = _options()
    score = _score()
    command = [sys.executable, HERE / "generate.py", "-d", options.data, "tiny", *options.sets]
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
    peers = [peer for peer in PEERS if peer.name in options.peers]
    missing = _installed(peers)
    parts = [_machine(score, [peer for peer in peers if peer.name not in missing])]
    peers += [EARLIER] if options.earlier else []

    def tell(text: str) -> None:
        parts.append(text)
        _write(parts, options.output)

    tell(_startup(score, options))
    rows, ours, wrong = [SETS_HEAD], {}, 0
    for name in options.sets:
        set_peers = [
            peer for peer in peers if peer is EARLIER or (peer is PAIRS) == (name == "PREF")
        ]
        runs = options.runs or ROUNDS[name]
        compared = _compared(name, set_peers, missing, runs, score, options)
        rows += compared.rows
        ours[name] = compared.ours
        wrong += compared.wrong
        _write([*parts, "\n".join(rows) + "\n"], options.output)
    tell("\n".join(rows) + "\n")
    if ours.get("M") and ours.get("L"):
        tell(_linear(ours["M"], ours["L"]))
    longest = next((name for name in LONGEST if ours.get(name)), None)
    if longest and options.progress:
        tell(_progress(longest, score, options))
    print("\n".join(parts))
    return 1 if wrong else 0


def _write(parts: Sequence[str], path: Path | None) -> None:
    """Write tables; sections of other programs that the file has stay in it."""
    if path is not None:
        path.write_text("\n".join([*parts, *others_sections(path)]))


def others_sections(path: Path) -> list[str]:
    """The sections of a file that this program does not write."""
    sections = path.read_text().split("\n## ")[1:] if path.exists() else []
    return [f"## {each}" for each in sections if each.partition("\n")[0] not in OWN]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure score against its peers.")
    names = [peer.name for peer in PEERS]
    add = parser.add_argument
    add("--sets", nargs="+", choices=ROUNDS, default=list(ROUNDS), metavar="SET",
        help=f"of {', '.join(ROUNDS)}; all")  # fmt: skip
    add("--peers", nargs="*", choices=names, default=names, metavar="PEER",
        help=f"of {', '.join(names)}; all that there are")  # fmt: skip
    add("--earlier", type=Path, metavar="SCORE", help="the command of an earlier version")
    add("--count", nargs="*", choices=ROUNDS, default=["tiny", "S"], metavar="SET",
        help="sets whose instructions are counted where valgrind is (tiny, S)")  # fmt: skip
    add("--runs", type=int, help="pairs of processes; by default fewer for large sets")
    add("--limit", type=float, default=LIMIT, help="seconds a process may take (%(default)g)")
    add("--data", type=Path, default=HERE / ".data", help="where the sets are, or are made")
    add("--no-progress", dest="progress", action="store_false", help="skip the bar's cost")
    add("-o", "--output", type=Path, help="write the tables to this file as well")
    return parser.parse_args()


# Processes


@dataclass(frozen=True)
class Ran:
    """The costs of a process, and how it ended."""

    wall: float  # seconds
    cpu: float  # seconds, with its children's
    peak: float  # bytes, of the largest process
    fault: str | None = None  # why it does not count
    late: bool = False
    out: str = ""


def measured(words: Sequence[object], limit: float = LIMIT, terminal: bool = False) -> Ran:
    """Run a process and measure it.

    Args:
        words: the command.
        limit: seconds after which it is ended.
        terminal: whether its stderr is a terminal.
    """
    late = threading.Event()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        master, slave = pty.openpty() if terminal else (-1, errors.fileno())
        start = time.monotonic()
        process = subprocess.Popen(
            list(map(str, words)),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=slave,
            start_new_session=True,  # so that its children end with it
            env={**os.environ, "TERM": "xterm", "PYTHONHASHSEED": "0"},
        )
        timer = threading.Timer(limit, lambda: (late.set(), _end(process.pid)))
        timer.start()
        if terminal:
            os.close(slave)
            threading.Thread(target=_drain, args=(master,), daemon=True).start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            _end(process.pid)
            raise
        finally:
            timer.cancel()
        wall = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)  # or Popen would wait, too
        for file in (out, errors):
            file.seek(0)
        lines = errors.read().decode(errors="replace").strip().splitlines() or [""]
        fault = f"exit {process.returncode}: {lines[-1][:200]}" if process.returncode else None
        if late.is_set():
            fault = f"over the limit of {limit:g} s"
        peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        text = out.read().decode(errors="replace")
        return Ran(wall, usage.ru_utime + usage.ru_stime, peak, fault, late.is_set(), text)


def instructions(words: Sequence[object], limit: float = LIMIT) -> str:
    """The millions of instructions of a process and its children; empty if not known."""
    if (valgrind := shutil.which("valgrind")) is None:
        return ""
    with tempfile.TemporaryDirectory() as logs:
        counting = [valgrind, "--tool=cachegrind", "--cache-sim=no", "--trace-children=yes"]
        ran = measured(
            [*counting, f"--log-file={logs}/%p", "--cachegrind-out-file=/dev/null", *words], limit
        )
        found = [REFERENCES.findall(log.read_text()) for log in Path(logs).iterdir()]
    counts = [int(count.replace(",", "")) for counts in found for count in counts]
    return f"{sum(counts) / 1e6:,.0f}" if counts and not ran.fault else ""


def _end(group: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def _drain(master: int) -> None:
    """Read what is written to a terminal until its other end closes."""
    with suppress(OSError):
        while os.read(master, 4096):
            pass
    os.close(master)


# Arithmetic


@dataclass(frozen=True)
class Ratios:
    """How many times ours theirs took: medians over pairs, and the range for wall time."""

    wall: float
    least: float
    most: float
    cpu: float
    peak: float


def ratios(pairs: Sequence[tuple[Ran, Ran]]) -> Ratios:
    """The ratios of pairs (ours, theirs), run one after the other."""
    wall = [theirs.wall / ours.wall for ours, theirs in pairs]
    return Ratios(
        median(wall),
        min(wall),
        max(wall),
        median(theirs.cpu / ours.cpu for ours, theirs in pairs),
        median(theirs.peak / ours.peak for ours, theirs in pairs),
    )


def greatest_difference(ours: Means, theirs: Means) -> float:
    """The greatest difference between means; infinite where one lacks a mean that the other has."""
    if not ours or ours.keys() != theirs.keys():
        return float("inf")
    # not max(): a NaN must not get lost
    return sorted((abs(ours[key] - theirs[key]) for key in ours), key=lambda d: (d != d, d))[-1]


def means_of_ours(text: str) -> Means:
    """Means in the output of `score --format json` or `score compare --format json`."""
    document = json.loads(text)
    if "pairs" in document:
        return {
            (pair["a"], pair["b"]): pair["preferences"]["RPP"]["mean"] for pair in document["pairs"]
        }
    return {
        (submission["name"], measure): value["mean"]
        for submission in document["submissions"]
        for measure, value in (submission["values"] or {}).items()
    }


def means_of_theirs(text: str) -> Means:
    """Means as a peer prints them: tabs between the run's path, measure (or other run) and mean."""
    means = {}
    for line in text.splitlines():
        *key, mean = line.split("\t")
        means[tuple(Path(word).stem for word in key)] = float(mean)
    return means


# What is compared

SETS_HEAD = """\
## Sets

A ratio is what the other takes over what `score` takes: above 1, `score` takes less.
CPU time and peak are of the command's own process. Of MANY, others read files, too.

Instructions are in millions, of all processes of one run each, counted by cachegrind.

| set | | peak, MiB | wall ratio | CPU ratio | memory ratio | instructions | means |
|---|---|---:|---:|---:|---:|---:|---|"""


@dataclass
class Compared:
    """A set's rows, the runs of ours, and how many peers' means are wrongly different."""

    rows: list[str]
    ours: list[Ran]
    wrong: int = 0


def _compared(
    name: str,
    peers: Sequence[Peer],
    missing: Mapping[str, str],
    runs: int,
    score: Path,
    options: argparse.Namespace,
) -> Compared:
    folder = options.data / name
    _warm_cache(folder)
    command = _command(name, score, folder)
    pairs: dict[str, list[tuple[Ran, Ran]]] = {peer.name: [] for peer in peers}
    faults: dict[str, Ran] = {}
    ours: list[Ran] = []
    for peer in peers:
        if peer.name not in missing:  # untimed: numba compiles, Python writes its .pyc files
            measured(_words(peer, options.data / "tiny", options), options.limit)
    for n in range(runs):
        turns = [peer for peer in peers if peer.name not in missing and peer.name not in faults]
        for peer in turns or [None]:
            _say(f"{name}, {n + 1} of {runs}: score" + (f" and {peer.name}" if peer else ""))
            first = measured(command, options.limit)
            if first.fault:
                return Compared([_row(name, "score", *[""] * 5, first.fault)], [])
            ours.append(first)
            if peer:
                second = measured(_words(peer, folder, options), options.limit)
                if second.fault:
                    faults[peer.name] = second
                else:
                    pairs[peer.name].append((first, second))

    def count(words: Sequence[object]) -> str:
        return instructions(words, options.limit) if name in options.count else ""

    row = _row(name, "score", _peak(ours), "", "", "", count(command), "")
    compared = Compared([row], ours)
    for peer in peers:
        peer_pairs = pairs[peer.name]
        if peer_pairs and peer.name not in faults:
            ratio = ratios(peer_pairs)
            note, wrong = _agreement(peer, ours[0], peer_pairs[0][1])
            compared.wrong += wrong
            compared.rows.append(_row(
                "", peer.name, _peak([theirs for _, theirs in peer_pairs]),
                f"{ratio.wall:.2f} ({ratio.least:.2f} to {ratio.most:.2f})",
                f"{ratio.cpu:.2f}", f"{ratio.peak:.2f}", count(_words(peer, folder, options)), note,
            ))  # fmt: skip
        else:
            failure = faults.get(peer.name)
            at_least = ""
            if failure and failure.late:
                at_least = f"> {options.limit / median(run.wall for run in ours):.0f}"
            why = failure.fault if failure else missing[peer.name]
            compared.rows.append(_row("", peer.name, "", at_least, "", "", "", why))
    return compared


def _command(name: str, score: Path, folder: Path) -> list[object]:
    """The command of `score` for a set."""
    runs = sorted((folder / "runs").iterdir())
    if name == "PREF":  # one measure must be there, and its tests are made for every pair
        only = ["-p", "RPP", "-m", "nDCG@10"]
        return [score, "compare", folder, *runs, *only, "--format", "json"]
    return [score, folder, *runs, "--format", "json"]


def _words(peer: Peer, folder: Path, options: argparse.Namespace) -> list[object]:
    """A peer's command for a set."""
    if peer is EARLIER:
        return _command(folder.name, options.earlier, folder)
    trec = folder / "trec" if (folder / "trec").is_dir() else folder  # R is CSV, and TREC for peers
    runs = sorted((trec if trec != folder else folder / "runs").glob("*.run"))
    script = HERE / "peers" / peer.script
    python = _python() if peer.package else sys.executable
    start: list[object] = ["sh"] if script.suffix == ".sh" else [python]
    return [*start, script, trec / "truth.qrels", *runs]


def _agreement(peer: Peer, ours: Ran, theirs: Ran) -> tuple[str, bool]:
    """The cell of the table on the means, and whether they are wrongly different."""
    try:
        reading = means_of_ours if peer is EARLIER else means_of_theirs
        far = greatest_difference(means_of_ours(ours.out), reading(theirs.out))
    except (ValueError, KeyError, TypeError) as error:
        return f"cannot be compared: {error!r}", True
    if far <= peer.tolerance:
        return "equal", False
    if not peer.same_ties and far < 0.01:
        return f"within {far:.0e}: orders equal scores otherwise", False
    return f"**differ by {far:.1e}**", True


def _startup(score: Path, options: argparse.Namespace) -> str:
    """Against Python with the libraries that are needed in any case."""
    tiny = options.data / "tiny"
    base = [sys.executable, "-c", IMPORTS]
    others = {
        "`score --help`": [score, "--help"],
        "a tiny challenge": [score, tiny, tiny / "runs/run00.run"],
    }
    lines = [
        "## Start-up\n",
        f'Times what `python -c "{IMPORTS}"` takes.\n',
        "| | peak, MiB | wall ratio | CPU ratio | memory ratio |",
        "|---|---:|---:|---:|---:|",
    ]
    for words in (base, *others.values()):
        measured(words, options.limit)
    imported: list[Ran] = []
    for name, words in others.items():
        _say(f"start-up: {name}")
        pairs = []
        for _ in range(options.runs or START_ROUNDS):
            pairs.append((measured(base, options.limit), measured(words, options.limit)))
        imported += [first for first, _ in pairs]
        if fault := next((run.fault for pair in pairs for run in pair if run.fault), None):
            lines.append(_row(name, "", "", "", fault))
            continue
        ratio = ratios(pairs)
        lines.append(_row(
            name, _peak([run for _, run in pairs]),
            f"{ratio.wall:.2f} ({ratio.least:.2f} to {ratio.most:.2f})",
            f"{ratio.cpu:.2f}", f"{ratio.peak:.2f}",
        ))  # fmt: skip
    lines.insert(4, _row("the imports", _peak(imported), "", "", ""))
    return "\n".join(lines) + "\n"


def _linear(small: Sequence[Ran], large: Sequence[Ran]) -> str:
    wall = median(run.wall for run in large) / median(run.wall for run in small)
    cpu = median(run.cpu for run in large) / median(run.cpu for run in small)
    peak = median(run.peak for run in large) / median(run.peak for run in small)
    return (
        "## Linearity\n\n"
        f"L has 10 times the rows and lists of M: {wall:.1f} times the wall time, "
        f"{cpu:.1f} times the CPU time, {peak:.1f} times the peak memory.\n"
    )


def _progress(name: str, score: Path, options: argparse.Namespace) -> str:
    """The cost of a progress bar on a terminal, against -q."""
    words = _command(name, score, options.data / name)
    pairs = []
    for _ in range(options.runs or PROGRESS_ROUNDS):
        _say(f"progress bar on {name}")
        pairs.append(
            (measured([*words, "-q"], options.limit, True), measured(words, options.limit, True))
        )
    ratio = ratios(pairs)
    return (
        "## Progress bar\n\n"
        f"On {name}, with a bar against without (`-q`), both on a terminal: {ratio.wall:.3f} times "
        f"the wall time ({ratio.least:.3f} to {ratio.most:.3f}), {ratio.cpu:.3f} times the CPU.\n"
    )


# Surroundings


def _score() -> Path:
    """The command of this Python's environment, else of the PATH."""
    beside = Path(sys.executable).parent / "score"
    path = beside if beside.exists() else shutil.which("score")
    if path is None:
        sys.exit("no `score` command: install scorer where this Python is")
    return Path(path)


def _python() -> Path:
    return HERE / ".peers/bin/python"


def _installed(peers: Sequence[Peer]) -> dict[str, str]:
    """Install the peers in an environment of their own; why some are not there."""
    missing = {}
    packaged = [peer for peer in peers if peer.package]
    if packaged and not _python().exists():
        _say("making benchmarks/.peers")
        subprocess.run([sys.executable, "-m", "venv", str(HERE / ".peers")], capture_output=True)
    for peer in packaged:
        if not _python().exists():
            missing[peer.name] = "no virtual environment can be made"
            continue
        if _version(peer) is None:
            _say(f"installing {peer.package}")
            pip = [str(_python()), "-m", "pip", "install", "-q", str(peer.package)]
            ended = subprocess.run(pip, capture_output=True, text=True)
            if ended.returncode:
                lines = ended.stderr.strip().splitlines() or [""]
                missing[peer.name] = f"cannot be installed: {lines[-1][:200]}"
    if any(peer.name == "trec_eval" for peer in peers) and not shutil.which("trec_eval"):
        missing["trec_eval"] = "not on the PATH"
    return missing


def _version(peer: Peer) -> str | None:
    code = f"import importlib.metadata as m; print(m.version({peer.package!r}))"
    ended = subprocess.run([str(_python()), "-c", code], capture_output=True, text=True)
    return ended.stdout.strip() or None


def _machine(score: Path, peers: Sequence[Peer]) -> str:
    """The machine and the versions that were measured."""
    model = platform.processor() or platform.machine()
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((line.split(":")[1].strip() for line in lines if "model name" in line), model)
    ours = measured([score, "--version"]).out.strip()
    commit = subprocess.run(
        ["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"], capture_output=True, text=True
    ).stdout.strip()
    versions = [f"{peer.package} {_version(peer)}" for peer in peers if peer.package]
    versions += [peer.name for peer in peers if not peer.package and peer is not PAIRS]
    return (
        "# Measured\n\n"
        f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores of {model}, "
        f"load at the start {os.getloadavg()[0]:.1f}, {platform.system()}, "
        f"Python {platform.python_version()}.\n"
        f"{f'scorer {commit}' if commit else ours}; {', '.join(versions) or 'no peers'}.\n\n"
        "MiB are medians over runs, ratios medians over pairs run in turn (in brackets the least "
        "and the greatest).\n"
    )


def _warm_cache(folder: Path) -> None:
    """Bring a set's files to the system's cache, for all alike."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                while file.read(MIB):
                    pass


def _peak(runs: Sequence[Ran]) -> str:
    return f"{median(run.peak for run in runs) / MIB:.0f}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
