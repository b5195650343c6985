"""Everything that a version computes and says on fixed inputs, as files to compare.

    python tests/recorded/record.py FOLDER [SECTION...]

writes values/ (numbers, codes, exit codes) and words/ (what people read) into the folder. Only
the command and `scorer`'s public functions are called, so that any version's Python can run it.
Times, paths of this machine, versions and digests are left out.
"""

import argparse
import io
import json
import os
import platform
import re
import shutil
import sys
import tempfile
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import inputs
import numpy as np
import yaml

import scorer
from scorer.cli import main as cli

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# Running the command


@contextmanager
def workplace():
    """A folder to stand in, with copies of the bundled challenges and submissions."""
    before, environment = Path.cwd(), dict(os.environ)
    for name in [*os.environ]:
        if name.startswith(("SCORER_", "GITHUB_")) or name in ("COLUMNS", "FORCE_COLOR", "CI"):
            del os.environ[name]
    with tempfile.TemporaryDirectory() as folder:
        for name in ("challenges", "submissions_example", "examples"):
            shutil.copytree(ROOT / name, Path(folder, name), ignore=shutil.ignore_patterns(".*"))
        os.chdir(folder)
        try:
            yield Path(folder)
        finally:
            os.chdir(before)
            os.environ.clear()
            os.environ.update(environment)


def run(*words):
    """The exit code of a command, and what it wrote to its output and to its errors."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO())
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = cli.run([str(word) for word in words])
    finally:
        sys.stdin = stdin
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(clean(stream.buffer.getvalue().decode("utf-8")))
    return code, *texts


def run_as_json(*words):
    """The exit code, the result as data, and the errors."""
    code, out, err = run(*words, "--format", "json")
    return code, json.loads(out) if out.strip() else None, err


FORMS = ("json", "txt")
ALL_FORMS = (*FORMS, "csv", "md", "tex", "html")
IN_ALL_FORMS = "course-2026"  # the challenge whose reports are recorded in every form


def run_in_forms(*words, forms=FORMS):
    """The exit code, a result in each form, and what was written to the errors."""
    outputs = [word for form in forms for word in ("-o", f"result.{form}")]
    code, _, err = run(*words, *outputs)
    texts = {}
    for form in forms:
        path = Path(f"result.{form}")
        if path.exists():
            texts[form] = clean(path.read_text(encoding="utf-8"))
            path.unlink()
    return code, texts, err


# What is left out

DIGEST = re.compile(r"(?<![\w.])(?=[0-9]*[a-f])[0-9a-f]{12,64}(?![\w])")
DRAWN = re.compile(r"(?s)<(style|script|svg)\b.*?</\1>")
SOURCE_HASH = re.compile(r"'sha256-[\w+/=]+'")
LONG = re.compile(r"(?<![\w.])-?\d+\.\d{9,}(?:e[-+]?\d+)?")


def clean(text):
    """Text without what differs from run to run and from version to version."""
    text = text.replace(scorer.__version__, "VERSION")
    text = text.replace(f"{Path.cwd()}/", "").replace(str(Path.cwd()), "FOLDER")
    return DIGEST.sub("DIGEST", text)


def clean_html(text):
    """A page without styles, scripts and drawings."""
    return SOURCE_HASH.sub("HASH", DRAWN.sub(r"<\1/>", text)).replace(" -->", "\n-->")


def shorten_numbers(text):
    """Text whose long numbers have 6 digits."""
    return LONG.sub(lambda found: f"{float(found[0]):.6g}", text)


# JSON as lines

LEFT_OUT = {"schema", "scorer", "fingerprint", "signature", "sha256", "path", "title"}
EXACT = re.compile(r"(?:^|\.)(?:values|per_list|mean)\b")
TOKEN = re.compile(r"[\w@(),.=|/+*:-]{0,60}$")


def is_token(leaf):
    return not isinstance(leaf, str) or TOKEN.match(leaf) is not None


def flatten(data, tokens=True, path=""):
    """Lines `path: leaf`: of all numbers and single words, or else of all other texts."""
    if isinstance(data, dict):
        leaves = {
            key: value
            for key, value in data.items()
            if not isinstance(value, dict | list) and key not in LEFT_OUT
        }
        if tokens:
            said = [f"{k}={show(v, f'{path}.{k}')}" for k, v in leaves.items() if is_token(v)]
            for n in range(0, len(said), 12):
                yield f"{path}: {' '.join(said[n : n + 12])}"
        else:
            yield from (f"{path}.{k}: {v}" for k, v in leaves.items() if not is_token(v))
        for key, value in data.items():
            if key not in leaves and key not in LEFT_OUT:
                yield from flatten(value, tokens, f"{path}.{key}".strip("."))
    elif isinstance(data, list):
        if not any(isinstance(each, dict | list) for each in data):
            if tokens and all(map(is_token, data)):
                yield f"{path}: [{', '.join(show(each, path) for each in data)}]"
            elif not tokens and not all(map(is_token, data)):
                yield from (f"{path}[{n}]: {each}" for n, each in enumerate(data))
            return
        for n, each in enumerate(data):
            yield from flatten(each, tokens, f"{path}[{label(each, n)}]")
    elif is_token(data) == tokens:
        yield f"{path}: {show(data, path)}"


def label(each, n):
    """What an entry of a list is called: its name, if it has one, rather than its number."""
    if isinstance(each, dict):
        for key in ("name", "id", "code"):
            if isinstance(each.get(key), str) and each[key]:
                return f"{n} {each[key]}"
    return n


def show(leaf, path):
    """A leaf as text; values of measures with all digits, all else with 6."""
    if isinstance(leaf, float):
        return repr(leaf) if EXACT.search(path) else f"{leaf:.6g}"
    return json.dumps(leaf, ensure_ascii=False) if not isinstance(leaf, str) else leaf


class Recording(dict):
    """Name of a file, such as `values/x.txt`, to its text."""

    def add_lines(self, name, lines):
        text = "".join(f"{line}\n" for line in lines)
        if text:
            self[name] = self.get(name, "") + text

    def add_json(self, name, data):
        """A result's numbers to values/, its texts to words/."""
        self.add_lines(f"values/{name}.txt", flatten(data))
        self.add_lines(f"words/{name}.txt", flatten(data, tokens=False))

    def add_ran(self, name, words, code, out, err):
        """A command's exit code to values/, what it wrote, perhaps in several forms, to words/."""
        command = " ".join(map(str, words))
        forms = dict(out) if isinstance(out, dict) else {"txt": out}
        self.add_lines(f"values/{name}.txt", [f"score {command} -> exit {code}"])
        said = [f"$ score {command}", *shorten_numbers(forms.pop("txt", "")).splitlines()]
        said += [f"! {line}" for line in err.splitlines()]
        self.add_lines(f"words/{name}.txt", said)
        if "json" in forms:
            self.add_json(name, json.loads(forms.pop("json")))
        for form, text in forms.items():
            text = clean_html(text) if form == "html" else text
            self[f"words/{name}.{form}"] = shorten_numbers(text)


