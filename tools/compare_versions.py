"""Two versions of scorer on random challenges: values, problems, ranks and exit codes.

    python tools/compare_versions.py --old "OTHER/.venv/bin/python" --new ".venv/bin/python" -n 500

OLD and NEW are commands that run a version's Python. Each difference is printed with the folder
that shows it, which is kept; `commands.json` there has the commands. `--ignore REGEX` leaves out
differences whose text it matches; `--only 17` draws and compares a single challenge again.
"""

import argparse
import collections
import json
import math
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

BATCH = 25  # challenges that one process runs, so that a crash loses few
DIGITS = 6  # of intervals and everything else that is not a value
TIMEOUT = 600  # seconds a batch


# In the process of each version


def run_folders(folders, result):
    """Run the commands of the folders by the version of this Python, and write what they gave."""
    import io
    import os
    from contextlib import redirect_stderr, redirect_stdout

    from scorer.cli import main as cli

    found = {}
    for folder in folders:
        os.chdir(folder)
        ran = []
        for words in json.loads(Path("commands.json").read_text()):
            out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
            with redirect_stdout(out), redirect_stderr(err):
                code = cli.run(words)
            texts = []
            for stream in (out, err):
                stream.flush()
                texts.append(stream.buffer.getvalue().decode("utf-8", "replace"))
            ran.append({"words": words, "code": code, "out": texts[0], "err": texts[1]})
        found[folder] = ran
    Path(result).write_text(json.dumps(found))


# Comparing


def run_version(command, folders, result):
    """What a version gave for each folder; a batch that died has nothing."""
    words = [*shlex.split(command), str(Path(__file__).resolve()), "--run", str(result), *folders]
    try:
        ended = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return {}, f"no end within {TIMEOUT} s"
    if ended.returncode or not result.exists():
        return {}, ended.stderr[-2000:]
    return json.loads(result.read_text()), ""


def facts(ran):
    """What is compared of a command: name of the fact to its value."""
    found = {"exit code": ran["code"], "errors": sorted(plain(ran["err"]).splitlines())}
    try:
        data = json.loads(ran["out"]) if ran["out"].strip() else None
    except ValueError:
        return found | {"output": ran["out"]}
    if data is None:
        return found
    for each in data.get("submissions", []):
        name = each.get("name")
        for problem in each.get("problems", []):
            place = " ".join(str(problem[key]) for key in ("line", "column", "list", "item"))
            code = f"{problem['severity']} {problem['code']}"
            found.setdefault(f"problems of {name}", []).append(f"{code} {place}")
            words = f"{code} {plain(problem['message'])} | {plain(problem['help'] or '')}"
            found.setdefault(f"words of {name}", []).append(words)
        for notation, value in (each.get("values") or {}).items():
            found[f"value {notation} of {name}"] = {**value, **(value.pop("per_list", {}) or {})}
    for row in data.get("leaderboard", []):
        row = {key: value for key, value in row.items() if key != "values"}
        found[f"standing of {row.pop('name')}"] = row
    if "submissions" not in data:
        ours = ("scorer", "schema", "fingerprint", "challenge")
        found["output"] = {key: data[key] for key in data if key not in ours}
    return {
        key: sorted(v) if key.startswith(("problems", "words")) else v for key, v in found.items()
    }


def plain(text):
    return re.sub(r"0\.\d\.\d(\.dev\d+)?", "VERSION", text)