# Sections


def settings(file, default):
    """The challenges of a YAML file, each with drawn files and submissions: name, rules, folder."""
    truth = inputs.truth_files()
    for name, said in yaml.safe_load((HERE / file).read_text(encoding="utf-8")).items():
        name = re.sub(r"\W+", "_", name)
        folder = Path(Path(file).stem, name)
        (folder / "sent").mkdir(parents=True)
        for path, text in truth.items():
            (folder / path).write_text(text, encoding="utf-8")
        form, runs = said.get("submissions", default), said.get("runs", False)
        for who, text in inputs.submissions(form, truth, runs).items():
            (folder / "sent" / f"{who}.csv").write_text(text, encoding="utf-8")
        yield name, said, folder


def write_challenge(folder, challenge):
    text = yaml.safe_dump(challenge, sort_keys=False)
    (folder / "challenge.yaml").write_text(text, encoding="utf-8")


def record_measures():
    """The value of every variant of every measure on drawn files."""
    recording = Recording()
    for setting, said, folder in settings("measures.yaml", "ranked"):
        name = f"measures/{setting}"
        write_challenge(folder, {**said["challenge"], "metrics": said["measures"]})
        code, found, err = run_as_json(folder, folder / "sent", "--per-list")
        recording.add_lines(f"values/{name}.txt", [f"exit {code}"])
        recording.add_lines(f"words/{name}.txt", err.splitlines())
        for each in found["submissions"] if found else []:
            for notation, value in (each["values"] or {}).items():
                lists = value.pop("per_list") or {}
                head = " ".join(f"{k}={show(v, 'values')}" for k, v in value.items())
                lines = [f"{each['name']} {notation}: {head}"]
                lines += [f"  {key} {show(v, 'values')}" for key, v in lists.items()]
                recording.add_lines(f"values/{name}.txt", lines)
    return recording


def record_rules():
    """Boards of drawn submissions under many rules: ranks, intervals, tests, tiers."""
    recording = Recording()
    for setting, said, folder in settings("rules.yaml", "skilled"):
        name, sent = f"rules/{setting}", sorted(Path(folder, "sent").iterdir())
        write_challenge(folder, {"truth": "long.csv", "submission": {"missing_list": "skip"},
                                 "undefined": "skip"} | said["challenge"])  # fmt: skip
        runs = [[folder, *sent]]
        if said.get("compare"):
            test = [] if said["compare"] is True else ["--test", said["compare"]]
            runs.append(["compare", folder, *(sent if said.get("runs") else sent[:2]), *test])
        for words in runs:
            recording.add_ran(name, words, *run_in_forms(*words))
    return recording


def record_faults():
    """What is said of challenges with something wrong."""
    recording, truth = Recording(), inputs.truth_files()
    texts = yaml.safe_load((HERE / "faults.yaml").read_text(encoding="utf-8"))
    sent = inputs.submissions("ranked", truth)["ann"]
    for n, text in enumerate(texts, start=1):
        folder = Path("faults", f"{n:03}")
        (folder / "sent").mkdir(parents=True)
        for path, data in {**truth, "sent/ann.csv": sent, "challenge.yaml": text}.items():
            (folder / path).write_text(data, encoding="utf-8")
        code, _, err = run(folder, folder / "sent/ann.csv")
        lines = err.replace(f"{folder}/", "").splitlines()
        said = [f"  {problem}" for problem in problems_in(lines)]
        recording.add_lines("values/faults/all.txt", [f"{json.dumps(text)} -> exit {code}", *said])
        recording.add_lines("words/faults/all.txt", [json.dumps(text), *(f"  {x}" for x in lines)])
    return recording


def problems_in(lines):
    """The place, severity and code of each problem; several of a file stand below its path."""
    path = ""
    for line in lines:
        if not line.startswith(" "):
            path = line if line.endswith(":") else ""
        found = re.match(r"(?:(\S+?): )?(error|warning)\[(\w+)\]", line.removeprefix("  "))
        if found and (path or found[1]):
            place = f"{path}{found[1] or ''}".removesuffix(":")
            yield f"{place} {found[2]} {found[3]}"


def bundled():
    """The names of the bundled challenges."""
    paths = Path("challenges").rglob("challenge.yaml")
    return sorted(str(path.parent.relative_to("challenges")) for path in paths)


def files(challenge, sort):
    return sorted(Path("submissions_example", challenge, sort).iterdir())


def record_problems():
    """Every problem of every file of submissions_example, by `check` and by `score`."""
    recording = Recording()
    for challenge in bundled():
        name, folder = f"problems/{challenge.replace('/', '_')}", Path("challenges", challenge)
        for path in files(challenge, "good") + files(challenge, "bad"):
            checked, found, _ = run_as_json("check", folder, path, "--all")
            code, _, err = run(folder, path)
            add_problems(recording, name, f"{path}: check {checked}, score {code}", found)
            recording.add_lines(f"words/{name}.txt", [f"! {line}" for line in err.splitlines()])
    return recording


def record_challenge(challenge):
    """What the commands say of a bundled challenge."""
    recording = Recording()
    folder, good = Path("challenges", challenge), files(challenge, "good")
    name = f"challenges/{challenge.replace('/', '_')}"
    forms = ALL_FORMS if challenge == IN_ALL_FORMS else FORMS
    runs = [[folder, *good], ["lint", folder], ["explain", folder, good[0]]]
    if "/" not in challenge:  # not of the gallery
        runs += [["compare", folder, *good[:3]], ["study", folder, *good]]
        recording.add_ran(f"{name}/about", ["about", folder], *run("about", folder))
    if challenge == IN_ALL_FORMS:
        runs.append(["check", folder, *files(challenge, "bad"), good[0]])
    for words in runs:
        verb = words[0] if words[0] != folder else "score"
        recording.add_ran(f"{name}/{verb}", words, *run_in_forms(*words, forms=forms))
    return recording


def add_problems(recording, name, heading, result):
    """The problems of a result of `check`: places to values/, messages to words/."""
    recording.add_lines(f"values/{name}.txt", [heading])
    recording.add_lines(f"words/{name}.txt", [heading])
    for each in result["submissions"] if result else []:
        for problem in each["problems"]:
            place = " ".join(
                f"{key}={problem[key]}"
                for key in ("line", "column", "list", "item")
                if problem[key] is not None
            )
            said = f"{problem['severity']} {problem['code']} {place}".strip()
            recording.add_lines(f"values/{name}.txt", [f"  {each['name']}: {said}"])
            said = [f"  {each['name']}: {problem['code']} {problem['message']}"]
            said += [f"    {problem['help']}"] if problem["help"] else []
            recording.add_lines(f"words/{name}.txt", said)