def equal(a, b, exact):
    """Whether two facts are equal, values to the last digit, and all else to some."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(equal(a[k], b[k], exact) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(equal(x, y, exact) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) and isinstance(b, float) and not exact:
        return math.isclose(a, b, rel_tol=10**-DIGITS, abs_tol=10**-DIGITS)
    return a == b


def leaves(data, path=""):
    """A nested value as a mapping of the path of each leaf."""
    if isinstance(data, dict) and data:
        pairs = data.items()
    elif isinstance(data, list) and data:
        pairs = enumerate(data)
    else:
        return {path: data}
    return {k: v for key, each in pairs for k, v in leaves(each, f"{path}.{key}").items()}


def show(a, b, exact):
    """The parts of two facts that differ, as lines."""
    if all(isinstance(x, list) and all(isinstance(y, str) for y in x) for x in (a or [], b or [])):
        left, right = collections.Counter(a or []), collections.Counter(b or [])
        return [f"- {x}" for x in left - right] + [f"+ {x}" for x in right - left]
    left, right = leaves(a), leaves(b)
    keys = [*left, *(key for key in right if key not in left)]
    return [
        f"{key.strip('.')} {left.get(key, '-')!r} -> {right.get(key, '-')!r}".strip()
        for key in keys
        if not equal(left.get(key, "-"), right.get(key, "-"), exact)
    ]


def differences(old, new):
    """Every difference of a folder: (command, fact, lines), each of them once.

    Words are left out where the problems themselves differ, and what stands in the errors
    where any difference says it.
    """
    seen = []
    for before, now in zip(old, new, strict=True):
        first, second = facts(before), facts(now)
        verb = "score" if before["words"][0] == "." else before["words"][0]
        found = {}
        for key in [*first, *(key for key in second if key not in first)]:
            exact = key.startswith("value")
            if not equal(first.get(key), second.get(key), exact):
                found[key] = show(first.get(key), second.get(key), exact)
        for key, lines in found.items():
            if key.startswith("words") and key.replace("words", "problems") in found:
                continue
            if key == "errors" and any(each != "errors" for each in found):
                continue
            if (key, lines) not in seen:
                seen.append((key, lines))
                yield verb, key, lines


def compare(options):
    from draw import draw_all

    place = Path(options.keep or tempfile.mkdtemp(prefix="compared-"))
    draw_all(place, options.number, options.seed, options.only)
    folders = sorted(str(path) for path in place.iterdir() if (path / "commands.json").exists())
    batches = [folders[n : n + BATCH] for n in range(0, len(folders), BATCH)]
    jobs = [
        (side, batch, place / f"{side}-{n}.json")
        for n, batch in enumerate(batches)
        for side in ("old", "new")
    ]
    results = {"old": {}, "new": {}}
    with ThreadPoolExecutor(options.jobs) as pool:
        ran = pool.map(lambda job: run_version(getattr(options, job[0]), *job[1:]), jobs)
        for (side, batch, path), (found, failure) in zip(jobs, ran, strict=True):
            results[side].update(found)
            path.unlink(missing_ok=True)
            if failure:
                print(f"{side}: the batch {batch[0]} .. {batch[-1]} failed: {failure}")
    counts, kept = collections.Counter(), set()
    for folder in folders:
        old, new = results["old"].get(folder), results["new"].get(folder)
        if old is None or new is None:
            kept.add(folder)
            continue
        for verb, fact, lines in differences(old, new):
            shown = [line for line in lines if not any(re.search(x, line) for x in options.ignore)]
            if not shown:
                continue
            kept.add(folder)
            counts[f"{verb}: {fact.split(' ')[0]}"] += 1
            print(f"{folder}: {verb}: {fact}")
            for line in shown[: options.lines]:
                print(f"    {line}"[:400])
            if len(shown) > options.lines:
                print(f"    and {len(shown) - options.lines} more lines")
    for folder in folders:
        if folder not in kept and not options.keep:
            shutil.rmtree(folder)
    print(f"{len(folders)} challenges, {len(kept)} of which differ; {place}")
    for what, count in counts.most_common():
        print(f"    {count:6} {what}")
    return 1 if kept else 0


def main():
    if sys.argv[1:2] == ["--run"]:
        run_folders(sys.argv[3:], sys.argv[2])
        return 0
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--old", required=True, help="command that runs the old version's Python")
    parser.add_argument("--new", required=True, help="command that runs the new version's Python")
    parser.add_argument("-n", "--number", type=int, default=100, help="challenges to draw")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="only the challenge of this number")
    parser.add_argument("--keep", help="a new folder that keeps all challenges")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--lines", type=int, default=5, help="lines shown of each difference")
    parser.add_argument("--ignore", action="append", default=[], help="a pattern of lines")
    return compare(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