def record_cases():
    """What `check` says of the files of the cases of forms, whose lists it does not know."""
    recording = Recording()
    for page in sorted((ROOT / "tests").glob("*/cases/*.yaml")):
        for n, case in enumerate(yaml.safe_load(page.read_text(encoding="utf-8")), start=1):
            if "text" not in case or "wants" in case or "layout" in case:
                continue
            folder = Path("cases", page.stem, f"{n:03}")
            folder.mkdir(parents=True)
            (folder / "truth.csv").write_text("list,item\nq1,a\n", encoding="utf-8")
            rules = {"missing_list": "skip", "unknown_list": "ignore"}
            if "columns" in case:
                rules["columns"] = case["columns"]
            write_challenge(folder, {"truth": "truth.csv", "metrics": ["AP"], "submission": rules})
            suffix = {"trec": "run"}.get(page.stem, page.stem)
            (folder / f"sent.{suffix}").write_bytes(case["text"].encode("utf-8", "surrogatepass"))
            code, found, _ = run_as_json("check", folder, folder / f"sent.{suffix}", "--all")
            add_problems(recording, f"cases/{page.stem}", f"{case['name']} -> exit {code}", found)
    return recording


def record_tables():
    """`values` and `votes` on drawn tables and on the bundled arena."""
    recording = Recording()
    rng = inputs.Random(7)
    lines = [
        f"{system},{case},{min(1, max(0, level + rng.randint(-4, 4) / 8))},{rng.randint(1, 90)}"
        for system, level in (("ann", 0.5), ("bob", 0.625), ("cyd", 0.375), ("dan", 0.5))
        for case in (f"case{n}" for n in range(30))
    ]
    Path("table.csv").write_text(inputs.rows("system,case,quality,seconds", lines))
    Path("short.csv").write_text(inputs.rows("system,case,quality,seconds", lines[:-3]))
    votes = "examples/arena/votes.csv"
    for name, words in {
        "values": ["values", "table.csv", "--lower", "seconds"],
        "study_of_values": ["study", "table.csv", "--lower", "seconds"],
        "votes": ["votes", votes],
    }.items():
        recording.add_ran(f"tables/{name}", words, *run_in_forms(*words))
    for words in (
        ["values", "table.csv", "--value", "quality", "--per-list"],
        ["values", "short.csv"],
        ["values", "short.csv", "--missing", "skip"],
        ["values", "short.csv", "--value", "quality", "--missing", "zero"],
        ["values", "table.csv", "--value", "quality/seconds"],
        ["votes", votes, "--level", "0.8", "--alpha", "0.2", "--draws", "2000", "--seed", "5"],
    ):
        recording.add_ran("tables/options", words, *run_in_forms(*words))
    return recording


GRADING = "grading: {from: baseline, to: 0.75, points: 10}\n"


def record_term():
    """A played term of the bundled course's living board, some years later than the bundled one."""
    recording = Recording()
    course = Path("challenges", "course-2026")
    text = (course / "challenge.yaml").read_text(encoding="utf-8")
    text = text.replace("2026-", "2034-").replace("2027-", "2035-")
    (course / "challenge.yaml").write_text(text.rstrip() + "\n" + GRADING, encoding="utf-8")

    def do(*words):
        code, out, err = run(*words)
        recording.add_ran("term/course", words, code, clean_board(out), clean_board(err))

    def enter(team, number, time, method):
        file = Path("submissions_example", "course-2026", "good", f"{team}-{number}.csv")
        do("add", course, file, "--team", team, "--at", time, "--answer", f"method={method}")

    do("seal", course, "--at", "2034-09-30T12:00:00+02:00")
    enter("aurora", 1, "2034-10-05T10:00:00+02:00", "most popular by age")
    enter("boreas", 1, "2034-10-06T09:30:00+02:00", "item neighbours")
    enter("delta", 1, "2034-10-06T23:59:00+02:00", "random forest")
    enter("aurora", 2, "2034-10-20T18:00:00+02:00", "matrix factorisation")
    bad = files("course-2026", "bad")[0]
    do("add", course, bad, "--team", "cirrus", "--at", "2034-11-01T11:00:00+01:00",
       "--answer", "method=none")  # fmt: skip
    enter("cirrus", 1, "2034-11-02T11:00:00+01:00", "implicit feedback")
    enter("eclipse", 1, "2034-11-03T16:20:00+01:00", "two towers")
    enter("boreas", 2, "2034-11-15T08:00:00+01:00", "factorisation, tuned")
    enter("cirrus", 2, "2034-12-01T20:00:00+01:00", "implicit feedback, more factors")
    enter("fjord", 1, "2034-12-10T14:00:00+01:00", "nearest readers")
    enter("fjord", 2, "2035-01-10T23:00:00+01:00", "a new idea")
    enter("eclipse", 2, "2035-01-12T10:00:00+01:00", "two towers, averaged")
    enter("delta", 2, "2035-01-15T23:59:59+01:00", "gradient boosting")
    enter("delta", 1, "2035-01-16T00:00:00+01:00", "once more")
    do("add", course, files("course-2026", "bad")[1], "--team", "gale",
       "--at", "2035-01-11T10:00:00+01:00", "--answer", "method=all twice")  # fmt: skip
    term, end = "2035-01-15T23:59:59+01:00", "2035-01-17T12:00:00+01:00"
    do("board", course, "--at", term)
    select = ["decide", course, "select", "2", "--reason", "our choice", "--by", "boreas"]
    do(*select, "--at", "2035-01-15T20:00:00+01:00")
    do("audit", course, "--at", "2035-01-16T09:00:00+01:00")
    do("decide", course, "disqualify", "fjord", "--reason", "the file of another team",
       "--by", "jury", "--at", "2035-01-16T09:30:00+01:00")  # fmt: skip
    do("decide", course, "select", "7", "--reason", "now we know", "--by", "boreas",
       "--at", "2035-01-16T10:00:00+01:00")  # fmt: skip
    for entry in ("best", "last", "all"):
        do("board", course, "--at", end, "--entry", entry)
    for split in ("public", "private"):
        do("board", course, "--at", end, "--split", split)
    do("board", course, "--at", "2034-11-10T00:00:00+01:00")
    for words in (
        ["board", course, "--at", end],
        ["log", course],
        *(["why", course, team, "--at", end] for team in ("boreas", "fjord", "aurora")),
    ):
        name = f"term/why_{words[2]}" if words[0] == "why" else f"term/{words[0]}"
        code, texts, err = run_in_forms(*words)
        texts = {form: clean_board(text) for form, text in texts.items()}
        recording.add_ran(name, words, code, texts, clean_board(err))
    for form in ("grades", "csv"):
        do("board", course, "--at", end, "--format", form)
    do("store", "files", course, "--entries", "1,2", "-o", "entries")
    do("compare", course, "entries")
    do("rescore", course)
    do("reveal", course, "-o", "open", "--at", end)
    do("verify", course)
    do("verify", "open")
    return recording


STAMP = re.compile(r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?( ?UTC|Z|[+-]\d\d:\d\d)?")


def clean_board(text):
    """Text without the times at which commands ran; those of the term are later."""
    return STAMP.sub(lambda found: found[0] if found[0] > "2034" else "TIME", text)


SECTIONS = {
    "measures": record_measures,
    "rules": record_rules,
    "faults": record_faults,
    "problems": record_problems,
    "cases": record_cases,
    "tables": record_tables,
    "term": record_term,
}


def record(section):
    """The recording of a section, or of a bundled challenge."""
    with workplace():
        return SECTIONS[section]() if section in SECTIONS else record_challenge(section)


def sections():
    """The names of all sections; a bundled challenge is one, too."""
    folders = [path.parent for path in (ROOT / "challenges").rglob("challenge.yaml")]
    return [*SECTIONS, *sorted(str(path.relative_to(ROOT / "challenges")) for path in folders)]


def place(section):
    """The folder in values/ and words/ that holds the recording of a section."""
    return section if section in SECTIONS else f"challenges/{section.replace('/', '_')}"


def machine():
    """What the last digits of values depend on."""
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    return f"numpy {np.__version__}, {platform.machine()}: {' '.join(found)}\n"


def main(folder, only):
    """Record into a folder: all sections, each in place of what was there, or only some."""
    for section in only or sections():
        for side in ("values", "words"):
            shutil.rmtree(folder / side / place(section), ignore_errors=True)
        for name, text in record(section).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if not only:
        (folder / "machine.txt").write_text(machine(), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where values/ and words/ are written")
    parser.add_argument("section", nargs="*", help="; ".join(sections()) + "; default: all")
    asked = parser.parse_args()
    if wrong := {*asked.section} - {*sections()}:
        parser.error(f"no section is called {', '.join(sorted(wrong))}")
    main(asked.folder, asked.section)
